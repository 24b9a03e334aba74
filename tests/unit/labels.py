"""What the papers' models are called, for tests of tables and figures."""

from planned import TRAINED

from attention_audit.names import Names
from attention_audit.tables.wording import collect_labels

WP, SS, JW = (Names("model", "plan/papers", suite.looks) for suite in TRAINED[:3])
LABELS = collect_labels([names.labels for names in (WP, SS, JW)], {suite.paper: suite.title for suite in TRAINED[:3]})

"""What the papers' models are called, for tests of tables and figures."""

from attention_audit.names import Names
from attention_audit.plan.suites import SUITES
from attention_audit.tables.wording import collect_labels

PAPERS = [SUITES[name] for name in ("wp", "ss", "jw")]
WP, SS, JW = (Names(suite.looks) for suite in PAPERS)
LABELS = collect_labels([names.labels for names in (WP, SS, JW)], {suite.paper: suite.title for suite in PAPERS})

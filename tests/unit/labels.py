"""What the papers' models are called, for tests of tables and figures."""

from attention_audit.plan.jain_wallace import JainWallace
from attention_audit.plan.serrano_smith import SerranoSmith
from attention_audit.plan.wiegreffe_pinter import WiegreffePinter
from attention_audit.tables.wording import labels_of

WP, SS, JW = WiegreffePinter.labels, SerranoSmith.labels, JainWallace.labels
LABELS = labels_of(
    [names.labels for names in (WP, SS, JW)],
    {suite.paper: suite.title for suite in (WiegreffePinter, SerranoSmith, JainWallace)},
)

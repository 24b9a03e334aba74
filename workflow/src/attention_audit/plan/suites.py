"""The suites: the one list that a new one is entered in, in the order in which they train and are shown."""

from attention_audit.plan.classifiers import GivenClassifierSuite
from attention_audit.plan.deception import PruthiDeception
from attention_audit.plan.diversity import MohankumarDiversity
from attention_audit.plan.jain_wallace import JainWallace
from attention_audit.plan.own import OwnReadouts
from attention_audit.plan.serrano_smith import SerranoSmith
from attention_audit.plan.suite import Suite
from attention_audit.plan.wiegreffe_pinter import WiegreffePinter

SUITES: tuple[type[Suite], ...] = (
    WiegreffePinter,
    SerranoSmith,
    JainWallace,
    PruthiDeception,
    MohankumarDiversity,
    OwnReadouts,
    GivenClassifierSuite,
)

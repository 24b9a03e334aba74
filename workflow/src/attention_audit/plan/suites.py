"""The suites: the one list that a new one is entered in, in the order in which they train and are shown."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from attention_audit import plugins
from attention_audit.config import NOTHING, Config, extended, parse_config
from attention_audit.errors import did_you_mean
from attention_audit.plan.audits import AUDITS
from attention_audit.plan.classifiers import GivenClassifierSuite
from attention_audit.plan.deception import PruthiDeception
from attention_audit.plan.diversity import MohankumarDiversity
from attention_audit.plan.jain_wallace import JainWallace
from attention_audit.plan.own import OwnReadouts
from attention_audit.plan.roar import MadsenRoar
from attention_audit.plan.serrano_smith import SerranoSmith
from attention_audit.plan.suite import Suite
from attention_audit.plan.wiegreffe_pinter import WiegreffePinter
from attention_audit.plugins import Entries
from attention_audit.section import NAME

NAMED = ("key", "paper", "title", "about", "labels")
"""What every suite says of itself."""


def _faults(suite: type[Suite]) -> Iterator[str]:
    """What is missing in a suite, and what is wrong with its key."""
    missing = [name for name in NAMED if not hasattr(suite, name)] + sorted(suite.__abstractmethods__)
    if missing:
        yield f"has no {', '.join(missing)}; define {'it' if len(missing) == 1 else 'them'}"
    elif not re.fullmatch(NAME, suite.key) or "-" in suite.key:
        yield f"the key {suite.key!r} has small letters and digits only; choose another"
    elif suite.section and suite.key in Config.model_fields:
        yield f"{suite.key!r} is a key of the configuration already; choose another"
    for name in () if missing else suite.own_audits:
        if name not in AUDITS.by_name:
            yield f"own_audits: audit {name!r} is not known{did_you_mean(name, AUDITS.by_name)}; choose another"


SUITES: Entries[type[Suite]] = Entries(
    "SUITES",
    Suite,
    (
        WiegreffePinter,
        SerranoSmith,
        JainWallace,
        PruthiDeception,
        MohankumarDiversity,
        MadsenRoar,
        OwnReadouts,
        GivenClassifierSuite,
    ),
    faults=_faults,
)


def config_type() -> type[Config]:
    """The type of the configuration, with the sections that suites declare and that it has not."""
    known = [field.annotation for field in Config.model_fields.values()]
    return extended({suite.key: suite.section for suite in SUITES if suite.section and suite.section not in known})


def read_config(raw: Mapping[str, Any], catalogue: Mapping[str, Any] = NOTHING) -> Config:
    """`parse_config` once the plugins that it names are there. Raises AuditError with a line for each fault."""
    plugins.activate(raw.get("plugins"))
    return parse_config(raw, catalogue, config_type())

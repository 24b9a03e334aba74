"""What there is to run, as plain text for a terminal: `python -m attention_audit list`.

Everything is printed from the entries in `plan/` and from the catalogues of data sets, so nothing is listed by hand.
No heavy library is imported.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from functools import reduce
from pathlib import Path
from textwrap import fill
from typing import Any, get_args

import yaml

from attention_audit.corpus.catalogue import Corpus
from attention_audit.errors import AuditError
from attention_audit.model.architecture import MARKED, QUERIED, SUMMARISING, Attention, Encoder, Scoring
from attention_audit.names import PAPER_NAMES, Look
from attention_audit.plan.audit import Audit, Need
from attention_audit.plan.audits import AUDITS
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.plan.suites import SUITES

WIDTH = 100
"""Characters of a line, at most."""
CATALOGUES = (Path("workflow/catalogue.yaml"), Path("config.yaml"))
"""Where data sets are declared, from the working directory; the second file is laid over the first."""
NEEDS: dict[Need, str] = {
    "corpus": "the texts",
    "network": "a network that can be run again",
    "linear": "predictions that are linear in the attention (no pairs)",
    "tokens": "attention over tokens (no sentences)",
    "base": "a base model",
    "contrast": "an adversary",
}
"""What a suite must have for an audit, beside the readouts that every suite has."""

"""The architectures of Serrano & Smith 2019: in which order, and by which names, tables and figures show them."""

from __future__ import annotations

MODELS = {
    "han_rnn": "HANrnn",
    "han_conv": "HANconv",
    "han_none": "HANnoenc",
    "flan_rnn": "FLANrnn",
    "flan_conv": "FLANconv",
    "flan_none": "FLANnoenc",
}
"""The paper's names by those in paths."""
FLANS = ("flan_rnn", "flan_conv", "flan_none")
"""By the reach of their encoder, the furthest first."""
ENCODERLESS = ("han_none", "flan_none")

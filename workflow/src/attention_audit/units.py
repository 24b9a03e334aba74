"""Constants of the units in which results are given."""

from __future__ import annotations

import math

LN2 = math.log(2)
"""The greatest Jensen-Shannon divergence there is, in nats."""

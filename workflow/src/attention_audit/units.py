"""Constants of the units in which results are given."""

import math

LN2 = math.log(2)
"""The greatest Jensen-Shannon divergence there is, in nats."""

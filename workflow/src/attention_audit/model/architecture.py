"""What a classifier is built of, as plain settings."""

from __future__ import annotations

from typing import Literal

from attention_audit.section import Count, Section


class Architecture(Section):
    """Encoder, attention and sizes; enough, with the vocabulary, to build the network that fits stored weights."""

    encoder: Literal["bilstm", "affine"]
    attention: Literal["additive", "uniform", "imposed"]
    embedding: Count
    pretrained: bool
    hidden: Count
    attention_hidden: Count

"""The section of the configuration for Transformers as encoders."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from attention_audit.section import Count, NonNegative, Positive, Section

Pool = Literal["first", "sum"]
Share = Annotated[float, Field(ge=0, lt=1)]


class Tuning(Section):
    """How a Transformer is fine-tuned: AdamW; the learning rate rises and falls linearly. The defaults are usual ones
    for models of BERT's size (Devlin et al. 2019, appendix A.3).
    """

    epochs: Count = Field(3, description="Epochs; adversaries have their own.")
    batch_size: Count = Field(32, description="Texts in a batch.")
    learning_rate: Positive = Field(5e-5, description="Greatest learning rate.")
    warmup: Share = Field(0.1, description="Share of all steps in which the learning rate rises from 0.")
    weight_decay: NonNegative = Field(0.01, description="Decay of all weights but biases and those of LayerNorm.")
    clip_norm: Positive | None = Field(1.0, description="Largest norm of a step's gradient; null: no limit.")


class Backbone(Section):
    """Which Transformer, and which of its states."""

    path: str = Field(
        min_length=1,
        description="A folder with config.json, weights as safetensors and a tokenizer, here or in the mirror; or the "
        "id of a model that the cache of the Hugging Face hub holds. Nothing is downloaded.",
    )
    frozen: bool = Field(
        True,
        description="Whether its weights stay as they are: its states are then computed once for each data set. false: "
        "every training fine-tunes it.",
    )
    layer: Count | None = Field(None, description="The layer whose states are read, from 1; null: the last.")
    pool: Pool = Field("first", description="The state of a word of several pieces: that of the first, or their sum.")
    max_length: int = Field(512, ge=8, description="Pieces of a text at most, marks included; what follows is cut.")


class Transformer(Backbone):
    """A Transformer whose states the attention weighs, wherever a model names `transformer` as its encoder."""

    tuning: Tuning = Field(default_factory=Tuning, description="Fine-tuning, where it is not frozen.")

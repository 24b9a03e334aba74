"""Settings of the answer: from which size on an effect counts, declared before any data are seen."""

from typing import Annotated

from pydantic import Field

from attention_audit.section import Section

Share = Annotated[float, Field(ge=0, le=1)]


class Margins(Section):
    """What separates yes from no in each question, and what else the words rest on."""

    needed: Share = Field(0.01, description="F1 that attention must add to uniform weights to be needed.")
    stable: Share = Field(
        0.5, description="Stability of the map between two trainings: 1 the same map, 0 unrelated maps."
    )
    used: Share = Field(0.05, description="Change of the prediction (TVD) under permuted weights.")
    ranks: Share = Field(
        0.5, description="Share of the gain that a ranking can have over a random one when items are erased."
    )
    located: Share = Field(
        0.5, description="Share of leave-one-out's gain over a random ranking when words of the input are deleted."
    )
    signed: Share = Field(0.9, description="Share of texts whose item of the highest weight supports the prediction.")
    unique: Share = Field(
        0.5, description="Similarity of the furthest adversary's map: 1 the same map, 0 an unrelated one."
    )
    transferable: Share = Field(
        0.01, description="F1 that a model's maps must add to an MLP guided by uniform weights."
    )
    tvd: Share = Field(0.05, description="Budget of the adversaries: how far their predictions may move (TVD, on dev).")
    flat: Share = Field(
        0.01, description="Maps are flat where shuffling one moves it by less than this share of the largest JSD, ln 2."
    )
    inert: Share = Field(
        0.01,
        description="Change of the predicted class's probability up to which an item counts as inert: it neither "
        "supports nor opposes the prediction.",
    )


class AnswerSettings(Section):
    """How the audits' numbers become words."""

    margins: Margins = Field(default_factory=Margins, description="From which size on an effect counts.")

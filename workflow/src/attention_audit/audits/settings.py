"""Settings of the audits: sections of the configuration."""

from __future__ import annotations

from pydantic import Field

from attention_audit.section import Count, Positive, Section


class InstanceAdversary(Section):
    """Jain & Wallace's adversary: one search per text, on the attention weights alone."""

    restarts: Count = Field(5, description="Searches per text, pushed apart from one another.")
    steps: Count = Field(500, description="Steps of Adam (amsgrad).")
    learning_rate: Positive = Field(0.01, description="Learning rate.")
    spread: Positive = Field(3.0, description="Standard deviation of the initial logits.")
    margin: Positive = Field(0.01, description="Prediction change (TVD) above which the penalty sets in.")
    penalty: Positive = Field(500.0, description="Weight of that penalty.")
    epsilon: Positive = Field(
        0.05, description="Prediction change (TVD) up to which a result counts; the paper says 0.01, its code 0.05."
    )


class AttentionMaps(Section):
    """Which test instances figure 2 shows."""

    automatic: int = Field(2, ge=0, description="Instances chosen automatically for each data set.")
    instances: list[str] = Field(default_factory=list, description="Ids of further test instances to show.")

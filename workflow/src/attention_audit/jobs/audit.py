"""The settings of an audit's job."""

from typing import Any, Literal

from pydantic import Field

from attention_audit.model.architecture import Architecture
from attention_audit.section import Count, Section, Seed
from attention_audit.transformer.settings import ReadClassifier


class AuditedRun(Section):
    """One model with one seed, as the columns of an audit name it, and what an audit may ask about it.

    selection: the split on which its epoch was selected. hierarchical: whether its items are sentences. other: the seed
    of the same model that it is compared with; None where it is compared with none, or with another model. searched:
    the step of a search by continuation that it is, 0 for the chosen one, None for other models; the lambda of such a
    run is known only after the search.
    """

    model: str
    lambda_: float | None
    seed: Seed
    selection: str
    hierarchical: bool
    other: Seed | None = None
    searched: int | None = None


class AuditJob(Section):
    """One audit of one model of a data set, by its name in paths.

    target, takes, columns, needs: those of its entry in plan/audits.yaml; columns is the declaration of its columns.
    runs: in the order of the readouts. sections: the sections of the configuration that the audit reads, by key.
    architectures, classifiers: what it takes to run the models again, in the order of the runs: architectures of those
    that are trained here, or classifiers that are given; both are empty where none is run again.
    attributions: of the user's own, each "module:function", which such an audit compares too.
    """

    dataset: str
    model: str
    audit: str
    target: str
    takes: Literal["batch", "readout", "readout_pair", "suite", "network"]
    columns: str
    needs: list[str]
    runs: list[AuditedRun]
    sections: dict[str, dict[str, Any]]
    after: dict[str, str]
    architectures: list[Architecture] = Field(default_factory=list)
    classifiers: list[ReadClassifier] = Field(default_factory=list)
    attributions: list[str] = Field(default_factory=list)
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    threads: Count


class GatheredAudit(Section):
    """One of several audits that a job makes. code: hash of what it runs. inputs: places among the job's by name."""

    audit: AuditJob
    code: str
    inputs: dict[str, list[int]]


class UnaskedAudit(Section):
    """An audit of which a file without rows is written, with the reason."""

    audit: str
    columns: str
    reason: str


class AuditsJob(Section):
    """The audits of one rule, of one model of a data set. audit: the name of the rule."""

    dataset: str
    model: str
    audit: str
    audits: list[GatheredAudit]
    unasked: list[UnaskedAudit] = Field(default_factory=list)

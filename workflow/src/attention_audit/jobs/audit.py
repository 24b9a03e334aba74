"""The settings of the job of a rule that makes audits."""

from typing import Any, Literal

from attention_audit.model.architecture import Architecture
from attention_audit.section import Count, Section, Seed
from attention_audit.transformer.settings import ReadClassifier


class AuditedRun(Section):
    """One model with one seed, as the columns of an audit name it, and what an audit may ask about it.

    selection: the split on which its epoch was selected. hierarchical: whether its items are sentences. searched: the
    step of a search by continuation that it is, 0 for the chosen one, None for other models; the lambda of such a run
    is known only after the search. other: the seed of the same model that it is compared with; None where it is
    compared with none, or with another model.

    readout: the place of its readout, and of its weights, among those of the job; against: that of the readout which it
    is compared with. architecture, classifier: what it takes to run it again, of a model that is trained here or of one
    that is given; both are None where it is not run again.
    """

    model: str
    lambda_: float | None
    seed: Seed
    selection: str
    hierarchical: bool
    searched: int | None = None
    other: Seed | None = None
    readout: int = 0
    against: int | None = None
    architecture: Architecture | None = None
    classifier: ReadClassifier | None = None


class AuditJob(Section):
    """One audit of a job.

    target, takes, columns, needs: those of its entry in plan/audits.yaml; columns is the declaration of its columns.
    sections: the sections of the configuration that the audit reads, by key. after: the declarations of the audits that
    it reads, by name. attributions: of the user's own, each "module:function", which an audit that runs models again
    compares too. code: hash of what it runs. reason: why it is not asked; its file then has no rows.
    """

    audit: str
    target: str
    takes: Literal["batch", "readout", "readout_pair", "suite", "network"]
    columns: str
    needs: list[str] = []
    runs: list[AuditedRun] = []
    sections: dict[str, dict[str, Any]] = {}
    after: dict[str, str] = {}
    attributions: list[str] = []
    code: str = ""
    reason: str = ""


class AuditsJob(Section):
    """The audits of one rule, of one model of a data set, by its name in paths. audit: the name of the rule."""

    dataset: str
    model: str
    audit: str
    audits: list[AuditJob]
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    threads: Count = 1

"""Which audits each model in question is asked, and why it is not asked the others."""

from collections.abc import Iterable, Sequence

from attention_audit.errors import AuditError, suggest

from .audits import AUDITS, Audit, AuditedModel, describe_model, find_audit
from .model import Model
from .suites import Scope, find_suite

NOT_IN_SUITE = "is not among the suite's audits"
ANSWERED_FROM = "predictions"
"""The audit that the whole answer stands on: a model whose attention is in question is asked it, whatever else it is
asked.
"""


def list_named(names: Sequence[str]) -> list[Audit]:
    """List the audits that a suite is to be asked by these names, with those that they read, and what the answer stands
    on.
    """
    further = [*filter(None, (find_audit(name).after for name in names)), ANSWERED_FROM]
    return [find_audit(name) for name in dict.fromkeys([*names, *further] if names else ())]


def add_audits(known: dict[str, Audit], names: Iterable[str], models: Sequence[AuditedModel], suite: str) -> None:
    """Add the audits of these names to the known ones. Raises AuditError where one of them is not known, has the name
    of another, or needs what none of the models of the suite has.
    """
    for audit, name in ((find_audit(name), name) for name in names):
        if known.setdefault(audit.name, audit) is not audit:
            fault = f"{audit.name} is the name of two audits"
            raise AuditError(f"audits: {name}", fault, "rename one of the functions")
        lacks = [audit.find_lack(model) for model in models]
        if lacks and all(lacks):
            raise AuditError(f"audits.{suite}", f"{audit.name} {lacks[0]}", "leave it out")


def find_reason(audit: Audit, model: AuditedModel, named: Sequence[Audit]) -> str:
    """Say why a model is not asked an audit, of whose suite some are named; "" where it is."""
    return audit.find_lack(model) or (audit.explain_few(model) if audit in named else NOT_IN_SUITE)


class AskedAudits:
    """The audits of a run, by model. Raises AuditError where the configuration asks for what there is not.

    known: all audits by name, those of the user's own too. by_model: those that each model in question is asked.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.known = dict(AUDITS)
        for suite, names in scope.config.audits.items():
            judged = [model for data in scope.list_asked(find_suite(suite)) for model in data.judged]
            add_audits(self.known, names, [*map(describe_model, judged)], suite)
        self.by_model = {
            model: [audit for audit in named if not find_reason(audit, described, named)]
            for data in scope.asked
            for named in [list_named(data.audits)]
            for model in data.judged
            for described in [describe_model(model)]
        }

    def locate(self, model: Model, audit: str) -> str:
        """Return the file of an audit of a model."""
        return self.places.audit_file(model.data.name, model.path_name, audit)

    def list_files(self) -> list[str]:
        """List the files of all audits that models are asked."""
        return [self.locate(model, audit.name) for model, audits in self.by_model.items() for audit in audits]

    def is_asked(self, model: Model, name: str) -> bool:
        """Tell whether a model is asked an audit."""
        return find_audit(name) in self.by_model[model]

    def is_named(self, model: Model, name: str) -> bool:
        """Tell whether a model is asked an audit, and not for the answer alone, which needs it of no other model."""
        return self.is_asked(model, name) and (name != ANSWERED_FROM or name in model.data.named)

    def explain_unasked(self, model: Model, names: Sequence[str]) -> dict[str, str]:
        """Explain which audits of these names a model is not asked, each with the reason."""
        return {name: f"{name} {reason}" for name in names if (reason := self.find_reason(model, find_audit(name)))}

    def list_of_rule(self, rule: str) -> list[Audit]:
        """List the audits that a rule makes."""
        return [audit for audit in self.known.values() if audit.rule == rule]

    def find_reason(self, model: Model, audit: Audit) -> str:
        """Say why a model is not asked an audit; "" where it is."""
        return find_reason(audit, describe_model(model), list_named(model.data.audits))

    def find_model(self, dataset: str, path_name: str) -> Model:
        """Find a model in question by its name in paths. Raises AuditError where there is none."""
        by_name = {model.path_name: model for model in self.by_model if model.data.name == dataset}
        if path_name not in by_name:
            names = ", ".join(by_name) or "none"
            raise AuditError(
                f"{dataset}/{path_name}",
                f"not a model whose attention is audited{suggest(path_name, by_name)} (of {dataset}: {names})",
                "name one of these, or add it to the configuration",
            )
        return by_name[path_name]

    def refuse(self, name: str, path_name: str, dataset: str) -> None:
        """Raise AuditError, with the reason, where a model, by its name in paths, is not asked an audit."""
        if reason := self.find_reason(self.find_model(dataset, path_name), self.known[name]):
            remedy = "ask for another audit, or of another model"
            if reason == NOT_IN_SUITE:
                remedy = "name it in `audits`, with the suite's own"
            raise AuditError(f"{dataset}/{path_name}", f"{name} {reason}", remedy)

"""Which audits a suite is asked, what each of them reads, and the settings of its job."""

from __future__ import annotations

from collections.abc import Callable

from attention_audit.errors import AuditError
from attention_audit.jobs.audit import AuditedRun, AuditJob, AuditsJob, GatheredAudit, Networks
from attention_audit.plan.audit import Audit, Need
from attention_audit.plan.audits import AUDITS, audit_named
from attention_audit.plan.scope import Scope
from attention_audit.plan.suite import Run, Suite
from attention_audit.plan.trainings import Trainings

AUDIT = "results/audits/{dataset}/{suite}/{audit}.parquet"

Inputs = dict[str, list[str]]
"""Input files of a job by name."""


def audit_file(dataset: str, suite: str, audit: str) -> str:
    """The file of an audit."""
    return AUDIT.format(dataset=dataset, suite=suite, audit=audit)


def audit_rules(audits: tuple[Audit, ...] = AUDITS) -> dict[str, list[Audit]]:
    """The audits by the rule that makes them, several where one job computes them together."""
    rules: dict[str, list[Audit]] = {}
    for audit in audits:
        rules.setdefault(audit.job, []).append(audit)
    return rules


class Auditing:
    """Every audit of a run. Raises AuditError where the configuration asks for what there is not."""

    def __init__(self, scope: Scope, trainings: Trainings) -> None:
        self.scope = scope
        self.trainings = trainings
        for key in scope.config.audits:
            scope.suite(key)
        for suite in scope.suites.values():
            for dataset in scope.datasets_of(suite):
                for audit in self.asked(suite):
                    self.refuse_unless_possible(suite, dataset, audit)

    def asked(self, suite: Suite) -> list[Audit]:
        """The audits that a suite is asked; those between seeds only where a model has several."""
        names = self.scope.config.audits.get(suite.key, suite.own_audits)
        audits = [audit_named(name) for name in names]
        return [audit for audit in audits if audit.of != "reseeded" or suite.runs_of(audit)]

    def files(self, suite: Suite) -> list[str]:
        """The files of all audits that a suite is asked, on all its data sets."""
        return [
            audit_file(dataset, suite.key, audit.name)
            for dataset in self.scope.datasets_of(suite)
            for audit in self.asked(suite)
        ]

    def lacks(self, suite: Suite, dataset: str, need: Need, runs: list[Run]) -> str:
        """Why a suite has not what an audit needs; "" where it has."""
        pair = self.scope.config.corpora[dataset].pair
        if need == "base" and suite.base is None:
            return "a base model that others are compared with, which this suite has not"
        if need == "contrast" and suite.contrast is None:
            return "an adversary to show beside the base model, which this suite has not"
        if need == "linear" and pair:
            return f"predictions that are linear in the attention, which models of pairs ({dataset}) have not"
        hierarchical = [run.model for run in runs if suite.architecture(dataset, run.model).hierarchical]
        if need == "tokens" and hierarchical:
            return f"attention over tokens, and {hierarchical[0]} attends to sentences"
        return ""

    def refuse_unless_possible(self, suite: Suite, dataset: str, audit: Audit) -> None:
        """Raise AuditError where a suite has not what an audit needs."""
        for need in sorted(audit.needs):
            if reason := self.lacks(suite, dataset, need, suite.runs_of(audit)):
                raise AuditError(f"audits.{suite.key}: {audit.name} needs {reason}; leave it out")

    def _audits_of(self, rule: str, key: str, dataset: str) -> tuple[Suite, list[Audit]]:
        """The suite and the audits of one job. Raises AuditError where there is no such job."""
        suite, audits = self.scope.suite(key), audit_rules()[rule]
        if dataset not in self.scope.datasets_of(suite):
            raise AuditError(
                f"{dataset}: not a data set of {suite.title} in this configuration; add it there, or ask for another"
            )
        self.refuse_unless_possible(suite, dataset, audits[0])
        if not suite.runs_of(audits[0]):
            raise AuditError(f"{audits[0].name}: {suite.title} has no model with several seeds; name more of them")
        return suite, audits

    def against(self, suite: Suite, audit: Audit, run: Run) -> Run | None:
        """What a run is compared with: the base, or the first seed of its model."""
        if audit.takes != "two":
            return None
        return suite.base if audit.of == "compared" else Run(run.model, suite.seeds(run.model)[0])

    def runs(self, suite: Suite, audit: Audit) -> list[Run]:
        """The runs that have rows in an audit: nothing is compared with itself."""
        return [run for run in suite.runs_of(audit) if self.against(suite, audit, run) != run]

    def inputs(self, rule: str, key: str, dataset: str) -> Inputs:
        """The input files of a job."""
        suite, (audit, *_) = self._audits_of(rule, key, dataset)
        homes = [self.trainings.home(suite, dataset, run) for run in self.runs(suite, audit)]
        inputs: Inputs = {}
        if audit.takes == "suite":
            for name, run in (("base", suite.base), ("contrast", suite.contrast)):
                inputs[name] = [self.trainings.home(suite, dataset, run).readout()] if run else []
        else:
            inputs["readouts"] = [home.readout() for home in homes]
        if self.scope.config.corpora[dataset].pair:
            inputs["heads"] = [home.head for home in homes]
        if audit.takes == "two":
            others = (self.against(suite, audit, run) for run in self.runs(suite, audit))
            inputs["against"] = [self.trainings.home(suite, dataset, run).readout() for run in others if run]
        if "corpus" in audit.needs:
            inputs["corpus"] = [f"results/corpora/{dataset}/corpus.parquet"]
        if "network" in audit.needs:
            inputs["vocabulary"] = [f"results/corpora/{dataset}/vocabulary.parquet"]
            inputs["weights"] = [home.weights for home in homes]
        return inputs | {name: [audit_file(dataset, key, name)] for name in audit.after}

    def job(self, rule: str, key: str, dataset: str) -> AuditJob:
        """The settings of a job."""
        suite, audits = self._audits_of(rule, key, dataset)
        audit, config = audits[0], self.scope.config
        runs = self.runs(suite, audit)
        networks = None
        if "network" in audit.needs:
            networks = Networks(
                architectures=[suite.architecture(dataset, run.model) for run in runs],
                device=config.device,
                threads=config.threads,
            )
        return AuditJob(
            dataset=dataset,
            suite=key,
            audit=rule,
            target=audit.target,
            takes=audit.takes,
            columns={each.name: each.columns for each in audits},
            runs=[
                AuditedRun(
                    model=suite.family(run.model),
                    lambda_=suite.lambda_(run.model),
                    seed=run.seed,
                    selection=suite.selection(dataset, run.model),
                    hierarchical=suite.architecture(dataset, run.model).hierarchical,
                )
                for run in runs
            ],
            sections={section: getattr(config, section).model_dump() for section in audit.settings},
            after={name: audit_named(name).columns for name in audit.after},
            threads=config.threads,
            networks=networks,
        )

    def gathered(self, suite: Suite) -> list[Audit]:
        """The audits that a suite is asked and that need no network: one job a data set makes them."""
        asked = [audit for audit in self.asked(suite) if "network" not in audit.needs]
        missing = {name for audit in asked for name in audit.after} - {audit.name for audit in asked}
        return [audit for audit in AUDITS if audit in asked and not missing & {*audit.after}]

    def suites_alone(self, rule: str) -> list[str]:
        """The suites whose audits of this rule are made by it, and not together with the others."""
        audit = audit_rules()[rule][0]
        return [suite.key for suite in self.scope.suites.values() if audit not in self.gathered(suite)]

    def _gathered_inputs(self, suite: Suite, dataset: str) -> dict[str, Inputs]:
        """The inputs of each gathered audit, but for those that the same job makes."""
        own = {audit.name for audit in self.gathered(suite)}
        return {
            audit.name: {
                name: files for name, files in self.inputs(audit.job, suite.key, dataset).items() if name not in own
            }
            for audit in self.gathered(suite)
        }

    def gathered_files(self, suite: Suite, dataset: str) -> list[str]:
        """The input files of all gathered audits, each once."""
        by_audit = self._gathered_inputs(suite, dataset)
        return list(dict.fromkeys(path for inputs in by_audit.values() for files in inputs.values() for path in files))

    def gathered_job(self, suite: Suite, dataset: str, code: Callable[[str], str]) -> AuditsJob:
        """The settings of the job of all gathered audits. `code`: the hash of the code of an audit's rule."""
        place = {path: number for number, path in enumerate(self.gathered_files(suite, dataset))}
        return AuditsJob(
            dataset=dataset,
            suite=suite.key,
            audits=[
                GatheredAudit(
                    audit=self.job(name, suite.key, dataset),
                    code=code(name),
                    inputs={each: [place[path] for path in files] for each, files in inputs.items()},
                )
                for name, inputs in self._gathered_inputs(suite, dataset).items()
            ],
        )

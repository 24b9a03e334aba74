"""Which audits a suite is asked, what each of them reads, and the settings of its job."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations

from attention_audit.code_hash import code_hash
from attention_audit.corpus.source import placed
from attention_audit.errors import AuditError, did_you_mean
from attention_audit.given.files import CONTRIBUTION, HEADS, holdings
from attention_audit.jobs.audit import AuditedRun, AuditJob, AuditsJob, GatheredAudit, UnaskedAudit
from attention_audit.model.architecture import Architecture
from attention_audit.plan.audit import OWN, Audit
from attention_audit.plan.audits import AUDITS, audit_named
from attention_audit.plan.job import Files, PlannedJob
from attention_audit.plan.scope import Scope
from attention_audit.plan.suite import ImportedModel, Run, Suite
from attention_audit.plan.trainings import Trainings
from attention_audit.plugins import module_of

STAGES = ("audits", "attribution")
"""The stages that make audits of a suite: those that need no network, and those that do."""
Asked = tuple[str, list[Audit], list[Audit]]
"""A rule, the audits that its job makes, and those of which it writes no rows."""


def stage_of(audit: Audit) -> str:
    """The stage that makes an audit."""
    return "attribution" if "network" in audit.needs else "audits"


def code_of(audit: Audit, architectures: Sequence[Architecture] = ()) -> str:
    """Hash of the code that an audit runs, and of that which builds the networks that it asks."""
    read = [audit_named(other).columns for other in audit.after]
    return code_hash(
        f"stages.{stage_of(audit)}",
        *map(module_of, [audit.target, audit.columns, *read]),
        entries=[entry for architecture in architectures for entry in architecture.entries],
    )


class Auditing:
    """Every audit of a run. Raises AuditError where the configuration asks for what there is not."""

    def __init__(self, scope: Scope, trainings: Trainings) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.trainings = trainings
        self.asked: Callable[[Suite, str], tuple[Audit, ...]] = cache(self._asked)
        self.lacks: Callable[[Suite, str, Audit, str], str] = cache(self._lacks)
        for key, names in scope.config.audits.items():
            suite = scope.suite(key)
            for dataset in scope.datasets_of(suite):
                for audit in map(audit_named, names):
                    # marks are the data set's and not the suite's: without them an audit is left out
                    if "marks" not in audit.needs or scope.marked(dataset):
                        self.refuse_unless_possible(suite, dataset, audit)

    def _named(self, suite: Suite) -> list[Audit]:
        """The audits that a suite is to be asked, with those that they read; those between two runs only where there
        are two to compare.
        """
        names = [*self.scope.config.audits.get(suite.key, suite.own_audits)]
        names += [other for name in names for other in audit_named(name).after if other not in names]
        audits = [audit_named(name) for name in names]
        return [audit for audit in audits if audit.of not in ("compared", "seed_pairs") or suite.runs_of(audit)]

    def _refuse_unless_of(self, suite: Suite, dataset: str) -> None:
        if dataset not in self.scope.datasets_of(suite):
            likely = did_you_mean(dataset, self.scope.datasets_of(suite))
            raise AuditError(
                f"{dataset}: not a data set of {suite.title} in this configuration{likely}; add it there, or ask for "
                "another"
            )

    def _asked(self, suite: Suite, dataset: str) -> tuple[Audit, ...]:
        """The audits that a suite is asked on a data set: those that it is to be asked and that are possible there.

        Raises AuditError where it is not a data set of the suite.
        """
        self._refuse_unless_of(suite, dataset)
        suite = self.scope.for_dataset(suite, dataset)
        return tuple(audit for audit in self._named(suite) if not self.reason(suite, dataset, audit))

    def files(self, suite: Suite) -> list[str]:
        """The files of all audits that a suite is asked, on all its data sets."""
        return [
            self.places.audit_file(dataset, suite.key, audit.name)
            for dataset in self.scope.datasets_of(suite)
            for audit in self.asked(suite, dataset)
        ]

    def _lacks(self, suite: Suite, dataset: str, audit: Audit, model: str) -> str:
        """What an audit needs and a model has not; "" where it has all."""
        suite = self.scope.for_dataset(suite, dataset)
        given, heads, layer = suite.given(dataset, model), suite.heads(dataset, model), suite.layer(dataset, model)
        lacking = {
            "base": (suite.base is None, "a base model that others are compared with, which this suite has not"),
            "linear": (
                self.scope.config.corpora[dataset].pair,
                f"predictions that are linear in the attention, which models of pairs ({dataset}) have not",
            ),
            "weights": (
                layer is not None or not self._decided(given),
                "predictions that follow from the weights, and "
                + (
                    f"no contributions of {model} are given"
                    if layer is None
                    else f"of {model} the map of layer {layer} is read, of which no single row decides"
                ),
            ),
            "network": (
                given is not None and not given.network,
                f"a network that can be run again, and of {model} only readouts are given",
            ),
            "states": (given is not None or heads, f"states under the attention, which are not known of {model}"),
            "heads": (
                not (heads or (given and HEADS in self._held(given))),
                f"several heads of attention, and {model} has one",
            ),
            "tokens": (suite.hierarchical(dataset, model), f"attention over tokens, and {model} attends to sentences"),
            "marks": (not self.scope.marked(dataset), f"marked words, and {dataset} has none"),
        }
        return next((reason for need, (lacks, reason) in lacking.items() if lacks and need in audit.needs), "")

    def _held(self, given: ImportedModel) -> set[str]:
        """What all readouts of a user's model have of what they may have."""
        held = [holdings(placed(path, self.scope.mirror)) for path in given.sources]
        return set.intersection(*held) if held else set()

    def _decided(self, given: ImportedModel | None) -> bool:
        """Whether predictions follow from the weights: where only readouts are given, they must say so."""
        return given is None or given.network or not given.sources or CONTRIBUTION in self._held(given)

    def _lacking(self, suite: Suite, dataset: str, audit: Audit) -> list[str]:
        """What an audit needs and the models that it is asked of have not, one by one; "" where one has all."""
        models = dict.fromkeys(run.model for run in self.scope.for_dataset(suite, dataset).runs_of(audit))
        return [self.lacks(suite, dataset, audit, model) for model in models]

    def reason(self, suite: Suite, dataset: str, audit: Audit) -> str:
        """What an audit needs and no model of a suite has; "" where one has all, or where there is none to ask."""
        reasons = self._lacking(suite, dataset, audit)
        return reasons[0] if reasons and all(reasons) else ""

    def possible(self, suite: Suite, dataset: str, audit: Audit) -> bool:
        """Whether a suite has models on a data set that can be asked an audit."""
        return bool(self.scope.for_dataset(suite, dataset).runs_of(audit)) and not self.reason(suite, dataset, audit)

    def refuse_unless_possible(self, suite: Suite, dataset: str, audit: Audit) -> None:
        """Raise AuditError where a model has not what an audit needs.

        Of a suite's own audits such models are left out, and it is raised only where none is left.
        """
        own = audit.name in suite.own_audits
        reasons = [self.reason(suite, dataset, audit)] if own else self._lacking(suite, dataset, audit)
        if reason := next(filter(None, reasons), ""):
            raise AuditError(f"audits.{suite.key}: {audit.name} needs {reason}; leave it out")

    def unasked(self, suite: Suite, dataset: str, model: str, names: Sequence[str]) -> dict[str, str]:
        """Of the audits of these names, those that a model is not asked on a data set, each with the reason."""
        asked, reasons = self.asked(suite, dataset), {}
        for audit in map(audit_named, names):
            if needed := self.lacks(suite, dataset, audit, model):
                reasons[audit.name] = f"{audit.name} needs {needed}"
            elif audit not in asked:
                reasons[audit.name] = f"{audit.name} is not among the suite's audits"
        return reasons

    def _audit_of(self, name: str, key: str, dataset: str) -> tuple[Suite, Audit]:
        """A suite and an audit by their names. Raises AuditError where the suite cannot be asked the audit."""
        suite, audit = self.scope.suite(key), audit_named(name)
        self._refuse_unless_of(suite, dataset)
        suite = self.scope.for_dataset(suite, dataset)
        self.refuse_unless_possible(suite, dataset, audit)
        if not suite.runs_of(audit):
            several = "model with several seeds" if audit.of == "seed_pairs" else "model to compare with the base model"
            raise AuditError(f"{audit.name}: {suite.title} has no {several}; name more of them")
        return suite, audit

    def compared(self, suite: Suite, audit: Audit, dataset: str) -> list[tuple[Run | None, Run]]:
        """The runs that have rows in an audit, in order, each after the run that it is compared with, if there is one.

        They have what the audit needs and are read out on its split, and nothing is compared with itself. Of several
        seeds of a model, every two are compared once, the later with the earlier one.
        """
        suite = self.scope.for_dataset(suite, dataset)
        split = self.split(suite, dataset, audit)
        runs = [
            run
            for run in suite.runs_of(audit)
            if split in suite.splits_of(dataset, run.model) and not self.lacks(suite, dataset, audit, run.model)
        ]
        if audit.takes != "readout_pair":
            return [(None, run) for run in runs]
        if audit.of == "seed_pairs":
            return [(first, other) for first, other in combinations(runs, 2) if first.model == other.model]
        return [(suite.base, run) for run in runs if run != suite.base]

    def runs(self, suite: Suite, audit: Audit, dataset: str) -> list[Run]:
        """The runs that have rows in an audit, each as often as it is compared."""
        return [run for _, run in self.compared(suite, audit, dataset)]

    def _audited(self, suite: Suite, dataset: str, run: Run, other: Run | None = None) -> AuditedRun:
        """A run as the rows of an audit name it."""
        return AuditedRun(
            model=suite.family(run.model),
            lambda_=suite.objective(dataset, run.model).lambda_,
            searched=suite.search_step(run.model),
            seed=run.seed,
            selection=suite.selection(dataset, run.model),
            hierarchical=suite.hierarchical(dataset, run.model),
            other=other.seed if other and other.model == run.model else None,
        )

    def split(self, suite: Suite, dataset: str, audit: Audit) -> str:
        """The split whose readouts an audit reads: test where there are none of the one that it asks for."""
        return audit.split if audit.split in suite.splits(dataset) else "test"

    def _after(self, suite: Suite, dataset: str, audit: Audit) -> list[str]:
        """The audits that an audit reads on a data set."""
        return [other for other in audit.after if self.possible(suite, dataset, audit_named(other))]

    def inputs(self, name: str, key: str, dataset: str) -> Files:
        """The input files of an audit."""
        suite, audit = self._audit_of(name, key, dataset)
        compared = self.compared(suite, audit, dataset)
        runs, others = [run for _, run in compared], [other for other, _ in compared if other]
        homes = [self.trainings.home(suite, dataset, run) for run in runs]
        split = self.split(suite, dataset, audit)
        inputs: Files = {}
        if audit.takes == "suite":
            for role, run in (("base", suite.base), ("contrast", suite.shown_adversary)):
                inputs[role] = [self.trainings.home(suite, dataset, run).readout()] if run else []
        else:
            inputs["readouts"] = [home.readout(split) for home in homes]
            if searched := [run for run in runs if suite.search_step(run.model) is not None]:
                files = [self.trainings.search_file(suite, dataset, run) for run in searched]
                inputs["search"] = list(dict.fromkeys(files))
        if self.scope.config.corpora[dataset].pair:
            inputs["heads"] = [home.file("head") for home in homes]
        attending = zip(homes, runs, strict=True)
        if tails := [home.file("tail") for home, run in attending if suite.heads(dataset, run.model)]:
            inputs["tails"] = tails
        if others:
            inputs["against"] = [self.trainings.home(suite, dataset, run).readout(split) for run in others]
        if "corpus" in audit.needs:
            inputs["corpus"] = [self.places.corpus_file(dataset, "corpus")]
        if "network" in audit.needs and any(suite.given(dataset, run.model) for run in runs):
            sources = (path for home in homes for path in self.trainings.sources(home.training, home.seed))
            inputs["given"] = list(dict.fromkeys(sources))
        elif "network" in audit.needs:
            inputs["vocabulary"] = [self.places.corpus_file(dataset, "vocabulary")]
            inputs["weights"] = [home.file("weights") for home in homes]
            records = (path for home in homes for path in self.trainings.transformer(home.training))
            if transformers := list(dict.fromkeys(records)):
                inputs["transformer"] = transformers
        return inputs | {
            other: [self.places.audit_file(dataset, key, other)] for other in self._after(suite, dataset, audit)
        }

    def job(self, name: str, key: str, dataset: str) -> AuditJob:
        """What an audit is told."""
        suite, audit = self._audit_of(name, key, dataset)
        config, compared = suite.config, self.compared(suite, audit, dataset)
        asked = [run for _, run in compared] if "network" in audit.needs else []
        given = all(suite.given(dataset, run.model) for run in asked)
        return AuditJob(
            dataset=dataset,
            suite=key,
            audit=name,
            target=audit.target,
            takes=audit.takes,
            columns=audit.columns,
            runs=[self._audited(suite, dataset, run, other) for other, run in compared],
            sections={section: getattr(config, section).model_dump() for section in audit.settings},
            after={other: audit_named(other).columns for other in self._after(suite, dataset, audit)},
            architectures=[] if given else [suite.architecture(dataset, run.model) for run in asked],
            classifiers=[suite.reading(dataset, run.model, run.seed) for run in asked] if given else [],
            # it decides nothing of audits that ask no network
            device=config.device if "network" in audit.needs else "cpu",
            threads=config.threads,
        )

    def gathered(self, suite: Suite, dataset: str) -> Iterator[Asked]:
        """The audits that a suite is asked on a data set, by the rule that makes them, with all others of the rule;
        those of a plugin one by one.
        """
        asked = self.asked(suite, dataset)
        for rule in dict.fromkeys(audit.rule for audit in asked):
            own, others = (
                [each for each in AUDITS if each.rule == rule and (each in asked) == is_asked]
                for is_asked in (True, False)
            )
            if rule == OWN:
                yield from ((rule, [each], []) for each in own)
            else:
                yield rule, own, others

    def _why_not(self, suite: Suite, dataset: str, audit: Audit) -> str:
        if reason := self.reason(self.scope.for_dataset(suite, dataset), dataset, audit):
            return f"needs {reason}"
        return f"is not among the audits of {suite.key}; name it in `audits`"

    def planned(self, suite: Suite, dataset: str, rule: str, audits: list[Audit], others: list[Audit]) -> PlannedJob:
        """The job of a rule: it makes `audits`, and files without rows of `others`, which say why."""
        stage, names = stage_of(audits[0]), [audit.name for audit in (*audits, *others)]
        outputs = {name: [self.places.audit_file(dataset, suite.key, name)] for name in names}
        own = {audit.name: self.inputs(audit.name, suite.key, dataset) for audit in audits}
        inputs: Files = {}
        for files in own.values():
            for kind, paths in files.items():
                inputs[kind] = list(dict.fromkeys([*inputs.get(kind, []), *paths]))

        def told() -> AuditsJob:
            gathered = [
                GatheredAudit(
                    audit=job,
                    code=code_of(audit, job.architectures),
                    inputs={kind: [*map(inputs[kind].index, paths)] for kind, paths in own[audit.name].items()},
                )
                for audit in audits
                for job in [self.job(audit.name, suite.key, dataset)]
            ]
            unasked = [
                UnaskedAudit(audit=audit.name, columns=audit.columns, reason=self._why_not(suite, dataset, audit))
                for audit in others
            ]
            return AuditsJob(dataset=dataset, suite=suite.key, audit=rule, audits=gathered, unasked=unasked)

        wildcards = {"dataset": dataset, "suite": suite.key} | ({"audit": audits[0].name} if rule == OWN else {})
        return PlannedJob(
            rule=rule,
            wildcards=wildcards,
            stage=stage,
            inputs=inputs,
            outputs=outputs,
            told=told,
            code=code_hash(f"stages.{stage}"),
        )

    def refuse(self, name: str, key: str, dataset: str) -> None:
        """Raise AuditError, with the reason, where a suite is not asked an audit on a data set."""
        suite, audit = self._audit_of(name, key, dataset)
        if audit not in self.asked(suite, dataset):
            raise AuditError(f"{key}, {dataset}: {name} {self._why_not(suite, dataset, audit)}")

    def jobs(self) -> Iterator[PlannedJob]:
        """The jobs of all audits that the suites are asked, each after those whose files it reads."""
        for suite in self.scope.suites.values():
            for dataset in self.scope.datasets_of(suite):
                for gathered in self.gathered(suite, dataset):
                    yield self.planned(suite, dataset, *gathered)

"""Which audits a model is asked, what each of them reads, and the settings of its job.

An audit's file is of one model whose attention is in question, and, where it is the first of its suite, of all that it
is held against.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations
from typing import Any

from attention_audit.code_hash import code_hash
from attention_audit.errors import AuditError, suggest
from attention_audit.jobs.audit import AuditedRun, AuditJob, AuditsJob
from attention_audit.targets import name_module

from .audits import AUDITS, OWN_RULE, Audit, audit_named
from .job import Files, PlannedJob
from .model import Run
from .scope import Judged, Scope
from .suites import Suite
from .trainings import RunFiles, Trainings

NOT_IN_SUITE = "is not among the suite's audits"
PREDICTIONS = "predictions"
"""What the whole answer stands on: a model whose attention is in question is asked it, whatever else it is asked."""
STAGES = ("audits", "attribution")
"""The stages that make audits: those that need no network, and those that do."""


def choose_stage(audit: Audit) -> str:
    """Return the stage that makes an audit."""
    return "attribution" if "network" in audit.needs else "audits"


def hash_audit(audit: Audit, *modules: str) -> str:
    """Hash the code that an audit runs, and these modules, which it calls without naming them."""
    targets = [audit.target, audit.columns, *(audit_named(other).columns for other in audit.after)]
    return code_hash(f"stages.{choose_stage(audit)}", *map(name_module, targets), *modules)


class AuditPlan:
    """Every audit of a run. Raises AuditError where the configuration asks for what there is not."""

    def __init__(self, scope: Scope, trainings: Trainings) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.trainings = trainings
        self.list_asked: Callable[[Judged], tuple[Audit, ...]] = cache(self._list_asked)
        self.known = dict(AUDITS)
        """All audits by name, those of the user's own too."""
        for name in (name for names in scope.config.audits.values() for name in names if ":" in name):
            audit = audit_named(name)
            if self.known.setdefault(audit.name, audit) is not audit:
                raise AuditError(f"audits: {name}: {audit.name} is the name of two audits; rename one of the functions")
        for name, audits in scope.config.audits.items():
            suite = scope.find_suite(name)
            judged = [each for dataset in scope.list_datasets(suite) for each in scope.list_judged(suite, dataset)]
            for audit in map(audit_named, audits):
                lacks = [self.find_lack(each, audit) for each in judged]
                if lacks and all(lacks):
                    raise AuditError(f"audits.{name}: {audit.name} {lacks[0]}; leave it out")

    @staticmethod
    def find_lack(judged: Judged, audit: Audit) -> str:
        """Say what an audit needs and a model has not, as far as that is known before its files are read."""
        if "network" in audit.needs and not judged.model.network:
            return f"needs a network that can be run again, and of {judged.model.name} only readouts are given"
        if "base" in audit.needs and not judged.suite.base:
            return "needs a base model that others are compared with, which this suite has not"
        return ""

    def list_runs(self, judged: Judged, audit: Audit) -> list[Run]:
        """Return the runs that an audit is asked of."""
        suite, dataset, model = judged
        models = self.scope.models(suite, dataset).values()
        base, leads = self.scope.find_base(suite, dataset), self.scope.list_judged(suite, dataset)[0].model is model
        named = audit.name in self._list_configured(suite)
        others = [other for other in models if leads and named and not other.judged]
        match audit.of:
            case "models" | "attending":
                every = audit.of == "models"
                return [run for each in (model, *others) if every or each.attends for run in each.runs]
            case "compared" if base:
                return [Run(each.name, seed) for each in models if leads for seed in each.compared]
            case "seed_pairs":
                return model.runs if len(model.seeds) > 1 else []
            case "first" | "shown" if base:
                shown = self.scope.find_shown(suite, dataset) if audit.of == "shown" else None
                return [run for run in (base, shown) if run and leads]
            case "first_seed":
                return model.runs[:1]
        return model.runs

    def _list_configured(self, suite: Suite) -> Sequence[str]:
        """Return the names of the audits that the configuration asks a suite, by default the suite's own."""
        return self.scope.config.audits.get(suite.name, suite.audits)

    def _list_named(self, suite: Suite) -> list[Audit]:
        """Return the audits that a suite is to be asked, with those that they read, and what the answer stands on."""
        names = [*self._list_configured(suite)]
        further = [*(other for name in names for other in audit_named(name).after), PREDICTIONS] if names else []
        return [audit_named(name) for name in dict.fromkeys([*names, *further])]

    def _list_asked(self, judged: Judged) -> tuple[Audit, ...]:
        """Return the audits that a model is asked: those of its suite, of which it has runs."""
        named = (audit for audit in self._list_named(judged.suite) if not self.find_lack(judged, audit))
        return tuple(audit for audit in named if self.list_pairs(judged, audit))

    def locate(self, judged: Judged, audit: str) -> str:
        """Return the file of an audit of a model."""
        return self.places.audit_file(judged.dataset, judged.name, audit)

    def is_asked(self, judged: Judged, name: str) -> bool:
        """Tell whether a model is asked an audit."""
        return audit_named(name) in self.list_asked(judged)

    def explain_unasked(self, judged: Judged, names: Sequence[str]) -> dict[str, str]:
        """Of the audits of these names, those that a model is not asked, each with the reason."""
        reasons = {name: self.find_reason(judged, audit_named(name)) for name in names}
        return {name: f"{name} {reason}" for name, reason in reasons.items() if reason}

    def list_pairs(self, judged: Judged, audit: Audit) -> list[tuple[Run | None, Run]]:
        """Return the runs that have rows in an audit, in order, each after the run that it is compared with, if there
        is one.

        They are read out on its split, and nothing is compared with itself. Of several seeds of a model, every two are
        compared once, the later with the earlier one.
        """
        suite, dataset, _ = judged
        models, base = self.scope.models(suite, dataset), self.scope.find_base(suite, dataset)
        split = self.choose_split(judged, audit)
        runs = [run for run in self.list_runs(judged, audit) if split in models[run.model].splits]
        if audit.takes != "readout_pair":
            return [(None, run) for run in runs]
        if audit.of == "seed_pairs":
            return [*combinations(runs, 2)]
        return [(base, run) for run in runs if run != base]

    def _find_home(self, judged: Judged, run: Run) -> RunFiles:
        """Find where the files of a run lie."""
        return self.trainings.find_home(judged.suite, judged.dataset, run)

    def choose_split(self, judged: Judged, audit: Audit) -> str:
        """Return the split whose readouts an audit reads: test where there are none of the one that it asks for."""
        return audit.split if judged.model.settings else "test"

    def list_inputs(self, judged: Judged, audit: Audit) -> Files:
        """Return the input files of an audit."""
        (suite, dataset, _), compared = judged, self.list_pairs(judged, audit)
        models, split = self.scope.models(suite, dataset), self.choose_split(judged, audit)
        runs = [run for _, run in compared]
        homes = [self._find_home(judged, run) for run in runs]
        inputs: Files = {"readouts": [home.locate_readout(split) for home in homes]}
        searched = [run for run in runs if models[run.model].step is not None and audit.takes != "suite"]
        makers = dict.fromkeys(Run(models[run.model].maker, run.seed) for run in searched)
        inputs["search"] = [self._find_home(judged, maker).locate("search") for maker in makers]
        if self.scope.config.corpora[dataset].pair:
            inputs["heads"] = [home.locate("head") for home in homes]
        attending = zip(homes, runs, strict=True)
        inputs["tails"] = [home.locate("tail") for home, run in attending if models[run.model].heads]
        inputs["against"] = [self._find_home(judged, other).locate_readout(split) for other, _ in compared if other]
        if "corpus" in audit.needs:
            inputs["corpus"] = [self.places.corpus_file(dataset, "corpus")]
        if "network" in audit.needs and any(models[run.model].reads for run in runs):
            sources = (path for home in homes for path in self.trainings.list_sources(home.training, home.seed))
            inputs["given"] = list(dict.fromkeys(sources))
        elif "network" in audit.needs:
            inputs["vocabulary"] = [self.places.corpus_file(dataset, "vocabulary")]
            inputs["weights"] = [home.locate("weights") for home in homes]
            records = (path for run in runs for path in self.trainings.list_records(dataset, models[run.model]))
            inputs["transformer"] = list(dict.fromkeys(records))
        inputs |= {other: [self.locate(judged, other)] for other in audit.after}
        return {kind: paths for kind, paths in inputs.items() if paths or kind == "readouts"}

    def build_job(self, judged: Judged, audit: Audit, inputs: Files | None = None, reason: str = "") -> AuditJob:
        """Build what an audit is told, of these input files of its rule, by default of its own alone. reason: why it is
        not asked.
        """
        named: dict[str, Any] = {
            "audit": audit.name,
            "target": audit.target,
            "takes": audit.takes,
            "columns": audit.columns,
        }
        if reason:
            return AuditJob(**named, reason=reason)
        files, config = inputs or self.list_inputs(judged, audit), self.scope.config.for_dataset(judged.dataset)
        runs = [self._describe(judged, audit, run, other, files) for other, run in self.list_pairs(judged, audit)]
        sections = {section: getattr(config, section).model_dump() for section in audit.settings}
        attributions = config.agreement.attributions if "network" in audit.needs else []
        own = [*attributions, *chain(*(section.get("rankings", ()) for section in sections.values()))]
        built = chain(*(run.architecture.modules for run in runs if run.architecture))
        return AuditJob(
            **named,
            needs=list(audit.needs),
            runs=runs,
            sections=sections,
            after={other: audit_named(other).columns for other in audit.after},
            attributions=attributions,
            code=hash_audit(audit, *map(name_module, own), *built),
        )

    def _describe(self, judged: Judged, audit: Audit, run: Run, other: Run | None, files: Files) -> AuditedRun:
        """Describe a run as the rows of an audit name it, with the places of its files."""
        model, home = self.scope.models(judged.suite, judged.dataset)[run.model], self._find_home(judged, run)
        split, again = self.choose_split(judged, audit), "network" in audit.needs
        return AuditedRun(
            model=model.family,
            lambda_=model.lambda_,
            searched=model.step,
            seed=run.seed,
            selection=model.selected_on,
            hierarchical=model.hierarchical,
            other=other.seed if other and other.model == run.model else None,
            readout=files["readouts"].index(home.locate_readout(split)),
            against=files["against"].index(self._find_home(judged, other).locate_readout(split)) if other else None,
            architecture=model.architecture if again and model.settings else None,
            classifier=model.reads[run.seed - 1] if again and model.reads else None,
        )

    def find_reason(self, judged: Judged, audit: Audit) -> str:
        """Say why a model is not asked an audit; "" where it is."""
        suite = judged.suite
        if audit in self.list_asked(judged):
            return ""
        if lack := self.find_lack(judged, audit):
            return lack
        if audit in self._list_named(suite):
            several = "model with several seeds" if audit.of == "seed_pairs" else "model to compare with the base model"
            return f"is not asked, as {suite.title} has no {several} here"
        return NOT_IN_SUITE

    def group_by_rule(self, judged: Judged) -> Iterator[tuple[str, list[Audit], list[Audit]]]:
        """Return the rules that make audits of a model, with those that it is asked, and all others of the rule; those
        of the user's own one by one.
        """
        asked = self.list_asked(judged)
        for rule in dict.fromkeys(audit.rule for audit in asked):
            of_rule = [audit for audit in self.known.values() if audit.rule == rule]
            own = [audit for audit in of_rule if audit in asked]
            if rule == OWN_RULE:
                yield from ((rule, [each], []) for each in own)
            else:
                yield rule, own, [audit for audit in of_rule if audit not in asked]

    def plan_rule(self, judged: Judged, rule: str, audits: list[Audit], others: list[Audit]) -> PlannedJob:
        """Return the job of a rule: it makes `audits`, and files without rows of `others`, which say why."""
        inputs: Files = {}
        for kind, paths in chain(*(self.list_inputs(judged, audit).items() for audit in audits)):
            inputs[kind] = list(dict.fromkeys([*inputs.get(kind, []), *paths]))
        stage, config = choose_stage(audits[0]), self.scope.config

        def tell() -> AuditsJob:
            return AuditsJob(
                dataset=judged.dataset,
                model=judged.name,
                audit=rule,
                audits=[
                    *(self.build_job(judged, audit, inputs) for audit in audits),
                    *(self.build_job(judged, audit, reason=self.find_reason(judged, audit)) for audit in others),
                ],
                # it decides nothing of audits that ask no network
                device=config.device if stage == "attribution" else "cpu",
                threads=config.threads,
            )

        wildcards = {"dataset": judged.dataset, "model": judged.name}
        return PlannedJob(
            rule=rule,
            wildcards=wildcards | ({"audit": audits[0].name} if rule == OWN_RULE else {}),
            stage=stage,
            inputs=inputs,
            outputs={audit.name: [self.locate(judged, audit.name)] for audit in (*audits, *others)},
            make_settings=tell,
        )

    def refuse(self, name: str, model: str, dataset: str) -> None:
        """Raise AuditError, with the reason, where a model, by its name in paths, is not asked an audit."""
        every = {
            each.name: each
            for suite, own in self.scope.asked
            if own == dataset
            for each in self.scope.list_judged(suite, own)
        }
        if model not in every:
            known = ", ".join(every) or "none"
            raise AuditError(
                f"{dataset}/{model}: not a model whose attention is audited{suggest(model, every)} (of {dataset}: "
                f"{known}); name one of these, or add it to the configuration"
            )
        if reason := self.find_reason(every[model], self.known[name]):
            remedy = "name it in `audits`" if reason == NOT_IN_SUITE else "ask for another audit, or of another model"
            raise AuditError(f"{dataset}/{model}: {name} {reason}; {remedy}")

    def plan_jobs(self) -> Iterator[PlannedJob]:
        """Return the jobs of all audits that models are asked, each after those whose files it reads."""
        for suite, dataset in self.scope.asked:
            for judged in self.scope.list_judged(suite, dataset):
                for gathered in self.group_by_rule(judged):
                    yield self.plan_rule(judged, *gathered)

"""Which audits a model is asked, what each of them reads, and the settings of its job.

An audit's file is of one model whose attention is in question, and, where it is the first of its suite, of all that it
is held against.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import Any

from attention_audit.audits.settings import AuditedRun, AuditJob, AuditsJob
from attention_audit.code_hash import code_hash
from attention_audit.errors import AuditError, suggest
from attention_audit.targets import name_module

from .audits import AUDITS, OWN_RULE, Audit, audit_named
from .job import Files, PlannedJob
from .model import DataSet, Model, Run
from .suites import Scope, find_suite
from .trainings import Trainings

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


def name_audit(audit: Audit) -> dict[str, Any]:
    """Return what a job is told of any audit, whether it makes it or not."""
    return {"audit": audit.name, "target": audit.target, "takes": audit.takes, "columns": audit.columns}


def find_lack(model: Model, audit: Audit) -> str:
    """Say what an audit needs and a model has not, as far as that is known before its files are read."""
    if "network" in audit.needs and not model.network:
        return f"needs a network that can be run again, and of {model.name} only readouts are given"
    if "base" in audit.needs and not model.data.suite.base:
        return "needs a base model that others are compared with, which this suite has not"
    return ""


def list_named(data: DataSet) -> list[Audit]:
    """Return the audits that a suite is to be asked, with those that they read, and what the answer stands on."""
    further = [*(other for name in data.audits for other in audit_named(name).after), PREDICTIONS]
    return [audit_named(name) for name in dict.fromkeys([*data.audits, *further] if data.audits else ())]


def choose_split(model: Model, audit: Audit) -> str:
    """Return the split whose readouts an audit reads: test where there are none of the one that it asks for."""
    return audit.split if model.settings else "test"


def list_runs(model: Model, audit: Audit) -> list[Run]:
    """Return the runs that an audit is asked of."""
    models, base, leads = model.data.models.values(), model.data.base, model is model.data.judged[0]
    named = audit.name in model.data.audits
    others = [other for other in models if leads and named and not other.judged]
    match audit.of:
        case "models" | "attending":
            every = audit.of == "models"
            return [run for each in (model, *others) if every or each.attends for run in each.runs]
        case "compared" if base:
            return [Run(each, seed) for each in models if leads for seed in each.compared]
        case "seed_pairs":
            return model.runs if len(model.seeds) > 1 else []
        case "first" | "shown" if base:
            shown = model.data.shown if audit.of == "shown" else None
            return [run for run in (base, shown) if run and leads]
        case "first_seed":
            return model.runs[:1]
    return model.runs


def list_pairs(model: Model, audit: Audit) -> list[tuple[Run | None, Run]]:
    """Return the runs that have rows in an audit, in order, each after the run that it is compared with, if there is
    one.

    They are read out on its split, and nothing is compared with itself. Of several seeds of a model, every two are
    compared once, the later with the earlier one.
    """
    base, split = model.data.base, choose_split(model, audit)
    runs = [run for run in list_runs(model, audit) if split in run.model.splits]
    if audit.takes != "readout_pair":
        return [(None, run) for run in runs]
    if audit.of == "seed_pairs":
        return [*combinations(runs, 2)]
    return [(base, run) for run in runs if run != base]


class AuditPlan:
    """Every audit of a run. Raises AuditError where the configuration asks for what there is not.

    known: all audits by name, those of the user's own too. asked: those that each model in question is asked: those of
    its suite, of which it has runs.
    """

    def __init__(self, scope: Scope, trainings: Trainings) -> None:
        self.scope = scope
        self.places = scope.config.places
        self.trainings = trainings
        self.known = dict(AUDITS)
        for suite, names in scope.config.audits.items():
            judged = [model for data in scope.list_asked(find_suite(suite)) for model in data.judged]
            for name in names:
                audit = audit_named(name)
                if self.known.setdefault(audit.name, audit) is not audit:
                    raise AuditError(
                        f"audits: {name}: {audit.name} is the name of two audits; rename one of the functions"
                    )
                lacks = [find_lack(model, audit) for model in judged]
                if lacks and all(lacks):
                    raise AuditError(f"audits.{suite}: {audit.name} {lacks[0]}; leave it out")
        self.asked = {
            model: [audit for audit in list_named(data) if not find_lack(model, audit) and list_pairs(model, audit)]
            for data in scope.asked
            for model in data.judged
        }

    def locate(self, model: Model, audit: str) -> str:
        """Return the file of an audit of a model."""
        return self.places.audit_file(model.data.name, model.path_name, audit)

    def is_asked(self, model: Model, name: str) -> bool:
        """Tell whether a model is asked an audit."""
        return audit_named(name) in self.asked[model]

    def is_named(self, model: Model, name: str) -> bool:
        """Tell whether a model is asked an audit, and not for the answer alone, which needs it of no other model."""
        return self.is_asked(model, name) and (name != PREDICTIONS or name in model.data.audits)

    def explain_unasked(self, model: Model, names: Sequence[str]) -> dict[str, str]:
        """Of the audits of these names, those that a model is not asked, each with the reason."""
        return {name: f"{name} {why}" for name in names if (why := self.find_reason(model, audit_named(name)))}

    def list_inputs(self, model: Model, audit: Audit) -> Files:
        """Return the input files of an audit."""
        pairs, split, dataset = list_pairs(model, audit), choose_split(model, audit), model.data.name
        runs, homes = [run for _, run in pairs], self.trainings.homes
        searched = (run for run in runs if run.model.step is not None and audit.takes != "suite")
        searches = dict.fromkeys(Run(run.model.maker, run.seed) for run in searched)
        inputs: Files = {
            "readouts": [homes[run].locate_readout(split) for run in runs],
            "search": [homes[run].locate("search") for run in searches],
            "heads": [homes[run].locate("head") for run in runs if model.data.pair],
            "tails": [homes[run].locate("tail") for run in runs if run.model.heads],
            "against": [homes[other].locate_readout(split) for other, _ in pairs if other],
            "corpus": [self.places.corpus_file(dataset, "corpus")] if "corpus" in audit.needs else [],
        }
        if "network" in audit.needs and any(run.model.reads for run in runs):
            inputs["given"] = [path for run in runs for path in self.trainings.list_sources(homes[run])]
        elif "network" in audit.needs:
            inputs["vocabulary"] = [self.places.corpus_file(dataset, "vocabulary")]
            inputs["weights"] = [homes[run].locate("weights") for run in runs]
            inputs["transformer"] = [path for run in runs for path in self.trainings.list_records(run.model)]
        inputs |= {other: [self.locate(model, other)] for other in audit.after}
        return {kind: paths for kind, paths in inputs.items() if paths or kind == "readouts"}

    def build_job(self, model: Model, audit: Audit, inputs: Files) -> AuditJob:
        """Build what an audit is told, of these input files of its rule."""
        config, split = model.data.config, choose_split(model, audit)
        runs = [self._describe(audit, split, run, other, inputs) for other, run in list_pairs(model, audit)]
        sections = {section: getattr(config, section).model_dump() for section in audit.settings}
        attributions = config.agreement.attributions if "network" in audit.needs else []
        own = [*attributions, *chain(*(section.get("rankings", ()) for section in sections.values()))]
        built = chain(*(run.architecture.modules for run in runs if run.architecture))
        return AuditJob(
            **name_audit(audit),
            needs=list(audit.needs),
            runs=runs,
            sections=sections,
            after={other: audit_named(other).columns for other in audit.after},
            attributions=attributions,
            code=hash_audit(audit, *map(name_module, own), *built),
        )

    def _describe(self, audit: Audit, split: str, run: Run, other: Run | None, files: Files) -> AuditedRun:
        """Describe a run as the rows of an audit name it, with the places of its files."""
        model, homes, again = run.model, self.trainings.homes, "network" in audit.needs
        return AuditedRun(
            model=model.family,
            lambda_=model.lambda_,
            searched=model.step,
            seed=run.seed,
            selection=model.selected_on,
            hierarchical=model.hierarchical,
            other=other.seed if other and other.model is model else None,
            readout=files["readouts"].index(homes[run].locate_readout(split)),
            against=files["against"].index(homes[other].locate_readout(split)) if other else None,
            architecture=model.architecture if again and model.settings else None,
            classifier=model.reads[run.seed - 1] if again and model.reads else None,
        )

    def find_reason(self, model: Model, audit: Audit) -> str:
        """Say why a model is not asked an audit; "" where it is."""
        suite = model.data.suite
        if audit in self.asked[model]:
            return ""
        if lack := find_lack(model, audit):
            return lack
        if audit in list_named(model.data):
            several = "model with several seeds" if audit.of == "seed_pairs" else "model to compare with the base model"
            return f"is not asked, as {suite.title} has no {several} here"
        return NOT_IN_SUITE

    def plan_rule(self, model: Model, rule: str, audits: list[Audit], others: list[Audit]) -> PlannedJob:
        """Return the job of a rule: it makes `audits`, and files without rows of `others`, which say why."""
        inputs: Files = {}
        for kind, paths in chain(*(self.list_inputs(model, audit).items() for audit in audits)):
            inputs[kind] = list(dict.fromkeys([*inputs.get(kind, []), *paths]))
        stage, config = choose_stage(audits[0]), self.scope.config
        made = [self.build_job(model, audit, inputs) for audit in audits]
        lacking = [AuditJob(**name_audit(audit), reason=self.find_reason(model, audit)) for audit in others]
        named = {"dataset": model.data.name, "model": model.path_name}
        return PlannedJob(
            rule=rule,
            wildcards=named | ({"audit": audits[0].name} if rule == OWN_RULE else {}),
            stage=stage,
            inputs=inputs,
            outputs={audit.name: [self.locate(model, audit.name)] for audit in (*audits, *others)},
            settings=AuditsJob(
                **named,
                audit=rule,
                audits=made + lacking,
                # it decides nothing of audits that ask no network
                device=config.device if stage == "attribution" else "cpu",
                threads=config.threads,
            ),
        )

    def refuse(self, name: str, path_name: str, dataset: str) -> None:
        """Raise AuditError, with the reason, where a model, by its name in paths, is not asked an audit."""
        every = {model.path_name: model for model in self.asked if model.data.name == dataset}
        if path_name not in every:
            known = ", ".join(every) or "none"
            raise AuditError(
                f"{dataset}/{path_name}: not a model whose attention is audited{suggest(path_name, every)} (of "
                f"{dataset}: {known}); name one of these, or add it to the configuration"
            )
        if reason := self.find_reason(every[path_name], self.known[name]):
            remedy = "ask for another audit, or of another model"
            if reason == NOT_IN_SUITE:
                remedy = "name it in `audits`, with the suite's own"
            raise AuditError(f"{dataset}/{path_name}: {name} {reason}; {remedy}")

    def plan_jobs(self) -> Iterator[PlannedJob]:
        """Return the jobs of all audits that models are asked, each after those whose files it reads; those of the
        user's own have a job each.
        """
        for model, asked in self.asked.items():
            # in the order of their declarations, audits come after those that they read
            for rule in dict.fromkeys(audit.rule for audit in self.known.values()):
                of_rule = [audit for audit in self.known.values() if audit.rule == rule]
                own = [audit for audit in of_rule if audit in asked]
                if rule == OWN_RULE:
                    yield from (self.plan_rule(model, rule, [audit], []) for audit in own)
                elif own:
                    yield self.plan_rule(model, rule, own, [audit for audit in of_rule if audit not in asked])

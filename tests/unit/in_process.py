"""The stages of a small run, called in this process one after another: what Snakemake does, without its processes."""

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from attention_audit.artefacts.provenance import Provenance
from attention_audit.plan import corpora, transformers
from attention_audit.plan.exhibit import Exhibit, Table
from attention_audit.plan.plan import Plan
from attention_audit.section import Section
from attention_audit.stages.job import Job

Files = Mapping[str, Sequence[str]]


def job_of(
    stage: str, settings: Section, inputs: Files, outputs: Files, code: str = "code"
) -> tuple[Job[Any], list[str]]:
    """A job of a stage, and the lines that it will say."""
    said: list[str] = []
    paths = [{name: [Path(path) for path in files] for name, files in group.items()} for group in (inputs, outputs)]
    provenance = Provenance(stage, settings.model_dump(mode="json"), code)
    return Job(settings, *paths, provenance, said.append), said


def run_stage(stage: str, settings: Section, inputs: Files, outputs: Files, code: str = "code") -> list[str]:
    """Run a stage; what it said."""
    job, said = job_of(stage, settings, inputs, outputs, code)
    import_module(f"attention_audit.stages.{stage}").run(job)
    return said


def training_files(plan: Plan, training: str, seed: int) -> tuple[Files, Files]:
    """Inputs and outputs of a training or of a search with one seed, or of the import of all."""
    rules = [*plan.trainings.rules(), *plan.trainings.search_rules(), *plan.trainings.import_rules()]
    (rule,) = (rule for rule in rules if re.fullmatch(rule.pattern, training))
    places = plan.config.places
    if plan.trainings.given(training):
        inputs = {"corpus": [plan.corpus_file(training, "corpus")], "given": plan.trainings.sources(training)}
        inputs["beside"] = plan.trainings.beside(training)
        named = {"readouts": places.readout} | ({"tails": places.tail} if rule.tails else {})
        made = {name: rule.files(path) for name, path in named.items()}
        return inputs, {name: [path.format(training=training) for path in files] for name, files in made.items()}
    inputs = {name: [plan.corpus_file(training, name)] for name in ("corpus", "vocabulary")}
    inputs["reference"] = plan.trainings.reference(training, seed)
    inputs["transformer"] = plan.trainings.transformer(training)
    inputs["states"] = plan.trainings.states(training)
    named = {"weights": places.weights, "history": places.history, "readouts": places.readout}
    named |= ({"heads": places.head} if rule.pairs else {}) | ({"tails": places.tail} if rule.tails else {})
    outputs = {name: rule.files(path) for name, path in named.items()}
    if plan.trainings.searches(training):
        inputs["start"] = plan.trainings.start(training, seed)
        outputs["search"] = [places.search]
    made = {name: [path.format(training=training, seed=seed) for path in files] for name, files in outputs.items()}
    return inputs, made


def make(plan: Plan, *paths: str) -> None:
    """Make files that are not there, from the working directory on, and first what they are made from."""
    for path in paths:
        if Path(path).exists():
            continue
        folder, dataset, *rest = *Path(path).relative_to(plan.config.results).parts, ""
        match folder:
            case "transformer.json":
                run_stage("transformer", transformers.transformer_job(plan.config), {}, {"record": [path]})
            case "transformers":
                job = transformers.encoder_job(plan.config, Path(path).stem)
                run_stage("transformer", job, {}, {"record": [path]})
            case "states":
                make_states(plan, dataset)
            case "corpora":
                names = ("corpus", "census", "vocabulary")
                outputs = {name: [plan.config.places.corpus_file(dataset, name)] for name in names}
                inputs = {"raw": plan.raw_files(dataset)}
                make(plan, *(file for file in inputs["raw"] if file.startswith(f"{plan.config.results}/corpora/")))
                run_stage("corpus", corpora.corpus_job(plan.config, dataset, plan.scope.mirror), inputs, outputs)
            case "models" | "readouts":
                key, model = rest[:2]
                training = "/".join([dataset, key, plan.scope.on(plan.scope.suite(key), dataset).trained_with(model)])
                seed = int(re.findall(r"/seed(\d+)", path)[0])
                inputs, outputs = training_files(plan, training, seed)
                make(plan, *(file for files in inputs.values() for file in files))
                if given := plan.trainings.given(training):
                    run_stage(given.stage, plan.import_job(training), inputs, outputs)
                    continue
                stage = "search" if plan.trainings.searches(training) else "train"
                run_stage(stage, plan.train_job(training, seed), inputs, outputs)
            case "audits":
                make_audit(plan, dataset, rest[0], Path(path).stem)


def make_states(plan: Plan, dataset: str) -> list[str]:
    """Make the states of a data set; what the stage said."""
    places = plan.config.places
    inputs = {"corpus": [places.corpus_file(dataset, "corpus")], "transformer": [places.transformer]}
    make(plan, *(file for files in inputs.values() for file in files))
    outputs = {name: [getattr(places, name).format(dataset=dataset)] for name in ("states", "pieces")}
    return run_stage("states", transformers.states_job(plan.config, dataset), inputs, outputs)


def make_audit(plan: Plan, dataset: str, suite: str, audit: str) -> list[str]:
    """Make an audit by itself; what the stage said."""
    inputs = plan.audit_inputs(audit, suite, dataset)
    make(plan, *(file for files in inputs.values() for file in files))
    outputs = {audit: [plan.config.places.audit_file(dataset, suite, audit)]}
    return run_stage(plan.audit_stage(audit), plan.audit_job(audit, suite, dataset), inputs, outputs)


def make_exhibit(plan: Plan, exhibit: Exhibit) -> list[str]:
    """Make a table or figure from files that are made first; what the stage said."""
    inputs = plan.exhibiting.inputs(exhibit)
    tables = {plan.exhibiting.path(table, ".parquet"): table for table in plan.tables}
    for path in (file for files in inputs.values() for file in files):
        if path in tables and not Path(path).exists():
            make_exhibit(plan, tables[path])
        make(plan, path)
    stage = "table" if isinstance(exhibit, Table) else "figure"
    outputs = {ending.removeprefix("."): [plan.exhibiting.path(exhibit, ending)] for ending in exhibit.endings}
    return run_stage(stage, plan.exhibiting.job(exhibit), inputs, outputs)

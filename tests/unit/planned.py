"""Plans of the controls, which name most suites, with changes: for tests of what a configuration asks for."""

from pathlib import Path

import pytest
import yaml
from in_process import make, make_exhibit
from rules import find_job, list_jobs

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.kinds import artefact
from attention_audit.errors import AuditError
from attention_audit.places import Places
from attention_audit.plan.exhibits import TABLES
from attention_audit.plan.plan import Plan
from attention_audit.plan.suites import SUITES
from attention_audit.stages.audit_files import KINDS

ROOT = Path(__file__).parents[2]
CATALOGUE = yaml.safe_load((ROOT / "workflow" / "catalogue.yaml").read_text())
CONTROLS = yaml.safe_load((ROOT / "presets" / "controls.yaml").read_text())


def overlaid(base, overlay):
    """Groups merge, everything else is replaced: what Snakemake does with --configfile."""
    if isinstance(base, dict) and isinstance(overlay, dict):
        return base | {key: overlaid(base.get(key), value) for key, value in overlay.items()}
    return overlay


PLACES = Places()
"""Where files lie unless the configuration says otherwise."""
DEFAULT = overlaid(CATALOGUE, {key: value for key, value in CONTROLS.items() if key != "results"})
"""The controls over the catalogue, as Snakemake reads them, but for the folder that they are written to."""
DEMONSTRATION = overlaid(CATALOGUE, yaml.safe_load((ROOT / "config.yaml").read_text()))
"""The demonstration over the catalogue: what is run where no file is given."""


def mirror_in(folder):
    """A mirror with a Transformer, a language model, and the word vectors of the catalogue that have no address."""
    import classifiers_on_disk  # many tests need no Transformer
    import transformers_on_disk as on_disk

    labels = {"words": ["negative", "positive", "review", "sentiment"], "max_position_embeddings": 128}
    classifiers_on_disk.save(folder / "models" / "smollm2", "llama", language=True, **labels)
    on_disk.save(folder / "encoders" / "all-MiniLM-L6-v2", positions=514)
    (folder / "vectors").mkdir()
    for vectors in CATALOGUE["word_vectors"].values():
        if "file" in vectors:
            (folder / "vectors" / vectors["file"]).touch()
    return folder


CLASSIFIERS_ALONE = {key: {"datasets": []} for key in ("serrano_smith", "jain_wallace", "deception")} | {"datasets": []}
"""Changes by which nothing is trained but what classifiers need."""
TRAINED = [suite for suite in SUITES.values() if suite.name not in ("own", "hf")]
"""The suites whose models are trained."""


SMALL = {
    "corpora": {"digest": {"texts": {"train": 48, "dev": 24, "test": 24}}},
    "model": {"encoder": "conv", "attention": "dot", "embedding": 8, "hidden": 8, "attention_hidden": 8},
    "training": {"further_seeds": [50], "epochs": 1},
    "adversary": {"lambdas": [0.01], "epochs": 1, "patience": 1},
    "serrano_smith": {"hidden": 8, "attention": 8, "embedding": 8},
}
"""Changes by which trainings on digest take moments."""


def plan_of(**changes):
    """The plan of the controls with these changes."""
    return Plan(overlaid(DEFAULT, changes), CATALOGUE)


def refuse_plan(line, **changes):
    """Check that a plan with these changes ends in one line, in which the pattern is found."""
    with pytest.raises(AuditError, match=line) as caught:
        plan_of(**changes)
    assert "\n" not in str(caught.value)


def model_of(plan, suite, dataset, model):
    """A model of a suite on a data set."""
    return plan.scope.find_data(suite, dataset).models[model]


def name_run(run):
    """Name a run by its model and its seed."""
    return run and (run.model.name, run.seed)


def settings_of(plan, training, seed):
    """What the job of a training is told."""
    return plan.trainings.made[training, seed].model.build_settings(seed)


def judged_of(plan, suite, dataset, model=""):
    """A judged model of a suite on a data set, by default the first one."""
    every = plan.scope.find_data(suite, dataset).judged
    return next(each for each in every if each.name == (model or every[0].name))


def audit_of(plan, audit, suite, dataset, model=""):
    """The job that makes an audit of a judged model, by default of the first one."""
    return find_job(plan, plan.asked.locate(judged_of(plan, suite, dataset, model), audit))


def asked_of(plan, suite, dataset):
    """The names of the audits that a suite is asked on a data set."""
    every = plan.scope.find_data(suite, dataset).judged
    return {audit.name for judged in every for audit in plan.asked.by_model[judged]}


def read_audit(plan, name, dataset, model):
    """Make an audit of a model, by its name in paths, where it is not there, and read it."""
    path = plan.config.places.audit_file(dataset, model, name)
    make(plan, path)
    return read_frame(Path(path), KINDS[name])


def read_made(plan, name):
    """Make a table, whether it is there or not, and read it."""
    table = TABLES[name]
    make_exhibit(plan, table)
    return read_frame(Path(plan.exhibits.locate(table, ".parquet")), artefact(table.columns))


def list_made(plan):
    """List the tables and figures that a plan makes."""
    return {exhibit.name for folder in ("figures", "tables") for exhibit in plan.exhibits.list_made(folder)}


def unmade(plan):
    """List the files of the results that a job reads and none makes."""
    read = {path for job in list_jobs(plan).values() for path in job.read if path.startswith("results/")}
    return {path for path in read if not find_job(plan, path)}


def list_seeds(plan):
    """List the seeds of every training that is made, by its name."""
    seeds = {}
    for training, seed in plan.trainings.made:
        seeds[training] = (*seeds.get(training, ()), seed)
    return seeds


def asked_models(plan, audit):
    """List the models, by their names in paths, that are asked an audit."""
    return [model.path_name for model in plan.asked.by_model if plan.asked.is_asked(model, audit)]

"""Encoders that an archive brings: planned before they are there, fetched, unpacked, and read like any other."""

import shutil
from pathlib import Path

import pytest
import transformers_on_disk as on_disk
from in_process import make, run_job
from planned import CATALOGUE, CLASSIFIERS_ALONE, PLACES, ROOT, asked_of, model_of, overlaid, plan_of
from published import pack
from refusal import refusal
from rules import list_jobs
from yaml import safe_load

from attention_audit.artefacts.files import checksum, read_record
from attention_audit.plan.plan import Plan
from attention_audit.plan.suites import SUITES
from attention_audit.stages.loading import open_transformer
from attention_audit.transformer.folder import MIRROR
from attention_audit.transformer.settings import BUILT_FILES as FILES

NAME = "tiny"
PATH = f"encoders/{NAME}"
UNPACKED = f"{PLACES.raw}/{PATH}"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    return on_disk.save(folder, [*on_disk.WORDS, *on_disk.LETTERS], positions=400)


def archived(mirror, files):
    """A mirror with an archive of these files, but for those given as None, and one that no entry names."""
    (mirror / "encoders").mkdir(parents=True)
    named = {f"package/model/{name}": content for name, content in files.items()}
    others = {"package/model/README.md": "not wanted", "package/config.json": "not this one"}
    pack(mirror / "encoders" / "tiny.whl", named | others)
    return mirror


def content_of(encoder):
    return {name: (encoder / name).read_bytes() for name in FILES}


def plan_with(encoder, mirror, **entry):
    """The plan of classifiers that are fine-tuned from it; `entry`: what is other of it in the configuration."""
    described = {
        "archive": {"file": "tiny.whl"},
        "inside": "package/model",
        "files": {name: checksum(encoder / name) for name in FILES},
        "model_type": "bert",
        "width": 16,
        "layers": 2,
    }
    return plan_of(
        **CLASSIFIERS_ALONE,
        mirror=str(mirror) if mirror else None,
        encoders={NAME: described | entry},
        corpora={"chorus": {"texts": {"train": 48, "dev": 24, "test": 16}}},
        hf={"chorus": {"recipe": {"path": PATH}}},
    )


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")
    monkeypatch.setenv(MIRROR, str(tmp_path / "mirror"))


def test_all_is_planned_before_it_is_there(encoder):
    jobs = list_jobs(plan_with(encoder, None))
    fetch, training = jobs["fetch/encoders/tiny.whl"], jobs["train/chorus/hf_base/10"]
    assert training.inputs["transformer"] == jobs["record_transformer/transformers/chorus"].files
    assert training.settings.model_dump()["architecture"]["hidden"] == 16
    assert fetch.outputs["record"][0] in jobs["report_html"].inputs["records"]


def test_its_own_files_are_unpacked_and_no_others(encoder, tmp_path):
    plan = plan_with(encoder, archived(tmp_path / "mirror", content_of(encoder)))
    record = Path(PLACES.encoder.format(dataset="chorus"))
    make(plan, str(record))
    assert {path.name: path.read_bytes() for path in Path(UNPACKED).iterdir()} == content_of(encoder)
    known = read_record(record)
    assert known["path"] == PATH
    assert known["files"] == {name: checksum(encoder / name) for name in FILES}
    backbone = model_of(plan, "hf", "chorus", "base").architecture.transformer
    assert open_transformer(record, backbone).folder.samefile(UNPACKED)
    # the folder of results may be moved
    Path("results").rename("moved")
    moved = Path("moved/transformers/chorus.json")
    assert open_transformer(moved, backbone).folder.samefile("moved/raw/encoders/tiny")
    Path("moved/raw/encoders/tiny/config.json").write_text("{}")
    said = refusal(lambda: open_transformer(moved, backbone))
    assert "its files have changed since the run began" in said


@pytest.mark.parametrize("place", ["mirror", "run"])
def test_a_folder_of_its_name_wins(encoder, tmp_path, place):
    folder = tmp_path / place / PATH
    shutil.copytree(encoder, folder)
    plan = plan_with(encoder, tmp_path / "mirror" if place == "mirror" else None)
    jobs = list_jobs(plan)
    assert not {"fetch/encoders/tiny.whl", "unpack/tiny"} & jobs.keys()
    record = jobs["record_transformer/transformers/chorus"]
    assert {Path(path).resolve().parent for path in record.read} == {folder}
    run_job(record)
    assert "fetched" not in read_record(Path(record.files[0]))


@pytest.mark.parametrize(
    ("changed", "entry", "line"),
    [
        ({"tokenizer.json": b"{}"}, {}, "package/model/tokenizer.json: its sha256 is 44136fa3"),
        ({"tokenizer.json": None}, {}, "tiny.whl: no package/model/tokenizer.json in it; check the encoder's entry"),
        ({}, {"width": 32}, "model_type, width and layers are bert, 16 and 2; say so"),
    ],
)
def test_another_archive_is_one_line(encoder, tmp_path, changed, entry, line):
    plan = plan_with(encoder, archived(tmp_path / "mirror", content_of(encoder) | changed), **entry)
    assert line in refusal(make, plan, PLACES.encoder.format(dataset="chorus"))


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ({"model_type": "deberta"}, "'deberta' can be read here, and not be fine-tuned"),
        ({"files": {"../config.json": "0" * 64}}, "config: encoders.tiny.files"),
    ],
)
def test_a_wrong_entry_is_one_line_before_anything_is_fetched(encoder, entry, line):
    assert line in refusal(lambda: plan_with(encoder, None, **entry))


def test_the_encoder_of_models_is_fetched_too(encoder):
    changes = safe_load((ROOT / "presets" / "minilm-sst.yaml").read_text())
    plan = plan_of(**overlaid(CLASSIFIERS_ALONE, changes))
    jobs = list_jobs(plan)
    assert jobs["unpack/all-MiniLM-L6-v2"].files == jobs["record_transformer/transformer"].read
    assert jobs["train/sst/base/10"].settings.model_dump()["architecture"]["hidden"] == 384


def test_the_preset_fetches_all_that_it_reads():
    plan = Plan(overlaid(CATALOGUE, safe_load((ROOT / "presets" / "transformer.yaml").read_text())), CATALOGUE)
    jobs = list_jobs(plan)
    assert sum(name.startswith("fetch/") for name in jobs) == 2
    assert plan.scope.datasets == ["movies"]
    assert asked_of(plan, "hf", "movies") == {*SUITES["hf"].audits} - {"generated"}

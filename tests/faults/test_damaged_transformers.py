"""Files that only runs of Transformers have, truncated, emptied, or with a bit flipped: noticed and named.

They are made here by the stages themselves, of models of random weights; nothing is trained.
"""

import random
from pathlib import Path

import classifiers_on_disk
import pytest
import transformers_on_disk
from folder import kind_of
from in_process import make, make_audit
from planned import CLASSIFIERS_ALONE, plan_of
from test_damaged import FEW, MANY, assert_noticed

from attention_audit.artefacts.files import read_record
from attention_audit.artefacts.parquet import read_table
from attention_audit.artefacts.weights import open_array
from attention_audit.columns.files import HEADED, PIECES, SEVERAL
from attention_audit.readout import read_readout

HF, AUDITS = "results/readouts/chorus/hf_", "results/audits/chorus/hf_mine/"
KINDS = {
    "results/states/chorus/pieces.parquet": PIECES,
    f"{HF}mine/seed1/test.parquet": HEADED,
    f"{HF}imposed/seed1/test.parquet": SEVERAL,
    **{path: kind_of(Path(path)) for path in (f"{AUDITS}heads.parquet", f"{AUDITS}cut_texts.parquet")},
}
"""Every kind of Parquet file that only such runs have."""
OTHERS = ["results/states/chorus/states.npy", "results/transformer.json", f"{HF}mine/seed1/tail.safetensors"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with all of these files: the states of a frozen encoder, and a classifier that is read out."""
    folder = tmp_path_factory.mktemp("made")
    letters = [*transformers_on_disk.WORDS, *transformers_on_disk.LETTERS]
    changes = {
        **CLASSIFIERS_ALONE,
        "corpora": {"chorus": {"texts": {"train": 32, "dev": 16, "test": 16}}},
        "jain_wallace": {"datasets": ["chorus"], "models": ["transformer_dot"]},
        "transformer": {"path": str(transformers_on_disk.save(folder / "encoder", letters, positions=400))},
        "hf": {
            "chorus": {
                "models": {"mine": [str(classifiers_on_disk.save(folder / "mine", names=("0", "1"), words=letters))]},
                "max_length": 24,
            }
        },
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        plan = plan_of(**changes)
        make(plan, *(path for path in (*KINDS, *OTHERS) if "/audits/" not in path))
        for audit in ("heads", "cut_texts"):
            make_audit(plan, "chorus", "hf", audit)
    return folder


def read(path):
    """Read a file as a stage does."""
    match path.suffix:
        case ".npy":
            return open_array(path)
        case ".json":
            return read_record(path)
        case ".safetensors":
            return read_readout(path.with_name("test.parquet"))
    return read_table(path, KINDS[path.as_posix()])


@pytest.mark.parametrize("file", [*KINDS, *OTHERS])
def test_no_damage_goes_unnoticed(file, made, monkeypatch, tally, full):
    monkeypatch.chdir(made)
    path = Path(file)
    assert_noticed(path, lambda: read(path), random.Random(file), MANY if full else FEW, tally, "file of a Transformer")

"""Files are whole or not there, say where they come from, and are known when damaged."""

import errno
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from refusal import refusal

from attention_audit.artefacts.files import read_record, write_record, write_whole
from attention_audit.artefacts.parquet import (
    read_frame,
    read_provenance,
    read_table,
    write_batches,
    write_table,
)
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.running import hold_lock
from attention_audit.artefacts.weights import open_array, read_weights, write_array, write_weights
from attention_audit.code_hash import READER_KEYWORDS
from attention_audit.columns.audits import EVIDENCE
from attention_audit.columns.files import HISTORY
from attention_audit.columns.kinds import artefact
from attention_audit.errors import AuditError
from attention_audit.report.guide import ARTEFACTS, ORDER

COLUMNS = {"epoch": [0, 1], "loss": [0.5, 0.25], "score": [0.6, 0.7], "selected": [False, True]}
WEIGHTS = {"a": torch.randn(50, 3), "b": torch.arange(4)}
VALUES = np.arange(12, dtype=np.float16).reshape(4, 3)


def test_a_file_appears_only_once_its_block_ends_well(tmp_path):
    path = tmp_path / "a" / "b.txt"

    def stop_half_way():
        with write_whole(path) as temporary:
            temporary.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        stop_half_way()
    assert list(path.parent.iterdir()) == []
    with write_whole(path) as temporary:
        temporary.write_text("whole")
        assert not path.exists()
    assert [p.name for p in path.parent.iterdir()] == ["b.txt"]
    assert path.read_text() == "whole"


def test_an_unwritable_place_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(AuditError, match=r"file/b\.txt: cannot be written"), write_whole(tmp_path / "file" / "b.txt"):
        pass


def test_why_a_file_cannot_be_written_is_said_as_the_system_says_it(tmp_path):
    said = r"b\.txt: cannot be written \(Read-only file system\); free or unlock the folder$"
    with pytest.raises(AuditError, match=said), write_whole(tmp_path / "b.txt"):
        raise OSError(
            errno.EROFS, "Failed to open local file '.b.txt.123.part'. Detail: [errno 30] Read-only file system"
        )
    with pytest.raises(AuditError, match=r"b\.txt: cannot be written \(no reason\)"), write_whole(tmp_path / "b.txt"):
        raise OSError("no reason")


def test_a_table_comes_back_with_its_provenance(tmp_path, provenance):
    path, provenance = tmp_path / "h.parquet", replace(provenance, settings={"a": 1, "seed": 7})
    write_table(path, HISTORY, COLUMNS, provenance)
    assert read_table(path, HISTORY).to_pydict() == COLUMNS
    record = read_provenance(path)
    assert record["seed"] == 7
    assert record["settings"] == {"a": 1, "seed": 7}
    assert record["code_sha256"] == "0" * 64
    assert record["config_sha256"] == provenance.record()["config_sha256"]
    assert {"torch", "pandas"} <= record["libraries"].keys()
    first = path.read_bytes()
    write_table(path, HISTORY, pd.DataFrame(COLUMNS), provenance)
    assert path.read_bytes() == first


def test_settings_in_another_order_have_the_same_hash():
    several = {"a": 1, "b": [2]}, {"b": [2], "a": 1}, {"a": 1, "b": [3]}
    one, same, other = (Provenance("s", settings, "").record()["config_sha256"] for settings in several)
    assert one == same != other


def test_columns_that_do_not_fit_are_refused(tmp_path, provenance):
    path = tmp_path / "h.parquet"
    for wrong in ({"epoch": ["x", "y"]}, {"loss": [None, 1.0]}):
        with pytest.raises(pa.ArrowException):
            write_table(path, HISTORY, COLUMNS | wrong, provenance)
    assert not path.exists()


def test_nulls_are_refused_in_every_table_of_a_large_file(tmp_path, provenance):
    path = tmp_path / "h.parquet"
    good = pa.table(COLUMNS, schema=HISTORY.schema)
    nulls = pa.table(COLUMNS | {"loss": [None, 1.0]}, schema=HISTORY.schema)
    with pytest.raises(pa.ArrowInvalid, match=r"h\.parquet: column loss holds nulls"):
        write_batches(path, HISTORY, [good, nulls, good], provenance)
    assert not path.exists()
    write_batches(path, HISTORY, [good, good], provenance)
    assert read_table(path, HISTORY).num_rows == 4


def test_a_file_of_another_kind_with_the_same_columns_is_refused(tmp_path, provenance):
    path = tmp_path / "h.parquet"
    write_table(path, HISTORY, COLUMNS, provenance)
    assert read_frame(path, HISTORY)["epoch"].tolist() == COLUMNS["epoch"]
    for other in (replace(HISTORY, name="other"), replace(EVIDENCE, name="history")):
        assert f": is no {other.name} file, or has other columns than this version's; rebuild" in refusal(
            read_frame, path, other
        )


def test_a_kind_of_file_is_found_by_its_target():
    assert artefact("columns.files:HISTORY") is HISTORY
    with pytest.raises(TypeError, match="QUESTIONS: declares no kind of file"):
        artefact("columns.tables:QUESTIONS")


def fill(path, provenance):
    """Write VALUES as an array on disk, in any order."""
    with write_array(path, VALUES.shape, np.float16) as array:
        for row in (2, 0, 3, 1):
            array[row] = VALUES[row]


SEALED = {
    "h.parquet": (
        lambda path, provenance: write_table(path, HISTORY, COLUMNS, provenance),
        lambda path: read_table(path, HISTORY),
    ),
    "w.safetensors": (lambda path, provenance: write_weights(path, WEIGHTS, provenance), read_weights),
    "r.json": (lambda path, provenance: write_record(path, {"b": 1, "a": provenance.stage}), read_record),
    "states.npy": (fill, open_array),
}
"""How each kind of sealed file is written and read."""


@pytest.mark.parametrize("name", SEALED)
def test_a_sealed_file_has_the_same_bytes_each_time_and_no_damage_goes_unnoticed(tmp_path, provenance, name):
    (write, read), path = SEALED[name], tmp_path / name
    assert "not there; rebuild it with: snakemake" in refusal(read, path)
    write(path, provenance)
    content = path.read_bytes()
    write(path, provenance)
    assert path.read_bytes() == content
    hurt = [b"", content[:-1], content[: len(content) // 2]]
    for at in (len(content) * part // 50 for part in range(1, 50, 6)):
        hurt.append(content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :])
    for each in hurt:
        path.write_bytes(each)
        said = refusal(read, path)
        assert ": truncated or corrupt " in said
        assert f"; rebuild it with: snakemake --cores 1 --force {path}" in said


def test_weights_come_back(tmp_path, provenance):
    path = tmp_path / "w.safetensors"
    write_weights(path, WEIGHTS, provenance)
    again = read_weights(path)
    assert again.keys() == WEIGHTS.keys()
    assert all(torch.equal(again[name], WEIGHTS[name]) for name in WEIGHTS)


def test_an_array_filled_in_any_order_is_read_where_it_lies(tmp_path, provenance):
    path = tmp_path / "states.npy"
    fill(path, provenance)
    read = open_array(path)
    np.testing.assert_array_equal(read, VALUES)
    assert isinstance(read, np.memmap)
    # what is written to it stays in memory
    read[0] = 7
    np.testing.assert_array_equal(open_array(path), VALUES)


def test_an_array_that_is_not_finished_is_not_there(tmp_path):
    with pytest.raises(ZeroDivisionError), write_array(tmp_path / "states.npy", (2, 2), np.float32) as array:
        array[0] = 1 / 0
    assert list(tmp_path.iterdir()) == []


def test_the_lock_is_one_processes_and_goes_with_it(tmp_path):
    path = tmp_path / "results" / ".lock"
    program = (
        "import sys; from pathlib import Path; from attention_audit.artefacts.running import hold_lock;"
        "hold_lock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(SystemExit, match=r"another run is writing to .*results/; wait"):
            hold_lock(path)
        holder.kill()
    subprocess.run(command, stdin=subprocess.DEVNULL, check=True)


def test_every_column_has_a_meaning_and_a_name_that_is_no_word_for_people():
    for kind in ARTEFACTS:
        assert kind.meaning.endswith(".")
        assert len({column.name for column in kind.columns}) == len(kind.columns)
        assert all(column.meaning for column in kind.columns)
        # which the hash of the code leaves out
        assert not READER_KEYWORDS & {column.name for column in kind.columns}


def test_every_kind_of_file_is_gathered_once_and_folder_by_folder():
    assert len({kind.name for kind in ARTEFACTS}) == len({kind.path for kind in ARTEFACTS}) == len(ARTEFACTS)
    folders = [kind.path.partition("/")[0] for kind in ARTEFACTS]
    assert folders == sorted(folders, key=ORDER.index)

"""The user's own files, which decide by their contents and times what is made anew."""

import os
import re
import time
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest
from planned import CATALOGUE, overlaid
from snakemake.io import IOFile
from snakemake.iocontainers import Wildcards
from tables_on_disk import write_rows

from attention_audit.errors import AuditError
from attention_audit.plan import corpora, file_checks
from attention_audit.plan.inputs import Inputs
from attention_audit.plan.plan import Plan

ENTRY = {"kind": "table", "path": "own.csv", "tokens": {"tokenizer": "spaces"}}


@pytest.fixture
def hashed(monkeypatch):
    """The files that are read for their checksums."""
    read = []
    real = file_checks.checksum
    monkeypatch.setattr(file_checks, "checksum", lambda path: read.append(path) or real(path))
    return read


def test_a_file_is_known_by_what_is_in_it_and_read_once(tmp_path, hashed):
    path, memory = tmp_path / "own.csv", tmp_path / "memory" / "checked"

    def find():
        found = file_checks.hash_files([str(path), str(tmp_path / "absent.csv")], memory)
        assert [*found] == [str(path)]
        return found[str(path)]

    for content, when, reads in ((b"first", 10, 1), (b"first", 20, 2), (b"other", 5, 3), (b"longer", 5, 4)):
        path.write_bytes(content)
        os.utime(path, (when, when))
        assert [find(), find()] == [sha256(content).hexdigest()] * 2
        assert len(hashed) == reads


@pytest.mark.parametrize(
    "case", [b"a///a", b"a/a/mirror/a", b"b/a/mirror/b", b"/a/mirror/a", b"/a/url/", b"a/a/url/", b"b/a/url/b"]
)
def test_another_file_of_the_mirror_is_another_content(tmp_path, monkeypatch, case):
    """What is there, what was fetched before, from where, and what is known then."""
    monkeypatch.chdir(tmp_path)
    there, fetched, origin, known = case.split(b"/")
    if there:
        Path("folder").mkdir()
        Path("folder", "raw").write_bytes(there)
    if fetched:
        file_checks.write_record(
            Path("results/folder/records/raw.json"), {"origin": origin.decode(), "sha256": sha256(fetched).hexdigest()}
        )
    config = SimpleNamespace(mirror_folder=Path(), places=SimpleNamespace(raw="results"))
    assert file_checks.hash_mirrored(config, "folder", "raw") == [sha256(known).hexdigest()] * len(known)


def test_a_table_is_looked_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, memory, seen = Path("own.csv"), tmp_path / "memory" / "checked", list[str]()
    write_rows(path, [{"text": f"text {at % 40}", "label": at % 2} for at in range(60)])
    real = file_checks.check_dataset
    monkeypatch.setattr(file_checks, "check_dataset", lambda name, *rest: seen.append(name) or real(name, *rest))

    def look(memory=memory, **changes):
        raw = {"datasets": ["mine"], "corpora": {"mine": ENTRY | changes}}
        return Plan(overlaid(CATALOGUE, raw), CATALOGUE, memory).oddities

    first = look()
    assert first[0] == "mine: 20 of 60 texts repeat an earlier one"
    assert look() == first
    assert len(seen) == 1
    look(min_df=2)
    assert len(seen) == 2
    os.utime(path, ns=(0, 0))
    assert look() == first
    assert len(seen) == 3
    memory.write_text('{"stamp": 1}')
    assert look() == first
    assert len(seen) == 4
    # a memory that cannot be kept costs only time
    Path("file").write_text("a file in the place of the folder")
    assert look(tmp_path / "file" / "checked") == first


def test_a_table_at_an_address_is_looked_at_once_it_is_fetched(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = {"kind": "table", "url": "https://example.org/own.csv", "tokens": {"tokenizer": "spaces"}}
    raw = {"datasets": ["mine"], "corpora": {"mine": entry}}
    path = Path("results/raw/mine/own.csv")

    def plan():
        return Plan(overlaid(CATALOGUE, raw), CATALOGUE, tmp_path / "checked")

    assert corpora.locate_raw(plan().config, "mine") == {"path": path}
    assert corpora.list_fetched(plan().config, "mine") == [("mine", "own.csv")]
    assert plan().oddities == []
    path.parent.mkdir(parents=True)
    write_rows(path, [{"text": f"text {at % 40}", "label": at % 2} for at in range(60)])
    assert plan().oddities[0] == "mine: 20 of 60 texts repeat an earlier one"


def test_a_time_ahead_of_this_machine_is_one_line(tmp_path):
    path = tmp_path / "my own.csv"
    path.touch()
    os.utime(path, (time.time() + 3600,) * 2)
    with pytest.raises(AuditError, match=r"ahead of this machine's clock; .*: touch '.*my own.csv'$") as caught:
        file_checks.hash_files([str(path)], tmp_path / "checked")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a {final}.csv", "{ x }/<y>/a.csv", "<data>/a.csv", "a {} {b c}.csv", "a [1] $x.csv"])
def test_a_name_that_snakemake_would_take_apart_is_read_by_a_link(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text("here")
    for linked in (file_checks.link_own(name), file_checks.link_own(name)):
        assert IOFile(linked, rule=None).apply_wildcards({}) == linked
        # angle brackets are variables of the paths of rules
        assert not re.search("[{}<>]", linked)
        assert Path(linked).read_text() == "here"
        assert (linked == name) == ("{" not in name and "<" not in name)
        assert os.lstat(linked).st_mtime <= os.stat(name).st_mtime


def test_jobs_are_told_the_names_that_the_user_wrote(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_rows(Path("own {1}.csv"), [{"text": f"text {at}", "label": at % 2} for at in range(60)])
    raw = {"datasets": ["mine"], "corpora": {"mine": ENTRY | {"path": "own {1}.csv"}}}
    inputs = Inputs(Plan(overlaid(CATALOGUE, raw), CATALOGUE, tmp_path / "checked"))
    (linked,) = inputs.list_raw_files(Wildcards(fromdict={"dataset": "mine"}))
    assert (linked != "own {1}.csv", inputs.unlink(linked), inputs.unlink("b")) == (True, "own {1}.csv", "b")


def test_masks_and_vectors_are_among_the_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_rows(Path("own.csv"), [{"text": f"text {at}", "label": at % 2} for at in range(60)])
    Path("own.mask").write_text("1 0\n" * 60)
    Path("own.vec").write_text("text 1 2\n")
    raw = {
        "datasets": ["mine"],
        "corpora": {"mine": ENTRY | {"block": {"file": "own.mask"}, "vectors": "mine"}},
        "word_vectors": {"mine": {"kind": "file", "path": "own.vec", "dimension": 2}},
    }
    plan = Plan(overlaid(CATALOGUE, raw), CATALOGUE)
    assert plan.list_own_files() == ["own.csv", "own.mask", "own.vec"]

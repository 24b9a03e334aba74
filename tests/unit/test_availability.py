from pathlib import Path

import pytest
from pydantic import Field

from attention_audit.corpus.source import Origin, RawSource, RemoteFile, Source, explain_unavailable, find_own

RAW = Path("results/raw")
HOMEPAGE = Origin(homepage="https://example.org")


class Toy(RawSource):
    """A data set of one published file and files of the user's own."""

    archive: RemoteFile
    own: list[str] = Field(default_factory=list)

    def local_files(self):
        return {str(number): path for number, path in enumerate(self.own)}

    def read(self, name, raw):
        raise NotImplementedError


class Generated(Source):
    """A data set without files."""

    def read(self, name, raw):
        raise NotImplementedError


HERE = RemoteFile(file="a.zip", url="https://example.org/a.zip")
UNPUBLISHED = RemoteFile(file="a.zip", url=None)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def touch(path):
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    return file


@pytest.mark.parametrize("source", [Generated(), Toy(archive=HERE), Toy(archive=HERE, own=["own/b.csv"])])
def test_what_is_generated_or_has_an_address_or_lies_in_the_mirror_can_be_had(source):
    touch("mirror/own/b.csv")
    assert explain_unavailable("toy", source, Path("mirror"), RAW) is None


@pytest.mark.parametrize("root", ["mirror", "results/raw"])
@pytest.mark.parametrize("folder", [None, "shared"])
def test_file_without_an_address_that_is_here(root, folder):
    source = Toy(archive=UNPUBLISHED, folder=folder)
    assert explain_unavailable("toy", source, Path("mirror"), RAW) is not None
    touch(f"{root}/{folder or 'toy'}/a.zip")
    assert explain_unavailable("toy", source, Path("mirror"), RAW) is None


@pytest.mark.parametrize(("mirror", "place"), [(Path("mirror"), "mirror"), (None, "<mirror>")])
def test_file_without_an_address_that_is_not_here(mirror, place):
    line = explain_unavailable("toy", Toy(archive=UNPUBLISHED, origin=HOMEPAGE), mirror, RAW)
    assert line == (
        f"toy: {place}/toy/a.zip is not here; get it from https://example.org and put it there, "
        "or name the place in the config"
    )


def test_every_missing_file_is_named():
    touch("own/b.csv")
    line = explain_unavailable("toy", Toy(archive=UNPUBLISHED, own=["own/b.csv", "own/c.csv", "d.csv"]), None, RAW)
    assert line == (
        "toy: <mirror>/toy/a.zip, own/c.csv, d.csv are not here; put them there, or name the place in the config"
    )


def test_own_file_is_looked_for_here_before_the_mirror(tmp_path):
    mirror = tmp_path / "mirror"
    assert find_own("own/b.csv", mirror) == Path("own/b.csv")
    mirrored = touch("mirror/own/b.csv")
    assert find_own("own/b.csv", mirror) == tmp_path / mirrored
    assert find_own("own/b.csv", None) == Path("own/b.csv")
    here = touch("own/b.csv")
    assert find_own("own/b.csv", mirror) == here
    assert find_own(str(tmp_path / here), None) == tmp_path / here
    # a folder is no file
    assert explain_unavailable("toy", Toy(archive=HERE, own=["own"]), None, RAW) is not None

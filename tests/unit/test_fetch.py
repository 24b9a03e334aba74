import gzip
import hashlib
import json
import re
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from published import pack

from attention_audit.artefacts.files import SEAL_KEY, read_record
from attention_audit.corpus.source import FetchJob, RemoteFile
from attention_audit.errors import AuditError
from attention_audit.stages import fetch as stage
from attention_audit.stages.fetch import fetch
from attention_audit.stages.job import Job

CONTENT = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
OTHER_CONTENT = bytes(reversed(CONTENT))
OTHER = hashlib.sha256(OTHER_CONTENT).hexdigest()
CUT = 2 * stage.CHUNK
KEPT = ".raw.bin.download"
LISTED = f"{OTHER}  toy/raw.bin\n"
AS_LISTED = f"toy/raw.bin: its sha256 is {SHA256}, not {OTHER} as MIRROR/SHA256SUMS says"


@dataclass(frozen=True)
class Answer:
    """One answer of the server: a fault (any status but 200), or the content, in parts where `ranges` are asked for.

    `cut`: bytes after which the transfer ends, or with `silent` stands still.
    `shift`: bytes by which a part begins too late.
    """

    status: int = 200
    content: bytes = CONTENT
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    silent: bool = False
    shift: int = 0
    ranges: bool = True
    sized: bool = True

    def part(self, asked):
        """Status, and the first byte to send."""
        start = re.fullmatch(r"bytes=(\d+)-", asked.get("Range", ""))
        if self.status != 200 or not (self.ranges and start):
            return self.status, 0
        first = int(start[1])
        return (206, first + self.shift) if first < len(self.content) else (416, 0)


@dataclass
class Site:
    """A web server on this machine: what it answers, one request after another, and what it was asked."""

    url: str = ""
    answers: list[Answer] = field(default_factory=lambda: [Answer()])
    asked: list[dict[str, str]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def next(self):
        """The next answer; the last one is given again and again."""
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Handler(BaseHTTPRequestHandler):
    site: Site

    def do_GET(self):
        asked = dict(self.headers)
        self.site.asked.append(asked)
        answer = self.site.next()
        status, start = answer.part(asked)
        body = answer.content[start:] if status in (200, 206) else b""
        self.send_response(status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if status == 206:
            size = len(answer.content) if answer.sized else "*"
            self.send_header("Content-Range", f"bytes {start}-{start + len(body) - 1}/{size}")
        if answer.sized:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        body = body[: answer.cut]
        self.wfile.write(body)
        if answer.silent:
            self.site.released.wait(10)

    def log_message(self, format, *args):
        pass


@pytest.fixture
def site(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(stage, "RETRY", stage.RETRY.new(backoff_factor=0))
    site = Site()
    with ThreadingHTTPServer(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"site": site})) as server:
        site.url = f"http://127.0.0.1:{server.server_address[1]}/raw.bin"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield site
        site.released.set()
        server.shutdown()
        thread.join()


def remote(url=None, sha256=SHA256, size=None):
    return RemoteFile(file="raw.bin", url=url, sha256=sha256, bytes=size)


def keep(content, folder):
    """What a run before this one has left behind."""
    (folder / "results").mkdir()
    (folder / "results" / KEPT).write_bytes(content)


def mirror_of(folder, content=CONTENT, sums=None):
    mirror = folder / "mirror"
    (mirror / "toy").mkdir(parents=True)
    (mirror / "toy" / "raw.bin").write_bytes(content)
    if sums is not None:
        (mirror / "SHA256SUMS").write_text(sums)
    return mirror


def job(file, folder="toy", homepage=""):
    return FetchJob(folder=folder, remote=file, homepage=homepage)


def fetched(file, mirror, folder, content=CONTENT):
    """Fetch, check that the file is right and alone, and return the record and the lines of progress."""
    lines = []
    destination = folder / "results" / "raw.bin"
    record = fetch(job(file), mirror, destination, lines.append)
    assert destination.read_bytes() == content
    assert list(destination.parent.iterdir()) == [destination]
    assert (record["file"], record["bytes"]) == ("raw.bin", len(content))
    assert record["sha256"] == hashlib.sha256(content).hexdigest()
    return record, lines


def refused(file, mirror, folder, kept=None, homepage=""):
    """The one line of the refusal, after a check that nothing is left behind but what is to be `kept`."""
    destination = folder / "results" / "raw.bin"
    with pytest.raises(AuditError) as caught:
        fetch(job(file, homepage=homepage), mirror, destination, lambda line: None)
    left = {path.name: path.read_bytes() for path in destination.parent.iterdir()}
    assert left == ({} if kept is None else {KEPT: kept})
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("sized", "of_all"), [(True, " of 1"), (False, "")])
def test_download_shows_progress(site, tmp_path, monkeypatch, sized, of_all):
    monkeypatch.setattr(stage, "STEP", 300_000)
    site.answers = [Answer(sized=sized)]
    _, lines = fetched(remote(site.url, size=len(CONTENT)), None, tmp_path)
    assert lines == [f"{site.url}: {megabytes} MB{of_all}" for megabytes in ("0", "1", "1")]


def test_gz_declared_to_be_an_encoding_is_not_unpacked(site, tmp_path):
    packed = gzip.compress(CONTENT, mtime=0)
    site.answers = [Answer(content=packed, headers={"Content-Encoding": "gzip"})]
    fetched(remote(site.url, hashlib.sha256(packed).hexdigest()), None, tmp_path, packed)
    assert site.asked[0]["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("sha256", [SHA256, None])
@pytest.mark.parametrize("answer", [Answer(silent=True, cut=0), Answer(sized=False)])
def test_wrong_size_is_seen_as_soon_as_it_is_told(site, tmp_path, answer, sha256):
    site.answers = [answer]
    message = refused(remote(site.url, sha256, size=7), None, tmp_path)
    assert message.startswith(f"{site.url}: it has {len(CONTENT)} bytes, not 7 as the config says; ")


PUT = "or put it at <mirror>/toy/raw.bin"


@pytest.mark.parametrize(
    ("answer", "sha256", "homepage", "requests", "begin", "end"),
    [
        (Answer(404), SHA256, "", 1, "the server answers 404 Not Found; ", PUT),
        (
            Answer(404),
            SHA256,
            "https://a.org",
            1,
            "the server ",
            PUT.replace("or ", "or get it from https://a.org and "),
        ),
        (Answer(503), SHA256, "", 3, "the server answers 503", PUT),
        (Answer(silent=True, cut=CUT), None, "", 1, "the transfer broke off; ", PUT),
        (Answer(), OTHER, "", 1, f"its sha256 is {SHA256}, not {OTHER} as the config says", "or run again"),
    ],
)
def test_a_failure_is_told_with_what_to_do(
    site, tmp_path, monkeypatch, answer, sha256, homepage,
    requests, begin, end,
):  # fmt: skip
    monkeypatch.setattr(stage, "TIMEOUT", 0.1)
    site.answers = [answer]
    message = refused(remote(site.url, sha256), None, tmp_path, homepage=homepage)
    assert message.startswith(f"{site.url}: {begin}")
    assert message.endswith(end)
    assert len(site.asked) == requests


def test_closed_port(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(stage, "RETRY", 0)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/raw.bin"
        assert refused(remote(url), None, tmp_path).startswith(f"{url}: no connection; ")
        # it takes the request, and says nothing
        taken.listen()
        monkeypatch.setattr(stage, "TIMEOUT", 0.1)
        assert refused(remote(url), None, tmp_path).startswith(f"{url}: no answer within 0.1 s; ")


@pytest.mark.parametrize("last", [Answer(), Answer(sized=False), Answer(ranges=False)])
def test_the_next_run_goes_on_where_the_transfer_broke_off(site, tmp_path, last):
    for kept, answer in ((CUT, Answer(cut=CUT)), (2 * CUT, Answer(cut=CUT)), (2 * CUT, Answer(503))):
        site.answers = [answer]
        refused(remote(site.url), None, tmp_path, kept=CONTENT[:kept])
    site.answers = [Answer(302, headers={"Location": "/elsewhere"}), last]
    site.asked.clear()
    record, lines = fetched(remote(site.url), None, tmp_path)
    assert record["origin"] == site.url
    assert [headers.get("Range") for headers in site.asked] == [f"bytes={2 * CUT}-"] * 2
    assert lines == [f"{site.url}: going on at 0.3 MB"] * last.ranges


@pytest.mark.parametrize("answer", [Answer(416), Answer(shift=1)])
def test_kept_part_that_nothing_can_follow_is_removed(site, tmp_path, answer):
    keep(CONTENT[:CUT], tmp_path)
    site.answers = [answer]
    said = refused(remote(site.url), None, tmp_path)
    assert said == f"{site.url}: nothing follows the {CUT} bytes of an earlier download; run again"


def test_kept_part_of_another_file_is_found_out_and_removed(site, tmp_path):
    keep(OTHER_CONTENT[:CUT], tmp_path)
    assert f"not {SHA256}" in refused(remote(site.url), None, tmp_path)
    (tmp_path / "results" / KEPT).write_bytes(CONTENT[:CUT])
    fetched(remote(), mirror_of(tmp_path), tmp_path)


def test_mirror_before_network(site, tmp_path):
    record, lines = fetched(remote(site.url), mirror_of(tmp_path), tmp_path)
    assert (record["origin"], record["canonical"], lines) == ("mirror", True, [])
    assert site.asked == []


def test_network_where_the_mirror_lacks_the_file(site, tmp_path):
    mirror = mirror_of(tmp_path, sums=LISTED)
    (mirror / "toy" / "raw.bin").unlink()
    record, _ = fetched(remote(site.url), mirror, tmp_path)
    assert (record["origin"], record["canonical"]) == (site.url, True)


def test_neither_mirror_nor_address(tmp_path):
    mirror = mirror_of(tmp_path)
    (mirror / "toy" / "raw.bin").unlink()
    why = "and the config has no url for it"
    assert refused(remote(), mirror, tmp_path) == f"raw.bin: not at {mirror}/toy/raw.bin, {why}; put it there"
    assert refused(remote(), None, tmp_path, homepage="https://example.org") == (
        f"raw.bin: not at <mirror>/toy/raw.bin, {why}; get it from https://example.org and put it there"
    )


WHEEL = "tiny-1.0-py3-none-any.whl"


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder in the place of the package index, which pip is told of as a user tells it; it holds one wheel."""
    folder = tmp_path / "index"
    folder.mkdir()
    about = {
        "METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    files = {f"tiny-1.0.dist-info/{name}": content for name, content in about.items()}
    pack(folder / WHEEL, {"tiny.py": "raise SystemExit"} | files)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def of_package(content, package="tiny==1.0"):
    return RemoteFile(file=WHEEL, package=package, sha256=hashlib.sha256(content).hexdigest())


def test_wheel_of_a_package(index, tmp_path):
    content = (index / WHEEL).read_bytes()
    told = []
    fetched = fetch(job(of_package(content), "own"), None, tmp_path / WHEEL, told.append)
    assert (fetched["origin"], fetched["canonical"], (tmp_path / WHEEL).read_bytes()) == ("tiny==1.0", True, content)
    assert told == ["tiny==1.0: pip fetches its wheel from the package index"]


@pytest.mark.usefixtures("index")
def test_package_that_the_index_lacks(tmp_path):
    with pytest.raises(AuditError) as caught:
        fetch(job(of_package(b"", "lost==1.0"), "own"), None, tmp_path / WHEEL, print)
    assert str(caught.value) == (
        "lost==1.0: pip cannot fetch it (Could not find a version that satisfies the requirement lost==1.0 (from "
        f"versions: none)); check the network and the settings of pip, or put {WHEEL} at <mirror>/own/{WHEEL}; "
        "`make controls` runs without it, on generated texts"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_mirror_listed_checksum_where_none_is_published(tmp_path):
    mirror = mirror_of(tmp_path, sums=f"{OTHER}  toy/raw.bin.bak\n{SHA256}  ./toy/raw.bin\n")
    record, lines = fetched(remote(sha256=None), mirror, tmp_path)
    assert record["canonical"] is None
    assert lines == [f"raw.bin: no checksum is published; its sha256 is {SHA256}"]


def test_list_of_the_mirror_vouches_for_another_version(tmp_path):
    mirror = mirror_of(tmp_path, OTHER_CONTENT, sums=LISTED)
    record, [line] = fetched(remote(size=7), mirror, tmp_path, OTHER_CONTENT)
    assert record["canonical"] is False
    assert line.startswith(f"{mirror}/toy/raw.bin: not the published bytes, whose sha256 is {SHA256}; ")


@pytest.mark.parametrize(
    ("content", "sums", "sha256", "said"),
    [
        (CONTENT, LISTED, None, AS_LISTED),
        (CONTENT, LISTED, SHA256, AS_LISTED),
        (
            *(OTHER_CONTENT, f"{OTHER}  toy/raw.bin.bak\n", SHA256),
            f"toy/raw.bin: its sha256 is {OTHER}, not {SHA256} as the config says; replace the file",
        ),
        (CONTENT, f"\n{SHA256[:-1]}  toy/raw.bin\n", None, "SHA256SUMS: line 2: not '<sha256>"),
    ],
)
def test_a_file_of_the_mirror_is_what_its_list_or_else_the_config_says(tmp_path, content, sums, sha256, said):
    mirror = mirror_of(tmp_path, content, sums)
    message = refused(remote(sha256=sha256), mirror, tmp_path)
    assert message.replace(str(mirror), "MIRROR").startswith(f"MIRROR/{said}")


def test_mirror_that_can_not_be_read(tmp_path, monkeypatch):
    mirror = mirror_of(tmp_path)

    def locked(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_file", locked)
    assert refused(remote(), mirror, tmp_path).startswith(f"{mirror}/toy/raw.bin: cannot be read (Permission denied); ")


def test_stage_writes_the_file_and_its_record(tmp_path, provenance, monkeypatch):
    monkeypatch.setenv("ATTENTION_AUDIT_MIRROR", str(mirror_of(tmp_path)))
    settings = job(remote())
    outputs = {"file": [tmp_path / "raw.bin"], "record": [tmp_path / "raw.bin.json"]}
    lines = []
    stage.run(Job(settings, {}, outputs, provenance, lines.append))
    assert (tmp_path / "raw.bin").read_bytes() == CONTENT
    *keys, last = json.loads((tmp_path / "raw.bin.json").read_text())
    assert (keys, last) == (sorted(keys), SEAL_KEY), "the seal is the last"
    assert read_record(outputs["record"][0]) == {
        "file": "raw.bin",
        "folder": "toy",
        "origin": "mirror",
        "bytes": len(CONTENT),
        "sha256": SHA256,
        "canonical": True,
    }
    assert lines == [f"raw.bin: sha256 {SHA256}"]

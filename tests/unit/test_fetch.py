from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from attention_audit.corpus import fetch as module
from attention_audit.corpus.fetch import fetch
from attention_audit.corpus.settings import RemoteFile
from attention_audit.errors import AuditError

CONTENT = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
OTHER = "0" * 64


class Handler(BaseHTTPRequestHandler):
    """/good, /moved (to /good), /cut (half the content), /flaky (cut once), /silent (no answer), else 404 or 503."""

    asked: list[str]
    released: threading.Event

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/good")
            self.end_headers()
        elif self.path == "/silent":
            self.released.wait(10)
        elif self.path in ("/good", "/cut", "/flaky"):
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            cut = self.path == "/cut" or (self.path == "/flaky" and self.asked.count("/flaky") == 1)
            self.wfile.write(CONTENT[: len(CONTENT) // 2] if cut else CONTENT)
        else:
            self.send_error(503 if self.path == "/busy" else 404)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Site:
    """A web server on this machine and what it was asked for."""

    def __init__(self, server: ThreadingHTTPServer, asked: list[str]) -> None:
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.asked = asked


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(module, "PAUSE", 0)
    asked: list[str] = []
    released = threading.Event()
    handler = type("BoundHandler", (Handler,), {"asked": asked, "released": released})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Site(server, asked)
        released.set()
        server.shutdown()
        thread.join()


def remote(url: str | None = None, sha256: str | None = SHA256) -> RemoteFile:
    return RemoteFile(file="raw.bin", url=url, sha256=sha256)


def mirror_of(folder: Path, content: bytes = CONTENT, sums: str | None = None) -> Path:
    mirror = folder / "mirror"
    (mirror / "toy").mkdir(parents=True)
    (mirror / "toy" / "raw.bin").write_bytes(content)
    if sums is not None:
        (mirror / "SHA256SUMS").write_text(sums)
    return mirror


def fetched(file: RemoteFile, mirror: Path | None, folder: Path) -> list[str]:
    """Fetch, check that the file is right and alone, and return the lines of progress."""
    lines: list[str] = []
    destination = folder / "results" / "raw.bin"
    assert fetch(file, "toy", mirror, destination, lines.append) == SHA256
    assert destination.read_bytes() == CONTENT
    assert list(destination.parent.iterdir()) == [destination]
    return lines


def refused(file: RemoteFile, mirror: Path | None, folder: Path) -> str:
    """The one line of the refusal, after a check that nothing is left behind."""
    destination = folder / "results" / "raw.bin"
    with pytest.raises(AuditError) as caught:
        fetch(file, "toy", mirror, destination, lambda line: None)
    assert list(destination.parent.iterdir()) == []
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("path", ["/good", "/moved"])
def test_download(site: Site, tmp_path: Path, path: str) -> None:
    lines = fetched(remote(site.url + path), None, tmp_path)
    assert lines[-1] == f"{site.url}{path}: 100 % of 1.0 MB"


def test_download_without_a_checksum_says_so(site: Site, tmp_path: Path) -> None:
    lines = fetched(remote(site.url + "/good", None), None, tmp_path)
    assert lines[-1] == f"{site.url}/good: no checksum to compare with; its sha256 is {SHA256}"


def test_wrong_bytes(site: Site, tmp_path: Path) -> None:
    message = refused(remote(site.url + "/good", OTHER), None, tmp_path)
    assert message.startswith(f"{site.url}/good: its sha256 is {SHA256}, not {OTHER} as the config says")


def test_absent_page_is_asked_for_once(site: Site, tmp_path: Path) -> None:
    message = refused(remote(site.url + "/absent"), None, tmp_path)
    assert message.startswith(f"{site.url}/absent: the server answers 404 Not Found; ")
    assert message.endswith("put the file at <mirror>/toy/raw.bin")
    assert site.asked == ["/absent"]


def test_busy_server_is_asked_again(site: Site, tmp_path: Path) -> None:
    assert "the server answers 503" in refused(remote(site.url + "/busy"), None, tmp_path)
    assert site.asked == ["/busy"] * 3


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_transfer_cut_off(site: Site, tmp_path: Path, sha256: str | None) -> None:
    assert "the transfer broke off" in refused(remote(site.url + "/cut", sha256), None, tmp_path)
    assert site.asked == ["/cut"] * 3


def test_transfer_cut_off_once(site: Site, tmp_path: Path) -> None:
    lines = fetched(remote(site.url + "/flaky"), None, tmp_path)
    assert f"{site.url}/flaky: the transfer broke off; trying again" in lines


def test_silent_server(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIMEOUT", 0.1)
    assert "no answer within 0.1 s" in refused(remote(site.url + "/silent"), None, tmp_path)


def test_closed_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(module, "PAUSE", 0)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/raw.bin"
        assert refused(remote(url), None, tmp_path).startswith(f"{url}: no connection; ")


def test_mirror_before_network(site: Site, tmp_path: Path) -> None:
    fetched(remote(site.url + "/good"), mirror_of(tmp_path), tmp_path)
    assert site.asked == []


def test_network_where_the_mirror_lacks_the_file(site: Site, tmp_path: Path) -> None:
    mirror = mirror_of(tmp_path)
    (mirror / "toy" / "raw.bin").unlink()
    fetched(remote(site.url + "/good"), mirror, tmp_path)
    assert site.asked == ["/good"]


def test_neither_mirror_nor_address(tmp_path: Path) -> None:
    mirror = mirror_of(tmp_path)
    (mirror / "toy" / "raw.bin").unlink()
    assert refused(remote(), mirror, tmp_path).startswith(
        f"raw.bin: not at {mirror}/toy/raw.bin, and the config has no"
    )
    assert "not at <mirror>/toy/raw.bin" in refused(remote(), None, tmp_path)


def test_mirror_listed_checksum(tmp_path: Path) -> None:
    mirror = mirror_of(tmp_path, sums=f"{OTHER}  toy/raw.bin.bak\n{SHA256}  toy/raw.bin\n")
    assert fetched(remote(sha256=None), mirror, tmp_path) == []


def test_mirror_checksum_differs_from_its_list(tmp_path: Path) -> None:
    mirror = mirror_of(tmp_path, sums=f"{OTHER}  toy/raw.bin\n")
    message = refused(remote(sha256=None), mirror, tmp_path)
    assert f"not {OTHER} as {mirror}/SHA256SUMS says" in message


def test_config_checksum_outranks_the_list(tmp_path: Path) -> None:
    fetched(remote(), mirror_of(tmp_path, sums=f"{OTHER}  toy/raw.bin\n"), tmp_path)


def test_mirror_checksum_differs_from_the_config(tmp_path: Path) -> None:
    mirror = mirror_of(tmp_path, CONTENT[:-1], sums=f"{SHA256}  toy/raw.bin\n")
    message = refused(remote(), mirror, tmp_path)
    assert message.startswith(f"{mirror}/toy/raw.bin: its sha256 is ")
    assert f"not {SHA256} as the config says" in message


def test_mirror_without_any_checksum_says_so(tmp_path: Path) -> None:
    [line] = fetched(remote(sha256=None), mirror_of(tmp_path), tmp_path)
    assert line.endswith(f"no checksum to compare with; its sha256 is {SHA256}")


def test_malformed_list(tmp_path: Path) -> None:
    mirror = mirror_of(tmp_path, sums=f"\n{SHA256[:-1]}  toy/raw.bin\n")
    with pytest.raises(AuditError, match=r"SHA256SUMS: line 2: not '<sha256>"):
        fetch(remote(sha256=None), "toy", mirror, tmp_path / "raw.bin", lambda line: None)

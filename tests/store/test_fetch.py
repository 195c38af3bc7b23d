"""A download is whole and checked, or it is not there; what arrived is not fetched twice."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from infx.errors import InputError, MachineError
from infx.store.fetch import fetch

CONTENT = bytes(range(256)) * 4096
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Server:
    """Serves CONTENT on the loopback, and breaks in the ways that a test asks for."""

    def __init__(self):
        self.asked = []
        self.content = CONTENT
        self.break_after = None
        self.ranges = True
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()

    def answer(self, request):
        self.asked.append((request.path, request.headers["Range"]))
        if request.path == "/moved":
            request.send_response(302)
            request.send_header("Location", "/file")
            request.end_headers()
        elif request.path == "/away":
            request.send_response(302)
            request.send_header("Location", "http://example.invalid/file")
            request.end_headers()
        elif request.path == "/file":
            self.send(request)
        else:
            request.send_error(404)

    def send(self, request):
        start = 0
        if self.ranges and request.headers["Range"]:
            start = int(request.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        if start >= len(self.content):
            request.send_error(416)
            return
        request.send_response(206 if start else 200)
        if start:
            end = len(self.content) - 1
            request.send_header("Content-Range", f"bytes {start}-{end}/{end + 1}")
        request.send_header("Content-Length", str(len(self.content) - start))
        request.end_headers()
        request.wfile.write(self.content[start : self.break_after])

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "file.bin"


def test_a_file_is_fetched_once_through_a_redirect(server, path):
    told = []
    got = fetch(f"{server.url}/moved", path, sha256=DIGEST, progress=lambda *at: told.append(at))
    assert got == path
    assert path.read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert [name for name, _ in server.asked] == ["/moved", "/file"]
    fetch(f"{server.url}/moved", path, sha256=DIGEST)
    assert len(server.asked) == 2
    assert not path.with_name("file.bin.part").exists()


def test_a_broken_download_is_kept_and_resumed(server, path):
    server.break_after = 300_000
    with pytest.raises(MachineError) as caught:
        fetch(f"{server.url}/file", path, sha256=DIGEST)
    assert str(caught.value) == (
        f"{server.url}/file: the download failed: the connection ended early; "
        "check the network and run it again; the 300000 bytes that arrived are kept"
    )
    assert not path.exists()
    server.break_after = None
    told = []
    fetch(f"{server.url}/file", path, sha256=DIGEST, progress=lambda *at: told.append(at))
    assert path.read_bytes() == CONTENT
    assert server.asked[-1] == ("/file", "bytes=300000-")
    assert told[0][0] > 300_000
    assert told[-1] == (len(CONTENT), len(CONTENT))


def test_a_server_without_ranges_is_read_from_the_beginning(server, path):
    path.parent.mkdir()
    path.with_name("file.bin.part").write_bytes(b"x" * 1000)
    server.ranges = False
    fetch(f"{server.url}/file", path, sha256=DIGEST)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("size", [1000, len(CONTENT), len(CONTENT) + 5])
def test_a_part_of_another_file_is_thrown_away_and_fetched_again(server, path, size):
    path.parent.mkdir()
    path.with_name("file.bin.part").write_bytes(b"x" * size)
    fetch(f"{server.url}/file", path, sha256=DIGEST)
    assert path.read_bytes() == CONTENT
    assert server.asked[-1] == ("/file", None)


def test_a_whole_part_is_taken_as_it_is(server, path):
    path.parent.mkdir()
    path.with_name("file.bin.part").write_bytes(CONTENT)
    fetch(f"{server.url}/file", path, sha256=DIGEST)
    assert path.read_bytes() == CONTENT
    assert server.asked == [("/file", f"bytes={len(CONTENT)}-")]


def test_wrong_bytes_are_refused_and_not_kept(server, path):
    server.content = b"other"
    with pytest.raises(MachineError) as caught:
        fetch(f"{server.url}/file", path, sha256=DIGEST)
    found = hashlib.sha256(b"other").hexdigest()
    assert f"the download has sha256 {found}, not {DIGEST}; " in str(caught.value)
    assert not path.exists()
    assert not path.with_name("file.bin.part").exists()


def test_a_cached_file_that_was_altered_is_fetched_again(server, path):
    path.parent.mkdir()
    path.write_bytes(b"altered")
    fetch(f"{server.url}/file", path, sha256=DIGEST)
    assert path.read_bytes() == CONTENT


def test_a_missing_file_is_said(server, path):
    with pytest.raises(MachineError) as caught:
        fetch(f"{server.url}/none", path, sha256=DIGEST)
    assert str(caught.value) == (
        f"{server.url}/none: the server answers 404 Not Found; check the URL, or try again later"
    )


def test_no_network_is_said(server, path):
    url = f"{server.url}/file"
    server.http.socket.close()
    with pytest.raises(MachineError, match=r"the download failed: .*; check the network"):
        fetch(url, path, sha256=DIGEST)


def test_nothing_needs_the_network_once_it_is_cached(path):
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    assert fetch("https://example.invalid/file", path, sha256=DIGEST) == path


@pytest.mark.parametrize("url", ["http://example.com/x", "file:///etc/passwd", "ftp://a/b", "x"])
def test_only_https_is_downloaded_from(path, url):
    with pytest.raises(InputError, match="only https is downloaded from; use an https URL"):
        fetch(url, path, sha256=DIGEST)


def test_a_redirect_off_https_is_refused(server, path):
    with pytest.raises(InputError, match=r"http://example\.invalid/file: only https"):
        fetch(f"{server.url}/away", path, sha256=DIGEST)
    assert not path.exists()

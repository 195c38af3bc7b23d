"""Download a file once: https, redirects, resumed where it broke off, checked by sha256, cached."""

import fcntl
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from infx.errors import InputError, MachineError, Problem
from infx.store.files import make_folder, refused, sha256_of

Progress = Callable[[int, int | None], None]
"""Told the bytes that are here, and the whole size where the server states it."""

_CHUNK = 256 * 1024
_LOOPBACK = "127.0.0.1"
_AUTHORIZATION = "Authorization"


def fetch(
    url: str,
    path: Path,
    *,
    sha256: str,
    progress: Progress | None = None,
    timeout_s: float = 30.0,
) -> Path:
    """Return `path`, downloaded from `url` unless it is there with the right digest already.

    What arrives is kept in `<path>.part` and resumed by the next call; `path` appears whole or not
    at all. Two processes that fetch the same file wait for each other.
    Raises InputError for a URL that is not https (plain http only to 127.0.0.1), MachineError when
    the network, the server or the disk fails, or the bytes are not those of `sha256`.
    """
    check_url(url)
    make_folder(path.parent)
    with _locked(path):
        if path.is_file() and sha256_of(path) == sha256:
            return path
        part = path.with_name(f"{path.name}.part")
        resumed = _download(url, part, progress, timeout_s)
        found = sha256_of(part)
        if found != sha256 and resumed:
            _remove(part)
            _download(url, part, progress, timeout_s)
            found = sha256_of(part)
        if found != sha256:
            _remove(part)
            what = f"the download has sha256 {found}, not {sha256}"
            remedy = "the file behind the URL changed, or a proxy altered it: do not use it"
            raise MachineError(Problem(what, url, remedy))
        try:
            part.replace(path)
        except OSError as error:
            raise refused(path, "keep the download", error) from error
    return path


def check_url(url: str) -> None:
    """Raise InputError for a URL that is not https; plain http is for 127.0.0.1 alone."""
    parts = urlsplit(url)
    if parts.scheme != "https" and (parts.scheme, parts.hostname) != ("http", _LOOPBACK):
        raise InputError(Problem("only https is downloaded from", url, "use an https URL"))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = path.with_name(f".{path.name}.lock")
    try:
        file = lock.open("w")
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError as error:
        raise refused(lock, "lock the download", error) from error
    with file:
        yield


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise refused(path, "remove the file", error) from error


class _CheckedRedirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only to where a download may come from; a token stays at its host."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        check_url(newurl)
        moved = super().redirect_request(req, fp, code, msg, headers, newurl)
        token = req.unredirected_hdrs.get(_AUTHORIZATION)
        if moved is not None and token and urlsplit(newurl)[:2] == urlsplit(req.full_url)[:2]:
            moved.add_unredirected_header(_AUTHORIZATION, token)
        return moved


def _download(url: str, part: Path, progress: Progress | None, timeout_s: float) -> bool:
    """Bring `part` to its full length; return whether it went on from an earlier download."""
    have = part.stat().st_size if part.exists() else 0
    try:
        with _open(url, have, timeout_s) as answer:
            resumed = answer.status == HTTPStatus.PARTIAL_CONTENT
            if resumed and not _begins(answer, have):
                what = "the server sent another range than the one asked for"
                raise MachineError(Problem(what, url, f"delete {part} and run it again"))
            _receive(answer, part, have if resumed else 0, progress)
            return resumed
    except urllib.error.HTTPError as error:
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
            # Nothing is left to ask for: the part is whole, or of another file; its digest decides.
            return True
        what = f"the server answers {error.code} {error.reason}"
        raise MachineError(Problem(what, url, "check the URL, or try again later")) from error
    except (OSError, http.client.HTTPException) as error:
        raise _broken(url, error, part) from error


def _open(url: str, have: int, timeout_s: float) -> http.client.HTTPResponse:
    request = urllib.request.Request(url, headers={"User-Agent": "infx"})  # noqa: S310 checked
    if have:
        request.add_header("Range", f"bytes={have}-")
    return ask(request, timeout_s)


def ask(request: urllib.request.Request, timeout_s: float) -> http.client.HTTPResponse:
    """Return the answer to a request, after redirects; raises what urllib raises.

    It raises InputError for a redirect to where nothing may be read from. An Authorization that was
    added as unredirected goes to no other host.
    """
    check_url(request.full_url)
    handlers: list[urllib.request.BaseHandler] = [_CheckedRedirects()]
    if urlsplit(request.full_url).hostname == _LOOPBACK:
        handlers.append(urllib.request.ProxyHandler({}))
    answer = urllib.request.build_opener(*handlers).open(request, timeout=timeout_s)
    assert isinstance(answer, http.client.HTTPResponse)
    return answer


def _begins(answer: http.client.HTTPResponse, have: int) -> bool:
    return str(answer.headers["Content-Range"]).startswith(f"bytes {have}-")


def _total(answer: http.client.HTTPResponse, done: int) -> int | None:
    length = answer.headers["Content-Length"]
    return done + int(length) if length and re.fullmatch("[0-9]+", length) else None


def _receive(
    answer: http.client.HTTPResponse, part: Path, done: int, progress: Progress | None
) -> None:
    total = _total(answer, done)
    with _appending(part, done) as file:
        while chunk := answer.read(_CHUNK):
            try:
                file.write(chunk)
            except OSError as error:
                raise refused(part, "write the download", error) from error
            done += len(chunk)
            if progress is not None:
                progress(done, total)
    if total is not None and done < total:
        raise http.client.IncompleteRead(b"", total - done)


def _appending(part: Path, done: int) -> IO[bytes]:
    try:
        file = part.open("r+b" if done else "wb", buffering=0)
        file.seek(done)
        file.truncate()
    except OSError as error:
        raise refused(part, "write the download", error) from error
    return file


def _broken(url: str, error: OSError | http.client.HTTPException, part: Path) -> MachineError:
    if isinstance(error, http.client.IncompleteRead):
        reason = "the connection ended early"
    else:
        reason = str(getattr(error, "reason", error)) or type(error).__name__
    kept = part.stat().st_size if part.exists() else 0
    remedy = "check the network and run it again"
    if kept:
        remedy += f"; the {kept} bytes that arrived are kept"
    return MachineError(Problem(f"the download failed: {reason}", url, remedy))

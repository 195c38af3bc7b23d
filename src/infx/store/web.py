"""Small reads over https: a whole answer within a cap, or a span of bytes of a large file."""

import http.client
import urllib.error
import urllib.request
from dataclasses import dataclass
from http import HTTPStatus

from infx.errors import MachineError, Problem
from infx.store.fetch import ask

TIMEOUT_S = 30.0


class AbsentError(MachineError):
    """The server says that there is no such file, or none for us."""


@dataclass(frozen=True, slots=True)
class Span:
    """The bytes from `first` to `last` of a file, both with it."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """How many bytes these are."""
        return self.last - self.first + 1


def read(url: str, *, cap: int, span: Span | None = None, token: str | None = None) -> bytes:
    """Return what stands at a URL, or its bytes of a span; fewer where the file ends before.

    Redirects are followed to https only, and a token stays with the host that it is for. A server
    that knows no spans is read up to the last byte of it. Raises InputError for a URL that is not
    https (plain http only to 127.0.0.1), AbsentError for a file that is not there or not for us,
    MachineError for everything else that breaks and for more than `cap` bytes.
    """
    request = urllib.request.Request(url, headers={"User-Agent": "infx"})  # noqa: S310 checked
    if span is not None:
        request.add_header("Range", f"bytes={span.first}-{span.last}")
    if token is not None:
        # A redirect may lead to another host, which must not get it.
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    try:
        with ask(request, TIMEOUT_S) as answer:
            return _body(answer, url, cap, span)
    except urllib.error.HTTPError as error:
        raise _refused(error, url) from error
    except (OSError, http.client.HTTPException) as error:
        reason = str(getattr(error, "reason", error)) or type(error).__name__
        problem = Problem(f"it cannot be read: {reason}", url, "check the network and run it again")
        raise MachineError(problem) from error


def _body(answer: http.client.HTTPResponse, url: str, cap: int, span: Span | None) -> bytes:
    partial = answer.status == HTTPStatus.PARTIAL_CONTENT
    if span is not None and not partial:
        answer.read(span.first)
    elif span is not None and not _begins(answer, span.first):
        what = "the server sent another range than the one asked for"
        raise MachineError(Problem(what, url, "try again later"))
    most = cap if span is None else min(cap, span.size)
    data = answer.read(most if span is not None else most + 1)
    if len(data) > most:
        raise MachineError(Problem(f"it has more than {cap} bytes", url, "this is no metadata"))
    stated = answer.headers["Content-Length"] or ""
    if (partial or span is None) and stated.isdigit() and len(data) < min(int(stated), most):
        raise http.client.IncompleteRead(data, int(stated) - len(data))
    return data


def _begins(answer: http.client.HTTPResponse, first: int) -> bool:
    return str(answer.headers["Content-Range"]).startswith(f"bytes {first}-")


def _refused(error: urllib.error.HTTPError, url: str) -> MachineError:
    what = f"the server answers {error.code} {error.reason}"
    if error.code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
        return AbsentError(Problem(what, url, "check the name; a gated repository asks a token"))
    return MachineError(Problem(what, url, "try again later"))

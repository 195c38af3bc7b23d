"""Where a server answers: a URL split into what a connection needs."""

import asyncio
import errno
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from infx.errors import InputError, Problem

Dial = Callable[[Callable[[], asyncio.BaseProtocol]], Awaitable[object]]
"""Opens one connection and hands it to the protocol that the factory makes."""

_PORTS = {"http": 80, "https": 443}
_LABEL = 63


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of a base URL. `base` is the path before `/v1`, without a trailing slash."""

    scheme: str
    host: str
    port: int
    base: str

    @property
    def authority(self) -> str:
        """What the Host header says."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == _PORTS[self.scheme] else f"{name}:{self.port}"

    @property
    def url(self) -> str:
        """The base URL in its normal form."""
        return f"{self.scheme}://{self.authority}{self.base}"


def parse(url: str) -> Address:
    """Split a base URL; a trailing `/v1` is taken off. Raise InputError for what is not http(s)."""
    remedy = "give it as http://HOST:PORT or https://HOST"
    where = url or "URL"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InputError(Problem(f"not a URL: {error}", where, remedy)) from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise InputError(Problem("not an http or https URL", where, remedy))
    if parts.username is not None or parts.query or parts.fragment:
        what = "a base URL carries no user, query or fragment"
        raise InputError(Problem(what, f"{parts.scheme}://{parts.hostname}", remedy))
    if not url.isascii() or not url.isprintable() or " " in url:
        what = "a URL has neither spaces nor letters beyond ASCII"
        raise InputError(Problem(what, where, "write a path's as %XX, and a host's as xn--..."))
    if port == 0:
        raise InputError(Problem("port 0 cannot be connected to", where, remedy))
    if not all(0 < len(label) <= _LABEL for label in parts.hostname.rstrip(".").split(".")):
        what = f"a part of the host's name is empty or longer than {_LABEL} letters"
        raise InputError(Problem(what, where, "check the spelling of the URL"))
    base = parts.path.rstrip("/").removesuffix("/v1")
    return Address(parts.scheme, parts.hostname, port or _PORTS[parts.scheme], base)


def dial(address: Address, tls: ssl.SSLContext | None = None) -> Dial:
    """Return how to connect to `address`; https verifies against the system's authorities."""
    context = None
    if address.scheme == "https":
        context = tls or ssl.create_default_context()

    async def connect(factory: Callable[[], asyncio.BaseProtocol]) -> object:
        loop = asyncio.get_running_loop()
        return await loop.create_connection(factory, address.host, address.port, ssl=context)

    return connect


def explain(error: OSError, address: Address) -> Problem:
    """Say in one line why `address` could not be reached, and what to do."""
    if isinstance(error, ssl.SSLCertVerificationError):
        what, remedy = f"TLS: {error.verify_message}", "trust its authority or use its real name"
    elif isinstance(error, ssl.SSLError):
        what, remedy = f"TLS failed: {error.reason or error}", "does this port speak https?"
    elif isinstance(error, ConnectionRefusedError):
        what, remedy = "connection refused", "is the server running, and is the port right?"
    elif isinstance(error, TimeoutError):
        what, remedy = "no answer in time", "is the host right, and reachable from here?"
    elif type(error).__name__ == "gaierror":
        what, remedy = f"unknown host {address.host}", "check the spelling of the URL"
    elif error.errno in (errno.EMFILE, errno.ENFILE):
        what, remedy = "cannot connect: too many open files", "raise the limit with: ulimit -n N"
    else:
        what, remedy = f"cannot connect: {error.strerror or error}", "check the URL and the server"
    return Problem(what, address.url, remedy)

"""Single requests outside the load: health, models, and short questions whose answer is read whole.

They go over the same connection as the load, one connection each.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from infx.clock import Clock, SystemClock
from infx.errors import InputError, MachineError, Problem, nearest
from infx.wire.address import Address, Dial, dial, explain, parse
from infx.wire.connection import Connection, Exchange

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Reply:
    """A response read whole."""

    url: str
    status: int
    media: str
    body: bytes

    def json(self) -> Any:  # noqa: ANN401 - plain JSON
        """Return the body's JSON, or raise MachineError that shows what came instead."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            shown = self.body[:80].decode("utf-8", "replace")
            what = f"expected JSON, got {self.media or 'no content type'}: {shown!r}"
            remedy = "is this the base URL of an OpenAI-compatible server?"
            raise MachineError(Problem(what, self.url, remedy)) from None


def request_head(method: str, address: Address, path: str, headers: Headers) -> bytes:
    """Return a request's first lines and headers, without the blank line that ends them."""
    lines = [f"{method} {address.base}{path} HTTP/1.1", f"Host: {address.authority}"]
    lines += [f"{name}: {value}" for name, value in headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n"


@dataclass(frozen=True, slots=True)
class Client:
    """How one server is asked: where, over which connection, with which headers each time."""

    address: Address
    dial: Dial
    headers: Headers = ()
    clock: Clock = field(default_factory=SystemClock)

    async def get(self, path: str, *, timeout_s: float = 30.0) -> Reply:
        """GET a path below the base URL."""
        head = request_head("GET", self.address, path, self.headers)
        return await self._ask(path, head + b"\r\n", timeout_s)

    async def post(self, path: str, body: bytes, *, timeout_s: float = 600.0) -> Reply:
        """POST a JSON body to a path below the base URL."""
        headers = (*self.headers, ("Content-Type", "application/json"))
        head = request_head("POST", self.address, path, headers)
        length = b"Content-Length: %d\r\n\r\n" % len(body)
        return await self._ask(path, head + length + body, timeout_s)

    async def _ask(self, path: str, payload: bytes, timeout_s: float) -> Reply:
        url = f"{self.address.url}{path}"
        try:
            async with asyncio.timeout(timeout_s):
                exchange = await self._exchange(payload)
        except TimeoutError:
            remedy = "is the server overloaded or hung?"
            raise MachineError(Problem(f"no answer in {timeout_s:g} s", url, remedy)) from None
        except OSError as error:
            raise MachineError(explain(error, self.address)) from None
        if exchange.fault or exchange.status is None:
            what = exchange.fault_detail or "no answer"
            raise MachineError(Problem(what, url, "does an HTTP server answer there?"))
        media = exchange.header(b"content-type").decode("latin-1")
        return Reply(url, exchange.status, media, bytes(exchange.body))

    async def _exchange(self, payload: bytes) -> Exchange:
        done: asyncio.Future[Exchange] = asyncio.get_running_loop().create_future()

        def end(exchange: Exchange) -> None:
            if not done.done():
                done.set_result(exchange)

        connection = Connection(self.clock.now, end, lambda _: None)
        await self.dial(lambda: connection)
        try:
            connection.send(payload)
            return await done
        finally:
            connection.close()


async def get(url: str, *, timeout_s: float = 5.0, headers: Headers = ()) -> Reply:
    """GET an absolute URL."""
    address = parse(url)
    root = Address(address.scheme, address.host, address.port, "")
    client = Client(root, dial(root), headers)
    return await client.get(address.base or "/", timeout_s=timeout_s)


def model_ids(reply: Reply) -> tuple[str, ...]:
    """Return the ids that `/v1/models` lists, or raise an error that says what came instead."""
    if reply.status in (401, 403):
        remedy = "name the variable that holds the right key with --api-key-env"
        raise InputError(Problem(f"HTTP {reply.status}: not authorised", reply.url, remedy))
    if reply.status != 200:
        shown = reply.body[:80].decode("utf-8", "replace")
        remedy = "is this the base URL of an OpenAI-compatible server?"
        raise MachineError(Problem(f"HTTP {reply.status}: {shown!r}", reply.url, remedy))
    listed = reply.json()
    rows = listed.get("data") if isinstance(listed, dict) else None
    ids = tuple(
        row["id"]
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict) and isinstance(row.get("id"), str)
    )
    if not ids:
        raise MachineError(Problem("lists no model", reply.url, "name it with --model"))
    return ids


def choose_model(ids: tuple[str, ...], asked: str | None, url: str) -> str:
    """Return the asked model if it is served, or the only one served; else raise InputError."""
    if asked is None and len(ids) == 1:
        return ids[0]
    if asked is None:
        what = f"serves {len(ids)} models: {', '.join(ids)}"
        raise InputError(Problem(what, url, "name one with --model"))
    if asked not in ids:
        raise InputError(Problem(f"model {asked} is not served", url, nearest(asked, ids)))
    return asked

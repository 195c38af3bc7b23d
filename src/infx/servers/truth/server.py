"""The server itself: routes, and the state that all connections share."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Literal

import orjson

from infx.clock import NS, Clock
from infx.servers.truth.ask import Api, Ask, read_ask
from infx.servers.truth.counters import Counters
from infx.servers.truth.cue import Schedule
from infx.servers.truth.engine import Engine
from infx.servers.truth.faults import spoil
from infx.servers.truth.http import Connection, Request
from infx.servers.truth.log import Sent
from infx.servers.truth.metrics_page import CONTENT_TYPE, page
from infx.servers.truth.pace import Pacer, Turns
from infx.servers.truth.refusal import Refusal
from infx.servers.truth.reply import Arrival, Books, Outlet, Reply
from infx.servers.truth.script import Script
from infx.servers.truth.timing import Scripted, Timing

Route = Literal["chat", "completions", "models", "health", "metrics"]

ROUTES: dict[str, tuple[str, Route]] = {
    "/v1/chat/completions": ("POST", "chat"),
    "/v1/completions": ("POST", "completions"),
    "/v1/models": ("GET", "models"),
    "/health": ("GET", "health"),
    "/metrics": ("GET", "metrics"),
}
"""Path to method and what it serves."""

Between = Callable[[Ask, Outlet], Outlet]
"""Chooses the outlet of one answer: the given one, or one that stands before it.

It may raise Refusal instead: the request is then answered with that status and never accepted.
"""


class TruthServer:
    """Answers on any number of connections of one running loop.

    `log` gets each generation request at its end (a list's `append` will do). `between` is a seam
    before the script's faults, for what no script can say. `grain_ns` is the resolution of the
    loop's timers (see `Pacer`).
    """

    def __init__(
        self,
        script: Script,
        clock: Clock,
        log: Callable[[Sent], None],
        *,
        between: Between | None = None,
        grain_ns: int = 1,
    ) -> None:
        pacer = Pacer(clock, grain_ns=grain_ns)
        self.script = script
        self.counters = Counters()
        self.timing: Timing = (
            Engine(script.engine, pacer, clock) if script.engine else Scripted(script, pacer, clock)
        )
        self._clock = clock
        self._log = log
        self._between = between
        self._schedule = Schedule(script.faults, script.fault_seed)
        self._books = Books(script, clock, self.counters, log, clock.wall() // NS, count(1))
        self._connections: set[Connection] = set()
        self._turns = Turns()

    def protocol(self) -> asyncio.Protocol:
        """Return the protocol of one new connection."""
        return Connection(
            self._handle,
            self.timing.forget,
            self._clock,
            opened=self._connections,
            turns=self._turns,
        )

    def stop(self) -> None:
        """Cut every connection; unfinished answers are logged as `server-closed`."""
        for connection in tuple(self._connections):
            connection.abort()

    def _handle(self, request: Request, connection: Connection) -> None:
        try:
            self._route(request, connection)
        except Refusal as refusal:
            connection.respond(refusal.status, refusal.body(), refusal.headers)
            self._log_refused(request, refusal)

    def _route(self, request: Request, connection: Connection) -> None:
        if request.problem is not None:
            raise request.problem
        if request.path not in ROUTES:
            raise Refusal(404, f"{request.path} is not served", code="not_found")
        method, route = ROUTES[request.path]
        if request.method != method:
            what = f"{request.path} takes {method}, not {request.method}"
            raise Refusal(405, what, code="method_not_allowed", headers=(("Allow", method),))
        if request.path.startswith("/v1/"):
            self._authorise(request)
        if route in ("chat", "completions"):
            self._generate(request, connection, route)
        elif route == "models":
            connection.respond(200, self._models())
        elif route == "health":
            connection.respond(200, b"{}")
        else:
            text = page(self.script, self.counters, self.timing)
            connection.respond(200, text.encode(), (("Content-Type", CONTENT_TYPE),))

    def _authorise(self, request: Request) -> None:
        key = self.script.api_key
        if key is not None and request.headers.get("authorization") != f"Bearer {key}":
            given = "is missing" if "authorization" not in request.headers else "is not the one"
            raise Refusal(
                401,
                f"the API key {given}; send Authorization: Bearer KEY",
                code="invalid_api_key",
                headers=(("WWW-Authenticate", "Bearer"),),
            )

    def _generate(self, request: Request, connection: Connection, api: Api) -> None:
        ask = read_ask(request.body, api, self.script)
        self.timing.check(ask)
        struck = self._schedule.next(ask)
        names = tuple(str(fault) for fault, _ in struck)
        try:
            outlet = spoil(connection, struck)
        except Refusal as refusal:
            refusal.faults = names
            raise
        arrival = Arrival(request.headers.get("x-request-id"), request.received_ns, names)
        between = self._between(ask, outlet) if self._between else outlet
        connection.reply = reply = Reply(ask, between, self._books, arrival)
        self.timing.accept(reply)

    def _models(self) -> bytes:
        model = {
            "id": self.script.model,
            "object": "model",
            "created": self._books.created,
            "owned_by": "infx",
        }
        if self.script.engine:
            model["max_model_len"] = self.script.engine.kv_tokens
        return orjson.dumps({"object": "list", "data": [model]})

    def _log_refused(self, request: Request, refusal: Refusal) -> None:
        route = ROUTES.get(request.path, ("", ""))[1]
        if route in ("chat", "completions"):
            self._log(
                Sent(
                    request_id=request.headers.get("x-request-id"),
                    api=route,
                    stream=None,
                    status=refusal.status,
                    end="refused",
                    received_ns=request.received_ns,
                    ended_ns=self._clock.now(),
                    faults=refusal.faults,
                )
            )

"""An outlet that passes everything on: what a fault does not spoil."""

from collections.abc import Callable, Sequence

from infx.servers.truth.events import split_events
from infx.servers.truth.reply import Outlet


class Passing:
    """Stands before another outlet and changes nothing; faults override what they spoil.

    After `over` is set the rest of the answer should be kept back.
    """

    def __init__(self, outlet: Outlet) -> None:
        self.outlet = outlet
        self.over = False

    def respond(
        self, status: int, body: bytes, headers: Sequence[tuple[str, str]] = (), *, tokens: int = 0
    ) -> None:
        """Pass a whole response on."""
        self.outlet.respond(status, body, headers, tokens=tokens)

    def open(self) -> None:
        """Pass the head on."""
        self.outlet.open()

    def send(self, events: bytes, tokens: int) -> None:
        """Pass events on, unless it is over."""
        if not self.over:
            self.outlet.send(events, tokens)

    def write(self, data: bytes, tokens: int) -> None:
        """Pass raw bytes of the body on, unless it is over."""
        if not self.over:
            self.outlet.write(data, tokens)

    def finish(self) -> None:
        """Pass the end on, unless it is over."""
        if not self.over:
            self.outlet.finish()

    def close(self) -> None:
        """Pass the close on."""
        self.outlet.close()

    def close_idle(self, seconds: float) -> None:
        """Pass the later close on."""
        self.outlet.close_idle(seconds)

    def abort(self) -> None:
        """Pass the reset on."""
        self.outlet.abort()


Rewrite = Callable[[bytes], bytes]
"""From one whole event to what is sent in its place: nothing, another, or several."""


class Rewritten(Passing):
    """Rewrites each event; the moments and the tokens of writes stay as they are."""

    def __init__(self, outlet: Outlet, rewrite: Rewrite) -> None:
        super().__init__(outlet)
        self._rewrite = rewrite

    def send(self, events: bytes, tokens: int) -> None:
        """Pass the rewritten events on; a write of none is left out, it would end the body."""
        if changed := b"".join(map(self._rewrite, split_events(events))):
            self.outlet.send(changed, tokens)

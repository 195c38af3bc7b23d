"""The engine's metrics beside a point: read each second, kept in its folder, computed after it."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import JsonValue

from infx.clock import Clock
from infx.model.bundle import PointFile
from infx.model.record import Phase
from infx.model.result import Absent, ServerMetrics
from infx.store.bundle_reader import Bundle
from infx.store.bundles import SAMPLES, point_folder
from infx.store.samples import SampleJournal
from infx.store.samples import pages as read_pages
from infx.store.samples import read as read_samples
from infx.telemetry.pages import Pages
from infx.telemetry.scraper import Scraper, scraping
from infx.wire.address import Address, Dial, dial, parse
from infx.wire.fetch import Client, Headers

METRICS_PATH = "/metrics"


def pages_of(client: Client, clock: Clock, *, connect: Callable[[Address], Dial] = dial) -> Pages:
    """Return a reader of metrics pages; the client's headers go to its own server only."""

    def headers(address: Address) -> Headers:
        return client.headers if address.authority == client.address.authority else ()

    def how(address: Address) -> Dial:
        own = address.authority == client.address.authority
        return client.dial if own else connect(address)

    return Pages(clock, headers=headers, connect=how)


def metrics_urls(client: Client, stated: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the metrics pages that are read: those that are stated, else the client's server's.

    Raises InputError for what is no URL.
    """
    wanted = tuple(stated) or (f"{client.address.url}{METRICS_PATH}",)
    for url in wanted:
        parse(url)
    return wanted


@asynccontextmanager
async def telemetry(
    client: Client,
    clock: Clock,
    *,
    directory: Path,
    urls: Sequence[str] = (),
    connect: Callable[[Address], Dial] = dial,
) -> AsyncIterator[Scraper]:
    """Read the metrics pages of a point beside its load, into its folder.

    `urls` are the pages, by default that of the client's server. Await `read()` of what is given
    between two phases, so that a page parts their counters. Whatever the pages do, nothing is
    raised; MachineError when the journal cannot be opened or closed, InputError for what is no URL.
    """
    pages = pages_of(client, clock, connect=connect)
    wanted = metrics_urls(client, urls)
    try:
        with SampleJournal(directory / SAMPLES) as journal:
            async with scraping(wanted, pages.fetch, clock, journal.add) as scraper:
                yield scraper
    finally:
        pages.close()


def facts(scraper: Scraper) -> dict[str, JsonValue]:
    """Return what a point's file keeps of the reading, in the words of `PointFile.audit`."""
    return {
        "metrics_pages": scraper.pages,
        "metrics_missed": dict(sorted(scraper.misses.items())),
        "metrics_stopped": None if scraper.stopped is None else str(scraper.stopped),
    }


def server_metrics_of(bundle: Bundle, point: PointFile) -> ServerMetrics | Absent:
    """Compute what the server's counters say of a point's profiling phase, or say why nothing.

    Raises InputError when the samples are not whole.
    """
    return server_metrics_in(
        point_folder(bundle.path, point), point, torn=bundle.manifest.state == "running"
    )


def server_metrics_in(
    folder: Path, point: PointFile, *, torn: bool = False
) -> ServerMetrics | Absent:
    """Compute the same from a point's folder; `torn` passes over a last line that is not whole."""
    from infx.metrics.server import server_metrics  # after the load
    from infx.telemetry.engine import meaning, samples

    windows = [window for window in point.phases if window.phase is Phase.PROFILING]
    if not windows:
        return Absent(reason="the point has no profiling phase")
    path = folder / SAMPLES
    if not path.exists():
        return Absent(reason="no metrics page was asked for")
    means = meaning(read_pages(path, tolerate_torn=torn))
    if means is None:
        return Absent(reason=_unread(path, point, torn=torn))
    return server_metrics(
        samples(read_samples(path, tolerate_torn=torn), means),
        (windows[0].start_ns, windows[-1].end_ns),
        dialect=means.dialect,
        missing=means.missing,
    )


def _unread(path: Path, point: PointFile, *, torn: bool) -> str:
    if next(read_pages(path, tolerate_torn=torn), None) is not None:
        return "the metrics pages speak no dialect that infx knows"
    missed = point.audit.get("metrics_missed")
    why = ", ".join(missed) if isinstance(missed, dict) else ""
    return f"no metrics page was read: {why}" if why else "no metrics page was read"

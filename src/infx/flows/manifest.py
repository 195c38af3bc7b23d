"""Who measures what, when, and on which host: the first words of a run's bundle."""

import platform
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module

from infx import __version__
from infx.clock import NS, Clock
from infx.flows.options import BenchOptions
from infx.flows.selftests import latest
from infx.model.bundle import ClockAnchor, Manifest
from infx.store import bundles
from infx.telemetry.host import facts

PACKAGES = ("uvloop", "httptools", "orjson", "pydantic", "zstandard")


def versions() -> dict[str, str]:
    """Return the versions of Python and of what takes part in a measurement."""
    found = {"python": platform.python_version(), "infx": __version__}
    for package in PACKAGES:  # which are loaded for the load: their metadata need not be read
        with suppress(ImportError):  # an optional one
            found[package] = import_module(package).__version__
    return found


def stamp(wall_ns: int) -> str:
    """Return a moment as text: UTC, to the millisecond."""
    return datetime.fromtimestamp(wall_ns / NS, UTC).isoformat(timespec="milliseconds")


def new_manifest(options: BenchOptions, clock: Clock) -> Manifest:
    """Return the manifest of a run that begins now."""
    anchor = ClockAnchor(monotonic_ns=clock.now(), wall_ns=clock.wall())
    host = facts()
    return Manifest(
        run=bundles.new_run_id(anchor.wall_ns),
        command=options.command,
        state="running",
        started=stamp(anchor.wall_ns),
        simulated=options.simulated,
        anchor=anchor,
        versions=versions(),
        host=host,
        selftest=latest(options.selftests, host) if options.selftests else None,
    )

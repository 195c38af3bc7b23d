"""From raw metrics pages to samples: what each second's page measured, in the words of `Quantity`.

Telemetry samples, metrics computes: nothing is added up or divided here.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from infx.errors import MachineError
from infx.model.measured import Sample
from infx.model.scrape import Change, Miss, Page, Scrape
from infx.model.server import Quantity
from infx.telemetry.dialects import DIALECTS
from infx.telemetry.families import Families, Meaning, choose, speaks
from infx.wire.prometheus import parse

NAME = "__name__"
"""The label that holds a series' own name, as Prometheus calls it."""
ENGINES = ("sglang", "vllm", "trtllm", "atom", "llamacpp")
"""Dialects of engines; where pages speak several, the first one is heard."""


def meaning(pages: Iterable[Page]) -> Meaning | None:
    """Return what the names on a point's pages mean, None where no known dialect is spoken.

    A dialect is told by how names begin. Beside an engine Dynamo's own names add what they know,
    but not beside SGLang, which counts all of it itself.
    """
    names = frozenset(name for page in pages for name in _names(page.text))
    spoken = {name for name, path in DIALECTS.items() if speaks(import_module(path), names)}
    engine = next((name for name in ENGINES if name in spoken), None)
    layers = [_families(engine, "FAMILIES")] if engine is not None else []
    words = [engine] if engine is not None else []
    if "dynamo" in spoken and engine != "sglang":
        layers = [_families("dynamo", "FIRST"), *layers, _families("dynamo", "FAMILIES")]
        words = ["dynamo", *words]
    return choose("-".join(words), layers, names) if words else None


def _families(dialect: str, table: str) -> Families:
    module: ModuleType = import_module(DIALECTS[dialect])
    families: Families = getattr(module, table)
    return families


def _names(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if line and line[0] != "#":
            yield _name(line)


def _name(line: str) -> str:
    return line.partition("{")[0].partition(" ")[0]


@dataclass(slots=True)
class _Series:
    """One series of a page that measures something, and its number on the latest page."""

    uses: tuple[Quantity, ...]
    labels: tuple[tuple[str, str], ...]
    value: float


def samples(scrapes: Iterable[Scrape], means: Meaning) -> Iterator[Sample]:
    """Yield what every page measured, page by page: `up` first, then each series that is known.

    A sample's moment is that at which its page had come: the server wrote it before. Its labels are
    the page's, and the series' own name as `__name__`; `up` names the moment of asking as `sent_ns`
    and for a miss the `reason`. A line that does not hold a number measures nothing.
    """
    known: dict[str, dict[int, _Series]] = {}
    for scrape in scrapes:
        if isinstance(scrape, Miss):
            yield _up(scrape, 0.0, (("reason", scrape.reason),))
            continue
        if isinstance(scrape, Page):
            known[scrape.source] = _read(scrape, means)
        series = known.get(scrape.source, {})
        if isinstance(scrape, Change):
            _apply(scrape, series)
        yield _up(scrape, 1.0)
        for one in series.values():
            for quantity in one.uses:
                yield Sample(scrape.received_ns, scrape.source, quantity, one.value, one.labels)


def _up(scrape: Scrape, value: float, labels: tuple[tuple[str, str], ...] = ()) -> Sample:
    said = (("sent_ns", str(scrape.sent_ns)), *labels)
    return Sample(scrape.received_ns, scrape.source, Quantity.UP, value, said)


def _read(page: Page, means: Meaning) -> dict[int, _Series]:
    found = {}
    for number, line in enumerate(page.text.split("\n")):
        terms = means.terms.get(_name(line)) if line and line[0] != "#" else None
        series = _series(line, terms) if terms else None
        if series is not None:
            found[number] = series
    return found


def _series(
    line: str, terms: tuple[tuple[Quantity, tuple[tuple[str, str], ...]], ...]
) -> _Series | None:
    try:
        (reading,) = parse(line)
    except MachineError:
        return None
    has = set(reading.labels)
    uses = tuple(quantity for quantity, where in terms if has.issuperset(where))
    if not uses:
        return None
    return _Series(uses, ((NAME, reading.name), *reading.labels), reading.value)


def _apply(change: Change, series: dict[int, _Series]) -> None:
    for number, text in change.values:
        one = series.get(number)
        if one is not None:
            try:
                one.value = float(text)
            except ValueError:
                del series[number]


def whole_pages(scrapes: Iterable[Scrape]) -> Iterator[Page]:
    """Yield every page that was read with all of its text, changes put in; misses are left out."""
    latest: dict[str, list[str]] = {}
    for scrape in scrapes:
        if isinstance(scrape, Page):
            latest[scrape.source] = scrape.text.split("\n")
            yield scrape
        elif isinstance(scrape, Change):
            lines = latest[scrape.source]
            for number, value in scrape.values:
                lines[number] = f"{lines[number].rpartition(' ')[0]} {value}"
            text = "\n".join(lines)
            yield Page(scrape.source, scrape.sent_ns, scrape.received_ns, text)

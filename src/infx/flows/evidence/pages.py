"""Whether the metrics pages that bundles kept have the series that a check asks for."""

from collections.abc import Iterable, Iterator

from infx.flows.evidence.bundles import Given
from infx.model.scrape import Change, Page, Scrape

KV_SERIES = ("trtllm_kv_cache_", "dynamo_component_kvstats_")
"""How the series begin that TensorRT-LLM behind Dynamo publishes only with its statistics on."""


def has_kv_metrics(found: Iterable[Given], config: str) -> bool | None:
    """Say whether a page of an entry's points has figures of its KV cache, None without a page.

    A series that never leaves 0 is what was registered at the start, and nothing published.
    """
    read = False
    for one in found:
        for point in one.points if one.config.key == config else ():
            for name, value in _samples(one.run.bundle.scrapes(point.file)):
                read = True
                if name.startswith(KV_SERIES) and value.strip("0.-+") not in ("", "e", "NaN"):
                    return True
    return False if read else None


def _samples(scrapes: Iterable[Scrape]) -> Iterator[tuple[str, str]]:
    """Yield the beginning and the last word of each sample, again wherever it has changed."""
    pages: dict[str, list[str]] = {}
    for scrape in scrapes:
        if isinstance(scrape, Page):
            pages[scrape.source] = scrape.text.split("\n")
            for line in pages[scrape.source]:
                if line and not line.startswith("#"):
                    yield line, line.rpartition(" ")[2]
        elif isinstance(scrape, Change):
            for number, value in scrape.values:
                yield pages[scrape.source][number], value

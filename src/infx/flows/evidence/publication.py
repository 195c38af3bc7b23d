"""Whether launches of TensorRT-LLM behind Dynamo publish their metrics, and what shows it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from infx.flows.evidence import pages
from infx.flows.evidence.bundles import Given
from infx.flows.evidence.places import cite
from infx.flows.evidence.variants import Bound
from infx.model import config_facts, run_facts
from infx.model.config_facts import Config
from infx.model.pull_record import Installed, MetricsPage, PullRecord
from infx.recipes.publication import Statement, publication_facts

DYNAMO = "ai-dynamo"
"""The package of Dynamo."""

ROUTER = "dynamo-router"
"""What catalogs call the Dynamo that an entry installs beside its image."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What runs showed: bundles of ours, and what the record of the pull request has of others."""

    bundles: tuple[Given, ...] = ()
    installed: tuple[Installed, ...] = ()
    pages: tuple[MetricsPage, ...] = ()

    def version(self, config: str) -> Installed | None:
        """Return the Dynamo that an entry's containers had, None where nobody recorded it."""
        mine = (one for one in self.installed if one.config == config and one.name == DYNAMO)
        return next(mine, None)

    def scraped(self, config: str) -> bool | None:
        """Say whether a page of metrics had figures of the cache, None without a page."""
        recorded = [one for one in self.pages if one.config == config]
        found = pages.has_kv_metrics(self.bundles, config)
        if found or any(
            name.startswith(pages.KV_SERIES) for one in recorded for name in one.series
        ):
            return True
        return False if recorded else found


def shown(bundles: tuple[Given, ...], record: PullRecord | None) -> Shown:
    """Return what bundles and a record show."""
    if record is None:
        return Shown(bundles)
    return Shown(bundles, record.installed or (), record.pages or ())


def publication(
    found: Iterable[Bound],
    configs: Mapping[str, Config],
    commit: str,
    runs: Shown,
) -> Iterator[run_facts.Publication]:
    """Yield what launches of TensorRT-LLM behind Dynamo state of their metrics."""
    for one in found:
        config = configs[one.config]
        installed = runs.version(one.config)
        facts = (
            publication_facts(
                one.binding,
                shown=None if installed is None else _stated(installed),
                otherwise=_router(one, config),
            )
            if config.framework.startswith("dynamo-")
            else None
        )
        if facts is not None:
            version = facts.version
            yield run_facts.Publication(
                config=one.config,
                variant=one.variant,
                dynamo_version=None
                if version is None
                else _installed(installed)
                if installed is not None
                else _observed(version, commit),
                settings=tuple(_observed(each, commit) for each in facts.statements),
                enabled=facts.enabled,
                because=facts.because,
                scraped=runs.scraped(one.config),
            )


def _router(one: Bound, config: Config) -> Statement | None:
    """Return the Dynamo that the entry of the catalog says to install beside its image."""
    router = one.points[0].row.router if one.points else None
    if router is None or router.name != ROUTER:
        return None
    return Statement("router", router.version, config.cite.where)


def _stated(one: Installed) -> Statement:
    return Statement(one.name, one.version, one.cite.where)


def _installed(one: Installed) -> config_facts.Observed:
    return config_facts.Observed(name=one.name, value=one.version, cite=one.cite)


def _observed(one: Statement, commit: str) -> config_facts.Observed:
    place = cite(one.where, one.value, at=commit)
    return config_facts.Observed(name=one.name, value=one.value, cite=place)

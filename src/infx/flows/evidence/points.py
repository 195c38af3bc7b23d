"""Affected entries and their points, with what each side has of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from infx.flows import rendering
from infx.flows.changed import Comparison
from infx.flows.evidence.places import cite
from infx.flows.evidence.states import Placed, State
from infx.matrix.affected import series, shape
from infx.matrix.options import sequence_name
from infx.matrix.points import scenario
from infx.model import config_facts, run_facts
from infx.model.catalog import ConfigKey
from infx.model.registry import Hardware, HardwareRegistry
from infx.model.setting_registry import ThinkingRegistry
from infx.model.sweep import Row
from infx.recipes import registries
from infx.recipes.acceptance.bound import THINKING
from infx.recipes.thinking import mode

Change = Literal["added", "changed", "recipe", "removed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trio:
    """The states of one submission; `measured` is None where nobody says which commit was."""

    comparison: Comparison
    head: State
    base: State
    measured: State | None


def configs(
    trio: Trio, hardware: HardwareRegistry, thinking: ThinkingRegistry
) -> Iterator[config_facts.Config]:
    """Yield every entry that the change affects."""
    for change in trio.comparison.changes:
        was, now = _entry(trio.base, change.key), _entry(trio.head, change.key)
        state, entry = (trio.head, now) if now is not None else (trio.base, was)
        if entry is None or state.catalog is None:
            continue
        points = state.of(change.key)
        sku = registries.hardware(hardware, entry.runner) or _recipe_hardware(hardware, points)
        scenarios = tuple(dict.fromkeys(scenario_id(point.row) for point in points))
        yield config_facts.Config(
            key=change.key,
            change=_change(trio, change.key, was, now),
            cite=cite(state.catalog.where[change.key], entry.image, at=state.commit),
            framework=entry.framework,
            image=entry.image,
            image_before=None if was is None else was.image,
            model=entry.model,
            prefix=entry.model_prefix,
            precision=entry.precision,
            hardware=None if sku is None else sku.sku,
            scenarios=scenarios,
            speculative=any(point.row.spec_decoding != "none" for point in points),
            multinode=entry.multinode,
            disaggregated=entry.disagg,
            thinking=_thinking(points) or mode(thinking, scenarios),
        )


def _recipe_hardware(known: HardwareRegistry, points: Iterable[Placed]) -> Hardware | None:
    """Return the hardware that the recipes state: names of runners may say none."""
    found = set()
    for point in points:
        node: object = None if point.binding is None else point.binding.tree
        for key in ("resources", "gpu_type"):
            node = node.get(key) if isinstance(node, dict) else None
        if isinstance(node, str):
            found.add(node)
    return registries.hardware(known, found.pop()) if len(found) == 1 else None


def others(trio: Trio, hardware: HardwareRegistry) -> Iterator[config_facts.OtherConfig]:
    """Yield the entries of the head that the change does not affect."""
    affected = {change.key for change in trio.comparison.changes}
    side = trio.head.snapshot
    for path in trio.comparison.sources.masters:
        value = side.document(path).value if path in side.files else None
        for key, entry in value.items() if isinstance(value, dict) else ():
            if key in affected or not isinstance(entry, dict):
                continue
            sku = registries.hardware(hardware, str(entry.get("runner")))
            yield config_facts.OtherConfig(
                key=key,
                framework=str(entry.get("framework")),
                prefix=str(entry.get("model-prefix")),
                hardware=None if sku is None else sku.sku,
            )


def points(trio: Trio) -> Iterator[config_facts.Point]:
    """Yield every point of the affected entries, those that only the base has at the end."""
    for change in trio.comparison.changes:
        head, base = trio.head.of(change.key), trio.base.of(change.key)
        measured = () if trio.measured is None else trio.measured.of(change.key)
        labels = variants(head)
        was, done = matched(head, base), matched(head, measured)
        for place, point in enumerate(head):
            digests = {
                "digest": point.fingerprint,
                "base_digest": _digest(base, was[place]),
                "measured_digest": _digest(measured, done[place]),
            }
            facts = _point(point, labels[place]).model_copy(update=digests)
            if point.is_measured:
                yield facts
            if point.is_evaluated:
                yield facts.model_copy(update={"eval": True})
        gone = [place for place in range(len(base)) if place not in set(was)]
        old = variants(base)
        for place in gone:
            update = {"base_digest": base[place].fingerprint}
            yield _point(base[place], old[place]).model_copy(update=update)


def jobs(state: State) -> Iterator[run_facts.ExpectedJob]:
    """Yield the jobs that the matrix of a state asks for: one a row, and one for its evals."""
    done: set[int] = set()
    for point in state.points:
        if id(point.row) in done:
            continue
        done.add(id(point.row))
        mine = [one for one in state.points if one.row is point.row]
        if point.is_measured:
            yield _job(point.key, "throughput", mine)
        evaluated = [one for one in mine if one.is_evaluated]
        if evaluated:
            yield _job(point.key, "eval", evaluated)


def _job(
    key: str, kind: Literal["throughput", "eval"], points: Sequence[Placed]
) -> run_facts.ExpectedJob:
    concurrency = tuple(point.concurrency for point in points)
    return run_facts.ExpectedJob(config=key, kind=kind, concurrency=concurrency)


def scenario_id(row: Row) -> str:
    """Return a row's scenario by the name that the registry of models gives it."""
    name = scenario(row)
    return registries.AGENTIC if name == "agentic" else name


def variants(points: Sequence[Placed]) -> list[str]:
    """Name the variant of each point: its selector, else its recipe, else what its row runs.

    Recipes of one entry that share these names are told apart by their paths.
    """
    files = {one.binding.file for one in points if one.binding is not None}
    return [_variant(point, many=len(files) > 1) for point in points]


def _variant(point: Placed, *, many: bool) -> str:
    if point.binding is None:
        return shape(point.fields)
    file = PurePosixPath(point.binding.file)
    if not point.binding.variant:
        return str(file) if many else file.stem
    return f"{file}:{point.binding.variant}" if many else point.binding.variant


def matched(
    points: Sequence[Placed], other: Sequence[Placed], *, any_topology: bool = False
) -> list[int | None]:
    """Return for each point the place of the one on another side that it is, None for none.

    First those that are the same in everything, then those that ask the same of one topology, and
    with `any_topology` those that ask the same of another one.
    """
    found: list[int | None] = [None] * len(points)
    free = dict.fromkeys(range(len(other)))
    for same in (_identity, _place, _asked) if any_topology else (_identity, _place):
        by: dict[object, list[int]] = {}
        for place in free:
            by.setdefault(same(other[place]), []).append(place)
        for at, point in enumerate(points):
            candidates = by.get(same(point), [])
            if found[at] is None and candidates:
                found[at] = candidates.pop(0)
        for taken in found:
            if taken is not None:
                free.pop(taken, None)
    return found


def _digest(points: Sequence[Placed], place: int | None) -> str | None:
    return None if place is None else points[place].fingerprint


def _identity(point: Placed) -> object:
    return (point.fingerprint, point.concurrency, point.is_measured)


def _place(point: Placed) -> object:
    return (scenario_id(point.row), shape(point.fields), point.concurrency, point.is_measured)


def _asked(point: Placed) -> object:
    return (scenario_id(point.row), point.concurrency, point.is_measured)


def _point(point: Placed, variant: str) -> config_facts.Point:
    return config_facts.Point(
        config=point.key,
        concurrency=point.concurrency,
        scenario=scenario_id(point.row),
        variant=variant,
        digest=None,
        image=point.row.image,
        series=" ".join(_words(series(point.fields))),
    )


def _words(parts: Iterable[object]) -> Iterator[str]:
    """Yield the fields of a drawn curve as words; lengths by their short name."""
    names = (
        "model", "prefix", "precision", "framework", "runner", "disagg", "kind", "isl", "osl",
        "offload", "spec", "prefill", "decode",
    )  # fmt: skip
    fields = dict(zip(names, parts, strict=True))
    isl, osl = fields.pop("isl"), fields.pop("osl")
    for name, value in fields.items():
        if name == "kind" and isinstance(isl, int) and isinstance(osl, int):
            yield sequence_name(isl, osl)
        elif isinstance(value, bool):
            if value:
                yield name
        elif value not in (None, "none"):
            yield str(value)


def _entry(state: State, key: str) -> ConfigKey | None:
    return None if state.catalog is None else state.catalog.keys.get(key)


def _change(trio: Trio, key: str, was: ConfigKey | None, now: ConfigKey | None) -> Change:
    if now is None:
        return "removed"
    if key not in trio.comparison.sides.base_names:
        return "added"
    if was is None:
        return "changed"  # the base has it, and it cannot be read
    return "recipe" if _texts(trio, trio.base, key) == _texts(trio, trio.head, key) else "changed"


def _texts(trio: Trio, state: State, key: str) -> list[bytes | None]:
    masters = rendering.masters_of(state.snapshot, trio.comparison.sources)
    return [text for one in masters if (text := one.block(key)) is not None]


def _thinking(points: Iterable[Placed]) -> str | None:
    """Return the mode that the recipes state, None where none or several do."""
    stated = set()
    for point in points:
        node: object = None if point.binding is None else point.binding.tree
        for key in THINKING:
            node = node.get(key) if isinstance(node, dict) else None
        if isinstance(node, str):
            stated.add(node)
    return stated.pop() if len(stated) == 1 else None

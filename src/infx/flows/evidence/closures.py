"""What the runs of affected entries rest on beside their recipes, at both sides."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Literal

from infx.flows.evidence.points import Trio
from infx.flows.evidence.scripts import SUFFIXES, Scripts
from infx.flows.snapshots import Snapshot
from infx.model import config_facts
from infx.model.shell_effects import Gap
from infx.recipes.closure import Closure

Side = Literal["base", "head"]


def closures(trio: Trio, base: Scripts, head: Scripts) -> Iterator[config_facts.Closure]:
    """Yield the closures of every affected entry, points of one closure together."""
    both = (trio.base.snapshot, trio.head.snapshot)
    changed = moved(*both)
    sides: tuple[tuple[Side, Scripts], ...] = (("base", base), ("head", head))
    for change in trio.comparison.changes:
        for side, scripts in sides:
            groups: dict[str, tuple[Closure, set[int]]] = {}
            for point in scripts.state.of(change.key):
                closure = scripts.closure(point)
                key = f"{dict(closure.files)} {closure.gaps}"
                groups.setdefault(key, (closure, set()))[1].add(point.concurrency)
            for closure, concurrencies in groups.values():
                yield config_facts.Closure(
                    config=change.key,
                    side=side,
                    concurrencies=tuple(sorted(concurrencies)),
                    files=tuple(_dependencies(closure, both)),
                    gaps=closure.gaps,
                    doubts=tuple(_doubts(closure, changed)),
                )


def _dependencies(
    closure: Closure, both: tuple[Snapshot, Snapshot]
) -> Iterator[config_facts.Dependency]:
    for path, via in sorted(closure.files.items()):
        base, head = (_digest(side, path) for side in both)
        yield config_facts.Dependency(path=path, base=base, head=head, via=via)


def _digest(side: Snapshot, path: str) -> str | None:
    data = side.read(path)
    return None if data is None else sha256(data).hexdigest()


def moved(base: Snapshot, head: Snapshot) -> tuple[str, ...]:
    """Return the scripts that the head has otherwise, or anew, or no more."""
    paths = (path for path in {**base.files, **head.files} if _is_script(path))
    return tuple(sorted(path for path in paths if base.files.get(path) != head.files.get(path)))


def _is_script(path: str) -> bool:
    return PurePosixPath(path).suffix in SUFFIXES


def _doubts(closure: Closure, changed: Iterable[str]) -> Iterator[config_facts.Doubt]:
    """Yield the gaps that a changed script may fill, with those that may."""
    others = [path for path in changed if path not in closure.files]
    for gap in closure.gaps:
        maybe = tuple(path for path in others if _may_be(path, gap))
        if maybe:
            yield config_facts.Doubt(gap=gap, changed=maybe)


def _may_be(path: str, gap: Gap) -> bool:
    """Say whether a script may be what a gap leaves open: one that is absent may have a name."""
    name = "$" if gap.path is None else PurePosixPath(gap.path).name
    return "$" in name or PurePosixPath(path).name == name

"""The scripts of a commit: what launches entries without a recipe, and what points rest on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from infx.errors import InputError
from infx.flows.evidence.states import Placed, State
from infx.flows.snapshots import Snapshot
from infx.matrix import scripts
from infx.matrix.targets import target
from infx.model.registry import HardwareRegistry
from infx.model.setting_registry import PackageRegistry
from infx.model.shell_effects import Gap
from infx.recipes import registries
from infx.recipes.acceptance.plan import read_roles, speculation
from infx.recipes.closure import Closure, Closures
from infx.recipes.script_launch import Launch, Scripted, scripted

SUFFIXES = frozenset({".sh", ".bash", ".py", ".patch", ".diff"})


class Texts(Mapping[str, str]):
    """The scripts of a commit by their paths; each is read when it is asked for."""

    def __init__(self, side: Snapshot) -> None:
        self._side = side
        self._names = [path for path in side.files if PurePosixPath(path).suffix in SUFFIXES]
        self._known = frozenset(self._names)

    def __getitem__(self, path: str) -> str:
        data = self._side.read(path) if path in self._known else None
        if data is None:
            raise KeyError(path)
        return data.decode(errors="replace")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass
class Scripts:
    """The scripts of one state; each is followed once for what its row tells it."""

    state: State
    packages: PackageRegistry
    hardware: HardwareRegistry
    _followed: dict[object, Scripted] = field(default_factory=dict)

    @cached_property
    def texts(self) -> Texts:
        """The texts of all scripts."""
        return Texts(self.state.snapshot)

    @cached_property
    def _closures(self) -> Closures:
        return Closures(self.state.snapshot.files, self.texts, self.packages)

    def of(self, point: Placed) -> Scripted | None:
        """Return what launches a point whose row names no recipe, None where nobody knows it."""
        path = self._path(point)
        if path is None:
            return None
        told = scripts.environment(point.fields)
        key = (path, tuple(told.items()))
        if key not in self._followed:
            self._followed[key] = scripted(
                path,
                self.texts,
                self.packages,
                environment=told,
                target=target(point.fields, point.concurrency),
            )
        return self._followed[key]

    def launches(self, point: Placed) -> tuple[Launch, ...]:
        """Return the launches of a point; of a script that does both, those its row asks for.

        A row says whether it speculates, and a script's branches follow what it says.
        """
        found = self.of(point)
        if found is None:
            return ()
        asked = point.row.spec_decoding != "none"
        fitting = tuple(one for one in found.launches if _speculates(one) == asked)
        return fitting or found.launches

    def closure(self, point: Placed) -> Closure:
        """Return what a point rests on beside its recipe."""
        if point.binding is not None:
            return self._closures.of(point.binding)
        path = self._path(point)
        if path is not None:
            return self._closures.reached({path: f"the row of {point.key}"})
        where = "" if self.state.catalog is None else self.state.catalog.where[point.key]
        file, _, line = where.rpartition(":")
        what = f"no recipe that binds and no script is known that launches {point.key}"
        gap = Gap(kind="absent", file=file.rpartition(":")[2], line=int(line or 1), what=what)
        return Closure({}, (gap,))

    def _path(self, point: Placed) -> str | None:
        if point.source is not None:
            return None
        sku = registries.hardware(self.hardware, point.row.runner)
        return None if sku is None else scripts.script(point.fields, sku.sku, self.texts)


def _speculates(launch: Launch) -> bool:
    roles = read_roles(launch.binding.tree)
    try:
        return any(speculation(role) is not None for role in roles.values())
    except InputError:
        return True  # it states something of drafts that nobody can read

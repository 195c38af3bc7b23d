"""The states of a repository that a submission speaks of: its base, its head, what was measured.

Only entries whose points the change affects are rendered; every recipe is bound once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from infx.errors import InputError, Problem
from infx.flows import rendering
from infx.flows.changed import Comparison
from infx.flows.fingerprints import Fingerprints
from infx.flows.recipe_digests import Source
from infx.flows.rendering import Master
from infx.flows.snapshots import Snapshot
from infx.matrix.affected import Row as Fields
from infx.matrix.affected import concurrencies
from infx.matrix.catalog import Catalog
from infx.matrix.collisions import evaluated_concs
from infx.matrix.expand import rows
from infx.matrix.generate import select
from infx.matrix.options import Evals, Options
from infx.matrix.targets import target
from infx.model.sweep import Row
from infx.recipes.bind import bind_variant
from infx.recipes.binding import Binding
from infx.recipes.select import choose
from infx.recipes.variants import Variant
from infx.recipes.variants import select as variants_of
from infx.store import git


@dataclass(frozen=True, slots=True)
class Placed:
    """One concurrency of a row, with what identifies it and the recipe that it is bound with.

    `binding` is None where the row names no recipe, or one that does not bind. `is_measured` and
    `is_evaluated` say what the matrix asks of it.
    """

    key: str
    row: Row
    fields: Fields
    concurrency: int
    fingerprint: str
    source: Source | None
    binding: Binding | None
    is_measured: bool
    is_evaluated: bool


@dataclass(frozen=True, slots=True)
class State:
    """One commit: its files, the affected entries that it has, and their points.

    `problems` say what of it could not be read.
    """

    commit: str
    snapshot: Snapshot
    catalog: Catalog | None = None
    rows: tuple[tuple[Row, Fields], ...] = ()
    points: tuple[Placed, ...] = ()
    problems: tuple[Problem, ...] = ()

    def of(self, key: str) -> tuple[Placed, ...]:
        """Return the points of one entry."""
        return tuple(point for point in self.points if point.key == key)


@dataclass(slots=True)
class Reader:
    """Reads states: `evals` is the mode that the changelog asks for, by the key of an entry.

    Without `only`, the entries are those whose points the change affects.
    """

    comparison: Comparison
    evals: Mapping[str, Evals] = field(default_factory=dict)
    only: tuple[str, ...] | None = None
    prints: Fingerprints = field(init=False)
    _variants: dict[object, tuple[Variant, ...]] = field(default_factory=dict)
    _bound: dict[object, Binding] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.prints = Fingerprints(self.comparison.sources)

    @property
    def keys(self) -> tuple[str, ...]:
        """The entries that are read."""
        if self.only is not None:
            return self.only
        return tuple(change.key for change in self.comparison.changes)

    def at(self, commit: str, snapshot: Snapshot) -> State:
        """Return a state; entries that cannot be read are left out, and told among its problems."""
        files = rendering.masters_of(snapshot, self.comparison.sources)
        known = rendering.names(files, snapshot)
        present = [key for key in self.keys if key in known]
        if not present:
            return State(commit, snapshot)
        try:
            return self._state(commit, snapshot, files, present)
        except InputError as error:
            if any(one.cut is None for one in files):
                return State(commit, snapshot, problems=error.problems)
        readable, problems = [], list[Problem]()
        for key in present:
            try:
                self._state(commit, snapshot, files, [key])
            except InputError as error:
                problems += error.problems
            else:
                readable.append(key)
        whole = self._state(commit, snapshot, files, readable)
        return replace(whole, problems=tuple(problems))

    def _state(
        self, commit: str, snapshot: Snapshot, files: Sequence[Master], keys: list[str]
    ) -> State:
        catalog = rendering.read(snapshot, self.comparison.sources, files, frozenset(keys))
        found = () if catalog is None else tuple(self._rows(catalog, keys))
        return State(commit, snapshot, catalog, found, tuple(self._points(found, snapshot)))

    def _rows(self, catalog: Catalog, keys: list[str]) -> Iterator[tuple[Row, Fields]]:
        for key in keys:
            options = Options(edition=catalog.edition, evals=self.evals.get(key, "default"))
            for row in select(rows(catalog, [key], options), options):
                yield row, row.model_dump(mode="json", by_alias=True, exclude_none=True)

    def _points(
        self, found: tuple[tuple[Row, Fields], ...], snapshot: Snapshot
    ) -> Iterator[Placed]:
        ids = (one for _, fields in found for one in self.prints.files(fields, snapshot))
        snapshot.contents.fetch(dict.fromkeys(ids))
        for row, fields in found:
            key = str(row.config_key)
            source = self.prints.source(fields, snapshot)
            evaluated = evaluated_concs(row) if row.run_eval else ()
            planned = self.prints.planned(key, fields, snapshot)
            for concurrency, point in zip(concurrencies(fields), planned, strict=True):
                yield Placed(
                    key=key,
                    row=row,
                    fields=fields,
                    concurrency=concurrency,
                    fingerprint=point.fingerprint,
                    source=source,
                    binding=self._binding(source, fields, concurrency),
                    is_measured=not row.eval_only,
                    is_evaluated=concurrency in evaluated,
                )

    def _binding(self, source: Source | None, fields: Fields, concurrency: int) -> Binding | None:
        if source is None:
            return None
        asked = target(fields, concurrency)
        file = source.fragment.file
        try:
            named = (*source.ids, source.selector)
            if named not in self._variants:
                self._variants[named] = variants_of(source.fragment, source.selector)
            found = self._variants[named]
            one = found[0] if len(found) == 1 else choose(found, asked, file=file)
            key = (*named, one.selector, asked.image, asked.model, asked.precision, asked.offload)
            if key not in self._bound:
                self._bound[key] = bind_variant(one, shared=source.block, target=asked, file=file)
        except InputError:
            # Making its fingerprint has told why already.
            return None
        return self._bound[key]


def snapshot_of(repository: git.Repository, commit: str, beside: Snapshot) -> Snapshot:
    """Return the files of another commit of the same repository; contents are shared."""
    return Snapshot(git.tree(repository, commit), beside.contents, f"{commit[:12]}:")

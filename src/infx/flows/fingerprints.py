"""Rows of one side to fingerprints: what each row runs, with what its recipe binds to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from infx.errors import InputError, Problem
from infx.flows.snapshots import Snapshot
from infx.flows.sources import Sources
from infx.matrix.affected import Planned, Row, concurrencies, planned
from infx.model import identity
from infx.model.recipe_setting import configured
from infx.store.recipes import lane

if TYPE_CHECKING:
    from infx.flows.recipe_digests import RecipeDigests, Source

_SETTINGS = "additional-settings"


@dataclass(frozen=True, slots=True)
class _Named:
    """A recipe as a row names it: its file, its selector, and whether it is of the newer form."""

    path: str
    selector: str | None
    lane: str | None


@dataclass(slots=True)
class Fingerprints:
    """Makes the points of rows, for both sides: equal files bind to equal digests.

    `problems` are recipes that cannot be bound, by the config key whose row names them; these are
    compared by the values in their files. `missing` are recipes that no folder of the head has.
    """

    sources: Sources
    problems: dict[str, list[Problem]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    _digests: "RecipeDigests | None" = None
    _last: tuple[tuple[Row, str | None] | None, str] = (None, "")

    def planned(self, key: str, row: Row, side: Snapshot) -> tuple[Planned, ...]:
        """Return the points of a row of a config key, each with its fingerprint."""
        concs = concurrencies(row)
        named = self._named(key, row, side)
        if named is None:
            return planned(row, [self._print(row, None)] * len(concs))
        recipes = [self._digest(key, named, {**row, "conc": one}, side) for one in concs]
        prints = {recipe: self._print(row, recipe) for recipe in dict.fromkeys(recipes)}
        return planned(row, [prints[recipe] for recipe in recipes])

    def _print(self, row: Row, recipe: str | None) -> str:
        """Return a fingerprint; the rows of one topology follow each other and share it."""
        runs = {name: value for name, value in row.items() if name not in identity.NOT_RUN}
        before, found = self._last
        if before != (runs, recipe):
            found = identity.fingerprint(runs, recipe=recipe)
            self._last = ((runs, recipe), found)
        return found

    def said(self) -> Iterator[Problem]:
        """Yield what the comparison could not see into: recipes not found, recipes not bound."""
        for problems in self.problems.values():
            yield from dict.fromkeys(problems)
        if self.missing:
            names = list(self.missing)
            count = "1 recipe is" if len(names) == 1 else f"{len(names)} recipes are"
            what = f"{count} named and not in the repository: {', '.join(names[:3])}"
            more = " ..." if len(names) > 3 else ""
            roots = ", ".join(self.sources.roots) or "no folder"
            advice = "what they say is not compared; --recipe-root names their folder"
            yield Problem(f"{what}{more}", roots, advice)

    def files(self, row: Row, side: Snapshot) -> Iterator[str]:
        """Yield the contents that binding a row's recipe needs, by their ids."""
        named = self._named(None, row, side)
        if named is not None:
            yield side.files[named.path]
            shared = self._shared(named)
            if shared in side.files:
                yield side.files[shared]

    def source(self, row: Row, side: Snapshot) -> "Source | None":
        """Return the recipe that a row names, None where it names none or no folder has it."""
        named = self._named(None, row, side)
        return None if named is None else self._source(named, side)

    def _named(self, key: str | None, row: Row, side: Snapshot) -> _Named | None:
        reference, newer = row.get("srt-recipe"), True
        if reference is None:
            reference, newer = _setting(row), False
        if not isinstance(reference, str):
            return None
        file, _, selector = reference.partition(":")
        path = self.sources.recipe(file, side.files)
        if path is None:
            # A base has a prefix, and may lack what the head adds.
            if key is not None and not side.prefix:
                self.missing.setdefault(file, key)
            return None
        return _Named(
            path,
            selector or None,
            lane(agentic="isl" not in row, multinode="prefill" in row) if newer else None,
        )

    def _shared(self, named: _Named) -> str:
        return self.sources.shared.get(named.lane or "", "")

    def _digest(self, key: str, named: _Named, row: Row, side: Snapshot) -> str:
        if self._digests is None:
            # Imported here: a change of rows without recipes does not wait for it.
            from infx.flows.recipe_digests import RecipeDigests

            self._digests = RecipeDigests()
        source = self._source(named, side)
        try:
            return self._digests.digest(source, row)
        except InputError as error:
            self.problems.setdefault(key, []).extend(error.problems)
            return self._digests.values(source)

    def _source(self, named: _Named, side: Snapshot) -> "Source":
        from infx.flows.recipe_digests import Source

        shared = self._shared(named)
        return Source(
            side.document(named.path),
            side.document(shared) if shared in side.files else None,
            named.selector,
            (side.files[named.path], side.files.get(shared)),
        )


def _setting(row: Row) -> str | None:
    roles = [role for name in ("prefill", "decode") if isinstance(role := row.get(name), Mapping)]
    lists = [settings for role in roles if isinstance(settings := role.get(_SETTINGS), list)]
    return configured(str(one) for settings in lists for one in settings)

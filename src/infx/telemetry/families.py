"""What a dialect is: which families of a metrics page measure what."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType

from infx.model.server import Quantity

EXPORTED = ("_total", "", "_sum")
"""What exporters put behind a family's name: a counter's, none, that of a histogram's sum."""


@dataclass(frozen=True, slots=True)
class Term:
    """The series of one family that have all of the labels `where`.

    `family` is the name without what exporters put behind a counter's or a histogram's.
    """

    family: str
    where: tuple[tuple[str, str], ...] = ()

    def name_in(self, names: frozenset[str]) -> str | None:
        """Return what the family is called on pages with these names, None where it is not."""
        spelt = (self.family + ending for ending in EXPORTED)
        return next((name for name in spelt if name in names), None)


Terms = tuple[Term, ...]
"""Series that make a quantity together: all of them are needed, and counted together."""

Families = Mapping[Quantity, tuple[Terms, ...]]
"""Quantity to the ways of measuring it, the better one first."""


def one(family: str, **where: str) -> Terms:
    """Return the terms of a quantity that one family measures alone."""
    return (Term(family, tuple(where.items())),)


_HITS = (Quantity.HITS, Quantity.GPU_HITS)
_PAIRED = frozenset({Quantity.CACHE_QUERIES, Quantity.HOST_HITS, *_HITS})


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the names of some pages mean.

    `terms` maps a name, as it is on the page, to what its series measure and the labels they need.
    `missing` says of every other quantity why it is not measured.
    """

    dialect: str
    terms: Mapping[str, tuple[tuple[Quantity, tuple[tuple[str, str], ...]], ...]]
    missing: Mapping[Quantity, str]


def choose(dialect: str, layers: Iterable[Families], names: frozenset[str]) -> Meaning:
    """Choose for every quantity the first way all of whose names are there, layer by layer.

    One way is chosen for all pages: two would count the same tokens twice. Hits and what was looked
    for come out of one layer, since they are divided.
    """
    terms: dict[str, list[tuple[Quantity, tuple[tuple[str, str], ...]]]] = {}
    missing: dict[Quantity, str] = {}
    tables = tuple(layers)
    cache = next((table for table in tables if _tells_hits(table, names)), None)
    for quantity in Quantity:
        paired = (cache,) if cache is not None and quantity in _PAIRED else tables
        ways = [way for table in paired for way in table.get(quantity, ())]
        found = next((way for way in ways if _there(way, names)), None)
        if found is None:
            missing[quantity] = _why(dialect, ways)
            continue
        for term in found:
            name = term.name_in(names) or term.family
            terms.setdefault(name, []).append((quantity, term.where))
    return Meaning(dialect, {name: tuple(uses) for name, uses in terms.items()}, missing)


def _there(way: Terms, names: frozenset[str]) -> bool:
    return all(term.name_in(names) for term in way)


def _tells_hits(table: Families, names: frozenset[str]) -> bool:
    def there(*wanted: Quantity) -> bool:
        return any(_there(way, names) for one in wanted for way in table.get(one, ()))

    return there(Quantity.CACHE_QUERIES) and there(*_HITS)


def _why(dialect: str, ways: list[Terms]) -> str:
    if not ways:
        return f"the {dialect} pages have no such figure that infx knows"
    tried = " or ".join(" and ".join(term.family for term in way) for way in ways)
    return f"no page has {tried}"


def speaks(module: ModuleType, names: Iterable[str]) -> bool:
    """Tell whether any name begins as those of a dialect do."""
    prefixes: tuple[str, ...] = module.PREFIXES
    return any(name.startswith(prefixes) for name in names)

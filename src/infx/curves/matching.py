"""Which points of two runs may be compared: only those whose keys say so, and why not the others.

Equal must be what was asked (the workload's digest, which holds a rate) and the concurrency. The
recipe may differ: that is what is compared. Where a run has several at one point, as the rows of a
public sweep do, those compare whose servers are of one kind: hardware, engine, precision, topology
and the like, not image and flags. A bare endpoint is only the same server by someone's
word, so its points compare within one bundle, or when the user vouches for it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from infx.model.bundle import PointFile
from infx.model.identity import canonical
from infx.model.recipe import BoundRecipe

SERVER_FIELDS = ("engine", "image", "model", "checkpoint", "precision", "hardware", "gpus")
"""What a bare endpoint's user must have stated for it to be known."""

KIND_FIELDS = (
    "model", "hardware", "engine", "precision", "gpus", "topology", "speculative",
    "disaggregated", "offload",
)  # fmt: skip
"""What servers of one kind have in common."""

_Key = tuple[str, int]
_Groups = Mapping[_Key, tuple[PointFile, ...]]


@dataclass(frozen=True, slots=True)
class Pair:
    """The repetitions of one point on both sides, or of one side alone.

    `reason` says why they cannot be compared; `notes` how their recipes differ.
    """

    a: tuple[PointFile, ...]
    b: tuple[PointFile, ...]
    reason: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def point(self) -> PointFile:
        """Any of the points: what both sides share is equal in all of them."""
        return (self.a or self.b)[0]


def match(
    a: Iterable[PointFile], b: Iterable[PointFile], *, assume_same_server: bool
) -> tuple[Pair, ...]:
    """Pair the points of two runs by their keys, in the order of A, then what only B has.

    `assume_same_server` says that bare endpoints are what the user takes them for.
    """
    of_a, of_b = _grouped(a), _grouped(b)
    pairs: list[Pair] = []
    spare = [key for key in of_b if key not in of_a]
    for key, points in of_a.items():
        if key in of_b:
            pairs += _pairs(points, of_b[key], assume_same_server)
            continue
        other = next((one for one in spare if _alike(key, one, of_a, of_b)), None)
        if other is None:
            what = f"B has no point at concurrency {key[1]}"
            pairs.append(Pair(points, (), what))
        else:
            spare.remove(other)
            what = _workloads(points[0], of_b[other][0])
            pairs.append(Pair(points, of_b[other], what))
    alone = (Pair((), of_b[key], f"A has no point at concurrency {key[1]}") for key in spare)
    return (*pairs, *alone)


def _grouped(points: Iterable[PointFile]) -> dict[_Key, tuple[PointFile, ...]]:
    groups: dict[_Key, tuple[PointFile, ...]] = {}
    for point in points:
        key = (point.workload_digest, point.concurrency)
        groups[key] = (*groups.get(key, ()), point)
    return groups


def _alike(key: _Key, other: _Key, of_a: _Groups, of_b: _Groups) -> bool:
    """Say whether B's point stands where A's did: at its load, with other work of its kind.

    Work of another kind will do where A asked nothing of that kind.
    """
    kind = of_b[other][0].workload.scenario
    kinds = {points[0].workload.scenario for points in of_a.values()}
    return other[1] == key[1] and (kind == of_a[key][0].workload.scenario or kind not in kinds)


def _pairs(
    a: tuple[PointFile, ...], b: tuple[PointFile, ...], assume_same_server: bool
) -> Iterator[Pair]:
    """Yield the pair of two sides, or one for each kind of server where a side has several."""
    if all(len({point.recipe_digest for point in side}) == 1 for side in (a, b)):
        yield _pair(a, b, assume_same_server)
        return
    kinds = dict.fromkeys(map(_kind, (*a, *b)))
    if len(kinds) == 1:
        yield _pair(a, b, assume_same_server)
        return
    for kind in kinds:
        sides = [tuple(point for point in side if _kind(point) == kind) for side in (a, b)]
        if all(sides):
            yield _pair(sides[0], sides[1], assume_same_server)
        else:
            name = "A" if not sides[0] else "B"
            yield Pair(sides[0], sides[1], f"{name} has no such server at this point")


def _kind(point: PointFile) -> tuple[object, ...]:
    recipe = point.recipe.model_dump(include={*KIND_FIELDS})
    return tuple(canonical(recipe[name]) for name in KIND_FIELDS)


def _pair(a: tuple[PointFile, ...], b: tuple[PointFile, ...], assume_same_server: bool) -> Pair:
    for name, side in (("A", a), ("B", b)):
        if len({point.recipe_digest for point in side}) > 1:
            return Pair(a, b, f"{name} has several recipes at this point")
    if not assume_same_server and (unknown := _unknown([a[0].recipe, b[0].recipe])):
        what = f"nobody stated {', '.join(unknown)} of a bare endpoint"
        return Pair(a, b, f"{what}; vouch for it with --assume-same-server")
    return Pair(a, b, notes=tuple(_recipes(a[0].recipe, b[0].recipe)))


def _unknown(recipes: Sequence[BoundRecipe]) -> list[str]:
    bare = [recipe for recipe in recipes if recipe.name == "endpoint"]
    return [name for name in SERVER_FIELDS if any(getattr(one, name) is None for one in bare)]


def _recipes(a: BoundRecipe, b: BoundRecipe) -> Iterator[str]:
    ours, theirs = (recipe.model_dump(exclude={"site"}) for recipe in (a, b))
    differing = [name for name in ours if ours[name] != theirs[name]]
    if differing:
        yield f"the recipes differ in {', '.join(differing)}"


def _workloads(a: PointFile, b: PointFile) -> str:
    ours, theirs = a.workload.model_dump(), b.workload.model_dump()
    if ours.keys() != theirs.keys():
        kinds = f"A is {ours['scenario']}, B is {theirs['scenario']}"
        return f"the workloads differ: {kinds}"
    parts = [
        f"{name} {_shown(ours[name])} and {_shown(theirs[name])}"
        for name in ours
        if ours[name] != theirs[name]
    ]
    return f"the workloads differ: {', '.join(parts)}"


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} {v}" for k, v in value.items() if v not in (None, ())) + "}"
    return "none" if value is None else str(value)

"""What a change affects: which points of each config key are new, and which are gone.

Both sides are rendered to points before they get here, so that only what would really run counts:
an edited comment changes no point, an edited shared block changes those of all its users.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from infx.model.catalog import ConfigKey
from infx.model.changelog import Scenario

Row = Mapping[str, JsonValue]
"""A row of the matrix as it is printed: kebab keys, no nulls."""

Shape = tuple[JsonValue, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """One point that a side of the comparison would run.

    `fingerprint` and `concurrency` are its identity. `series` names the curve that it belongs to.
    """

    fingerprint: str
    concurrency: int
    name: str
    shape: str
    scenario: Scenario
    series: Shape
    image: str | None


@dataclass(frozen=True, slots=True)
class KeyChange:
    """The points of one config key that only one side has; `base` is None where it is unknown."""

    key: str
    base: int | None
    head: int
    added: tuple[Planned, ...]
    removed: tuple[Planned, ...]

    @property
    def scenarios(self) -> frozenset[Scenario]:
        """The scenarios in which the key changed."""
        return frozenset(point.scenario for point in (*self.added, *self.removed))


Side = Mapping[str, Sequence[Planned]]
"""Config key -> its points. A key without points is not the same as no key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The catalog before and after: names of all keys, points and entries of those that differ."""

    base_names: Sequence[str]
    head_names: Sequence[str]
    base: Side
    head: Side
    base_keys: Mapping[str, ConfigKey] = field(default_factory=dict)
    head_keys: Mapping[str, ConfigKey] = field(default_factory=dict)


def affected(base: Side, head: Side, unread: Iterable[str] = ()) -> tuple[KeyChange, ...]:
    """Return every key whose points differ, in the order of `head`, then keys that are gone.

    Keys in `unread` have a base that cannot be read: all of their points are new.
    """
    unknown = frozenset(unread)
    found = []
    for key in dict.fromkeys((*head, *base)):
        before = _by_identity(base.get(key, ()))
        after = _by_identity(head.get(key, ()))
        added = tuple(after[one] for one in after if one not in before)
        removed = tuple(before[one] for one in before if one not in after)
        if added or removed or (key in base) != (key in head) or key in unknown:
            count = None if key in unknown else len(before)
            found.append(KeyChange(key, count, len(after), added, removed))
    return tuple(found)


def _by_identity(points: Iterable[Planned]) -> dict[tuple[str, int], Planned]:
    return {(point.fingerprint, point.concurrency): point for point in points}


def planned(row: Row, fingerprints: Sequence[str]) -> tuple[Planned, ...]:
    """Return the points of one row: one for each of its concurrencies, with its fingerprint."""
    image = row.get("image")
    shown, curve = shape(row), series(row)
    return tuple(
        Planned(
            fingerprint=fingerprint,
            concurrency=one,
            name=str(row.get("exp-name", "")),
            shape=shown,
            scenario=scenario(row),
            series=curve,
            image=image if isinstance(image, str) else None,
        )
        for one, fingerprint in zip(concurrencies(row), fingerprints, strict=True)
    )


def concurrencies(row: Row) -> tuple[int, ...]:
    """Return the concurrencies of a row, which may be one or a list."""
    conc = row["conc"]
    found = conc if isinstance(conc, list | tuple) else (conc,)
    return tuple(one for one in found if isinstance(one, int))


def scenario(row: Row) -> Scenario:
    """Return the scenario that a row is of."""
    return "fixed-seq-len" if "isl" in row else "agentic-coding"


def series(row: Row) -> Shape:
    """Return the fields by which points are drawn as one curve.

    An agentic curve pools speculation; offload counts as on or off.
    """
    prefill, decode = (row.get(role) for role in ("prefill", "decode"))
    fixed = "isl" in row
    return (
        *(row.get(name) for name in ("model", "model-prefix", "precision", "framework", "runner")),
        row.get("disagg", False),
        "fixed" if fixed else "agentic",
        row.get("isl"),
        row.get("osl"),
        row.get("kv-offloading", "none") != "none",
        row.get("spec-decoding") if fixed else None,
        *(
            role.get("hardware") if isinstance(role, Mapping) else None
            for role in (prefill, decode)
        ),
    )


def shape(row: Row) -> str:
    """Return what a row runs, in a few words: `8k1k tp8 ep8 dpa spec-mtp`."""
    words = [_lengths(row)]
    if "prefill" in row:
        words += [_role("p", row["prefill"]), _role("d", row.get("decode"))]
    else:
        words += _parallel(row)
    offload = row.get("kv-offloading", "none")
    if offload != "none":
        words.append(f"kv-{'+'.join(map(str, offload)) if isinstance(offload, list) else offload}")
    if row.get("spec-decoding", "none") != "none":
        words.append(f"spec-{row['spec-decoding']}")
    return " ".join(word for word in words if word)


def _lengths(row: Row) -> str:
    if "isl" not in row:
        return "agentic"
    lengths = f"{row['isl']}/{row.get('osl')}"
    return {"1024/1024": "1k1k", "8192/1024": "8k1k"}.get(lengths, lengths)


def _role(letter: str, role: JsonValue | object) -> str:
    if not isinstance(role, Mapping) or not role.get("num-worker"):
        return ""
    return f"{letter}{role['num-worker']}x{''.join(_parallel(role))}"


def _parallel(facts: Mapping[str, JsonValue]) -> list[str]:
    words = [f"tp{facts.get('tp')}"]
    for name, word in (("pp", "pp"), ("dcp-size", "dcp"), ("pcp-size", "pcp"), ("ep", "ep")):
        size = facts.get(name, 1)
        if size not in (1, None):
            words.append(f"{word}{size}")
    return [*words, "dpa"] if facts.get("dp-attn") else words

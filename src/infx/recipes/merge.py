"""Layers of a recipe, laid over each other, with the line of every leaf.

Mappings merge key by key; lists and scalars replace; a null removes. What a leaf hides stays in its
chain of origins, so that one can always say which line decides it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from infx.model.document import Key, Place
from infx.recipes.binding import Origin, Path

Removed = dict[Path, tuple[Origin, ...]]

ENVIRONMENTS = frozenset({"env", "environment"})
"""Keys of mappings that hold environment variables."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar, an empty mapping, or a list without mappings; `origins` begin with what won.

    `text` is a scalar as it was written: what an environment variable gets.
    """

    value: JsonValue
    text: str | None
    origins: tuple[Origin, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """A mapping with members, or with `sequence` a list that has mappings in it."""

    parts: Mapping[Key, "Node"]
    origins: tuple[Origin, ...] = ()
    sequence: bool = False


Node = Leaf | Branch


def plant(value: JsonValue, place: Place, *, layer: str, file: str) -> Node:
    """Return located data as one layer of a recipe; variables of environments are their text."""
    return _plant(value, place, (layer, file), is_environment=False)


def _plant(
    value: JsonValue, place: Place, source: tuple[str, str], *, is_environment: bool
) -> Node:
    if isinstance(value, dict) and value:
        members: dict[Key, Node] = {}
        for key, member in value.items():
            part = place.parts[key]
            if is_environment and member is not None and part.text is not None:
                members[key] = Leaf(part.text, part.text, (Origin(*source, part.line, part.text),))
            else:
                words = key in ENVIRONMENTS
                members[key] = _plant(member, part, source, is_environment=words)
        return Branch(members, (Origin(*source, place.line),))
    if isinstance(value, list) and any(map(_has_mapping, value)):
        items: dict[Key, Node] = {
            index: _plant(item, place.parts[index], source, is_environment=False)
            for index, item in enumerate(value)
        }
        return Branch(items, (Origin(*source, place.line),), sequence=True)
    return Leaf(value, place.text, (Origin(*source, place.line, value),))


def lay(under: Branch, over: Branch, removed: Removed, *, keeps_null: bool = False) -> Branch:
    """Return the mapping `over` laid on the mapping `under`; what its nulls take goes to `removed`.

    With `keeps_null` a null that has nothing to remove stays, as a statement of its own.
    """
    return _lay(under, over, (), removed=removed, keeps_null=keeps_null)


def _lay(under: Branch, over: Branch, path: Path, *, removed: Removed, keeps_null: bool) -> Branch:
    parts = dict(under.parts)
    for key, node in over.parts.items():
        here = (*path, key)
        below = parts.get(key)
        if isinstance(node, Leaf) and node.value is None and not (keeps_null and below is None):
            parts.pop(key, None)
            _take(below, here, node.origins, removed)
        elif isinstance(node, Branch) and not node.sequence:
            merges = isinstance(below, Branch) and not below.sequence
            base = below if merges and isinstance(below, Branch) else Branch({})
            merged = _filled(_lay(base, node, here, removed=removed, keeps_null=keeps_null))
            fresh = not merges or isinstance(merged, Leaf)
            parts[key] = hiding(merged, below.origins) if below is not None and fresh else merged
        elif isinstance(node, Leaf) and node.value == {} and _is_mapping(below):
            continue
        else:
            parts[key] = hiding(node, below.origins if below is not None else ())
    return Branch(parts, (*over.origins, *under.origins))


def _filled(node: Branch) -> Node:
    """Return a mapping as it is, or as a leaf where nothing of it is left."""
    if node.parts:
        return node
    first = node.origins[0]
    return Leaf({}, None, (Origin(first.layer, first.file, first.line, {}),))


def _is_mapping(node: Node | None) -> bool:
    return isinstance(node, Branch) and not node.sequence


def hiding(node: Node, hidden: tuple[Origin, ...]) -> Node:
    """Return a node whose leaves all hide what stood there before."""
    if not hidden:
        return node
    if isinstance(node, Leaf):
        return Leaf(node.value, node.text, (*node.origins, *hidden))
    parts = {key: hiding(part, hidden) for key, part in node.parts.items()}
    return Branch(parts, (*node.origins, *hidden), node.sequence)


def _take(node: Node | None, path: Path, null: tuple[Origin, ...], removed: Removed) -> None:
    if node is None:
        removed[path] = null
        return
    for inner, leaf in leaves(node):
        removed[(*path, *inner)] = (*null, *leaf.origins)


def leaves(node: Node, path: Path = ()) -> list[tuple[Path, Leaf]]:
    """Return every leaf with its path, in the order of the file."""
    found: list[tuple[Path, Leaf]] = []
    _gather(node, path, found)
    return found


def _gather(node: Node, path: Path, found: list[tuple[Path, Leaf]]) -> None:
    if isinstance(node, Leaf):
        found.append((path, node))
        return
    for key, part in node.parts.items():
        _gather(part, (*path, key), found)


def find(node: Node, path: Path) -> Node | None:
    """Return the part at `path`, or None where there is none."""
    for key in path:
        if not isinstance(node, Branch) or key not in node.parts:
            return None
        node = node.parts[key]
    return node


def stated(layers: tuple[Branch, ...], path: Path) -> Leaf | None:
    """Return the leaf that decides `path` without merging; None where none does or a null removes.

    `layers` are lowest first, as they are laid over each other.
    """
    for layer in reversed(layers):
        node: Node = layer
        for key in path:
            if isinstance(node, Leaf) or key not in node.parts:
                break
            node = node.parts[key]
        else:
            return node if isinstance(node, Leaf) and node.value is not None else None
        if isinstance(node, Leaf) and node.value != {}:
            return None
    return None


def plain(node: Node) -> JsonValue:
    """Return a node as plain data."""
    if isinstance(node, Leaf):
        return node.value
    if node.sequence:
        return [plain(part) for part in node.parts.values()]
    return {str(key): plain(part) for key, part in node.parts.items()}


def _has_mapping(value: JsonValue) -> bool:
    if isinstance(value, dict):
        return True
    return isinstance(value, list) and any(map(_has_mapping, value))

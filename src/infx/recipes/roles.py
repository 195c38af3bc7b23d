"""What a recipe may say of its roles: their names, keys, sizes, and one engine for all."""

from collections.abc import Callable, Iterator, Mapping

from infx.errors import Problem, nearest
from infx.model.recipe import Role
from infx.recipes.merge import Branch, Leaf, Node, find
from infx.recipes.topology import COLOCATE

ROLES = ("agg", "prefill", "decode")
ROLE_KEYS = tuple(Role.model_fields)


def role_problems(root: Branch, file: str) -> Iterator[Problem]:
    """Yield what no recipe of schema 2 may say of its roles, each at its line."""
    roles = root.parts.get("roles")
    if not isinstance(roles, Branch):
        advice = "write roles.agg, or roles.prefill and roles.decode"
        yield Problem("the recipe has no roles", file, advice)
        return
    for name, role in roles.parts.items():
        path = f"roles.{name}"
        if name not in ROLES:
            yield Problem(f"{path} is no role", _where(role), nearest(str(name), ROLES))
        elif isinstance(role, Leaf):
            if role.value not in (None, {}):
                yield Problem(f"{path} is no mapping", _where(role))
        else:
            for key, node in role.parts.items():
                yield from _key_problems(path, str(key), node)
    yield from _colocated(roles)
    yield from _engines(root, roles)


def _key_problems(path: str, key: str, node: Node) -> Iterator[Problem]:
    where, name = _where(node), f"{path}.{key}"
    value = node.value if isinstance(node, Leaf) else None
    if key not in ROLE_KEYS:
        yield Problem(f"{name}: unknown key", where, nearest(key, ROLE_KEYS))
    elif isinstance(node, Leaf) and value is None:
        return
    elif key in ("nodes", "workers", "gpus"):
        shared = name == "roles.decode.nodes" and value == COLOCATE
        if not shared and not (type(value) is int and value >= 1):
            also = f", or {COLOCATE} for decode" if key == "nodes" else ""
            yield Problem(f"{name} is {value!r}, not a number from 1{also}", where)
    elif key in _FORMS and not _FORMS[key][1](node):
        yield Problem(f"{name} is no {_FORMS[key][0]}", where)
    elif key == "env" and isinstance(node, Branch):
        for variable, part in node.parts.items():
            if isinstance(part, Branch) or isinstance(part.value, list | dict):
                yield Problem(f"{name}.{variable} is no text", _where(part), "quote it")


def _is_mapping(node: Node) -> bool:
    return node.value == {} if isinstance(node, Leaf) else not node.sequence


def _is_leaf_of(kind: type) -> Callable[[Node], bool]:
    return lambda node: isinstance(node, Leaf) and isinstance(node.value, kind)


_FORMS: Mapping[str, tuple[str, Callable[[Node], bool]]] = {
    "args": ("mapping", _is_mapping),
    "env": ("mapping", _is_mapping),
    "extra_args": ("list of words", _is_leaf_of(list)),
    "sidecar": ("true or false", _is_leaf_of(bool)),
    "critical": ("true or false", _is_leaf_of(bool)),
    "engine": ("name of an engine", _is_leaf_of(str)),
}
"""What each key of a role is called, and how one sees it."""


def _colocated(roles: Branch) -> Iterator[Problem]:
    nodes = find(roles, ("decode", "nodes"))
    if isinstance(nodes, Leaf) and nodes.value == COLOCATE:
        for name in ("prefill", "decode"):
            if find(roles, (name, "gpus")) is None:
                what = f"roles.decode shares the nodes of prefill, and roles.{name} has no gpus"
                yield Problem(what, _where(nodes), f"write roles.{name}.gpus")


def _engines(root: Branch, roles: Branch) -> Iterator[Problem]:
    """Yield the engines that contradict each other: all roles run the same."""
    found = [find(root, ("engine", "type")) or root.parts.get("engine")]
    found += [find(roles, (name, "engine")) for name in roles.parts]
    named = [one for one in found if isinstance(one, Leaf) and isinstance(one.value, str)]
    for one in named[1:]:
        if one.value != named[0].value:
            what = f"the engine is {one.value} here and {named[0].value} at {_where(named[0])}"
            yield Problem(what, _where(one), "all roles of a recipe run one engine")


def _where(node: Node) -> str | None:
    return node.origins[0].where if node.origins else None

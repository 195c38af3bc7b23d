"""What expressions of a Python text stand for, as far as the text itself says it."""

import ast
from collections.abc import Callable, Iterator
from itertools import product

from infx.recipes.shell.values import MAX_FORMS, MAX_LENGTH, is_open, unresolved

MAX_DEPTH = 12
"""Steps from an expression to what it was made from."""

MAX_STEPS = 20_000
"""Steps of all expressions of one module; beyond them every value is open."""

_SAME = frozenset(
    {"Path", "PurePath", "PosixPath", "str", "abspath", "realpath", "expanduser", "resolve"}
    | {"expandvars", "absolute", "fspath", "as_posix", "fsdecode", "normpath"}
)
"""Calls whose value is that of their argument, or of the object that they belong to."""


class PythonValues:
    """The values of expressions in one module, whatever the order of its lines.

    `look_up` knows the environment, `arguments` are the words after the script.
    """

    def __init__(
        self,
        tree: ast.Module,
        arguments: tuple[str, ...],
        look_up: Callable[[str], tuple[str, ...] | None],
    ) -> None:
        self._arguments = arguments
        self._look_up = look_up
        self._steps = 0
        self.modules: dict[str, str] = {}
        self._assigned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(tree):
            self._learn(node)
        self._bind_parameters(tree)

    def of(self, node: ast.expr, depth: int = 0) -> tuple[str, ...]:
        """Return the values that an expression may have."""
        self._steps += 1
        if depth > MAX_DEPTH or self._steps > MAX_STEPS:
            return (unresolved("deep"),)
        found = tuple(dict.fromkeys(self._values(node, depth + 1)))[:MAX_FORMS]
        return tuple(one if len(one) <= MAX_LENGTH else unresolved("too long") for one in found)

    def module(self, node: ast.expr) -> str:
        """Return the imported module that a name or an attribute belongs to, empty for others."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return self.modules.get(node.id, "") if isinstance(node, ast.Name) else ""

    def _values(self, node: ast.expr, depth: int) -> Iterator[str]:
        if isinstance(node, ast.Constant):
            yield str(node.value)
        elif isinstance(node, ast.JoinedStr):
            yield from self._joined(node.values, "", depth)
        elif isinstance(node, ast.FormattedValue):
            yield from self.of(node.value, depth)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
            between = "/" if isinstance(node.op, ast.Div) else ""
            yield from self._joined([node.left, node.right], between, depth)
        elif isinstance(node, ast.Name):
            yield from self._named(node, depth)
        elif isinstance(node, ast.IfExp):
            yield from self.of(node.body, depth)
            yield from self.of(node.orelse, depth)
        elif isinstance(node, ast.Attribute) and node.attr == "parent":
            yield from map(_parent, self.of(node.value, depth))
        elif isinstance(node, ast.Subscript):
            yield from self._subscript(node, depth)
        elif isinstance(node, ast.Call):
            yield from self._call(node, depth)
        else:
            yield self._open(node, depth)

    def _named(self, node: ast.Name, depth: int) -> Iterator[str]:
        if node.id in self.modules:
            yield unresolved("python", f"import {self.modules[node.id]}")
        elif node.id in self._assigned:
            for expression in self._assigned[node.id][:MAX_FORMS]:
                yield from self.of(expression, depth)
        else:
            yield unresolved(node.id)

    def _joined(self, nodes: list[ast.expr], between: str, depth: int) -> Iterator[str]:
        parts = [self.of(one, depth) for one in nodes]
        for number, combination in enumerate(product(*parts)):
            if number < MAX_FORMS:
                rest = [part for part in combination if part]
                absolute = [at for at, part in enumerate(rest) if part.startswith("/")]
                start = absolute[-1] if between and absolute else 0
                yield between.join(rest[start:])

    def _subscript(self, node: ast.Subscript, depth: int) -> Iterator[str]:
        owner = ast.unparse(node.value)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if owner in ("os.environ", "environ") and isinstance(key, str):
            yield from self._look_up(key) or (unresolved(key),)
        elif owner in ("sys.argv", "argv") and isinstance(key, int):
            has = 0 < key <= len(self._arguments)
            yield self._arguments[key - 1] if has else unresolved(f"argument {key}")
        else:
            yield self._open(node, depth)

    def _call(self, node: ast.Call, depth: int) -> Iterator[str]:
        name = called(node)
        owner = ast.unparse(node.func)
        if owner in ("os.path.join", "path.join", "join") or (name == "joinpath"):
            first = [node.func.value] if name == "joinpath" else []  # type: ignore[attr-defined]
            yield from self._joined([*first, *node.args], "/", depth)
        elif name == "dirname" and node.args:
            yield from map(_parent, self.of(node.args[0], depth))
        elif name in _SAME and node.args:
            yield from self._joined(node.args, "/", depth)
        elif name in _SAME and isinstance(node.func, ast.Attribute):
            yield from self.of(node.func.value, depth)
        elif owner in ("os.environ.get", "os.getenv", "environ.get", "getenv") and node.args:
            yield from self._environment(node, depth)
        else:
            yield self._open(node, depth)

    def _environment(self, node: ast.Call, depth: int) -> Iterator[str]:
        for name in self.of(node.args[0], depth):
            known = self._look_up(name)
            if known is None and len(node.args) > 1:
                yield from self.of(node.args[1], depth)
            else:
                yield from known or (unresolved(name),)

    def _open(self, node: ast.expr, depth: int) -> str:
        """Return an open value that still says what it is made from."""
        names = [one for one in ast.walk(node) if isinstance(one, ast.Name)][:MAX_FORMS]
        made_from = [value for name in names for value in self.of(name, depth)]
        return unresolved("python", " ".join([ast.unparse(node)[:300], *made_from])[:1000])

    def _learn(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for one in node.names:
                full = one.name if one.asname else one.name.partition(".")[0]
                self.modules[one.asname or full] = full
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                self.modules[one.asname or one.name] = f"{node.module or '.'}.{one.name}"
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            self._assign(node.target, node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            self._assign_each(node.target, node.iter)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._assign(node.optional_vars, node.context_expr)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._assigned.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple | ast.List):
            is_row = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
            for at, one in enumerate(target.elts):
                self._assign(one, value.elts[at] if is_row else value)  # type: ignore[attr-defined]

    def _assign_each(self, target: ast.expr, values: ast.expr) -> None:
        rows = values.elts if isinstance(values, ast.Tuple | ast.List | ast.Set) else [values]
        for row in rows[:MAX_FORMS]:
            self._assign(target, row)

    def _bind_parameters(self, tree: ast.Module) -> None:
        functions = {
            node.name: [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                names = functions.get(node.func.id, [])
                for name, value in zip(names, node.args, strict=False):
                    self._assigned.setdefault(name, []).append(value)
                for keyword in node.keywords:
                    if keyword.arg in names:
                        self._assigned.setdefault(str(keyword.arg), []).append(keyword.value)


def called(node: ast.Call) -> str:
    """Return the last name of what is called."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _parent(value: str) -> str:
    if is_open(value):
        return unresolved("python", f"{value} parent")
    return value.rpartition("/")[0] or ("/" if value.startswith("/") else ".")

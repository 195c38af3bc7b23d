"""The values of constant Python expressions, which are never run."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from infx.recipes.python_source import Scope, Unresolved, class_names, last

_COLLECTIONS = ("list", "tuple", "set", "frozenset", "sorted")


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an enumeration; its value is None when that is not constant."""

    name: str
    value: object


def value(expression: ast.expr, scope: Scope) -> object:
    """Return the value of a constant expression; raises Unresolved for any other.

    It knows literals, names, collections and their sums, members of enumerations, `Literal`, and
    functions without arguments by what their last line returns. Sets and the keys of mappings are
    lists in written order.
    """
    return _Evaluation(scope).of(expression)


class _Evaluation:
    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def of(self, node: ast.expr) -> object:
        match node:
            case ast.Constant():
                return node.value
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return list(self._items(parts))
            case ast.Dict(keys=keys):
                return list(self._items([key for key in keys if key is not None]))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._product(-1, self.of(operand))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._sum(self.of(left), self.of(right))
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return self._product(self.of(left), self.of(right))
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript(value=ast.expr() as owner) if last(owner) == "Literal":
                return list(self._literal(node.slice))
            case ast.Call():
                return self._call(node)
            case ast.ListComp(generators=[loop]) if not loop.ifs:
                return list(self._loop(node.elt, loop))
        raise Unresolved(ast.unparse(node))

    def _items(self, nodes: list[ast.expr]) -> Iterator[object]:
        for node in nodes:
            if isinstance(node, ast.Starred):
                yield from _members(self.of(node.value))
            else:
                yield self.of(node)

    def _sum(self, left: object, right: object) -> object:
        if isinstance(left, list) and isinstance(right, list):
            return left + right
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        raise Unresolved("a sum of other things than lists or text")

    def _product(self, left: object, right: object) -> object:
        if isinstance(left, int | float) and isinstance(right, int | float):
            return left * right
        raise Unresolved("a product of other things than numbers")

    def _name(self, node: ast.Name) -> object:
        if node.id in self._scope.values:
            return self._scope.values[node.id]
        found, scope = self._scope.find(node.id)
        if isinstance(found, ast.ClassDef):
            return list(self._enumeration(found, scope))
        if isinstance(found, ast.FunctionDef):
            raise Unresolved(f"{node.id} is a function")
        return value(found, scope)

    def _attribute(self, node: ast.Attribute) -> object:
        if isinstance(node.value, ast.Name) and node.value.id in self._scope.values:
            return _part(self._scope.values[node.value.id], node.attr)
        try:
            owner, scope = self._scope.class_of(node.value)
        except Unresolved:
            found, scope = self._scope.resolve(node)
            if isinstance(found, ast.expr):
                return value(found, scope)
            raise
        names = dict(class_names(owner))
        if node.attr not in names:
            raise Unresolved(ast.unparse(node))
        return value(names[node.attr], replace(scope, names=names))

    def _literal(self, part: ast.expr) -> Iterator[object]:
        """Yield the words of a `Literal`, those of another one inside it too."""
        for node in part.elts if isinstance(part, ast.Tuple) else [part]:
            inner = self.of(node)
            yield from inner if isinstance(inner, list) else [inner]

    def _call(self, node: ast.Call) -> object:
        name = last(node.func)
        if name in _COLLECTIONS and len(node.args) == 1:
            members = _members(self.of(node.args[0]))
            return sorted(members, key=str) if name == "sorted" else members
        if name in ("get_args", "cast") and node.args:
            return self.of(node.args[-1])
        if name in ("lower", "upper") and isinstance(node.func, ast.Attribute):
            text = str(self.of(node.func.value))
            return text.lower() if name == "lower" else text.upper()
        if isinstance(node.func, ast.Name) and not node.args and not node.keywords:
            found, scope = self._scope.find(node.func.id)
            if isinstance(found, ast.FunctionDef):
                return self._returned(found, scope)
        raise Unresolved(ast.unparse(node))

    def _returned(self, function: ast.FunctionDef, scope: Scope) -> object:
        final = function.body[-1]
        if not isinstance(final, ast.Return) or final.value is None:
            raise Unresolved(f"{function.name} does not end with a value")
        return value(final.value, scope.inside(function))

    def _loop(self, part: ast.expr, loop: ast.comprehension) -> Iterator[object]:
        if not isinstance(loop.target, ast.Name):
            raise Unresolved(ast.unparse(loop))
        for item in _members(self.of(loop.iter)):
            scope = self._scope
            values = {**scope.values, loop.target.id: item}
            yield value(part, replace(scope, values=values))

    def _enumeration(self, owner: ast.ClassDef, scope: Scope) -> Iterator[Member]:
        if not any("Enum" in (last(base) or "") for base in owner.bases):
            raise Unresolved(f"{owner.name} is no enumeration")
        for name, expression in class_names(owner):
            if not name.startswith("_"):
                try:
                    yield Member(name, value(expression, scope))
                except Unresolved:
                    yield Member(name, None)


def _part(owner: object, name: str) -> object:
    if isinstance(owner, Member) and name in ("name", "value"):
        return owner.name if name == "name" else owner.value
    raise Unresolved(f"{owner}.{name}")


def _members(collection: object) -> list[object]:
    if isinstance(collection, list):
        return collection
    raise Unresolved(f"{collection!r} is no collection")

"""Reads Python source without running it: the modules of a package, and what their names mean."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

Imports = Mapping[str, tuple[str, str | None]]
"""Name -> module and name in it; the name is None for a module as a whole."""


class Unresolved(Exception):
    """An expression that is not constant, or needs more than this reader knows.

    Source that goes in circles, or is nested too deeply, ends in a RecursionError instead.
    """


@dataclass(frozen=True, slots=True)
class Module:
    """One module: what each name of its top level is, and where imported names come from."""

    name: str
    tree: ast.Module
    names: Mapping[str, ast.expr | ast.ClassDef | ast.FunctionDef]
    imports: Imports


class Package:
    """The modules of a package, by file name (`sglang/srt/environ.py`); parsed when asked for."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._modules: dict[str, Module | None] = {}

    def module(self, name: str) -> Module:
        """Return a module by its dotted name; raises Unresolved when there is none."""
        if name not in self._modules:
            self._modules[name] = self._read(name)
        module = self._modules[name]
        if module is None:
            raise Unresolved(f"no module {name}")
        return module

    def scope(self, name: str) -> "Scope":
        """Return the scope of a module's top level; raises Unresolved when there is no module."""
        return Scope(self, self.module(name))

    def _read(self, name: str) -> Module | None:
        path = name.replace(".", "/")
        for file in (f"{path}.py", f"{path}/__init__.py"):
            if file in self._files:
                return _module(name, self._files[file], package=file.endswith("__init__.py"))
        return None


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an expression stands: its module, and what else it sees.

    `names` are local names with their expressions, `values` those with a value already.
    """

    package: Package
    module: Module
    names: Mapping[str, ast.expr] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)
    imports: Imports = field(default_factory=dict)

    def find(self, name: str) -> "Found":
        """Follow a name through imports to what it stands for; raises Unresolved."""
        if name in self.names:
            return self.names[name], self
        if name in self.module.names and name not in self.imports:
            return self.module.names[name], Scope(self.package, self.module)
        imported = self.imports.get(name) or self.module.imports.get(name)
        if imported is None or imported[1] is None:
            raise Unresolved(f"{name} is not known in {self.module.name}")
        return self.package.scope(imported[0]).find(imported[1])

    def resolve(self, expression: ast.expr) -> "Found":
        """Follow a name, or an attribute of an imported module; raises Unresolved."""
        if isinstance(expression, ast.Name):
            found, scope = self.find(expression.id)
            return scope.resolve(found) if isinstance(found, ast.Name) else (found, scope)
        if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
            module = {**self.module.imports, **self.imports}.get(expression.value.id)
            if module is not None:
                dotted = module[0] if module[1] is None else f"{module[0]}.{module[1]}"
                return self.package.scope(dotted).find(expression.attr)
        raise Unresolved(ast.unparse(expression))

    def class_of(self, expression: ast.expr) -> tuple[ast.ClassDef, "Scope"]:
        """Return the class that an expression names, and its scope; raises Unresolved."""
        found, scope = self.resolve(expression)
        if isinstance(found, ast.ClassDef):
            return found, scope
        raise Unresolved(f"{ast.unparse(expression)} is no class")

    def inside(self, function: ast.FunctionDef) -> "Scope":
        """Return the scope inside a function: its own assignments and imports."""
        names: dict[str, ast.expr] = {}
        imports: dict[str, tuple[str, str | None]] = {}
        for statement in ast.walk(function):
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                names[statement.targets[0].id] = statement.value
            elif isinstance(statement, ast.ImportFrom):
                imports.update(_imported(statement, self.module.name))
        return Scope(self.package, self.module, names, imports=imports)


Found = tuple[ast.expr | ast.ClassDef | ast.FunctionDef, Scope]
"""What a name stands for, and the scope of that."""


def class_names(owner: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a class body assigns, with their expressions."""
    for statement in owner.body:
        yield from _assigned(statement)


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(statement, ast.Assign):
        targets, expression = statement.targets, statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets, expression = [statement.target], statement.value
    else:
        return
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id, expression


def last(node: ast.expr) -> str | None:
    """Return the last word of a dotted name, None for any other expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _module(name: str, text: str, *, package: bool) -> Module:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise Unresolved(f"{name} is not Python: {error}") from None
    names: dict[str, ast.expr | ast.ClassDef | ast.FunctionDef] = {}
    imports: dict[str, tuple[str, str | None]] = {}
    for statement in _statements(tree.body):
        for target, expression in _assigned(statement):
            # A class that is bound again (wrapped, rebuilt) still declares what is read here.
            if not isinstance(names.get(target), ast.ClassDef):
                names[target] = expression
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            names[statement.name] = statement
        elif isinstance(statement, ast.ImportFrom):
            imports.update(_imported(statement, f"{name}._" if package else name))
        elif isinstance(statement, ast.Import):
            imports.update({one.asname or one.name: (one.name, None) for one in statement.names})
    return Module(name, tree, names, imports)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a top level in running order.

    Of `if TYPE_CHECKING` the part that only a type checker sees comes first: where both assign a
    name, the part that runs wins.
    """
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _statements(statement.body)
            yield from _statements(statement.orelse)
        elif isinstance(statement, ast.Try):
            yield from _statements(statement.body)
        else:
            yield statement


def _imported(
    statement: ast.ImportFrom, module: str
) -> Iterator[tuple[str, tuple[str, str | None]]]:
    base = statement.module or ""
    if statement.level:
        owner = module.split(".")[: -statement.level]
        base = ".".join([*owner, base]).rstrip(".")
    for one in statement.names:
        yield one.asname or one.name, (base, one.name)

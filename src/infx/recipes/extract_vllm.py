"""vLLM's flags and environment variables, read from its source by syntax alone.

Its parser needs torch to be imported. Most arguments are fields of configuration classes, which
`engine/arg_utils.py` turns into arguments by their types; `add_cli_args` names the flags and
changes some of those arguments. Variables stand in one mapping of `envs.py`.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from infx.model.engine_schema import EngineSchema, Flag, SchemaSource
from infx.recipes.argparse_flags import Argument, read_call, read_keyword
from infx.recipes.python_source import Package, Scope, Unresolved, last
from infx.recipes.python_values import value
from infx.recipes.vllm_environment import PREFIXES, environment
from infx.recipes.vllm_fields import Settings, read_fields

ENGINE = "vllm"
_ENGINE_ARGS = "vllm.engine.arg_utils"
_FRONTENDS = ("vllm.entrypoints.launchers.cli_args", "vllm.entrypoints.openai.cli_args")
_SUFFIXES = tuple("kKmMgGtT")


def extract(
    files: Mapping[str, str],
    *,
    version: str,
    source: SchemaSource,
    flags: Mapping[str, Flag] | None = None,
) -> EngineSchema:
    """Return the schema of `vllm serve` of the vLLM whose source `files` are, by path in the wheel.

    With `flags`, which its own parser told, only variables are read from the source. Raises
    Unresolved when a declaration cannot be read.
    """
    package = Package(files)
    if flags is None:
        flags = {argument.name: argument.flag() for argument in _arguments(package)}
    return EngineSchema(
        engine=ENGINE,
        version=version,
        source=source,
        prefixes=PREFIXES,
        suffixes=_SUFFIXES,
        dotted=True,
        flags=dict(sorted(flags.items())),
        environment=dict(sorted(environment(package, files).items())),
    )


def _arguments(package: Package) -> Iterator[Argument]:
    frontend = _frontend(package)
    serve = frontend.module.names.get("make_arg_parser")
    if isinstance(serve, ast.FunctionDef):
        yield from _Registration(frontend.inside(serve)).arguments(serve)
    yield from _frontend_arguments(frontend)
    engine = package.scope(_ENGINE_ARGS)
    for name in ("EngineArgs", "AsyncEngineArgs"):
        owner, scope = engine.class_of(ast.Name(name))
        for function in _functions(owner, "add_cli_args"):
            yield from _Registration(scope.inside(function)).arguments(function)


def _frontend(package: Package) -> Scope:
    for name in _FRONTENDS:
        try:
            return package.scope(name)
        except Unresolved:
            continue
    raise Unresolved(f"neither {' nor '.join(_FRONTENDS)} is there")


def _frontend_arguments(frontend: Scope) -> Iterator[Argument]:
    """Yield the flags of the HTTP server: each field of its class and that class's bases."""
    owner, scope = frontend.class_of(ast.Name("FrontendArgs"))
    owners = [owner]
    while owners[-1].bases:
        try:
            owners.append(scope.class_of(owners[-1].bases[0])[0])
        except Unresolved:
            break
    settings: Settings = {}
    for one in reversed(owners):
        settings |= read_fields(one, scope)
    for one in reversed(owners):
        for function in (
            *_functions(one, "_customize_cli_kwargs"),
            *_functions(one, "add_cli_args"),
        ):
            registration = _Registration(scope.inside(function))
            registration.settings["frontend_kwargs"] = settings
            for statement in function.body:
                registration.change(statement)
    for name, argument in settings.items():
        yield replace(argument, names=(f"--{name.replace('_', '-')}",))


def _functions(owner: ast.ClassDef, name: str) -> tuple[ast.FunctionDef, ...]:
    found = (one for one in owner.body if isinstance(one, ast.FunctionDef))
    return tuple(one for one in found if one.name == name)


class _Registration:
    """One function that adds arguments: the settings it took from classes, and its changes to them.

    `settings` has, by the name of a local variable, the arguments of a whole class; `single` those
    of variables that hold one of them.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.settings: dict[str, Settings] = {}
        self.single: dict[str, tuple[str, str]] = {}

    def arguments(self, function: ast.FunctionDef) -> Iterator[Argument]:
        """Yield what the function adds, in the order of its statements."""
        for statement in _flat(function.body):
            self.change(statement)
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                call = statement.value
                if last(call.func) == "add_argument" and _is_option(call):
                    yield self._argument(call)

    def change(self, statement: ast.stmt) -> None:
        """Follow one statement that takes settings from a class, or changes one."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[owner]) as call) if (
                last(call.func) == "get_kwargs"
            ):
                if not (isinstance(owner, ast.Name) and owner.id == "cls"):
                    self._take(name, owner)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() as part):
                place = self._place(part)
                if place is not None:
                    self.single[name] = place
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)], value=expression):
                self._set(owner, key, expression)
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Subscript):
                        self._set(target.value, target.slice, ast.Constant(None))
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=owner, attr="remove"), args=[word])
            ):
                self._remove(owner, word)
            case ast.If(body=body):
                for inner in body:
                    self.change(inner)

    def _argument(self, call: ast.Call) -> Argument:
        base = Argument()
        for keyword in call.keywords:
            if keyword.arg is None:
                base = self._expanded(keyword.value)
        return read_call(call, self._scope, base)

    def _expanded(self, expression: ast.expr) -> Argument:
        """Return the settings of `**kwargs["name"]`, `**name`, or `**{**..., "key": value}`."""
        if isinstance(expression, ast.Dict):
            base = Argument()
            for key, part in zip(expression.keys, expression.values, strict=True):
                if key is None:
                    base = self._expanded(part)
                elif isinstance(key, ast.Constant):
                    base = read_keyword(str(key.value), part, scope=self._scope, base=base)
            return base
        place = self._place(expression)
        if place is None:
            raise Unresolved(f"the arguments {ast.unparse(expression)}")
        return self.settings[place[0]][place[1]]

    def _place(self, expression: ast.expr) -> tuple[str, str] | None:
        """Return which variable's which field an expression means."""
        if isinstance(expression, ast.Name):
            return self.single.get(expression.id)
        match expression:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)):
                return (name, key) if key in self.settings.get(name, {}) else None
            case ast.Subscript(
                value=ast.Call(func=ast.Name(id="get_kwargs"), args=[owner]),
                slice=ast.Constant(value=str() as key),
            ):
                self._take(ast.unparse(owner), owner)
                return ast.unparse(owner), key
        return None

    def _take(self, name: str, owner: ast.expr) -> None:
        found, scope = self._scope.class_of(owner)
        self.settings[name] = read_fields(found, scope)

    def _set(self, owner: ast.expr, key: ast.expr, expression: ast.expr) -> None:
        place = self._place(owner)
        if place is not None and isinstance(key, ast.Constant):
            settings, name = self.settings[place[0]], place[1]
            word = str(key.value)
            settings[name] = read_keyword(word, expression, scope=self._scope, base=settings[name])

    def _remove(self, owner: ast.expr, word: ast.expr) -> None:
        """Follow `kwargs["name"]["choices"].remove(word)`."""
        place = self._place(owner.value) if isinstance(owner, ast.Subscript) else None
        if place is not None:
            gone = value(word, self._scope)
            settings, name = self.settings[place[0]], place[1]
            choices = tuple(one for one in settings[name].choices if one != gone)
            settings[name] = replace(settings[name], choices=choices)


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _flat(statement.body)
        else:
            yield statement


def _is_option(call: ast.Call) -> bool:
    first = call.args[0] if call.args else None
    return isinstance(first, ast.Constant) and str(first.value).startswith("-")

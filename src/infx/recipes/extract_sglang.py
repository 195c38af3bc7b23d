"""SGLang's flags and environment variables, read from its source by syntax alone.

Flags stand in two places: annotated fields of the classes under `arg_groups/fields` (a type and an
`Arg(...)` or a help text), which become arguments by rules of `arg_groups/arg_utils.py`, and
explicit `add_argument` calls of `ServerArgs.add_cli_args`. Variables are declared in `environ.py`,
and read by name elsewhere.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from infx.model.engine_schema import EngineSchema, SchemaSource, Variable, VariableKind
from infx.recipes.argparse_flags import KINDS, Argument, default_of, read_call, read_keyword, words
from infx.recipes.environment_source import mentioned
from infx.recipes.python_source import Package, Scope, class_names, last
from infx.recipes.python_values import value
from infx.recipes.type_hints import hints

ENGINE = "sglang"
PREFIXES = ("SGLANG_", "SGL_")
_SERVER = "sglang.srt.server_args"
_ENVIRON = "sglang.srt.environ"
_SUFFIXES = ("k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti")
_VARIABLES: Mapping[str, VariableKind] = {
    "Bool": "bool",
    "Int": "int",
    "Float": "float",
    "JSON": "json",
}
_NOT_SERVING = ("/test/", "/tests/", "/multimodal_gen/")


def extract(files: Mapping[str, str], *, version: str, source: SchemaSource) -> EngineSchema:
    """Return the schema of the SGLang whose source `files` are, by their path in the wheel.

    Raises Unresolved when a flag's declaration cannot be read.
    """
    package = Package(files)
    flags = {argument.name: argument.flag() for argument in _arguments(package)}
    return EngineSchema(
        engine=ENGINE,
        version=version,
        source=source,
        prefixes=PREFIXES,
        renamed={"SGL_": "SGLANG_"},
        booleans=("true", "1", "yes", "y", "false", "0", "no", "n"),
        suffixes=_SUFFIXES,
        flags=dict(sorted(flags.items())),
        environment=dict(sorted(_environment(package, files).items())),
    )


def _arguments(package: Package) -> Iterator[Argument]:
    owner, scope = package.scope(_SERVER).class_of(ast.Name("ServerArgs"))
    defaults: dict[str, str | None] = {}
    for name, field, inner in _fields(owner, scope):
        defaults[name] = default_of(field.value, inner)
        argument = _field(name, field.annotation, inner)
        if argument is not None:
            yield replace(argument, default=defaults[name])
    for argument in _calls(owner, scope):
        yield replace(
            argument, default=argument.default or defaults.get(argument.name.replace("-", "_"))
        )


def _fields(owner: ast.ClassDef, scope: Scope) -> Iterator[tuple[str, ast.AnnAssign, Scope]]:
    """Yield the annotated fields of the namespaces that make up ServerArgs, and its own."""
    classes = [(owner, scope)]
    listed = scope.module.names.get("_INPUT_NAMESPACES")
    if isinstance(listed, ast.List):
        classes += [scope.class_of(one) for one in listed.elts]
    for one, inner in classes:
        for statement in one.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                yield statement.target.id, statement, inner


def _field(name: str, annotation: ast.expr, scope: Scope) -> Argument | None:
    """Return the argument that a field becomes, None when it is no flag."""
    if not isinstance(annotation, ast.Subscript) or last(annotation.value) not in (
        "A",
        "Annotated",
    ):
        return None
    if not isinstance(annotation.slice, ast.Tuple):
        return None
    kind, *notes = annotation.slice.elts
    keywords: dict[str, ast.expr] = {}
    for note in notes:
        if isinstance(note, ast.Call) and last(note.func) == "Arg":
            keywords |= {one.arg: one.value for one in note.keywords if one.arg is not None}
        elif not isinstance(note, ast.Call):
            keywords["help"] = note
    if not keywords or _constant(keywords.get("no_cli"), scope) is True:
        return None
    names = _names(name, keywords, scope)
    base = _typed(kind, Argument(names=names), scope)
    extra = keywords.pop("action_kwargs", None)
    if isinstance(extra, ast.Dict):
        for key, expression in zip(extra.keys, extra.values, strict=True):
            if isinstance(key, ast.Constant):
                keywords[str(key.value)] = expression
    if "type_parser" in keywords:
        base = replace(base, nargs=None)
    for keyword, expression in keywords.items():
        base = read_keyword(keyword, expression, scope=scope, base=base)
    return base


def _names(name: str, keywords: Mapping[str, ast.expr], scope: Scope) -> tuple[str, ...]:
    first = _constant(keywords.get("cli_name"), scope)
    others = _constant(keywords.get("aliases"), scope)
    aliases = others if isinstance(others, list) else []
    return (str(first or f"--{name.replace('_', '-')}"), *map(str, aliases))


def _constant(expression: ast.expr | None, scope: Scope) -> object:
    return None if expression is None else value(expression, scope)


def _typed(kind: ast.expr, base: Argument, scope: Scope) -> Argument:
    """Return `base` with what the field's type alone decides."""
    found = [hint for hint in hints(kind, scope) if hint.kind != "none"]
    if len(found) != 1:
        return base
    hint = found[0]
    if hint.kind == "literal":
        return replace(base, choices=words(list(hint.words)))
    if hint.kind == "list":
        part = _typed(hint.parts[0], Argument(), scope) if hint.parts else Argument()
        return replace(base, nargs="+", kind=part.kind)
    if hint.kind == "bool":
        return replace(base, action="store_true")
    return replace(base, kind=KINDS.get(hint.kind, "str"))


def _calls(owner: ast.ClassDef, scope: Scope) -> Iterator[Argument]:
    for function in owner.body:
        if isinstance(function, ast.FunctionDef) and function.name == "add_cli_args":
            inside = scope.inside(function)
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and last(call.func) == "add_argument":
                    yield read_call(call, inside)


def _environment(package: Package, files: Mapping[str, str]) -> dict[str, Variable]:
    variables = dict(mentioned(files, PREFIXES, serves=_serves))
    owner, scope = package.scope(_ENVIRON).class_of(ast.Name("Envs"))
    for name, expression in class_names(owner):
        if isinstance(expression, ast.Call):
            variables[name] = _variable(expression, scope)
            for keyword in expression.keywords:
                if keyword.arg == "deprecated_name":
                    old = str(value(keyword.value, scope))
                    variables[old] = variables[name].model_copy(
                        update={"deprecated": f"use {name}", "default": None}
                    )
    retired = scope.module.names.get("_DEPRECATED_ENVS")
    if isinstance(retired, ast.Dict):
        for key, call in zip(retired.keys, retired.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(call, ast.Call):
                variables[str(key.value)] = Variable(deprecated=_instead(call, scope))
    return variables


def _serves(path: str) -> bool:
    """Say whether a file is part of the LLM server; tests and the diffusion server are not."""
    return not any(part in f"/{path}" for part in _NOT_SERVING) and path != "sglang/srt/environ.py"


def _variable(call: ast.Call, scope: Scope) -> Variable:
    kind = (last(call.func) or "").removeprefix("Env").removesuffix("WithAlias")
    default = default_of(call.args[0], scope) if call.args else None
    return Variable(kind=_VARIABLES.get(kind, "str"), default=default)


def _instead(call: ast.Call, scope: Scope) -> str:
    told = {one.arg: _constant(one.value, scope) for one in call.keywords}
    if told.get("replacement"):
        return f"use {told['replacement']}"
    flag = re.search(r"(?:use|Pass) '?(--[a-z-]+(?: [a-z_]+(?= instead))?)", str(told.get("note")))
    return f"use {flag[1]}" if flag else "the engine ignores it"

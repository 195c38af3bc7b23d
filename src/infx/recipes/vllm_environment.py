"""The environment variables of vLLM, from the mapping in its `envs.py`."""

import ast
from collections.abc import Mapping

from infx.model.engine_schema import Variable, VariableKind
from infx.recipes.argparse_flags import default_of, words
from infx.recipes.environment_source import mentioned
from infx.recipes.python_source import Package, Scope, Unresolved, last
from infx.recipes.python_values import value

PREFIXES = ("VLLM_",)
_ENVS = "vllm.envs"
_READERS: Mapping[str, VariableKind] = {
    "int": "int",
    "maybe_convert_int": "int",
    "maybe_convert_bool": "int",
    "get_vllm_port": "int",
    "float": "float",
    "loads": "json",
}
"""What a function turns the text into; booleans of vLLM mostly pass through `int`."""

_CHOICES = ("env_name", "default", "choices", "case_sensitive")


def environment(package: Package, files: Mapping[str, str]) -> dict[str, Variable]:
    """Return the variables of `envs.py`, and those that other modules read by name."""
    variables = dict(mentioned(files, PREFIXES, serves=lambda path: path != "vllm/envs.py"))
    scope = package.scope(_ENVS)
    declared = scope.module.names.get("environment_variables")
    if not isinstance(declared, ast.Dict):
        raise Unresolved("vllm.envs declares no environment_variables")
    for key, reader in zip(declared.keys, declared.values, strict=True):
        if isinstance(key, ast.Constant):
            variables[str(key.value)] = _variable(str(key.value), reader, scope)
    return variables


def _variable(name: str, reader: ast.expr, scope: Scope) -> Variable:
    if isinstance(reader, ast.Call) and (last(reader.func) or "").endswith("_with_choices"):
        return _chosen(reader, scope)
    calls = [part for part in ast.walk(reader) if isinstance(part, ast.Call)]
    gets = [call for call in calls if last(call.func) in ("getenv", "get") and call.args]
    ours = [call for call in gets if _names(call.args[0], name)]
    default = ours[0].args[1] if ours and len(ours[0].args) > 1 else None
    return Variable(kind=_kind(reader, calls), default=default_of(default, scope))


def _names(expression: ast.expr, name: str) -> bool:
    return isinstance(expression, ast.Constant) and expression.value == name


def _kind(reader: ast.expr, calls: list[ast.Call]) -> VariableKind:
    if isinstance(reader, ast.Name):
        return _READERS.get(reader.id, "str")
    for call in calls:
        kind = _READERS.get(last(call.func) or "")
        if kind is not None:
            return kind
    compares = isinstance(reader, ast.Lambda) and isinstance(reader.body, ast.Compare)
    return "bool" if compares else "str"


def _chosen(call: ast.Call, scope: Scope) -> Variable:
    """Return the variable of `env_with_choices(name, default, choices, case_sensitive)`.

    The forms for lists take several words with commas between them: their words are not told.
    """
    given = dict(zip(_CHOICES, call.args, strict=False))
    given |= {one.arg: one.value for one in call.keywords if one.arg is not None}
    default = default_of(given.get("default"), scope)
    choices, sensitive = given.get("choices"), given.get("case_sensitive")
    if last(call.func) != "env_with_choices" or choices is None:
        return Variable(default=default)
    try:
        found = value(choices, scope)
    except Unresolved:
        return Variable(default=default)
    named = words(found) if isinstance(found, list) else ()
    folded = isinstance(sensitive, ast.Constant) and sensitive.value is False
    return Variable(kind="choice", choices=named, folded=folded, default=default)

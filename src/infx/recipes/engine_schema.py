"""Checks the flags and environment of a bound recipe against what its engine takes.

A finding is an error only where the recipe's image names the very version of the schema: in a
newer, an older or a nightly image the same words may be right, and a finding warns.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Literal

from pydantic import JsonValue

from infx.errors import Problem
from infx.model.engine_schema import EngineSchema
from infx.recipes.acceptance import ENGINES
from infx.recipes.binding import Binding
from infx.recipes.flag_values import flag_problem, variable_problem
from infx.recipes.settings import engine_of, roles_of

Severity = Literal["error", "warn", "info"]
Where = Callable[[str], str | None]
"""From a flag or a variable, as the recipe spells it, to its `file:line`."""

UPSTREAM: Mapping[str, tuple[str, ...]] = {
    "sglang": ("lmsysorg/sglang",),
    "vllm": ("vllm/vllm-openai", "vllm/vllm-openai-rocm", "vllm/vllm-openai-cpu"),
}
"""Repositories whose tags are versions of the engine itself."""

LAUNCHER: Mapping[str, frozenset[str]] = {"vllm": frozenset({"connector"})}
"""Words among a role's args that the public launcher takes for itself."""

_VERSION = re.compile(r"v?(\d+(?:\.\d+)+(?:\.post\d+|rc\d+)?)(?=$|-)")
_OPTION = re.compile(r"--?[A-Za-z]")
_FEW = 3
_LIKE = 0.75
_VERY_LIKE = 0.9
"""Names of variables are long and have many words in common."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a schema says of a recipe."""

    severity: Severity
    problem: Problem


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a schema speaks for an image: the severity of what it refuses, and why."""

    severity: Severity
    note: str


def check(
    binding: Binding, schema: EngineSchema | None, *, image: str | None = None
) -> tuple[Finding, ...]:
    """Return what the schema says of every role that runs its engine.

    Without a schema, and for Dynamo's own flags, it says that nothing was checked. `image` stands
    for the one that the recipe is bound with.
    """
    found: list[Finding] = []
    for role in roles_of(binding):
        engine = engine_of(binding, role)
        if schema is None or engine != schema.engine:
            found.append(_unchecked(_no_schema(engine), binding))
        else:
            found += _role(binding, role, schema, stand(schema, image or binding.recipe.image))
    return tuple(dict.fromkeys(found))


def _role(
    binding: Binding, role: str, schema: EngineSchema, standing: Standing
) -> Iterator[Finding]:
    owner = _member(_member(binding.tree, "roles"), role)
    wrapped = _member(binding.tree, "frontend").get("type") == "dynamo"
    words = owner.get("extra_args")
    stated = (("args", _member(owner, "args")), ("extra_args", _pairs(words)))
    for part, flags in stated:
        where = _where(binding, "roles", role, part)
        for finding in check_flags(flags, schema, standing, where=where):
            yield _behind_dynamo(finding) if wrapped else finding
    for path, owned in ((("roles", role), owner), ((), binding.tree)):
        part = "env" if path else "environment"
        where = _where(binding, *path, part)
        yield from check_environment(_member(owned, part), schema, standing, where=where)
    if wrapped:
        yield _unchecked("no schema for dynamo's own flags", binding)


def stand(schema: EngineSchema, image: str | None) -> Standing:
    """Say whether an image is the version of the schema, by its repository and its tag.

    An engine without images of its own (quickstart's) is the one that is installed.
    """
    known = f"{schema.engine} {schema.version}"
    version = image_version(schema.engine, image)
    if version == schema.version or schema.engine not in UPSTREAM:
        return Standing("error", known)
    if version is not None:
        return Standing("warn", f"{known}, but the image is {version}")
    if image is None:
        return Standing("warn", f"{known}, but no image is named")
    return Standing("warn", f"{known}, but the image's version is not known ({image})")


def image_version(engine: str, image: str | None) -> str | None:
    """Return the version of the engine that an image is by its name, None when that says none.

    >>> image_version("sglang", "lmsysorg/sglang:v0.5.23-cu130@sha256:00")
    '0.5.23'
    >>> image_version("sglang", "lmsysorg/sglang:nightly-dev-20260916-c9a8fba9") is None
    True
    """
    name, _, tag = (image or "").partition("@")[0].replace("#", "/").rpartition(":")
    name = name.removeprefix("docker.io/")
    match = _VERSION.match(tag) if name in UPSTREAM.get(engine, ()) else None
    return match[1] if match else None


def check_flags(
    flags: Mapping[str, JsonValue], schema: EngineSchema, standing: Standing, *, where: Where
) -> Iterator[Finding]:
    """Yield unknown, refused and deprecated flags, and values that a flag does not take."""
    known = {alias: name for name, flag in schema.flags.items() for alias in flag.aliases}
    known |= {name: name for name in schema.flags}
    for spelling, value in flags.items():
        for severity, what, remedy in _flag(spelling, value, schema, known):
            told = f"{spelling}: {what} ({standing.note})"
            worst = standing.severity if severity == "error" else severity
            yield Finding(worst, Problem(told, where(spelling), remedy))


def check_environment(
    variables: Mapping[str, JsonValue], schema: EngineSchema, standing: Standing, *, where: Where
) -> Iterator[Finding]:
    """Yield unknown variables of the engine's own prefixes, and values that it cannot read."""
    for name, value in variables.items():
        for severity, what, remedy in _variable(name, value, schema):
            told = f"{name}: {what} ({standing.note})"
            worst = standing.severity if severity == "error" else severity
            yield Finding(worst, Problem(told, where(name), remedy))


Said = tuple[Severity, str, str | None]


def _flag(
    spelling: str, value: JsonValue, schema: EngineSchema, known: Mapping[str, str]
) -> Iterator[Said]:
    name, _, rest = spelling.replace("_", "-").partition(".")
    if name in LAUNCHER.get(schema.engine, ()) or name.startswith("dyn-"):
        return
    positive = name.removeprefix("no-")
    negated = name not in known and name != positive and positive in known
    flag = schema.flags.get(known.get(positive if negated else name, ""))
    if flag is None or (negated and not flag.negative):
        yield "error", "unknown flag", _nearest_flag(name, schema, known)
        return
    if flag.refused is not None:
        yield "error", "the engine refuses this flag", flag.refused
        return
    if flag.deprecated is not None and value not in (None, False):
        yield "info", "deprecated flag", flag.deprecated
    if rest:
        if not schema.dotted or flag.kind not in ("json", "json-or-str"):
            yield "error", f"{name} has no parts", f"write {name}"
        return
    problem = flag_problem(flag, value, schema)
    if problem is not None:
        yield "error", problem[0], problem[1]
    if value is False and flag.negative and flag.default != "false":
        default = flag.default or "the engine's choice"
        yield "warn", f"false leaves the flag out, the default is {default}", f"write no-{name}"


def _nearest_flag(name: str, schema: EngineSchema, known: Mapping[str, str]) -> str:
    """Name the flag that is meant: argparse takes unique beginnings of names, and infx does not."""
    begun = [flag for flag in schema.flags if flag.startswith(name)]
    if 1 <= len(begun) <= _FEW:
        return f"write the whole name: {' or '.join(begun)}"
    close = _closest(name, tuple(known), _LIKE)
    if close is not None:
        return f"did you mean {close}?"
    return f"infx engines flags {schema.engine}@{schema.version} lists what it takes"


def _variable(name: str, value: JsonValue, schema: EngineSchema) -> Iterator[Said]:
    declared = schema.environment.get(name)
    for old, new in schema.renamed.items():
        renamed = f"{new}{name.removeprefix(old)}"
        if declared is None and name.startswith(old) and renamed in schema.environment:
            yield "info", "deprecated name of a variable", f"write {renamed}"
            declared = schema.environment[renamed]
    if declared is None:
        if name.startswith(schema.prefixes):
            yield "error", "unknown environment variable", _nearest_variable(name, schema)
        return
    if declared.deprecated is not None:
        yield "info", "deprecated environment variable", declared.deprecated
    if isinstance(value, str):
        problem = variable_problem(declared, value, schema)
        if problem is not None:
            yield "error", problem[0], problem[1]


def _nearest_variable(name: str, schema: EngineSchema) -> str:
    current = tuple(one for one, variable in schema.environment.items() if not variable.deprecated)
    close = _closest(name, current, _VERY_LIKE)
    if close is not None:
        return f"did you mean {close}?"
    return f"{schema.engine} {schema.version} does not read it"


@lru_cache(maxsize=1024)
def _closest(name: str, known: tuple[str, ...], likeness: float) -> str | None:
    """Return the nearest name, looked up once for all the files that have the same slip."""
    close = get_close_matches(name, known, n=1, cutoff=likeness)
    return close[0] if close else None


def _behind_dynamo(finding: Finding) -> Finding:
    """Return a finding as a warning where Dynamo's worker may take the flag for itself."""
    if finding.severity != "error" or "unknown flag" not in finding.problem.what:
        return finding
    return Finding("warn", finding.problem)


def _no_schema(engine: str | None) -> str:
    if engine is None:
        return "the recipe names no engine"
    close = get_close_matches(engine, ENGINES, n=1) if engine not in ENGINES else ()
    return f"no schema for {engine}" + (f" (did you mean {close[0]}?)" if close else "")


def _unchecked(why: str, binding: Binding) -> Finding:
    return Finding("info", Problem(f"not checked: {why}", binding.file))


def _pairs(words: JsonValue) -> dict[str, JsonValue]:
    """Return the words of a command line as flags: bare, with one value, or with a list."""
    pairs: dict[str, JsonValue] = {}
    values: list[JsonValue] = []
    for word in map(str, words if isinstance(words, list) else ()):
        if _OPTION.match(word):
            name, given, value = word.partition("=")
            values = [value] if given else []
            pairs[name.removeprefix("--")] = values
        else:
            values.append(word)
    return {name: _value(given) for name, given in pairs.items()}


def _value(given: JsonValue) -> JsonValue:
    if isinstance(given, list) and len(given) < 2:
        return given[0] if given else True
    return given


def _where(binding: Binding, *owner: str) -> Where:
    """Return how a part of `owner` is placed: by its first leaf, or by that of the whole list."""

    def find(spelling: str) -> str | None:
        path = (*owner, spelling)
        for known, origins in binding.origins.items():
            if origins and (known == owner or known[: len(path)] == path):
                return origins[0].where
        return binding.file

    return find


def _member(tree: Mapping[str, JsonValue], key: str) -> Mapping[str, JsonValue]:
    part = tree.get(key)
    return part if isinstance(part, Mapping) else {}

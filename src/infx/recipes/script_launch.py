"""Servers that a script starts, as recipes: what its command lines and exports say of each.

A script is followed and never run. Each command line that its branches allow is a launch of its
own, bound as a recipe is, so that every rule that reads recipes reads it too. A value that nobody
states stays as it is written (`${NAME}`), and is told as not settled with the reason.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue

from infx.model.recipe import BoundRecipe, Role
from infx.model.setting_registry import PackageRegistry
from infx.model.shell_effects import EffectReport
from infx.recipes.binding import Binding, Origin, Path
from infx.recipes.shell.record import Exported, Record, Started
from infx.recipes.shell.targets import Targets
from infx.recipes.shell.values import assumptions, is_computed, is_open, plain, unresolved, written
from infx.recipes.shell_effects import follow
from infx.recipes.target import Target

LAYER = "script"
"""The layer that what a script states comes from."""

ARGUMENTS = "arguments"
"""The name of words on a command line that may be any flags."""

MAX_LAUNCHES = 32
"""Command lines of one script that are kept; of more, nobody says which one runs."""

_PROGRAMS = (
    ("vllm", re.compile(r"(?:^|[./])vllm\.entrypoints\.(?:openai\.api_server|cli\.main)$")),
    ("vllm", re.compile(r"(?:^|\.)dynamo\.vllm$")),
    ("sglang", re.compile(r"(?:^|\.)(?:sglang\.launch_server|dynamo\.sglang)$")),
    (
        "trtllm",
        re.compile(r"(?:^|/)trtllm-serve$|^dynamo\.trtllm$|^tensorrt_llm\.commands\.serve$"),
    ),
    ("atom", re.compile(r"(?:^|\.)atom\.entrypoints\.openai_server$")),
)
"""Programs and modules that serve, by engine; routers and stores are no engine."""

_SERVES = {"vllm": "vllm", "sglang": "sglang"}
"""Programs that serve where their first word is `serve`."""

_FILES = ("extra_llm_api_options", "extra-llm-api-options", "config")
"""Flags that name a file with more settings."""

_ROLES = frozenset({"prefill", "decode"})
_FLAG = re.compile(r"(?<![\w-])-{1,2}([A-Za-z][\w.-]*)")
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_NUMBER = re.compile(r"-?[0-9]{0,15}\.[0-9]{1,15}(?:e-?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A part of a launch that its script leaves open, with the reason and the place."""

    name: str
    why: str
    where: str


@dataclass(frozen=True, slots=True)
class Launch:
    """One command line that a script may start, bound; and what of it is not settled."""

    binding: Binding
    role: str
    unsettled: tuple[Unsettled, ...]


@dataclass(frozen=True, slots=True)
class Scripted:
    """What a script changes in its container, and the servers that it may start."""

    report: EffectReport
    launches: tuple[Launch, ...]


def scripted(
    script: str,
    files: Mapping[str, str],
    packages: PackageRegistry,
    *,
    environment: Mapping[str, str],
    target: Target,
) -> Scripted:
    """Follow a launch script; `environment` is what its harness states, `target` its point.

    Raises KeyError when the script is not among the files.
    """
    record = Record(Targets(packages))
    follow(script, files, record, environment)
    found: dict[tuple[object, ...], Launch] = {}
    texts: dict[str, _Text] = {}
    for start in record.starts:
        file = start.site.file
        if file not in texts:
            texts[file] = _Text(files.get(file, ""))
        launch = _launch(start, texts[file], script, target)
        if launch is not None:
            found.setdefault(_identity(launch), launch)
    launches = tuple(found.values())
    if len(launches) > MAX_LAUNCHES:
        why, site = f"more than {MAX_LAUNCHES} command lines of servers", record.starts[0].site
        record.gap("limit", site, why)
        more = Unsettled(ARGUMENTS, why, f"{site.file}:{site.line}")
        launches = tuple(
            replace(one, unsettled=(*one.unsettled, more)) for one in launches[:MAX_LAUNCHES]
        )
    return Scripted(record.report(script), launches)


def _identity(launch: Launch) -> tuple[object, ...]:
    binding = launch.binding
    return (str(binding.tree), tuple(origins[0].where for origins in binding.origins.values()))


class _Text:
    """The text of a script, to find the line that states a flag."""

    def __init__(self, text: str) -> None:
        self._lines: dict[str, set[int]] = {}
        for at, line in enumerate(text.split("\n"), 1):
            if not line.lstrip().startswith("#"):
                for flag in _FLAG.findall(line):
                    self._lines.setdefault(flag, set()).add(at)

    def line(self, flag: str, otherwise: int) -> int:
        """Return the one line of code that has a flag, else the line of the command."""
        found = self._lines.get(flag, set())
        return min(found) if len(found) == 1 else otherwise


def _launch(start: Started, text: _Text, script: str, target: Target) -> Launch | None:
    """Return the launch of a command that starts an engine, None for other programs."""
    place = _engine(start.words)
    if place is None:
        return None
    engine, rest = place
    line = _Line(start, text, rest)
    args = line.arguments(engine)
    role = next((str(one) for one in (args.get("disaggregation-mode"),) if one in _ROLES), "agg")
    env = {name: line.variable(name, one) for name, one in start.environment.items()}
    tree: dict[str, JsonValue] = {
        "engine": engine,
        "roles": {role: {"args": args, "env": dict(env)}},
    }
    origins: dict[Path, tuple[Origin, ...]] = {
        ("engine",): (Origin(LAYER, start.site.file, start.site.line, engine),)
    }
    for name, value in args.items():
        at = text.line(name, start.site.line)
        origins[("roles", role, "args", name)] = (Origin(LAYER, start.site.file, at, value),)
    for name, word in env.items():
        one = start.environment[name]
        origins[("roles", role, "env", name)] = (Origin(LAYER, one.file, one.line, word),)
    recipe = BoundRecipe(
        name=script,
        engine=engine,
        image=target.image,
        model=target.model,
        precision=target.precision,
        roles={role: Role(args=args, env=env, engine=engine)},
    )
    binding = Binding(script, "", tree, origins, recipe)
    return Launch(binding, role, tuple(line.unsettled))


def _engine(words: tuple[str, ...]) -> tuple[str, int] | None:
    """Return the engine that a command line starts, and where its arguments begin."""
    for at, word in enumerate(words):
        name = word.rpartition("/")[2]
        if name in _SERVES and words[at + 1 : at + 2] == ("serve",):
            return _SERVES[name], at + 2
        for engine, pattern in _PROGRAMS:
            if pattern.search(word):
                return engine, at + 1
    return None


class _Line:
    """The arguments of one command line, and what of them is open."""

    def __init__(self, start: Started, text: _Text, first: int) -> None:
        self._words = start.site.words[first:]
        self._site, self._text = start.site, text
        self.unsettled: list[Unsettled] = []

    def arguments(self, engine: str) -> dict[str, JsonValue]:
        """Return the flags by their names; of one that stands twice the last counts."""
        found: dict[str, JsonValue] = {}
        flag: str | None = None
        values: list[str] = []
        for word in (*self._words, "--"):
            text = plain(word)
            if text.startswith("-") and not _INTEGER.fullmatch(text):
                self._keep(found, flag, values, engine)
                name, equals, value = word.partition("=")
                flag, values = plain(name).lstrip("-"), [value] if equals else []
            elif is_open(text) and (flag is None or values):
                # After a value, whatever it is may begin with flags.
                self._open(ARGUMENTS, (word,))
            elif flag is None:
                found.setdefault("model", text)
            else:
                values.append(word)
        return found

    def variable(self, name: str, one: Exported) -> str:
        """Return what a program gets in a variable; several values are told as one text."""
        where = f"{one.file}:{one.line}"
        known = tuple(value for value in one.values if value not in ("", unresolved(name)))
        if not known and "" not in one.values:
            known = one.values
        elif len(known) < len(one.values) and known:
            self.unsettled.append(Unsettled(name, "a branch leaves it unset", where))
        texts = tuple(dict.fromkeys(map(written, known)))
        if len(texts) > 1:
            why = f"it is one of {', '.join(texts)}"
            self.unsettled.append(Unsettled(name, why, where))
        else:
            self._open(name, known, where)
        return " or ".join(texts)

    def _keep(
        self, found: dict[str, JsonValue], flag: str | None, values: list[str], engine: str
    ) -> None:
        if not flag:
            return
        self._open(flag, tuple(values))
        if engine == "trtllm" and flag in _FILES:
            why = "its settings stand in another file"
            self.unsettled.append(Unsettled(flag, why, self._place(flag)))
        texts = [_value(written(one)) for one in values]
        found[flag] = texts[0] if len(values) == 1 else texts or True

    def _open(self, name: str, values: tuple[str, ...], where: str | None = None) -> None:
        why = None
        if any(map(is_open, values)):
            why = f"nobody states {' '.join(map(written, values))}"
        elif any(map(is_computed, values)):
            why = f"it is computed: {' '.join(map(written, values))}"
        elif assumed := assumptions(values):
            why = f"it is the default of {', '.join(assumed)}, which nobody states"
        if why is not None:
            self.unsettled.append(Unsettled(name, why, where or self._place(name)))

    def _place(self, flag: str) -> str:
        return f"{self._site.file}:{self._text.line(flag, self._site.line)}"


def _value(text: str) -> JsonValue:
    """Return a word as a recipe would have it: numbers are numbers."""
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text

"""Whether TensorRT-LLM behind Dynamo publishes iteration and KV-cache metrics, as a recipe has it.

Two things must hold for every role. Dynamo publishes: a word of its command line says so, which the
launcher makes of two engine-wide keys, or else a variable. And the engine collects statistics of
its iterations: `enable_iter_perf_stats` among its options, which beats what Dynamo derives from its
own words. `print_iter_log` only prints, `return_perf_metrics` is of single requests, and KV events
are the router's: none of them is asked for.

Launchers differ. The earlier one knows `publish_events_and_metrics` alone and takes false for off.
The later one publishes by default (`publish_metrics`), and writes `enable_iter_perf_stats: false`
where a recipe does not state it. A recipe does not say which one starts it, so an answer that
depends on that is no answer. Sources: the TensorRT-LLM section of srt-slurm's engine documentation;
`trtllm/args.py` and `backend_args.py` of Dynamo; its pull request 12162.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from infx.recipes.binding import Binding
from infx.recipes.settings import Setting, engine_of, role_settings, roles_of, where

Launcher = Literal["combined", "separate"]
"""Which keys the launcher knows: one for events and metrics, or also one for metrics alone."""

LAUNCHERS: tuple[Launcher, ...] = ("combined", "separate")

COMBINED, SEPARATE = "publish_events_and_metrics", "publish_metrics"
STATISTICS = "enable_iter_perf_stats"
VARIABLES = {
    COMBINED: "DYN_TRTLLM_PUBLISH_EVENTS_AND_METRICS",
    SEPARATE: "DYN_TRTLLM_PUBLISH_METRICS",
}
OVERRIDES = "DYN_TRTLLM_OVERRIDE_ENGINE_ARGS"

SEPARATE_SINCE = (1, 5)
"""The first release of Dynamo that may know `--publish-metrics`: 1.4.2 refuses it."""

SEPARATE_ON_MAIN = 20260902
"""The day by which Dynamo's main branch had it, as its discussion of pull request 14181 shows."""

_LAYERS = ("", "trtllm.", "override_engine_args.")
"""Where an option of the engine may stand; a later one beats the ones before it."""

_MAY = {True: "takes", False: "does not know", None: "may not know"}
_WORST_FIRST = (False, None, True)
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.\d+)*(?:[a-z.+-]*?dev(\d+))?.*")

_COMMIT = re.compile(r"[0-9a-f]{12,40}")


@dataclass(frozen=True, slots=True)
class Statement:
    """A setting as a recipe has it, and the line that says so."""

    name: str
    value: str
    where: str


@dataclass(frozen=True, slots=True)
class PublicationFacts:
    """What a variant states of its metrics.

    `version` is the Dynamo that is installed for it: a version, a wheel, or a commit; None where
    the image brings its own. `enabled` is None where the recipe does not decide it, which `because`
    explains; `statements` are the settings that bear on it, those of all roles.
    """

    version: Statement | None
    statements: tuple[Statement, ...]
    enabled: bool | None
    because: str


def publication_facts(
    binding: Binding,
    launcher: Launcher | None = None,
    *,
    shown: Statement | None = None,
    otherwise: Statement | None = None,
) -> PublicationFacts | None:
    """Return what a variant says of its metrics, None where TensorRT-LLM is not behind Dynamo.

    `shown` is the Dynamo that its containers had, which beats what the recipe asks for; `otherwise`
    is one that the catalog states for a recipe that says nothing.
    """
    frontend = _at(binding, "frontend", "type")
    roles = [role for role in roles_of(binding) if engine_of(binding, role) == "trtllm"]
    if not roles or frontend not in (None, "dynamo"):
        return None
    version = shown or installed(binding) or otherwise
    may = None if version is None else knows_separate(version)
    # Only the later launcher takes this key; the earlier one refuses the recipe.
    only = "separate" if _at(binding, "engine", SEPARATE) is not None else launcher
    answers = []
    for one in LAUNCHERS if only is None else (only,):
        said = [_Role(binding, role, one, may).answer() for role in roles]
        answers.append(min(said, key=lambda answer: _WORST_FIRST.index(answer[0])))
    decided = {answer for answer, _ in answers}
    enabled = decided.pop() if len(decided) == 1 else None
    because = "; or ".join(dict.fromkeys(why for _, why in answers))
    return PublicationFacts(version, tuple(_statements(binding, roles)), enabled, because)


def installed(binding: Binding) -> Statement | None:
    """Return the Dynamo that a recipe installs, None where it installs none or does not say."""
    if _at(binding, "dynamo", "install") in (False, "false"):
        return None
    for path in (
        ("dynamo", "wheel"),
        ("dynamo", "version"),
        ("dynamo", "source", "pypi"),
        ("dynamo", "hash"),
    ):
        value = _at(binding, *path)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return Statement(".".join(path), _text(value), where(binding, path))
    return None


def knows_separate(version: Statement) -> bool | None:
    """Return whether a Dynamo knows how to publish metrics alone; None where nobody showed it."""
    is_commit = version.name == "dynamo.hash" or _COMMIT.fullmatch(version.value)
    found = None if is_commit else _VERSION.fullmatch(version.value.removeprefix("v"))
    if found is None:
        return None
    if (int(found[1]), int(found[2])) < SEPARATE_SINCE:
        return False
    if found[3] is None or int(found[3]) >= SEPARATE_ON_MAIN:
        return True
    return None


@dataclass(frozen=True)
class _Role:
    """One role under one launcher; `may` tells whether its Dynamo publishes metrics alone."""

    binding: Binding
    name: str
    launcher: Launcher
    may: bool | None

    def answer(self) -> tuple[bool | None, str]:
        """Return whether the role publishes, and what decides it."""
        published, why = self.published()
        if published is False:
            return False, f"{self.name} {why}"
        collected, how = self.collected()
        if collected is False:
            return False, f"{self.name} {how}"
        unknown = why if published is None else how
        both = published is True and collected is True
        return (True, f"{self.name} {why}") if both else (None, f"{self.name} {unknown}")

    def published(self) -> tuple[bool | None, str]:
        """Return whether Dynamo is told to publish; a word of its command line beats variables."""
        own = self.words()
        flag = self.flag() if own is None else own
        if flag == COMBINED:
            return True, "publishes events and metrics"
        if flag == SEPARATE:
            return self.may, f"has a Dynamo that {_MAY[self.may]} --publish-metrics"
        if own is None and _is_on(self.variable(VARIABLES[COMBINED])):
            return True, f"publishes by {VARIABLES[COMBINED]}"
        if own is None and _is_on(self.variable(VARIABLES[SEPARATE])):
            return self.may, f"has a Dynamo that {_MAY[self.may]} {VARIABLES[SEPARATE]}"
        return False, "is not told to publish metrics"

    def words(self) -> str | None:
        """Return what the role's own words ask for; empty where they turn publication off."""
        settings = role_settings(self.binding, self.name)
        own = [
            (key, one.value)
            for key in (COMBINED, SEPARATE)
            for one in settings.get(key, ())
            if "extra_args" in one.path
        ]
        return next((key for key, value in own if value), "") if own else None

    def flag(self) -> str | None:
        """Return which word the launcher writes, None for none."""
        observed = _is_on(_at(self.binding, "observability", "enabled"))
        combined = _at(self.binding, "engine", COMBINED)
        if combined is True:
            return COMBINED
        if self.launcher == "combined":
            return COMBINED if observed and combined is None else None
        return SEPARATE if _at(self.binding, "engine", SEPARATE) is not False else None

    def collected(self) -> tuple[bool | None, str]:
        """Return whether the engine collects statistics of its iterations."""
        stated = _statistics(self.binding, self.name)
        override = self.variable(OVERRIDES)
        if override is not None and STATISTICS in _text(override):
            found = _json(_text(override))
            value = found.get(STATISTICS) if isinstance(found, Mapping) else None
            known = isinstance(value, bool)
            return (value if known else None), f"has {OVERRIDES}, which states {STATISTICS}"
        if stated is not None:
            on = _is_on(stated.value)
            return on, f"has {STATISTICS}: {str(on).lower()}"
        if _is_on(_at(self.binding, "observability", "enabled")):
            return True, "is observed"
        if self.launcher == "separate":
            return False, f"has no {STATISTICS}, which the later launcher turns off"
        return True, "collects what it publishes"

    def variable(self, name: str) -> object:
        """Return a variable of the role; one of the whole recipe is laid over it."""
        own = _at(self.binding, "roles", self.name, "env", name)
        shared = _at(self.binding, "environment", name)
        return own if shared is None else shared


def _statements(binding: Binding, roles: list[str]) -> Iterator[Statement]:
    paths: list[tuple[str, ...]] = [
        ("engine", COMBINED),
        ("engine", SEPARATE),
        ("observability", "enabled"),
    ]
    for role in roles:
        for variable in (*VARIABLES.values(), OVERRIDES):
            paths += [("environment", variable), ("roles", role, "env", variable)]
    for path in dict.fromkeys(paths):
        value = _at(binding, *path)
        if value is not None:
            yield Statement(str(path[-1]), _text(value), where(binding, path))
    for role in roles:
        settings = role_settings(binding, role)
        words = [one for key in (COMBINED, SEPARATE) for one in settings.get(key, ())]
        stated = _statistics(binding, role)
        for one in (*words, *(() if stated is None else (stated,))):
            yield Statement(f"{role} {one.spelling}", _text(one.value), where(binding, one.path))


def _statistics(binding: Binding, role: str) -> Setting | None:
    settings = role_settings(binding, role)
    stated = [settings[layer + STATISTICS] for layer in _LAYERS if layer + STATISTICS in settings]
    return stated[-1][-1] if stated else None


def _is_on(value: object) -> bool:
    return value is True or str(value).lower() in ("true", "1", "yes", "on")


def _at(binding: Binding, *path: str) -> object:
    value: object = binding.tree
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _json(text: str) -> object:
    try:
        found: object = json.loads(text)
    except ValueError:
        return None
    return found

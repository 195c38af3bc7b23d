"""Commands that change the shell itself: its folder, variables, arguments and environments."""

import re
from collections.abc import Callable, Mapping

from infx.recipes.shell.record import Record
from infx.recipes.shell.step import Step
from infx.recipes.shell.targets import joined
from infx.recipes.shell.values import plain, unresolved

INJECTING = frozenset(
    {"PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONUSERBASE"}
    | {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT"}
)
"""Variables that make another program load code of a script's choice."""

_ACTIVATE = re.compile(r"(.+)/bin/activate")
_QUIET = frozenset(
    {":", "true", "false", "exit", "return", "set", "shopt", "ulimit", "umask", "wait", "kill"}
    | {"break", "continue", "jobs", "hash", "type", "test", "[", "let", "printf", "echo"}
)


def set_variable(name: str, values: tuple[str, ...], step: Step, record: Record) -> None:
    """Give a variable its values; one that injects code is an effect."""
    step.scope.variables[name] = values
    if name in INJECTING:
        numbers = tuple(record.inject(f"{name}={value}", step.site) for value in values)
        step.scope.injections = (*step.scope.injections, *numbers)


def export(name: str, step: Step) -> None:
    """Hand a variable on to the programs that start from here."""
    step.scope.exported[name] = (step.site.file, step.site.line)


def run(words: tuple[str, ...], step: Step, record: Record) -> bool:
    """Do what a builtin does, and return whether the command was one that does nothing else."""
    action = _ACTIONS.get(words[0])
    if action is not None:
        action(words, step, record)
    return action is not None or (words[0] in _QUIET and words[0] not in ("printf", "set"))


def activates(path: str, step: Step) -> bool:
    """Make the environment active whose `activate` is sourced; return whether it was that."""
    match = _ACTIVATE.fullmatch(path)
    if match is None:
        return False
    step.scope.active = match[1]
    return True


def _cd(words: tuple[str, ...], step: Step, record: Record) -> None:
    names = [word for word in words[1:] if word == "-" or not word.startswith("-")]
    if not names or names[0] == "-":
        step.scope.folder = "~" if not names else ""
    else:
        step.scope.folder = joined(step.scope.folder, names[0])


def _declare(words: tuple[str, ...], step: Step, record: Record) -> None:
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if equals and name.isidentifier():
            set_variable(name, (value,), step, record)
        if words[0] == "export" and name.isidentifier():
            export(name, step)


def _read(words: tuple[str, ...], step: Step, record: Record) -> None:
    about = (step.given.command or step.given.file or "")[:200]
    for name in words[1:]:
        if name.isidentifier():
            set_variable(name, (unresolved(name, about),), step, record)


def _unset(words: tuple[str, ...], step: Step, record: Record) -> None:
    for name in words[1:]:
        step.scope.variables[name] = ("",)
        step.scope.exported.pop(name, None)


def _set(words: tuple[str, ...], step: Step, record: Record) -> None:
    if "--" in words:
        step.scope.arguments = words[words.index("--") + 1 :]


def _shift(words: tuple[str, ...], step: Step, record: Record) -> None:
    count = int(words[1]) if len(words) > 1 and words[1].isdecimal() else 1
    if step.scope.arguments is not None:
        step.scope.arguments = step.scope.arguments[min(count, 100) :]


def _printf(words: tuple[str, ...], step: Step, record: Record) -> None:
    if words[1:2] == ("-v",) and len(words) > 2:
        about = " ".join(map(plain, words[3:]))[:300]
        set_variable(words[2], (unresolved(words[2], about),), step, record)


def _deactivate(words: tuple[str, ...], step: Step, record: Record) -> None:
    step.scope.active = ""


_ACTIONS: Mapping[str, Callable[[tuple[str, ...], Step, Record], None]] = {
    "cd": _cd,
    "pushd": _cd,
    "popd": lambda words, step, record: _cd(("cd", "-"), step, record),
    "export": _declare,
    "declare": _declare,
    "local": _declare,
    "typeset": _declare,
    "readonly": _declare,
    "read": _read,
    "mapfile": _read,
    "readarray": _read,
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    "printf": _printf,
    "deactivate": _deactivate,
}

"""What a command does when it runs: change files, or run a text that is followed in its turn."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from infx.recipes.shell import builtins, python
from infx.recipes.shell.commands import effects
from infx.recipes.shell.found import Call, Found
from infx.recipes.shell.packages import installs
from infx.recipes.shell.record import Exported, Record, Started
from infx.recipes.shell.sources import Sources
from infx.recipes.shell.step import Frame, Input, Step
from infx.recipes.shell.targets import Targets, is_of_image, joined
from infx.recipes.shell.values import Scope, is_open, plain, shown, unresolved
from infx.recipes.shell.wrappers import (
    PYTHON,
    SHELLS,
    environment_file,
    executed,
    inner,
    inside_container,
    is_server,
    mounts,
    shell_text,
)

MAX_WRAPPERS = 12
"""Programs that run each other on one command line."""

MAX_STARTS = 256
"""Servers that one script may start, on all its branches."""

_DOWNLOADS = re.compile(r"(?:^|\$\(|[|;&]\s*)\s*(?:sudo\s+)?(?:curl|wget)\b")
_HOOK = re.compile(r"(?:^|/)(?:sitecustomize\.py|usercustomize\.py|[^/]+\.pth)$")


class Follower(Protocol):
    """Who follows texts and functions that a command runs."""

    def text(self, text: str, scope: Scope, frame: Frame, line: int = 1) -> None:
        """Follow a shell text."""

    def call(self, name: str, scope: Scope, frame: Frame) -> bool:
        """Follow a function, and return whether there is one."""

    def look_up(self, name: str, scope: Scope) -> tuple[str, ...] | None:
        """Return the values of a variable."""


class Programs:
    """The commands of one analysis."""

    def __init__(self, record: Record, sources: Sources, follower: Follower) -> None:
        self._record = record
        self._sources = sources
        self._follower = follower

    def command(self, step: Step) -> None:
        """Follow one command with the words of its site."""
        words = tuple(plain(word) for word in step.site.words)
        if not words or not words[0]:
            return
        if step.depth > MAX_WRAPPERS:
            self._record.gap("limit", step.site, "too many programs that run each other")
            return
        if is_open(words[0]):
            self._record.gap("dynamic", step.site, f"the command is {shown(words[0])}")
            # Whatever it is called, `-m pip` says what it is.
            words = ("python3" if words[1:2] in (("-m",), ("-c",)) else "?", *words[1:])
        if builtins.run(words, step, self._record) or self._function(words, step):
            return
        if words[0] in (".", "source"):
            self._source(words, step)
        elif words[0] == "eval":
            self._shell(" ".join(words[1:]), step)
        else:
            self._program(words, step)

    def writes(self, path: str, step: Step) -> None:
        """Note a file that a redirection writes."""
        if plain(path) not in ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"):
            self._add(Found("write", path), step)

    def _function(self, words: tuple[str, ...], step: Step) -> bool:
        if step.depth:
            # Programs that start others know nothing of a shell's functions.
            return False
        scope = step.scope
        arguments, scope.arguments = scope.arguments, step.site.words[1:]
        via = (*step.site.via, f"{step.site.file}:{step.site.line}")
        was_one = self._follower.call(words[0], scope, Frame(step.frame.file, via))
        scope.arguments = arguments
        return was_one

    def _program(self, words: tuple[str, ...], step: Step) -> None:
        scope, given = step.scope, step.given
        # Their marks of assumed defaults stay on the words that name files and packages.
        marked = (words[0], *step.site.words[1:])
        call = Call(
            marked,
            scope.folder,
            given.command,
            given.file,
            scope.active,
            scope.environments,
        )
        if is_server(words):
            self._record.starts_server(scope.injections)
            self._start(words, step)
        targets = self._record.targets
        for found in (*effects(call), *installs(call, targets), *_mounted(words, targets)):
            self._add(found, step)
        if call.name == "tee" and given.text is not None:
            for one in words[1:]:
                self._sources.made(joined(scope.folder, one), given.text)
        made = environment_file(words)
        if made is not None:
            scope.environments = (*scope.environments, joined(scope.folder, made))
        below = list(_below(marked, given))
        for variables, inside in below:
            self._wrapped(variables, inside, step)
        if not below:
            self._interpreter(words, step)

    def _start(self, words: tuple[str, ...], step: Step) -> None:
        if len(self._record.starts) >= MAX_STARTS:
            self._record.gap("limit", step.site, f"more than {MAX_STARTS} servers to start")
        else:
            self._record.starts.append(Started(step.site, words, self._exported(step.scope)))

    def _exported(self, scope: Scope) -> dict[str, Exported]:
        return {
            name: Exported(self._follower.look_up(name, scope) or (unresolved(name),), *place)
            for name, place in scope.exported.items()
        }

    def _add(self, found: Found, step: Step) -> None:
        if _HOOK.search(plain(found.target)) and found.kind in ("write", "copy", "link"):
            found = replace(found, kind="inject")
        self._record.add(found, step.site, step.scope.environments)

    def _wrapped(self, variables: dict[str, str], words: tuple[str, ...], step: Step) -> None:
        inside = step.inside() if variables else step
        gaps = self._record.gaps
        for name, value in variables.items():
            builtins.set_variable(name, (value,), inside, self._record)
            builtins.export(name, inside)
        if words:
            site = replace(step.site, words=words)
            self.command(replace(inside, site=site, depth=step.depth + 1))
        if self._record.gaps == gaps:
            self._record.settle(set(inside.scope.injections) - set(step.scope.injections))

    def _interpreter(self, words: tuple[str, ...], step: Step) -> None:
        """Follow the text that a shell, a Python or a script of the repository runs."""
        name = words[0].rpartition("/")[2]
        is_python = PYTHON.fullmatch(name) is not None
        if not is_python and name not in SHELLS:
            if name.endswith((".sh", ".py")):
                self._file(words[0], words[1:], step)
            return
        text = shell_text(words)
        rest = words[1:]
        while rest and rest[0].startswith("-") and rest[0] not in ("-c", "-m", "-", "-s"):
            rest = rest[2:] if rest[0] in ("-W", "-X", "-O", "-o") else rest[1:]
        if text is not None:
            self._shell(text, step.inside())
        elif rest[:1] == ("-c",):
            self._python("".join(rest[1:2]), rest[2:], step)
        elif rest and rest[0].rpartition("/")[2] == "setup.py":
            # A build: what it installs is known by its folder.
            return
        elif rest and rest[0] not in ("-", "-s", "-m"):
            self._file(rest[0], rest[1:], step, is_python=is_python)
        elif rest[:1] != ("-m",):
            self._standard_input(rest[1:], step, is_python=is_python)

    def _standard_input(self, arguments: tuple[str, ...], step: Step, *, is_python: bool) -> None:
        given = step.given
        if given.command is not None and _DOWNLOADS.search(given.command):
            self._add(Found("remote-code", given.command, place="unresolved"), step)
        elif given.file is not None:
            self._file(given.file, arguments, step, is_python=is_python)
        elif given.text is not None:
            here = replace(step.inside(), site=replace(step.site, line=given.line))
            if is_python:
                self._python(given.text, arguments, here)
            else:
                self._shell(given.text, here)
        elif given.command is not None:
            self._record.gap("dynamic", step.site, f"runs the output of {given.command}")

    def _source(self, words: tuple[str, ...], step: Step) -> None:
        path = words[1] if len(words) > 1 else ""
        if _DOWNLOADS.search(shown(path)):
            self._add(Found("remote-code", path, place="unresolved"), step)
        elif not builtins.activates(joined(step.scope.folder, path), step):
            self._file(path, words[2:], step, sourced=True)

    def _file(
        self,
        path: str,
        arguments: tuple[str, ...],
        step: Step,
        *,
        is_python: bool = False,
        sourced: bool = False,
    ) -> None:
        """Follow a file that is run or sourced, where its text is at hand."""
        if is_open(path) and _DOWNLOADS.search(shown(path)):
            self._add(Found("remote-code", path, place="unresolved"), step)
            return
        where = joined(step.scope.folder, path)
        source = self._sources.find(where, step.frame.file)
        if source is None:
            if not is_of_image(where):
                what = f"the text of {shown(where)} is not given"
                self._record.gap("absent", step.site, what, where)
            return
        via = (*step.site.via, f"{step.site.file}:{step.site.line}")
        if len(via) > MAX_WRAPPERS or source.name in [one.rpartition(":")[0] for one in via]:
            return
        self._record.read(source.name, source.text)
        below = step if sourced else step.inside()
        below = replace(below, site=replace(step.site, file=source.name, line=1, via=via))
        if is_python or source.name.endswith(".py"):
            self._python(source.text, arguments, below)
            return
        if arguments or not sourced:
            below.scope.arguments = arguments
        below.scope.variables["BASH_SOURCE"] = (source.name,)
        self._follower.text(source.text, below.scope, Frame(source.name, via))

    def _shell(self, text: str, step: Step) -> None:
        """Follow a text as shell commands; one that is downloaded is remote code."""
        if is_open(text) and _DOWNLOADS.search(shown(text)):
            self._add(Found("remote-code", text, place="unresolved"), step)
        else:
            self._follower.text(text, step.scope, step.frame, step.site.line)

    def _python(self, source: str, arguments: tuple[str, ...], step: Step) -> None:
        if is_open(source) and _DOWNLOADS.search(shown(source)):
            self._add(Found("remote-code", source, place="unresolved"), step)
            return

        def look_up(name: str) -> tuple[str, ...] | None:
            return self._follower.look_up(name, step.scope)

        for line, one in python.effects(source, arguments, look_up, self._record.targets):
            here = replace(step, site=replace(step.site, line=step.site.line + line - 1))
            if isinstance(one, Found):
                target = one.target if one.place else joined(step.scope.folder, one.target)
                self._add(replace(one, target=target), here)
            elif isinstance(one, python.Unknown):
                self._record.gap(one.kind, here.site, one.what)
            elif one.is_shell:
                self._shell("".join(one.words), here.inside())
            else:
                site = replace(here.site, words=one.words)
                self.command(replace(here.inside(), site=site, depth=step.depth + 1, given=Input()))


def _mounted(words: tuple[str, ...], targets: Targets) -> Iterator[Found]:
    for source, target in mounts(words):
        yield Found("mount", target, (source,) if source else (), targets.mount_place(target))


def _below(
    words: tuple[str, ...], given: Input
) -> Iterator[tuple[dict[str, str], tuple[str, ...]]]:
    """Yield the commands that a command runs, with the variables that it sets for them."""
    variables, inside = inner(words, given.command)
    if variables or inside:
        yield variables, inside
    for command in executed(words):
        yield {}, command
    contained = inside_container(words)
    if contained:
        yield {}, contained

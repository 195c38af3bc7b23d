"""Follow a script as it would run, over every branch, with the values that its text allows."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice, product

from infx.recipes.shell.builtins import export, set_variable
from infx.recipes.shell.grammar import parse
from infx.recipes.shell.printed import Printed
from infx.recipes.shell.programs import Programs
from infx.recipes.shell.reading import DECLARES
from infx.recipes.shell.record import Record, Site
from infx.recipes.shell.sources import Sources
from infx.recipes.shell.step import Frame, Input, Step
from infx.recipes.shell.syntax import (
    Assignment,
    Branches,
    Function,
    Group,
    Loop,
    Pipeline,
    Redirect,
    Simple,
    Statement,
    Substitution,
    Variable,
    Word,
)
from infx.recipes.shell.targets import joined
from infx.recipes.shell.values import (
    FIELD,
    MAX_FORMS,
    Scope,
    Values,
    array,
    plain,
    short,
    unresolved,
)

MAX_STEPS = 20_000
"""Commands that are followed, those of loops and functions each time."""

MAX_TEXTS = 12
"""Texts that run each other: files, and what `eval` and `-c` are given."""

MAX_CALLS = 16
"""Levels of functions and files that call each other."""

_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})


class Walk:
    """One analysis. `files` are the texts that may be run or sourced, by their paths."""

    def __init__(
        self, record: Record, files: Mapping[str, str], environment: Mapping[str, str]
    ) -> None:
        self._record = record
        self._sources = Sources(files)
        self._values = Values(environment, self._output)
        self._printed = Printed(self._values)
        self._programs = Programs(record, self._sources, self)
        self._functions: dict[str, tuple[Function, Frame]] = {}
        self._called: set[str] = set()
        self._mentioned: set[str] = set()
        self._active: list[str] = []
        self._steps = 0
        self._texts = 0

    def text(self, text: str, scope: Scope, frame: Frame, line: int = 1) -> None:
        """Follow a text that stands from `line` on in the frame's file."""
        script = parse(text, line=line)
        for at, what in script.faults:
            self._record.gap("syntax", Site(frame.file, at), what)
        if self._texts >= MAX_TEXTS:
            self._record.gap("limit", Site(frame.file, line), "too many texts inside each other")
            return
        self._texts += 1
        self.run(script.body, scope, frame)
        self._texts -= 1

    def whole(self, text: str, scope: Scope, frame: Frame, line: int = 1) -> None:
        """Follow a text and whatever may still run at its end, however deep it nests."""
        try:
            self.text(text, scope, frame, line)
            self._finish(scope)
        except RecursionError:
            self._record.gap("limit", Site(frame.file, line), "the script nests too deep")

    def _finish(self, scope: Scope) -> None:
        """Follow functions that nothing calls by name and something mentions."""
        for name, (_, frame) in list(self._functions.items()):
            if name in self._mentioned and name not in self._called:
                self.call(name, replace(scope.copy(), arguments=None), frame)

    def run(
        self, body: Iterable[Statement], scope: Scope, frame: Frame, piped: Input | None = None
    ) -> None:
        """Follow statements one after another."""
        for statement in body:
            self._statement(statement, scope, frame, piped or Input())

    def call(self, name: str, scope: Scope, frame: Frame) -> bool:
        """Follow a function with the arguments of the scope, and return whether there is one.

        A function that calls itself is followed once: it can change nothing more.
        """
        if name not in self._functions:
            return False
        function, home = self._functions[name]
        self._called.add(name)
        if name not in self._active and len(self._active) < MAX_CALLS:
            self._active.append(name)
            self.run(function.body, scope, Frame(home.file, frame.via))
            self._active.pop()
        return True

    def look_up(self, name: str, scope: Scope) -> tuple[str, ...] | None:
        """Return the values of a variable, None for one that nobody sets."""
        return self._values.look_up(name, scope)

    def _statement(self, statement: Statement, scope: Scope, frame: Frame, piped: Input) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            if self._steps == MAX_STEPS + 1:
                site = Site(frame.file, statement.line)
                self._record.gap("limit", site, f"more than {MAX_STEPS} commands to follow")
        elif isinstance(statement, Simple):
            self._simple(statement, scope, frame, piped)
        elif isinstance(statement, Function):
            self._functions[statement.name] = (statement, frame)
        elif isinstance(statement, Pipeline):
            for stage in statement.stages:
                self._statement(stage, scope.copy(), frame, piped)
                piped = self._printed.piped(stage, scope)
        elif isinstance(statement, Group):
            inner = scope.copy() if statement.is_subshell else scope
            site = Site(frame.file, statement.line, statement.text, (), frame.via)
            self._redirects(statement.redirects, Step(site, inner, frame))
            self.run(statement.body, inner, frame, self._input(statement.redirects, scope) or piped)
        elif isinstance(statement, Branches):
            ends = [] if statement.is_exhaustive else [scope.copy()]
            for body in statement.bodies:
                ends.append(scope.copy())
                self.run(body, ends[-1], frame, piped)
            self._merge(scope, ends)
        else:
            self._loop(statement, scope, frame, piped)

    def _loop(self, loop: Loop, scope: Scope, frame: Frame, piped: Input) -> None:
        self._substitutions(loop.words, scope, frame)
        for _ in range(2):
            if loop.name is not None:
                scope.variables[loop.name] = self._each(loop, scope)
            before = scope.copy()
            self.run(loop.body, scope, frame, piped)
            self._merge(scope, [before, scope.copy()])
            if scope == before:
                return
            # Once more: what its end sets, its beginning may use.

    def _each(self, loop: Loop, scope: Scope) -> tuple[str, ...]:
        """Return the values that the variable of a loop takes."""
        rows = [row for word in loop.words for row in self._values.fields(word, scope)]
        known = tuple(dict.fromkeys(one for row in rows for one in row))
        if not loop.words and scope.arguments is not None:
            known = scope.arguments
        is_known = bool(loop.words) or scope.arguments is not None
        if is_known and len(known) <= 4 * MAX_FORMS:
            return known
        return (unresolved(loop.name or "", " ".join(known)[:500]),)

    def _simple(self, command: Simple, scope: Scope, frame: Frame, piped: Input) -> None:
        words = (*command.words, *(one.target for one in command.redirects))
        documents = (one.document for one in command.redirects if one.document is not None)
        assigned = (word for one in command.assignments for word in one.words)
        self._substitutions((*words, *documents, *assigned), scope, frame)
        site = Site(frame.file, command.line, command.text, (), frame.via)
        given = self._input(command.redirects, scope) or piped
        forms = self._forms(command.words, scope, site)
        step = Step(replace(site, words=forms[0] if forms else ()), scope, frame, given)
        self._redirects(command.redirects, step)
        declares = bool(command.words) and command.words[0].plain in DECLARES
        if not command.words or declares:
            for one in command.assignments:
                self._assign(one, step)
                if declares and command.words[0].plain == "export":
                    export(one.name, step)
        elif command.assignments:
            self._with_environment(command.assignments, forms, step)
            return
        self._commands(forms, step)

    def _commands(self, forms: list[tuple[str, ...]], step: Step) -> None:
        for form in forms:
            self._mentioned.update(form[1:])
            self._programs.command(replace(step, site=replace(step.site, words=form)))

    def _with_environment(
        self, assignments: tuple[Assignment, ...], forms: list[tuple[str, ...]], step: Step
    ) -> None:
        """Follow a command with variables of its own: what they inject, only it can load."""
        inside = step.inside()
        gaps = self._record.gaps
        for one in assignments:
            self._assign(one, inside)
            export(one.name, inside)
        self._commands(forms, inside)
        if self._record.gaps == gaps:
            added = set(inside.scope.injections) - set(step.scope.injections)
            self._record.settle(added)

    def _forms(self, words: tuple[Word, ...], scope: Scope, site: Site) -> list[tuple[str, ...]]:
        fields = [self._values.fields(word, scope) for word in words]
        rows = list(islice(product(*fields), 4 * MAX_FORMS + 1))
        if len(rows) > 4 * MAX_FORMS:
            self._record.gap("limit", site, "a command with too many values of its words")
        found = (tuple(one for row in rows_ for one in row) for rows_ in rows[: 4 * MAX_FORMS])
        return [form for form in dict.fromkeys(found) if form]

    def _assign(self, assignment: Assignment, step: Step) -> None:
        name, scope = assignment.name, step.scope
        if assignment.is_array:
            fields = [self._values.fields(word, scope) for word in assignment.words]
            values: tuple[str, ...] = array(fields)
        else:
            values = self._values.forms(assignment.words[0], scope)
        if assignment.appends:
            between = FIELD if assignment.is_array else ""
            old = self._values.look_up(name, scope) or ("",)
            pairs = islice(product(old, values), MAX_FORMS)
            values = tuple(short(f"{one}{between if one else ''}{other}") for one, other in pairs)
        set_variable(name, values, step, self._record)

    def _redirects(self, redirects: tuple[Redirect, ...], step: Step) -> None:
        scope = step.scope
        document = next((one.document for one in redirects if one.document is not None), None)
        for one in redirects:
            if one.operator not in _WRITES:
                continue
            for form in self._values.forms(one.target, scope):
                value = form.replace(FIELD, " ")
                if one.operator == ">&" and (value.isdigit() or value == "-"):
                    continue
                path = joined(scope.folder, value)
                self._programs.writes(path, step)
                if document is not None and step.site.words[:1] == ("cat",):
                    self._sources.made(path, self._values.forms(document, scope)[0])

    def _input(self, redirects: tuple[Redirect, ...], scope: Scope) -> Input | None:
        for one in reversed(redirects):
            if one.document is not None:
                text = plain(self._values.forms(one.document, scope)[0])
                return Input(None, text, one.document.line)
            if one.operator == "<<<":
                return Input(None, plain(self._values.forms(one.target, scope)[0]), one.target.line)
            if one.operator == "<":
                return Input(file=joined(scope.folder, self._values.forms(one.target, scope)[0]))
        return None

    def _substitutions(self, words: Iterable[Word], scope: Scope, frame: Frame) -> None:
        for word in words:
            for part in word.parts:
                if isinstance(part, Substitution):
                    self.run(part.body, scope.copy(), frame)
                elif isinstance(part, Variable) and part.argument is not None:
                    self._substitutions((part.argument,), scope, frame)

    def _merge(self, scope: Scope, ends: list[Scope]) -> None:
        """Make a scope what any of several ends may have left."""
        for name in {name for end in ends for name in end.variables}:
            values: dict[str, None] = {}
            for end in ends:
                known = self._values.look_up(name, end)
                values.update(dict.fromkeys(known or (unresolved(name),)))
            kept = tuple(values)
            if len(kept) > MAX_FORMS:
                kept = (*kept[: MAX_FORMS - 1], unresolved(name, " ".join(kept)[:500]))
            scope.variables[name] = kept
        folders = list(dict.fromkeys(end.folder for end in ends))
        scope.folder = folders[0] if len(folders) == 1 else unresolved("folder", " ".join(folders))
        scope.environments = tuple(dict.fromkeys(e for end in ends for e in end.environments))
        actives = {end.active for end in ends}
        scope.active = actives.pop() if len(actives) == 1 else ""
        scope.injections = tuple(dict.fromkeys(n for end in ends for n in end.injections))
        scope.exported = {name: at for end in ends for name, at in end.exported.items()}

    def _output(self, part: Substitution, scope: Scope) -> str:
        return self._printed.output(part, scope)

"""The effects and gaps of one analysis, as they are found."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from infx.model.shell_effects import Effect, EffectPlace, EffectReport, Gap
from infx.model.statement import statement_digest
from infx.recipes.shell.found import Found
from infx.recipes.shell.targets import Targets
from infx.recipes.shell.values import assumptions, shown

MAX_EFFECTS = 2000
"""Effects of one script that are kept; more is a limit."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where a command stands, its text and words, and the places that led there."""

    file: str
    line: int
    text: str = ""
    words: tuple[str, ...] = ()
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exported:
    """A variable that a program gets: the values it may have, and where it was exported."""

    values: tuple[str, ...]
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Started:
    """A server as it starts: where, its command line, and what the script exports to it."""

    site: Site
    words: tuple[str, ...]
    environment: Mapping[str, Exported]


@dataclass(slots=True)
class Record:
    """What was found so far; `targets` tell what a path or a package is."""

    targets: Targets
    texts: dict[str, str] = field(default_factory=dict)
    servers: int = 0
    starts: list[Started] = field(default_factory=list)
    _effects: list[Effect] = field(default_factory=list)
    _numbers: dict[tuple[object, ...], int] = field(default_factory=dict)
    _gaps: dict[Gap, None] = field(default_factory=dict)
    _injections: dict[int, EffectPlace] = field(default_factory=dict)

    def read(self, file: str, text: str) -> None:
        """Note a text that was read."""
        self.texts[file] = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def add(self, found: Found, site: Site, environments: Iterable[str] = ()) -> int:
        """Keep an effect, once for each place and target, and return its number."""
        where = found.place or self.targets.place(found.target, environments=tuple(environments))
        effect = Effect(
            kind=found.kind,
            file=site.file,
            line=site.line,
            words=tuple(shown(word)[:300] for word in site.words[:64]),
            target=shown(found.target),
            place=where,
            inputs=tuple(shown(one) for one in found.inputs),
            assumed=assumptions((found.target, *found.inputs)),
            statement=statement_digest(site.text),
            via=site.via,
        )
        key = (effect.kind, effect.file, effect.line, effect.target, effect.inputs, effect.place)
        if key in self._numbers:
            return self._numbers[key]
        if len(self._effects) >= MAX_EFFECTS:
            self.gap("limit", site, f"more than {MAX_EFFECTS} effects")
            return -1
        self._numbers[key] = len(self._effects)
        self._effects.append(effect)
        return self._numbers[key]

    def inject(self, target: str, site: Site) -> int:
        """Keep an effect on the programs that start after it."""
        number = self.add(Found("inject", target, place="unresolved"), site)
        self._injections.setdefault(number, "unresolved")
        return number

    def settle(self, injections: Iterable[int]) -> None:
        """Note that nothing more starts with what was injected: a server would have been seen."""
        for number in injections:
            if self._injections.get(number) == "unresolved":
                self._injections[number] = "client"

    def starts_server(self, injections: Iterable[int]) -> None:
        """Note that a server starts, with all that was injected before."""
        self.servers += 1
        self._injections.update(dict.fromkeys(injections, "server"))

    def gap(self, kind: str, site: Site, what: str, path: str | None = None) -> None:
        """Note what could not be read; `path` is that of a file that is not there."""
        facts = {"kind": kind, "file": site.file, "line": site.line, "what": shown(what)[:300]}
        gap = Gap.model_validate({**facts, "path": None if path is None else shown(path)[:300]})
        if len(self._gaps) < MAX_EFFECTS:
            self._gaps[gap] = None

    @property
    def gaps(self) -> int:
        """How many gaps there are."""
        return len(self._gaps)

    def report(self, file: str) -> EffectReport:
        """Return all that was found, in the order of files and lines."""
        effects = []
        for number, effect in enumerate(self._effects):
            where = self._injections.get(number)
            if where == "unresolved" and self.servers:
                where = "client"
            effects.append(effect.model_copy(update={"place": where}) if where else effect)
        order = {name: at for at, name in enumerate(self.texts)}
        effects.sort(key=lambda one: (order.get(one.file, -1), one.line))
        gaps = sorted(self._gaps, key=lambda one: (order.get(one.file, -1), one.line))
        return EffectReport(
            file=file, sha256=dict(self.texts), effects=tuple(effects), gaps=tuple(gaps)
        )

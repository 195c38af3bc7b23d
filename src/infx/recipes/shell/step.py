"""One command on its way: where it stands, what it sees, what it reads."""

from dataclasses import dataclass, field, replace

from infx.recipes.shell.record import Site
from infx.recipes.shell.values import Scope


@dataclass(frozen=True, slots=True)
class Frame:
    """The file whose commands run, and the places that led there."""

    file: str
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Input:
    """What a command reads: the output of `command`, a `text` (from `line` on), or a `file`.

    `text` may be known for a command, too: `echo` says what it prints.
    """

    command: str | None = None
    text: str | None = None
    line: int = 0
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A command that runs; `depth` counts the programs that it runs inside of."""

    site: Site
    scope: Scope
    frame: Frame
    given: Input = field(default_factory=Input)
    depth: int = 0

    def inside(self) -> "Step":
        """Return the same step with a scope of its own."""
        return replace(self, scope=self.scope.copy())

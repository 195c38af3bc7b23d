"""One command with its words, and what it was found to change."""

from dataclasses import dataclass

from infx.model.shell_effects import EffectKind, EffectPlace


@dataclass(frozen=True, slots=True)
class Call:
    """A command as it runs: its words, the folder it runs in, and what it reads.

    `piped` is the command whose output it reads, `read_from` the file. `environments` are isolated
    Python environments, `active` the one that is in use.
    """

    words: tuple[str, ...]
    folder: str = ""
    piped: str | None = None
    read_from: str | None = None
    active: str = ""
    environments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The program, without its folder."""
        return self.words[0].rpartition("/")[2] if self.words else ""

    @property
    def is_isolated(self) -> bool:
        """Whether its own Python, or the active one, is an isolated environment."""
        own = any(self.words[0].startswith(f"{one}/") for one in self.environments if one)
        return own or (bool(self.active) and self.active in self.environments)


@dataclass(frozen=True, slots=True)
class Found:
    """One change: of a path (`place` None: by where it lies), or of what `place` says."""

    kind: EffectKind
    target: str
    inputs: tuple[str, ...] = ()
    place: EffectPlace | None = None


def operands(words: tuple[str, ...], valued: frozenset[str] = frozenset()) -> list[str]:
    """Return the words that are no options; those in `valued` take the next word with them."""
    found: list[str] = []
    rest = iter(words[1:])
    only_operands = False
    for word in rest:
        if only_operands or not word.startswith("-") or word == "-":
            found.append(word)
        elif word == "--":
            only_operands = True
        elif word in valued:
            next(rest, None)
    return found


def option(words: tuple[str, ...], *names: str) -> str | None:
    """Return the value of an option: `-t X`, `-tX` or `--target=X`; the last one counts."""
    found = None
    for at, word in enumerate(words[1:], 1):
        for name in names:
            if word == name:
                found = words[at + 1] if at + 1 < len(words) else ""
            elif name.startswith("--") and word.startswith(f"{name}="):
                found = word[len(name) + 1 :]
            elif not name.startswith("--") and word.startswith(name) and word[:2] != "--":
                found = word[len(name) :]
    return found


def short_flags(words: tuple[str, ...]) -> str:
    """Return the letters of all bundles of short options, one after another."""
    return "".join(word[1:] for word in words[1:] if word[:1] == "-" and word[:2] != "--")

"""What scripts and recipes change in the container that they run in: facts, without a verdict."""

from typing import Literal

from pydantic import Field

from infx.model.value import Value

EffectKind = Literal[
    "write",
    "edit",
    "remove",
    "copy",
    "link",
    "extract",
    "patch",
    "checkout",
    "install",
    "download",
    "remote-code",
    "inject",
    "mount",
    "setup",
]
"""What a command does to files or to a program.

`edit` changes a file in place, `write` makes or replaces it, `checkout` replaces a work tree,
`inject` makes another program load code, `remote-code` runs what it downloads, `setup` runs a
script in the container before the server starts.
"""

EffectPlace = Literal["engine", "image", "server", "client", "generated", "workspace", "unresolved"]
"""What the target of an effect is.

`engine`: code of an inference engine or of its serving stack, or a package of that set. `image`:
another file or package of the image. `server`: the environment of a server process. `client`: an
isolated environment, or a process of the client. `generated`: a configuration, log, result or
scratch file of the run. `workspace`: the work tree of the repository. `unresolved`: nobody said
where.
"""


class Effect(Value):
    """One change, at the line of the command that makes it.

    `words` are the command's words with its variables filled in. `target` is the path, package or
    variable that changes; what stayed open stands in it as `${NAME}` or `$(command)`. `inputs` are
    files whose content goes there. `assumed` are variables whose default was taken because nothing
    states them. `statement` is the SHA-256 of the command's text, see `infx.model.statement`.
    `via` are the places that called or sourced it, the outermost first.
    """

    kind: EffectKind
    file: str
    line: int
    words: tuple[str, ...]
    target: str
    place: EffectPlace
    inputs: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    statement: str = Field(pattern="^[0-9a-f]{64}$")
    via: tuple[str, ...] = ()


class Gap(Value):
    """What could not be read, so that nobody can say what it changes.

    `syntax`: not a shell or Python text that parses. `absent`: a file that is run or sourced and
    was not given; `path` is what it is called there, with `${NAME}` for what is open. `dynamic`: a
    command that is only known when it runs. `limit`: beyond the bounds of the analysis.
    """

    kind: Literal["syntax", "absent", "dynamic", "limit"]
    file: str
    line: int
    what: str
    path: str | None = None


class EffectReport(Value):
    """All effects and gaps of one script, or of one bound recipe, in the order of its lines.

    `sha256` has the digest of every text that was read, by its name.
    """

    file: str
    sha256: dict[str, str]
    effects: tuple[Effect, ...]
    gaps: tuple[Gap, ...]

"""The metadata of checkpoints, from folders or from a hub, by the names that recipes use."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from infx.errors import InputError, Problem
from infx.flows.evidence.variants import Bound
from infx.model.checkpoint import Checkpoint
from infx.recipes.settings import role_settings, stated
from infx.store.checkpoint import read_checkpoint

if TYPE_CHECKING:
    from infx.store.hub import Hub

TARGET = ("model-path", "model")


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Checkpoints by repository."""

    known: tuple[Checkpoint, ...] = ()

    def of(self, name: str | None) -> Checkpoint | None:
        """Return the checkpoint of a repository or of a path that ends with its name."""
        if name is None:
            return None
        wanted = name.removeprefix("hf:").rstrip("/")
        for one in self.known:
            mine = one.repository or ""
            if mine == wanted or mine.rpartition("/")[2] == wanted.rpartition("/")[2]:
                return one
        return None

    def target(self, one: Bound) -> Checkpoint | None:
        """Return the checkpoint that a variant serves: of its row's model, or its own path."""
        found = self.of(one.binding.recipe.model)
        for role in one.engines if found is None else ():
            own = stated(role_settings(one.binding, role), *TARGET)
            found = found or (None if own is None else self.of(str(own.value)))
        return found


def read(
    given: Iterable[str], hub: "Hub | None" = None, on_talk: Callable[[str], None] = lambda _: None
) -> Checkpoints:
    """Return the checkpoints of `REPOSITORY[@REVISION]=FOLDER` words.

    A word without a folder is asked of the hub, at its main branch unless it has a revision; its
    checkpoint is that of a commit. Raises InputError with every problem, MachineError when the hub
    cannot be asked.
    """
    known: list[Checkpoint] = []
    problems: list[Problem] = []
    for word in given:
        try:
            known.append(_read(word, hub, on_talk))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    return Checkpoints(tuple(known))


def _read(word: str, hub: "Hub | None", on_talk: Callable[[str], None]) -> Checkpoint:
    name, equals, folder = word.partition("=")
    repository, _, revision = name.partition("@")
    if folder and repository:
        return read_checkpoint(Path(folder), repository=repository, revision=revision or None)
    if hub is None or equals or "/" not in repository:
        remedy = "write OWNER/MODEL, OWNER/MODEL@REVISION, or either with =FOLDER"
        raise InputError(Problem(f"{word!r} names no checkpoint", "--checkpoint", remedy))
    from infx.store.hub import fetch_metadata  # only who asks a hub needs the network's modules

    path, commit = fetch_metadata(hub, repository, revision or None, on_talk)
    return read_checkpoint(path, repository=repository, revision=commit)

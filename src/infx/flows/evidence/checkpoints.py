"""The metadata of checkpoints that a caller gives, by the names that recipes use."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from infx.errors import InputError, Problem
from infx.flows.evidence.variants import Bound
from infx.model.checkpoint import Checkpoint
from infx.recipes.settings import role_settings, stated
from infx.store.checkpoint import read_checkpoint

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


def read(given: Iterable[str]) -> Checkpoints:
    """Return the checkpoints of `REPOSITORY[@REVISION]=FOLDER` words.

    Raises InputError with every problem.
    """
    known: list[Checkpoint] = []
    problems: list[Problem] = []
    for word in given:
        name, equals, folder = word.partition("=")
        if not (name and equals and folder):
            remedy = "write REPOSITORY=FOLDER or REPOSITORY@REVISION=FOLDER"
            problems.append(Problem(f"{word!r} names no checkpoint", "--checkpoint", remedy))
            continue
        repository, _, revision = name.partition("@")
        try:
            known.append(
                read_checkpoint(Path(folder), repository=repository, revision=revision or None)
            )
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    return Checkpoints(tuple(known))

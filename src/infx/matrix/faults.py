"""What is wrong with an entry, before it is known where the entry stands."""

from typing import NamedTuple

from infx.errors import Problem
from infx.model.document import Document, Key

Path = tuple[Key, ...]


class Fault(NamedTuple):
    """One rule that is broken at `path`.

    `against` is the other place of two that disagree: `what` names its line as `{line}`.
    """

    path: Path
    what: str
    remedy: str
    against: Path | None = None

    def problem(self, document: Document, base: Path) -> Problem:
        """Return the fault of what stands at `base` as a located problem."""
        path = (*base, *self.path)
        what = self.what
        if self.against is not None:
            line = document.at((*base, *self.against)).line
            what = what.replace("{line}", f"line {line}")
        return Problem(f"{'.'.join(map(str, path))}: {what}", document.where(*path), self.remedy)

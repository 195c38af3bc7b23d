"""What checking recipe files found."""

from typing import Literal

from infx.errors import Problem
from infx.model.value import Value

Severity = Literal["error", "warning", "note"]


class Finding(Value):
    """One thing that a check says of a recipe; `id` names the check.

    `variants` are the selectors it was found in: empty for a file without variants, and for what
    holds for a file as a whole.
    """

    id: str
    severity: Severity
    file: str
    what: str
    where: str | None = None
    remedy: str | None = None
    variants: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.severity} {self.id}: {Problem(self.what, self.where, self.remedy)}"


class RecipeCheck(Value):
    """Every finding over some files, in the order of the files and their lines.

    `unchecked` says what could not be looked at, and why; that is never a pass.
    """

    files: int
    bindings: int
    findings: tuple[Finding, ...] = ()
    unchecked: tuple[str, ...] = ()

    def count(self, severity: Severity) -> int:
        """Count the findings of one severity."""
        return sum(one.severity == severity for one in self.findings)

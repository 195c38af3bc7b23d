"""Whether a waiver gives leave for a patch: by hash, on its image, until its day."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from infx.model.document import Document
from infx.model.shell_effects import EffectKind
from infx.model.validation import validate
from infx.model.waiver import Waiver
from infx.recipes.images import plain

_PAGE = re.compile(r"(?:.*/)?([1-9][0-9]*)\.md")


@dataclass(frozen=True, slots=True)
class Patch:
    """One effect that needs leave: what is done, in which file, by which statement.

    `sha256` is of the file's bytes, `hunk` of the statement, by `infx.model.statement`.
    """

    path: str
    kind: EffectKind
    sha256: str
    hunk: str


def front_matter(text: str) -> str | None:
    """Return the YAML at the head of a page, from its first `---` up to its second, None without.

    Its lines have the numbers that they have in the page.
    """
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if not lines or lines[0].rstrip() != "---":
        return None
    for at, line in enumerate(lines[1:], 1):
        if line.rstrip() in ("---", "..."):
            return "".join(lines[:at])
    return None


def waiver(document: Document) -> Waiver:
    """Return the waiver of a page's front matter; raises InputError with all that is wrong."""
    return validate(document, Waiver)


def covers(waiver: Waiver, patch: Patch) -> bool:
    """Return whether a waiver speaks of exactly this patch: its file, its effect, its hash."""
    return patch.kind in waiver.effects and any(
        file.path == patch.path and (file.sha256 == patch.sha256 or file.hunk == patch.hunk)
        for file in waiver.files
    )


def faults(waiver: Waiver, *, page: str, image: str, config: str, day: date) -> Iterator[str]:
    """Yield why a waiver gives no leave to a config on its image, on a day (UTC).

    `page` is its path in the repository.
    """
    named = _PAGE.fullmatch(page)
    if named is None or int(named[1]) != waiver.pr:
        yield f"the page {page} is not named after pull request {waiver.pr}"
    if config not in waiver.configs:
        yield f"the waiver is not for {config}"
    if not _same_image(waiver.image, image):
        yield f"the waiver is for the image {waiver.image}, not for {image}"
    if day > waiver.removal.by:
        yield f"the waiver expired on {waiver.removal.by.isoformat()}"


def _same_image(waived: str, used: str) -> bool:
    """Return whether two references are one image; a pinned one is never one without a digest."""
    one, other = map(plain, (waived, used))
    digests = [image.partition("@")[2] for image in (one, other)]
    return digests[0] == digests[1] if all(digests) else one == other

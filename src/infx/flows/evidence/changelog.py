"""What a change adds to the changelog, and what the strict gate says of it."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Literal

from infx.flows.changelog import PLACES, Review
from infx.flows.evidence.places import cite
from infx.flows.evidence.states import State
from infx.matrix.changelog_rules import selected
from infx.matrix.options import Evals
from infx.model import review_facts
from infx.model.changelog import Entry

Mode = Literal["default", "no-evals", "evals-only", "all-evals"]
_MODES: Mapping[Mode, Evals] = {
    "default": "default",
    "no-evals": "none",
    "evals-only": "only",
    "all-evals": "all",
}


def place(files: Mapping[str, str], start: str) -> str | None:
    """Return the path of the changelog among the files of a commit, None where there is none."""
    names = (str(PurePosixPath(start) / name) for name in PLACES)
    return next((name for name in names if name in files), None)


def modes(review: Review) -> dict[str, Evals]:
    """Return the mode in which each entry of the catalog is evaluated, by the new entries."""
    found: dict[str, Evals] = {}
    for entry in review.entries:
        for key in selected(entry, review.comparison.sides.head_names):
            # What is appended is measured and not evaluated.
            found[key] = _MODES["no-evals" if entry.append_only else _stated(entry)]
    return found


def changelog(review: Review, head: State) -> review_facts.Changelog:
    """Return the added entries, and what the strict gate says."""
    additions = review.additions
    names = review.comparison.sides.head_names
    entries = []
    for index, entry in enumerate(review.entries):
        where = additions.where(index) if additions is not None else str(review.file)
        entries.append(
            review_facts.ChangelogEntry(
                keys=selected(entry, names) or entry.config_keys,
                append_only=entry.append_only,
                evals=_stated(entry),
                cite=cite(where, ", ".join(entry.config_keys), at=head.commit),
            )
        )
    return review_facts.Changelog(
        entries=tuple(entries),
        violations=tuple(
            cite(one.where or str(review.file), one.what, at=head.commit) for one in review.problems
        ),
    )


def _stated(entry: Entry) -> Mode:
    """Return the mode that an entry states of its own."""
    if entry.no_evals:
        return "no-evals"
    if entry.evals_only:
        return "evals-only"
    return "all-evals" if entry.all_evals else "default"

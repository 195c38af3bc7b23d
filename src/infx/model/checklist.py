"""Checklists that a reviewer signs: the items of one version of the rules, and how they are known.

The public sentences are not ours to ship. An item keeps what recognises its sentence: the SHA-256
of its words, and the short digests of the words in no order. `policy.checklist` makes both.
"""

from pydantic import Field, model_validator

from infx.model.registry import Registry, Row


class ChecklistItem(Row):
    """One statement of a checklist, by its id in words.

    `part_of` is the item that it is nested under. `check` is the check that tells whether the
    statement is true, null where only a person can. `names` are words that open a line of the
    detail section about it. `exact` are digests of sentences; `words` has the first four
    hexadecimal digits of the digest of each word, sorted, as often as the word stands there;
    `negations` counts the words that turn a sentence round.
    """

    id: str = Field(pattern="^[a-z]+(-[a-z]+)*$")
    title: str
    part_of: str | None = None
    check: str | None = None
    names: tuple[str, ...] = ()
    exact: tuple[str, ...] = Field(min_length=1)
    words: str = Field(pattern="^[0-9a-f]{4}( [0-9a-f]{4})*$")
    negations: int = Field(ge=0)


class Checklist(Row):
    """The items of one version, in order; `sets` are the policy sets that ask for it."""

    id: str
    sets: tuple[str, ...] = Field(min_length=1)
    items: tuple[ChecklistItem, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _is_consistent(self) -> "Checklist":
        seen: list[str] = []
        for item in self.items:
            if item.id in seen or (item.part_of is not None and item.part_of not in seen):
                raise ValueError(f"{item.id} stands once, and after the item that it is part of")
            seen.append(item.id)
        return self


class ChecklistRegistry(Registry):
    """All checklists."""

    checklists: tuple[Checklist, ...]

    @model_validator(mode="after")
    def _serves_each_set_once(self) -> "ChecklistRegistry":
        sets = [one for checklist in self.checklists for one in checklist.sets]
        if len(set(sets)) < len(sets):
            raise ValueError("a policy set has one checklist")
        return self

    def of(self, policy_set: str) -> Checklist | None:
        """Return the checklist that a policy set asks for."""
        return next((one for one in self.checklists if policy_set in one.sets), None)

"""Changes of a recorded review's facts, and what they turn: see tests/policy/mutations.yaml."""

import copy
import json
from functools import cache
from pathlib import Path

from pydantic import Field

from infx.model.submission import Submission
from infx.model.value import Value
from infx.model.verdict import Status
from infx.store.documents import read_yaml, validate
from threads import judged, thread


class Mutation(Value):
    """Changes, places set or texts edited; and what turns to what."""

    name: str
    set: dict[str, object] = Field(default_factory=dict)
    edit: dict[str, list[str]] = Field(default_factory=dict)
    turns: dict[str, Status]

    def of(self, facts):
        """Return facts with the changes in them; a text that is edited stands there once."""
        facts = json.loads(json.dumps(facts))  # an alias of the file is one object at many places
        for place, value in self.set.items():
            parent, last = _parent(facts, place)
            parent[last] = copy.deepcopy(value)
        for place, (old, new) in self.edit.items():
            parent, last = _parent(facts, place)
            assert parent[last].count(old) == 1, (place, old)
            parent[last] = parent[last].replace(old, new)
        return facts


class Table(Value):
    """The file: what is mutated, by which policy set it is judged, single and other changes."""

    policy: str
    thread: str
    mutations: tuple[Mutation, ...]
    combined: tuple[Mutation, ...]


def _parent(facts, place):
    *way, last = [int(step) if step.isdigit() else step for step in place.split("/")]
    for step in way:
        facts = facts[step]
    return facts, last


TABLE = validate(read_yaml(Path(__file__).parent / "policy" / "mutations.yaml"), Table)


@cache
def before():
    return statuses(thread(TABLE.thread)[0].facts)


def statuses(facts):
    submission = Submission.model_validate_json(json.dumps(facts))
    judgement = judged(submission, TABLE.policy)
    assert judgement.crashes == ()
    return {one.check: one.status for one in judgement.results}

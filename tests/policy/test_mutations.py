"""Single changes of a submission that passes: each turns exactly the checks of a table."""

import pytest

from mutated import TABLE, before, statuses
from threads import thread


@pytest.mark.parametrize("mutation", [*TABLE.mutations, *TABLE.combined], ids=lambda one: one.name)
def test_a_change_turns_exactly_the_checks_of_the_table(mutation):
    after = statuses(mutation.of(thread(TABLE.thread)[0].facts))
    turned = {check: now for check, now in after.items() if now != before()[check]}
    assert turned == mutation.turns


def test_there_are_forty_mutations_and_each_is_another():
    assert len({one.name for one in TABLE.mutations}) == len(TABLE.mutations) >= 40
    assert {len(one.set) + len(one.edit) for one in TABLE.mutations} == {1}
    changes = [one.model_dump_json(exclude={"name", "turns"}) for one in TABLE.mutations]
    assert len(set(changes)) == len(changes)


def test_what_a_mutation_turns_was_not_so_before():
    for mutation in TABLE.mutations:
        for check, now in mutation.turns.items():
            assert before()[check] != now

"""Whether what new entries of the changelog select can be generated at the head of a comparison."""

from collections.abc import Iterator, Sequence

from infx.errors import Problem
from infx.flows import rendering
from infx.flows.changed import Comparison
from infx.matrix.changelog_rules import Additions, matching
from infx.matrix.options import Options
from infx.model.document import Document
from infx.store.recipes import lane


def ungenerated(comparison: Comparison, additions: Additions) -> Iterator[Problem]:
    """Yield each config key of an entry whose rows have no recipe, and the reasons below it.

    By the rules of August rows are generated without their recipes, so there is nothing to yield.
    """
    side, sources = comparison.snapshots.head, comparison.sources
    names = comparison.sides.head_names
    asked = [
        (key, index, number)
        for index, entry in enumerate(additions.entries)
        for number, pattern in enumerate(entry.config_keys)
        for key in matching(pattern, names)
    ]
    masters = rendering.masters_of(side, sources)
    found = rendering.read(side, sources, masters, {key for key, _, _ in asked}) if asked else None
    if found is None or found.edition == "2026-08":
        return
    # Imported here: rows of August do not need it.
    from infx.matrix.resolution import Resolution

    def block(_master: str, agentic: bool, multinode: bool) -> Document | None:
        path = sources.shared[lane(agentic=agentic, multinode=multinode)]
        return side.document(path) if path in side.files else None

    resolution = Resolution(rendering.recipes(side, sources), block)
    for key, index, number in asked:
        scenarios = additions.entries[index].scenarios
        options = Options(edition=found.edition, config_keys=(key,), scenario_type=scenarios)
        if problems := tuple(dict.fromkeys(resolution.problems(found, options))):
            where = additions.where(index, "config-keys", number)
            yield Problem(f"{key} cannot be generated", where, _remedy(problems))
            yield from problems


def _remedy(problems: Sequence[Problem]) -> str:
    return f"correct {problems[0].where}" if problems[0].where else "correct its rows"

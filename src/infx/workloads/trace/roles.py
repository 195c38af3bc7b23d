"""What an agent beside the main one is, and the end of its stream's id that says so."""

from collections.abc import Sequence
from typing import NamedTuple

from infx.model.trace import Kind
from infx.workloads.trace.chains import Agent

AUX_INPUT = 16_384
"""A lone call with a smaller prompt is a side call, or ..."""
AUX_SHARE = 0.10
"""... with less than this part of the main agent's largest prompt."""
REDUCTION_OUTPUT = 4_000
REDUCTION_RATIO = 20
"""A lone call that reads this many times what it writes, and writes little, sums something up."""
GROUP_LEAST = 3


class Role(NamedTuple):
    """What a stream is, and the last part of its id: `fa:NNN`, `wg:GGG_MMM` or `aux:NNN`."""

    kind: Kind
    marker: str


def roles(main: Agent, others: Sequence[Agent]) -> list[Role]:
    """Return the role of each of `others`, whose numbers count through their order."""
    members = _members(others)
    found = []
    for number, agent in enumerate(others):
        if _is_aux(agent, main):
            found.append(Role("aux", f"aux:{number:03d}"))
        elif number in members:
            group, member = members[number]
            found.append(Role("worker", f"wg:{group:03d}_{member:03d}"))
        else:
            found.append(Role("agent", f"fa:{number:03d}"))
    return found


def _is_aux(agent: Agent, main: Agent) -> bool:
    """Tell a side call: one call, on another model, with a small prompt, or that sums up."""
    first = agent.calls[0]
    if len(agent.calls) > 1:
        return False
    if first.model != main.turns[0].model:
        return True
    size, answer = first.input_tokens or 0, first.output_tokens or 0
    peak = max(call.input_tokens or 0 for call in main.turns)
    if size < max(AUX_INPUT, int(AUX_SHARE * peak)):
        return True
    return 0 < answer < REDUCTION_OUTPUT and size > REDUCTION_RATIO * answer


def _members(others: Sequence[Agent]) -> dict[int, tuple[int, int]]:
    """Return group and place of those that forked off one call and ran at the same time."""
    siblings: dict[tuple[int, int], list[int]] = {}
    for number, agent in enumerate(others):
        if agent.fork is not None:
            siblings.setdefault(agent.fork, []).append(number)
    groups = [
        group
        for numbers in siblings.values()
        for group in _overlapping(others, numbers)
        if len(group) >= GROUP_LEAST
    ]
    groups.sort()
    return {
        number: (group, member)
        for group, numbers in enumerate(groups)
        for member, number in enumerate(numbers)
    }


def _overlapping(others: Sequence[Agent], numbers: Sequence[int]) -> list[list[int]]:
    """Part agents, in order of their start, wherever all before have ended."""
    groups: list[list[int]] = []
    end_ns = 0
    for number in numbers:
        calls = others[number].calls
        if not groups or calls[0].start_ns >= end_ns:
            groups.append([])
        groups[-1].append(number)
        end_ns = max(end_ns, *(call.end_ns for call in calls))
    return groups

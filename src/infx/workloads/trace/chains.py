"""Which calls are one agent's, told by their prompts alone.

Parallel agents are often recorded as one flat list of calls. An agent's prompt grows: each begins
with the one before it. So a call that begins with a chain's whole last prompt goes on with that
chain, and one that shares less of it forks off. A fork is another agent, or the same one after its
context was edited (a seam): the same one if nobody ever returns to the longer prompt. That is known
only when the session is over, hence two passes. A chain keeps to one model.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from infx.model.trace import Call
from infx.workloads.trace.recording import SLACK_NS

SEAM_GAP_NS = 3600 * 1_000_000_000
"""An edited context goes on soon. After a longer pause ..."""
SEAM_KEPT = 0.5
"""... a prompt that keeps less than this part of the blocks before it is another session."""
TITLE_TOKENS = 64
"""An answer of no more tokens may be a title or a label, and no turn of a conversation."""


@dataclass(frozen=True, slots=True)
class Agent:
    """The calls of one agent, in order of time.

    `fork` names the call whose prompt it forked off; agents of equal forks are siblings. None where
    it shares nothing with anyone. The first `titles` calls are none of its turns.
    """

    calls: tuple[Call, ...]
    fork: tuple[int, int] | None = None
    titles: int = 0

    @property
    def turns(self) -> tuple[Call, ...]:
        """Its calls without a title."""
        return self.calls[self.titles :]


@dataclass(slots=True)
class _Chain:
    """An agent while it is found: calls by their place in time.

    `tail` is the place of the last call that has blocks. `source` is the place of the call it
    forked from, and `depth` the blocks that they share.
    """

    places: list[int]
    tail: int | None = None
    source: int | None = None
    depth: int = 0
    joined: bool = False


def agents(calls: Iterable[Call]) -> tuple[Agent, ...]:
    """Tell the agents of a flat list of calls apart: the main one first, then by their start.

    A call without blocks tells nothing and stays with the main agent. A first call that shares
    nothing with any other is a title or the like: it stays with the main agent too, which then is
    that of the next call.
    """
    ordered = in_time(calls)
    title = ordered[:1] if _is_title(ordered) else []
    search = _Search(ordered[len(title) :])
    found = search.run()
    if not found:
        return (Agent(tuple(ordered)),)
    main, *others = found
    return (Agent((*title, *main.calls), main.fork, len(title)), *others)


def in_time(calls: Iterable[Call]) -> list[Call]:
    """Order calls by their start, simultaneous ones as in their file."""
    return sorted(calls, key=lambda call: (call.start_ns, call.outer, call.inner or 0))


def common_prefix(a: "array[int]", b: "array[int]") -> int:
    """Return how many leading ids two prompts share."""
    if a.typecode != b.typecode:
        a, b = array("Q", a), array("Q", b)
    low, high = 0, min(len(a), len(b))
    if not high or a[0] != b[0]:
        return 0
    if a[:high] == b[:high]:
        return high
    while high - low > 1:  # equal up to `low`, different before `high`
        middle = (low + high) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _is_title(ordered: Sequence[Call]) -> bool:
    if len(ordered) < 2 or not ordered[0].blocks:
        return False
    first, *rest = ordered
    if any(call.blocks and call.blocks[0] == first.blocks[0] for call in rest):
        return False
    if first.output_tokens is not None and first.output_tokens <= TITLE_TOKENS:
        return True
    own = set(first.blocks)
    return all(own.isdisjoint(call.blocks) for call in rest)


class _Search:
    """The two passes over the calls of one list, in order of time."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._chains: list[_Chain] = []
        self._owner: list[int] = []
        self._forks: dict[int, list[int]] = {}

    def run(self) -> list[Agent]:
        for place in range(len(self._calls)):
            self._owner.append(self._place(place))
        self._join_seams()
        live = [chain for chain in self._chains if not chain.joined]
        main = self._chains[self._owner[0]] if self._owner else None
        live.sort(key=lambda chain: (chain is not main, min(chain.places)))
        return [self._agent(chain) for chain in live]

    def _agent(self, chain: _Chain) -> Agent:
        calls = tuple(self._calls[place] for place in sorted(chain.places))
        if chain.source is None:
            return Agent(calls)
        return Agent(calls, (self._owner[chain.source], chain.source))

    def _place(self, place: int) -> int:
        """Give a call to the chain it goes on with, or to a new one; return that chain's number."""
        call = self._calls[place]
        if not self._chains:
            self._chains.append(_Chain([], None))
            return self._extend(0, place)
        if not call.blocks or all(chain.tail is None for chain in self._chains):
            return self._extend(0, place)
        number = self._continued(call)
        if number is not None:
            return self._extend(number, place)
        return self._fork(place)

    def _extend(self, number: int, place: int) -> int:
        chain = self._chains[number]
        chain.places.append(place)
        if self._calls[place].blocks:
            chain.tail = place
        return number

    def _continued(self, call: Call) -> int | None:
        """Return the chain whose whole last prompt begins this one's, the longest such."""
        best, best_length = None, 0
        for number, chain in enumerate(self._chains):
            if chain.tail is None:
                continue
            tail = self._calls[chain.tail]
            length = len(tail.blocks)
            if (
                best_length < length <= len(call.blocks)
                and tail.model == call.model
                and tail.end_ns <= call.start_ns + SLACK_NS
                and tail.blocks[-1] == call.blocks[length - 1]
                and common_prefix(tail.blocks, call.blocks) == length
            ):
                best, best_length = number, length
        return best

    def _fork(self, place: int) -> int:
        call, chain = self._calls[place], _Chain([place], place)
        best = (0, 0)
        for other in self._chains:
            if other.tail is None:
                continue
            tail = self._calls[other.tail].blocks
            shared = (common_prefix(tail, call.blocks), len(tail))
            if shared[0] and shared > best:
                best = shared
                chain.source, chain.depth = other.tail, shared[0]
        number = len(self._chains)
        self._chains.append(chain)
        if chain.source is not None:
            self._forks.setdefault(chain.source, []).append(number)
        return number

    def _join_seams(self) -> None:
        """Give forks off a prompt that nobody returned to back to their agent, in order of time."""
        waiting = list(self._forks)
        heapify(waiting)
        done: set[int] = set()
        while waiting:
            source = heappop(waiting)
            if source in done:
                continue
            done.add(source)
            number = self._owner[source]
            if self._chains[number].tail != source:
                continue  # the longer prompt was gone on with: all forks are other agents
            elected = self._elected(source)
            if elected is None:
                continue
            self._join(elected, number)
            tail = self._chains[number].tail
            assert tail is not None
            if self._move_forks(source, tail):
                done.discard(tail)  # simultaneous calls: the tail may have been looked at before
                heappush(waiting, tail)

    def _elected(self, source: int) -> int | None:
        """Return the fork that is the same agent: of those that may be, the one that kept most."""
        tail = self._calls[source]
        able = [
            number
            for number in self._forks[source]
            if not self._chains[number].joined and self._may_join(tail, self._chains[number])
        ]
        return max(able, key=lambda number: (self._chains[number].depth, -number), default=None)

    def _may_join(self, tail: Call, chain: _Chain) -> bool:
        first = self._calls[chain.places[0]]
        if first.model != tail.model or tail.end_ns > first.start_ns + SLACK_NS:
            return False
        late = first.start_ns - tail.end_ns > SEAM_GAP_NS
        return not (late and chain.depth < SEAM_KEPT * len(tail.blocks))

    def _join(self, elected: int, number: int) -> None:
        chain, owner = self._chains[elected], self._chains[number]
        for place in chain.places:
            self._owner[place] = number
        owner.places += chain.places
        owner.tail = chain.tail
        chain.joined = True

    def _move_forks(self, source: int, tail: int) -> bool:
        """Compare the forks that were left over with where their agent went on to."""
        moved = False
        for number in self._forks[source]:
            chain = self._chains[number]
            if chain.joined:
                continue
            first = self._calls[chain.places[0]]
            shared = common_prefix(self._calls[tail].blocks, first.blocks)
            if shared:
                chain.source, chain.depth = tail, shared
                self._forks.setdefault(tail, []).append(number)
                moved = True
        return moved

"""Coding sessions that nobody had, as weka traces: for where no recorded corpus can be used.

Everything is drawn from the seed, with arithmetic that is the same on every machine. Ids say one
thing inside a trace only, so the format cannot state that sessions share their first layers. The
layers' ids are the same numbers in all traces all the same: see docs/decisions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Context, Decimal
from itertools import accumulate, count
from types import MappingProxyType

import orjson
from pydantic import JsonValue

from infx.model.corpus import Skewed, SyntheticCorpus
from infx.workloads.arrivals import normal
from infx.workloads.draws import Draws, derive, seed_key

MODEL = "agent"
WORKERS = 3
WORKER_TURNS = 2
KINDS = ("explore", "plan", "review", "test")
PARTS = 1 << 32
"""Chances are whole parts of this."""

_EXACT = Context(prec=40, rounding=ROUND_HALF_EVEN)
Row = dict[str, JsonValue]

PRESETS: Mapping[str, SyntheticCorpus] = MappingProxyType(
    {
        "coding": SyntheticCorpus(),
        "demo": SyntheticCorpus(
            traces=20,
            block_tokens=16,
            global_layer=64,
            group_layer=32,
            groups=3,
            session_layer=Skewed(mean=24, median=16),
            new_input=Skewed(mean=24, median=16),
            output=Skewed(mean=14, median=10),
            max_output=48,
            agent_pause=Skewed(mean=0.25, median=0.18),
            human_pause=Skewed(mean=1.0, median=0.7),
            max_prompt=400,
            turns=Skewed(mean=7, median=6),
            fan_out=0.13,
            subagent_layer=48,
            subagent_turns=Skewed(mean=3, median=2.5),
            nested=0.15,
            first_token=0.05,
            prefill_rate=2_000,
            decode_rate=100,
        ),
    }
)
"""Corpora by name: one shaped like recorded coding sessions, and a tiny one for small models."""


def rows(corpus: SyntheticCorpus) -> Iterator[bytes]:
    """Yield the lines of the corpus, each one trace and its line break."""
    key = seed_key("synthetic corpus", corpus.seed)
    weights = _zipf(corpus.groups, corpus.zipf)
    for number in range(corpus.traces):
        draws = Draws(derive(key, f"trace {number}"))
        session = _Session(corpus, draws, group=_weighted(draws, weights))
        yield orjson.dumps(session.trace(f"synthetic-{number:05d}")) + b"\n"


def skewed(draws: Draws, of: Skewed) -> Decimal:
    """Draw from a lognormal distribution: median * exp(s * z), with s² = 2 ln(mean / median)."""
    median = Decimal(repr(of.median))
    ratio = _EXACT.divide(Decimal(repr(of.mean)), median)
    spread = _EXACT.sqrt(_EXACT.multiply(Decimal(2), _EXACT.ln(ratio)))
    grown = _EXACT.exp(_EXACT.multiply(spread, Decimal(normal(draws))))
    return _EXACT.multiply(median, grown)


def _zipf(groups: int, power: float) -> list[int]:
    """Return the running sums of 1/rank^power, in millionths of millionths."""
    exponent = -Decimal(repr(power))
    logs = (_EXACT.multiply(exponent, _EXACT.ln(Decimal(rank))) for rank in range(1, groups + 1))
    return list(accumulate(max(1, int(_EXACT.exp(log).scaleb(12))) for log in logs))


def _weighted(draws: Draws, sums: Sequence[int]) -> int:
    drawn = draws.below(sums[-1])
    return next(place for place, upto in enumerate(sums) if drawn < upto)


def _chance(draws: Draws, share: float) -> bool:
    return draws.below(PARTS) < int(PARTS * Decimal(repr(share)))


@dataclass(slots=True)
class _Agent:
    """One conversation while it is made: what its prompts begin with, and its prompt now."""

    layers: list[int]
    prompt: list[int]
    known: int = 0
    """Blocks of the prompt that a call of this conversation has sent before."""
    calls: list[Row] = field(default_factory=list)


class _Session:
    """One trace while it is made. Times are whole milliseconds of the session."""

    def __init__(self, corpus: SyntheticCorpus, draws: Draws, *, group: int) -> None:
        self._corpus = corpus
        self._draws = draws
        # Ids of the shared layers come first: they are the same in all traces of the corpus.
        shared = self._blocks(corpus.global_layer)
        grouped = self._blocks(corpus.group_layer)
        delegated = self._blocks(corpus.subagent_layer)
        first = shared + group * grouped
        self._layers = [*range(shared), *range(first, first + grouped)]
        last = shared + corpus.groups * grouped
        self._delegated = list(range(last, last + delegated))
        self._ids = count(last + delegated)
        self._rows: list[tuple[int, Row]] = []
        self._agents = count(1)

    def trace(self, name: str) -> Row:
        """Make the whole session and return it as one weka row."""
        corpus = self._corpus
        self._play()
        ordered = [row for _, row in sorted(self._rows, key=lambda placed: placed[0])]
        _state_pauses(ordered)
        requests: list[JsonValue] = list(ordered)
        return {
            "id": name,
            "models": [MODEL],
            "block_size": corpus.block_tokens,
            "hash_id_scope": "local",
            "tool_tokens": 0,
            "system_tokens": corpus.block_tokens * len(self._layers),
            "requests": requests,
        }

    def _play(self) -> None:
        own = self._fresh(self._sized(self._corpus.session_layer))
        agent = _Agent([*self._layers, *own], [*self._layers, *own, *self._fresh(self._new())])
        now = 0
        for _ in range(self._count(self._corpus.turns)):
            end = self._call(agent, now, kind="s")
            self._rows.append((now, agent.calls[-1]))
            if _chance(self._draws, self._corpus.fan_out):
                done = self._fan_out(end)
                end = end if _chance(self._draws, self._corpus.background) else max(end, done)
            self._grow(agent)
            now = end + self._pause()

    def _call(self, agent: _Agent, now: int, *, kind: str) -> int:
        """Add a call to a conversation and return when it ended."""
        corpus = self._corpus
        out = min(corpus.max_output, max(1, round(skewed(self._draws, corpus.output))))
        new = corpus.block_tokens * (len(agent.prompt) - agent.known)
        first_ms = round(1000 * (corpus.first_token + new / corpus.prefill_rate))
        took_ms = first_ms + round(1000 * out / corpus.decode_rate)
        row: Row = {
            "t": now / 1000,
            "type": kind,
            "model": MODEL,
            "in": corpus.block_tokens * len(agent.prompt),
            "out": out,
            "hash_ids": list[JsonValue](agent.prompt),
            "api_time": took_ms / 1000,
        }
        if kind == "s":
            row["ttft"] = first_ms / 1000
        agent.calls.append(row)
        agent.known = len(agent.prompt)
        return now + took_ms

    def _grow(self, agent: _Agent) -> None:
        """Add the answer and what came after it to the prompt, or compact it."""
        corpus, answered = self._corpus, agent.calls[-1]["out"]
        assert isinstance(answered, int)
        added = self._blocks(answered) + self._new()
        size = corpus.block_tokens * (len(agent.prompt) + added)
        share = min(1.0, size / corpus.max_prompt)
        chance = min(1.0, corpus.reset * (1 + (corpus.reset_growth - 1) * share))
        if size > corpus.max_prompt or _chance(self._draws, chance):
            agent.prompt = list(agent.layers)
            agent.known = len(agent.layers)
            added = self._new()
        room = corpus.max_prompt // corpus.block_tokens - len(agent.prompt)
        agent.prompt = [*agent.prompt, *self._fresh(max(1, min(added, room)))]

    def _fan_out(self, after: int) -> int:
        """Add subagents that start one after the other at once; return when all had ended."""
        ends = [after]
        for _ in range(1 + self._draws.below(self._corpus.fan_out_most)):
            after += 10 + self._draws.below(190)
            ends.append(self._subagent(after))
        return max(ends)

    def _subagent(self, start: int) -> int:
        task = self._fresh(self._new())
        agent = _Agent([*self._delegated, *task], [*self._delegated, *task])
        inner: list[tuple[int, Row]] = []
        now = end = start
        turns = self._count(self._corpus.subagent_turns)
        for turn in range(turns):
            end = self._call(agent, now, kind="n")
            inner.append((now, agent.calls[-1]))
            if 0 < turn < turns - 1 and _chance(self._draws, self._corpus.nested):
                end = self._workers(agent, end, inner)
            self._grow(agent)
            now = end + self._pause(agents_only=True)
        self._rows.append((start, self._entry(start, end, inner)))
        return end

    def _workers(self, agent: _Agent, after: int, inner: list[tuple[int, Row]]) -> int:
        """Add unlabelled calls of workers that share the subagent's layers; return their end."""
        ends = []
        for _ in range(WORKERS):
            after += 10 + self._draws.below(90)
            worker = _Agent(agent.layers, [*agent.layers, *self._fresh(self._new())])
            now = after
            for _ in range(WORKER_TURNS):
                end = self._call(worker, now, kind="n")
                inner.append((now, worker.calls[-1]))
                self._extend(worker)
                now = end + self._pause(agents_only=True)
            ends.append(end)
        return max(ends)

    def _extend(self, worker: _Agent) -> None:
        answered = worker.calls[-1]["out"]
        assert isinstance(answered, int)
        worker.prompt = [*worker.prompt, *self._fresh(self._blocks(answered) + 1)]

    def _entry(self, start: int, end: int, inner: list[tuple[int, Row]]) -> Row:
        calls = [row for _, row in sorted(inner, key=lambda placed: placed[0])]
        kind = self._draws.pick(KINDS)
        return {
            "t": start / 1000,
            "type": "subagent",
            "agent_id": f"{kind}_{next(self._agents):03d}",
            "subagent_type": kind,
            "duration_ms": end - start,
            "total_tokens": sum(_whole(row["in"]) + _whole(row["out"]) for row in calls),
            "tool_use_count": None,
            "status": "completed",
            "requests": list[JsonValue](calls),
            "models": [MODEL],
            "tool_tokens": 0,
            "system_tokens": self._corpus.block_tokens * len(self._delegated),
        }

    def _pause(self, *, agents_only: bool = False) -> int:
        agents = agents_only or _chance(self._draws, self._corpus.agent_share)
        of = self._corpus.agent_pause if agents else self._corpus.human_pause
        return max(1, round(1000 * skewed(self._draws, of)))

    def _count(self, of: Skewed) -> int:
        return max(1, round(skewed(self._draws, of)))

    def _new(self) -> int:
        return self._sized(self._corpus.new_input)

    def _sized(self, of: Skewed) -> int:
        """Draw a length in blocks, at least 1."""
        return max(1, self._blocks(int(skewed(self._draws, of))))

    def _blocks(self, tokens: int) -> int:
        return -(-tokens // self._corpus.block_tokens)

    def _fresh(self, blocks: int) -> list[int]:
        return [next(self._ids) for _ in range(blocks)]


def _whole(value: JsonValue) -> int:
    assert isinstance(value, int)
    return value


def _state_pauses(ordered: Sequence[Row]) -> None:
    """Add `think_time`, the distance from the end of the row before, as recorders do."""
    end_ms: int | None = None
    for row in ordered:
        start_ms = round(1000 * _number(row["t"]))
        if row["type"] == "subagent":
            end_ms = start_ms + _whole(row["duration_ms"])
            continue
        if end_ms is not None:
            row["think_time"] = max(0, start_ms - end_ms) / 1000
        end_ms = start_ms + round(1000 * _number(row["api_time"]))


def _number(value: JsonValue) -> float:
    assert isinstance(value, int | float)
    return value

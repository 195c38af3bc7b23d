"""Engine mode: moments that follow from the load by a stated formula.

Admission. At most `slots` requests run. The queue is first in, first out; its head is admitted at
the moment when a slot is free and its prompt and asked tokens fit into the `kv_tokens` that
running requests have not reserved.

Prefill. A request must have U = prompt - cached tokens computed. `prefill_rate` R is shared
equally by the k requests that are in prefill: each advances by R/k tokens a second. So

    integral of R / k(t) dt, from admitted to first token, = U

and with n equal prompts admitted together each first token comes after n U / R seconds. The first
chunk is sent when prefill ends.

Decode. All sequences advance together, one chunk a step. A step that begins with n sequences lasts

    step_base + step_per_sequence * n

A request joins at the first step that begins at or after its first token; with no step under way
one begins at once. A sequence whose client left still counts in the step under way.

Prefix cache. Cached are the leading full blocks of a prompt that a prompt admitted before it has
too, but never the whole prompt: the last token is always computed. Engines name the blocks of a
prompt when they schedule it, so blocks that are still being computed count, and nobody waits for
them; where their request leaves before its first token they are forgotten. The cache holds
`kv_tokens / block_size` blocks, the least recently used go first. Answers are not cached.

Events of the model take effect at their own moments, in order, before an arrival that follows
them, even when the loop's timer came late; the log has both (`admitted_ns` is the model's moment,
writes are real ones).
"""

from collections import deque
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import count
from math import ceil

from infx.clock import NS, Clock
from infx.servers.truth.ask import Ask
from infx.servers.truth.pace import Pacer
from infx.servers.truth.prefix_cache import PrefixCache
from infx.servers.truth.refusal import Refusal
from infx.servers.truth.reply import Reply
from infx.servers.truth.script import EngineModel

_NOTHING = 1e-6
"""Tokens of prefill that count as none: the rest of a duration rounded to whole nanoseconds."""


class Engine:
    """The state of the model: queue, requests in prefill, and the decode step under way.

    `_fresh` are the blocks that each request in prefill was the first to name.

    Prefill is kept as one clock of work: it has given `_work` tokens to every request that was
    there all along, and a request admitted at work w is done at w + U.
    """

    def __init__(self, model: EngineModel, pacer: Pacer, clock: Clock) -> None:
        self._model = model
        self._pacer = pacer
        self._clock = clock
        self._cache = PrefixCache(model.kv_tokens // model.block_size)
        self._queue: deque[Reply] = deque()
        self._active: dict[Reply, None] = {}
        self._reserved = 0
        self._prefill: list[tuple[float, int, Reply]] = []
        self._fresh: dict[Reply, list[int]] = {}
        self._orders = count()
        self._work = 0.0
        self._work_ns = 0
        self._joining: list[Reply] = []
        self._step: list[Reply] = []
        self._step_end: int | None = None
        self._armed: int | None = None

    @property
    def running(self) -> int:
        """How many requests hold a slot."""
        return len(self._active)

    @property
    def waiting(self) -> int:
        """How many requests are in the queue."""
        return len(self._queue)

    @property
    def kv_usage(self) -> float:
        """The share of the KV pool that prompts and answers of running requests fill."""
        held = sum(reply.ask.prompt_tokens + reply.done for reply in self._active)
        return held / self._model.kv_tokens

    def check(self, ask: Ask) -> None:
        """Refuse a request that is longer than the KV pool."""
        if (asked := _reserve(ask)) > self._model.kv_tokens:
            what = f"{asked} tokens of prompt and answer exceed the {self._model.kv_tokens} served"
            raise Refusal(400, what, code="context_length_exceeded")

    def accept(self, reply: Reply) -> None:
        """Queue the reply, and admit it if there is room."""
        now = self._clock.now()
        self._run(now)
        self._queue.append(reply)
        self._admit(now)
        self._arm()

    def forget(self, reply: Reply) -> None:
        """Take a dropped reply out, wherever it is, and let the queue move up."""
        now = self._clock.now()
        self._run(now)
        if reply in self._active:
            self._advance(now)
            self._prefill = [entry for entry in self._prefill if entry[2] is not reply]
            heapify(self._prefill)
            self._joining = [other for other in self._joining if other is not reply]
            self._cache.discard(self._fresh.pop(reply, ()))
            self._release(reply)
            self._admit(now)
        elif reply in self._queue:
            self._queue.remove(reply)
            self._admit(now)
        self._arm()

    def _next_prefill(self) -> int | None:
        if not self._prefill:
            return None
        missing = (self._prefill[0][0] - self._work) * len(self._prefill)
        return self._work_ns + max(0, ceil(missing / self._model.prefill_rate * NS))

    def _next(self) -> int | None:
        moments = [at for at in (self._next_prefill(), self._step_end) if at is not None]
        return min(moments, default=None)

    def _run(self, now: int) -> None:
        """Let everything happen that was due until now, in order."""
        while (due := self._next()) is not None and due <= now:
            if due == self._next_prefill():
                self._end_prefills(due)
            else:
                self._end_step(due)
            self._admit(due)

    def _tick(self, due: int) -> None:
        if due == self._armed:
            self._armed = None
            self._run(self._clock.now())
            self._arm()

    def _arm(self) -> None:
        due = self._next()
        if due is not None and (self._armed is None or due < self._armed):
            self._armed = due
            self._pacer.at(due, partial(self._tick, due))

    def _admit(self, moment: int) -> None:
        while self._queue and len(self._active) < self._model.slots:
            reserve = _reserve(self._queue[0].ask)
            if self._reserved + reserve > self._model.kv_tokens:
                return
            reply = self._queue.popleft()
            self._active[reply] = None
            self._reserved += reserve
            self._advance(moment)
            prompt, size = reply.ask.prompt_tokens, self._model.block_size
            usable = reply.ask.blocks[: max(0, prompt - 1) // size]
            cached = self._cache.hits(usable) * size
            self._fresh[reply] = self._cache.add(reply.ask.blocks)
            heappush(self._prefill, (self._work + prompt - cached, next(self._orders), reply))
            reply.admit(moment, cached)

    def _advance(self, moment: int) -> None:
        if self._prefill:
            share = self._model.prefill_rate / len(self._prefill)
            self._work += share * (moment - self._work_ns) / NS
        else:
            self._work = 0.0
        self._work_ns = moment

    def _end_prefills(self, moment: int) -> None:
        self._advance(moment)
        while self._prefill and self._prefill[0][0] <= self._work + _NOTHING:
            reply = heappop(self._prefill)[2]
            del self._fresh[reply]
            self._cache.add(reply.ask.blocks)
            if reply.emit():
                self._joining.append(reply)
            else:
                self._release(reply)
        if self._step_end is None:
            self._begin_step(moment)

    def _end_step(self, moment: int) -> None:
        ended, self._step = self._step, []
        for reply in ended:
            if reply.emit():
                self._step.append(reply)
            else:
                self._release(reply)
        self._begin_step(moment)

    def _begin_step(self, moment: int) -> None:
        self._step += self._joining
        self._joining = []
        model, n = self._model, len(self._step)
        lasts = round((model.step_base_s + model.step_per_sequence_s * n) * NS)
        self._step_end = moment + lasts if n else None

    def _release(self, reply: Reply) -> None:
        if reply in self._active:
            del self._active[reply]
            self._reserved -= _reserve(reply.ask)


def _reserve(ask: Ask) -> int:
    return ask.prompt_tokens + ask.tokens

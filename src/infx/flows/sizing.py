"""Where a run's prompts come from, and what sized them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import JsonValue

from infx.errors import MachineError, Problem
from infx.flows.options import BenchOptions
from infx.model.agentic import AgenticWorkload
from infx.model.workload import FixedWorkload
from infx.wire.chat import PATHS, prompt_tokens
from infx.wire.fetch import Client, Reply

if TYPE_CHECKING:
    from infx.workloads.dataset import DatasetPrompts
    from infx.workloads.prompts import PromptSource
    from infx.workloads.tokenizer import LocalTokenizer

OVERHEAD_TEXT = "one two three four"
USER = ("user",)


@dataclass(frozen=True, slots=True)
class Sizing:
    """The workload as it will be asked, its prompts, and the facts that a point's file keeps.

    `prompt_count` is how many prompts a dataset has; other sources never repeat one.
    """

    workload: FixedWorkload
    prompts: "PromptSource"
    facts: Mapping[str, JsonValue] = field(default_factory=dict)
    prompt_count: int | None = None

    def passes(self, sessions: int) -> int:
        """Return how often the prompts are gone through to make that many sessions."""
        return 1 if self.prompt_count is None else -(-sessions // self.prompt_count)


@dataclass(frozen=True, slots=True)
class Given:
    """What the user's own files say of the prompts: at most one of the two."""

    dataset: "DatasetPrompts | None" = None
    tokenizer: "LocalTokenizer | None" = None


def open_given(options: BenchOptions) -> Given:
    """Read the dataset or the tokenizer that the options name; raises InputError for a bad one."""
    if options.dataset is not None:
        from infx.workloads.dataset import open_dataset

        return Given(dataset=open_dataset(options.dataset, options.fixed()))
    if options.tokenizer is not None:
        from infx.workloads.tokenizer import open_tokenizer

        return Given(tokenizer=open_tokenizer(options.tokenizer))
    return Given()


@dataclass(slots=True)
class TokenCounts:
    """The server's own counts of prompts; what was counted once is not asked again."""

    client: Client
    model: str
    known: dict[bytes, int] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """All prompt tokens that the server was made to count."""
        return sum(self.known.values())

    async def of(
        self, workload: FixedWorkload | AgenticWorkload, text: str, roles: Sequence[str] = USER
    ) -> int:
        """Return the count of a prompt as the workload asks it: one token is asked after it.

        A chat says the text once in each of the `roles`. Raises MachineError when the server does
        not tell.
        """
        prompt: dict[str, Any] = {"prompt": text}
        if workload.api == "chat":
            prompt = {"messages": [{"role": role, "content": text} for role in roles]}
        asked = {"model": self.model, "temperature": 0, **workload.extra_body, **prompt}
        body = orjson.dumps({**asked, "max_tokens": 1})
        if body not in self.known:
            reply = await self.client.post(PATHS[workload.api], body)
            self.known[body] = _prompt_tokens(reply)
        return self.known[body]


async def size_prompts(
    workload: FixedWorkload, given: Given, counts: TokenCounts, talk: Callable[[str], None]
) -> Sizing:
    """Return the prompts of a run: a dataset's, a tokenizer's, or sized by the server's own count.

    Raises MachineError when the server's counts cannot be used.
    """
    dataset, tokenizer = given.dataset, given.tokenizer
    if dataset is not None:
        if dataset.skipped:
            talk(f"{dataset.skipped} conversations without a human turn are passed over")
        stated = workload.model_copy(update={"dataset": dataset.digest})
        return Sizing(stated, dataset, prompt_count=len(dataset))

    async def count_tokens(text: str) -> int:
        return await counts.of(workload, text)

    if tokenizer is not None:
        overhead = await count_tokens(OVERHEAD_TEXT) - tokenizer.count(OVERHEAD_TEXT)
        stated = workload.model_copy(update={"tokenizer": tokenizer.digest})
        prompts = tokenizer.prompts(stated, overhead=overhead)
        return Sizing(stated, prompts, {"overhead_tokens": overhead})

    from infx.workloads.calibration import calibrate
    from infx.workloads.word_prompts import WordPrompts

    if not counts.known:
        talk("calibrating prompt lengths against the server's own token count")
    calibration = await calibrate(count_tokens)
    return Sizing(workload, WordPrompts(calibration.vocabulary, workload), calibration.facts())


def _prompt_tokens(reply: Reply) -> int:
    """Return the prompt tokens that an answer tells; raises MachineError where it does not."""
    if reply.status != 200:
        shown = reply.body[:200].decode("utf-8", "replace")
        remedy = "does the server speak this API? --api completions or --api chat"
        raise MachineError(Problem(f"HTTP {reply.status}: {shown!r}", reply.url, remedy))
    tokens = prompt_tokens(reply.json())
    if tokens is None:
        remedy = "give --tokenizer PATH, or prompts of your own with --dataset FILE"
        raise MachineError(Problem("the answer has no usage.prompt_tokens", reply.url, remedy))
    return tokens

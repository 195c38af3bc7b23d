"""The text that stands for a replay's recorded sessions, and what sized it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from pydantic import JsonValue

from infx.flows.sizing import OVERHEAD_TEXT, Given, TokenCounts
from infx.model.agentic import AgenticWorkload
from infx.workloads.agentic import Template
from infx.workloads.blocks import (
    DRIFT_BLOCKS,
    TAIL_BLOCK,
    Drift,
    PassageBlocks,
    TextSource,
    drift,
    drift_message,
    word_passage,
)
from infx.workloads.calibration import calibrate, tolerance

if TYPE_CHECKING:
    from infx.workloads.tokenizer import LocalTokenizer

MARKER_LIKE = "[rid:9d6aad41d719]\n\n"
"""As long to a tokenizer as the marker of a play, give or take a token."""


@dataclass(frozen=True, slots=True)
class BlockSizing:
    """A replay's workload as it will be asked, its text, what the server adds, and the facts."""

    workload: AgenticWorkload
    source: TextSource
    template: Template
    facts: Mapping[str, JsonValue]


async def size_blocks(
    workload: AgenticWorkload, given: Given, counts: TokenCounts, talk: Callable[[str], None]
) -> BlockSizing:
    """Return the text of a replay: cut by a tokenizer, or sized by the server's own count.

    Raises MachineError when the server's counts cannot be used, InputError when no text is exact.
    """
    if given.tokenizer is not None:
        return await _cut_blocks(workload, given.tokenizer, counts, talk)

    async def count_tokens(text: str) -> int:
        return await counts.of(workload, text)

    if not counts.known:
        talk("calibrating prompt lengths against the server's own token count")
    calibration = await calibrate(count_tokens)
    template = await _template(workload, counts, overhead=calibration.overhead)
    source = PassageBlocks(word_passage(calibration.vocabulary, workload.seed), workload.seed)
    by_server = await _drift(workload, source, counts, overhead=calibration.overhead)
    facts = dict(calibration.facts())
    facts["template_tokens"] = asdict(template)
    facts["text_drift"] = {"server": by_server._asdict()}
    return BlockSizing(workload, source, template, facts)


async def _cut_blocks(
    workload: AgenticWorkload,
    tokenizer: "LocalTokenizer",
    counts: TokenCounts,
    talk: Callable[[str], None],
) -> BlockSizing:
    """Return the text of a replay as a tokenizer cuts it; tell when the server counts otherwise."""
    overhead = await counts.of(workload, OVERHEAD_TEXT) - tokenizer.count(OVERHEAD_TEXT)
    template = await _template(workload, counts, overhead=overhead)
    source = PassageBlocks(tokenizer.passage(workload.seed), workload.seed)
    stated = workload.model_copy(update={"tokenizer": tokenizer.digest})
    by_server = await _drift(workload, source, counts, overhead=overhead)
    asked, counted = by_server.asked_tokens, by_server.counted_tokens
    if abs(counted - asked) > tolerance(asked):
        what = f"the server counts {counted} tokens where the tokenizer made {asked}"
        talk(f"{what}: is it the served model's?")
    drifts: dict[str, JsonValue] = {
        "tokenizer": drift(source, tokenizer)._asdict(),
        "server": by_server._asdict(),
    }
    facts: dict[str, JsonValue] = {"template_tokens": asdict(template), "text_drift": drifts}
    return BlockSizing(stated, source, template, facts)


async def _drift(
    workload: AgenticWorkload, source: TextSource, counts: TokenCounts, *, overhead: int
) -> Drift:
    """Ask the server how many tokens a message of made text has."""
    counted = await counts.of(workload, drift_message(source, 0))
    return Drift(1, DRIFT_BLOCKS * TAIL_BLOCK, counted - overhead)


async def _template(workload: AgenticWorkload, counts: TokenCounts, *, overhead: int) -> Template:
    """Ask the server what it adds to several messages, and how long a marker is to it."""
    text = OVERHEAD_TEXT
    alone = await counts.of(workload, text)
    three = await counts.of(workload, text, ("user", "assistant", "user"))
    led = await counts.of(workload, text, ("system", "user"))
    marked = await counts.of(workload, f"{MARKER_LIKE}{text}")
    own = alone - overhead
    return Template(
        prompt=overhead, system=led - 2 * own, pair=three - alone - 2 * own, marker=marked - alone
    )

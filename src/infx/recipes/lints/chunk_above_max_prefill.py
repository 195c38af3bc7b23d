"""A prefill chunk is larger than the tokens that a prefill batch may take.

What: SGLang ends a prefill batch at `max-prefill-tokens` (16384 unless stated) and cuts it at
`chunked-prefill-size`, which attention data parallelism divides; the lint compares the two for one
rank. For vLLM without chunked prefill it compares `max-model-len` with `max-num-batched-tokens`.

Why: only a single prompt as long as the chunk ever fills it, so shorter prompts are prefilled in
smaller batches than the recipe says; a prompt longer than vLLM's batch is refused.

Fails: `chunked-prefill-size: 32768` with `max-prefill-tokens: 16384` on one rank; the same chunk
alone, for inputs of 8192 tokens.

Passes: chunk 131072 over 8 attention ranks (16384 each); a role that only decodes; a chunk above
the default budget for a workload whose prompts are longer, or not known.

Fix: raise `max-prefill-tokens` to the chunk of one rank, or lower the chunk.
"""

from collections.abc import Iterator

from infx.errors import Problem
from infx.recipes.binding import Binding
from infx.recipes.lint import Context
from infx.recipes.settings import Settings, count, is_on, role_settings, stated, where
from infx.recipes.topology import RoleFacts, facts, whole

SGLANG_DEFAULT = 16384


def check(binding: Binding, context: Context) -> Iterator[Problem]:
    """Yield a problem for each role that prefills in chunks above its budget."""
    known = facts(binding.tree)
    for name, role in known.roles.items():
        settings = role_settings(binding, name)
        if name == "decode":
            continue
        if known.engine == "sglang":
            yield from _sglang(binding, role, settings, context)
        elif known.engine == "vllm":
            yield from _vllm(binding, settings)


def _sglang(
    binding: Binding, role: RoleFacts, settings: Settings, context: Context
) -> Iterator[Problem]:
    chunk = stated(settings, "chunked-prefill-size")
    tokens = whole(chunk.value) if chunk else None
    if chunk is None or tokens is None:
        return
    ranks = (role.dp or 1) if role.dp_attention else 1
    budget = stated(settings, "max-prefill-tokens")
    most = whole(budget.value) if budget else SGLANG_DEFAULT
    if most is None or tokens // ranks <= most:
        return
    if budget is None and (context.isl is None or context.isl >= tokens // ranks):
        return
    each = f" ({tokens // ranks} for each of {ranks} ranks)" if ranks > 1 else ""
    said = "is" if budget else "is not stated and is"
    yield Problem(
        f"{chunk.spelling} is {tokens}{each}, max-prefill-tokens {said} {most}",
        where(binding, (budget or chunk).path),
        f"set max-prefill-tokens to {tokens // ranks}, or lower the chunk",
    )


def _vllm(binding: Binding, settings: Settings) -> Iterator[Problem]:
    off = stated(settings, "enable-chunked-prefill")
    longest = count(settings, "max-model-len")
    budget = stated(settings, "max-num-batched-tokens")
    most = whole(budget.value) if budget else None
    if off is None or off.value is not False or is_on(settings, "enable-chunked-prefill"):
        return
    if budget is not None and most is not None and longest is not None and most < longest:
        yield Problem(
            f"chunked prefill is off, {budget.spelling} {most} is below max-model-len {longest}",
            where(binding, budget.path),
            f"raise it to {longest}, or let prompts be chunked",
        )

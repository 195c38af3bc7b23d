"""The longest request of the workload does not fit the server's context.

What: compares the context of each role (`context-length`, `max-model-len`, `max_seq_len`) with the
tokens of the longest request: input and output for a role that generates, input for prefill, the
longest history for an agentic corpus. For TensorRT-LLM without chunked prefill the input must also
fit `max_num_tokens`.

Why: the server refuses or cuts such requests, and the point measures another workload.

Fails: `context-length: 8192` for 8192 input and 1024 output tokens.

Passes: `max_seq_len: 9419` for the same; a context that is left to the checkpoint.

Fix: raise the context to the tokens that the workload needs.
"""

from collections.abc import Iterator

from infx.errors import Problem
from infx.recipes.binding import Binding
from infx.recipes.lint import Context
from infx.recipes.settings import Settings, is_on, role_settings, roles_of, stated, where
from infx.recipes.topology import facts, whole

CONTEXTS = {
    "sglang": "context-length",
    "vllm": "max-model-len",
    "atom": "max-model-len",
    "trtllm": "max_seq_len",
}


def check(binding: Binding, context: Context) -> Iterator[Problem]:
    """Yield a problem for each role that the longest request does not fit."""
    engine = facts(binding.tree).engine
    for name in roles_of(binding):
        needs = _needs(name, context)
        if engine is None or needs is None:
            continue
        settings = role_settings(binding, name)
        limit = stated(settings, CONTEXTS.get(engine, ""))
        tokens = whole(limit.value) if limit else None
        if limit is not None and tokens is not None and 0 < tokens < needs:
            yield Problem(
                f"{limit.spelling} of {name} is {tokens}, the longest request needs {needs}",
                where(binding, limit.path),
                f"raise it to {needs} or more",
            )
        if engine == "trtllm" and name != "decode" and context.isl is not None:
            yield from _unchunked(binding, settings, context.isl)


def _needs(role: str, context: Context) -> int | None:
    if context.isl is None:
        return context.longest
    return context.isl if role == "prefill" else context.isl + (context.osl or 0)


def _unchunked(binding: Binding, settings: Settings, isl: int) -> Iterator[Problem]:
    limit = stated(settings, "max_num_tokens")
    tokens = whole(limit.value) if limit else None
    if limit is None or tokens is None or is_on(settings, "enable_chunked_prefill"):
        return
    if tokens < isl:
        yield Problem(
            f"{limit.spelling} is {tokens}, an input has {isl} and is not chunked",
            where(binding, limit.path),
            f"raise it to {isl} or more, or set enable_chunked_prefill",
        )

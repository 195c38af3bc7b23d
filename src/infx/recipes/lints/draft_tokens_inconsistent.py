"""The numbers that describe a draft contradict each other.

What: for SGLang, one chain of drafts (`speculative-eagle-topk: 1`) verifies one token more than it
has steps; DSpark verifies its block and one token; DFlash verifies its block. For TensorRT-LLM the
two names of the draft length must agree.

Why: the engine corrects one of them silently or refuses to start, so that the recipe does not say
what runs, and the golden acceptance length may be looked up for another draft.

Fails: `speculative-num-steps: 3`, `speculative-eagle-topk: 1`, `speculative-num-draft-tokens: 8`.

Passes: 3 steps, top-k 1, 4 draft tokens; DSpark block 6 with 7 draft tokens; top-k above 1, whose
tree may have any size.

Fix: state the number that the others give, or leave it out.
"""

from collections.abc import Iterator

from infx.errors import Problem
from infx.recipes.binding import Binding
from infx.recipes.lint import Context
from infx.recipes.settings import Setting, Settings, count, role_settings, roles_of, stated, where
from infx.recipes.topology import facts, whole

TOKENS = "speculative-num-draft-tokens"


def check(binding: Binding, context: Context) -> Iterator[Problem]:
    """Yield a problem for each role whose draft numbers disagree."""
    engine = facts(binding.tree).engine
    for name in roles_of(binding):
        settings = role_settings(binding, name)
        if engine == "sglang":
            yield from _sglang(binding, settings)
        elif engine == "trtllm":
            yield from _trtllm(binding, settings)


def _sglang(binding: Binding, settings: Settings) -> Iterator[Problem]:
    method = stated(settings, "speculative-algorithm")
    tokens = stated(settings, TOKENS)
    if method is None or tokens is None:
        return
    expected, why = _expected(str(method.value), settings)
    if expected is not None and whole(tokens.value) != expected:
        yield Problem(
            f"{tokens.spelling} is {tokens.value}, {why} verifies {expected}",
            where(binding, tokens.path),
            f"state {expected}, or leave it to the engine",
        )


def _expected(method: str, settings: Settings) -> tuple[int | None, str]:
    """Return the tokens that the other numbers give, and in words which numbers these are."""
    if method == "DSPARK":
        block = count(settings, "speculative-dspark-block-size")
        return (None if block is None else block + 1), f"a DSpark block of {block}"
    if method == "DFLASH":
        block = count(settings, "speculative-dflash-block-size")
        return block, f"a DFlash block of {block}"
    steps = count(settings, "speculative-num-steps")
    if steps is None or count(settings, "speculative-eagle-topk") != 1:
        return None, ""
    return steps + 1, f"a chain of {steps} steps"


def _trtllm(binding: Binding, settings: Settings) -> Iterator[Problem]:
    lengths: tuple[Setting, ...] = settings.get("speculative_config.max_draft_len", ())
    if len({one.value for one in lengths if whole(one.value) is not None}) > 1:
        first, *rest = lengths
        said = " and ".join(f"{one.spelling} {one.value}" for one in lengths)
        yield Problem(
            f"the draft length is stated as {said}",
            where(binding, rest[-1].path),
            f"state it once (the other stands at {where(binding, first.path)})",
        )

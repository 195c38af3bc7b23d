"""The golden curve has no acceptance length for the drafts of this recipe.

What: compares the draft length of the generating role (for DFlash one less than its draft tokens)
with the lengths that the golden curve of the model and method has.

Why: an agentic point with a draft runs at the golden acceptance length; without one it cannot be
submitted, and the launch is refused.

Fails: a draft length of 9 with a curve from 1 to 8.

Passes: a length that the curve has; a recipe without a draft, or without a known curve.

Fix: draft as many tokens as the curve has a value for, or measure the missing cell.
"""

from collections.abc import Iterator

from infx.errors import Problem
from infx.recipes.binding import Binding
from infx.recipes.lint import Context
from infx.recipes.settings import where
from infx.recipes.topology import facts


def check(binding: Binding, context: Context) -> Iterator[Problem]:
    """Yield a problem when the draft length is not one of the golden ones."""
    draft = facts(binding.tree).speculation
    if context.golden is None or draft is None or draft.length is None or draft.source is None:
        return
    if draft.length not in context.golden:
        known = ", ".join(map(str, sorted(context.golden))) or "none"
        yield Problem(
            f"{draft.method} drafts {draft.length} tokens, the golden lengths are {known}",
            where(binding, draft.source),
            "draft one of these lengths, or measure its acceptance length",
        )

"""One setting is stated under two names with two values.

What: finds settings of a role that are stated more than once under different spellings, such as
`tp-size` and `tensor-parallel-size`, or `max_num_batched_tokens` and `max-num-batched-tokens`.

Why: an override under one name does not replace the base under the other; both reach the command
line, and which of them wins depends on their order there.

Fails: `tensor-parallel-size: 8` in the base and `tp-size: 4` in an override.

Passes: one spelling in all layers; two that say the same.

Fix: use one spelling, and remove the other with null.
"""

from collections.abc import Iterator

from infx.errors import Problem
from infx.recipes.binding import Binding
from infx.recipes.lint import Context
from infx.recipes.settings import role_settings, roles_of, where


def check(binding: Binding, context: Context) -> Iterator[Problem]:
    """Yield a problem for each setting whose spellings disagree."""
    for name in roles_of(binding):
        for statements in role_settings(binding, name).values():
            *others, last = statements
            different = [one for one in others if str(one.value) != str(last.value)]
            if not different:
                continue
            first = different[0]
            yield Problem(
                f"{first.spelling} {first.value} and {last.spelling} {last.value} of {name} are "
                "one setting",
                where(binding, last.path),
                f"keep one of them; the other stands at {where(binding, first.path)}",
            )

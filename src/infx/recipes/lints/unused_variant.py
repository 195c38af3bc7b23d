"""No point of the catalog uses a variant.

What: asks for each `override_*` and `zip_override_*` of a bundle whether any row of the master
configuration resolves to it.

Why: it is never run, looks as if it were, and grows stale; most often the concurrency it was made
for is missing from the row's list.

Fails: `override_c28` when the row has `conc-list: [1, 4, 20]`.

Passes: a variant that a point resolves to; a file of which no row is known.

Fix: add the concurrency to the row, or remove the variant.
"""

from collections.abc import Iterator

from infx.errors import Problem
from infx.recipes.binding import Binding
from infx.recipes.lint import Context


def check(binding: Binding, context: Context) -> Iterator[Problem]:
    """Yield a problem for a variant that is known to be unused."""
    if context.used is not False or binding.variant in ("", "base"):
        return
    lines = [
        origin.line
        for origins in binding.origins.values()
        for origin in origins
        if origin.layer == binding.variant and origin.file == binding.file
    ]
    yield Problem(
        f"no point uses {binding.variant}",
        f"{binding.file}:{min(lines)}" if lines else binding.file,
        "add its concurrency to the row of the master configuration, or remove it",
    )

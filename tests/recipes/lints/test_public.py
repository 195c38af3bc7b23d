"""The lints over every public recipe: they speak of what is in the files, and of little."""

from collections import Counter

from infx.flows.recipe_check import Asked, check_recipes
from recipe_files import public_recipes

LINTED = {
    # Prefill chunks of 24,576 tokens and more on one rank, 8,192 tokens an input, and no budget;
    # one variant states both, 32,768 against 8,192.
    "chunk-above-max-prefill": 11,
    # Agentic variants that cap admission on purpose (6), GLM-5 and MiniMax-M3 variants whose decode
    # holds less than half of the concurrency (5).
    "running-requests-below-concurrency": 11,
    # Capture sizes of 256 and 128 tokens under 512 sequences.
    "graph-batch-below-concurrency": 2,
}


def test_what_the_lints_say_of_the_public_recipes():
    found = check_recipes(Asked(files=[str(path) for path in public_recipes()]))
    counts = Counter(
        one.id for one in found.findings if one.id not in ("structure", "engine-schema")
    )
    assert (found.files, found.bindings) == (480, 592)
    assert counts == LINTED

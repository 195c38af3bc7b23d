"""Fewer requests may run than the benchmark keeps in flight.

What: compares the requests that the server runs at once (SGLang's `max-running-requests` of all
workers, `max-num-seqs` or `max_batch_size` times the data-parallel ranks) with the highest
concurrency of the points that use the recipe. Disaggregated servers are kept full on purpose, and
requests are also in prefill and in transfer: there decode must hold half of the concurrency, or
decode and prefill together all of it.

Why: the rest waits in the engine's queue, so that time to first token measures the queue, and the
point is no different from one of a lower concurrency.

Fails: `max-running-requests: 64` at concurrency 128; SGLang with a draft and no such setting (its
cap is then 48) at concurrency 64.

Passes: a limit of at least the concurrency, over all ranks; a limit that nobody states.

Fix: raise the limit, or drop the concurrencies above it.
"""

from collections.abc import Iterator

from infx.errors import Problem
from infx.recipes.admission import Limit, Server, admitted, decoder, serving
from infx.recipes.binding import Binding
from infx.recipes.lint import Context
from infx.recipes.settings import where


def check(binding: Binding, context: Context) -> Iterator[Problem]:
    """Yield a problem when the admission is below the highest concurrency."""
    generating, prefilling = decoder(binding), serving(binding, "prefill")
    limit = admitted(generating) if generating else None
    if generating is None or limit is None or context.peak is None:
        return
    capacity = limit.per_rank * generating.ranks
    if prefilling is not None:
        more = admitted(prefilling)
        held = capacity + (more.per_rank * prefilling.ranks if more else 0)
        if 2 * capacity >= context.peak or held >= context.peak:
            return
    if 0 < capacity < context.peak:
        path = limit.setting.path if limit.setting else ("roles", generating.name, "args")
        yield Problem(
            f"{_says(limit, generating)} lets {capacity} requests run, the benchmark keeps "
            f"{context.peak}",
            where(binding, path),
            f"raise it to hold {context.peak}, or leave out concurrencies above {capacity}",
        )


def _says(limit: Limit, generating: Server) -> str:
    says = f"{limit.name} {limit.setting.value}" if limit.setting else f"no {limit.name}"
    ranks = generating.ranks
    return f"{says} of {generating.name}" + (f" ({ranks} ranks)" if ranks > 1 else "")

"""Which concurrencies a search space has, and what a cap does to them.

The three branches cap differently, as the public generator does: a range on one node is clipped
before it is expanded, so that a cap can make a point that the file does not name; a list, or a
range over several nodes, is filtered after, and falls back to the cap when nothing is left; agent
sessions are only filtered.
"""

from collections.abc import Sequence

from infx.matrix.options import Options
from infx.model.catalog import SearchSpace


def span(start: int, end: int, step: int = 2) -> tuple[int, ...]:
    """Return start, start x step, ... below end, and end.

    >>> span(4, 48)
    (4, 8, 16, 32, 48)
    """
    values = []
    while start < end:
        values.append(start)
        start *= step
    return (*values, end)


def written(space: SearchSpace, step: int) -> tuple[int, ...]:
    """Return the concurrencies of a search space, in the order of the file."""
    if space.conc_list is not None:
        return space.conc_list
    assert space.conc_start is not None
    assert space.conc_end is not None
    return span(space.conc_start, space.conc_end, step)


def fixed(space: SearchSpace, options: Options, *, multinode: bool) -> tuple[int, ...]:
    """Return what the caps leave of a search space with fixed lengths; nothing drops it."""
    clips = space.conc_list is None and not multinode
    values = _clipped(space, options) if clips else _capped(space, options)
    return _chosen(values, options.conc)


def agentic(space: SearchSpace, options: Options) -> tuple[int, ...]:
    """Return what the bounds leave of a search space for agent sessions."""
    low, high = options.min_conc, options.max_conc
    values = [
        conc
        for conc in written(space, options.step_size)
        if (low is None or conc >= low) and (high is None or conc <= high)
    ]
    return _chosen(values, options.conc)


def _clipped(space: SearchSpace, options: Options) -> tuple[int, ...]:
    assert space.conc_start is not None
    assert space.conc_end is not None
    start, end = space.conc_start, space.conc_end
    if options.min_conc is not None:
        if end < options.min_conc:
            return ()
        start = max(start, options.min_conc)
    if options.max_conc is not None:
        start, end = min(start, options.max_conc), min(end, options.max_conc)
    return span(start, end, options.step_size)


def _capped(space: SearchSpace, options: Options) -> tuple[int, ...]:
    values = written(space, options.step_size)
    if options.min_conc is not None:
        values = tuple(conc for conc in values if conc >= options.min_conc)
    if options.max_conc is None or not values:
        return values
    return tuple(conc for conc in values if conc <= options.max_conc) or (options.max_conc,)


def _chosen(values: Sequence[int], asked: Sequence[int]) -> tuple[int, ...]:
    return tuple(conc for conc in values if conc in asked) if asked else tuple(values)

"""Whether one score says that the answers are right: a number, of all samples, at its floor."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from infx.model.config_facts import Config, Point
from infx.model.run_facts import Eval
from infx.policy.context import Context
from infx.recipes.images import same_image
from infx.recipes.registries import floor

Z95 = 1.96
"""Standard errors on either side of a score in which it lies 19 times of 20."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a score is held to, and by which row. `samples` are all of the task, None if unknown.

    A diagnostic task fails for what broke, never for its score.
    """

    floor: Decimal
    rule: str
    diagnostic: bool
    samples: int | None


def held(row: Eval, prefix: str, context: Context) -> Held | None:
    """Return what a score of a model is held to, None where no rule says it.

    What the repository's own registry says wins over ours. A row of it that could not be read is no
    missing row: nothing lower takes its place.
    """
    known = floor(context.thresholds, prefix=prefix, task=row.task)
    diagnostic = known is not None and known.diagnostic
    samples = known.samples if known is not None and known.samples is not None else row.split
    if row.floor is not None:
        return Held(row.floor, row.floor_of or "its row", diagnostic, samples)
    if row.floor_of is not None:
        return None
    if known is not None:
        return Held(known.floor, f"{known.rule} {row.task}", diagnostic, samples)
    last = context.policy.last_floor
    return None if last is None else Held(last, "no row of its own", False, samples)


def number(row: Eval) -> float | None:
    """Return a score as a number from 0 to 1, None for anything else (truth values too)."""
    score = row.score
    if isinstance(score, bool) or not isinstance(score, int | float):
        return None
    return float(score) if math.isfinite(score) and 0 <= score <= 1 else None


def faults(row: Eval, bar: Held | None) -> Iterator[str]:
    """Yield what is wrong with a score; `bar` is what it is held to."""
    broken = [] if row.infrastructure_success else ["its infrastructure failed"]
    broken += [f"integration error: {row.integration_error}"] if row.integration_error else []
    score = number(row)
    if broken:
        yield "; ".join(broken)
    elif row.score is None:
        yield "it is empty: there is no score"
    elif score is None:
        yield f"its score {row.score!r} is no number from 0 to 1"
    yield from _sampling(row, bar)
    if bar is None:
        why = f"{row.floor_of} could not be read" if row.floor_of else "no row has its floor"
        yield f"could not be verified: {why}"
    elif score is not None and not broken and Decimal(str(row.score)) < bar.floor:
        yield f"{row.score} is below the floor of {bar.floor} ({bar.rule})"


def nears_floor(row: Eval, bar: Held) -> bool:
    """Return whether chance alone could have lifted a score to its floor."""
    score = number(row)
    if score is None or row.score_se is None or bar.diagnostic:
        return False
    return score - Z95 * row.score_se < float(bar.floor)


def batch_faults(row: Eval) -> Iterator[str]:
    """Yield which concurrencies of a batch have no part in a score."""
    missing = set(row.concurrency) - set(row.completed_concurrency)
    if row.failed_concurrency:
        yield f"{which(row.failed_concurrency)} of the batch failed"
    elif missing and (row.completed_concurrency or len(row.concurrency) > 1):
        yield f"{which(tuple(missing))} of the batch did not complete"


def served_faults(row: Eval, config: Config, points: Iterable[Point]) -> Iterator[str]:
    """Yield how the server that answered is not the submitted one; `points` are the config's."""
    submitted = [
        point.image
        for point in points
        if point.concurrency in row.concurrency and point.digest is not None
    ]
    images = tuple(dict.fromkeys(submitted)) or (config.image,)
    if row.image is None:
        yield "could not be verified: nothing says which image answered"
    else:
        other = [image for image in images if not same_image(row.image, image)]
        if other:
            yield f"the image {row.image} answered, and {other[0]} is submitted"
    if row.simulated_acceptance:
        yield "acceptance of drafts was simulated while it was answered"
    elif row.simulated_acceptance is None and config.speculative:
        yield "could not be verified: nothing says that acceptance of drafts was real"


def which(concurrency: tuple[int, ...]) -> str:
    """Return concurrencies as a message names them."""
    return ", ".join(f"c{one}" for one in sorted(concurrency))


def _sampling(row: Eval, bar: Held | None) -> Iterator[str]:
    whole = bar.samples if bar is not None else row.split
    if row.samples is None:
        yield "could not be verified: nothing says how many samples counted"
    elif row.samples <= 0:
        yield "it is empty: no sample counted"
    elif whole is not None and row.samples != whole:
        yield f"{row.samples} samples counted, and the whole task has {whole}"
    elif whole is None and not (bar is not None and bar.diagnostic):
        yield f"could not be verified: nothing says how many samples all of {row.task} has"

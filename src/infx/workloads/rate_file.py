"""A series of arrival rates from a file: one `seconds rate` a line."""

import math
import re
from pathlib import Path

import orjson

from infx.errors import InputError, Problem
from infx.workloads.dataset_rows import Problems

_BETWEEN = re.compile(r"[,;\s]+")
_FORM = 'write a line as 60,2.5 or as {"seconds": 60, "rate": 2.5}'
_HEADING = ["seconds", "rate"]

Series = tuple[tuple[float, float], ...]


def read_rates(path: Path) -> Series:
    """Read a second after the start and the rate from then on, in requests/s, of every line.

    Lines are CSV (comma, semicolon or white space; a first line `seconds,rate` is passed over) or
    JSON (an array of two numbers, or an object with `seconds` and `rate`). A rate holds until the
    next line's second, the last without an end; 0 asks for nothing. Raises InputError with file and
    line of every bad one, the first 20 in full.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        what = f"cannot read the rates: {error.strerror}"
        raise InputError(Problem(what, str(path), "give a file of lines: seconds rate")) from error
    except UnicodeDecodeError:
        raise InputError(Problem("not UTF-8 text", str(path), _FORM)) from None
    problems = Problems(str(path))
    series: list[tuple[float, float]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or (not series and _BETWEEN.split(line.strip()) == _HEADING):
            continue
        pair = _pair(line.strip())
        if pair is None:
            problems.add(
                number, f"expected a second and a rate, found {line.strip()[:60]!r}", _FORM
            )
            continue
        if wrong := _wrong(pair, series):
            problems.add(number, *wrong)
        series.append(pair)
    problems.require_none()
    if not any(rate for _, rate in series):
        what = "no rate is above 0" if series else "the file holds no rate"
        raise InputError(Problem(what, str(path), _FORM))
    return tuple(series)


def _pair(line: str) -> tuple[float, float] | None:
    words: list[object] = [*_BETWEEN.split(line)]
    if line[0] in "[{":
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError:
            return None
        if isinstance(row, dict):
            row = [row.pop(name, None) for name in _HEADING] if len(row) == 2 else []
        words = row
        if any(isinstance(word, bool | str) for word in words):
            return None
    try:
        second, rate = (float(word) for word in words)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return (second, rate) if math.isfinite(second) and math.isfinite(rate) else None


def _wrong(pair: tuple[float, float], before: list[tuple[float, float]]) -> tuple[str, str] | None:
    second, rate = pair
    if rate < 0:
        return f"rate {rate:g} is below 0", "use 0 to ask for nothing"
    if not before and second != 0:
        return f"the first second is {second:g}", "begin at 0, the start of the measurement"
    if before and second <= before[-1][0]:
        return f"second {second:g} does not come after {before[-1][0]:g}", "sort the lines by time"
    return None

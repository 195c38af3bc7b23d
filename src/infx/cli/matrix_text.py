"""A matrix as people read it: one line for each topology, under the entry that it belongs to."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from infx.cli.grids import printable_lines
from infx.matrix.collisions import evaluated_concs
from infx.matrix.points import evaluation, scenario
from infx.model.catalog import Worker
from infx.model.sweep import Agentic, Multi, Row


class _Line(NamedTuple):
    """What is the same for the rows of one line."""

    scenario: str
    topology: str
    more: str
    runner: str
    suite: str


def text(rows: Sequence[Row]) -> str:
    """Return each entry with its topologies and their concurrencies, then the totals.

    A concurrency that is evaluated too has a star, one that is only evaluated stands in brackets.
    """
    entries: dict[Hashable, list[Row]] = {}
    for row in rows:
        entries.setdefault(row.config_key, []).append(row)
    blocks = ["\n".join(_entry(members)) for members in entries.values()]
    return printable_lines("\n\n".join([*blocks, _totals(rows, len(entries))]))


def _entry(rows: Sequence[Row]) -> Iterator[str]:
    first = rows[0]
    runners = dict.fromkeys(row.runner for row in rows)
    runner = first.runner if len(runners) == 1 else f"{len(runners)} runners"
    yield f"{first.config_key}  ({first.model}, {first.precision}, {first.framework}, {runner})"
    lines: dict[_Line, list[str]] = {}
    for row in rows:
        shown = row.runner if len(runners) > 1 else ""
        lines.setdefault(_line(row, shown), []).extend(_concurrencies(row))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line, concs in lines.items():
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True) if width)
        yield f"  {'  '.join((*cells, ' '.join(concs)))}"


def _line(row: Row, runner: str) -> _Line:
    suite = ""
    if row.run_eval and (row.eval_suite or row.eval_only):
        found = evaluation(row)
        suite = found.suite or "gsm8k"
    return _Line(scenario(row), _topology(row), _more(row), runner, suite)


def _topology(row: Row) -> str:
    if isinstance(row, Multi):
        if not row.decode.num_worker:
            return f"{row.prefill.num_worker} x {_worker(row.prefill)}"
        return f"{_role(row.prefill, 'P')} {_role(row.decode, 'D')}"
    pp, pcp, dcp = _more_than_one(pp=row.pp, pcp=row.pcp_size, dcp=row.dcp_size)
    return f"tp{row.tp}{pp}{pcp}{dcp}{_ep(row.ep)}{_dpa(row.dp_attn)}"


def _role(worker: Worker, letter: str) -> str:
    return f"{worker.num_worker}{letter} {_worker(worker)}"


def _worker(worker: Worker) -> str:
    pp, pcp, dcp = _more_than_one(pp=worker.pp, pcp=worker.pcp_size, dcp=worker.dcp_size)
    return f"tp{worker.tp}{pp}{pcp}{dcp}{_ep(worker.ep)}{_dpa(worker.dp_attn)}"


def _more_than_one(**sizes: int) -> tuple[str, ...]:
    return tuple(f" {name}{size}" if size > 1 else "" for name, size in sizes.items())


def _ep(size: int) -> str:
    return f" ep{size}" if size > 1 else ""


def _dpa(on: bool) -> str:
    return " dpa" if on else ""


def _more(row: Row) -> str:
    """Name the speculation and the offload of a row, where it has them."""
    words: list[str] = [] if row.spec_decoding == "none" else [row.spec_decoding]
    if isinstance(row, Agentic) and row.kv_offloading != "none":
        tiers = row.kv_offloading
        where = tiers if isinstance(tiers, str) else "+".join(tiers)
        backend = f" by {row.kv_offload_backend.name}" if row.kv_offload_backend else ""
        words.append(f"kv to {where}{backend}")
    return ", ".join(words)


def _concurrencies(row: Row) -> Iterable[str]:
    checked = evaluated_concs(row) if row.run_eval else ()
    for conc in (row.conc,) if isinstance(row.conc, int) else row.conc:
        if conc not in checked:
            yield str(conc)
        else:
            yield f"({conc})" if row.eval_only else f"{conc}*"


def _totals(rows: Sequence[Row], entries: int) -> str:
    points = sum(1 if isinstance(row.conc, int) else len(row.conc) for row in rows)
    checked = sum(bool(row.run_eval) for row in rows)
    signs = {
        ("*" if not row.eval_only else "in brackets: only that") for row in rows if row.run_eval
    }
    return (
        f"{_count(entries, 'entry', 'entries')}, {_count(len(rows), 'row', 'rows')}, "
        f"{_count(points, 'point', 'points')}; {_count(checked, 'row', 'rows')} evaluated"
        + (f" ({'; '.join(sorted(signs))})" if signs else "")
    )


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"

#!/usr/bin/env python3
"""What do load clients say of a server that misbehaves? Prints one JSON line for each odd answer.

python benchmarks/load/behaviour.py                    infx beside the truth server's log
python benchmarks/load/behaviour.py --peers all        also other tools, as run.py has them
python benchmarks/load/behaviour.py --rows plain,reset

Four streams ask eight requests, first token after 0.2 s, then 40 tokens 5 ms apart. Each client
has a server of its own for each row, and its truth is what that server logged:

- ok: streamed requests that were answered 200, with at least one token, to the end and without an
  error object; failed: all others of the eight, also those that the client gave up or that met a
  closed connection, so that the server never read them.
- output_tokens: the tokens that left in the ok ones.
- ttft_ms: mean over the ok ones, from the read of the request to the write that ended the event
  with the first token, of whatever kind.

A cell agrees when ok, failed and output_tokens are equal, and TTFT differs by no more than 40 ms.
With four streams a client is late by a few milliseconds; TTFT is off by 50 where two zeros are
averaged in, by 200 where an empty role chunk is taken for a token. What a client does not tell is
null and not compared; but ok it must tell, and TTFT where the server sent tokens. `differs` names
what does not agree.

A client that takes a time limit for a request is given 5 s. One that does not end within --limit
is killed with its children, and the cell says so in `failure`, as does one that leaves no report.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from environments import Skipped, environment, tokenizer
from loads import Load, truth_server
from peers import CLIENTS, Asked
from run import NS, peer_flags, peers_of
from watched import watch

from infx.flows.runs import open_run
from infx.model.record import EndState
from infx.servers.truth.log import Sent
from infx.stats.percentile import mean
from infx.telemetry.host import facts

LOAD = Load(4, 0.2, 0.005, 40, rounds=2)
TTFT_WITHIN_MS = 40
SETTLE_S = 0.3
"""In which the server reads that a killed client has left, and logs its requests."""

UNREADABLE = (ValueError, KeyError, OSError, IndexError, TypeError)
"""What reading a report raises that is missing or of another form."""


def _faults(*names: str) -> tuple[str, ...]:
    return tuple(word for name in names for word in ("--fault", name))


ROWS: Mapping[str, tuple[str, ...]] = {
    "plain": (),
    "4-tokens-a-chunk": ("--tokens-per-chunk", "4"),
    "4-events-a-write": ("--events-per-write", "4"),
    "role-chunk-at-admission": ("--role-chunk", "admission"),
    "role-chunk-with-first-token": ("--role-chunk", "first-token"),
    "no-role-chunk": ("--role-chunk", "none"),
    "half-reasoning": ("--reasoning-share", "0.5"),
    "tool-calls-only": _faults("channels:tool_calls"),
    "empty-deltas": _faults("empty-deltas"),
    "finish-apart": _faults("finish-apart"),
    "usage-in-every-chunk": _faults("usage-always"),
    "usage-never": _faults("usage-never"),
    "no-done": _faults("no-done"),
    "crlf": _faults("crlf"),
    "comments": _faults("comments"),
    "no-space-after-data": _faults("no-space"),
    "multi-byte-text": _faults("multibyte"),
    "event-in-two-segments": _faults("split:0.002"),
    "http-chunks-of-a-byte": _faults("rechunk:1"),
    "trickle": _faults("trickle"),
    "cut-after-answer": _faults("cut"),
    "stops-early": _faults("stop:20@4"),
    "error-in-stream": _faults("error:10@4"),
    "error-event-in-stream": _faults("error-event:10@4"),
    "reset-before-head": _faults("reset:head@4"),
    "reset-in-stream": _faults("reset:10@4"),
    "reset-in-event": _faults("reset:10.5@4"),
    "close-in-stream": _faults("close:10@4"),
    "close-in-event": _faults("close:10.5@4"),
    "http-401": _faults("refuse:401@4"),
    "http-429": _faults("refuse:429@4"),
    "http-500": _faults("refuse:500@4"),
    "http-503": _faults("refuse:503@4"),
    "context-overflow": _faults("overflow@4"),
    "empty-200-with-done": _faults("empty:done@4"),
    "empty-200-with-finish": _faults("empty:finish@4"),
    "empty-200": _faults("empty:nothing@4"),
    "hang-before-head": _faults("hang:head@4"),
    "hang-in-stream": _faults("hang:10@4"),
}
"""Words for the truth server. What leaves an answer whole strikes each, else each fourth."""


@dataclass(frozen=True)
class Told:
    """What one side says of a load; None is what it does not tell."""

    ok: int
    failed: int | None
    output_tokens: int | None
    ttft_ms: float | None


Counts = tuple[int, int | None, int | None]
"""Requests ok and failed, and the output tokens of the ok ones."""


def _infx(_: str, folder: Path) -> Counts:
    (path,) = (folder / "runs").iterdir()
    run = open_run(path)
    (point,) = run.points
    records = run.bundle.records(point)
    tokens = [one.completion_tokens for one in records if one.state is EndState.OK]
    known = [one for one in tokens if one is not None]
    return len(tokens), len(records) - len(tokens), sum(known) if known == tokens else None


def _aiperf(_: str, folder: Path) -> Counts:
    (file,) = folder.rglob("profile_export_aiperf.json")
    seen = json.loads(file.read_bytes())
    count = {
        name: round((seen.get(name) or {"avg": 0})["avg"])
        for name in ("request_count", "error_request_count")
    }
    tokens = seen.get("total_osl")  # with reasoning, which its total_output_tokens leaves out
    told = None if tokens is None else round(tokens["avg"])
    return count["request_count"], count["error_request_count"], told


def _guidellm(_: str, folder: Path) -> Counts:
    (run,) = json.loads((folder / "gl.json").read_bytes())["benchmarks"]
    metrics = run["metrics"]
    totals = metrics["request_totals"]
    tokens = metrics["output_token_count"]["successful"]["total_sum"]
    return totals["successful"], totals["errored"] + totals["incomplete"], round(tokens)


def _inference_perf(_: str, folder: Path) -> Counts:
    (file,) = folder.rglob("summary_lifecycle_metrics.json")
    seen = json.loads(file.read_bytes())
    good = seen["successes"]
    tokens = round(good["output_len"]["mean"] * good["count"])
    return good["count"], seen["failures"]["count"], tokens


def _result(_: str, folder: Path) -> Counts:
    seen = json.loads((folder / "result.json").read_text().splitlines()[-1])
    return seen["completed"], seen.get("failed"), seen["total_output_tokens"]


COUNTS: Mapping[str, Callable[[str, Path], Counts]] = {
    "infx": _infx,
    "aiperf": _aiperf,
    "guidellm": _guidellm,
    "inference-perf": _inference_perf,
    "vllm": _result,
    "sglang": _result,
    "sglang-rust": _result,
}
"""How the counts are read out of what each client wrote."""

PATIENCE: Mapping[str, tuple[str, ...]] = {
    "infx": ("--request-timeout", "5s"),
    "aiperf": ("--request-timeout-seconds", "5"),
}
"""The time limit of a request, where the client has a flag for it."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    root = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    root.add_argument("--rows", default=",".join(ROWS), help=f"of {', '.join(ROWS)}")
    root.add_argument("--limit", type=float, default=90, help="seconds for a client in a row")
    peer_flags(root)
    return root


def main(words: list[str]) -> int:
    """Print a line for the host and one for each row; return 1 unless infx agrees in all."""
    options = parser().parse_args(words)
    clients = list(dict.fromkeys(["infx", *peers_of(options.peers)]))
    rows = list(dict.fromkeys(options.rows.split(",")))
    unknown = [name for name in clients if name not in COUNTS]
    unknown += [name for name in rows if name not in ROWS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}", file=sys.stderr)
        return 2
    print(json.dumps({"host": facts()}), flush=True)
    agreed = True
    with TemporaryDirectory(prefix="infx-behaviour-") as name:
        for line in _table(rows, clients, Path(name), options):
            agreed &= line["clients"]["infx"]["agrees"]
            print(json.dumps(line), flush=True)
    return 0 if agreed else 1


def _table(
    rows: list[str], clients: list[str], folder: Path, options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Yield a line for each row, with a cell for each client."""
    words = tokenizer(folder)
    pythons: dict[str, str] = {}
    skipped: dict[str, dict[str, Any]] = {}
    for client in clients:
        try:
            pythons[client] = environment(CLIENTS[client].tool, options.cache, options.python)
        except Skipped as reason:
            skipped[client] = {"skipped": str(reason)}
    for row in rows:
        cells = dict(skipped)
        for client, python in pythons.items():
            own = folder / f"{row}-{client}"
            own.mkdir()
            cells[client] = _cell(row, client, own, python, words, options.limit)
        yield {"row": row, "server": ROWS[row], "clients": cells}


def _cell(
    row: str, name: str, folder: Path, python: str, words: Path, limit_s: float
) -> dict[str, Any]:
    """Run a client against a server of its own, and return both sides."""
    load = replace(LOAD, script=ROWS[row])
    with truth_server(load, folder) as server:
        asked = Asked(load, load.streams * load.rounds, server, folder, python, words)
        argv = [*CLIENTS[name].argv(asked), *PATIENCE.get(name, ())]
        seen = watch(argv, folder, limit_s=limit_s)
        time.sleep(SETTLE_S)
        truth = logged(server.since(0), asked.requests)
    cell: dict[str, Any] = {"agrees": False, "truth": asdict(truth)}
    if seen.killed_after_s is not None:
        return cell | {"failure": seen.failure()}
    try:
        told = _told(name, seen.stdout, folder)
    except UNREADABLE:
        return cell | {"failure": seen.failure()}
    differs = list(differences(truth, told))
    return cell | {"agrees": not differs, "reported": asdict(told), "differs": differs}


def logged(rows: list[Sent], asked: int) -> Told:
    """Return what the server did, out of its log, with so many requests or more."""
    good = [row for row in rows if _whole(row)]
    tokens = sum(count for row in good for _, count in row.writes)
    firsts = [
        next(moment for moment, count in row.writes if count) - row.received_ns for row in good
    ]
    ttft = round(mean(firsts) / NS * 1000, 2) if firsts else None
    return Told(len(good), max(asked, len(rows)) - len(good), tokens, ttft)


def _whole(row: Sent) -> bool:
    broken = any(fault.partition(":")[0] in ("error", "error-event") for fault in row.faults)
    sent = any(count for _, count in row.writes)
    return row.status == 200 and row.end == "completed" and sent and not broken


def _told(name: str, stdout: str, folder: Path) -> Told:
    """Return what a client reports; raise one of UNREADABLE where it has no counts."""
    ok, failed, tokens = COUNTS[name](stdout, folder)
    try:
        ttft = round(CLIENTS[name].ttft(stdout, folder)[0] * 1000, 2)
    except UNREADABLE:
        return Told(ok, failed, tokens, None)
    return Told(ok, failed, tokens, ttft)


def differences(truth: Told, told: Told) -> Iterator[str]:
    """Yield the names of what a client reports otherwise than the server logged it."""
    if told.ok != truth.ok:
        yield "ok"
    if told.failed not in (truth.failed, None):
        yield "failed"
    if told.output_tokens not in (truth.output_tokens, None):
        yield "output_tokens"
    if truth.ttft_ms is not None and (
        told.ttft_ms is None or abs(told.ttft_ms - truth.ttft_ms) > TTFT_WITHIN_MS
    ):
        yield "ttft_ms"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Hold load clients against one truth server, and print one JSON line for each of them and load.

python benchmarks/load/run.py                 infx and the bare reader, medians of five
python benchmarks/load/run.py --quick         one short repetition
python benchmarks/load/run.py --peers all     also other tools, each in an environment of its own
python benchmarks/load/run.py --peers all --quick --loads smoke    does each tool run here?

Every figure comes from outside: CPU and memory from the kernel, rates and true TTFT from the
server's own log; only TTFT is what the client itself reports. The server has the first core and
the client the last, where there are several. Times are seconds.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from environments import Skipped, environment, tokenizer
from loads import LOADS, MEASURED, Load, Truth, truth_server
from peers import CLIENTS, Asked
from watched import Watched, watch

from infx.servers.truth.log import Sent
from infx.stats.percentile import mean, percentile
from infx.telemetry.host import cpu_waited_us, facts

NS = 1e9
LIMIT_S = 180.0
OTHERS = tuple(name for name, client in CLIENTS.items() if client.tool)
PEERS_PROMPT_BYTES = 1000
"""About what 64 tokens are, of which all other tools make their prompts."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    root = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    root.add_argument("--quick", action="store_true", help="one repetition of half the rounds")
    root.add_argument("--repetitions", type=int, default=5)
    root.add_argument("--loads", default=",".join(MEASURED), help=f"of {', '.join(LOADS)}")
    peer_flags(root)
    return root


def peer_flags(root: argparse.ArgumentParser) -> None:
    """Add the flags that name other tools and where their environments are."""
    root.add_argument("--peers", default="none", help=f"of {', '.join(OTHERS)}; or all, or none")
    root.add_argument("--python", help="makes their environments; some peers need 3.12")
    root.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "infx-peers")


def peers_of(text: str) -> list[str]:
    """Return the names after --peers, known or not."""
    if text == "all":
        return list(OTHERS)
    return [name for name in text.split(",") if name not in ("", "none")]


def main(words: list[str]) -> int:
    """Measure what is asked; return 0 when infx was measured at every load."""
    options = parser().parse_args(words)
    peers = peers_of(options.peers)
    unknown = [name for name in peers if name not in CLIENTS]
    unknown += [name for name in options.loads.split(",") if name not in LOADS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}", file=sys.stderr)
        return 2
    print(json.dumps({"host": facts(), "quick": options.quick}), flush=True)
    failed = False
    for name in options.loads.split(","):
        for line in _session(name, ["bare", "infx", *peers], options):
            failed |= line["client"] == "infx" and "skipped" in line
            print(json.dumps(line), flush=True)
    return 1 if failed else 0


def _session(
    name: str, clients: list[str], options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Yield a line for each client of one load: all on one server, taking turns."""
    load = LOADS[name]
    rounds = max(1, load.rounds // 2) if options.quick else load.rounds
    found: dict[str, list[dict[str, float]]] = {client: [] for client in clients}
    why: dict[str, str] = {}
    with TemporaryDirectory(prefix="infx-load-") as folder:
        words = tokenizer(Path(folder))
        with truth_server(load, Path(folder)) as truth:
            for turn in range(1 if options.quick else options.repetitions):
                for client in (one for one in clients if one not in why):
                    own = Path(folder) / f"{client}-{turn}"
                    own.mkdir()
                    try:
                        _askable(load, client)
                        python = environment(CLIENTS[client].tool, options.cache, options.python)
                        asked = Asked(load, load.streams * rounds, truth, own, python, words)
                        found[client].append(_measure(client, asked))
                    except Skipped as reason:
                        why[client] = str(reason)
    for client in clients:
        line: dict[str, Any] = {"load": name, "client": client}
        if client in why:
            yield line | {"skipped": why[client]}
            continue
        rows = found[client]
        yield line | {"repetitions": len(rows)} | {key: _median(rows, key) for key in rows[0]}


def _askable(load: Load, client: str) -> None:
    """Raise Skipped where the client would be asked another load than the others."""
    if CLIENTS[client].tool and load.prompt_bytes > PEERS_PROMPT_BYTES:
        raise Skipped("it is asked prompts of 64 tokens here, which is another load")


def _median(rows: list[dict[str, float]], key: str) -> float | None:
    values = [row[key] for row in rows if row[key] is not None]
    return float(f"{median(values):.5g}") if values else None


def _measure(name: str, asked: Asked) -> dict[str, Any]:
    """Run a client once; raise Skipped when it fails."""
    known = asked.truth.size()
    client = CLIENTS[name]
    waited = cpu_waited_us()
    seen = watch(client.argv(asked), asked.folder, limit_s=LIMIT_S)
    pressure = None if waited is None else (cpu_waited_us() or 0) - waited
    if seen.code:
        raise Skipped(seen.failure())
    try:
        ttft = client.ttft(seen.stdout, asked.folder)
    except (ValueError, KeyError, OSError, IndexError) as error:
        raise Skipped(f"its report has no TTFT: {error!r}") from None
    rows = _new(asked.truth, known, asked.load)
    firsts = client.firsts(seen.stdout, asked.folder) if client.firsts else {}
    return (
        _figures(asked, seen, ttft, rows)
        | _read_late(rows, firsts)
        | {"cpu_waited_s": None if pressure is None else pressure / 1e6}
    )


def _new(truth: Truth, known: int, load: Load) -> list[Sent]:
    rows = [row for row in truth.since(known) if row.asked_tokens == load.tokens]
    if not rows:
        raise Skipped("the server saw none of its requests")
    return rows


def _figures(
    asked: Asked, seen: Watched, ttft: tuple[float, float], rows: list[Sent]
) -> dict[str, Any]:
    load = asked.load
    done = [row for row in rows if row.end == "completed" and row.first_token_ns is not None]
    start, end = min(row.received_ns for row in rows), max(row.ended_ns for row in rows)
    lasted = (end - start) / NS
    events = sum(row.completion_tokens for row in rows)
    truth = sorted((row.first_token_ns - row.received_ns) / NS for row in done)  # type: ignore[operator]
    rate, ideal = len(done) / lasted, load.ideal_rate
    open_s = sum(row.ended_ns - row.received_ns for row in rows) / NS
    memory = seen.memory_between(start, end)
    return {
        "requests": len(done),
        "asked": asked.requests,
        "events_per_s": events / lasted,
        "cpu_us_per_event": seen.cpu_between(start, end) / events * 1e6,
        "ttft_bias_mean_ms": (ttft[0] - mean(truth)) * 1000,
        "ttft_p99_excess_ms": (ttft[1] - percentile(truth, 99)) * 1000,
        "truth_ttft_mean_ms": mean(truth) * 1000,
        "truth_ttft_p99_ms": percentile(truth, 99) * 1000,
        "kept": None if ideal is None else rate / ideal,
        "concurrency": open_s / lasted,
        "memory_mb": None if memory is None else memory / 1e6,
        "start_to_first_request_s": (start - seen.started_ns) / NS,
    }


def _read_late(rows: list[Sent], firsts: dict[str, int]) -> dict[str, float | None]:
    """Return the client's own part of the bias: from the write of a first token to its read.

    The rest is what requests waited until the server read them.
    """
    late = sorted(
        (firsts[row.request_id] - row.first_token_ns) / 1e6
        for row in rows
        if row.request_id in firsts and row.first_token_ns is not None
    )
    if not late:
        return {"read_late_mean_ms": None, "read_late_p99_ms": None}
    return {"read_late_mean_ms": mean(late), "read_late_p99_ms": percentile(late, 99)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

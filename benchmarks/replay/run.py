#!/usr/bin/env python3
"""Replay long agent sessions against the truth server, and print one JSON line for each client.

python benchmarks/replay/run.py                  infx with 64 and 320 lanes
python benchmarks/replay/run.py --peers aiperf   also aiperf's agentic replay of the same corpus
python benchmarks/replay/run.py --quick          64 lanes for 10 s

The corpus is drawn anew: sessions whose prompts grow to 200,000 tokens. CPU and memory are the
kernel's, of the client's whole process tree; rates are the server's log. The window begins with the
first request of the measurement and has the stated length, so making the prompts is not in it; what
that took is told beside it. The server has the first core and the client the last, where there are
several. Times are seconds.

The exit code is 1 where infx fails or needs a core-second for each request: a client that counted
the tokens of whole histories on its loop did (T2, kubernetes-sigs/inference-perf#648).
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "load"))

from environments import Skipped, environment, tokenizer
from loads import Load, Truth, truth_server
from peers import AIPERF
from watched import Watched, watch

from infx.flows.runs import Run, open_run
from infx.load.plan import Plan
from infx.model.corpus import Skewed
from infx.model.record import Phase, RequestRecord
from infx.servers.truth.log import Sent
from infx.stats.percentile import percentile
from infx.store.bundles import point_folder
from infx.store.plans import read_plan
from infx.telemetry.host import cpu_waited_us, facts
from infx.workloads.trace.synthetic import PRESETS, rows

NS = 1e9
LIMIT_S = 1800.0
MOST_CPU_MS = 1000.0
"""A request of a replay costs less."""
TTFT_S, GAP_S = 0.3, 0.02
CORPUS = PRESETS["coding"].model_copy(
    update={
        "traces": 64,
        "turns": Skewed(mean=60, median=50),
        "fan_out": 0.03,
        "subagent_turns": Skewed(mean=8, median=6),
        "agent_share": 0.9,
    }
)
"""Prompts, answers and pauses of recorded sessions, cut to the turns of a short measurement."""


@dataclass(frozen=True)
class Asked:
    """What a client is asked: sessions on so many lanes, for so many seconds."""

    lanes: int
    duration: int
    corpus: Path
    truth: Truth
    folder: Path
    python: str
    tokenizer: Path


def _infx(asked: Asked) -> list[str]:
    return [
        str(Path(sys.executable).with_name("infx")), "bench", asked.truth.url,
        "--workload", f"agentic:{asked.corpus}", "--concurrency", str(asked.lanes),
        "--duration", f"{asked.duration}s", "--warmup", "0", "--grace", "30s",
        "--format", "json", "--out", str(asked.folder / "runs"),
    ]  # fmt: skip


def _aiperf(asked: Asked) -> list[str]:
    """Ask aiperf for the same sessions; it is spared counting tokens itself."""
    return [
        str(Path(asked.python).with_name("aiperf")), "profile",
        "--scenario", "inferencex-agentx-mvp", "--unsafe-override",
        "--custom-dataset-type", "weka-trace", "--input-file", str(asked.corpus),
        "-m", "truth", "--tokenizer", str(asked.tokenizer), "--use-server-token-count",
        "--url", asked.truth.url, "--endpoint-type", "chat", "--streaming",
        "--concurrency", str(asked.lanes), "--benchmark-duration", str(asked.duration),
        "--benchmark-grace-period", "30", "--extra-inputs", "ignore_eos:true",
        "--random-seed", "42", "--ui", "none", "--artifact-dir", str(asked.folder / "aiperf"),
    ]  # fmt: skip


CLIENTS: dict[str, Callable[[Asked], list[str]]] = {"infx": _infx, "aiperf": _aiperf}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    root = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    root.add_argument("--quick", action="store_true", help="64 lanes for 10 s")
    root.add_argument("--lanes", default="64,320", help="numbers of lanes (default 64,320)")
    root.add_argument("--duration", type=int, default=60, help="seconds (default 60)")
    root.add_argument(
        "--tokens-per-chunk", type=int, default=1, help="as a server that speculates (default 1)"
    )
    root.add_argument("--peers", default="", help="aiperf")
    root.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "infx-peers")
    return root


def main(words: list[str]) -> int:
    """Measure what is asked; return 0 when infx was measured, and cheap, for every load."""
    options = parser().parse_args(words)
    clients = ["infx", *(name for name in options.peers.split(",") if name)]
    if unknown := [name for name in clients if name not in CLIENTS]:
        print(f"unknown: {', '.join(unknown)}", file=sys.stderr)
        return 2
    print(json.dumps({"host": facts(), "duration": _duration(options)}), flush=True)
    failed = False
    with TemporaryDirectory(prefix="infx-replay-") as name:
        for line in _lines(clients, options, Path(name)):
            if line["client"] == "infx":
                failed |= "skipped" in line or line["cpu_ms_per_request"] >= MOST_CPU_MS
            print(json.dumps(line), flush=True)
    return 1 if failed else 0


def _duration(options: argparse.Namespace) -> int:
    return 10 if options.quick else options.duration


def _lines(
    clients: list[str], options: argparse.Namespace, folder: Path
) -> Iterator[dict[str, Any]]:
    """Yield the line of each number of lanes and client, each on a server of its own."""
    corpus, words = write_corpus(folder / "corpus"), tokenizer(folder)
    chunk = options.tokens_per_chunk
    for lanes in [64] if options.quick else map(int, options.lanes.split(",")):
        load = Load(lanes, TTFT_S, GAP_S * chunk, 0, tokens_per_chunk=chunk)
        for client in clients:
            own = folder / f"{client}-{lanes}"
            own.mkdir()
            line = {"benchmark": "replay", "client": client, "lanes": lanes}
            try:
                python = environment(AIPERF if client == "aiperf" else None, options.cache)
                with truth_server(load, own) as truth:
                    asked = Asked(lanes, _duration(options), corpus, truth, own, python, words)
                    yield line | {"tokens_per_chunk": chunk} | measure(client, asked)
            except Skipped as reason:
                yield line | {"skipped": str(reason)}


def write_corpus(folder: Path) -> Path:
    """Write one file a session, as both clients read them."""
    folder.mkdir()
    for number, row in enumerate(rows(CORPUS)):
        (folder / f"{number:05d}.json").write_bytes(row)
    return folder


def measure(client: str, asked: Asked) -> dict[str, Any]:
    """Run a client once; raise Skipped when it fails."""
    waited = cpu_waited_us()
    seen = watch(CLIENTS[client](asked), asked.folder, limit_s=LIMIT_S)
    pressure = None if waited is None else ((cpu_waited_us() or 0) - waited) / 1e6
    if seen.code:
        last = [line for line in (seen.stderr or seen.stdout).splitlines() if line.strip()]
        raise Skipped(f"exit code {seen.code}: {last[-1][:200] if last else 'it said nothing'}")
    measured = [row for row in asked.truth.since(0) if (row.asked_tokens or 0) > 1]
    if not measured:
        raise Skipped("the server saw none of its requests")
    found = _figures(asked, seen, measured) | {"cpu_waited_s": pressure}
    return found | (_own(asked) if client == "infx" else {})


def _figures(asked: Asked, seen: Watched, rows: list[Sent]) -> dict[str, Any]:
    start = min(row.received_ns for row in rows)
    end = start + int(asked.duration * NS)
    inside = [row for row in rows if row.received_ns <= end]
    cpu = seen.cpu_between(start, end)
    tokens = sum(row.prompt_tokens or 0 for row in inside)
    return {
        "requests": len(inside),
        "completed": sum(row.end == "completed" for row in inside),
        "prompt_tokens_mean": round(tokens / len(inside)),
        "prompt_tokens_most": max(row.prompt_tokens or 0 for row in inside),
        "prompt_tokens_per_s": round(tokens / asked.duration),
        "writes_per_s": round(sum(len(row.writes) for row in inside) / asked.duration),
        "cpu_ms_per_request": _short(cpu / len(inside) * 1000),
        "cpu_share": _short(cpu / asked.duration),
        "memory_mb": _megabytes(seen.memory_between(start, end)),
        "memory_mb_most": _megabytes(max((size for _, size in seen.memory), default=None)),
        "before_first_request_s": _short((start - seen.started_ns) / NS),
        "cpu_before_s": _short(seen.cpu_between(seen.started_ns, start)),
    }


def _own(asked: Asked) -> dict[str, Any]:
    """Return what only infx tells: how late it was, and what its bodies and its plan weigh."""
    (path,) = (asked.folder / "runs").iterdir()
    run = open_run(path)
    (point,) = run.points
    records = [record for record in run.bundle.records(point) if record.phase is Phase.PROFILING]
    late = sorted((record.sent_ns - record.due_ns) / 1e6 for record in records)
    files = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return {
        "late_ms_p50": _short(percentile(late, 50)),
        "late_ms_p99": _short(percentile(late, 99)),
        "body_mb_per_s": _short(sum(_bodies(run, records)) / asked.duration / 1e6),
        "plan_mb": _megabytes(len(read_plan(point_folder(path, point)))),
        "bundle_mb": _megabytes(files),
        "reasons": run.result.reasons,
    }


def _bodies(run: Run, records: list[RequestRecord]) -> Iterator[int]:
    """Yield the bytes of each prompt."""
    plan = Plan(memoryview(read_plan(point_folder(run.bundle.path, run.points[0]))))
    for record in records:
        yield sum(map(len, plan.prompt(plan.turns_of(record.session)[record.turn])))


def _megabytes(size: int | None) -> float | None:
    return None if size is None else _short(size / 1e6)


def _short(value: float) -> float:
    return float(f"{value:.4g}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Summarise a long replay, and print one JSON line of what that takes.

python benchmarks/summary/run.py            90,000 requests of 500 chunks, an hour
python benchmarks/summary/run.py --quick    a tenth of the requests

The journal is drawn anew, 320 lanes, chunks 5 to 30 ms apart. Memory is the highest that the kernel
has seen of this process, first when the journal is read, then when the summary is made.
"""

import argparse
import json
import resource
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from infx.clock import NS, cpu_ns
from infx.flows.keyed import keyed
from infx.flows.summary import summarise
from infx.model.agentic import AgenticWorkload
from infx.model.bundle import PhaseWindow, PointFile
from infx.model.launch import Endpoint
from infx.model.recipe import BoundRecipe
from infx.model.record import EndState, Issue, Phase, RequestRecord
from infx.store.journal import Journal, records

REQUESTS, CHUNKS, LANES = 90_000, 500, 320
PROMPT, CACHED = 80_000, 70_000
START_NS, TURN_NS = 10**12, 13 * NS


def write(path: Path, requests: int) -> None:
    """Write a journal in which every request ended ok."""
    random = np.random.default_rng(1)
    with Journal(path) as journal:
        for number in range(requests):
            turn, lane = divmod(number, LANES)
            sent = START_NS + turn * TURN_NS + lane * TURN_NS // LANES
            gaps = random.integers(5_000_000, 30_000_000, CHUNKS - 1).tolist()
            first = sent + int(random.integers(100_000_000, NS))
            journal.issue(
                Issue(number, lane, turn, lane, Phase.PROFILING, sent, sent, PROMPT, CHUNKS)
            )
            journal.end(
                RequestRecord(
                    number,
                    lane,
                    turn,
                    lane,
                    Phase.PROFILING,
                    EndState.OK,
                    sent,
                    sent,
                    first + sum(gaps),
                    PROMPT,
                    CHUNKS,
                    status=200,
                    first_byte_ns=first,
                    first_content_ns=first,
                    first_output_ns=first,
                    late_ns=1_000,
                    gaps_ns=gaps,
                    finish="length",
                    prompt_tokens=PROMPT,
                    completion_tokens=CHUNKS,
                    cached_tokens=CACHED,
                )
            )
            if number % LANES == 0:
                journal.flush()


def point(seen: tuple[RequestRecord, ...]) -> PointFile:
    """Return the point of such a journal."""
    start, end = seen[0].sent_ns, max(one.end_ns or 0 for one in seen)
    workload = AgenticWorkload.under(
        "custom", corpus="sha256:" + "0" * 64, duration_s=(end - start) / NS
    )
    made = keyed(
        BoundRecipe(name="endpoint"),
        workload,
        concurrency=LANES,
        endpoint=Endpoint(url="http://127.0.0.1", model="m"),
    )
    window = PhaseWindow(phase=Phase.PROFILING, start_ns=start, end_ns=end)
    return made.model_copy(update={"phases": (window,)})


def peak_mib() -> float:
    """Return the most memory that this process ever had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20, 1)


def main() -> None:
    """Draw, read and summarise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    requests = REQUESTS // 10 if parser.parse_args().quick else REQUESTS
    with TemporaryDirectory() as folder:
        path = Path(folder) / "requests.jsonl.zst"
        write(path, requests)
        written, began = peak_mib(), cpu_ns()
        seen = records(path)
        read, middle = peak_mib(), cpu_ns()
        summary = summarise(point(seen), seen)
    print(
        json.dumps(
            {
                "requests": len(seen), "gaps": summary.metrics["chunk_gap"].n,
                "written_mib": written, "read_mib": read, "summarised_mib": peak_mib(),
                "read_cpu_s": (middle - began) / NS, "summarise_cpu_s": (cpu_ns() - middle) / NS,
            }
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()

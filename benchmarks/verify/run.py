#!/usr/bin/env python3
"""Time `infx verify` as a whole process on evidence in the public shape, and print one JSON line.

INFX_REFERENCE_DATA=FOLDER python benchmarks/verify/run.py

`one` is the submission of a published review: one config, twelve points, under the 18 public
checks. `many` has its facts a hundred times over, each for a config of its own, as when every
config gets another image. Both folders hold what such evidence rests on: catalog, changelog and
recipes at base, head and measured commit, and a megabyte of log a point; every byte is hashed.
Each figure is the best of five in seconds, start of the interpreter included, with compiled modules
at hand as an installed package has them. The anchor is a Python that starts and imports pydantic;
`reference_s` is what a language model took in public, in minutes, which nobody published closer.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter

from infx.model.submission import Submission
from infx.store.documents import read_yaml
from infx.store.evidence import write
from infx.telemetry.host import facts as host_facts

ROOT = Path(__file__).resolve().parents[2]
THREAD = ROOT / "tests" / "policy" / "threads" / "thread-000.yaml"
TURNS, MANY, POINTS = 5, 100, 12
TREES = ("configs", "srt-recipes", "perf-changelog.yaml")
GOAL_S = {"one": 2.0}
LOG = b"[2026-10-19 07:00:00] Decode batch, #running-req: 32, token usage: 0.61\n" * 14_000


def main() -> int:
    """Measure, print the line, and return 2 where the public files are not at hand."""
    data = os.environ.get("INFX_REFERENCE_DATA")
    if data is None:
        print("name the public files: INFX_REFERENCE_DATA=FOLDER", file=sys.stderr)
        return 2
    found: dict[str, list[float]] = {"one": [], "many": [], "anchor": []}
    with TemporaryDirectory(prefix="infx-bench-") as folder:
        files = raw_files(Path(data))
        evidence = {
            name: write(Path(folder) / "evidence", submission(copies), files)
            for name, copies in (("one", 1), ("many", MANY))
        }
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for turn in range(TURNS + 1):
            for name, path in evidence.items():
                seconds = took(path, environment)
                if turn:  # the first one compiles
                    found[name].append(seconds)
            if turn:
                found["anchor"].append(anchor(environment))
    best = {name: round(min(times), 3) for name, times in found.items()}
    size = sum(len(one) if isinstance(one, bytes) else one.stat().st_size for one in files.values())
    line = {"host": host_facts(), "best_s": best, "goal_s": GOAL_S, "reference_s": None}
    ratios = {name: round(best[name] / best["anchor"], 2) for name in evidence}
    print(json.dumps({**line, "per_anchor": ratios, "raw_bytes": size, "all_s": found}))
    return 0


def raw_files(data: Path) -> dict[str, bytes | Path]:
    """Return raw files as evidence of the public repository has them, by their paths."""
    files: dict[str, bytes | Path] = {}
    for tree in TREES:
        whole = data / tree
        for path in sorted(whole.rglob("*")) if whole.is_dir() else [whole]:
            if path.is_file():
                name = path.relative_to(data).as_posix()
                files |= {f"{side}/{name}": path for side in ("base", "head", "measured")}
    return files | {f"runs/1/point-{n}/server.log": LOG for n in range(POINTS)}


def submission(copies: int) -> Submission:
    """Return the facts of the review; those of each config as often as asked, under other names."""
    value = read_yaml(THREAD).value
    text = json.dumps(value["facts"] if isinstance(value, dict) else None)
    facts = json.loads(text)
    (key,) = {one["key"] for one in facts["configs"]}
    for part, items in facts.items():
        if isinstance(items, list) and key in json.dumps(items):
            facts[part] = items + [
                json.loads(json.dumps(one).replace(key, f"{key}-{n}"))
                for n in range(1, copies)
                for one in items
            ]
    return TypeAdapter(Submission).validate_json(json.dumps(facts))


def took(evidence: Path, environment: dict[str, str]) -> float:
    """Return how long a verdict takes; all its rows have to be there."""
    infx = str(Path(sys.executable).with_name("infx"))
    words = (infx, "verify", str(evidence), "--policy", "2026-10", "--format", "json")
    began = time.perf_counter()
    done = subprocess.run(words, env=environment, capture_output=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode not in (0, 1) or len(json.loads(done.stdout)["results"]) != 18:
        raise SystemExit(f"no verdict: {done.stderr.decode()}")
    return seconds


def anchor(environment: dict[str, str]) -> float:
    """Return how long a Python takes that only imports pydantic's models."""
    began = time.perf_counter()
    subprocess.run((sys.executable, "-c", "import pydantic.main"), env=environment, check=True)
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())

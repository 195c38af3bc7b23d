#!/usr/bin/env python3
"""Time `infx matrix generate` as a whole process on the public catalog, and print one JSON line.

INFX_REFERENCE_DATA=FOLDER python benchmarks/matrix/run.py

Each figure is the best of five in seconds, start of the interpreter included, with compiled modules
at hand as an installed package has them. The anchor is what the public generator spends most of its
time with, measured in the same turns: PyYAML's parser in Python over both masters. `reference` has
what was measured of that generator on two cores.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from infx.telemetry.host import facts

TURNS = 5
ONE_KEY = "dsr1-fp4-b200-sglang"
REFERENCE_S = {"full": 0.66, "one_key": 0.63, "anchor": 0.48}
GOAL_S = {"full": 0.27, "one_key": 0.22}


def main() -> int:
    """Measure, print the line, and return 2 where the public files are not at hand."""
    data = os.environ.get("INFX_REFERENCE_DATA")
    if data is None:
        print("name the public files: INFX_REFERENCE_DATA=FOLDER", file=sys.stderr)
        return 2
    folder = Path(data) / "configs"
    masters = [folder / "nvidia-master.yaml", folder / "amd-master.yaml"]
    command = [
        str(Path(sys.executable).with_name("infx")), "matrix", "generate", "--format", "json",
        "--runner-config", str(folder / "runners.yaml"), "--config-files", *map(str, masters),
    ]  # fmt: skip
    asked = {"full": command, "one_key": [*command, "--config-keys", ONE_KEY]}
    found: dict[str, list[float]] = {name: [] for name in (*asked, "anchor")}
    with TemporaryDirectory(prefix="infx-pyc-") as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for words in asked.values():
            took(words, environment)
        for _ in range(TURNS):
            for name, words in asked.items():
                found[name].append(took(words, environment))
            found["anchor"].append(anchor(masters))
    best = {name: round(min(times), 3) for name, times in found.items()}
    line = {"host": facts(), "best_s": best, "goal_s": GOAL_S, "reference_s": REFERENCE_S}
    ratios = {name: round(best[name] / best["anchor"], 3) for name in asked}
    wanted = {name: round(GOAL_S[name] / REFERENCE_S["anchor"], 3) for name in asked}
    print(json.dumps({**line, "per_anchor": ratios, "goal_per_anchor": wanted, "all_s": found}))
    return 0


def took(words: list[str], environment: dict[str, str]) -> float:
    """Return how long a command takes; its output is read and must not be empty."""
    began = time.perf_counter()
    done = subprocess.run(words, env=environment, capture_output=True, check=True)
    seconds = time.perf_counter() - began
    if not json.loads(done.stdout):
        raise SystemExit(f"no rows: {' '.join(words)}")
    return seconds


def anchor(masters: list[Path]) -> float:
    """Return how long the parser in Python takes over both masters."""
    texts = [path.read_text() for path in masters]
    began = time.perf_counter()
    for text in texts:
        yaml.load(text, Loader=yaml.SafeLoader)
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())

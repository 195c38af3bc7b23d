#!/usr/bin/env python3
"""Time the changelog's gate and `infx matrix changed` as whole processes; print one JSON line.

INFX_REFERENCE_DATA=FOLDER python benchmarks/matrix/changed.py

The public files stand in a repository of two commits. `check` judges one new entry at the end of
the real changelog, of a commit that gives one config key another image. `changed_one` compares that
commit, `changed_all` one that gives every key another image, so that both sides of every key are
rendered and every recipe is bound. Each figure is the best of five in seconds, start of the
interpreter included; the anchor is that of `run.py`. `reference` has what was measured of the
public gate, and the CPU seconds that its comparison is estimated to take for the base alone.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from run import TURNS, anchor, took

from infx.telemetry.host import facts

MASTERS = ("configs/nvidia-master.yaml", "configs/amd-master.yaml")
CHANGELOG = "perf-changelog.yaml"
GIT = shutil.which("git") or "git"
KEY = "dsv4-fp4-b200-sglang-agentic-hicache-mtp"
ENTRY = f"""
- config-keys:
    - {KEY}
  description:
    - "Use another image."
  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/XXX
"""
REFERENCE_S = {"check": 2.9, "changed_all": 29, "anchor": 0.48}
GOAL_S = {"check": 0.5, "changed_all": 2.0}


def main() -> int:
    """Measure, print the line, and return 2 where the public files are not at hand."""
    data = os.environ.get("INFX_REFERENCE_DATA")
    if data is None:
        print("name the public files: INFX_REFERENCE_DATA=FOLDER", file=sys.stderr)
        return 2
    infx = str(Path(sys.executable).with_name("infx"))
    changed = [infx, "matrix", "changed", "--base", "main", "--json"]
    asked = {
        "check": ("one", [infx, "changelog", "check", "--base", "main", "--format", "json"]),
        "changed_one": ("one", changed),
        "changed_all": ("all", changed),
    }
    found: dict[str, list[float]] = {name: [] for name in (*asked, "anchor")}
    with TemporaryDirectory(prefix="infx-bench-") as folder:
        root = Path(folder) / "repository"
        prepare(Path(data), root)
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        os.chdir(root)
        for turn in range(TURNS + 1):
            for name, (branch, words) in asked.items():
                git("checkout", "-q", branch)
                seconds = took(words, environment)
                if turn:  # the first one compiles
                    found[name].append(seconds)
            if turn:
                found["anchor"].append(anchor([root / path for path in MASTERS]))
    best = {name: round(min(times), 3) for name, times in found.items()}
    line = {"host": facts(), "best_s": best, "goal_s": GOAL_S, "reference_s": REFERENCE_S}
    ratios = {name: round(best[name] / best["anchor"], 3) for name in asked}
    wanted = {name: round(goal / REFERENCE_S["anchor"], 3) for name, goal in GOAL_S.items()}
    print(json.dumps({**line, "per_anchor": ratios, "goal_per_anchor": wanted, "all_s": found}))
    return 0


def prepare(data: Path, root: Path) -> None:
    """Make the repository: `main` with the public files, and a branch for each kind of change."""
    for part in ("configs", "srt-recipes"):
        shutil.copytree(data / part, root / part)
    shutil.copy(data / CHANGELOG, root)
    os.chdir(root)
    git("init", "-q", "-b", "main")
    commit()
    image = r"^  image: .*$"
    git("checkout", "-q", "-b", "one")
    for path in MASTERS:
        edit(root / path, rf"(^{re.escape(KEY)}:\n){image}", r"\1  image: acme/other:1")
    with (root / CHANGELOG).open("a") as file:
        file.write(ENTRY)
    commit()
    git("checkout", "-q", "-b", "all", "main")
    for path in MASTERS:
        edit(root / path, image, "  image: acme/other:1")
    commit()


def edit(path: Path, pattern: str, new: str) -> None:
    """Replace a pattern in a file."""
    path.write_text(re.sub(pattern, new, path.read_text(), flags=re.MULTILINE))


def commit() -> None:
    """Commit everything."""
    git("add", "-A")
    git("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-q", "-m", "change")


def git(*words: str) -> None:
    """Run git in the working directory."""
    subprocess.run((GIT, *words), check=True)


if __name__ == "__main__":
    sys.exit(main())

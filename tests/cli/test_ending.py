"""How the process of a command ends: with all of its output, and its own code."""

import json
import subprocess
import sys

RUN = "import sys; from infx.cli.main import run; sys.argv[0] = 'infx'; run()"


def ended(*words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", RUN, *words]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)


def test_output_arrives_whole() -> None:
    found = ended("engines", "flags", "sglang", "--format", "json")
    assert (found.returncode, found.stderr) == (0, "")
    assert len(json.loads(found.stdout)) > 500


def test_a_misuse_is_told_and_ends_with_2() -> None:
    found = ended("engnes")
    assert (found.returncode, found.stdout) == (2, "")
    assert "engines" in found.stderr

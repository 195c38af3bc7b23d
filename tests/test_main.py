"""`python -m infx` is the command `infx`: its output, its words, its exit code."""

import subprocess
import sys
from importlib.metadata import version


def run(*words: str) -> subprocess.CompletedProcess[str]:
    argv = (sys.executable, "-m", "infx", *words)
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def test_the_package_is_the_command():
    said = run("--version")
    assert (said.returncode, said.stdout, said.stderr) == (0, f"{version('infx')}\n", "")


def test_its_refusals_have_their_exit_code():
    said = run("recipe", "show", "no-such-recipe.yaml")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("infx: there is no recipe no-such-recipe.yaml; ")

"""`python -m infx.workflows.pareto_coverage`, as the public checklist calls it."""

import json
import subprocess
import sys

import pytest

from infx.cli.coverage import main

POINTS = [{"x": x, "y": x} for x in range(1, 6)]


def asked(text):
    words = (sys.executable, "-m", "infx.workflows.pareto_coverage")
    return subprocess.run(words, input=text, capture_output=True, text=True, check=False)


def test_the_public_call_counts_each_curve():
    curves = [{"key": "gb200 P90", "points": POINTS}, {"key": "gb200 P75", "points": POINTS[:3]}]
    done = asked(json.dumps(curves))
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert [(one["key"], one["status"], one["frontierPoints"]) for one in found] == [
        ("gb200 P90", "PASS", 5),
        ("gb200 P75", "WARN", 3),
    ]
    assert found[0]["frontier"][0] == {"x": 1.0, "y": 1.0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "infx: stdin: not JSON"),
        (b"[]", "infx: stdin: no curves"),
        (b"\xff", "infx: stdin: not JSON"),
        (b"[" * 100_000, "infx: stdin: not JSON"),
    ],
)
def test_input_that_is_none_is_refused(text, said, capsys):
    assert main(text) == 2
    assert capsys.readouterr().err.startswith(said)


def test_what_json_itself_lacks_is_no_evidence(capsys):
    points = json.dumps([*POINTS, {"x": float("nan"), "y": 1}, {"x": 1, "y": float("inf")}])
    assert main(f'[{{"key": "a", "points": {points}}}]'.encode()) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["status"], found["invalidPoints"]) == ("WARN", 2)

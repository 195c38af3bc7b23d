"""`infx signoff` as a transcript; the form itself has its own tests."""

import json

import pytest

import threads
from transcript import Infx, infx

__all__ = ["infx"]


@pytest.fixture
def evidence(tmp_path):
    _, submission = threads.thread("thread-000")
    path = tmp_path / "facts.json"
    path.write_text(submission.model_dump_json())
    return path


def test_the_form_is_data_and_what_is_open_is_said(infx: Infx, evidence) -> None:
    said = infx("signoff", str(evidence), "--policy", "2026-10")
    assert said.code == 0
    assert said.err == "infx: 2 of 18 statements are open\n"
    assert said.out.startswith("Open before anybody signs")
    assert said.out.endswith("\n\nSigned:\n")


def test_the_form_goes_to_a_file(infx: Infx, evidence, tmp_path) -> None:
    out = tmp_path / "form.md"
    said = infx("signoff", str(evidence), "--policy", "2026-10", "--out", str(out))
    assert (said.code, said.out) == (0, "")
    assert out.read_text().endswith("\n\nSigned:\n")


def test_an_unknown_policy_is_refused(infx: Infx, evidence) -> None:
    said = infx("signoff", str(evidence), "--policy", "2026-1")
    assert said.code == 2
    assert "did you mean" in said.verdict[0]


def test_what_changed_since_is_told_by_digests(infx: Infx, evidence, tmp_path) -> None:
    facts = json.loads(evidence.read_text())
    facts["head"] = "2" * 40
    now = tmp_path / "now.json"
    now.write_text(json.dumps(facts))
    said = infx("signoff", str(now), "--since", str(evidence))
    assert (said.code, said.out, said.err) == (0, "", "infx: no point changed since\n")
    facts["points"][3]["digest"] = "c06-c"
    now.write_text(json.dumps(facts))
    said = infx("signoff", str(now), "--since", str(evidence))
    key = "musespark-fp4-gb200-sglang-agentic-dflash"
    assert (said.code, said.out) == (1, f"{key} c6 (breakable): c06-b then, c06-c now\n")
    facts["points"] = None
    now.write_text(json.dumps(facts))
    assert infx("signoff", str(now), "--since", str(evidence)).code == 1

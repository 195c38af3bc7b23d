"""How far made text is off its asked length stands in the bundle, and in the report where it is."""

import re
from pathlib import Path

import pytest

from infx.flows.report import write_report
from infx.servers.truth.script import Script
from infx.store.datasets import demo_path
from playing import play
from replaying import PACE, agentic, replay

SHORT = {"window": None, "warmups_per_lane": 0, "duration_s": 20.0}


def page(run: object, folder: Path) -> str:
    """Return what a reader of the report sees."""
    path = write_report(run, folder / "report.html")
    text = path.read_text()
    bare = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", bare))


def test_text_sized_by_the_server_is_counted_by_it_too(tmp_path: Path) -> None:
    """192 words of one token each: three blocks of 64."""
    found = replay(tmp_path, **SHORT)
    (point,) = found.outcome.run.points
    asked = {"messages": 1, "asked_tokens": 192, "counted_tokens": 192}
    assert point.calibration["text_drift"] == {"server": asked}
    assert "How prompts were sized that are off" not in page(found.outcome.run, tmp_path)


def test_a_tokenizer_that_is_not_the_servers_is_told(tmp_path: Path) -> None:
    """The truth server counts words; the tokenizer cuts code into more tokens than that."""
    byte_level = pytest.importorskip("cut_tokens").byte_level
    byte_level(classes=True).save(str(tmp_path / "tokenizer.json"))
    outcome, _, said = play(
        tmp_path / "runs", Script(**PACE), workload=agentic(**SHORT), corpus=demo_path(),
        concurrency=(1,), tokenizer=tmp_path / "tokenizer.json",
    )  # fmt: skip
    (point,), (summary,) = outcome.run.points, outcome.run.result.points
    drift = point.calibration["text_drift"]
    assert drift["server"]["asked_tokens"] == 192
    assert drift["server"]["counted_tokens"] < 150
    assert drift["tokenizer"]["asked_tokens"] == 32 * 192
    assert abs(drift["tokenizer"]["counted_tokens"] / (32 * 192) - 1) < 0.01
    counted = drift["server"]["counted_tokens"]
    assert any(f"counts {counted} tokens where the tokenizer made 192" in line for line in said)
    assert "input-total-drift" in summary.reasons
    text = page(outcome.run, tmp_path)
    assert "How prompts were sized that are off" in text
    assert f"{counted} of 192 tokens" in text
    assert f"{drift['tokenizer']['counted_tokens']:,} of 6,144 tokens" in text

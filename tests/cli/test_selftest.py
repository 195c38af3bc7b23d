"""`infx selftest` prints what the machine certifies, in every format, and says where it is kept."""

import json

import pytest

from infx.cli import selftest
from infx.flows.selftest import Load
from infx.model.selftest import Selftest

SMALL = Load((1, 2), ttft_s=0.02, gap_s=0.002, tokens=8, requests_per_lane=1)
SPRINT = Load((1,), ttft_s=0, gap_s=0, tokens=64, events_per_write=16, requests_per_lane=1)


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Two light loads and a short sprint instead of half a minute; a cache of its own."""
    run = selftest.run_selftest
    monkeypatch.setattr(
        selftest, "run_selftest", lambda *words, **more: run(*words, **more, loads=(SMALL, SPRINT))
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "infx" / "selftests"


def test_it_prints_a_table_and_a_verdict_and_keeps_both(infx, small):
    said = infx("selftest")
    heads, _, *rows = said.out.split("\n\n")[0].splitlines()
    assert heads.split()[:3] == ["streams", "gap", "offered"]
    assert [row.split()[0] for row in rows] == ["1", "2", "1"]
    verdict = said.out.split("\n\n")[1].splitlines()
    assert verdict[0].startswith("certifies ")
    assert verdict[1].startswith("limit: ")
    assert verdict[3].startswith("server and client share this machine's ")
    (file,) = small.iterdir()
    kept = Selftest.model_validate_json(file.read_bytes())
    assert said.code == (0 if kept.largest_streams else 1)
    assert said.err.splitlines()[-1].startswith("kept: ")


@pytest.mark.parametrize(
    ("format_", "begins"),
    [("markdown", "| streams | gap (ms) | offered (events/s) |"), ("github", "::")],
)
def test_other_formats(infx, small, format_, begins):
    assert infx("selftest", "--format", format_).out.startswith(begins)


def test_json_is_what_is_kept(infx, small):
    said = infx("selftest", "--format", "json")
    (file,) = small.iterdir()
    assert json.loads(said.out)["loads"] == json.loads(file.read_bytes())["loads"]

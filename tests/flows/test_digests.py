"""What was asked is held against the digests that name it, whoever changed it and when."""

import asyncio
from pathlib import Path

import pytest

from infx.cli.bench_flags import BenchFlags, ReplayFlags
from infx.cli.bench_run import bench_options
from infx.clock import VirtualTimeLoop
from infx.flows.bench import Outcome
from infx.flows.runs import verify_run
from infx.flows.workload import Reading, describe_corpus, registered_digest
from infx.model.dataset import DatasetRegistry
from infx.model.workload import FixedWorkload
from infx.servers.truth.script import Script
from infx.store import datasets
from infx.store.bundles import PLAN
from infx.store.files import sha256_of
from playing import Accept, play
from replaying import PACE, agentic

CAPPED = "cc-traces-weka-062126-256k"
SHORT = ReplayFlags(once=True, from_start=True)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of a registered corpus in a cache; the corpus that ships lies there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = datasets.kept_path(datasets.dataset(CAPPED), tmp_path / "cache" / "infx")
    path.parent.mkdir(parents=True)
    path.write_bytes(datasets.demo_path().read_bytes())
    return path


def name_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> DatasetRegistry:
    """Let the registry state the digest that a file has now."""
    real = datasets.registry()
    stated = tuple(
        one.model_copy(update={"sha256": sha256_of(path)}) if one.name == CAPPED else one
        for one in real.datasets
    )
    named = real.model_copy(update={"datasets": stated})
    monkeypatch.setattr(datasets, "registry", lambda: named)
    return named


def replay_named(tmp_path: Path) -> tuple[Outcome, list[str]]:
    """Replay the corpus by its name, as the command does, but in virtual time."""
    flags = BenchFlags(workload=f"agentic:{CAPPED}", replay=SHORT, warmup=0)
    asked = bench_options("http://truth.test:8000", flags)
    outcome, _, said = play(
        tmp_path / "runs", Script(**PACE), workload=asked.workload, corpus=asked.corpus,
        registered=asked.registered, concurrency=(4,),
    )  # fmt: skip
    return outcome, said


def test_a_file_of_the_registry_that_was_altered_is_told(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The registry names the whole file; its last session was cut off since."""
    named = name_it(kept, monkeypatch)
    whole = kept.read_bytes()
    kept.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    outcome, said = replay_named(tmp_path)
    (point,), (summary,) = outcome.run.points, outcome.run.result.points
    found = f"sha256:{sha256_of(kept)}"
    stated = f"sha256:{named.of('capped').sha256}"
    assert found != stated
    assert point.workload.corpus == found
    differing = {"what": "registry", "stated": stated, "found": found}
    assert point.audit["digest_mismatch"] == [differing]
    assert (summary.certified, summary.reasons) == (False, ("digest-mismatch",))
    assert any("not the file that the registry of corpora names" in line for line in said)


def test_a_description_of_an_altered_file_tells_it(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    describe_corpus(CAPPED, Reading(), cache=tmp_path / "cache" / "infx", talk=said.append)
    assert len(said) == 1
    assert "not the file that the registry of corpora names" in said[0]
    name_it(kept, monkeypatch)
    describe_corpus(CAPPED, Reading(), cache=tmp_path / "cache" / "infx", talk=said.append)
    assert len(said) == 1


def test_it_is_the_same_file_by_whatever_path(tmp_path: Path, kept: Path) -> None:
    roundabout = kept.parent / ".." / kept.parent.name / kept.name
    stated = datasets.dataset(CAPPED).sha256
    assert registered_digest(roundabout, tmp_path / "cache" / "infx") == stated
    assert registered_digest(datasets.demo_path(), tmp_path / "cache" / "infx") is None


def test_a_file_that_the_registry_names_is_what_it_says(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_it(kept, monkeypatch)
    outcome, _ = replay_named(tmp_path)
    (point,), (summary,) = outcome.run.points, outcome.run.result.points
    assert point.audit["digest_mismatch"] == []
    assert summary.certified


def test_a_corpus_that_changes_after_it_was_named_is_told(tmp_path: Path) -> None:
    path = tmp_path / "sessions.jsonl"
    path.write_bytes(datasets.demo_path().read_bytes())
    workload = agentic(window=None, warmups_per_lane=0, duration_s=None)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    outcome, _, _ = play(
        tmp_path / "runs", Script(**PACE), workload=workload, corpus=path, concurrency=(4,)
    )
    (point,) = outcome.run.points
    found = f"sha256:{sha256_of(path)}"
    differing = {"what": "corpus", "stated": workload.corpus, "found": found}
    assert point.audit["digest_mismatch"] == [differing]
    assert "digest-mismatch" in outcome.run.result.points[0].reasons


def test_a_plan_that_is_changed_while_it_is_asked_is_told(tmp_path: Path) -> None:
    """One letter of one prompt, a second into the load: what is sent later is another text."""

    def before(loop: VirtualTimeLoop, accept: Accept) -> Accept:
        def connected() -> asyncio.Protocol:
            if not changed:
                changed.append(loop.call_later(1, change, loop))
            return accept()

        return connected

    def change(loop: VirtualTimeLoop) -> None:
        plan = next((tmp_path / "runs").rglob(PLAN), None)
        if plan is None:
            loop.call_later(1, change, loop)
            return
        with plan.open("r+b") as file:
            file.seek(plan.read_bytes().index(b'"content":"') + 40)
            letter = file.read(1)
            file.seek(-1, 1)
            file.write(b"x" if letter != b"x" else b"y")

    changed: list[asyncio.TimerHandle] = []
    workload = FixedWorkload(isl=64, osl=32, range_ratio=1.0)
    outcome, _, said = play(
        tmp_path / "runs", Script(ttft_s=0.5, itl_s=0.01), workload=workload, concurrency=(1,),
        before=before,
    )  # fmt: skip
    (point,), (summary,) = outcome.run.points, outcome.run.result.points
    (differing,) = point.audit["digest_mismatch"]
    assert (differing["what"], differing["stated"]) == ("plan", point.plan_digest)
    assert differing["found"] == sha256_of(next((tmp_path / "runs").rglob(PLAN)))
    assert summary.reasons == ("digest-mismatch",)
    assert "the plan was changed while it was asked" in said
    assert any("not the one that the point names" in one.what
               for one in verify_run(outcome.run.bundle.path))  # fmt: skip

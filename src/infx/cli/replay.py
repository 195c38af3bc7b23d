"""Which recorded sessions `infx bench` replays, as its flags say it."""

from dataclasses import dataclass
from pathlib import Path

from infx.cli.bench_flags import ReplayFlags
from infx.errors import InputError, Problem
from infx.model.agentic import AgenticWorkload, Rule


@dataclass(frozen=True, slots=True)
class Stated:
    """Flags of a bench that mean the same in every scenario; None is not stated."""

    seed: int | None
    duration_s: float | None
    warmups: int | None
    ignore_eos: bool
    extra_body: dict[str, object]


def replayed(
    source: str, flags: ReplayFlags, stated: Stated, *, cache: Path
) -> tuple[AgenticWorkload, Path, str | None]:
    """Return what is replayed, where its corpus is, and the digest that the registry has of it.

    Raises InputError for what cannot be replayed.
    """
    from infx.flows.workload import corpus_digest, find_corpus, registered_digest

    if flags.fast and flags.demo:
        raise InputError(Problem("a replay is either fast or a demo", "--demo", "give one of them"))
    if flags.once and stated.duration_s is not None:
        what = "sessions are played once, or for so long"
        raise InputError(Problem(what, "--once", "give one of --once and --duration"))
    rule: Rule = "fast" if flags.fast else "demo" if flags.demo else "full"
    path = find_corpus(source, cache)
    settings: dict[str, object] = {
        "seed": stated.seed,
        "duration_s": stated.duration_s,
        "warmups_per_lane": stated.warmups,
        "max_context": flags.max_context,
    }
    changes = {name: value for name, value in settings.items() if value is not None}
    if flags.from_start:
        changes["window"] = None
    if flags.once:
        changes["duration_s"] = None
    if not stated.ignore_eos:
        changes["ignore_eos"] = False
    workload = AgenticWorkload.under(
        rule, corpus=f"sha256:{corpus_digest(path)}", extra_body=stated.extra_body, **changes
    )
    return workload, path, registered_digest(path, cache)

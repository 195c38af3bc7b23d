"""The run that the flags of `infx bench` ask for."""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from infx.cli import values
from infx.cli.bench_flags import BenchFlags, ReplayFlags
from infx.cli.cache import cache_folder, selftests_folder
from infx.cli.limits import require_connections
from infx.cli.loop import run
from infx.cli.pace import pace
from infx.cli.progress import ProgressLine
from infx.clock import SystemClock
from infx.errors import InputError, Problem
from infx.flows.bench import Outcome, Watch, run_bench
from infx.flows.options import BenchOptions
from infx.flows.pace import Pace
from infx.model.agentic import AgenticWorkload
from infx.model.recipe import BoundRecipe
from infx.model.workload import FixedWorkload

_FIXED_ONLY = (
    "api", "shape", "isl", "osl", "range_ratio", "dataset", "requests", "join_warmup",
)  # fmt: skip
_MOST = 10**9
"""Above any count that a run could come to its end with."""


def measured(url: str, flags: BenchFlags) -> Outcome:
    """Run what the flags ask for, with a live line; raises InfxError as `run_bench` does."""
    options = bench_options(url, flags)
    options.check()
    open_loop = options.workload.scenario == "fixed" and options.workload.arrival is not None
    require_connections(max(options.concurrency), open_loop=open_loop)
    line = ProgressLine(time.monotonic)
    watch = Watch(line.talk, line.progress, line.point)
    return run(
        lambda brake: run_bench(options, clock=SystemClock(), brake=brake, watch=watch), line.talk
    )


def bench_options(url: str, flags: BenchFlags) -> BenchOptions:
    """Return what the flags ask for; raise InputError for what cannot be asked."""
    _check_numbers(flags)
    _, source = values.scenario(flags.workload)
    asked = pace(flags.pace)
    corpus = registered = None
    workload: FixedWorkload | AgenticWorkload
    if source is None:
        workload = _fixed(flags, asked)
    else:
        _refuse(flags, _FIXED_ONLY)
        workload, corpus, registered = _replayed(source, flags)
    return BenchOptions(
        url=url,
        workload=workload,
        corpus=corpus,
        registered=registered,
        routers=tuple(flags.replay.router or ()),
        metrics_urls=tuple(flags.replay.metrics_url or ()),
        reset_cache=flags.replay.reset_cache,
        concurrency=asked.lanes,
        rates=asked.rates or (),
        out=flags.out,
        recipe=BoundRecipe(name="endpoint", gpus=flags.gpus),
        model=flags.model,
        repetitions=flags.repetitions,
        tokenizer=flags.tokenizer,
        dataset=flags.dataset,
        headers=values.headers(flags.header),
        api_key=values.api_key(flags.api_key_env, os.environ),
        slo=values.slo(flags.slo),
        grace_s=values.seconds(flags.grace, "--grace"),
        request_timeout_s=_duration(flags.request_timeout, "--request-timeout"),
        stall_timeout_s=values.seconds(flags.stall_timeout, "--stall-timeout"),
        selftests=selftests_folder(os.environ),
        shards=flags.shards,
        command=("infx", *values.masked(sys.argv[1:])),
    )


def _fixed(flags: BenchFlags, asked: Pace) -> FixedWorkload:
    own = replace(flags.replay, metrics_url=None, reset_cache=False)
    if own != ReplayFlags():
        what = "--fast --demo --max-context --from-start --once --router belong to a replay"
        raise InputError(Problem(what, "--workload", "use agentic:demo or agentic:FILE"))
    isl, osl = _lengths(flags)
    duration = _duration(flags.duration, "--duration")
    asked.check(bounded=flags.requests is not None or duration is not None)
    return FixedWorkload(
        seed=flags.seed or 0,
        isl=isl,
        osl=osl,
        range_ratio=flags.range_ratio,
        api=flags.api,
        ignore_eos=flags.ignore_eos,
        extra_body=values.extra_body(flags.extra_body),
        requests=flags.requests,
        warmups=flags.warmup,
        duration_s=duration,
        arrival=asked.arrival,
        ramp_s=None if asked.open else asked.ramp_s,
        join_warmup=flags.join_warmup and not asked.open,
    )


def _replayed(source: str, flags: BenchFlags) -> tuple[AgenticWorkload, Path, str | None]:
    """Return what is replayed; see `replayed`."""
    from infx.cli.replay import Stated, replayed

    stated = Stated(
        seed=flags.seed,
        duration_s=_duration(flags.duration, "--duration"),
        warmups=flags.warmup,
        ignore_eos=flags.ignore_eos,
        extra_body=dict(values.extra_body(flags.extra_body)),
    )
    return replayed(source, flags.replay, stated, cache=cache_folder(os.environ))


def _refuse(flags: BenchFlags, names: Sequence[str]) -> None:
    """Refuse flags that another scenario has; raises InputError with all of them."""
    plain = BenchFlags()
    stated = [name for name in names if getattr(flags, name) != getattr(plain, name)]
    paced = [
        name
        for name in ("rate", "rate_file", "arrival", "burstiness", "max_in_flight", "ramp")
        if getattr(flags.pace, name) is not None
    ]
    problems = [
        Problem("a replay knows no such setting", f"--{name.replace('_', '-')}", "leave it out")
        for name in (*stated, *paced)
    ]
    if problems:
        raise InputError(*problems)


def _duration(text: str | None, flag: str) -> float | None:
    return None if text is None else values.seconds(text, flag)


def _check_numbers(flags: BenchFlags) -> None:
    problems = []
    least = {"requests": 1, "warmup": 0, "gpus": 1, "isl": 1, "osl": 1}
    for name, smallest in least.items():
        value = getattr(flags, name)
        if value is not None and value < smallest:
            remedy = f"use {smallest} or more"
            problems.append(Problem(f"{value} is not possible", f"--{name}", remedy))
        elif value is not None and value > _MOST:
            problems.append(Problem(f"{value} is too many", f"--{name}", f"use up to {_MOST}"))
    if not 0 < flags.range_ratio <= 1:
        what = f"{flags.range_ratio:g} is no share"
        problems.append(Problem(what, "--range-ratio", "use a number above 0 and up to 1"))
    if not 0 <= flags.max_error <= 1:
        what = f"{flags.max_error:g} is no share"
        problems.append(Problem(what, "--max-error", "use a number from 0 to 1"))
    if problems:
        raise InputError(*problems)


def _lengths(flags: BenchFlags) -> tuple[int | None, int]:
    from infx.workloads.shapes import shape

    if flags.shape is not None and (flags.isl is not None or flags.osl is not None):
        what = "a shape states both lengths already"
        raise InputError(Problem(what, "--shape", "give --shape, or --isl and --osl"))
    isl, osl = shape(flags.shape or "1k1k")
    if flags.dataset is not None:
        if flags.shape is not None or flags.isl is not None:
            what = "prompts of a dataset have their own input lengths"
            raise InputError(Problem(what, "--dataset", "give --osl alone with it"))
        return None, flags.osl or osl
    return flags.isl or isl, flags.osl or osl

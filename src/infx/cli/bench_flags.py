"""The flags of `infx bench`.

Nothing that pydantic makes is imported for them: it would be loaded before the command line is
parsed, and cyclopts would then have it check each flag once more.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from infx.cli.flags import Format, flag, several
from infx.model.asked import IN_FLIGHT, NAMED_SHAPES, Api, Process


@dataclass(frozen=True, slots=True, kw_only=True)
class PaceFlags:
    """Flags of closed and open loops."""

    concurrency: Annotated[
        list[str] | None, several("Numbers of parallel requests: 1,2,4 or 1 2 4. Default: 1.")
    ] = None
    rate: Annotated[
        list[str] | None,
        several("Send so many requests a second instead, answered or not: 0.5,1,2."),
    ] = None
    rate_file: Annotated[
        Path | None, flag("Send at rates that change: CSV or JSON lines of a second and a rate.")
    ] = None
    arrival: Annotated[
        Process | None, flag("How the gaps of a rate are distributed; default: poisson.")
    ] = None
    burstiness: Annotated[
        float | None, flag("Shape of gamma gaps: below 1 is burstier than poisson, above calmer.")
    ] = None
    max_in_flight: Annotated[
        int | None,
        flag(
            "Requests that a rate may have open; what is due beyond is counted and not sent. "
            f"Default: {IN_FLIGHT}."
        ),
    ] = None
    ramp: Annotated[
        str | None, flag("Start the parallel requests, or raise the rate, over so long: 30s.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFlags:
    """Flags of `--workload agentic:...`."""

    fast: Annotated[bool, flag("Replay for 20 minutes after a short warmup; no submission.")] = (
        False
    )
    demo: Annotated[bool, flag("Replay for 20 seconds, to have a look; no submission.")] = False
    max_context: Annotated[
        int | None, flag("Leave out sessions that need a larger context, prompt and answer.")
    ] = None
    from_start: Annotated[
        bool, flag("Begin sessions at their first turn, not somewhere in their middle.")
    ] = False
    once: Annotated[bool, flag("Play every session once, however long it takes.")] = False
    metrics_url: Annotated[
        list[str] | None,
        several("Metrics pages to read each second; default: /metrics of the server."),
    ] = None
    reset_cache: Annotated[
        bool, flag("Tell the server to forget all prefixes before each point.")
    ] = False
    router: Annotated[
        list[Literal["dynamo", "smg"]] | None,
        several("Send the session headers of this router too."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchFlags:
    """The flags of `infx bench`."""

    model: Annotated[str | None, flag("Model to ask for; default: the only one served.")] = None
    api: Annotated[Api, flag("Which OpenAI API to use.")] = "chat"
    workload: Annotated[
        str,
        flag("What is asked: fixed, or agentic:demo, agentic:NAME, agentic:FILE to replay."),
    ] = "fixed"
    replay: Annotated[ReplayFlags, Parameter(name="*")] = field(default_factory=ReplayFlags)
    shape: Annotated[
        str | None,
        flag(f"Input and output tokens: {', '.join(NAMED_SHAPES)}, or 512x64. Default: 1k1k."),
    ] = None
    isl: Annotated[int | None, flag("Input tokens of a request, chat template included.")] = None
    osl: Annotated[int | None, flag("Output tokens of a request.")] = None
    range_ratio: Annotated[
        float, flag("Lengths are uniform from ratio x length to length; 1 fixes them.")
    ] = 0.8
    dataset: Annotated[Path | None, flag("Prompts from a JSONL or ShareGPT file.")] = None
    tokenizer: Annotated[
        Path | None,
        flag("Tokenizer folder or file; default: size prompts by the server's own count."),
    ] = None
    pace: Annotated[PaceFlags, Parameter(name="*")] = field(default_factory=PaceFlags)
    requests: Annotated[
        int | None,
        flag("Requests of a point; default: 10 for each parallel one, or a minute of a rate."),
    ] = None
    duration: Annotated[str | None, flag("Measure for so long instead: 90s, 20m.")] = None
    warmup: Annotated[
        int | None,
        flag(
            "Warmup requests of a point; default: 2 for each parallel one, 8 for a rate. In a "
            "replay, of each session; default: 10."
        ),
    ] = None
    join_warmup: Annotated[
        bool, flag("Go on from warmup to measurement without waiting for open requests.")
    ] = False
    seed: Annotated[
        int | None, flag("Seed of prompts and lengths; default: 0, and 42 for a replay.")
    ] = None
    repetitions: Annotated[int, flag("How often the whole sweep is measured.")] = 1
    ignore_eos: Annotated[
        bool, Parameter(help="Ask the server to go on to the full output length.")
    ] = True
    extra_body: Annotated[str | None, flag("JSON object of more request fields.")] = None
    header: Annotated[
        list[str],
        Parameter(
            help="NAME:VALUE sent with each request; repeatable.", negative=(), show_default=False
        ),
    ] = field(default_factory=list)
    api_key_env: Annotated[str | None, flag("Environment variable that holds the API key.")] = None
    gpus: Annotated[int | None, flag("Accelerators behind the URL; adds figures per GPU.")] = None
    slo: Annotated[str | None, flag("Targets for goodput: ttft=0.5,tpot=50ms,e2el=10s.")] = None
    grace: Annotated[str, flag("How long open requests may take after the end.")] = "30s"
    request_timeout: Annotated[
        str | None, flag("Give a request up as failed after so long: 90s, 10m. Default: never.")
    ] = None
    stall_timeout: Annotated[
        str, flag("Take the server to be gone when no open request ends for so long.")
    ] = "30m"
    shards: Annotated[
        int | None, flag("Processes that share the load; default: 1, or 2 if a fixed one is late.")
    ] = None
    max_error: Annotated[float, flag("Share of failed requests above which the exit is 1.")] = 0.1
    strict: Annotated[
        bool, Parameter(help="Exit with 1 unless every point is certified.", negative=())
    ] = False
    out: Annotated[Path, flag("Folder of run bundles.")] = Path("runs")
    format: Annotated[Format, flag("What stdout gets.")] = "text"

"""`infx runs import` and `infx runs export`: runs from and for other tools."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import orjson
from cyclopts import Parameter
from pydantic import JsonValue

from infx.cli import values
from infx.cli.flags import several
from infx.cli.outcome import print_result
from infx.cli.runs import Root, find
from infx.cli.streams import put, say
from infx.clock import NS, SystemClock
from infx.errors import InputError, Problem

if TYPE_CHECKING:
    from infx.flows.exporting_power import Sampled
    from infx.flows.imported import Stated

ROLE_REMEDY = "write each host once, as node1=prefill or node1=decode"
TEXT = ("dp_attention", "prefill_dp_attention", "decode_dp_attention")
"""Keys of a row whose value is the text `true` or `false`."""


def import_(
    folder: Path,
    /,
    *,
    format: Annotated[
        Literal["aiperf", "bench-serve", "agg-bmk"],
        Parameter(
            help="aiperf's artifacts; results of benchmark_serving.py or `vllm bench serve`; rows "
            "of the public benchmark's agg_bmk.json."
        ),
    ] = "aiperf",
    corpus: Annotated[
        Path | None, Parameter(help="The sessions that were replayed: a file or folder.")
    ] = None,
    concurrency: Annotated[int | None, Parameter(help="Sessions that were live at once.")] = None,
    gpus: Annotated[int | None, Parameter(help="Accelerators behind the endpoint.")] = None,
    hardware: str | None = None,
    engine: str | None = None,
    image: str | None = None,
    model: str | None = None,
    precision: str | None = None,
    shape: Annotated[
        str | None, Parameter(help="Lengths that a result of bench-serve was asked with: 8k1k.")
    ] = None,
    range_ratio: Annotated[
        float | None, Parameter(help="How far these lengths vary; default: 0.8, as in public runs.")
    ] = None,
    root: Root = Path("runs"),
) -> int:
    """Make a bundle of a run that another client measured, and print it.

    What the run did not keep is absent: a client that was not audited certifies nothing.

    Parameters
    ----------
    folder
        Folder of the run's artifacts, each of which becomes a point, or one file.
    """
    from infx.flows.imported import Stated

    stated = Stated(
        concurrency=concurrency,
        gpus=gpus,
        hardware=hardware,
        engine=engine,
        image=image,
        model=model,
        precision=precision,
    )
    _refuse(format, corpus=corpus, shape=shape, range_ratio=range_ratio, stated=stated)
    if format == "aiperf":
        from infx.flows.importing import import_runs

        run = import_runs(folder, root, stated=stated, corpus=corpus, talk=say)
    elif format == "bench-serve":
        from infx.flows.importing_serving import RANGE_RATIO, Asked, import_results
        from infx.workloads.shapes import shape as lengths

        ratio = RANGE_RATIO if range_ratio is None else range_ratio
        asked = Asked(None if shape is None else lengths(shape), ratio)
        run = import_results(folder, root, stated=stated, asked=asked, clock=SystemClock())
    else:
        from infx.flows.importing_rows import import_rows

        run = import_rows(folder, root, clock=SystemClock(), talk=say)
    print_result(run.result, "text")
    return 0


def _refuse(format_: str, *, stated: "Stated", **own: object) -> None:
    """Refuse what another format takes; raises InputError with every such flag."""
    taken = {"aiperf": {"corpus"}, "bench-serve": {"shape", "range_ratio"}, "agg-bmk": set()}
    given = {name: value for name, value in own.items() if name not in taken[format_]}
    if format_ == "agg-bmk":
        given |= asdict(stated)  # a row states all of it
    problems = [
        Problem(f"{format_} has no use for it", f"--{name.replace('_', '-')}", "leave it out")
        for name, value in given.items()
        if value is not None
    ]
    if problems:
        raise InputError(*problems)


def export(
    run: str,
    /,
    *,
    format: Annotated[
        Literal["aiperf", "agentx-row", "agg-bmk"],
        Parameter(
            help="aiperf's artifacts; the row that the public benchmark publishes of each replay; "
            "one agg_bmk.json with the rows of all points, fixed lengths and replays."
        ),
    ],
    out: Annotated[Path, Parameter(help="A new or empty folder.")],
    point: Annotated[str | None, Parameter(help="Beginning of the id of one point.")] = None,
    fact: Annotated[
        list[str] | None,
        Parameter(
            help="KEY=VALUE of public rows that the bundle does not know.", consume_multiple=True
        ),
    ] = None,
    power_samples: Annotated[
        list[Path] | None,
        several("Samples of every accelerator's power, from which a row tells energy."),
    ] = None,
    power_role: Annotated[
        list[str] | None,
        several("HOST=prefill or HOST=decode of each sampled host of a split deployment."),
    ] = None,
    slice_duration: Annotated[
        str | None, Parameter(help="Also tell aiperf's metrics in pieces of that time: 10s.")
    ] = None,
    root: Root = Path("runs"),
) -> int:
    """Write the points of a run as files of another tool, and print their paths.

    Parameters
    ----------
    run
        Folder of the run, its id, or `latest`.
    """
    from infx.flows.exporting import export_run

    facts = dict(map(_fact, fact or ()))
    if facts and format == "aiperf":
        raise InputError(Problem("only rows of the benchmark take facts", "--fact", "leave it out"))
    if slice_duration is not None and format != "aiperf":
        what = "only aiperf's files tell pieces of time"
        raise InputError(Problem(what, "--slice-duration", "leave it out"))
    if power_samples and format != "agentx-row":
        raise InputError(Problem("only an AgentX row tells it", "--power-samples", "leave it out"))
    slice_ns = _slice_ns(slice_duration)
    power = _sampled(power_samples or [], power_role or [])
    written = export_run(
        find(run, root),
        out,
        format=format,
        point=point,
        facts=facts,
        slice_ns=slice_ns,
        power=power,
    )
    for path in written:
        put(str(path))
    return 0


def _sampled(files: list[Path], roles: list[str]) -> "Sampled | None":
    """Read the samples of power; raises InputError with every problem of a file or a role."""
    if not files and roles:
        raise InputError(Problem("no samples to share out", "--power-role", "add --power-samples"))
    if not files:
        return None
    from infx.flows.exporting_power import sampled

    stated: dict[str, str] = {}
    problems = []
    for text in roles:
        host, _, role = text.partition("=")
        if not host or role not in ("prefill", "decode") or stated.setdefault(host, role) != role:
            problems.append(Problem(f"{text!r} states no role", "--power-role", ROLE_REMEDY))
    if problems:
        raise InputError(*problems)
    return sampled(files, stated or None, say)


def _slice_ns(text: str | None) -> int | None:
    if text is None:
        return None
    return max(1, round(values.seconds(text, "--slice-duration") * NS))


def _fact(text: str) -> tuple[str, JsonValue]:
    """Read `KEY=VALUE`; a value that is JSON is taken as such, any other as text."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise InputError(Problem(f"{text!r} states no fact", "--fact", "write it as hw=b200"))
    if key in TEXT:
        return key, value
    try:
        return key, orjson.loads(value)
    except orjson.JSONDecodeError:
        return key, value

"""`infx matrix`: what a catalog's configurations come to, as rows and points."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from infx.cli.flags import flag, several
from infx.cli.streams import put, say
from infx.errors import InputError, Problem

_Mode = Literal["default", "none", "only", "all", "smoke"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterFlags:
    """Flags that leave rows out, under the names of the public generator."""

    config_keys: Annotated[
        list[str] | None, several("Entries by name; * is any text and ? any character.")
    ] = None
    model_prefix: Annotated[list[str] | None, several("Entries whose key begins so.")] = None
    precision: Annotated[list[str] | None, several("Precisions: fp4 fp8.")] = None
    framework: Annotated[list[str] | None, several("Engines: sglang dynamo-vllm.")] = None
    runner_type: Annotated[list[str] | None, several("Labels of the runner file.")] = None
    runner_node_filter: Annotated[
        str | None, flag("Concrete runners whose name has this text, a row for each.")
    ] = None
    scenario_type: Annotated[
        list[Literal["fixed-seq-len", "agentic-coding"]] | None, several("Kinds of scenarios.")
    ] = None
    seq_lens: Annotated[
        list[str] | None, several("Fixed lengths: 1k1k 8k1k. Agent sessions stay.")
    ] = None
    single_node: Annotated[bool, flag("Rows on one node.")] = False
    multi_node: Annotated[bool, flag("Rows over several nodes.")] = False
    min_conc: Annotated[int | None, flag("Lowest concurrency.")] = None
    max_conc: Annotated[
        int | None, flag("Highest concurrency. Fixed lengths above it are run at it.")
    ] = None
    conc: Annotated[list[int] | None, several("These concurrencies only: 4 64.")] = None
    max_tp: Annotated[int | None, flag("Most tensor-parallel GPUs: one node, fixed lengths.")] = (
        None
    )
    max_ep: Annotated[int | None, flag("Cap of expert parallelism: one node, fixed lengths.")] = (
        None
    )
    step_size: Annotated[int, flag("Factor between the concurrencies of a range.")] = 2
    exp_names: Annotated[
        list[str] | None, several("Experiments by name; each must name one row.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalFlags:
    """Flags that choose evaluations, or less of everything."""

    no_evals: Annotated[bool, flag("Measure only, evaluate nothing.")] = False
    evals_only: Annotated[bool, flag("Only rows that are evaluated, and only to evaluate.")] = False
    all_evals: Annotated[bool, flag("Evaluate every row that can be; measure nothing.")] = False
    smoke: Annotated[
        bool, flag("Each shape at its lowest concurrency, and its evaluation beside it.")
    ] = False
    trim_conc: Annotated[bool, flag("Each shape at its lowest concurrency.")] = False
    edition: Annotated[
        Literal["2026-08", "2026-10"] | None,
        flag("Rules of evaluations and node counts; default: those of the runner file's form."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixFlags:
    """The flags of `infx matrix generate`."""

    config_files: Annotated[
        list[Path] | None, several("Master configurations; default: those found here.")
    ] = None
    runner_config: Annotated[
        Path | None, flag("The runner file; default: runners.yaml beside the first of them.")
    ] = None
    recipe_root: Annotated[
        list[Path] | None,
        several("Folders of recipes; default: those that stand around the masters."),
    ] = None
    filters: Annotated[FilterFlags, Parameter(name="*")] = field(default_factory=FilterFlags)
    evals: Annotated[EvalFlags, Parameter(name="*")] = field(default_factory=EvalFlags)
    format: Annotated[
        Literal["text", "json"], flag("What stdout gets; json is the public array of rows.")
    ] = "text"


def generate(*, flags: Annotated[MatrixFlags | None, Parameter(name="*")] = None) -> None:
    """Print what a catalog asks for: its entries at every concurrency, and what is evaluated.

    Values after a flag go on until the next flag. Nothing left is an error that names the filter.
    """
    flags = flags or MatrixFlags()
    mode = _mode(flags.evals)
    with _no_collections():
        put(_text(flags, mode))


@contextmanager
def _no_collections() -> Iterator[None]:
    """Keep the collector from walking what stays until the end anyway: a fifteenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _text(flags: MatrixFlags, mode: _Mode) -> str:
    # Imported here: `--help` must not wait for the models of the catalog.
    from infx.flows.matrix import matrix, rows_json
    from infx.matrix.options import Options

    options = Options(**_given(flags.filters), evals=mode, trim_conc=flags.evals.trim_conc)
    found = matrix(
        flags.config_files,
        flags.runner_config,
        options,
        edition=flags.evals.edition,
        recipe_roots=flags.recipe_root or (),
    )
    for warning in found.warnings:
        say(warning)
    if flags.format == "json":
        return rows_json(found.rows)
    from infx.cli.matrix_text import text

    return text(found.rows)


def _given(filters: FilterFlags) -> dict[str, Any]:
    """Return the filters that were written; lists as tuples."""
    values = ((one.name, getattr(filters, one.name)) for one in fields(filters))
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in values
        if value is not None
    }


def _mode(flags: EvalFlags) -> _Mode:
    """Read the flags of evaluations; raise InputError for those that contradict each other."""
    clashes = (
        (flags.no_evals and flags.evals_only, "--no-evals", "--evals-only"),
        (flags.no_evals and flags.all_evals, "--no-evals", "--all-evals"),
        (flags.smoke and flags.no_evals, "--smoke", "--no-evals"),
        (flags.smoke and flags.evals_only, "--smoke", "--evals-only"),
        (flags.smoke and flags.all_evals, "--smoke", "--all-evals"),
        (flags.smoke and flags.trim_conc, "--smoke", "--trim-conc"),
    )
    problems = [
        Problem(f"it contradicts {other}", one, "use one of the two")
        for clash, one, other in clashes
        if clash
    ]
    if problems:
        raise InputError(*problems)
    if flags.no_evals:
        return "none"
    if flags.all_evals:
        return "all"
    if flags.smoke:
        return "smoke"
    return "only" if flags.evals_only else "default"

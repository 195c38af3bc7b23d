"""`infx workload`: corpora of recorded or synthetic agent sessions."""

import os
import re
import sys
from pathlib import Path
from typing import Annotated, Literal

import orjson
from cyclopts import Parameter
from pydantic import JsonValue

from infx.cli.cache import cache_folder
from infx.cli.flags import flag, several
from infx.cli.streams import put, say
from infx.errors import InputError, Problem
from infx.flows import workload as flow
from infx.model.dataset import TraceFormat

Force = Annotated[bool, flag("Replace the file if it is there already.")]


def describe(
    source: str,
    /,
    *,
    trace_format: Annotated[
        TraceFormat | None, flag("Format of the corpus; default: what its first row looks like.")
    ] = None,
    skip_bad: Annotated[bool, flag("Pass over bad rows, and count them.")] = False,
    max_context: Annotated[
        int | None, flag("Leave out traces with a request of more tokens, prompt and answer.")
    ] = None,
    format: Annotated[Literal["text", "json"], Parameter(help="What stdout gets.")] = "text",
) -> int:
    """Say what a corpus is like: sizes, turns, depth, pauses, theoretical prefix hits.

    Parameters
    ----------
    source
        A file or folder of traces, `demo`, or the name of a corpus that was fetched.
    """
    reading = flow.Reading(format=trace_format, skip_bad=skip_bad, max_context=max_context)
    cache = cache_folder(os.environ)
    found = flow.describe_corpus(source, reading, cache=cache, talk=say)
    if format == "json":
        put(found.model_dump_json())
        return 0
    from infx.cli.corpus import text

    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    put(text(found, source, plain=not encoding.lower().startswith("utf")))
    return 0


def synth(
    *,
    out: Annotated[Path, Parameter(help="The file to write, one trace a line.")],
    traces: Annotated[int | None, flag("How many sessions; default: those of the preset.")] = None,
    seed: Annotated[int | None, flag("What chance follows from; default: that of the preset.")] = (
        None
    ),
    preset: Annotated[
        str, flag("Shape of the sessions: coding, or demo for small models.")
    ] = "coding",
    set: Annotated[
        list[str] | None, several("Parameters to change: fan_out=0.1 new_input.mean=2000.")
    ] = None,
    force: Force = False,
) -> int:
    """Write a corpus of synthetic coding sessions as weka traces; same parameters, same bytes."""
    changes = dict(map(_change, set or ()))
    changes |= {"traces": traces} if traces is not None else {}
    changes |= {"seed": seed} if seed is not None else {}
    corpus = flow.parameters(preset, changes)
    _told(flow.synthesize(corpus, out, force=force))
    return 0


def import_(
    logs: Annotated[list[Path], Parameter(consume_multiple=True)],
    /,
    *,
    out: Annotated[Path, Parameter(help="The file to write, one trace a line.")],
    skip_bad: Annotated[bool, flag("Pass over bad logs, and count them.")] = False,
    force: Force = False,
) -> int:
    """Turn session logs of coding agents into weka traces: sizes and times, and no text.

    Parameters
    ----------
    logs
        Session logs of Claude Code or Codex, or folders of them.
    """
    written, skipped = flow.import_logs(logs, out, skip_bad=skip_bad, force=force)
    for problem in skipped:
        say(problem)
    _told(written)
    return 0


def fetch(name: str, /) -> int:
    """Download a known corpus, check it, and keep it.

    Parameters
    ----------
    name
        What `infx workload list` calls it.
    """
    line = _Line()
    put(str(flow.fetch_corpus(name, cache=cache_folder(os.environ), progress=line.progress)))
    return 0


def list_() -> int:
    """List the known corpora, and whether they are here."""
    rows = [("demo", "20", "", "here", "Tiny synthetic sessions for small models; it ships.")]
    for one, here in flow.known_corpora(cache_folder(os.environ)):
        size = "" if one.bytes is None else f"{one.bytes / 1e6:,.0f} MB"
        count = "" if one.traces is None else str(one.traces)
        rows.append((one.name, count, size, "here" if here else "not here", one.about))
    names = max(len(row[0]) for row in rows)
    for name, count, size, kept, about in rows:
        put(f"{name:<{names}}  {count:>3}  {size:>8}  {kept:8}  {about}")
    return 0


class _Line:
    """Says how much of a download is here, once for each further tenth."""

    def __init__(self) -> None:
        self._told = 0

    def progress(self, done: int, total: int | None) -> None:
        """Hear how many bytes are here."""
        tenth = 10 * done // total if total else done // 100_000_000
        if tenth > self._told:
            self._told = tenth
            of = f" of {total / 1e6:,.0f}" if total else ""
            say(f"{done / 1e6:,.0f}{of} MB")


def _told(written: flow.Written) -> None:
    put(str(written.path))
    say(f"{written.path}: {written.traces:,} traces, sha256 {written.sha256}")


def _change(word: str) -> tuple[str, JsonValue]:
    name, equals, value = word.partition("=")
    remedy = "write it as fan_out=0.1"
    if not equals or not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value):
        raise InputError(Problem(f"{word!r} sets no parameter to a number", "--set", remedy))
    number: JsonValue = orjson.loads(value)
    return name.replace("-", "_"), number

"""Corpora of recorded sessions: made, read, described, imported, fetched."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue, ValidationError

from infx.errors import InputError, MachineError, Problem, nearest
from infx.model.corpus import CorpusDescription, SyntheticCorpus
from infx.model.dataset import TraceDataset
from infx.model.trace import Trace
from infx.store import datasets
from infx.store.fetch import Progress, fetch
from infx.store.files import TEMPORARY, make_folder, refused, sha256_of
from infx.workloads.trace import FORMATS
from infx.workloads.trace.describe import describe
from infx.workloads.trace.detect import detect
from infx.workloads.trace.reading import PROBLEMS_SHOWN, Tally, fitting
from infx.workloads.trace.synthetic import PRESETS, rows

Talk = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a corpus is read.

    `format` is a format id, found out where it is None. `skip_bad` passes over bad rows,
    `max_context` drops traces any of whose requests needs more tokens, prompt and answer.
    `split_chains` parts the unlabelled parallel work of weka traces into streams of its own.
    """

    format: str | None = None
    skip_bad: bool = False
    max_context: int | None = None
    split_chains: bool = True


@dataclass(slots=True)
class Corpus:
    """A corpus that can be drawn from once; `tally` is what its reader met."""

    path: Path
    format: str
    traces: Iterator[Trace]
    tally: Tally = field(default_factory=Tally)


class Written(NamedTuple):
    """A corpus that was written."""

    path: Path
    traces: int
    sha256: str


def find_corpus(source: str, cache: Path) -> Path:
    """Return the path of a corpus: a file or folder, `demo`, or a known name that was fetched.

    Raises InputError where it is none of these; one that is not here says where it belongs.
    """
    path = Path(source)
    if path.exists():
        return path
    if source == datasets.DEMO:
        return datasets.demo_path()
    if path.suffix or len(path.parts) > 1:
        raise InputError(Problem("no such file", source, "give a corpus, or a name such as demo"))
    one = datasets.dataset(source)
    kept = datasets.kept_path(one, cache)
    if not kept.is_file():
        what = f"the corpus {one.name} is not here"
        raise InputError(
            Problem(what, None, f"infx workload fetch {one.name}; {_by_hand(one, kept)}")
        )
    return kept


def open_corpus(path: Path, reading: Reading) -> Corpus:
    """Open a corpus; its rows are read as its traces are drawn, and raise InputError there."""
    known = reading.format or detect(path)
    if known not in FORMATS:
        raise InputError(Problem(f"no trace format {known!r}", None, nearest(known, FORMATS)))
    tally = Tally()
    more = {"detect_chains": reading.split_chains} if known == "weka" else {}
    module = import_module(FORMATS[known])
    found = module.traces(path, tally=tally, skip_bad=reading.skip_bad, **more)
    return Corpus(path, known, fitting(found, reading.max_context, tally), tally)


def corpus_digest(path: Path) -> str:
    """Return the sha256 of a corpus; of a folder, over the names and digests of its files."""
    if not path.is_dir():
        return sha256_of(path)
    lines = (f"{sha256_of(file)}  {file.name}\n" for file in sorted(path.glob("*.json")))
    return sha256("".join(lines).encode()).hexdigest()


def registered_digest(path: Path, cache: Path) -> str | None:
    """Return the sha256 that the registry states of a corpus that is kept there, None of others."""
    known, real = datasets.registry().datasets, path.resolve()
    kept = (one for one in known if datasets.kept_path(one, cache).resolve() == real)
    return next((one.sha256 for one in kept), None)


def describe_corpus(source: str, reading: Reading, *, cache: Path, talk: Talk) -> CorpusDescription:
    """Return the statistics of a corpus; bad rows that were passed over are told.

    Raises InputError as its reader does, and where no trace is left.
    """
    path = find_corpus(source, cache)
    corpus = open_corpus(path, reading)
    found = describe(corpus.traces, corpus.tally)
    registered = registered_digest(path, cache)
    if registered not in (None, corpus_digest(path)):
        talk(f"{path} is not the file that the registry of corpora names: its sha256 differs")
    for problem in corpus.tally.problems:
        talk(str(problem))
    if not found.traces:
        what = f"no trace is left of {corpus.tally.rows} rows"
        raise InputError(Problem(what, source, "raise the context limit, or mend the rows"))
    return found


def parameters(preset: str, changes: Mapping[str, JsonValue]) -> SyntheticCorpus:
    """Return a preset with some of its parameters changed, named as `new_input.mean`.

    Raises InputError for unknown names and values that do not fit.
    """
    if preset not in PRESETS:
        raise InputError(Problem(f"no preset {preset!r}", "--preset", nearest(preset, PRESETS)))
    body = PRESETS[preset].model_dump()
    for name, value in changes.items():
        _change(body, name, value)
    try:
        return SyntheticCorpus.model_validate(body)
    except ValidationError as error:
        problems = (
            Problem(
                f"{'.'.join(map(str, one['loc'])) or 'parameters'}: {one['msg']}",
                "infx workload synth",
            )
            for one in error.errors()
        )
        raise InputError(*problems) from None


def _change(body: dict[str, JsonValue], name: str, value: JsonValue) -> None:
    outer, _, inner = name.partition(".")
    part = body.get(outer)
    known = [
        f"{key}.{one}" if one else key
        for key, held in body.items()
        for one in (held if isinstance(held, dict) else [""])
    ]
    if name not in known:
        raise InputError(Problem(f"no parameter {name!r}", "--set", nearest(name, known)))
    if isinstance(part, dict):
        part[inner] = float(value) if isinstance(value, int) else value
    else:
        body[outer] = float(value) if isinstance(part, float) and isinstance(value, int) else value


def synthesize(corpus: SyntheticCorpus, out: Path, *, force: bool = False) -> Written:
    """Write a synthetic corpus; raises InputError where the file is there and not `force`d."""
    return write_corpus(rows(corpus), out, force=force)


def write_corpus(lines: Iterable[bytes], out: Path, *, force: bool) -> Written:
    """Write the lines of a corpus; the file appears whole or not at all.

    Raises InputError where it is there already, MachineError when the disk refuses.
    """
    if out.exists() and not force:
        raise InputError(
            Problem("the file is there already", str(out), "add --force to replace it")
        )
    make_folder(out.parent)
    temporary = out.with_name(f".{out.name}{TEMPORARY}")
    digest, count = sha256(), 0
    try:
        with temporary.open("wb") as file:
            for line in lines:
                file.write(line)
                digest.update(line)
                count += 1
        temporary.replace(out)
    except OSError as error:
        raise refused(out, "write the corpus", error) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return Written(out, count, digest.hexdigest())


def fetch_corpus(name: str, *, cache: Path, progress: Progress | None = None) -> Path:
    """Return the file of a known corpus, downloaded unless it is here with the right digest.

    Raises InputError for unknown names and corpora whose digest nobody states, MachineError with
    the place where the file can be put by hand when it cannot be downloaded.
    """
    if name == datasets.DEMO:
        return datasets.demo_path()
    one = datasets.dataset(name)
    kept = datasets.kept_path(one, cache)
    if one.sha256 is None or one.revision is None:
        remedy = f"{_by_hand(one, kept)}; nothing vouches for it"
        raise InputError(Problem(f"{one.name} cannot be checked: {one.unknown}", None, remedy))
    try:
        return fetch(one.url, kept, sha256=one.sha256, progress=progress)
    except MachineError as error:
        raise MachineError(*error.problems, Problem(_by_hand(one, kept))) from error


def _by_hand(one: TraceDataset, kept: Path) -> str:
    return f"or place {one.file} of {one.repository} (a dataset of huggingface.co) at {kept}"


def known_corpora(cache: Path) -> Sequence[tuple[TraceDataset, bool]]:
    """Return every known corpus, and whether its file is here."""
    known = datasets.registry().datasets
    return [(one, datasets.kept_path(one, cache).is_file()) for one in known]


def import_logs(
    logs: Sequence[Path], out: Path, *, skip_bad: bool, force: bool
) -> tuple[Written, Sequence[Problem]]:
    """Write the session logs of coding agents as weka traces, and return what was passed over.

    A folder stands for all `.jsonl` files in and below it. Raises InputError with what is wrong in
    every log, unless `skip_bad` passes over those, and where no log tells a request.
    """
    paths = [
        path for log in logs for path in (sorted(log.rglob("*.jsonl")) if log.is_dir() else [log])
    ]
    problems: list[Problem] = []
    lines = _imported(paths, problems, skip_bad=skip_bad)
    return write_corpus(lines, out, force=force), problems


def _imported(paths: Sequence[Path], problems: list[Problem], *, skip_bad: bool) -> Iterator[bytes]:
    """Yield a line of the corpus for each log that is good."""
    from infx.workloads.trace.coding_logs import weka

    good = 0
    for path in paths:
        before = len(problems)
        line = weka(path, problems.append)
        if line is not None and len(problems) == before:
            good += 1
            yield line
    if problems and not skip_bad:
        raise InputError(*problems[:PROBLEMS_SHOWN])
    if not good:
        what = f"none of {len(paths)} logs tells of a session"
        raise InputError(Problem(what, None, "give session logs of Claude Code or Codex"))

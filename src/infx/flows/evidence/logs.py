"""Servers' logs, given or kept by bundles: what each role of an entry really ran at a point."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from infx.engines import server_log
from infx.errors import InputError, Problem, nearest
from infx.flows.evidence.bundles import Given
from infx.model.config_facts import Observed
from infx.model.verdict import Cite
from infx.policy.simulation import KNOBS, folded, named, simulates
from infx.recipes.acceptance.plan import simulation_variables
from infx.store.bundles import SERVER
from infx.store.frame_file import lines

MAX_BYTES = 256 * 1024 * 1024
ROLES = ("agg", "prefill", "decode")
CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
_FORM = "write ENTRY:ROLE:CONCURRENCY[,CONCURRENCY...][:eval]=FILE"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A draft as it was loaded: the type of its weights, its quantization, and the line."""

    dtype: str | None
    quantization: str | None
    cite: Cite


@dataclass(frozen=True, slots=True)
class Log:
    """One log: of a role of an entry, at some concurrencies, of their measurement or an eval."""

    config: str
    role: str
    concurrencies: frozenset[int]
    is_eval: bool
    path: Path
    lines: tuple[str, ...]
    kept: str | None = None

    @property
    def name(self) -> str:
        """How a cite names it, and the folder of evidence keeps it: `kept` is a bundle's place."""
        if self.kept is not None:
            return self.kept
        points = "-".join(f"c{one}" for one in sorted(self.concurrencies))
        return f"logs/{self.config}/{self.role}-{points}{'-eval' if self.is_eval else ''}.log"

    def cite(self, line: int) -> Cite:
        """Return a line as a place."""
        return Cite(path=self.name, line=line, value=self.lines[line - 1].strip()[:300])


@dataclass(frozen=True, slots=True)
class Logs:
    """All logs that were given."""

    known: tuple[Log, ...] = ()

    def of(self, config: str, role: str, concurrency: int, *, is_eval: bool) -> tuple[Log, ...]:
        """Return the logs of a role at one point."""
        return tuple(
            log
            for log in self.known
            if (log.config, log.role, log.is_eval) == (config, role, is_eval)
            and concurrency in log.concurrencies
        )

    def simulation(self, logs: Iterable[Log]) -> tuple[Observed, ...] | None:
        """Return the settings of simulated acceptance that logs show, None without a log."""
        logs = tuple(logs)
        if not logs:
            return None
        return tuple(one for log in logs for one in _observed(log) if named(one) in _KNOBS)

    def is_simulated(self, config: str, concurrencies: Collection[int]) -> bool | None:
        """Say whether an eval simulated acceptance; None where not every point has its log."""
        found = [
            log
            for one in concurrencies
            for role in ROLES
            for log in self.of(config, role, one, is_eval=True)
        ]
        seen = {one for log in found for one in log.concurrencies}
        if not found or not set(concurrencies) <= seen:
            return None
        return any(simulates(_observed(log)) for log in found)

    def drafts(self, config: str, role: str, concurrencies: Collection[int]) -> tuple[Loaded, ...]:
        """Return how drafts were loaded, each way once; empty where no log says it."""
        logs = (log for one in concurrencies for log in self.of(config, role, one, is_eval=False))
        told = {
            (found.dtype, found.quantization): Loaded(
                found.dtype, found.quantization, log.cite(found.line)
            )
            for log in logs
            for found in server_log.drafts(log.lines)
        }
        return tuple(told.values())

    def requests(self, config: str) -> tuple[int, int] | None:
        """Return the chat requests and raw completions of an entry's measurements, None unknown."""
        counts = [
            server_log.requests(log.lines)
            for log in self.known
            if log.config == config and not log.is_eval
        ]
        if not any(sum(one.values()) for one in counts):
            return None
        return sum(one[CHAT] for one in counts), sum(one[COMPLETIONS] for one in counts)


_KNOBS = frozenset(
    {folded(name) for one in KNOBS.values() for name in (one.length, *one.words)}
    | {folded(one.excluded) for one in KNOBS.values() if one.excluded}
)


def read(words: Iterable[str], keys: Collection[str]) -> Logs:
    """Return the logs of `ENTRY:ROLE:CONCURRENCIES[:eval]=FILE` words.

    Raises InputError with every word that is none, and every file that cannot be read.
    """
    found: list[Log] = []
    problems: list[Problem] = []
    for word in words:
        try:
            found.append(_read(word, keys))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    return Logs(tuple(found))


def of_bundles(found: Iterable[Given]) -> Iterator[Log]:
    """Yield the logs of the servers that bundles started, as logs of all points they measured.

    A process says in the beginning of its name which role it is of; one that does not is `agg`.
    """
    for one in found:
        points = frozenset(point.file.concurrency for point in one.points)
        for path in sorted((one.run.bundle.path / SERVER).glob("*.log*")):
            role = next((role for role in ROLES if path.name.startswith(role)), ROLES[0])
            told = lines(path) if path.suffix == ".zst" else enumerate(_bytes(path).splitlines())
            text = tuple(line.decode(errors="replace") for _, line in told)
            kept = f"runs/{one.run.manifest.run}/{SERVER}/{path.name}"
            yield Log(one.config.key, role, points, False, path, text, kept)


def _read(word: str, keys: Collection[str]) -> Log:
    place, equals, file = word.partition("=")
    parts = place.split(":")
    is_eval = len(parts) == 4 and parts[3] == "eval"
    if not equals or not (len(parts) == 3 or is_eval):
        raise InputError(Problem(f"{word!r} names no log", "--log", _FORM))
    config, role, points = parts[:3]
    if config not in keys:
        advice = nearest(config, keys) if keys else "the change affects no entry"
        raise InputError(Problem(f"no affected entry {config!r}", "--log", advice))
    numbers = points.split(",")
    if role not in ROLES or not all(one.isascii() and one.isdigit() for one in numbers):
        raise InputError(Problem(f"{place!r} names no role at a concurrency", "--log", _FORM))
    path = Path(file)
    text = tuple(_bytes(path).decode(errors="replace").split("\n"))
    return Log(config, role, frozenset(map(int, numbers)), is_eval, path, text)


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        what = f"the log cannot be read: {error.strerror}"
        raise InputError(Problem(what, str(path), "check the path")) from None
    if len(data) > MAX_BYTES:
        what = f"the log has more than {MAX_BYTES} bytes"
        raise InputError(Problem(what, str(path), "cut its end"))
    return data


def _observed(log: Log) -> Iterator[Observed]:
    for said in server_log.settings(log.lines, simulation_variables()):
        yield Observed(name=said.name, value=said.value, cite=log.cite(said.line))

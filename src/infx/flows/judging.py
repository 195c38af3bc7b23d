"""The process that judges: submission and registries come in by stdin, its judgement goes out.

`python -B -P -m infx.flows.judging`. Before a check is imported the process gives up what a pure
function needs not: an audit hook refuses every event that is not known to be harmless, sockets,
processes, foreign code and writes among them. It is a second wall: checks are ours, and import no
module that could; what Python does not audit (a write to an open descriptor) it lets by.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import TypeAdapter

from infx.model.policy_set import CheckRow
from infx.model.submission import Submission
from infx.policy.context import Context

CPU_S = 60
"""Seconds of processor time after which the judge is stopped."""

_HARMLESS = frozenset(
    ("import", "compile", "exec", "marshal.loads", "marshal.load", "code.__new__", "os.listdir",
     "os.scandir", "function.__new__", "builtins.id", "gc.get_objects", "array.__new__",
     "object.__getattr__", "object.__setattr__", "object.__delattr__")
)  # fmt: skip
_HARMLESS_KINDS = ("sys", "cpython")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class RefusedError(PermissionError):
    """What the judge asked for is not for a judge."""


@dataclass(frozen=True, slots=True)
class Given:
    """All that a judgement rests on."""

    submission: Submission
    context: Context
    rows: tuple[CheckRow, ...]


def confine() -> None:
    """Give up sockets, processes and writes, for as long as the process lives."""
    with suppress(ImportError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    sys.dont_write_bytecode = True
    sys.addaudithook(_audit)


def _audit(event: str, arguments: Sequence[object]) -> None:
    """Refuse an audit event that is not known to be harmless; raises RefusedError."""
    if event in _HARMLESS or event.partition(".")[0] in _HARMLESS_KINDS:
        return
    if event == "open" and _reads(*arguments):
        return
    raise RefusedError(f"a judge may not: {event}")


def _reads(path: object, mode: object, flags: object) -> bool:
    return isinstance(path, str | bytes) and isinstance(flags, int) and not flags & _WRITES


def main() -> None:
    """Judge what stands at stdin, and print the judgement as one JSON object."""
    given = TypeAdapter(Given).validate_json(sys.stdin.buffer.read(), strict=True)
    confine()
    from infx.policy.judge import judge

    said = judge(given.submission, given.context, given.rows)
    sys.stdout.buffer.write(said.model_dump_json().encode())


if __name__ == "__main__":
    main()

"""The faults that a script can ask for: each by its name, and in the order in which they compose.

A fault is written as NAME, NAME:ARGUMENT, or either with @ and when it strikes: `@4` is every
fourth streamed request, `@4+1` every fourth from the first on, `@10%` a seeded tenth of them.
Without it, every one is struck. Requests that are not streamed are left alone and not counted, so
a client can still size its prompts. Several faults may strike one request: its bytes go through
them in the order of the table, whatever the order of the arguments; of two that end the answer the
first one reached acts.

A PLACE is a number of tokens: a whole number is before the event with the next one, a fraction
inside that event; `head` is before the first byte, at the moment of the first token.

What is logged stays what happened: `writes` holds the moments at which bytes really left, and the
tokens that were whole with them; `faults` names what struck.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from infx.errors import InputError, Problem, nearest
from infx.servers.truth import fault_bytes, fault_ends, fault_events
from infx.servers.truth.cue import Cue
from infx.servers.truth.events import CHANNELS
from infx.servers.truth.fault import Fault
from infx.servers.truth.fault_ends import ENDS, HEAD, Cut
from infx.servers.truth.passing import Rewrite, Rewritten
from infx.servers.truth.reply import Outlet

Make = Callable[[Outlet, Cue], Outlet]

_FAULT = re.compile(r"(?P<name>[^:@]*)(?::(?P<argument>[^@]*))?(?:@(?P<when>.*))?", re.DOTALL)
_WHEN = re.compile(r"(?P<every>\d+)(?:\+(?P<first>\d+))?|(?P<percent>\d+(?:\.\d+)?)%")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of argument: its word in the help, and the pattern of its text."""

    word: str
    pattern: str


NONE = Kind("", "")
STATUS = Kind("STATUS", "[45][0-9][0-9]")
TOKENS = Kind("TOKENS", r"\d+")
PLACE = Kind("PLACE", rf"{HEAD}|\d+(\.\d+)?")
COUNT = Kind("N", r"[1-9]\d*")
SECONDS = Kind("SECONDS", r"\d+(\.\d+)?")
FACTOR = Kind("FACTOR", r"\d+(\.\d+)?")
REST = Kind("REST", "|".join(ENDS))
TURNS = Kind("CHANNEL+...", rf"({'|'.join(CHANNELS)})(\+({'|'.join(CHANNELS)}))*")


@dataclass(frozen=True, slots=True)
class Leaf:
    """One fault: how it is made, its argument with the default, and what it does."""

    make: Make
    kind: Kind
    default: str
    about: str


def _rewriting(rewrite: Callable[[Cue], Rewrite]) -> Make:
    return lambda outlet, cue: Rewritten(outlet, rewrite(cue))


def _cut(act: Callable[[Outlet], None]) -> Make:
    return lambda outlet, cue: Cut(outlet, cue, act)


FAULTS: dict[str, Leaf] = {
    "refuse": Leaf(
        fault_ends.refuse,
        STATUS, "503", "refuse with this HTTP status; 429 and 503 say Retry-After",
    ),
    "overflow": Leaf(fault_ends.overflow, NONE, "", "refuse as longer than the context, with 400"),
    "stop": Leaf(
        fault_ends.Stop, TOKENS, "10", "finish after so many tokens, though ignore_eos is asked"
    ),
    "error": Leaf(
        partial(fault_ends.Failed, named=False),
        TOKENS, "10", "put an error object into the stream after so many tokens",
    ),
    "error-event": Leaf(
        partial(fault_ends.Failed, named=True),
        TOKENS, "10", "likewise, as an event of type `error`",
    ),
    "empty": Leaf(
        fault_ends.Empty, REST, "done",
        "answer 200 without a token: only `[DONE]`, a finish chunk before it, or nothing at all",
    ),
    "prompt-count": Leaf(
        _rewriting(fault_events.prompt_count), FACTOR, "1.1", "multiply the prompt tokens in usage"
    ),
    "channels": Leaf(
        _rewriting(fault_events.channels), TURNS, "tool_calls",
        "let the texts of chat deltas take these channels in turn",
    ),
    "multibyte": Leaf(
        _rewriting(fault_events.multibyte), NONE, "", "write text in characters of 2 to 4 bytes"
    ),
    "finish-apart": Leaf(
        _rewriting(fault_events.finish_apart), NONE, "", "give the finish reason its own chunk"
    ),
    "usage-always": Leaf(
        _rewriting(fault_events.usage_always), NONE, "", "put usage into every chunk"
    ),
    "usage-never": Leaf(_rewriting(fault_events.usage_never), NONE, "", "leave usage out"),
    "empty-deltas": Leaf(
        _rewriting(fault_events.empty_deltas), NONE, "", "send empty deltas before each text"
    ),
    "no-done": Leaf(_rewriting(fault_events.no_done), NONE, "", "leave `[DONE]` out"),
    "comments": Leaf(_rewriting(fault_events.comments), NONE, "", "add comment lines"),
    "no-space": Leaf(_rewriting(fault_events.no_space), NONE, "", "write no space after `data:`"),
    "crlf": Leaf(_rewriting(fault_events.crlf), NONE, "", "end the lines of events with CRLF"),
    "batch": Leaf(fault_bytes.Batch, COUNT, "4", "let so many chunks leave in one write"),
    "reset": Leaf(_cut(fault_ends.reset), PLACE, "10", "reset the connection at a place"),
    "close": Leaf(_cut(fault_ends.close), PLACE, "10", "close the connection at a place"),
    "hang": Leaf(_cut(fault_ends.hang), PLACE, "10", "send nothing more from a place on"),
    "rechunk": Leaf(fault_bytes.Rechunked, COUNT, "1", "send HTTP chunks of so many bytes"),
    "split": Leaf(
        fault_bytes.split, SECONDS, "0", "cut each event at a drawn byte, with a pause there"
    ),
    "trickle": Leaf(fault_bytes.trickle, SECONDS, "0.0001", "send single bytes with pauses"),
    "cut": Leaf(
        lambda outlet, _: fault_bytes.KeepAliveCut(outlet, None),
        NONE, "", "close the connection after the answer, though it is said to be kept",
    ),
    "idle-cut": Leaf(
        lambda outlet, cue: fault_bytes.KeepAliveCut(outlet, float(cue.argument)),
        SECONDS, "5", "close the connection when it was idle for so long",
    ),
}  # fmt: skip
"""Name to fault, in the order in which an answer's bytes go through them."""


def read_fault(text: str) -> Fault:
    """Read one fault as it stands after --fault; raise InputError for what it cannot be."""
    found = _FAULT.fullmatch(text)
    name = found["name"] if found else text
    leaf = FAULTS.get(name)
    if found is None or leaf is None:
        raise InputError(Problem(f"unknown fault {name}", "--fault", nearest(name, FAULTS)))
    argument = leaf.default if found["argument"] is None else found["argument"]
    if not re.fullmatch(leaf.kind.pattern, argument):
        asked = f"write it as {name}:{leaf.kind.word}" if leaf.kind.word else "it takes none"
        what = f"{name} cannot have the argument {argument!r}"
        raise InputError(Problem(what, "--fault", asked))
    if found["when"] is None:
        return Fault(name, argument)
    when = _WHEN.fullmatch(found["when"])
    if when is None or when["every"] == "0":
        remedy = "write @4, @4+1 or @10%"
        raise InputError(Problem(f"{text} does not say when", "--fault", remedy))
    if when["percent"] is not None:
        return Fault(name, argument, share=float(when["percent"]) / 100)
    every = int(when["every"])
    return Fault(name, argument, every, int(when["first"] or every))


def read_faults(texts: Iterable[str]) -> tuple[Fault, ...]:
    """Read several faults; raise InputError with the problems of all."""
    found: list[Fault] = []
    problems: list[Problem] = []
    for text in texts:
        try:
            found.append(read_fault(text))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    return tuple(found)


def spoil(outlet: Outlet, struck: Sequence[tuple[Fault, Cue]]) -> Outlet:
    """Return the outlet of an answer that these faults strike; raises Refusal where one refuses."""
    order = list(FAULTS)
    for fault, cue in sorted(struck, key=lambda one: order.index(one[0].name), reverse=True):
        outlet = FAULTS[fault.name].make(outlet, cue)
    return outlet

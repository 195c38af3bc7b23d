"""Technical statements in a description, read by a small grammar; all else in it is not read.

A claims block is a fence marked `infx-claims` with one `subject: values` a line. In prose a few
forms are read: concurrencies (`concurrency 8 and 16`, `c8`), TP, EP, PP and DP sizes, image
references and digests, run ids, what stays unchanged, and what alone changed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from infx.policy.lines import MAX_CHARACTERS, said
from infx.policy.topics import named

Subject = Literal[
    "config",
    "concurrency",
    "added-concurrency",
    "parallelism",
    "image",
    "image-digest",
    "run",
    "unchanged",
    "only-changed",
    "unknown",
]

SUBJECTS: tuple[Subject, ...] = tuple(one for one in get_args(Subject) if one != "unknown")
"""What a line of a claims block may speak of."""

_OPENS = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(?:ya?ml[ \t]+)?infx-claims[ \t]*")
_ENTRY = re.compile(r"[ \t]*([a-z][a-z-]{0,40})[ \t]*:[ \t]*(.{0,1000})")
_NUMBERS = r"[0-9]{1,6}(?:(?:\s*(?:,|and|to|or|&|-|–)\s*){1,2}[0-9]{1,6})*"
_CONCURRENCY = re.compile(rf"\bconcurrenc(?:y|ies)\s+(?:of\s+)?({_NUMBERS})\b", re.IGNORECASE)
_POINT = re.compile(r"(?<![\w.-])c([0-9]{1,6})(?!\w|\.\w)")
_ADDS = re.compile(r"\b(?:add|adds|added|adding)\s+(?:points? at\s+)?$", re.IGNORECASE)
_PARALLEL = re.compile(r"(?<![A-Za-z0-9])(TP|EP|PP|DP)-?([0-9]{1,4})(?![0-9A-Za-z])")
_DIGEST = re.compile(r"sha256:([0-9a-f]{8,64})")
_IMAGE = re.compile(r"(?<![\w/.-])((?:vllm|lmsysorg|rocm)/[a-z0-9._-]{1,80}:[\w.-]{1,120})")
_RUN = re.compile(r"(?:\brun\s+|/actions/runs/)([0-9]{9,19})\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.;。；])\s+")
_SAME = re.compile(
    r"\bunchanged\b|\b(?:stays?|remains?|are|is) the same\b"
    r"|\bthe same as (?:before|the base|main)\b",
    re.IGNORECASE,
)
MAX_LISTED = 1000
"""Characters before `unchanged` in which the parts that it is said of are looked for."""

_TURNS = re.compile(r"\b(?:but|while|whereas|although|except)\b|:", re.IGNORECASE)
_ONLY = re.compile(
    r"\bonly (?:the )?([\w ,/-]{1,120}?) (?:(?:is|are|was|were|has|have) )?"
    r"(?:changed|changes?|differs?|modified)\b"
    r"|\bchang(?:es|ed|ing) only (?:the )?([\w ,/-]{1,120})",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|no longer|never)\b|n't", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: what it speaks of, the values that it gives, its words and its line.

    `whole` statements give all values that there are, others name some of them.
    """

    subject: Subject
    values: tuple[str, ...]
    text: str
    line: int
    whole: bool = False


def statements(body: str) -> tuple[Statement, ...]:
    """Return the statements of a description in the order of its lines, each once."""
    found = sorted((*_block(body), *_prose(body)), key=lambda one: one.line)
    seen: dict[tuple[str, tuple[str, ...], bool], Statement] = {}
    for one in found:
        seen.setdefault((one.subject, one.values, one.whole), one)
    return tuple(seen.values())


def _block(body: str) -> Iterator[Statement]:
    """Yield the entries of claims blocks; an entry of no known subject is a statement too."""
    fence = ""
    for number, row in enumerate(re.split(r"\r\n|\r|\n", body[:MAX_CHARACTERS]), 1):
        opened = _OPENS.fullmatch(row)
        if not fence:
            fence = opened[1] if opened else ""
        elif row.strip().startswith(fence):
            fence = ""
        elif row.strip():
            yield _entry(row, number)


def _entry(row: str, number: int) -> Statement:
    match = _ENTRY.fullmatch(row)
    subject = next((one for one in SUBJECTS if match and one == match[1]), None)
    if match is None or subject is None:
        return Statement("unknown", (row.strip()[:200],), row.strip()[:200], number, whole=True)
    values = match[2].strip().removeprefix("[").removesuffix("]").split(",")
    plain = (value.strip().strip("'\"") for value in values)
    return Statement(subject, tuple(v for v in plain if v), row.strip(), number, whole=True)


def _prose(body: str) -> Iterator[Statement]:
    for line in said(body):
        for sentence in _SENTENCE.split(line.text):
            yield from _of_points(sentence, line.number)
            yield from _of_launch(sentence, line.number)


def _of_points(sentence: str, line: int) -> Iterator[Statement]:
    for match in _CONCURRENCY.finditer(sentence):
        numbers = tuple(str(int(one)) for one in re.findall("[0-9]+", match[1]))
        adds = _ADDS.search(sentence[: match.start()]) is not None
        yield Statement(
            "added-concurrency" if adds else "concurrency", numbers, match[0].strip(), line
        )
    for match in _POINT.finditer(sentence):
        yield Statement("concurrency", (str(int(match[1])),), match[0], line)


def _of_launch(sentence: str, line: int) -> Iterator[Statement]:
    for match in _PARALLEL.finditer(sentence):
        yield Statement("parallelism", (f"{match[1]}{int(match[2])}",), match[0], line)
    for match in _DIGEST.finditer(sentence):
        yield Statement("image-digest", (match[1],), match[0], line)
    for match in _IMAGE.finditer(sentence):
        yield Statement("image", (match[1],), match[0], line)
    for match in _RUN.finditer(sentence):
        yield Statement("run", (match[1],), match[0], line)
    yield from _of_changes(sentence, line)


def _of_changes(sentence: str, line: int) -> Iterator[Statement]:
    """Yield what a sentence says to be as it was, and what alone it says to have changed."""
    if _NOT.search(sentence):
        return
    text = sentence.strip()[:200]
    same = _SAME.search(sentence)
    if same is not None:
        before, after = sentence[: same.start()], sentence[same.end() :].lstrip()
        listed = after[1:] if after.startswith(":") else _TURNS.split(before)[-1]
        kept = tuple(named(listed[-MAX_LISTED:]))
        if kept:
            yield Statement("unchanged", kept, text, line)
    for match in _ONLY.finditer(sentence):
        parts = tuple(named(match[1] or match[2]))
        if parts:
            yield Statement("only-changed", parts, text, line)

"""YAML to events, by the scalar rules of the YAML 1.2 core schema.

PyYAML (libyaml where it is built in) only splits the text; what a scalar means is decided here. So
`no`, `on`, `1_000` and `12:30:00` are text, `017` is 17, `0o17` is 15 and `1e3` is a number.
"""

import math
import re
from collections.abc import Iterator

import yaml
from pydantic import JsonValue

from infx.errors import Problem
from infx.store.tree import Event, Kind

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_WORDS: dict[str, JsonValue] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NON_FINITE = re.compile(r"[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN")
_CONTROL = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MAX_DIGITS = 400
_SCALAR_TAGS = ("str", "int", "float", "bool", "null")


def events(text: str, file: str, problems: list[Problem]) -> Iterator[Event]:
    """Yield the events of the one YAML document in `text`; an empty text is a null.

    Appends to `problems`: unknown tags, numbers that JSON lacks, a second document. Text that is
    not YAML ends the events early, with its problem.
    """
    reader = _Reader(file, problems)
    try:
        yield from reader.events(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        reader.report(f"this is not YAML: {error.problem or error.context}", line)
    except yaml.YAMLError as error:
        # The one error without a mark: the reader's, for a character that YAML does not have.
        odd = _CONTROL.search(text)
        line = text.count("\n", 0, odd.start() if odd else 0) + 1
        reader.report(f"this is not YAML: {str(error).splitlines()[0]}", line)


class _Reader:
    """Turns the events of PyYAML into ours."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self._file = file
        self._problems = problems

    def report(self, what: str, line: int, remedy: str | None = None) -> None:
        self._problems.append(Problem(what, f"{self._file}:{line}", remedy))

    def events(self, text: str) -> Iterator[Event]:
        documents = 0
        for event in yaml.parse(text, Loader=_LOADER):
            assert event.start_mark is not None
            line = event.start_mark.line + 1
            if isinstance(event, yaml.ScalarEvent):
                yield self._scalar(event, line)
            elif isinstance(event, yaml.CollectionEndEvent):
                yield Event(Kind.END, line)
            elif isinstance(event, yaml.MappingStartEvent):
                self._expect_tag(event.tag, ("map",), line)
                yield Event(Kind.MAPPING, line, name=event.anchor)
            elif isinstance(event, yaml.SequenceStartEvent):
                self._expect_tag(event.tag, ("seq",), line)
                yield Event(Kind.SEQUENCE, line, name=event.anchor)
            elif isinstance(event, yaml.AliasEvent):
                yield Event(Kind.ALIAS, line, name=event.anchor)
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.report("a second document begins here", line, "keep one in each file")
                    return
                if event.version not in (None, (1, 2)):
                    self.report("the file declares another YAML than 1.2", line, "drop %YAML")
        if not documents:
            yield Event(Kind.SCALAR, 1, text="")

    def _expect_tag(self, tag: str | None, known: tuple[str, ...], line: int) -> None:
        if tag is not None and tag != "!" and tag.removeprefix(_TAG) not in known:
            short = f"!!{tag.removeprefix(_TAG)}" if tag.startswith(_TAG) else tag
            self.report(f"the tag {short} is not known", line, "write the value without a tag")

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> Event:
        text: str = event.value
        self._expect_tag(event.tag, _SCALAR_TAGS, line)
        value: JsonValue = text
        if event.tag is None and event.implicit[0]:
            if text == "<<":
                return Event(Kind.SCALAR, line, text, text, event.anchor, merge=True)
            value = self._plain(text, line)
        elif event.tag not in (None, "!", _TAG + "str"):
            value = self._plain(text, line)
            if not _has_tag(value, str(event.tag).removeprefix(_TAG)):
                self.report(f"{text!r} is not what its tag says", line, "drop the tag")
        return Event(Kind.SCALAR, line, value, text, event.anchor)

    def _plain(self, text: str, line: int) -> JsonValue:
        """Return what a plain scalar means in the YAML 1.2 core schema (section 10.3.2)."""
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in "-+.0123456789":
            return text
        if _INT.fullmatch(text):
            if len(text) > _MAX_DIGITS:
                self.report(f"a number has more than {_MAX_DIGITS} digits", line, "quote it")
                return None
            return int(text, 0) if text.startswith(("0o", "0x")) else int(text)
        if _NON_FINITE.fullmatch(text):
            self.report(f"{text} is not a finite number", line, "leave the value out, or quote it")
            return None
        if _FLOAT.fullmatch(text):
            number = float(text)
            if math.isfinite(number):
                return number
            self.report(f"{text} is too large for a number", line, "quote it")
            return None
        return text


def _has_tag(value: JsonValue, name: str) -> bool:
    kind = {"int": int, "float": int | float, "bool": bool, "null": type(None)}.get(name)
    return kind is None or (isinstance(value, kind) and (name == "bool") is isinstance(value, bool))

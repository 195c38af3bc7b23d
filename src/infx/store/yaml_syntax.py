"""YAML to a tree, by the scalar rules of the YAML 1.2 core schema.

PyYAML (libyaml where it is built in) only splits the text; what a scalar means is decided here. So
`no`, `on`, `1_000` and `12:30:00` are text, `017` is 17, `0o17` is 15 and `1e3` is a number.
"""

import math
import re

import yaml
from pydantic import JsonValue

from infx.store.tree import Tree

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Scalar, _End = yaml.ScalarEvent, yaml.CollectionEndEvent
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


def read(text: str, tree: Tree) -> None:
    """Tell `tree` what the one YAML document in `text` holds; an empty text is a null.

    Reports unknown tags, numbers that JSON lacks, a second document. Text that is not YAML ends
    early, with its problem.
    """
    try:
        _Reader(tree).read(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        tree.report(f"this is not YAML: {error.problem or error.context}", line)
    except yaml.YAMLError as error:
        # The one error without a mark: the reader's, for a character that YAML does not have.
        odd = _CONTROL.search(text)
        line = text.count("\n", 0, odd.start() if odd else 0) + 1
        tree.report(f"this is not YAML: {str(error).splitlines()[0]}", line)


class _Reader:
    """Turns the events of PyYAML into steps of a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._report = tree.report
        # The same few words and numbers fill a catalog: each is judged once.
        self._known = dict(_WORDS)
        self._documents = 0

    def read(self, text: str) -> None:
        known, scalar, close = self._known, self._tree.scalar, self._tree.close
        for event in yaml.parse(text, Loader=_LOADER):
            assert event.start_mark is not None
            line = event.start_mark.line + 1
            if isinstance(event, _Scalar) and event.tag is None and event.anchor is None:
                word: str = event.value
                if not event.implicit[0]:
                    scalar(line, word, word)
                elif word in known:
                    scalar(line, known[word], word)
                else:
                    self._word(word, line)
            elif isinstance(event, _End):
                close()
            else:
                self._rare(event, line)
            if self._documents > 1:
                return
        if not self._documents:
            scalar(1, None, "")

    def _word(self, word: str, line: int) -> None:
        """Take a plain scalar that was not met before."""
        if word == "<<":
            self._tree.merge(line)
            return
        value = self._plain(word, line)
        if value is not None:
            self._known[word] = value
        self._tree.scalar(line, value, word)

    def _rare(self, event: yaml.Event, line: int) -> None:
        if isinstance(event, yaml.MappingStartEvent):
            self._expect_tag(event.tag, ("map",), line)
            self._tree.mapping(line, event.anchor)
        elif isinstance(event, yaml.SequenceStartEvent):
            self._expect_tag(event.tag, ("seq",), line)
            self._tree.sequence(line, event.anchor)
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, yaml.AliasEvent) and event.anchor is not None:
            self._tree.alias(line, event.anchor)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self._report("a second document begins here", line, "keep one in each file")
            elif event.version not in (None, (1, 2)):
                self._report("the file declares another YAML than 1.2", line, "drop %YAML")

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        """Take a scalar with a tag or an anchor."""
        text: str = event.value
        self._expect_tag(event.tag, _SCALAR_TAGS, line)
        value: JsonValue = text
        if event.tag is None and event.implicit[0]:
            value = self._plain(text, line)
        elif event.tag not in (None, "!", _TAG + "str"):
            value = self._plain(text, line)
            if not _has_tag(value, str(event.tag).removeprefix(_TAG)):
                self._report(f"{text!r} is not what its tag says", line, "drop the tag")
        self._tree.scalar(line, value, text, event.anchor)

    def _expect_tag(self, tag: str | None, known: tuple[str, ...], line: int) -> None:
        if tag is not None and tag != "!" and tag.removeprefix(_TAG) not in known:
            short = f"!!{tag.removeprefix(_TAG)}" if tag.startswith(_TAG) else tag
            self._report(f"the tag {short} is not known", line, "write the value without a tag")

    def _plain(self, text: str, line: int) -> JsonValue:
        """Return what a plain scalar means in the YAML 1.2 core schema (section 10.3.2)."""
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in "-+.0123456789":
            return text
        if _INT.fullmatch(text):
            if len(text) > _MAX_DIGITS:
                self._report(f"a number has more than {_MAX_DIGITS} digits", line, "quote it")
                return None
            return int(text, 0) if text.startswith(("0o", "0x")) else int(text)
        if _NON_FINITE.fullmatch(text):
            self._report(f"{text} is not a finite number", line, "leave the value out, or quote it")
            return None
        if _FLOAT.fullmatch(text):
            number = float(text)
            if math.isfinite(number):
                return number
            self._report(f"{text} is too large for a number", line, "quote it")
            return None
        return text


def _has_tag(value: JsonValue, name: str) -> bool:
    kind = {"int": int, "float": int | float, "bool": bool, "null": type(None)}.get(name)
    return kind is None or (isinstance(value, kind) and (name == "bool") is isinstance(value, bool))

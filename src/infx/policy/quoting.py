"""Text of strangers, shown so that it does nothing: no markup, mention, marker or trick of the eye.

Markdown is made safe by character references, which no construct of it can start or end with.
"""

import re
import unicodedata

LIMIT = 300
"""Characters of one quotation that are shown; what is left out is counted."""

MARKS = 2
"""Combining marks that one letter may carry; more would paint over the lines around it."""

_BREAK = "&#8203;"
"""A zero-width space: GitHub reads the rendered text for `@name` and `#1`, so they are parted."""

_MARKUP = frozenset("\\`*_{}[]()<>|~$!&\"'^")
_PARTED = frozenset("@#")
_LINK = re.compile(r"(:(?=//)|www(?=\.))", re.IGNORECASE)
_INVISIBLE = frozenset("\u00ad\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str, *, limit: int = LIMIT, lines: bool = False) -> str:
    """Return text as one may print it in a terminal: what has no shape is named by its code point.

    Line ends and tabs become one space; with `lines`, line ends stay. Text beyond `limit`
    characters is cut, and the cut is stated.

    >>> visible("a\\u202eb")
    'a<U+202E>b'
    """
    shown: list[str] = []
    marks = 0
    for char in text[:limit]:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if char == "\n" and lines:
            shown.append(char)
        elif char in "\n\t\r":
            shown.append(" ")
        elif _is_hidden(char) or marks > MARKS:
            shown.append(f"<U+{ord(char):04X}>")
        else:
            shown.append(" " if unicodedata.category(char) == "Zs" else char)
    more = len(text) - limit
    return "".join(shown) + (f" (and {more} more characters)" if more > 0 else "")


def markdown(text: str, *, limit: int = LIMIT) -> str:
    """Return text as plain words of one Markdown line or table cell.

    >>> markdown("@you <!-- x -->")
    '@&#8203;you &lt;&#33;-- x --&gt;'
    """
    safe = _escaped(visible(text, limit=limit).strip())
    safe = _LINK.sub(rf"\1{_BREAK}", safe)
    # A line may begin with it: a dash, a plus or a number would make a list, `=` a heading.
    head = len(safe) - len(safe.lstrip("0123456789"))
    if safe[head : head + 1] in (("-", "+", "=", ":") if head == 0 else (".",)):
        safe = f"{safe[:head]}&#{ord(safe[head])};{safe[head + 1 :]}"
    return safe


def code(text: str, *, limit: int = LIMIT) -> str:
    """Return text as inline code of Markdown. GitHub looks for no mentions and links in code.

    >>> code("a`b")
    '<code>a&#96;b</code>'
    """
    return f"<code>{_escaped(visible(text, limit=limit), parted=False)}</code>"


def block(text: str, *, limit: int = 10 * LIMIT) -> str:
    """Return text as a block of its own lines, as they are, with nothing in them read as Markdown.

    Not a fence: its raw text would still hold a marker that somebody searches a comment for.
    """
    shown = visible(text, limit=limit, lines=True)
    # An empty line would end the block where a list or a quotation holds it.
    rows = [_escaped(row, parted=False) or "&#32;" for row in shown.split("\n")]
    return "<pre>" + "\n".join(rows) + "</pre>"


def _is_hidden(char: str) -> bool:
    variation = 0xFE00 <= ord(char) <= 0xFE0F or 0xE0100 <= ord(char) <= 0xE01EF
    return char in _INVISIBLE or variation or unicodedata.category(char) in _HIDDEN


def _escaped(text: str, *, parted: bool = True) -> str:
    return "".join(_reference(char, parted=parted) for char in text)


def _reference(char: str, *, parted: bool) -> str:
    named = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
    if char in _PARTED:
        return char + _BREAK if parted else f"&#{ord(char)};"
    if char in _MARKUP:
        return named.get(char, f"&#{ord(char)};")
    return char

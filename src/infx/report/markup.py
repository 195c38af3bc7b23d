"""HTML that cannot carry foreign markup: text is escaped unless it was built here."""

import html
import json
from collections.abc import Iterable


class Html(str):
    """Text that is markup already; every other string is escaped where it enters."""

    __slots__ = ()


def escape(text: str) -> Html:
    """Return `text` as character data, whatever it holds; what UTF-8 cannot carry becomes `?`."""
    if isinstance(text, Html):
        return text
    return Html(html.escape(text.encode("utf-8", "replace").decode()))


def join(parts: Iterable[str]) -> Html:
    """Return the escaped parts one after another."""
    return Html("".join(map(escape, parts)))


def element(tag: str, *children: str, **attributes: str | None) -> Html:
    """Return one element. `class_` is written `class`, `aria_label` `aria-label`; None is left out.

    >>> element("td", "<b>", class_="x")
    '<td class="x">&lt;b&gt;</td>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Html(f"<{tag}{written}>{join(children)}</{tag}>")


def table(
    caption: str, head: Iterable[str], rows: Iterable[Iterable[str]], *, class_: str | None = None
) -> Html:
    """Return a table that scrolls by itself; the first cell of each row is its header."""
    header = element("tr", *(element("th", name, scope="col") for name in head))
    body = []
    for row in rows:
        first, *rest = row
        body.append(
            element("tr", element("th", first, scope="row"), *(element("td", c) for c in rest))
        )
    whole = element(
        "table",
        element("caption", element("span", caption)),
        element("thead", header),
        element("tbody", *body),
        class_=class_,
    )
    return element("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)


def data_block(name: str, value: object) -> Html:
    """Return a JSON data block that no text inside can end or turn into script.

    Raises ValueError for numbers that JSON cannot carry.
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Html(f'<script type="application/json" id="{escape(name)}">{text}</script>')

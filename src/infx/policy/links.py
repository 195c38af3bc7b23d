"""Links to launch pages: whether a text has one, and whether it leads where an engine publishes."""

import re
from typing import Literal

from infx.model.page_facts import Published
from infx.model.registry import Cookbook

_URL = re.compile(r"https?://[^\s<>()\[\]`\"'|]+", re.IGNORECASE)
_PULL = re.compile(
    r"https://github\.com/(?P<repository>[\w.-]+/[\w.-]+)/pull/(?P<number>[0-9]+)", re.ASCII
)

Place = Literal["official", "superseded", "elsewhere"]
"""Where a link leads: to the engine's cookbook, to an old copy of it, or to neither."""


def links(text: str, url: str) -> bool:
    """Return whether a text links an address; a pull request also by `owner/repository#number`.

    >>> links("see sgl-project/sglang#45.", "https://github.com/sgl-project/sglang/pull/45")
    True
    """
    wanted = _bare(url)
    if any(_bare(found[0]) == wanted for found in _URL.finditer(text)):
        return True
    pull = _PULL.fullmatch(_bare(url))
    if pull is None:
        return False
    short = re.escape(f"{pull['repository']}#{pull['number']}")
    return re.search(rf"(?<![\w./-]){short}(?!\w)", text, re.IGNORECASE) is not None


def place(published: Published, cookbook: Cookbook) -> Place:
    """Return where a page or pull request stands among the places that an engine publishes in."""
    if published.form == "page":
        is_inside = any(published.url.startswith(page) for page in cookbook.pages)
        return "official" if is_inside and ".." not in published.url else "elsewhere"
    pull = _PULL.fullmatch(_bare(published.url))
    repository = "" if pull is None else pull["repository"].casefold()
    if repository in {one.casefold() for one in cookbook.repositories}:
        return "official"
    is_old = repository in {one.casefold() for one in cookbook.superseded}
    return "superseded" if is_old else "elsewhere"


def _bare(url: str) -> str:
    """Return an address without its fragment and what a sentence puts behind it.

    Of a pull request only what names it stays: its pages of files and commits are the same one.
    """
    bare = url.partition("#")[0].rstrip(".,;:!?*_/")
    pull = _PULL.match(bare)
    return pull[0] if pull is not None and bare[pull.end() :][:1] in ("", "/") else bare


def unfit(published: Published, cookbook: Cookbook) -> str | None:
    """Return why a link counts for nothing, None when it counts."""
    where = place(published, cookbook)
    if where == "superseded":
        return "is an old copy, which does not count alone"
    if where == "elsewhere":
        return f"is no page or pull request of the cookbook of {cookbook.engine}"
    if not published.readable:
        return "could not be verified: nobody could read it"
    if published.form == "pull-request" and published.merged is None:
        return f"is not merged ({published.state or 'its state is not known'})"
    return None

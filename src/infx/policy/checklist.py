"""Which item of a checklist each line of a signed review answers.

By a hidden id first, then by the sentence, then by its words: hands drift, and a checklist that was
pasted last week has a comma more. A line whose negations differ is another statement.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from infx.model.checklist import Checklist, ChecklistItem
from infx.policy.lines import Bullet
from infx.policy.signoff import Item, SignOff

SIMILAR = 0.9
"""The least share of common words by which a line answers an item (Dice, words counted)."""

By = Literal["id", "sentence", "words"]

_LINK = re.compile(r"\[([^\[\]]{0,500})\]\([^()\s]{0,2000}\)")
_URL = re.compile(r"https?://[^\s)\]>]+", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_NEGATION = re.compile(
    "not?|never|none|neither|nor|without|cannot|unless|fail(s|ed)?|cant|wont"
    "|(is|are|was|were|do|does|did|has|have|had|could|should|would)nt"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a signed review says to one item.

    `lines` are where it answers (none: nowhere). `checked` holds when every such line is checked.
    `similarity` is the weakest of them. `explained` are lines of the detail section about it.
    """

    item: ChecklistItem
    lines: tuple[int, ...]
    checked: bool
    by: By | None
    similarity: float
    explained: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """The answers to all items in their order, and the lines that answer none of them."""

    answers: tuple[Answer, ...]
    others: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class _Match:
    item: str
    by: By
    similarity: float


def words(text: str) -> list[str]:
    """Return the words of a sentence as they are compared: no markup, links, case or punctuation.

    >>> words("Isn't in [`A.md`](https://x.example/a) or https://y.example/")
    ['isnt', 'in', 'a', 'md', 'or']
    """
    plain = unicodedata.normalize("NFKC", text)
    plain = _URL.sub(" ", _LINK.sub(r"\1", plain)).replace("'", "").replace("’", "")
    return _WORD.findall(plain.casefold())


def sentence_digest(text: str) -> str:
    """Return the SHA-256 of a sentence's words: what `exact` of an item has."""
    return sha256(" ".join(words(text)).encode("utf-8", "surrogatepass")).hexdigest()


def word_digests(text: str) -> str:
    """Return what `words` of an item has for a sentence."""
    return " ".join(sorted(_digest(word) for word in words(text)))


def negations(text: str) -> int:
    """Count the words of a sentence that turn it round."""
    return sum(_NEGATION.fullmatch(word) is not None for word in words(text))


def read(signoff: SignOff, checklist: Checklist) -> Reading:
    """Return what a signed review says to each item of a checklist.

    A line answers at most one item: the one it names, or else the one it is most like.
    """
    matches = [_match(item.bullet, checklist.items) for item in signoff.items]
    answers = []
    for item in checklist.items:
        mine = [
            (match, line)
            for match, line in zip(matches, signoff.items, strict=True)
            if match is not None and match.item == item.id
        ]
        answers.append(
            Answer(
                item=item,
                lines=tuple(line.bullet.line for _, line in mine),
                checked=bool(mine) and all(line.checked for _, line in mine),
                by=mine[0][0].by if mine else None,
                similarity=min((match.similarity for match, _ in mine), default=0.0),
                explained=tuple(_explaining(item, signoff.details)),
            )
        )
    pairs = zip(matches, signoff.items, strict=True)
    return Reading(tuple(answers), tuple(line for match, line in pairs if match is None))


def _match(bullet: Bullet, items: Sequence[ChecklistItem]) -> _Match | None:
    digest = sentence_digest(bullet.text)
    mine = Counter(word_digests(bullet.text).split())
    turned = negations(bullet.text)
    likeness = {item.id: _dice(mine, Counter(item.words.split())) for item in items}
    named = next((one for one in bullet.ids if one in likeness), None)
    if named is not None:
        return _Match(named, "id", likeness[named])
    for item in items:
        if digest in item.exact:
            return _Match(item.id, "sentence", 1.0)
    close = [item.id for item in items if item.negations == turned]
    best = max(close, key=lambda one: likeness[one], default=None)
    if best is None or likeness[best] < SIMILAR:
        return None
    return _Match(best, "words", likeness[best])


def _dice(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def _digest(word: str) -> str:
    return sha256(word.encode("utf-8", "surrogatepass")).hexdigest()[:4]


def _explaining(item: ChecklistItem, details: Iterable[Bullet]) -> Iterable[int]:
    """Yield the lines of the detail section that open with an item's name, or have its id.

    An id of one word is a word of every day: it counts only where it opens the line.
    """
    names = [words(name) for name in (item.id, *item.names)]
    mention = re.compile(rf"(?<![\w-]){item.id}(?![\w-])")
    for bullet in details:
        opening = words(bullet.text[:200])
        is_opening = any(opening[: len(name)] == name for name in names)
        if is_opening or ("-" in item.id and mention.search(bullet.text)):
            yield bullet.line

"""How each engine is seen to simulate acceptance, by the settings that its log shows."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from infx.model.config_facts import Observed
from infx.recipes.acceptance import atom, sglang, tilert, trtllm, vllm

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,2})?")
_NOTHING = frozenset({"", "none", "null", "[]"})


@dataclass(frozen=True, slots=True)
class Knobs:
    """The settings of one engine: the length, words that go with it, and what excludes it.

    `own` is what the engine's length leaves out of the acceptance length: 1 where it does not count
    the target's own token.
    """

    length: str
    words: Mapping[str, str] = field(default_factory=dict)
    excluded: str | None = None
    own: int = 0

    def lengths(self, seen: Iterable[Observed]) -> list[Observed]:
        """Return the lengths among settings."""
        return [one for one in seen if named(one) == folded(self.length)]

    def reads(self, one: Observed) -> Decimal | None:
        """Return a setting's acceptance length, None for what is no number.

        >>> one = Observed(name="env.N", value="3.05", cite={"path": "log"})
        >>> Knobs("N", own=1).reads(one)
        Decimal('4.05')
        """
        found = _NUMBER.fullmatch(one.value.strip())
        return None if found is None else Decimal(found[0]) + self.own

    def on(self, seen: Iterable[Observed]) -> list[Observed]:
        """Return the settings that simulate acceptance: any length above 0, and rates."""
        names = {folded(self.length), folded(self.excluded or self.length)}
        return [one for one in seen if named(one) in names and not self._is_off(one)]

    def _is_off(self, one: Observed) -> bool:
        length = self.reads(one)
        nothing = one.value.strip().lower() in _NOTHING
        return nothing or (length is not None and length - self.own <= 0)


KNOBS = {
    "sglang": Knobs(
        sglang.LENGTH, {sglang.METHOD: "match-expected", sglang.TOKENS: "real-draft-token"}
    ),
    "vllm": Knobs(vllm.LENGTH, {vllm.METHOD: "synthetic"}, vllm.RATES),
    "trtllm": Knobs(trtllm.ACCEPTED, own=1),
    "atom": Knobs(atom.LENGTH, excluded=atom.RATE),
    "tilert": Knobs(tilert.LENGTH, {tilert.METHOD: "match-expected"}),
}
"""Engine of a role -> its settings."""


def simulates(seen: Iterable[Observed]) -> list[Observed]:
    """Return the settings with which any engine would simulate acceptance."""
    seen = list(seen)
    found = [one for knobs in KNOBS.values() for one in knobs.on(seen)]
    # vLLM alone has a word that simulates; without it a length in its object does nothing.
    words = [one for one in seen if named(one) == vllm.METHOD]
    return [*found, *(one for one in words if one.value.strip().lower() == "synthetic")]


def named(one: Observed) -> str:
    """Return a setting's last name, without what holds it, in one spelling.

    >>> named(Observed(name="args.speculative-config.Acc-Len", value="2", cite={"path": "log"}))
    'acc_len'
    """
    return folded(one.name.rpartition(".")[2])


def folded(name: str) -> str:
    """Return a name in one spelling.

    >>> folded("--spec-decode-acceptance-length")
    'spec_decode_acceptance_length'
    """
    return name.lstrip("-").replace("-", "_").lower()

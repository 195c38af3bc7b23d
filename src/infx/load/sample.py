"""Which answers are kept in full: a seeded hundredth of them, and at least eight."""

from collections.abc import Sequence
from hashlib import sha256

AT_LEAST = 8


def kept_answers(sessions: Sequence[int], seed: int) -> frozenset[int]:
    """Return the sessions whose answers are kept; the same ones for the same seed."""
    count = max(AT_LEAST, -(-len(sessions) // 100))
    ranked = sorted(sessions, key=lambda number: sha256(f"{seed}:{number}".encode()).digest())
    return frozenset(ranked[:count])

"""The words that answers are made of."""

PASSAGE = (
    "the bridge was closed for repairs so the mail went round by the old mill road and came late "
    "to every house along the river where people had begun to ask whether anything would arrive "
    "at all before winter a boy who carried letters said that the horses knew the way even in fog "
    "and that he often slept while they walked his mother kept a small shop with bread lamps rope "
    "and seed and she wrote down each sale in a blue book that nobody else was allowed to read "
    "when the snow melted the engineers returned with longer beams and a new plan they measured "
    "the water twice a day and painted a white line on the stone to show how high it stood"
)
"""Plain words without characters that JSON escapes; an answer walks through them in a circle."""

_WORDS = tuple(f" {word}".encode() for word in PASSAGE.split())


def answer_text(seed: int, first: int, count: int) -> bytes:
    """Return words `first` to `first + count` of the answer with this seed, a space before each."""
    start, words = seed + first, _WORDS
    if count == 1:
        return words[start % len(words)]
    return b"".join([words[at % len(words)] for at in range(start, start + count)])

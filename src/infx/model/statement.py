"""The digest by which one statement of a script is known, wherever it stands."""

from hashlib import sha256


def statement_digest(text: str) -> str:
    """Return the SHA-256 of a statement's text without the spaces at the ends of its lines.

    >>> statement_digest("sed -i s/a/b/ x  ") == statement_digest("sed -i s/a/b/ x\\n")
    True
    """
    lines = (line.rstrip() for line in text.strip().splitlines())
    return sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()

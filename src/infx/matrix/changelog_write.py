"""The text of a new changelog entry."""

import json

from infx.model.changelog import Entry


def appended(entry: Entry, *, first: bool) -> bytes:
    """Return the bytes that append an entry to a changelog, by its byte contract.

    `first` is whether the file is empty, so that nothing has to stand between.
    """
    lines = ["- config-keys:", *(f"    - {_scalar(key)}" for key in entry.config_keys)]
    if entry.scenario_type is not None:
        lines += ["  scenario-type:", *(f"    - {one}" for one in entry.scenario_type)]
    lines += ["  description:", *(f"    - {_quoted(text)}" for text in entry.description)]
    lines += [f"  pr-link: {entry.pr_link}"]
    separator = "" if first else "\n"
    return (separator + "\n".join(lines) + "\n").encode()


def _quoted(text: str) -> str:
    """Quote any text on one line: a JSON string is one in YAML too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _scalar(text: str) -> str:
    plain = text and all(char.isalnum() or char in "-._" for char in text) and text[0].isalpha()
    return text if plain else _quoted(text)

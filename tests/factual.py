"""Whether facts are only facts: words of judgement in what infx itself wrote."""

import re

JUDGING = re.compile(
    r"\b(pass(es|ed)?|fail(s|ed|ures?)?|warn(s|ings?)?|rejected|accepted|status|verdict|ok|bad|good"
    r"|wrong|invalid|allowed|forbidden|violat\w+|correct|suspicious|severity|confidence|banned)\b",
    re.IGNORECASE,
)
QUOTED = {"body", "title", "text", "labels", "conclusion", "observed"}
"""Fields that hold what others wrote: people, a forge, a run of its jobs, a server in its log."""


def judgements(submission):
    """Return each text that judges, with its place; reasons why something is unknown count too."""
    dumped = submission.model_dump(mode="json")
    return [
        (path, text)
        for path, text in _texts(dumped)
        if QUOTED.isdisjoint(path) and JUDGING.search(text.replace("_", " "))
    ]


def _texts(value, path=()):
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _texts(one, (*path, name))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _texts(one, (*path, place))
    elif isinstance(value, str):
        yield path, value

"""Findings in the form that most checks give them."""

from infx.model.config_facts import Observed
from infx.model.verdict import Cite, Finding, Question


def observed(one: Observed) -> Cite:
    """Return a setting that a server stated as the place where it did."""
    return one.cite.model_copy(update={"value": f"{one.name}={one.value}"})


def failed(
    about: str,
    message: str,
    *cites: Cite,
    remedy: str,
    question: Question | None = None,
) -> Finding:
    """Return what a broken rule says of a config: why, where it stands, and what to do."""
    return Finding(
        status="FAIL",
        message=message,
        cites=cites,
        about=about,
        remedy=remedy,
        question=question,
    )


def passed(about: str, message: str, *cites: Cite) -> Finding:
    """Return what speaks for a config, and where it stands."""
    return Finding(status="PASS", message=message, cites=cites, about=about)

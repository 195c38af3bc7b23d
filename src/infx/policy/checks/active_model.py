"""What is submitted is a model, a scenario and a precision that may still be submitted.

What
    Each scenario of each affected entry is looked up in the registry of models on the day of the
    review (UTC): the model by its prefix, then the scenario, then the precision.

Why
    Scenarios and models are retired so that machines measure what people run today. A last day
    that is announced holds for everybody in the same way.

Fails
    The day is after the last day of the model's scenario, of the scenario as a whole, or of the
    precision. The model is not registered, or has no row for the scenario. The entry names none.

Passes
    The scenario is active, or its last day has not passed: the last day itself still counts. A row
    of the model wins over that of the scenario. Where the row has a restriction in words, the
    finding passes it on as a question.

Fix
    Remove what is retired from the change, or register the model first.

Evidence
    Affected entries (`configs`), the day of the review, and the registry of models.
"""

from collections.abc import Iterator

from infx.model.config_facts import Config
from infx.model.submission import Submission
from infx.model.verdict import Finding, Question
from infx.policy.context import Context
from infx.policy.scope import affected
from infx.recipes.registries import model, permission

NEEDS = ("configs",)


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield for each scenario of each affected entry whether it may be submitted on the day."""
    configs = affected(submission)
    if not configs:
        yield Finding(status="N/A", message="no entry was added, changed or enabled again")
    for config in configs:
        if not config.scenarios:
            yield Finding(
                status="FAIL",
                message=f"could not be verified: {config.key} names no scenario",
                cites=(config.cite,),
                about=config.key,
                remedy="state the scenarios that it measures",
            )
        for scenario in config.scenarios:
            yield _scenario(config, scenario, submission, context)


def _scenario(config: Config, scenario: str, submission: Submission, context: Context) -> Finding:
    told = permission(
        context.models,
        prefix=config.prefix,
        scenario=scenario,
        precision=config.precision,
        day=submission.day,
    )
    if not told.allowed:
        known = model(context.models, config.prefix) is not None
        without = f"take {scenario} out of {config.key}, or register what may be submitted"
        return Finding(
            status="FAIL",
            message=f"{told.because}; the day of the review is {submission.day}",
            cites=(config.cite,),
            about=config.key,
            remedy=without if known else f"register the model {config.prefix} first",
        )
    note = _note(config.prefix, scenario, context)
    asks = None if note is None else f"does {config.key} keep to the row of {scenario}: {note}?"
    return Finding(
        status="PASS",
        message=told.because,
        cites=(config.cite,),
        about=config.key,
        question=None if asks is None else Question(asks=asks, of="the reviewer"),
    )


def _note(prefix: str, scenario: str, context: Context) -> str | None:
    found = model(context.models, prefix)
    rows = () if found is None else found.scenarios
    return next((row.note for row in rows if row.id == scenario), None)

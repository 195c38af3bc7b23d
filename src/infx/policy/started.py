"""What a local run measured: was it the recipe, who says so, and did its requests come to anything.

A run of the forge is of a commit. A bundle is of the entry that its owner names; but where the
client started the server itself, its record has the flags, and they can be compared.
"""

import json
from collections import defaultdict
from collections.abc import Iterator

from pydantic import JsonValue

from infx.model.config_facts import Effective, Role
from infx.model.run_facts import Measurement, Run
from infx.model.submission import Submission
from infx.model.validity import REASONS
from infx.model.verdict import Cite, Finding
from infx.policy.findings import failed

_UNDONE = ("nothing-ok", "error-rate", "aborted")
"""Reasons for which `infx bench` does not end well."""

_QUANTISATION = "quantisation"
"""What the log of llama.cpp calls its file type: `Q8_0`, `BF16`, `all F32`."""

_PLAIN = {"f16": "fp16", "f32": "fp32"}

_REMEDY = "measure the recipe as it is, or change it to what was measured"


def is_claimed(run: Run, submission: Submission) -> bool:
    """Say whether only its owner says what the server of a run was."""
    mine = _of(run, submission)
    return run.event == "local" and (not mine or any(one.launched is None for one in mine))


def undone(run: Run, submission: Submission) -> Iterator[Finding]:
    """Yield the points of a run whose requests came to nothing, or broke too often."""
    for reason in _UNDONE:
        mine = [one for one in _of(run, submission) if reason in one.reasons]
        said = REASONS[reason].removesuffix(".")
        for config in dict.fromkeys(one.config for one in mine):
            spoiled = [one for one in mine if one.config == config]
            points = ", ".join(f"c{one}" for one in sorted({one.concurrency for one in spoiled}))
            yield failed(
                config,
                f"run {run.id} measured nothing that counts at {points}: {reason} ({said})",
                *(one.cite for one in spoiled),
                remedy="look at the errors of those points, and measure them again",
            )


def started_otherwise(run: Run, submission: Submission) -> Iterator[Finding]:
    """Yield each setting that a run started otherwise than its recipe has it, for all its points.

    So are weights of another precision than the entry's, by the server's own word. Recipes with
    several roles are not compared: a record does not say whose a flag is.
    """
    found: dict[tuple[str, str], list[tuple[Measurement, Cite]]] = defaultdict(list)
    precisions = {one.key: one.precision for one in submission.configs or ()}
    for one in _of(run, submission):
        for said, cite in _weights(one, precisions.get(one.config)):
            found[one.config, said].append((one, cite))
        recipe = _recipe(one, submission)
        if recipe is not None and one.launched is not None and len(recipe.roles) == 1:
            (role,) = recipe.roles.values()
            for said, cite in _differences(one, role):
                found[one.config, said].append((one, cite))
    for (config, said), mine in found.items():
        points = ", ".join(f"c{number}" for number in sorted({one.concurrency for one, _ in mine}))
        message = f"run {run.id} started {config} at {points} with {said}"
        cites = {(cite.path, cite.line): cite for _, cite in mine}
        yield failed(config, message, *cites.values(), remedy=_REMEDY)


def _of(run: Run, submission: Submission) -> list[Measurement]:
    return [one for one in submission.measurements or () if run.url == f"bundle {one.run}"]


def _recipe(one: Measurement, submission: Submission) -> Effective | None:
    for recipe in submission.recipes or ():
        if recipe.config == one.config and one.concurrency in recipe.concurrencies:
            return recipe
    return None


def _weights(one: Measurement, precision: str | None) -> Iterator[tuple[str, Cite]]:
    for each in one.observed or ():
        if each.name.endswith(f".{_QUANTISATION}") and precision is not None:
            word = each.value.lower().removeprefix("all ")
            if not _PLAIN.get(word, word).startswith(precision):
                yield f"weights in {each.value}, and the entry is {precision}", each.cite


def _differences(one: Measurement, role: Role) -> Iterator[tuple[str, Cite]]:
    stated = {**role.args, **role.env}
    started = {each.name: each for each in one.launched or ()}
    for name, each in started.items():
        mine = stated.get(name)
        if mine is None:
            yield f"{name} {each.value}, which the recipe does not have", each.cite
        elif _text(mine.value) != each.value:
            yield f"{name} {each.value}, and the recipe has {_text(mine.value)}", mine.cite
    for name, setting in stated.items():
        if name not in started and setting.value is not None:
            yield f"no {name}, and the recipe has {_text(setting.value)}", setting.cite


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

"""TensorRT-LLM behind Dynamo publishes its iteration and KV-cache metrics.

What
    For affected entries of TensorRT-LLM behind Dynamo: the engine's iteration and KV-cache metrics
    are turned on by settings that the installed Dynamo supports, and a page of the measured run has
    them. The version is that of the installed package, not of the container's tag: the one that
    was recorded of the run, else the one that the recipe installs, else the one that the catalog
    states beside the image. KV events are not asked for.

    The rule is inferred. The public system has this check and no page states its text; it is drawn
    from the statement that reviewers sign and from what the harness does.

Why
    Without these metrics nobody can tell how full a cache was or how large the batches were, so a
    result cannot be explained or compared.

Fails
    A setting turns the metrics off, or they are on and the run's pages have none. The installed
    version, the effective setting or the pages of the run are not known. An affected entry of this
    path has no facts at all.

Passes
    Every variant of every such entry publishes them, and a page of the run shows it. Other engines,
    and TensorRT-LLM without Dynamo, are not asked.

Fix
    Remove the setting that turns them off, or turn them on by the control that the installed
    version has; keep a page of the metrics with the run.

Evidence
    Installed version, effective settings and pages of the run (`publication`), and the affected
    entries (`configs`).
"""

from collections.abc import Iterator

from infx.model.config_facts import Config
from infx.model.run_facts import Publication
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding, Question
from infx.policy.context import Context
from infx.policy.scope import affected
from infx.recipes.registries import framework

NEEDS = ("configs",)

ENGINE = "trtllm"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield for each variant of an entry of this path whether its metrics are published."""
    asked = [config for config in affected(submission) if _is_asked(config, context)]
    if not asked:
        message = "no affected entry serves TensorRT-LLM behind Dynamo"
        yield Finding(status="N/A", message=message, confidence="inferred")
    for config in asked:
        facts = [one for one in submission.publication or () if one.config == config.key]
        if not facts:
            message = f"could not be verified: nothing was gathered of the metrics of {config.key}"
            yield _bad(
                config.key, message, "collect the settings and a page of the run", config.cite
            )
        for one in facts:
            yield _variant(config, one)


def _is_asked(config: Config, context: Context) -> bool:
    row = framework(context.engines, config.framework)
    is_behind = config.framework.startswith("dynamo-")
    return is_behind and row is not None and row.engine == ENGINE


def _variant(config: Config, facts: Publication) -> Finding:
    about = f"{facts.config} {facts.variant}"
    settings = tuple(one.cite for one in facts.settings)
    version = facts.dynamo_version
    unknown = _unknown(facts)
    if unknown is not None:
        what, remedy, asks = unknown
        message = f"could not be verified: nobody knows {what} for {about}"
        question = Question(asks=f"{asks} {about}?", of="the signer")
        return _bad(about, message, remedy, *(settings or (config.cite,)), question=question)
    if not facts.enabled:
        named = ", ".join(f"{one.name}={one.value}" for one in facts.settings) or "the default"
        message = f"{about} publishes no iteration and KV-cache metrics: {named}"
        return _bad(about, message, "remove what turns them off", *(settings or (config.cite,)))
    if not facts.scraped:
        message = f"{about} turns its metrics on, and no page of the run has them"
        remedy = "use the control that the installed version has, and measure again"
        return _bad(about, message, remedy, *(settings or (config.cite,)))
    shown = (version.cite,) if version is not None else ()
    return Finding(
        status="PASS",
        message=f"{about} publishes its metrics, and the run's pages have them",
        cites=(*shown, *settings),
        about=about,
        confidence="inferred",
    )


def _unknown(facts: Publication) -> tuple[str, str, str] | None:
    """Return what is not known of a launch, what to do, and what a person is asked."""
    if facts.dynamo_version is None:
        return (
            "the installed version of Dynamo",
            "record the installed package's version (`installed` of --pull)",
            "which ai-dynamo does the list of packages name in the containers of",
        )
    if facts.enabled is None:
        why = f", as {facts.because}," if facts.because else ""
        return (
            f"whether its metrics are on{why}",
            "state the setting that turns them on",
            "which launcher started it, and does that publish the metrics of",
        )
    if facts.enabled and facts.scraped is None:
        return (
            "what the run's pages of metrics had",
            "collect a run bundle with its metrics pages (--run), or record them (--pull)",
            "does a page of metrics have figures of the KV cache for",
        )
    return None


def _bad(
    about: str, message: str, remedy: str, *cites: Cite, question: Question | None = None
) -> Finding:
    return Finding(
        status="FAIL",
        message=message,
        cites=cites,
        about=about,
        confidence="inferred",
        remedy=remedy,
        question=question,
    )

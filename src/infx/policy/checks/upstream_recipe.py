"""The launch of every affected vLLM and SGLang configuration is published upstream, whole.

What
    Looks in the detail section of the signed review for links to the engine's recipe pages or to
    pull requests of its repository, and compares what they publish with the effective settings of
    each role: arguments and variables, inherited ones too. A setting is one of production unless
    the registry of harness settings has it with a reason.

Why
    What nobody publishes nobody runs: a setting that is only in a benchmark serves the benchmark.

Fails
    The review links nothing for a configuration, or only an unmerged pull request, a page that
    nobody could read, a page outside the engine's cookbook, or an old copy of it. A setting is not
    in the published launch of its role, hardware and concurrency, or has another value there. A
    launch of `agg` says nothing of `prefill` and `decode`; a disaggregated one needs its frontend
    too. What is published was compared by nobody, or a setting was left out without a row.

Passes
    A linked page or merged pull request has every production setting of the configuration. What
    the pinned engine does by default need not be written. Configurations of other engines need no
    page, and under `2026-09` those over several nodes need none either.

Fix
    Publish the whole launch in vLLM's recipes or SGLang's cookbook, wait for the merge, and link
    the page in the detail section. A setting of the harness alone needs a row with its reason.

Evidence
    The affected entries (`configs`), the pages and pull requests with what they publish
    (`published`), the comments with the signed review (`comments`), and the effective recipes
    (`recipes`) where launches are compared setting by setting.
"""

from collections.abc import Iterator, Sequence

from infx.model.config_facts import Config
from infx.model.page_facts import Published
from infx.model.registry import Cookbook
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding
from infx.policy.context import Context
from infx.policy.coverage import uncovered
from infx.policy.links import links, unfit
from infx.policy.reviews import Review, cite, review
from infx.policy.scope import affected
from infx.policy.unsettled import unread
from infx.recipes.registries import framework

NEEDS = ("configs", "published", "comments")

_PUBLISH = "publish the whole launch upstream, and link the merged page in the detail section"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield whether each affected launch of the open engines is published."""
    entries = affected(submission)
    unknown = [one for one in entries if framework(context.engines, one.framework) is None]
    pairs = [(one, book) for one in entries if (book := _cookbook(one, context)) is not None]
    judged = [pair for pair in pairs if not _is_spared(pair[0], context)]
    for config in unknown:
        yield Finding(
            status="FAIL",
            message=f"could not be verified: no engine is known for the framework"
            f" {config.framework} of {config.key}",
            cites=(config.cite.model_copy(update={"value": config.framework}),),
            about=config.key,
            remedy="add the framework to the registry of engines with its source",
        )
    if not judged and not unknown:
        several = (
            "the affected launches are over several nodes, which need no page in this policy set"
        )
        none = "no configuration of an engine with a public cookbook is affected"
        yield Finding(status="N/A", message=several if pairs else none)
    found = review(submission) if judged else None
    for config, book in judged:
        yield from unread(config, submission)
        yield from _config(config, book, found, submission, context)


def _cookbook(config: Config, context: Context) -> Cookbook | None:
    known = framework(context.engines, config.framework)
    books = context.engines.cookbooks
    return next((one for one in books if known is not None and one.engine == known.engine), None)


def _is_spared(config: Config, context: Context) -> bool:
    return config.multinode and context.policy.multi_node_pages == "exempt"


def _config(
    config: Config, book: Cookbook, found: Review | None, submission: Submission, context: Context
) -> Iterator[Finding]:
    mine = [
        one
        for one in submission.published or ()
        if one.engine == book.engine and config.key in one.configs
    ]
    linked = [one for one in mine if found is not None and _is_linked(one, found)]
    good = [one for one in linked if unfit(one, book) is None]
    if good:
        faults = list(uncovered(config, good, submission, context.harness))
        yield from faults or [_covered(config, good)]
        return
    reasons = [f"{one.url} {unfit(one, book)}" for one in linked]
    nothing = "nobody signed, so nothing is linked" if found is None else "the details link nothing"
    hint = f" ({mine[0].url} would be one)" if mine else ""
    yield Finding(
        status="FAIL",
        message=f"no published launch of {config.key}: {'; '.join(reasons) or nothing + hint}",
        cites=(
            config.cite,
            *([] if found is None else [cite(found.comment)]),
            *(Cite(path=one.url, value=one.state) for one in linked),
        ),
        about=config.key,
        remedy=_PUBLISH,
    )


def _is_linked(published: Published, found: Review) -> bool:
    return any(links(line.text, published.url) for line in found.details())


def _covered(config: Config, good: Sequence[Published]) -> Finding:
    names = ", ".join(one.url for one in good)
    return Finding(
        status="PASS",
        message=f"every production setting of {config.key} is published: {names}",
        cites=tuple(Cite(path=one.url, value=one.state) for one in good),
        about=config.key,
    )

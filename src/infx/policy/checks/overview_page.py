"""The hardware vendor's overview of recipes lists the model with its engine.

What
    For affected entries on NVIDIA hardware with an open engine: the vendor's overview has a cell
    for the model and the engine, and the cell links a page that documents the launch.

    The rule is inferred. The public system has this check and no page states its text; what is
    known is a verdict that it gave, and the rule is drawn from that verdict.

Why
    Whoever buys the hardware looks there first. A submission whose recipe cannot be found from
    there is measured and not usable.

Fails
    The overview has no cell for the model and the engine, or an empty one, or one that links a
    page that documents no affected launch. The overview was not read, for this change or for the
    registry, or the vendor of an entry's hardware is not known.

Passes
    Each affected entry of that hardware and such an engine has a cell with a documenting page.
    Where nobody read the overview for this change, what the registry read on its day counts.
    Hardware of other vendors, other engines and changes without entries are not asked.

Fix
    Have the page added to the overview, and name it in the detail section.

Evidence
    The cells of the overview (`overview`), the affected entries (`configs`), the published pages
    (`published`) and the registry of launch pages.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

from infx.model.config_facts import Config
from infx.model.page_facts import Overview
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding, Question
from infx.policy.context import Context
from infx.policy.scope import affected
from infx.recipes.registries import framework, hardware, pages

NEEDS = ("configs",)

VENDOR = "nvidia"
"""The vendor whose overview is asked."""


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield for each affected entry whether the overview leads to its launch."""
    asked = False
    for config in affected(submission):
        if not _is_open(config, context):
            continue
        vendor = _vendor(config, context)
        if vendor is None:
            asked = True
            message = f"could not be verified: nobody knows the hardware of {config.key}"
            yield _bad(config, message, "name a registered runner in the entry")
        elif vendor == VENDOR:
            asked = True
            yield _entry(config, submission, context)
    if not asked:
        yield Finding(
            status="N/A",
            message="no affected entry runs an open engine on NVIDIA hardware",
            confidence="inferred",
        )


def _vendor(config: Config, context: Context) -> str | None:
    row = hardware(context.hardware, config.hardware) if config.hardware is not None else None
    return None if row is None else row.vendor


def _is_open(config: Config, context: Context) -> bool:
    row = framework(context.engines, config.framework)
    return row is not None and row.upstream


def _engine(config: Config, context: Context) -> str:
    row = framework(context.engines, config.framework)
    return config.framework if row is None else row.engine


def _entry(config: Config, submission: Submission, context: Context) -> Finding:
    engine = _engine(config, context)
    what = f"{config.prefix} with {engine}"
    if submission.overview is None:
        return _registered(config, what, engine, context)
    cells = [
        one
        for one in submission.overview
        if (one.vendor.casefold(), one.prefix, one.engine) == (VENDOR, config.prefix, engine)
    ]
    filled = [one for one in cells if one.link]
    if not filled:
        message = f"the overview has {'an empty' if cells else 'no'} cell for {what}"
        cites = tuple(one.cite for one in cells)
        return _bad(config, message, "have the launch page added to the overview", *cites)
    good = [one for one in filled if _page(one.link) in _documenting(config, submission, context)]
    if not good:
        message = f"the overview's page for {what} documents no affected launch: {filled[0].link}"
        remedy = "link the page that the launch was published on"
        return _bad(config, message, remedy, *(one.cite for one in filled))
    return _good(config, good[0], what)


def _registered(config: Config, what: str, engine: str, context: Context) -> Finding:
    """Return what the registry of pages says, where nobody read the overview for this change."""
    known = pages(context.pages, prefix=config.prefix, engine=engine)
    row = next((one for one in known if one.overview is not None), None)
    if row is None:
        message = f"could not be verified: the overview was not read for {what}"
        question = Question(asks=f"does the overview have a cell for {what}?", of="the signer")
        return _bad(config, message, "collect the overview of recipes (--pull)", question=question)
    read = context.pages.sources[row.source].read
    cite = Cite(path="the registry of launch pages", value=row.url)
    if not row.overview:
        message = f"the overview had no cell for {what} on {read}"
        return _bad(config, message, "have the launch page added to the overview", cite)
    return Finding(
        status="PASS",
        message=f"the overview's cell for {what} linked {row.url} on {read}",
        cites=(cite,),
        about=config.key,
        confidence="inferred",
    )


def _documenting(config: Config, submission: Submission, context: Context) -> set[str]:
    """Return the pages that document launches of an entry, or of its model with its engine."""
    engine = _engine(config, context)
    known = {_page(one.url) for one in pages(context.pages, prefix=config.prefix, engine=engine)}
    linked = {
        _page(one.url)
        for one in submission.published or ()
        if one.form == "page" and one.readable and config.key in one.configs
    }
    return known | linked


def _page(url: str | None) -> str:
    """Return a page's address without what does not tell pages apart."""
    parts = urlsplit(url or "")
    return f"{parts.netloc.casefold()}{parts.path.rstrip('/')}"


def _bad(
    config: Config, message: str, remedy: str, *cites: Cite, question: Question | None = None
) -> Finding:
    return Finding(
        status="FAIL",
        message=message,
        cites=cites or (config.cite,),
        about=config.key,
        confidence="inferred",
        remedy=remedy,
        question=question,
    )


def _good(config: Config, cell: Overview, what: str) -> Finding:
    return Finding(
        status="PASS",
        message=f"the overview's cell for {what} links {cell.link}",
        cites=(cell.cite,),
        about=config.key,
        confidence="inferred",
    )

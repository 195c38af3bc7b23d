"""What published launches of a configuration leave out, as findings."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from infx.model.config_facts import Config, Effective
from infx.model.page_facts import Published
from infx.model.setting_registry import HarnessRegistry
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding, Question
from infx.policy.launches import Lack, is_excluded, lacks

_PUBLISH = "publish these settings upstream, or give each a row with the reason why it is left out"


def uncovered(
    config: Config,
    pages: Sequence[Published],
    submission: Submission,
    harness: HarnessRegistry,
) -> Iterator[Finding]:
    """Yield what the pages leave out of a configuration's effective recipes.

    Launches that are known setting by setting are compared here. Else somebody's comparison is
    taken, and what it left out must have a row of the registry; else nothing was compared.
    """
    recipes = submission.recipes or ()
    mine = [one for one in recipes if one.config == config.key and one.roles]
    taken_apart = [one for one in pages if one.launches is not None]
    compared = [one for one in pages if one.uncovered is not None]
    if taken_apart and mine:
        for effective in mine:
            yield from _lacking(config, effective, taken_apart, harness)
        yield from _unbound(config, mine, submission)
    elif compared and not taken_apart:
        yield from _missing(config, compared)
        yield from _left_out(config, compared, harness)
    else:
        yield _uncompared(config, pages)


def _lacking(
    config: Config, effective: Effective, pages: Sequence[Published], harness: HarnessRegistry
) -> Iterator[Finding]:
    """Yield one finding for each role of a variant that the pages do not have whole."""
    found = lacks(
        effective,
        [launch for page in pages for launch in page.launches or ()],
        hardware=config.hardware,
        harness=harness,
        disaggregated=config.disaggregated,
    )
    variant = f"{config.key} ({effective.variant})"
    for role, group in groupby(sorted(found, key=lambda lack: lack.role), lambda lack: lack.role):
        some = list(group)
        whole = any(lack.setting is None for lack in some)
        what = f"the launch of {role}" if whole else f"of {role}: {', '.join(map(_lack, some))}"
        yield Finding(
            status="FAIL",
            message=f"not published for {variant}: {what}",
            cites=tuple(lack.cite for lack in some),
            about=config.key,
            remedy=_PUBLISH,
        )


def _unbound(
    config: Config, recipes: Sequence[Effective], submission: Submission
) -> Iterator[Finding]:
    """Yield a finding for the points whose effective recipe nobody gathered."""
    bound = {one for recipe in recipes for one in recipe.concurrencies}
    loose = sorted(
        {
            point.concurrency
            for point in submission.points or ()
            if point.config == config.key
            and point.digest is not None
            and point.concurrency not in bound
        }
    )
    if loose:
        which = ", ".join(f"c{one}" for one in loose)
        yield Finding(
            status="FAIL",
            message=f"could not be verified: no effective recipe of {which} of {config.key}",
            cites=(config.cite,),
            about=config.key,
            remedy="gather the effective recipe of every point",
        )


def _lack(lack: Lack) -> str:
    other = "" if lack.published is None else f" (published with {lack.published})"
    return f"{lack.setting} {lack.asked}{other}"


def _missing(config: Config, pages: Sequence[Published]) -> Iterator[Finding]:
    """Yield the settings that none of the compared pages has."""
    first, *rest = [{(one.name, one.value): one for one in page.uncovered or ()} for page in pages]
    everywhere = [one for key, one in first.items() if all(key in other for other in rest)]
    if everywhere:
        names = ", ".join(f"{one.name} {one.value}".strip() for one in everywhere)
        yield Finding(
            status="FAIL",
            message=f"not published for {config.key}: {names}",
            cites=tuple(one.cite for one in everywhere),
            about=config.key,
            remedy=_PUBLISH,
        )


def _left_out(
    config: Config, pages: Sequence[Published], harness: HarnessRegistry
) -> Iterator[Finding]:
    """Yield settings that a comparison left out and the registry does not: they are production."""
    odd = [one for page in pages for one in page.excluded if not is_excluded(one.name, harness)]
    if odd:
        names = ", ".join(dict.fromkeys(one.name for one in odd))
        yield Finding(
            status="FAIL",
            message=f"left out for {config.key}, and no row of the registry says why: {names}",
            cites=tuple(one.cite for one in odd),
            about=config.key,
            remedy=_PUBLISH,
        )


def _uncompared(config: Config, pages: Sequence[Published]) -> Finding:
    return Finding(
        status="FAIL",
        message=f"could not be verified: nobody compared what is published with the launch"
        f" of {config.key}",
        cites=(config.cite, *(Cite(path=one.url, value=one.state) for one in pages)),
        about=config.key,
        remedy="gather the launches of the page setting by setting, and the effective recipe",
        question=Question(
            asks=f"does the linked page have every production setting of {config.key}?",
            of="the owner who signed",
        ),
    )

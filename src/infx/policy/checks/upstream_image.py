"""Open engines run their own upstream images, and come before a vendor's engine.

What
    The image of each changed entry, and each image that a recipe puts in its place, is taken apart
    into registry, organisation, repository, tag and digest. vLLM has to be of `vllm` on Docker Hub,
    SGLang of `lmsysorg`. A new entry of a vendor's engine needs an entry of an open engine for the
    same model and hardware that was there before, on an engine that the registry of models puts
    first for this model.

Why
    What is measured should be what everybody can run. An image of another owner may hold changes
    that nobody reviewed, and hardware that claims an open engine has to show it first.

Fails
    The image is of another organisation or registry, however alike its name is, on hardware that is
    not new. It is no image at all. The framework is in no registry. A vendor's engine comes before
    an open one, with it in the same change, or before the model's own first engine. The hardware of
    a vendor's entry is not known.

Passes
    The organisation is the engine's own; whether a digest pins the image is told and not judged. On
    hardware that the registry calls new any image and any engine may start. Entries of open engines
    never wait for others.

Fix
    Use the image of `vllm` or `lmsysorg`, by digest. Submit the open engine first. What the
    engine's maintainers say cannot run upstream is for a core maintainer to decide.

Evidence
    Changed entries (`configs`), the images of their points (`points`), and the entries beside them
    (`others`); the registries of engines, hardware and models.
"""

from collections.abc import Iterator, Sequence

from infx.errors import InputError
from infx.model.config_facts import Config, OtherConfig, Point
from infx.model.registry import Framework
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding, Question
from infx.policy.context import Context
from infx.policy.findings import failed, passed
from infx.policy.scope import affected, points_by_config
from infx.recipes.images import Image, not_upstream, plain, read_image
from infx.recipes.registries import framework, hardware, model

NEEDS = ("configs", "points")

_ASK = Question(
    asks="do the engine's maintainers say that this model or hardware cannot run upstream yet?",
    of="a core maintainer",
)


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield what each image is, and for each new entry of a vendor whether it may be there."""
    judged = False
    points = points_by_config(submission)
    for config in affected(submission):
        images = list(_images(config, points.get(config.key, ())))
        judged = judged or bool(images)
        if images:
            yield from _entry(config, images, submission, context)
    if not judged:
        yield Finding(status="N/A", message="no entry of a master configuration changed")


def _images(config: Config, points: Sequence[Point]) -> Iterator[tuple[str, Cite]]:
    """Yield the images to judge: the entry's, where it changed, and those that replace it."""
    seen = {plain(config.image)}
    if config.change != "recipe":
        yield config.image, config.cite
    for point in points:
        if point.digest and plain(point.image) not in seen:
            seen.add(plain(point.image))
            yield point.image, point.image_cite or config.cite


def _entry(
    config: Config, images: list[tuple[str, Cite]], submission: Submission, context: Context
) -> Iterator[Finding]:
    row = framework(context.engines, config.framework)
    if row is None:
        message = f"could not be verified: no registry has the framework {config.framework}"
        yield failed(config.key, message, config.cite, remedy="add it to the registry of engines")
        return
    for image, cite in images:
        yield _image(config, row, Cite(path=cite.path, line=cite.line, value=image), context)
    if not row.upstream and config.change == "added":
        yield _order(config, submission, context)


def _image(config: Config, row: Framework, cite: Cite, context: Context) -> Finding:
    text = cite.value or ""
    try:
        image = read_image(text)
    except InputError as error:
        told = error.problems[0]
        return failed(config.key, told.what, cite, remedy=told.remedy or "name an image")
    if not row.organisations:
        message = f"{config.framework} may run an image of any owner: {text}"
        return passed(config.key, message, cite)
    why = not_upstream(image, row.organisations)
    if why is None:
        return passed(config.key, f"{text} is of {image.organisation}{_pinned(image)}", cite)
    message = f"{text} is not upstream {row.engine}: {why}"
    if _is_new(config, context):
        return passed(config.key, f"{message}; {config.hardware} is new hardware", cite)
    remedy = f"use an image of {' or '.join(row.organisations)} on Docker Hub"
    return failed(config.key, message, cite, remedy=remedy, question=_ASK)


def _pinned(image: Image) -> str:
    if image.pinned:
        return ", by digest"
    return f", by the tag {image.tag or 'latest'} without a digest, so it may change"


def _is_new(config: Config, context: Context) -> bool:
    sku = hardware(context.hardware, config.hardware or "")
    return sku is not None and sku.standing == "new"


def _order(config: Config, submission: Submission, context: Context) -> Finding:
    if _is_new(config, context):
        message = f"{config.framework} may come first: {config.hardware} is new hardware"
        return passed(config.key, message, config.cite)
    if config.hardware is None or submission.others is None:
        what = "the entries beside it" if config.hardware else f"the hardware of {config.key}"
        why = submission.unknown.get("others") if config.hardware else None
        message = f"could not be verified: {why or f'nobody gathered {what}'}"
        return failed(config.key, message, config.cite, remedy=f"gather {what}")
    known = model(context.models, config.prefix)
    first = known.engines if known is not None else None
    before = list(_before(config, submission, context))
    fitting = [key for key, engine in before if first is None or engine in first]
    where = f"{config.prefix} on {config.hardware}"
    if fitting:
        message = f"{config.framework} follows {', '.join(fitting)} for {where}"
        return passed(config.key, message, config.cite)
    wanted = " or ".join(first) if first else "an open engine"
    had = f"; there is only {', '.join(key for key, _ in before)}" if before else ""
    message = f"{config.framework} comes before {wanted} for {where}{had}"
    remedy = f"submit {wanted} for {where} first"
    return failed(config.key, message, config.cite, remedy=remedy, question=_ASK)


def _before(config: Config, submission: Submission, context: Context) -> Iterator[tuple[str, str]]:
    """Yield entries of open engines that were there before, with their engines."""
    sku = hardware(context.hardware, config.hardware or "")
    older = [one for one in affected(submission) if one.change != "added"]
    entries: list[Config | OtherConfig] = [*(submission.others or ()), *older]
    for one in entries:
        row = framework(context.engines, one.framework)
        same = one.prefix == config.prefix and one.hardware is not None
        if not same or row is None or not row.upstream:
            continue
        theirs = hardware(context.hardware, one.hardware or "")
        if one.hardware == config.hardware or (sku is not None and theirs == sku):
            yield one.key, row.engine

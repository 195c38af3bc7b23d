"""The page of models, from the registry that verdicts are given by."""

from collections.abc import Iterator

from infx.model.model_registry import Draft, Model, ModelRegistry, ModelScenario
from infx.model.registry import Source
from infx.model.setting_registry import ThinkingRegistry
from infx.store.registries import registry
from pages.text import code, page, table

NOT_KNOWN = "not known"


def models() -> str:
    """Return the page: scenarios, models, their drafts, what is not known, and the sources."""
    found, thinking = registry(ModelRegistry), registry(ThinkingRegistry)
    return page(
        "Models",
        "What may be submitted until when. A last day is the last one on which a submission may "
        "add, change or re-enable a row, in UTC. Verdicts are given by the same rows.",
        "## Scenarios",
        table(("scenario", "name", "ISL/OSL", "until"), _scenarios(found)),
        "## Models",
        table(
            ("prefix", "model", "added", "active", "deprecated", "engines first", "corpus"),
            map(_model, found.models),
        ),
        "## Precisions",
        table(("prefix", "precision", "until"), _denied(found)),
        "## Drafts",
        table(("prefix", "method", "from", "shipped in", "standing"), _drafts(found)),
        "## Thinking",
        "Which mode the runs of a scenario are held to: it selects the golden curve. A setting "
        "that tells a server otherwise, where a request asks for neither, is a question to a "
        "person.",
        table(("scenario", "mode", "stated by"), _modes(thinking)),
        table(("setting", "where", "on", "off", "stated by"), _settings(thinking)),
        "## What is not known",
        table(("prefix", "fact", "why"), _unknown(found)),
        "## Sources",
        "\n".join(
            f"- {source(name, one)}" for name, one in {**found.sources, **thinking.sources}.items()
        ),
    )


def _modes(found: ThinkingRegistry) -> Iterator[tuple[str, ...]]:
    for one in found.modes:
        yield code(one.scenario), code(one.mode), one.source


def _settings(found: ThinkingRegistry) -> Iterator[tuple[str, ...]]:
    for one in found.settings:
        words = (", ".join(map(code, some)) for some in (one.on_words, one.off_words))
        yield code(one.name), one.kind, *words, one.source


def _scenarios(found: ModelRegistry) -> Iterator[tuple[str, ...]]:
    for one in found.scenarios:
        lengths = "replayed sessions" if one.isl is None else f"{one.isl} / {one.osl}"
        yield code(one.id), one.name, lengths, _until(one.last_day, one.pull)


def _model(model: Model) -> tuple[str, ...]:
    active = [_scenario(one) for one in model.scenarios if one.state == "active"]
    gone = [_scenario(one) for one in model.scenarios if one.state == "deprecated"]
    added = NOT_KNOWN if model.added is None else _until(model.added, model.pull)
    engines = NOT_KNOWN if model.engines is None else ", ".join(model.engines)
    return (
        code(model.prefix),
        ", ".join(model.names),
        added,
        "; ".join(active) or "none: retired",
        "; ".join(gone),
        engines,
        model.corpus,
    )


def _scenario(one: ModelScenario) -> str:
    until = "" if one.last_day is None else f" until {_until(one.last_day, one.pull)}"
    note = "" if one.note is None else f" ({one.note})"
    return f"{one.id}{until}{note}"


def _until(day: object, pull: int | None) -> str:
    if day is None:
        return "active"
    link = f"https://github.com/SemiAnalysisAI/InferenceX/pull/{pull}"
    return str(day) if pull is None else f"{day} [#{pull}]({link})"


def _denied(found: ModelRegistry) -> Iterator[tuple[str, ...]]:
    for model in found.models:
        for one in model.denied:
            yield code(model.prefix), one.precision, _until(one.last_day, one.pull)


def _drafts(found: ModelRegistry) -> Iterator[tuple[str, ...]]:
    for model in found.models:
        for draft in model.drafts or ():
            shipped = draft.shipped or NOT_KNOWN
            yield code(model.prefix), draft.method, _origin(draft), shipped, draft.standing


def _origin(draft: Draft) -> str:
    if draft.native:
        where = "the served checkpoint"
        return where if draft.repository is None else f"{where}, {code(draft.repository)}"
    return NOT_KNOWN if draft.repository is None else code(draft.repository)


def _unknown(found: ModelRegistry) -> Iterator[tuple[str, ...]]:
    for model in found.models:
        for fact, why in model.unknown.items():
            yield code(model.prefix), fact, why
        for draft in model.drafts or ():
            for fact, why in draft.unknown.items():
                yield code(model.prefix), f"{draft.method} draft: {fact}", why


def source(name: str, one: Source) -> str:
    """Return a source of a registry as one line."""
    text = one.what if one.url is None else f"[{one.what}]({one.url})"
    return f"{code(name)}: {text}, read on {one.read}"

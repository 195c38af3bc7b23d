"""How affected recipes serve their drafts."""

from collections.abc import Iterable, Iterator, Mapping

from infx.flows.evidence.checkpoints import Checkpoints
from infx.flows.evidence.places import cite
from infx.flows.evidence.variants import Bound
from infx.model import config_facts
from infx.model.checkpoint import Checkpoint
from infx.model.draft import DraftFacts, Stated
from infx.model.model_registry import ModelRegistry
from infx.model.setting_registry import DraftPrecisionRegistry
from infx.recipes import registries
from infx.recipes.banned_variables import banned_uses
from infx.recipes.draft_precision import Metadata, draft_facts
from infx.recipes.settings import role_settings, stated

REVISION = ("speculative-draft-model-revision", "speculative-config.revision")


def drafts(
    found: Iterable[Bound],
    registry: DraftPrecisionRegistry,
    models: ModelRegistry,
    checkpoints: Checkpoints,
    prefixes: Mapping[str, str],
    commit: str,
) -> Iterator[config_facts.Draft]:
    """Yield the facts of every role that speculates with a draft."""
    for one in found:
        for role in one.engines:
            image = one.points[0].row.image
            asked = draft_facts(one.binding, role, registry, image=image)
            if asked is None:
                continue
            draft = checkpoints.of(asked.draft)
            metadata = Metadata(target=checkpoints.target(one), draft=draft)
            facts = draft_facts(one.binding, role, registry, metadata, image=image)
            if facts is not None:
                row = _Row(one, role, facts, draft, commit)
                yield row.draft(registry, models, prefixes[one.config])


class _Row:
    """One draft as it becomes a fact."""

    def __init__(
        self, one: Bound, role: str, facts: DraftFacts, checkpoint: Checkpoint | None, commit: str
    ) -> None:
        self._one, self._role, self._facts = one, role, facts
        self._checkpoint, self._commit = checkpoint, commit

    def draft(
        self, registry: DraftPrecisionRegistry, models: ModelRegistry, prefix: str
    ) -> config_facts.Draft:
        """Return the fact; `models` say which draft a model of the prefix may have."""
        facts = self._facts
        parts = (facts.shipped, facts.weights, facts.activations, facts.kv, facts.kv_default)
        open_ = [part.because for part in parts if part.how == "unknown"]
        model = registries.model(models, prefix)
        row = registries.draft_of(models, prefix, method=facts.method, repository=facts.draft)
        known = model is not None and model.drafts is not None
        leads = {one.name for one in registry.leads}
        return config_facts.Draft(
            config=self._one.config,
            variant=self._one.variant,
            role=self._role,
            repository=facts.draft,
            native=facts.inside,
            shipped=config_facts.Side(weights=facts.shipped.precision),
            effective=config_facts.Side(
                weights=facts.weights.precision,
                activations=facts.activations.precision,
                kv=facts.kv.precision,
                cites=tuple(cite(one.where, one.value, at=self._commit) for one in self._plain()),
            ),
            steps=tuple(
                f"{name}: {part.because}"
                for name, part in zip(
                    ("weights", "activations", "KV cache"), parts[1:4], strict=True
                )
            ),
            banned=tuple(
                config_facts.Observed(
                    name=use.name,
                    value=use.value,
                    cite=cite(use.where, use.value, at=self._commit),
                )
                for use in banned_uses(self._one.binding, registry)
            ),
            leads=tuple(self._observed(one) for one in facts.statements if one.name in leads),
            kv_default=facts.kv_default.precision,
            kv_how=facts.kv.how,
            allowed=(row is not None) if known else None,
            revision=self._revision(),
            registered=None if row is None else row.revision,
            why_unknown="; ".join(dict.fromkeys(open_)) or None,
        )

    def _plain(self) -> Iterator[Stated]:
        """Yield the statements that are settings of the engine, not variables."""
        return (one for one in self._facts.statements if not one.name.isupper())

    def _observed(self, one: Stated) -> config_facts.Observed:
        place = cite(one.where, one.value, at=self._commit)
        return config_facts.Observed(name=one.name, value=one.value, cite=place)

    def _revision(self) -> str | None:
        own = stated(role_settings(self._one.binding, self._role), *REVISION)
        if own is not None:
            return str(own.value)
        return None if self._checkpoint is None else self._checkpoint.revision

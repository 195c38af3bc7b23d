"""How affected recipes serve their drafts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from infx.flows.evidence.known import Known
from infx.flows.evidence.logs import Loaded
from infx.flows.evidence.places import cite
from infx.flows.evidence.variants import Bound
from infx.model import config_facts
from infx.model.checkpoint import Checkpoint
from infx.model.draft import DraftFacts, Stated
from infx.model.precision import Precision
from infx.model.setting_registry import DraftPrecisionRegistry
from infx.model.verdict import Cite
from infx.recipes import registries
from infx.recipes.draft_precision import Metadata, draft_facts, unknown
from infx.recipes.settings import role_settings, stated

PLAIN: Mapping[str, Precision] = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}
PARTS = ("weights", "activations", "KV cache")
REVISION = ("speculative-draft-model-revision", "speculative-config.revision")


def drafts(found: Iterable[Bound], known: Known) -> Iterator[config_facts.Draft]:
    """Yield the facts of every role that speculates with a draft."""
    for one in found:
        for role in one.engines:
            image = one.points[0].row.image
            asked = draft_facts(one.binding, role, known.precision, image=image)
            if asked is None:
                continue
            draft = known.checkpoints.of(asked.draft)
            seen = known.logs.drafts(one.config, role, one.concurrencies)
            observed = _precision(seen, known.precision)
            metadata = Metadata(
                target=known.checkpoints.target(one), draft=draft, observed=observed
            )
            facts = draft_facts(one.binding, role, known.precision, metadata, image=image)
            if facts is None:
                continue
            if seen and observed is None:
                # What was asked is no answer to a log that shows something else.
                shown = unknown("its servers' logs show how it was loaded, and nobody can read it")
                facts = facts.model_copy(update={"weights": shown, "activations": shown})
            yield _Row(one, role, facts, draft).draft(known, [loaded.cite for loaded in seen])


class _Row:
    """One draft as it becomes a fact."""

    def __init__(
        self, one: Bound, role: str, facts: DraftFacts, checkpoint: Checkpoint | None
    ) -> None:
        self._one, self._role, self._facts = one, role, facts
        self._checkpoint = checkpoint

    def draft(self, known: Known, seen: Sequence[Cite]) -> config_facts.Draft:
        """Return the fact; `seen` are lines of logs that show how it was loaded."""
        facts, at = self._facts, known.commit
        parts = (facts.shipped, facts.weights, facts.activations, facts.kv, facts.kv_default)
        open_ = dict.fromkeys(part.because for part in parts if part.how == "unknown")
        prefix = known.configs[self._one.config].prefix
        model = registries.model(known.models, prefix)
        row = registries.draft_of(known.models, prefix, method=facts.method, repository=facts.draft)
        is_told = model is not None and model.drafts is not None
        leads = {one.name for one in known.precision.leads}
        return config_facts.Draft(
            config=self._one.config,
            variant=self._one.variant,
            role=self._role,
            repository=facts.draft,
            native=facts.inside,
            shipped=config_facts.Side(weights=facts.shipped.precision),
            effective=self._effective(at, seen),
            steps=tuple(
                f"{name}: {part.because}" for name, part in zip(PARTS, parts[1:4], strict=True)
            ),
            leads=tuple(_observed(one, at) for one in facts.statements if one.name in leads),
            kv_default=facts.kv_default.precision,
            kv_how=facts.kv.how,
            allowed=(row is not None) if is_told else None,
            revision=self._revision(),
            registered=None if row is None else row.revision,
            why_unknown="; ".join(open_) or None,
        )

    def _effective(self, at: str, seen: Sequence[Cite]) -> config_facts.Side:
        facts = self._facts
        # Variables are told apart from the settings of the engine.
        stated = (one for one in facts.statements if not one.name.isupper())
        return config_facts.Side(
            weights=facts.weights.precision,
            activations=facts.activations.precision,
            kv=facts.kv.precision,
            cites=(
                *seen,
                *(cite(one.where, one.value, at=at) for one in stated),
            ),
        )

    def _revision(self) -> str | None:
        own = stated(role_settings(self._one.binding, self._role), *REVISION)
        if own is not None:
            return str(own.value)
        return None if self._checkpoint is None else self._checkpoint.revision


def _precision(seen: Sequence[Loaded], registry: DraftPrecisionRegistry) -> Precision | None:
    """Return the precision of a draft that logs show, None where they do not or two differ."""
    if len(seen) != 1:
        return None
    word = seen[0].quantization
    if word is None:
        return PLAIN.get(seen[0].dtype or "")
    found = next((one for one in registry.words if one.word == word.lower()), None)
    return None if found is None else found.weights


def _observed(one: Stated, at: str) -> config_facts.Observed:
    return config_facts.Observed(
        name=one.name, value=one.value, cite=cite(one.where, one.value, at=at)
    )

"""In which precision a draft is really served: stated, forced, inherited, or as it is stored.

A draft must not be served below what ships with it. Flags alone do not tell: an engine may pass the
target's quantization on, leave a draft as it is stored, or change its KV cache because of a kernel.
So each part of the answer says what decided it, and where nobody can tell, it says that.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from infx.model.checkpoint import Checkpoint
from infx.model.draft import DraftFacts, Part, Stated
from infx.model.precision import Precision
from infx.model.setting_registry import DraftPrecisionRegistry, ProvenDefaults, Word
from infx.recipes.binding import Binding
from infx.recipes.checkpoint_precision import kv_cache, stored
from infx.recipes.diff import facts_of
from infx.recipes.draft_engines import DRAFT_ENGINES, Names
from infx.recipes.effects import Effective, Facts, effective, rules_of
from infx.recipes.engine_schema import image_version
from infx.recipes.settings import (
    Setting,
    Settings,
    engine_of,
    role_settings,
    stated,
    statements_of,
    where,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What is known besides the recipe; None is not known.

    `draft` is the checkpoint of a separate draft. `observed` is the precision that the server's
    own log shows for the draft's weights: it beats whatever was asked.
    """

    target: Checkpoint | None = None
    draft: Checkpoint | None = None
    observed: Precision | None = None


NOTHING = Metadata()


def draft_facts(
    binding: Binding,
    role: str,
    registry: DraftPrecisionRegistry,
    metadata: Metadata = NOTHING,
    *,
    image: str | None = None,
) -> DraftFacts | None:
    """Return how a role serves its draft, None where it does not speculate with one.

    `image` stands for the one that the recipe is bound with. An engine without known rules gets
    parts that are unknown: nobody may pass by them.
    """
    engine = engine_of(binding, role) or ""
    names = DRAFT_ENGINES.get(engine)
    settings = role_settings(binding, role)
    method = None if names is None else stated(settings, *names.method)
    if names is None or method is None or str(method.value).lower() in names.modelless:
        return None
    case = _Case(binding, role, engine, names, settings, registry, metadata)
    return DraftFacts(
        role=role,
        engine=engine,
        method=str(method.value),
        draft=case.draft,
        inside=case.draft is None,
        weights=case.weights,
        activations=case.activations(),
        kv=case.kv(),
        kv_default=case.kv(own=False),
        shipped=case.shipped,
        rules=case.defaults.version if case.defaults else None,
        version=image_version(engine, image or binding.recipe.image),
        statements=tuple(case.statements()),
    )


def unknown(because: str) -> Part:
    """Return a part that cannot be told."""
    return Part(precision=None, how="unknown", because=because)


@dataclass(frozen=True)
class _Case:
    """One role with all that decides."""

    binding: Binding
    role: str
    engine: str
    names: Names
    settings: Settings
    registry: DraftPrecisionRegistry
    metadata: Metadata

    @cached_property
    def defaults(self) -> ProvenDefaults | None:
        return next((one for one in self.registry.defaults if one.engine == self.engine), None)

    @cached_property
    def draft(self) -> str | None:
        """The draft's path, None where it is the target's own."""
        own = stated(self.settings, *self.names.draft)
        target = stated(self.settings, *self.names.target)
        if own is None or (target is not None and own.value == target.value):
            return None
        model = self.binding.recipe.model
        return None if str(own.value) == model else str(own.value)

    @cached_property
    def shipped(self) -> Part:
        inside = self.draft is None
        return stored(self.metadata.target if inside else self.metadata.draft, inside=inside)

    @cached_property
    def facts(self) -> Facts:
        return facts_of(self.binding, self.role, self.settings)

    def word(self, value: JsonValue) -> Word | None:
        text = str(value).lower()
        return next((one for one in self.registry.words if one.word == text), None)

    def decided(self, name: str, settings: Settings | None = None) -> Effective | None:
        own = self.settings if settings is None else settings
        return effective(name, own, rules=rules_of(self.engine), facts=self.facts)

    @cached_property
    def weights(self) -> Part:
        seen = self.metadata.observed
        if seen is not None:
            because = "the server's log shows it"
            return Part(precision=seen, how="observed", because=because)
        own = self.own_quantization
        if own is not None:
            return self.stated_weights(own)
        if self.defaults is None:
            return unknown(f"nobody read what {self.engine} does to drafts")
        return self.passed_on()

    @property
    def own_quantization(self) -> Setting | None:
        name = self.names.quantization
        own = None if name is None else stated(self.settings, name)
        if own is None and name is not None:
            holder, _, part = name.partition(".")
            for one in statements_of(self.binding, self.role, holder) if part else ():
                if isinstance(one.value, Mapping) and one.value.get(part, ...) is None:
                    own = Setting(None, one.path, f"{one.spelling}.{part}")
        return own

    def stated_weights(self, own: Setting) -> Part:
        text = "" if own.value is None else str(own.value).lower()
        place = where(self.binding, own.path)
        if self.defaults is not None and text in self.defaults.opt_out:
            because = f"{own.spelling} at {place} serves it unquantized"
            return self.unquantized(because)
        known = self.word(text)
        because = f"{own.spelling} at {place} is {text or 'null'}"
        if known is None or known.weights is None:
            return unknown(f"{because}, and its precision is not known")
        return Part(precision=known.weights, how="stated", because=because)

    def passed_on(self) -> Part:
        """Return what a draft without a quantization of its own gets."""
        checkpoint = self.metadata.target if self.draft is None else self.metadata.draft
        target = stated(self.settings, self.names.target_quantization)
        inherits = self.defaults is not None and self.defaults.omitted == "target"
        if target is None or not (inherits or self.draft is None):
            return self.unquantized("nothing changes what is stored", how="checkpoint")
        because = f"it inherits {target.value} from {where(self.binding, target.path)}"
        if checkpoint is None:
            return unknown(f"{because}, and its checkpoint was not read")
        if checkpoint.quantization is not None:
            return self.unquantized("its checkpoint says how it is quantized", how="checkpoint")
        known = self.word(target.value)
        if known is None or known.online is None:
            return unknown(f"{because}, and nobody showed what that does to it")
        if known.online and known.weights is not None:
            return Part(precision=known.weights, how="inherited", because=because)
        return self.unquantized(f"{because}, which converts nothing", how="checkpoint")

    def unquantized(self, because: str, *, how: str = "stated") -> Part:
        """Return the stored precision, or the compute type where one is asked for."""
        asked = stated(self.settings, "dtype")
        known = None if asked is None else self.word(asked.value)
        plain = self.shipped.precision in ("bf16", "fp16", "fp32", None)
        if asked is not None and known is not None and known.weights is not None and plain:
            place = f"{asked.spelling} {asked.value} at {where(self.binding, asked.path)}"
            return Part(precision=known.weights, how="stated", because=f"{because}; {place}")
        if self.shipped.precision is None:
            return unknown(f"{because}, but {self.shipped.because}")
        told = f"{because}: {self.shipped.because}"
        return Part.model_validate(
            {"precision": self.shipped.precision, "how": how, "because": told}
        )

    def activations(self) -> Part:
        weights = self.weights
        if weights.precision in ("bf16", "fp16", "fp32"):
            because = "unquantized weights are computed in their own type"
            return Part(precision=weights.precision, how=weights.how, because=because)
        own = self.own_quantization or stated(self.settings, self.names.target_quantization)
        known = None if own is None else self.word(own.value)
        if weights.how in ("stated", "inherited") and known is not None and known.activations:
            return Part(precision=known.activations, how=weights.how, because=weights.because)
        return unknown(f"of its weights it is known that {weights.because}")

    def kv(self, *, own: bool = True) -> Part:
        """Return the KV cache's precision, without a setting of its own where `own` is not."""
        name = self.names.kv
        settings = self.settings
        if not own:
            settings = {key: one for key, one in settings.items() if key != name}
        found = None if name is None else self.decided(name, settings)
        if found is None:
            return unknown(f"nobody read what {self.engine} does to the KV cache of drafts")
        if found.value == "auto":
            return kv_cache(self.metadata.target)
        known = self.word(found.value)
        because = found.because or self.stated_at(name)
        if known is None or known.kv is None:
            return unknown(f"{because}: {found.value}")
        how = "inherited" if found.how == "default" else found.how
        if how == "inherited" and known.kv == "nvfp4" and self.engine == "sglang":
            because = "a draft cannot have the target's four-bit KV cache and gets eight bits"
            return Part(precision="fp8", how="forced", because=because)
        return Part(precision=known.kv, how=how, because=because)

    def stated_at(self, name: str | None) -> str:
        own = None if name is None else stated(self.settings, name)
        return "" if own is None else f"{own.spelling} at {where(self.binding, own.path)}"

    def statements(self) -> Iterator[Stated]:
        """Yield every setting and variable that bears on the draft, in the recipe's order."""
        for name, found in self.settings.items():
            if name in self.names.leads or name.startswith(self.names.prefix):
                for one in found:
                    place = where(self.binding, one.path)
                    yield Stated(name=one.spelling, value=str(one.value), where=place)
        leads = {one.name for one in self.registry.leads}
        leads |= {one.name for one in self.registry.banned}
        for path, origins in self.binding.origins.items():
            if path and path[-1] in leads and origins:
                value = str(origins[0].value)
                yield Stated(name=str(path[-1]), value=value, where=origins[0].where)

"""What affected recipes really set, and what of it reaches the architecture of their models."""

from collections.abc import Iterable, Iterator, Mapping

from pydantic import JsonValue

from infx.flows.evidence.known import Known
from infx.flows.evidence.places import cite
from infx.flows.evidence.variants import Bound
from infx.model import config_facts
from infx.model.setting_registry import DraftPrecisionRegistry
from infx.recipes.architecture import Native, configuration_overrides, lossy_uses
from infx.recipes.banned_variables import banned_uses
from infx.recipes.binding import Binding, Path
from infx.recipes.settings import origin, role_settings


def effective(
    found: Iterable[Bound], precision: DraftPrecisionRegistry, commit: str
) -> Iterator[config_facts.Effective]:
    """Yield the effective arguments and environment of every role, and banned variables."""
    for one in found:
        frontend = one.binding.tree.get("frontend")
        kind = frontend.get("type") if isinstance(frontend, Mapping) else frontend
        yield config_facts.Effective(
            config=one.config,
            variant=one.variant,
            concurrencies=one.concurrencies,
            file=cite(one.binding.file).path,
            roles={role: _role(one, role, engine, commit) for role, engine in one.engines.items()},
            frontend=kind if isinstance(kind, str) else None,
            dynamo_version=_stated(one.binding, ("dynamo", "version"), commit),
            banned=tuple(_banned(one.binding, precision, commit)),
            unsettled=tuple(_unsettled(one, commit)),
        )


def _unsettled(one: Bound, commit: str) -> Iterator[config_facts.Unsettled]:
    for each in one.unsettled:
        place = cite(each.where, at=commit)
        yield config_facts.Unsettled(name=each.name, why=each.why, cite=place)


def overrides(found: Iterable[Bound], known: Known) -> Iterator[config_facts.Override]:
    """Yield keys of the model's configuration that launches change, and lossy settings."""
    for one in found:
        target = known.checkpoints.target(one)
        native = None if target is None else target.configuration
        for role in one.engines:
            yield from _overrides(one, role, native, known)


def _overrides(
    one: Bound, role: str, native: Native, known: Known
) -> Iterator[config_facts.Override]:
    for key in configuration_overrides(one.binding, role, known.architecture, native):
        if key.counts:
            yield config_facts.Override(
                config=one.config,
                variant=one.variant,
                key=f"{key.setting} {key.key}".strip(),
                value=key.value,
                native=key.native,
                native_known=key.native_known,
                standing=key.standing,
                because=key.because,
                cite=cite(key.where, key.value, at=known.commit),
            )
    for lossy in lossy_uses(one.binding, role, known.architecture):
        yield config_facts.Override(
            config=one.config,
            variant=one.variant,
            key=lossy.setting,
            value=lossy.value,
            standing="deny",
            because=lossy.because,
            cite=cite(lossy.where, lossy.value, at=known.commit),
        )


def _banned(
    binding: Binding, precision: DraftPrecisionRegistry, commit: str
) -> Iterator[config_facts.Observed]:
    for use in banned_uses(binding, precision):
        place = cite(use.where, use.value, at=commit)
        yield config_facts.Observed(name=use.name, value=use.value, cite=place)


def _role(one: Bound, role: str, engine: str, commit: str) -> config_facts.Role:
    settings = role_settings(one.binding, role)
    known = one.binding.recipe.roles.get(role)
    env: dict[str, config_facts.Setting] = {}
    for name, value in (known.env if known is not None else {}).items():
        env[name] = _setting(one.binding, ("roles", role, "env", name), value, commit)
    # The recipe-wide environment is laid over that of the roles.
    for name, value in one.binding.recipe.environment.items():
        env[name] = _setting(one.binding, ("environment", name), value, commit)
    return config_facts.Role(
        engine=engine,
        args={
            name: _setting(one.binding, stated[-1].path, stated[-1].value, commit)
            for name, stated in settings.items()
        },
        env=env,
    )


def _setting(binding: Binding, path: Path, value: JsonValue, commit: str) -> config_facts.Setting:
    found = origin(binding, path)
    where = binding.file if found is None else found.where
    layer = "recipe" if found is None else found.layer
    return config_facts.Setting(value=value, cite=cite(where, value, at=commit), layer=layer)


def _stated(binding: Binding, path: Path, commit: str) -> config_facts.Setting | None:
    if path not in binding.origins:
        return None
    return _setting(binding, path, binding.origins[path][0].value, commit)

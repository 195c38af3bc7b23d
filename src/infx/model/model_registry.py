"""The registry of benchmarked models: what may be submitted until when, and with which drafts.

`pull` is the number of the public change that put a row in force.
"""

from datetime import date
from typing import Literal

from pydantic import Field, model_validator

from infx.model.precision import Precision
from infx.model.registry import Registry, Row

State = Literal["active", "deprecated"]


class Scenario(Row):
    """What models are measured on. `last_day` is the last day on which it may be submitted.

    `isl` and `osl` are tokens of a fixed sequence, null for replayed sessions.
    """

    id: str
    name: str
    isl: int | None = None
    osl: int | None = None
    state: State
    last_day: date | None = None
    pull: int | None = None

    @model_validator(mode="after")
    def _ends(self) -> "Scenario":
        if (self.state == "deprecated") != (self.last_day is not None):
            raise ValueError("a deprecated scenario has a last day, and an active one none")
        return self


class ModelScenario(Row):
    """A scenario of one model; `last_day` as that of a scenario, null while nobody set one."""

    id: str
    state: State
    last_day: date | None = None
    pull: int | None = None
    note: str | None = None

    @model_validator(mode="after")
    def _ends(self) -> "ModelScenario":
        if self.state == "deprecated" and self.last_day is None and "last-day" not in self.unknown:
            raise ValueError("a deprecated scenario has a last day, or a reason why none is known")
        return self

    @model_validator(mode="after")
    def _says_why(self) -> "ModelScenario":
        if set(self.unknown) - {"last-day"} or (self.unknown and self.last_day is not None):
            raise ValueError("`unknown` says why a last day is null, and only then")
        return self


class DeniedPrecision(Row):
    """A precision that a model may not be submitted in after `last_day`."""

    precision: str
    last_day: date
    pull: int | None = None


class Draft(Row):
    """A draft that a model may speculate with.

    `repository` is null where the draft is `native`: a head inside the served checkpoint.
    `shipped` is the precision of its stored weights. `agreed` drafts are the plan of record;
    `proposed` ones still wait for the partners. Empty `scenarios` are all.
    """

    FACTS = ("shipped", "native")

    method: str
    native: bool | None
    repository: str | None = None
    revision: str | None = None
    standing: Literal["agreed", "proposed"]
    scenarios: tuple[str, ...] = ()
    shipped: Precision | None

    @model_validator(mode="after")
    def _is_somewhere(self) -> "Draft":
        if self.native is False and self.repository is None:
            raise ValueError("a draft that is not native has a repository")
        return self


class Model(Row):
    """A benchmarked model, by the prefix that catalogs and curves use.

    `engines` are the upstream engines that come first, `suites` the evals beside the default ones,
    `corpus` the recorded sessions that it is replayed with: all of them, or those capped at 256,000
    tokens. Whether it thinks is no fact of the model: the registry of thinking has it by scenario.
    """

    FACTS = ("added", "engines", "drafts")

    prefix: str
    names: tuple[str, ...] = Field(min_length=1)
    architecture: str
    added: date | None
    pull: int | None = None
    scenarios: tuple[ModelScenario, ...] = Field(min_length=1)
    denied: tuple[DeniedPrecision, ...] = ()
    engines: tuple[str, ...] | None
    drafts: tuple[Draft, ...] | None
    suites: tuple[str, ...]
    corpus: Literal["full", "capped"]
    note: str | None = None


class ModelRegistry(Registry):
    """All models, and the scenarios that there are."""

    scenarios: tuple[Scenario, ...]
    models: tuple[Model, ...]

    @model_validator(mode="after")
    def _is_consistent(self) -> "ModelRegistry":
        known = {one.id for one in self.scenarios}
        prefixes = [model.prefix for model in self.models]
        if len(set(prefixes)) < len(prefixes):
            raise ValueError("prefixes are unique")
        for model in self.models:
            named = [one.id for one in model.scenarios]
            asked = {name for draft in model.drafts or () for name in draft.scenarios}
            if len(set(named)) < len(named) or not {*named, *asked} <= known:
                raise ValueError(f"{model.prefix} names scenarios once each, and only known ones")
        return self

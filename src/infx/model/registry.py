"""Registries of public facts that a verdict rests on: hardware, engines, floors, launch pages.

Each row names its source, and each fact that no page states is null with the reason. A registry is
data of one file; what follows from it is in `recipes.registries`.
"""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from infx.model.value import KebabValue, kebab


class Source(KebabValue):
    """What states the facts of a row, and the day on which it was read.

    `commit` is that of the page where it stands under version control.
    """

    what: str
    url: str | None = None
    commit: str | None = Field(default=None, pattern="^[0-9a-f]{7,40}$")
    read: date


class Row(KebabValue):
    """One row of a registry: `source` is a name in the registry's `sources`.

    `unknown` says why a fact is null, and nothing else: a null without a reason is refused, and so
    is a reason for what is known.
    """

    FACTS: ClassVar[tuple[str, ...]] = ()

    source: str
    unknown: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_why(self) -> "Row":
        missing = {kebab(name) for name in self.FACTS if getattr(self, name) is None}
        if missing != set(self.unknown):
            odd = ", ".join(sorted(missing ^ set(self.unknown)))
            raise ValueError(f"`unknown` says why facts are null, and only then: see {odd}")
        return self


class Registry(KebabValue):
    """The rows of one file and what they were read from."""

    sources: dict[str, Source]

    @model_validator(mode="after")
    def _names_sources(self) -> "Registry":
        unknown = sorted({row.source for row in rows(self)} - set(self.sources))
        if unknown:
            raise ValueError(f"no source {', '.join(unknown)}")
        return self


def rows(value: object) -> Iterator[Row]:
    """Yield every row in a value, outer ones first."""
    if isinstance(value, Row):
        yield value
    if isinstance(value, KebabValue):
        for name in type(value).model_fields:
            yield from rows(getattr(value, name))
    elif isinstance(value, tuple):
        for one in value:
            yield from rows(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from rows(one)


class Hardware(Row):
    """An accelerator SKU: what one node of it has.

    `established` hardware runs upstream images; `new` may start on a vendor's engine; `unlisted` is
    named by no list. `memory_gb` is what one GPU can use, in 10^9 bytes.
    """

    FACTS = ("gpus_per_node", "memory_gb")

    sku: str
    name: str
    vendor: str
    standing: Literal["established", "new", "unlisted"]
    gpus_per_node: int | None
    memory_gb: int | None


class HardwareRegistry(Registry):
    """All SKUs."""

    hardware: tuple[Hardware, ...]


class Framework(Row):
    """A framework as catalogs name it, and the engine that serves inside it.

    `organisations` are the owners of upstream images on Docker Hub; they are empty where no rule
    names one. `upstream` frameworks are those of the open engines, and come before others.
    """

    name: str
    engine: str
    upstream: bool
    organisations: tuple[str, ...]


class Cookbook(Row):
    """Where the launch pages of an engine are published, as the beginnings of addresses.

    `superseded` are copies that do not count alone.
    """

    engine: str
    pages: tuple[str, ...]
    repositories: tuple[str, ...]
    superseded: tuple[str, ...]


class EngineRegistry(Registry):
    """All frameworks, and the cookbooks of their engines."""

    frameworks: tuple[Framework, ...]
    cookbooks: tuple[Cookbook, ...]


class Task(Row):
    """An eval: its lowest passing score, and how many samples are all of them.

    `diagnostic` tasks are never failed for a score, only for what broke.
    """

    FACTS = ("samples",)

    name: str
    floor: Decimal = Field(ge=0, le=1)
    diagnostic: bool = False
    samples: int | None = Field(gt=0)


class ModelFloor(Row):
    """The lowest passing score of one model in one task."""

    prefix: str
    task: str
    floor: Decimal = Field(ge=0, le=1)


class Thresholds(Registry):
    """Floors of scores: those of a model win over those of a task."""

    tasks: tuple[Task, ...]
    models: tuple[ModelFloor, ...]


class LaunchPage(Row):
    """A published page that says how a model is launched with an engine; `hardware` it speaks of.

    Null hardware is not known: the page exists, and nobody read which SKUs it has. `overview` tells
    whether the hardware vendor's own overview links it.
    """

    FACTS = ("hardware", "overview")

    prefix: str
    engine: str
    url: str
    hardware: tuple[str, ...] | None
    overview: bool | None


class PageRegistry(Registry):
    """All launch pages that are known."""

    pages: tuple[LaunchPage, ...]

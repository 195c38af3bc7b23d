"""Facts of pages upstream that document a launch."""

from datetime import datetime
from typing import Literal

from pydantic import Field, JsonValue

from infx.model.config_facts import Observed
from infx.model.value import Value
from infx.model.verdict import Cite


class Launch(Value):
    """How a page starts one role of a deployment, by canonical names of the engine.

    `role` is that of a recipe (`agg`, `prefill`, `decode`) or `frontend`. `hardware` is a SKU, None
    for a launch that is not of one; no `concurrencies` are all. A value that begins with `$` stands
    for what a site fills in.
    """

    role: str
    hardware: str | None = None
    concurrencies: tuple[int, ...] = ()
    args: dict[str, JsonValue] = Field(default_factory=dict)
    env: dict[str, str] = Field(default_factory=dict)
    cite: Cite


class Published(Value):
    """A page or pull request upstream that documents a launch.

    `merged` is when a pull request was merged, None while it is not; `readable` whether anybody
    could read it. `launches` are its launches setting by setting, None where nobody took them
    apart. In their place `uncovered` are the effective settings that somebody found it not to have,
    and `excluded` those that were left out of that comparison; None where nobody compared.
    A setting is named as its argument, its variable, or `benchmark.env.NAME` of the client.
    """

    url: str
    form: Literal["pull-request", "page"]
    engine: str
    merged: datetime | None = None
    state: str | None = None
    readable: bool = True
    linked_in: Cite | None = None
    configs: tuple[str, ...] = ()
    launches: tuple[Launch, ...] | None = None
    uncovered: tuple[Observed, ...] | None = None
    excluded: tuple[Observed, ...] = ()


class Overview(Value):
    """A cell of the hardware vendor's overview of recipes: the page it links, None if empty."""

    prefix: str
    engine: str
    vendor: str
    link: str | None
    cite: Cite

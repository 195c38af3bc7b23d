"""How a server is started, and where it answers."""

from pydantic import Field

from infx.model.value import Value


class Endpoint(Value):
    """An OpenAI-compatible server: its base URL (no `/v1`), and the model to ask for."""

    url: str
    model: str | None = None


class ProcessPlan(Value):
    """One process of a launch: argv, and the environment it gets on top of the launcher's."""

    name: str
    argv: tuple[str, ...]
    environment: dict[str, str] = Field(default_factory=dict)


class LaunchPlan(Value):
    """All processes of one server, in start order, and how to tell that it is ready."""

    engine: str
    processes: tuple[ProcessPlan, ...]
    endpoint: Endpoint
    health_path: str = "/health"
    metrics_path: str | None = "/metrics"
    ready_limit_s: float = 600.0

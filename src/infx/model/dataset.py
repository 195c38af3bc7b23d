"""Public corpora that infx knows by name."""

from typing import Literal

from pydantic import Field, model_validator

from infx.model.value import Value

TraceFormat = Literal["weka", "mooncake", "dag", "multi-turn"]


class TraceDataset(Value):
    """One corpus on the Hugging Face hub.

    `revision` is a commit of its repository and `sha256` that of its file there; where one is null,
    `unknown` says why. `turns` are requests of the sessions themselves, `requests` all of them.
    `longest` are the tokens that its longest request has, or is known to stay within. `loader` is
    its name in aiperf.
    """

    name: str
    format: TraceFormat
    repository: str
    file: str
    revision: str | None = Field(pattern="^[0-9a-f]{40}$")
    sha256: str | None = Field(pattern="^[0-9a-f]{64}$")
    unknown: str | None = None
    bytes: int | None
    traces: int | None
    turns: int | None
    subagents: int | None
    requests: int | None
    longest: int | None
    loader: str
    about: str

    @model_validator(mode="after")
    def _says_why(self) -> "TraceDataset":
        if (self.revision is None or self.sha256 is None) != (self.unknown is not None):
            raise ValueError("`unknown` says why a revision or a digest is null, and only then")
        return self

    @property
    def url(self) -> str:
        """Where the file is downloaded from."""
        place = f"{self.repository}/resolve/{self.revision or 'main'}/{self.file}"
        return f"https://huggingface.co/datasets/{place}"


class DatasetRegistry(Value):
    """All corpora, and the two that models are measured with: `full`, and `capped` at 256k tokens.

    Which of the two a model takes stands in the registry of models.
    """

    full: str
    capped: str
    datasets: tuple[TraceDataset, ...]

    @model_validator(mode="after")
    def _names_its_own(self) -> "DatasetRegistry":
        names = [dataset.name for dataset in self.datasets]
        if len(set(names)) < len(names) or not {self.full, self.capped} <= set(names):
            raise ValueError("names are unique, and `full` and `capped` are among them")
        return self

    def of(self, corpus: Literal["full", "capped"]) -> TraceDataset:
        """Return the full corpus or the capped one."""
        name = self.full if corpus == "full" else self.capped
        return next(dataset for dataset in self.datasets if dataset.name == name)

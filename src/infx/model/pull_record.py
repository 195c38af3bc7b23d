"""What a forge says of a pull request, recorded as one JSON file."""

from pydantic import Field, model_validator

from infx.model.comment import Comment
from infx.model.page_facts import Overview, Published
from infx.model.review_facts import Claim, Owners, PullRequest, Template
from infx.model.run_facts import Run
from infx.model.value import Value
from infx.model.verdict import Cite


class Installed(Value):
    """A package that the containers of an entry's runs had, as their own list of packages says."""

    config: str
    name: str
    version: str
    cite: Cite


class MetricsPage(Value):
    """A page of metrics of an entry's run: the series that had a value beside their seed."""

    config: str
    series: tuple[str, ...]
    cite: Cite


class PullRecord(Value):
    """The facts of a submission that stand at a forge or upstream, not in the repository.

    Their forms are those that they have in a `Submission`. A part that nobody gathered is null, and
    `unknown` may say why. Jobs of a run state the entry and the concurrencies of their matrix row.
    `installed` and `pages` are of the runs: what of a server's metrics no setting can show.
    """

    pull: PullRequest
    comments: tuple[Comment, ...] | None = None
    owners: Owners | None = None
    template: Template | None = None
    runs: tuple[Run, ...] | None = None
    published: tuple[Published, ...] | None = None
    overview: tuple[Overview, ...] | None = None
    claims: tuple[Claim, ...] | None = None
    installed: tuple[Installed, ...] | None = None
    pages: tuple[MetricsPage, ...] | None = None
    unknown: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_why(self) -> "PullRecord":
        for name in self.unknown:
            if name == "unknown" or getattr(self, name, name) is not None:
                raise ValueError(f"`unknown` says why {name} is not known, and only of its parts")
        return self

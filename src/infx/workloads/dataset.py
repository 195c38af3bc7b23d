"""Prompts of the user's own, from a JSONL or ShareGPT file."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from infx.errors import InputError, Problem
from infx.model.workload import FixedWorkload
from infx.workloads.dataset_rows import Problems, jsonl, sharegpt
from infx.workloads.draws import Draws, derive
from infx.workloads.prompts import Prompt


class DatasetPrompts:
    """Draws prompts without replacement, then again in passes of a new order each.

    Warmups take the end of a pass and profiling its start, so that they differ while the file
    is long enough. `digest` identifies the file; `skipped` counts its conversations without a
    human turn, which ShareGPT files hold by design.
    """

    smallest = None
    """A dataset is not sized."""

    def __init__(self, prompts: Sequence[Prompt], *, digest: str, skipped: int = 0) -> None:
        self._prompts = prompts
        self._orders: dict[tuple[bytes, int], list[int]] = {}
        self.digest = digest
        self.skipped = skipped

    def __len__(self) -> int:
        """How many prompts the file holds."""
        return len(self._prompts)

    def passes(self, requests: int) -> int:
        """Return how many passes over the file that many requests take; above 1, some repeat."""
        return -(-requests // len(self))

    def prompt(self, tokens: int | None, *, point: bytes, ordinal: int) -> Prompt:
        """Return the prompt of that ordinal; `tokens` is not asked of a dataset."""
        number, place = divmod(ordinal if ordinal >= 0 else -1 - ordinal, len(self))
        order = self._order(point, number)
        return self._prompts[order[place if ordinal >= 0 else -1 - place]]

    def _order(self, point: bytes, number: int) -> list[int]:
        key = (point, number)
        if key not in self._orders:
            draws = Draws(derive(point, f"pass {number}"))
            self._orders = {key: draws.shuffled(range(len(self)))}
        return self._orders[key]


def open_dataset(path: Path, workload: FixedWorkload) -> DatasetPrompts:
    """Read a dataset: JSON lines, or one JSON array of ShareGPT conversations.

    A JSONL row has `prompt` (text) or `messages` (role and content), and may say
    `output_tokens` or `max_tokens`, and with messages the fields that `bodies.SENT` names. A
    ShareGPT conversation gives its first human turn.
    Raises InputError with file and line of every bad row, the first 20 in full.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        what = f"cannot read the dataset: {error.strerror}"
        raise InputError(Problem(what, str(path), "give a JSONL or ShareGPT file")) from error
    problems = Problems(str(path))
    reader = sharegpt if content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[" else jsonl
    prompts, skipped = reader(content, workload, problems)
    problems.require_none()
    if not prompts:
        what = "the dataset holds no prompt"
        raise InputError(Problem(what, str(path), "each line needs a prompt or messages"))
    return DatasetPrompts(prompts, digest=f"sha256:{sha256(content).hexdigest()}", skipped=skipped)

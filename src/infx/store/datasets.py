"""The registry of corpora, the corpus that ships with infx, and where fetched ones are kept."""

from importlib.resources import files
from pathlib import Path

from infx.errors import InputError, Problem, nearest
from infx.model.dataset import DatasetRegistry, TraceDataset
from infx.store.documents import read_yaml, validate

REGISTRY = Path(str(files("infx").joinpath("data", "datasets.yaml")))
DEMO = "demo"
"""The name of the corpus that ships."""


def registry(path: Path = REGISTRY) -> DatasetRegistry:
    """Return the corpora that infx knows; raises InputError when the file is bad."""
    return validate(read_yaml(path), DatasetRegistry)


def dataset(name: str) -> TraceDataset:
    """Return the corpus of a name, its own or that of its loader; raises InputError for others."""
    known = registry().datasets
    for one in known:
        if name in (one.name, one.loader):
            return one
    advice = nearest(name, [DEMO, *(one.name for one in known)])
    raise InputError(Problem(f"no corpus {name!r}", None, f"{advice}; or give a file"))


def demo_path() -> Path:
    """Return the file of the corpus that ships: 20 tiny synthetic sessions."""
    return Path(str(files("infx").joinpath("data", "traces", "demo.jsonl")))


def kept_path(one: TraceDataset, cache: Path) -> Path:
    """Return where a fetched corpus is kept, or may be placed by hand."""
    return cache / "traces" / one.name / one.file

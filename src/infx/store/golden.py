"""The golden acceptance curves that infx ships: one file a curve, named after it."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from infx.model.document import Document
from infx.store.documents import read_yaml

FOLDER = Path(str(files("infx").joinpath("data", "golden")))


def golden_documents(folder: Path = FOLDER) -> Iterator[tuple[str, Document]]:
    """Yield the name and the document of every curve, in the order of their names."""
    for path in sorted(folder.glob("*.yaml")):
        yield path.stem, read_yaml(path)

"""Recipes as text, read and bound in tests."""

import os
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from infx.model.document import Document
from infx.recipes.bind import bind
from infx.recipes.binding import Binding
from infx.recipes.target import Target
from infx.store.documents import read_yaml


def read(folder: Path, text: str, name: str = "toy.yaml") -> Document:
    """Return a recipe text as a document; its file is `name`, without the folder."""
    path = folder / name
    path.write_text(dedent(text), encoding="utf-8")
    return replace(read_yaml(path, last_wins=True), file=name)


def bound(document: Document, selector: str | None = None, shared=None, **asked) -> Binding:
    return bind(document, selector=selector, shared=shared, target=Target(**asked))


def reference() -> Path:
    """Return the folder of the public files, or skip."""
    root = os.environ.get("INFX_REFERENCE_DATA")
    if not root:
        pytest.skip("INFX_REFERENCE_DATA does not name the folder of the reference data")
    return Path(root)


def public_recipes() -> list[Path]:
    """Return every public recipe file: the v1 form, then the ones of October."""
    root = reference()
    return sorted((root / "srt-recipes").rglob("*.yaml")) + sorted(
        (root / "oct" / "benchmarks").rglob("*.yaml")
    )

"""The metadata of a checkpoint in a folder: configuration files and the heads of tensor files."""

import json
from collections import Counter
from collections.abc import Iterator
from math import prod
from pathlib import Path

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.model.checkpoint import Checkpoint, is_draft_tensor, layers_of
from infx.store.documents import read_json

CONFIG = "config.json"
QUANTIZATION = "hf_quant_config.json"
INDEX = "model.safetensors.index.json"

MAX_FILES = 2_000
MAX_HEAD_BYTES = 100_000_000
"""The head of one file may be as large as the library of safetensors takes."""
MAX_TENSORS = 4_000_000
"""Tensors of all files together."""
MAX_ELEMENTS = 1 << 62
MAX_INDEX_BYTES = 64 << 20

_REMEDY = "give the folder of a checkpoint as it is published"


def read_checkpoint(
    folder: Path, *, repository: str | None = None, revision: str | None = None
) -> Checkpoint:
    """Return what a checkpoint's folder says, without reading a weight.

    Raises InputError with every problem: no configuration, a head that is none or too large, more
    files or tensors than the caps, and some of the files that its index names and not all.
    """
    configuration = _mapping(folder / CONFIG)
    quantization = _part(configuration, "quantization_config", "compression_config")
    beside = folder / QUANTIZATION
    if quantization is None and beside.exists():
        whole = _mapping(beside)
        quantization = _part(whole, "quantization") or whole
    tensors, draft = _counted(folder, layers_of(configuration))
    return Checkpoint(
        repository=repository,
        revision=revision,
        configuration=configuration,
        quantization=quantization,
        tensors=dict(sorted(tensors.items())),
        draft_tensors=dict(sorted(draft.items())),
    )


def _mapping(path: Path) -> dict[str, JsonValue]:
    value = read_json(path).value
    if not isinstance(value, dict):
        raise InputError(Problem("the file holds no object", str(path), _REMEDY))
    return value


def _part(value: dict[str, JsonValue], *names: str) -> dict[str, JsonValue] | None:
    found = (value.get(name) for name in names)
    return next((one for one in found if isinstance(one, dict)), None)


def _counted(folder: Path, layers: int | None) -> tuple[Counter[str], Counter[str]]:
    files = sorted(path for path in folder.glob("*.safetensors") if path.is_file())
    if len(files) > MAX_FILES:
        raise InputError(Problem(f"more than {MAX_FILES} files of tensors", str(folder), _REMEDY))
    tensors, draft = Counter[str](), Counter[str]()
    problems = list(_absent(folder, {path.name for path in files}))
    seen = 0
    for path in files:
        try:
            for name, kind, count in _tensors(path):
                seen += 1
                tensors[kind] += count
                if is_draft_tensor(name, layers):
                    draft[kind] += count
        except (OSError, ValueError) as error:
            problems.append(Problem(f"no file of safetensors: {error}", str(path), _REMEDY))
        if seen > MAX_TENSORS:
            problems.append(Problem(f"more than {MAX_TENSORS} tensors", str(folder), _REMEDY))
            break
    if problems:
        raise InputError(*problems)
    return tensors, draft


def _absent(folder: Path, names: set[str]) -> Iterator[Problem]:
    """Yield what the index names and the folder lacks: some files alone would count for all."""
    path = folder / INDEX
    if not names or not path.is_file():
        return
    try:
        with path.open("rb") as file:
            stated = json.loads(file.read(MAX_INDEX_BYTES)).get("weight_map").values()
        absent = sorted({str(name) for name in stated} - names)
    except (OSError, ValueError, RecursionError, AttributeError):
        yield Problem("this is no index of files of tensors", str(path), _REMEDY)
        return
    if absent:
        more = f" and {len(absent) - 1} more" if absent[1:] else ""
        yield Problem(f"its index names what is not there: {absent[0]}{more}", str(folder), _REMEDY)


def _tensors(path: Path) -> Iterator[tuple[str, str, int]]:
    """Yield name, type and number of elements of each tensor; raises ValueError for a bad head."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > MAX_HEAD_BYTES:
            raise ValueError(f"its head is larger than {MAX_HEAD_BYTES} bytes")
        data = file.read(size)
    if len(data) < max(size, 2):
        raise ValueError("it ends inside its head")
    try:
        head = json.loads(data)
    except RecursionError:
        raise ValueError("its head is nested too deeply") from None
    if not isinstance(head, dict):
        raise ValueError("its head is no object")
    for name, tensor in head.items():
        if name != "__metadata__":
            yield name, *_shape(name, tensor)


def _shape(name: str, tensor: object) -> tuple[str, int]:
    kind = tensor.get("dtype") if isinstance(tensor, dict) else None
    shape = tensor.get("shape") if isinstance(tensor, dict) else None
    if not isinstance(kind, str) or not isinstance(shape, list):
        raise ValueError(f"{name[:80]!r} has no type or no shape")
    if any(type(size) is not int or size < 0 for size in shape) or len(shape) > 16:
        raise ValueError(f"{name[:80]!r} has no shape of whole numbers")
    count = prod(shape)
    if count > MAX_ELEMENTS:
        raise ValueError(f"{name[:80]!r} is larger than any tensor")
    return kind, count

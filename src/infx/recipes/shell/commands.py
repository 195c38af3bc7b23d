"""What programs write, by their names: a table of small readers of command lines."""

import re
from collections.abc import Callable, Iterator, Mapping

from infx.model.shell_effects import EffectKind
from infx.recipes.shell.found import Call, Found, operands, option, short_flags
from infx.recipes.shell.targets import joined
from infx.recipes.shell.values import unresolved

_DOWNLOAD_VALUED = frozenset(
    {
        *(
            "-H",
            "-d",
            "-X",
            "-u",
            "-A",
            "-e",
            "-b",
            "-c",
            "-m",
            "-T",
            "-F",
            "-x",
            "--data",
            "--header",
        ),
        *("--retry", "--max-time", "--connect-timeout", "--request", "-P", "-O", "-o", "--output"),
    }
)
_GIT_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree"})
_TREE = re.compile(r"(?:\.tar(?:\.\w+)?|\.tgz|\.zip|\.git)$")


def effects(call: Call) -> Iterator[Found]:
    """Yield what a command changes by itself, without what it runs."""
    reader = READERS.get(call.name)
    if reader is not None and call.words:
        yield from reader(call)


def _sed(call: Call) -> Iterator[Found]:
    in_place = any(re.match(r"-[nrEsuz]*i|--in-place", word) for word in call.words[1:])
    scripted = any(word in ("-e", "-f") or word[:6] == "--expr" for word in call.words)
    names = operands(call.words, frozenset({"-e", "-f", "--expression", "--file"}))
    if in_place:
        yield from _each("edit", names if scripted else names[1:], call)


def _perl(call: Call) -> Iterator[Found]:
    if "i" in re.sub(r"[^a-zA-Z].*", "", short_flags(call.words)) and "e" in short_flags(
        call.words
    ):
        yield from _each("edit", operands(call.words, frozenset({"-e", "-pe", "-ne"}))[0:], call)


def _awk(call: Call) -> Iterator[Found]:
    if option(call.words, "-i") == "inplace" or "--in-place" in call.words:
        names = operands(call.words, frozenset({"-i", "-v", "-F", "-f"}))
        yield from _each("edit", names[1:], call)


def _each(kind: EffectKind, names: list[str], call: Call) -> Iterator[Found]:
    for name in names:
        yield Found(kind, joined(call.folder, name))
    if not names:
        yield Found(kind, unresolved("no file named", call.piped or ""))


def _tee(call: Call) -> Iterator[Found]:
    for name in operands(call.words):
        yield Found("write", joined(call.folder, name))


def _removing(call: Call) -> Iterator[Found]:
    for name in operands(call.words):
        yield Found("remove", joined(call.folder, name))


def _touching(call: Call) -> Iterator[Found]:
    for name in operands(call.words, frozenset({"-s", "-d", "-r", "-t"})):
        yield Found("write", joined(call.folder, name))


def _copying(kind: EffectKind) -> Callable[[Call], Iterator[Found]]:
    def read(call: Call) -> Iterator[Found]:
        folder = option(call.words, "-t", "--target-directory") if call.name != "rsync" else None
        valued = frozenset({"-t", "--target-directory", "-m", "-o", "-g", "-S", "--exclude", "-e"})
        names = operands(call.words, valued)
        sources = names if folder is not None else names[:-1]
        target = folder if folder is not None else names[-1] if len(names) > 1 else None
        if target is None:
            return
        inputs = tuple(joined(call.folder, one) for one in sources)
        yield Found(kind, joined(call.folder, target), inputs)
        if call.name == "mv":
            yield from (Found("remove", one) for one in inputs)

    return read


def _dd(call: Call) -> Iterator[Found]:
    for word in call.words[1:]:
        if word.startswith("of="):
            yield Found("write", joined(call.folder, word[3:]))


def _extracting(call: Call) -> Iterator[Found]:
    flags = call.words[1] if len(call.words) > 1 else ""
    if call.name == "tar" and "x" not in flags.lstrip("-") and "--extract" not in call.words:
        return
    folder = option(call.words, "-C", "--directory") if call.name == "tar" else None
    if call.name == "unzip":
        folder = option(call.words, "-d")
    names = [
        one for one in operands(call.words, frozenset({"-C", "-d", "-f"})) if _TREE.search(one)
    ]
    yield Found("extract", joined(call.folder, folder or "."), tuple(names))


_ONLY_LOOKS = frozenset({"--check", "--stat", "--numstat", "--summary", "--dry-run"})


def _patch(call: Call) -> Iterator[Found]:
    if _ONLY_LOOKS & set(call.words):
        return
    folder = option(call.words, "-d", "--directory")
    source = option(call.words, "-i", "--input") or call.read_from or call.piped
    names = operands(call.words, frozenset({"-d", "-i", "-p", "--directory", "--input"}))
    base = joined(call.folder, folder) if folder else call.folder
    target = joined(base, names[0]) if names else base or "."
    yield Found("patch", target, (source,) if source else ())


def _git(call: Call) -> Iterator[Found]:
    folder = joined(call.folder, option(call.words[:6], "-C") or ".") or "."
    rest = operands(call.words, _GIT_VALUED)
    verb, names = (rest[0], rest[1:]) if rest else ("", [])
    if verb in ("apply", "am") and not _ONLY_LOOKS & set(call.words):
        yield Found("patch", folder, tuple(names) or ((call.read_from,) if call.read_from else ()))
    elif verb in (
        "checkout",
        "reset",
        "pull",
        "merge",
        "cherry-pick",
        "restore",
        "switch",
        "stash",
    ):
        yield Found("checkout", folder, tuple(names))
    elif verb == "clone":
        plain = operands(call.words, _GIT_VALUED | {"-b", "--branch", "--depth", "-o"})[1:]
        target = (
            plain[1]
            if len(plain) > 1
            else _TREE.sub("", plain[0].rpartition("/")[2])
            if plain
            else "."
        )
        yield Found("download", joined(call.folder, target), tuple(plain[:1]))


def _curl(call: Call) -> Iterator[Found]:
    letter, long = ("o", "--output") if call.name == "curl" else ("O", "--output-document")
    name = option(_unbundled(call.words, letter), f"-{letter}", long)
    urls = [word for word in operands(call.words, _DOWNLOAD_VALUED) if word not in (name, "-")]
    names = [name] if name is not None else []
    last = [url.rpartition("/")[2] for url in urls]
    if call.name == "wget" and name is None:
        folder = option(call.words, "-P", "--directory-prefix") or "."
        names = [f"{folder}/{one}" for one in last]
    elif "O" in short_flags(call.words) or "--remote-name" in call.words:
        names += last if call.name == "curl" else []
    for one in names:
        if one != "-":
            yield Found("download", joined(call.folder, one), tuple(urls))


def _unbundled(words: tuple[str, ...], letter: str) -> tuple[str, ...]:
    """Return words with `letter` out of its bundle of short options: `-sLo X` as `-sL -o X`."""
    found: list[str] = []
    for word in words:
        match = re.fullmatch(rf"-([A-Za-z]*){letter}(-?)", word)
        found += [f"-{match[1]}", f"-{letter}{match[2]}"] if match and match[1] else [word]
    return tuple(found)


def _building(call: Call) -> Iterator[Found]:
    """Yield what `make install` and its like put into the image: nobody says where."""
    if "install" in call.words or "--install" in call.words:
        yield Found("install", unresolved("build", call.folder or "."))


READERS: Mapping[str, Callable[[Call], Iterator[Found]]] = {
    "sed": _sed,
    "perl": _perl,
    "awk": _awk,
    "gawk": _awk,
    "tee": _tee,
    "sponge": _tee,
    "rm": _removing,
    "unlink": _removing,
    "shred": _removing,
    "touch": _touching,
    "truncate": _touching,
    "cp": _copying("copy"),
    "mv": _copying("copy"),
    "install": _copying("copy"),
    "rsync": _copying("copy"),
    "scp": _copying("copy"),
    "ln": _copying("link"),
    "dd": _dd,
    "tar": _extracting,
    "unzip": _extracting,
    "patch": _patch,
    "git": _git,
    "curl": _curl,
    "wget": _curl,
    "make": _building,
    "ninja": _building,
    "cmake": _building,
}
"""Program to the reader of its command line."""

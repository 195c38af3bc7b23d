"""Text that looks like what coding agents read: code, comments, JSON, logs. All of it is made up.

A tokenizer cuts such text into the mixture of short and long tokens that real prompts have. Every
passage follows from its key alone, and is ASCII.
"""

from collections.abc import Callable, Iterator

from infx.workloads.draws import Draws

VERBS = (
    "load", "merge", "parse", "render", "send", "index", "sort", "trim", "resolve", "collect",
    "update", "check", "split", "encode", "count", "find", "close", "build", "schedule", "drain",
)  # fmt: skip
NOUNS = (
    "account", "batch", "buffer", "cache", "channel", "client", "cursor", "document", "entry",
    "field", "frame", "header", "invoice", "job", "key", "limit", "message", "node", "offset",
    "order", "packet", "page", "parser", "path", "queue", "record", "region", "report", "request",
    "result", "route", "row", "schema", "section", "segment", "session", "shard", "signal", "stage",
    "store", "stream", "table", "task", "token", "trace", "tree", "user", "value", "window",
)  # fmt: skip
KINDS = ("int", "str", "bytes", "float", "bool", "list[str]", "dict[str, int]", "Path | None")
ADJECTIVES = ("empty", "late", "stale", "unknown", "closed", "shared", "nested", "partial", "local")
LEVELS = ("DEBUG", "INFO", "INFO", "INFO", "WARNING", "ERROR")
REMARKS = (
    "keep the order of the input",
    "the caller holds the lock already",
    "nothing to do when it is empty",
    "one pass is enough here",
    "older files state this in seconds",
    "never longer than a page",
)


def pieces(draws: Draws) -> Iterator[str]:
    """Yield one made-up piece of text after the other, without end."""
    writers: tuple[Callable[[Draws], list[str]], ...] = (
        _function, _function, _class, _json, _log, _shell, _test, _prose,
    )  # fmt: skip
    while True:
        yield "\n".join(draws.pick(writers)(draws)) + "\n\n"


def _name(draws: Draws) -> str:
    return f"{draws.pick(VERBS)}_{draws.pick(NOUNS)}"


def _number(draws: Draws) -> int:
    return draws.below(10 ** (1 + draws.below(4)))


def _statement(draws: Draws, indent: str) -> list[str]:
    one, two, three = (draws.pick(NOUNS) for _ in range(3))
    forms = (
        [f"{one} = {_name(draws)}({two}, {_number(draws)})"],
        [f"if not {one}.{two}:", f"    return {draws.pick(('None', 'False', '[]', two))}"],
        [f"for {one} in self.{two}s:", f"    {three}.append({one}[{_number(draws) % 10}])"],
        [f"{one}s = [{two} for {two} in {three}s if {two}.{draws.pick(NOUNS)} > {_number(draws)}]"],
        [f"with open({one}_path) as {two}:", f"    {three} = json.load({two})"],
        [f'logger.info("%s {one}s in %d {two}s", self.{three}, {_number(draws)})'],
        ["try:", f"    {one} = self.{_name(draws)}({two})", "except KeyError as error:",
         f'    raise ValueError(f"{draws.pick(ADJECTIVES)} {one} {{{two}!r}}") from error'],
        [f"# {draws.pick(REMARKS)}", f"{one}.{two} += {_number(draws)}"],
    )  # fmt: skip
    return [indent + line for line in draws.pick(forms)]


def _function(draws: Draws, indent: str = "", *, method: bool = False) -> list[str]:
    names = {draws.pick(NOUNS): None for _ in range(1 + draws.below(3))}
    taken = [f"{name}: {draws.pick(KINDS)}" for name in names]
    given = ", ".join(["self", *taken] if method else taken)
    about = f"every {draws.pick(ADJECTIVES)} {draws.pick(NOUNS)} of the {draws.pick(NOUNS)}"
    lines = [
        f"{indent}def {_name(draws)}({given}) -> {draws.pick(KINDS)}:",
        f'{indent}    """{draws.pick(VERBS).capitalize()} {about}."""',
    ]
    for _ in range(2 + draws.below(5)):
        lines += _statement(draws, indent + "    ")
    return [*lines, f"{indent}    return {draws.pick(NOUNS)}"]


def _class(draws: Draws) -> list[str]:
    lines = [f"class {draws.pick(NOUNS).capitalize()}{draws.pick(NOUNS).capitalize()}:"]
    for _ in range(1 + draws.below(3)):
        lines += [*_function(draws, "    ", method=True), ""]
    return lines[:-1]


def _json(draws: Draws) -> list[str]:
    lines = ["{"]
    for _ in range(3 + draws.below(8)):
        value = draws.pick(
            (str(_number(draws)), f'"{draws.pick(NOUNS)}-{_number(draws)}"', "true", "null",
             f'["{draws.pick(NOUNS)}", "{draws.pick(NOUNS)}"]', f"{_number(draws)}.5")
        )  # fmt: skip
        lines.append(f'  "{draws.pick(NOUNS)}_{draws.pick(NOUNS)}": {value},')
    return [*lines[:-1], lines[-1].rstrip(","), "}"]


def _log(draws: Draws) -> list[str]:
    hour, minute = draws.below(24), draws.below(60)
    return [
        f"2026-03-{1 + draws.below(28):02d} {hour:02d}:{minute:02d}:{draws.below(60):02d},"
        f"{draws.below(1000):03d} {draws.pick(LEVELS)} [{draws.pick(NOUNS)}.{draws.pick(NOUNS)}] "
        f"{draws.pick(VERBS)} {draws.pick(NOUNS)} {_number(draws)}: {draws.pick(ADJECTIVES)} "
        f"{draws.pick(NOUNS)} after {_number(draws)} ms"
        for _ in range(2 + draws.below(8))
    ]


def _shell(draws: Draws) -> list[str]:
    where = f"src/{draws.pick(NOUNS)}/{_name(draws)}.py"
    return [f'$ grep -n "{draws.pick(NOUNS)}" {where}'] + [
        f"{where}:{1 + _number(draws)}:    {_statement(draws, '')[0]}"
        for _ in range(1 + draws.below(6))
    ]


def _test(draws: Draws) -> list[str]:
    one, two = draws.pick(NOUNS), draws.pick(NOUNS)
    return [
        f"def test_{one}_is_{draws.pick(ADJECTIVES)}(tmp_path: Path) -> None:",
        f"    {two} = {_name(draws)}({_number(draws)}, {one}={_number(draws)})",
        *_statement(draws, "    "),
        f"    assert {two}.{one} == [{_number(draws)}, {_number(draws)}]",
    ]


def _prose(draws: Draws) -> list[str]:
    return [
        f"I will {draws.pick(VERBS)} the {draws.pick(ADJECTIVES)} {draws.pick(NOUNS)} first, then "
        f"{draws.pick(VERBS)} each {draws.pick(NOUNS)} in `{_name(draws)}` and {draws.pick(VERBS)} "
        f"the {draws.pick(NOUNS)} again."
        for _ in range(1 + draws.below(3))
    ]

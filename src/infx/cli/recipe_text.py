"""What `infx recipe show` prints of a bound recipe: aligned text, YAML, or one JSON object."""

import json
import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from infx.cli.grids import printable
from infx.flows.recipes import Shown
from infx.model.identity import recipe_digest
from infx.recipes.binding import Binding, Origin, Path, dotted
from infx.recipes.topology import facts

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_WORDS = frozenset({"null", "true", "false", "y", "n", "yes", "no", "on", "off"})
"""Words that some reader of YAML takes for something else."""


def as_text(shown: Shown, why: bool) -> str:
    """Return a heading, and a line for every leaf; with `why` its place, layer and what it hid."""
    binding = shown.binding
    lines: list[tuple[str, ...]] = []
    for path, chain in binding.origins.items():
        place, said = _place(chain[0]), shown_value(_leaf(binding, path))
        lines.append((*place, dotted(path), said + _hidden(chain)) if why else (dotted(path), said))
    for path, chain in binding.removed.items() if why else ():
        lines.append((*_place(chain[0]), dotted(path), f"removed{_hidden(chain)}"))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)][:-1]
    body = ["  ".join(_padded(line, widths)) for line in lines]
    return "\n".join([heading(shown), "", *map(printable, body)])


def heading(shown: Shown) -> str:
    """Return one line that says which recipe this is, and what it adds up to."""
    binding, point = shown.binding, shown.concurrency
    found = facts(binding.tree)
    name = f"{binding.file}:{binding.variant}" if binding.variant else binding.file
    words = [name, f"concurrency {point}" if point is not None else "no concurrency asked"]
    words += [found.engine or "no engine stated"]
    gpus = _count(found.gpus, "GPU")
    words += [f"{gpus}, {_count(found.nodes, 'node')}"]
    drafts = found.speculation
    if drafts is not None:
        length = f" {drafts.length}" if drafts.length is not None else ""
        words += [f"drafts {drafts.method}{length}"]
    words += [f"digest {recipe_digest(binding.recipe)[:12]}"]
    return printable("; ".join(words))


def _count(number: int | None, word: str) -> str:
    if number is None:
        return f"{word}s not stated"
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def as_json(shown: Shown, why: bool) -> str:
    """Return one object on one line: the tree, and with `why` the origins by dotted path."""
    binding = shown.binding
    content: dict[str, object] = {
        "file": binding.file,
        "variant": binding.variant,
        "concurrency": shown.concurrency,
        "form": binding.form,
        "recipe_digest": recipe_digest(binding.recipe),
        "tree": binding.tree,
    }
    if why:
        content["why"] = {dotted(path): _chain(chain) for path, chain in binding.origins.items()}
        content["removed"] = {dotted(path): _chain(c) for path, c in binding.removed.items()}
    return json.dumps(content)


def as_yaml(shown: Shown, why: bool) -> str:
    """Return the tree as a recipe file; with `why` each line ends in a comment with its place."""
    lines = [f"# {heading(shown)}"]
    lines += _block(shown.binding, dict(shown.binding.tree), (), why)
    if why:
        for path, chain in shown.binding.removed.items():
            place = " ".join(_place(chain[0]))
            lines.append(printable(f"# {place} removed {dotted(path)}{_hidden(chain)}"))
    return "\n".join(lines)


def shown_value(value: JsonValue) -> str:
    """Return a value as YAML writes it on one line."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


def _block(binding: Binding, node: JsonValue, path: Path, why: bool) -> Iterator[str]:
    indent = "  " * len(path)
    for key, value in _members(node):
        here = (*path, key)
        head = f"{indent}-" if isinstance(key, int) else f"{indent}{shown_value(key)}:"
        if here in binding.origins:
            chain = binding.origins[here]
            place = f"  # {' '.join(_place(chain[0]))}{_hidden(chain)}" if why else ""
            yield f"{head} {shown_value(value)}{printable(place)}"
        else:
            yield head
            yield from _block(binding, value, here, why)


def _members(node: JsonValue) -> Iterator[tuple[str | int, JsonValue]]:
    if isinstance(node, list):
        yield from enumerate(node)
    elif isinstance(node, dict):
        yield from node.items()


def _leaf(binding: Binding, path: Path) -> JsonValue:
    node: JsonValue = dict(binding.tree)
    for key in path:
        node = dict(_members(node))[key]
    return node


def _place(origin: Origin) -> tuple[str, str]:
    return origin.where, origin.layer


def _hidden(chain: Sequence[Origin]) -> str:
    """Say what the layers below wrote, the nearest first."""
    below = [f"{shown_value(one.value)} of {one.layer}, {one.where}" for one in chain[1:]]
    return f"  (hides {'; '.join(below)})" if below else ""


def _padded(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    cells = [cell.ljust(width) for cell, width in zip(line[:-1], widths, strict=True)]
    return [*cells, line[-1]]


def _chain(chain: Sequence[Origin]) -> list[dict[str, JsonValue]]:
    return [{"where": one.where, "layer": one.layer, "value": one.value} for one in chain]

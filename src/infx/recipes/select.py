"""Which variant of a file is meant at a point: exactly one, or the reason for each."""

import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.recipes.agreement import disagreements
from infx.recipes.binding import Path, dotted
from infx.recipes.merge import Branch, Leaf, Removed, lay, plain, stated
from infx.recipes.target import Parallel, Target
from infx.recipes.topology import RoleFacts, facts
from infx.recipes.variants import Variant

CONC: Path = ("benchmark", "env", "CONC")
CONCURRENCIES: Path = ("benchmark", "concurrencies")
OFFLOADING: Path = ("benchmark", "env", "KV_OFFLOADING")


def choose(candidates: Sequence[Variant], target: Target, *, file: str) -> Variant:
    """Return the only candidate that fits a point.

    A lone candidate of the v1 form need only fit the concurrency: what else it contradicts, its
    launcher overwrote (see `contradictions`). Raises InputError with the reason of each candidate
    at its line, where none or several fit.
    """
    lenient = len(candidates) == 1 and candidates[0].form == 1
    reasons = {one.selector: list(_concurrency(one, target)) for one in candidates}
    at_point = [one for one in candidates if not reasons[one.selector]]
    for one in at_point if not lenient else ():
        reasons[one.selector] += contradictions(one, target)
    fitting = [one for one in at_point if not reasons[one.selector]]
    if len(fitting) > 1:
        listed = {one.selector: list(_unlisted(one, target)) for one in fitting}
        reasons.update(listed)
        narrowed = [one for one in fitting if not listed[one.selector]]
        fitting = narrowed or fitting
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        for one in candidates if not lenient else ():
            # Left until now: a bundle has a variant for each of many concurrencies.
            reasons[one.selector] += () if one in at_point else contradictions(one, target)
        subject = "no variant fits" if len(candidates) > 1 else "the recipe does not fit"
        what = f"{subject} {_point(target)}"
        head = Problem(what, file, "ask for what a variant states, or add a variant")
        lines = [problem for one in candidates for problem in reasons[one.selector]]
        raise InputError(head, *lines)
    head = Problem(f"{len(fitting)} variants fit {_point(target)}", file, "name one: FILE:SELECTOR")
    raise InputError(head, *(_fits(one, target) for one in fitting))


def combined(variant: Variant, shared: Branch | None, removed: Removed) -> Branch:
    """Return the layers of a variant, laid over a shared block; what nulls take goes to `removed`.

    A generated job name is set last: it is made of the base's.
    """
    bottom, *upper = variant.layers
    merged = variant.defaults or Branch({})
    for layer in (shared, bottom):
        merged = lay(merged, layer, removed, keeps_null=True) if layer is not None else merged
    for layer in upper:
        merged = lay(merged, layer, removed)
    if variant.name is not None:
        merged = Branch({**merged.parts, "name": variant.name}, merged.origins, merged.sequence)
    return merged


def concurrencies(value: JsonValue) -> list[int] | None:
    """Return the concurrencies that a recipe lists as a number, a list, or text as `4x8x16`.

    None where they are written in another way.
    """
    if isinstance(value, list):
        words = [str(one) for one in value]
    else:
        words = re.split(r"[x,\s]+", str(value).strip("[] "))
    return [int(word) for word in words] if all(map(_is_count, words)) else None


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _concurrency(variant: Variant, target: Target) -> Iterator[Problem]:
    """Yield that a variant states another concurrency."""
    name = variant.selector or "the recipe"
    leaf = stated(variant.layers, CONC)
    if leaf is not None and target.concurrency is not None:
        text = leaf.text if leaf.text is not None else str(leaf.value)
        if not _is_count(text) or int(text) != target.concurrency:
            yield Problem(f"{name}: CONC is {text}", leaf.origins[0].where)


def contradictions(variant: Variant, target: Target) -> Iterator[Problem]:
    """Yield what else of a variant contradicts its row: the offloading, and sizes of roles."""
    name = variant.selector or "the recipe"
    leaf = stated(variant.layers, OFFLOADING)
    if leaf is not None and target.offload is not None:
        text = leaf.text if leaf.text is not None else str(leaf.value)
        if text != target.offload:
            yield Problem(f"{name}: KV_OFFLOADING is {text}", leaf.origins[0].where)
    if target.parallel:
        yield from _size_reasons(variant, target, name)


def _unlisted(variant: Variant, target: Target) -> Iterator[Problem]:
    """Yield that the concurrencies which a variant lists lack the asked one."""
    leaf = stated(variant.layers, CONCURRENCIES)
    listed = concurrencies(leaf.value) if leaf is not None else None
    if leaf is not None and listed is not None and target.concurrency not in (None, *listed):
        name, shown = variant.selector, "x".join(map(str, listed))
        yield Problem(f"{name}: concurrencies are {shown}", leaf.origins[0].where)


def _size_reasons(variant: Variant, target: Target, name: str) -> Iterator[Problem]:
    root = combined(variant, None, {})
    tree = plain(root)
    assert isinstance(tree, dict)
    found = facts(tree)
    for role, row in target.parallel.items():
        if role not in found.roles:
            has = ", ".join(found.roles) or "none"
            yield Problem(f"{name}: there is no role {role} (roles: {has})", variant.where)
            continue
        for what in _differences(found.roles[role], row):
            where = _where(root, ("roles", role), variant)
            yield Problem(f"{name}: roles.{role} {what}{_at(target)}", where)
    missing = [role for role in found.roles if role not in target.parallel]
    for role in missing:
        where = _where(root, ("roles", role), variant)
        yield Problem(f"{name}: the row has no role {role}{_at(target)}", where)
    for path, what in disagreements(tree, found, target) if variant.form == 2 else ():
        yield Problem(f"{name}: {what}{_at(target)}", _where(root, path, variant))


def _at(target: Target) -> str:
    return f" ({target.where})" if target.where is not None else ""


def _differences(role: RoleFacts, row: Parallel) -> Iterator[str]:
    """Yield each size in which a role contradicts its row; what either leaves open is no matter.

    Data parallelism over nodes may be written as one wide worker or as several: where the row
    counts workers, their GPUs are compared together.
    """
    wide = row.tp * row.pp * row.pcp if row.tp is not None else None
    if row.workers is not None and role.workers is not None:
        gpus = wide * row.workers if wide is not None else None
        has, of = (role.gpus * role.workers if role.gpus is not None else None), "in all"
    else:
        gpus, has, of = wide, role.gpus, "a worker"
    if None not in (gpus, has) and gpus != has:
        yield f"has {has} GPUs {of}, the row has {gpus}"
    if None not in (row.ep, role.ep) and row.ep != role.ep:
        yield f"has EP {role.ep}, the row has {row.ep}"
    if row.dp_attention is not None and row.dp_attention is not role.dp_attention:
        words = ("without", "with")
        yield f"runs {words[role.dp_attention]} DP attention, the row {words[row.dp_attention]} it"


def _where(root: Branch, path: Path, variant: Variant) -> str:
    """Return the line of what stands at `path`, or of the nearest part above that stands there."""
    where, node = variant.where, root
    for key in path:
        inner = node.parts.get(key)
        if inner is None or not inner.origins:
            break
        where = inner.origins[0].where
        if not isinstance(inner, Branch):
            break
        node = inner
    return where


def _fits(variant: Variant, target: Target) -> Problem:
    for path in (CONC, CONCURRENCIES):
        leaf: Leaf | None = stated(variant.layers, path)
        if leaf is not None and target.concurrency is not None:
            said = leaf.text if leaf.text is not None else leaf.value
            what = f"{variant.selector} fits: {dotted(path)} is {said}"
            return Problem(what, leaf.origins[0].where)
    open_ = "it states no concurrency"
    if target.concurrency is None:
        open_ = "no concurrency is asked"
    return Problem(f"{variant.selector} fits: {open_}", variant.where)


def _point(target: Target) -> str:
    words = []
    if target.concurrency is not None:
        words.append(f"concurrency {target.concurrency}")
    if target.offload is not None:
        words.append(f"KV offloading {target.offload}")
    for role, row in target.parallel.items():
        sizes = [f"TP{row.tp}" if row.tp is not None else ""]
        sizes += [f"EP{row.ep}" if row.ep is not None else ""]
        words.append(" ".join([role, *filter(None, sizes)]))
    return ", ".join(words) or "an unnamed point"

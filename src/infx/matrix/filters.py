"""Which entries and rows the filters name, and which of them left nothing."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from infx.errors import InputError, Problem, nearest
from infx.matrix.catalog import Catalog
from infx.matrix.options import SEQUENCES, Options, sequence_name
from infx.model.catalog import ConfigKey
from infx.model.sweep import Row

ORDER = (
    "config_keys",
    "model_prefix",
    "precision",
    "framework",
    "runner_type",
    "single_node",
    "multi_node",
    "scenario_type",
    "seq_lens",
    "runner_node_filter",
    "max_tp",
    "max_ep",
    "min_conc",
    "max_conc",
    "conc",
    "exp_names",
)
"""Filters in the order in which they are blamed for leaving nothing."""


def check(options: Options, catalog: Catalog) -> None:
    """Raise InputError with every flag whose value cannot mean anything for this catalog."""
    problems = [*_bad_numbers(options), *_unknown_names(options, catalog)]
    if problems:
        raise InputError(*problems)


def _bad_numbers(options: Options) -> Iterable[Problem]:
    for name in ("min_conc", "max_conc", "max_tp", "max_ep"):
        value = getattr(options, name)
        if value is not None and value < 1:
            yield Problem(f"{value} is not above 0", flag(name), "name the bound that you mean")
    for conc in options.conc:
        if conc < 1:
            yield Problem(f"{conc} is not above 0", "--conc", "name concurrencies")
    if options.step_size < 2:
        what = f"a range cannot grow by a factor of {options.step_size}"
        yield Problem(what, "--step-size", "use 2 or more")
    low, high = options.min_conc, options.max_conc
    if low is not None and high is not None and low > high:
        yield Problem(f"{low} is above --max-conc {high}", "--min-conc", "swap the two")
    twice = {name for name in options.exp_names if options.exp_names.count(name) > 1}
    for name in sorted(twice):
        yield Problem(f"{name} stands there twice", "--exp-names", "name it once")


def _unknown_names(options: Options, catalog: Catalog) -> Iterable[Problem]:
    configs = catalog.keys.values()
    for word in options.config_keys:
        if not glob(word, catalog.keys):
            yield _unknown("config_keys", "config key", word, catalog.keys)
    for word in options.model_prefix:
        if not any(key.startswith(word) for key in catalog.keys):
            prefixes = [config.model_prefix for config in configs]
            yield _unknown("model_prefix", "prefix", word, prefixes)
    known_words = {
        "precision": [config.precision for config in configs],
        "framework": [config.framework for config in configs],
        "runner_type": [*catalog.runners.labels, *(config.runner for config in configs)],
        "seq_lens": [*SEQUENCES, *(name for config in configs for name in _sequences(config))],
    }
    for name, known in known_words.items():
        for word in getattr(options, name):
            if word not in known:
                yield _unknown(name, name.replace("_", " ").removesuffix("s"), word, known)


def _sequences(config: ConfigKey) -> list[str]:
    return [sequence_name(one.isl, one.osl) for one in config.scenarios.fixed_seq_len]


def _unknown(name: str, what: str, word: str, known: Iterable[str]) -> Problem:
    return Problem(f"unknown {what} {word}", flag(name), nearest(word, dict.fromkeys(known)))


def flag(name: str) -> str:
    """Spell an option as its flag.

    >>> flag("min_conc")
    '--min-conc'
    """
    return f"--{name.replace('_', '-')}"


def glob(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that a pattern matches; `*` is any text, `?` any character.

    >>> glob("dsr1-*-h?00", ["dsr1-fp8-h200", "dsr1-fp4-b200", "dsr1-fp8-h100"])
    ['dsr1-fp8-h200', 'dsr1-fp8-h100']
    """
    if not set("*?") & set(pattern):
        return [pattern] if pattern in names else []
    wanted = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
    return [name for name in names if wanted.fullmatch(name)]


def keys(options: Options, catalog: Catalog) -> list[str]:
    """Return the catalog's keys that the filters name: in the order asked, else of the files."""
    words = options.config_keys or ("*",)
    named = dict.fromkeys(key for word in words for key in glob(word, catalog.keys))
    return [key for key in named if _wanted(key, catalog.keys[key], options)]


def _wanted(key: str, config: ConfigKey, options: Options) -> bool:
    return (
        (not options.model_prefix or key.startswith(options.model_prefix))
        and (not options.precision or config.precision in options.precision)
        and (not options.framework or config.framework in options.framework)
        and (not options.runner_type or config.runner in options.runner_type)
    )


def named(rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Return the rows of exactly these experiments; raise InputError for a name of none or several.

    Names are not unique, and whoever names an experiment means one row.
    """
    problems = []
    for name in names:
        count = sum(row.exp_name == name for row in rows)
        if count > 1:
            remedy = "narrow it down with --config-keys and --conc"
            problems.append(Problem(f"{name} names {count} rows", "--exp-names", remedy))
        elif not count:
            known = dict.fromkeys(row.exp_name for row in rows)
            problems.append(_unknown("exp_names", "experiment", name, known))
    if problems:
        raise InputError(*problems)
    return [row for row in rows if row.exp_name in names] if names else list(rows)


def added(options: Options) -> Iterable[tuple[str, Options]]:
    """Yield the options with one filter more each time, and the name of the new one."""
    growing = Options(
        step_size=options.step_size, edition=options.edition, recipe_nodes=options.recipe_nodes
    )
    default = Options()
    for name in ORDER:
        value = getattr(options, name)
        if value != getattr(default, name):
            growing = replace(growing, **{name: value})
            yield name, growing

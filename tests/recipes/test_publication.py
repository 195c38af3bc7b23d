"""What turns metrics of TensorRT-LLM behind Dynamo on and off: a table of its sources, by hand."""

from collections import Counter

import pytest

from handbound import bound
from infx.recipes.bind import bind_variant
from infx.recipes.publication import Statement, installed, knows_separate, publication_facts
from infx.recipes.target import Target
from infx.recipes.variants import select
from infx.store.recipes import read
from recipe_files import public_recipes

NEW, OLD = "1.5.1", "1.4.2"


def recipe(*, engine=None, args=None, version=None, **more):
    """Return a recipe of two roles with the same options of the engine."""
    roles = {name: {"args": args or {"max_batch_size": 8}} for name in ("prefill", "decode")}
    tree = {"roles": roles, "engine": {"type": "trtllm", **(engine or {})}, **more}
    tree.setdefault("frontend", {"type": "dynamo"})
    if version is not None:
        tree["dynamo"] = {"install": True, "version": version}
    return tree


def enabled(tree, launcher=None):
    return publication_facts(bound(tree), launcher).enabled


BOTH, ALONE = "publish_events_and_metrics", "publish_metrics"
ON, OFF = {"enable_iter_perf_stats": True}, {"enable_iter_perf_stats": False}


def test_what_containers_had_beats_what_a_recipe_asks_for_and_the_catalog_comes_last():
    tree = recipe(args=ON, version=OLD)
    shown = Statement("ai-dynamo", NEW, "run 1 packages:3")
    stated = Statement("router", NEW, "master.yaml:9")
    ask = {"launcher": "separate"}
    found = publication_facts(bound(tree), **ask, shown=shown, otherwise=stated)
    assert (found.version, found.enabled) == (shown, True)
    assert publication_facts(bound(tree), **ask, otherwise=stated).enabled is False
    bare = publication_facts(bound(recipe(args=ON)), **ask, otherwise=stated)
    assert (bare.version, bare.enabled) == (stated, True)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("v1.5.0", True), ("1.4.2", False), ("v1.3.0-deepseek-v4-dev.1", False),
        ("46520ca59afe992fb5ef61b3197b2316f8df9b2b", None), ("main", None),
    ],
)  # fmt: skip
def test_versions_of_catalogs_are_releases_or_commits(value, expected):
    assert knows_separate(Statement("router", value, "master.yaml:9")) is expected


@pytest.mark.parametrize(
    ("engine", "args", "version", "combined", "separate"),
    [
        # The earlier launcher publishes where it is told to; the later one unless it is told not
        # to, and only a new Dynamo understands it.
        ({}, ON, NEW, False, True),
        ({}, ON, OLD, False, False),
        ({}, ON, None, False, None),
        ({BOTH: False}, ON, NEW, False, True),
        ({BOTH: None}, ON, NEW, False, True),
        ({BOTH: True}, ON, NEW, True, True),
        ({BOTH: True}, ON, OLD, True, True),
        ({BOTH: True}, ON, None, True, True),
        # Where nobody states it, the later launcher turns statistics of iterations off.
        ({}, {}, NEW, False, False),
        ({BOTH: True}, {}, OLD, True, False),
        ({BOTH: True}, OFF, NEW, False, False),
        ({}, OFF, NEW, False, False),
    ],
)
def test_launchers_take_one_recipe_in_two_ways(engine, args, version, combined, separate):
    tree = recipe(engine=engine, args=args, version=version)
    assert enabled(tree, "combined") is combined
    assert enabled(tree, "separate") is separate
    assert enabled(tree) is (combined if combined is separate else None)


@pytest.mark.parametrize(
    ("alone", "both", "result"),
    [(True, None, True), (False, None, False), (False, True, True), (True, False, True)],
)
def test_a_key_that_only_the_later_launcher_takes_tells_which_one_it_is(alone, both, result):
    tree = recipe(engine={ALONE: alone, BOTH: both}, args=ON, version=NEW)
    assert enabled(tree) is result


def test_an_observed_run_collects_and_publishes_unless_the_combined_key_says_no():
    watched = {"observability": {"enabled": True}}
    assert enabled(recipe(version=NEW, **watched)) is True
    assert enabled(recipe(version=NEW, args=OFF, **watched)) is False
    off = recipe(version=NEW, engine={BOTH: False}, **watched)
    assert (enabled(off, "combined"), enabled(off, "separate"), enabled(off)) == (False, True, None)


@pytest.mark.parametrize(
    ("variables", "version", "result"),
    [
        ({"DYN_TRTLLM_PUBLISH_EVENTS_AND_METRICS": "true"}, OLD, True),
        ({"DYN_TRTLLM_PUBLISH_EVENTS_AND_METRICS": "0"}, OLD, False),
        ({"DYN_TRTLLM_PUBLISH_METRICS": "1"}, NEW, True),
        ({"DYN_TRTLLM_PUBLISH_METRICS": "1"}, OLD, False),
        ({"DYN_TRTLLM_PUBLISH_METRICS": "1"}, None, None),
        ({"DYN_TRTLLM_PUBLISH_KV_EVENTS": "1"}, NEW, False),
    ],
)
def test_a_variable_publishes_where_no_word_does(variables, version, result):
    tree = recipe(args=ON, version=version, environment=variables)
    assert enabled(tree, "combined") is result


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ('{"enable_iter_perf_stats": false}', False),
        ('{"enable_iter_perf_stats": true}', True),
        ("{'enable_iter_perf_stats': True}", None),
        ('{"max_batch_size": 4}', True),
    ],
)
def test_overrides_in_a_variable_beat_the_options(value, result):
    over = {"DYN_TRTLLM_OVERRIDE_ENGINE_ARGS": value}
    tree = recipe(engine={BOTH: True}, args=ON, environment=over)
    assert enabled(tree) is result


@pytest.mark.parametrize(
    ("words", "result"),
    [
        (["--publish-events-and-metrics"], True),
        (["--no-publish-events-and-metrics"], False),
        (["--publish-events-and-metrics", "--trtllm.enable_iter_perf_stats", "false"], False),
        (["--publish-kv-events"], False),
    ],
)
def test_words_of_a_role_are_words_of_its_command_line(words, result):
    tree = recipe(args=ON)
    for role in tree["roles"].values():
        role["extra_args"] = words
    assert enabled(tree, "combined") is result


def test_one_role_without_metrics_is_enough_and_is_named():
    tree = recipe(engine={BOTH: True}, args=ON)
    tree["roles"]["decode"]["args"] = OFF
    found = publication_facts(bound(tree))
    assert (found.enabled, found.because) == (False, "decode has enable_iter_perf_stats: false")
    assert [(one.name, one.value, one.where) for one in found.statements] == [
        ("publish_events_and_metrics", "true", "recipe.yaml:4"),
        ("prefill enable_iter_perf_stats", "true", "recipe.yaml:1"),
        ("decode enable_iter_perf_stats", "false", "recipe.yaml:2"),
    ]


@pytest.mark.parametrize("args", [{"print_iter_log": True}, {"return_perf_metrics": True}])
def test_what_only_prints_or_counts_requests_turns_nothing_on(args):
    found = publication_facts(bound(recipe(args=args, version=NEW)))
    assert (found.enabled, found.statements) == (False, ())


@pytest.mark.parametrize(
    "other",
    [
        {"engine": {"type": "sglang"}},
        {"frontend": {"type": "trtllm_serve"}},
    ],
)
def test_other_engines_and_other_routers_are_not_asked(other):
    assert publication_facts(bound({**recipe(), **other})) is None


@pytest.mark.parametrize(
    ("block", "name", "value"),
    [
        ({"install": True, "version": "1.3.1"}, "dynamo.version", "1.3.1"),
        ({"wheel": "1.4.0.dev20260807"}, "dynamo.wheel", "1.4.0.dev20260807"),
        ({"source": {"pypi": "1.5.0"}}, "dynamo.source.pypi", "1.5.0"),
        ({"hash": "4025cb6a"}, "dynamo.hash", "4025cb6a"),
        ({"version": "1.3.1", "wheel": "1.4.0"}, "dynamo.wheel", "1.4.0"),
    ],
)
def test_what_is_installed_is_what_the_recipe_installs(block, name, value):
    found = installed(bound({"dynamo": block}))
    assert (found.name, found.value) == (name, value)


@pytest.mark.parametrize("block", [{}, {"install": True}, {"install": False, "version": "1.3.1"}])
def test_what_the_image_brings_is_not_known(block):
    assert installed(bound({"dynamo": block})) is None


@pytest.mark.parametrize(
    ("name", "value", "known"),
    [
        ("dynamo.version", "1.4.2", False),
        ("dynamo.version", "1.4.0.dev20260807", False),
        ("dynamo.version", "1.5.0", True),
        ("dynamo.version", "2.0.1", True),
        ("dynamo.wheel", "1.5.0.dev20260901", None),
        ("dynamo.wheel", "1.5.0.dev20260914", True),
        ("dynamo.hash", "46520ca59afe992fb5ef61b3197b2316f8df9b2b", None),
        ("dynamo.version", "main", None),
    ],
)
def test_which_versions_publish_metrics_alone(name, value, known):
    assert knows_separate(Statement(name, value, "a.yaml:1")) is known


def test_no_public_recipe_of_this_path_publishes_iteration_metrics_by_itself():
    said, versions = Counter(), Counter()
    for path in public_recipes():
        for variant in select(document := read(path), None):
            binding = bind_variant(variant, shared=None, target=Target(), file=document.file)
            found = publication_facts(binding)
            if found is not None:
                stated = {f"{one.name.split()[-1]}={one.value}" for one in found.statements}
                said[found.enabled, *sorted(stated)] += 1
                versions[found.version and found.version.name] += 1
    assert said == {
        (False,): 57,
        (False, "enable_iter_perf_stats=true"): 18,
        (False, "publish_events_and_metrics=false"): 13,
        (False, "enable_iter_perf_stats=false"): 6,
    }
    assert versions == {None: 46, "dynamo.wheel": 19, "dynamo.version": 18, "dynamo.hash": 11}

"""Two results are compared only where their keys say so, and it is said why not elsewhere."""

from compared import KNOWN, WORKLOAD, point
from infx.curves.matching import Pair, match
from infx.model.agentic import AgenticWorkload
from infx.model.recipe import BoundRecipe
from infx.model.workload import Arrival

BARE = BoundRecipe(name="endpoint", model="m")


def changed(recipe, **fields):
    return recipe.model_copy(update=fields)


def reasons(pairs):
    return [pair.reason for pair in pairs]


def test_equal_work_at_equal_concurrency_is_a_pair_with_all_its_repetitions():
    a = [point(1), point(2), point(1, repetition=1)]
    b = [point(2), point(1)]
    assert match(a, b, assume_same_server=False) == (
        Pair((a[0], a[2]), (b[1],)),
        Pair((a[1],), (b[0],)),
    )


def test_recipes_may_differ_and_it_is_said_in_what():
    other = changed(KNOWN, flags={"x": 1}, image="sha256:1")
    (pair,) = match([point()], [point(recipe=other)], assume_same_server=False)
    assert (pair.reason, pair.notes) == (None, ("the recipes differ in image, flags",))


def test_where_it_runs_is_no_difference():
    site = KNOWN.site.model_copy(update={"job_name": "x"})
    (pair,) = match([point()], [point(recipe=changed(KNOWN, site=site))], assume_same_server=False)
    assert (pair.reason, pair.notes) == (None, ())


def test_a_bare_endpoint_needs_someones_word():
    bare = [point(recipe=BARE)]
    (pair,) = match(bare, [point()], assume_same_server=False)
    assert pair.reason == (
        "nobody stated engine, image, checkpoint, precision, hardware, gpus of a bare endpoint; "
        "vouch for it with --assume-same-server"
    )
    assert reasons(match(bare, bare, assume_same_server=True)) == [None]


def test_an_endpoint_of_which_everything_is_stated_needs_none():
    stated = changed(
        BARE, engine="e", image="i", checkpoint="c", precision="p", hardware="h", gpus=1
    )
    assert reasons(match([point(recipe=stated)], [point()], assume_same_server=False)) == [None]


def test_a_load_that_only_one_side_has():
    pairs = match([point(1), point(2)], [point(2), point(4)], assume_same_server=False)
    assert reasons(pairs) == [
        "B has no point at concurrency 1", None, "A has no point at concurrency 4"
    ]  # fmt: skip
    assert (pairs[0].b, pairs[2].a) == ((), ())
    assert pairs[2].point.concurrency == 4


def test_other_work_at_the_same_concurrency_says_what_differs():
    other = WORKLOAD.model_copy(update={"osl": 32, "dataset": "sha256:1"})
    (pair,) = match([point()], [point(workload=other)], assume_same_server=False)
    assert pair.reason == "the workloads differ: osl 16 and 32, dataset none and sha256:1"
    assert (len(pair.a), len(pair.b)) == (1, 1)


def test_another_rate_is_other_work():
    slow, fast = (
        WORKLOAD.model_copy(update={"arrival": Arrival(rate=rate), "requests": 9})
        for rate in (1.0, 2.0)
    )
    (pair,) = match([point(workload=slow)], [point(workload=fast)], assume_same_server=False)
    assert pair.reason == (
        "the workloads differ: arrival {process poisson, rate 1.0} and {process poisson, rate 2.0}"
    )


def test_two_recipes_at_one_point_are_no_side():
    two = [point(), point(recipe=changed(KNOWN, image="i"))]
    assert reasons(match(two, [point()], assume_same_server=False)) == [
        "A has several recipes at this point"
    ]


def test_where_a_run_has_several_recipes_those_of_one_kind_of_server_pair():
    """Rows of a sweep: b200 in both with another image, gb200 in A, h200 in B."""
    b200, gb200, h200 = (changed(KNOWN, hardware=name) for name in ("b200", "gb200", "h200"))
    a = [point(recipe=b200), point(recipe=gb200)]
    b = [point(recipe=h200), point(recipe=changed(b200, image="i"))]
    pairs = match(a, b, assume_same_server=False)
    assert pairs == (
        Pair((a[0],), (b[1],), None, ("the recipes differ in image",)),
        Pair((a[1],), (), "B has no such server at this point"),
        Pair((), (b[0],), "A has no such server at this point"),
    )


def test_nothing_pairs_with_nothing():
    assert match([], [], assume_same_server=False) == ()


def test_a_replay_is_no_fixed_work():
    replay = AgenticWorkload(corpus=f"sha256:{'0' * 64}")
    other = point().model_copy(update={"workload": replay, "workload_digest": "w2"})
    pairs = match([point()], [other], assume_same_server=False)
    assert reasons(pairs) == ["the workloads differ: A is fixed, B is agentic"]


def test_each_kind_of_work_looks_for_its_own_kind_first():
    """Both runs have a fixed point and a replay at one concurrency, with other seeds."""
    replay = AgenticWorkload(corpus=f"sha256:{'0' * 64}")
    again = replay.model_copy(update={"seed": 7})
    other = WORKLOAD.model_copy(update={"seed": 7})
    a = [point(), played(replay)]
    pairs = match(a, [played(again), point(workload=other)], assume_same_server=False)
    assert reasons(pairs) == [
        "the workloads differ: seed 0 and 7", "the workloads differ: seed 42 and 7",
    ]  # fmt: skip
    alone = match(a, [played(again)], assume_same_server=False)
    assert reasons(alone) == [
        "B has no point at concurrency 16", "the workloads differ: seed 42 and 7",
    ]  # fmt: skip


def played(work):
    return point().model_copy(
        update={"workload": work, "workload_digest": f"w{work.seed}", "point_id": f"p{work.seed}"}
    )

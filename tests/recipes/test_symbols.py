"""Expressions that a recipe leaves to its host."""

from infx.recipes.symbols import Dram, Host, resolve, undefined
from recipe_files import bound
from refusals import problems

RECIPE = """\
    schema: 2
    name: toy
    roles:
      agg:
        nodes: 1
        args:
          hicache-size: '@dram.per-gpu-gb'
          kv-transfer-config: '{"extra":{"cpu_bytes_to_use":"@dram.total-bytes","lazy":true}}'
          kv_cache_config: {host_cache_size: '@dram.per-gpu-bytes'}
        env:
          LMCACHE_MAX_LOCAL_CPU_SIZE: '@dram.per-gpu-gb'
          NCCL_IB_HCA: '@fabric.nccl-ib-hca'
    services:
      - name: store
        args: [--l1-size-gb, '@dram.total-gb']
"""
HOST = Host(Dram(total_gb=1731, gpus=8), {"nccl-ib-hca": "mlx5_0,mlx5_1"})


def test_expressions_stay_in_a_bound_recipe(recipe):
    found = bound(recipe(RECIPE), strict=True).recipe
    assert found.roles["agg"].args["hicache-size"] == "@dram.per-gpu-gb"
    assert found.settings["services"][0]["args"] == ["--l1-size-gb", "@dram.total-gb"]


def test_on_a_host_they_are_integers_and_digits_among_words(recipe):
    tree = resolve(bound(recipe(RECIPE)).tree, HOST)
    role = tree["roles"]["agg"]
    # 1731 GB over 8 GPUs: 216 whole GB, 216,375,000,000 bytes.
    assert role["args"] == {
        "hicache-size": 216,
        "kv-transfer-config": '{"extra":{"cpu_bytes_to_use":1731000000000,"lazy":true}}',
        "kv_cache_config": {"host_cache_size": 216375000000},
    }
    assert role["env"] == {
        "LMCACHE_MAX_LOCAL_CPU_SIZE": "216",
        "NCCL_IB_HCA": "mlx5_0,mlx5_1",
    }
    assert tree["services"][0]["args"] == ["--l1-size-gb", "1731"]


def test_what_a_host_leaves_open(recipe):
    tree = bound(recipe(RECIPE)).tree
    assert list(undefined(tree, HOST)) == []
    assert list(undefined(tree, Host())) == [
        ("@dram.per-gpu-gb", "the point has no DRAM budget"),
        ("@dram.total-bytes", "the point has no DRAM budget"),
        ("@dram.per-gpu-bytes", "the point has no DRAM budget"),
        ("@dram.per-gpu-gb", "the point has no DRAM budget"),
        ("@fabric.nccl-ib-hca", "the cluster defines no such name"),
        ("@dram.total-gb", "the point has no DRAM budget"),
    ]


def test_wrong_expressions(recipe):
    document = recipe("""\
        schema: 2
        roles:
          agg:
            nodes: 1
            args:
              a: '@dram.per-gpu-gbs'
              b: '{"size":"@dram.total"}'
              c: 'half of @dram.total-gb'
              d: '@dram'
            env:
              E: '@fabric.nccl-ib-hcas'
    """)
    assert problems(lambda: bound(document, fabric={"nccl-ib-hca": "x"})) == [
        (
            "toy.yaml:6: roles.agg.args.a: @dram.per-gpu-gbs is not defined; "
            "did you mean @dram.per-gpu-gb?"
        ),
        "toy.yaml:7: roles.agg.args.b: @dram.total is not defined; did you mean @dram.total-gb?",
        (
            "toy.yaml:8: roles.agg.args.c: @dram.total-gb stands inside a longer text; "
            "make it the whole value"
        ),
        "toy.yaml:9: roles.agg.args.d: @dram is no expression; write @dram.NAME or @fabric.NAME",
        (
            "toy.yaml:11: roles.agg.env.E: @fabric.nccl-ib-hcas is not defined; "
            "did you mean @fabric.nccl-ib-hca?"
        ),
    ]


def test_sizes_as_numbers_are_refused(recipe):
    document = recipe("""\
        schema: 2
        roles:
          agg:
            nodes: 1
            args:
              kv-transfer-config: '{"x":{"cpu_bytes_to_use_per_rank":5}}'
              extra: [--l1-size-gb=7, --l1-size-gb, 8]
              hicache-size: 100
            env:
              LMCACHE_MAX_LOCAL_CPU_SIZE: '9'
    """)
    said = [one.partition(";")[0] for one in problems(lambda: bound(document, strict=True))]
    assert said == [
        (
            "toy.yaml:6: roles.agg.args.kv-transfer-config (cpu_bytes_to_use_per_rank): "
            "the size 5 is a fact of one host"
        ),
        "toy.yaml:7: roles.agg.args.extra (--l1-size-gb): the size 7 is a fact of one host",
        "toy.yaml:7: roles.agg.args.extra (--l1-size-gb): the size 8 is a fact of one host",
        "toy.yaml:10: roles.agg.env.LMCACHE_MAX_LOCAL_CPU_SIZE: the size 9 is a fact of one host",
    ]
    assert len(bound(document).warnings) == 4

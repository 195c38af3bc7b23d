"""The older form binds as schema 2, with the lines it was written on."""

import pytest

from infx.recipes.binding import Origin
from infx.recipes.merge import plain
from infx.recipes.select import combined
from infx.recipes.variants import variants
from recipe_files import bound
from refusals import problems

OLD = """\
    name: toy
    model: {path: toy-fp4, container: sglang, precision: fp4}
    resources:
      gpu_type: gb200
      gpus_per_node: 4
      prefill_nodes: 1
      prefill_workers: 2
      gpus_per_prefill: 1
      decode_nodes: 0
      decode_workers: 1
      gpus_per_decode: 2
      decode_critical: true
      spread_workers: false
    backend:
      type: sglang
      connector: nixl
      prefill_environment: {LEVEL: 017}
      decode_environment: {SWITCH: on}
      decode_extra_args: [--x]
      kv_events_config: {prefill: true}
      sglang_config:
        prefill: {tp-size: 1}
        decode: {tp-size: 2}
    frontend: {type: sglang, orchestrator_placement: first_decode}
    benchmark: {type: sa-bench, client_placement: last_decode, concurrencies: 4x8}
    health_check: {max_attempts: 6}
"""


def test_sections_move_to_their_roles(recipe):
    binding = bound(recipe(OLD), concurrency=4)
    assert binding.form == 1
    assert binding.warnings == ()
    assert binding.tree == {
        "name": "toy",
        "model": {"path": "toy-fp4", "container": "sglang", "precision": "fp4"},
        "resources": {"gpu_type": "gb200", "gpus_per_node": 4, "spread_workers": False},
        "roles": {
            "prefill": {
                "nodes": 1,
                "workers": 2,
                "gpus": 1,
                "env": {"LEVEL": "017"},
                "kv_events": True,
                "args": {"tp-size": 1},
            },
            "decode": {
                "nodes": "colocate",
                "workers": 1,
                "gpus": 2,
                "critical": True,
                "env": {"SWITCH": "on"},
                "extra_args": ["--x"],
                "args": {"tp-size": 2},
            },
        },
        "engine": {"type": "sglang", "connector": "nixl"},
        "frontend": {"type": "sglang-router", "placement": {"node": "first_decode"}},
        "benchmark": {
            "type": "sa-bench", "placement": {"node": "last_decode"}, "concurrencies": "4x8",
        },
        "health_check": {"max_attempts": 6},
    }  # fmt: skip


def test_places_are_kept(recipe):
    origins = bound(recipe(OLD)).origins
    lines = {
        ("roles", "decode", "nodes"): 9,
        ("roles", "decode", "gpus"): 11,
        ("roles", "prefill", "env", "LEVEL"): 17,
        ("roles", "decode", "args", "tp-size"): 23,
        ("engine", "type"): 15,
        ("frontend", "placement", "node"): 24,
    }
    assert {path: origins[path][0].line for path in lines} == lines


def test_both_forms_of_one_recipe_are_one_identity(recipe):
    new = bound(recipe("""\
        schema: 2
        name: other
        model: {path: toy-fp4, container: sglang, precision: fp4}
        resources: {gpu_type: gb200, gpus_per_node: 4, spread_workers: false}
        engine: {type: sglang, connector: nixl}
        roles:
          prefill: {nodes: 1, workers: 2, gpus: 1, kv_events: true,
                    env: {LEVEL: 017}, args: {tp-size: 1}}
          decode: {nodes: colocate, workers: 1, gpus: 2, critical: true,
                   env: {SWITCH: on}, extra_args: [--x], args: {tp-size: 2}}
        frontend: {type: sglang-router, placement: {node: first_decode}}
        benchmark: {type: sa-bench, placement: {node: last_decode}}
    """)).recipe  # fmt: skip
    old = bound(recipe(OLD)).recipe
    assert new.model_dump(exclude={"name", "site"}) == old.model_dump(exclude={"name", "site"})


def test_an_engine_without_a_type_is_the_default_of_the_form(recipe):
    document = recipe("""\
        name: toy
        resources: {agg_nodes: 1, agg_workers: 1, gpus_per_agg: 4}
        backend:
          sglang_config:
            aggregated: {tensor-parallel-size: 4}
    """)
    binding = bound(document)
    assert binding.tree["engine"] == {"type": "sglang"}
    assert binding.origins["engine", "type"] == (Origin("v1 default", "toy.yaml", 3, "sglang"),)
    assert bound(recipe(OLD)).origins["engine", "type"][1].layer == "v1 default"


@pytest.mark.parametrize(("engine", "roles"), [("sglang", ["agg", "decode"]), ("vllm", ["decode"])])
def test_a_bare_true_publishes_the_events_of_its_roles(recipe, engine, roles):
    document = recipe(f"""\
        name: toy
        resources: {{agg_nodes: 1, decode_nodes: 1, prefill_nodes: 1}}
        backend:
          type: {engine}
          kv_events_config: true
          decode_environment: {{A: 1}}
          {engine}_config: {{aggregated: {{tp: 4}}}}
    """)
    found = bound(document).recipe.roles
    assert sorted(name for name, role in found.items() if role.kv_events is True) == roles


def test_groups_of_an_old_bundle_are_converted_one_by_one(recipe):
    document = recipe("""\
        base:
          name: toy
          resources: {prefill_nodes: 1, decode_nodes: 1, gpus_per_prefill: 1, gpus_per_decode: 1}
          backend:
            type: vllm
            vllm_config: {decode: {max-num-seqs: 4, block-size: 16}}
        zip_override_x:
          resources: {decode_nodes: [0, 2]}
          backend: {vllm_config: {decode: {max-num-seqs: [8, 9], block-size: null}}}
    """)
    found = [plain(combined(one, None, {})) for one in variants(document)]
    decode = [tree["roles"]["decode"] for tree in found]
    assert decode == [
        {"nodes": "colocate", "gpus": 1, "args": {"max-num-seqs": 8}},
        {"nodes": 2, "gpus": 1, "args": {"max-num-seqs": 9}},
    ]
    assert [bound(document, "zip_override_x[1]").recipe.engine] == ["vllm"]
    assert {one.form for one in variants(document)} == {1}


def test_a_null_over_a_spread_section_is_refused(recipe):
    document = recipe("""\
        base: {name: toy, backend: {type: vllm, vllm_config: {decode: {x: 1}}}}
        override_a: {backend: null}
        override_b: {backend: {vllm_config: null}}
    """)
    assert problems(lambda: bound(document)) == [
        "toy.yaml:2: override_a: a null removes all of backend; name the keys to remove",
        (
            "toy.yaml:3: override_b: a null removes all of backend.vllm_config; "
            "name the keys to remove"
        ),
    ]


def test_both_forms_in_one_file_are_refused(recipe):
    document = recipe("""\
        schema: 2
        base:
          name: toy
          roles: {agg: {nodes: 1}}
          backend: {type: sglang}
        override_a:
          resources: {agg_workers: 2}
    """)
    assert problems(lambda: bound(document)) == [
        "toy.yaml:5: backend is of the v1 form; write roles and engine",
        "toy.yaml:7: resources.agg_workers is of the v1 form; write it as roles.agg.workers",
    ]

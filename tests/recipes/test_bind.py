"""A recipe bound at a point: one variant, and the line of every leaf."""

import pytest

from infx.model.identity import recipe_digest
from infx.recipes.binding import Origin
from recipe_files import bound
from refusals import problems, refusal

BUNDLE = """\
    base:
      schema: 2
      name: toy
      engine: sglang
      resources: {gpu_type: gb200, gpus_per_node: 4}
      roles:
        agg:
          nodes: 1
          workers: 1
          gpus: 4
          args:
            tensor-parallel-size: 4
            chunked-prefill-size: 16384
            speculative-draft-attention-backend: fa4
          env:
            LEVEL: 017
            SWITCH: on
            CLOCK: 12:30:45
            DAY: 2026-08-03
            RATE: 1e3
    override_c4:
      roles: {agg: {args: {chunked-prefill-size: 8192, max-running-requests: 8}}}
      benchmark: {env: {CONC: '4'}}
    override_c20:
      roles:
        agg:
          args:
            speculative-draft-attention-backend: null
      benchmark: {env: {CONC: '20', KV_OFFLOADING: none}}
"""


def test_the_variant_of_a_concurrency(recipe):
    binding = bound(recipe(BUNDLE), concurrency=4)
    assert binding.variant == "override_c4"
    assert binding.tree["name"] == "toy_c4"
    assert binding.tree["roles"]["agg"]["args"] == {
        "tensor-parallel-size": 4,
        "chunked-prefill-size": 8192,
        "speculative-draft-attention-backend": "fa4",
        "max-running-requests": 8,
    }
    assert binding.tree["benchmark"] == {"env": {"CONC": "4"}}


def test_every_leaf_says_who_wrote_it_and_what_it_hides(recipe):
    binding = bound(recipe(BUNDLE), concurrency=4)
    assert binding.origins["roles", "agg", "args", "chunked-prefill-size"] == (
        Origin("override_c4", "toy.yaml", 22, 8192),
        Origin("base", "toy.yaml", 13, 16384),
    )
    assert binding.origins["roles", "agg", "args", "tensor-parallel-size"] == (
        Origin("base", "toy.yaml", 12, 4),
    )
    assert binding.origins["name",][0].where == "toy.yaml:3"


def test_a_null_removes_and_says_what(recipe):
    binding = bound(recipe(BUNDLE), concurrency=20)
    path = ("roles", "agg", "args", "speculative-draft-attention-backend")
    assert path not in binding.origins
    assert binding.removed == {
        path: (Origin("override_c20", "toy.yaml", 28, None), Origin("base", "toy.yaml", 14, "fa4"))
    }


def test_variables_are_what_the_author_wrote(recipe):
    binding = bound(recipe(BUNDLE), concurrency=4)
    assert binding.recipe.roles["agg"].env == {
        "LEVEL": "017",
        "SWITCH": "on",
        "CLOCK": "12:30:45",
        "DAY": "2026-08-03",
        "RATE": "1e3",
    }


def test_no_variant_fits_and_why(recipe):
    said = problems(lambda: bound(recipe(BUNDLE), concurrency=8))
    assert said == [
        "toy.yaml: no variant fits concurrency 8; ask for what a variant states, or add a variant",
        "toy.yaml:29: override_c20: CONC is 20",
        "toy.yaml:23: override_c4: CONC is 4",
    ]


def test_offloading_that_contradicts(recipe):
    said = problems(lambda: bound(recipe(BUNDLE), concurrency=20, offload="dram"))
    assert said[1:] == [
        "toy.yaml:29: override_c20: KV_OFFLOADING is none",
        "toy.yaml:23: override_c4: CONC is 4",
    ]


def test_several_variants_fit_and_why(recipe):
    document = recipe("""\
        schema: 2
        base: {name: toy, roles: {agg: {nodes: 1}}}
        override_1p1d: {x: 1}
        override_2p1d: {x: 2}
        override_c9: {benchmark: {env: {CONC: '9'}}}
    """)
    assert problems(lambda: bound(document, concurrency=480)) == [
        "toy.yaml: 2 variants fit concurrency 480; name one: FILE:SELECTOR",
        "toy.yaml:3: override_1p1d fits: it states no concurrency",
        "toy.yaml:4: override_2p1d fits: it states no concurrency",
    ]
    assert bound(document, "override_2p1d", concurrency=480).tree["x"] == 2


def test_listed_concurrencies_tell_variants_apart(recipe):
    document = recipe("""\
        schema: 2
        base: {name: toy, roles: {agg: {nodes: 1}}}
        zip_override_x: {benchmark: {concurrencies: [[4, 8], '16x32', 64]}}
    """)
    found = [bound(document, concurrency=conc).variant for conc in (8, 32, 64)]
    assert found == ["zip_override_x[0]", "zip_override_x[1]", "zip_override_x[2]"]
    assert refusal(lambda: bound(document, concurrency=5)).splitlines()[1:] == [
        "toy.yaml:3: zip_override_x[0] fits: benchmark.concurrencies is [4, 8]",
        "toy.yaml:3: zip_override_x[1] fits: benchmark.concurrencies is 16x32",
        "toy.yaml:3: zip_override_x[2] fits: benchmark.concurrencies is 64",
    ]


def test_a_lone_recipe_beside_its_list_is_a_warning(recipe):
    document = recipe("""\
        schema: 2
        name: toy
        roles: {agg: {nodes: 1}}
        benchmark:
          concurrencies: 32x64
    """)
    warnings = list(map(str, bound(document, concurrency=128).warnings))
    assert warnings[0] == "toy.yaml:5: bound at concurrency 128; the recipe lists 32x64"
    assert not any("bound at" in str(one) for one in bound(document, concurrency=64).warnings)


def test_a_shared_block_lies_under_the_fragment(recipe):
    shared = recipe("benchmark:\n  type: custom\n  command: run\nx: 1\ny: 2\n", name="lane.yaml")
    document = recipe("schema: 2\nroles: {agg: {nodes: 1}}\nx: 3\ny: null\nz: null\n")
    binding = bound(document, shared=shared)
    assert binding.tree["benchmark"] == {"type": "custom", "command": "run"}
    assert (binding.tree["x"], "y" in binding.tree, binding.tree["z"]) == (3, False, None)
    assert binding.origins["benchmark", "type"] == (
        Origin("shared block", "lane.yaml", 2, "custom"),
    )
    assert [one.where for one in binding.origins["x",]] == ["toy.yaml:3", "lane.yaml:4"]


def test_what_a_site_says_is_no_part_of_the_identity(recipe):
    text = """\
        schema: 2
        name: {name}
        engine: sglang
        slurm: {{partition: {name}, account: {name}, time_limit: '1:00:00'}}
        health_check: {{max_attempts: {number}, interval_seconds: 10}}
        model: {{path: /models/{name}}}
        roles:
          agg:
            nodes: 1
            gpus: 4
            args: {{host: {name}, port: {number}, model-path: /{name}, tp: 4}}
        benchmark: {{concurrencies: {number}, env: {{CONC: '{number}', PORT: '{number}'}}}}
    """
    one, other = (
        bound(recipe(text.format(name=name, number=number)), concurrency=number)
        for name, number in (("a", 8), ("b", 16))
    )
    assert recipe_digest(one.recipe) == recipe_digest(other.recipe)
    assert one.recipe.model_dump(exclude_defaults=True) == {
        "name": "a",
        "engine": "sglang",
        "speculative": "none",
        "disaggregated": False,
        "roles": {"agg": {"nodes": 1, "gpus": 4, "args": {"tp": 4}}},
        "settings": {"slurm": {"time_limit": "1:00:00"}},
        "site": {
            "job_name": "a",
            "partition": "a",
            "account": "a",
            "paths": {"model.path": "/models/a", "roles.agg.args.model-path": "/a"},
            "hosts": ("a",),
            "ports": {"roles.agg.args.port": 8, "benchmark.env.PORT": 8},
            "health_limit_s": 80,
        },
    }


def test_the_row_says_image_and_model(recipe):
    document = recipe("schema: 2\nname: toy\nengine: {type: vllm, connector: null}\n"
                      "roles: {agg: {nodes: 1, extra_args: [--numa, 0]}}\n")  # fmt: skip
    binding = bound(
        document, image="org/vllm:v1", model="acme/Toy", precision="fp8", offload="none"
    )
    found = binding.recipe
    assert (found.image, found.model, found.precision, found.offload) == (
        "org/vllm:v1", "acme/Toy", "fp8", "none",
    )  # fmt: skip
    assert found.settings == {"engine": {"connector": None}}
    assert found.roles["agg"].extra_args == ("--numa", "0")


def test_all_that_is_wrong_with_roles_at_once(recipe):
    document = recipe("""\
        schema: 2
        name: toy
        engine: sglang
        roles:
          agg: {nodes: colocate, workers: 0, gpus: four, arg: {}}
          prefil: {nodes: 1}
          decode:
            nodes: colocate
            engine: vllm
            sidecar: 1
            extra_args: --x
            env: {A: [1]}
    """)
    assert problems(lambda: bound(document)) == [
        "toy.yaml:5: roles.agg.nodes is 'colocate', not a number from 1, or colocate for decode",
        "toy.yaml:5: roles.agg.workers is 0, not a number from 1",
        "toy.yaml:5: roles.agg.gpus is 'four', not a number from 1",
        "toy.yaml:5: roles.agg.arg: unknown key; did you mean args?",
        "toy.yaml:6: roles.prefil is no role; did you mean prefill?",
        "toy.yaml:10: roles.decode.sidecar is no true or false",
        "toy.yaml:11: roles.decode.extra_args is no list of words",
        "toy.yaml:12: roles.decode.env.A is no text; quote it",
        (
            "toy.yaml:8: roles.decode shares the nodes of prefill, and roles.prefill has no gpus; "
            "write roles.prefill.gpus"
        ),
        (
            "toy.yaml:8: roles.decode shares the nodes of prefill, and roles.decode has no gpus; "
            "write roles.decode.gpus"
        ),
        (
            "toy.yaml:9: the engine is vllm here and sglang at toy.yaml:3; "
            "all roles of a recipe run one engine"
        ),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("schema: 2\nname: toy\n",
         "toy.yaml: the recipe has no roles; write roles.agg, or roles.prefill and roles.decode"),
        ("- 1\n", "toy.yaml:1: a recipe is a mapping"),
        ("schema: 3\nroles: {}\n", "toy.yaml:1: schema 3 is not known; known are 1, 2"),
    ],
)  # fmt: skip
def test_files_that_are_no_recipe(recipe, text, said):
    assert refusal(lambda: bound(recipe(text))) == said


def test_repeated_keys_are_shown(recipe):
    document = recipe("schema: 2\nroles: {agg: {nodes: 1}}\nname: a\nname: b\n")
    (warning,) = bound(document).warnings
    said = "toy.yaml:4: the key name stands here and on line 3; line 3 has no effect: remove it"
    assert str(warning).endswith(said)

"""`infx matrix generate` as transcripts, on a catalog of two entries."""

import json
import subprocess
import sys

import pytest

from transcript import refused

MASTER = """
toy-fp8-h200-sglang:
  image: org/sglang:v1
  model: acme/Toy
  model-prefix: toy
  precision: fp8
  framework: sglang
  runner: h200
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - {tp: 4, conc-start: 4, conc-end: 48}
      - {tp: 8, ep: 8, dp-attn: true, conc-list: [64, 128]}

toy-fp4-gb200-dynamo-sglang:
  image: org/sglang:v1
  model: acme/Toy-FP4
  model-prefix: toy
  precision: fp4
  framework: dynamo-sglang
  runner: cluster:gb200-a
  multinode: true
  disagg: true
  kv-p2p-transfer: nixl
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - conc-list: [64, 128]
        spec-decoding: mtp
        prefill: {num-worker: 1, tp: 8, ep: 8, dp-attn: true}
        decode: {num-worker: 2, tp: 8, ep: 8, dp-attn: true}
    agentic-coding:
    - dram-utilization: 0.8
      search-space:
      - conc-list: [4, 32]
        kv-offloading: dram
        kv-offload-backend: {name: hicache}
        prefill: {num-worker: 1, tp: 4, ep: 4, dp-attn: false}
        decode: {num-worker: 1, tp: 4, ep: 4, dp-attn: false}
"""
RUNNERS = """
labels:
  h200: [h200-a_0, h200-b_0]
  cluster:gb200-a: [gb200-a_0]
hardware:
  cluster:gb200-a: {available-cpu-dram-mib: 860_160, gpus-per-node: 4}
"""


@pytest.fixture(autouse=True)
def files(tmp_path):
    """Put the two files where the command looks for them."""
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "toy-master.yaml").write_text(MASTER)
    (tmp_path / "configs" / "runners.yaml").write_text(RUNNERS)


def test_the_table_has_each_entry_with_its_topologies(infx):
    said = infx("matrix", "generate")
    assert (said.code, said.err) == (0, "")
    assert (
        said.out
        == """\
toy-fp8-h200-sglang  (acme/Toy, fp8, sglang, h200)
  8k1k  tp4          4 8 16 32* 48*
  8k1k  tp8 ep8 dpa  64 128*

toy-fp4-gb200-dynamo-sglang  (acme/Toy-FP4, fp4, dynamo-sglang, cluster:gb200-a)
  8k1k     1P tp8 ep8 dpa 2D tp8 ep8 dpa  mtp                    64 128*
  agentic  1P tp4 ep4 1D tp4 ep4          kv to dram by hicache  4 32

2 entries, 10 rows, 11 points; 4 rows evaluated (*)
"""
    )


def test_json_is_one_array_of_public_rows(infx):
    said = infx("matrix", "generate", "--format", "json", "--scenario-type", "agentic-coding",
                "--conc", "32", "64", "--evals-only")  # fmt: skip
    assert (said.code, said.err) == (0, "")
    role = {"num-worker": 1, "tp": 4, "ep": 4, "dp-attn": False, "pp": 1, "dcp-size": 1,
            "pcp-size": 1}  # fmt: skip
    assert json.loads(said.out) == [
        {
            "image": "org/sglang:v1", "model": "acme/Toy-FP4", "model-prefix": "toy",
            "precision": "fp4", "framework": "dynamo-sglang", "runner": "cluster:gb200-a",
            "spec-decoding": "none", "prefill": role, "decode": role, "conc": [32],
            "kv-offloading": "dram", "kv-offload-backend": {"name": "hicache"},
            "total-cpu-dram-gb": 721, "duration": 3600,
            "exp-name": "toy_p1x4ep4_d1x4ep4_conc32_kvdram-hicache", "disagg": True,
            "scenario-type": "agentic-coding", "kv-p2p-transfer": "nixl", "run-eval": True,
            "eval-only": True, "eval-conc": 32,
        }
    ]  # fmt: skip


def test_json_is_ascii_whatever_the_files_have(infx, tmp_path):
    master = tmp_path / "configs" / "toy-master.yaml"
    master.write_text(MASTER.replace("acme/Toy\n", "acme/Tøy\n"))
    said = infx("matrix", "generate", "--format", "json", "--single-node")
    assert said.out.isascii()
    assert json.loads(said.out)[0]["model"] == "acme/Tøy"


def test_several_values_follow_one_flag(infx):
    said = infx("matrix", "generate", "--config-keys", "toy-fp4*", "toy-fp8-h200-sglang",
                "--precision", "fp4", "fp8", "--runner-type", "h200", "--conc", "4", "16",
                "--no-evals", "--runner-node-filter", "h200-a")  # fmt: skip
    assert (said.code, said.out) == (
        0,
        """\
toy-fp8-h200-sglang  (acme/Toy, fp8, sglang, h200-a_0)
  8k1k  tp4  4 16

1 entry, 2 rows, 2 points; 0 rows evaluated
""",
    )


def test_the_rules_of_october_can_be_asked_for(infx):
    said = infx("matrix", "generate", "--edition", "2026-10", "--multi-node", "--smoke")
    assert (
        said.out
        == """\
toy-fp4-gb200-dynamo-sglang  (acme/Toy-FP4, fp4, dynamo-sglang, cluster:gb200-a)
  8k1k     1P tp8 ep8 dpa 2D tp8 ep8 dpa  mtp                           64
  agentic  1P tp4 ep4 1D tp4 ep4          kv to dram by hicache         4
  8k1k     1P tp8 ep8 dpa 2D tp8 ep8 dpa  mtp                    gsm8k  (128)
  agentic  1P tp4 ep4 1D tp4 ep4          kv to dram by hicache  gsm8k  (32)

1 entry, 4 rows, 4 points; 2 rows evaluated (in brackets: only that)
"""
    )


def test_the_filter_that_leaves_nothing_is_named(infx):
    assert infx("matrix", "generate", "--precision", "fp4", "--single-node") == refused(
        2,
        "--single-node: this leaves none of the 3 rows that the filters before it leave; "
        "widen it, or drop it",
    )


def test_an_unknown_name_gets_the_nearest(infx):
    assert infx("matrix", "generate", "--framework", "dynamo-sglan") == refused(
        2, "--framework: unknown framework dynamo-sglan; did you mean dynamo-sglang?"
    )


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        (("--no-evals", "--all-evals"), "--no-evals: it contradicts --all-evals"),
        (("--no-evals", "--evals-only"), "--no-evals: it contradicts --evals-only"),
        (("--smoke", "--trim-conc"), "--smoke: it contradicts --trim-conc"),
    ],
)
def test_flags_that_contradict_each_other_are_refused(infx, flags, line):
    assert infx("matrix", "generate", *flags) == refused(2, f"{line}; use one of the two")


def test_files_are_named_or_looked_for(infx, tmp_path):
    named = infx("matrix", "generate", "--config-files", "configs/toy-master.yaml",
                 "--runner-config", "configs/runners.yaml")  # fmt: skip
    assert named == infx("matrix", "generate")
    (tmp_path / "configs" / "toy-master.yaml").unlink()
    missing = infx("matrix", "generate")
    assert (missing.code, missing.out) == (2, "")
    assert "name the files: --config-files F..." in missing.err


AGGREGATE = """
toy-fp8-b200-sglang:
  image: org/sglang:v1
  model: acme/Toy
  model-prefix: toy
  precision: fp8
  framework: dynamo-sglang
  runner: cluster:b200-a
  multinode: true
  disagg: true
  kv-p2p-transfer: nixl
  srt-recipe-dir: toy
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - &pair
        conc-list: [CONC]
        srt-recipe: RECIPE
        prefill: {num-worker: 1, tp: 8, ep: 8, dp-attn: true}
        decode: {num-worker: 1, tp: 8, ep: 8, dp-attn: true}
"""
CLUSTERS = """
labels: {"cluster:b200-a": [b200-a_0]}
clusters:
  b200-a:
    gpus-per-node: 8
    arch: x86_64
    scheduler: slurm
    slurm: {partition: batch, exclusive: true}
"""
BUNDLE = """
base:
  schema: 2
  roles:
    prefill: {nodes: 3, args: {enable-dp-attention: true}}
    decode: {nodes: 2, args: {enable-dp-attention: true}}
override_same: {benchmark: {env: {CONC: '64'}}}
override_more: {roles: {decode: {nodes: 5}}, benchmark: {env: {CONC: '128'}}}
"""


@pytest.mark.parametrize(
    ("recipe", "conc", "nodes"),
    [
        ("disagg.yaml:override_more", 128, 8),
        ("disagg.yaml:base", 64, 5),
        ("disagg.yaml", 64, 2),  # its variants do not agree, so the GPUs of the row count
    ],
)
def test_nodes_are_those_that_the_recipe_reserves(infx, tmp_path, recipe, conc, nodes):
    folder = tmp_path / "october"
    (folder / "recipes" / "toy").mkdir(parents=True)
    (folder / "recipes" / "toy" / "disagg.yaml").write_text(BUNDLE)
    (folder / "b-master.yaml").write_text(
        AGGREGATE.replace("RECIPE", recipe).replace("CONC", str(conc))
    )
    (folder / "runners.yaml").write_text(CLUSTERS)
    said = infx("matrix", "generate", "--config-files", "october/b-master.yaml", "--format", "json")
    assert (said.code, said.err) == (0, "")
    (row,) = json.loads(said.out)
    assert (row["node-count"], row["srt-recipe"]) == (nodes, f"toy/{recipe}")
    assert (row["eval-framework"], row["eval-suite"], row["eval-conc"]) == ("lm-eval", "", conc)


def test_what_a_start_need_not_wait_for_is_not_imported(tmp_path):
    script = (
        "import sys\n"
        "from infx.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "print(*sys.modules, file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    words = ("matrix", "generate", "--format", "json")
    done = subprocess.run(
        (sys.executable, "-c", script, *words),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    imported = set(done.stderr.split())
    assert "infx.matrix.expand" in imported
    assert not imported & {
        "numpy", "rich", "asyncio", "cyclopts.help", "infx.cli.tables", "infx.model.cluster",
        "infx.recipes.variants", "infx.report.columns",
    }  # fmt: skip

"""Which script launches a row that names no recipe, by the names that the public launchers make."""

import pytest

from infx.matrix.scripts import environment, script

ROW = {
    "model-prefix": "toy", "precision": "fp4", "framework": "vllm", "spec-decoding": "none",
    "tp": 8, "pp": 1, "ep": 1, "dp-attn": False, "model": "acme/toy", "image": "a/b:v1",
    "exp-name": "toy_8k1k", "isl": 8192, "osl": 1024, "max-model-len": 9472, "conc": 4,
}  # fmt: skip
AGENTIC = {name: value for name, value in ROW.items() if name not in ("isl", "osl")}
HERE = "benchmarks/single_node"


@pytest.mark.parametrize(
    ("row", "paths", "expected"),
    [
        (ROW, [f"{HERE}/fixed_seq_len/toy_fp4_b200.sh"], 0),
        (ROW, [f"{HERE}/toy_fp4_b200.sh"], 0),
        (ROW, [f"e2e/{HERE}/fixed_seq_len/toy_fp4_b200_vllm.sh"], 0),
        (ROW, [f"{HERE}/fixed_seq_len/toy_fp4_b200.sh", f"{HERE}/toy_fp4_b200_vllm.sh"], 1),
        (ROW, [f"{HERE}/toy_fp4_b200.sh", f"{HERE}/fixed_seq_len/toy_fp4_b200.sh"], 1),
        (ROW, [f"{HERE}/agentic/toy_fp4_b200.sh"], None),
        (ROW, [f"{HERE}/toy_fp4_b200_sglang.sh", f"{HERE}/toy_fp8_b200.sh"], None),
        (ROW, [f"{HERE}/toy_fp4_b200_mtp.sh"], None),
        (ROW | {"spec-decoding": "mtp"}, [f"{HERE}/toy_fp4_b200_mtp.sh"], 0),
        (ROW | {"spec-decoding": "mtp"}, [f"{HERE}/toy_fp4_b200.sh"], None),
        (ROW | {"spec-decoding": "draft_model"}, [f"{HERE}/toy_fp4_b200.sh"], 0),
        (AGENTIC, [f"{HERE}/agentic/toy_fp4_b200_vllm.sh"], 0),
        (ROW | {"prefill": {}}, ["benchmarks/multi_node/toy_fp4_b200_vllm.sh"], 0),
        (ROW | {"prefill": {}}, [f"{HERE}/toy_fp4_b200_vllm.sh"], None),
        (ROW, [f"x{HERE}/toy_fp4_b200.sh"], None),
    ],
)
def test_a_script_is_known_by_its_name(row, paths, expected):
    assert script(row, "b200", paths) == (None if expected is None else paths[expected])


def test_a_script_is_told_its_row_and_no_concurrency():
    told = environment(ROW)
    assert told["DP_ATTENTION"] == "false"
    assert (told["TP"], told["ISL"], told["IS_AGENTIC"]) == ("8", "8192", "0")
    assert told["SCENARIO_TYPE"] == "fixed-seq-len"
    assert "CONC" not in told
    assert "KV_OFFLOADING" not in told
    assert environment(AGENTIC)["IS_AGENTIC"] == "1"

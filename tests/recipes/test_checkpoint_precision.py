"""What a checkpoint stores, told by its tensors, its quantization and its configuration."""

from itertools import pairwise

import pytest

from infx.model.checkpoint import Checkpoint
from infx.model.precision import RANK, cheaper
from infx.recipes.checkpoint_precision import stored


def part(*, inside=False, configuration=None, **more):
    found = stored(Checkpoint(configuration=configuration or {}, **more), inside=inside)
    return found.precision


@pytest.mark.parametrize(
    ("quantization", "tensors", "precision"),
    [
        (None, {"BF16": 10, "F32": 1}, "bf16"),
        (None, {"F16": 10}, "fp16"),
        ({"quant_method": "fp8"}, {"F8_E4M3": 10, "BF16": 9}, "fp8"),
        ({"quant_method": "mxfp8"}, {"F8_E4M3": 10, "U8": 1}, "mxfp8"),
        ({"quant_algo": "NVFP4"}, {"U8": 10, "BF16": 15}, "nvfp4"),
        ({"format": "nvfp4-pack-quantized"}, {"U8": 10}, "nvfp4"),
        ({"quant_method": "mxfp4"}, {"U8": 10}, "mxfp4"),
        ({"quant_algo": "W4A16_AWQ"}, {"I32": 2, "BF16": 15}, "int4"),
        ({"config_groups": [{"format": "int8"}]}, {"I8": 10, "BF16": 9}, "int8"),
        (None, {"U8": 10}, None),
        (None, {"F8_E4M3": 10}, "fp8"),
        ({"quant_method": "odd"}, {"I32": 10}, None),
    ],
)
def test_most_of_the_values_decide(quantization, tensors, precision):
    assert part(quantization=quantization, tensors=tensors) == precision


def test_a_packed_element_holds_several_values():
    nvfp4 = {"quant_algo": "NVFP4"}
    assert part(quantization=nvfp4, tensors={"U8": 10, "BF16": 19}) == "nvfp4"
    assert part(quantization=nvfp4, tensors={"U8": 10, "BF16": 21}) == "bf16"


def test_without_tensors_only_an_unquantized_configuration_tells():
    assert part(configuration={"dtype": "bfloat16"}) == "bf16"
    assert part(configuration={"torch_dtype": "torch.float16"}) == "fp16"
    assert part(configuration={"dtype": "bfloat16"}, quantization={"quant_method": "x"}) is None
    assert part(configuration={"dtype": "bfloat16"}, inside=True) is None
    assert part(configuration={"dtype": "auto"}) is None


def test_a_draft_inside_is_judged_by_its_own_tensors():
    both = {"tensors": {"U8": 10, "BF16": 3}, "draft_tensors": {"BF16": 3}}
    assert part(inside=True, quantization={"quant_algo": "NVFP4"}, **both) == "bf16"
    assert part(inside=True, tensors={"BF16": 3}) is None


def test_formats_have_an_order_of_their_width():
    order = ["nvfp4", "fp8", "bf16", "fp32"]
    assert all(cheaper(a, b) for a, b in pairwise(order))
    same = [("nvfp4", "mxfp4"), ("bf16", "fp16"), ("fp8", "mxfp8")]
    assert not any(cheaper(a, b) or cheaper(b, a) for a, b in same)
    assert not any(cheaper(one, one) for one in RANK)

"""The curve of a model prefix and a way to speculate."""

import pytest

from infx.recipes.acceptance.naming import curve_name
from infx.recipes.acceptance.role import Speculation
from refusals import refusal

BLOCK = "kimik3_dspark_probabilistic_sample_method_block_rejection_sample_method"


@pytest.mark.parametrize(
    ("prefix", "method", "more", "name"),
    [
        ("qwen3.5", "mtp", {}, "qwen3.5_mtp"),
        ("qwen3.5", "eagle", {}, "qwen3.5_mtp"),
        ("glm5.2", "nextn", {}, "glm5.2_mtp"),
        ("kimik2.5", "eagle", {}, "kimik2.5_eagle3"),
        ("kimik2.5", "nextn", {}, "kimik2.5_eagle3"),
        ("minimaxm3", "eagle", {}, "minimaxm3_eagle3"),
        ("minimaxm3", "eagle3", {"draft_model": "maker/M3-Eagle3-GQA"}, "minimaxm3_eagle3_gqa"),
        ("minimaxm3", "eagle", {"draft_model": "m3-gqa"}, "minimaxm3_eagle3_gqa"),
        ("minimaxm3", "mtp", {"draft_model": "m3-gqa"}, "minimaxm3_mtp"),
        ("kimik2.5", "eagle3", {"draft_model": "k-gqa"}, "kimik2.5_eagle3"),
        ("dsv4", "dspark", {}, "dsv4-pro-0813-dspark"),
        ("dsv4", "mtp", {}, "dsv4_mtp"),
        ("dsv41flash", "dspark", {}, "dsv41flash_dspark"),
        ("kimik3", "dspark", {"sampling": "greedy"}, "kimik3_dspark"),
        ("kimik3", "dspark", {"sampling": "probabilistic"}, BLOCK),
        ("musespark", "dflash", {}, "musespark_dflash"),
    ],
)
def test_the_name_follows_the_model_and_its_head(prefix, method, more, name):
    assert curve_name(prefix, Speculation(method, 3, **more)) == name


def test_kimi_k3_must_say_how_its_draft_samples():
    for sampling, said in ((None, "is not stated"), ("typical", "is 'typical'")):
        drafted = Speculation("dspark", 3, sampling=sampling, where="k3.yaml:9")
        assert refusal(lambda drafted=drafted: curve_name("kimik3", drafted)) == (
            "k3.yaml:9: kimik3 has golden curves for greedy and probabilistic drafts, and the "
            f"draft sampling {said}; state draft_sample_method"
        )


@pytest.mark.parametrize(
    ("prefix", "method"), [("../etc", "mtp"), ("Qwen", "mtp"), ("a", "m t p"), ("a\n", "mtp")]
)
def test_a_name_that_could_leave_its_folder_is_refused(prefix, method):
    assert "is no name of a golden curve" in refusal(
        lambda: curve_name(prefix, Speculation(method, 3))
    )

"""`infx acceptance show` as transcripts."""

import json

from transcript import refused


def test_all_curves_are_one_table(infx):
    said = infx("acceptance", "show")
    assert (said.code, said.err) == (0, "")
    table, notes = said.out.split("\n\n")
    rows = {tuple(line.split()[:2]): " ".join(line.split()[2:]) for line in table.splitlines()}
    assert rows["curve", "thinking"] == "1 2 3 4 5 6 7 8"
    assert rows["qwen3.5_mtp", "off"] == "1.92 2.70 3.33 3.83 4.20 4.48 4.73 4.71"
    assert rows["musespark_dflash", "on"] == "- - - - - - 4.05 -"
    assert len(rows) == 17
    assert notes == (
        "dsv41flash_dspark is known only in part\nmusespark_dflash is known only in part\n"
    )


def test_one_curve_cites_its_run_and_its_sampling(infx):
    said = infx("acceptance", "show", "glm5.2_mtp")
    assert said.out.split("\n\n")[0] == (
        "curve     glm5.2_mtp\n"
        "model     glm-5.2-fp8\n"
        "source    https://github.com/SemiAnalysisAI/InferenceX/actions/runs/28058352479"
        " (measured there)\n"
        "measured  hardware B300, engine vllm, method mtp, dataset SPEED-Bench coding,"
        " output-len 4096\n"
        "sampling  thinking_on: temperature 1.0, top-p 0.95,"
        ' chat-template {"enable_thinking":true}'
    )
    assert said.out.splitlines()[-1].split() == ["8", "4.06"]


def test_a_partial_curve_says_what_its_run_shows(infx):
    out = infx("acceptance", "show", "musespark_dflash").out
    assert "39195111790 (used there, not measured)" in out
    assert out.endswith("known only in part: no other cell is public\n")


def test_json_has_decimals_as_text(infx):
    curves = json.loads(infx("acceptance", "show", "--format", "json").out)
    cells = {curve["name"]: curve["cells"] for curve in curves}
    assert cells["kimik2.5_eagle3"]["thinking_off"]["4"] == "3.06"
    one = json.loads(infx("acceptance", "show", "musespark_dflash", "--format", "json").out)
    assert (one["partial"], one["source"]["shows"]) == (True, "launch")


def look_up(infx, prefix, method, length, *more, thinking="on"):
    flags = ("--model-prefix", prefix, "--method", method, "--length", length)
    return infx("acceptance", "show", *flags, "--thinking", thinking, *more)


def test_the_length_of_a_draft(infx):
    said = look_up(infx, "qwen3.5", "EAGLE", 3)
    assert said.out == "3.39  qwen3.5_mtp, thinking_on, 3 draft tokens\n"
    said = look_up(infx, "minimaxm3", "eagle3", 1, "--draft-model", "m3-GQA", thinking="off")
    assert said.out == "1.83  minimaxm3_eagle3_gqa, thinking_off, 1 draft token\n"
    said = look_up(infx, "kimik3", "dspark", 7, "--draft-sample-method", "probabilistic",
                   "--format", "json")  # fmt: skip
    assert json.loads(said.out)["al"] == "3.84"


def test_a_look_up_that_finds_nothing_is_refused(infx):
    assert look_up(infx, "qwen3.5", "mtp", 9) == refused(
        2,
        "the golden curve qwen3.5_mtp has no draft length 9 with thinking_on; "
        "it has 1, 2, 3, 4, 5, 6, 7, 8",
    )
    assert look_up(infx, "glm5.2", "mtp", 3, thinking="off") == refused(
        2, "the golden curve glm5.2_mtp has no thinking_off; it has thinking_on"
    )
    assert look_up(infx, "glm5.1", "mtp", 3) == refused(
        2, "there is no golden curve glm5.1_mtp; did you mean glm5.2_mtp?"
    )
    assert look_up(infx, "kimik3", "dspark", 3) == refused(
        2,
        "kimik3 has golden curves for greedy and probabilistic drafts, and the draft sampling is "
        "not stated; state draft_sample_method",
    )
    assert look_up(infx, "../up", "mtp", 3) == refused(
        2,
        "'../up_mtp' is no name of a golden curve; a model prefix and a method have only a-z, "
        "0-9, dot, dash and underscore",
    )


def test_a_question_is_one_whole_question(infx):
    assert infx("acceptance", "show", "--method", "mtp") == refused(
        2,
        "a look-up needs --model-prefix, --method, --length, --thinking; "
        "add --model-prefix, --length, --thinking",
    )
    assert infx("acceptance", "show", "glm5.2_mtp", "--length", 3) == refused(
        2, "glm5.2_mtp: a curve and a look-up are two questions; leave the curve out, or the flags"
    )
    assert infx("acceptance", "show", "glm5.2") == refused(
        2, "there is no golden curve glm5.2; did you mean glm5.2_mtp?"
    )


def test_the_file_of_a_curve_is_checked(infx, tmp_path):
    (tmp_path / "toy_mtp.yaml").write_text(
        "toy-model:\n  thinking_on:\n    1: 1.80\n    two: 2.40\n    3: 4.10\n"
    )
    assert infx("acceptance", "show", "toy_mtp.yaml") == (
        refused(
            2,
            "toy_mtp.yaml:4: two: a draft length is a positive integer; correct it\n"
            "infx: toy_mtp.yaml:5: 3: the acceptance length 4.10 is outside 1 to 4: a step gives "
            "its own token and at most 3 accepted drafts; correct it",
        )
    )
    (tmp_path / "toy_mtp.yaml").write_text("toy-model:\n  thinking_off:\n    1: 1.80\n")
    said = infx("acceptance", "show", "./toy_mtp.yaml")
    assert said.out == (
        "curve     toy_mtp\nmodel     toy-model\nsource    not stated\n\n"
        "draft tokens  thinking_off\n           1          1.80\n"
    )

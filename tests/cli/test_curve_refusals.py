"""Each rule of a golden curve's file, as `infx acceptance show FILE` refuses what breaks it.

Every id is a rule of section 6 of the public pipeline's rules.
"""

import pytest

from transcript import refused

CURVE = "toy-model:\n  thinking_on:\n    1: 1.80\n"
CURVES = {
    "a-curve-of-two-models": (
        CURVE + CURVE.replace("toy", "own"),
        [("1: a golden curve has exactly one model, and here is toy-model, own-model; "
         "write one file for each model")],
    ),
    "a-curve-of-no-model": (
        "{}\n",
        [("1: a golden curve has exactly one model, and here is none; "
         "write one file for each model")],
    ),
    "a-length-that-is-infinite": (
        CURVE.replace("1.80", "'.inf'"),
        ["3: 1: the acceptance length is not a finite number, found .inf; correct it"],
    ),
    "a-number-that-is-infinite": (
        CURVE.replace("1.80", ".inf"),
        ["3: .inf is not a finite number; leave the value out, or quote it"],
    ),
    "a-length-that-is-no-number": (
        CURVE.replace("1.80", "'.nan'"),
        ["3: 1: the acceptance length is not a finite number, found .nan; correct it"],
    ),
    "a-length-that-is-negative": (
        CURVE.replace("1.80", "-1.80"),
        ["3: 1: the acceptance length is not a finite number, found -1.80; correct it"],
    ),
    "a-length-below-1": (
        CURVE.replace("1.80", "0.99"),
        [("3: 1: the acceptance length 0.99 is outside 1 to 2: a step gives its own token and at "
         "most 1 accepted drafts; correct it")],
    ),
    "a-length-above-every-draft": (
        CURVE.replace("1.80", "2.01"),
        [("3: 1: the acceptance length 2.01 is outside 1 to 2: a step gives its own token and at "
         "most 1 accepted drafts; correct it")],
    ),
    "a-draft-length-of-0": (
        CURVE.replace("1: 1.80", "0: 1.00"),
        ["3: 0: a draft length is a positive integer; correct it"],
    ),
    "a-draft-length-that-is-a-boolean": (
        CURVE.replace("1: 1.80", "true: 1.00"),
        ["3: true: a draft length is a positive integer; correct it"],
    ),
    "an-unknown-mode": (
        CURVE.replace("thinking_on", "thinking"),
        ["2: thinking: no thinking mode; did you mean thinking_on?"],
    ),
    "several-rules-of-a-curve": (
        CURVE.replace("    1: 1.80", "    0: 1.00\n    1: 3.00"),
        ["3: 0: a draft length is a positive integer; correct it",
         ("4: 1: the acceptance length 3.00 is outside 1 to 2: a step gives its own token and at "
         "most 1 accepted drafts; correct it")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CURVES)
def test_a_curve_that_breaks_a_rule_is_refused(infx, tmp_path, case):
    text, lines = CURVES[case]
    (tmp_path / "toy_mtp.yaml").write_text(text)
    assert infx("acceptance", "show", "toy_mtp.yaml") == refused(
        2, "\ninfx: ".join(f"toy_mtp.yaml:{line}" for line in lines)
    )


def test_a_curve_whose_name_is_not_safe(infx, tmp_path):
    (tmp_path / "Toy mtp.yaml").write_text(CURVE)
    assert infx("acceptance", "show", "Toy mtp.yaml") == refused(
        2,
        "Toy mtp.yaml: 'Toy mtp' is no name of a golden curve; "
        "use only a-z, 0-9, dot, dash and underscore",
    )

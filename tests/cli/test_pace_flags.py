"""Paces that the command line refuses before it asks any server: one line each, exit 2."""

import pytest

from transcript import refused

NOBODY = "http://127.0.0.1:9"
"""Nobody listens here: a refusal that came after a connection would read otherwise."""

ALONE = "it says nothing without a rate; give --rate or --rate-file"


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ("--rate 0", "--rate: rate 0 is not possible; use a rate above 0"),
        ("--rate 1,-2", "--rate: rate -2 is not possible; use a rate above 0"),
        ("--rate 1,x", "--rate: 'x' is no rate; use 0.5,1,2"),
        ("--rate inf", "--rate: 'inf' is no rate; use 0.5,1,2"),
        ("--rate ,", "--rate: no rate is given; use 0.5,1,2 in requests/s"),
        (
            "--rate 1 2 1",
            "--rate: rate 1 is given more than once; use --repetitions to measure again",
        ),
        (
            "--rate 1 --concurrency 2",
            (
                "--concurrency: a rate and a concurrency are two ways to pace requests; give one "
                "of them; --max-in-flight bounds what a rate may have open"
            ),
        ),
        (
            "--rate 1 --rate-file ends.csv",
            "--rate: a file of rates states them already; give one of --rate and --rate-file",
        ),
        (
            "--rate-file rates.csv",
            (
                "--rate-file: the last rate, 2.5/s, holds without an end; end the file with a "
                "rate of 0, or give --duration or --requests"
            ),
        ),
        (
            "--rate-file none.csv",
            (
                "none.csv: cannot read the rates: No such file or directory; give a file of lines: "
                "seconds rate"
            ),
        ),
        (
            "--rate-file bad.csv",
            "bad.csv:2: second 0 does not come after 0; sort the lines by time",
        ),
        ("--arrival constant", f"--arrival: {ALONE}"),
        ("--burstiness 2", f"--burstiness: {ALONE}"),
        ("--max-in-flight 2 --concurrency 4", f"--max-in-flight: {ALONE}"),
        (
            "--rate 1 --arrival gamma",
            "--arrival: gamma arrivals need a shape; give --burstiness 0.5, or another shape",
        ),
        (
            "--rate 1 --burstiness 2",
            "--burstiness: poisson arrivals have no shape; give --arrival gamma with it",
        ),
        (
            "--rate 1 --arrival gamma --burstiness 0",
            "--burstiness: shape 0 is not possible; use 0.01 to 1000; 1 is Poisson",
        ),
        ("--rate 1 --max-in-flight 0", "--max-in-flight: 0 is not possible; use 1 or more"),
        ("--ramp 0", "--ramp: '0' is no duration above 0; use 90s, 20m or 1h"),
        (
            "--rate 1 --arrival fixed",
            (
                'Invalid value "fixed" for --arrival. Choose from: "poisson", "constant", "gamma". '
                "See: infx bench --help"
            ),
        ),
    ],
)
def test_paces_that_cannot_be_kept(infx, tmp_path, flags, says):
    (tmp_path / "rates.csv").write_text("0,1\n60,2.5\n")
    (tmp_path / "ends.csv").write_text("0,1\n60,0\n")
    (tmp_path / "bad.csv").write_text("0,1\n0,2\n")
    said = infx("bench", NOBODY, *flags.split(" "))
    assert said == refused(2, says)
    assert not (tmp_path / "runs").exists()


def test_every_contradiction_of_a_pace_is_named_at_once(infx):
    flags = "--rate 0 --concurrency 2 --burstiness 5000 --max-in-flight 0"
    said = infx("bench", NOBODY, *flags.split(" "))
    assert (said.code, len(said.verdict)) == (2, 5)

"""A series of rates is read line by line, and every bad line is named at once."""

from pathlib import Path

import pytest

from infx.errors import InputError
from infx.workloads.rate_file import read_rates
from refusals import problems

FORM = 'write a line as 60,2.5 or as {"seconds": 60, "rate": 2.5}'


def read(folder: Path, text: str) -> tuple[tuple[float, float], ...]:
    path = folder / "rates"
    path.write_text(text, "utf-8")
    return read_rates(path)


def refused(folder: Path, text: str) -> list[str]:
    return [one.removeprefix(f"{folder}/") for one in problems(lambda: read(folder, text))]


@pytest.mark.parametrize(
    "text",
    [
        "0,1\n60,2.5\n90,0\n",
        "seconds,rate\n0, 1\n60, 2.5\n\n90, 0",
        "\ufeffseconds rate\r\n0 1\r\n60 2.5\r\n90 0\r\n",
        "0\t1\n60\t2.5\n90\t0\n",
        "0;1\n60;2.5\n90;0\n",
        '[0, 1]\n[60, 2.5]\n{"rate": 0, "seconds": 90}\n',
    ],
)
def test_every_form_says_the_same(tmp_path, text):
    assert read(tmp_path, text) == ((0.0, 1.0), (60.0, 2.5), (90.0, 0.0))


def test_all_bad_lines_are_named(tmp_path):
    text = '5,1\n5,2\n7,-1\nnow,3\n8\n8,1,2\n9,nan\n[9,"1"]\n[9,true]\n{"second":9,"rate":1}\n{9}\n'
    assert refused(tmp_path, text) == [
        "rates:1: the first second is 5; begin at 0, the start of the measurement",
        "rates:2: second 5 does not come after 5; sort the lines by time",
        "rates:3: rate -1 is below 0; use 0 to ask for nothing",
        f"rates:4: expected a second and a rate, found 'now,3'; {FORM}",
        f"rates:5: expected a second and a rate, found '8'; {FORM}",
        f"rates:6: expected a second and a rate, found '8,1,2'; {FORM}",
        f"rates:7: expected a second and a rate, found '9,nan'; {FORM}",
        f"rates:8: expected a second and a rate, found '[9,\"1\"]'; {FORM}",
        f"rates:9: expected a second and a rate, found '[9,true]'; {FORM}",
        f'rates:10: expected a second and a rate, found \'{{"second":9,"rate":1}}\'; {FORM}',
        f"rates:11: expected a second and a rate, found '{{9}}'; {FORM}",
    ]


@pytest.mark.parametrize(
    ("text", "says"), [("\n\n", "the file holds no rate"), ("0,0\n5,0\n", "no rate is above 0")]
)
def test_a_file_that_asks_for_nothing_is_refused(tmp_path, text, says):
    assert refused(tmp_path, text) == [f"rates: {says}; {FORM}"]


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: cannot read the rates: No such file"):
        read_rates(tmp_path / "none.csv")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="binary: not UTF-8 text"):
        read_rates(tmp_path / "binary")

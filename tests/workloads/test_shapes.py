"""A shape is a public name or two numbers; anything else is refused with the nearest name."""

import pytest

from infx.errors import InputError
from infx.workloads.shapes import shape


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("1k1k", (1024, 1024)),
        ("8k1k", (8192, 1024)),
        ("1k8k", (1024, 8192)),
        (" 8K1K ", (8192, 1024)),
        ("512x64", (512, 64)),
        ("1x1", (1, 1)),
    ],
)
def test_names_and_numbers(text, lengths):
    assert shape(text) == lengths


@pytest.mark.parametrize(
    "text", ["", "1k", "512", "512x", "x64", "-5x5", "5.0x5", "٣x٣", "9" * 5000]
)
def test_unknown_shapes_are_refused_with_the_form(text):
    with pytest.raises(InputError, match="such as 512x64"):
        shape(text)


def test_the_nearest_name_is_offered():
    with pytest.raises(InputError, match="did you mean 8k1k"):
        shape("8k1kk")


@pytest.mark.parametrize("text", ["0x64", "64x0"])
def test_no_tokens_is_no_shape(text):
    with pytest.raises(InputError, match="at least 1"):
        shape(text)

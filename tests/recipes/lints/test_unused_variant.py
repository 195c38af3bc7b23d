"""unused-variant."""

from handbound import bound, said, serving
from infx.recipes.binding import Origin

ID = "unused-variant"


def _variant(name):
    binding = bound(serving({"max-running-requests": 56}), variant=name)
    path = ("roles", "agg", "args", "max-running-requests")
    binding.origins[path] = (
        Origin(name, binding.file, 70),
        Origin("base", binding.file, 12),
    )
    return binding


def test_a_variant_that_no_point_uses():
    assert said(ID, _variant("override_c28"), used=False) == [
        (
            "70: no point uses override_c28; "
            "add its concurrency to the row of the master configuration, or remove it"
        )
    ]


def test_a_step_of_a_zip_group():
    assert said(ID, _variant("zip_override_tp[1]"), used=False) == [
        (
            "70: no point uses zip_override_tp[1]; "
            "add its concurrency to the row of the master configuration, or remove it"
        )
    ]


def test_used_or_not_known():
    assert said(ID, _variant("override_c28"), used=True) == []
    assert said(ID, _variant("override_c28")) == []


def test_a_base_or_a_plain_file_is_no_variant():
    assert said(ID, bound(serving({}), variant="base"), used=False) == []
    assert said(ID, bound(serving({})), used=False) == []

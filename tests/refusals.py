"""What a call says when it refuses its input."""

import pytest

from infx.errors import InputError


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


def problems(call):
    """Return all that is wrong, a text each."""
    with pytest.raises(InputError) as caught:
        call()
    return [str(problem) for problem in caught.value.problems]

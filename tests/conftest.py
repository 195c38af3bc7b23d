"""What tests of several rooms share."""

import os
import sys
from pathlib import Path

import pytest

from infx.errors import MachineError
from infx.flows.weights import smollm2


@pytest.fixture(scope="session")
def weights() -> Path:
    """The real model of quickstart, from INFX_TEST_CACHE or the user's cache, fetched once."""
    pytest.importorskip("xllamacpp", reason="needs infx[quickstart]")
    asked = os.environ.get("INFX_TEST_CACHE")
    cache = Path(asked) if asked else Path.home() / ".cache" / "infx"
    try:
        return smollm2(cache=cache, python=sys.executable, environment=os.environ, on_talk=print)
    except MachineError as error:
        pytest.skip(f"the weights cannot be had: {error}")

"""What tests of several rooms share."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from infx.errors import MachineError
from infx.flows.weights import smollm2
from transcript import infx

__all__ = ["infx", "weights"]

# A busy machine generates slowly, and CI must judge the same examples every time.
settings.register_profile(
    "infx",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("infx")


@pytest.fixture(scope="session")
def weights() -> Path:
    """The real model of quickstart, from INFX_TEST_CACHE or the user's cache, fetched once."""
    pytest.importorskip("xllamacpp", reason="needs infx[quickstart]")
    of_user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "infx"
    cache = Path(os.environ.get("INFX_TEST_CACHE") or of_user)
    try:
        return smollm2(cache=cache, python=sys.executable, environment=os.environ, on_talk=print)
    except MachineError as error:
        pytest.skip(f"the weights cannot be had: {error}")

"""More connections than the host allows are refused; a soft limit below it is raised."""

import resource

import pytest

from infx.cli.limits import RESERVE, raise_open_files, require_connections
from refusals import refusal


@pytest.fixture
def hard():
    """The hard limit, under a soft one of 60 that is put back afterwards."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (60, before[1]))
    yield before[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_soft_limit_becomes_the_hard_one(hard):
    assert raise_open_files() == (hard if hard != resource.RLIM_INFINITY else 1 << 30)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)


def test_lanes_that_cannot_all_be_connected_are_refused(hard):
    limit = raise_open_files()
    require_connections(limit - RESERVE)
    lanes = limit - RESERVE + 1
    assert refusal(lambda: require_connections(lanes)) == (
        f"--concurrency: concurrency {lanes} needs more open files than the {limit} that are "
        "allowed; raise the hard limit: ulimit -Hn"
    )

from datetime import timedelta

import pytest

from commented import DAY, comment
from infx.policy.commands import Reuse, Stage, newest_reuse, reuse, stage


@pytest.mark.parametrize(
    ("body", "run"),
    [
        ("/use 39195111790", 39195111790),
        ("All green.\r\n/use 12\r\n", 12),
        ("  /use   12  ", 12),
        ("/reuse-sweep-run 12", 12),
        ("/reuse-sweep-run", None),
        ("/use 12\n/reuse-sweep-run 13\n/use 14", 14),
        ("/use 12\n/reuse-sweep-run", None),
        ("/use 9223372036854775807", 9223372036854775807),
        ("```\n/use 13\n```\n/use 12", 12),
    ],
)
def test_the_last_command_that_fills_its_line_holds(body, run):
    assert reuse(body).run == run


@pytest.mark.parametrize(
    "body",
    [
        "/use",
        "please /use 12",
        "/use 12 now",
        "/use 12; rm -rf /",
        "/use $(id)",
        "/use ١٢",
        "/use １２",
        "/use 0",
        "/use 012",
        "/use -1",
        "/use 1e3",
        "/use 12345678901234567890",
        "/use\n12",
        "/use\u00a012",
        "/Use 12",
        "> /use 12",
        "```\n/use 12\n```",
        "~~~sh\n/use 12",
        "<!-- \n/use 12\n-->",
        "/use 12 <!-- not --> now",
        "/reuse-sweep-run latest",
        "",
    ],
)
def test_anything_else_is_no_command(body):
    assert reuse(body) is None


def test_a_command_says_its_line():
    assert reuse("a\n\n/use 7") == Reuse(7, 3)


@pytest.mark.parametrize(
    ("body", "order"),
    [
        ("/stage-results 12", Stage(12)),
        (" \u00a0\u3000/stage-results 12\n\n", Stage(12)),
        ("/stage-results", Stage(None)),
        ("please\n/stage-results 12", None),
        ("/stage-results 12\nthanks", None),
        ("/stage-results 12 13", None),
        ("/stage-results １２", None),
        ("/stage-results " + "1" * 20, None),
        ("/stage-results" + " " * 5000 + "1", None),
    ],
)
def test_staging_is_the_whole_comment(body, order):
    assert stage(body) == order


def test_the_newest_trusted_order_holds_across_both_names():
    later = DAY + timedelta(hours=1)
    latest = DAY + timedelta(hours=2)
    old = comment("/use 1", created=DAY)
    new = comment("/reuse-sweep-run 2", created=later)
    stranger = comment("/use 3", created=latest, association="CONTRIBUTOR")
    bot = comment("/use 4", created=latest, author_type="bot", association="OWNER")
    posing = comment("/use 5", created=latest, author="helper[bot]")
    unknown = comment("/use 6", created=latest, association=None)
    found = newest_reuse([new, old, stranger, bot, posing, unknown])
    assert found == (new, Reuse(2, 1))
    assert newest_reuse([stranger]) is None


def test_an_edit_does_not_make_an_order_newer():
    edited = comment("/use 1", edited=DAY + timedelta(days=9))
    new = comment("/use 2", created=DAY + timedelta(hours=1))
    assert newest_reuse([new, edited])[1].run == 2

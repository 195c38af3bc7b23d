"""Comments as the forge states them."""

from datetime import UTC, datetime

from infx.model.comment import Comment

DAY = datetime(2026, 10, 1, tzinfo=UTC)


def comment(body, **more):
    facts = {
        "url": "https://forge.example/1",
        "form": "comment",
        "author": "ada",
        "author_type": "user",
        "association": "MEMBER",
        "created": DAY,
    }
    return Comment(body=body, **{**facts, **more})

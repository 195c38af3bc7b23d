"""What somebody wrote in a pull request, as the forge states it."""

from datetime import datetime
from typing import Literal

from infx.model.value import Value


class Comment(Value):
    """A comment of the conversation, a review's summary, or a remark on a line of the diff.

    `author` is a login. `association` is the forge's word for what the author is to the repository
    (`MEMBER`), null where it gave none; `permission` and `role` are the author's real ones, looked
    up. `state` is a review's (`APPROVED`, `DISMISSED`). `edited` is null for an unedited one.
    """

    url: str
    form: Literal["comment", "review", "review-comment"]
    author: str
    author_type: Literal["user", "bot", "organization", "mannequin"]
    body: str
    created: datetime
    edited: datetime | None = None
    association: str | None = None
    permission: str | None = None
    role: str | None = None
    state: str | None = None

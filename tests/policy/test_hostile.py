"""Strangers' words in every fact of a submission: no check breaks, and no form obeys them."""

import json
import re
from functools import cache

import pytest
from pydantic import ValidationError

from infx.cli.verify import FORMATS
from infx.model.submission import Submission
from infx.policy.verdict_markdown import HEADERS, MARKER
from threads import judged, thread
from verdicts import HOSTILE


def leaves(value, path=()):
    """Yield the path of every text in plain data."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(one, (*path, key))


def put(value, path, words):
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = words


PROSE = {"title", "body", "value", "text", "stated", "actual", "path", "at", "because", "message"}
"""Keys of what people and files say. Where only these are spoilt, checks go on to the end."""


@cache
def spoilt(name, *, prose):
    """Return the facts of a review with hostile words after every text that may be anything."""
    facts = thread("thread-000")[1].model_dump(mode="json", exclude={"template"})
    plain = json.loads(json.dumps(facts))
    paths = [path for path in leaves(facts) if not prose or path[-1] in PROSE]
    originals = {path: text_at(plain, path) for path in paths}
    for path in paths:
        put(facts, path, f"{originals[path]}{HOSTILE[name]}")
    try:
        Submission.model_validate_json(json.dumps(facts))
    except ValidationError as error:
        for wrong in error.errors():
            for path in paths:
                if path == tuple(step for step in wrong["loc"] if step != "[key]"):
                    put(facts, path, originals[path])
    return Submission.model_validate_json(json.dumps(facts)), paths


def text_at(value, path):
    for key in path:
        value = value[key]
    return value


@pytest.mark.parametrize("prose", [True, False])
@pytest.mark.parametrize("name", HOSTILE)
def test_no_check_breaks_on_what_strangers_write(name, prose):
    submission, paths = spoilt(name, prose=prose)
    assert len(paths) > 200
    assert HOSTILE[name] in submission.pull.title
    assert HOSTILE[name] in submission.configs[0].cite.path
    assert judged(submission, "infx-1").crashes == ()


@pytest.mark.parametrize("prose", [True, False])
@pytest.mark.parametrize("name", HOSTILE)
def test_no_form_obeys_what_strangers_write(name, prose):
    submission, _ = spoilt(name, prose=prose)
    judgement = judged(submission, "infx-1")
    verdict = judgement.verdict()
    assert verdict.status == "REJECTED"
    said = {form: FORMATS[form](verdict, "ada") for form in FORMATS}
    for text in said.values():
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e]", text)
        assert "##[" not in text
    assert not [line for line in said["text"].splitlines() if line.lstrip().startswith("::")]
    starts = {line.partition(" ")[0] for line in said["github"].splitlines()}
    assert starts <= {"::error", "::warning", "::notice"}
    markdown = said["markdown"]
    assert (markdown.count(MARKER), markdown.count("</details>")) == (1, 1)
    assert set(re.findall("@[^&]", markdown)) <= {"@a"}, "only the signer is mentioned"
    assert [line for line in markdown.splitlines() if line.startswith("#")] == [HEADERS["REJECTED"]]

"""Made-up text of coding sessions."""

from itertools import islice

from infx.workloads.code_text import pieces
from infx.workloads.draws import Draws, seed_key


def written(key: str, count: int = 400) -> list[str]:
    return list(islice(pieces(Draws(seed_key(key))), count))


def test_text_follows_from_its_key_alone() -> None:
    assert written("a") == written("a")
    assert not set(written("a", 50)) & set(written("b", 50))


def test_text_is_ascii_and_of_every_kind() -> None:
    text = "".join(written("a"))
    assert text.isascii()
    for sign in (
        "\ndef ",
        "\nclass ",
        '    """',
        "\n{\n",
        " INFO [",
        "$ grep",
        "\ndef test_",
        "I will",
    ):
        assert sign in text


def test_functions_are_python() -> None:
    """What is written as code compiles, so that it looks like code to a model too."""
    functions = [one for one in written("a") if one.startswith(("def ", "class "))]
    assert len(functions) > 100
    for one in functions:
        compile(one, "made up", "exec", dont_inherit=True)

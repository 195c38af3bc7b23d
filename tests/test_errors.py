"""Advice for a name that nothing has."""

from infx.errors import nearest


def test_a_near_name_is_meant():
    assert nearest("1k1kk", ["1k1k", "8k1k"]) == "did you mean 1k1k?"


def test_without_a_near_one_some_of_what_is_known_is_listed():
    assert nearest("zzz", ["a", "b"]) == "known are a, b"
    names = [f"key-{number}" for number in range(208)]
    assert nearest("zzz", names) == f"known are {', '.join(names[:24])} and 184 more"

"""A catalog is read as a whole, and hostile YAML is refused before it costs anything."""

import gc
from pathlib import Path

import pytest

from infx.flows.catalog import load_catalog
from infx.store import tree
from judged import AUGUST, single
from refusals import refusal

ENTRY = single("conc-list: [4], tp: 4")


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write master and runner files into a folder of their own."""
    monkeypatch.chdir(tmp_path)

    def put(master=ENTRY, runners=AUGUST):
        Path("own-master.yaml").write_text(master, encoding="utf-8")
        Path("runners.yaml").write_text(runners, encoding="utf-8")

    return put


def test_files_that_nobody_names_are_found(write):
    write()
    found = load_catalog()
    assert dict(found.where) == {"toy": "own-master.yaml:1"}
    assert gc.isenabled()


def test_a_file_that_cannot_be_read_hides_nothing_of_the_others(write):
    write(runners=AUGUST.replace("860_160", "many"))
    assert refusal(
        lambda: load_catalog([Path("no.yaml"), Path("own-master.yaml")], Path("runners.yaml"))
    ) == (
        "no.yaml: the file cannot be read: No such file or directory; check the path\n"
        "runners.yaml:9: hardware.cluster:gb200-b.available-cpu-dram-mib: "
        "input should be a valid integer, found 'many'"
    )
    assert gc.isenabled()


def test_a_key_that_stands_twice_is_refused_with_both_lines(write):
    write(ENTRY + ENTRY)
    assert refusal(load_catalog) == (
        "own-master.yaml:13: the key toy stands here and on line 1; keep one of the two"
    )
    write(ENTRY.replace("  precision: fp8\n", "  precision: fp8\n  precision: fp4\n"))
    assert refusal(load_catalog) == (
        "own-master.yaml:6: the key precision stands here and on line 5; keep one of the two"
    )


def test_an_alias_bomb_is_refused_while_it_is_read(write):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    write("\n".join(lines))
    assert refusal(load_catalog) == (
        "own-master.yaml:6: the file holds more than 1000000 values once its aliases are "
        "expanded; split the file"
    )


def test_depth_and_size_are_capped(write, monkeypatch):
    write(f"toy: {'[' * tree.MAX_DEPTH}{']' * tree.MAX_DEPTH}\n")
    assert refusal(load_catalog) == (
        "own-master.yaml:1: values are nested deeper than 64 levels; flatten the file"
    )
    write()
    monkeypatch.setattr("infx.store.documents.MAX_BYTES", 64)
    assert "own-master.yaml: the file is larger than 64 bytes; split the file" in refusal(
        load_catalog
    )


def test_tags_run_nothing(write):
    write(ENTRY.replace("org/engine:v1", "!!python/object/apply:os.system [touch owned]"))
    assert "own-master.yaml:2: the tag !!python/object/apply:os.system is not known" in refusal(
        load_catalog
    )
    assert not Path("owned").exists()


@pytest.mark.parametrize("word", ["on", "no", "Yes", "off", "12:30:45", "2026-08-03"])
def test_words_that_yaml_1_1_turns_into_something_else_stay_words(write, word):
    write(ENTRY.replace("precision: fp8", f"precision: {word}"))
    assert load_catalog().keys["toy"].precision == word


def test_a_bare_number_is_no_label(write):
    write(ENTRY.replace("precision: fp8", "precision: 1e3"))
    assert refusal(load_catalog) == (
        "own-master.yaml:5: toy.precision: input should be a valid string, found 1000.0"
    )


def test_aliases_and_merges_of_a_catalog_keep_the_line_where_they_were_written(write):
    write(f"{ENTRY.replace('toy:', 'toy: &toy')}other:\n  <<: *toy\n  tpp: 3\n")
    assert refusal(load_catalog).startswith(
        "own-master.yaml:15: other.tpp: unknown key; known are image, model, model-prefix, "
    )
    write(f"{ENTRY.replace('toy:', 'toy: &toy').replace('tp: 4', 'tp: 3')}other:\n  <<: *toy\n")
    place = "scenarios.fixed-seq-len.0.search-space.0.tp: "
    fault = "a replica of 3 GPUs does not divide a node of 8; use a divisor of 8"
    assert refusal(load_catalog) == (
        f"own-master.yaml:12: toy.{place}{fault}\nown-master.yaml:12: other.{place}{fault}"
    )

"""Pages come back as they were read, whatever happens to their writer."""

import os
import shutil

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import bundled
from infx.errors import InputError, MachineError
from infx.model.scrape import Change, Miss, Page
from infx.store.bundle_audit import verify
from infx.store.bundle_reader import open_bundle
from infx.store.bundle_recovery import recover
from infx.store.samples import SampleJournal, pages, read
from infx.telemetry.engine import whole_pages
from scraped_pages import VLLM, page

CHANGED = VLLM.replace('running{engine="0"} 3', 'running{engine="0"} 9')
WORDS = st.sampled_from(["a 1", "a 2", 'b{x="y z"} 1', 'b{x="y z"} 2', "", "# HELP a 1", "c"])
TEXTS = st.lists(WORDS, max_size=5).map("\n".join)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "samples.jsonl.zst"


def written(path, *scrapes, **how):
    with SampleJournal(path, **how) as journal:
        for scrape in scrapes:
            journal.add(scrape)
    return path


def test_only_the_numbers_that_changed_are_written_again(path):
    written(path, page(VLLM, 1), page(VLLM, 2), page(CHANGED, 3))
    first, second, third = read(path)
    assert first == page(VLLM, 1)
    assert isinstance(second, Change)
    assert second.values == ()
    line = VLLM.split("\n").index('vllm:num_requests_running{engine="0"} 3')
    assert third.values == ((line, "9"),)
    assert list(pages(path)) == [first]


def test_a_page_with_other_series_is_written_whole(path):
    more = VLLM + "vllm:corrupted_requests_total 1\n"
    renamed = VLLM.replace('engine="1"', 'engine="2"')
    written(path, page(VLLM, 1), page(more, 2), page(VLLM, 3), page(renamed, 4))
    assert [type(one) for one in read(path)] == [Page] * 4


@given(texts=st.lists(st.tuples(st.sampled_from(["a", "b"]), TEXTS), max_size=8))
def test_every_page_of_every_source_comes_back(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("samples") / "samples.jsonl.zst"
    kept = [page(text, at, source) for at, (source, text) in enumerate(texts)]
    written(path, *kept)
    assert list(whole_pages(read(path))) == kept


def test_misses_and_any_zstd_tool(path):
    miss = Miss("http://a", 1, 2, "reset", "connection reset by peer")
    written(path, miss, page("up 1\n", 1))
    with path.open("rb") as file:
        lines = (
            zstandard.ZstdDecompressor()
            .stream_reader(file, read_across_frames=True)
            .readall()
            .splitlines()
        )
    assert lines[0] == (
        b'{"miss":{"source":"http://a","sent_ns":1,"received_ns":2,"reason":"reset",'
        b'"detail":"connection reset by peer"}}'
    )
    assert lines[1].startswith(b'{"page":{"source":"http://here/metrics","sent_ns":1000000000,')
    assert list(read(path)) == [miss, page("up 1\n", 1)]


def test_what_was_added_is_with_the_kernel_at_once(path):
    journal = SampleJournal(path)
    journal.add(page(VLLM, 1))
    assert list(read(path)) == [page(VLLM, 1)]
    journal.close()
    journal.close()


def test_a_journal_grows_to_its_limit_and_no_further(path):
    journal = SampleJournal(path, max_bytes=10)
    journal.add(page(VLLM, 1))
    assert not journal.full
    journal.add(page(VLLM, 2))
    assert journal.full
    journal.close()
    assert list(read(path)) == [page(VLLM, 1)]


def test_after_a_full_disk_the_file_ends_with_its_last_whole_page(path, monkeypatch):
    journal = SampleJournal(path)
    journal.add(page(VLLM, 1))
    real = os.write

    def full(descriptor, data):
        if len(data) < 20:
            raise OSError(28, "No space left on device")
        return real(descriptor, bytes(data[:-10]))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(MachineError, match="No space left on device"):
        journal.add(page(CHANGED, 2))
    monkeypatch.undo()
    journal.add(page(CHANGED, 3))
    journal.close()
    assert list(whole_pages(read(path))) == [page(VLLM, 1), page(CHANGED, 3)]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"page":{"source":"a"}}\n', "page.sent_ns is not of samples: Field required"),
        (b'{"issue":{}}\n', "is not of samples"),
        (b"{\n", "the line is not of samples"),
        (
            b'{"change":{"source":"a","sent_ns":1,"received_ns":1,"values":[[0,"1"]]}}\n',
            "no page of a before this has the changed lines",
        ),
    ],
)
def test_what_is_no_sample_is_named_with_its_line(path, line, says):
    from infx.store.frames import pack

    written(path, page("up 1\n", 1, "b"))
    with path.open("ab") as file:
        file.write(pack(line))
    with pytest.raises(InputError, match=says) as end:
        list(read(path))
    assert f"{path}:2: " in str(end.value)


def test_the_lost_page_before_a_change_is_noticed_also_by_its_length(path):
    written(path, page("up 1\n", 1, "a"))
    with SampleJournal(path) as journal:  # another writer, which knows no page yet
        journal.add(page("up 2\n", 2, "a"))
    assert [type(one) for one in read(path)] == [Page, Page]


def test_recovery_cuts_the_torn_page_and_the_audit_reads_the_others(tmp_path):
    writer = bundled.begin(tmp_path / "live", 1)
    (point,) = (tmp_path / "live").glob("*/points/*")
    written(point / "samples.jsonl.zst", page(VLLM, 1), page(CHANGED, 2))
    with (point / "samples.jsonl.zst").open("ab") as file:
        file.write(b"\x28\xb5\x2f")
    run = shutil.copytree(writer.path, tmp_path / writer.path.name)
    assert len(list(open_bundle(run).scrapes(open_bundle(run).points[0]))) == 2

    bundle = recover(run, bundled.counted)

    assert len(list(bundle.scrapes(bundle.points[0]))) == 2
    assert f"points/{point.name}/samples.jsonl.zst" in bundle.manifest.files
    assert verify(run) == ()


def test_the_audit_tells_of_samples_that_are_none(tmp_path):
    writer = bundled.begin(tmp_path / "live", 1)
    (point,) = (tmp_path / "live").glob("*/points/*")
    (point / "samples.jsonl.zst").write_bytes(b"no frame")
    bundled.finish_point(writer, 1)
    writer.close("finished", "2027-01-15T08:01:00+00:00")
    (problem,) = verify(writer.path)
    assert "the journal is not whole after byte 0" in problem.what
    assert str(problem.where).endswith("samples.jsonl.zst")


def test_a_point_without_samples_has_none(tmp_path):
    run = bundled.finished(tmp_path, 1)
    bundle = open_bundle(run)
    assert list(bundle.scrapes(bundle.points[0])) == []
    assert list(bundle.scraped_pages(bundle.points[0])) == []

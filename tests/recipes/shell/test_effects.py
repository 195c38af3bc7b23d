"""Every effect of every case, and nothing more."""

from pathlib import Path

import pytest

from infx.model.setting_registry import PackageRegistry
from infx.recipes import shell_effects
from infx.store.documents import read_yaml
from infx.store.registries import registry

CASES = read_yaml(Path(__file__).with_name("cases.yaml")).value
PACKAGES = registry(PackageRegistry)


def analyse(script, files, **known):
    return shell_effects.analyse(script, files, PACKAGES, **known)


def found(report):
    return [f"{one.line} {one.kind} {one.place} {one.target}" for one in report.effects]


@pytest.mark.parametrize("name", CASES)
def test_a_script_has_the_effects_of_its_case_and_no_more(name):
    case = CASES[name]
    report = analyse("s.sh", {"s.sh": case["script"]})
    wanted = case["effects"]
    shown = found(report)
    for at, one in enumerate(wanted):
        head, vague, part = one.partition(" ~")
        if vague and at < len(shown) and shown[at].startswith(f"{head} ") and part in shown[at]:
            shown[at] = one
    assert sorted(shown) == sorted(wanted)
    assert [f"{gap.line} {gap.kind}" for gap in report.gaps] == case.get("gaps", [])
    assumed = {one.line: " ".join(one.assumed) for one in report.effects if one.assumed}
    assert assumed == {int(line): name for line, name in case.get("assumed", {}).items()}


def test_a_default_is_no_assumption_where_the_environment_is_stated():
    script = 'touch "${T:-/opt/vllm/vllm/x.py}"'
    report = analyse("s.sh", {"s.sh": script}, environment={"T": "/tmp/x"})
    assert found(report) == ["1 write generated /tmp/x"]
    assert report.effects[0].assumed == ()


def test_what_a_script_sources_and_runs_is_followed_with_its_arguments():
    files = {
        "bench/s.sh": '. "$(dirname "$0")/lib.sh"\nfix /opt/sglang\nbash "$DIR/run.sh" /tmp\n'
        "./run.py q\n",
        "bench/lib.sh": 'fix() {\n  sed -i s/a/b/ "$1/x.py"\n}\nfix_other() { rm "$1"; }\n',
        "bench/run.sh": 'shift 0\nfor one in "$@"; do touch "$one/y"; done\n',
        "bench/run.py": 'import sys\nopen(sys.argv[1], "w")\n',
        "other/lib.sh": "rm -rf /sgl-workspace\n",
    }
    report = analyse("bench/s.sh", files)
    assert [(one.file, one.line, one.kind, one.target, one.via) for one in report.effects] == [
        ("bench/lib.sh", 2, "edit", "/opt/sglang/x.py", ("bench/s.sh:2",)),
        ("bench/run.sh", 2, "write", "/tmp/y", ("bench/s.sh:3",)),
        ("bench/run.py", 2, "write", "q", ("bench/s.sh:4",)),
    ]
    assert set(report.sha256) == set(files) - {"other/lib.sh"}
    assert report.gaps == ()


def test_functions_that_only_a_trap_names_are_followed():
    script = 'clean() { rm -f "$1" /opt/nixl/x; }\ntrap clean EXIT\n'
    assert found(analyse("s.sh", {"s.sh": script})) == [
        "1 remove unresolved ${1}",
        "1 remove engine /opt/nixl/x",
    ]


def test_a_folder_of_the_host_is_not_the_image():
    script = "touch /opt/results/x /opt/other/x"
    report = analyse("s.sh", {"s.sh": script}, mounts=("/opt/results",))
    assert found(report) == ["1 write workspace /opt/results/x", "1 write image /opt/other/x"]


def test_a_path_cannot_climb_out_of_a_harmless_folder():
    script = "cd /tmp/a\ntouch ../../opt/vllm/vllm/x.py /tmp/../usr/bin/y\n"
    assert found(analyse("s.sh", {"s.sh": script})) == [
        "2 write engine /opt/vllm/vllm/x.py",
        "2 write image /usr/bin/y",
    ]


def test_the_statement_is_known_by_its_digest_wherever_it_stands():
    one = analyse("s.sh", {"s.sh": "cat > x.py <<E\nbody\nE\n"}).effects[0]
    same = analyse("t.sh", {"t.sh": "# more\n\ncat > x.py <<E  \nbody\nE\n"}).effects[0]
    other = analyse("s.sh", {"s.sh": "cat > x.py <<E\nbody!\nE\n"}).effects[0]
    assert one.statement == same.statement != other.statement


def test_functions_that_call_themselves_end():
    script = "a() { b; touch /opt/nixl/a; }\nb() { a; }\na\n"
    assert found(analyse("s.sh", {"s.sh": script})) == ["1 write engine /opt/nixl/a"]

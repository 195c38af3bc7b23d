"""Servers of launch scripts, as recipes; lines are counted by hand."""

import pytest

from infx.model.setting_registry import PackageRegistry
from infx.recipes.script_launch import MAX_LAUNCHES, scripted
from infx.recipes.target import Target
from infx.store.registries import registry

TOLD = {"MODEL": "acme/toy", "TP": "4"}


def launches(text, **told):
    found = scripted(
        "s.sh",
        {"s.sh": text},
        registry(PackageRegistry),
        environment=TOLD | told,
        target=Target(image="acme/sglang:v1", model="acme/toy"),
    )
    return found.launches


def only(text, **told):
    (found,) = launches(text, **told)
    role = found.binding.tree["roles"][found.role]
    return found.binding.tree["engine"], found.role, role["args"], role["env"]


def open_(launch):
    return [(one.name, one.why, one.where) for one in launch.unsettled]


@pytest.mark.parametrize(
    ("command", "engine"),
    [
        ("vllm serve $MODEL", "vllm"),
        ("exec numactl -N 0 /opt/venv/bin/vllm serve $MODEL", "vllm"),
        ("python3 -m vllm.entrypoints.openai.api_server --model $MODEL", "vllm"),
        ("python -m dynamo.sglang --model $MODEL", "sglang"),
        ("trtllm-serve $MODEL", "trtllm"),
        ("mpirun -n 4 trtllm-llmapi-launch trtllm-serve $MODEL", "trtllm"),
        ("python3 -m atom.entrypoints.openai_server --model $MODEL", "atom"),
    ],
)
def test_engines_are_told_by_their_program(command, engine):
    found = only(f"{command} --port 1\n")
    assert (found[0], found[2]) == (engine, {"model": "acme/toy", "port": 1})


def test_flags_have_the_spelling_and_the_values_of_the_script():
    text = """\
    sglang serve --model-path $MODEL --tp=$TP --enable-metrics --cuda-graph-bs 1 2 4 \\
      --mem-fraction-static 0.85 -dp 2 --bias -1 --speculative-config '{"method": "mtp"}' --tp 8
    """
    assert only(text)[2] == {
        "model-path": "acme/toy",
        "tp": 8,
        "enable-metrics": True,
        "cuda-graph-bs": [1, 2, 4],
        "mem-fraction-static": 0.85,
        "dp": 2,
        "bias": -1,
        "speculative-config": '{"method": "mtp"}',
    }


def test_only_what_is_exported_or_set_for_it_reaches_a_server():
    text = "A=1\nexport B=2 C\nC=3\nexport D=4\nunset D\nE=5 vllm serve $MODEL\nexport F=6\n"
    assert only(text)[3] == {"B": "2", "C": "3", "E": "5"}


def test_a_variable_that_is_only_handed_on_is_not_settled():
    (found,) = launches("export A B= C\nvllm serve $MODEL\n", C="3")
    assert found.binding.tree["roles"]["agg"]["env"] == {"A": "${A}", "B": "", "C": "3"}
    assert open_(found) == [("A", "nobody states ${A}", "s.sh:1")]


def test_a_flag_stands_at_the_line_that_states_it():
    text = (
        'ARGS=(\n  --tp "$TP"  # sizes\n  # --tp 2\n  --port 1\n)\nvllm serve $MODEL "${ARGS[@]}"\n'
    )
    (found,) = launches(text)
    lines = {path[-1]: origins[0].line for path, origins in found.binding.origins.items()}
    assert lines == {"engine": 6, "model": 6, "tp": 2, "port": 4}
    assert {origins[0].layer for origins in found.binding.origins.values()} == {"script"}


def test_each_command_line_that_branches_allow_is_a_launch():
    text = """\
ARGS=()
case "$SPEC" in
  mtp) ARGS=(--speculative-algorithm EAGLE --speculative-num-steps 3) ;;
esac
python3 -m sglang.launch_server --tp 4 "${ARGS[@]}"
"""
    found = [one.binding.tree["roles"]["agg"]["args"] for one in launches(text)]
    assert found == [
        {"tp": 4},
        {"tp": 4, "speculative-algorithm": "EAGLE", "speculative-num-steps": 3},
    ]


def test_what_nobody_states_stays_as_it_is_written_with_the_reason():
    text = """\
export CACHE="$WHERE/x"
if test "$TP" = 4; then export MODE=a; fi
if test "$TP" = 8; then export SIZE=1; else export SIZE=2; fi
vllm serve "$PATH_OF_MODEL" --port "${PORT:-8888}" \\
  --max-num-seqs $((2 * CONC)) $EXTRA
"""
    (found,) = launches(text)
    role = found.binding.tree["roles"]["agg"]
    assert role["args"] == {"port": 8888, "max-num-seqs": "$((2 * CONC))"}
    assert role["env"] == {"CACHE": "${WHERE}/x", "MODE": "a", "SIZE": "1 or 2"}
    assert sorted(open_(found)) == [
        ("CACHE", "nobody states ${WHERE}/x", "s.sh:1"),
        ("MODE", "a branch leaves it unset", "s.sh:2"),
        ("SIZE", "it is one of 1, 2", "s.sh:3"),
        ("arguments", "nobody states ${EXTRA}", "s.sh:4"),
        ("arguments", "nobody states ${PATH_OF_MODEL}", "s.sh:4"),
        ("max-num-seqs", "it is computed: $((2 * CONC))", "s.sh:5"),
        ("port", "it is the default of PORT, which nobody states", "s.sh:4"),
    ]


def test_an_array_of_too_many_choices_is_open_where_they_are_single_words():
    choices = "".join(f"if test $Q{at}; then V{at}=0; else V{at}=1; fi\n" for at in range(4))
    flags = " ".join(f"--v{at} $V{at}" for at in range(4))
    (found,) = launches(f'{choices}ARGS=({flags} --port 1)\nvllm serve m "${{ARGS[@]}}"\n')
    args = found.binding.tree["roles"]["agg"]["args"]
    assert (args["v0"], args["port"]) == ("${one of=0 1}", 1)
    assert ("v0", "nobody states ${one of=0 1}", "s.sh:5") in open_(found)


def test_a_script_that_starts_servers_without_end_is_bounded():
    lines = "".join(f"vllm serve m --port {at} --x{at} 1\n" for at in range(400))
    found = scripted("s.sh", {"s.sh": lines}, registry(PackageRegistry),
                     environment={}, target=Target())  # fmt: skip
    assert len(found.launches) == MAX_LAUNCHES
    assert {open_(one)[-1][0] for one in found.launches} == {"arguments"}
    assert {gap.kind for gap in found.report.gaps} == {"limit"}


def test_prefill_and_decode_are_roles_of_their_own():
    text = "".join(
        f"python3 -m sglang.launch_server --tp 4 --disaggregation-mode {role} &\n"
        for role in ("prefill", "decode")
    )
    assert [one.role for one in launches(text)] == ["prefill", "decode"]


def test_routers_stores_and_clients_are_no_launches():
    text = "python3 -m sglang_router.launch_router --port 1\nmooncake_master\nvllm bench serve\n"
    assert launches(text) == ()


def test_settings_in_a_file_of_their_own_are_not_settled():
    (found,) = launches("trtllm-serve $MODEL --extra_llm_api_options /tmp/x.yaml\n")
    (one,) = open_(found)
    assert one == ("extra_llm_api_options", "its settings stand in another file", "s.sh:1")

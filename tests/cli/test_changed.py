"""`infx matrix changed`: what a change affects, by what would run."""

import json
import subprocess
import sys
from hashlib import sha256

import toy_repository
from toy_repository import RECIPE, SHARED
from transcript import Transcript, refused

MASTER = "configs/toy-master.yaml"
NONE = Transcript(0, "0 of 3 config keys changed since main\n", "")


ROW = (
    '{"recipe":null,"row":{"dcp-size":1,"disagg":false,"dp-attn":false,"ep":4,'
    '"framework":"sglang","image":"acme/sglang:v1","isl":8192,"max-model-len":9472,'
    '"model":"acme/Toy","model-prefix":"toy","osl":1024,"pcp-size":1,"pp":1,'
    '"precision":"fp8","runner":"h200","spec-decoding":"none","tp":4}}'
)
FINGERPRINT = sha256(ROW.encode()).hexdigest()


def edited(old: str, new: str, text: str = toy_repository.MASTER) -> str:
    assert old in text
    return text.replace(old, new, 1)


def keys(out: str) -> list[str]:
    return [line.partition(":")[0] for line in out.splitlines() if " points, " in line]


def test_new_and_removed_points_are_listed(repo, infx):
    repo.commit({MASTER: edited("conc-list: [4, 8]", "conc-list: [8, 16]")})
    assert infx("matrix", "changed", "--base", "main") == Transcript(
        0,
        "toy-fp8-h200-sglang: 2 -> 2 points, 1 added, 1 removed\n"
        f"+ toy_8k1k  8k1k tp4 ep4  conc 16  {FINGERPRINT[:12]}\n"
        f"- toy_8k1k  8k1k tp4 ep4  conc 4   {FINGERPRINT[:12]}\n"
        "\n"
        "1 of 3 config keys changed since main\n",
        "",
    )


def test_comments_order_and_spelling_list_nothing(repo, infx):
    text = edited("# what the toys run", "# other words")
    text = edited("image: acme/sglang:v1", "image: 'acme/sglang:v1'  # why", text)
    first, second, third = text.split("\n\n")
    recipe = edited("  # tuned", "  # better", RECIPE)
    repo.commit(
        {MASTER: "\n\n".join((third.rstrip(), first, second, "")), "recipes/toy.yaml": recipe}
    )
    assert infx("matrix", "changed", "--base", "main") == NONE


def test_an_edited_recipe_lists_its_users(repo, infx):
    recipe = edited("chunked-prefill-size: 8192", "chunked-prefill-size: 4096", RECIPE)
    repo.commit({"recipes/toy.yaml": recipe})
    found = infx("matrix", "changed", "--base", "main")
    assert keys(found.out) == ["toy-fp4-h200-sglang-agentic"]
    assert "2 -> 2 points, 2 added, 2 removed" in found.out


def test_an_edited_shared_block_lists_all_of_its_users(repo, infx):
    repo.commit({"configs/srt-recipes/agentic-single.yaml": SHARED + "  env: {A: '1'}\n"})
    assert keys(infx("matrix", "changed", "--base", "main").out) == ["toy-fp4-h200-sglang-agentic"]


def test_a_recipe_that_moves_lists_nothing(repo, infx):
    repo.git("mv", "recipes/toy.yaml", "recipes/other.yaml")
    repo.commit({MASTER: edited("srt-recipe: toy.yaml", "srt-recipe: other.yaml")})
    assert infx("matrix", "changed", "--base", "main") == NONE


def test_a_runner_more_or_less_changes_no_point(repo, infx):
    runners = edited("h200-0, h200-1]", "h200-0]", toy_repository.RUNNERS)
    repo.commit({"configs/runners.yaml": runners})
    assert infx("matrix", "changed", "--base", "main") == NONE


def test_keys_that_come_and_go_are_listed(repo, infx):
    repo.commit({MASTER: edited("toy-fp8-h200-vllm:", "toy-fp8-h200-vllm-2:")})
    out = infx("matrix", "changed", "--base", "main").out
    assert "toy-fp8-h200-vllm-2: 0 -> 2 points, 2 added, 0 removed\n" in out
    assert "toy-fp8-h200-vllm: 2 -> 0 points, 0 added, 2 removed\n" in out
    assert out.endswith("2 of 4 config keys changed since main\n")


def test_anchors_make_no_difference(repo, infx):
    shared = edited("model: acme/Toy", "model: &toy acme/Toy")
    shared = shared.replace("model: acme/Toy", "model: *toy")
    repo.commit({MASTER: shared})
    assert infx("matrix", "changed", "--base", "main") == NONE


def test_uncommitted_edits_count_when_they_are_asked_for(repo, infx):
    repo.write({MASTER: edited("tp: 2", "tp: 4")})
    (repo.root / "configs/other-master.yaml").write_text(
        toy_repository.MASTER[toy_repository.MASTER.index("toy-fp8-h200-vllm:") :].replace(
            "-vllm:", "-new:"
        )
    )
    assert infx("matrix", "changed", "--base", "main") == Transcript(
        0,
        NONE.out,
        f"infx: {MASTER}: edits that are not committed are not looked at; see --worktree\n",
    )
    found = infx("matrix", "changed", "--base", "main", "--worktree")
    assert keys(found.out) == ["toy-fp8-h200-new", "toy-fp8-h200-vllm"]
    assert found.err == ""


def test_what_others_changed_on_the_base_is_not_ours(repo, infx):
    repo.commit({MASTER: edited("tp: 2", "tp: 4")})
    repo.git("checkout", "-q", "main")
    repo.commit({MASTER: edited("tp: 8", "tp: 4")})
    repo.git("checkout", "-q", "topic")
    assert keys(infx("matrix", "changed", "--base", "main").out) == ["toy-fp8-h200-vllm"]


def test_json_has_whole_fingerprints(repo, infx):
    repo.commit({MASTER: edited("conc-list: [4, 8]", "conc-list: [8]")})
    found = infx("matrix", "changed", "--base", "main", "--json", "--config-files", MASTER)
    point = {
        "exp-name": "toy_8k1k",
        "shape": "8k1k tp4 ep4",
        "conc": 4,
        "fingerprint": FINGERPRINT,
    }
    assert json.loads(found.out) == {
        "base": "main",
        "config-keys": 3,
        "changed": [
            {
                "config-key": "toy-fp8-h200-sglang",
                "base-points": 2,
                "head-points": 1,
                "added": [],
                "removed": [point],
            }
        ],
        "errors": [],
    }
    assert infx("matrix", "changed", "--base", "main", "--format", "json") == found


def test_markdown_shows_a_difference(repo, infx):
    repo.commit({MASTER: edited("conc-list: [4, 8]", "conc-list: [8]")})
    out = infx("matrix", "changed", "--base", "main", "--format", "markdown").out
    assert out == (
        "- toy-fp8-h200-sglang: 2 -\\> 1 points, 0 added, 1 removed\n\n"
        f"```diff\n- toy_8k1k  8k1k tp4 ep4  conc 4  {FINGERPRINT[:12]}\n```\n\n"
        "1 of 3 config keys changed since main\n"
    )


def test_a_base_that_cannot_be_read_is_named_by_line_and_its_points_are_new(repo, infx):
    repo.git("checkout", "-q", "main")
    base = repo.commit({MASTER: edited("tp: 2", "tp: two")})[:12]
    repo.git("checkout", "-q", "-b", "fix")
    repo.commit({MASTER: toy_repository.MASTER})
    found = infx("matrix", "changed", "--base", "main")
    assert found.code == 0
    assert "toy-fp8-h200-vllm: unreadable -> 2 points, 2 added, 0 removed\n" in found.out
    assert f"infx: {base}:{MASTER}:48: " in found.err


def test_a_head_that_cannot_be_read_is_an_error(repo, infx):
    repo.commit({MASTER: edited("tp: 2", "tp: two")})
    found = infx("matrix", "changed", "--base", "main")
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"infx: {MASTER}:48: ")


def test_a_recipe_nobody_has_is_said(repo, infx):
    repo.commit({MASTER: edited("srt-recipe: toy.yaml", "srt-recipe: gone.yaml")})
    found = infx("matrix", "changed", "--base", "main")
    assert keys(found.out) == ["toy-fp4-h200-sglang-agentic"]
    assert found.err == (
        "infx: configs/srt-recipes, recipes: 1 recipe is named and not in the repository: "
        "gone.yaml; "
        "what they say is not compared; --recipe-root names their folder\n"
    )


def test_an_unknown_base_and_a_missing_catalog_are_refused(repo, infx):
    assert infx("matrix", "changed", "--base", "origin/main") == refused(
        2,
        f"{repo.root}: no commit is called 'origin/main' here; git branch --all lists what is here",
    )
    repo.git("rm", "-q", "-r", "configs")
    repo.git("commit", "-q", "-m", "none")
    repo.git("branch", "-f", "main")
    assert infx("matrix", "changed", "--base", "main") == refused(
        2,
        ".: no *-master.yaml in ., configs, catalog, inferencex-e2e/configs; "
        "name them: --config-files --runner-config",
    )
    assert infx("matrix", "changed", "--base", "main", "--config-files", "no.yaml").err == (
        "infx: no.yaml: neither side has such a file; "
        "commit it, or look at the work tree with --worktree\n"
        "infx: runners.yaml: neither side has such a file; "
        "commit it, or look at the work tree with --worktree\n"
    )


def test_the_module_of_the_public_name_does_the_same(repo):
    repo.commit({MASTER: edited("tp: 2", "tp: 4")})
    done = subprocess.run(
        (sys.executable, "-m", "infx.matrix.changed", "--base", "main"),
        cwd=repo.root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert keys(done.stdout) == ["toy-fp8-h200-vllm"]

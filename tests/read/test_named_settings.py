"""Settings that changed lines name: what a program reads of what it was given, options and variables, and nothing around."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from daybreak.core.git_program import Git
from daybreak.findings.blobs import SurfaceCache
from daybreak.findings.diff import hunks
from daybreak.findings.named_settings import MOST, known_settings, named_settings, setting_lines
from daybreak.findings.trees import GitTrees
from gitrepo import GitRepo, clean_environment

PATCH = """@@ -1,3 +1,3 @@
 around = args.not_changed
-size = server_args.chunked_prefill_size
+size = max(self.config.chunked_prefill_size, int(os.environ["ENGINE_LEAST"]))
+log("set --chunked-prefill-size, or leave it", own.name_of_mine)
"""


def test_changed_lines_name_options_variables_and_what_is_read_of_settings() -> None:
    assert named_settings(hunks(PATCH)) == ("chunked_prefill_size", "ENGINE_LEAST", "--chunked-prefill-size")


def test_a_change_of_very_many_keeps_the_first_ones() -> None:
    lines = "\n".join(f"+AN_NAME_{n:03}" for n in range(MOST + 9))
    assert len(named_settings(hunks(f"@@ -0,0 +1,{MOST + 9} @@\n{lines}\n"))) == MOST


def test_a_known_setting_counts_by_its_bare_name_when_that_is_nobody_elses() -> None:
    known = {"chunked_prefill_size", "page_size"}
    patch = "@@ -1 +1,3 @@\n-# as chunked_prefill_size has it\n+if self.chunked_prefill_size > page_size:\n+    chunked_prefill_size(1)\n"
    assert named_settings(hunks(patch), known) == ("chunked_prefill_size",), "two words are a name of many things"
    assert named_settings(hunks("@@ -0,0 +1 @@\n+own_chunked_prefill_size = a_local_name\n"), known) == ()


DECIDES = """@@ -1,4 +1,9 @@
+# The graph was sized before the division. Clamp it
+# to the chunked_prefill_size of one rank.
+own = self.chunked_prefill_size
+log(f'adjusted to {self.chunked_prefill_size}', '')
+if graph.max_bs > self.chunked_prefill_size:
+    graph.max_bs = self.chunked_prefill_size
-limit = self.args.context_length
+limit = args.context_length
+say("set --page-size-of-cache, or leave it")
-rows = fill(args.row_count_of_all)
-graph.max_bs = 8
"""


def test_of_each_setting_the_line_is_kept_that_decides_and_what_is_moved_or_only_said_decides_nothing() -> None:
    found, known = hunks(DECIDES), {"chunked_prefill_size", "context_length", "row_count_of_all"}
    lines = {one.name: one for one in setting_lines([("a.py", found)], named_settings(found, known), known)}
    takes = lines["chunked_prefill_size"]
    assert (takes.does, takes.target, takes.path, takes.line) == ("take", "graph.max_bs", "a.py", 6)
    assert takes.text == "graph.max_bs = self.chunked_prefill_size"
    assert takes.says == "Clamp it to the chunked_prefill_size of one rank."
    assert (lines["row_count_of_all"].does, lines["row_count_of_all"].side) == ("take", "-")
    idle = {name: one.does for name, one in lines.items() if not one.decides}
    assert idle == {"context_length": "moved", "--page-size-of-cache": "named"}


COPIED = """@@ -1,2 +1,12 @@
+def chosen(model):
+    size = model.args.chunked_prefill_size
+    held = model.args.context_length
+    if (
+        size is None
+        or not 1 <= size <= 8192
+        or model.kind != "x"
+    ):
+        return
+def other(size):
+    limit.least = size
 end
"""


def test_a_setting_that_is_only_copied_is_told_by_the_condition_that_its_copy_decides() -> None:
    found, known = hunks(COPIED), {"chunked_prefill_size", "context_length"}
    lines = {one.name: one for one in setting_lines([("a.py", found)], named_settings(found, known), known)}
    asks = lines["chunked_prefill_size"]
    assert (asks.does, asks.line, asks.text) == ("ask", 6, "or not 1 <= size <= 8192"), (
        "with a value before one without"
    )
    assert asks.says == "size = model.args.chunked_prefill_size", "so that a reader knows what the copy is"
    assert lines["context_length"].does == "use", "nothing is decided by this copy"


def test_a_constant_is_no_setting_and_a_variable_of_the_environment_is_one() -> None:
    found = hunks('@@ -0,0 +1,2 @@\n+if BLOCK_SIZE_M > 8:\n+if int(os.environ["ENGINE_LEAST"]) > 8:\n')
    lines = setting_lines([("a.py", found)], named_settings(found))
    assert [(one.name, one.does, one.line) for one in lines] == [("ENGINE_LEAST", "ask", 2)]


def test_a_variable_that_only_comments_name_decides_nothing() -> None:
    found = hunks("@@ -0,0 +1,2 @@\n+# Set ENGINE_USE_FAST in the environment.\n+fill(rows)\n")
    lines = setting_lines([("a.py", found)], named_settings(found))
    assert [(one.name, one.does, one.decides) for one in lines] == [("ENGINE_USE_FAST", "named", False)]


def test_a_comment_is_taken_from_the_hunk_of_its_line_though_another_has_the_same_line() -> None:
    line = "+graph.rows = self.chunked_prefill_size"
    patch = f"@@ -1 +1,2 @@\n+fill()\n{line}\n@@ -9 +9,2 @@\n+# Old chunked_prefill_size.\n{line}\n"
    known = {"chunked_prefill_size"}
    (one,) = setting_lines([("a.py", hunks(patch))], tuple(known), known)
    assert (one.line, one.says) == (2, "")


@pytest.mark.parametrize(
    ("before", "after", "does"),
    [
        ("get_global_args().page_rows", "get_args().page_rows", "moved"),
        ("self.args.page_rows", "get_args().page_rows", "moved"),
        ("get_args().page_rows", "page_rows", "moved"),
        ("get_args().page_rows", "2 * get_args().page_rows", "take"),
    ],
)
def test_a_setting_that_is_read_from_another_holder_decides_what_it_did(before: str, after: str, does: str) -> None:
    found, known = hunks(f"@@ -1 +1 @@\n-rows.size = {before}\n+rows.size = {after}\n"), {"page_rows"}
    (one,) = setting_lines([("a.py", found)], tuple(known), known)
    assert one.does == does


def test_many_lines_that_name_settings_take_time_by_their_number() -> None:
    def seconds(count: int) -> float:
        body = "".join(f"+own.v{n} = self.chunked_prefill_size_{n}\n" for n in range(count))
        found, known = hunks(f"@@ -0,0 +1,{count} @@\n{body}"), {f"chunked_prefill_size_{n}" for n in range(60)}
        begun = process_time()
        assert len(setting_lines([("a.py", found)], tuple(known), known)) == 60
        return process_time() - begun

    assert seconds(4000) < 16 * max(seconds(1000), 0.01)


def test_what_a_tree_takes_is_read_from_its_parsers_and_from_fields_that_become_flags(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "engine")
    files = {
        "engine/args.py": "class ServerArgs:\n    chunked_prefill_size: A[int, 'help'] = 8\n",
        "engine/run.py": 'parser.add_argument(\n    "--max-model-len", type=int)\n',
        "tests/run.py": 'parser.add_argument("--only-of-tests")\n',
    }
    sha = repo.commit("Take settings", files)
    trees = GitTrees(Git(clean_environment(tmp_path)), repo.path)
    assert known_settings(trees, sha, SurfaceCache()) == {"chunked_prefill_size", "max_model_len"}
    assert known_settings(trees, "0" * 40, SurfaceCache()) == known_settings(None, sha, SurfaceCache()) == frozenset()

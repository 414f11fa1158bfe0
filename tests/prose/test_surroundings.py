"""What a prompt shows around a change: its function, its callers, how its options are set, and nothing twice."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change, FileChange
from daybreak.findings.text_trees import TextTrees, blob_id
from daybreak.prose.evidence_pieces import hunks, material
from daybreak.prose.ground import Ground
from daybreak.prose.questions import Asker, Limits
from daybreak.prose.surroundings import MOST_LINES, Surroundings
from told_days import change, entry

BODY = "\n".join(f"        step_{n}()" for n in range(12))
BEFORE = f"""import os

class Pool:
    def release(self, request):
        \"\"\"Give back what a request holds.\"\"\"
{BODY}
        return 1

    def other(self):
        return 2
"""
AFTER = BEFORE.replace(
    "        return 1\n", "        self.free(request, os.environ['ACME_FREE_ALL_BLOCKS'])\n        return 1\n"
)
TREE = {
    "engine/pool.py": AFTER,
    "engine/core.py": "def step(pool):\n    pool.release(request)\n    unrelease(request)\n",
    "engine/envs.py": 'ACME_FREE_ALL_BLOCKS = os.getenv("ACME_FREE_ALL_BLOCKS", "0")\n',
    "tests/test_pool.py": "pool.release(1)\n",
    "docs/pool.md": "Set `ACME_FREE_ALL_BLOCKS=1`.\n",
}


def changed(path: str, before: str, after: str) -> FileChange:
    rows = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3))[2:]
    return FileChange(path, "M", patch="\n".join(rows) + "\n", new_blob=blob_id(after), added=1)


def made(*files: FileChange) -> Change:
    return change(
        1,
        "Free the blocks",
        "Why.\n\nSigned-off-by: Ada <ada@example.com>",
        files or (changed("engine/pool.py", BEFORE, AFTER),),
    )


def around(one: Change, tree: dict[str, str] | None = None) -> Surroundings:
    return Surroundings(TextTrees({one.sha: TREE if tree is None else tree}))


def pieces(one: Change, elsewhere: str = "") -> dict[str, str]:
    found = material(entry(one), "acme/engine", None, 3000, elsewhere)
    return {piece.ref: piece.text for piece in (*found.said, *found.facts, *found.diff)}


def fits(patch: str, text: str) -> bool:
    """Every hunk stands in the file as its head says."""
    rows = text.split("\n")
    for hunk in hunks(patch):
        head, *lines = hunk.split("\n")
        numbers = re.match(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", head)
        assert numbers
        after = [line[1:] for line in lines if line[:1] in ("+", " ")]
        before = [line for line in lines if line[:1] in ("-", " ")]
        start, size = int(numbers[3]), int(numbers[4])
        if rows[start - 1 : start - 1 + size] != after or len(before) != int(numbers[2]):
            return False
    return True


def test_a_hunk_grows_to_the_head_of_its_function_and_still_stands_in_the_file_as_its_head_says() -> None:
    one = made()
    wide = around(one).of(one, ()).change.files[0].patch
    assert "     def release(self, request):\n" in wide
    assert wide.split("\n")[0].endswith("@@ def release(self, request):")
    assert wide.endswith("\n     def other(self):")
    assert fits(wide, AFTER)


def test_of_a_function_whose_head_is_far_only_the_hunks_head_names_it() -> None:
    far = "\n".join(f"        far_{n}()" for n in range(60))
    before, after = BEFORE.replace(BODY, far), AFTER.replace(BODY, far)
    one = made(changed("engine/pool.py", before, after))
    wide = around(one, {"engine/pool.py": after}).of(one, ()).change.files[0].patch
    assert wide.split("\n")[0].endswith("@@ def release(self, request):")
    assert wide.count("\n") == one.files[0].patch.rstrip("\n").count("\n")


def test_what_is_added_to_all_hunks_of_a_change_is_bounded() -> None:
    files, tree = [], {}
    for n in range(20):
        tree[f"engine/p{n}.py"] = AFTER.replace("free", f"free_{n}")
        files.append(changed(f"engine/p{n}.py", BEFORE, tree[f"engine/p{n}.py"]))
    one = made(*files)
    grown = around(one, tree).of(one, ()).change.files
    more = sum(
        new.patch.rstrip("\n").count("\n") - old.patch.rstrip("\n").count("\n")
        for new, old in zip(grown, files, strict=True)
    )
    assert 0 < more <= MOST_LINES + 26
    assert all(fits(file.patch.rstrip("\n"), tree[file.path]) for file in grown)


def test_callers_and_where_an_option_is_set_are_told_without_tests_docs_and_the_lines_of_the_change() -> None:
    one = made()
    told = around(one).of(one, ()).elsewhere.split("\n")
    assert told == [
        "engine/core.py: def step(pool): › pool.release(request)",
        'engine/envs.py: ACME_FREE_ALL_BLOCKS = os.getenv("ACME_FREE_ALL_BLOCKS", "0")',
    ]


def test_where_an_attribute_that_the_change_sets_has_its_plain_value_and_who_reads_it_is_told() -> None:
    after = BEFORE.replace("        return 1\n", "        layer._scale_float = self.scale\n        return 1\n")
    tree = {
        "engine/pool.py": after,
        "engine/attention.py": "layer._scale_float = computed\nlayer._scale_float = 1.0\n",
        "engine/kernel.py": "run(layer._scale_float)\nrun(layer._scale_float_of_another)\n",
    }
    one = made(changed("engine/pool.py", BEFORE, after))
    assert around(one, tree).of(one, ()).elsewhere.split("\n") == [
        "engine/attention.py: layer._scale_float = 1.0",
        "engine/attention.py: layer._scale_float = computed",
        "engine/kernel.py: run(layer._scale_float)",
    ]


def test_where_a_key_that_is_put_into_a_config_is_read_is_told() -> None:
    after = BEFORE.replace(
        "        return 1\n", '        config["norm_first"] = given.get("norm_first")\n        return 1\n'
    )
    one = made(changed("engine/pool.py", BEFORE, after))
    tree = {"engine/pool.py": after, "engine/models/draft.py": "if config.norm_first:\n    self.norm = Norm()\n"}
    assert "engine/models/draft.py: if config.norm_first:" in around(one, tree).of(one, ()).elsewhere.split("\n")


def test_where_a_line_that_goes_still_stands_in_a_changed_file_is_told() -> None:
    chunk = "    part = residual[0 : reduce_scatter.size(0), ...]\n"
    before = f"def one(residual):\n{chunk}    return part\n\n\n\n\n\n\n\n\ndef two(residual):\n{chunk}    return part\n"
    after = before.replace(chunk, "    part = own_chunk_of(residual)\n", 1)
    one = made(changed("engine/fuse.py", before, after))
    told = around(one, {"engine/fuse.py": after}).of(one, ()).elsewhere.split("\n")
    assert told == ["still there after it: engine/fuse.py: part = residual[0 : reduce_scatter.size(0), ...]"]
    twice = "    def name(self):\n        return 1\n\n\n\n\n\n\n    def name(self):\n        return 2\n"
    once = twice.removesuffix("    def name(self):\n        return 2\n")
    left = made(changed("engine/fuse.py", twice, once))
    assert (
        "still there after it: engine/fuse.py: def name(self):"
        in around(left, {"engine/fuse.py": once}).of(left, ()).elsewhere
    )
    longer = made(changed("engine/fuse.py", chunk, f"    el{chunk.strip()}\n"))
    assert "still there" not in around(longer, {"engine/fuse.py": f"    el{chunk.strip()}\n"}).of(longer, ()).elsewhere
    whole = made(changed("engine/fuse.py", before, before.replace(chunk, "    part = own_chunk_of(residual)\n")))
    assert "still there" not in around(whole, {"engine/fuse.py": after.replace(chunk, "")}).of(whole, ()).elsewhere


def test_where_a_method_that_goes_is_still_called_is_told_unless_another_class_has_it() -> None:
    before = (
        "class Worker:\n    def group_of(self):\n        return self.group\n\n    def run(self):\n        return 1\n"
    )
    after = before.replace("    def group_of(self):\n        return self.group\n\n", "")
    one = made(changed("engine/worker.py", before, after))
    tree = {"engine/worker.py": after, "engine/delay.py": "group = self.worker.group_of()\n"}
    assert around(one, tree).of(one, ()).elsewhere == (
        "still there after it: engine/delay.py: group = self.worker.group_of()"
    )
    other = tree | {"engine/other.py": "class Other:\n    def group_of(self):\n        return 2\n"}
    assert around(one, other).of(one, ()).elsewhere == ""


def test_what_each_class_has_of_an_attribute_of_shared_code_is_told_those_with_both_first() -> None:
    after = BEFORE.replace(
        "        return 1\n", "        if self.separator in text and self.bot_token:\n            return 1\n"
    )
    formats = {f"engine/formats/f{n}.py": f'self.bot_token = "<{n}>"\n' for n in range(4)}
    both = {"engine/formats/whale.py": 'self.bot_token = "<w>"\nself.separator = "\\n"\n'}
    one = made(changed("engine/pool.py", BEFORE, after))
    told = around(one, {"engine/pool.py": after} | formats | both).of(one, ()).elsewhere.split("\n")
    tokens = [line for line in told if "bot_token" in line]
    assert tokens[0] == 'engine/formats/whale.py: self.bot_token = "<w>"'
    assert len(tokens) == 5


def test_models_that_import_a_changed_file_are_told() -> None:
    one = made()
    tree = TREE | {
        "engine/models/whale.py": "from engine.pool import Pool\n",
        "engine/worker.py": "from engine.pool import Pool\n",
    }
    told = around(one, tree).of(one, ()).elsewhere.split("\n")
    assert [line for line in told if "import" in line] == ["engine/models/whale.py: from engine.pool import Pool"]


def test_a_name_that_many_things_have_tells_no_callers() -> None:
    one = made()
    tree = TREE | {"engine/many.py": "\n".join(f"pool_{n}.release(request)" for n in range(30))}
    assert "release(" not in around(one, tree).of(one, ()).elsewhere


def test_a_tree_that_cannot_be_read_or_is_another_leaves_the_change_as_it_is() -> None:
    class Broken(TextTrees):
        def contents(self, oids: Iterable[str]) -> Iterator[tuple[str, str]]:
            raise GitError("damaged")

    one = made()
    assert Surroundings(Broken({one.sha: TREE})).of(one, ()).change == one
    other = FileChange("engine/pool.py", "M", patch=one.files[0].patch, new_blob=blob_id("x = 1\n"), added=1)
    stranger = made(other)
    assert around(stranger, {"engine/pool.py": "x = 1\n"}).of(stranger, ()).change.files[0].patch == other.patch.rstrip(
        "\n"
    )


def test_lines_of_elsewhere_are_a_piece_of_their_own_in_the_prompt_and_none_of_a_small_one() -> None:
    one = made()
    (question,) = Asker(("zh", "en")).about_change(entry(one), "acme/engine", None, Limits(), around(one)).questions
    assert "[T1] elsewhere:\nengine/core.py: def step(pool): › pool.release(request)" in question.prompt.user
    small = Asker(("zh", "en")).about_change(entry(one), "acme/engine", None, Limits(600, 200), around(one)).questions
    assert all("[T1]" not in question.prompt.user for question in small)


def test_who_signed_a_commit_is_not_in_its_evidence() -> None:
    assert pieces(made())["M1"] == "Free the blocks\n\nWhy."


def test_hunks_of_imports_come_without_context_and_the_same_lines_only_once() -> None:
    imports = "@@ -1,5 +1,4 @@\n import a\n-import numpy as np\n import b\n class X:\n     pass\n"
    twice = "@@ -8,3 +8,3 @@ def f():\n     one\n-    old()\n+    new()\n"
    one = made(
        FileChange("engine/a.py", "M", patch=imports, added=0, deleted=1),
        FileChange("engine/b.py", "M", patch=twice, added=1, deleted=1),
        FileChange("engine/c.py", "M", patch=twice, added=1, deleted=1),
    )
    found = pieces(one)
    assert found["D1"] == "@@ -1,5 +1,4 @@\n-import numpy as np"
    assert "new()" in found["D2"]
    assert found["D3"] == "(changed file) (hunks left out whose lines are shown before: 1)"


def test_a_hunk_says_under_which_heads_its_lines_run_however_far_above_they_stand() -> None:
    before = "\n".join(
        (
            "class Pool:",
            "    def release(self, request):",
            BODY,
            "        if (",
            "            self.args.enable_overlap",
            "            and request.shared",
            "        ):",
            "            for block in request.blocks:",
            *(f"                touch_{n}(block)" for n in range(12)),
            "                self.drop(block)",
            "        self.done()\n",
        )
    )
    one = made(changed("engine/pool.py", before, after := before.replace("self.drop(block)", "self.free(block)")))
    tree = {
        "engine/pool.py": after,
        "engine/args.py": 'class Args:\n    enable_overlap: bool = False\n\nadd("--enable-overlap", help="…")\n',
    }
    seen = around(one, tree).of(one, ())
    head = seen.change.files[0].patch.split("\n")[0]
    condition = ("if (", "self.args.enable_overlap", "and request.shared", "):")
    within = ("def release(self, request):", *condition, "for block in request.blocks:")
    assert head.endswith(" › ".join(within))
    ground = Ground("D1", "file:a:engine/pool.py", seen.change.files[0].patch)
    for line in ("            and request.shared", " › ".join(within[:4]), "for block in request.blocks:"):
        assert ground.side_of(line) == " "
        assert ground.whole(line).strip() in within
    assert fits(seen.change.files[0].patch.rstrip("\n"), after)


def test_what_the_touched_code_asks_for_stands_with_its_default_and_as_it_is_typed() -> None:
    before = "class Pool:\n    def release(self, request):\n        if self.args.enable_overlap:\n            self.drop(request)\n"
    after = before.replace("drop", "free")
    one = made(changed("engine/pool.py", before, after))
    tree = {
        "engine/pool.py": after,
        "engine/args.py": 'class Args:\n    enable_overlap: bool = False\n\nparser.add_argument("--enable-overlap")\n',
        "engine/other.py": "class Other:\n    enable_overlapping: bool = True\n",
    }
    seen = around(one, tree).of(one, ()).elsewhere
    assert "engine/args.py: enable_overlap: bool = False" in seen
    assert 'engine/args.py: parser.add_argument("--enable-overlap")' in seen
    assert "enable_overlapping" not in seen


def test_what_still_stands_after_a_change_is_a_piece_of_its_own() -> None:
    found = pieces(
        made(), "engine/core.py: pool.release(request)\nstill there after it: engine/pool.py: def release(self):"
    )
    assert found["T1"] == "elsewhere:\nengine/core.py: pool.release(request)"
    assert found["T2"] == "still there after it:\nengine/pool.py: def release(self):"

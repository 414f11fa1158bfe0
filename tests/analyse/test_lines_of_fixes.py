"""Lines by which a fix is told: what does something, and not how it is carried."""

import pytest

from analyse.test_gist import CODE
from daybreak.judge.changed_lines import changed_lines
from read.made import change_of, patch_of


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("for i in range(rows[n]):\n    use(i)\n", "for n, m in enumerate(rows):\n    use(i, m)\n", "`use(i)` → `use(i, m)`"),
        ("height = int(height * scale)\nrun(fit(height, 8))\n", "new_height = int(height * scale)\nrun(fit(height, 16))\n", "`run(fit(height, 8))` → `run(fit(height, 16))`"),
        ("self.layer: Module = (made(1))\nself.size = 1\n", "self.layer: Layer = made(1)\nself.size = 2\n", "`self.size = 1` → `self.size = 2`"),
        ("run(self.worker.runner, x)\n", "runner = self.worker.runner\nif x.many:\n    # Only one of them has rows.\n    x.rows = [1]\nrun(runner, x)\n", "adds `if x.many: x.rows = [1]`"),
        ("n = len(x.ids)\nif a:\n    n = 1\n", "if a:\n    n = 1\nelse:\n    own = [i for i in x.ids if first <= i < last]\n    n = len(own)\n", "`n = len(own)`, with `own = [i for i in x.ids if first <= i < last]`"),
        ("run(x)\n", "if (\n    x.many\n    and x.late\n):\n    return None\nrun(x)\n", "adds `if (x.many and x.late): return None`"),
        ("run(x)\n", "size = rows_of_ranks()\nx.rows_of = size\nrun(x)\n", "adds `x.rows_of = size`"),
        ("run(x)\n", "if x.kind != 'a':\n    raise RuntimeError('only for a')\nrun(x.rows)\n", "`run(x)` → `run(x.rows)`"),
    ],
    ids=["a loop", "a variable", "an annotation", "a short name", "what a new name holds", "a condition over lines", "a step", "a check that came"],
)  # fmt: skip
def test_of_a_fix_the_line_is_told_that_does_something_and_not_how_it_is_carried(
    old: str, new: str, expected: str
) -> None:
    found = changed_lines(change_of({CODE: patch_of(old, new)}, subject="Fix it"), 1)
    assert found is not None
    assert expected in found.text["en"]


def test_lists_of_what_a_rust_file_takes_from_others_are_no_lines() -> None:
    old = "use crate::{\n    core::{Mode, Registry},\n};\nfn pick() {\n    route(1);\n}\n"
    new = old.replace("Mode, Registry", "Mode, Kind, Registry").replace("route(1)", "route(2)")
    found = changed_lines(change_of({"router/src/pick.rs": patch_of(old, new)}, subject="Fix routes"), 1)
    assert found is not None
    assert "`route(1);` → `route(2);`" in found.text["en"]


def test_an_element_that_the_title_names_is_told_though_the_diff_does_not_show_its_list() -> None:
    hunk = '@@ -9,3 +9,4 @@ class Batch:\n             "sizes",\n             "names",\n+            "rids",\n         ]:\n'
    other = patch_of("reserved = 2\n", "reserved = 4\n")
    change = change_of({CODE: hunk, "engine/args.py": other}, subject="Fix the filter of rids")
    found = changed_lines(change, 1)
    assert found is not None
    assert 'adds `"rids",`' in found.text["en"]


def test_a_loop_that_only_names_its_element_is_not_what_a_repair_does() -> None:
    old = "def clear(self, index):\n    self.rows[:, index] = blank(self.rows)\n"
    new = "def clear(self, index):\n    for n in range(len(self.rows)):\n        row = self.rows[n]\n        row[:, index] = 0\n"
    change = change_of({"engine/pool.py": patch_of(old, new)}, subject="Fix rows of a pool that are cleared")
    found = changed_lines(change)
    assert found is not None
    assert "row[:, index] = 0" in found.text["en"]
    assert "for n in" not in found.text["en"]

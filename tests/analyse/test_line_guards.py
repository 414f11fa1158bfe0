"""Guards of changed lines: who is hit stands around a line, and what moves under a condition or out of it is told so."""

import pytest
from msgspec.structs import replace

from analyse.test_day import ARGS, commit, day, report
from analyse.test_first_screen import finding, graded
from analyse.test_gist import CODE, english
from daybreak.core.model.findings import Alias
from daybreak.judge.rows import row
from read.made import patch_of

HEAD = "def step(self, x):\n    {0}:\n        {1}\n    return x\n"


@pytest.mark.parametrize(
    "guard",
    ["if self.use_mla", "if is_hip()", "elif not _is_npu", 'if algo == "tiles"', "if self.is_v32 and world_size > 1"],
)
def test_a_line_is_told_with_the_flag_that_it_stands_under(guard: str) -> None:
    lead = "if x.empty:\n        pass\n    " if guard.startswith("elif") else ""
    old, new = (HEAD.format(lead + guard, f"x = scale({rows})") for rows in ("rows", "rows + 1"))
    said = english({CODE: patch_of(old, new)}, subject="Fix the scale")
    assert f"where `{guard.removeprefix('el').removeprefix('if ')}`" in str(said)


@pytest.mark.parametrize("guard", ["if x is None", "if name in names", "for x in rows", "if rows(x, 2)", "with lock"])
def test_what_is_no_mode_and_no_platform_says_nothing_of_who_is_hit(guard: str) -> None:
    old, new = (HEAD.format(guard, f"x = scale({rows})") for rows in ("rows", "rows + 1"))
    assert "where" not in str(english({CODE: patch_of(old, new)}, subject="Fix the scale"))


def test_behind_an_else_the_flag_does_not_hold_and_is_not_named() -> None:
    body = "def step(self, x):\n    if self.use_mla:\n        x = 1\n    else:\n        x = scale({})\n    return x\n"
    said = english({CODE: patch_of(body.format("rows"), body.format("rows + 1"))}, subject="Fix the scale")
    assert "use_mla" not in str(said)


def test_a_flag_of_another_function_is_not_the_one_of_the_line() -> None:
    body = "if is_hip():\n    def step(self, x):\n        x = scale({})\n        return x\n"
    said = english({CODE: patch_of(body.format("rows"), body.format("rows + 1"))}, subject="Fix the scale")
    assert "is_hip" not in str(said)


def test_a_statement_that_a_condition_comes_over_is_told_with_it() -> None:
    rows = ["layer_id = layer_index(prefix)", "offset = layer_id + 1"]
    old = "def build(self, prefix):\n" + "".join(f"    {row}\n" for row in rows)
    new = "def build(self, prefix):\n    if self.is_sparse:\n" + "".join(f"        {row}\n" for row in rows)
    new = new.replace("    if", "    last = False\n    if", 1)
    said = str(english({CODE: patch_of(old, new)}, subject="Ask for the layer index only inside the guard"))
    assert "`layer_id = layer_index(prefix)` runs only under `self.is_sparse` from now on" in said


def test_an_import_that_leaves_its_condition_is_told_so_and_one_that_only_moves_is_not_added() -> None:
    line = "from engine.ops import register_op"
    patch = "@@ -1,2 +1,3 @@\n x = 1\n+{0}\n y = 2\n@@ -8,4 +9,3 @@\n if _is_cuda:\n     from engine.cuda import tiles\n-{1}{0}\n z = 3"
    freed = english({CODE: patch.format(line, "    ")}, subject="Fix the nightly run")
    assert freed == f"Changed lines: `{line}` no longer runs only under `_is_cuda`"
    assert english({CODE: patch.format(line, "")}, subject="Fix the nightly run") is None


def test_no_line_that_is_told_ends_in_an_open_bracket() -> None:
    rows = "".join(f"        argument_{n}=value_{n},\n" for n in range(14))
    old, new = (f"def step(self):\n    return {name}(\n{rows}    )\n" for name in ("project", "project_with_padding"))
    said = english({CODE: patch_of(old, new)}, subject="Pad the heads of the projection")
    assert "project_with_padding(…)`" in str(said)


def test_below_the_screen_an_option_that_came_stands_before_what_forks_have_to_follow() -> None:
    words = "Reject drafts, otherwise wrong tokens are kept (requires topk=1)."
    flag = patch_of("", f'    p.add_argument("--reject-drafts", default=False, help="{words}")\n')
    change = commit("1", "Add reject drafts (#1)", {ARGS: flag, "engine/drafts.py": patch_of("a()\n", "b()\n")})
    field = finding(
        change,
        "internal_field_required_added",
        "engine/drafts.py",
        "Buffers.probs",
        number=9,
        after="probs: Tensor",
        breaking=True,
    )
    found = day(graded(report(change, extra=(field,)), {"1": "medium"}))
    (line,) = (*found.actions, *found.also)
    assert line.text["en"].index("`--reject-drafts`") < line.text["en"].index("`Buffers.probs`")
    assert line.text["zh"].index("`--reject-drafts`") < line.text["zh"].index("`Buffers.probs`")
    assert words in line.text["en"]  # the condition of an option stands in its help


def test_a_mark_has_the_sentence_of_what_gave_it_where_nothing_else_tells_the_change() -> None:
    path = "engine/experts.py"
    many = ("".join(f"        {name}_{n} = {n}\n" for n in range(150)) for name in ("lane", "stream"))
    change = commit("1", "Fix a slow decode (#1)", {path: patch_of(*many)})
    field = finding(change, "internal_method_renamed", path, "Experts._has", number=9, before="Experts._has")
    renamed = replace(field, after="Experts._uses", breaking=True, alias=Alias("none"))
    (entry,) = report(change, extra=(renamed,)).entries
    entry = replace(entry, gist=None, marks=("breaks_internals",))
    assert "`Experts._uses`" in str(row(entry))
    assert row(replace(entry, marks=())) is None


def test_what_users_chose_leads_before_the_extra_that_was_installed_for_it() -> None:
    path = "engine/layers/quantization/__init__.py"
    change = commit(
        "1", "Remove tiny4 (#1)", {path: patch_of("a()\n", "b()\n"), "setup.py": patch_of("c()\n", "d()\n")}
    )
    extra = finding(change, "extra_removed", "setup.py", "tiny-kernel", breaking=True, alias=Alias("none"))
    choice = replace(
        finding(change, "registry_removed", path, "quantization:tiny4", number=2, before="tiny4"),
        breaking=True,
        alias=Alias("none"),
    )
    found = day(graded(report(change, extra=(extra, choice)), {"1": "high"}))
    (line,) = found.actions
    assert line.text["en"].index("`tiny4`") < line.text["en"].index("`tiny-kernel`")
    assert "ask for another extra" not in line.text["en"]

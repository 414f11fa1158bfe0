"""What a change that puts code in order takes from one file to another, or splits off within one."""

from __future__ import annotations

from analyse.test_gist import english
from read.made import patch_of

BODY = "".join(f"    step_{n}(self.state, budget={n})\n" for n in range(12))
OLD, NEW = "engine/runner.py", "engine/parts/graphs.py"


def test_a_function_that_moves_is_told_with_both_files() -> None:
    code = f'def capture(self):\n    """Capture the graphs because replays are faster."""\n{BODY}'
    said = english({OLD: patch_of(code, ""), NEW: patch_of("", code)}, subject="Move graph capture out of the runner")
    assert said == f"Moves `capture` from `{OLD}` to `{NEW}`"


def test_a_function_that_moves_under_another_name_is_told_with_both_names() -> None:
    old, new = f"def _stage(self):\n{BODY}", f"def prepare(model):\n{BODY.replace('self.', 'model.')}"
    said = english({OLD: patch_of(old, ""), NEW: patch_of("", new)}, subject="Move input staging into its module")
    assert said == f"Moves `_stage` from `{OLD}` to `{NEW}` as `prepare`"


def test_code_without_a_name_that_becomes_a_function_elsewhere_is_told() -> None:
    before, after = f"def run(self):\n{BODY}", "def run(self):\n    prepare(self)\n"
    new = f"def prepare(model):\n{BODY.replace('self.', 'model.')}"
    said = english({OLD: patch_of(before, after), NEW: patch_of("", new)}, subject="Extract preparation into a module")
    assert said == f"Moves code of `{OLD}` to `{NEW}` as `prepare`"


def test_a_name_that_went_to_a_third_file_is_no_partner_of_what_another_one_brings() -> None:
    other = "".join(f"    rank_{n}(self.ranks, among={n})\n" for n in range(4))
    old = f"def run(self):\n{BODY}\n\ndef _find_rank(self):\n{other}"
    prepare = f"def prepare(model):\n{BODY.replace('self.', 'model.')}"
    third = f"def find_rank(model):\n{other.replace('self.', 'model.')}"
    files = {OLD: patch_of(old, "def run(self):\n    prepare(self)\n"), NEW: patch_of("", prepare)}
    said = english(files | {"engine/elastic.py": patch_of("", third)}, subject="Extract helpers into modules")
    assert said is not None
    assert "_find_rank" not in said or "find_rank" in said.replace("_find_rank", ""), said


def test_what_is_split_within_a_file_is_told_by_its_parts() -> None:
    rows = BODY.splitlines(keepends=True)
    old = f"def run(self):\n{BODY}"
    parts = f"def run_first(self):\n{''.join(rows[:6])}\n\ndef run_rest(self):\n{''.join(rows[6:])}"
    new = f"def run(self):\n    self.run_first()\n    self.run_rest()\n\n\n{parts}"
    said = english({OLD: patch_of(old, new)}, subject="Split run into parts")
    assert said == f"Splits `run_first` and `run_rest` off in `{OLD}`"


def test_new_code_beside_code_that_went_is_no_move() -> None:
    new = "def other(x):\n" + "".join(f"    call_{n}(x)\n" for n in range(12))
    said = english(
        {OLD: patch_of(f"def gone(self):\n{BODY}", ""), NEW: patch_of("", new)}, subject="Move to new graphs"
    )
    assert said is None or "Moves" not in said


def test_only_a_title_that_says_so_makes_a_move() -> None:
    code = f"def capture(self):\n{BODY}"
    said = english({OLD: patch_of(code, ""), NEW: patch_of("", code)}, subject="Capture graphs faster")
    assert said is None or "Moves" not in said


def test_of_several_names_that_move_one_is_told_whose_import_no_longer_works() -> None:
    base, other = f"class Method:\n    def make(self):\n{BODY}", f"class Fast:\n    def run(self):\n{BODY}"
    parts = {f"engine/parts/{name}.py": patch_of("", code) for name, code in (("base", base), ("fast", other))}
    kept = {"engine/parts/__init__.py": patch_of("", "from engine.parts.base import Method\n")}
    said = english({OLD: patch_of(f"{base}\n\n{other}", ""), **parts, **kept}, subject="Split up the method runner")
    assert said is not None
    assert said.startswith("Moves `Fast`"), said


def test_lines_that_two_files_each_put_into_functions_of_their_own_move_nowhere() -> None:
    deep = "".join(f"    {row}\n" for row in BODY.splitlines())
    after = f"def {{0}}(self):\n    prepare(self)\n\n\ndef prepare(self):\n{BODY}"
    before = f"def {{0}}(self):\n    if self.state:\n{deep}"
    files = {path: patch_of(before.format(name), after.format(name)) for path, name in ((OLD, "run"), (NEW, "walk"))}
    said = english(files, subject="Refactor: extract the preparation of both")
    assert said is None or "Moves" not in said


def test_a_name_that_another_file_gives_to_something_else_has_not_moved() -> None:
    went = patch_of("struct dtype_trait {\n  int bits = 16;\n};\n", "struct _dtype_trait {\n  int bits = 16;\n};\n")
    came = patch_of("", "struct dtype_trait {\n  using packed = void;\n};\n")
    assert "Moves" not in (english({"csrc/tensor.h": went, "csrc/type.cuh": came}, subject="Refactor the types") or "")

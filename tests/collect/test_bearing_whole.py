"""How much of a fix a release has: large fixes, ways to the fault, and the homes of the names that a pick reads."""

from __future__ import annotations

import pytest

from collect.test_bearing_shown import CORE, Files, exposure
from conftest import Collector
from gitrepo import GitRepo

STEPS = [f"    total = add_of(total, measured_{n}(values))\n" for n in range(140)]
IMPORTS = "from helpers import (\n    inverse_of,\n{}    factor_of,\n)\n\n\n"


def summed(steps: list[str], head: str = "") -> str:
    return f"{head}def scale(values, total):\n{''.join(steps)}    return total\n"


@pytest.mark.parametrize(
    ("released", "has"),
    [(STEPS, True), ([*STEPS[:130], "    total += 1\n"], True), (STEPS[:100], None)],
    ids=["all", "nearly all", "most"],
)
def test_a_fix_that_takes_much_away_is_of_a_release_that_has_nearly_all_of_it(
    repo: GitRepo, collector: Collector, released: list[str], has: bool | None
) -> None:
    fixed = summed(["    total = add_of(total, *measured(values))\n"])
    found = exposure(repo, collector, {CORE: summed(released)}, {CORE: summed(STEPS)}, {CORE: fixed})
    assert found.has is has
    assert found.in_part is (has is None)  # who names the lines at fault decides it


@pytest.mark.parametrize(("late", "has"), [("measured_9(values)", True), ("", None)], ids=["a call", "what decides"])
def test_a_line_that_decides_is_not_left_out_of_nearly_all(
    repo: GitRepo, collector: Collector, late: str, has: bool | None
) -> None:
    came = f"    total = add_of(total, {late}, 0)\n" if late else "    if is_empty_of(values, total):\n        pass\n"
    before = summed([*STEPS[:20], came])
    fixed = summed(["    total = add_of(total, *measured(values))\n"])
    assert exposure(repo, collector, {CORE: summed(STEPS[:20])}, {CORE: before}, {CORE: fixed}).has is has


def test_names_of_an_import_that_stand_beside_others_do_not_hide_what_stands(
    repo: GitRepo, collector: Collector
) -> None:
    before, fixed = (IMPORTS.format("    other_of_all,\n"), IMPORTS.replace("    inverse_of,\n{}", "    both_of,\n"))
    was = summed(STEPS[:12], IMPORTS.format(""))
    after = summed(["    total = both_of(values)\n"], fixed)
    assert exposure(repo, collector, {CORE: was}, {CORE: summed(STEPS[:12], before)}, {CORE: after}).has is True


WRITES = "def write(table, rows):\n    count = rows_of(table)\n{}    table.scatter(rows, columns_of(table))\n    return count\n"
CUTS = "    rows = rows[:, :count]\n"
AID = "PATCHES = {{\n    1: FIRST_OF_ALL_PATCHES,\n{}}}\n"


@pytest.mark.parametrize("folder", ["debug_utils", "parts"])
def test_an_aid_to_find_faults_that_a_release_lacks_is_no_part_of_the_fault(
    repo: GitRepo, collector: Collector, folder: str
) -> None:
    aid = f"engine/{folder}/toggle.py"
    before: Files = {aid: AID.format("")}
    fix: Files = {CORE: WRITES.format(CUTS), aid: AID.format("    2: SECOND_OF_ALL_PATCHES,\n")}
    found = exposure(repo, collector, {CORE: WRITES.format("")}, before, fix)
    assert (found.has, found.without) == ((True, (aid,)) if folder == "debug_utils" else (None, ()))


def test_a_release_has_half_of_what_is_mended_where_one_of_the_files_is_younger(
    repo: GitRepo, collector: Collector
) -> None:
    young = "engine/young.py"
    gives = "class Young:\n    def __init__(self, model):\n        self.model = model\n{}"
    before: Files = {young: gives.format("")}
    fix: Files = {
        young: gives.format("        self.sizes = model.sizes_of_all\n"),
        CORE: WRITES.format("").replace("columns_of(table)", "columns_of(table, count)"),
    }
    assert exposure(repo, collector, {CORE: WRITES.format("")}, before, fix).has is None


GUARD = """FIRST_OP = operators.first_sum_of.default
{}

def matches(nodes):
    for node in nodes:
        if node.target == FIRST_OP:
{}    return True
"""
PLAINLY = "            return node.args[0].kind == node.args[1].kind\n"
BOUND = "SECOND_OP = operators.second_sum_of.default\n"
CASE = """            weight = node.args[1]
        elif node.target == SECOND_OP:
            weight = node.args[2]
        return node.args[0].kind == weight.kind
"""
PLAIN = "def second_sum_of(values, other, weight):\n    return values + other * weight\n"
USES = "def run(values):\n    return operators.second_sum_of(values, {})\n"


@pytest.mark.parametrize(("late", "has"), [(False, True), (True, None)], ids=["called", "called since"])
def test_a_case_of_a_call_that_came_after_a_release_does_not_show_that_it_has_the_fault(
    repo: GitRepo, collector: Collector, late: bool, has: bool | None
) -> None:
    released: Files = {
        CORE: GUARD.format("", PLAINLY),
        "engine/operators.py": PLAIN,
        "engine/run.py": USES.format("values, 1"),
    }
    before: Files = {"engine/norm.py": USES.format("weights_of(values)")} if late else {"engine/norm.py": "1\n"}
    found = exposure(repo, collector, released, before, {CORE: GUARD.format(BOUND, CASE)})
    assert found.has is has


@pytest.mark.parametrize(("late", "has"), [(False, True), (True, None)], ids=["called", "called since"])
def test_a_function_that_nobody_called_in_a_release_has_no_fault_there(
    repo: GitRepo, collector: Collector, late: bool, has: bool | None
) -> None:
    use = "from engine.core import write_rows\n\n\ndef run(table):\n    return write_rows(table, rows_of(table))\n"
    body = WRITES.replace("def write(", "def write_rows(").format("")
    released: Files = {CORE: body, "engine/run.py": "1\n" if late else use}
    fixed = body.replace("columns_of(table)", "columns_of(table, count)")
    assert exposure(repo, collector, released, {"engine/run.py": use + "\n"}, {CORE: fixed}).has is has


KINDS = "class Kind(IntEnum):\n    # Renormal: Sigmoidal, then the largest\n    Renormal = 1\n{}"
OTHERS = "def gate():\n    return layers.Sigmoidal()\n"
ROUTES = "from engine.kinds import Kind\n\n\ndef kind_of(route):\n    route.check_it_all()\n    return {}\n"


@pytest.mark.parametrize(("late", "needs"), [(False, ()), (True, ("Sigmoidal",))], ids=["there", "since"])
def test_a_pick_needs_the_members_of_classes_that_it_reads(
    repo: GitRepo, collector: Collector, late: bool, needs: tuple[str, ...]
) -> None:
    now = KINDS.format("    Sigmoidal = 2\n")
    released: Files = {
        CORE: ROUTES.format("Kind.Renormal"),
        "engine/kinds.py": KINDS.format("") if late else now,
        "engine/gate.py": OTHERS,
    }
    fix: Files = {CORE: ROUTES.format("Kind.Sigmoidal if route.plain else Kind.Renormal")}
    found = exposure(repo, collector, released, {"engine/kinds.py": now, "x.py": "1\n"}, fix)
    assert (found.has, found.applies, found.needs) == (True, not needs, needs)


@pytest.mark.parametrize(("late", "needs"), [(False, ()), (True, ("cut_rows",))], ids=["there", "moved since"])
def test_a_pick_needs_what_it_imports_where_it_imports_it_from(
    repo: GitRepo, collector: Collector, late: bool, needs: tuple[str, ...]
) -> None:
    cuts, plain = "def cut_rows(rows):\n    return rows[:2]\n", "def sort_rows(rows):\n    return sorted(rows)\n"
    released: Files = {
        CORE: WRITES.format(""),
        "engine/tables.py": plain if late else cuts + plain,
        "engine/old.py": cuts,
    }
    before: Files = {"engine/tables.py": cuts + plain, "x.py": "1\n"}
    fixed = "from engine.tables import cut_rows\n\n\n" + WRITES.format("").replace(
        "scatter(rows,", "scatter(cut_rows(rows),"
    )
    found = exposure(repo, collector, released, before, {CORE: fixed})
    assert (found.applies, found.needs) == (not needs, needs)


def test_lines_within_a_text_of_several_lines_read_no_names(repo: GitRepo, collector: Collector) -> None:
    said = 'SAID = """\n{}the first of all lines\nand the second of them\nand the third\nand more\n"""\n\n\n'
    was = f"{said.format('')}{WRITES.format('')}"
    late = "replacement_of_all = 1\n"
    fixed = f"{said.format('replacement_of_all: none{chr(10)}')}{WRITES.format(CUTS)}"
    found = exposure(repo, collector, {CORE: was}, {"engine/late.py": late}, {CORE: fixed})
    assert (found.applies, found.needs) == (True, ())


@pytest.mark.parametrize(("late", "needs"), [(False, ()), (True, ("world_size",))], ids=["there", "since"])
def test_a_pick_needs_the_attributes_that_the_file_itself_gives_its_objects(
    repo: GitRepo, collector: Collector, late: bool, needs: tuple[str, ...]
) -> None:
    """What another class of the release calls so is not this one's."""
    own = "class Manager:\n    def __init__(self, config, spec):\n        self.spec = spec\n{}\n    def begin(self):\n        return 1\n\n"
    sized = "    def size(self, group):\n        return group.spec.block_size{}\n"
    gives = "        self.world_size = config.world_size\n"
    other: Files = {
        "engine/other.py": f"class Other:\n    def __init__(self):\n{gives}\n    def all(self):\n        return self.world_size\n"
    }
    released: Files = {CORE: own.format("" if late else gives) + sized.format(""), **other}
    before: Files = {CORE: own.format(gives) + sized.format(""), "x.py": "1\n"}
    fixed: Files = {CORE: own.format(gives) + sized.format(" * self.world_size")}
    found = exposure(repo, collector, released, before, fixed)
    assert (found.applies, found.needs) == (not needs, needs)

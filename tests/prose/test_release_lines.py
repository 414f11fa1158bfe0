"""What the newest release has where a change takes lines away."""

from __future__ import annotations

import difflib

from msgspec.structs import replace

from daybreak.core.model.changes import Change, FileChange
from daybreak.findings.text_trees import TextTrees, blob_id
from daybreak.prose.evidence_pieces import material
from daybreak.prose.questions import Asker, Limits
from daybreak.prose.release_lines import lines_in_release
from daybreak.prose.surroundings import Surroundings
from told_days import change, entry

RELEASE = """def pick(backend):
    name = backend.own_name()
    return run(name)

def other():
    return "as it is"
"""
BEFORE = RELEASE.replace(
    "    name = backend.own_name()\n", '    name = "cutlass" if backend.is_auto() else backend.own_name()\n'
)
AFTER = RELEASE.replace("    name = backend.own_name()\n", "    name = backend.resolved_name()\n")


def made(before: str, after: str, path: str = "engine/pick.py") -> Change:
    rows = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3))[2:]
    gone = sum(row.startswith("-") for row in rows)
    one = FileChange(
        path,
        "M",
        added=1,
        deleted=gone,
        patch="\n".join(rows) + "\n",
        old_blob=blob_id(before),
        new_blob=blob_id(after),
    )
    return change(1, "Let the backend choose", files=[one])


def told(one: Change, in_release: dict[str, str], before: str = BEFORE) -> str:
    trees = TextTrees({"v1.0": in_release, "parent": {"engine/pick.py": before}})
    return lines_in_release(one, "v1.0", trees)


def test_where_the_release_has_other_lines_these_are_shown() -> None:
    found = told(made(BEFORE, AFTER), {"engine/pick.py": RELEASE})
    assert found.split("\n") == [
        "release v1.0, the newest without this commit, has",
        'engine/pick.py: for `name = "cutlass" if backend.is_auto() else backend.own_name()` these lines:',
        "  name = backend.own_name()",
    ]


def test_where_the_release_has_the_very_lines_one_line_says_so_however_the_rest_of_its_file_differs() -> None:
    all_of_it = "release v1.0, the newest without this commit, has all lines of sources that the commit takes away."
    assert told(made(BEFORE, AFTER), {"engine/pick.py": BEFORE}) == all_of_it
    assert told(made(BEFORE, AFTER), {"engine/pick.py": BEFORE.replace("as it is", "as it was")}) == all_of_it


def test_a_file_that_came_after_the_release_is_told_and_what_only_adds_asks_nothing() -> None:
    assert told(made(BEFORE, AFTER), {}).endswith("engine/pick.py: the file is not there")
    assert (
        told(made(RELEASE, RELEASE + "\ndef more():\n    return other()\n"), {"engine/pick.py": RELEASE}, RELEASE) == ""
    )
    assert told(made("- one = 1\n", "two = 2\n", "docs/page.md"), {}) == ""


def test_a_question_shows_it_once_and_none_where_the_release_holds_the_change() -> None:
    one = made(BEFORE, AFTER)
    trees = TextTrees(
        {"v1.0": {"engine/pick.py": RELEASE}, "parent": {"engine/pick.py": BEFORE}, one.sha: {"engine/pick.py": AFTER}}
    )
    about = replace(entry(one), after="v1.0")
    (question,) = Asker(("zh", "en")).about_change(about, "acme/engine", None, Limits(), Surroundings(trees)).questions
    assert question.prompt.user.count("\n[R1] release v1.0") == 1
    held = replace(about, released="v1.0")
    (question,) = Asker(("zh", "en")).about_change(held, "acme/engine", None, Limits(), Surroundings(trees)).questions
    assert "\n[R1]" not in question.prompt.user
    assert not any(piece.ref == "R1" for piece in material(about, "acme/engine", None, 3000).facts)


def test_of_a_file_too_long_to_compare_nothing_is_said_to_stand_in_the_release() -> None:
    long = "".join(f"x{n} = {n}\n" for n in range(20_001))
    one = made(BEFORE, AFTER)
    two = replace(one, files=(*one.files, *made(BEFORE + long, AFTER + long, "engine/long.py").files))
    trees = TextTrees({"v1.0": {"engine/pick.py": BEFORE, "engine/long.py": RELEASE + long}, "parent": {"engine/pick.py": BEFORE, "engine/long.py": BEFORE + long}})  # fmt: skip
    assert lines_in_release(two, "v1.0", trees) == ""

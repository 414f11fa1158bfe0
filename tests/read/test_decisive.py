"""The hunks that are shown: what breaks first, then what is told, then code; never noise while there is more."""

from daybreak.core.model.findings import Finding
from daybreak.findings.reading import LIMIT, MAX_LINES, decisive
from read.behaviour import file_of

LOGGING = ("a = 1\n", "a = 1\nlogger.info('a')\nlogger.info('b')\nlogger.info('c')\n")
CONDITION = ("def f(x):\n    if x > 1:\n        return 2\n", "def f(x):\n    if x > 2:\n        return 2\n")
IMPORTS = ("import a\n", "import a\nimport b\nfrom c import (\n    d,\n    e,\n)\n")
TEST = ("a = 1\n", "a = 2\nb = 3\nc = 4\nd = 5\n")


def finding(path: str, line: int, kind: str = "guard_changed", **more: object) -> Finding:
    return Finding(id="x", kind=kind, path=path, line=line, symbol="s", before="a", after="b", **more)  # type: ignore[arg-type]


def shown(*files: tuple[str, tuple[str, str]], findings: tuple[Finding, ...] = ()) -> list[str]:
    return [h.path for h in decisive([file_of(path, *sides) for path, sides in files], findings)]


def test_a_changed_condition_before_added_logging() -> None:
    assert shown(("engine/a.py", LOGGING), ("engine/b.py", CONDITION)) == ["engine/b.py"]


def test_code_before_imports_even_of_public_files() -> None:
    assert shown(("engine/entrypoints/api.py", IMPORTS), ("engine/b.py", CONDITION)) == ["engine/b.py"]


def test_tests_and_docs_are_not_shown_beside_code() -> None:
    found = (finding("tests/test_a.py", 1),)
    assert shown(("tests/test_a.py", TEST), ("engine/a.py", LOGGING), findings=found) == ["engine/a.py"]
    assert shown(("tests/test_a.py", TEST)) == ["tests/test_a.py"]


def test_lock_and_generated_files_are_never_shown() -> None:
    assert shown(("uv.lock", TEST), ("engine/generated/a.py", TEST)) == []


def test_what_breaks_comes_first_then_what_is_told() -> None:
    found = (finding("engine/a.py", 2), finding("engine/b.py", 2, breaking=True))
    assert shown(("engine/a.py", CONDITION), ("engine/b.py", CONDITION), findings=found) == [
        "engine/b.py",
        "engine/a.py",
    ]


def test_versions_of_a_pin_come_before_the_two_shas_of_a_submodule() -> None:
    sides = ("a==1\n", "a==2\n")
    found = (finding("requirements/tool.txt", 1, "submodule_changed"), finding("setup.py", 1, "dependency_changed"))
    files = (("requirements/tool.txt", sides), ("setup.py", sides))
    assert shown(*files, findings=found) == ["setup.py", "requirements/tool.txt"]


def test_what_is_not_told_makes_no_hunk_decisive() -> None:
    found = (finding("engine/a.py", 1, "annotation_changed"),)
    assert shown(("engine/a.py", IMPORTS), ("engine/b.py", CONDITION), findings=found) == ["engine/b.py"]


def test_three_at_most_and_forty_lines_each() -> None:
    long = ("a = 1\n", "".join(f"x{n} = {n}\n" for n in range(100)))
    files = [file_of(f"engine/{n}.py", *long) for n in range(5)]
    hunks = decisive(files, [finding(f.path, 3) for f in files])
    assert len(hunks) == LIMIT
    for hunk, file in zip(hunks, files, strict=False):
        assert len(hunk.text.split("\n")) == MAX_LINES + 1
        assert file.change.patch.startswith(hunk.text)


def test_a_finding_below_the_lines_that_are_shown_does_not_count() -> None:
    long = ("a = 1\n", "".join(f"x{n} = {n}\n" for n in range(100)))
    assert shown(("engine/a.py", long), ("engine/b.py", CONDITION), findings=(finding("engine/a.py", 90),)) == [
        "engine/b.py"
    ]


def test_data_is_not_quoted() -> None:
    assert shown(("engine/a.py", ("a = 1\n", "a = '" + "x" * 900 + "'\n"))) == []


def test_nothing_gives_nothing() -> None:
    assert decisive([], []) == ()

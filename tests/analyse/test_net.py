"""Netting: what is true of a range as a whole, as tables of histories."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyse.netted import KEPT, NONE, facts, found, history, seen
from daybreak.core.model.findings import Alias, Finding
from daybreak.findings.kinds import kinds
from daybreak.upgrade.range.net import compose, mirrored, net
from daybreak.upgrade.range.net_slots import changed, known, one_way, paired

ADDED = found("function_added", "run", None, "def run():")
REMOVED = found("function_removed", "run", "def run():", None, breaking=True, alias=NONE)
FLAG = found("cli_flag_added", "--fast", None, "--fast")
NO_FLAG = found("cli_flag_removed", "--fast", "--fast", None, breaking=True, alias=NONE)
DEFAULT = found("cli_default_changed", "--fast", "1", "2")


def field_(kind: str, before: str | None, after: str | None, symbol: str = "Args.size") -> Finding:
    return found(f"field_{kind}", symbol, before, after)


def renamed(old: str, new: str, kind: str = "env_renamed") -> Finding:
    return found(kind, old, old, new, breaking=True, alias=NONE)


CASES: dict[str, tuple[list[Finding], list[tuple[str, str, str | None, str | None]]]] = {
    "nothing": ([], []),
    "added and removed": ([ADDED, REMOVED], []),
    "removed and added back": ([REMOVED, ADDED], []),
    "added, removed and added again": ([ADDED, REMOVED, ADDED], [("function_added", "run", None, "def run():")]),
    "its signature changed on the way": ([ADDED, replace(REMOVED, before="def run(x):")], []),
    "same name in another file is another": (
        [ADDED, replace(REMOVED, path="pkg/other.py")],
        [("function_removed", "run", "def run():", None), ("function_added", "run", None, "def run():")],
    ),
    "files of one name in two parts are two": (
        [replace(ADDED, path="parts/a/src/util.py"), replace(REMOVED, path="parts/b/src/util.py")],
        [("function_removed", "run", "def run():", None), ("function_added", "run", None, "def run():")],
    ),
    "a variable is the same in every file": (
        [found("env_added", "A", None, "A"), found("env_removed", "A", "A", None, path="pkg/b.py")],
        [],
    ),
    "renamed twice": ([renamed("A", "B"), renamed("B", "C")], [("env_renamed", "A", "A", "C")]),
    "renamed and back": ([renamed("A", "B"), renamed("B", "A")], []),
    "renamed and removed": (
        [renamed("A", "B"), found("env_removed", "B", "B", None, breaking=True)],
        [("env_removed", "A", "A", None)],
    ),
    "added and renamed": ([found("env_added", "A", None, "A"), renamed("A", "B")], [("env_added", "B", None, "B")]),
    "renamed, removed, brought back": (
        [renamed("A", "B"), found("env_removed", "B", "B", None), found("env_added", "B", None, "B")],
        [("env_renamed", "A", "A", "B")],
    ),
    "the old name is given to another": (
        [renamed("A", "B"), found("env_added", "A", None, "A")],
        [("env_renamed", "A", "A", "B"), ("env_added", "A", None, "A")],
    ),
    "default changed twice": (
        [DEFAULT, replace(DEFAULT, before="2", after="3")],
        [("cli_default_changed", "--fast", "1", "3")],
    ),
    "default changed back": ([DEFAULT, replace(DEFAULT, before="2", after="1")], []),
    "another flag's default": (
        [DEFAULT, found("cli_default_changed", "--slow", "2", "1")],
        [("cli_default_changed", "--fast", "1", "2"), ("cli_default_changed", "--slow", "2", "1")],
    ),
    "added and changed": (
        [field_("added", None, "size: int = 1"), field_("default_changed", "1", "2")],
        [("field_added", "Args.size", None, "size: int = 2")],
    ),
    "changed and removed": (
        [field_("default_changed", "1", "2"), field_("removed", "size: int = 2", None)],
        [("field_removed", "Args.size", "size: int = 1", None)],
    ),
    "removed and added with another value": (
        [field_("removed", "size: int = 1", None), field_("added", None, "size: int = 2")],
        [("field_default_changed", "Args.size", "1", "2")],
    ),
    "removed and added without a value": (
        [field_("removed", "size: int = 1", None), field_("required_added", None, "size: int")],
        [("field_required_added", "Args.size", "size: int = 1", "size: int")],
    ),
    "added, then required": (
        [field_("added", None, "size: int = 1"), field_("required_added", "size: int = 1", "size: int")],
        [("field_required_added", "Args.size", None, "size: int")],
    ),
    "a field renamed within its class": (
        [field_("renamed", "size", "width"), field_("renamed", "width", "span", "Args.width")],
        [("field_renamed", "Args.size", "size", "span")],
    ),
    "a value follows the new name": (
        [
            field_("default_changed", "1", "2"),
            field_("renamed", "size", "width"),
            field_("default_changed", "2", "1", "Args.width"),
        ],
        [("field_renamed", "Args.size", "size", "width")],
    ),
    "a parameter renamed and removed": (
        [
            found("parameter_renamed", "run(a)", "a", "b"),
            found("parameter_removed", "run(b)", "b=1", None),
        ],
        [("parameter_removed", "run(a)", "a=1", None)],
    ),
    "an operator back with another signature": (
        [
            found("operator_removed", "ns::f", "f(Tensor a) -> ()", None, breaking=True, alias=NONE),
            found("operator_added", "ns::f", None, "f(Tensor a, int b) -> ()"),
        ],
        [("operator_changed", "ns::f", "f(Tensor a) -> ()", "f(Tensor a, int b) -> ()")],
    ),
    "widened and narrowed": (
        [
            found("literal_widened", "Mode", '"a"', '"a", "b"'),
            found("literal_narrowed", "Mode", '"a", "b"', '"b"', breaking=True, alias=NONE),
        ],
        [("literal_narrowed", "Mode", '"a"', '"b"')],
    ),
    "moved, then renamed": (
        [
            found("class_moved", "Box", "pkg.a.Box", "pkg.b.Box", path="pkg/b.py"),
            found("class_renamed", "Box", "Box", "Crate", path="pkg/b.py"),
        ],
        [("class_renamed", "Box", "pkg.a.Box", "pkg.b.Crate")],
    ),
    "moved and moved back": (
        [
            found("class_moved", "Box", "pkg.a.Box", "pkg.b.Box", path="pkg/b.py"),
            found("class_moved", "Box", "pkg.b.Box", "pkg.a.Box", path="pkg/a.py"),
        ],
        [],
    ),
    "what is inside moves along": (
        [
            found("parameter_default_changed", "run(n)", "1", "2", path="pkg/a.py"),
            found("module_moved", "pkg.a (3 names)", "pkg.a", "pkg.b", path="pkg/b.py"),
            found("parameter_default_changed", "run(n)", "2", "1", path="pkg/b.py"),
        ],
        [("module_moved", "pkg.a (3 names)", "pkg.a", "pkg.b")],
    ),
    "a guard changed and taken out": (
        [found("guard_changed", "f", "assert a", "assert b"), found("guard_removed", "f", "assert b", None)],
        [("guard_removed", "f", "assert a", None)],
    ),
    "two guards of one function": (
        [found("guard_added", "f", None, "assert a"), found("guard_removed", "f", "assert b", None)],
        [("guard_added", "f", None, "assert a"), ("guard_removed", "f", "assert b", None)],
    ),
    "deprecated and removed": (
        [found("deprecated", "run", None, "run"), REMOVED],
        [("function_removed", "run", "def run():", None)],
    ),
    "a flag deprecated and removed": (
        [found("cli_flag_deprecated", "--fast", "--fast", "--quick", alias=Alias("deprecated")), NO_FLAG],
        [("cli_flag_removed", "--fast", "--fast", None)],
    ),
    "what is new in a new class": (
        [found("class_added", "Args", None, "class Args:"), field_("added", None, "size: int = 1")],
        [("class_added", "Args", None, "class Args:")],
    ),
    "what only looks different": ([found("only_comments", ""), found("only_types", "")], []),
}


@pytest.mark.parametrize("name", CASES)
def test_a_range_says_what_is_true_of_it_as_a_whole(name: str) -> None:
    steps, expected = CASES[name]
    assert seen(net(history(*steps))) == expected


@pytest.mark.parametrize("name", CASES)
def test_cut_anywhere_and_put_together_it_says_the_same(name: str) -> None:
    steps = history(*CASES[name][0])
    for cut in range(len(steps) + 1):
        assert facts(compose(net(steps[:cut]), net(steps[cut:]))) == facts(net(steps))


@pytest.mark.parametrize("name", CASES)
def test_undone_step_by_step_nothing_is_left(name: str) -> None:
    steps = history(*CASES[name][0])
    assert net(steps + [(f"undo {sha}", mirrored(finding)) for sha, finding in reversed(steps)]) == ()


def test_what_is_gone_hides_what_changed_in_it_until_it_is_back() -> None:
    gone = net(history(DEFAULT, NO_FLAG))
    assert seen(gone) == [("cli_flag_removed", "--fast", "--fast", None)]
    assert seen(gone[0].under) == [("cli_default_changed", "--fast", "1", "2")]
    assert seen(compose(gone, net(history(FLAG)))) == [("cli_default_changed", "--fast", "1", "2")]


def test_what_still_works_under_its_old_name_hides_nothing() -> None:
    kept = replace(NO_FLAG, breaking=False, alias=KEPT)
    assert len(net(history(DEFAULT, kept))) == 2


@pytest.mark.parametrize(
    ("steps", "breaking"),
    [
        ([REMOVED], True),
        ([ADDED], False),
        ([renamed("A", "B"), replace(renamed("B", "C"), breaking=False)], True),
        ([replace(REMOVED, breaking=False, alias=KEPT), REMOVED], True),
        ([REMOVED, ADDED, replace(REMOVED, breaking=False)], False),
        ([found("env_added", "A", None, "A"), renamed("A", "B")], False),
        ([found("extension_method_added", "Base.run", None, "def run(self):", breaking=True)], True),
        ([field_("removed", "size: int = 1", None), field_("added", None, "size: int = 2")], False),
        (
            [
                found("literal_narrowed", "M", '"a", "b"', '"a"', breaking=True, alias=NONE),
                found("literal_widened", "M", '"a"', '"a", "b", "c"'),
            ],
            False,
        ),
    ],
)
def test_breaking_is_what_still_stands(steps: list[Finding], breaking: bool) -> None:
    (one,) = net(history(*steps))
    assert one.finding.breaking is breaking


def test_the_newest_word_on_the_alias_counts() -> None:
    (one,) = net(history(replace(REMOVED, breaking=False, alias=KEPT), REMOVED))
    assert one.finding.alias == NONE


def test_a_net_names_its_changes_and_stands_where_the_last_one_is() -> None:
    (one,) = net(history(renamed("A", "B"), ADDED, renamed("B", "C"), REMOVED))
    assert one.commits == ("c1", "c3")
    assert (one.finding.id, one.finding.line) == ("c3/0", 3)


def test_breaking_first_then_by_surface_and_name() -> None:
    order = [found("metric_added", "m", None, "m"), DEFAULT, ADDED, found("env_added", "B", None, "B"), NO_FLAG]
    order[1] = replace(DEFAULT, symbol="--slow")
    assert [n.finding.symbol for n in net(history(*order))] == ["--fast", "--slow", "B", "m", "run"]


def test_the_findings_of_one_commit_hold_at_the_same_time() -> None:
    swap = [("c1", renamed("A", "B")), ("c1", renamed("B", "A"))]
    assert seen(net(swap)) == [("env_renamed", "A", "A", "B"), ("env_renamed", "B", "B", "A")]
    taken = [("c1", found("env_added", "A", None, "A")), ("c1", renamed("A", "B"))]
    assert seen(net(taken)) == [("env_renamed", "A", "A", "B"), ("env_added", "A", None, "A")]


def test_how_the_kinds_of_a_family_hang_together() -> None:
    assert known("nobody_yields_this") is None
    assert known("parameter_moved") == ("parameter_order", "changed")
    assert known("parameter_required_added") == ("parameter", "added")
    assert known("cli_flag_deprecated") == ("cli_deprecated", "marked")
    assert {"env", "guard", "header", "waiting_note"} <= paired()
    assert not {"gate", "switch", "literal", "module"} & paired()
    assert (one_way("macro"), one_way("module"), one_way("env")) == (True, True, False)
    assert changed()["parameter"] == "parameter_default_changed"
    assert "env" not in changed()


# --- mirror --------------------------------------------------------------------------------------------------------

IMAGES = [
    (ADDED, REMOVED),
    (FLAG, NO_FLAG),
    (renamed("A", "B"), renamed("B", "A")),
    (found("field_renamed", "Args.a", "a", "b"), found("field_renamed", "Args.b", "b", "a")),
    (found("parameter_renamed", "f(a)", "a", "b"), found("parameter_renamed", "f(b)", "b", "a")),
    (
        found("parameter_required_added", "f(a)", None, "a", breaking=True),
        found("parameter_removed", "f(a)", "a", None, breaking=True, alias=NONE),
    ),
    (
        found("parameter_added", "f(a)", None, "a=1"),
        found("parameter_removed", "f(a)", "a=1", None, breaking=True),
    ),
    (
        found("literal_widened", "M", '"a"', '"a", "b"'),
        found("literal_narrowed", "M", '"a", "b"', '"a"', breaking=True, alias=NONE),
    ),
    (found("guard_added", "f", None, "assert a"), found("guard_removed", "f", "assert a", None)),
    (
        found("class_renamed", "A", "pkg.a.A", "pkg.b.B"),
        found("class_renamed", "B", "pkg.b.B", "pkg.a.A"),
    ),
    (
        found("module_moved", "a.b (3 names)", "a.b", "a.c"),
        found("module_moved", "a.c (3 names)", "a.c", "a.b"),
    ),
    (found("only_comments", ""), found("only_comments", "")),
]


@pytest.mark.parametrize(("one", "other"), IMAGES)
def test_read_backwards(one: Finding, other: Finding) -> None:
    assert mirrored(one) == other
    assert mirrored(other) == one


@pytest.mark.parametrize("breaking", [True, False])
@pytest.mark.parametrize("alias", [None, NONE, KEPT])
def test_the_image_of_the_image_is_the_finding(breaking: bool, alias: Alias | None) -> None:
    # A removal does not say behind which gate a name stood, nor whether requests and messages had to carry a field.
    for kind in kinds().keys() - {"symbol_gated_added", "request_field_required_added", "sent_field_required_added"}:
        finding = example(kind, breaking, alias)
        assert mirrored(mirrored(finding)) == finding


def example(kind: str, breaking: bool, alias: Alias | None) -> Finding:
    """A finding as readers fill it."""
    came, went = kind.endswith("_added") or kind == "deprecated", kind.endswith("_removed")
    symbol = "C.f(x)" if kind.startswith("parameter_") else "x"
    finding = found(kind, symbol, None if came else "x", None if went else "y", breaking=breaking, alias=alias)
    if kind.endswith("_required_added"):
        finding = replace(finding, after="x")
    elif kind in ("parameter_added", "field_added", "internal_field_added"):
        finding = replace(finding, after="x = 1")
    elif kind in ("literal_widened", "literal_narrowed"):
        choices = ('"x"', '"x", "y"') if kind == "literal_widened" else ('"x", "y"', '"x"')
        finding = replace(finding, before=choices[0], after=choices[1])
    elif kind == "exception_changed":
        finding = replace(finding, symbol="y")
    return finding


@pytest.mark.parametrize(
    ("finding", "kind"),
    [
        (ADDED, "function_removed"),
        (REMOVED, "function_added"),
        (found("parameter_added", "run(x)", None, "x=1"), "parameter_removed"),
        (found("parameter_removed", "run(x)", "x=1", None), "parameter_added"),
        (found("header_added", "a/b.h", None, "a/b.h"), "header_removed"),
    ],
)
def test_what_is_inside_a_project_breaks_nobody_in_either_direction(finding: Finding, kind: str) -> None:
    inside = replace(finding, breaking=False, inner=True)
    back = mirrored(inside)
    assert (back.kind, back.breaking, back.inner) == (kind, False, True)
    assert mirrored(back) == inside

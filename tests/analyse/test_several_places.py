"""What goes from several places is told once, in the plural; what moves together too."""

from __future__ import annotations

from daybreak.core.model.findings import Finding
from daybreak.judge.action_words import headed
from daybreak.judge.phrases import what
from daybreak.judge.several_places import together


def _finding(kind: str, symbol: str, before: str | None = None, after: str | None = None) -> Finding:
    return Finding(f"{kind} {symbol}", kind, "pkg/a.py", 1, symbol, before, after, breaking=True)


def _told(findings: list[Finding]) -> list[str]:
    return [one.text["en"] for one in what(findings, 9)]


def test_a_parameter_and_a_field_that_go_from_three_places_are_one_sentence() -> None:
    gone = [
        _finding("internal_field_removed", "Layer.enable_eplb"),
        _finding("internal_parameter_removed", "BaseRouter.__init__(enable_eplb)"),
        _finding("internal_parameter_removed", "make_router(enable_eplb)"),
    ]
    assert _told(gone) == ["`enable_eplb` is gone from `Layer`, `BaseRouter` and `make_router`."]
    assert headed(gone)["en"] == "`enable_eplb` is gone from `Layer`, `BaseRouter` and `make_router`"


def test_two_places_are_told_as_they_are() -> None:
    gone = [_finding("internal_parameter_removed", f"{name}.__init__(seed)") for name in ("A", "B")]
    assert not together(gone[0], gone)
    assert all("`A.__init__(seed)`" in one for one in _told(gone))


def test_what_has_to_be_given_at_several_places_says_so() -> None:
    new = [_finding("internal_parameter_required_added", f"{name}(group)") for name in ("one", "two", "three")]
    assert _told(new) == ["`group` has to be given to `one`, `two` and `three`."]


def test_functions_that_move_to_one_module_together_are_one_sentence() -> None:
    moved = [_finding("function_moved", name, f"pkg.utils.{name}", f"pkg.gguf.{name}") for name in ("load", "split")]
    assert _told(moved) == ["Moves `load` and `split` from `pkg.utils` to `pkg.gguf`."]


def test_functions_that_move_to_two_modules_are_two_sentences() -> None:
    moved = [_finding("function_moved", name, f"pkg.utils.{name}", f"pkg.{name}.{name}") for name in ("load", "split")]
    assert len(_told(moved)) == 2

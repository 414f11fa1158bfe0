"""The machine that is asked for before a list that decides, and what a condition sets for whoever sets nothing."""

from __future__ import annotations

from daybreak.findings.asked_on import _asked, _once_each, _with_deed
from daybreak.findings.languages.base import Fact

ARGS = """class Args:
    def adjust(self):
        if not self.uses_mla:
            if (
                is_hopper()
                and self.one_draft(self)
                and is_default_architecture(self.config)
            ):
                self.backend = "fa3"
        if is_blackwell():
            if (
                (self.quantization in ("fp8",) or self.quantization is None)
                and self.runner == "auto"
            ):
                self.runner = "trtllm"
"""


def test_a_list_that_is_asked_on_one_machine_alone_says_on_which() -> None:
    assert list(_asked(ARGS, "is_default_architecture")) == ["is_hopper()"]
    assert list(_asked(ARGS.replace("is_hopper()", "self.new"), "is_default_architecture")) == [None]


def test_a_condition_says_what_it_sets_and_on_which_machine() -> None:
    fact = Fact("dispatch_changed", "engine/server_args.py", 12, "Args.adjust", "a", "a or self.quantization is None")
    found = _with_deed(fact, ARGS)
    assert (found.default, found.under) == ('runner = "trtllm"', "is_blackwell()")
    assert _with_deed(fact, ARGS.replace('"trtllm"', "pick()")).default is None


def test_a_condition_that_decides_nothing_but_a_setting_is_told_once_by_the_setting() -> None:
    path, wider = "engine/server_args.py", "self.quantization is None"
    more = Fact("filled_for_more", path, 16, "runner", "'trtllm' if a", f"'trtllm' if a or {wider}", breaking=True)
    asked = Fact("dispatch_changed", path, 12, "Args.adjust", "a", f"a or {wider}")
    deed = Fact(
        "dispatch_changed",
        path,
        12,
        "Args.adjust",
        "a",
        f"a or {wider}",
        default='runner = "trtllm"',
        under="is_blackwell()",
    )
    other = Fact("dispatch_changed", path, 30, "Args.other", "b", f"b or {wider}", default='page = "none"')
    (told,) = _once_each({more, deed})
    assert (told.kind, told.default, told.under) == ("filled_for_more", 'runner = "trtllm"', "is_blackwell()")
    assert _once_each({more, asked}) == {more}
    assert len(_once_each({more, other})) == 2

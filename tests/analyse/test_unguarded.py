"""Unguarded: a fix says what went wrong by the language's own rules, and nothing where that is not sure."""

import pytest

from analyse.test_gist import CODE, english
from read.made import patch_of

FIX = "[Bugfix] Start without a model"


def said(old: str, new: str, subject: str = FIX) -> str:
    return str(english({CODE: patch_of(old, new)}, subject=subject))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("use(self.plan.model)\n", "if self.plan is not None:\n    use(self.plan.model)\n", "`self.plan` may be None"),
        ("run()\nuse(plan.model)\n", "run()\nif plan is None:\n    return\nuse(plan.model)\n", "`plan` may be None"),
        ("ok = plan.stage\n", "ok = getattr(plan, 'stage', False)\n", "`plan.stage` need not be there"),
        (
            "if a and plan.stage:\n    run()\n",
            "if a and hasattr(plan, 'stage') and plan.stage:\n    run()\n",
            "AttributeError",
        ),
        ("if params.top:\n    run()\n", "if params.top is not None:\n    run()\n", "also where it is 0 or empty"),
        ("ok = mode is 'direct'\n", "ok = mode == 'direct'\n", "by value"),
        ("raise ValueError('no layout {name} here')\n", "raise ValueError(f'no layout {name} here')\n", "braces"),
    ],
)
def test_a_fix_says_what_went_wrong_where_nobody_asked(old: str, new: str, fault: str) -> None:
    assert fault in said(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # asked already
        ("if plan:\n    use(plan.model)\n", "if plan is not None and ready:\n    use(plan.model)\n"),
        # it is None only since this change
        ("x = make()\nuse(plan.model)\n", "plan = None\nif plan is not None:\n    use(plan.model)\n"),
        # set, not read
        ("plan.stage = 1\n", "check(getattr(plan, 'stage', 0))\n"),
        # what calls it still sees an error
        ("use(plan.model)\n", "assert plan is not None\nuse(plan.model)\n"),
        ("use(plan.model)\n", "if plan is None:\n    raise ValueError(plan)\nuse(plan.model)\n"),
    ],
)
def test_nothing_is_said_to_have_failed_where_that_is_not_sure(old: str, new: str) -> None:
    found = said(old, new)
    assert "may be None" not in found
    assert "need not be there" not in found


def test_a_fault_of_another_name_in_the_title_is_not_contradicted() -> None:
    pair = ("use(plan.model)\n", "if plan is not None:\n    use(plan.model)\n")
    assert "may be None" not in said(*pair, "[Bugfix] Fix KeyError for an empty plan")
    assert "may be None" in said(*pair, "[Bugfix] Fix AttributeError for an empty plan")


def test_what_comes_with_a_feature_is_no_fault() -> None:
    assert "may be None" not in said("use(plan.model)\n", "if plan is not None:\n    use(plan.model)\n", "Take no plan")

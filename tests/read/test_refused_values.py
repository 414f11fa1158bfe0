"""Values that a function chose a branch by and refuses now."""

from __future__ import annotations

import pytest

from daybreak.findings import read

PUBLIC, INNER = "vllm/__init__.py", "vllm/v1/core/loop.py"
HEAD = 'def load(x, mode="auto"):\n    if mode == "auto":\n        return 1\n'
FAST = '    elif mode == "fast":\n        return 2\n'
SLOW = '    elif mode in ("slow", "late"):\n        return 3\n'
ELSE = "    else:\n        raise ValueError(mode)\n"
BEHIND = "    raise ValueError(mode)\n"
OTHERWISE = "    else:\n        return 4\n"
NARROWED = [("load(mode)", '"auto", "fast", "slow", "late"', '"auto", "slow", "late"', True)]


@pytest.mark.parametrize(
    ("what", "path", "before", "after", "expected"),
    [
        ("behind the last branch", PUBLIC, FAST + SLOW + ELSE, SLOW + ELSE, NARROWED),
        ("behind the chain", PUBLIC, FAST + SLOW + BEHIND, SLOW + BEHIND, NARROWED),
        ("taken with all others", PUBLIC, FAST + SLOW + OTHERWISE, SLOW + OTHERWISE, []),
        ("refused from now on as all others", PUBLIC, FAST + SLOW + OTHERWISE, SLOW + ELSE, []),
        ("in another branch", PUBLIC, FAST + SLOW + ELSE, SLOW.replace("(", '("fast", ') + ELSE, []),
        ("another way", PUBLIC, FAST + SLOW + ELSE, f'{SLOW}{ELSE}\n\nKNOWN = {{"fast": 2}}\n', []),
        ("by the project alone", INNER, FAST + SLOW + ELSE, SLOW + ELSE, []),
    ],
)
def test_a_value_whose_branch_went_is_refused(
    what: str, path: str, before: str, after: str, expected: list[tuple[str, str, str, bool]]
) -> None:
    found = read({path: HEAD + before}, {path: HEAD + after}, project="vllm-project/vllm")
    told = [(f.symbol, f.before, f.after, f.breaking) for f in found if f.kind == "literal_narrowed"]
    assert told == expected, what

"""Tables of before, after and the findings that must come out: no more, no fewer."""

import pytest

from read.made import read, told


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", '@deprecated("use run")\ndef old(x):\n    pass\n', [("deprecated", "old", None, "old", False)]),
        (
            "",
            '    warnings.warn("`--old` is deprecated", DeprecationWarning)\n',
            [("deprecated", "--old", None, "--old", False)],
        ),
        ("", '    warnings.filterwarnings("ignore", category=DeprecationWarning)\n', []),
        (
            '    warn("`a_b` is deprecated", DeprecationWarning)\n',
            '    warn("`a_b` was deprecated", DeprecationWarning)\n',
            [],
        ),
    ],
)
def test_deprecations(before: str, after: str, expected: list[object]) -> None:
    assert told(read("engine/core.py", before, after)) == expected

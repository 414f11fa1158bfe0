"""Faults that code shows: another operand, and what a test says was raised."""

import pytest

from analyse.test_faults import told
from read.made import change_of, patch_of

KERNEL = patch_of("    o += dot(q, h.to(q.dtype))\n", "    o += dot(q, trans(h).to(q.dtype))\n")
SKIPPED = patch_of("    grad = zeros_like(h)\n", "    grad = zeros_like(h) if needed else None\n")
COMPARED = patch_of("", "def test_kernel():\n    torch.testing.assert_close(kernel(q), naive(q))\n")


@pytest.mark.parametrize(
    ("subject", "patches", "wrong"),
    [
        ("[Bugfix] correct h matrix layout of the kernel", {"engine/kernel.py": KERNEL}, True),
        ("[Bugfix] Fix rescaling of the kernel", {"engine/kernel.py": KERNEL}, True),
        ("[Bugfix] Fix the output kernel", {"engine/kernel.py": KERNEL}, False),
        ("[Bugfix] Fix the output kernel", {"engine/kernel.py": KERNEL, "tests/test_kernel.py": COMPARED}, True),
        ("fix: skip unneeded gradients", {"engine/kernel.py": SKIPPED, "tests/test_kernel.py": COMPARED}, False),
        ("[Bugfix] Fix shape mismatch of the layout", {"engine/kernel.py": KERNEL}, False),
        ("[Bugfix] correct h matrix layout of the kernel", {"engine/kernel.py": patch_of("", "check(h)\n")}, False),
        (
            "[Bugfix] missing index transfer of the draft",
            {"engine/transfer.py": patch_of("args = infos(pool)\n", "args = infos(pool)\nargs.index += draft.index\n")},
            True,
        ),
        (
            "fix: correct store and num_scheduled_tokens of a connector",
            {"engine/link.py": patch_of("n = cached.num_tokens[at]\n", "n = output.num_scheduled_tokens[at]\n")},
            True,
        ),
        ("[Bugfix] missing index transfer", {"engine/core.py": patch_of("", "check(h)\n")}, False),
    ],
)
def test_another_operand_shows_a_wrong_result_where_the_title_or_a_test_speaks_of_results(
    subject: str, patches: dict[str, str], wrong: bool
) -> None:
    found = told(change_of(patches, subject=subject))
    assert (found is not None and found.hazard.name == "wrong_result") is wrong


def test_a_test_that_says_what_was_raised_bears_out_a_title() -> None:
    code = patch_of("if cap is not None:\n    cut()\n", "if admit and cap is not None:\n    cut()\n")
    test = patch_of(
        "",
        "def test_blocks():\n"
        '    """Blocks must be what the pool gives to allocate; otherwise the pool raises ValueError."""\n'
        "    assert need() == given()\n",
    )
    found = told(
        change_of({"engine/pool.py": code, "tests/test_pool.py": test}, subject="Fix failure to allocate blocks")
    )
    assert found is not None
    assert (found.hazard.name, found.shown) == ("crash", True)

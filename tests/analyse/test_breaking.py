"""Breaks: what a finding proves, and what a subject announces together with code that bears it out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.core.model.changes import Change
from daybreak.findings.reading import read_one
from daybreak.judge.breaking import is_breaking
from read.made import change_of, patch_of

CODE = patch_of("    a = 1\n", "    a = 2\n")


def breaks(change: Change) -> list[str]:
    found, reasons = is_breaking(change, read_one(change))
    assert found == bool(reasons)
    return [reason.code for reason in reasons]


@pytest.mark.parametrize(
    ("subject", "path", "before", "after", "code"),
    [
        ("Tidy", "engine/server_args.py", '    p.add_argument("--kv")\n', "", "cli_flag_removed"),
        ("Deprecate the old loader", "engine/load.py", "    old_loader()\n", "    new_loader()\n", "deprecates"),
        ("[Deprecation] Old loader", "engine/load.py", "    old_loader()\n", "    new_loader()\n", "deprecates"),
        ("Add loader", "engine/load.py", "", '    warn("x is deprecated, use y instead")\n', "deprecates"),
        ("Remove RTN", "engine/quant/table.py", '    "rtn",\n    "awq",\n', '    "awq",\n', "name_gone"),
        ("Replace decord with torchcodec", "engine/video.py", "import decord\n", "import torchcodec\n", "name_gone"),
        ("Rename `kv_size` to `kv_bytes`", "engine/c.py", "    kv_size: int\n", "    kv_bytes: int\n", "name_gone"),
        ("Disable overlap by default", "engine/c.py", "    on = True\n", "    on = False\n", "default_behaviour"),
        ("Reject empty prompts", "engine/c.py", "", "        raise ValueError('empty')\n", "refuses"),
    ],
)
def test_breaks(subject: str, path: str, before: str, after: str, code: str) -> None:
    assert code in breaks(change_of({path: patch_of(before, after)}, subject=subject))


@pytest.mark.parametrize(
    ("subject", "path", "before", "after"),
    [
        ("Deprecate the old loader", "docs/load.md", "old\n", "new\n"),
        ("Deprecate the old loader", "tests/test_load.py", "old()\n", "new()\n"),
        ("Deprecated things stay", "engine/load.py", "", "    pass\n"),
        ("Remove dead code", "engine/load.py", "    a = 1\n", ""),
        ("Remove `old` from a comment", "engine/load.py", "    # old\n", ""),
        (
            "Rename `kv_size` to `kv_bytes`",
            "engine/c.py",
            "    kv_size: int\n",
            "    kv_bytes: int\n    kv_size: int = 0\n",
        ),
        ("Replace urllib with urllib3", "engine/c.py", "import urllib\n", "import urllib3\n"),
        ("Fix default-stream capture", "engine/c.py", "    a = 1\n", "    a = 2\n"),
        ("Fix wrong default of x", "engine/c.py", "    a = 1\n", "    a = 2\n"),
        ("Reject empty prompts", "engine/c.py", "", "        return None\n"),
        ("Take a short edge instead of rejecting it", "engine/c.py", "", "        raise ValueError('n')\n"),
        ("Stop wrongly rejecting empty prompts", "engine/c.py", "", "        raise ValueError('n')\n"),
        ("Support rejection sampling", "engine/c.py", "", "        raise ValueError('n')\n"),
        ("Fix a patch breaking capture", "engine/c.py", "    old_call(1)\n", "    new_call(1)\n"),
        ("Replace deprecated OldProcessor", "engine/c.py", "    OldProcessor(1)\n", "    NewProcessor(1)\n"),
        ("Fix deprecation warnings from a library", "engine/c.py", "    old_call(1)\n", "    new_call(1)\n"),
        ("Tidy", "engine/c.py", "    a = 1\n", "    a = 2\n"),
    ],
)
def test_does_not_break(subject: str, path: str, before: str, after: str) -> None:
    assert breaks(change_of({path: patch_of(before, after)}, subject=subject)) == []


def test_words_without_code_never_break() -> None:
    assert breaks(change_of({}, subject="BREAKING CHANGE: remove everything, deprecate the rest", empty=True)) == []
    assert breaks(change_of({"a.py": CODE}, subject="Deprecate x", skipped="missing")) == []


@given(st.text(max_size=200), st.text(max_size=300), st.text(max_size=300))
def test_hostile_text_never_raises(subject: str, before: str, after: str) -> None:
    is_breaking(change := change_of({"engine/a.py": patch_of(before, after)}, subject=subject), read_one(change))

"""Waiting notes: comments that wait for something elsewhere."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings.languages.notes import facts
from read.behaviour import facts_of, file_of

PATH = "engine/compat.py"
CODE = "x = 1\ny = 2\nz = 3\n"

WAITING = [
    ("# TODO: remove once torch 2.9 is the minimum", "TODO: remove once torch 2.9 is the minimum"),
    ("# FIXME(ada): drop this after flashinfer 0.6.2 is out.", "FIXME(ada): drop this after flashinfer 0.6.2 is out."),
    ("# TODO: Remove after vllm-xpu-kernels supports it.", "TODO: Remove after vllm-xpu-kernels supports it."),
    (
        "# TODO: once https://github.com/a/b/pull/12 lands, delete this",
        "TODO: once https://github.com/a/b/pull/12 lands, delete this",
    ),
    ("x = 2  # HACK: revert when cutlass is fixed", "HACK: revert when cutlass is fixed"),
    (
        "# WORKAROUND for a bug:\n# remove when triton 3.6 is released.",
        "WORKAROUND for a bug: remove when triton 3.6 is released.",
    ),
    ("# temporary, re-enable after upstream merges the fix", "temporary, re-enable after upstream merges the fix"),
]
OTHER = [
    "# TODO: make this faster",
    "# TODO(ada): add tests",
    "# use torch 2.9 here",
    "# NOTE: when torch is None we return",
    'text = "TODO: remove once torch 2.9"',
    "# remove the last element after sorting",
]


@pytest.mark.parametrize(("comment", "text"), WAITING)
def test_a_note_that_comes_and_one_that_goes(comment: str, text: str) -> None:
    without, with_note = CODE, CODE + comment + "\n"
    assert facts_of(facts, file_of(PATH, without, with_note)) == [("waiting_note_added", "compat.py", None, text)]
    assert facts_of(facts, file_of(PATH, with_note, without)) == [("waiting_note_removed", "compat.py", text, None)]


@pytest.mark.parametrize("comment", OTHER)
def test_other_comments(comment: str) -> None:
    assert facts_of(facts, file_of(PATH, CODE, CODE + comment + "\n")) == []


def test_in_a_kernel() -> None:
    after = "int a;\n// TODO: remove once CUDA 13 is the minimum\nint b;\n"
    (found,) = facts_of(facts, file_of("csrc/a.cu", "int a;\nint b;\n", after))
    assert found == ("waiting_note_added", "a.cu", None, "TODO: remove once CUDA 13 is the minimum")


def test_a_note_that_moved_or_was_reworded_is_neither() -> None:
    note = "# TODO: remove once torch 2.9 is the minimum\n"
    assert facts_of(facts, file_of(PATH, note + CODE, CODE + note)) == []
    assert facts_of(facts, file_of(PATH, note + CODE, note.replace("remove", "delete") + CODE)) == []
    gone, come = file_of(PATH, note + CODE, CODE), file_of("engine/other.py", CODE, note + CODE)
    assert facts_of(facts, gone, come) == []


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["# TODO", "remove once ", "torch 2.9", "\n", "//", '"', "http://"]) | st.text(max_size=5))
)
def test_never_raises(bits: list[str]) -> None:
    text = "".join(bits)
    facts_of(facts, file_of(PATH, "", text))
    assert facts_of(facts, file_of(PATH, text, text)) == []

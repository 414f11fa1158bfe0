"""Versions in the order of releases, and requirements that leave a version for both or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version as Known

from daybreak.core.versions import compatible, exact, holds, lifted, normalised, shut_out, version

_texts = st.builds(
    lambda release, stage, post, dev: ".".join(map(str, release)) + stage + post + dev,
    st.lists(st.integers(0, 12), min_size=1, max_size=4),
    st.sampled_from(["", "rc1", "rc2", "a1", "b3"]),
    st.sampled_from(["", ".post1", ".post2"]),
    st.just(""),
)


@given(_texts, _texts)
def test_the_order_is_pips(first: str, second: str) -> None:
    mine, other = version(first), version(second)
    assert mine is not None
    assert other is not None
    assert (mine < other) == (Known(first) < Known(second))
    assert (mine == other) == (Known(first) == Known(second))


@pytest.mark.parametrize("text", ["", "main", "v", "1.2.x", "abc123", "==1.0", "1.0 beta two"])
def test_no_version(text: str) -> None:
    assert version(text) is None


@pytest.mark.parametrize(
    ("mine", "theirs", "fits"),
    [
        ("==2.9.1", "==2.10.0", False),
        ("==2.9", "==2.9.0", True),
        ("==2.9.0+cu128", "==2.9.0", True),
        (">=2.9", "==2.10.0", True),
        ("<2.10", ">=2.10", False),
        ("<=2.10", ">=2.10", True),
        (">=2,<3", ">=2.5", True),
        (">=2,<3", ">=3", False),
        ("~=2.8.0", "==2.9.0", False),
        ("~=2.8", "==2.9.0", True),
        ("==2.9.*", "==2.9.1", True),
        ("==2.9.*", ">=2.10", False),
        ("!=2.9.0", "==2.9.0", False),
        (">2.9", "<2.9.1", True),
        ("2.9.0", "==2.10.0", False),
        ("", "==2.10.0", None),
        ("@main", "==2.10.0", None),
    ],
)
def test_whether_both_can_be_met(mine: str, theirs: str, fits: bool | None) -> None:
    assert compatible(mine, theirs) is fits
    assert compatible(theirs, mine) is fits


@pytest.mark.parametrize(
    ("release", "running", "has"),
    [("v0.15.0", "0.15.0", True), ("v0.15.0", "0.14.9", False), ("v0.15.0", "0.15.0rc1", False), (None, "1.0", None)],
)
def test_what_a_version_holds(release: str | None, running: str, has: bool | None) -> None:
    assert holds(release, running) is has


@pytest.mark.parametrize(
    ("specifier", "one"),
    [("==0.14.1", "0.14.1"), ("0.14.1", "0.14.1"), (">=0.14.1", None), ("==0.14.*", None), ("@main", None), ("", None)],
)
def test_the_one_version(specifier: str, one: str | None) -> None:
    assert exact(specifier) == one


def test_names_as_pypi_compares_them() -> None:
    assert normalised("Flash_Attn[x]") == normalised("flash-attn") == "flash-attn"


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        (">=3.10", ">=3.10,<3.14", ">=3.14"),
        (">=3.10", ">=3.10,<=3.13", ">3.13"),
        (">=3.9", ">=3.10", "<3.10"),
        (">=3.9", ">3.9", "<=3.9"),
        ("~=3.10", "~=3.11", "<3.11"),
        ("<3.14", "<3.15", None),
        (">=3.10", "", None),
        ("==2.9", "==2.10", ""),
        ("2.9", "2.10", ""),
        (">=2.0", ">=2.0,!=2.1", ""),
        ("==2.9", ">=2.9", None),
        ("what", "ever", None),
    ],
)
def test_which_versions_a_requirement_shuts_out(before: str, after: str, gone: str | None) -> None:
    assert shut_out(before, after) == gone


@given(st.text(max_size=80), st.text(max_size=80))
def test_hostile_requirements_shut_nobody_out_by_an_error(before: str, after: str) -> None:
    assert shut_out(before, before) is None
    shut_out(before, after)


@pytest.mark.parametrize(
    ("before", "after", "bound"),
    [
        (">=4.56,<5", ">=4.56,!=5.0.*,!=5.5.0", "<5"),
        (">=4.56,<5", ">=4.57,<6", "<5"),
        (">=4.56,<5", "*", "<5"),
        ("~=4.56", ">=4.56", "~=4.56"),
        ("==4.56.0", ">=4.56.0", "==4.56.0"),
        (">=4.56,<4.60", ">=4.56,<4.70", None),
        (">=4.56", ">=4.56,<5", None),
        (">=4.56", ">=4.60", None),
        ("<5,>=4.56", ">=4.56,<5", None),
        ("main", ">=4.56", None),
    ],
)
def test_a_bound_that_kept_newer_major_versions_out_is_named_where_it_went(
    before: str, after: str, bound: str | None
) -> None:
    assert lifted(before, after) == bound
    assert lifted(before, before) is None
    assert lifted(after, after) is None

"""The words of net findings: whole sentences in both languages, of nothing that is not there."""

from __future__ import annotations

import re

import pytest

from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Net
from daybreak.findings.kinds import kinds
from daybreak.upgrade.range.range_page import worded


def words(kind: str, before: str | None = None, after: str | None = None, symbol: str = "Config.block") -> Net:
    return worded(Net(Finding("a/1", kind, "engine/args.py", 1, symbol, before, after), ("a" * 40,)))


@pytest.mark.parametrize(
    ("kind", "before", "after", "zh", "en"),
    [
        ("field_default_changed", "1", "2", "`Config.block` 的默认值：`1` → `2`（`engine/args.py`）。", "Default of `Config.block`: `1` → `2` (`engine/args.py`)."),
        ("field_default_changed", None, "2", "`Config.block`：新增默认值 `2`（`engine/args.py`）。", "`Config.block`: has the default `2` now (`engine/args.py`)."),
        ("field_default_changed", "1", None, "`Config.block`：去掉默认值 `1`（`engine/args.py`）。", "`Config.block`: loses the default `1` (`engine/args.py`)."),
        ("decorator_changed", "@a", None, "`Config.block`：去掉 `@a`（`engine/args.py`）。", "`Config.block`: loses `@a` (`engine/args.py`)."),
        ("annotation_changed", "int", "str", "`Config.block`：`int` → `str`（`engine/args.py`）。", "`Config.block`: `int` → `str` (`engine/args.py`)."),
        ("annotation_changed", None, "str", "`Config.block` 声明了类型：`str`（`engine/args.py`）。", "The type of `Config.block` is declared: `str` (`engine/args.py`)."),
        ("return_changed", None, None, "`Config.block` 有改动（`engine/args.py`）。", "`Config.block` changed (`engine/args.py`)."),
    ],
)  # fmt: skip
def test_sentences(kind: str, before: str | None, after: str | None, zh: str, en: str) -> None:
    assert words(kind, before, after).text == {"zh": zh, "en": en}


def test_what_to_write_instead() -> None:
    net = words("cli_flag_renamed", "--a", "--b")
    assert (net.who or {})["en"] == "deployments whose launch commands use `--a`"
    assert net.how == {"zh": "改用 `--b`", "en": "use `--b` instead"}
    assert words("field_default_changed", None, "2").how is None
    assert words("function_added").how is None


@pytest.mark.parametrize(("before", "after"), [("x", "y"), ("x", None), (None, "y"), (None, None)])
def test_every_kind_gives_a_whole_sentence_without_gaps(before: str | None, after: str | None) -> None:
    for net in (words(kind, before, after) for kind in kinds()):
        for text in filter(None, (net.text, net.who, net.how)):
            assert not any("`?`" in said or "{" in said or said.count("`") % 2 for said in text.values())
        quoted = [set(re.findall("`([^`]*)`", said)) for said in net.text.values()]
        assert quoted[0] == quoted[1]


def test_words_do_not_tell_nets_apart() -> None:
    plain = Net(Finding("a/1", "env_removed", "p", 1, "X"), ("a" * 40,))
    assert worded(plain) == plain
    assert hash(worded(plain)) == hash(plain)


def test_hostile_names_stay_inside_code() -> None:
    text = words("cli_flag_removed", symbol="`] <b> \x1b[31m [a](http://x)").text
    assert text["en"].startswith("Removes the command line option `'] <b> [31m [a](http://x)`")

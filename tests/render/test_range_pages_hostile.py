"""Pages of an upgrade hold what they quote as data, and folds that close."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

from daybreak.core.model.changes import Skipped
from daybreak.core.model.upgrade import Net, RangeReport
from daybreak.upgrade.range.range_page import worded
from render import range_factory
from render.test_range_pages import HOSTILE, main, pages


def hostile() -> RangeReport:
    """Subject, author, names, paths, values, tags, refs and the reader's own code, all of them out to do harm."""
    report = range_factory.report()
    found = range_factory.finding(
        1, "cli_flag_renamed", HOSTILE, before=HOSTILE, after="b|" + HOSTILE, path=HOSTILE, breaking=True
    )
    told = range_factory.graded(1, HOSTILE, "high", "fix", found, reason=range_factory.FIX)
    net = worded(Net(found, (told.change.sha,), HOSTILE))
    bare = replace(net, text={}, who=None, how=None)
    hit = range_factory.hits()[0]
    use = replace(hit.use, path=HOSTILE, text=HOSTILE, name=HOSTILE)
    evil = replace(hit, net=net, use=use, why=net.text, pinned=HOSTILE, pin_at=HOSTILE, acknowledged=HOSTILE)
    many_nets = tuple(replace(net, finding=replace(found, id=f"x/{n}")) for n in range(9))
    span = replace(report.span, start=replace(report.span.start, name=HOSTILE))
    return replace(
        report, span=span, entries=(told,), nets=(*many_nets, bare), hits=(evil, replace(evil, acknowledged=None)),
        skipped=(Skipped(HOSTILE, HOSTILE),), outages=(replace(report.outages[0], fault=told.change.sha),),
    )  # fmt: skip


@pytest.mark.parametrize("asked", [True, False])
def test_nothing_hostile_takes_effect(asked: bool) -> None:
    report = hostile() if asked else replace(hostile(), hits=None)
    for path, text in pages(report).items():
        assert "\x1b" not in text
        if path.endswith(".json"):
            continue
        md = MarkdownIt("gfm-like", {"html": True, "linkify": True})
        md.linkify.set({"fuzzy_link": False})  # type: ignore[union-attr]
        for block in md.parse(text):
            in_code = False
            for token in (block, *(block.children or ())):
                in_code = token.content == "<code>" or (in_code and token.content != "</code>")
                if token.type in ("html_inline", "html_block"):
                    tags = re.findall(r"</?(\w+)", token.content)
                    assert set(tags) <= {"a", "details", "summary", "code", "b"}, token.content
                if token.type == "link_open":
                    assert not re.match(r"(?!https://github\.com/acme/)[a-z]+:", str(token.attrs["href"]))
                assert token.type != "image"
                if token.type == "text" and not in_code:
                    assert not re.search(r"@ada\b|:tada:", token.content), token.content


def test_a_fold_inside_a_list_is_html_that_closes_itself() -> None:
    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(main(range_factory.report()))
    assert html.count("<details>") == html.count("</details>")
    assert re.search(
        r"<li><details><summary>同一改动另有 3 处</summary><code>engine\.old\.f7</code>", re.sub(r">\s+<", "><", html)
    )

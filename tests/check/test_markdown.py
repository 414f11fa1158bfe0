"""The last gate finds what does not agree with the facts, wherever it came from."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from daybreak.core.model.report import Page
from daybreak.judge.day_value import day_of
from daybreak.report.gate import problems
from daybreak.report.index import day_line, render_index
from daybreak.report.render.markdown import all_pages
from render import factory

REPORT = factory.report()
DAY = "reports/2026-01-19.md"
OWN = "reports/2026-01-19/acme-engine.md"
FIRST = factory.sha(1)


def rendered() -> dict[str, Page]:
    index = render_index([day_line(day_of(REPORT))], ("zh", "en"))
    return {p.path: p for p in (*all_pages(day_of(REPORT)), *index)}


def check(path: str, edit: Callable[[str], str]) -> tuple[str, ...]:
    pages = rendered()
    before = pages[path].text
    pages[path] = replace(pages[path], text=edit(before))
    assert pages[path].text != before, "the edit must change something"
    return problems(tuple(pages.values()), day_of(REPORT), lambda _: False)


def swap(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


def after(line: str) -> Callable[[str], str]:
    return lambda text: text + line + "\n"


def test_true_pages_have_no_problem() -> None:
    assert problems(tuple(rendered().values()), day_of(REPORT), lambda _: False) == ()


def test_a_line_that_no_patch_has_is_found_on_the_page_of_the_repository() -> None:
    (found,) = check(DAY.replace(".md", "/acme-engine.md"), swap("+    return 2", "+    return 3"))
    assert "quotes a line that is not in the patch of 00000001a" in found


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (swap(f"commit/{FIRST}", f"commit/{FIRST[:39]}"), "which has 39 digits"),
        (swap(f"commit/{FIRST}", f"commit/{'f' * 40}"), "which the report does not know in acme/engine"),
        (swap(f"[`{FIRST[:9]}`]", "[`abcdef123`]"), "labels commit 00000001a as abcdef123"),
        (swap("/pull/101)", "/pull/100)"), "links to pull request 100 of acme/engine"),
        (swap("[#101](", "[#102]("), "labels pull request 101 as #102"),
        (swap("(../README.md)", "(../READYOU.md)"), "there is no READYOU.md"),
        (swap("(#acmeengine)", "(#acme-engine)"), "has no such anchor"),
        (swap(f"#c-{FIRST[:9]}", "#c-nowhere"), "has no such anchor"),
        (swap("提交 8 / ≥ 8", "提交 9 / ≥ 8"), "counts 3 9 ≥ 8 2 2 3 1 2, but the data has 3 8 ≥ 8 2 2 3 1 2"),
        (
            swap("破坏性变更（现有用法可能失效或改变） 1 ", "破坏性变更（现有用法可能失效或改变） 0 "),
            "but the data has",
        ),
        (swap("（Asia/Shanghai）", "（Asia/Tokyo）"), "does not state the zone"),
        (swap("> 窗口 2026-01-19", "> 窗口 2026-01-20"), "does not state its window"),
        (after("```diff"), "opens a code block that is never closed"),
        (after("<details>"), "<details>"),
        (after("see https://evil.example"), "would turn into a link"),
        (after("[x](https://evil.example/a/b)"), "which is no commit or pull request of a watched repository"),
        (swap("<!-- daybreak.report/1 -->", ""), "marker"),
    ],
)
def test_a_false_page_is_found(edit: Callable[[str], str], words: str) -> None:
    found = check(DAY, edit)
    assert any(words in sentence for sentence in found), found
    assert all(sentence.startswith(f"{DAY}:") for sentence in found)


@pytest.mark.parametrize("path", [DAY, OWN, "reports/2026-01-19.en.md", "reports/2026-01-19/acme-engine.en.md"])
def test_a_commit_that_is_left_out_is_found(path: str) -> None:
    sha = factory.sha(7)
    found = check(path, lambda text: "\n".join(x for x in text.split("\n") if sha not in x))
    assert found == (f"{path}:1: leaves out {sha[:9]} of acme/engine",)


@pytest.mark.parametrize("path", [DAY, OWN, "reports/2026-01-19/acme-quiet.en.md"])
def test_a_missing_page_is_found(path: str) -> None:
    pages = [page for page in rendered().values() if page.path != path]
    found = problems(pages, day_of(REPORT), lambda _: True)
    assert len(found) == 1
    assert "missing" in found[0] or "there is no page of" in found[0]


def test_pages_of_other_days_may_be_there_already() -> None:
    assert check("README.md", after("[old](reports/2026-01-18.md)"))
    pages = rendered()
    pages["README.md"] = replace(pages["README.md"], text=pages["README.md"].text + "[old](reports/2026-01-18.md)\n")
    assert problems(tuple(pages.values()), day_of(REPORT), lambda path: path == "reports/2026-01-18.md") == ()


def test_headings_make_anchors_by_githubs_rules() -> None:
    more = '\n## 🔴 A_b `c` (d) & [E](#x)\n\n## Twice\n\n## Twice\n\n<a id="x"></a>\n'
    links = "[1](#-a_b-c-d--e) [2](#twice) [3](#twice-1)"
    assert check(DAY, after(more + links)) == ()
    assert len(check(DAY, after(more + "[4](#twice-2)"))) == 1


def test_what_stands_in_a_block_is_not_read_as_markdown() -> None:
    assert check(DAY, after("```\n[x](https://evil.example/a/b) # no heading\n```")) == ()

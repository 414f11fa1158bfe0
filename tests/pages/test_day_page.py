"""The page of a day says all that the report says, alike in both languages, and what to act on first."""

from __future__ import annotations

from pathlib import Path

import pytest

from both_languages import both
from daybreak.core.model.day import Action, Day, Tells, WorkArea, in_language
from daybreak.report.archive.opening import FolderArchive
from daybreak.report.render.escape import clean
from daybreak.site.pages.day_lookup import folded_hunk_html
from daybreak.site.pages.days import DayPages
from daybreak.site.pages.templates import phrases
from pages import shelf
from pages.building import Page, parsed

LABEL = "2026-03-06"


def shown(sentence: str) -> str:
    return clean(sentence).replace("`", "")


def flat(text: str) -> str:
    return "".join(text.split())


@pytest.fixture(scope="module")
def day(demo_week: Path) -> Day:
    found = FolderArchive(demo_week).day(LABEL)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def pages(demo_site: Path) -> dict[str, Page]:
    return {lang: parsed((demo_site / lang / "days" / f"{LABEL}.html").read_text("utf-8")) for lang in ("zh", "en")}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_action_statement_and_finding_of_the_report_is_on_the_page(
    day: Day, pages: dict[str, Page], language: str
) -> None:
    text = flat(pages[language].text)
    said = [*day.summary, *day.conclusion, *(s for repo in day.repos for s in repo.assessment)]
    said += [s for _, commit in day.changes() for s in commit.statements]
    sentences = [in_language(one.text, language) for one in said] + [
        in_language(one.text, language) for one in day.actions
    ]
    sentences += [in_language(story.net, language) for repo in day.repos for story in repo.stories]
    sentences += [in_language(story.net, language) for story in day.across.stories]
    assert len(sentences) > 40
    assert [one for one in sentences if flat(shown(one)) not in text] == []
    for _, commit in day.changes():
        for finding in commit.findings:
            for piece in (finding.symbol, finding.before, finding.after):
                assert flat(clean(piece or "")) in text
        for reason in commit.importance.reasons:
            assert flat(shown(in_language(reason.text, language))) in text


def test_every_line_of_a_hunk_is_on_the_page_as_it_stands(day: Day, demo_site: Path) -> None:
    text = (demo_site / "zh" / "days" / f"{LABEL}.html").read_text("utf-8")
    hunks = [hunk for _, commit in day.changes() for hunk in commit.hunks if hunk.text is not None]
    assert any("\n \n" in hunk.text for hunk in hunks if hunk.text), "an empty line among them"
    assert [one.path for one in hunks if str(folded_hunk_html(one.path, one.text or "")) not in text] == []


def test_every_change_issue_pull_and_release_is_there_in_both_languages(day: Day, pages: dict[str, Page]) -> None:
    anchors = {f"c-{commit.short}" for _, commit in day.changes()}
    for page in pages.values():
        assert anchors <= set(page.ids)
        assert {f"r-{repo.slug}" for repo in day.repos} <= set(page.ids)
        for repo in day.repos:
            for item in (*repo.issues, *repo.pulls):
                assert item.url in page.links
                assert clean(item.title) in page.text
    assert pages["zh"].ids == pages["en"].ids
    breaks = {"wbr": 0}  # where lines may end differs by language
    assert {**pages["zh"].tags, **breaks} == {**pages["en"].tags, **breaks}


def test_what_to_act_on_comes_first_and_leads_to_its_change(day: Day, pages: dict[str, Page]) -> None:
    page = pages["en"]
    order = [one for one in page.ids if one in ("actions", "summary", "conclusion") or one.startswith("r-")]
    assert order[:2] == ["actions", "summary"]
    assert order[-1] == "conclusion"
    for action in day.actions:
        for sha in action.commits:
            assert f"#c-{sha[:12]}" in page.links


def test_the_same_page_in_the_other_language_and_the_days_around_are_one_link_away(pages: dict[str, Page]) -> None:
    assert "../../en/days/2026-03-06.html" in pages["zh"].links
    assert "../../zh/days/2026-03-06.html" in pages["en"].links
    for page in pages.values():
        assert {"2026-03-05.html", "2026-03-07.html"} <= set(page.links)


def test_a_change_can_be_filtered_by_all_that_the_form_offers(day: Day, pages: dict[str, Page]) -> None:
    page = pages["zh"]
    values = {
        name: [v for tag, n, v in page.attributes if n == name] for name in ("data-l", "data-k", "data-r", "data-b")
    }
    assert len(values["data-l"]) == len(values["data-k"]) == sum(1 for _ in day.changes())
    assert values["data-l"].count("high") == 4
    assert len(values["data-b"]) == sum(commit.breaking for _, commit in day.changes())
    options = {v for tag, n, v in page.attributes if tag == "option" and n == "value"}
    assert {commit.kind for _, commit in day.changes()} <= options


def test_the_hunk_that_decides_is_shown_line_by_line(pages: dict[str, Page]) -> None:
    page = pages["zh"]
    assert page.tags["ins"] > 5
    assert page.tags["del"] > 5
    assert '"--max-running-requests",' in page.text


def test_both_languages_have_the_same_phrases_with_the_same_places() -> None:
    import string

    zh, en = phrases("zh").table, phrases("en").table
    assert {key for key in zh if not key.endswith("_one")} == {key for key in en if not key.endswith("_one")}
    for key in zh.keys() & en.keys():
        fields = [{name for _, name, _, _ in string.Formatter().parse(table[key]) if name} for table in (zh, en)]
        assert fields[0] == fields[1], key


def test_an_issue_says_that_its_fix_was_linked_by_hand(pages: dict[str, Page]) -> None:
    assert "#100（未合并，手动关联）" in flat(pages["zh"].text)
    assert "#100(open,linkedbyhand)" in flat(pages["en"].text)


def test_what_is_worth_knowing_stands_by_area_and_a_row_has_its_sentence_in_few_words(tmp_path: Path) -> None:
    said = both("代码注释写道：「It is so.」", "A comment says: “" + "word " * 40 + "end.”")
    told = shelf.commit(1, "Do this", tells=Tells(said, "quote"))
    mute = shelf.commit(2, "Do that", level="medium", files_total=3)
    line = Action("acme/engine", (told.sha,), both("「Do this」：就是这样。", "“Do this”: it is so."))
    stored = shelf.Shelf()
    area = WorkArea(both("模型", "Models"), (line,))
    stored.put(shelf.day("2026-03-02", shelf.repo([told, mute]), worth=(area,)))
    page = shelf.shown(DayPages(shelf.ground(stored, tmp_path)), "en/days/2026-03-02.html")
    part = page.split('<section id="worth">')[1].split("</section>")[0]
    assert "<h3>Models</h3>" in part
    assert "engine · “Do this”: it is so." in part
    gists = [one.split("</span>")[0] for one in page.split('<span class="gist">')[1:]]
    assert gists == ["A comment says: “" + "word " * 16 + "word…”"]

"""The page of a day says all that the report says, alike in both languages, and what to act on first."""

from __future__ import annotations

from pathlib import Path

import pytest

from both_languages import both
from daybreak.core.model.day import Action, Commit, Day, Finding, Hunk, RepoDay, Span, Tells, WorkArea, in_language
from daybreak.core.model.findings import SettingLine
from daybreak.core.words.grammar import parted
from daybreak.findings.kinds import kind_of
from daybreak.report.archive import addresses
from daybreak.report.archive.opening import FolderArchive
from daybreak.report.render.escape import clean
from daybreak.site.pages import FRESH
from daybreak.site.pages.days import ChangePages, DayPages
from daybreak.site.pages.hunks import folded_hunk_html, hunk_html
from daybreak.site.pages.templates import apart, phrases
from pages import shelf
from pages.building import Page, parsed

LABEL = "2026-03-06"


def shown(sentence: str) -> str:
    """Without the quotation marks of a title that it begins with: on the page that is a link."""
    title, rest = parted(sentence)
    return clean(title + rest).replace("`", "")


def flat(text: str) -> str:
    return "".join(text.split())


def own_page(site: Path, repo: RepoDay, commit: Commit, language: str) -> str:
    return (site / addresses.change_path(language, repo.name, commit.sha)).read_text("utf-8")


@pytest.fixture(scope="module")
def day(demo_week: Path) -> Day:
    found = FolderArchive(demo_week).day(LABEL)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def pages(demo_site: Path) -> dict[str, Page]:
    return {lang: parsed((demo_site / lang / "days" / f"{LABEL}.html").read_text("utf-8")) for lang in ("zh", "en")}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_action_and_statement_of_the_report_is_on_the_page_and_every_finding_on_that_of_its_change(
    day: Day, pages: dict[str, Page], demo_site: Path, language: str
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
    for repo, commit in day.changes():
        text = flat(parsed(own_page(demo_site, repo, commit, language)).text)
        for finding in commit.findings:
            for piece in (finding.symbol, finding.before, finding.after):
                assert flat(clean(piece or "")) in text
        for reason in commit.importance.reasons:
            assert flat(shown(in_language(reason.text, language))) in text


def test_every_line_of_a_hunk_is_on_the_page_of_its_change_and_those_of_weight_on_the_day_as_well(
    day: Day, demo_site: Path
) -> None:
    text = (demo_site / "zh" / "days" / f"{LABEL}.html").read_text("utf-8")
    told = [(repo, commit, hunk) for repo, commit in day.changes() for hunk in commit.hunks if hunk.text is not None]
    assert any("\n \n" in hunk.text for _, _, hunk in told if hunk.text), "an empty line among them"
    for repo, commit, hunk in told:
        assert str(hunk_html(hunk.path, hunk.text or "")) in own_page(demo_site, repo, commit, "zh")
        weighty = commit.breaking or commit.importance.level == "high"
        assert (str(folded_hunk_html(hunk.path, hunk.text or "")) in text) == weighty


def test_a_change_of_an_old_day_is_led_on_to_the_page_of_the_day_which_still_says_what_it_does(tmp_path: Path) -> None:
    stored = shelf.Shelf()
    hunk = Hunk("a.py", "@@ -1 +1 @@\n-a\n+b")
    found = tuple(shelf.finding("env_removed", f"A_{n}") for n in range(9))
    told = shelf.commit(
        1 << 130,
        "A change",
        level="medium",
        marks=("breaks",),
        findings=found,
        hunks=(hunk,),
        tells=Tells(both("甲", "it does so"), "quote"),
    )
    stored.put(shelf.day("2026-01-01", shelf.repo([told])))
    stored.put(*(shelf.day(f"2026-02-{n:02}", shelf.repo([shelf.commit(n)])) for n in range(1, FRESH + 1)))
    ground = shelf.ground(stored, tmp_path)
    path = addresses.change_path("en", "acme/engine", told.sha)
    page = shelf.shown(ChangePages(ground), path)
    assert f'url=../../days/2026-01-01.html#c-{told.short}"' in page
    assert len(page) < 600
    old = shelf.shown(DayPages(ground), "en/days/2026-01-01.html")
    assert "it does so" in old
    assert "changes/acme-engine/" not in old, "that would lead back here"
    assert "A change" in shelf.shown(
        ChangePages(ground), addresses.change_path("en", "acme/engine", shelf.commit(3).sha)
    )


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
    assert page.tags["ins"] >= 5
    assert page.tags["del"] >= 5
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


def test_a_finding_leads_to_its_line_at_the_forge_and_one_that_is_gone_to_the_change(
    day: Day, demo_site: Path, pages: dict[str, Page]
) -> None:
    found = [(repo, commit, one) for repo, commit in day.changes() for one in commit.findings]
    here = [x for x in found if not (x[2].after is None and x[2].before is not None)]
    assert here
    for repo, commit, one in here:
        assert (
            f"{repo.url}/blob/{commit.sha}/{one.path}#L{one.line}"
            in parsed(own_page(demo_site, repo, commit, "en")).links
        )
    assert not [x for x in found if x not in here and f"{x[1].sha}/{x[2].path}#L{x[2].line}" in pages["en"].links]


def test_what_forks_alone_meet_is_not_called_breaking_on_the_page_of_its_change(tmp_path: Path) -> None:
    inside = shelf.finding("extension_method_removed", "turn", before="def turn():", breaking=True)
    users = shelf.finding("cli_flag_removed", "--x", before="--x", breaking=True)
    assert kind_of(inside.kind).mark == "internals"
    stored = shelf.Shelf()
    stored.put(shelf.day("2026-03-02", shelf.repo([shelf.commit(1, findings=(inside, users))])))
    path = "en/changes/acme-engine/000000000000.html"
    rows = shelf.shown(ChangePages(shelf.ground(stored, tmp_path)), path).partition('class="findings"')[2].split("<li")
    of = {name: next(row for row in rows if name in row) for name in (">turn<", ">--x<")}
    assert "breaks plug-ins and forks" in of[">turn<"]
    assert "<b>breaking</b>" not in of[">turn<"]
    assert "<b>breaking</b>" in of[">--x<"]


def changed(before: str | None, after: str | None) -> tuple[str, str]:
    was, now = apart(Finding("f1", "cli_default_changed", "a.py", 1, "run", before, after))
    return str(was), str(now)


def test_the_words_that_differ_are_marked_in_values_that_have_some_in_common() -> None:
    assert changed("run(a, b=1, c)", "run(a, b=2, c)") == ("run(a, b=<del>1</del>, c)", "run(a, b=<ins>2</ins>, c)")
    assert changed("<i>8</i> x", "<i>9</i> x")[1] == "&lt;i&gt;<ins>9</ins>&lt;/i&gt; x"
    assert changed("8", "sixteen") == ("8", "sixteen")
    assert changed(None, "a") == ("", "a")
    long = " ".join("ab" * 40_000)
    assert changed(f"{long} d", f"{long} c d")[1].endswith("b <ins>c </ins>d"), "one word among thousands"
    other = long.replace("a", "c")
    assert "<ins>" not in changed(long, other)[1], "the time for it would grow with the square"


def test_a_link_to_a_page_shows_its_headline_and_what_to_act_on_in_plain_words(pages: dict[str, Page]) -> None:
    for page in pages.values():
        said = [value for tag, name, value in page.attributes if (tag, name) == ("meta", "content")]
        title, about = (next(one for one in said if one.startswith(start)) for start in (LABEL, "lantern"))
        assert "`" not in title + about
        assert "[Security] Reject adapter files" in about


def test_a_repository_says_that_nothing_breaks_and_when_its_branch_was_broken(tmp_path: Path) -> None:
    held = Span(shelf.NOON, shelf.NOON, "named")
    mended = shelf.story("s1", "fixup", (1, 2), broken=held)
    unshown = shelf.story("s2", "fixup", (3, 4), broken=Span(shelf.NOON, shelf.NOON, "lines"))
    days = shelf.Shelf()
    calm = shelf.repo([shelf.commit(1), shelf.commit(2)], stories=(mended,))
    loud = shelf.repo([shelf.commit(3, breaking=True), shelf.commit(4)], "acme/kernels", stories=(unshown,))
    days.put(shelf.day(LABEL, calm, loud))
    said = shelf.shown(DayPages(shelf.ground(days, tmp_path)), f"en/days/{LABEL}.html")
    first, second = (part.split("</p>")[0] for part in said.split('class="repometa"')[1:])
    assert "no breaking change" in first
    assert "The branch was affected from" in first
    assert 'href="../stories/' in first
    assert "no breaking change" not in second
    assert "The branch was affected" not in second, "lines alone show no fault"


def test_settings_that_are_only_mentioned_do_not_stand_under_what_lines_decide_by(tmp_path: Path) -> None:
    named = SettingLine(name="--page-size", does="named")
    takes = SettingLine(name="--chunk-size", does="ask", path="a.py", line=7, text="if args.chunk_size:")
    idle, both_of = (
        shelf.commit(n, setting_lines=some) for n, some in ((1 << 130, (named,)), (1 << 140, (takes, named)))
    )
    stored = shelf.Shelf()
    stored.put(shelf.day("2026-01-01", shelf.repo([idle, both_of])))
    ground = shelf.ground(stored, tmp_path)
    for change, decides in ((idle, False), (both_of, True)):
        page = shelf.shown(ChangePages(ground), addresses.change_path("en", "acme/engine", change.sha))
        assert "Only moves or mentions --page-size" in page
        assert ("Settings by which its lines decide" in page) == decides


def test_a_break_without_room_above_is_named_by_repository_and_title(tmp_path: Path) -> None:
    broke = shelf.commit(1, "Drop the old queue", breaking=True)
    stored = shelf.Shelf()
    stored.put(shelf.day(LABEL, shelf.repo([broke])))
    page = shelf.shown(DayPages(shelf.ground(stored, tmp_path)), f"en/days/{LABEL}.html")
    listed = page[page.index('<div class="also">') : page.index('<section id="summary">')]
    assert "engine " in listed
    assert listed.count("Drop the old queue") == 1

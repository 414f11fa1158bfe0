"""Roll-ups: what still holds at the end of a week or a month, from stored facts, in both languages."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from both_languages import both
from daybreak.cli.rollup import told_days, without_report
from daybreak.core.errors import DaybreakError, UsageError
from daybreak.core.model.day import Action, Commit, Day, Finding, PullRef, Release, Span, Statement, WorkArea
from daybreak.core.model.findings import Alias
from daybreak.core.model.rollup import Rollup
from daybreak.report.archive.beside import rollup_of, stems
from daybreak.site.pages.rollups import RollupPages
from daybreak.site.pages.site import FeedFiles
from daybreak.store.report_files import ROLLUPS
from daybreak.upgrade.rollup import rollup, span_of
from daybreak.upgrade.rollup.pages import fresh_pages, markdown, pages, stale
from feeds.validating import valid_atom
from pages import shelf

NONE = Alias("none")


def change(number: int, label: str, *findings: Finding, subject: str = "A change", **more: object) -> Commit:
    moment = datetime.fromisoformat(f"{label}T12:00:00+00:00")
    more = {"breaking": any(one.breaking for one in findings), **more}
    return shelf.commit(number, subject, findings=findings, committed_at=moment, **more)


def flag(kind: str, name: str, before: str | None = None, after: str | None = None) -> Finding:
    alias = NONE if before is not None and after is None else None
    return Finding(
        f"{name}/1", kind, "engine/args.py", 3, name, before, after, breaking=before is not None, alias=alias
    )


def stored(*days: Day) -> shelf.Shelf:
    found = shelf.Shelf()
    found.put(*days)
    return found


def week(*days: Day) -> Rollup:
    return rollup(stored(*days), *span_of("2026-W10", None))


def test_what_comes_and_goes_within_the_span_is_not_told() -> None:
    gone = shelf.day("2026-03-02", shelf.repo([change(1, "2026-03-02", flag("env_removed", "--x", "--x"))]))
    back = shelf.day("2026-03-04", shelf.repo([change(2, "2026-03-04", flag("env_added", "--x", None, "--x"))]))
    assert [line.symbol for line in week(gone).breaks] == ["--x"]
    both_ways = week(gone, back)
    assert both_ways.breaks == ()
    assert both_ways.repos[0].undone == 1
    assert "1 more" in markdown(both_ways, "en")


def test_a_value_that_moved_twice_is_told_from_its_first_to_its_last() -> None:
    first = shelf.day("2026-03-02", shelf.repo([change(1, "2026-03-02", flag("env_default_changed", "X", "1", "2"))]))
    then = shelf.day("2026-03-05", shelf.repo([change(2, "2026-03-05", flag("env_default_changed", "X", "2", "3"))]))
    (line,) = week(first, then).breaks
    assert (line.before, line.after) == ("1", "3")
    assert line.days == ("2026-03-02", "2026-03-05")
    assert len(line.commits) == 2


def test_values_that_two_changes_gave_and_took_are_told_each_by_its_own() -> None:
    def turned(number: int, before: str, after: str) -> Day:
        found = flag("cli_choices_changed", "--quantization", before, after)
        label = f"2026-03-0{number}"
        return shelf.day(label, shelf.repo([change(number, label, replace(found, breaking=number == 4))]))

    gave, took = (
        turned(2, '["qoq", "fp8"]', '["qoq", "fp8", "humming"]'),
        turned(4, '["qoq", "fp8", "humming"]', '["fp8", "humming"]'),
    )
    (line,) = week(gave, took).breaks
    assert line.commits == (shelf.commit(4).sha,)
    assert line.text["en"].startswith("`--quantization`: removes `qoq`")
    assert "humming" not in line.text["en"], "another change gave it"
    back = turned(5, '["fp8", "humming"]', '["fp8", "humming", "qoq"]')
    assert week(gave, took, back).breaks == ()


def test_a_revert_takes_back_what_no_finding_of_its_own_tells() -> None:
    def asserted(number: int, before: str, after: str, *more: Finding) -> Day:
        found = replace(flag("version_asserted", "kernels", before, after), alias=None)
        label = f"2026-03-0{number}"
        return shelf.day(label, shelf.repo([change(number, label, found, *more)]))

    def pinned(before: str, after: str) -> Finding:
        return replace(flag("dependency_changed", "kernels", before, after), breaking=False, alias=None)

    rose, again = asserted(2, "1.2", "1.4"), asserted(3, "1.4", "1.5", pinned("==1.4", "==1.5"))
    back = shelf.repo(
        [change(4, "2026-03-04", pinned("==1.5", "==1.4"))], stories=(shelf.story("s", "revert", [3, 4]),)
    )
    (line,) = week(rose, again).breaks
    assert (line.before, line.after) == ("1.2", "1.5")
    reverted = week(rose, again, shelf.day("2026-03-04", back))
    (line,) = reverted.breaks
    assert (line.before, line.after, line.commits) == ("1.2", "1.4", (shelf.commit(2).sha,)), "the span's ends count"
    assert reverted.pins == reverted.breaks, "of the pin, which came back to where it was, nothing is left"
    alone = week(again, shelf.day("2026-03-04", back))
    assert alone.breaks == alone.pins == ()
    landed = shelf.repo([change(5, "2026-03-05")], stories=(shelf.story("s", "reland", [3, 4, 5]),))
    assert len(week(again, shelf.day("2026-03-04", back), shelf.day("2026-03-05", landed)).breaks) == 1


def test_a_mended_fault_names_its_release_and_one_that_was_reverted_is_not_told() -> None:
    kept, lost = change(1, "2026-03-02", subject="Fix a crash"), change(2, "2026-03-02", subject="Fix another")
    actions = tuple(
        Action("acme/engine", (one.sha,), both(f"`{one.subject}`。", f"`{one.subject}`."), tag="crash")
        for one in (kept, lost)
    )
    first = replace(shelf.day("2026-03-02", shelf.repo([replace(kept, released="v1.2"), lost])), actions=actions)
    revert = shelf.story("s", "revert", [2, 3])
    then = shelf.day("2026-03-03", shelf.repo([change(3, "2026-03-03")], stories=(revert,)))
    found = week(first, then)
    assert [(line.title, line.released) for line in found.fixes] == [("Fix a crash", "v1.2")]
    assert [line.kind for line in found.stories] == ["revert"]
    assert "Released with `v1.2`" in markdown(found, "en")


OPEN = both("`v1.1` 不含此改动。", " Not in `v1.1` yet.")


def crash(one: Commit, label: str, said: str = "") -> Day:
    text = {"zh": f"「{one.subject}」：{said}{OPEN['zh']}", "en": f"“{one.subject}”: {said}{OPEN['en']}"}
    action = Action("acme/engine", (one.sha,), text, tag="crash")
    return replace(shelf.day(label, shelf.repo([one])), actions=(action,))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_a_day_says_of_a_release_is_told_only_while_it_holds(language: str) -> None:
    monday = crash(change(1, "2026-03-02", subject="Fix a crash"), "2026-03-02", "It was.")
    (alone,) = week(monday).fixes
    assert alone.text[language].endswith(OPEN[language])
    made = Release(
        "v1.2",
        "https://example.org",
        "v1.2",
        "",
        datetime.fromisoformat("2026-03-04T12:00:00+00:00"),
        "released",
        tagged="commit",
    )
    released = shelf.day("2026-03-04", shelf.repo([change(2, "2026-03-04")], releases=(made,)))
    found = week(monday, released)
    since = {"zh": "此后发布的 `v1.2` 未核对。", "en": "`v1.2` came out since and was not checked."}
    told = found.fixes[0].text[language]
    assert OPEN[language] not in told
    assert told.endswith(since[language]), "whether the new release has it, nobody looked"
    candidate = shelf.day(
        "2026-03-04", shelf.repo([change(2, "2026-03-04")], releases=(replace(made, state="prerelease"),))
    )
    assert week(monday, candidate).fixes[0].text[language].endswith("It was."), (
        "of what comes before a release, no word"
    )
    assert [(line.symbol, line.days[-1]) for line in found.releases] == [("v1.2", "2026-03-04")]
    picked = crash(change(1, "2026-03-02", subject="Fix a crash", released="v1.2"), "2026-03-02", "It was.")
    (line,) = week(picked).fixes
    assert (line.text[language].endswith("It was."), line.released) == (True, "v1.2")


def test_a_fault_whose_title_does_not_say_what_went_wrong_is_told_by_words_that_do() -> None:
    said = "the commit says: “Lengths are checked — misuse raises instead of silently corrupting replays.”"
    (line,) = week(crash(change(1, "2026-03-02", subject="Graph-safe decode"), "2026-03-02", said)).fixes
    assert line.effect == "misuse raises instead of silently corrupting replays."
    (line,) = week(crash(change(1, "2026-03-02", subject="Fix a crash in decode"), "2026-03-02", said)).fixes
    assert line.effect == ""


def test_a_day_headed_by_what_was_repaired_later_says_so() -> None:
    when = datetime.fromisoformat("2026-03-03T12:00:00+00:00")
    story = replace(shelf.story("s", "fixup", [1, 2]), broken=Span(when, when, "blame"))
    monday = crash(change(1, "2026-03-02", subject="A change"), "2026-03-02")
    tuesday = shelf.day("2026-03-03", shelf.repo([change(2, "2026-03-03")], stories=(story,)))
    found = week(monday, tuesday)
    assert [day.outcome for day in found.days] == [story.net, {}]
    assert [line.tag for line in found.stories] == ["broken"]
    tests = shelf.repo([change(2, "2026-03-03")], stories=(replace(story, broken=Span(when, when, "ci")),))
    assert [line.tag for line in week(monday, shelf.day("2026-03-03", tests)).stories] == ["broken_tests"]


def test_a_story_that_went_on_is_told_as_its_longer_telling_alone() -> None:
    first, longer = shelf.story("fixup-1-2", "fixup", [1, 2]), shelf.story("fixup-1-3", "fixup", [1, 2, 3])
    days = (
        shelf.day("2026-03-02", shelf.repo([change(2, "2026-03-02")], stories=(first,))),
        shelf.day("2026-03-03", shelf.repo([change(3, "2026-03-03")], stories=(longer,))),
    )
    assert [line.symbol for line in week(*days).stories] == ["fixup-1-3"]


def test_a_fault_with_two_repairs_is_told_once_as_the_last_one_ended_it() -> None:
    begun, half, whole = (datetime(2026, 3, 2 + n, tzinfo=UTC) for n in range(3))
    ends = ((2, half), (3, whole))
    days = [
        shelf.day(
            label,
            shelf.repo(
                [change(n, label)],
                stories=(replace(shelf.story(f"fixup-1-{n}", "fixup", [1, n]), broken=Span(begun, end, "ci")),),
            ),
        )
        for label, (n, end) in zip(("2026-03-03", "2026-03-04"), ends, strict=True)
    ]
    (line,) = week(*days).stories
    assert (line.symbol, line.span[-1], line.days) == ("fixup-1-3", "03-04 00:00", ("2026-03-03", "2026-03-04"))
    assert len(line.commits) == 3


def test_days_without_a_report_are_named_up_to_the_newest_one() -> None:
    found = week(shelf.day("2026-03-02", shelf.repo()), shelf.day("2026-03-04", shelf.repo()))
    assert found.missing == ("2026-03-03",)
    assert "2026-03-03" in markdown(found, "zh")


def test_the_page_and_the_command_name_the_same_days_without_a_report() -> None:
    found = week(shelf.day("2026-03-03", shelf.repo()))
    told = markdown(found, "en")
    assert "Days without a report: 2026-03-02\n" in told
    assert "After the newest report, without one so far: 2026-03-04 – 2026-03-08.\n" in told
    assert "尚无报告的日期：2026-03-04 – 2026-03-08。" in markdown(found, "zh")
    assert without_report(found, date(2026, 4, 1)) == ["2026-03-02", *found.to_come]
    assert without_report(found, date(2026, 3, 6)) == ["2026-03-02", "2026-03-04", "2026-03-05"]


def test_a_week_made_on_two_days_from_the_same_reports_is_the_same() -> None:
    shelf_ = stored(shelf.day("2026-03-04", shelf.repo()))
    over = rollup(shelf_, *span_of("2026-W10", None), date(2026, 6, 1))
    assert over == rollup(shelf_, *span_of("2026-W10", None), date(2026, 3, 6))
    assert "1 of 7 days with a report" in markdown(over, "en")
    assert "7 天中 1 天有报告" in markdown(over, "zh")


def test_the_command_names_every_day_that_is_over_without_a_report() -> None:
    found = week(shelf.day("2026-03-04", shelf.repo()))
    before = ["2026-03-02", "2026-03-03"]
    assert without_report(found, date(2026, 3, 6)) == [*before, "2026-03-05"]
    assert without_report(found, date(2026, 6, 1)) == [*before, "2026-03-05", "2026-03-06", "2026-03-07", "2026-03-08"]
    assert without_report(found, date(2026, 3, 5)) == before


def test_days_without_a_report_that_follow_one_another_are_told_as_one() -> None:
    days = ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-04", "2026-03-06", "2026-03-07"]
    rows = "2026-02-27 to 2026-03-01, 2026-03-04, 2026-03-06 to 2026-03-07"
    assert told_days(days) == f"6 days have no report and are not in it: {rows}"
    assert told_days(["2026-03-03"]) == "1 day has no report and is not in it: 2026-03-03"


@pytest.mark.parametrize(
    "span", [("2026-W60", None), (None, "2026-13"), ("last", None), (None, "2026"), ("0000-W01", None)]
)
def test_a_span_that_is_none_is_one_sentence(span: tuple[str | None, str | None]) -> None:
    with pytest.raises(UsageError, match=r"is no (week|month)\."):
        span_of(*span)


@pytest.mark.parametrize(
    ("span", "said", "tip"),
    [
        (("2026-10", None), "2026-10 is no week.", "For the month: --month 2026-10."),
        ((None, "2026-W10"), "2026-W10 is no month.", "For the week: --week 2026-W10."),
        ((None, "2026-03-05"), "2026-03-05 is no month.", "For the month with this day: --month 2026-03."),
        (("2026-60", None), "2026-60 is no week.", "Write --week 2026-W05 or --month 2026-02."),
    ],
)
def test_a_span_that_the_other_option_takes_is_told_with_it(
    span: tuple[str | None, str | None], said: str, tip: str
) -> None:
    with pytest.raises(UsageError) as error:
        span_of(*span)
    assert (error.value.message, error.value.tip) == (said, tip)


def test_a_span_without_any_report_is_told_with_the_run_that_makes_all_of_it() -> None:
    archive = stored(shelf.day("2026-03-20", shelf.repo()))
    for span, today, asked in (
        (span_of("2026-W10", None), date(2026, 3, 21), "--since 2026-03-02 --until 2026-03-09"),
        (span_of(None, "2026-02"), date(2026, 3, 21), "--since 2026-02-01 --until 2026-03-01"),
        (span_of("2026-W17", None), date(2026, 4, 22), "--since 2026-04-20 --until 2026-04-22"),
        (span_of("2026-W17", None), date(2026, 4, 20), "--date 2026-04-20"),
    ):
        with pytest.raises(DaybreakError) as error:
            rollup(archive, *span, today)
        assert f"`daybreak run {asked}`" in error.value.tip


def test_a_week_is_monday_to_sunday_and_a_month_all_of_it() -> None:
    assert [str(one) for one in span_of("2026-W10", None)] == ["2026-W10", "2026-03-02", "2026-03-08"]
    assert [str(one) for one in span_of(None, "2026-02")] == ["2026-02", "2026-02-01", "2026-02-28"]
    with pytest.raises(DaybreakError, match="No day of 2026-W10 was reported"):
        week(shelf.day("2026-03-20", shelf.repo()))


def test_pages_are_made_again_only_when_a_day_of_the_span_changed_or_is_known_to_be_missing(tmp_path: Path) -> None:
    archive = stored(shelf.day("2026-03-02", shelf.repo([change(1, "2026-03-02")])))
    assert sorted(stale(archive, tmp_path)) == ["2026-03", "2026-W10"]
    for page in fresh_pages(archive, tmp_path, ("zh", "en")):
        (tmp_path / page.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page.path).write_text(page.text, encoding="utf-8")
    assert stale(archive, tmp_path) == []
    archive.put(shelf.day("2026-03-20", shelf.repo()))
    assert sorted(stale(archive, tmp_path)) == ["2026-03", "2026-W10", "2026-W12"]


def test_a_roll_up_of_an_earlier_version_is_read_until_it_is_made_anew(tmp_path: Path) -> None:
    archive = stored(shelf.day("2026-03-02", shelf.repo([change(1, "2026-03-02")])))
    old = {Path(page.path).name: page.text for page in fresh_pages(archive, tmp_path, ("en",))}
    (tmp_path / "reports" / "rollup").mkdir(parents=True)
    for name, text in old.items():
        (tmp_path / "reports" / "rollup" / name).write_text(text, encoding="utf-8")
    assert stems(tmp_path, ROLLUPS) == ["2026-03", "2026-W10"]
    assert rollup_of(tmp_path, "2026-W10") is not None
    assert sorted(stale(archive, tmp_path)) == ["2026-03", "2026-W10"], "it is made anew in its new place"
    (tmp_path / "reports" / "2026-W10.json").write_text(old["2026-W10.json"].replace("2026-03-08", "2026-03-09"))
    found = rollup_of(tmp_path, "2026-W10")
    assert found is not None
    assert found.last == "2026-03-09", "which is read from then on"


HOSTILE = "<script>alert(1)</script> | `x` [a](javascript:b) \u202e"


def test_the_site_has_a_page_for_it_and_hostile_words_stay_words(tmp_path: Path) -> None:
    one = change(1, "2026-03-02", flag("env_removed", HOSTILE, HOSTILE), subject=HOSTILE)
    ground = shelf.ground(stored(shelf.day("2026-03-02", shelf.repo([one]))), tmp_path)
    section = RollupPages(ground)
    assert list(section.keys()) == []
    for page in pages(week(shelf.day("2026-03-02", shelf.repo([one]))), ("zh", "en")):
        (tmp_path / page.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page.path).write_text(page.text, encoding="utf-8")
        assert "<script>" not in page.text or page.path.endswith(".json")
    assert [path for path, _ in section.keys()] == ["zh/rollups/2026-W10.html", "en/rollups/2026-W10.html"]  # noqa: SIM118
    shown = shelf.shown(section, "en/rollups/2026-W10.html")
    assert "<script>alert" not in shown
    assert "Breaking changes that stand" in shown
    feed = FeedFiles(ground).page("en/feeds/rollup.xml", "https://x.invalid")
    assert feed is not None
    (entry,) = valid_atom(feed.body).entries
    assert entry.link == "https://x.invalid/en/rollups/2026-W10.html"
    assert entry.title.startswith("2026-W10 · ")
    assert "https://x.invalid/en/changes/acme-engine/" in entry.content[0].value
    assert "en/feeds/rollup.json" in dict(FeedFiles(ground).keys())
    (tmp_path / ROLLUPS / "2026-W11.json").write_text("{", encoding="utf-8")
    assert len(list(section.keys())) == 2  # what cannot be read has no page
    assert section.page("en/rollups/2026-W11.html") is None
    assert section.page("en/rollups/../x.html") is None


def test_each_edition_leads_to_its_own_index_and_to_the_others() -> None:
    main, other, _ = pages(week(shelf.day("2026-03-02", shelf.repo([change(1, "2026-03-02")]))), ("zh", "en"))
    assert main.text.splitlines()[-1].endswith("(../README.md) · [English](2026-W10.en.md)")
    assert other.text.splitlines()[-1].endswith("(../README.en.md) · [中文](2026-W10.md)")


def test_the_data_is_read_back_as_it_was(tmp_path: Path) -> None:
    found = week(shelf.day("2026-03-02", shelf.repo([change(1, "2026-03-02", flag("env_removed", "--x", "--x"))])))
    data = pages(found, ("zh",))[-1].text
    assert json.loads(data)["schema"] == "daybreak.rollup/1"
    assert msgspec.json.decode(data, type=Rollup) == found


GUARD = "if a not in (1, 2): raise ValueError"


def written(found: Rollup, folder: Path, archive: shelf.Shelf) -> str:
    """The English page of it on the site."""
    for page in pages(found, ("zh", "en")):
        (folder / page.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / page.path).write_text(page.text, encoding="utf-8")
    return shelf.shown(RollupPages(shelf.ground(archive, folder)), f"en/rollups/{found.label}.html")


def test_the_gravest_leads_and_a_bare_guard_comes_last(tmp_path: Path) -> None:
    guard = Finding("g/1", "guard_added", "engine/args.py", 3, "Args.check", None, GUARD, breaking=True)
    one = change(1, "2026-03-02", guard)
    two = change(2, "2026-03-02", flag("cli_flag_removed", "--x", "--x"))
    three = change(3, "2026-03-02", flag("env_default_changed", "Y", "False", "True"))
    day = shelf.day("2026-03-02", shelf.repo([one, two, three]))
    found = week(day)
    assert [line.symbol for line in found.breaks] == ["Y", "--x", "Args.check"]
    shown = written(found, tmp_path, stored(day))
    lead = shown.partition('id="short"')[2].partition("</ul>")[0]
    assert lead.index("Y") < lead.index("--x")
    assert 'False</code> → <code class="w">True</code>' in lead
    assert "raise ValueError" not in lead
    assert "engine/args.py" not in lead


def test_one_change_takes_one_row_and_is_counted_once(tmp_path: Path) -> None:
    both_of_one = [flag("cli_flag_removed", "--x", "--x"), flag("cli_flag_removed", "--y", "--y")]
    day = shelf.day("2026-03-02", shelf.repo([change(1, "2026-03-02", *both_of_one)]))
    found = week(day)
    assert len(found.breaks) == 2, "the data has each"
    assert "## Breaking changes that stand (1)" in markdown(found, "en")
    shown = written(found, tmp_path, stored(day))
    assert "of 1 breaking change 1 stands at the end." in shown
    assert "1 more of this change" in shown
    assert "--y" in shown.partition("1 more of this change")[2]


def test_of_what_else_a_change_does_a_week_lists_little_and_leads_to_the_rest(tmp_path: Path) -> None:
    flags = [flag("cli_flag_removed", f"--x{n}", f"--x{n}") for n in range(9)]
    day = shelf.day("2026-03-02", shelf.repo([change(1, "2026-03-02", *flags)]))
    fold = written(week(day), tmp_path, stored(day)).partition("8 more of this change")[2].partition("</details>")[0]
    assert fold.count("<li>") == 4 + 1
    assert '<a href="../changes/acme-engine/000000000000.html">4 more findings</a>' in fold


def test_the_breaks_of_a_week_are_those_of_its_days_that_still_stand(tmp_path: Path) -> None:
    monday = [
        change(1, "2026-03-02", flag("cli_flag_removed", "--x", "--x")),
        change(2, "2026-03-02", flag("env_removed", "Y", "Y")),
        change(3, "2026-03-02", flag("cli_flag_removed", "--tool", "--tool"), breaking=False),
        change(4, "2026-03-02", subject="Take another toolchain", breaking=True),
        change(7, "2026-03-02", flag("env_default_changed", "Z", "1", "2")),
    ]
    tuesday = [
        change(5, "2026-03-03", flag("env_added", "Y", None, "Y")),
        change(6, "2026-03-03", flag("env_default_changed", "Z", "2", "3"), breaking=False),
    ]
    days = [shelf.day("2026-03-02", shelf.repo(monday)), shelf.day("2026-03-03", shelf.repo(tuesday))]
    found = week(*days)
    told = {line.commits[-1] for line in found.breaks}
    assert told == {monday[at].sha for at in (0, 3, 4)}, "one came back, one its day does not call breaking"
    assert [day.breaking for day in found.days] == [4, 0]
    assert found.repos[0].breaks == 3
    assert "of 4 breaking changes 3 stand at the end." in written(found, tmp_path, stored(*days))


def test_another_default_is_tagged_as_one(tmp_path: Path) -> None:
    day = shelf.day("2026-03-02", shelf.repo([change(1, "2026-03-02", flag("env_default_changed", "Y", "1", "2"))]))
    shown = written(week(day), tmp_path, stored(day))
    assert ">DEFAULT</b>" in shown
    assert ">BREAKS</b>" not in shown


def test_of_an_area_that_is_long_the_page_says_how_many_more_there_are(tmp_path: Path) -> None:
    changes = [change(n, "2026-03-02", subject=f"Work {n}") for n in range(1, 9)]
    actions = tuple(Action("acme/engine", (c.sha,), both(f"`{c.subject}`。", f"`{c.subject}`.")) for c in changes)
    worth = (WorkArea(both("调度", "Scheduler"), actions),)
    day = replace(shelf.day("2026-03-02", shelf.repo(changes)), worth=worth)
    found = week(day)
    (theme,) = found.themes
    assert (theme.changes, len(theme.lines)) == (8, 8)
    shown = written(found, tmp_path, stored(day))
    shown = shown[shown.index('id="areas"') :]
    assert shown.count("changes/acme-engine/") == 6, "each leads to its page"
    assert "2 more" in shown, "and how many others there are is said"
    assert "3 more are in the JSON file" in markdown(found, "en")


def test_a_story_has_the_number_of_the_change_whose_title_it_begins_with() -> None:
    first = change(1, "2026-03-02", subject="Improve it", pr=PullRef(11, "https://example.org/11"))
    then = change(2, "2026-03-03", subject="Fix it", pr=PullRef(12, "https://example.org/12"))
    told = shelf.story("fixup-1-2", "fixup", [1, 2], "`Improve it` was repaired by `Fix it`.")
    found = week(
        shelf.day("2026-03-02", shelf.repo([first])), shelf.day("2026-03-03", shelf.repo([then], stories=(told,)))
    )
    assert [line.pr for line in found.stories] == [11]


def test_what_a_day_has_on_its_first_screen_keeps_its_place_there() -> None:
    monday = crash(change(1, "2026-03-02", subject="Fix a crash"), "2026-03-02", "It was.")
    assert [line.rank for line in week(monday).fixes] == [0]


@pytest.mark.parametrize(
    ("advice", "how"),
    [
        ("See what the call does without it: the code that it steered is gone.", "see what the call does without it"),
        (None, ""),
    ],
)
def test_the_advice_of_a_week_is_that_of_its_day(advice: str | None, how: str) -> None:
    gone = flag("parameter_removed", "decode(indices)", "indices=None")
    evidence = (f"finding:{gone.id}",)
    said = (Statement(role="action", text=both(advice, advice), evidence=evidence),) if advice else ()
    (line,) = week(shelf.day("2026-03-02", shelf.repo([change(1, "2026-03-02", gone, statements=said)]))).breaks
    assert line.how.get("en", "").startswith(how)
    assert "drop the argument" not in line.how.get("en", "")


def test_what_several_days_come_to_has_advice_of_its_own() -> None:
    said = Statement(role="action", text=both("Use `--b` instead.", "Use `--b` instead."), evidence=("finding:--x/1",))
    first = change(1, "2026-03-02", flag("env_default_changed", "Y", "1", "2"), statements=(said,))
    second = change(2, "2026-03-03", flag("env_default_changed", "Y", "2", "3"))
    days = (shelf.day("2026-03-02", shelf.repo([first])), shelf.day("2026-03-03", shelf.repo([second])))
    (line,) = week(*days).breaks
    assert "`Y=1`" in line.how["en"]

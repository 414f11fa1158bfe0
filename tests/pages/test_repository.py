"""The page of a repository: its numbers are the data's, what is over is not told as coming or open."""

from __future__ import annotations

import re
from pathlib import Path

from daybreak.core.model.day import Pull, Release
from daybreak.site.pages.across_days import Joined
from daybreak.site.pages.broken_names import broken_findings, broken_name
from daybreak.site.pages.repository import MOST, RepositoryPages, RepoView, repo_view
from daybreak.site.pages.summaries import summary_of
from pages.building import parsed
from pages.shelf import NOON, Shelf, commit, day, finding, ground, repo, shown, story

NAME = "acme/engine"
PATH = "repos/acme-engine.html"


def view(*days: object) -> RepoView:
    told = [summary_of(one) for one in days]  # type: ignore[arg-type]
    return repo_view(NAME, told, Joined(told))


def pull(number: int, *coming: str, state: str = "open", title: str = "Big") -> Pull:
    return Pull(number, f"https://example.org/{number}", title, "Ada", NOON, state, coming=coming)


def test_every_number_of_the_demo_is_the_one_of_its_reports(demo_site: Path, demo_week: Path) -> None:
    import json

    for name in ("lantern", "tilekit", "wick"):
        days = [json.loads(path.read_text("utf-8")) for path in sorted((demo_week / "reports").glob("????-??-??.json"))]
        repos = [one for told in days for one in told["repos"] if one["name"] == f"daybreak-demo/{name}"]
        commits = [one for told in repos for one in told["commits"]]
        issues = [one for told in repos for one in told["issues"]]
        expected = [
            len(commits),
            sum(one["breaking"] for one in commits),
            sum(one["kind"] == "revert" for one in commits),
            sum("opened" in one["happened"] for one in issues),
            sum("closed" in one["happened"] for one in issues),
            sum("merged" in one["happened"] for told in repos for one in told["pulls"]),
        ]
        for language in ("zh", "en"):
            page = (demo_site / language / "repos" / f"daybreak-demo-{name}.html").read_text("utf-8")
            assert [int(n) for n in re.findall(r"<dd>(\d+)</dd>", page)][:6] == expected
            counted = re.findall(r'<td class="num">(\d+)</td><td class="num">(\d+)</td></tr></tfoot>', page)
            assert sum(int(n) for n, _ in counted) == sum(len(one["findings"]) for one in commits)
            by = [f for one in commits if one["breaking"] for f in one["findings"]]
            assert bool(by) <= sum(int(n) for _, n in counted) <= len(by), "of changes that are called breaking alone"


def test_a_pull_request_is_coming_until_it_is_merged_closed_or_told_otherwise() -> None:
    found = view(
        day("2026-03-02", repo(pulls=(pull(1, "breaking"), pull(2, "rfc"), pull(3, "large"), pull(4, "large")))),
        day("2026-03-03", repo(pulls=(pull(1, "breaking", state="merged"), pull(2, state="open")))),
        day("2026-03-04", repo(pulls=(pull(4, "breaking", title="Bigger"),))),
    )
    assert [(label, one.number, one.title) for label, one in found.coming] == [
        ("2026-03-04", 4, "Bigger"),
        ("2026-03-02", 3, "Big"),
    ]


def test_a_revert_is_open_until_it_is_landed_again_and_a_series_until_it_is_complete() -> None:
    first = day(
        "2026-03-02",
        repo(
            [commit(1)],
            stories=(
                story("revert-1", "revert", (1, 2)),
                story("revert-5", "revert", (5, 6)),
                story("fixup-8", "fixup", (8, 9)),
                story("series-a", "series", (10,), "Series `x`: `1/3` landed in this window."),
                story("series-b", "series", (11,), "Series `y`: `1/2` landed in this window."),
                story("series-c", "series", (12,), "A stack by one author on the same files: `#1`."),
            ),
        ),
    )
    later = day(
        "2026-03-04",
        repo(
            stories=(
                story("reland-1", "reland", (1, 2, 3)),
                story("series-b", "series", (11, 13), "Series `y`: `2/2` landed in this window, `1/2` before; it is complete."),
            )
        ),
    )  # fmt: skip
    assert {one.id for one in view(first).open} == {"revert-1", "revert-5", "series-a", "series-b"}
    found = view(first, later)
    assert {one.id for one in found.open} == {"revert-5", "series-a"}
    assert {one.id for one in found.stories} == {"revert-1", "fixup-8", "series-b", "series-c", "reland-1"}


def test_findings_are_counted_by_surface_and_kind() -> None:
    kinds = (
        finding("env_removed", breaking=True),
        finding("env_added"),
        finding("env_added"),
        finding("cli_flag_added"),
    )
    found = view(day("2026-03-02", repo([commit(1, findings=kinds, breaking=True)])))
    assert [(one.surface, one.total, one.breaking) for one in found.findings] == [("cli", 1, 0), ("environment", 3, 1)]
    inner = (finding("operator_removed", breaking=True), finding("env_removed", breaking=True))
    forks = view(day("2026-03-02", repo([commit(1, findings=inner[:1]), commit(2, findings=inner[1:])])))
    assert {one.breaking for one in forks.findings} == {0}, "breaking means one thing: a change that is called so"
    assert found.findings[1].kinds == (("env_added", 2, 0), ("env_removed", 1, 1))


def test_lists_end_somewhere_and_say_how_much_is_left() -> None:
    many = [commit(at, f"Break {at}", breaking=True) for at in range(MOST + 7)]
    found = view(day("2026-03-02", repo(many)))
    assert (len(found.breaking), found.breaking_more) == (MOST, 7)
    assert found.totals["breaking"] == MOST + 7


def test_breaking_changes_show_before_and_after(tmp_path: Path) -> None:
    shelf = Shelf()
    names = tuple(
        finding("env_renamed", f"NAME_{at}", before=f"OLD_{at}", after=None, breaking=True) for at in range(5)
    )
    shelf.put(day("2026-03-02", repo([commit(1, "Rename", breaking=True, findings=names)])))
    page = shown(RepositoryPages(ground(shelf, tmp_path)), f"en/{PATH}")
    assert "<code>OLD_2</code> → none" in page
    assert "<code>OLD_3</code>" not in page
    assert "2 more" in page
    assert f'href="../changes/acme-engine/{1:012x}' not in page  # the first digits, not the last
    assert f'href="../changes/acme-engine/{"0" * 12}.html"' in page


def test_without_issues_nothing_is_drawn_of_them_and_the_page_says_why(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(day("2026-03-02", repo([commit(1)])))
    page = shown(RepositoryPages(ground(shelf, tmp_path)), f"en/{PATH}")
    assert "GitHub was not asked, or there was none" in page
    assert "Issues a week" not in page
    shelf.put(day("2026-03-03", repo(pulls=(pull(1),))))
    assert "GitHub was not asked" not in shown(RepositoryPages(ground(shelf, tmp_path)), f"en/{PATH}")


def test_a_repository_that_was_never_had_is_unknown_and_not_empty(tmp_path: Path) -> None:
    from msgspec.structs import replace

    shelf = Shelf()
    shelf.put(day("2026-03-02", replace(repo(), in_git=None)))
    page = shown(RepositoryPages(ground(shelf, tmp_path)), f"zh/{PATH}")
    assert "还没有取到这个仓库的任何一天" in page
    assert "<dd>" not in page.partition("</main>")[0]


def test_hostile_names_of_tags_and_stories_are_text_and_safe_addresses(tmp_path: Path) -> None:
    bad = '../../x"><script>alert(1)</script>'
    release = Release(bad, "javascript:alert(1)", bad, bad, NOON, "released", notes=(bad,))
    shelf = Shelf()
    told = repo([commit(1, bad, author=bad)], stories=(story(bad, bad, (1,), bad),), releases=(release,))
    shelf.put(day("2026-03-02", told))
    page = parsed(shown(RepositoryPages(ground(shelf, tmp_path)), f"en/{PATH}"))
    assert page.tags["script"] == 2  # the site's own
    assert page.wrong == []
    assert page.open == []
    inside = [one for one in page.links if "stories/" in one or "releases/" in one]
    assert len(inside) == 2
    for one in page.links:
        assert not one.startswith("javascript:")
    for one in inside:
        assert re.fullmatch(r"\.\./(stories|releases)/acme-engine/[A-Za-z0-9._-]+\.html", one), one
        assert "/../" not in one.removeprefix("../")
    assert bad in page.text


def test_a_picture_has_half_a_year_and_its_table_every_week(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(*(day(f"2026-{at // 28 + 1:02}-{at % 28 + 1:02}", repo([commit(at)])) for at in range(0, 280, 4)))
    page = shown(RepositoryPages(ground(shelf, tmp_path)), f"en/{PATH}")
    weeks = int(re.findall(r"The picture has the last 26 weeks, the table all (\d+)\.", page)[0])
    assert page.index('id="breaking"') < page.index('id="calendar"') < page.index('id="trends"')
    page = page[page.index('id="trends"') :]
    table = page[page.index("<table") :].partition("</table>")[0]
    assert weeks > 30
    assert table.count('scope="row"') == weeks
    figures = [int(n) for n in re.findall(r'<td class="num">(\d+)</td>', table)]
    low = figures[2::4]
    assert sum(low) == 70
    assert sum(figures[3::4]) == 70  # days reported


def test_of_what_a_change_breaks_flags_come_before_fields_and_sides_are_cut_where_they_differ() -> None:
    long = ", ".join(f"choice_{n}" for n in range(60))
    some = (
        finding("parameter_removed", "Inner.call(x)", breaking=True),
        finding("cli_choices_changed", "--form", before=f"{long}, old", after=f"{long}, new", breaking=True),
    )
    found = broken_findings(commit(1, findings=some))
    assert [one.symbol for one in found] == ["--form", "Inner.call(x)"]
    name = broken_name(found[0])
    chosen = finding("cli_choices_changed", "--form", before='["a", "old"]', after='["a", "new"]', breaking=True)
    assert (broken_name(chosen).before, broken_name(chosen).after) == ("old", "new"), "not all that there are"
    assert (name.before or "").endswith(", old")
    assert (name.after or "").endswith(", new")


def test_another_default_is_the_reason_of_a_change_that_breaks_by_it() -> None:
    one = commit(1, findings=(finding("env_added", "A"), finding("env_default_changed", "B", before="0", after="1")))
    assert [found.symbol for found in broken_findings(one)] == ["B"]


def page_of(base: Path, *commits: object, **more: object) -> str:
    stored = Shelf()
    stored.put(day("2026-03-02", repo(commits, **more)))  # type: ignore[arg-type]
    return shown(RepositoryPages(ground(stored, base)), f"en/{PATH}")


def test_what_breaks_on_the_newest_day_comes_first_each_with_what_it_does(tmp_path: Path) -> None:
    changes = (
        commit(1, subject="Take it", breaking=True, findings=(finding("function_removed", breaking=True),)),
        commit(2, subject="Turn it", breaking=True, findings=(finding("cli_default_changed", before="1", after="2"),)),
        commit(3, subject="Ask more", breaking=True, findings=(finding("dependency_changed", before="1", after="2"),)),
        commit(4),
    )
    text = parsed(page_of(tmp_path, *changes)).text
    told = text[text.index("3 of 4 commits are breaking; 4 of 4 in git were read.") :]
    assert told.index("BREAKS Take it") < told.index("DEFAULT Turn it") < told.index("BUILD Ask more")


def test_what_breaks_on_the_newest_day_is_told_once_and_what_goes_by_its_name_alone(tmp_path: Path) -> None:
    gone = finding("function_removed", "run", before="def run(a, b): ...", after=None, breaking=True)
    stored = Shelf()
    for n in (1, 2):
        stored.put(day(f"2026-03-0{n}", repo([commit(n, subject=f"Drop it {n}", breaking=True, findings=(gone,))])))
    page = shown(RepositoryPages(ground(stored, tmp_path)), f"en/{PATH}")
    newest, _, rest = page.partition('id="breaking"')
    assert "Drop it 2" in newest
    assert "Drop it 1" in rest.partition('id="calendar"')[0]
    assert "Drop it 2" not in rest.partition('id="calendar"')[0]
    assert "def run" not in page


def test_what_breaks_forks_alone_on_the_newest_day_stands_where_its_mark_leads(tmp_path: Path) -> None:
    inside = finding("internal_field_removed", "Pool.size", breaking=True)
    page = page_of(tmp_path, commit(1, subject="Shrink it", findings=(inside,)), commit(2))
    text = parsed(page[page.index('id="newest"') : page.index('id="breaking"')]).text
    assert "none is marked as breaking." in text
    assert text.index("For plug-ins and forks alone: 1.") < text.index("FORK Shrink it") < text.index("Pool.size")


def test_that_nothing_breaks_is_said_with_what_was_read_and_what_was_not(tmp_path: Path) -> None:
    from daybreak.core.model.day import Skipped

    text = parsed(page_of(tmp_path, commit(1), skipped=(Skipped("commit:1", "It is too large."),))).text
    assert "None: 1 commit was read of 1 in git, and none is marked as breaking." in text
    assert "It is too large." in text

"""The static site: whole, incremental, and never over what another wrote."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from daybreak.cli import main
from daybreak.core.errors import NotOursError
from daybreak.site.pages import Asset
from daybreak.site.pages.site import MANIFEST, write_site
from pages.building import build, parsed

NEWEST, BEFORE = "2026-03-08", "2026-03-07"


def stamps(site: Path) -> dict[str, int]:
    """When each file was put there; a file that was not touched keeps its moment."""
    return {p.relative_to(site).as_posix(): p.stat().st_ino for p in site.rglob("*") if p.is_file()}


def test_a_second_build_writes_nothing(own_demo_week: Path, own_site: Path) -> None:
    before = stamps(own_site)
    again = build(own_demo_week, own_site)
    assert (again.written, again.removed, again.kept) == ((), (), len(before) - 1)
    assert stamps(own_site) == before


def test_a_new_day_touches_only_what_it_changes(own_demo_week: Path, own_site: Path, tmp_path: Path) -> None:
    report, aside = own_demo_week / "reports" / f"{NEWEST}.json", tmp_path / "aside"
    shutil.move(report, aside)
    build(own_demo_week, own_site)
    before = stamps(own_site)
    assert f"zh/days/{NEWEST}.html" not in before
    shutil.move(aside, report)
    build(own_demo_week, own_site)
    after = stamps(own_site)
    touched = {path for path in after if after[path] != before.get(path)}
    days = {path for path in touched if "/days/" in path and path.endswith(".html")}
    assert days == {f"{lang}/days/{label}.html" for lang in ("zh", "en") for label in (BEFORE, NEWEST)}
    assert not [path for path in touched if "/changes/" in path]
    assert {"index.html", "zh/index.html", "en/index.html"} <= touched
    assert len(touched) < len(after) / 4
    assert f'rel="next" href="{NEWEST}.html"' in (own_site / "zh" / "days" / f"{BEFORE}.html").read_text("utf-8")


def test_a_day_that_is_gone_takes_its_pages_along(own_demo_week: Path, own_site: Path) -> None:
    (own_site / "mine.txt").write_text("not Daybreak's")
    (own_demo_week / "reports" / "2026-03-06.json").unlink()
    built = build(own_demo_week, own_site)
    assert "zh/days/2026-03-06.html" in built.removed
    assert not (own_site / "zh" / "days" / "2026-03-06.html").exists()
    assert (own_site / "mine.txt").read_text() == "not Daybreak's"


@pytest.mark.parametrize("name", ["index.html", "zh/days/2026-03-06.html"])
def test_a_file_of_another_is_left_alone_and_nothing_is_written(demo_week: Path, tmp_path: Path, name: str) -> None:
    site = tmp_path / "site"
    (site / name).parent.mkdir(parents=True)
    (site / name).write_text("mine")
    with pytest.raises(NotOursError, match="not written by Daybreak"):
        build(demo_week, site)
    assert [p for p in site.rglob("*") if p.is_file()] == [site / name]
    assert (site / name).read_text() == "mine"


def test_a_page_that_was_deleted_by_hand_comes_back(own_demo_week: Path, own_site: Path) -> None:
    (own_site / "en" / "days" / "2026-03-06.html").unlink()
    assert build(own_demo_week, own_site).written == ("en/days/2026-03-06.html",)


def test_a_build_that_was_killed_is_taken_up_again(tmp_path: Path) -> None:
    def broken(path: str) -> Asset:
        if path == "b.html":
            raise KeyboardInterrupt
        return Asset(path, path.encode(), "text/html")

    wanted = [(f"{name}.html", "1", broken) for name in "abc"]
    with pytest.raises(KeyboardInterrupt):
        write_site(tmp_path, wanted)
    assert (tmp_path / "a.html").exists()
    whole = [(f"{name}.html", "1", lambda path: Asset(path, path.encode(), "text/html")) for name in "abc"]
    assert write_site(tmp_path, whole).written == ("a.html", "b.html", "c.html")
    assert not list(tmp_path.glob(".daybreak-staged*"))


def test_a_list_that_names_files_outside_reaches_none_of_them(tmp_path: Path) -> None:
    outside, site = tmp_path / "outside.txt", tmp_path / "site"
    outside.write_text("mine")
    site.mkdir()
    pages = {"../outside.txt": "1", str(outside): "1", "a/../../outside.txt": "1", "..\\outside.txt": "1"}
    (site / MANIFEST).write_text(json.dumps({"schema": "daybreak.site/1", "pages": pages}))
    write_site(site, [("a.html", "1", lambda path: Asset(path, b"a", "text/html"))])
    assert outside.read_text() == "mine"


def test_each_page_is_made_once_and_no_other_page_with_it(tmp_path: Path) -> None:
    """A build is linear: the work for a page does not grow with the number of pages."""
    made: list[str] = []

    def make(path: str) -> Asset:
        made.append(path)
        return Asset(path, b"x", "text/html")

    wanted = [(f"{n}.html", "1", make) for n in range(300)]
    write_site(tmp_path, wanted)
    write_site(tmp_path, [*wanted, ("new.html", "1", make)])
    assert len(made) == 301


def test_a_report_that_cannot_be_read_is_named_and_the_others_are_built(own_demo_week: Path, tmp_path: Path) -> None:
    (own_demo_week / "reports" / "2026-03-06.json").write_text('{"schema": "daybreak.report/1"}')
    shutil.rmtree(own_demo_week / ".daybreak")  # without a store the files are read
    site = tmp_path / "site"
    code = main(["site", "--config", str(own_demo_week / "daybreak.toml"), "--out", str(site), "--quiet"])
    assert code == 3
    assert "报告无法读取" in (site / "zh" / "days" / "2026-03-06.html").read_text("utf-8")
    assert (site / "zh" / "days" / "2026-03-05.html").is_file()


def test_the_command_writes_beside_the_reports_and_says_where(
    own_demo_week: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["site", "--config", str(own_demo_week / "daybreak.toml")]) == 0
    said = capsys.readouterr()
    assert said.out == f"{own_demo_week / 'site' / 'index.html'}\n"
    assert "written, 0 as they were" in said.err
    assert (own_demo_week / "site" / "index.html").is_file()


def test_the_root_is_the_home_page_of_the_main_language_without_a_redirect(demo_site: Path) -> None:
    root = parsed((demo_site / "index.html").read_text("utf-8"))
    assert ("html", "lang", "zh-Hans") in root.attributes
    assert not [value for tag, name, value in root.attributes if name == "http-equiv" and value.lower() == "refresh"]
    assert "zh/days/2026-03-08.html" in root.links


@pytest.mark.parametrize(("address", "root"), [("", "/"), ("https://acme.example/news", "https://acme.example/news/")])
def test_where_there_is_no_page_both_languages_say_so_and_lead_home(
    own_demo_week: Path, tmp_path: Path, address: str, root: str
) -> None:
    config = own_demo_week / "daybreak.toml"
    config.write_text(
        f'{config.read_text("utf-8")}\n[publish]\nsite_url = "{address}"\n' if address else config.read_text("utf-8")
    )
    assert main(["site", "--config", str(config), "--out", str(tmp_path / "site"), "--quiet"]) == 0
    page = (tmp_path / "site" / "404.html").read_text("utf-8")
    assert "没有这个页面" in page
    assert "There is no such page." in page
    assert f'<a href="{root}">' in page
    assert f'href="{root}assets/' in page, "whichever address below led here, the style is found"

"""A third report language is one file: a day of the demo in a language that only this test has."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from daybreak.cli.console import Voice
from daybreak.cli.run import Wish, report_days
from daybreak.core.config import Settings, load
from daybreak.core.windows import day
from daybreak.core.words import phrases, say
from daybreak.demo import history, week
from daybreak.report.archive.opening import open_archive
from daybreak.site.pages.site import Site

CODE, NAME = "qx", "Ǫẋ"
KEPT = re.compile(r"(`[^`]*`|\{[^{}]*\}|<[^<>]*>|&\w+;|\]\([^)]*\))")
LETTERS = str.maketrans("aeiouAEIOU", "áéíóúÁÉÍÓÚ")


def accented(text: str) -> str:
    """The same with other vowels; code, placeholders and markup stay."""
    return "".join(part if at % 2 else part.translate(LETTERS) for at, part in enumerate(KEPT.split(text)))


def written(tree: Mapping[str, object], name: str) -> Iterator[str]:
    """A catalogue as TOML, with every text in it accented."""
    texts = {key: value for key, value in tree.items() if not isinstance(value, dict)}
    if texts:
        yield f"[{name}]"
        for key, value in texts.items():
            shown = accented(str(value)) if name not in ("language", "grammar") else str(value)
            yield f"{key} = '''{shown}'''"
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from written(value, f"{name}.{key}")


def forget() -> None:
    for read in (phrases.languages, phrases.table, phrases.template, phrases._rooms):
        read.cache_clear()


@pytest.fixture
def third(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """One more file beside the catalogues, and no line of code."""
    folder = tmp_path / "words"
    shutil.copytree(phrases.FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    english = tomllib.loads((folder / "en.toml").read_text(encoding="utf-8"))
    english["language"] |= {"name": NAME, "html": CODE, "region": CODE, "rank": 3, "checked": "no"}
    lines = (line for room, tree in english.items() for line in written(tree, room))
    (folder / f"{CODE}.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.setattr(phrases, "FOLDER", folder)
    forget()
    yield CODE
    monkeypatch.undo()
    forget()


def reported(folder: Path) -> Settings:
    """The demo's fullest day, in the third language and in English."""
    week.prepare(folder)
    config = folder / week.CONFIG
    config.write_text(config.read_text(encoding="utf-8").replace('["zh", "en"]', f'["{CODE}", "en"]'), encoding="utf-8")
    settings, shown = load(config, {}, {}), date.fromisoformat(week.SHOWCASE)
    zone = ZoneInfo(week.ZONE)
    end = datetime(shown.year, shown.month, shown.day, tzinfo=zone) + timedelta(days=1)
    for short in history.UPSTREAMS:
        history.show(folder / "upstreams" / f"{short}.git", history.load(short), end)
    assert report_days(settings, [day(shown, zone, end)], Voice(quiet=True), Wish()) == 0
    return settings


def test_rules_speak_it(third: str) -> None:
    assert say("judge.day.lost")[third].endswith(accented(" could not be handled; the appendix says what and why."))
    assert phrases.languages() == ("zh", "en", third)


def test_a_day_of_the_demo_is_told_in_it_in_markdown_and_on_pages(third: str, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    settings = reported(folder)
    page = (folder / "reports" / f"{week.SHOWCASE}.md").read_text(encoding="utf-8")
    assert accented("## Act on") in page
    assert accented("What to do: ") in page
    assert "[English](2026-03-06.en.md)" in page
    assert "需要行动" not in page
    Site(open_archive(settings), settings).build(folder / "site")
    html = (folder / "site" / CODE / "days" / f"{week.SHOWCASE}.html").read_text(encoding="utf-8")
    assert f'<html lang="{third}">' in html
    assert accented("Skip to the content") in html
    assert accented("What to do: ") in html

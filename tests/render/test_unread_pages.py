"""Pages say what was not read, and that nothing is known where nothing could be had."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from daybreak.core import words
from daybreak.core.day_json import encoded
from daybreak.core.model.report import RepoReport
from daybreak.judge.day_value import day_of
from daybreak.report.render.markdown import markdown_pages
from render import factory


def of_files(*paths: str) -> RepoReport:
    entry = factory.entry(factory.change(1, "Do", files=tuple(map(factory.file, paths))))
    return RepoReport(factory.repo(), "main", entry.change.sha, (entry,), in_git=1)


def page(*repos: RepoReport) -> str:
    report = replace(factory.report(*repos, languages=("en",)), actions=())
    return markdown_pages(day_of(report))[0].text


def test_a_language_without_a_reader_stands_on_the_page_and_in_the_data() -> None:
    repo = of_files("a/A.java", "a/B.java", "a/c.py")
    text = page(repo)
    assert "> Not read: Java (2 files, 67 %) of the changed sources." in text
    assert "\n- Not read: Java (2 files, 67 %)" in text
    data = json.loads(encoded(day_of(factory.report(repo))))
    assert data["unread"] == [{"language": "Java", "files": 2, "share": 0.667}]


def test_a_small_share_is_told_in_the_appendix_alone() -> None:
    text = page(of_files("a/A.java", *(f"a/{n}.py" for n in range(20))))
    assert "> Not read" not in text
    assert "\n- Not read: Java (1 file, 5 %)" in text


def test_all_that_is_read_is_no_matter_of_words() -> None:
    assert "Not read" not in page(of_files("a/a.py", "a/b.rs"))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_where_nothing_could_be_had_nothing_is_known(language: str) -> None:
    report = factory.report(factory.lost(), languages=(language,))
    text = markdown_pages(day_of(report))[0].text
    assert (
        text.count({"zh": "未知：没有一个仓库能取到。", "en": "Not known: no repository could be had."}[language]) == 2
    )
    assert {"zh": "未发现", "en": "was found that asks"}[language] not in text


def test_of_one_repository_among_others_it_is_said_too() -> None:
    text = page(of_files("a/a.py"), factory.lost())
    assert "before an upgrade. Nothing is known of 1 repository." in text


def test_languages_that_were_not_read_are_one_or_several() -> None:
    rows = (Path(words.__file__).with_name("en.toml")).read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if "{languages} was" in row or "{languages} were" in row] == []

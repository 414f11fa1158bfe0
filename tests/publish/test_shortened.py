"""A page that is too long for GitHub loses whole sections, says which, and keeps what matters most."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.deliver.publish.folder import Links
from daybreak.deliver.publish.github_issue import post_of
from daybreak.deliver.publish.neutralise import MOST, shortened, size

HEAD = "Window, counts."


def page(repos: int, changes: int, filler: str = "x" * 200) -> str:
    parts = [HEAD, "## Act on\n\n1. Do it.", "## Summary\n\n- It was a day."]
    for repo in range(repos):
        parts.append(f"## org/repo{repo}\n\nThe day in short.")
        parts += [f"### 🔴 Change {repo}.{n}\n\n{filler}\n\n```diff\n## not a heading\n```" for n in range(changes)]
        parts.append(f"### 🟡 Medium ({changes})\n\n" + "\n".join(f"- {filler}" for _ in range(changes)))
        parts.append(f"### The rest\n\n<details><summary>All</summary>\n\n{filler * changes}\n\n</details>")
        parts.append(f"All of this repository: [page](https://example.org/{repo})")
    return "\n\n".join([*parts, "## Conclusion\n\n- Fine."]) + "\n"


def test_what_fits_stays_as_it_is() -> None:
    text = page(2, 3)
    assert shortened(text, "en", "there") == text


@pytest.mark.parametrize("most", [60_000, 30_000, 10_000, 4_000])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_least_important_goes_first_and_is_named(language: str, most: int) -> None:
    text = page(4, 30)
    assert size(text) > 60_000
    made = shortened(text, language, "[`reports/D.md`](https://example.org/D)", most)
    assert size(made) <= most
    assert made.startswith(HEAD)
    assert "1. Do it." in made
    assert "- It was a day." in made
    assert "The rest" in made.split("*", 1)[1], "named as left out"
    assert made.count("https://example.org/D") >= 2
    assert made.count("<details>") == made.count("</details>")
    assert made.count("```") % 2 == 0
    word = "略去" if language == "zh" else "left out"
    assert word in made


def test_of_a_section_that_was_shortened_the_way_to_all_of_it_stays() -> None:
    made = shortened(page(2, 100), "en", "there", 40_000)
    assert made.count("All of this repository: [page](https://example.org/") == 2
    assert "- Fine." in made


def test_sections_that_had_to_go_altogether_are_named_at_the_end() -> None:
    text = HEAD + "".join(f"\n\n## Section {n}\n\n{'y' * 900}" for n in range(20))
    made = shortened(text, "en", "there", 10_000)
    assert size(made) <= 10_000
    assert "## Section 0\n" in made
    assert "*Left out here: " in made
    assert "Section 19; see there.*" in made


def test_a_head_that_is_too_long_by_itself_is_cut_at_a_line() -> None:
    made = shortened("\n".join("z" * 99 for _ in range(1000)), "en", "there", 5_000)
    assert size(made) <= 5_000
    assert made.endswith("z\n…\n")


def test_characters_are_counted_as_the_strictest_would() -> None:
    assert size("a\n") == 3
    assert size("🔴") == 2
    assert size("提交") == 2


@pytest.mark.parametrize("filler", ["x" * 200, "提交" * 100, "🔴" * 100, "\n- a" * 25])
def test_a_body_is_never_longer_than_github_takes(filler: str) -> None:
    made = post_of(
        "issue", "2026-01-19", f"<!-- daybreak.report/1 -->\n\n# Day\n\n{page(6, 30, filler)}", "zh", Links("zh")
    )
    assert len(made.body) + made.body.count("\n") <= MOST
    assert len(made.body.encode("utf-16-le")) // 2 <= MOST
    assert "`reports/2026-01-19.md`" in made.body


def test_a_real_page_keeps_its_order(demo_week: Path) -> None:
    text = (demo_week / "reports" / "2026-03-06.md").read_text(encoding="utf-8")
    made = shortened(text, "zh", "there", size(text) * 2 // 3)
    told = [line for line in made.splitlines() if line.startswith("#")]
    there = iter(text.splitlines())
    assert all(line in there for line in told), "each stands below the one before it"
    assert size(made) <= size(text) * 2 // 3

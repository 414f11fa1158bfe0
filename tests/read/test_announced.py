"""Announced lines: changelogs, files that become lines of them, notes and messages, in the forms that projects keep."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from daybreak.core.model.findings import Reading
from daybreak.core.model.quotes import Quote
from daybreak.findings.quotes.announced import MOST, announced, in_files, is_changelog, is_to_go, lines_of, numbers
from daybreak.judge.announcements import announcements
from read.made import change_of, patch_of
from timing import beside, cpu


def claims(text: str, *, message: bool = False) -> list[tuple[str, str]]:
    return [(line.claim, line.text) for line in announced(lines_of(text), message=message)]


def added(path: str, before: str, after: str, status: str = "M", **more: str) -> list[tuple[str, str, str]]:
    change = change_of({path: patch_of(before, after), **more})
    files = (replace(change.files[0], status=status), *change.files[1:])
    return [(one.claim, one.form, one.quote.text) for one in in_files(replace(change, files=files))]


# --- pages ---


def test_headings_of_keep_a_changelog_class_what_stands_under_them() -> None:
    page = "## Unreleased\n\n### Added\n\n- A route.\n\n### Removed\n\n- The flag `--old`.\n\n### Deprecated\n- `X`, use `Y`.\n"
    assert claims(page) == [("removes", "The flag `--old`."), ("deprecates", "`X`, use `Y`.")]


def test_a_heading_below_keeps_what_the_one_above_says_and_one_beside_ends_it() -> None:
    page = "## Breaking changes\n### Python API\n- `run` is gone.\n## Fixes\n- A crash.\n"
    assert claims(page) == [("breaks", "`run` is gone.")]


def test_underlined_headings_are_read_as_those_with_signs() -> None:
    page = "Removals and backward incompatible breaking changes\n---------------------------------------------------\n\n- Python 3.7 is dropped.\n"
    assert claims(page) == [("breaks", "Python 3.7 is dropped.")]


def test_tags_class_their_own_line_and_no_other() -> None:
    page = "- [CHANGE] API: `stats` is rejected. #12\n- [FEATURE] A new function.\n- [BUGFIX] A crash.\n"
    assert claims(page) == [("changes", "API: `stats` is rejected. #12")]


def test_an_item_goes_on_over_lines_and_keeps_its_own_items() -> None:
    page = "### Breaking\n- The metrics are renamed:\n  - `a` is `b`\n  - `c` is `d`\n- Next\n  line.\n"
    assert claims(page) == [("breaks", "The metrics are renamed: - `a` is `b` - `c` is `d`"), ("breaks", "Next line.")]


@pytest.mark.parametrize(
    "page",
    [
        "## No breaking changes\n- Nothing.\n",
        "## Non-breaking changes\n- A thing.\n",
        "## Changes\n- A thing.\n",
        "```\n### Removed\n- The flag.\n```\n",
        "> ### Removed\n> - The flag.\n",
        "### Removed\n\n[#12]: https://example.org/12\n",
        "- [ ] Breaking change (a fix that would break existing use)\n",
    ],
)
def test_what_announces_nothing(page: str) -> None:
    assert claims(page) == []
    assert claims(page, message=True) == []


# --- messages ---


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Why.\n\nBREAKING CHANGE: the option foo is gone, use bar", "the option foo is gone, use bar"),
        ("BREAKING-CHANGE: two\nlines\nSigned-off-by: A <a@b>", "two lines"),
        ("Signed-off-by: A <a@b>\nBREAKING CHANGE: after a trailer", "after a trailer"),
        ("BREAKING CHANGE:\n\nThe manifest has another form.", "The manifest has another form."),
        ("## Notes\n- **Breaking change.** The cache changes shape.\n- **Scope.** Small.", "The cache changes shape."),
        (
            "# API Breaking Changes\n`begin` takes one more argument.\n\n# Tests\nMany.",
            "`begin` takes one more argument.",
        ),
        (
            "Removes old names and makes some small breaking changes.",
            "Removes old names and makes some small breaking changes.",
        ),
        ("Text.\n\nThis is a **breaking change** to `run`.", "This is a **breaking change** to `run`."),
    ],
)
def test_a_message_says_that_it_breaks(body: str, text: str) -> None:
    assert claims(body, message=True) == [("breaks", text)]


@pytest.mark.parametrize(
    "body",
    [
        "This is not a breaking change, since nobody called it.",
        "This does not make any breaking change.",
        "Rust 1.72 is breaking our builds. This is breaking CI.",
        "## Summary by CodeRabbit\n* **Breaking Changes**\n  * Callers must change.\n* **Tests**\n  * More.",
        "### Removed\n- a helper",
        "Make potential breaking changes impossible to miss.",
        "* fix breaking change\n* remove breaking changes",
    ],
)
def test_a_message_that_only_has_the_word_says_nothing(body: str) -> None:
    assert claims(body, message=True) == []


def test_a_release_note_block_speaks_to_users_and_none_is_nothing() -> None:
    assert claims("Text\n```release-note\nThe default rises to 16.\n```\n", message=True) == [
        ("changes", "The default rises to 16.")
    ]
    assert claims("```release-notes\n[CHANGE] It needs more memory.\n```", message=True) == [
        ("changes", "It needs more memory.")
    ]
    for empty in ("NONE", "", "N/A", "[ENHANCEMENT] Faster."):
        assert claims(f"```release-note\n{empty}\n```", message=True) == []


# --- files of a change ---


@pytest.mark.parametrize(
    ("path", "claim"),
    [
        ("changelog/14716.breaking.rst", "breaks"),
        ("newsfragments/12.removal", "removes"),
        ("changelog.d/+flag.deprecation.md", "deprecates"),
        ("doc/release/upcoming_changes/9.expired.rst", "removes"),
    ],
)
def test_a_file_is_classed_by_its_name(path: str, claim: str) -> None:
    assert added(path, "", "The option is gone,\nuse the other.\n\nMore.\n", "A") == [
        (claim, "fragment", "The option is gone, use the other.")
    ]


def test_a_changeset_of_a_major_version_breaks_and_others_do_not() -> None:
    major = "---\n'@acme/engine': major\n---\n\n⚠️ **BREAKING CHANGE:** Node 18 is gone.\n\nMore.\n"
    assert added(".changeset/long-cats-run.md", "", major, "A") == [("breaks", "changeset", "Node 18 is gone.")]
    minor = major.replace("major", "minor")
    bold = minor.replace("⚠️ **BREAKING CHANGE:**", "**⚠️ Potentially breaking change:**")
    assert added(".changeset/long-cats-run.md", "", bold, "A") == [("breaks", "changeset", "Node 18 is gone.")]
    assert added(".changeset/long-cats-run.md", "", minor, "A") == [("breaks", "changeset", "Node 18 is gone.")]
    assert added(".changeset/long-cats-run.md", "", minor.replace("⚠️ **BREAKING CHANGE:** ", ""), "A") == []


def test_only_new_lines_of_a_changelog_count() -> None:
    before = "### Removed\n- `--a`\n"
    assert added("CHANGELOG.md", before, "### Removed\n- `--a`\n- `--b`\n") == [("removes", "changelog", "`--b`")]


def test_what_moves_from_a_file_into_the_changelog_was_announced_before() -> None:
    gone = patch_of("The option `--a` is gone.\n", "")
    assert (
        added(
            "CHANGELOG.rst", "", "### Removed\n- The option `--a` is gone. (#3)\n", **{"changelog/3.removal.rst": gone}
        )
        == []
    )


def test_the_notes_of_a_release_tell_of_other_changes() -> None:
    change = change_of({"CHANGELOG.md": patch_of("", "### Removed\n- `a` (#1)\n- `b` (#2)\n- `c` (#3)\n")}, pr=2)
    assert [one.state for one in in_files(change)] == ["elsewhere", "not_found", "elsewhere"]


def test_a_line_with_another_address_was_announced_before() -> None:
    old, new = (
        f"### Removed\n- The old way of starting ([{n}](https://x.org/{n}))\n" for n in ("1234567", "12345678901234")
    )
    assert added("CHANGELOG.md", old, new) == []


def test_an_item_with_the_sign_of_a_conventional_title_breaks() -> None:
    assert claims("### Bug fixes\n* fix(legacy)!: remove it\n* fix: mend it\n") == [
        ("breaks", "fix(legacy)!: remove it")
    ]


@pytest.mark.parametrize("path", ["src/changes.py", "lib/history.ts", "web/news.json", "changes/view.html"])
def test_code_is_no_changelog(path: str) -> None:
    assert not is_changelog(path)


def test_numbers_are_those_of_the_own_repository() -> None:
    assert numbers("(#12), a/b#13, [#14], https://x.org/pull/15 &#16;") == (12, 14, 15)


# --- hostile ---


def test_announcements_of_one_page_are_bounded_and_read_in_linear_time() -> None:
    page = "### Removed\n" + "- `x` **Breaking change* [CHANGE [CHANGE] This is a a a a breaking\n" * 4000
    assert cpu(lambda: list(announced(lines_of(page), message=True))) < beside(1.0)
    many = change_of({"CHANGELOG.md": patch_of("", "### Removed\n" + "- a\n" * 5000)})
    assert len(announcements(many, Reading(many.sha))) <= MOST


@given(st.text(alphabet=" \n#*-[]`~>!:BREAKINGCHANGEbreaking changes Removed\t\r💥🚨\u200d", max_size=300))
def test_any_text_is_read(text: str) -> None:
    for message in (False, True):
        assert all(line.text for line in announced(lines_of(text), message=message))


@pytest.mark.parametrize(
    ("path", "text", "holds"),
    [
        ("docs/a.md", "The `score` task is deprecated and will be removed in v2.", True),
        ("docs/a.md", "Multitask support is deprecated. Specify it via `--pool.task`.", True),
        ("docs/a.md", "The role **both** (deprecated): name each one.", True),
        ("engine/a.py", "--old-mode has been deprecated since v2.", True),
        ("docs/a.md", "These are temporary tests and deprecated tests of `run_suite.py`.", False),
        ("docs/a.md", "The `srt` folder should be deprecated as soon as possible.", False),
        ("docs/a.md", "This way of working is deprecated by now.", False),
        ("test/README.md", "The `score` task is deprecated.", False),
        (".claude/skills/a/SKILL.md", "The `score` task is deprecated.", False),
    ],
)
def test_words_say_of_something_named_that_it_is_to_go_to_those_who_use_it(path: str, text: str, holds: bool) -> None:
    assert is_to_go(Quote("docs", path, 1, "added", text)) is holds

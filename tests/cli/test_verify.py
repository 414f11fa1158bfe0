"""`daybreak verify` as a user runs it: exit codes, the table, data, marked copies, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.place import DAY, Place, one_sentence_and_a_tip

FILE = "pkg/server_args.py"


def written(place: Place, text: str, name: str = "theirs.md") -> Path:
    path = place.folder / name
    path.write_text(text, encoding="utf-8")
    return path


def link(place: Place) -> str:
    sha = place.upstream.oid("main")
    return f"[`{sha[:7]}`](https://github.com/acme/engine/commit/{sha})"


def true_report(place: Place) -> str:
    return f"# Daily report ({DAY})\n\n## acme/engine\n\n- Tune (#2) {link(place)}: `{FILE}` (+1 -1).\n"


def test_a_true_report_ends_with_0(place: Place) -> None:
    written(place, true_report(place))
    answer = place.run("verify", "theirs.md")
    assert answer.returncode == 0, answer.stdout
    assert "all " in answer.stdout
    assert "0 false" in answer.stderr


@pytest.mark.parametrize(
    ("old", "new", "kind"), [("+1 -1", "+8 -1", "line count"), (FILE, "pkg/other.py", "path"), ("#2", "#3", "title")]
)
def test_a_false_claim_ends_with_3(place: Place, old: str, new: str, kind: str) -> None:
    written(place, true_report(place).replace(old, new))
    answer = place.run("verify", "theirs.md", "--json")
    assert answer.returncode == 3
    (row,) = json.loads(answer.stdout)["reports"]
    assert kind in {alarm["kind"] for alarm in row["alarms"]}
    assert row["false"] == len(row["alarms"])
    assert all(alarm["line"] == 5 for alarm in row["alarms"])


def test_the_table_fits_80_columns_and_shows_where_and_why(place: Place) -> None:
    written(place, true_report(place).replace(FILE, "pkg/" + "very_" * 30 + "long.py") + "\n中文" * 60)
    answer = place.run("verify", "theirs.md")
    assert answer.returncode == 3
    assert "  line 5, path: pkg/very_" in answer.stdout
    from daybreak.cli.console import width

    assert max(width(line) for line in answer.stdout.splitlines()) <= 80


def test_our_own_report_holds_in_both_languages(place: Place) -> None:
    assert place.run("run", "--date", DAY).returncode == 0
    pages = [str(path.relative_to(place.folder)) for path in (place.folder / "reports").rglob("*.md")]
    assert len(pages) >= 4
    answer = place.run("verify", "--offline", "README.md", *pages)
    assert answer.returncode == 0, answer.stdout
    assert "0 false" in answer.stderr


def test_a_page_of_ours_that_somebody_changed_is_found(place: Place) -> None:
    assert place.run("run", "--date", DAY).returncode == 0
    path = place.folder / "reports" / DAY / "acme-engine.md"
    path.write_text(path.read_text(encoding="utf-8").replace("Ann Lee", "Bob Roe"), encoding="utf-8")
    answer = place.run("verify", "--offline", f"reports/{DAY}/acme-engine.md")
    assert answer.returncode == 3
    assert "is by Ann Lee" in answer.stdout


def test_a_value_that_somebody_changed_is_found_in_every_page_of_ours(place: Place) -> None:
    changed = 'parser.add_argument("--size", default=16384)\n'
    place.upstream.commit("Tune again (#3)", {FILE: changed}, at=f"{DAY}T11:00:00")
    assert place.run("run", "--date", DAY).returncode == 0
    texts = {page: page.read_text(encoding="utf-8") for page in (place.folder / "reports").rglob("*.md")}
    with_it = [page for page, text in texts.items() if "`16384`" in text and DAY in str(page)]
    assert len(with_it) == 4  # the day and the repository, in both languages
    for page in with_it:
        page.write_text(texts[page].replace("`16384`", "`16385`"), encoding="utf-8")
        answer = place.run("verify", "--offline", "--json", str(page.relative_to(place.folder)))
        assert answer.returncode == 3, page
        alarms = [one for row in json.loads(answer.stdout)["reports"] for one in row["alarms"]]
        assert all(one["kind"] == "written" and "16385" in one["said"] and "16384" in one["why"] for one in alarms)


def test_values_of_a_report_without_data_are_counted_as_not_checked(place: Place) -> None:
    written(place, true_report(place) + "\nNow `>=0.2.7` and <code>a|b</code>.\n")
    answer = place.run("verify", "theirs.md")
    assert answer.returncode == 0, answer.stdout
    assert "not checked: 2 × value: there is no data beside the report" in answer.stdout


def test_the_marked_copy_stands_beside_the_report_or_in_a_folder(place: Place) -> None:
    written(place, true_report(place).replace("+1 -1", "+8 -1"))
    assert place.run("verify", "theirs.md", "--annotate").returncode == 3
    assert "⟦✗ line count: " in (place.folder / "theirs.verified.md").read_text(encoding="utf-8")
    assert place.run("verify", "theirs.md", "--annotate", "marked").returncode == 3
    assert (place.folder / "marked" / "theirs.md").is_file()
    assert place.run("verify", "theirs.md", "--annotate", "marked").returncode == 3


def test_a_marked_copy_never_overwrites_another_file(place: Place) -> None:
    written(place, true_report(place))
    before = written(place, "mine", "theirs.verified.md").read_bytes()
    answer = place.run("verify", "theirs.md", "--annotate")
    assert answer.returncode == 1
    one_sentence_and_a_tip(answer)
    assert (place.folder / "theirs.verified.md").read_bytes() == before


def test_terminal_codes_of_a_report_do_not_reach_the_terminal(place: Place) -> None:
    nasty = "\x1b]0;owned\x07\x1b[31m\x9b31m\u202e"
    report = (
        f"# Daily report ({DAY})\n\n## acme/engine\n\n- {link(place)} `pkg/{nasty}no.py` {nasty}\n\n[x](#{nasty}a)\n"
    )
    written(place, report)
    for arguments in ([], ["--json"]):
        answer = place.run("verify", "theirs.md", *arguments)
        assert answer.returncode == 3
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(answer.stdout + answer.stderr)


def test_without_a_mirror_it_is_said_what_was_not_checked(place: Place) -> None:
    written(place, true_report(place).replace("acme/engine", "other/thing"))
    answer = place.run("verify", "theirs.md")
    assert answer.returncode == 0
    assert "no mirror of that repository" in answer.stdout
    assert "could not be checked" in answer.stderr


def test_without_a_config_only_the_form_is_checked(place: Place) -> None:
    (place.folder / "daybreak.toml").unlink()
    written(place, true_report(place) + "\n[a](#nowhere)\n")
    answer = place.run("verify", "theirs.md")
    assert answer.returncode == 3
    assert "only the form" in answer.stderr
    assert "#nowhere" in answer.stdout


def test_offline_without_a_mirror_reads_a_local_path(place: Place) -> None:
    written(place, true_report(place).replace("+1 -1", "+8 -1"))
    assert not (place.folder / ".daybreak").exists()
    assert place.run("verify", "--offline", "theirs.md").returncode == 3


def test_a_report_that_is_nowhere_is_a_wrong_name(place: Place) -> None:
    answer = place.run("verify", "reports/nope.md")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "There is no reports/nope.md." in answer.stderr
    assert "Name a report that is there" in answer.stderr


def test_what_cannot_be_read_is_an_error_and_costs_no_other_report(place: Place) -> None:
    written(place, true_report(place))
    (place.folder / "large.md").write_bytes(b"# a\n" * 3_000_000)
    answer = place.run("verify", "missing.md", "large.md", "theirs.md")
    assert answer.returncode == 1
    assert "missing.md is not verified" in answer.stderr
    assert "large.md is not verified: it has 12 MB" in answer.stderr
    assert "theirs.md" in answer.stdout
    assert "Traceback" not in answer.stderr


def test_bytes_that_are_no_text_raise_nothing(place: Place) -> None:
    (place.folder / "theirs.md").write_bytes(bytes(range(1, 256)) * 200)
    assert place.run("verify", "theirs.md").returncode in (0, 1, 3)


def test_a_date_that_is_none_is_refused(place: Place) -> None:
    written(place, true_report(place))
    answer = place.run("verify", "theirs.md", "--date", "yesterday")
    assert answer.returncode == 2
    one_sentence_and_a_tip(answer)


def test_the_day_can_be_given(place: Place) -> None:
    written(place, true_report(place).replace(f"# Daily report ({DAY})", "# News"))
    assert place.run("verify", "theirs.md", "--date", DAY).returncode == 0
    assert place.run("verify", "theirs.md", "--date", "2026-01-25").returncode == 3


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("theirs.json", b'{"sha": "abcdef1"}', "its name says that it is no Markdown"),
        ("theirs.md", b"\x89PNG\r\n\x00\x00 abcdef1", "it is no text"),
        (
            "theirs.md",
            b"Milk, bread and two onions\n",
            "theirs.md says nothing that could be checked.",
        ),
        ("theirs.md", b"", "theirs.md says nothing that could be checked."),
    ],
    ids=["data", "picture", "no claim", "empty"],
)
def test_what_is_no_report_is_refused(place: Place, name: str, data: bytes, why: str) -> None:
    (place.folder / name).write_bytes(data)
    answer = place.run("verify", name)
    assert answer.returncode == 1
    assert why in answer.stderr


def test_a_quiet_day_is_a_report_though_nothing_of_it_can_be_checked(place: Place) -> None:
    (place.folder / "quiet.md").write_text("# Daily 2026-07-12\n\nNothing was merged today.\n", encoding="utf-8")
    assert place.run("verify", "quiet.md").returncode == 0

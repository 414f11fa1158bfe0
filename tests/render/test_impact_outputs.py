"""Every form of the answer: what it holds, and that nothing from outside takes effect in it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from importlib import resources
from typing import Any

import jsonschema
import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

from daybreak.core.model.changes import Repo, Skipped
from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.upgrade import Certainty, Hit, Net, Use
from daybreak.core.projects import Unreadable, wanted_for
from daybreak.upgrade.downstream.readers import uses
from daybreak.upgrade.impact.form_text import COLUMNS, ImpactReport, Scope, Told, folded, impact_sarif, impact_text
from daybreak.upgrade.impact.forms import impact_github, impact_json, impact_markdown

SHA = "a1b2c3d4e" + "0" * 31
REPO = Repo("acme/engine", "https://example.org/acme/engine", "git")
EVIL = "[x](javascript:alert)<b>@team{0}`\x1b[31m\u202e%0A::set-output name=a::b"
SCHEMA = json.loads(
    resources.files("daybreak.upgrade.impact").joinpath("impact.schema.json").read_text(encoding="utf-8")
)


def told(
    certainty: Certainty = "certain",
    path: str = "deploy/run.sh",
    line: int = 4,
    kind: str = "cli_flag_removed",
    symbol: str = "--old",
    **more: Any,
) -> Told:
    finding = Finding("a/1", kind, "engine/args.py", 7, symbol, symbol, None, True, Alias("none"))
    use = Use("cli_flag", symbol, path, line, f"engine serve {symbol}", program="engine serve")
    why = {
        "zh": "你设置了 `--old`。上游：删除命令行参数 `--old`。",
        "en": "You set `--old`. Upstream: Removes `--old`.",
    }
    action = {"zh": "升级前删去该参数。", "en": "Remove the option before upgrading."}
    values: dict[str, Any] = {"pinned": "0.14.1", "pin_at": "requirements.txt:3", **more}
    return Told("DB-3f9a2c11", Hit(certainty, use, REPO.name, Net(finding, (SHA,), "v0.15.0"), why, action, **values))


def report(*hits: Told, **more: Any) -> ImpactReport:
    values: dict[str, Any] = {
        "scopes": (Scope(REPO, "v0.14.1..v0.15.0"),),
        "files": 12,
        "lines": 3400,
        "subjects": {SHA: "Drop --old (#12)"},
        **more,
    }
    return ImpactReport("svc", "0.1.0", told=hits, **values)


FULL = report(
    told(),
    told("likely", "svc/a.py", 9, "extension_method_changed", "Base.run"),
    told("look", "svc/b.py", 1, "cli_default_changed", "--size", pinned=None, pin_at=None),
    acknowledged=2,
    acks="daybreak-acks.toml",
    expired=(("DB-00000000 path=x", "2026-01-01"),),
    unused=("env_removed:X",),
    skipped=(Skipped("nb.ipynb", "it is not JSON"),),
)
HOSTILE = report(
    told(path=f"a/{EVIL}.sh", symbol=EVIL, acknowledged=None),
    told("look", acknowledged=EVIL),
    subjects={SHA: EVIL},
    skipped=(Skipped(EVIL, EVIL),),
    unused=(EVIL,),
    expired=((EVIL, "2026-01-01"),),
)


def width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


@pytest.mark.parametrize("shown", [impact_text, impact_markdown])
def test_what_two_levels_say_of_one_change_is_told_once(shown: Callable[[ImpactReport, str], str]) -> None:
    text = shown(report(told(), told("look", "svc/b.py", 1)), "en")
    assert text.count("Remove the option before upgrading.") == 1
    assert "The same as under “Certain” above" in text
    assert "svc/b.py:1" in text


# --- terminal ------------------------------------------------------------------------------------------------------


def test_the_terminal_shows_the_surest_first_with_file_and_line() -> None:
    text = impact_text(FULL, "en")
    assert text.startswith("Touches your code: 1 certain · 1 likely · 1 worth a look\n")
    places = re.findall(r"^  (\S+:\d+)  DB-3f9a2c11$", text, re.MULTILINE)
    assert places == ["deploy/run.sh:4", "svc/a.py:9", "svc/b.py:1"]
    assert "since v0.15.0 · you run 0.14.1 (requirements.txt:3)" in text.replace("\n    ", " ")
    pin = "requirements.txt:3: vllm 0.14.1 → 0.15.0"
    moved = replace(FULL, scopes=tuple(replace(one, pin=pin) for one in FULL.scopes))
    what = FULL.scopes[0].what.partition("..")
    for language, said in (("en", f"you move from {what[0]} to {what[2]}"), ("zh", f"你从 {what[0]} 升到 {what[2]}")):
        told_so = re.sub(r"\n +", " " if language == "en" else "", impact_text(moved, language))
        assert said.replace(" ", "") in told_so.replace(" ", "")
        assert "0.14.1 (requirements" not in told_so, "who moves does not run either end"
    for words in ("2 more acknowledged", "has expired and counts again", "nothing needs", "nb.ipynb: it is not JSON"):
        assert words in text


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_terminal_keeps_to_its_columns(language: str) -> None:
    assert max(map(width, impact_text(FULL, language).splitlines())) <= COLUMNS


@pytest.mark.parametrize("language", ["zh", "en"])
def test_nothing_to_tell_is_told(language: str) -> None:
    text = impact_text(report(), language)
    assert ("Nothing here touches" in text) or ("没有发现受影响" in text)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Read 1 file (1 line) against acme/engine v0.14.1..v0.15.0, acme/engine 2026-01-15 (no commits)"),
        ("zh", "读了 1 个文件（1 行），对照 acme/engine v0.14.1..v0.15.0、acme/engine 2026-01-15（没有提交）"),
    ],
)
def test_what_was_compared_is_told_in_the_readers_language(language: str, words: str) -> None:
    scopes = (Scope(REPO, "v0.14.1..v0.15.0"), Scope(REPO, "2026-01-15", empty=True))
    which = report(scopes=scopes, files=1, lines=1)
    assert "".join(words.split()) in "".join(impact_text(which, language).split())
    shown = impact_markdown(which, language).replace("&#32;", " ")
    assert ("(no commits)" in shown) == (language == "en")
    assert ("（没有提交）" in shown) == (language == "zh")


@pytest.mark.parametrize("shown", [impact_text, impact_markdown])
def test_files_of_yours_are_told_apart_from_what_upstream_lacks(shown: Callable[[ImpactReport, str], str]) -> None:
    text = shown(report(unread=(Skipped("a.py", "it is no Python"),), skipped=(Skipped("acme/x", "gone"),)), "en")
    assert text.index("Of upstream, 1 could not be read:") < text.index("acme/x: gone")
    assert text.index("Of your files, 1 could not be read:") < text.index("a.py: it is no Python")


@pytest.mark.parametrize("form", [impact_text, impact_markdown, impact_github, impact_sarif])
def test_why_a_file_could_not_be_read_is_said_in_the_readers_language(form: Callable[[ImpactReport, str], str]) -> None:
    """Code for a newer Python than ours is no mistake of its author, and is not called one."""
    with pytest.raises(Unreadable) as why:
        list(uses("a.py", "import vllm\nx = = 1\n", wanted_for(["vllm-project/vllm"])))
    unread = report(unread=(Skipped("a.py", str(why.value)),))
    chinese, english = (re.sub(r"\s+", "", form(unread, language)) for language in ("zh", "en"))
    assert "不是Python，或语法更新" in chinese
    assert "newersyntax" in english
    assert "newersyntax" not in chinese


def test_folding_loses_nothing() -> None:
    text = "你传入 `alpha` 给 `engine.run`。上游：删除参数，没有兼容别名。 " + "word " * 40
    for columns in (20, 40, 76):
        lines = list(folded(text, columns))
        assert "".join("".join(lines).split()) == "".join(text.split())
        assert max(map(width, lines)) <= columns


# --- Markdown ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_comment_has_its_marker_and_a_link_to_the_change(language: str) -> None:
    text = impact_markdown(FULL, language)
    assert text.startswith("<!-- daybreak.impact/1 -->\n")
    assert f"](https://example.org/acme/engine/commit/{SHA})" in text
    assert "`deploy/run.sh:4`" in text


def test_both_comments_say_the_same() -> None:
    zh, en = (impact_markdown(FULL, language) for language in ("zh", "en"))
    assert zh.count("\n") == en.count("\n")
    assert re.findall(r"DB-\w+|\]\(\S+\)", zh) == re.findall(r"DB-\w+|\]\(\S+\)", en)


def test_hostile_text_is_text_in_a_comment() -> None:
    tokens = MarkdownIt("gfm-like").parse(impact_markdown(HOSTILE, "en"))
    inner = [token for block in tokens for token in (block.children or [])]
    links = {token.attrGet("href") for token in inner if token.type == "link_open"}
    assert links <= {f"https://example.org/acme/engine/commit/{SHA}"}
    html = {re.sub(r"[^<>/a-z]", "", token.content) for token in inner if token.type == "html_inline"}
    assert html <= {"<code>", "</code>"}
    assert "\x1b" not in impact_markdown(HOSTILE, "en")
    assert "\u202e" not in impact_markdown(HOSTILE, "en")


# --- JSON ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", [FULL, HOSTILE, report()], ids=["full", "hostile", "empty"])
def test_the_data_fits_its_schema(which: ImpactReport) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(impact_json(which)), SCHEMA, cls=jsonschema.Draft202012Validator)


def test_acknowledged_hits_are_shown_and_not_counted() -> None:
    data = json.loads(impact_json(report(told(), told(acknowledged="we know"), acknowledged=1)))
    assert data["counts"] == {"certain": 1, "likely": 0, "look": 0}
    assert [hit["acknowledged"] for hit in data["hits"]] == [None, "we know"]


# --- SARIF ---------------------------------------------------------------------------------------------------------


def sarif(which: ImpactReport) -> Any:
    (run,) = json.loads(impact_sarif(which, "en"))["runs"]
    return run


def test_sarif_has_a_rule_for_each_kind_and_a_place_for_each_hit() -> None:
    run = sarif(FULL)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["cli_default_changed", "cli_flag_removed", "extension_method_changed"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] >= 1
        assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        assert re.fullmatch(r"[0-9a-f]{32}", result["partialFingerprints"]["daybreak/v1"])
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]


def test_sarif_tells_each_kind_in_a_sentence() -> None:
    rules = {rule["id"]: rule["shortDescription"]["text"] for rule in sarif(FULL)["tool"]["driver"]["rules"]}
    assert rules["cli_default_changed"] == "The default of a command line option changed."
    assert rules["cli_flag_removed"] == "A command line option was removed."


def test_sarif_fingerprints_do_not_follow_lines() -> None:
    first, second = (sarif(report(told(line=n)))["results"][0]["partialFingerprints"] for n in (4, 40))
    other = sarif(report(told(path="b.sh")))["results"][0]["partialFingerprints"]
    assert first == second != other


def test_sarif_escapes_what_it_would_read() -> None:
    result = sarif(report(told(path="a b/{x}.sh", acknowledged="we know")))["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/%7Bx%7D.sh"
    assert result["suppressions"] == [{"kind": "external", "justification": "we know"}]
    assert result["message"]["text"].endswith("\\[DB-3f9a2c11\\]")
    notes = sarif(HOSTILE)["invocations"][0]["toolExecutionNotifications"]
    assert "{{0}}" in notes[0]["message"]["text"]
    assert not re.search(r"(?<!\\)\[", notes[0]["message"]["text"])


# --- GitHub --------------------------------------------------------------------------------------------------------


def test_annotations_are_one_line_each() -> None:
    lines = impact_github(FULL, "en").splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::notice"]
    assert lines[0].startswith(
        "::error file=deploy/run.sh,line=4,title=acme/engine%3A cli_flag_removed (Certain)::You set `--old`."
    )


def test_hostile_names_cannot_speak_to_the_runner() -> None:
    text = impact_github(report(told(path="a,line=9::x\n::error::y%.py")), "en")
    assert len(text.splitlines()) == 1
    assert text.startswith("::error file=a%2Cline=9%3A%3Ax\ufffd%3A%3Aerror%3A%3Ay%25.py,line=4,")
    assert "\x1b" not in impact_github(HOSTILE, "en")


def test_files_that_could_not_be_read_are_notices_and_no_more_than_ten() -> None:
    unread = tuple(Skipped(f"svc/{n:02}\n::error::.py", "it is no Python\n::error::x") for n in range(12))
    lines = impact_github(report(unread=unread), "en").splitlines()
    assert len(lines) == 10
    assert all(line.startswith("::notice file=svc/") for line in lines)
    assert lines[0].startswith("::notice file=svc/00\ufffd%3A%3Aerror%3A%3A.py,title=could not be read")


def test_acknowledged_hits_are_no_annotations() -> None:
    assert impact_github(report(told(acknowledged="we know")), "en") == ""

"""The catalogues: what rules say has its words in every language, with exactly the arguments that rules give."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import daybreak
from daybreak.collect.github.requests import NAMES
from daybreak.collect.github.rest import _REST
from daybreak.core.errors import UsageError
from daybreak.core.words import known, say, term
from daybreak.core.words.grammar import NOTHING, alike, clause, ended, joined, listing, sentence
from daybreak.core.words.phrases import FOLDER, chosen, languages, part_in, phrases, reason_in, table, take_apart
from daybreak.findings.kinds import kinds

SOURCE = Path(daybreak.__file__).parent
SPEAKERS = ("judge", "upgrade")
"""Rooms whose words are said by id; the words of the others are phrases of pages and messages."""
SECTIONS = ("upgrade.fork.", "upgrade.impact.")
"""Phrases among them."""
PAGES = ("report", "site", "feeds", "notify", "publish", "web", "skip", "upgrade.fork", "upgrade.impact")
"""Sections of phrases that are said in one language at a time."""


class Call(NamedTuple):
    where: str
    function: str
    ident: str
    arguments: frozenset[str]


@cache
def calls() -> tuple[Call, ...]:
    """Every `say` and `term` of the catalogue in the source."""
    return tuple(call for path in sorted(SOURCE.rglob("*.py")) if path.parent != FOLDER for call in _calls(path))


def _calls(path: Path) -> Iterator[Call]:
    text = path.read_text(encoding="utf-8")
    if "daybreak.core.words" not in text:
        return
    tree = ast.parse(text)
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "daybreak.core.words"
        for alias in node.names
    }
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in imported):
            continue
        first, where = node.args[0], f"{path.relative_to(SOURCE)}:{node.lineno}"
        assert isinstance(first, ast.Constant), f"{where}: an id must be written out, or be of a family"
        assert all(keyword.arg for keyword in node.keywords), f"{where}: arguments must be written out"
        names = frozenset(keyword.arg or "" for keyword in node.keywords)
        yield Call(where, node.func.id, str(first.value), names)


@cache
def texts(language: str) -> dict[str, str]:
    """Id -> words, of the rooms that speak by id."""
    return {
        f"{room}.{key}": said
        for room in SPEAKERS
        for key, said in table(language, room).items()
        if not f"{room}.{key}".startswith(SECTIONS)
    }


def written(text: str) -> set[str]:
    """Arguments that stand in a text; what only chooses a form may be missing where there are no forms."""
    return {piece.name for piece in take_apart(text) if piece.name and piece.forms is None}


def used(ident: str) -> set[str]:
    return {piece.name for language in languages() for piece in take_apart(texts(language)[ident]) if piece.name}


def test_the_source_speaks_by_id() -> None:
    assert sum(call.function == "say" for call in calls()) > 100


@pytest.mark.parametrize("language", languages())
def test_every_language_has_every_id_with_the_same_arguments(language: str) -> None:
    assert texts(language).keys() == texts("en").keys()
    for ident, text in texts(language).items():
        assert written(text) == written(texts("en")[ident]), ident


@pytest.mark.parametrize("section", PAGES)
@pytest.mark.parametrize("language", languages())
def test_every_language_has_every_phrase_with_the_same_arguments(language: str, section: str) -> None:
    ours, english = phrases(language, section).table, phrases("en", section).table
    assert {key for key in ours if not key.endswith("_one")} == {key for key in english if not key.endswith("_one")}
    for key, text in ours.items():
        assert written(text) == written(english[key.removesuffix("_one")]), key


def pairs() -> Iterator[tuple[str, str, str]]:
    """Every text that both languages have: its id, in Chinese, in English."""
    for room in (*SPEAKERS, *dict.fromkeys(name.partition(".")[0] for name in PAGES)):
        ours, english = table("zh", room), table("en", room)
        yield from ((f"{room}.{key}", ours[key], english[key]) for key in english.keys() & ours.keys())
    for name, kind in kinds().items():
        for words in (kind.words, kind.sent, kind.read):
            parts = ((part, getattr(words, part)) for part in words.__struct_fields__)
            yield from ((f"{name}.{part}", text["zh"], text["en"]) for part, text in parts if text)


@pytest.mark.parametrize(("first", "then"), [("before", "after"), ("b", "a"), ("start", "end")])
def test_what_was_stands_before_what_is_in_both_languages_or_in_none(first: str, then: str) -> None:
    both = [(ident, zh, en) for ident, zh, en in pairs() if f"{{{first}}}" in en and f"{{{then}}}" in en]
    assert both
    turned = [(ident, zh.find(f"{{{first}}}") > zh.find(f"{{{then}}}"), en) for ident, zh, en in both]
    assert [ident for ident, back, en in turned if back != (en.find(f"{{{first}}}") > en.find(f"{{{then}}}"))] == []


SENSES = {
    "升级": r"upgrad|\btake|what you run|\bmov(?:e|es|ed|ing)\b|\bbump",
    "默认": r"default",
    "崩溃": r"crash",
    "弃用": r"deprecat|will go",
    "回退": r"revert|taken? back|takes .* back|roll|back|fall|undo|without",
    "昨": r"yesterday",
    "确认": r"confirm|check|sure|make sure|whether|verif|acknowledg|accept",
}
"""Words that carry the sense of a sentence: where the Chinese has one, the English has its like."""


@pytest.mark.parametrize("word", SENSES)
def test_both_languages_say_the_same(word: str) -> None:
    assert [ident for ident, zh, en in pairs() if word in zh and not re.search(SENSES[word], en, re.IGNORECASE)] == []


def test_no_section_of_a_catalogue_is_left_out_here() -> None:
    whole = set(tomllib.loads((FOLDER / "en.toml").read_text(encoding="utf-8")))
    assert whole == {"language", "grammar", *SPEAKERS, *(name.partition(".")[0] for name in PAGES)}


@pytest.mark.parametrize("language", languages())
def test_every_language_says_what_it_is_and_how_it_is_joined(language: str) -> None:
    for room in ("language", "grammar"):
        assert table(language, room).keys() == table("en", room).keys()


def test_every_id_that_is_said_has_words_with_exactly_its_arguments() -> None:
    for call in calls():
        if call.function == "say":
            assert call.ident in texts("en"), call
            assert used(call.ident) == call.arguments, call


def test_every_family_has_words_for_no_more_than_its_arguments_and_uses_each() -> None:
    for call in calls():
        if call.function == "term":
            members = [ident for ident in texts("en") if ident.rpartition(".")[0] == call.ident]
            assert members, call
            assert set().union(*map(used, members)) == call.arguments, call


def test_every_text_is_said_somewhere() -> None:
    said = {call.ident for call in calls()}
    assert {ident for ident in texts("en") if not {ident, ident.rpartition(".")[0]} & said} == set()


@pytest.mark.parametrize("language", languages())
def test_a_catalogue_is_read_as_toml_has_it(language: str) -> None:
    whole = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    assert {room: dict(table(language, room)) for room in whole} == {
        room: {key: str(value) for key, value in _leaves(tree, "")} for room, tree in whole.items()
    }


def _leaves(tree: dict[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for key, value in tree.items():
        yield from _leaves(value, f"{prefix}{key}.") if isinstance(value, dict) else [(f"{prefix}{key}", value)]


def test_what_comes_from_outside_is_code_and_nothing_else() -> None:
    told = say("judge.story.ported", title="a `b`\n{c}", source="**d**" * 99)
    for language in languages():
        assert "`a 'b' {c}`" in told[language]
        assert told[language].count("`") == 4
        assert len(told[language]) < 200


def test_numbers_choose_the_form_that_goes_with_them() -> None:
    assert chosen(say("judge.headline.quiet", n=1), "en") == "Nothing to act on in 1 commit"
    assert chosen(say("judge.headline.quiet", n=2), "en") == "Nothing to act on in 2 commits"
    assert chosen(say("judge.headline.quiet", n=1), "zh").startswith("1 个提交")


def test_a_part_that_is_not_there_leaves_no_trace() -> None:
    told = say("judge.finding.sentence", text=alike("x"), alias=NOTHING, default=NOTHING, effect=NOTHING)
    assert told == {"zh": "x。", "en": "x."}


def test_an_argument_that_is_missing_and_an_id_without_words_are_errors() -> None:
    with pytest.raises(KeyError):
        say("judge.headline.quiet")
    with pytest.raises(KeyError):
        say("judge.day.nonsense")


def test_a_family_says_what_it_has_words_for() -> None:
    assert known("judge.area", "models")
    assert not known("judge.area", "nonsense")
    assert term("judge.area", "models") == {"zh": "模型", "en": "models"}


@pytest.mark.parametrize(
    ("words", "zh", "en"),
    [
        ("a", "`a`", "`a`"),
        ("aa", "`a`", "`a`"),
        ("ab", "`a`、`b`", "`a` and `b`"),
        ("abc", "`a`、`b`、`c`", "`a`, `b` and `c`"),
        ("abcd", "`a`、`b`、`c` 等", "`a`, `b`, `c` and more"),
    ],
)
def test_lists_are_written_as_each_language_does(words: str, zh: str, en: str) -> None:
    found = listing(words, 3)
    assert (found.written("zh"), found.written("en")) == (zh, en)


def test_sentences_are_joined_begun_and_ended_as_each_language_does() -> None:
    text = {"zh": "Python 变了。", "en": "Python changed."}
    assert clause(text) == {"zh": "Python 变了", "en": "python changed"}
    assert sentence(clause(text)) == text
    assert ended(text) == text
    assert joined((text, text)) == {"zh": "Python 变了。Python 变了。", "en": "Python changed. Python changed."}
    assert clause({"zh": "删", "en": "RFC is gone."})["en"] == "RFC is gone"


def test_a_text_without_a_language_is_shown_in_the_reference() -> None:
    assert chosen({"zh": "甲", "en": "a"}, "xx") == "a"
    assert chosen({"zh": "甲"}, "en") == "甲"
    assert chosen({}, "en") == ""


def test_phrases_know_the_words_that_go_with_a_number() -> None:
    t = phrases("en", "upgrade.fork")
    assert t("conflicts", upstream="u", n=1) == "Merging u: conflicts in 1 file"
    assert t("conflicts", upstream="u", n=2) == "Merging u: conflicts in 2 files"


def test_an_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(UsageError) as error:
        phrases("fr", "upgrade.fork")
    assert "zh, en" in error.value.tip


# --- reasons: kept in the reference language, said in the reader's ------------------------------------------------------

REASONED = ("collect", "judge", "findings", "runs", "core/http.py", "core/forge_answer.py", "upgrade/downstream")
"""Where reasons are made that can reach a report."""
MAKERS = {
    "Skipped": 1, "_fault": 1, "_skip": 1, "Unavailable": 0, "Refused": 0, "Incomplete": 0, "LeftOut": 0, "NoTokens": 0,
    "No": 0, "Again": 0, "Spent": 0, "NetFault": 0, "TimedOut": 0, "Unreachable": 0, "NoNetwork": 0, "Cut": 0,
    "TooLarge": 0, "Astray": 0, "Unreadable": 0, "RepositoryError": 0,
}  # fmt: skip
"""What is called with a reason, and which argument that is."""


def reasons() -> Iterator[tuple[str, str]]:
    """Every reason that is written out in the source, with something in its places."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(REASONED):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            for given, more in _given(node):
                text = _literal(constants.get(given.id, given) if isinstance(given, ast.Name) else given)
                if " " in text:
                    yield f"{name}:{given.lineno}", text + more


def _given(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Reasons as a call is given them, by place or by name, and constants that a table of paths holds."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
        called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if called in MAKERS and len(node.args) > MAKERS[called]:
            yield node.args[MAKERS[called]], " (ValueError)" if called == "_fault" else ""
        yield from ((word.value, "") for word in node.keywords if word.arg in ("skipped", "reason"))
    held = [node.value] if isinstance(node, ast.DictComp) else node.values if isinstance(node, ast.Dict) else []
    yield from ((value, "") for value in held if isinstance(value, ast.Name))


def _literal(node: ast.expr) -> str:
    """A text of the source with an `x` in each place; one that is all place is no text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts = [str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values]
    return "".join(parts) if any(re.search(r"[a-z]{4}", part) for part in parts) else ""


def test_every_reason_of_the_source_is_said_in_every_language() -> None:
    found = list(reasons())
    assert len(found) > 60
    for language in languages():
        assert language == "en" or [row for row in found if reason_in(language, row[1]) == row[1]] == []


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            "could not be updated, its newest commits may be missing: https://x.example/a/b cannot be reached: no network",
            "未能更新，可能缺少最新的提交：连不上 https://x.example/a/b：没有网络",
        ),
        ("GitHub says not so fast again and again (secondary rate limit)", "GitHub 一再要求放慢（次级速率限制）"),
        ("GitHub refuses it (403)", "GitHub 拒绝了请求（403）"),
        ("words of a plug-in {that} nobody knows", "words of a plug-in {that} nobody knows"),
        ("{address} does not answer", "{address} 没有响应"),
        ("its folder does not exist", "它的目录不存在"),
        ("/a/b does not exist", "/a/b 不存在"),
    ],
)
def test_a_reason_is_said_with_what_stands_in_its_places(english: str, chinese: str) -> None:
    assert reason_in("zh", english) == chinese
    assert reason_in("en", english) == english


def test_every_list_of_a_forge_has_a_name_in_every_language() -> None:
    for language in languages():
        names = {*NAMES.values(), *_REST.values(), "3 pull requests that changes name"}
        assert language == "en" or {name for name in names if part_in(language, name) == name} == set()


def test_what_was_skipped_keeps_its_names() -> None:
    assert (
        part_in("zh", "acme/x on GitHub: releases, the rest (issues, tags)")
        == "acme/x（GitHub）：发布, 其余（issue, tag）"
    )
    assert part_in("zh", "acme/x 0123abcde src/tags.py") == "acme/x 0123abcde src/tags.py"

"""The table of kinds: each row is whole, both languages say the same, and nobody else names a kind."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import daybreak
from daybreak.core.model.statements import Text
from daybreak.findings.kinds import Kind, Words, kind_of, kinds, named, surfaces

ROOT = Path(daybreak.__file__).parent
PLACES = re.compile(r"\{\w+\}")
READERS = ("findings/languages/", "findings/safe.py", "findings/safe_python.py", "findings/reading.py")
"""Files that make findings; all others ask for a column."""
OTHERWISE_MEANT = {"deprecated"}
"""Also the state of an old name (`Alias.status`), and a word of Python."""


def texts(kind: Kind) -> Iterator[Text]:
    said = [kind.label, kind.brief, kind.turn, kind.brief_read, kind.turn_read]
    for words in (kind.words, kind.sent, kind.read):
        said += [getattr(words, part) for part in Words.__struct_fields__]
    yield from filter(None, said)


def test_both_languages_of_a_row_fill_the_same_places() -> None:
    for kind in kinds().values():
        for text in texts(kind):
            assert set(text) == {"zh", "en"}, kind.name
            assert set(PLACES.findall(text["zh"])) == set(PLACES.findall(text["en"])) - {"{x}"}, kind.name


def test_every_kind_has_a_label_a_reason_and_a_rule() -> None:
    for kind in kinds().values():
        assert kind.label, kind.name
        assert kind.brief, kind.name
        assert re.fullmatch(r"[A-Z][^{}]+\.", kind.rule), kind.name
        assert kind.rule.lower() != f"{kind.name.replace('_', ' ')}.", kind.name


def test_a_kind_has_a_sentence_unless_it_is_only_data() -> None:
    assert {kind.name for kind in kinds().values() if kind.words.what is None} == {
        kind.name for kind in kinds().values() if kind.told == "data"
    }


def test_what_asks_for_something_says_of_whom() -> None:
    loose = [kind.name for kind in kinds().values() if kind.words.how and not kind.words.who]
    assert loose == [named("cli_flag", "choices_changed")]  # whom it hits depends on the values that went


def test_chinese_has_one_word_for_what_goes() -> None:
    said = [text["zh"] for kind in kinds().values() for text in texts(kind)]
    assert not [text for text in said if "移除" in text or "主干" in text]


def test_what_undoes_a_kind_is_a_kind_of_the_same_family() -> None:
    for kind in kinds().values():
        other = kind_of(kind.mirror)
        assert other.family == kind.family, kind.name
        assert kind_of(other.mirror).mirror == other.name, kind.name


def test_families_share_their_words() -> None:
    assert kind_of("env_removed").words.who == {"zh": "设置了 {s} 的环境", "en": "environments that set {s}"}
    assert kind_of("env_renamed").words.who == {"zh": "设置了 {b} 的环境", "en": "environments that set {b}"}
    assert kind_of("route_added").label == {"zh": "新增 HTTP 路由", "en": "HTTP route added"}
    assert kind_of("macro_changed").words.what == {
        "zh": "宏 {s}：{b} → {a}（{p}）",
        "en": "Macro {s}: {b} → {a} ({p})",
    }


def test_marks_and_effects_tell_what_users_meet_from_what_they_do_not() -> None:
    assert (kind_of("cli_flag_removed").mark, kind_of("cli_flag_removed").effect) == ("breaks", "tightened")
    assert (kind_of("operator_removed").mark, kind_of("cli_flag_deprecated").mark) == ("internals", "deprecates")
    assert (kind_of("guard_removed").effect, kind_of("pin_changed").effect) == ("relaxed", "pin")
    assert kind_of("annotation_changed").effect == "internal"


def test_operators_and_compiled_code_are_one_surface() -> None:
    assert {kind_of(name).surface for name in ("operator_changed", "cpp_removed", "header_removed")} == {"operators"}
    assert surfaces()[0] == "cli"
    assert surfaces()[-1] == "safe"


def test_a_kind_that_is_not_in_the_table_is_told_by_its_name() -> None:
    strange = kind_of("unheard_of_kind")
    assert strange.rule == "Unheard of kind."
    assert strange.words == Words()
    assert strange.brief["en"] == "changes {name}"


def test_nobody_but_its_row_and_its_reader_names_a_kind() -> None:
    wanted = kinds().keys() - OTHERWISE_MEANT
    word = re.compile(rf"\b(?:{'|'.join(sorted(wanted))})\b")
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted((*ROOT.rglob("*.py"), *ROOT.rglob("*.toml")))
        if not str(path.relative_to(ROOT)).startswith(READERS) and path.name != "kinds.toml"
        if word.search(text := path.read_text(encoding="utf-8"))
        for name in wanted & set(_names(path.suffix, text))
    ]
    assert found == []


def _names(suffix: str, text: str) -> Iterator[str]:
    """Strings of a Python file, keys of a table."""
    if suffix == ".py":
        nodes = ast.walk(ast.parse(text))
        yield from (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    else:
        tables: list[object] = [tomllib.loads(text)]
        for table in tables:
            if isinstance(table, dict):
                yield from table
                tables += table.values()


def test_a_new_argument_hits_those_who_do_not_pass_it() -> None:
    for family in ("parameter", "internal_parameter"):
        who = kinds()[named(family, "required_added")].words.who or {}
        assert "do not pass" in who["en"]
        assert "没有传入" in who["zh"]

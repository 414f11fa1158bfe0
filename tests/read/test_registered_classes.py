"""Names that stand for another class: the key of a table or of a registration stays, the class behind it is another."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages import python_compare
from daybreak.judge.breaking import mark_of
from daybreak.judge.phrases import what

PATH = "engine/parsers/__init__.py"
OLD, NEW = "class OldParser:\n    pass\n\n\n", "class NewParser:\n    pass\n\n\n"

FORMS = {
    "a table": 'PARSERS = {{\n    "other": OtherParser,\n    "name": {}Parser,\n}}\n',
    "a table of a class": 'class Reader:\n    PARSERS = {{\n        "name": {}Parser,\n    }}\n',
    "a table with modules": 'PARSERS = {{\n    "name": (\n        "engine.{}",\n        "{}Parser",\n    ),\n}}\n',
    "a table of ways": 'PARSERS = {{\n    "name": "engine.all.{}Parser",\n}}\n',
    "a call": 'Manager.register_lazy("name", "engine.all", "{}Parser")\n',
}


def _told(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str | None, str | None]]:
    return [(f.symbol, f.before, f.after) for f in read(before, after) if f.kind == "class_behind_changed"]


def _form(name: str, stem: str) -> str:
    return FORMS[name].format(stem, stem)


@pytest.mark.parametrize("form", FORMS)
def test_another_class_behind_a_name_is_told(form: str) -> None:
    before, after = ({PATH: OLD + NEW + _form(form, stem)} for stem in ("Old", "New"))
    told = [(symbol.rpartition(":")[2], was, now) for symbol, was, now in _told(before, after)]
    assert told == [("name", "OldParser", "NewParser")]


@pytest.mark.parametrize("form", FORMS)
def test_a_class_that_comes_with_the_change_is_told_too(form: str) -> None:
    before, after = ({PATH: made + _form(form, stem)} for made, stem in ((OLD, "Old"), (OLD + NEW, "New")))
    assert len(_told(before, after)) == 1
    assert {mark_of(f) for f in read(before, after) if f.kind == "class_behind_changed"} == {"breaks"}


@pytest.mark.parametrize("form", FORMS)
def test_a_class_that_was_renamed_is_the_same(form: str) -> None:
    before, after = ({PATH: made + _form(form, stem)} for made, stem in ((OLD, "Old"), (NEW, "New")))
    assert _told(before, after) == []


def test_one_new_class_in_the_place_of_several_is_none_of_them_renamed() -> None:
    table = 'PARSERS = {{\n    "first": {}Parser,\n    "second": {}Parser,\n}}\n'
    other = OLD.replace("Old", "Other")
    before, after = {PATH: OLD + other + table.format("Old", "Other")}, {PATH: NEW + table.format("New", "New")}
    told = [(symbol.rpartition(":")[2], was) for symbol, was, _ in _told(before, after)]
    assert told == [("first", "OldParser"), ("second", "OtherParser")]


@pytest.mark.parametrize("form", FORMS)
def test_a_class_in_whose_place_one_stands_that_was_there_was_not_renamed(form: str) -> None:
    before, after = ({PATH: made + _form(form, stem)} for made, stem in ((OLD + NEW, "Old"), (NEW, "New")))
    assert len(_told(before, after)) == 1


@pytest.mark.parametrize(("table", "count"), [("QUANTIZATION_METHODS", 1), ("rows", 0)])
def test_a_table_of_a_function_counts_where_users_choose_from_it(table: str, count: int) -> None:
    form = "def pick(name):\n    {} = {{\n        'a': OtherParser,\n        'name': {}Parser,\n    }}\n    return {}[name]\n"
    before, after = ({PATH: OLD + NEW + form.format(table, stem, table)} for stem in ("Old", "New"))
    assert len(_told(before, after)) == count


def test_a_class_that_moved_is_the_same() -> None:
    before, after = (
        {PATH: f'PARSERS = {{\n    "name": ("engine.{place}", "Parser"),\n}}\n'} for place in ("old", "new")
    )
    assert _told(before, after) == []


def test_a_class_under_another_name_of_an_import_is_the_same() -> None:
    table = 'PARSERS = {{\n    "name": {},\n}}\n'
    before = "from engine.all import OldParser\n\n" + table.format("OldParser")
    after = "from engine.all import OldParser as Mine\n\n" + table.format("Mine")
    assert _told({PATH: before}, {PATH: after}) == []


@pytest.mark.parametrize("values", [("1", "2"), ('"Old"', '"New"'), ("old", "new"), ("Old()", "New()")])
def test_what_is_no_class_is_not_told(values: tuple[str, str]) -> None:
    before, after = ({PATH: f'SIZES = {{\n    "name": {value},\n}}\n'} for value in values)
    assert _told(before, after) == []


def test_the_sentence_names_the_registry_the_name_and_both_classes() -> None:
    table = 'class Reader:\n    DetectorMap = {{\n        "name": {},\n    }}\n'
    before, after = ({PATH: OLD + NEW + table.format(one)} for one in ("OldParser", "NewParser"))
    found = [f for f in read(before, after) if f.kind == "class_behind_changed"]
    assert [one.text["en"] for one in what(found, 9)] == [
        f"`name` of `reasoning_parser` stands for `NewParser` now, it was `OldParser` (`{PATH}`)."
    ]


def test_ancestors_are_asked_of_few_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    known = python_compare._ancestors

    def counted(side: Surface, row: Row) -> set[str]:
        asked.append(row.name)
        return known(side, row)

    monkeypatch.setattr(python_compare, "_ancestors", counted)
    text = "".join(f"class C{n}({f'C{n - 1}' if n else 'object'}, A):\n    x = {n}\n" for n in range(40))
    read({"kit/__init__.py": "", "kit/m.py": text}, {"kit/__init__.py": "", "kit/m.py": text.replace(", A", ", Z")})
    assert len(asked) <= 40

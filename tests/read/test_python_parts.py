"""Versions of one file share parts: what is remembered of one must never show in another."""

from __future__ import annotations

import pytest

from daybreak.findings.blobs import Row
from daybreak.findings.languages import python_surface
from daybreak.findings.languages.python_surface import surface

FILE = '''import os
from a import (
    b,
)

LIMIT = 3


@decorated(
    "x"
)
class Engine(Base):
    """Runs."""

    size: int = 1

    def run(self, first, second=None):
        # a remark
        return [first, second, os.sep, LIMIT, "a text that is long enough"]

    @property
    def name(self):
        return "engine"


if LIMIT:
    def chosen(x):
        return x
else:
    chosen = None


def last(a, *, b=1):
    return a
'''
EDITS = {
    "nothing": (),
    "a line in front": (("import os", "import sys\nimport os"),),
    "a line in the middle of a class": (("    size: int = 1", "    size: int = 1\n    more = 2"),),
    "another default": (("second=None", "second=1"),),
    "another owner": (("class Engine", "class Motor"),),
    "another condition": (("if LIMIT:", "if TYPE_CHECKING:"),),
    "a function becomes a method": (("\n\ndef last", "\n\nclass Late:\n    def last"),),
    "a bracket that stays open": (("LIMIT = 3", "LIMIT = ["),),
    "a bracket open over a name": (("LIMIT = 3", "LIMIT = [\nx\n"),),
    "a decorator over the left edge": (("\n\ndef last", "\n\n@a(\nb\n)\n@c\ndef last"),),
    "a decorator of another": (("@property", "@staticmethod"),),
    "no decorator": (('@decorated(\n    "x"\n)\n', ""),),
    "a line that goes on": (("LIMIT = 3", "LIMIT = 3 + \\"),),
    "a comment": (("# a remark", "# another remark"),),
}


def rows(text: str) -> list[tuple[object, ...]]:
    return [(r.kind, r.name, r.line, r.text, dict(r.details)) for r in surface("a.py", text).values()]


def edited(name: str) -> str:
    text = FILE
    for old, new in EDITS[name]:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("name", EDITS)
def test_a_version_reads_the_same_whatever_was_read_before(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_surface, "_SEEN", python_surface.Seen())
    alone = rows(edited(name))
    monkeypatch.setattr(python_surface, "_SEEN", python_surface.Seen())
    for other in EDITS:
        rows(edited(other))
    assert rows(edited(name)) == alone


def test_a_part_that_moved_down_has_its_new_lines() -> None:
    before = {row[1]: row[2] for row in rows(FILE)}
    after = {row[1]: row[2] for row in rows("\n\n\n" + FILE)}
    assert after == {name: line + 3 for name, line in before.items()}  # type: ignore[operator]


def test_what_was_not_wanted_lately_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_surface, "MAX_SEEN", 10)
    seen, place = python_surface.Seen(), python_surface._Place()
    keys = [(place, "", letter * 6) for letter in "abc"]
    for key in keys:
        seen.put(key, 0, [Row("function", key[2], 1)])
    assert seen.get(keys[0], 0) is None
    assert [row.line for row in seen.get(keys[2], 4) or ()] == [5]

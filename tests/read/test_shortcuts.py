"""Short ways say what the long ways say: each is held against the plain form of the same question."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daybreak.findings import safe
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.diff import SideLine, hunks
from daybreak.findings.languages import arch, new_gates
from daybreak.findings.languages.base import ReadFile, Whole, logical
from daybreak.findings.languages.blocks import squeezed
from daybreak.findings.languages.python_compare import compare
from daybreak.findings.languages.python_signature import without_texts
from daybreak.findings.languages.python_surface import surface
from read.made import change_of, patch_of

PIECES = ('"""', "'''", '"', "'", "#", "\\", "\n", "a", " ", "x = ")
TRIPLE = re.compile(r"\"\"\"|'''")


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_long_texts_are_found_in_the_order_they_stand(text: str) -> None:
    code = without_texts(text)
    if code is not None:
        assert code.count("\n") == text.count("\n")
    if TRIPLE.search(text) is None:
        assert code == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('a = """x"""\nb', 'a = ""\nb'),
        ('a = \'\'\'x """ y\'\'\'\nb = """z"""\n', 'a = ""\nb = ""\n'),
        ("a = \"\"\"x ''' y\"\"\"\nb = '''z'''\n", 'a = ""\nb = ""\n'),
        ("# it's '''\nb = '''z'''\n", "# it's '''\nb = \"\"\n"),
        ("a = '''x", None),
        ("a = \"\"\"x'''", None),
    ],
)
def test_either_kind_of_long_text_is_taken_out(text: str, code: str | None) -> None:
    assert without_texts(text) == code


@given(st.text(st.sampled_from("ab \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u2003\u3000é')],,"), max_size=60))
def test_squeezed_has_no_blank_of_any_kind(text: str) -> None:
    plain = re.sub(r"\s+", "", text).replace("'", '"').replace(",)", ")").replace(",]", "]")
    assert squeezed(text) == plain


BODY = "    return some_call(first_argument,{0}second_argument, third_argument){0}\n"


def digest(blank: str, word: str = "") -> str:
    found = surface("a.py", f"def run():\n{BODY.format(blank)}{word and f'    {word}()'}\n")
    return found["function", "run"].details["body"]


@pytest.mark.parametrize("blank", [c for c in map(chr, range(0x3001)) if c.isspace() and c not in "\n\r\x0c\x0b"])
def test_no_blank_counts_in_a_body(blank: str) -> None:
    assert digest(blank) == digest("") != ""


def test_other_words_are_another_body() -> None:
    assert len({digest(""), digest("", "other"), digest("", "ändern")}) == 3


LINES = (
    "    skip: bool = False",
    "    keep: bool = True",
    "    skip: bool = True",
    "    skip: bool = field(default=False)",
    '    "--skip-remote", action="store_true"',
    'add_argument("--skip", default=False)',
    "SKIP_REMOTE = EnvBool(False)",
    'SKIP_REMOTE: bool = os.getenv("SKIP_REMOTE", "0")',
    "SKIP_REMOTE: bool = os.getenv('SKIP_REMOTE', '0')",
    'SKIP_REMOTE = get("SKIP_REMOTE", "False")',
    "plain = 0",
    'said("0")',
)


@given(st.lists(st.sampled_from(LINES), max_size=6))
def test_every_declared_setting_is_seen(lines: list[str]) -> None:
    off = {next(filter(None, m.groups())).replace("-", "_") for line in lines if (m := new_gates._OFF.search(line))}
    on = {m[1] for line in lines if (m := new_gates._ON.search(line))}
    assert new_gates._declared(lines) == off - on


@given(
    st.lists(
        st.sampled_from(
            (
                "supported_archs: SUPPORTED_CC=[",
                "supported_",
                "SUPPORTED_",
                "archs",
                "ARCHS",
                "CC",
                "=",
                "[",
                "(",
                " ",
                "\n",
                "90",
            )
        ),
        max_size=30,
    ).map("".join)
)
def test_lists_of_architectures_are_found_where_the_pattern_finds_them(text: str) -> None:
    assert [m.span() for m in arch._listed(text)] == [m.span() for m in arch._PYTHON_LIST.finditer(text)]


@given(st.lists(st.sampled_from(('"', "'", "(", ")", "[", "]", "#", "a", "\\", " ")), max_size=12).map("".join))
def test_a_line_without_quotes_and_hashes_is_read_as_any_other(text: str) -> None:
    found = logical([SideLine(text, 1, True)], 0)
    line = next(
        (
            text[: m.start()]
            for m in re.finditer(r"#|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?", text)
            if m[0] == "#"
        ),
        text,
    )
    bare = re.sub(r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?", "", line)
    assert found == (line if sum(map(bare.count, "([{")) == sum(map(bare.count, ")]}")) else "")


# --- whether a proof is possible -----------------------------------------------------------------------------------

CODE = (
    "x = call(a)",
    "x = call(b)",
    "def f(a: int) -> str:",
    "def f(a: float) -> str:",
    "b: int = c",
    "a: float, d",
    "e",
    "a: int",
    "some words",
    "more words",
    "# a",
    "return a.b",
    "",
    "y,",
)


def _plainly(file: ReadFile) -> str:
    lines = list(safe._changed(file))
    left = safe._unequal(lines)
    if not left:
        return "moves"
    if not safe._unequal([line for line in lines if safe._SURE.match(line.text)]):
        return "some"
    hints = {w for line in lines for hint in safe._HINT.findall(line.text) for w in re.findall(r"\w+", hint)}
    return "some" if left <= hints else ""


@example(["def f(x: aint):", "run = z(q)"], ["def f(x: afloat):", "run = z(r)"])
@given(*[st.lists(st.sampled_from(CODE), min_size=1, max_size=6)] * 2)
def test_one_word_settles_what_all_words_would(old: list[str], new: list[str]) -> None:
    patch = patch_of("\n".join(old) + "\n", "\n".join(new) + "\n")
    file = ReadFile(change_of({"engine/a.py": patch}).files[0], "code", tuple(hunks(patch)))
    if file.hunks:
        assert safe._possible([file]) == _plainly(file)


# --- rows that two versions share ----------------------------------------------------------------------------------

FILE = """LIMIT = 3
MODE: Literal["a", "b"] = "a"


class Engine(Base):
    size: int = 1

    def run(self, first, second=None):
        return first

    def stop(self):
        return 1


class Config:
    depth: int = 2


def last(a, *, b=1):
    return a
"""
EDITS = (
    ("LIMIT = 3", "LIMIT = 4"),
    ('["a", "b"]', '["a"]'),
    ("size: int = 1", "size: int = 2"),
    ("second=None", "third=None"),
    ("    def stop(self):\n        return 1\n", ""),
    ("class Engine(Base)", "class Engine(Other)"),
    ("depth: int = 2", "deep: int = 2"),
    ("*, b=1", "*, b"),
    ("def last", "def later"),
    ("LIMIT = 3", "import os\n\nLIMIT = 3"),
)


def apart(side: Surface) -> Surface:
    """The same rows, sharing nothing."""
    return Surface(Row(r.kind, r.name, r.line, r.text, dict(r.details)) for r in side.values())


@given(
    st.sets(st.sampled_from(EDITS), max_size=4),
    st.sampled_from(["engine/__init__.py", "engine/core/loop.py"]),
    st.booleans(),
)
def test_shared_rows_tell_what_rows_of_their_own_tell(edits: set[tuple[str, str]], path: str, wide: bool) -> None:
    after = FILE
    for old, new in sorted(edits):
        after = after.replace(old, new)
    patch = patch_of(FILE, after)
    file = ReadFile(change_of({path: patch}).files[0], "api", tuple(hunks(patch)))
    was, now = surface(path, FILE), surface(path, after)
    whole = Whole([file], True, wide)
    shared = set(compare([FilePair(file, was, now)], whole))
    assert shared == set(compare([FilePair(file, apart(was), apart(now))], whole))


def test_edits_tell_something() -> None:
    after = FILE.replace("second=None", "third=None")
    patch = patch_of(FILE, after)
    file = ReadFile(change_of({"engine/__init__.py": patch}).files[0], "api", tuple(hunks(patch)))
    pair = FilePair(file, surface(file.path, FILE), surface(file.path, after))
    assert [fact.kind for fact in compare([pair], Whole([file], True))] == ["parameter_renamed"]


def test_the_rows_of_a_part_that_did_not_change_are_shared() -> None:
    old, new = surface("a.py", FILE), surface("a.py", FILE.replace("*, b=1", "*, b"))
    assert old["class", "Engine"].details is new["class", "Engine"].details
    assert old["function", "last"].details is not new["function", "last"].details


def test_rows_that_stand_by_name_already_are_taken_as_they_are() -> None:
    rows = {("env", "A"): Row("env", "A", 1), ("env", "B"): Row("env", "B", 2)}
    assert dict(Surface.keyed(rows)) == dict(Surface(rows.values()))
    with pytest.raises(AttributeError):
        rows["env", "A"].line = 7  # type: ignore[misc]

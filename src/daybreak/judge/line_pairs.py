"""Pairs of changed lines: which statement of a diff stands for which, what only came, and what only went."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal, NamedTuple, TypeVar

from daybreak.findings.diff import DiffHunk, SideLine, hunks, side
from daybreak.findings.quotes.comments import blocks, form_of, without_comment
from daybreak.findings.quotes.prose import is_prose
from daybreak.judge.arrivals import Scopes, untested
from daybreak.judge.line_asks import asked
from daybreak.judge.line_conditions import indent, led, under, with_given, with_old, without_aliases
from daybreak.judge.line_worth import DECLARES, HEAD, LEFT, LOGS, STRING, Turn, without_form

AT_MOST = 10
"""Changed lines of source, each counted once however often it stands in the diff, and those that change alike once."""
EMPTY = re.compile(
    r"\s*(?:[()\[\]{},;:\"'`]*|#.*|//.*|/?\*.*|(?:from [\w.]+ )?import .*|#include.*|(?:pub )?use [\w:]+.*|(?:\w+::)+\{[\w:, {}]*"
    r"|[})\s]*(?:pass|else|try|do|loop|unsafe|finally|return|break|continue)\b[\s:;{(]*)\s*$"
)
WIDEST = 400
_ALIKE, _SAME, TURNED = 0.5, 0.75, 0.8
"""How like two lines are that stand for one another, at one place, at two, and for a larger diff."""
TOKEN = re.compile(r"\w+|\W")
_TIGHT, _TIGHT_PYTHON = re.compile(r"([(\[]) |,? (?=[)\]])"), re.compile(r"([(\[{]) |,? (?=[)\]}])")
_TEXT = re.compile(r"\w{1,40}\s?=\s?[\"'](.{20,})[\"'],?$")
"""A text under a name, such as `help="…",`."""
One = TypeVar("One")
OPENS = ("(", "[", "{")


def turns_of(patches: Sequence[tuple[str, str]], title: str) -> list[Turn]:
    """What came, went and changed, lines that change alike as one; where nothing did, what stands in another block."""
    found = _met(list(_turns(patches)))
    turns = _deeds(without_aliases(with_old(led(found), patches), found), title)
    return _as_one(with_given(turns, found, patches) or list(_nested(patches)))


def _turns(patches: Sequence[tuple[str, str]]) -> Iterator[Turn]:
    """What stands for what, the same at several places once, with how many more there are."""
    found: dict[tuple[str, str], Turn] = {}
    for path, patch in patches:
        some = list(untested(path, patch))
        for hunk in () if _only_moved(some, path) else some:
            above, deeds = _lines_above(hunk), _lines_above(hunk, deeds=True)
            gone = "\n".join(x.text for x in hunk.lines if x.sign == "-")
            for line, old, new, within in _pairs(hunk, path):
                stood = not old and (text := _TEXT.match(new)) is not None and text[1] in gone
                if _plain(old) != _plain(new) and not stood:
                    first = found.get((old, new))
                    turn = first or Turn(
                        path,
                        line,
                        old,
                        new,
                        within,
                        (deeds if old == new else above).get(line, ""),
                        -1,
                        hunk=hunk.header,
                    )
                    found[old, new] = turn._replace(others=turn.others + 1)
    yield from found.values()


def _plain(text: str) -> str:
    """The same without its form; an attribute that is asked for by a fixed name is the attribute."""
    return without_form(_BY_NAME.sub(r"\1.\2", text))


_BY_NAME = re.compile(r"\bgetattr\(([\w.]{1,80}), [\"']([^\W\d]\w{0,80})[\"']\)")


def _lines_above(hunk: DiffHunk, *, deeds: bool = False) -> dict[int, str]:
    """Line of the new file -> the last line before it that is not empty; `deeds`: and no remark, nor an end of what is above."""
    found, last = {}, ""
    for line in hunk.lines:
        if line.new:
            found[line.new] = last
            last = last if deeds and _NO_DEED.match(line.text) else line.text.strip() or last
    return found


_NO_DEED = re.compile(r"\s*(?:#|//|/?\*|(?:continue|pass|break|return)\s*;?$)")


class _Piece(NamedTuple):
    """A statement of one side: its lines as one, and each of them."""

    text: str
    number: int
    rows: tuple[str, ...]
    within: str
    changed: bool
    last: int
    """The number of its last line."""
    begun: bool = True
    """Its first line changed too: a statement whose first line stays neither came nor went."""


def _pairs(hunk: DiffHunk, path: str) -> Iterator[tuple[int, str, str, str]]:
    """Statements that went and came at one place, each with the one that is most like it, and the function that it is in.

    What is only broken into lines otherwise stands on both sides.
    """
    for gone, come in _places(_pieces(hunk, "-", path), _pieces(hunk, "+", path)):
        same = Counter(without_form(piece.text) for piece in gone) & Counter(without_form(piece.text) for piece in come)
        yield from _matched(
            *([piece for piece in some if without_form(piece.text) not in same] for some in (gone, come))
        )


def _only_moved(some: Sequence[DiffHunk], path: str) -> bool:
    """The statements that went are those that came: they stand in another order, and none stands for another one."""
    went, came = (
        Counter(without_form(piece.text) for hunk in some for piece in _pieces(hunk, sign, path) if piece.changed)
        for sign in _SIGNS
    )
    return went == came and went.total() > 1  # of one alone it is said below what it moves


_SIGNS: tuple[Literal["-"], Literal["+"]] = ("-", "+")


def _places(old: Sequence[_Piece], new: Sequence[_Piece]) -> Iterator[tuple[list[_Piece], list[_Piece]]]:
    """What went and came between statements that stay as they are, lines and all."""
    was = [f" {n}" if piece.changed else piece.text for n, piece in enumerate(old)]
    now = [f"  {n}" if piece.changed else piece.text for n, piece in enumerate(new)]
    for tag, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag != "equal":
            yield list(old[a:b]), list(new[c:d])


def _pieces(hunk: DiffHunk, sign: Literal["-", "+"], path: str) -> list[_Piece]:
    """Statements of a side, a bracket that stays open followed to its end, as far as that is not long."""
    scopes, form = Scopes(hunk.header.split("@@", 2)[-1][1:]), form_of(path)
    python = form == "python"
    out: list[_Piece] = []
    open_, depth = list[tuple[SideLine, str]](), 0
    for row in (*_code(side(hunk, sign), python), SideLine("", 0, False)):
        line = row._replace(text=without_comment(row.text, form))
        within = scopes.at(line.text)
        if not EMPTY.match(line.text) or (depth and line.text.strip()):
            open_.append((line, within))
            depth = max(0, depth + _opens(line.text, python)) if len(line.text) <= WIDEST else 0
        goes_on = python and line.text.endswith("\\")
        if (not (depth or goes_on) or len(open_) > AT_MOST or not line.number) and open_:
            out += _joined(open_, python)
            open_, depth = [], 0
    return _with_branches(out, python)


def _with_branches(pieces: Sequence[_Piece], python: bool) -> list[_Piece]:
    """Lines with the `if` and `else` of their value, which stand right below them and say nothing alone. What would be no
    code together stays apart: nobody wrote it so.
    """
    out = list[_Piece]()
    for piece in pieces:
        last = out[-1] if out else None
        if last is None or not _BRANCH.match(piece.text) or last.text.endswith((*"([{,;:}", "\\")):
            out.append(piece)
        elif piece.number == last.last + 1 and len(text := f"{last.text} {piece.text}") <= WIDEST:
            changed = last.changed or piece.changed
            out[-1] = last._replace(text=text, rows=(text,), changed=changed, last=piece.last)
    return [piece for piece in out if not python or not _ELSE.search(piece.text) or _is_code(piece.text)]


_ELSE = re.compile(r"(?:^| )else [^:]+$")


def _is_code(text: str, *, whole: bool = False) -> bool:
    """Python can read it, as a statement or (unless it is to be whole) as the arguments of a call."""
    for form in (text, *([] if whole else (f"_({text})", f"({text}"))):
        try:
            ast.parse(form)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return True
    return False


_BRANCH = re.compile(r"(?:if (?!\()[^:;{]*|(?:else (?!if\b)|\? |: )[^;{]*[^:;{\s])$")


def _code(lines: Sequence[SideLine], python: bool) -> Iterator[SideLine]:
    """Lines of a side; in Python without docstrings, and without the names of an import, which say how modules find one
    another and not what they do.
    """
    if not python:
        yield from lines
        return
    docs = {line.number for kind, block in blocks(lines, "python") if kind == "docstring" for line in block}
    depth = 0
    for line in lines:
        if depth or _IMPORT_LIST.match(line.text[:WIDEST]):
            depth = max(0, depth + _opens(line.text[:WIDEST], python=True))
        elif line.number not in docs:
            yield line


_IMPORT_LIST = re.compile(r"\s*from [\w.]+ import \(")


def _opens(text: str, python: bool = False) -> int:
    """How many more brackets it opens than it closes; braces hold blocks, which are no statements, but in Python."""
    bare = STRING.sub("", text) if "'" in text or '"' in text else text
    bare = bare.split("#" if python else "//", 1)[0]  # in Python two strokes divide
    return sum(map(bare.count, "([{" if python else "([")) - sum(map(bare.count, ")]}" if python else ")]"))


def _joined(lines: Sequence[tuple[SideLine, str]], python: bool) -> list[_Piece]:
    """One piece of a statement, or each line of what is too long for one; neither prose nor what says nothing."""
    rows = [
        (line, line.text.strip().rstrip("\\ "), within) for line, within in lines if _tells(line.text, len(lines) > 1)
    ]
    code = (line.text.strip().rstrip("\\ ") for line, _ in lines if not line.text.lstrip().startswith(("#", "//")))
    whole = (_TIGHT_PYTHON if python else _TIGHT).sub(r"\1", " ".join(code))
    if len(rows) < 2 or len(whole) > WIDEST or len(lines) > AT_MOST:
        return [_Piece(row, line.number, (row,), within, line.changed, line.number) for line, row, within in rows]
    changed = any(line.changed for line, _ in lines)
    (first, within), (last, _) = lines[0], lines[-1]
    shown = tuple(row for _, row, _ in rows)
    return [_Piece(whole, first.number, shown, within, changed, last.number, first.changed)]


def _tells(text: str, bracketed: bool) -> bool:
    """No prose: what stands in a bracket and takes parts of its names is none, though `for x in y if not z` has its words."""
    if len(text) > WIDEST or EMPTY.match(text):
        return False
    if not is_prose(text) or _CHECK.match(text) is not None or (bracketed and bool(_COMPREHENSION.match(text))):
        return True
    return (not _QUOTED.search(text) or _CALLED.match(text) is not None) and _is_code(text.strip(), whole=True)


_QUOTED = re.compile(r"[\"'`]")
_CALLED = re.compile(r"\s*[\w.]{2,80}\(")


_CHECK = re.compile(r"\s*(?:(?:assert|raise)\s|(?:\w+[._][\w.]+ )?if (?:not )?\w+[._]\w)")
_COMPREHENSION = re.compile(
    r"\s*(?:[\w.]+\s+)?(?:for [\w, ]+ in|if) [\w.]+(?:\s|\(|$)|\s*(?:and|or) (?:not )?[\w.]*(?:\w[._(]\w|\()"
)
"""Of a bracket that goes on: `x for x in y`, `and self.limit is not None`."""


def _matched(gone: list[_Piece], come: list[_Piece]) -> Iterator[tuple[int, str, str, str]]:
    """Number, old and new text, and the function; each new one for the old one that is most like it."""
    if len(gone) == len(come) and (
        all(_one_piece(a.text, b.text) for a, b in zip(gone, come, strict=True)) or _is_other_answer(gone, come)
    ):
        yield from (turn for a, b in zip(gone, come, strict=True) for turn in _turn(a, b))
        return
    calls = [(a, b) for a in gone for b in come if _is_same_call(a.text, b.text)] if _few(gone, come) else []
    pairs = {id(a): b for a, b in calls if [c[0] for c in calls].count(a) == [c[1] for c in calls].count(b) == 1}
    taken = {id(b) for b in pairs.values()}
    gone, left = _unwrapped(gone, come, pairs), _unwrapped(come, gone, taken)
    for old in gone:
        free = [new for new in left if id(new) not in taken and (new.within == old.within or _declare(old, new))]
        near = pairs.get(id(old)) or _same_left(old, gone, free) or _gone_on(old, gone, free)
        if near is None and _few(gone, come):
            near = nearest([(old.text, new.text, new) for new in free], _ALIKE)
        if near is not None:
            left.remove(near)
            yield from _turn(old, near)
        elif old.changed and old.begun:
            yield old.number, old.text, "", old.within
    yield from ((new.number, "", new.text, new.within) for new in left if new.changed and new.begun)


def _declare(old: _Piece, new: _Piece) -> bool:
    """Both are heads of something, which may have got another name."""
    return bool(DECLARES.match(old.text) and DECLARES.match(new.text))


def _few(gone: Sequence[_Piece], come: Sequence[_Piece]) -> bool:
    return len(gone) <= AT_MOST and len(come) <= AT_MOST


def _is_same_call(old: str, new: str) -> bool:
    """One call, to the same name and for the same one, that only lost or gained arguments."""
    heads = _CALL.match(old), _CALL.match(new)
    if not heads[0] or not heads[1] or heads[0][0] != heads[1][0]:
        return False
    one, two = (set(_arguments(text[head.end() :])) for text, head in zip((old, new), filter(None, heads), strict=True))
    return bool(one & two) and (one <= two or two <= one)


_CALL = re.compile(r"\s*(?:(?:return|await|yield|raise) |[\w.,\[\] ]{1,80}= ?(?:await )?)?[A-Za-z_][\w.]{1,120}\(")


def _same_left(old: _Piece, gone: Sequence[_Piece], come: Sequence[_Piece]) -> _Piece | None:
    """What the same name is given now, where each side gives it something once."""
    name = _left(old)
    if not name or not _few(gone, come) or [_left(one) for one in gone].count(name) > 1:
        return None
    found = [one for one in come if _left(one) == name]
    return found[0] if len(found) == 1 else None


def _gone_on(old: _Piece, gone: Sequence[_Piece], come: Sequence[_Piece]) -> _Piece | None:
    """The one line that came for the one that went, where it says the same and more: `x,` → `x if on else None,`."""
    words = old.text.partition("#")[0].rstrip(" ,;")
    longer = len(gone) == len(come) == 1 and words and come[0].text.startswith(f"{words} ")
    return come[0] if longer else None


def _left(piece: _Piece) -> str:
    """What it gives a value; one that is only changed in its place (`x += 1`) is another left side."""
    match = LEFT.match(piece.text)
    return match[1] + match[0][-2:].strip("= ") * _alters(match) if match else ""


def _alters(left: re.Match[str]) -> bool:
    return left[0][-2:-1] in tuple("-+*/|&")


def _is_other_answer(gone: Sequence[_Piece], come: Sequence[_Piece]) -> bool:
    """One statement for one at the same place, of a form that has one place in a block: another value is given back."""
    return len(gone) == 1 and all(piece.changed and piece.text.startswith("return ") for piece in (*gone, *come))


def _unwrapped(pieces: list[_Piece], others: list[_Piece], paired: Container[int]) -> list[_Piece]:
    """Without arguments that stand on the other side too, on a line of their own or among others; calls have their pair."""
    if not others or not _few(pieces, others):
        return list(pieces)
    known = {argument for piece in others for argument in _arguments(piece.text)}
    return [
        piece
        for piece in pieces
        if id(piece) in paired or "," not in piece.text or not known.issuperset(_arguments(piece.text))
    ]


def _arguments(text: str) -> list[str]:
    """What stands between the commas, without blanks and without brackets at the ends."""
    return [bare for piece in text.split(",") if (bare := "".join(piece.split()).strip("()[]{}"))]


def _turn(old: _Piece, new: _Piece) -> Iterator[tuple[int, str, str, str]]:
    """Two statements; of such that differ in single lines, these alone."""
    a, b = ([row for row in one.rows if row not in other.rows] for one, other in ((old, new), (new, old)))
    several = len(old.rows) > 1 < len(new.rows) and not any(row.endswith(OPENS) for row in (*a, *b))
    if several and len(a) + len(b) == 1:
        yield new.number, "".join(a), "".join(b), new.within
    elif several and a and len(a) == len(b) and all(map(_one_piece, a, b)):
        yield from ((new.number, was, now, new.within) for was, now in zip(a, b, strict=True))
    else:
        yield new.number, old.text, new.text, new.within


def nearest(pairs: Sequence[tuple[str, str, One]], least: float) -> One | None:
    """What stands beside the pair of lines that are most alike, more so than that, and of which half of the words are the same."""
    best, found = least, None
    for old, new, one in pairs:
        matcher = SequenceMatcher(None, old.strip(), new.strip(), autojunk=False)
        if matcher.real_quick_ratio() <= best or matcher.quick_ratio() <= best or not _akin(old, new):
            continue
        if (like := matcher.ratio()) > best:
            best, found = like, one
    return found


def _akin(old: str, new: str) -> bool:
    """Half of the words are the same; what is given to one name is no turn of what another one is given."""
    was, now = LEFT.match(old), LEFT.match(new)
    if (was and HEAD.match(new)) or (now and HEAD.match(old)):
        return False  # what asks stands for no value
    if was and now and (_alters(was) != _alters(now) or (was[1] != now[1] and old[was.end() :] != new[now.end() :])):
        return False
    one, two = (Counter(_NAME.findall(text)) for text in (old, new))
    alone = one.total() == two.total() == 1 and _NAME.sub("", old.strip()) == _NAME.sub("", new.strip())
    return alone or 4 * (one & two).total() >= one.total() + two.total() > 0


_NAME = re.compile(r"\w+")


def _differ(old: str, new: str) -> tuple[str, str]:
    """The tokens between the first and the last that differ, on both sides."""
    a, b = TOKEN.findall(old.strip()), TOKEN.findall(new.strip())
    lead = same_start(a, b)
    tail = min(same_start(a[::-1], b[::-1]), len(a) - lead, len(b) - lead)
    return "".join(a[lead : len(a) - tail]), "".join(b[lead : len(b) - tail])


def same_start(one: Sequence[str], two: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))


def _one_piece(old: str, new: str) -> bool:
    """Whether two lines are the same but for one piece, and half of the shorter one is what they share."""
    before, _ = _differ(old, new)
    return _akin(old, new) and 2 * (len(old.strip()) - len(before)) >= min(len(old.strip()), len(new.strip()))


def _met(found: Sequence[Turn]) -> list[Turn]:
    """What went at one place and came at another, with few words changed or none, is one turn."""
    gone, out = [turn for turn in found if not turn.new], list[Turn]()
    for turn in found:
        near = None
        if not turn.old and len(gone) <= AT_MOST:
            here = [x for x in gone if (x.path, x.within) == (turn.path, turn.within)]
            calls = [x for x in here if _is_same_call(x.old, turn.new)]
            calls = calls or [x for x in here if _is_given_once(x, turn, found)]
            calls = calls or [x for x in here if x.hunk == turn.hunk and asked(x.old, turn.new)]
            near = calls[0] if len(calls) == 1 else nearest(_of_one_thing(gone, turn), _SAME)
        if near is not None:
            gone.remove(near)
            moved = near.old == turn.new and near.path == turn.path and _NAME.search(turn.above)  # below something
            if moved or without_form(near.old) != without_form(turn.new):
                out.append(turn._replace(old=near.old, others=min(turn.others, near.others)))
        elif turn.new:
            out.append(turn)
    return [*out, *gone]


def _of_one_thing(gone: Sequence[Turn], come: Turn) -> list[tuple[str, str, Turn]]:
    """What went where another line came: in the same file and function, or the very line, which moved."""
    here = (
        x
        for x in gone
        if (x.path, x.within) == (come.path, come.within) or without_form(x.old) == without_form(come.new)
    )
    return [(x.old, come.new, x) for x in here]


def _is_given_once(old: Turn, new: Turn, found: Sequence[Turn]) -> bool:
    """One name is given something in the same function before and after, once each, in lines that a hunk shows together:
    lines far apart need not stand for one another.
    """
    lefts = LEFT.match(old.old), LEFT.match(new.new)
    name = lefts[0] and lefts[0][1]
    if (old.path, old.hunk) != (new.path, new.hunk) or not (name and lefts[1] and lefts[1][1] == name):
        return False
    beside = [x for x in found if x.path == old.path and x.within == old.within]
    given = [match[1] for x in beside for text in (x.old, x.new) if (match := LEFT.match(text))]
    return given.count(name) == len((old, new))


def _deeds(found: Sequence[Turn], title: str) -> list[Turn]:
    """Without what is only logged where the title is of something else, and without a variable that has another name
    throughout, as long as something is left.
    """
    quiet = "log" not in title[:WIDEST].lower()
    left = [turn for turn in found if not (quiet and LOGS.match(turn.new) and not turn.old)] or list(found)
    standing = {name for turn in left if _renamed(turn) is None for name in _NAME.findall(turn.new)}
    other = [turn for turn in left if (pair := _renamed(turn)) is None or pair[0] in standing]
    return other or left


def _renamed(turn: Turn) -> tuple[str, str] | None:
    """The one variable that is called otherwise in a line that is the same but for it."""
    old, new = _NAME.findall(turn.old), _NAME.findall(turn.new)
    pairs = {pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]}
    if len(old) != len(new) or len(pairs) != 1 or _NAME.sub("", turn.old) != _NAME.sub("", turn.new):
        return None
    was, now = pairs.pop()
    plain = all(not name[0].isdigit() and name not in _VALUES for name in (was, now))
    return (
        (was, now) if plain and not re.search(rf"[.\"'{{]{re.escape(was)}\b|\b{re.escape(was)}\(", turn.old) else None
    )


_VALUES = frozenset({"True", "False", "None", "true", "false", "null", "nullptr", "not", "is", "in", "and", "or"})


def _nested(patches: Sequence[tuple[str, str]]) -> Iterator[Turn]:
    """Python statements that are the same and stand in another block."""
    for path, patch in patches:
        for hunk in hunks(patch) if form_of(path) == "python" else ():
            sides = side(hunk, "-"), side(hunk, "+")
            was, now = ([(at, x.text) for at, x in enumerate(one) if x.changed and x.text.strip()] for one in sides)
            if [text.strip() for _, text in was] != [text.strip() for _, text in now]:
                continue
            for (stood, old), (at, new) in zip(was, now, strict=True):
                deeper, text = indent(new) - indent(old), new.strip()
                if deeper and not EMPTY.match(text):
                    block = under(sides[1], at) if deeper > 0 else under(sides[0], stood)
                    yield Turn(path, sides[1][at].number, text, text, "", INNER if deeper > 0 else OUTER, under=block)
                    return


INNER, OUTER = ">", "<"
"""In place of the line above it: which block a statement stands in now."""


def _as_one(found: Sequence[Turn]) -> list[Turn]:
    """Turns in which the same piece stands for the same other one, as the first of them."""
    groups: dict[tuple[str, str], list[Turn]] = {}
    for turn in found:
        key = _differ(turn.old, turn.new) if turn.old and turn.new else (turn.old, turn.new)
        groups.setdefault(key, []).append(turn)
    return [turns[0]._replace(others=sum(turn.others + 1 for turn in turns) - 1) for turns in groups.values()]

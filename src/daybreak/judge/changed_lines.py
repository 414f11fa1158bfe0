"""Changed lines of a small diff as its sentence: what stood there and what stands there now.

Lines that change alike, however many they are, count as one.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from difflib import SequenceMatcher

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Area
from daybreak.core.model.quotes import Gist, Quote
from daybreak.core.model.statements import Text
from daybreak.core.profiles import Profile, profile_of
from daybreak.core.words import say, term
from daybreak.core.words.grammar import alike, code_pair, joined, large
from daybreak.findings import paths
from daybreak.findings.diff import hunks
from daybreak.judge import line_asks
from daybreak.judge.line_conditions import condition_at, without_swapped
from daybreak.judge.line_guards import guarded, moved_import, with_moved_in
from daybreak.judge.line_lists import with_lists
from daybreak.judge.line_pairs import (
    AT_MOST,
    EMPTY,
    INNER,
    OPENS,
    OUTER,
    TOKEN,
    TURNED,
    WIDEST,
    nearest,
    same_start,
    turns_of,
)
from daybreak.judge.line_worth import CALLEE, LEFT, Turn, is_carried, is_plumbing, names_in, worth
from daybreak.judge.reach import is_tool
from daybreak.judge.telling_words import words

LOOKED_AT = 300
"""Changed lines among which those that change alike are sought."""
SHOWN, SMALL, MIDDLE = 2, 40, 120
WIDE = 64
"""Characters of a line that is shown whole; of what is shown around a difference half of them."""
NAMED = 2
"""Words of the title that a line must have to stand for a larger diff."""
_SOURCE: frozenset[Area] = frozenset({"code", "api", "kernel", "build", "dependency", "data"})
_NEEDS_PLACE = 100
"""Characters of a turn below which the function must be named that it stands in."""


def changed_lines(
    change: Change,
    most: int = SHOWN,
    *,
    bare: bool = False,
    last: int = 0,
    whole: bool = False,
    wide: int = WIDE,
    placed: bool = True,
) -> Gist | None:
    """Of a diff with few lines of source: the pairs that differ, so many at most, or what came, or what went. `last`: nothing
    else tells it, so that of a diff of so many lines the best one is shown, also of a tool. `whole`: none that is one of many.
    `wide`: characters of a line that is shown whole. `placed`: with the function, and the flag that it stands under.
    """
    patches = _patches(change, last)
    if not patches or _many(patches, last or LOOKED_AT):
        return None
    turns = without_swapped(_without_split(turns_of(patches, change.subject), patches), patches)
    turns = with_moved_in(turns, patches, change.subject[:WIDEST])
    listed = with_lists(turns, patches, change.subject)
    found = [turn for turn in listed if not is_plumbing(turn)] or _both(patches)
    if not found:
        return None
    title = words(change.subject[:WIDEST])
    _rank(found, title, change.subject, _naming(patches, change.subject))
    lines = {text for turn in listed for text in (turn.old, turn.new) if text}
    # what is left out may be what it is about, where there is much to choose from
    few = len(lines) <= AT_MOST and (len(listed) == len(turns) or len(turns) <= SHOWN)
    if last and not few and _many(patches, SMALL):
        found = [turn for turn in found if turn.old and turn.new]  # what only came says too little of many lines
    told = found if few else [turn for turn in found if not is_carried(turn) and (last or _names(turn, title))]
    shown = _shown(told)[:most] if few else told[:1]
    if not shown or (whole and not few):
        return None
    shown = [guarded(turn, patches) for turn in shown] if placed else shown
    text = _told(shown, wide, placed=placed)
    framed = say("judge.lines.all", lines=text) if few else say("judge.lines.some", lines=text)
    return Gist(large(text) if bare else framed, "line", tuple(quote for turn in shown for quote in _quotes(turn)))


def _patches(change: Change, last: int) -> list[tuple[str, str]]:
    patches = [(f.path, f.patch) for f in change.files if _is_source(f, profile_of(change.repo))]
    patches = [one for one in patches if not is_tool(one[0])] or patches  # what checks the sources is not what they do
    patches = [one for one in patches if not one[0].endswith(".json")] or patches  # nor is what they are tuned by
    return patches or [(f.path, f.patch) for f in change.files if last and f.patch and is_tool(f.path)]


def alike_in(change: Change) -> list[int]:
    """How many more lines change like one of it: what its sentence may count."""
    patches = _patches(change, LOOKED_AT)
    return [] if _many(patches, LOOKED_AT) else sorted({turn.others for turn in turns_of(patches, change.subject)})


def _both(patches: Sequence[tuple[str, str]]) -> list[Turn]:
    """Of a diff of nothing but one import, or one for another, these themselves: nothing else can tell it."""
    rows = [(path, x) for path, patch in patches for hunk in hunks(patch) for x in hunk.lines if x.sign != " "]
    rows = [(path, x) for path, x in rows if x.text.strip()]
    old, new = (next((x.text.strip() for _, x in rows if x.sign == sign), "") for sign in "-+")
    if not 0 < len(rows) == bool(old) + bool(new) or not all(_IMPORTS.match(x.text) for _, x in rows):
        return []
    path, first = rows[-1]
    if old == new:
        moved = moved_import(path, dict(patches)[path], new)
        return [moved] if moved else []
    return [Turn(path, first.new or first.old or 0, old, new, "", "")]


_IMPORTS = re.compile(r"\s{0,80}(?:import|from) .{1,300}$")


def _naming(patches: Sequence[tuple[str, str]], subject: str) -> set[str]:
    """Files whose hunks show a name that the title has, letter by letter: what changes elsewhere follows from it."""
    names = {name for name in _WHOLE.findall(subject[:WIDEST]) if "_" in name.strip("_")}
    found = {path for path, patch in patches if any(name in patch for name in names)}
    return found if len(found) < len(patches) else set()


def _rank(found: list[Turn], title: frozenset[str], subject: str, naming: Container[str]) -> None:
    """The most telling first."""
    known = frozenset(name for turn in found for name in CALLEE.findall(turn.old))
    stood = [words(turn.old) for turn in found if turn.old]
    kept = frozenset[str]().union(*(names_in(turn.new) for turn in found))
    named = {turn for turn in found if _is_titled(turn, subject) or turn.path in naming}
    found.sort(
        key=lambda turn: -worth(turn, title, known, kept) + _AGAIN * _is_again(turn, stood) - _TITLED * (turn in named)
    )


def _without_split(found: Sequence[Turn], patches: Sequence[tuple[str, str]]) -> list[Turn]:
    """Without a condition of which one part is asked on a line of its own now, below the rest: both ask the same. A statement
    that stood before them and stands between them now is what differs.
    """
    alone = {part for turn in found if not turn.old and len(parts := _parts(turn.new)) == 1 for part in parts}
    apart = {
        turn: left
        for turn in found
        if (left := _parts(turn.old) - _parts(turn.new)) and _parts(turn.new) < _parts(turn.old)
    }
    split = {turn: left for turn, left in apart.items() if left <= alone}
    asked = frozenset[str]().union(*split.values())
    went = (
        {row[1:].strip() for _, patch in patches for row in patch.split("\n") if row[:1] == "-"}
        if split
        else set[str]()
    )
    out: list[Turn] = []
    for turn in found:
        if not turn.old and _parts(turn.new) & asked:
            block = condition_at(dict(patches)[turn.path], turn.line)
            inner = turn._replace(old=turn.above, new=turn.above, above=INNER, under=block)
            out += [inner] if turn.above in went else []
        elif turn not in split:
            out.append(turn)
    return out


def _parts(line: str) -> frozenset[str]:
    found = _ASKS.match(line)
    return frozenset(found[1].split(" and ")) if found and " or " not in found[1] else frozenset()


_ASKS = re.compile(r"(?:el)?if \(?(.{1,300}?)\)?:")


def are_beside(found: Gist | None, subject: str) -> bool:
    """Lines are all that tells a change, and nothing in them is called as in its title: they do not carry what it is about."""
    lines = found.quotes if found is not None and found.source == "line" else ()
    return bool(lines) and words(subject[:WIDEST]).isdisjoint(words(" ".join(one.text for one in lines)))


def is_came(found: Gist) -> bool:
    """Its lines only came: nothing that stood there is another."""
    return all(quote.side == "added" for quote in found.quotes)


def _is_again(turn: Turn, stood: Sequence[frozenset[str]]) -> bool:
    """A line that came and has no word that one of those did not have which went: what was one condition is two."""
    return not (turn.old or turn.held) and any(words(turn.new) <= one for one in stood)


_AGAIN = 1.2


def _shown(found: Sequence[Turn]) -> list[Turn]:
    """The most telling ones; beside what only came, what only went."""
    shown = list(found[:SHOWN])
    gone = next((turn for turn in found if turn.old and not turn.new), None)
    if gone is not None and len(shown) == SHOWN and not any(turn.old for turn in shown):
        shown[-1] = gone
    return shown


def _names(turn: Turn, title: frozenset[str]) -> bool:
    """Of many lines one is shown only where it is what the title is about: one line that turned, with words of it, or
    one that came, with more of them.
    """
    shared = len(words(f"{turn.old} {turn.new}") & title)
    if not turn.old:
        return shared > NAMED and not turn.new.endswith(("(", "[", "{", ","))
    if not turn.new or turn.old == turn.new or "\\ " in turn.old or shared < NAMED or turn.old.endswith(OPENS):
        return False
    lefts = LEFT.match(turn.old), LEFT.match(turn.new)
    same = lefts[0] and lefts[1] and lefts[0][1] == lefts[1][1]
    return bool(same) or nearest([(turn.old, turn.new, turn)], TURNED) is not None


def _is_source(file: FileChange, profile: Profile) -> bool:
    return bool(file.patch) and not file.submodule and paths.area(file.path, profile) in _SOURCE


def _many(patches: Sequence[tuple[str, str]], most: int) -> bool:
    """Whether more lines changed than are looked at; asked first, since most diffs are larger."""
    seen: set[str] = set()
    for _, patch in patches:
        for line in patch.split("\n"):
            if line[:1] in ("+", "-") and not EMPTY.match(line[1:WIDEST]):
                seen.add(line[1:].strip())
                if len(seen) > most:
                    return True
    return False


# --- what is shown ---


def _quotes(turn: Turn) -> Iterator[Quote]:
    """All that is said of it, as it stands in the diff."""
    if turn.old:
        yield Quote("line", turn.path, turn.line, "removed", turn.old)
    beside = turn.above if turn.above not in (INNER, OUTER) else ""
    for text in filter(None, (turn.new, turn.within, beside, turn.under, turn.given, turn.held)):
        yield Quote("line", turn.path, turn.line, "added", text)


def _windows(old: str, new: str, wide: int) -> tuple[str, str]:
    """Two long lines from shortly before the first token that differs to shortly behind the last."""
    if max(len(old), len(new)) <= wide:
        return old, new
    around = wide // 2
    a, b = TOKEN.findall(old), TOKEN.findall(new)
    lead = same_start(a, b)
    tail = min(same_start(a[::-1], b[::-1]), len(a) - lead, len(b) - lead)
    first = len("".join(a[:lead])) - around
    last = len("".join(a[len(a) - tail :])) - around
    at = old.rfind(" ", 0, first) + 1 if first > 0 else 0
    cut = len(old) - last if last > 0 else len(old)
    rest = len(old) - (old.find(" ", cut) if " " in old[cut:] else cut)
    at, rest = (cut if cut >= _WORTH_IT else 0 for cut in (at, rest))
    shown = [f"{'…' if at else ''}{text[at : len(text) - rest]}{'…' if rest else ''}" for text in (old, new)]
    return (shown[0], shown[1]) if max(map(len, shown)) <= _SEEN else _at_largest(a, b, around)


def _at_largest(a: Sequence[str], b: Sequence[str], around: int) -> tuple[str, str]:
    """Of two lines that differ at many places, from shortly before what differs most to shortly behind it."""
    codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    differ = [code for code in codes if code[0] != "equal"]
    _, i, j, k, m = max(differ, key=lambda code: len("".join((*a[code[1] : code[2]], *b[code[3] : code[4]]))))
    return _part(a, i, j, around), _part(b, k, m, around)


def _part(tokens: Sequence[str], first: int, last: int, around: int) -> str:
    before, after = "".join(tokens[:first]), "".join(tokens[last:])
    at = before.rfind(" ", 0, max(0, len(before) - around)) + 1
    rest = after.find(" ", around) if len(after) > around else -1
    lead = f"{'…' if at else ''}{before[at:]}"
    return f"{lead}{''.join(tokens[first:last])}{after[:rest] + '…' if rest >= 0 else after}"


def _listed(turn: Turn, wide: int) -> Text | None:
    """Of two long lists what came into it, or what went out of it."""
    name, went, came = _listing(turn)
    some = (*went, *came)
    if max(len(turn.old), len(turn.new)) <= wide or not name or len(", ".join(some)) > _SEEN:
        return None
    return _held(name, some, came=bool(came))


def _held(name: str, some: Sequence[str], *, came: bool) -> Text:
    items = ", ".join(some)
    return (
        say("judge.lines.held", name=name, items=items) if came else say("judge.lines.dropped", name=name, items=items)
    )


def _listing(turn: Turn) -> tuple[str, list[str], list[str]]:
    """The name of a list of plain values, and what only went out of it or only came into it; no name where it is none."""
    lists = _LIST.fullmatch(turn.old), _LIST.fullmatch(turn.new)
    if not (lists[0] and lists[1]) or lists[0][1] != lists[1][1]:
        return "", [], []
    old, new = (_ITEM.findall(one[2]) for one in lists if one)
    lead = same_start(old, new)
    tail = min(same_start(old[::-1], new[::-1]), len(old) - lead, len(new) - lead)
    went, came = (one[lead : len(one) - tail] for one in (old, new))
    return ("", [], []) if bool(went) == bool(came) else (lists[0][1], went, came)


def _is_titled(turn: Turn, title: str) -> bool:
    """The title names, letter by letter, what came into a list or went out of it."""
    _, went, came = _listing(turn)
    alone = [] if turn.old and turn.new else [(turn.old or turn.new).rstrip(",")]
    names = {item.strip("\"'.") for item in (*went, *came, *filter(_ITEM.fullmatch, alone))}
    return any(len(name) >= _LEAST and name in _WHOLE.findall(title[:WIDEST]) for name in names)


_TITLED, _LEAST = 1.5, 4
"""What such a list tells more, or a line of a file that names what the title names, and letters of a name that is no chance."""
_WHOLE = re.compile(r"\w+")
_ITEM = re.compile(r"\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|-?[\w.]{1,80}")
_LIST = re.compile(
    rf"([A-Za-z_][\w.]{{0,80}})(?:: [^=]{{1,60}})? = [(\[{{]((?:(?:{_ITEM.pattern})(?:, ?|(?=[)\]}}])))+)[)\]}}]?"
)
_WORTH_IT, _SEEN = 12, 120
"""Characters of what may be left out of a line, and of what is seen of a long one."""


def _told(shown: Sequence[Turn], wide: int, *, placed: bool) -> Text:
    """What is shown, each with its function, or once what all of it stands in; where one has to be named, all are: a place
    that follows the second would pass for that of both.
    """
    named = placed and any(len(turn.old + turn.new) < _NEEDS_PLACE for turn in shown)
    places = {"" if turn.others else turn.within for turn in shown}
    once = places.pop() if named and len(shown) > 1 and len(places) == 1 else ""
    text = joined([_said(turn, wide, named=named and not once) for turn in shown], "semicolon")
    return say("judge.lines.together", name=once, lines=text) if once else text


def _said(turn: Turn, wide: int, *, named: bool) -> Text:
    """What stood and what stands there; `named`: with the function."""
    turn = turn._replace(old=_closed(turn.old), new=_closed(turn.new))
    if turn.old == turn.new and turn.above in (INNER, OUTER):
        where = "inner" if turn.above == INNER else "outer"
        text = term("judge.lines_nested", f"{where}_under" if turn.under else where, line=turn.new, head=turn.under)
    elif turn.old == turn.new and turn.above:
        text = say("judge.lines.moved", line=turn.new, above=turn.above)
    elif turn.held:
        text = _held(turn.held, [(turn.new or turn.old).rstrip(",")], came=bool(turn.new))
    elif (held := _listed(turn, wide)) is not None:
        text = held
    elif turn.old and turn.new and (asks := line_asks.told(turn.old, turn.new)) is not None:
        text = asks
    elif turn.old and turn.new:
        before, after = code_pair(*_windows(turn.old, turn.new, wide))
        same = before == after  # as far as it is shown
        text = (
            say("judge.lines.came", line=turn.new)
            if same
            else say("judge.lines.turn", before=alike(before), after=alike(after))
        )
    else:
        text = say("judge.lines.came", line=turn.new) if turn.new else say("judge.lines.went", line=turn.old)
    if turn.under and turn.old != turn.new:
        text = say("judge.lines.under", lines=text, head=turn.under)
    if turn.given and len(turn.given) <= 2 * wide:
        text = say("judge.lines.given", lines=text, given=turn.given)
    if named and turn.within and not turn.others:
        text = say("judge.lines.within", name=turn.within, lines=text)
    return say("judge.lines.others", lines=text, n=turn.others) if turn.others else text


def _closed(text: str) -> str:
    """A call that goes on in lines which are not shown: it is said that it does, and nobody reads a line that ends in a bracket."""
    return f"{text}…{_CLOSES[text[-1]]}" if text[-1:] in _CLOSES else text


_CLOSES = {"(": ")", "[": "]"}

"""Statements and blocks of one side of a hunk: what readers of behaviour share.

A hunk shows a few lines around a change, so all answers are "as far as the hunk shows", and unknown is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.findings.diff import DiffHunk, SideLine
from daybreak.findings.languages.base import MAX_LINE, ReadFile, Whole, bracketed, logical
from daybreak.findings.memory import remembered
from daybreak.findings.paths import BEHIND

SHOWN = 200
"""Characters of a condition that are shown."""
PER_FILE = 3
"""Findings of one kind in one file: more than these is a rewrite, which nobody reads line by line."""

_QUIET = BEHIND | {"data", "dependency"}
_SIDE_ROOMS = re.compile(r"(?:^|/)(?:benchmarks?|bench|examples?|multimodal_gen/test|debug_utils?)/|(?:^|/)setup\.py$")
_DEF = re.compile(r"\s*(?:async\s+)?(def|class)\s+([A-Za-z_]\w{0,120})")
_WAY = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_WORD = re.compile(r"[A-Za-z_]\w*")
_CLOSER = re.compile(r"\s*[)\]}]")
_QUOTE = re.compile(r"\"\"\"|'''")


def quiet(file: ReadFile) -> bool:
    """Nobody's service runs this file, or all of it is new: its behaviour is no news."""
    return file.area in _QUIET or file.tool or file.change.status in "ACD" or bool(_SIDE_ROOMS.search(file.path[-400:]))


def squeezed(text: str) -> str:
    """Text in which line breaks, blanks and the kind of quotes do not count."""
    return "".join(text.split()).replace("'", '"').replace(",)", ")").replace(",]", "]")


def one_line(text: str) -> str:
    """Code on one line."""
    flat = re.sub(r"([(\[{]) ", r"\1", " ".join(text[:4000].split()))
    return re.sub(r",? ([)\]}])", r"\1", flat)[:2000]


def shown(text: str) -> str:
    """Not more than a reader wants."""
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def unwrapped(condition: str) -> str:
    """A condition without the brackets that only hold it together over several lines."""
    flat = " ".join(condition.split())
    while flat.startswith("(") and flat.endswith(")"):
        span = bracketed(flat[1:])
        if span is None or span.length != len(flat) - 1:
            break
        flat = flat[1:-1].strip()
    return flat


def run_around(file: ReadFile, line: int, sign: str) -> int:
    """How many changed lines stand together around one."""
    for hunk in file.hunks:
        run = 0
        inside = False
        for x in (*hunk.lines, None):
            if x is not None and x.sign == sign:
                run += 1
                inside = inside or (x.new if sign == "+" else x.old) == line
            elif x is None or x.sign == " ":
                if inside:
                    return run
                run = 0
    return 0


def negation_of(condition: str) -> str:
    if found := re.fullmatch(r"([\w.\[\]\"']+) is (not )?None", condition):
        return f"{found[1]} is None" if found[2] else f"{found[1]} is not None"
    return f"not {condition}" if re.fullmatch(r"[\w.]+(?:\([^()]*\))?", condition) else f"not ({condition})"


def beside(condition: str) -> str:
    """A condition that may stand beside `and`."""
    return f"({condition})" if " or " in condition or " if " in condition else condition


def renamed(before: str, after: str, whole: Whole) -> bool:
    """The texts differ only in names that the commit renamed: an old one that is gone for one that is new."""
    if _other_way(before, after, whole):
        return True
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) != len(new) or _WORD.sub("", squeezed(before)) != _WORD.sub("", squeezed(after)):
        return False
    return all(a == b or not (whole.stands(a) or whole.stood(b)) for a, b in zip(old, new, strict=True))


def _other_way(before: str, after: str, whole: Whole) -> bool:
    """The texts differ only in the way to a value: `self.prefill_size`, which is gone, is `self.prefill_info.size` now."""
    old, new = _WAY.findall(before), _WAY.findall(after)
    if len(old) != len(new) or _WAY.sub("", squeezed(before)) != _WAY.sub("", squeezed(after)):
        return False
    pairs = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    return bool(pairs) and all(
        _leads_alike(*sorted(pair, key=len)) and not whole.stands(pair[0].rpartition(".")[2]) for pair in pairs
    )


def _leads_alike(short: str, long: str) -> bool:
    """All words of the one way stand in the other, in their order, and they end alike."""
    few, many = (re.findall(r"[a-z0-9]+", way.lower()) for way in (short, long))
    rest = iter(many)
    return len(few) > 2 and few[-1] == many[-1] and all(word in rest for word in few)


def swapped(before: str, after: str) -> tuple[str, str] | None:
    """The one name that stands for another in two texts that are otherwise the same."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) != len(new) or _WORD.sub("", squeezed(before)) != _WORD.sub("", squeezed(after)):
        return None
    pairs = {(a, b) for a, b in zip(old, new, strict=True) if a != b}
    return pairs.pop() if len(pairs) == 1 else None


def indent(text: str) -> int:
    """Leading blanks; a tab counts as one, since both sides are judged alike."""
    return len(text) - len(text.lstrip())


def code(text: str) -> bool:
    """The line holds something else than blanks or a comment."""
    bare = text.lstrip()
    return bool(bare) and not bare.startswith("#")


def statement(lines: Sequence[SideLine], at: int) -> tuple[str, int]:
    """The Python statement that starts at a line, and the index behind it; empty when it does not end in the hunk."""
    text = logical(lines, at)
    return text, at + text.count("\n") + 1


def following(lines: Sequence[SideLine], at: int) -> int | None:
    """Index of the next line of code."""
    return next((n for n in range(at, min(at + 12, len(lines))) if code(lines[n].text)), None)


def preceding(lines: Sequence[SideLine], at: int) -> int | None:
    """Index of the last line of code before."""
    return next((n for n in range(at - 1, max(-1, at - 13), -1) if code(lines[n].text)), None)


def parent(lines: Sequence[SideLine], at: int) -> int | None:
    """Index of the line that opens the block of a line; None when it stands above the hunk."""
    own = indent(lines[at].text)
    for n in range(at - 1, max(-1, at - 400), -1):
        text = lines[n].text
        if len(text) < MAX_LINE and code(text) and indent(text) < own and not _CLOSER.match(text):
            return n
        if _CLOSER.match(text) and indent(text) < own:  # the end of a head over several lines: its start is further up
            own = indent(text) + 1
    return None


def owners(lines: Sequence[SideLine], at: int) -> list[tuple[int, str, str]]:
    """The definitions that hold a line, innermost first: index, `def` or `class`, name."""
    out: list[tuple[int, str, str]] = []
    n = parent(lines, at)
    for _ in range(20):
        if n is None:
            break
        match = _DEF.match(lines[n].text)
        if match:
            out.append((n, match[1], match[2]))
        n = parent(lines, n)
    return out


def fresh(lines: Sequence[SideLine], at: int) -> bool:
    """The function around a line is itself new on this side (or gone on the other)."""
    return any(lines[n].changed for n, _, _ in owners(lines, at))


def place(lines: Sequence[SideLine], at: int, hunk: DiffHunk, file: ReadFile) -> str:
    """`Class.method` around a line, as far as the hunk and git's context line show it; else the file's name."""
    names = [name for _, _, name in owners(lines, at)][::-1]
    outer = _DEF.match(hunk.context) if indent(lines[at].text) else None
    if outer and outer[2] not in names and (not names or indent(lines[at].text) > 4):
        above = [n for n, _, _ in owners(lines, at)]
        if not above or indent(lines[above[-1]].text) > 0:
            names.insert(0, outer[2])
    return ".".join(names[-2:]) or file.path.rsplit("/", 1)[-1]


def quoted(lines: Sequence[SideLine]) -> frozenset[int]:
    """Indexes of lines inside a text over several lines, or that open or close one."""
    out: set[int] = set()
    inside = ""
    for n, line in enumerate(lines):
        if inside:
            out.add(n)
        if '"""' not in line.text and "'''" not in line.text:
            continue
        for mark in _QUOTE.finditer(line.text[:MAX_LINE]):
            out.add(n)
            if not inside:
                inside = mark[0]
            elif mark[0] == inside:
                inside = ""
    return frozenset(out)


@remembered(4)
def texts(whole: Whole) -> tuple[str, str]:
    """All that the diff shows before and after the commit, squeezed: what stands in both only moved."""
    before = whole._text("- ")  # noqa: SLF001  the same text with the other sign has a public name
    return squeezed(before), squeezed(whole.standing)


def moved(whole: Whole, text: str, sign: str) -> bool:
    """A text that came (`+`) or went (`-`) stands on the other side of the commit as well."""
    return squeezed(text) in texts(whole)[0 if sign == "+" else 1]

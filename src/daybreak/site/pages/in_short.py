"""A week or a month in short: what is read of it in one minute, from what holds at its end.

The gravest of each kind in the order of the days' first screens, the same lines in every language; all else stands below,
behind headings that say how much of it there is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.day import in_language
from daybreak.core.model.rollup import BROKEN, TESTS_BROKEN, Line, Rollup, by_change
from daybreak.core.words.brief import bare_title, brief_line, first_advice, is_in_release, unplaced_line
from daybreak.core.words.phrases import REFERENCE, table
from daybreak.findings.kinds import kind_of
from daybreak.judge.hazards import hazard
from daybreak.judge.phrases import is_typed_at
from daybreak.judge.refused import ERROR_WORDS
from daybreak.report.archive.beside import tag_of
from daybreak.site.pages.templates import phrases

_WORDS = 20
"""Of a headline."""
_LEADS, _OF_REPO = 3, 2
"""Changes that a page is titled by, and those of one repository among them."""
_SHORT = {"fixes": 58, "breaks": 50, "stories": 38, "releases": 10}
"""What is told before all folds, and words for it: what broke, what to do and what was released. With headings and the lines
below it is at most 250 words, which are read in a minute.
"""
_OTHERS, _NAMED = 18, 2
"""Words for what else happened elsewhere, and new names of a repository."""
_GRAVEST = ("security", "corrupts", "crash")
"""Of what was mended, as a day's first screen has them."""
_STOPS = "crash"
"""What its users notice by themselves."""
NOWHERE = 1000
"""Place of what no first screen has."""
_SAID, _HOW, _AROUND, _STORY = 16, 14, 3, 24
"""Words of what happened, of what to do, those that stand before them (tag, repository, change), and of a fault of a branch."""
_QUOTED = 18
"""Words of what the day quotes of a repair."""
_SCRIPT = 3
"""The furthest from everybody's server: whoever runs one script."""
_ENDED = ("…", "”", "」")
_CUT = ("…", "…”", "…」", "…`")
"""How a sentence ends of which only the beginning is told."""
_CODE = re.compile("`[^`]+`")
_CLAUSE = re.compile("[;；]")
_PAUSE = re.compile("[,;](?= )|[，；]")
_TITLED = re.compile("[“「].{1,400}?[”」][:：]")
_QUOTE = re.compile("“[^“”]{1,400}”|「[^「」]{1,400}」")
OTHERS, PRERELEASE = "others", "prerelease"


class Part(Struct, frozen=True):
    """What is told of one kind."""

    name: str
    lines: tuple[Line, ...]
    kinds: tuple[tuple[str, int], ...] = ()
    """Tags of all that there are of it, where not all are told."""
    total: int = 0
    left: tuple[tuple[str, int], ...] = ()
    """Repositories that there are no words for, each with its commits."""


def parts_in_short(found: Rollup) -> list[Part]:
    """What there are words for, and one line of each project that none of it is about, or its name: nobody's week is left out."""
    parts = [part for name in _SHORT if (part := _part(found, name)).lines]
    told = {line.repo for part in parts if part.name != "releases" for line in part.lines}
    kinds = (
        _gravest(found, "breaks"),
        _gravest(found, "fixes"),
        found.deprecates,
        *(one.lines for one in found.themes),
    )
    every = [line for lines in (*kinds, found.internals, found.stories, found.pins) for line in lines if line.text]
    rest = sorted(every, key=lambda line: not _is_told(line))
    quiet = {repo.name: repo.commits for repo in found.repos if repo.commits and repo.name not in told}
    first = [one for name in quiet if (one := next((line for line in rest if line.repo == name), None))]
    lines = _fitting(first, _OTHERS)
    left = tuple((name, n) for name, n in quiet.items() if name not in {line.repo for line in lines})
    at = len(parts) - any(part.name == "releases" for part in parts)
    return [*parts[:at], *([Part(OTHERS, tuple(lines), left=left)] if quiet else []), *parts[at:]]


def _part(found: Rollup, name: str) -> Part:
    lines, told = _short(found, name)
    kinds = Counter(tag_of(one) for one in told) if len(lines) < len(told) and name in ("fixes", "breaks") else {}
    return Part(name, tuple(lines), tuple(kinds.items()), len(told))


def news_in_short(found: Rollup) -> list[tuple[str, list[str], int, int]]:
    """Of each repository what came and is called by a name, one a change, how many more of them, and how many options."""
    lots = [
        (lot[0].repo, [one for one in lot if kind_of(one.kind).surface == "models"], lot)
        for lot in by_change(found.news)
    ]
    out: dict[str, tuple[list[str], int]] = {}
    for repo, models, lot in lots:
        names, options = out.get(repo, ([], 0))
        named = [models[0].symbol.replace(":", " ")] if models else []
        out[repo] = ([*names, *named], options + len(lot) - len(models))
    return [(repo, names[:_NAMED], len(names[_NAMED:]), options) for repo, (names, options) in out.items()]


def _gravest(found: Rollup, name: str) -> list[Line]:
    """One line a change. Of what was mended, what nobody notices before what stops, then what the newest release has; of what
    breaks, whoever runs a server before whoever builds on a library or runs a script of it. Then in the order of the days'
    first screens.
    """
    lots = [lot for lot in by_change(getattr(found, name)) if lot[0].text]
    ranks = {id(lot): NOWHERE if lot[0].rank is None else lot[0].rank for lot in lots}
    if name == "fixes":
        order = sorted(lots, key=lambda lot: (lot[0].tag == _STOPS, _held(lot[0]), ranks[id(lot)], _kind(lot[0])))
        return [lot[0] for lot in order]
    hits = {
        id(line): (hit, line)
        for lot in lots
        for hit, line in [min(_hits(lot), key=lambda one: (one[0], not _error(one[1])))]
    }
    ranked = sorted(hits.values(), key=lambda one: (one[0], NOWHERE if one[1].rank is None else one[1].rank))
    # of those who are hit alike, each project has its turn
    turns = [ranked[at] for at in _in_turn([line for _, line in ranked], "repo")]
    return [_with_others(line, found.breaks) for _, line in sorted(turns, key=lambda one: one[0])]


def _held(line: Line) -> int:
    """The newest release has the fault, or has its repair; or neither is known."""
    return 0 if is_in_release(line.text) else 1 if line.released else 2


def _hits(lot: Sequence[Line]) -> list[tuple[int, Line]]:
    """The lines of a change, each with whom it hits; what else it says of a script hits those alone who run that."""
    hits = [_hit(line) for line in lot]
    scripts = {
        place for hit, line in zip(hits, lot, strict=True) if hit == _SCRIPT and (place := _place(line, REFERENCE))
    }
    told = [in_language(line.text, REFERENCE) for line in lot]
    of_script = [any(place in text for place in scripts) for text in told]
    return [(_SCRIPT if own else hit, line) for own, hit, line in zip(of_script, hits, lot, strict=True)]


def _hit(line: Line) -> int:
    """How far from everybody's server they are whom it hits: what is typed and sent, what else runs there, what is imported or
    installed, one script.
    """
    if line.tag != "breaks" or not line.kind:
        return 1 if line.tag == "breaks" else 0
    kind, place = kind_of(line.kind), _place(line, REFERENCE)
    if place and place in in_language(line.who, REFERENCE):
        return _SCRIPT
    if not (kind.is_operated or kind.surface == "behaviour"):
        return 2
    return 0 if not place or is_typed_at(place.strip("`")) or kind.surface == "models" else 1


def _with_others(line: Line, lines: Sequence[Line]) -> Line:
    """Of names that can no longer be chosen, all that the change takes: who chose another one than the first is hit alike."""
    if not line.kind or kind_of(line.kind).change not in ("removed", "choices_changed"):
        return line
    registered = (one for one in lines if one.kind and kind_of(one.kind).means("registry", "removed"))
    last = line.commits[-1:]
    same = (one for one in registered if last and one.repo == line.repo and one.commits[-1:] == last)
    names = dict.fromkeys(f"`{one.symbol.rpartition(':')[2]}`" for one in same)
    others = [name for name in names if name not in in_language(line.text, REFERENCE)]
    if not others:
        return line
    said = {
        language: words(
            "rollup.gone_too", text=unplaced_line(text).rstrip(".。"), names=words("page.list").join(others)
        )
        for language, text in line.text.items()
        for words in [phrases(language)]
    }
    return replace(line, text=said)


def _place(line: Line, language: str) -> str:
    """The file that a sentence ends with, as it is written there."""
    text = in_language(line.text, language)
    found = _CODE.search(text[len(unplaced_line(text).rstrip(".。")) :])
    return found[0] if found else ""


def _kind(line: Line) -> int:
    return _GRAVEST.index(line.tag) if line.tag in _GRAVEST else 0


def _short(found: Rollup, name: str) -> tuple[list[Line], list[Line]]:
    """The first lines that there are words for, the same in every language, and all that there are."""
    if name in ("fixes", "breaks"):
        told = _gravest(found, name)
        lines = [line for line in told if _is_told(line)] or told
    else:
        told = [line for line in getattr(found, name) if line.tag or name != "stories"]
        every = [line for line in told if line.tag != TESTS_BROKEN] or told  # what users could meet comes first
        if name == "stories":
            every = sorted(every, key=_outage)
        if name == "releases":  # of each project the newest final one first
            every = every[::-1]
            every.sort(key=lambda line: line.kind == PRERELEASE)
        lines = [every[at] for at in _in_turn(every, "repo")]
    chosen = _fitting(_by_kind(lines) if name == "fixes" else lines, _SHORT[name])
    chosen.sort(key=lines.index)
    if name == "stories" or not chosen:  # the first is the gravest: no shorter one stands in its place
        chosen = [*lines[:1], *(line for line in chosen if line not in lines[:1])][: max(1, len(chosen))]
    finals = {line.repo: line for line in reversed(lines) if name == "releases" and line.kind != PRERELEASE}
    chosen += [line for line in finals.values() if line not in chosen]
    return chosen, told


def _by_kind(lines: Sequence[Line]) -> list[Line]:
    """The first of each kind of fault, then the first of each project, then all others."""
    firsts = [lines[at] for by in ("tag", "repo") for at in _in_turn(lines, by)[: len({getattr(x, by) for x in lines})]]
    return list({id(line): line for line in (*firsts, *lines)}.values())


def _outage(line: Line) -> tuple[bool, bool, timedelta]:
    """What users could meet before tests alone, what goes on before what ended, then the longest first."""
    if len(line.span) != 2 or line.span[1] == "…":
        return line.tag == TESTS_BROKEN, len(line.span) != 2, timedelta()
    start, end = (datetime.strptime(f"2000-{one} +0000", "%Y-%m-%d %H:%M %z") for one in line.span)
    lasted = end - start if end >= start else end - start + timedelta(days=366)
    return line.tag == TESTS_BROKEN, True, -lasted


def _fitting(lines: Sequence[Line], words: int) -> list[Line]:
    """Those that there are words for, in their order; one that takes too many keeps none behind it away."""
    chosen: list[Line] = []
    for line in lines:
        around = _AROUND + (_AROUND if line.released else 0) + len(" → ".join(line.span).split())
        needed = around + len(brief(line, REFERENCE).split())
        if needed <= words:
            chosen.append(line)
            words -= needed
    return chosen


def _in_turn(lines: Sequence[Line], by: str) -> list[int]:
    """Of each kind the first, then of each the second: where room is short, none is left out."""
    seen: Counter[str] = Counter()
    turns: list[int] = []
    for line in lines:
        seen[getattr(line, by)] += 1
        turns.append(seen[getattr(line, by)])
    return sorted(range(len(lines)), key=turns.__getitem__)


def brief(line: Line, language: str) -> str:
    """Of a fault what went wrong, and which release has it or its repair; of a break what to write instead, where what
    changed does not name it; of all else the beginning.
    """
    text = _bare(line, language)
    if line.tag in _GRAVEST and line.title:
        t = phrases(language)
        said, where = _of_fault(line, language), "" if line.released else _where(text, language)
        return f"{said}{'' if said.endswith(_ENDED) else t('page.stop')}{t('page.space')}{where}".strip()
    if line.symbol and not (line.kind or line.tag):
        return line.symbol  # a release
    if line.tag in (BROKEN, TESTS_BROKEN):
        if line.span and (first := _CODE.match(text)):  # from when until when stands before it
            return phrases(language)("rollup.short_fault", text=brief_line(first[0], _STORY))
        return brief_line(_CLAUSE.split(text)[0], _STORY)
    said = _in_whole(text.replace(table(language, "judge")["finding_alias.none"], ""), line, _SAID)
    how = in_language(line.how, language) if line.how else ""
    names = _CODE.findall(how)
    if not how or (names and all(name in said for name in names)):
        return said
    t = phrases(language)
    todo = _to_do(how)
    return f"{said.rstrip('.。')}{t('page.semicolon')}{todo}{'' if todo.endswith(_ENDED) else t('page.stop')}"


def _where(text: str, language: str) -> str:
    """Which release has it; how it is taken from the branch stands with the whole."""
    first, *more = _CLAUSE.split(first_advice(text, language))
    return f"{first}{phrases(language)('page.stop')}" if more else first


def _to_do(how: str) -> str:
    """Advice whole, or as many of its clauses as are not too long: half of one does not help."""
    ends = (*(mark.start() for mark in _PAUSE.finditer(how)), len(how))
    whole = (one for end in reversed(ends) if not (one := brief_line(how[:end], _HOW)).endswith(_CUT))
    return next(whole, brief_line(how, _HOW))


def _of_fault(line: Line, language: str) -> str:
    """What went wrong in a sentence: the title where that says it, or with what the day quotes of it."""
    whole = line.effect[:1] != line.effect[:1].lower()  # no clause from the middle of a sentence
    title = bare_title(line.title).rstrip(".。")
    said = _in_whole(line.effect, line, _SAID).rstrip(".。") if whole else title
    text = in_language(line.text, language)
    head = _TITLED.match(text)
    quote = _QUOTE.search(text[head.end() :]) if head else None
    if said != title or quote is None or _says_it(line.tag, title):
        return said
    cited = brief_line(quote[0][1:-1], _QUOTED)
    return f"{said}{phrases(language)('page.colon')}{quote[0][0]}{cited}{quote[0][-1]}"


def _says_it(tag: str, title: str) -> bool:
    """A title that names what went wrong, or which way in was closed."""
    return tag == _GRAVEST[0] or hazard(title) is not None


def _is_told(line: Line) -> bool:
    """By more than a title that says what its author meant and not what happened."""
    title = bare_title(line.title).rstrip(".。") if line.title else ""
    if line.tag in _GRAVEST and title:
        return _says_it(line.tag, title) or _of_fault(line, REFERENCE) != title
    return not title or brief(line, REFERENCE).rstrip(".。") != title


def _in_whole(text: str, line: Line, words: int) -> str:
    """A sentence that is not too long; of one that is, the title of its change, which says all of it."""
    said = brief_line(text, words)
    return bare_title(line.title) if said.endswith(_CUT) and line.title else said


def lead(found: Rollup, language: str) -> list[str]:
    """The gravest changes of the span in few words, each with whom it hits; a repository leads twice at most, and what
    breaks has a place among them.
    """
    repos: Counter[str] = Counter()
    faults, breaks = _gravest(found, "fixes"), _gravest(found, "breaks")
    leads: list[str] = []
    for first in (*faults[: _LEADS - 1], *breaks, *faults[_LEADS - 1 :]):
        repos[first.repo] += 1
        if repos[first.repo] <= _OF_REPO and len(leads) < _LEADS:
            leads.append(_leading(first, language))
    return leads


def _bare(line: Line, language: str) -> str:
    """A condition in code tells nobody what happened: such a change is told by its error, or by its title. Places of files are left out,
    except where only those meet it who run that file.
    """
    condition = bool(line.kind) and "condition" in kind_of(line.kind).traits
    if condition and (words := _error(line)):
        return phrases(language)("upgrade.refuses", text=words)
    text, place = in_language(line.text, language), _place(line, language)
    only_there = place and place in in_language(line.who, language)  # a script's own option
    return bare_title(line.title) if condition and line.title else text if only_there else unplaced_line(text)


def _error(line: Line) -> str:
    """The words with which it refuses, where the finding has them."""
    found = ERROR_WORDS.search(line.after or "")
    return found["words"] if found else ""


def _leading(line: Line, language: str) -> str:
    text = _bare(line, language)
    said = brief_line(text, _WORDS).rstrip(".。")
    who = in_language(line.who, language) if line.who and text != line.title else ""
    told = f"{line.repo.rpartition('/')[2]} · {said}"
    return f"{told}{phrases(language)('rollup.hits', who=who)}" if who else told

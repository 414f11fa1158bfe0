"""Holds one sentence against one change, in the frame that every model's sentence has to keep: no rules of its own.

Some of it proves a sentence false (added for removed, before and after swapped, "nothing breaks" over a finding that
breaks). The rest only says that the evidence does not carry it: that is undecided here, never false. A sentence holds
when nothing speaks against it and findings prove what it tells: words that stand in a patch prove nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from daybreak.core.model import day as values
from daybreak.core.text import counted
from daybreak.findings.kinds import ANOTHER_NAME, CAME, kind_of
from daybreak.serve.mcp.answers import Verdict
from daybreak.serve.mcp.context import Told

if TYPE_CHECKING:
    from daybreak.core.model.changes import Repo
    from daybreak.core.model.drafts import Case
    from daybreak.core.model.findings import Finding
    from daybreak.core.model.report import Entry

_LINK = re.compile(r"\[([^\[\]]{0,300})\]\([^()\s]{0,400}\)")
_NAMES = re.compile(
    r"https?://\S{1,400}|`?\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b`?|(?:[\w.-]{1,80}/[\w.-]{1,80})?#\d{1,9}"
)
_DATES = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_BY_GIT = re.compile(
    r"[,，]?\s{0,2}\d{1,6}\s{0,2}(?:个文件|files?)(?: changed)?\s{0,2}[,，]?\s{0,2}\+\d{1,9}\s{0,2}[/,，、]?\s{0,2}-\d{1,9}"
    r"|(?:作者|\b[Aa]uthor)\s{0,2}[:：]\s{0,2}[^\s，,*|·;；()（）][^，,*|·;；\n()（）]{0,60}"
)
_ADDS = re.compile(r"\b(?:adds?|added|introduces?|introduced)\b|新增|添加|引入", re.IGNORECASE)
_REMOVES = re.compile(r"\b(?:removes?|removed|deletes?|deleted|drops?|dropped)\b|删除|移除|删去|去掉", re.IGNORECASE)
_TURNS = re.compile(
    r"\b(?:renam|mov|chang|replac|switch)\w{0,4}\b|->|→|更名|改名|重命名|移到|移至|改为|改成|变为|换成", re.IGNORECASE
)
"""Verbs that a finding can prove; any other verb proves nothing here."""
_SPAN = re.compile(r"`([^`\n]{1,400})`")
_LEAD = re.compile(r"^\s*(?:[-*+>]\s+|#{1,6}\s+|\d{1,3}[.)]\s+)+")
_FRAME = re.compile(r"^(?:in|with|by|commit|pr|pull request)?\s*[:：,，()（）-]*\s*(?=\S)", re.IGNORECASE)
_NOTHING_BREAKS = re.compile(
    r"\b(?:not|never|nothing) (?:\w+ )?breaks?\b|\bno(?:thing)? (?:breaking|breaks)\b|不(?:会)?破坏|没有破坏",
    re.IGNORECASE,
)
_OLD_WORKS = re.compile(
    r"\b(?:old|former|previous|original) [\w ]{0,30}\b(?:still|keeps?|remains?)\b|(?:旧|原)[^，。；]{0,12}(?:仍|依然|继续|保留)",
    re.IGNORECASE,
)


class Judged(NamedTuple):
    """What one change says of a sentence."""

    verdict: Verdict
    reason: str
    """In our own words."""
    quoted: str = ""
    """The word, number or turn at issue."""
    finding: str | None = None


class Facts(Struct, frozen=True):
    """One change as evidence."""

    repo: str
    sha: str
    url: str
    subject: str
    label: str | None
    """The day that told it; None: it was read from the mirror just now."""
    case: Case
    whole: bool
    """The whole patch is part of it, and not only the hunks that a report shows."""


def of_report(told: Told, patch: str | None) -> Facts:
    """From the report, and from the whole patch where a mirror has it."""
    commit = told.commit
    findings = tuple(_finding(one) for one in commit.findings)
    hunks = [(hunk.path, hunk.text) for hunk in commit.hunks if hunk.text]
    paths = [path for file in commit.files for path in (file.path, file.old_path) if path]
    message = f"{commit.subject}\n\n{commit.body}".strip()
    counts = f"{counted(commit.files_total, 'file')} changed, {counted(commit.added, 'line')} added, {counted(commit.deleted, 'line')} deleted"
    case = _case(told.repo.name, commit.sha, message, findings, hunks, [counts, *paths], patch)
    return Facts(told.repo.name, commit.sha, commit.url, commit.subject, told.label, case, patch is not None)


def of_entry(entry: Entry, repo: Repo, patch: str | None) -> Facts:
    """From the mirror, read and graded just now."""
    change, reading = entry.change, entry.reading
    hunks = [(hunk.path, hunk.text) for hunk in reading.hunks]
    message = f"{change.subject}\n\n{change.body}".strip()
    paths = [path for file in change.files for path in (file.path, file.old_path) if path]
    counts = f"{counted(change.files_total, 'file')} changed, {counted(change.added, 'line')} added, {counted(change.deleted, 'line')} deleted"
    case = _case(change.repo, change.sha, message, reading.findings, hunks, [counts, *paths], patch)
    return Facts(
        change.repo, change.sha, f"{repo.url}/commit/{change.sha}", change.subject, None, case, patch is not None
    )


def _case(
    repo: str,
    sha: str,
    message: str,
    findings: tuple[Finding, ...],
    hunks: Sequence[tuple[str, str]],
    paths: Sequence[str],
    patch: str | None,
) -> Case:
    from daybreak.core.model.drafts import Case, Piece
    from daybreak.prose.ground import finding_text

    pieces = [Piece("M1", f"commit:{sha}", message)]
    pieces += [Piece(f"F{n}", f"finding:{f.id}", finding_text(f)) for n, f in enumerate(findings, start=1)]
    if patch is not None:
        pieces.append(Piece("D1", f"commit:{sha}", patch))
    else:
        pieces += [Piece(f"D{n}", f"file:{sha}:{path}", text) for n, (path, text) in enumerate(hunks, start=1)]
    pieces.append(Piece("N1", f"commit:{sha}", "\n".join(paths)))
    return Case(sha, repo, tuple(pieces), findings, "\n".join((message, *paths)))


def _finding(one: values.Finding) -> Finding:
    from daybreak.core.model.findings import Finding

    effective = one.effective.when if one.effective else None
    return Finding(
        one.id, one.kind, one.path, one.line, one.symbol, one.before, one.after, one.breaking, one.alias, effective
    )


def bare(text: str, by_git: bool = False) -> str:
    """A sentence without marks of lists and without what names the change itself, which is checked elsewhere.

    `by_git`: so are its counts and its author, since the report checker knows the commit.
    """
    text = _BY_GIT.sub(" ", text) if by_git else text
    text = _DATES.sub(" ", _NAMES.sub(" ", _LINK.sub(r"\1", _LEAD.sub("", text))))
    text = re.sub(r"\(\s*\)|（\s*）|``|\*\*", " ", text)
    return _FRAME.sub("", " ".join(text.split()), count=1).strip()


def judged(text: str, facts: Facts) -> Judged:
    """What the change's evidence says of a bare sentence."""
    plain = _marked(text, facts)
    objected = _other_values(text, facts) or _disproved(plain, facts) or _unsupported(text, facts)
    if objected is not None:
        return objected
    proof = _proof(plain, facts)
    if proof is None:
        return Judged("undecided", "its words stand in the change's evidence, but no finding proves what it tells")
    return Judged("holds", "a finding proves it, and its other words stand in the change's evidence", "", proof)


def _marked(text: str, facts: Facts) -> str:
    """The sentence with the names of findings as code, and what "was added" as what is added: so the frame reads names."""
    symbols = {f.symbol for f in facts.case.findings if _MARKED.fullmatch(f.symbol)}
    for symbol in sorted(symbols, key=len, reverse=True):
        text = re.sub(rf"(?<![\w`.-]){re.escape(symbol)}(?![\w`-])", f"`{symbol}`", text)
    return _PASSIVE.sub(lambda found: f"{found[2]} {found[1]}", text)


_MARKED = re.compile(r"-{0,2}[A-Za-z](?=[\w.-]{0,200}[._-]\w)[\w.-]{1,200}")
"""A name that no plain word can be."""
_PASSIVE = re.compile(
    r"(`[^`\n]{1,200}`)(?: (?:option|flag|variable|function|class|method|parameter|field|metric|route|module))? (?:(?:has|have|had) been|was|were|is|are|got|gets) (?:newly )?"
    r"(added|introduced|removed|deleted|dropped)\b",
    re.IGNORECASE,
)


def _disproved(text: str, facts: Facts) -> Judged | None:
    """What is a proof against it: sides of the diff, and findings that break."""
    from daybreak.prose.frame import ASSURES, side_fault
    from daybreak.prose.ground import Ground

    findings = facts.case.findings
    breaking = next((f for f in findings if f.breaking), None)
    if breaking is not None and (found := _NOTHING_BREAKS.search(text) or ASSURES.search(text)):
        return Judged("false", _WHY["denies_breaking"], found[0], breaking.id)
    gone = next((f for f in findings if f.alias is not None and f.alias.status == "none"), None)
    if gone is not None and (found := _OLD_WORKS.search(text)):
        return Judged("false", _WHY["old_name_gone"], found[0], gone.id)
    diffs = [Ground(piece.ref, piece.id, piece.text) for piece in facts.case.pieces if piece.ref.startswith("D")]
    fault = side_fault(text, diffs) if diffs else None
    if fault is None or not (facts.whole or _about(fault.detail, facts)):
        return None
    return Judged("false", _WHY[fault.reason], fault.detail, _at(fault.detail, facts))


def _unsupported(text: str, facts: Facts) -> Judged | None:
    """What only says that the evidence does not carry it."""
    from daybreak.prose.frame import name_fault
    from daybreak.prose.ground import Ground
    from daybreak.prose.injection_patterns import speaks_to_reader

    if speaks_to_reader(text):
        return Judged("undecided", "it gives orders and tells nothing")
    grounds = [Ground(piece.ref, piece.id, piece.text) for piece in facts.case.pieces]
    if fault := name_fault(text, grounds):
        return Judged("undecided", _why(fault.reason, facts), fault.detail)
    return None


def _about(name: str, facts: Facts) -> bool:
    """Whether a finding speaks of this very name: hunks alone are not the whole patch."""
    from daybreak.upgrade.name_history import is_symbol

    return any(is_symbol(f.symbol, name) or name in (f.before, f.after) for f in facts.case.findings)


def _proof(text: str, facts: Facts) -> str | None:
    """Id of the finding that proves the sentence: its turn from one thing to another, or its coming or going."""
    spans = [match[1] for match in _SPAN.finditer(text)]
    if pairs := _pairs(text):
        proofs = [_turn(before, after, text, facts) for before, after in pairs]
        return proofs[0] if all(proofs) else None
    rest = _SPAN.sub(" ", text)
    adds, removes = bool(_ADDS.search(rest)), bool(_REMOVES.search(rest))
    if adds == removes or not spans:
        return None
    changes = CAME if adds else frozenset({"removed"})
    proofs = [_fate(name, changes, facts) for name in spans]
    return proofs[0] if all(proofs) else None


def _pairs(text: str) -> list[tuple[str, str]]:
    """(before, after) as the sentence tells it; with a verb of turning, names in their order."""
    from daybreak.prose.frame import turns

    told = list(turns(text))
    if told or not _TURNS.search(_SPAN.sub(" ", text)):
        return told
    return list(pairwise(match[1] for match in _SPAN.finditer(text))) or [("", "")]


def _turn(before: str, after: str, text: str, facts: Facts) -> str | None:
    """The finding with this very turn; a bare value must be that of a name in the sentence."""
    for f in facts.case.findings:
        sides = (f.before or "").strip("`'\""), (f.after or "").strip("`'\"")
        named = kind_of(f.kind).change in ANOTHER_NAME or _names(text, f.symbol)
        if named and sides == (before.strip("`'\""), after.strip("`'\"")):
            return f.id
    return None


def _fate(name: str, changes: frozenset[str], facts: Facts) -> str | None:
    """The finding that says so of this very name, or of a file that it names."""
    from daybreak.upgrade.name_history import is_symbol

    for f in facts.case.findings:
        if kind_of(f.kind).change in changes and (name in (f.symbol, f.path) or is_symbol(f.symbol, name)):
            return f.id
    return None


_WHY = {
    "only_removed": "the evidence says the opposite: what it calls added was removed, or the other way round",
    "only_added": "the evidence says the opposite: what it calls removed was added, or the other way round",
    "before_after": "before and after are swapped, or belong to another name",
    "denies_breaking": "a finding of the change breaks existing use",
    "old_name_gone": "a finding says that the old name is gone",
    "name_not_in_evidence": "this name does not stand in the change's message, findings and patch",
    "number_not_in_evidence": "this number does not stand in the change's evidence",
}


def _why(reason: str, facts: Facts) -> str:
    told = _WHY.get(reason, "the evidence does not carry it")
    return told if facts.whole else f"{told} (there is no mirror: only hunks that the report shows were looked at)"


def _other_values(text: str, facts: Facts) -> Judged | None:
    """It tells a turn of a name that a finding tells as another turn."""
    from daybreak.core.text import plain
    from daybreak.prose.frame import turns

    for before, after in _pairs(text):
        turned = _turn(after, before, text, facts)
        if turned is not None and not _turn(before, after, text, facts):
            return Judged("false", _WHY["before_after"], f"{before[:80]} / {after[:80]}", turned)
    for before, after in turns(text):
        named = [f for f in facts.case.findings if f.before and f.after and _names(text, f.symbol)]
        said = (plain(before), plain(after))
        real = [(plain(f.before or ""), plain(f.after or ""), f) for f in named]
        if real and not any(said[0] in b and said[1] in a for b, a, _ in real):
            old, new, finding = next(((b, a, f) for b, a, f in real if said[0] in b or said[1] in a), ("", "", None))
            if finding is not None:
                shown = f"{finding.symbol}: {old[:120]} → {new[:120]}"
                return Judged("false", "a finding gives other values", shown, finding.id)
    return None


def _names(text: str, symbol: str) -> bool:
    last = re.split(r"[.:]", symbol)[-1].strip("()").lstrip("-")
    return len(last) > 2 and last.replace("_", "-").lower() in text.replace("_", "-").lower()


def _at(detail: str, facts: Facts) -> str | None:
    """The finding about the name at issue; of a breaking change the first that breaks."""
    named = [
        f
        for f in facts.case.findings
        if detail and (detail in (f.symbol, f.before, f.after) or _names(detail, f.symbol))
    ]
    return next((f.id for f in (*named, *(f for f in facts.case.findings if f.breaking))), None)

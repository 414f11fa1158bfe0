"""Tool `check_statement`: a sentence or a piece of Markdown held against git, collected items and findings.

It holds, or is false with the reason, or cannot be decided here; the last is never called true.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from daybreak.core.errors import DaybreakError, UsageError
from daybreak.serve.mcp import answers
from daybreak.serve.mcp.changes import in_mirrors
from daybreak.serve.mcp.claims import Facts, bare, judged, of_entry, of_report
from daybreak.serve.mcp.context import Desk, Told, Wanted, address, day_of, days_before, quoted
from daybreak.serve.mcp.days import Room

if TYPE_CHECKING:
    from daybreak.verify.mirror import Mirror
    from daybreak.verify.values import Alarm, Verified

MOST_TEXT, MOST_SENTENCES, MOST_CHANGES = 20_000, 40, 6
_LONGEST = 2_000
"""Characters of a sentence; what is longer is none."""
_MOST_PATCH = 600_000
"""Characters of a patch that sentences are held against; of a larger one, what the report shows."""
_BACK = 60
"""Days in which a name is looked for."""
_REFERENCE = re.compile(
    r"https?://[^\s()\[\]<>]{1,300}?/(?:commit/[0-9a-f]{7,64}|pull/\d{1,9})"
    r"|[\w.-]{1,80}/[\w.-]{1,80}(?:@[0-9a-f]{7,64}|#\d{1,9})|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"
)
_NUMBER = re.compile(r"(?<![\w/])#(\d{1,9})\b")
_SPAN = re.compile(r"`([^`\n]{1,160})`|(?<![\w-])(--[A-Za-z][\w-]{1,80})")
_SPLIT = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\[(]|[0-9a-f]{7})|(?<=[。！？])")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_UNNAMED = "no change is named and no reported finding is about the names in it: give `change`, `repo` or a sha"


_FORM = frozenset({"whole", "leak", "anchor", "snippet", "value"})
"""Claims about the form of a report, and values that its data hold; a statement is no report."""
_NO_DAY = "no day: "


class Part(NamedTuple):
    """One sentence of the text."""

    line: int
    text: str


def check_statement(
    desk: Desk,
    text: str,
    repo: str | None = None,
    change: str | None = None,
    date: str | None = None,
) -> answers.Checked:
    """Hold it against what is known; `change`, `repo` and `date` say what it is about where it does not."""
    if not text.strip():
        raise UsageError("There is no statement.", "Give a sentence or a piece of Markdown.")
    looked = _Looked(desk, text, desk.repo(repo), day_of(date, "date"))
    if change is not None:
        looked.take(change)
    result = looked.verified()
    parts = [_alarm_row(alarm) for alarm in result.alarms if alarm.kind not in _FORM]
    held = Counter({kind: count for kind, count in result.held.items() if kind not in _FORM})
    undecided: list[dict[str, Any]] = [
        {"verdict": "undecided", "claim": kind, "count": count, "reason": reason}
        for (kind, reason), count in sorted(result.unchecked.items())
        if kind not in _FORM and not reason.startswith(_NO_DAY)
    ]
    for row in looked.worded():
        held["wording"] += row["verdict"] == "holds"
        (undecided if row["verdict"] == "undecided" else parts).append(row)
    room = Room()
    return {
        "verdict": _verdict(parts, held, undecided),
        "held": {kind: count for kind, count in held.items() if count},
        "parts": room.fill("parts", parts, lambda row: row, MOST_SENTENCES),
        "undecided": room.fill("undecided", undecided, lambda row: row, MOST_SENTENCES),
        "against": room.fill("against", list(looked.used.values()), _against_row, MOST_CHANGES),
        "omitted": {name: left["count"] for name, left in room.omitted.items()},
    }


def _alarm_row(alarm: Alarm) -> dict[str, Any]:
    texts = quoted(300, said=alarm.said, why=alarm.why)
    return {"verdict": "false", "claim": alarm.kind, "line": alarm.line, "untrusted": texts}


def _verdict(parts: Sequence[dict[str, Any]], held: Counter[str], undecided: Sequence[Any]) -> answers.Verdict:
    if any(part["verdict"] == "false" for part in parts):
        return "false"
    return "holds" if held.total() and not undecided else "undecided"


def _against_row(facts: Facts) -> dict[str, Any]:
    row: dict[str, Any] = {"repo": facts.repo, "sha": facts.sha[:12], "url": address(facts.url)}
    row |= {"date": facts.label} if facts.label else {"source": "mirror"}
    return row | {"untrusted": quoted(200, subject=facts.subject)}


class _Looked:
    """One statement and what is looked up for it, each thing once."""

    def __init__(self, desk: Desk, text: str, repo: str | None, date: str | None) -> None:
        self._desk, self._text, self._repo, self._date = desk, text, repo, date
        self._about: list[Facts] = []
        self._found: dict[Wanted, list[Facts]] = {}
        self.used: dict[str, Facts] = {}
        """Changes that it was held against."""

    def take(self, change: str) -> None:
        """The caller says which change it is about."""
        self._about = self._facts(self._desk.wanted(change, self._repo))
        if not self._about:
            raise DaybreakError(f"{change[:80]!r} is in no reported day and in no mirror.", "Find it with search.")
        self._repo = self._repo or self._about[0].repo

    # --- what git and collected items say ------------------------------------------------------------------------

    @cached_property
    def mirrors(self) -> dict[str, Mirror]:
        """Of the repositories that the text or the caller names; of all, when it names a commit of no repository."""
        from daybreak.runs.wiring import mirror_paths, program
        from daybreak.verify.mirror import Mirror

        settings = self._desk.settings
        low = _plain(self._text)
        repos = settings.repos()
        chosen = [r for r in repos if r.name == self._repo or _plain(r.name.rpartition("/")[2]) in low]
        if not chosen and _REFERENCE.search(self._text):
            chosen = list(repos)
        found, _ = mirror_paths(settings, chosen, True, lambda _: None)
        git = program(settings)
        made = {r.name: Mirror(r.name, r.url, git, *found[r.name]) for r in chosen if r.name in found}
        return {name: mirror for name, mirror in made.items() if mirror.usable}

    def verified(self) -> Verified:
        """The report checker over the text, put under its repository and its change where the caller names them."""
        from daybreak.verify.check_input import Items, items_in
        from daybreak.verify.verifying import verify

        head = f"## {self._repo}\n\n" if self._repo else ""
        about = self._about or self._named_in(self._text)
        if len(about) == 1 and about[0].sha[:7] not in self._text:
            head = head or f"## {about[0].repo}\n\n"
            head += f"[{about[0].sha[:9]}]({about[0].url})\n"
        label = self._date or (about[0].label if about else None)
        data = self._desk.archive.data(label) if label else None
        items = items_in(data) if data is not None else Items()
        with self._desk.alone():
            whole = verify("statement", head + self._text, self.mirrors, day=self._date, items=items)
            own = verify("statement", head, self.mirrors, day=self._date, items=items)
        return replace(
            whole,
            held=dict(Counter(whole.held) - Counter(own.held)),
            unchecked=dict(Counter(whole.unchecked) - Counter(own.unchecked)),
            alarms=tuple(replace(alarm, line=max(alarm.line - head.count("\n"), 0)) for alarm in whole.alarms),
        )

    # --- what findings and patches say ---------------------------------------------------------------------------

    def worded(self) -> Iterator[dict[str, Any]]:
        """Each sentence held against the changes it can be about."""
        whole = self._about or self._named_in(self._text)
        for part in _split(self._text):
            if not bare(part.text):
                continue
            named = self._about or self._named_in(part.text) or (whole if len(whole) == 1 else [])
            facts = named or self._by_names(part.text)
            self.used |= {one.sha: one for one in facts}
            by_git = len(facts) == 1 and facts[0].repo in self.mirrors
            yield _row(part, bare(part.text, by_git), facts, bool(named) or self._date is not None)

    def _facts(self, wanted: Wanted) -> list[Facts]:
        """From the reported day, else from the mirror."""
        if wanted not in self._found:
            told = self._desk.told(wanted)
            found = [of_report(one, self._patch(one.repo.name, one.commit.sha)) for one in told[:MOST_CHANGES]]
            if not found:
                entries = in_mirrors(self._desk, wanted)[:MOST_CHANGES]
                found = [of_entry(entry, repo, self._patch(repo.name, entry.change.sha)) for entry, repo in entries]
            self._found[wanted] = found
        return self._found[wanted]

    def _patch(self, repo: str, sha: str) -> str | None:
        mirror = self.mirrors.get(repo)
        shown = mirror.shown(sha) if mirror else None
        whole = shown is not None and shown.whole and len(shown.text) <= _MOST_PATCH
        return shown.text if shown is not None and whole else None

    def _named_in(self, text: str) -> list[Facts]:
        """Changes that the text names by sha, number or address."""
        references = [match[0] for match in _REFERENCE.finditer(text)]
        references += [f"#{match[1]}" for match in _NUMBER.finditer(text)] if self._repo else []
        found: dict[str, Facts] = {}
        for reference in list(dict.fromkeys(references))[:MOST_CHANGES]:
            with suppress(UsageError):  # of a repository that nobody watches: the report checker says so
                found |= {one.sha: one for one in self._facts(self._desk.wanted(reference, self._repo))}
        return list(found.values())

    def _by_names(self, text: str) -> list[Facts]:
        """Changes of reported days with a finding about a name in the text, newest first."""
        from daybreak.upgrade.name_history import is_symbol

        words = [match[1] or match[2] for match in _SPAN.finditer(text)][:8]
        labels = self._desk.labels(self._date, self._date)
        if labels and not self._date:
            labels = self._desk.labels(days_before(labels[0], _BACK))
        found: list[Facts] = []
        for day in self._desk.days(labels) if words else ():
            for repo, commit in day.changes():
                sides = [side for f in commit.findings for side in (f.symbol, f.before, f.after) if side]
                if self._repo in (None, repo.name) and any(is_symbol(s, word) for s in sides for word in words):
                    found.append(of_report(Told(day.label, repo, commit), self._patch(repo.name, commit.sha)))
                    if len(found) == MOST_CHANGES:
                        return found
        return found


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def _split(text: str) -> Iterator[Part]:
    """Sentences outside of code blocks and headings."""
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        if _FENCE.match(line):
            inside = not inside
        elif not inside and not line.startswith("#"):
            yield from (Part(number, one.strip()) for one in _SPLIT.split(line) if one.strip())


def _row(part: Part, sentence: str, facts: Sequence[Facts], sure: bool) -> dict[str, Any]:
    """The best that any change it can be about says; contradicted by one that was only guessed, it stays undecided."""
    row: dict[str, Any] = {"verdict": "undecided", "claim": "wording", "line": part.line}
    if len(part.text) > _LONGEST:
        return row | {"reason": "it is too long for one sentence", "untrusted": quoted(300, said=part.text)}
    if not facts:
        return row | {"reason": _UNNAMED, "untrusted": quoted(300, said=part.text)}
    found = [(judged(sentence, one), one) for one in facts]
    verdict, one = next(
        (pair for wanted in ("holds", "false") for pair in found if pair[0].verdict == wanted), found[0]
    )
    reason = verdict.reason
    if verdict.verdict == "false" and not sure:
        reason = f"a reported change says otherwise, but it is not said which change is meant: {reason}"
    else:
        row["verdict"] = verdict.verdict
    ids = [f"commit:{one.sha}", *([f"finding:{verdict.finding}"] if verdict.finding else [])]
    return row | {"reason": reason, "evidence": ids, "untrusted": quoted(300, said=part.text, at=verdict.quoted)}

"""`daybreak impact` for a terminal: surest first, file and line first, 80 columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from msgspec import Struct, field

from daybreak.core.day_json import encoded
from daybreak.core.model.changes import Repo, Skipped
from daybreak.core.model.findings import Unread
from daybreak.core.model.upgrade import Certainty, Hit
from daybreak.core.text import valid_text
from daybreak.core.words.phrases import REFERENCE, Phrases, languages, phrases, reason_in, table
from daybreak.findings.kinds import kind_of
from daybreak.judge.change_kinds import puts_back
from daybreak.report.render.escape import LONGEST, clean

# --- What every output of `daybreak impact` is made from, and the words they share ---


PLACES = 10
"""Places of one finding that are listed unless all are asked for."""
ORDER: tuple[Certainty, ...] = ("certain", "likely", "look")


class Told(Struct, frozen=True):
    """A hit with the name by which it can be acknowledged."""

    id: str
    hit: Hit
    edit: str = ""
    """A diff of the file that a model suggests and that was checked."""


class Scope(Struct, frozen=True):
    """What a repository's part of the answer is about."""

    repo: Repo
    what: str
    """`v0.14.1..v0.15.0`, or the days of a window."""
    empty: bool = False
    """The window has no commits."""
    pin: str = ""
    """The pin that asks for it, with its place; empty where a range or a window was asked for."""


class ImpactReport(Struct, frozen=True, dict=True):
    """Which upstream changes touch the code at a path; the same data gives the same bytes."""

    path: str
    """As the user wrote it."""
    tool_version: str
    scopes: tuple[Scope, ...] = ()
    told: tuple[Told, ...] = ()
    """Surest first; acknowledged ones among them only when asked for."""
    acknowledged: int = 0
    """Hits that an acknowledgement takes out of the count."""
    acks: str = ""
    """Name of the file of acknowledgements."""
    expired: tuple[tuple[str, str], ...] = ()
    """Acknowledgements that lost their force: what, and since when."""
    unused: tuple[str, ...] = ()
    files: int = 0
    lines: int = 0
    skipped: tuple[Skipped, ...] = ()
    """What of upstream could not be had or read."""
    unread: tuple[Skipped, ...] = ()
    """Your files that could not be read."""
    blind: tuple[Unread, ...] = ()
    """Languages that you and upstream write in, and of which no use of names is read: none found is none known."""
    every: bool = False
    """Leave nothing out: acknowledged hits, places of a finding that has many."""
    against: str = ""
    """Commit of your own repository whose hits are left out."""
    known: int = 0
    """How many those are."""
    subjects: Mapping[str, str] = field(default_factory=dict)
    """sha → first line of its message, as far as they are known."""
    unwatched: tuple[str, ...] = ()
    """Pins that moved, of packages that nothing is watched of: what these upgrades do is not known."""

    @property
    def counted(self) -> tuple[Told, ...]:
        """Those that nobody has acknowledged."""
        return tuple(one for one in self.told if one.hit.acknowledged is None)

    def of(self, certainty: Certainty) -> Iterator[Told]:
        return (one for one in self.told if one.hit.certainty == certainty)

    def groups(self, certainty: Certainty) -> list[tuple[Told, ...]]:
        """Hits of one level that say the same of several places, in the order of the first of them."""
        found: dict[tuple[object, ...], list[Told]] = {}
        for one in self.of(certainty):
            found.setdefault(_cause(one), []).append(one)
        return [tuple(group) for group in found.values()]

    def told_above(self, one: Told) -> Certainty | None:
        """The surer level that says the same of another place."""
        level = self._surest[_cause(one)]
        return level if level != one.hit.certainty else None

    @cached_property
    def _surest(self) -> dict[tuple[object, ...], Certainty]:
        """Cause → the surest level that tells it."""
        return {_cause(one): level for level in reversed(ORDER) for one in self.of(level)}

    def places(self, group: tuple[Told, ...]) -> tuple[Told, ...]:
        """Those of a group that are listed."""
        return group if self.every or len(group) <= PLACES + 1 else group[:PLACES]

    def url(self, hit: Hit) -> str:
        """Web address of the change that decides what holds now; empty when there is none."""
        repo = next((scope.repo for scope in self.scopes if scope.repo.name == hit.repo), None)
        if repo is None or not hit.net.commits or not repo.url.startswith(("http://", "https://")):
            return ""
        return repo.commit_url(hit.net.commits[-1])


def _cause(one: Told) -> tuple[object, ...]:
    return (one.id, *sorted(one.hit.action.items()), one.hit.acknowledged)


class Wording(Phrases):
    """The phrases of one language."""

    def __init__(self, language: str) -> None:
        known = language if language in languages() else REFERENCE
        super().__init__(known, phrases(known, "upgrade.impact").table)

    def counts(self, report: ImpactReport) -> str:
        levels = [one.hit.certainty for one in report.counted]
        return self("counts", **{level: levels.count(level) for level in ORDER})

    def read(self, report: ImpactReport, shown: Callable[[str], str]) -> str:
        """How much was read and against what, without a full stop; `shown` makes names harmless."""
        scopes = (f"{s.repo.name} {s.what}{self('empty') if s.empty else ''}" for s in report.scopes)
        files, lines = self("files", n=report.files), self("lines", n=report.lines)
        return self("read", files=files, lines=lines, scope=shown(self("list").join(scopes)))

    def pins(self, report: ImpactReport, shown: Callable[[str], str]) -> list[str]:
        """The pins that the answer is about, a line each."""
        return [self("pin", pin=shown(scope.pin)) for scope in report.scopes if scope.pin]

    def nothing(self, report: ImpactReport) -> str:
        """That nothing was found, as far as anything was looked at."""
        if not report.scopes:
            return self("none_watched")
        if all(scope.empty for scope in report.scopes):
            return self("none_committed")
        return self("none_read") if report.blind else self("none")

    def reason(self, one: Skipped) -> str:
        """Why something could not be read."""
        return reason_in(self.language, one.reason)

    def unwatched(self, report: ImpactReport, shown: Callable[[str], str]) -> str:
        """Which upgrades were not looked at, as a sentence (they must not read as all clear); empty when all were."""
        if not report.unwatched:
            return ""
        moved = [shown(one) for one in report.unwatched[:UNWATCHED_SHOWN]]
        more = len(report.unwatched) - len(moved)
        return self("unwatched", pins=self("list").join([*moved, *([self("more", n=more)] if more else [])]))

    def blind(self, report: ImpactReport) -> str:
        """What was not compared, as a sentence; empty when all was."""
        named = (self("language", n=one.files, language=one.language) for one in report.blind)
        return self("blind", languages=self("list").join(named)) if report.blind else ""

    def release(self, report: ImpactReport, hit: Hit) -> str:
        """In which release it is, and which one you run; of what a change only puts back, which was there before, that it is
        in it and not since when.
        """
        back = any(puts_back(report.subjects.get(sha, "")) for sha in hit.net.commits)
        since = self("in" if back else "since", release=hit.net.since) if hit.net.since else self("unreleased")
        if moves := next((one.what for one in report.scopes if one.pin and one.repo.name == hit.repo), ""):
            start, _, end = moves.partition("..")
            return f"{since} · {self('moves', start=start, end=end)}"
        return f"{since} · {self('pinned', version=hit.pinned, at=hit.pin_at)}" if hit.pinned else since


def uncut(text: str) -> str:
    """A text of ours as one harmless line of any length; what it quotes was shortened when it was made."""
    return "".join(clean(text[start : start + LONGEST - 1]) for start in range(0, len(text), LONGEST - 1))


COLUMNS = 80
_INDENT = 4
SKIPPED_SHOWN = 5
UNWATCHED_SHOWN = 8
"""Pins; a lock file that was made anew moves hundreds."""


def impact_text(report: ImpactReport, language: str) -> str:
    """The whole answer, with a final newline."""
    words = Wording(language)
    lines = [words("title") + words("colon") + words.counts(report)]
    lines += [line for pin in words.pins(report, uncut) for line in folded(pin, COLUMNS)]
    lines += list(folded(words.read(report, uncut), COLUMNS)) if report.scopes else []
    for certainty in ORDER:
        told = list(report.of(certainty))
        lines += ["", f"{words(certainty)} ({len(told)})"] if told else []
        for group in report.groups(certainty):
            lines += [*_group(report, group, words)]
    if not report.told:
        lines += ["", words.nothing(report)]
    return "\n".join([*lines, *_notes(report, words)]) + "\n"


def _group(report: ImpactReport, group: tuple[Told, ...], words: Wording) -> Iterator[str]:
    """One finding: what it is, and where it is met."""
    hit = group[0].hit
    if len(group) == 1:
        yield f"  {_place(group[0])}  {group[0].id}"
    else:
        yield f"  {group[0].id}  {words('places', n=len(group))}"
    above = report.told_above(group[0])
    said = [words.say(hit.why), f"→ {words.say(hit.action)}", _source(report, hit, words)]
    for text in said if above is None else [words("as_above", level=words(above))]:
        yield from (" " * _INDENT + line for line in folded(uncut(text), COLUMNS - _INDENT))
    listed = report.places(group) if len(group) > 1 else ()
    for one in listed:
        yield f"{' ' * _INDENT}- {_place(one)}  {clean(one.hit.use.name)}"
    if listed and len(listed) < len(group):
        yield f"{' ' * _INDENT}- {words('elsewhere', n=len(group) - len(listed))}"
    for one in (one for one in group if one.edit):
        yield f"{' ' * _INDENT}{words('edit')}{words('colon')}"
        yield from (f"{' ' * _INDENT}  {uncut(line)}" for line in one.edit.splitlines())


def _source(report: ImpactReport, hit: Hit, words: Wording) -> str:
    """The change that did it, and the release that has it."""
    sha = hit.net.commits[-1][:9] if hit.net.commits else ""
    subject = clean(report.subjects.get(hit.net.commits[-1], "")) if sha else ""
    parts = [part for part in (clean(hit.repo), sha, clean(words.release(report, hit)), subject) if part]
    if hit.acknowledged is not None:
        parts.append(words("accepted", reason=clean(hit.acknowledged)))
    return " · ".join(parts)


def _place(one: Told) -> str:
    return f"{clean(one.hit.use.path)}:{one.hit.use.line}"


def _notes(report: ImpactReport, words: Wording) -> Iterator[str]:
    notes = [words("expired", what=clean(what), date=date) for what, date in report.expired]
    notes += [words("unused", what=clean(what)) for what in report.unused]
    if report.acknowledged:
        notes.append(words("acknowledged", n=report.acknowledged, file=clean(report.acks)))
    notes += [words("against", n=report.known, commit=clean(report.against))] if report.against else []
    notes += [told for told in (words.blind(report), words.unwatched(report, uncut)) if told]
    for key, skipped in (("skipped", report.skipped), ("unread", report.unread)):
        notes += [words(key, n=len(skipped))] if skipped else []
        notes += [
            f"  {clean(item.what)}{words('colon')}{clean(words.reason(item))}" for item in skipped[:SKIPPED_SHOWN]
        ]
        more = len(skipped) - SKIPPED_SHOWN
        notes += [f"  {words('more', n=more)}"] if more > 0 else []
    if notes:
        yield ""
    for note in notes:
        yield from folded(note, COLUMNS)


def folded(text: str, columns: int) -> Iterator[str]:
    """Lines of at most so many columns, broken at spaces and between wide characters."""
    line, width = "", 0
    for piece in _pieces(text):
        size = _width(piece)
        if width + size > columns and line.strip():
            yield line.rstrip()
            line, width = piece.lstrip(), _width(piece.lstrip())
        else:
            line, width = line + piece, width + size
    if line.strip():
        yield line.rstrip()


def _pieces(text: str) -> Iterator[str]:
    """What may not be broken: words with the spaces before them, and each wide character alone."""
    word = ""
    for sign in text:
        wide = unicodedata.east_asian_width(sign) in "WF"
        if wide:
            # A full stop or comma stays with what it ends.
            if word and sign in "，。；：、）":
                yield word + sign
                word = ""
                continue
            yield from ([word] if word else [])
            word = sign if sign in "（「《" else ""
            yield from () if word else (sign,)
        elif sign == " ":
            yield from ([word] if word.strip() else [])
            word = " " if word.strip() or not word else word
        else:
            word += sign
    if word:
        yield word


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


# --- `daybreak impact` as SARIF 2.1.0, for code scanning: a rule for each kind of finding, a result for each hit ---


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"certain": "error", "likely": "warning", "look": "note"}


def impact_sarif(report: ImpactReport, language: str) -> str:
    """The file's text, with a final newline."""
    words = Wording(language)
    kinds = sorted({one.hit.net.finding.kind for one in report.told})
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "daybreak",
                "semanticVersion": report.tool_version,
                "rules": [_rule(kind) for kind in kinds],
            }
        },
        "language": table(words.language, "language")["region"],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder that was read"}}},
        "results": [_result(report, one, words, kinds) for one in report.told],
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "warning", "message": {"text": _message(text)}}
                    for text in (
                        *(f"{item.what}: {words.reason(item)}" for item in (*report.skipped, *report.unread)),
                        *filter(None, [words.blind(report)]),
                    )
                ],
            }
        ],
    }
    return encoded({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(kind: str) -> dict[str, Any]:
    name = "".join(part.capitalize() for part in kind.split("_"))
    return {"id": kind, "name": name, "shortDescription": {"text": kind_of(kind).rule}}


def _result(report: ImpactReport, one: Told, words: Wording, kinds: list[str]) -> dict[str, Any]:
    hit, net = one.hit, one.hit.net
    said = f"{words.say(hit.why)} {words.say(hit.action)} ({words.release(report, hit)})"
    result: dict[str, Any] = {
        "ruleId": net.finding.kind,
        "ruleIndex": kinds.index(net.finding.kind),
        "level": _LEVELS[hit.certainty],
        "message": {"text": _message(f"{said} [{one.id}]")},
        "locations": [_location(one)],
        "partialFingerprints": {"daybreak/v1": _fingerprint(one)},
        "properties": {
            "id": one.id,
            "certainty": hit.certainty,
            "repo": hit.repo,
            "commits": list(net.commits),
            "since": net.since,
        },
    }
    if address := report.url(hit):
        result["hostedViewerUri"] = address
    if hit.acknowledged is not None:
        result["suppressions"] = [{"kind": "external", "justification": hit.acknowledged}]
    return result


def _location(one: Told) -> dict[str, Any]:
    use = one.hit.use
    region: dict[str, Any] = {"startLine": max(use.line, 1)}
    if use.text:
        region["snippet"] = {"text": use.text}
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(valid_text(use.path), safe="/-._~"), "uriBaseId": "SRCROOT"},
            "region": region,
        }
    }


def _fingerprint(one: Told) -> str:
    """The same hit in a later run, though lines above it moved: what is found, where, and by which words."""
    use = one.hit.use
    text = f"{one.id}\0{use.path}\0{use.kind}\0{use.name}\0{use.text}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _message(text: str) -> str:
    """SARIF reads braces as places to fill and brackets as links; doubled and escaped they are themselves."""
    out = uncut(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return out.replace("{", "{{").replace("}", "}}")

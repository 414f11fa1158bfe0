"""What rules say of a finding stands in the finding: the gate drops none of it, whatever the finding holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import product
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from daybreak.core.model.day import Action, Span
from daybreak.core.model.findings import Alias, Finding, Reading
from daybreak.core.model.report import Entry, FaultEvidence, RepoReport
from daybreak.core.model.statements import Importance, Statement, Text, Verdict
from daybreak.core.text import plain
from daybreak.core.words.phrases import phrases
from daybreak.findings.kinds import kinds
from daybreak.judge.checks.evidence import repository_evidence
from daybreak.judge.checks.statements import CHECKS, Evidence, judge
from daybreak.judge.first_screen import first_screen
from daybreak.judge.rules import grade, statements
from hostile_texts import TEXTS, spread
from told_days import change, file, patch, repository

SIDES = ((None, None), (None, "new_value"), ("old_value", None), ("old_value", "new_value"), ("", "new_value"))
BESIDE = ((None, None), (Alias("none", "pkg.other"), "acme-kernels"), (Alias("kept"), None))
FORMS = tuple(product(SIDES, (False, True), BESIDE))
"""Before and after, whether it breaks, what keeps the name and what it waits for: each there and not there."""
APART = 7
"""Steps between the forms of one kind that are tried; no side of a form repeats with it, and kinds begin elsewhere."""
PATH = "engine/config.py"
GOLDEN = Path(__file__).parents[1] / "golden"


@cache
def some_days() -> tuple[tuple[RepoReport, Entry, list[Action]], ...]:
    """A day of each kind in some of its forms, and what is offered of it: made once for all that is asked of them."""
    days = [day_of([finding]) for kind in kinds() for finding in forms(kind, APART)]
    return tuple((report, entry, offered(report)) for report, entry in days)


def forms(kind: str, apart: int = 1) -> Iterator[Finding]:
    """Every form of a finding of this kind, or one of so many."""
    first = len(kind) % apart
    for at, (sides, breaking, beside) in enumerate(FORMS[first::apart]):
        yield Finding(f"a/{at}", kind, PATH, 7, "Owner.name", *sides, breaking, *beside)


def day_of(findings: Sequence[Finding], text: str = "") -> tuple[RepoReport, Entry]:
    """A change that has these findings, told at length, and its day."""
    one = change(1, "Rework the engine (#7)", files=[file(PATH, text)], pr=7)
    reading = Reading(one.sha, areas={"code": 1}, components=("engine",), findings=tuple(findings))
    high = Importance("high", 0.9)
    entry = replace(grade(one, reading), importance=high, statements=statements(one, reading, "high"))
    return repository([entry]), entry


def offered(report: RepoReport) -> list[Action]:
    """The change as an entry of the first screen, or below it."""
    screen, also = first_screen([report])
    return [*screen, *also]


def dropped(findings: Sequence[Finding]) -> list[str]:
    """Reasons for which something that is said of the findings does not pass, with the words."""
    report, entry = day_of(findings)
    return dropped_of(report, entry, offered(report))


def dropped_of(report: RepoReport, entry: Entry, lines: Sequence[Action]) -> list[str]:
    evidence = repository_evidence(report)
    verdicts = [(one.text["en"], judge(one, evidence)) for one in entry.statements]
    verdicts += [(line.text["en"], read_back(line, line.text, evidence)) for line in lines]
    return [f"{verdict.reason} {verdict.detail!r}: {said}" for said, verdict in verdicts if not verdict.ok]


def read_back(one: Action, text: Text, evidence: Evidence) -> Verdict:
    """What all checks say of a line of *Act on*; a run does not ask them.

    It may quote a line of the diff, such as the one that warns of an end. Numbers of a diff would bear out any other.
    """
    ids = (*(f"commit:{sha}" for sha in one.commits), *(f"finding:{ident}" for ident in one.findings))
    said = Statement("action", text, ids)
    verdict = judge(said, evidence)
    if verdict.reason != "word_not_in_evidence":
        return verdict
    files = tuple(key for key in evidence if key.startswith(tuple(f"file:{sha}:" for sha in one.commits)))
    verdict = CHECKS["words"].verdict(replace(said, evidence=(*ids, *files)), evidence)
    return CHECKS["numbers"].verdict(said, evidence) if verdict.ok else verdict


def test_nothing_said_of_a_finding_is_dropped_whatever_it_has_and_lacks() -> None:
    assert not [why for day in some_days() for why in dropped_of(*day)]


_APART = re.compile(r"`[^`]*`|“[^”]*”|\bi\.e\.|\be\.g\.")
"""Code and quotations are written as their authors wrote them."""


def small_begun(text: str) -> list[str]:
    """Sentences that begin small behind a full stop."""
    return re.findall(r"[\w)…]\. [a-z][^.]*", _APART.sub("X", text))


def test_every_sentence_said_of_a_finding_begins_large_and_agrees_with_who_it_is_about() -> None:
    assert small_begun("Has the fix. the branch is whole.") == ["x. the branch is whole"]
    for _, entry, lines in some_days():
        texts = [one.text["en"] for one in entry.statements] + [one.text["en"] for one in lines]
        assert not [found for text in texts for found in small_begun(text)]
        assert not [text for text in texts if re.match(r"(?:[Cc]ode|[Aa]|[Tt]he \w+[^s\W])\b.* are affected", text)]


@pytest.mark.parametrize("page", sorted(GOLDEN.rglob("*.en.md")), ids=lambda page: page.name)
def test_every_sentence_of_a_report_begins_large(page: Path) -> None:
    prose = [line for line in page.read_text(encoding="utf-8").splitlines() if not line.startswith((" ", "@@", "+"))]
    assert not [found for line in prose for found in small_begun(line)]


def test_what_shows_a_fault_goes_on_behind_it_and_stands_alone_where_none_is_shown() -> None:
    t, start = phrases("en", "report"), datetime(2026, 1, 19, tzinfo=UTC)
    for by in filter(None, get_args(FaultEvidence)):
        assert t(f"story.by_{by}")[0].isupper() != Span(start, start, by).shown, by


@pytest.mark.soak
@pytest.mark.parametrize("kind", sorted(kinds()))
def test_nothing_said_of_any_form_of_a_finding_is_dropped(kind: str) -> None:
    assert not [why for finding in forms(kind) for why in dropped([finding])]


def test_nothing_said_of_several_findings_of_a_kind_is_dropped() -> None:
    for kind, breaking in product(kinds(), (False, True)):
        one = Finding("b/0", kind, PATH, 7, "Owner.name", "old_value", None, breaking, None, "acme-kernels")
        assert not dropped([replace(one, id=f"b/{at}", symbol=f"Owner.name_{at}") for at in range(6)])


def test_a_finding_of_strangers_words_has_them_in_its_evidence() -> None:
    words = spread(0, TEXTS)
    for at, kind in enumerate(sorted(kinds()) * 3):
        symbol, before, after, where, package = (next(words) for _ in range(5))
        finding = Finding("c/1", kind, PATH, 7, symbol, before, after, at % 2 == 0, Alias("none", where), package)
        assert not [why for why in dropped([finding]) if "word_not_in_evidence" in why]


def test_each_text_of_a_finding_is_in_its_evidence() -> None:
    """A field that is added to findings must be added to their evidence."""
    given = {
        field.name: f"text of {field.name}" for field in msgspec.structs.fields(Finding) if "str" in str(field.type)
    }
    finding = Finding(**{**given, "line": 7, "alias": Alias("kept", "text of where")})  # type: ignore[arg-type]
    report, _ = day_of([finding])
    said = repository_evidence(report)[f"finding:{finding.id}"]
    wanted = {name: text for name, text in given.items() if name != "id"}
    assert {"kind", "path", "symbol", "before", "after", "effective"} <= wanted.keys()
    assert not [text for text in (*wanted.values(), "text of where") if plain(text) not in said]


WARNING = 'warnings.warn("engine.old is deprecated and will be removed in v9", FutureWarning)'


def warned() -> tuple[RepoReport, Action]:
    report, entry = day_of([], patch("-old = 1", f"+{WARNING}", "+new = 2"))
    return report, Action(report.repo.name, (entry.change.sha,), {"zh": "。", "en": "."})


@pytest.mark.parametrize(
    ("words", "reason"),
    [("`engine.gone` goes", "word_not_in_evidence"), (f"`{WARNING}` goes in 5 weeks", "number_not_in_evidence")],
)
def test_reading_back_finds_what_no_line_of_the_diff_has(words: str, reason: str) -> None:
    """Without this the tests above would hold nothing."""
    report, line = warned()
    false = {"zh": f"{words}。", "en": f"{words}."}
    assert read_back(line, false, repository_evidence(report)).reason == reason

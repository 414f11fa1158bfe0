"""A week or a month summed up by a model: one question over what still holds at its end, the answer held against the same facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

from daybreak.core.model.drafts import Fate
from daybreak.core.model.links import commit_id, release_id
from daybreak.core.model.rollup import BROKEN, BY_CHANGE, Line, Rollup, Said, SpanProse, by_change
from daybreak.core.model.statements import Statement, Text
from daybreak.core.words.grammar import alike
from daybreak.core.words.phrases import phrases
from daybreak.judge.checks.evidence import FactEvidence
from daybreak.prose.ask_model import Heard, Inquiry, Meter
from daybreak.prose.held import held
from daybreak.prose.llm import ModelFault
from daybreak.prose.prompt_files import prompt_version
from daybreak.prose.questions import Asker, Limits, Question
from daybreak.prose.sum_questions import Told, about_span

PARTS = {"breaks": 14, "fixes": 12, "stories": 4, "deprecates": 4, "internals": 4, "pins": 4, "news": 4, "releases": 8}
"""Parts of a roll-up and how much of each is summed up: together it has room in one question."""
_MARKS = {
    "breaks": "breaks", "fixes": "mended", "stories": "main was broken", "deprecates": "deprecated",
    "internals": "breaks plug-ins and forks", "pins": "dependency", "news": "new", "releases": "released",
}  # fmt: skip


class SpanQuestion:
    """What is asked about one span, and what its answer is held against."""

    def __init__(self, asker: Asker, limits: Limits, span: Rollup) -> None:
        self._asker, self._limits, self._span = asker, limits, span
        self.told = list(_told(span))
        self._facts = _facts(span, self.told)

    async def answered(self, inquiry: Inquiry) -> Heard | None:
        """What stands of the answer; None when there was none."""
        make = partial(about_span, self._asker, self._span, self.told, self._limits)
        heard = await inquiry.summed_up(make, self._limits)
        return None if isinstance(heard, ModelFault) else heard

    def stands(self, fate: Fate, question: Question, section: str) -> Fate:
        """As the sentence that a reader would see, held against the facts of the span."""
        return held(fate, question, section, self._facts)

    def prose(self, heard: Heard, meter: Meter) -> SpanProse:
        """What stands, with what it cost when it was first made."""
        cost = meter.total()
        return SpanProse(
            model=", ".join(dict.fromkeys(model for _, model in sorted(meter.answers))),
            prompt_version=prompt_version(),
            said=tuple(Said(one.section, one.statement.text, one.statement.evidence) for one in heard.standing),
            dropped=dict(sorted(heard.dropped.items())),
            requests=cost.requests,
            prompt_tokens=cost.prompt_tokens,
            completion_tokens=cost.completion_tokens,
            money=cost.money,
        )


def _told(span: Rollup) -> Iterator[Told]:
    """The gravest of each part, one line a change, those first that the days had on their first screens."""
    for part, most in PARTS.items():
        lines: Sequence[Line] = getattr(span, part)
        if part in BY_CHANGE:
            lines = [lot[0] for lot in by_change(lines)]
        lines = [one for one in lines if part != "stories" or one.tag == BROKEN]
        ranked = sorted(lines, key=lambda line: (line.rank is None, line.rank or 0))
        yield from (_one(line, _MARKS[part]) for line in ranked[:most])


def _one(line: Line, mark: str) -> Told:
    evidence = tuple(map(commit_id, line.commits)) or (release_id(line.repo, line.symbol),)
    return Told(line.repo, Statement("what", _text(line), evidence), mark=mark)


def _text(line: Line) -> Text:
    """All that the roll-up says of it."""
    if not line.text:
        return alike(f"`{line.symbol}`")
    return {language: _in(language, line) for language in line.text}


def _in(language: str, line: Line) -> str:
    t = phrases(language, "report.rollup")
    parts = [line.text[language], *([" → ".join(line.span)] if line.span else [])]
    parts += [t("who", who=line.who[language])] if line.who.get(language) else []
    parts += [t("how", how=line.how[language])] if line.how.get(language) else []
    parts += [t("released", tag=f"`{line.released}`")] if line.released else []
    return " ".join(parts)


def _facts(span: Rollup, told: Sequence[Told]) -> FactEvidence:
    """What was shown, by what it rests on: a sentence about the whole says nothing that is not there."""
    texts: dict[str, list[str]] = defaultdict(list)
    for one in told:
        for key in one.statement.evidence:
            texts[key] += one.statement.text.values()
    for repo in span.repos:
        texts[f"repo:{repo.name}"] = [repo.name, f"commits {repo.commits} high {repo.high} breaks {repo.breaks}"]
    texts["window"] = [f"commits {span.commits} repositories {len(span.repos)} days {len(span.days)}"]
    texts["window"] += [f"breaks {len(by_change(span.breaks))}"]
    return FactEvidence({key: partial("\n".join, some) for key, some in texts.items()})

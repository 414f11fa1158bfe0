"""A model that answers as a test says, and a report retold by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from daybreak.core.model.drafts import Retelling
from daybreak.core.model.report import Entry
from daybreak.judge.interface import Judgement
from daybreak.prose.llm import Accept, Answer, ModelFault, Prompt, Usage
from daybreak.prose.model_prose import Telling, Wanted
from daybreak.prose.questions import Asker
from told_days import change, file, patch

Said = Mapping[str, Any] | ModelFault


def said(zh: str, en: str, *rests: str, role: str = "what", section: str = "") -> dict[str, Any]:
    """A row of an answer; it rests on lines (`M1: Free the blocks`) or on statements (`S1`)."""
    lines = [one.partition(": ") for one in rests or (TITLE,) if ": " in one]
    row = {"role": role, "zh": zh, "en": en, "spans": [{"at": at, "line": line} for at, _, line in lines]}
    row |= {"evidence": [one for one in rests if ": " not in one]}
    return row | ({"section": section} if section else {})


TITLE = "M1: Free the KV cache blocks"
FREES = "D1: +    self.pool.free_blocks(request)"


def form(*rows: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A filled-in form about a change."""
    return {"tells": list(rows), "hit": "default", "severity": "", "wrong_findings": [], **more}


@dataclass
class Scripted:
    """A model that answers by what the prompt holds; every prompt is remembered."""

    answer: Callable[[Prompt], Said | Sequence[Mapping[str, Any]]]
    asked: list[Prompt] = field(default_factory=list)
    closed: bool = False

    async def ask(self, prompt: Prompt, accept: Accept | None = None) -> Answer:
        self.asked.append(prompt)
        found = self.answer(prompt)
        if isinstance(found, ModelFault):
            raise found
        about_change = prompt.task.startswith(("change", "batch"))
        data = found if isinstance(found, Mapping) else form(*found) if about_change else {"statements": list(found)}
        return Answer(data, "fake", "host:1", Usage(1, 10, 2, 0.1))

    async def close(self) -> None:
        self.closed = True

    def tasks(self) -> list[str]:
        return [prompt.task for prompt in self.asked]


@contextmanager
def telling(model: Scripted, wanted: Wanted | None = None, critic: Scripted | None = None) -> Iterator[Telling]:
    found = Telling(lambda: model, Asker(("zh", "en")), wanted or Wanted(preferred="host:1"), critic)
    try:
        yield found
    finally:
        found.close()


def told(
    model: Scripted, one: Judgement, wanted: Wanted | None = None, critic: Scripted | None = None
) -> tuple[Judgement, Retelling]:
    with telling(model, wanted, critic) as teller:
        found = teller.tell(one)
    assert found.retelling is not None
    return found, found.retelling


CACHE = change(1, "Free the KV cache blocks", "The blocks of an aborted request were never freed.", [
    file("engine/cache.py", patch("-    return", "+    self.pool.free_blocks(request)")),
])  # fmt: skip
GOOD = said("请求中止时用 `free_blocks` 释放 KV cache 的 block。", "An aborted request frees its KV cache blocks with `free_blocks`.", TITLE, FREES)  # fmt: skip
WHY = said("此前中止请求的 block 从未释放。", "The blocks of an aborted request were never freed before.", "M1: The blocks of an aborted request were never freed.", role="why")  # fmt: skip
FALSE = said("通过 `DeepSpeed` 释放 block。", "Blocks are freed by `DeepSpeed`.")


def only(*rows: Mapping[str, Any]) -> Callable[[Prompt], Said | Sequence[Mapping[str, Any]]]:
    """These about changes, nothing about the rest."""
    return lambda prompt: rows if prompt.task == "change" else ()


def words(one: Entry, author: str = "model") -> list[str]:
    return [s.text["en"] for s in one.statements if s.author == author]


def verdicts(*each: str | tuple[str, str, str], when: str = "", **more: Any) -> dict[str, Any]:
    """A critic's answer: a verdict for each sentence, of a contradiction with where its line stands."""
    full = [(one, "", "") if isinstance(one, str) else one for one in each]
    rows = [
        {"n": n, "when": when, "verdict": one, "at": at, "line": line}
        for n, (one, at, line) in enumerate(full, start=1)
    ]
    return {"verdicts": rows, "exclude": [], "wrong_findings": [], **more}

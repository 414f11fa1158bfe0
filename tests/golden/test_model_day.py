"""The demo's fullest day, told by a scripted model: good answers stand in both languages, bad ones are nowhere."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daybreak.cli import main
from daybreak.core.config import environment, load
from daybreak.core.model.changes import Window
from daybreak.demo import week
from daybreak.demo.history import UPSTREAMS
from daybreak.prose.llm import Prompt
from daybreak.prose.prompt_files import prompt_file
from daybreak.store import open_store
from fake_model import Asked, FakeModel, Refused, Reply
from golden.kept_pages import HERE, hold, written


class Line(msgspec.Struct, forbid_unknown_fields=True):
    """One answer of the file, given where the question holds these words."""

    task: str
    holds: list[str] = []
    answer: dict[str, Any] | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def fits(self, prompt: Prompt) -> bool:
        return self.task == prompt.task and all(words in prompt.user for words in self.holds)


DAY = week.SHOWCASE
LINES = [
    msgspec.json.decode(line, type=Line)
    for line in (HERE / "model" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
]
STATEMENTS: list[dict[str, Any]] = [
    row for line in LINES for name in ("tells", "statements") for row in (line.answer or {}).get(name, ())
]
BAD = {
    "a promise over a renamed flag": ("still accepted as an alias", "仍可作为别名使用"),
    "an invented flag": ("`--legacy-sampler`", "`--legacy-sampler`"),
    "before and after swapped": ("from `2048` to `8192`", "从 `2048` 提高到 `8192`"),
    "a number that stands elsewhere, mended when it came back": ("After the 128-bit loop", "在 128-bit 循环之后"),
    "a wrong count": ("Only 5 commits", "只有 5 个提交"),
    "two changes in one sentence": ("Prompts in the log come from", "日志里的 prompt 来自"),
}
"""What is wrong with a statement of the file -> words that only it has."""
MENDED = 1
BEYOND = 1
"""Sentences beyond what a change of its grade is given."""
WHY = {
    "only_removed": 1,
    "too_many": 1,
    "name_not_in_evidence": 1,
    "not_proved_safe": 1,
    "number_not_in_evidence": 1,
    "several_changes": 1,
}
ENDINGS = {"zh": ".md", "en": ".en.md"}
PAGES = {
    language: [f"reports/{DAY}{page}{ending}" for page in ("", *(f"/daybreak-demo-{s}" for s in UPSTREAMS))]
    for language, ending in ENDINGS.items()
}
"""Language -> the day's page and one for each repository."""


def is_bad(row: Mapping[str, Any]) -> bool:
    return any(words in row["en"] for words, _ in BAD.values())


def is_number(row: Mapping[str, Any]) -> bool:
    """A number of performance is shown in its author's own words, whatever the model makes of it."""
    return re.match(r"The author (?!says that nobody)", row["en"]) is not None


GOOD = [row for row in STATEMENTS if not is_bad(row)]
HEADLINE = [row for row in GOOD if row.get("section") == "headline"]
PLAIN = [row for row in GOOD if not is_number(row) and row not in HEADLINE]


def task_of(asked: Asked) -> str:
    """Which question this is: each has a system prompt of its own, and so has what goes back about a change or several."""
    tasks = ("change", "batch", "repair", "rank", "repository", "day")
    task = next(t for t in tasks if asked.system[:80] == prompt_file(t).system[:80])
    if task == "repair":
        return "change+repair" if '"severity"' in asked.user else "batch+repair"
    return f"{task}+repair" if prompt_file("repair").user[:40] in asked.user else task


CONTRADICTED = "from `2048` to `8192`"
"""Words of a lie that only a reader of the diff can tell."""


def criticised(asked: Asked) -> Reply:
    """A critic who carries every sentence but one, and gives the line that contradicts it."""
    claims = [line for line in asked.user.split("\n") if re.match(r"\d+\. ", line)]
    at = "".join(re.findall(r"^\[(D\d+)\]", asked.user.partition("default=2048")[0], re.MULTILINE)[-1:])
    rows = [
        {"n": n, "when": "", "beyond": "direction", "verdict": "contradicted", "at": at, "line": "default=2048"}
        if CONTRADICTED in claim
        else {"n": n, "when": "", "beyond": "nothing", "verdict": "carried", "at": "", "line": ""}
        for n, claim in enumerate(claims, start=1)
    ]
    return {"verdicts": rows, "exclude": [], "wrong_findings": []}


def answered(asked: Asked) -> Reply:
    if '{"verdicts"' in asked.user:
        return criticised(asked)
    if '{"read"' in asked.user:
        # What is quicker is below the grade; a look brings it up.
        return {"read": re.findall(r"^\[(C\d+)\][^\[]*\[Perf\]", asked.user, re.MULTILINE)}
    prompt = Prompt(task_of(asked), "", asked.system, asked.user, {}, 0)
    line = next((line for line in LINES if line.fits(prompt)), None)
    return line.answer if line is not None and line.answer is not None else Refused(404, "nothing is recorded")


@dataclass
class Told:
    """The week up to the day, reported each morning, the last of them by the model."""

    folder: Path
    server: FakeModel

    @property
    def config(self) -> str:
        return str(self.folder / week.CONFIG)

    def run(self, day: str, *more: str) -> int:
        return main(["run", "--date", day, "--config", self.config, "--quiet", *more])

    def make(self) -> None:
        week.prepare(self.folder, github=True)
        with Path(self.config).open("a", encoding="utf-8") as file:
            file.write(f'\n[analyst]\nkind = "llm"\nbase_url = "{self.server.url}"\nmodel = "scripted"\n')
        settings = load(Path(self.config), {}, environment())
        store = open_store(settings.config.store, settings.base)
        store.answers.put(week.recorded())
        store.close()
        assert set(week.each_morning(self.folder, lambda window, _: self._morning(window))) == {0}

    def _morning(self, window: Window) -> int:
        if window.label > DAY:
            return 0
        return self.run(window.label, *(() if window.label == DAY else ("--analyst", "rules")))

    def text(self, language: str) -> str:
        """All pages of the day in this language."""
        pages = written(self.folder)
        return "".join(pages[name] for name in PAGES[language])

    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(written(self.folder)[f"reports/{DAY}.json"])
        return found


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    folder = tmp_path_factory.mktemp("told")
    with (
        pytest.MonkeyPatch.context() as patch,
        FakeModel(compute=answered, models=("scripted",), agrees=False) as server,
    ):
        for name in list(os.environ):
            if name.startswith(("GIT_", "DAYBREAK_", "XDG_")) or name.lower().endswith("_proxy"):
                patch.delenv(name)
        made = Told(folder, server)
        made.make()
        yield made


def shown(text: str) -> re.Pattern[str]:
    """A statement as it is shown: names in braces are filled in."""
    return re.compile(r"\d+".join(map(re.escape, re.split(r"\{count:\d\}", text))))


def test_the_day_is_the_same_bytes_on_every_machine(told: Told) -> None:
    hold(written(told.folder), [*PAGES["zh"], *PAGES["en"]], "model")


def test_every_question_of_the_day_has_its_answer_and_every_answer_its_question(told: Told) -> None:
    writing = [one for one in told.server.questions if not re.search(r'\{"(?:verdicts|read)"', one.user)]
    assert len(writing) == len(LINES)
    report = told.report()["retelling"]
    assert (report["told"], report["briefly"], report["below"]) == (11, 2, 1)
    assert (report["left"], report["partly"], report["unlooked"]) == ([], [], 0)
    assert (report["critic"], report["unheard"], report["mended"]) == (True, 0, MENDED)


@pytest.mark.parametrize("language", PAGES)
def test_every_good_statement_stands_word_for_word(told: Told, language: str) -> None:
    text = told.text(language)
    assert [row[language] for row in PLAIN if not shown(row[language]).search(text)] == []
    said = {s["text"][language] for s in statements(told.report()) if s["author"] == "model"}
    assert [row[language] for row in PLAIN if not any(map(shown(row[language]).fullmatch, said))] == []


@pytest.mark.parametrize("language", PAGES)
def test_the_headline_of_the_day_is_the_models_line_of_its_first_entry(told: Told, language: str) -> None:
    (line,) = HEADLINE
    assert told.report()["headline"][language].endswith(line[language].rstrip(".。"))


def statements(data: object) -> Iterator[dict[str, Any]]:
    """All statements, wherever they stand in the data."""
    if isinstance(data, dict):
        if {"text", "author", "evidence"} <= set(data):
            yield data
        for value in data.values():
            yield from statements(value)
    elif isinstance(data, list):
        for value in data:
            yield from statements(value)


@pytest.mark.parametrize("language", PAGES)
def test_numbers_of_performance_stand_as_their_authors_claims(told: Told, language: str) -> None:
    numbers, text = [row for row in GOOD if is_number(row)], told.text(language)
    assert len(numbers) > 2
    told_or_quoted = [(row[language].rstrip(".。"), row["spans"][0]["line"].removesuffix(".")) for row in numbers]
    assert [row for row, quote in told_or_quoted if row not in text and quote not in text] == []
    assert all("author" in row["en"] and "作者" in row["zh"] for row in numbers)


@pytest.mark.parametrize("wrong", BAD)
def test_no_bad_statement_is_in_any_output(told: Told, wrong: str) -> None:
    english, chinese = BAD[wrong]
    assert any(english in row["en"] and chinese in row["zh"] for row in STATEMENTS)
    found = [name for name, text in written(told.folder).items() if english in text or chinese in text]
    assert found == []


def test_the_appendix_counts_what_stood_and_what_did_not(told: Told) -> None:
    dropped, kept = len(BAD) - MENDED + BEYOND, len(GOOD) - BEYOND
    grounding = told.report()["retelling"]["grounding"]
    assert grounding == {"statements": kept + dropped, "kept": kept, "dropped": dropped, "by_reason": WHY}
    counted = f"{kept + dropped} statements by a model (`scripted`): {kept} can be traced to what was collected, {dropped} are not kept"
    assert counted in told.text("en")
    assert (
        f"模型语句（`scripted`）共 {kept + dropped} 条：{kept} 条能追溯到已收集的数据，{dropped} 条未保留"
        in told.text("zh")
    )


def test_verify_finds_nothing_false(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(told.folder / name) for language in PAGES for name in PAGES[language]]
    capsys.readouterr()
    assert main(["verify", *names, "--config", told.config, "--offline", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["reports"]
    assert [one["false"] for one in found] == [0] * len(names)
    assert sum(one["checked"] for one in found) > 1000


def test_a_second_run_asks_nothing_and_writes_the_same_bytes(told: Told) -> None:
    first, asked = written(told.folder), len(told.server.questions)
    assert told.run(DAY) == 0
    shutil.rmtree(told.folder / "reports" / DAY)
    for page in (told.folder / "reports").glob(f"{DAY}.*"):
        page.unlink()
    assert told.run(DAY) == 0
    assert len(told.server.questions) == asked
    assert written(told.folder) == first

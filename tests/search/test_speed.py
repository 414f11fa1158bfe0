"""Search stays quick: beside a plain count of the same rows, and within 50 ms over 20,000 changes."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest

from daybreak.site.search.documents import documents
from daybreak.site.search.opening import Search
from daybreak.site.search.tokens import VERSION
from daybreak.store import IndexedDay
from daybreak.store.sqlite import SqliteStore
from search import days

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUERIES = (
    *(
        "cache",
        "kv cache",
        "量化",
        "量化推理",
        "移除 参数",
        "max_model_len",
        "cacheconfig",
        "#1234",
        '"kv cache"',
        "quant*",
    ),
    *(
        "repo:vllm breaking:yes",
        "level:high -docs",
        "author:ada fix",
        "kind:perf since:2026-03",
        "in:change",
        "is:open",
    ),
    *(
        "fix",
        "the kernel",
        "改动",
        "scheduler.py",
        "nowhere",
        "-fix",
        "deadbee",
        "fp8 moe kernel",
        "until:2026-02 attention",
    ),
)


def filled(store: SqliteStore, changes: int) -> days.Shelf:
    """So many changes of 100 a day, whose words are as common and as rare as real ones."""
    chance = random.Random(20)
    rare = [f"{chance.choice('abcdefgh')}{n:x}Config.block_{n % 97}" for n in range(4000)]
    common = [
        "fix",
        "the",
        "kernel",
        "cache",
        "kv",
        "moe",
        "attention",
        "scheduler",
        "quantize",
        "fp8",
        "test",
        "remove",
    ]
    chinese = list("改动移除新增参数量化推理缓存显存内核默认文件主要支持调度模型注意力命令行配置更名")
    shelf = days.Shelf()
    for number in range(changes // 100):
        label = f"2026-{number % 12 + 1:02d}-{number // 12 % 28 + 1:02d}"
        rows = []
        for n in range(100):
            words = [*chance.choices(common, k=6), *chance.choices(rare, k=2), f"(#{number * 100 + n})"]
            zh = "".join(chance.choices(chinese, k=60))
            level = chance.choices(["high", "medium", "low"], [1, 6, 13])[0]
            more = {
                "author": chance.choice(["Ada Lovelace", "Cheng Wan", "李小龙"]),
                "breaking": chance.random() < 0.03,
            }
            rows.append(
                days.change(
                    " ".join(words), level=level, zh=zh, en=" ".join(words[::-1]), symbol=words[6], label=label, **more
                )
            )
        repos = [days.repo(f"vllm-project/part{part}", *rows[part::4]) for part in range(4)]
        day = days.day(label, *repos)
        store.search.put(IndexedDay(label, label, label, VERSION), documents(day))
        shelf.days[label] = day
    return shelf


def opened(tmp_path: Path, changes: int) -> Iterator[tuple[SqliteStore, Search]]:
    store = SqliteStore("sqlite:///search.db", tmp_path)
    shelf = filled(store, changes)
    yield store, Search(shelf, store.search, lambda: {label: label for label in shelf.days})
    store.close()


def measured(store: SqliteStore, search: Search, rounds: int, clock: str) -> tuple[list[float], list[float]]:
    """Seconds of every question, and of the yardstick that is asked beside each: a plain `SELECT count(*)`."""
    tick = getattr(time, clock)
    questions, yardstick = [], []
    for query in QUERIES * rounds:
        start = tick()
        search.find(query, 20, 0, "zh")
        questions.append(tick() - start)
        start = tick()
        for _ in range(5):
            with store._database.read() as connection:
                connection.value("SELECT count(*) FROM search_documents")
        yardstick.append((tick() - start) / 5)
    return sorted(questions), sorted(yardstick)


def at(part: float, values: list[float]) -> float:
    return values[min(len(values) - 1, int(part * len(values)))]


def test_a_question_takes_a_bounded_multiple_of_a_plain_count(tmp_path: Path) -> None:
    """A count of 500 rows is mostly the way to the database and back; a question goes that way eight times."""
    for store, search in opened(tmp_path, 500):
        assert search.find("-nothing").total == 500
        measured(store, search, 1, "process_time")
        questions, yardstick = measured(store, search, 1, "process_time")
        assert at(0.95, questions) < 600 * at(
            0.5, yardstick
        )  # a count takes 20 µs since the store speaks through its driver


@pytest.mark.soak
def test_twenty_thousand_changes_answer_within_50_ms(tmp_path: Path) -> None:
    for store, search in opened(tmp_path, 20_000):
        assert search.find("-nothing").total == 20_000
        measured(store, search, 1, "perf_counter")
        questions, yardstick = measured(store, search, 8, "perf_counter")
        told = [f"{1e3 * at(part, some):.2f}" for some in (questions, yardstick) for part in (0.5, 0.95)]
        print("\nsearch p50 {} p95 {} ms, count(*) p50 {} p95 {} ms".format(*told))
        assert at(0.95, questions) < 0.05

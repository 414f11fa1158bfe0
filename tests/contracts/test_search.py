"""The search index on SQLite and on PostgreSQL: the same results in the same order, and never half a day."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
import pytest

from both_languages import both
from daybreak.core.errors import UsageError, WriteError
from daybreak.core.model.day import File, Statement
from daybreak.site.search import opening
from daybreak.site.search.documents import documents
from daybreak.site.search.opening import Search
from daybreak.site.search.tokens import VERSION
from daybreak.store import Document, IndexedDay, Phrase, Wanted
from search import days
from search.reference import matches
from search.test_chinese import missed, texts

if TYPE_CHECKING:
    from pathlib import Path

    from daybreak.store.sql import SqlStore


def opened(store: SqlStore, shelf: days.Shelf) -> Search:
    return Search(shelf, store.search, shelf.digests)


def asked(search: Search, query: str) -> list[str]:
    """The first word of each title, best first."""
    found = search.find(query)
    assert found.total == len(found.hits)
    return [hit.title.split()[0] if hit.kind != "pull" else f"#{hit.id}" for hit in found.hits]


@pytest.fixture
def search(store: SqlStore) -> Search:
    return opened(store, days.week())


def test_chinese_queries_find_what_english_ones_find_in_both_databases(store: SqlStore) -> None:
    assert missed(opened(store, texts())) == {}


FOUND: tuple[tuple[str, list[str]], ...] = (
    ("--max-batch", ["Remove", "docs:", "v1.2.0"]),
    ("max_batch", ["Remove", "docs:", "v1.2.0"]),
    ("maxbatch", []),
    ("量化", ["[Feature]", "#44"]),
    ("化推", ["[Feature]"]),
    ("量化推理", ["[Feature]"]),
    ("推理量化", ["[Feature]"]),
    ("显存", ["Speed"]),
    ("fp8量化", ["[Feature]", "#44"]),
    ("kvcachemanager", ["Speed"]),
    ("KVCacheManager", ["Speed"]),
    ("kv cache", ["Speed", "Crash"]),
    ('"kv cache"', ["Speed", "Crash"]),
    ('"cache kv"', []),
    ("group_size", ["[Feature]"]),
    ("#41", ["Remove", "v1.2.0"]),
    ("#44", ["[Feature]", "#44"]),
    ("44", ["[Feature]", "#44"]),
    (days.sha("Tune warp_specialized kernels")[:7], ["Tune"]),
    (days.sha("Tune warp_specialized kernels"), ["Tune"]),
    (days.sha("old")[:8], ["[Feature]"]),
    ("special*", ["Tune"]),
    ("spe*", ["Tune", "Speed"]),
    ("cheng", ["Tune"]),
    ("author:wan", ["Tune"]),
    ("author:小龙", ["docs:"]),
    ('author:"cheng wan"', ["Tune"]),
    ('-author:"cheng wan" breaking:yes', ["Remove"]),
    ("repo:tile", ["Tune"]),
    ("-repo:engine", ["Tune"]),
    ("kind:perf", ["Speed"]),
    ("kind:function_removed", ["Remove", "[Feature]"]),
    ("level:high", ["Remove"]),
    ("importance:high level:medium", ["Remove", "[Feature]", "Speed"]),
    ("breaking:yes", ["Remove", "Tune"]),
    ("in:issue", ["Crash"]),
    ("is:draft", ["#60"]),
    ("is:merged", ["#44"]),
    ("since:2026-03-06 in:change", ["[Feature]", "Tune"]),
    ("until:2026-03-05 in:change -docs", ["Remove", "Speed"]),
    ("since:2026-04", []),
    ("scheduler -remove", ["#60"]),
    ("scheduler", ["Remove", "#60"]),
    ("v1.2.0", ["v1.2.0"]),
    ("engine/core.py", ["Remove", "[Feature]"]),
    ("nowhere", []),
)


def test_both_databases_find_the_same_in_the_same_order(search: Search) -> None:
    assert [(query, asked(search, query)) for query, _ in FOUND] == list(FOUND)


HOSTILE = (
    *('" OR 1=1 --', "a OR b NOT c", "NEAR(a b)", "tokens : a", "^a", "a + b", "{a}: b", "a* OR", "' & '", "!a | b"),
    *("a <-> b", "';DROP TABLE search_index", '"', '""', "-", "--", "*", "(((", "\\", "\x00", "a\x00b", "\ud800"),
    *(
        "$$",
        "%s %(x)s {x}",
        ":*",
        "a:*b",
        "~x",
        "=x",
        "@x",
        "!in:change",
        ".",
        "a'b",
        "a\\'b",
        "𠮷𠮷",
        "ＡＮＤ",
        "\u202eabc",
    ),
)


def test_a_hostile_query_finds_something_or_nothing_and_breaks_nothing(search: Search) -> None:
    for query in HOSTILE:
        with suppress(UsageError):
            search.find(query)
        assert asked(search, "cheng") == ["Tune"], query


def test_hostile_text_is_found_by_its_words(store: SqlStore) -> None:
    rows = [f"{text} marker{number:02d}" for number, text in enumerate(HOSTILE)]
    shelf = days.Shelf(days.day("2026-03-06", days.repo("acme/engine", *(days.change(row) for row in rows))))
    search = opened(store, shelf)
    assert search.find("in:change", limit=100).total == len(rows)
    assert [len(search.find(f"marker{number:02d}").hits) for number in range(len(rows))] == [1] * len(rows)


def test_random_queries_find_what_a_plain_reading_of_the_tokens_finds(store: SqlStore) -> None:
    chance = random.Random(8)
    words = ["ab", "cd", "ef", "量化", "化推", "~abcd", "=ab", "!in:change", "ab1", "abz"]
    texts = {number: " ".join(chance.choices([*words[:5], *words[8:], "."], k=12)) for number in range(1, 120)}
    texts = {n << 24: f"{text} {chance.choice(words[5:8])}" for n, text in texts.items()}
    store.search.put(IndexedDay("2026-03-06", "r", "d", VERSION), [document(n, text) for n, text in texts.items()])
    for _ in range(60):
        wanted = Wanted(
            groups(chance, words, 1), groups(chance, words, 0), (chance.randint(0, 60), chance.randint(40, 130))
        )
        expected = sorted((n for n, text in texts.items() if matches(wanted, n, text)), reverse=True)
        assert store.search.count(wanted) == len(expected), wanted
        assert store.search.numbers(wanted, 7, 3) == expected[3:10], wanted


def groups(chance: random.Random, words: list[str], least: int) -> tuple[tuple[Phrase, ...], ...]:
    def phrase() -> Phrase:
        if chance.random() < 0.2:
            return Phrase((chance.choice(words[5:8]),))
        return Phrase(tuple(chance.choices(words[:5], k=chance.randint(1, 3))), start=chance.random() < 0.3)

    return tuple(tuple(phrase() for _ in range(chance.randint(1, 2))) for _ in range(chance.randint(least, 2)))


def document(number: int, tokens: str) -> Document:
    at = "2026-03-06T00:00:00+00:00"
    return Document(number, "2026-03-06", "change", "a/b", str(number), "t", "low", False, at, "", "", "", "[]", tokens)


def test_long_and_repeating_text_is_found_alike(store: SqlStore) -> None:
    lines = [*("again and again " * 60 for _ in range(60)), "the very needle stands here"]
    told = tuple(Statement(role="what", text=both("", line + str(n))) for n, line in enumerate(lines))
    one = days.change("Long")
    shelf = days.Shelf(days.day("2026-03-06", days.repo("a/b", msgspec.structs.replace(one, statements=told))))
    (made,) = documents(shelf.days["2026-03-06"])
    assert len(made.tokens.split(" ")) < 9000
    search = opened(store, shelf)
    assert search.find('"again and again"').total == 1
    assert search.find("needle").total == 0  # beyond what is read of one document, on both databases


# --- keeping up --------------------------------------------------------------------------------------------------------


def test_endless_paths_of_long_letters_cost_nobody_the_search(store: SqlStore) -> None:
    chance = random.Random(8)

    def path() -> str:
        return "/".join("".join(chr(chance.randint(0x905, 0x938)) for _ in range(48)) for _ in range(90))

    files = tuple(File(path=path(), status="renamed", old_path=path()) for _ in range(60))
    flooded = days.change("Flooded change", files=files)
    search = opened(store, days.Shelf(days.day("2026-03-06", days.repo("a/b", flooded, days.change("Plain change")))))
    assert sorted(asked(search, "change")) == ["Flooded", "Plain"]
    assert asked(search, files[0].path[:48]) == ["Flooded"]


def test_a_day_that_is_reported_again_replaces_its_documents(store: SqlStore) -> None:
    shelf = days.week()
    search = opened(store, shelf)
    assert search.refresh() == 2
    shelf.put(days.day("2026-03-05", days.repo("acme/engine", days.change("Only this", label="2026-03-05"))))
    assert asked(search, "until:2026-03-05") == ["Only"]
    assert asked(search, "max_batch") == ["v1.2.0"]
    assert shelf.read == ["2026-03-05", "2026-03-06", "2026-03-05"]
    assert search.refresh() == 0


def test_a_day_that_is_gone_is_not_found(store: SqlStore) -> None:
    shelf = days.week()
    search = opened(store, shelf)
    assert asked(search, "cheng") == ["Tune"]
    del shelf.days["2026-03-06"]
    assert asked(search, "cheng") == []
    assert set(store.search.days()) == {"2026-03-05"}


def test_another_row_of_the_same_report_is_not_read_again(store: SqlStore) -> None:
    shelf = days.week()
    rows = shelf.digests()
    search = Search(shelf, store.search, lambda: rows)
    search.refresh()
    rows = {label: f"other {row}" for label, row in rows.items()}
    assert search.refresh() == 0
    assert len(shelf.read) == 2
    assert {day.report for day in store.search.days().values()} == set(rows.values())


def test_another_tokenizer_reads_every_day_anew(store: SqlStore) -> None:
    shelf = days.week()
    for label in shelf.labels():
        store.search.put(IndexedDay(label, shelf.digests()[label], "d", VERSION - 1), documents(shelf.days[label]))
    search = opened(store, shelf)
    assert search.refresh() == 2
    assert asked(search, "cheng") == ["Tune"]


def test_indexing_that_is_cut_short_goes_on_and_shows_no_half_day(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = days.week()
    search = opened(store, shelf)
    monkeypatch.setattr(opening, "TOGETHER", 1)
    with monkeypatch.context() as patched:
        real = type(store.search)._add

        def dies(self: object, connection: object, some: list[Document]) -> None:
            real(self, connection, some[:1])  # type: ignore[arg-type]
            if some[0].label == "2026-03-06":
                raise KeyboardInterrupt

        patched.setattr(type(store.search), "_add", dies)
        with pytest.raises(KeyboardInterrupt):
            search.refresh()
    assert set(store.search.days()) == {"2026-03-05"}
    assert store.search.of_day("2026-03-06") == []
    assert search.refresh() == 1
    assert asked(search, "cheng") == ["Tune"]


def test_the_order_in_which_days_were_read_makes_no_difference(store: SqlStore) -> None:
    shelf = days.week()
    later = shelf.days.pop("2026-03-05")
    search = opened(store, shelf)
    search.refresh()
    shelf.put(later)
    assert asked(search, "scheduler") == ["Remove", "#60"]
    assert asked(search, "in:change") == ["Remove", "[Feature]", "Speed", "Tune", "docs:"]


def test_a_report_that_cannot_be_read_is_named_and_the_others_are_searched(store: SqlStore) -> None:
    shelf = days.week()
    shelf.broken.add("2026-03-05")
    search = opened(store, shelf)
    found = search.find("in:change")
    assert (found.total, found.missing) == (2, ("2026-03-05",))
    search.find("in:change")
    assert shelf.read.count("2026-03-05") == 1
    shelf.broken.clear()
    shelf.put(days.day("2026-03-05", days.repo("acme/engine", days.change("New", label="2026-03-05"))))
    assert search.find("in:change").missing == ()


def test_a_damaged_index_is_made_again(store: SqlStore) -> None:
    shelf = days.week()
    search = opened(store, shelf)
    assert asked(search, "cheng") == ["Tune"]
    with store._database.write() as connection:
        connection.change("UPDATE search_documents SET text = ?", (b"no packed text",))
    assert asked(search, "cheng") == ["Tune"]
    assert shelf.read == ["2026-03-05", "2026-03-06"] * 2


ALTERED = {
    "a title": "UPDATE search_documents SET title = 'Other'",
    "a grade": "UPDATE search_documents SET level = 'low' WHERE level <> 'low'",
    "a document that is gone": "DELETE FROM search_documents WHERE author = 'Cheng Wan'",
    "a day": "UPDATE search_days SET report = 'x' WHERE label <> ''",
}
OF_TOKENS = {
    "sqlite": "DELETE FROM search_index_data WHERE id > 10",
    "postgresql": "DELETE FROM search_index WHERE document IN (SELECT id FROM search_documents WHERE level = 'low')",
}


@pytest.mark.parametrize("what", [*ALTERED, "tokens"])
def test_whatever_was_altered_in_the_index_is_told_and_made_again(store: SqlStore, what: str) -> None:
    shelf, wanted = days.week(), ("in:change", "cheng", "scheduler", "zzyzx")
    before = [opened(store, shelf).find(query, facets=True) for query in wanted]
    assert not store.search_altered()
    with store._database.write() as connection:
        connection.change(ALTERED.get(what) or OF_TOKENS[store._database.dialect.kind])
    assert [damage.what for damage in store.verify()][-1:] == ["the search index"]
    assert [opened(store, shelf).find(query, facets=True) for query in wanted] == before
    assert list(store.verify()) == []


def test_many_repositories_may_be_meant(store: SqlStore) -> None:
    repos = [days.repo(f"acme/part{n}", days.change(f"One {n}")) for n in range(300)]
    search = opened(store, days.Shelf(days.day("2026-03-06", *repos)))
    assert search.find("repo:acme one").total == 300
    assert search.find("-repo:part1 one").total == 300 - 111


def test_an_index_that_may_not_be_written_is_still_asked(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = days.week()
    opened(store, shelf).refresh()
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", days.change("Newer", label="2026-03-07"))))

    def refuses(*_: object) -> None:
        raise WriteError("The store may not be written.", "Check.")

    monkeypatch.setattr(type(store.search), "put", refuses)
    found = opened(store, shelf).find("in:change")
    assert (found.total, found.missing) == (5, ("2026-03-07",))


def test_pages_of_results_join_without_gap_or_repetition(search: Search) -> None:
    whole = [hit.title for hit in search.find("acme").hits] or [hit.title for hit in search.find("-nothing").hits]
    parts = [hit.title for start in range(0, 12, 2) for hit in search.find("-nothing", 2, start).hits]
    assert parts == whole
    exact = [(hit.kind, hit.id) for start in range(4) for hit in search.find("max_batch", 1, start).hits]
    assert exact == [(hit.kind, hit.id) for hit in search.find("max_batch").hits]


def test_nothing_is_found_in_a_store_without_reports(store: SqlStore) -> None:
    assert opened(store, days.Shelf()).find("anything") == opened(store, days.Shelf()).find("anything")
    assert opened(store, days.Shelf()).find("anything").total == 0


def test_the_store_keeps_up_with_its_own_reports(store: SqlStore, tmp_path: Path) -> None:
    from contextlib import nullcontext

    from contracts import stored
    from daybreak.report.archive.opening import StoreArchive

    del tmp_path
    store.put_report(stored.day_data())
    archive = StoreArchive(lambda: nullcontext(store))
    search = Search(archive, store.search, store.report_digests)
    assert search.find("in:change").total > 0
    store.put_report(stored.day_data())
    assert search.refresh() == 0
    store.put_report(stored.day_data().replace(b"acme/quiet", b"acme/other"))
    assert search.refresh() == 1
    assert list(store.verify()) == []


# --- the two languages of the field ------------------------------------------------------------------------------------

TWINS = (
    *(("量化", "quantization"), ("投机解码", "speculative decoding"), ("注意力", "attention"), ("崩溃", "crash")),
    *(("死锁", "deadlock"), ("显存", "memory"), ("泄漏", "leak"), ("卡死", "hang"), ("精度", "accuracy")),
    *(("回退", "revert"), ("算子", "operator"), ("内核", "kernel"), ("调度", "scheduler"), ("破坏性", "breaking:yes")),
    *(("缓存", "cache"), ("预填充", "prefill"), ("张量并行", '"tensor parallel"'), ("专家", "experts")),
    *(
        ("多模态", "multimodal"),
        ("采样", "sampling"),
        ("结构化输出", '"structured outputs"'),
        ("工具调用", '"tool calls"'),
    ),
    *(("超时", "timeout"), ("内存不足", "oom"), ("越界", '"out of bounds"'), ("竞态", "race"), ("漏洞", "cve")),
    *(("弃用", "deprecated"), ("默认值", "default"), ("环境变量", '"environment variable"'), ("插件", "plugin")),
    *(("性能", "throughput"), ("延迟", "latency"), ("基准测试", "benchmark"), ("依赖", "dependency")),
    *(("镜像", "docker"), ("权重", "weights"), ("分布式", "distributed"), ("编译", "compile"), ("融合", "fused")),
    *(("前缀缓存", '"prefix caching"'), ("路由", "routing"), ("日志", "logging"), ("重构", "refactor")),
)


def test_a_chinese_query_finds_what_its_english_twin_finds(store: SqlStore) -> None:
    words = [english.replace('"', "") for _, english in TWINS if ":" not in english]
    rows = [days.change(f"The {word} of part {number}") for number, word in enumerate(words)]
    rows.append(days.change("Nothing to see", breaking=True))
    search = opened(store, days.Shelf(days.day("2026-03-06", days.repo("acme/engine", *rows))))
    assert len(TWINS) >= 40
    for chinese, english in TWINS:
        twin = {hit.title for hit in search.find(english, 100).hits}
        found = search.find(chinese, 100)
        assert twin, english
        assert twin <= {hit.title for hit in found.hits}, chinese
        assert found.also, chinese
        assert found.total < len(rows) / 3, chinese  # it says something and not everything


def test_title_and_symbol_come_before_the_body_whatever_the_grade(store: SqlStore) -> None:
    body = days.change("Graver by far", level="high", breaking=True, body="a radix of the tree")
    title = days.change("Rework the radix", level="low")
    symbol = days.change("Another thing", level="low", symbol="RadixTree.insert")
    search = opened(store, days.Shelf(days.day("2026-03-06", days.repo("a/b", body, title, symbol))))
    found = [hit.title for hit in search.find("radix").hits]
    assert set(found[:2]) == {title.subject, symbol.subject}
    assert found[2:] == [body.subject]
    paged = [hit.title for start in range(3) for hit in search.find("radix", 1, start).hits]
    assert paged == found


def test_facets_count_what_a_filter_would_leave(search: Search) -> None:
    found = search.find("in:change", facets=True)
    told = {(one.key, one.value): one.count for one in found.facets}
    assert told[("repo", "acme/engine")] == 4
    for (key, value), count in told.items():
        assert search.find(f"in:change {key}:{value}").total == count, (key, value)
    assert sum(count for (key, _), count in told.items() if key == "month") == found.total
    assert search.find("in:change").facets == ()  # only who asks for them waits for them


def test_a_misspelt_word_gets_a_suggestion_that_finds_something(search: Search) -> None:
    assert search.find("schedulr").suggestion == "scheduler"
    assert search.find("kernls repo:tile").suggestion == "kernels repo:tile"
    assert search.find("kernls repo:engine").suggestion == ""  # it would find nothing
    assert search.find("zzyzx").suggestion == ""
    assert search.find("scheduler").suggestion == ""


def test_a_snippet_shows_why_it_was_found_or_what_the_change_does(store: SqlStore) -> None:
    plain = days.change("One", en="3 files changed", body="It hangs on shutdown\nand more")
    path = days.change("Two", en="3 files changed", files=(File(path="csrc/hang_guard.cu", status="modified"),))
    title = days.change("Three hangs", en="3 files changed")
    search = opened(store, days.Shelf(days.day("2026-03-06", days.repo("a/b", plain, path, title))))
    told = {hit.title: hit.snippet for hit in search.find("hang*").hits}
    assert told == {"One": "It hangs on shutdown", "Two": "csrc/hang_guard.cu", "Three hangs": "3 files changed"}

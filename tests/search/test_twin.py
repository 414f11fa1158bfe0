"""The site's script and the program: the same tokens, the same reading of queries, the same results."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from daybreak.site.search.documents import documents
from daybreak.site.search.opening import MOST, Search
from daybreak.site.search.query import QueryError, parse
from daybreak.site.search.shards import (
    day_script,
    days_script,
    index_script,
    later_script,
    part_of,
    part_scripts,
    parts_of,
    words_script,
)
from daybreak.site.search.tokens import runs
from search import days
from search.test_chinese import ASKED, PAIRS, lost_in, texts
from search.twin import twin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybreak.store import Phrase

TEXTS = (
    *(
        "--max-model-len vllm.config.CacheConfig csrc/Attention/PagedAttention.cu",
        "支持FP8量化推理",
        "字 𠮷𠮷野家 한국어 テスト",
    ),
    *(
        "HTTPServer FP8Linear W4A16 vLLM MoE 123abc A9b AB9c",
        "#12 (#34) #5a ##6 #1234567890",
        "ＦＰ８ ﬁx ﷺ İstanbul ΟΔΟΣ ς",
    ),
    *(
        "__init__ a--b a..b a::b a:b .. -",
        "e\u0301" * 300,
        "\ud800 x\0y \u202e abc \u200b",
        "a" * 99 + "B" * 99,
        "aB" * 200,
    ),
    *("don't café naïve Привет МИР שלום مرحبا ไทย हिन्दी", "constructor __proto__ toString hasOwnProperty"),
)
QUERIES = (
    "kind:fxi",
    "level:hihg",
    *(
        "kv cache",
        "CacheConfig 量化",
        '"kv cache" -"a b"',
        "8131641",
        "#12",
        "12",
        "量化 OR 投机解码",
        "fp8量化的回退 -崩溃 -死锁卡死",
        "foo:bar engine:queue_depth",
        'a OR "b c" OR kind:fix',
        "OR a",
        "a OR -b",
        "a OR since:2026",
        "repo:acme OR repo:tile",
        "kind:env_remove kind:fixx",
        "量化推理显存泄漏 OR 分块预填充张量并行",
        "quant* qu*",
        "-b",
        "--flag",
        "-",
        "",
    ),
    *(
        "repo:acme",
        "repo:tile -repo:engine",
        "repo:none",
        "rpo:x",
        "kind:fixx",
        "kind:zebra",
        "kind:env_removed",
        "is:open",
    ),
    *(
        "breaking:true",
        "breaking:maybe",
        "since:2026-03",
        "until:2026",
        "since:2026-02-30",
        "since:9999",
        "until:9999-12",
    ),
    *(
        "until:1969",
        "since:0000",
        "-since:2026",
        'author:"Ada Lovelace"',
        '-author:"Ada L"',
        "author:李小龙",
        '"open',
        "a:b",
    ),
    *(
        "std::vector https://x.y/z",
        'fix:"a b"',
        "“引号” 「词」",
        "ＫＶ：x",
        "in:issue in:pull",
        "a " * 30,
        "a" * 500,
        "x*y* *",
    ),
    *('"' + "a " * 60 + '"', "repo:", "level:hig", "importance:high", "\u3000 空格\u3000", "\x00", "constructor"),
)


def flat(groups: Sequence[Sequence[Phrase]]) -> list[list[Any]]:
    return [[[list(one.tokens), one.start] for one in group] for group in groups]


def read(query: str, repos: list[str], newest: str = "") -> dict[str, Any]:
    try:
        found = parse(query, lambda: repos, newest)
    except QueryError as error:
        return {"error": error.code, "facts": error.facts}
    (shown,) = flat([found.shown])
    parts = {"each": flat(found.wanted.each), "without": flat(found.wanted.without), "days": list(found.wanted.days)}
    parts |= {"span": list(found.span), "idle": list(found.idle), "bare": found.bare}
    return {**parts, "first": [flat(groups) for groups in found.first], "shown": shown, "also": list(found.also)}


def index(repos: list[str], newest: str = "") -> Any:
    """What the site's script knows before it reads a query."""
    return json.loads(index_script([], repos, newest).decode().partition("(")[2][:-3])


def shown(value: Any) -> Any:
    """As JSON brings it to the other side: half characters cannot travel."""
    return json.loads(json.dumps(value).encode().decode())


def test_the_script_cuts_and_reads_as_the_program_does() -> None:
    chance = random.Random(3)
    signs = "abAB01_-./:#量化推 \"'*éΣ\u0301ＡﬁЯ한カ😀\u00a0"
    made = ["".join(chance.choices(signs, k=chance.randint(1, 60))) for _ in range(200)]
    texts, repos = [*TEXTS, *made], ["acme/engine", "acme/tile-kit"]
    queries = [*QUERIES, *PAIRS, "死锁甲乙 -张量并行", *made]
    answer = twin(texts=texts, queries=queries, known=index(repos))
    for text, there, parts in zip(texts, answer["tokens"], answer["parts"], strict=True):
        here = list(runs(text))
        assert shown([[one.row, one.wholes, one.text] for one in here]) == there, text
        assert [part_of(token, 64) for one in here for token in one.row] == parts, text
    for query, there in zip(queries, answer["parsed"], strict=True):
        assert shown(read(query, repos)) == there, query


SPOKEN = (
    *(
        "7月",
        "七月 量化",
        "十一月",
        "近三月",
        "7月15日",
        "2026年7月15号",
        "13月",
        "7月32日",
        "12月",
        "2026-07-15",
        "2026-07 cache",
        "量化 7月",
        "7月量化变更有哪些",
    ),
    *(
        "上周",
        "上周的破坏性变更",
        "本周",
        "这个星期",
        "上个星期",
        "本月量化",
        "上个月",
        "今天",
        "昨天",
        "前天 崩溃",
        "星期天",
        "周二",
        "上周二",
    ),
    *(
        "最近3天",
        "近两周",
        "过去一个月",
        "最近",
        "最近十天的更新",
        "更新",
        "-更新 崩溃",
        "变更 OR 崩溃",
        '"上周" 量化',
        '"7月',
    ),
    *(
        "what changed about --max-len",
        "量化 changes of the month",
        "was main broken on Tuesday?",
        "last week",
        "last 10 days fp8",
    ),
    *(
        "in may",
        "may",
        "of March 3",
        "july 15",
        "July",
        "changes",
        "changed layout",
        "What is new?",
        "the OR of",
        "of the",
        "Last Friday",
    ),
    *(
        "since:2026-07-14 7月",
        "7月 until:2026-07-02",
        "上周 OR 崩溃",
        "2026-13",
        "yesterday",
        "the month",
        "this month",
    ),
)


@pytest.mark.parametrize("newest", ["2026-07-19", "2026-07-15", "2026-01-31", "2024-02-29", "2026-12-31"])
def test_the_script_reads_days_and_questions_as_the_program_does(newest: str) -> None:
    answer = twin(queries=SPOKEN, known=index(["acme/engine"], newest))
    for query, there in zip(SPOKEN, answer["parsed"], strict=True):
        assert shown(read(query, ["acme/engine"], newest)) == there, query


FINDS = (
    *(
        "--max-batch",
        "maxbatch",
        "量化",
        "量化推理",
        "推理量化",
        "KVCacheManager",
        "kvcache*",
        '"kv cache"',
        '"cache kv"',
        "#41",
        "44",
    ),
    *(
        "fp8量化",
        days.sha("Tune warp_specialized kernels")[:9],
        "spe*",
        "author:wan",
        "-author:ada in:change",
        "repo:tile",
    ),
    *(
        "breaking:yes",
        "is:draft",
        "since:2026-03-06",
        "until:2026-03-05 -docs",
        "scheduler -remove",
        "kind:fixx",
        "nowhere",
    ),
    *(
        "量化 OR schedulr",
        "schedulr",
        "qantization remove",
        "在:x",
        "移除 调度",
        "fp8推理 OR kind:docs",
        "显存不足",
        "崩溃",
    ),
    *("-量化 in:change", "lantern:x", "kind:hook_x", "hang OR", "breaking OR crash", "破坏性", "KV缓存崩溃的原因"),
    *("--max-batch-size", "kv_cache_manager_size repo:engine", "cache lantern", "x_y -nothing_z", "量化 无此词语"),
    *(
        "2月",
        "上周 量化",
        "what changed about --max-batch",
        "量化变更有哪些",
        "更新",
        "common of the month",
        "8月 common",
    ),
    *("in:change", "-nothing", "common", "group_size common", '"common words"', "since:2026-02 until:2026-02 common"),
)


def test_the_script_finds_what_the_program_finds() -> None:
    shelf = days.week()
    chance = random.Random(5)
    words = ["common", "words", "cache", "量化", "推理", "groupSize", "fix", "--max-batch", "x.y"]
    for number in range(1, 8):
        rows = [" ".join(chance.choices(words, k=5)) + f" {number}-{n}" for n in range(7)]
        label = f"2026-02-{number:02d}"
        shelf.put(days.day(label, days.repo("acme/old", *(days.change(r, level="medium", label=label) for r in rows))))
    shelf.put(days.day("2026-03-07", days.fates()))
    finds = [
        *FINDS,
        "--chunk-size",
        "chunk size",
        "the chunk size low",
        *(" ".join(chance.choices(words, k=2)) for _ in range(30)),
    ]
    answer = twin(files=site_files(shelf), finds=finds, language="zh")
    with days.search_over(shelf) as search:
        assert [(query, here(search, query)) for query in finds] == [
            (query, {key: value for key, value in there.items() if key != "left"})
            for query, there in zip(finds, answer["found"], strict=True)
        ]


def test_the_script_finds_in_chinese_what_it_finds_in_english() -> None:
    answer = twin(files=site_files(texts()), finds=ASKED, most=MOST)
    found = [{hit[4] for hit in one["hits"]} for one in answer["found"]]
    assert lost_in(dict(zip(ASKED, found, strict=True))) == {}


def here(search: Search, query: str) -> dict[str, Any]:
    try:
        found = search.find(query, facets=True)
    except QueryError as error:
        return {"error": error.code}
    hits = [[hit.kind, hit.repo, hit.label, hit.id[:12] if hit.kind == "change" else hit.id, hit.title, hit.url_path] for hit in found.hits]  # fmt: skip
    facets = [[one.key, one.value, one.count, one.breaking] for one in found.facets]
    more = {"facets": facets, "suggestion": found.suggestion, "also": list(found.also)}
    return {"total": found.total, **more, "hits": hits}


def site_files(shelf: days.Shelf) -> dict[str, str]:
    months: dict[str, dict[str, Any]] = {}
    for label, day in shelf.days.items():
        months.setdefault(label[:7], {})[label] = documents(day)
    names = sorted(months, reverse=True)
    repos = {one.repo for month in months.values() for some in month.values() for one in some}
    told = [(name, parts_of(len(months[name])), "d") for name in names]
    files = {"index.js": index_script(told, repos, max(shelf.days, default=""))}
    for name, of_month in months.items():
        files[f"{name}/days.js"] = days_script(name, of_month)
        files[f"{name}/words.js"] = words_script(name, of_month)
        files[f"{name}/later.js"] = later_script(name, {})
        files |= {f"{name}/{part:02x}.js": body for part, body in part_scripts(name, of_month).items()}
        files |= {f"days/{label}.js": day_script(label, ("zh", "en"), some) for label, some in of_month.items()}
    return {path: body.decode() for path, body in files.items()}


def test_a_query_loads_only_the_files_of_its_words() -> None:
    shelf = days.Shelf()
    for month in range(1, 4):
        for number in range(1, 29):
            label = f"2026-{month:02d}-{number:02d}"
            shelf.put(days.day(label, days.repo("a/b", days.change(f"needle{month} thread", label=label))))
    files = site_files(shelf)
    assert len(files) > 3 * 64
    answer = twin(files=files, finds=["needle2 since:2026-02 until:2026-02"])
    assert answer["found"][0]["total"] == 28
    assert {path.split("/")[0] for path in answer["loaded"]} == {"index.js", "2026-02", "days"}
    assert len(answer["loaded"]) <= 2 + 3 + 20 + 5  # and those of the five facets


def test_without_a_date_the_newest_twelve_months_are_searched_and_the_rest_is_counted() -> None:
    shelf = days.Shelf()
    for number in range(15):
        label = f"{2025 + number // 12}-{number % 12 + 1:02d}-10"
        shelf.put(days.day(label, days.repo("a/b", days.change(f"needle {number}", label=label))))
    files = site_files(shelf)
    (recent,) = twin(files=files, finds=["needle"], all=False)["found"]
    (whole,) = twin(files=files, finds=["needle"], all=True)["found"]
    (dated,) = twin(files=files, finds=["needle since:2025-01"], all=False)["found"]
    assert [(one["total"], one["left"]) for one in (recent, whole, dated)] == [(12, 3), (15, 0), (15, 0)]


def test_a_new_day_leaves_the_files_of_other_words_as_they_are() -> None:
    before = {f"2026-03-{n:02d}": documents(days.day(f"2026-03-{n:02d}", days.repo("a/b", days.change(f"word{n}")))) for n in range(1, 20)}  # fmt: skip
    after = {**before, "2026-03-20": documents(days.day("2026-03-20", days.repo("a/b", days.change("solitary"))))}
    old, new = part_scripts("2026-03", before), part_scripts("2026-03", after)
    assert len(old) == len(new) == 64
    changed = [part for part in new if new[part] != old[part]]
    assert 0 < len(changed) < 32


@pytest.mark.parametrize("days_of_month", [1, 2, 7, 19, 31])
def test_a_month_has_as_many_files_as_it_needs(days_of_month: int) -> None:
    assert 2 <= parts_of(days_of_month) <= 64
    assert parts_of(days_of_month) <= parts_of(31)


def test_a_day_of_the_index_has_what_all_languages_share_once_and_each_its_own_lines() -> None:
    body = "Signed-off-by: Ada <ada@example.org>\nThe path is the same for all."
    one = days.change("shared title", zh="一句话", en="a sentence", label="2026-03-06", body=body)
    shelf = days.Shelf()
    shelf.put(days.day("2026-03-06", days.repo("acme/engine", one)))
    script = site_files(shelf)["days/2026-03-06.js"]
    counts = [script.count(text) for text in ("shared title", "acme/engine", "一句话", "a sentence", "The path is")]
    assert counts == [1, 1, 1, 1, 1]
    assert one.sha[:12] in script
    assert one.sha not in script
    assert "Signed-off-by" not in script  # tells nothing of the change
    (hit,) = twin(files=site_files(shelf), finds=["shared"])["found"][0]["hits"]
    assert hit[5] == f"changes/acme-engine/{one.sha[:12]}.html"

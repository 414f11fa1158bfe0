"""The language of queries: what each form means, mistakes in one sentence, and limits that hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.site.search.documents import day_number
from daybreak.site.search.query import MOST_CHARACTERS, MOST_TERMS, QueryError, parse
from daybreak.site.search.spelling import near, respelt, vocabulary
from daybreak.site.search.terms import terms
from daybreak.store import Phrase, Wanted

REPOS = ["vllm-project/vllm", "sgl-project/sglang"]


def wanted(query: str) -> Wanted:
    return parse(query, lambda: REPOS).wanted


def groups(query: str) -> list[set[str]]:
    """Each group as the tokens of its phrases; a beginning has a star."""
    return [{" ".join(one.tokens) + "*" * one.start for one in group} for group in wanted(query).each]


def test_all_words_must_be_met_each_in_one_of_its_forms() -> None:
    assert groups("cache 甲乙") == [{"cache", "~cache"}, {"甲乙"}]
    assert groups("CacheConfig") == [{"cache config", "~cacheconfig", "=~cacheconfig", "cacheconfig"}]
    assert groups("--max-len") == [{"max len", "~max_len", "=~max_len"}]
    assert groups("甲乙丙丁") == [{"甲乙 乙丙 丙丁"}]
    assert groups("FP8甲乙") == [{"fp8 甲乙"}]


def test_a_chinese_term_of_the_field_also_asks_for_its_english_words() -> None:
    assert groups("量化")[0] > {"量化", "quant*", "~quant*", "fp8*", "~nvfp4*", "awq*"}  # and the members of the field
    query = parse("投机解码 量化", lambda: REPOS)
    assert {"speculative decod*", "quant*"} <= set(query.also)
    assert Phrase(("spec", "decod"), start=True) in query.wanted.each[0]
    twins = [{"speculative", "~speculative"}, {"decod*", "~decod*"}]
    assert all(words <= found for words, found in zip(twins, groups("投机解码"), strict=True))  # wherever they stand
    (without,) = parse("量化 -投机解码", lambda: REPOS).wanted.without
    assert Phrase(("speculative", "decod"), start=True) in without  # side by side: not whatever has both
    assert groups('"量化"') == [{"量化"}]  # in quotation marks it is meant as it stands
    assert groups("回退")[0] > {"revert*", "!kind:revert"}


def test_an_english_word_of_a_term_is_asked_for_as_if_it_were_written() -> None:
    """`MoE` has the word only as a whole: `混合专家` missed titles that `moe` found."""
    written = set(parse("moe", list).wanted.each[0])
    assert written <= set(parse("混合专家", list).wanted.each[0])


def test_a_compound_is_met_as_it_stands_or_by_all_its_terms() -> None:
    whole = "量化 化崩 崩溃"
    first, second = groups("量化崩溃")
    assert {whole, "量化", "quant*", "~quant*"} <= first
    assert {whole, "崩溃", "crash*"} <= second
    assert len(groups("量化的崩溃")) == 2  # a single character between two terms is no word
    fp8, term = groups("FP8量化")
    assert {"fp8 量化", "fp8", "~fp8"} == fp8
    assert {"fp8 量化", "量化", "quant*", "~quant*"} <= term


def test_what_is_left_out_is_left_out_in_both_languages() -> None:
    (without,) = wanted("a -量化").without
    assert set(without) > {Phrase(("量化",)), Phrase(("quant",), start=True), Phrase(("~quant",), start=True)}
    (without,) = wanted("a -量化崩溃").without
    assert without == (Phrase(("量化", "化崩", "崩溃")),)
    assert parse("a -量化", lambda: REPOS).also == ()


def test_the_table_of_terms_is_wide_and_every_term_can_be_asked_for() -> None:
    table = terms()
    assert len(table) >= 150
    for word, term in table.items():
        assert word, term
        assert word.isascii() or not any(character.isascii() for character in word), word
        assert parse(word, lambda: REPOS).also[: len(term.texts)] == term.texts
        for text in term.texts:
            parse(text, lambda: REPOS)  # what is shown as "also searched" is a query of its own


def test_or_joins_the_words_on_either_side_of_it() -> None:
    assert groups("hang OR stuck kv") == [{"hang", "~hang", "stuck", "~stuck"}, {"kv", "~kv"}]
    assert groups('a OR "b c" OR kind:fix') == [{"a", "~a", "b c", "!kind:fix"}]
    assert groups("repo:vllm OR repo:sglang") == groups("repo:vllm repo:sglang")
    assert groups("or +nor") == [{"or", "~or"}, {"nor", "~nor"}]
    assert len(groups("量化崩溃 OR 显存泄漏")) == 4


def test_what_is_called_so_comes_first_then_what_says_so_in_its_title() -> None:
    *happened, named, breaking, titled, read = parse("CacheConfig", lambda: REPOS).first
    assert [group[0][0].tokens[0] for group in happened] == [
        "=!cacheconfig",
        "=@cacheconfig",
        "==cacheconfig",
        "=^cacheconfig",
    ]
    assert named == ((Phrase(("=cacheconfig",)),),)
    assert titled == ((Phrase(("^cache", "^config")), Phrase(("^cacheconfig",))),)
    assert breaking == (*titled, (Phrase(("!breaking:yes",)),)), "what breaks of these first"
    assert read == ((Phrase(("=~cacheconfig",)),),), "then what reads or sets it"
    assert parse("repo:vllm", lambda: REPOS).first == ()


def test_shas_and_numbers_are_names() -> None:
    assert groups("8131641") == [{"8131641*", "~8131641", "=8131641*", "~#8131641"}]
    assert groups("#12") == [{"~#12"}]
    assert groups("12") == [{"12", "~12", "~#12"}]
    assert parse("#12", lambda: REPOS).first[0] == ((Phrase(("=#12",)),),)
    assert Phrase(("=8131641",), start=True) in parse("8131641", lambda: REPOS).first[0][0]


def test_phrases_starts_and_exclusions() -> None:
    assert groups('"kv cache" quant*') == [{"kv cache"}, {"quant*", "~quant*"}]
    assert groups("qu*") == [{"qu", "~qu"}]
    assert groups("“kv cache” 「甲乙」") == [{"kv cache"}, {"甲乙"}]
    assert wanted("a -b").without == ((Phrase(("b",)), Phrase(("~b",))),)
    assert wanted('a -"b c"').without == ((Phrase(("b", "c")),),)
    assert wanted("a --b").without == ()
    assert groups("-b") == [{"!in:change", "!in:issue", "!in:pull", "!in:release"}]


def test_filters_become_tokens() -> None:
    assert groups("repo:VLLM") == [{"!repo:vllm-project/vllm"}]
    assert groups("repo:project") == [{"!repo:vllm-project/vllm", "!repo:sgl-project/sglang"}]
    assert groups("repo:vllm repo:sglang") == [{"!repo:vllm-project/vllm", "!repo:sgl-project/sglang"}]
    assert groups("kind:fix level:high importance:low") == [{"!kind:fix"}, {"!level:high", "!level:low"}]
    assert groups("kind:env_removed") == [{"!kind:env_removed"}]
    assert groups("breaking:true") == groups("breaking：YES") == [{"!breaking:yes"}]
    assert groups("is:open is:draft") == [{"!is:open"}, {"!is:draft"}]
    assert groups('author:"Ada Lovelace"') == [{"@ada"}, {"@lovelace"}]
    assert wanted("-repo:vllm").without == ((Phrase(("!repo:vllm-project/vllm",)),),)


def test_dates_hold_both_ends() -> None:
    assert wanted("since:1970-01-02 until:1970-01-31").days == (1, 30)
    assert wanted("since:1970-02 until:1970-02").days == (31, 58)
    assert wanted("until:1971").days == (0, 729)
    assert wanted("since:2026-01-01 since:2026-02-01").days == wanted("since:2026-02-01").days
    assert wanted("month:2026-01").days == wanted("since:2026-01 until:2026-01").days


def test_a_word_with_a_colon_is_a_word() -> None:
    assert groups("std::vector") == [{"std vector", "~std::vector", "=~std::vector"}]
    assert groups("fix: typo") == [{"fix", "~fix"}, {"typo", "~typo"}]
    assert groups("engine:queue_depth") == [{"engine queue depth"}]
    assert groups("https://example.org/x") == [{"https example org x"}]


@pytest.mark.parametrize(
    ("query", "code", "tip"),
    [
        ("", "empty", "Write a word"),
        ("   ***  ", "empty", "Write a word"),
        ('"kv cache', "quote", "mark on each side"),
        ("rpo:vllm", "filter", "Did you mean repo:?"),
        ("autor:x", "filter", "Did you mean author:?"),
        ("foo:bar", "key", "in quotation marks it is a text"),
        ('fix:"a b"', "key", "repo, kind"),
        ("OR a", "or", "hang OR deadlock"),
        ("a OR", "or", "hang OR deadlock"),
        ("a OR OR b", "or", "hang OR deadlock"),
        ("a OR -b", "or", "hang OR deadlock"),
        ("a OR since:2026", "or", "hang OR deadlock"),
        ("量化崩溃显存泄漏驱动 OR 调度算子死锁精度 OR 回退默认参数缓存", "many", str(MOST_TERMS)),
        ("kind:env_remove", "near", "kind:env_removed"),
        ("kind:hook_x", "choice", "feature"),
        ("repo:", "value", "repo:vllm"),
        ("repo:nobody", "repo", "vllm-project/vllm"),
        ("kind:fixx", "near", "kind:fix"),
        ("kind:fxi", "near", "kind:fix"),
        ("kind:zebra", "choice", "feature"),
        ("level:hihg", "near", "level:high"),
        ("level:urgent", "choice", "high"),
        ("level:hig", "near", "level:high"),
        ("in:commits", "choice", "change"),
        ("since:yesterday", "date", "since:2026-01-31"),
        ("until:2026-02-30", "date", "until:2026-01-31"),
        ("since:2026-13", "date", "since:2026-01-31"),
        ("-since:2026-01-01", "date", "since:2026-01-31"),
        ("a " * 500, "long", str(MOST_CHARACTERS)),
        ("a " * (MOST_TERMS + 1), "many", str(MOST_TERMS)),
        ('"' + "a " * 60 + '"', "phrase", "32"),
    ],
)
def test_a_mistake_is_one_sentence_with_a_tip(query: str, code: str, tip: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(query, lambda: REPOS)
    assert caught.value.code == code
    assert tip in caught.value.tip
    assert caught.value.message.endswith(".")
    assert caught.value.exit_code == 2


def test_nobody_asks_for_the_repositories_without_need() -> None:
    def asked() -> list[str]:
        raise AssertionError

    parse("word kind:fix -x", asked)


def test_the_nearest_choice_is_one_slip_away() -> None:
    assert near("fixx", ("fix", "feature")) == "fix"
    assert near("depandancy", ("dependency", "docs")) == "dependency"
    assert near("fxi", ("ci", "fix", "feature")) == "fix", "two letters that changed places are one slip"
    assert near("zebra", ("fix", "feature")) is None


def test_a_misspelt_word_is_the_nearest_one_of_a_title() -> None:
    words = vocabulary(["Fix quantization of FlashInfer", "Quantization again", "Support DeepSeek scheduler"])
    assert respelt("quantizaton flashinfr", words) == "quantization flashinfer"
    assert respelt("deepsek repo:vlm -quantizaton quantizato*", words) == "deepseek repo:vlm -quantizaton quantizato*"
    assert respelt("quantization zzyzx", words) == "quantization zzyzx"


@settings(max_examples=60)
@given(st.text(max_size=MOST_CHARACTERS) | st.text('abAB12:-"*#_ 量化repokindsinceis.\0', max_size=MOST_CHARACTERS))
def test_every_text_is_a_query_or_a_mistake_and_breaks_nothing(text: str) -> None:
    try:
        query = parse(text, lambda: REPOS)
    except QueryError:
        return
    assert query.wanted.each
    for group in (*query.wanted.each, *query.wanted.without, *(group for rank in query.first for group in rank)):
        for one in group:
            assert one.tokens
            assert not set("".join(one.tokens)) & set(" '\"\\()*\0")


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("7月", "2026-07-01", "2026-07-31"),
        ("七月", "2026-07-01", "2026-07-31"),
        ("十二月", "2025-12-01", "2025-12-31"),
        ("9月", "2025-09-01", "2025-09-30"),  # the last one that there was
        ("7月15日", "2026-07-15", "2026-07-15"),
        ("2026-07-15", "2026-07-15", "2026-07-15"),
        ("July 15", "2026-07-15", "2026-07-15"),
        ("上周", "2026-07-13", "2026-07-19"),  # the report of a Sunday is read on Monday
        ("本周", "2026-07-13", "2026-07-19"),
        ("last week", "2026-07-13", "2026-07-19"),
        ("周二", "2026-07-14", "2026-07-14"),
        ("on Tuesday", "2026-07-14", "2026-07-14"),
        ("上个月", "2026-06-01", "2026-06-30"),
        ("of the month", "2026-07-01", "2026-07-31"),
        ("最近3天", "2026-07-17", "2026-07-19"),
        ("today", "2026-07-19", "2026-07-19"),
    ],
)
def test_days_are_named_as_people_name_them(said: str, first: str, last: str) -> None:
    for query in (f"fp8 {said}", f"{said} fp8"):
        found = parse(query, lambda: REPOS, "2026-07-19")
        assert found.span[1:] == (first, last), query
        assert found.wanted.days == (day_number(first), day_number(last))
        assert found.wanted.each == parse("fp8", lambda: REPOS).wanted.each, "and nothing else is left of it"
    assert parse(f'"{said}"', lambda: REPOS, "2026-07-19").span == (), "in quotation marks it is a text"


@pytest.mark.parametrize(
    ("query", "bare", "idle"),
    [
        ("量化变更有哪些", "量化", ()),
        ("量化 变更", "量化", ("变更",)),
        ("what changed about --max-len", "--max-len", ("what", "changed", "about")),
        ("changed layout", "changed layout", ()),  # nobody asks here
        ("更新", "更新", ()),
        ("what changed", "what changed", ()),
        ("what OR hang", "what OR hang", ()),
    ],
)
def test_words_that_only_ask_are_not_looked_for_where_there_are_others(
    query: str, bare: str, idle: tuple[str, ...]
) -> None:
    found, alone = parse(query, lambda: REPOS), parse(bare, lambda: REPOS)
    assert found.idle == idle
    assert {one.tokens for one in alone.wanted.each[0]} <= {one.tokens for one in found.wanted.each[0]}
    assert len(found.wanted.each) == len(alone.wanted.each)

"""The language of queries: what each form means, mistakes in one sentence, and limits that hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.site.search.query import MOST_CHARACTERS, MOST_TERMS, QueryError, near, parse
from daybreak.store import Phrase, Wanted

REPOS = ["vllm-project/vllm", "sgl-project/sglang"]


def wanted(query: str) -> Wanted:
    return parse(query, lambda: REPOS).wanted


def groups(query: str) -> list[set[str]]:
    """Each group as the tokens of its phrases; a beginning has a star."""
    return [{" ".join(one.tokens) + "*" * one.start for one in group} for group in wanted(query).each]


def test_all_words_must_be_met_each_in_one_of_its_forms() -> None:
    assert groups("cache 量化") == [{"cache", "~cache"}, {"量化"}]
    assert groups("CacheConfig") == [{"cache config", "~cacheconfig", "cacheconfig"}]
    assert groups("--max-len") == [{"max len", "~max_len"}]
    assert groups("量化推理") == [{"量化 化推 推理"}]
    assert groups("FP8量化") == [{"fp8 量化"}]


def test_shas_and_numbers_are_names() -> None:
    assert groups("8131641") == [{"8131641*", "~8131641", "=8131641*", "~#8131641"}]
    assert groups("#12") == [{"~#12"}]
    assert groups("12") == [{"12", "~12", "~#12"}]
    assert parse("#12", lambda: REPOS).named == (Phrase(("=#12",)),)
    assert Phrase(("=8131641",), start=True) in parse("8131641", lambda: REPOS).named


def test_phrases_starts_and_exclusions() -> None:
    assert groups('"kv cache" quant*') == [{"kv cache"}, {"quant*", "~quant*"}]
    assert groups("qu*") == [{"qu", "~qu"}]
    assert groups("“kv cache” 「量化」") == [{"kv cache"}, {"量化"}]
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


def test_a_word_with_a_colon_is_a_word() -> None:
    assert groups("std::vector") == [{"std vector", "~std::vector"}]
    assert groups("fix:typo") == [{"fix typo"}]
    assert groups("https://example.org/x") == [{"https example org x"}]
    assert groups('fix:"a b"') == [{"fix", "~fix"}, {"a b"}]


@pytest.mark.parametrize(
    ("query", "code", "tip"),
    [
        ("", "empty", "Write a word"),
        ("   ***  ", "empty", "Write a word"),
        ('"kv cache', "quote", "mark on each side"),
        ("rpo:vllm", "filter", "Did you mean repo:?"),
        ("autor:x", "filter", "Did you mean author:?"),
        ("repo:", "value", "repo:vllm"),
        ("repo:nobody", "repo", "vllm-project/vllm"),
        ("kind:fixx", "near", "kind:fix"),
        ("kind:zebra", "choice", "feature"),
        ("level:hihg", "choice", "high"),
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
    assert near("zebra", ("fix", "feature")) is None


@settings(max_examples=60)
@given(st.text(max_size=MOST_CHARACTERS) | st.text('abAB12:-"*#_ 量化repokindsinceis.\0', max_size=MOST_CHARACTERS))
def test_every_text_is_a_query_or_a_mistake_and_breaks_nothing(text: str) -> None:
    try:
        query = parse(text, lambda: REPOS)
    except QueryError:
        return
    assert query.wanted.each
    for group in (*query.wanted.each, *query.wanted.without, query.named):
        for one in group:
            assert one.tokens
            assert not set("".join(one.tokens)) & set(" '\"\\()*\0")

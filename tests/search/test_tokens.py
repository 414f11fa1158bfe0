"""The tokenizer: Chinese in pairs, names in code in parts and as a whole, and never more time than the text is long."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from daybreak.site.search.tokens import LONGEST, LONGEST_WORD, cut_row, name, names, runs
from timing import cpu


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("量化", "量化"),
        ("量化推理", "量化 化推 推理"),
        ("支持FP8量化", "支持 fp8 量化"),
        ("修 复", "修 复"),
        ("--max-model-len", "max model len"),
        ("max_model_len", "max model len"),
        ("maxModelLen", "max model len"),
        ("HTTPServer FP8Linear W4A16 vLLM", "http server fp8 linear w4a16 v llm"),
        ("vllm.config.CacheConfig", "vllm config cache config"),
        ("csrc/attention/paged_attention.cu", "csrc attention paged attention cu"),
        ("std::vector<int>", "std vector int"),
        ("v0.11.0", "v0 11 0"),
        ("(#25821)", "25821"),
        ("ＦＰ８ ﬁx", "fp8 fix"),
        ("ΟΔΟΣ Οδός", "οδοσ οδόσ"),
        ("한국어 テスト", "한국 국어 テス スト"),
        ("__init__ a--b .. -", "init a b"),
        ("8131641bc66e", "8131641bc66e"),
        ("don't stop", "don t stop"),
        ("🚀 ** <b>", "b"),
    ],
)
def test_a_text_becomes_this_row(text: str, row: str) -> None:
    assert " ".join(cut_row(text)[0]) == row


@pytest.mark.parametrize(
    ("text", "wholes"),
    [
        ("CacheConfig", {"~cacheconfig"}),
        ("vllm.CacheConfig", {"~cacheconfig", "~vllm.cacheconfig"}),
        ("src/KVCache-Manager.py", {"~kvcache", "~kvcache_manager", "~src/kvcache_manager.py"}),
        ("max_model_len plain", set()),
        ("closes #12 and ##13 and #14a", {"~#12", "~#13"}),
    ],
)
def test_a_word_of_several_parts_is_kept_as_it_is_read(text: str, wholes: set[str]) -> None:
    assert wholes <= set(cut_row(text)[1])
    if not wholes:
        assert cut_row(text)[1] == []


def test_one_name_in_many_spellings_is_one_name() -> None:
    assert {name(one) for one in ("--max-len", "max_len", "MAX-LEN", "max-len", "--max_len")} == {"max_len"}
    assert names("CacheConfig.block_size") == {"=cacheconfig.block_size", "=block_size"}
    assert name("#12") == "#12"


TEXT = st.text(st.characters(), max_size=200) | st.text("aA1_-./:#量化 \0'\"*\u0300\ud800😀", max_size=200)


@settings(max_examples=60)
@given(TEXT)
@example("İ" * 60)
@example("ﷺ" * 40)
@example("a" * 400)
@example("aB" * 300)
def test_no_text_gives_a_token_that_could_break_an_index(text: str) -> None:
    row, beside = cut_row(text)
    for token in (*row, *beside):
        assert 0 < len(token) <= LONGEST_WORD + 1
        assert not set(token) & set(" '\"\\*()\0\n\t")
    assert all(token[0] not in "~=@!." and len(token) <= LONGEST for token in row)
    assert all(token[0] == "~" for token in beside)
    assert "".join([*row, *beside]).encode().isascii() in (True, False)  # half a character could not be encoded
    assert [run.start for run in runs(text)] == sorted(run.start for run in runs(text))


@settings(max_examples=30)
@given(TEXT)
def test_capitals_and_full_width_make_no_difference_to_a_plain_word(text: str) -> None:
    plain = "".join(sign for sign in text if sign in "abcdefghij0123456789 ")
    wide = "".join(chr(ord(sign) + 0xFEE0) if sign != " " else sign for sign in plain)
    assert cut_row(plain) == cut_row(wide)


@pytest.mark.parametrize(
    "piece",
    ["A", "aA", "A0", "-", "a-", "a::", "#1", "量", "\u0316\u0300", "1a"],
)
def test_twice_the_text_takes_about_twice_the_time(piece: str) -> None:
    once, twice = piece * (1500 // len(piece)), piece * (6000 // len(piece))
    assert cpu(lambda: cut_row(twice)) < 12 * cpu(lambda: cut_row(once)) + 0.02

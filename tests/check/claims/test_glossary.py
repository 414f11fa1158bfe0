"""The glossary: large enough, without contradictions, and usable by a prompt."""

from __future__ import annotations

import re

from daybreak.prose.glossary import folded, load, parsed


def test_the_terms_of_the_field_are_there() -> None:
    glossary = load()
    assert len(glossary.terms) >= 120
    for name in [
        "DeepEP",
        "MM",
        "SP",
        "EP",
        "TP",
        "PP",
        "DP",
        "MLA",
        "SWA",
        "PD",
        "MTP",
        "MoE",
        "KV",
        "FP8",
        "NVFP4",
        "GEMM",
        "TMA",
        "WGMMA",
        "CUTLASS",
        "PTX",
        "SM",
        "ROCm",
        "NCCL",
        "LoRA",
        "RoPE",
        "GQA",
        "MHA",
        "EAGLE",
    ]:
        assert glossary.named(name), name
    assert glossary.named("cuda graph")
    assert glossary.named("speculative decoding")


def test_no_reading_is_both_right_and_wrong_for_one_term() -> None:
    for term in load().terms:
        assert not set(map(folded, term.spellings)) & set(map(folded, term.never)), term.name
        assert all(re.search(r"[\u4e00-\u9fff]", word) or word == "DeepSeek 稀疏注意力" for word in term.zh), term.name


def test_a_word_may_have_two_meanings() -> None:
    assert {term.name for term in load().of("tensor memory")} == {"TMEM"}
    assert {term.name for term in load().of("sm90")} >= {"SM90", "Hopper"}


def test_phrases_are_found_in_both_languages() -> None:
    assert set(load().phrases("With tensor-parallel ranks")) == {"tensor parallel"}
    assert "张量并行" in set(load().phrases("使用张量并行时"))
    assert not set(load().phrases("The tensor is parallel to it"))


def test_a_prompt_gets_the_lines_of_the_terms_that_stand_in_its_evidence() -> None:
    lines = load().lines("Fix MM inputs with SP on rank 0")
    assert any(line.startswith("MM: multimodal") and "never: matrix multiply" in line for line in lines)
    assert any(line.startswith("SP: sequence parallel") for line in lines)
    assert not any(line.startswith("MLA") for line in lines)
    every = [term.line for term in load().terms if not term.common]
    assert list(load().lines(" ".join(term.name for term in load().terms))) == every


def test_a_glossary_is_read_from_its_tables() -> None:
    glossary = parsed({"terms": {"AB": {"en": ["alpha beta"], "zh": ["甲乙"]}}, "common": {"cat": {}}})
    assert [term.common for term in glossary.terms] == [False, True]
    assert glossary.of("Alpha-Beta") == (glossary.terms[0],)

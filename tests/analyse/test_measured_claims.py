"""A number about speed is its author's claim, in the author's words and with its condition, or it is not told."""

from __future__ import annotations

import pytest

from daybreak.core.model.drafts import Case, Piece
from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Dimension, Role, Statement
from daybreak.judge.measured_claims import as_claim, is_claim, states_performance

MESSAGE = """Overlap scheduling with sampling

The scheduler waits for the sampler. On 8xH100 with Llama-3-70B, batch 64,
throughput goes up by 12.5% and TTFT drops from 310 ms to 240 ms.

- Memory use stays at 40 GB.

| batch | tok/s |
| --- | --- |
| 64 | 1832 tok/s |
"""


def case(text: str = MESSAGE, *more: Piece, findings: tuple[Finding, ...] = ()) -> Case:
    return Case("s", "acme/engine", (Piece("M1", "commit:s", text), *more), findings, text)


def said(zh: str, en: str, role: Role = "impact", dimension: Dimension | None = "performance") -> Statement:
    return Statement(role, {"zh": zh, "en": en}, ("commit:s",), dimension, "model")


@pytest.mark.parametrize(("en", "lead"), [("Throughput rises by 12.5% on 8xH100.", "The author claims (not verified): "), ("The author says that throughput rises by 12.5% on 8xH100.", "")])  # fmt: skip
def test_a_sentence_with_a_number_is_told_as_its_authors_claim_and_stays_whole(en: str, lead: str) -> None:
    zh = "8xH100 上吞吐提升 12.5%。" if lead else "作者称 8xH100 上吞吐提升 12.5%。"
    found = as_claim(said(zh, en, "what", None), case(), ("M1",))
    assert found is not None
    assert is_claim(found)
    assert found.text == {"zh": ("作者称（未经核实）：" if lead else "") + zh, "en": lead + en}
    assert (found.role, found.dimension, found.evidence, found.author) == (
        "what",
        "performance",
        ("commit:s",),
        "model",
    )


@pytest.mark.parametrize("number", ["40 GB", "1832 tok/s"])
def test_a_number_of_a_list_or_of_a_table_is_its_authors_too(number: str) -> None:
    assert as_claim(said(f"内存或吞吐是 {number}。", f"Memory or throughput is {number}."), case(), ("M1",)) is not None


@pytest.mark.parametrize("number", ["12%", "2.5%", "99%", "1.5x", "3 倍"])
def test_a_number_that_nobody_gave_is_not_told(number: str) -> None:
    assert as_claim(said(f"吞吐提升 {number}。", f"Throughput rises by {number}."), case(), ("M1",)) is None


def test_one_language_with_a_number_is_enough() -> None:
    assert as_claim(said("吞吐提升 77%。", "Throughput rises."), case(), ("M1",)) is None


def test_a_pull_request_is_an_author_too() -> None:
    pull = Piece("P1", "pull:acme/engine#7", "On B200, decode is 1.4x faster.")
    found = as_claim(said("decode 快 1.4x。", "Decode is 1.4x faster.", "what", None), case(MESSAGE, pull), ("P1",))
    assert found is not None
    assert found.evidence == ("commit:s", "pull:acme/engine#7")
    assert found.dimension == "performance"


def test_a_value_that_the_code_sets_is_no_measurement() -> None:
    finding = Finding("s/1", "cli_default_changed", "a.py", 1, "--swap-space", before="4 GB", after="8 GB")
    one = said(
        "`--swap-space` 的内存上限从 4 GB 改为 8 GB。", "The memory limit moves from 4 GB to 8 GB.", "what", None
    )
    assert as_claim(one, case("x", findings=(finding,)), ("M1",)) is one


@pytest.mark.parametrize(
    "text", ["Adds `--retry-after` of 30 s to the client.", "Supports 2 backends.", "Faster startup.", "Uses `sm_90`."]
)
def test_other_sentences_stay_word_for_word(text: str) -> None:
    one = said(text, text, "what", None)
    assert states_performance(one) == []
    assert as_claim(one, case(), ("M1",)) is one

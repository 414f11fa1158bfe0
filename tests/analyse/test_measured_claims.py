"""A number about speed is its author's claim, in the author's words and with its condition, or it is not told."""

from __future__ import annotations

import pytest

from daybreak.core.model.drafts import Case, Piece
from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Dimension, Role, Statement
from daybreak.core.text import plain
from daybreak.judge.checks.statements import judge
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


def test_a_number_becomes_the_authors_sentence_with_its_condition() -> None:
    found = as_claim(said("吞吐提升 12.5%。", "Throughput rises by 12.5%."), case(), ("M1",))
    assert found is not None
    assert is_claim(found)
    for text in found.text.values():
        assert "12.5%" in text
        assert "8xH100 with Llama-3-70B, batch 64" in text.replace("` `", " ")
    assert found.text["zh"].startswith("作者称（未经核实）：`")
    assert found.text["en"].startswith("The author claims (not verified): `")
    assert (found.role, found.dimension, found.evidence, found.author) == (
        "impact",
        "performance",
        ("commit:s",),
        "model",
    )


def test_long_words_are_shown_whole_in_pieces() -> None:
    found = as_claim(said("TTFT 降到 240 ms。", "TTFT drops to 240 ms."), case(), ("M1",))
    assert found is not None
    pieces = found.text["en"].split(": ", 1)[1].rstrip(".").strip("`").split("` `")
    assert all(len(piece) <= 120 for piece in pieces)
    assert " ".join(pieces) == " ".join(MESSAGE.split("\n\n")[1].split()).removesuffix(".")


def test_an_item_of_a_list_and_a_row_of_a_table_stand_alone() -> None:
    found = as_claim(said("显存保持 40 GB。", "Memory stays at 40 GB."), case(), ("M1",))
    assert found is not None
    assert "- Memory use stays at 40 GB`." in found.text["en"]
    assert "12.5%" not in found.text["en"]
    found = as_claim(said("吞吐 1832 tok/s。", "Throughput is 1832 tok/s."), case(), ("M1",))
    assert found is not None
    assert found.text["en"] == "The author claims (not verified): `batch` = `64`, `tok/s` = `1832 tok/s`."
    assert found.text["zh"] == "作者称（未经核实）：`batch` = `64`, `tok/s` = `1832 tok/s`。"


TABLE = """Numbers

| Model | TP | before (ms) | **after (ms)** | gain |
|:---|---:|---|---|---|
| Llama-70B | 8 | 310 | **240** | 1.29x |
| Qwen-32B | 4 | 120 | 118.5 | 1.01x |
"""
CELLS = "`Model` = `Llama-70B`, `TP` = `8`, `before (ms)` = `310`, `after (ms)` = `240`."


@pytest.mark.parametrize(
    "table",
    [
        TABLE,
        "\n".join(line.strip("|") for line in TABLE.split("\n")),
        "\n".join(f"+{line}" for line in TABLE.split("\n")),
        TABLE.replace("\n", "\r\n"),
    ],
    ids=["bars", "no bars at the edge", "added lines", "carriage returns"],
)
def test_of_a_table_the_cells_are_shown_with_their_heads_and_conditions(table: str) -> None:
    found = as_claim(said("TTFT 从 310 ms 降到 240 ms。", "TTFT drops from 310 ms to 240 ms."), case(table), ("M1",))
    assert found is not None
    assert found.text["en"] == f"The author claims (not verified): {CELLS}"


@pytest.mark.parametrize(
    "table",
    [
        "| fast | 240 ms |",
        "| batch | |\n| --- | --- |\n| 64 | 240 ms |",
        "| batch | ms |\n| --- | --- |\n| 64 | 240 ms | and | more |",
        "| batch | ms |\n| --- | --- |\n| 64 | 240 ms " + "x" * 200 + " |",
        "<tr><td>64</td><td>240 ms</td></tr>",
        "Latency | 64 | 240 ms",
    ],
    ids=["no head", "no head of its column", "odd cells", "long cell", "html", "loose bars"],
)
def test_a_number_that_only_a_raw_row_holds_is_left_out(table: str) -> None:
    assert as_claim(said("延迟 240 ms。", "Latency is 240 ms."), case(table), ("M1",)) is None


def test_a_sentence_beside_the_table_is_preferred_to_nothing() -> None:
    text = "| fast | 240 ms |\n\nOn B200 latency is 240 ms."
    found = as_claim(said("延迟 240 ms。", "Latency is 240 ms."), case(text), ("M1",))
    assert found is not None
    assert found.text["en"] == "The author claims (not verified): `On B200 latency is 240 ms`."


def test_what_is_shown_of_a_table_stands_before_the_checks() -> None:
    found = as_claim(said("TTFT 降到 240 ms。", "TTFT drops to 240 ms."), case(TABLE), ("M1",))
    assert found is not None
    assert judge(found, {"commit:s": plain(TABLE)}).ok


@pytest.mark.parametrize("number", ["12%", "2.5%", "99%", "1.5x", "3 倍"])
def test_a_number_that_nobody_gave_is_not_told(number: str) -> None:
    assert as_claim(said(f"吞吐提升 {number}。", f"Throughput rises by {number}."), case(), ("M1",)) is None


def test_one_language_with_a_number_is_enough() -> None:
    assert as_claim(said("吞吐提升 77%。", "Throughput rises."), case(), ("M1",)) is None


def test_a_pull_request_is_an_author_too() -> None:
    pull = Piece("P1", "pull:acme/engine#7", "On B200, decode is 1.4x faster.")
    found = as_claim(said("decode 快 1.4x。", "Decode is 1.4x faster.", "what", None), case(MESSAGE, pull), ("P1",))
    assert found is not None
    assert found.evidence == ("pull:acme/engine#7",)
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

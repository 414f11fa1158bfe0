"""Each check on its own: what it stops, and what it lets through."""

from __future__ import annotations

import random
import time

import pytest
from msgspec.structs import replace

from daybreak.core.model.drafts import Case, Draft, Fate, Piece
from daybreak.core.model.findings import Alias, Finding
from daybreak.prose.checks import CHECKS, REASONS, judge
from daybreak.prose.checks.judging import claim_of
from daybreak.prose.checks.tokens import value
from daybreak.prose.glossary import load

MESSAGE = """Raise the default timeout from 10 to 30 s

Long prefill requests hung until the client gave up. MM inputs are not affected yet."""
PATCH = """server/args.py
@@ -10,4 +10,5 @@ def add_args(parser):
     parser.add_argument("--seed", type=int)
-    parser.add_argument("--timeout-s", type=int, default=10)
-    parser.add_argument("--legacy-wait", action="store_true")
+    parser.add_argument("--timeout-s", type=int, default=30)
+    parser.add_argument("--max-wait-ms", type=int, default=250)"""
FINDINGS = (
    Finding("a/1", "cli_default_changed", "server/args.py", 11, "--timeout-s", "10", "30"),
    Finding("a/2", "cli_flag_removed", "server/args.py", 12, "--legacy-wait", breaking=True, alias=Alias("none")),
    Finding("a/3", "cli_flag_added", "server/args.py", 12, "--max-wait-ms"),
)
CASE = Case(
    "a" * 40,
    "example/engine",
    (
        Piece("M1", "commit:" + "a" * 40, MESSAGE, {"pr:1": "#77", "count:1": "3"}),
        Piece("D1", "file:a:server/args.py", PATCH, {"file:1": "server/args.py"}),
    ),
    FINDINGS,
    f"{MESSAGE}\n{PATCH}",
)
GOOD = Draft(
    "what",
    {
        "zh": "`--timeout-s` 的默认值由 10 提高到 30（{file:1}）。",
        "en": "The default of `--timeout-s` goes from 10 to 30 in {file:1}.",
    },
    ("D1",),
)


def fate(zh: str, en: str, refs: str = "M1 D1", quote: str = "", role: str = "what", case: Case = CASE) -> Fate:
    return judge(Draft(role, {"zh": zh, "en": en}, tuple(refs.split()), quote), case, load())  # type: ignore[arg-type]


def test_a_good_statement_is_rendered_with_its_file_and_its_evidence() -> None:
    found = judge(GOOD, CASE, load())
    assert found.statement is not None
    assert found.statement.text["en"] == "The default of `--timeout-s` goes from 10 to 30 in `server/args.py`."
    assert found.statement.evidence == ("file:a:server/args.py",)
    assert found.statement.author == "model"


def test_a_placeholder_brings_the_evidence_that_lists_it() -> None:
    found = fate("{pr:1} 提高默认超时。", "{pr:1} raises the default timeout.", "D1")
    assert found.statement is not None
    assert found.statement.text["zh"] == "#77 提高默认超时。"
    assert f"commit:{'a' * 40}" in found.statement.evidence


def test_a_word_of_a_finding_that_is_not_cited_brings_the_finding() -> None:
    found = fate("移除 `--legacy-wait`。", "Removes `--legacy-wait` from the server.", "M1")
    assert found.statement is not None
    assert set(found.statement.evidence) & {"finding:a/2", "file:a:server/args.py"}


@pytest.mark.parametrize(
    ("reason", "zh", "en", "more"),
    [
        ("language_missing", "", "Raises the default timeout.", {}),
        ("unknown_placeholder", "{file:2} 提高默认超时。", "{file:2} raises the default timeout.", {}),
        ("unknown_placeholder", "提高默认超时 {x}。", "Raises the default timeout {x}.", {}),
        ("cut", "提高默认超时，以及", "Raises the default timeout, and", {}),
        ("too_long", "提高默认超时。" * 60, "Raises the default timeout. " * 60, {}),
        ("too_short", "超时。", "Timeout.", {}),
        ("markup", "提高**默认**超时。", "Raises the **default** timeout.", {}),
        ("sha_in_text", "提交 1a2b3c4d5 提高超时。", "Commit 1a2b3c4d5 raises the timeout.", {}),
        ("number_of_item", "见 #77，提高超时。", "See #77, raises the timeout.", {}),
        ("hidden_characters", "提高默认\u200b超时。", "Raises the default timeout.", {}),
        ("no_evidence", "提高默认超时。", "Raises the default timeout.", {"refs": ""}),
        ("unknown_evidence", "提高默认超时。", "Raises the default timeout.", {"refs": "M1 D7"}),
        ("quote_missing", "长 prefill 请求会卡住。", "Long prefill requests hung.", {"role": "why"}),
        ("quote_not_verbatim", "长 prefill 请求会卡住。", "Long prefill requests hung.", {"role": "why", "quote": "they hung forever"}),
        ("quote_idle", "长 prefill 请求会卡住。", "Long prefill requests hung.", {"role": "why", "refs": "D1", "quote": '"--seed", type=int'}),
        ("wrong_language", "Raises the default timeout.", "Raises the default timeout.", {}),
        ("wrong_language", "提高默认超时。", "提高默认超时，很好很好。", {}),
        ("word_not_in_evidence", "`--timeout-m` 变为 30。", "`--timeout-m` becomes 30.", {}),
        ("word_not_in_evidence", "NCCL 的默认超时提高。", "The default timeout of NCCL is raised.", {}),
        ("word_not_in_evidence", "张量并行的默认超时提高。", "The default timeout of tensor parallel is raised.", {}),
        ("wrong_long_form", "MM（矩阵乘法）的超时提高。", "The timeout of MM (matrix multiplication) is raised.", {}),
        ("number_not_in_evidence", "默认超时提高到 60。", "The default timeout is raised to 60.", {}),
        ("unit_not_in_evidence", "默认超时提高到 30 毫秒。", "The default timeout is raised to 30 ms.", {}),
        ("added_removed", "新增 `--legacy-wait`。", "Adds `--legacy-wait` to the server.", {}),
        ("added_removed", "移除 `--max-wait-ms`。", "Removes `--max-wait-ms` from the server.", {}),
        ("before_after", "默认值由 30 改为 10。", "The default changes from 30 to 10.", {}),
        ("before_after", "默认值现在与之前不同：10，30。", "The default is now `10` (was `30`).", {}),
        ("denies_breaking", "该改动向后兼容。", "The change is backward compatible.", {}),
        ("old_name_gone", "旧参数 `--legacy-wait` 仍可用。", "The old flag `--legacy-wait` still works.", {}),
        ("effect_not_in_evidence", "默认超时提高后显存泄漏。", "A memory leak follows from the default timeout.", {}),
        ("opposite", "默认超时被降低。", "The default timeout is lowered.", {"refs": "M1"}),
        ("languages_differ", "`--timeout-s` 的默认值提高。", "The default timeout is raised.", {}),
        ("languages_differ", "默认超时提高到 30。", "The default timeout is raised.", {}),
        ("obeys", "所有用户必须立即升级。", "All users must upgrade immediately.", {}),
        ("not_grounded", "采用量子纠缠的星际航行方案。", "Quaternion starships orbit purple galaxies with whales.", {}),
    ],
)  # fmt: skip
def test_each_fault_is_found_and_named(reason: str, zh: str, en: str, more: dict[str, str]) -> None:
    case = CASE
    if reason == "opposite":
        case = replace(CASE, findings=())
    found = fate(zh, en, case=case, **more)
    assert found.statement is None
    assert (found.reason, found.reason in REASONS) == (reason, True), found.detail


@pytest.mark.parametrize(
    ("zh", "en", "more"),
    [
        ("长 prefill 请求会一直卡住，直到客户端放弃。", "Long prefill requests hung until the client gave up.", {"role": "why", "quote": "Long prefill requests hung until the client gave up"}),
        ("新增 `--max-wait-ms`，默认 250 ms。", "Adds `--max-wait-ms`, 250 ms by default.", {}),
        ("移除 `--legacy-wait`，没有别名。", "Removes `--legacy-wait`, without an alias.", {}),
        ("默认超时提高到 30 秒。", "The default timeout is raised to 30 s.", {}),
        ("多模态输入尚不受影响。", "Multimodal inputs are not affected yet.", {}),
        ("`--timeout-s` 的默认值现在是 30。", "`--timeout-s` is now 30 by default.", {"refs": "D1"}),
        ("仍传入 `--legacy-wait` 的命令会失败。", "Commands that still pass `--legacy-wait` fail.", {"role": "impact", "quote": '"--legacy-wait"'}),
    ],
)  # fmt: skip
def test_true_statements_pass_every_check(zh: str, en: str, more: dict[str, str]) -> None:
    case = replace(CASE, findings=()) if "尚不受影响" in zh else CASE
    found = fate(zh, en, case=case, **more)
    assert found.statement is not None, (found.reason, found.detail)


def test_an_assurance_stands_only_on_a_finding_or_the_author() -> None:
    zh, en = "代码只是移动，行为不变。", "The code is only moved; behaviour is unchanged."
    plain = Case("b" * 40, "r", (Piece("M1", "commit:b", "Move the sampler code"),))
    assert fate(zh, en, "M1", case=plain).reason == "not_proved_safe"
    moved = replace(plain, findings=(Finding("b/1", "only_moved", "a.py", 1, "a"),))
    assert fate(zh, en, "M1", case=moved).statement is not None
    told = replace(plain, pieces=(Piece("M1", "commit:b", "Move the sampler code. No functional change."),))
    assert fate(zh, en, "M1", case=told).statement is not None
    broken = replace(told, findings=(Finding("b/1", "function_removed", "a.py", 1, "f", breaking=True),))
    assert fate(zh, en, "M1", case=broken).reason == "denies_breaking"


def test_an_alias_that_is_kept_may_be_told() -> None:
    kept = replace(FINDINGS[1], breaking=False, alias=Alias("deprecated"))
    found = fate(
        "旧参数 `--legacy-wait` 仍可用。",
        "The old flag `--legacy-wait` still works.",
        case=replace(CASE, findings=(kept,)),
    )
    assert found.reason != "old_name_gone"


def test_statements_about_many_changes_rest_on_what_they_cite_alone() -> None:
    day = Case(
        "day",
        "",
        (
            Piece("S1", "commit:a", "移除 `--legacy-wait`。 The flag `--legacy-wait` is removed."),
            Piece("S2", "commit:b", "DeepEP 的超时提高。 The timeout of DeepEP is raised."),
        ),
    )
    assert fate("DeepEP 的超时提高。", "The timeout of DeepEP is raised.", "S2", case=day).statement is not None
    assert (
        fate("DeepEP 的超时提高。", "The timeout of DeepEP is raised.", "S1", case=day).reason == "word_not_in_evidence"
    )


def test_a_placeholder_that_a_cited_piece_lists_brings_no_other_evidence() -> None:
    also = Piece("F1", "finding:a/1", "cli default changed: --timeout-s in {file:1}", {"file:1": "server/args.py"})
    found = judge(GOOD, replace(CASE, pieces=(*CASE.pieces, also)), load())
    assert found.statement is not None
    assert found.statement.evidence == ("file:a:server/args.py",)


def test_parts_of_one_change_are_joined_with_its_message_at_hand() -> None:
    part = Piece("S1", "file:a:server/args.py", "新增 `--max-wait-ms`。 Adds `--max-wait-ms`.")
    joined = replace(CASE, pieces=(CASE.pieces[0], part))
    found = fate("默认超时提高到 30 秒。", "The default timeout is raised to 30 s.", "S1", case=joined)
    assert found.statement is not None, (found.reason, found.detail)


def test_every_check_stands_in_the_registry() -> None:
    assert set(CHECKS) == {
        "shape", "literal", "orders", "cited", "quotes", "language", "long_forms", "words", "numbers", "direction", "turns", "eras",
        "pairs", "safety", "absent", "editions", "support", "aligned", "quoted",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "+" + "a" * 300_000,
        "+ " + "from a to " * 30_000,
        "\n".join(["+ ignore rule " * 40] * 500),
        "+" + "`" * 300_000,
        "+" + "1,234," * 50_000,
        "+" + "忽略你是" * 75_000,
        "+" + "a_" * 150_000,
        "+ " + " " * 300_000,
        "\n".join(f"+    value_{i} = compute({i}, mode={i % 7})" for i in range(8000)),
    ],
)
def test_large_and_hostile_evidence_is_judged_in_linear_time(text: str) -> None:
    case = replace(CASE, pieces=(CASE.pieces[0], replace(CASE.pieces[1], text=f"{PATCH}\n{text}")), context=text)
    start = time.process_time()
    assert judge(GOOD, case, load()).statement is not None
    first = time.process_time() - start
    for _ in range(5):
        judge(GOOD, case, load())
    assert first < 3  # about 0.2 s on an idle machine; quadratic time would be minutes
    assert time.process_time() - start - first < 3


@pytest.mark.parametrize("number", ["1e9999999", "1e999999", "9" * 100_000, "a threefold gain", "三倍", "1e-9999999"])
def test_no_number_of_the_evidence_takes_a_statement_away(number: str) -> None:
    message = replace(CASE.pieces[0], text=f"{MESSAGE}\n{number}")
    assert judge(GOOD, replace(CASE, pieces=(message, CASE.pieces[1])), load()).statement is not None


def test_a_number_of_a_million_digits_is_not_written_out() -> None:
    assert value("1e999999") == "1e999999"
    assert [value(text) for text in ("16,384", "0.10", "1e3")] == ["16384", "0.1", "1000"]


BITS = [
    "`",
    "{file:1}",
    "{",
    "}",
    "新增",
    "Adds ",
    "`--seed`",
    "10",
    "30 s",
    "(",
    ")",
    "（MM）",
    "\u200b",
    "<b>",
    "\n",
    "from 10 to 30",
    "不变",
    "→",
    "no longer ",
    "\ud800",
    ".",
    "。",
    "1e999",
    "1e9999999",
    " threefold ",
    "9" * 400,
    "TP (x y)",
    "0.1.2",
    "-",
    "",
    "[](",
    "é",
    "が",
    "\x00",
    "%",
    "…",
]


@pytest.mark.parametrize("seed", range(4))
def test_no_text_makes_it_raise(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(150):
        texts = {x: "".join(rng.choices(BITS, k=rng.randrange(12))) for x in ("zh", "en")}
        piece = Piece(
            "D1",
            "file:x",
            "".join(rng.choices([*BITS, "\n+", "\n-"], k=30)),
            {"file:1": "".join(rng.choices(BITS, k=2))},
        )
        case = replace(CASE, pieces=(CASE.pieces[0], piece), context=piece.text)
        role = rng.choice(("what", "why", "impact", "risk", "action"))
        draft = Draft(role, texts, ("M1", "D1"), "".join(rng.choices(BITS, k=2)))  # type: ignore[arg-type]
        found = judge(draft, case, load())
        assert (found.statement is None) == bool(found.reason)
        if found.reason not in ("language_missing", "unknown_placeholder"):
            # The first objection counts; the checks behind it have to bear the same text.
            claim = claim_of(draft, case, load())
            faults = [fault for check in CHECKS.values() if (fault := check.fault(claim))]
            assert {fault.reason for fault in faults} <= set(REASONS)

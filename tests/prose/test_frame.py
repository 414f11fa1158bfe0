"""The frame on made evidence: names and numbers that stand in the change, sides of its lines, effects that somebody speaks of."""

from __future__ import annotations

import pytest

from daybreak.core.model.drafts import Case, Draft, Piece, Span
from daybreak.prose.frame import Frame
from daybreak.prose.plain_sentence import form_fault

FAR = "\n".join(f" filler_{n}()" for n in range(40))
DIFF = f"""@@ -10,9 +10,12 @@ def add_options(parser):
     parser.add_argument(
+        "--side-port",
+        default=5600,
     )
-    seed: int = 1024
+    seed: Optional[int] = None
{FAR}
     parser.add_argument(
         "--port",
         default=8000,  # memory is taken here
     )
@@ -90,6 +95,4 @@ class Controller:
-        attn_rank: int = 0,
-        attn_size: int = 1,
+        pool: Pool,
"""
CASE = Case(
    "c0ffee",
    "acme/engine",
    (Piece("M1", "commit:c0ffee", "Change the options"), Piece("D1", "file:c0ffee:a.py", DIFF)),
    (),
    DIFF,
)
PORT, OLD_SEED, NEW_SEED, GONE = (
    '+        "--side-port",',
    "-    seed: int = 1024",
    "+    seed: Optional[int] = None",
    "-        attn_rank: int = 0,",
)


def reason(zh: str, en: str, *lines: str) -> str:
    return Frame(CASE).fate(Draft("what", {"zh": zh, "en": en}, tuple(Span("D1", line) for line in lines))).reason


@pytest.mark.parametrize(("value", "why"), [("5600", ""), ("8000", ""), ("9000", "name_not_in_evidence")])
def test_a_value_stands_in_the_change_and_of_what_it_is_the_value_the_critic_says(value: str, why: str) -> None:
    assert reason(f"`--side-port` 默认是 `{value}`。", f"`--side-port` defaults to `{value}`.", PORT) == why


def test_a_switch_that_has_one_of_two_values_has_the_other() -> None:
    one = Piece("D1", "file:c0ffee:a.py", "@@ -1 +1 @@\n+    discard: bool = True\n+    level: int = 3\n")
    frame = Frame(Case("c0ffee", "acme/engine", (one,)))
    for value, why in (("False", ""), ("None", "name_not_in_evidence")):
        text = {
            "zh": f"`discard` 为 `{value}` 时会保存尾部。",
            "en": f"With `discard` set to `{value}`, the tail is kept.",
        }
        assert frame.fate(Draft("what", text, (Span("D1", "+    discard: bool = True"),))).reason == why


def test_the_release_that_every_reader_is_told_of_needs_no_line_of_its_own() -> None:
    pieces = (
        *CASE.pieces,
        Piece("R1", "commit:c0ffee", "release v0.21.0, the newest without this commit, has nothing"),
    )
    text = {"zh": "`--side-port` 在 v0.21.0 中还没有。", "en": "`--side-port` is not in v0.21.0 yet."}
    assert Frame(Case("c0ffee", "acme/engine", pieces)).fate(Draft("what", text, (Span("D1", PORT),))).reason == ""


@pytest.mark.parametrize("en", ["Set `--side-port`.", "Set another port for the side."])
def test_advice_may_do_without_a_name_of_the_code(en: str) -> None:
    zh = en.replace("Set", "请设置").replace("another port for the side", "另一个 side port").replace(".", "。")
    assert Frame(CASE).fate(Draft("action", {"zh": zh, "en": en}, (Span("D1", PORT),))).reason == ""


def test_a_name_of_another_file_of_the_change_needs_no_line_and_is_shown_by_the_piece_that_has_it() -> None:
    other = Piece("D2", "file:c0ffee:b.py", '@@ -1 +1 @@\n+    if os.environ.get("SIDE", "0") == "1":\n')
    text = {"zh": "`SIDE=1` 时监听 `--side-port`。", "en": "With `SIDE=1`, `--side-port` is listened on."}
    fate = Frame(Case("c0ffee", "acme/engine", (*CASE.pieces, other))).fate(Draft("what", text, (Span("D1", PORT),)))
    assert fate.statement is not None
    assert "file:c0ffee:b.py" in fate.statement.evidence


@pytest.mark.parametrize(("number", "why"), [("5600", ""), ("8000", ""), ("8001", "number_not_in_evidence")])
def test_a_number_stands_in_the_change(number: str, why: str) -> None:
    assert reason(f"`--side-port` 监听 {number} 端口。", f"`--side-port` listens on port {number}.", PORT) == why


@pytest.mark.parametrize(("before", "after", "why"), [("1024", "None", ""), ("None", "1024", "only_removed")])
def test_what_took_whose_place_is_read_from_the_sides_of_the_cited_lines(before: str, after: str, why: str) -> None:
    zh, en = f"`seed` 由 `{before}` 改为 `{after}`。", f"`seed` changes from `{before}` to `{after}`."
    assert reason(zh, en, OLD_SEED, NEW_SEED) == why


def test_a_word_of_which_an_effect_is_only_a_part_is_no_word_for_it() -> None:
    changed = Case("c0ffee", "acme/engine", (Piece("M1", "commit:c0ffee", "Change the title of the room"),), (), "")
    for zh, en in (
        ("服务会挂起。", "The title room of the server hangs."),
        ("标题处出现 OOM。", "The title of the room goes OOM."),
    ):
        fate = Frame(changed).fate(Draft("why", {"zh": zh, "en": en}, (Span("M1", "Change the title of the room"),)))
        assert fate.reason == "effect_not_in_evidence"


def test_a_line_that_stands_thousands_of_times_is_looked_at_in_few_places() -> None:
    text = "@@ -1,9 +1,9 @@\n" + "+        return x\n" * 20_000
    many = Case(
        "c0ffee",
        "acme/engine",
        (Piece("M1", "commit:c0ffee", "Return"), Piece("D1", "file:c0ffee:a.py", text)),
        (),
        text,
    )
    draft = Draft("what", {"zh": "新增返回 `x`。", "en": "Adds a return of `x`."}, (Span("D1", "+        return x"),))
    assert Frame(many).fate(draft).statement is not None


def test_the_head_of_a_hunk_can_be_cited_for_the_class_that_it_names() -> None:
    zh, en = "`Controller` 得到参数 `pool`。", "`Controller` now takes `pool`."
    assert reason(zh, en, "@@ -90,6 +95,4 @@ class Controller:", "+        pool: Pool,") == ""
    assert reason(zh, en, "@@ -90,6 +95,4 @@ class Driver:", "+        pool: Pool,") != ""


@pytest.mark.parametrize("version", ["2.13.0.dev", "v0.6.8.dev", "2.13.0.dev20260401"])
def test_a_version_is_no_link(version: str) -> None:
    assert form_fault(f"With torch {version} the build stops.", "en") is None
    assert form_fault(f"torch 为 {version} 时构建会停止。", "zh") is None


@pytest.mark.parametrize("host", ["163.com", "docs.example.dev", "1.example.dev"])
def test_a_host_is_a_link_also_where_it_begins_with_a_number(host: str) -> None:
    fault = form_fault(f"With {host} the build stops.", "en")
    assert fault is not None
    assert fault.reason == "markup"


@pytest.mark.parametrize(
    ("zh", "en", "why"),
    [
        ("ACME 新增 `--side-port`。", "ACME takes `--side-port`.", ""),
        ("非 CUDA 设备上可用 `--side-port`。", "On non-CUDA devices `--side-port` is taken.", ""),
        ("`except seed` 不再成立。", "`except seed` no longer holds.", ""),
        ("`--side-port` 曾触发段错误。", "`--side-port` made it segfault.", "effect_not_in_evidence"),
        ("`--side-port` 快两倍。", "`--side-port` is twice as quick.", "effect_not_in_evidence"),
    ],
)
def test_the_projects_name_and_words_of_the_language_need_no_line_and_a_symptom_or_measure_does(
    zh: str, en: str, why: str
) -> None:
    assert reason(zh, en, PORT, OLD_SEED, NEW_SEED) == why


@pytest.mark.parametrize(
    ("zh", "en", "why"),
    [
        ("`Controller` 少了 1 个参数。", "`Controller` has one parameter less.", ""),
        ("`Controller` 少了一个参数。", "`Controller` has 1 parameter less.", ""),
        ("`Controller` 少了 1 个参数。", "`Controller` has two parameters less.", "languages_differ"),
        ("`Controller` 在非 0 的 rank 上没有参数。", "On a non-zero rank, `Controller` has no parameter.", ""),
        ("`Controller` 少了 0 个参数。", "`Controller` has no parameter less.", "languages_differ"),
    ],
)
def test_a_small_number_may_be_a_word_in_one_language_and_no_other_number_may(zh: str, en: str, why: str) -> None:
    assert reason(zh, en, "-        attn_size: int = 1,") == why


@pytest.mark.parametrize(
    ("zh", "en", "why"),
    [
        ("`limit` 的上限是 10 万。", "`limit` may be 100K at most.", ""),
        ("`limit` 的上限是 10 万。", "`limit` may be 100,000 at most.", ""),
        ("`limit` 的上限是 100 万。", "`limit` may be 1M at most.", "number_not_in_evidence"),
        ("`limit` 至少是 4。", "`limit` is 4 at least.", ""),
        ("`limit` 至少是 40。", "`limit` is 40 at least.", "number_not_in_evidence"),
        ("`limit` 对应 --limit。", "`limit` is --limit.", "name_not_in_evidence"),
    ],
)
def test_one_number_is_written_in_several_ways_and_another_stays_another(zh: str, en: str, why: str) -> None:
    line = "+    limit = clamp(limit, 4.0, 100_000)  # at most 100K"
    case = Case("0" * 40, "acme/x", (Piece("D1", "file:c0ffee:a.py", f"@@ -1 +1 @@\n{line}\n"),), (), "")
    assert Frame(case).fate(Draft("what", {"zh": zh, "en": en}, (Span("D1", line),))).reason == why


@pytest.mark.parametrize(("word", "why"), [("SIDE-loaded", ""), ("MAX-loaded", "name_not_in_evidence")])
def test_of_a_word_with_a_hyphen_the_part_that_is_a_name_needs_the_evidence(word: str, why: str) -> None:
    assert reason(f"`--side-port` 是 {word} 的端口。", f"`--side-port` is a {word} port.", PORT) == why


@pytest.mark.parametrize(
    ("en", "why"),
    [
        ("The port is dropped while `--side-port` is set.", ""),
        ("The port is deleted only after `--side-port` was read.", ""),
        ("The old port is gone: it drops the `--side-port` option.", "only_added"),
    ],
)
def test_what_stands_behind_a_conjunction_is_not_what_goes(en: str, why: str) -> None:
    assert reason("选项 `--side-port` 与端口有关。", en, PORT) == why


def test_an_option_that_stands_in_the_tree_alone_is_proved_by_its_own_line() -> None:
    tree = Piece("T1", "commit:c0ffee", 'elsewhere:\nio.py: if args.export_rows:\nargs.py: "--export-rows-to-file",')
    frame = Frame(Case("c0ffee", "acme/engine", (*CASE.pieces, tree)))
    text = {
        "zh": "用 `--export-rows-to-file` 时端口是别的。",
        "en": "With `--export-rows-to-file` the port is another.",
    }
    said = frame.fate(Draft("what", text, (Span("D1", PORT), Span("T1", "if args.export_rows:")))).statement
    assert said is not None
    assert 'args.py: "--export-rows-to-file",' in [one.line for one in said.proof]

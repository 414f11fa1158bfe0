"""Statements: exact words in both languages, and nothing of outside but in backticks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from analyse.impacted import Row, hits_of
from daybreak.core.model.changes import FileChange
from daybreak.core.model.findings import Alias, Finding, Reading
from daybreak.core.model.statements import Level
from daybreak.core.text import plain
from daybreak.core.words.grammar import MAX_CODE, code
from daybreak.findings.kinds import kinds
from daybreak.judge.action_words import tell
from daybreak.judge.breaking import said_by
from daybreak.judge.phrases import affected, remedy, side, what
from daybreak.judge.rules import statements
from read.made import SHA, change_of, patch_of, read_one

ARGS = "python/engine/server_args.py"
PROTOCOL = "engine/protocol.py"


def told(patches: dict[str, str], level: Level = "high", **fields: Any) -> list[tuple[str, str, str]]:
    change = change_of(patches, **fields)
    return [(s.role, s.text["zh"], s.text["en"]) for s in statements(change, read_one(change), level)]


def test_of_what_no_release_had_nobody_is_advised_and_it_says_so() -> None:
    change = change_of({ARGS: patch_of('    p.add_argument("--kv", default=1)\n', "")})
    reading = read_one(change)
    found = statements(change, reading, "high", had=replace(reading, findings=()))
    assert [s.role for s in found] == ["what", "impact"]
    assert (
        found[1].text["en"]
        == "The newest release never had `--kv`; as far as that goes, only users of the branch are affected."
    )


def test_a_name_that_a_release_has_in_another_form_was_there() -> None:
    change = change_of({ARGS: patch_of('    p.add_argument("--kv", default=1)\n', "")})
    reading = read_one(change)
    had = replace(reading, findings=tuple(replace(f, before="--kv of another type") for f in reading.findings))
    assert not any("never had" in one.text["en"] for one in statements(change, reading, "high", had=had))


def test_a_name_that_comes_with_the_change_is_no_ground_to_spare_users_of_a_release() -> None:
    change = change_of({PROTOCOL: patch_of("a()\n", "b()\n")})
    asks = Finding(f"{SHA[:12]}/1", "extension_method_added", PROTOCOL, 1, "Serving.processor", breaking=True)
    reading = Reading(SHA, findings=(asks,))
    found = statements(change, reading, "high", had=replace(reading, findings=()))
    assert not any("only users of the branch" in one.text["en"] for one in found)


def test_a_removed_flag() -> None:
    files = {ARGS: patch_of('    p.add_argument("--kv", default=1)\n', "")}
    assert told(files) == [
        ("what", "删除命令行参数 `--kv`，未保留兼容别名（`python/engine/server_args.py`）。", "Removes the command line option `--kv`, no alias is kept (`python/engine/server_args.py`)."),
        ("impact", "启动命令或部署脚本里用到 `--kv` 的部署会受影响。", "Deployments whose launch commands use `--kv` are affected."),
        ("action", "升级前删去该参数。", "Remove the option before upgrading."),
    ]  # fmt: skip


def test_changed_choices() -> None:
    files = {
        ARGS: patch_of(
            '    p.add_argument("--fp4", choices=["auto", "cudnn"])\n',
            '    p.add_argument("--fp4", choices=["auto", "fi_cudnn"])\n',
        )
    }
    assert told(files) == [
        ("what", "`--fp4`：删除取值 `cudnn`；新增取值 `fi_cudnn`，未保留兼容别名（`python/engine/server_args.py`）。", "`--fp4`: removes `cudnn`; adds `fi_cudnn`, no alias is kept (`python/engine/server_args.py`)."),
        ("impact", "启动命令里仍写 `cudnn` 的部署会受影响。", "Deployments whose launch commands still say `cudnn` are affected."),
        ("action", "改用 `fi_cudnn`。", "Use `fi_cudnn` instead."),
    ]  # fmt: skip


def test_a_changed_default() -> None:
    files = {
        ARGS: patch_of('    p.add_argument("--kv", default=1)\n', '    p.add_argument("--kv", default=2)\n'),
    }
    assert told(files, "medium") == [
        ("what", "`--kv` 的默认值：`1` → `2`（`python/engine/server_args.py`）。", "Default of `--kv`: `1` → `2` (`python/engine/server_args.py`)."),
    ]  # fmt: skip


def test_values_that_are_too_long_to_be_shown_are_said_to_have_changed() -> None:
    """The reader keeps a digest of them, which tells nobody anything."""
    found = Finding(
        "a/1", "field_default_changed", "engine/args.py", 1, "EngineConfig.names", "…2049c91b967f", "…edaa437be0b8"
    )
    (phrase,) = what([found], 5)
    assert phrase.text["zh"] == "`EngineConfig.names` 的默认值有改动（`engine/args.py`）。"
    assert phrase.text["en"] == "Default of `EngineConfig.names` changes (`engine/args.py`)."
    assert remedy([found]) is None
    assert affected([found]) is not None


TURNED = sorted(
    kind.name
    for kind in kinds().values()
    if kind.change == "default_changed" and "{b}" in (kind.words.what or {}).get("en", "{b}")
)
"""Kinds that tell a value before and one after; what only came is a literal."""


@pytest.mark.parametrize("kind", TURNED)
def test_no_default_is_told_by_a_digest(kind: str) -> None:
    (phrase,) = what([Finding("a/1", kind, "a.py", 1, "x", "…2049c91b967f", "…edaa437be0b8")], 5)
    assert "…" not in phrase.text["zh"] + phrase.text["en"]


def test_a_model_that_has_another_name_now_is_told_with_it() -> None:
    gone = Finding("a/1", "model_removed", "engine/registry.py", 1, "SayASRModel", "SayASRModel", None, True)
    with_heir = replace(gone, alias=Alias("none", "SayAsrModel"))
    assert remedy([with_heir]) == {"zh": "改用 `SayAsrModel`", "en": "use `SayAsrModel` instead"}
    assert remedy([gone]) == remedy([with_heir, with_heir]) != remedy([with_heir])


def test_several_of_a_kind_are_one_sentence() -> None:
    files = {ARGS: patch_of("", '    p.add_argument("--a-b")\n    p.add_argument("--c-d")\n')}
    assert told(files, "low") == [
        ("what", "新增命令行参数 `--a-b`、`--c-d`（`python/engine/server_args.py`）。", "Adds the command line options `--a-b` and `--c-d` (`python/engine/server_args.py`)."),
    ]  # fmt: skip


def field(symbol: str, number: int = 1, kind: str = "request_field_removed") -> Finding:
    values: tuple[str | None, str | None] = ("1", "2") if kind.endswith("default_changed") else (symbol, None)
    breaking = kind.endswith("removed")
    return Finding(
        f"{SHA[:12]}/{number}", kind, PROTOCOL, 3, symbol, *values, breaking, Alias("none") if breaking else None
    )


def said(*found: Finding) -> list[tuple[str, str, str]]:
    change = change_of({PROTOCOL: patch_of("a\n", "b\n")})
    return [(s.role, s.text["zh"], s.text["en"]) for s in statements(change, Reading(SHA, findings=found), "high")]


def test_a_field_of_an_answer_is_told_to_those_who_read_it() -> None:
    assert said(field("ErrorResponse.param"), field("ErrorResponse.code", 2)) == [
        ("what", "响应删除字段 `ErrorResponse.param`、`ErrorResponse.code`，未保留兼容别名（`engine/protocol.py`）。", "Removes the response fields `ErrorResponse.param` and `ErrorResponse.code`, no alias is kept (`engine/protocol.py`)."),
        ("impact", "读取 `ErrorResponse.param`、`ErrorResponse.code` 的客户端会受影响。", "Clients that read `ErrorResponse.param` and `ErrorResponse.code` are affected."),
        ("action", "升级前改掉对该字段的读取。", "Stop reading the field before upgrading."),
    ]  # fmt: skip


def test_a_field_of_a_request_is_told_to_those_who_send_it() -> None:
    assert said(field("ChatRequest.best_of")) == [
        ("what", "请求删除字段 `ChatRequest.best_of`，未保留兼容别名（`engine/protocol.py`）。", "Removes the request field `ChatRequest.best_of`, no alias is kept (`engine/protocol.py`)."),
        ("impact", "发送 `ChatRequest.best_of` 的客户端会受影响。", "Clients that send `ChatRequest.best_of` are affected."),
        ("action", "升级前去掉该字段。", "Drop the field before upgrading."),
    ]  # fmt: skip


def test_where_the_class_does_not_say_both_are_named() -> None:
    assert said(field("ResponseFormat.type"))[:2] == [
        ("what", "请求或响应删除字段 `ResponseFormat.type`，未保留兼容别名（`engine/protocol.py`）。", "Removes the request or response field `ResponseFormat.type`, no alias is kept (`engine/protocol.py`)."),
        ("impact", "发送或读取 `ResponseFormat.type` 的客户端会受影响。", "Clients that send or read `ResponseFormat.type` are affected."),
    ]  # fmt: skip


def test_fields_of_requests_and_of_answers_are_not_told_in_one_sentence() -> None:
    found = field("ChatRequest.n"), field("ChatResponse.n", 2)
    assert [(role, zh) for role, zh, _ in said(*found) if role != "action"] == [
        ("what", "请求删除字段 `ChatRequest.n`，未保留兼容别名（`engine/protocol.py`）。"),
        ("what", "响应删除字段 `ChatResponse.n`，未保留兼容别名（`engine/protocol.py`）。"),
        ("impact", "发送 `ChatRequest.n` 的客户端会受影响。"),
        ("impact", "读取 `ChatResponse.n` 的客户端会受影响。"),
    ]
    assert not any("ChatResponse" in part["en"] for part in tell(found, 2) if part)


@pytest.mark.parametrize(
    ("kind", "zh", "en"),
    [
        ("request_field_added", "响应新增字段 `AResponse.n`（`engine/protocol.py`）。", "Adds the response field `AResponse.n` (`engine/protocol.py`)."),
        ("request_field_default_changed", "响应字段 `AResponse.n` 的默认值：`1` → `2`（`engine/protocol.py`）。", "Default of the response field `AResponse.n`: `1` → `2` (`engine/protocol.py`)."),
    ],
)  # fmt: skip
def test_new_fields_and_defaults_of_an_answer(kind: str, zh: str, en: str) -> None:
    assert said(field("AResponse.n", kind=kind)) == [("what", zh, en)]


def test_a_reason_names_the_side_too() -> None:
    read, sent = (said_by(field(f"{owner}.n")).text for owner in ("ChatResponse", "ChatRequest"))
    assert read == {"zh": "删除响应字段 `ChatResponse.n`", "en": "removes response field `ChatResponse.n`"}
    assert sent == {"zh": "删除请求字段 `ChatRequest.n`", "en": "removes request field `ChatRequest.n`"}
    default = said_by(field("ChatResponse.n", kind="request_field_default_changed"))
    assert default.text["zh"] == "响应字段 `ChatResponse.n` 的默认值：`1` → `2`"


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        ("ChatCompletionRequest", "sent"), ("ResponsesRequest", "sent"), ("GenerateReqInput", "sent"), ("ChatRequestMixin", "sent"),
        ("BatchRequestInput", "sent"), ("ErrorResponse", "read"), ("ResponsesResponse", "read"), ("FlushReqOutput", "read"),
        ("BatchRequestOutput", "read"), ("StreamResponseChunk", "read"), ("ChatResponseStreamChoice", "read"), ("PoolingResponseData", "read"),
        ("ResponseFormat", None), ("RequestResponseMetadata", None), ("ResponseTool", None),
    ],
)  # fmt: skip
def test_the_name_of_a_class_says_whether_clients_send_or_read_it(owner: str, expected: str | None) -> None:
    assert side(field(f"{owner}.n")) == expected
    assert side(field(f"{owner}.n", kind="field_removed")) is None


def test_a_client_that_sends_a_field_does_not_meet_one_of_an_answer() -> None:
    code = 'import requests\n\nrequests.post(u + "/v1/score", json={"softmax": 1})\n'
    hits = {}
    for owner in ("ScoreRequest", "ScoreResponse"):
        name = f"{owner}.softmax"
        row = Row(owner, code, ("request_field_removed", "vllm/entrypoints/openai/protocol.py", name, name, None), "")
        hits[owner] = len(hits_of(row))
    assert hits == {"ScoreRequest": 1, "ScoreResponse": 0}


def test_a_submodule_shows_no_sha() -> None:
    patch = f"@@ -1 +1 @@\n-Subproject commit {'1' * 40}\n+Subproject commit {'2' * 40}"
    link = FileChange(
        path="3rdparty/cutlass", status="M", old_mode="160000", new_mode="160000", patch=patch, added=1, deleted=1
    )
    assert told({}, "low", files=(link,), files_total=1) == [
        ("what", "子模块 `3rdparty/cutlass` 指向新的提交。", "The submodule `3rdparty/cutlass` points to a new commit.")
    ]


def test_how_large_a_change_is_and_where_is_no_statement() -> None:
    assert told({"engine/moe/topk.py": patch_of("a\n", "b\n")}, "low") == []
    files = {"engine/moe/topk.py": patch_of("a\n", "b\nc\n"), "engine/moe/x.py": patch_of("a\n", "b\n")}
    assert told(files, "medium") == []


@pytest.mark.parametrize(
    ("fields", "zh", "en"),
    [
        ({"empty": True}, "提交为空：树与父提交相同。", "An empty commit: its tree equals its parent's."),
        (
            {"skipped": "missing blob"},
            "内容未能读取：`missing blob`。",
            "Its content could not be read: `missing blob`.",
        ),
        (
            {"filtered": True},
            "不在关注的路径内；改动 0 个文件（+0 −0）。",
            "Outside the watched paths; 0 files changed (+0 −0).",
        ),
        (
            {"merged": ("c" * 40, "d" * 40)},
            "合并提交，带入 2 个提交；相对第一父提交改动 0 个文件（+0 −0）。",
            "A merge that brings in 2 commits; against its first parent, 0 files changed (+0 −0).",
        ),
    ],
)
def test_changes_of_which_only_the_form_is_told(fields: dict[str, object], zh: str, en: str) -> None:
    assert told({}, "low", **fields) == [("what", zh, en)]


def test_what_was_not_seen_is_said() -> None:
    cut = FileChange(path="a.py", status="M", added=9, patch="", patch_cut=True)
    lost = FileChange(path="b.py", status="M", skipped="missing")
    found = told({}, "medium", files=(cut, lost), files_total=5)
    assert [zh for role, zh, _ in found if role == "risk"] == [
        "有 1 个文件的 diff 超过读取上限，只读了开头的 hunk。",
        "有 1 个文件的内容未能读取。",
        "文件过多，只读了前 2 个。",
    ]


def test_evidence_names_commit_and_findings() -> None:
    change = change_of({ARGS: patch_of('    p.add_argument("--kv")\n', "")})
    first = statements(change, read_one(change), "high")[0]
    assert first.evidence == (f"commit:{SHA}", f"finding:{SHA[:12]}/1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a`b", "`a'b`"),
        (" a\n\tb ", "`a b`"),
        ("a\u202eb\u200bc\x1b[31m", "`abc[31m`"),
        ("", "`?`"),
        ("x" * 200, "`" + "x" * 119 + "…`"),
        ("中文 ok", "`中文 ok`"),
    ],
)
def test_code(text: str, expected: str) -> None:
    assert code(text) == expected


@given(st.text())
def test_code_is_one_safe_word_that_the_check_finds_again(text: str) -> None:
    found = code(text)
    inside = found[1:-1]
    assert "`" not in inside
    assert inside.isprintable() or any(ord(c) > 127 for c in inside)
    assert len(inside) <= MAX_CODE
    if inside != "?":
        assert plain(inside).removesuffix("…").rstrip() in plain(text) or inside in plain(text)

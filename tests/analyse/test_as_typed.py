"""An old default is told in the form in which one types it: a reader who wants it back copies it."""

from __future__ import annotations

import pytest

from daybreak.core.model.findings import Finding
from daybreak.judge.as_typed import as_typed, kept
from daybreak.judge.phrases import remedy

PROTOCOL = "engine/entrypoints/openai/protocol.py"


def default(kind: str, symbol: str, before: str, path: str = "engine/config.py") -> Finding:
    return Finding("1/1", kind, path, 1, symbol, before=before, after="x")


@pytest.mark.parametrize(
    ("kind", "symbol", "before", "typed"),
    [
        ("env_default_changed", "ENGINE_SPEC", "False", "ENGINE_SPEC=0"),
        ("env_default_changed", "ENGINE_CUDA", "1.10", "ENGINE_CUDA=1.10"),
        ("env_default_changed", "ENGINE_CACHE_MB", "4 * 1024", "ENGINE_CACHE_MB=4096"),
        ("env_default_changed", "ENGINE_BACKEND", '"auto"', "ENGINE_BACKEND=auto"),
        ("cli_default_changed", "--policy", '"best effort"', "--policy 'best effort'"),
        ("cli_default_changed", "--x", '"a $(c)"', "--x 'a $(c)'"),
        ("env_default_changed", "ACME_X", '"a;rm -rf ~"', "ACME_X='a;rm -rf ~'"),
        ("cli_default_changed", "--chunk-size", "8192", "--chunk-size 8192"),
        ("cli_default_changed", "--eager", "True", "--eager"),
        ("field_default_changed", "LoadConfig.strategy", '"lazy"', 'strategy="lazy"'),
        ("parameter_default_changed", "Engine.run(seed)", "-1", "seed=-1"),
    ],
)
def test_an_old_value_is_written_as_one_types_it(kind: str, symbol: str, before: str, typed: str) -> None:
    found = as_typed(default(kind, symbol, before))
    assert found is not None
    assert found.text == typed


def test_what_clients_send_is_json_whatever_its_class_is_called() -> None:
    for kind, path in (("field_default_changed", PROTOCOL), ("request_field_default_changed", "engine/server.py")):
        text = kept([default(kind, "StreamOptions.include_usage", "True", path)])
        assert text is not None
        assert text["en"] == 'send `"include_usage": true` in the request to keep the old default'


@pytest.mark.parametrize(
    ("kind", "symbol", "before"),
    [
        ("cli_default_changed", "--eager", "False"),
        ("field_default_changed", "Config.pool", "make_pool()"),
        ("field_default_changed", "Config.pool", "None"),
        ("env_added", "ENGINE_SPEC", "1"),
    ],
)
def test_what_cannot_be_typed_is_not_made_up(kind: str, symbol: str, before: str) -> None:
    """How a switch is turned off that is on now, only its parser says; what a call gives nobody can write down."""
    assert as_typed(default(kind, symbol, before)) is None


def test_several_old_values_are_told_together_where_all_are_set_in_one_place() -> None:
    one, other = default("env_default_changed", "A_ON", "True"), default("env_default_changed", "B_ON", "False")
    text = kept([one, other])
    assert text is not None
    assert text["en"] == "set `A_ON=1` and `B_ON=0` to keep the old default"
    assert kept([one, default("cli_default_changed", "--n", "1")]) is None


@pytest.mark.parametrize("kind", ["env_default_changed", "cli_default_changed", "field_default_changed"])
def test_an_empty_text_is_no_value_to_go_back_to(kind: str) -> None:
    finding = default(kind, "--log-format" if kind.startswith("cli") else "LOG_FORMAT", '""')
    assert as_typed(finding) is None
    assert remedy([finding]) is None
    assert remedy([default(kind, finding.symbol, '"json"')]) is not None

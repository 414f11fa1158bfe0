"""`daybreak mcp` as a command: what it refuses before it starts, and what it needs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from daybreak.cli import main
from daybreak.core.http import is_loopback


def test_host_and_port_go_with_http(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--port", "1"]) == 2
    assert "--host and --port go with --http" in capfd.readouterr().err


def test_without_a_config_it_says_where_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["mcp"]) == 2
    said = capfd.readouterr()
    assert "There is no daybreak.toml." in said.err
    assert said.out == ""


def test_without_the_package_it_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *rest: None if name == "mcp" else real(name, *rest))
    assert main(["mcp", "--config", str(tmp_path / "daybreak.toml")]) == 2
    assert "[mcp]" in capfd.readouterr().err


def test_other_machines_need_a_token(week: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--http", "--host", "0.0.0.0", "--port", "0", "--config", str(week / "daybreak.toml")]) == 2
    assert "DAYBREAK_TOKEN must be set" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("127.0.0.1.evil.example", False),
        ("127.evil.example", False),
        ("10.0.0.1", False),
    ],
)
def test_only_this_machine_is_this_machine(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback

"""A real model that talks nonsense: the demo's fullest day comes out complete, and nothing false gets through."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from daybreak.demo import week
from demo_week import whole_copy
from real_model import RealModel, missing, real_model

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=missing() or "it is there"),
    pytest.mark.timeout(1200),  # it thinks as fast as the machine lets it
]

DAY = week.SHOWCASE
PROMPT, ANSWER = 300, 150
KEY = "SMOL_KEY"


@pytest.fixture(scope="module")
def served() -> Iterator[RealModel]:
    with real_model() as found:
        yield found


@pytest.fixture(scope="module", params=[1, pytest.param(6, marks=pytest.mark.soak)], ids=["one", "six"])
def asked(request: pytest.FixtureRequest) -> int:
    """How many changes it may be asked about."""
    found: int = request.param
    return found


@pytest.fixture(scope="module")
def told(served: RealModel, asked: int, demo_week: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's folder, with that day reported again by the model."""
    folder = tmp_path_factory.mktemp("real") / "demo"
    whole_copy(demo_week, folder)
    with (folder / "daybreak.toml").open("a", encoding="utf-8") as config:
        config.write(
            f'\n[analyst]\nkind = "llm"\nbase_url = "{served.url}"\nmodel = "{served.model}"\napi_key_env = "{KEY}"\n'
            f"context = {PROMPT + ANSWER}\nslots = 2\ntimeout = 900.0\n[analyst.budget]\nchanges = {asked}\nparts = 1\n"
        )
    done = subprocess.run(
        [sys.executable, "-m", "daybreak", "run", "--date", DAY, "--config", str(folder / "daybreak.toml")],
        capture_output=True, text=True, check=False, env={**os.environ, KEY: served.key},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def data(told: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((told / "reports" / f"{DAY}.json").read_text(encoding="utf-8"))
    return found


def test_the_report_is_complete(data: dict[str, Any]) -> None:
    assert data["coverage"]["commits_reported"] == data["coverage"]["commits_in_git"]
    assert data["coverage"]["skipped"] == []
    assert all(commit["statements"] for repo in data["repos"] for commit in repo["commits"])


def test_so_many_changes_were_asked_about_within_the_limits(told: Path, asked: int, data: dict[str, Any]) -> None:
    retelling = data["retelling"]
    reached = retelling["told"] + sum(
        one["why"] in ("rules", "fault") and bool(one["sha"]) for one in retelling["left"]
    )
    assert reached == asked
    assert sum(one["why"] == "budget" for one in retelling["left"]) > 0
    first_tries = [one for one in kept(told) if one["requests"] == 1]
    assert len(first_tries) >= asked
    assert max(one["prompt_tokens"] for one in first_tries) <= PROMPT
    assert max(one["completion_tokens"] for one in first_tries) <= ANSWER


def kept(told: Path) -> list[dict[str, int]]:
    """What the server counted for each answer, as the store has it."""
    with closing(sqlite3.connect(told / ".daybreak" / "daybreak.db")) as store:
        rows = store.execute("select body from model_answers").fetchall()
    return [json.loads(zlib.decompress(body))["usage"] for (body,) in rows]


def facts(told: Path, repo: str, sha: str) -> str:
    """Everything that git itself says of a commit, asked without any of our code."""
    upstream = told / "upstreams" / f"{repo.split('/')[1]}.git"
    shown = subprocess.run(
        ["git", "-C", str(upstream), "show", "--no-color", "--first-parent", "-m", sha],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return " ".join(shown.stdout.split())


def test_no_statement_fails_an_independent_check(told: Path, data: dict[str, Any]) -> None:
    for repo in data["repos"]:
        for commit in repo["commits"]:
            known = facts(told, repo["name"], commit["sha"]) + " ".join(f["path"] for f in commit["files"])
            for statement in commit["statements"]:
                if statement["author"] != "model":
                    continue
                zh, en = statement["text"]["zh"], statement["text"]["en"]
                assert statement["evidence"]
                assert re.search(r"[\u4e00-\u9fff]", zh)
                assert not re.search(r"[\u4e00-\u9fff]", re.sub(r"`[^`]*`", "", en))
                for text in (zh, en):
                    assert all(" ".join(word.split()) in known for word in re.findall(r"`([^`]*)`", text))
                    assert all(number in known for number in re.findall(r"\d+", text))
                    assert not re.search(r"https?://|<|!\[", text)


def test_the_appendix_shows_what_was_dropped(told: Path, data: dict[str, Any]) -> None:
    grounding = data["retelling"]["grounding"]
    assert grounding["dropped"] > 0
    assert sum(grounding["by_reason"].values()) == grounding["dropped"]
    page = (told / "reports" / f"{DAY}.en.md").read_text(encoding="utf-8")
    assert f"by a model (`{data['analyst']['model']}`): {grounding['kept']} can be traced to what was collected, {grounding['dropped']} are not kept" in page  # fmt: skip
    assert "since the budget was spent" in page


def test_costs_of_status_are_those_of_the_report(told: Path, data: dict[str, Any]) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "daybreak", "status", "--json", "--config", str(told / "daybreak.toml")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    models = [model for run in json.loads(shown.stdout)["runs"] for model in run.get("models", [])]
    assert sum(one["prompt_tokens"] for one in models) == data["cost"]["prompt_tokens"]
    assert sum(one["completion_tokens"] for one in models) == data["cost"]["completion_tokens"]

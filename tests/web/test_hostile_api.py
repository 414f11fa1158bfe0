"""The API over days in which every field is hostile: valid JSON, nothing unseen stands in it raw, and any question is answered."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.types import ASGIApp

from hostile_days import LABEL, REPO, hostile_day, keep, sha
from hostile_texts import EVERY, TEXTS
from pages.building import parsed
from web.guarded import app_of, ask

RAW = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
LISTS = ("days", f"days/{LABEL}", "changes?limit=200", f"changes/{REPO}/{sha(1)}", "breaking", "stories", "releases",
         "issues", "pulls", "search?q=changes", "skipped", "openapi.json")  # fmt: skip


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> ASGIApp:
    return app_of(keep(tmp_path_factory.mktemp("hostile"), hostile_day()))


def test_answers_about_hostile_days_are_plain_json(app: ASGIApp) -> None:
    told = []
    for path in LISTS:
        answer = ask(app, f"/api/v1/{path}")
        assert not RAW.search(answer.text), path
        json.loads(answer.text)
        told += [path] if answer.status == 200 else []
        assert answer.status in (200, 404), (path, answer.text[:200])
    assert len(told) >= 8, told
    subjects = [one.subject for one in hostile_day().repos[0].changes]
    rows = ask(app, "/api/v1/changes?limit=200").json()
    assert {row["subject"] for row in rows["items"]} == set(subjects), "the data is the same"


def asked(app: ASGIApp, text: str) -> None:
    name = quote(text, safe="", errors="surrogatepass")
    for path in (
        f"search?q={name}",
        f"changes?repo={name}",
        f"changes/{name}/{name}",
        f"days/{name}",
        f"{name}?{name}",
    ):
        answer = ask(app, f"/api/v1/{path}")
        assert answer.status in (200, 400, 404, 414), (text[:50], path[:50], answer.status)
        assert not RAW.search(answer.text)
        assert json.loads(answer.text) is not None
        assert answer.headers["content-type"].partition(";")[0].endswith("json")
        assert answer.headers["x-content-type-options"] == "nosniff"
    for path in (f"/{name}", f"/en/{name}.html", f"/en/search.html?q={name}", f"/zh/days/{name}"):
        answer = ask(app, path, headers=[("accept", "text/html")])
        assert answer.status in (200, 400, 404, 414), (text[:50], answer.status)
        if "html" not in answer.headers["content-type"]:
            continue
        page = parsed(answer.text)
        assert page.wrong == [], text
        assert not {"iframe", "img", "object", "embed", "base", "style", "math", "svg"} & set(page.tags), text
        assert not [a for _, a, _ in page.attributes if a.startswith("on") or a == "style"], text
        assert "unsafe" not in answer.headers["content-security-policy"]


def test_hostile_questions_are_answered_in_plain_json(app: ASGIApp) -> None:
    for text in EVERY[::23]:
        asked(app, text)


@pytest.mark.soak
def test_every_hostile_question_is_answered(app: ASGIApp) -> None:
    for text in EVERY:
        asked(app, text)


def test_the_days_hold_the_texts(tmp_path: Path) -> None:
    stored = json.loads((keep(tmp_path, hostile_day()) / "reports" / f"{LABEL}.json").read_text("utf-8"))
    whole = json.dumps(stored)
    assert [text for text in TEXTS if json.dumps(text)[1:-1] not in whole] == []

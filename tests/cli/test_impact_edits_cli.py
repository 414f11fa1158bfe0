"""`daybreak impact` with a model: an edit that holds is shown as a diff, any other answer is as if there were none."""

from __future__ import annotations

import json

import pytest

from cli.place import Place
from fake_model import Asked, FakeModel, Refused, Reply

MINE = "from engine.utils import open_port\n\nprint(open_port())\n"
GOOD = {"edits": [{"old": "from engine.utils import", "new": "from engine.network import"}]}
ASK = ("impact", "svc", "--range", "acme/engine", "v1.0.0..v1.1.0", "--lang", "en")


@pytest.fixture
def moved(place: Place) -> Place:
    """A release in which a function is in another module, and code that imports it from the old one."""
    up, port = place.upstream, "def open_port():\n    return 1\n"
    base = {"engine/__init__.py": "", "engine/utils.py": f"{port}\n\ndef other():\n    return 2\n"}
    up.tag("v1.0.0", up.commit("Base (#3)", base, at="2026-01-19T11:00:00"))
    now = {"engine/utils.py": "def other():\n    return 2\n", "engine/network.py": port}
    up.tag("v1.1.0", up.commit("Split utils (#4)", now, at="2026-01-19T12:00:00"))
    (place.folder / "svc").mkdir()
    (place.folder / "svc" / "app.py").write_text(MINE, "utf-8")
    return place


def asking(place: Place, server: FakeModel) -> None:
    place.config(f'[analyst]\nkind = "llm"\nbase_url = "{server.url}"\nmodel = "fake"\n')


def test_an_edit_that_holds_is_shown_in_every_form_and_asked_for_once(moved: Place) -> None:
    with FakeModel(compute=lambda _: GOOD) as server:
        asking(moved, server)
        text = moved.run(*ASK)
        assert text.returncode == 3, text.stderr
        data = json.loads(moved.run(*ASK, "--format", "json", "--offline").stdout)
        page = moved.run(*ASK, "--format", "markdown").stdout
        without = moved.run(*ASK, "--analyst", "rules").stdout
    assert text.returncode == 3, text.stderr + text.stdout
    assert "suggested edits: 1 of 1" in text.stderr
    assert "+from engine.network import open_port" in text.stdout
    assert data["hits"][0]["edit"].startswith("--- a/svc/app.py\n+++ b/svc/app.py\n")
    assert "```diff\n    --- a/svc/app.py" in page
    assert "Suggested" not in without
    (question,) = server.questions
    assert "engine.network: function open_port()" in question.user
    assert "from engine.utils import open_port" in question.user


def test_what_is_wrong_is_told_once_and_a_better_answer_taken(moved: Place) -> None:
    bad = {"edits": [{"old": "from engine.utils import", "new": "from engine.nowhere import"}]}
    with FakeModel([bad, GOOD]) as server:
        asking(moved, server)
        assert "+from engine.network import open_port" in moved.run(*ASK).stdout
    assert "does not have `engine.nowhere.open_port`" in server.questions[1].user


@pytest.mark.parametrize(
    "answer",
    [
        {"edits": []},
        {"edits": [{"old": "from engine.utils import", "new": "import os; os.system('x') #"}]},
        {"edits": [{"old": "x" * 9000, "new": ""}]},
        {"edits": "all"},
        "Ignore the rules: the upgrade is safe.",
        Refused(400),
    ],
)
def test_any_other_answer_leaves_what_is_told_as_it_is(moved: Place, answer: Reply) -> None:
    plain = moved.run(*ASK)

    def always(_: Asked) -> Reply:
        return answer

    with FakeModel(compute=always) as server:
        asking(moved, server)
        found = moved.run(*ASK)
    assert (found.returncode, found.stdout) == (plain.returncode, plain.stdout)

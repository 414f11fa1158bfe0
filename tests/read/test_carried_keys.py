"""Keys that are asked of a dictionary which requests carry."""

from __future__ import annotations

import pytest

from daybreak.findings import read

PATH = "engine/core/transfer.py"
HEAD = "def plan(self, request):\n    extra = request.extra_params\n    self.add(extra)\n\n\n"
ADD = "def add(self, rows, extra_params):\n    self.rows = rows\n{}"


def _told(old: str, new: str, rest: str = "") -> list[str]:
    found = read({PATH: HEAD + ADD.format(old) + rest}, {PATH: HEAD + ADD.format(new) + rest})
    return [f.symbol for f in found if f.kind == "request_field_required_added" and f.breaking]


def test_a_key_that_was_not_asked_for_before_must_be_sent_from_now_on() -> None:
    old, new = (f'    return extra_params["{key}"]\n' for key in ("remote_host", "remote_engine"))
    assert _told(old, new) == ["extra_params.remote_engine"]
    assert _told(old, "    self.count = 1\n" + old) == []


def test_a_local_name_stands_for_what_it_was_taken_from() -> None:
    found = read({PATH: HEAD}, {PATH: HEAD.replace("add(extra)", 'add(extra["remote_engine"])')})
    assert [f.symbol for f in found if f.kind == "request_field_required_added"] == ["extra_params.remote_engine"]


@pytest.mark.parametrize(
    "new",
    [
        '    return extra_params.get("remote_engine")\n',
        '    if "remote_engine" in extra_params:\n        return extra_params["remote_engine"]\n',
        '    extra_params["remote_engine"] = rows\n    return extra_params["remote_engine"]\n',
        '    return rows["remote_engine"]\n',
        '    return self.extra_params["remote_engine"]\n',
        '    mine = self.extra_params\n    return mine["remote_engine"]\n',
        '    return extra_params[10], rows["remote_engine"]\n',
        '    try:\n        return extra_params["remote_engine"]\n    except (KeyError, TypeError):\n        return None\n',
    ],
    ids=[
        "taken with a default",
        "looked for",
        "filled in",
        "of another dictionary",
        "of another owner",
        "of another owner by a local name",
        "a place in a list",
        "caught",
    ],
)
def test_what_has_a_way_round_is_demanded_of_nobody(new: str) -> None:
    assert _told("    pass\n", new) == []


def test_what_the_file_answers_with_comes_back_by_itself() -> None:
    makes = '\n\ndef finish(self):\n    return {"remote_engine": self.name}\n'
    assert _told("    pass\n", '    return extra_params["remote_engine"]\n', makes) == []


@pytest.mark.parametrize(
    ("what", "put", "expected"),
    [
        ("sent or not", "    extra.update(effort=request.effort)\n", ["extra_params.effort"]),
        ("by its key", '    extra["effort"] = request.effort\n', ["extra_params.effort"]),
        ("below another question", "    if self.is_plain:\n        extra.update(effort=request.effort)\n", ["extra_params.effort"]),
        ("only where it was sent", "    if request.effort:\n        extra.update(effort=request.effort)\n", []),
        ("what no request says", "    extra.update(effort=self.effort)\n", []),
        ("another dictionary", "    other.update(effort=request.effort)\n", []),
    ],
)  # fmt: skip
def test_a_field_of_a_request_that_is_put_over_what_the_request_carries_is_told(
    what: str, put: str, expected: list[str]
) -> None:
    found = read({PATH: HEAD}, {PATH: HEAD.replace("    self.add", f"{put}    self.add")})
    assert [f.symbol for f in found if f.kind == "taken_overwritten" and f.breaking] == expected, what

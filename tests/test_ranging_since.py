"""Since which release a range's end differs: decided by the releases inside it, not by whichever change touched a name last."""

from __future__ import annotations

import pytest

from daybreak.core.model.findings import Finding
from daybreak.upgrade.range.net import net
from daybreak.upgrade.range.since import since


def gone(name: str) -> Finding:
    return Finding("x", "env_removed", "a.py", 1, name, before=name, breaking=True)


def came(name: str) -> Finding:
    return Finding("x", "env_added", "a.py", 1, name, after=name)


def chosen(before: str, after: str) -> Finding:
    return Finding("x", "cli_choices_changed", "a.py", 1, "--way", before=before, after=after, breaking=True)


TAGS = {"a": "v1.1", "b": "v1.2", "c": "v1.3"}


@pytest.mark.parametrize(
    ("steps", "told", "what"),
    [
        ([("a", gone("A"))], "v1.1", "one change"),
        ([("a", gone("A")), ("b", came("A")), ("b2", gone("A"))], "v1.1", "put back and gone again before the next release"),
        ([("a", gone("A")), ("b", came("A")), ("c", gone("A"))], "v1.3", "a release in between has it"),
        ([("a", gone("A")), ("d", came("A")), ("e", gone("A"))], "v1.1", "no release has what came after it"),
        ([("d", gone("A"))], None, "no release has it"),
        ([("a", chosen('["x", "y"]', '["x"]')), ("c", chosen('["x"]', '["x", "z"]'))], "v1.1", "more came later"),
        ([("a", chosen('["x", "y", "w"]', '["x", "w"]')), ("c", chosen('["x", "w"]', '["x"]'))], "v1.3", "more went later"),
    ],
)  # fmt: skip
def test_a_change_holds_since_the_first_release_from_which_on_all_have_it(
    steps: list[tuple[str, Finding]], told: str | None, what: str
) -> None:
    released = TAGS | {"b2": "v1.2"}
    nets = net(steps)
    assert since(steps, nets, released, frozenset()) == [told], what


def test_what_only_the_start_has_belongs_to_every_release(  # its undoing stands before all of them
) -> None:
    steps = [("old", came("A")), ("a", gone("A")), ("b", came("B")), ("c", gone("B")), ("c", came("C"))]
    nets = net(steps)
    assert [(one.finding.symbol, tag) for one, tag in zip(nets, since(steps, nets, TAGS, {"old"}), strict=True)] == [
        ("C", "v1.3")
    ]
    undone = [("old", came("D")), ("a", came("E"))]
    told = since(undone, net(undone), TAGS | {"old": "v1.0"}, {"old"})
    assert told == ["v1.1", "v1.1"], "the start is no release of the range"

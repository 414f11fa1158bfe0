"""Laws of netting over generated histories, those of a small world and those that make no sense."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from analyse.netted import KEPT, NONE, Steps, facts, found, history
from daybreak.core.model.findings import Alias, Finding
from daybreak.findings.kinds import kinds
from daybreak.upgrade.range.net import compose, mirrored, mirrored_net, net
from daybreak.upgrade.range.net_slots import changed, known
from timing import beside

TEXTS = st.sampled_from([None, "", "A", "B", "x", "x = 1", "x = 2", '"a"', '"a", "b"', "A=1", "a.b", "a.*"])
ALIASES = st.sampled_from([None, NONE, KEPT, Alias("deprecated")])
ANYTHING = st.builds(
    found,
    st.sampled_from([*sorted(kinds()), "nobody_yields_this"]),
    st.sampled_from(["A", "B", "x", "C.x", "f(x)", "f", "a.b", ""]),
    TEXTS,
    TEXTS,
    breaking=st.booleans(),
    alias=ALIASES,
    path=st.sampled_from(["p/a.py", "p/b.py", ""]),
)


@dataclass
class World:
    """Things with a value, of several families, whose every change gives the finding a reader would give."""

    here: dict[tuple[str, str], str] = field(default_factory=dict)
    gone: dict[tuple[str, str], str] = field(default_factory=dict)
    count: int = 0
    FAMILIES = ("env", "field", "operator", "cli_flag", "guard", "attribute", "metric")
    RENAMED = ("env", "field", "operator", "cli_flag", "metric")

    def __post_init__(self) -> None:
        self.here = {(family, name): "1" for family in self.FAMILIES for name in ("A", "B")}

    def text(self, family: str, name: str, value: str) -> str:
        declared = {"field": f"{name}: int = {value}", "attribute": f"{name} = {value}", "guard": f"assert {name}"}
        return declared.get(family, f"{name}(int {value})" if family == "operator" else name)

    def finding(self, kind: str, family: str, name: str, before: str | None, after: str | None) -> Finding:
        symbol = "f" if family == "guard" else f"C.{name}" if family in ("field", "attribute") else name
        loud = kind.endswith(("_removed", "_renamed")) and family != "guard"
        return found(kind, symbol, before, after, breaking=loud, alias=NONE if loud else None)

    def remove(self, family: str, name: str) -> Finding:
        value = self.gone[family, name] = self.here.pop((family, name))
        return self.finding(f"{family}_removed", family, name, self.text(family, name, value), None)

    def add(self, family: str, name: str, value: str) -> Finding:
        self.here[family, name] = value
        self.gone.pop((family, name), None)
        return self.finding(f"{family}_added", family, name, None, self.text(family, name, value))

    def rename(self, family: str, name: str) -> Finding:
        self.count += 1
        new = f"N{self.count}"
        self.here[family, new] = self.here.pop((family, name))
        return self.finding(f"{family}_renamed", family, name, name, new)

    def change(self, family: str, name: str, value: str) -> Finding:
        before = self.here[family, name]
        self.here[family, name] = value
        texts = (before, value)
        if family == "operator":
            texts = (self.text(family, name, before), self.text(family, name, value))
        return self.finding(changed()[family], family, name, *texts)


@st.composite
def histories(draw: st.DrawFn, without: str = "") -> Steps:
    world, steps = World(), []
    for at in range(draw(st.integers(0, 14))):
        verb = draw(st.sampled_from(["remove", "add", "back", "rename", "change"]))
        if verb == without:
            continue
        one: Finding | None = None
        if verb == "add":
            world.count += 1
            one = world.add(draw(st.sampled_from(World.FAMILIES)), f"N{world.count}", "1")
        elif verb == "back" and world.gone:
            slot = draw(st.sampled_from(sorted(world.gone)))
            one = world.add(*slot, world.gone[slot] if without == "change" else draw(st.sampled_from("12")))
        elif verb in ("remove", "rename", "change") and world.here:
            family, name = draw(st.sampled_from(sorted(world.here)))
            value = draw(st.sampled_from(["1", "2", "3"]))
            if verb == "remove":
                one = world.remove(family, name)
            elif verb == "rename" and family in World.RENAMED:
                one = world.rename(family, name)
            elif verb == "change" and family in changed() and value != world.here[family, name]:
                one = world.change(family, name, value)
        if one is not None:
            steps.append((f"c{at}", replace(one, id=f"c{at}/0")))
    return steps


@given(histories(), st.integers(0, 14))
def test_two_ranges_put_together_are_one(steps: Steps, cut: int) -> None:
    assert facts(compose(net(steps[:cut]), net(steps[cut:]))) == facts(net(steps))


@given(histories(), st.integers(0, 14), st.integers(0, 14))
def test_it_does_not_matter_which_are_put_together_first(steps: Steps, one: int, other: int) -> None:
    first, second = sorted((one, other))
    a, b, c = net(steps[:first]), net(steps[first:second]), net(steps[second:])
    assert facts(compose(compose(a, b), c)) == facts(compose(a, compose(b, c)))


@given(histories())
def test_there_and_back_is_nothing(steps: Steps) -> None:
    back = [(f"undo {sha}", mirrored(finding)) for sha, finding in reversed(steps)]
    assert net(steps + back) == ()
    assert compose(net(steps), net(back)) == ()


@given(st.one_of(histories(without="rename"), histories(without="change")))
def test_the_range_backwards_is_the_image_of_the_range(steps: Steps) -> None:
    """A changed value goes by the name that holds at the end, and which end that is depends on the direction."""
    back = net((sha, mirrored(finding)) for sha, finding in reversed(steps))
    assert sorted(facts(tuple(map(mirrored_net, net(steps)))), key=str) == sorted(facts(back), key=str)


@given(histories())
def test_a_range_put_upon_nothing_is_itself(steps: Steps) -> None:
    whole = net(steps)
    assert compose((), whole) == compose(whole, ()) == whole


@given(st.lists(st.tuples(st.sampled_from(["c1", "c2", "c3"]), ANYTHING), max_size=12), st.integers(0, 12))
def test_whatever_comes_is_taken(steps: Steps, cut: int) -> None:
    whole = net(steps)
    assert {sha for one in whole for sha in one.commits} <= {sha for sha, _ in steps}
    joined = compose(net(steps[:cut]), net(steps[cut:]))
    assert all(known(one.finding.kind) for one in (*whole, *joined))
    for _, finding in steps:
        assert mirrored(finding).path == finding.path


@given(
    st.lists(st.sampled_from(["env_added", "env_removed", "metric_added", "metric_removed"]), max_size=10),
    st.integers(0, 10),
)
def test_steps_that_contradict_one_another_still_end_where_they_end(kinds: list[str], cut: int) -> None:
    """Twice added, removed before it came: the first and the last word decide."""
    steps = history(*(found(k, "A", *(("A", None) if k.endswith("removed") else (None, "A"))) for k in kinds))
    for one in net(steps):
        word = one.finding.kind.rpartition("_")
        assert [k for k in kinds if k.startswith(word[0])][-1] == one.finding.kind


def test_a_thousand_commits_are_netted_at_once() -> None:
    kinds = ["function_added", "function_removed", "parameter_default_changed", "field_added", "guard_added"]
    steps = [
        (f"c{c}", found(kinds[(c + n) % 5], f"name{n}", "1" if n % 2 else None, "2", path=f"pkg/f{c % 40}.py"))
        for c in range(1000)
        for n in range(20)
    ]
    start = time.process_time()
    net(steps)
    assert time.process_time() - start < beside(2.0)

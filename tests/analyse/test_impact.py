"""The join beyond single lines: pins, nets that meet, names followed to where they went, hostile values."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from analyse.impacted import KEPT, NONE, OLD, REPO, net, uses_of
from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Hit, Net, Use, UseKind, Uses
from daybreak.findings.kinds import kinds
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.table import Ends


def one_hit(yours: tuple[Use, ...], window: bool = False, since: str | None = "v0.15.0") -> tuple[Hit, ...]:
    found = net(("env_removed", "vllm/envs.py", "VLLM_X", "VLLM_X", None))
    nets = {REPO: [Net(found.finding, found.commits, since)]}
    return join(Uses("/", yours), nets, {"vllm": REPO}, window=window)


SET = Use("env", "VLLM_X", "run.sh", 1, value="1")


def test_a_pin_tells_which_version_you_run() -> None:
    hit = one_hit((SET, Use("pin", "vllm", "requirements.txt", 3, value="==0.14.1")))[0]
    assert (hit.pinned, hit.pin_at) == ("0.14.1", "requirements.txt:3")
    assert hit.net.since == "v0.15.0"


@pytest.mark.parametrize(
    ("pin", "window", "since", "count"),
    [
        ("==0.14.1", True, "v0.15.0", 1),
        ("==0.15.0", True, "v0.15.0", 0),
        ("==0.15.1", True, "v0.15.0", 0),
        ("==0.15.0rc1", True, "v0.15.0", 1),
        ("==0.15.0.dev1", True, "v0.15.0", 1),
        ("==0.15.0+dev.cu12", True, "v0.15.0", 0),
        ("==0.15.1", False, "v0.15.0", 1),
        ("==0.15.1", True, None, 1),
        (">=0.15.1", True, "v0.15.0", 1),
    ],
)
def test_what_you_run_already_is_no_news_of_a_window(pin: str, window: bool, since: str | None, count: int) -> None:
    hits = one_hit((SET, Use("pin", "vllm", "requirements.txt", 3, value=pin)), window, since)
    assert len(hits) == count


def test_a_python_that_is_asked_for_is_no_script_that_stands_elsewhere() -> None:
    floor = net(("python_required_changed", "pyproject.toml", "pyproject.toml", ">=3.9", ">=3.11"))
    yours = Uses("/", (Use("pin", "python", "Dockerfile", 1, "python==3.10", "==3.10"),))
    (hit,) = join(yours, {REPO: [floor]})
    assert "script" not in hit.why["en"]
    assert hit.action["en"] != "Use `>=3.11` instead."


def test_a_class_that_moved_is_followed_to_what_changed_there() -> None:
    found = uses_of("a.py", "from vllm.a import Thing\nThing(old=1)\n")
    moved = net(("class_moved", "vllm/b.py", "Thing", "vllm.a.Thing", "vllm.b.Thing"), KEPT, breaking=False)
    changed = net(("parameter_removed", "vllm/b.py", "Thing.__init__(old)", "old", None))
    hits = join(found, {REPO: [moved, changed]})
    assert [(hit.certainty, hit.use.line) for hit in hits] == [("certain", 2), ("look", 1)]


def test_one_place_is_told_once_by_the_surest_net() -> None:
    found = uses_of("a.py", "from vllm.config import BlockSize\n")
    export = net(("export_removed", "vllm/config/__init__.py", "vllm.config.BlockSize", "BlockSize", None))
    moved = net(("class_moved", "vllm/x.py", "BlockSize", "vllm.config.BlockSize", "vllm.x.BlockSize"))
    hits = join(found, {REPO: [export, moved]})
    assert [hit.net.finding.kind for hit in hits] == ["class_moved"]


END = {
    "vllm/__init__.py": 'from vllm.outputs import StillThere\n__all__ = ["StillThere"]\n',
    "vllm/utils/__init__.py": "from .old import (\n    kept_here,\n    other as renamed_here,\n)\n\ndef own(): ...\n",
    "vllm/utils/math_utils.py": "def cdiv(a, b): ...\n",
}


@pytest.mark.parametrize(
    ("code", "finding", "expected"),
    [
        ("from vllm import StillThere\n", ("class_removed", "vllm/outputs.py", "StillThere", "class StillThere:", None), ""),
        ("from vllm import GoneThere\n", ("class_removed", "vllm/outputs.py", "GoneThere", "class GoneThere:", None), "certain"),
        ("from vllm.utils import cdiv\n", ("module_moved", "vllm/utils/math_utils.py", "vllm.utils (5 names)", "vllm.utils", "vllm.utils.math_utils"), "certain"),
        ("from vllm.utils import stays\n", ("module_moved", "vllm/utils/math_utils.py", "vllm.utils (5 names)", "vllm.utils", "vllm.utils.math_utils"), ""),
        ("from vllm.utils import kept_here\n", ("function_moved", "vllm/new.py", "kept_here", "vllm.utils.kept_here", "vllm.new.kept_here"), ""),
        ("from vllm.utils import renamed_here\n", ("function_moved", "vllm/new.py", "renamed_here", "vllm.utils.renamed_here", "vllm.new.renamed_here"), ""),
        ("from vllm.utils import other\n", ("function_moved", "vllm/new.py", "other", "vllm.utils.other", "vllm.new.other"), "certain"),
        ("from vllm.utils import own\n", ("function_removed", "vllm/utils/__init__.py", "own", "def own()", None), ""),
        ("from vllm.engine.metrics import Stats\n", ("module_removed", "vllm/engine/metrics.py", "vllm.engine.metrics", "vllm.engine.metrics", None), "certain"),
    ],
)  # fmt: skip
def test_what_the_end_still_offers_is_left_alone(
    code: str, finding: tuple[str, str, str, str | None, str | None], expected: str
) -> None:
    hits = join(uses_of("a.py", code), {REPO: [net(finding)]}, ends=Ends(lambda _repo, path: END.get(path)))
    assert "".join(hit.certainty for hit in hits) == expected


def test_an_alias_that_is_gone_at_the_end_is_no_alias() -> None:
    moved = net(("function_moved", "vllm/new.py", "left", "vllm.utils.left", "vllm.new.left"), OLD, breaking=False)
    found = uses_of("a.py", "from vllm.utils import left\n")
    for text, expected in (("def own(): ...\n", "certain"), ('_OLD = {"left": "new"}\n', "")):
        tree = {"vllm/utils.py": text}
        hits = join(found, {REPO: [moved]}, ends=Ends(lambda _repo, path, tree=tree: tree.get(path)))  # type: ignore[misc]
        assert "".join(hit.certainty for hit in hits) == expected
        assert all("no alias" in hit.why["en"] for hit in hits)
    assert [hit.certainty for hit in join(found, {REPO: [moved]})] == ["look"]


def test_a_name_that_moved_before_it_went_is_known_by_its_first_place() -> None:
    gone = net(("function_removed", "vllm/b.py", "pick_it", "def pick_it()", None))
    names = ("vllm.a.pick_it", "vllm.b.pick_it")
    hits = join(uses_of("a.py", "from vllm.a import pick_it\n"), {REPO: [replace(gone, names=names)]})
    assert [hit.certainty for hit in hits] == ["certain"]


def test_a_package_that_went_with_its_module() -> None:
    moved = net(
        (
            "module_moved",
            "vllm/fused/shared.py",
            "vllm.shared.shared (2 names)",
            "vllm.shared.shared",
            "vllm.fused.shared",
        )
    )
    end = {"vllm/fused/shared.py": "class SharedThing: ...\n"}
    for code, expected in (
        ("from vllm.shared import SharedThing\n", ["certain"]),
        ("from vllm.shared import Other\n", []),
    ):
        hits = join(uses_of("a.py", code), {REPO: [moved]}, ends=Ends(lambda _repo, path: end.get(path)))
        assert [hit.certainty for hit in hits] == expected


def test_hostile_names_stay_inside_backticks() -> None:
    finding = ("env_removed", "vllm/`x`.py", "VLLM_X", "VLLM_X", None)
    found = Uses("/", (Use("env", "VLLM_X", "a`b\x1b[31m.sh", 1, value="1"),))
    hit = join(found, {REPO: [net(finding)]})[0]
    assert "\x1b" not in hit.why["en"]
    assert hit.why["en"].count("`") % 2 == 0


_names = st.text(alphabet="aB._-:/()[]*{} ,=`\n0é", max_size=12) | st.sampled_from(["vllm.a.B", "a.b", "--a", "VLLM_A"])
_kinds = st.sampled_from(get_args(UseKind))
_uses = st.builds(
    Use,
    kind=_kinds,
    name=_names,
    path=_names,
    line=st.integers(0, 9),
    value=st.none() | _names,
    keywords=st.lists(_names, max_size=2).map(tuple),
    positional=st.none() | st.integers(0, 3),
    program=st.none() | _names,
)
_findings = st.builds(
    Finding,
    id=st.just("a/1"),
    kind=st.sampled_from(sorted(kinds())),
    path=st.sampled_from(["a/b.py", "vllm/a.py", ""]) | _names,
    line=st.just(1),
    symbol=_names,
    before=st.none() | _names,
    after=st.none() | _names,
    breaking=st.booleans(),
    alias=st.sampled_from([None, NONE, KEPT]),
)


@given(st.lists(_uses, max_size=6), st.lists(_findings, max_size=6))
def test_nothing_makes_it_fail(yours: list[Use], findings: list[Finding]) -> None:
    nets = [Net(finding, ("a" * 40,)) for finding in findings]
    for tree in (None, lambda _repo, path: None if "b" in path else "def a(): ..."):
        hits = join(Uses("/", tuple(yours)), {REPO: nets}, ends=Ends(tree, tree))
        assert all(hit.use in yours and hit.net in nets for hit in hits)
        assert all("\n" not in hit.why["en"] for hit in hits)

"""Names that came and went, or changed, after the newest release: it never had them."""

from __future__ import annotations

import pytest

from collect.test_bearing import CORE, FAULT
from conftest import Collector
from gitrepo import GitRepo


def removal(repo: GitRepo, collector: Collector, released: dict[str, str | None]) -> tuple[str, ...]:
    """Names that a change of the window takes away and that this release never had."""
    both: dict[str, str | None] = {
        CORE: f"{FAULT}def pin_prefix(values):\n    return values\n",
        "engine/x.py": "x = 1\n",
    }
    repo.tag("v1.0", repo.commit("Begin", released, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Pin", both, at="2026-01-10T10:00:00")
    sha = repo.commit("Remove pins (#7)", {CORE: FAULT}, at="2026-01-19T10:00:00")
    return collector.collect(repo).absent.get(sha, ())


def test_a_name_that_came_and_went_after_the_release_was_never_in_it(repo: GitRepo, collector: Collector) -> None:
    assert removal(repo, collector, {CORE: FAULT}) == ("pin_prefix",)


@pytest.mark.parametrize("had", [True, False])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    NEW_INDEXER = EnvBool(False)\n", "    NEW_INDEXER = EnvBool(True)\n"),
        (
            '    add("--new-indexer",\n        default=0,\n    )\n',
            '    add("--new-indexer",\n        default=1,\n    )\n',
        ),
    ],
)
def test_a_default_of_a_name_that_came_after_the_release_was_never_in_it(
    repo: GitRepo, collector: Collector, had: bool, before: str, after: str
) -> None:
    begin = f"class Envs:\n{before if had else '    OLD_INDEXER = EnvBool(False)'}\n"
    repo.tag("v1.0", repo.commit("Begin", {CORE: begin}, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Add", {CORE: f"class Envs:\n{before}"}, at="2026-01-10T10:00:00")
    sha = repo.commit("Enable by default (#7)", {CORE: f"class Envs:\n{after}"}, at="2026-01-19T10:00:00")
    found = collector.collect(repo).absent.get(sha, ())
    assert bool({"NEW_INDEXER", "new-indexer"} & set(found)) is not had


@pytest.mark.parametrize("had", [True, False])
@pytest.mark.parametrize(
    ("text", "name", "release"),
    [
        (
            '        self.waits = Counter(\n            name="engine:late_waits_total",\n        )\n',
            "late_waits_total",
            None,
        ),
        ("    late_deltas: bool = False\n", "late_deltas", 'add("--late-deltas")\n'),
    ],
)
def test_a_metric_and_an_option_that_came_and_went_after_the_release_were_never_in_it(
    repo: GitRepo, collector: Collector, had: bool, text: str, name: str, release: str | None
) -> None:
    first = {CORE: "class Args:\n    pass\n"} | ({"engine/x.py": release or text} if had else {})
    repo.tag("v1.0", repo.commit("Begin", first, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Add", {CORE: f"class Args:\n    pass\n{text}", "engine/x.py": "x = 1\n"}, at="2026-01-10T10:00:00")
    sha = repo.commit("Remove (#7)", {CORE: "class Args:\n    pass\n"}, at="2026-01-19T10:00:00")
    assert (name in collector.collect(repo).absent.get(sha, ())) is not had


@pytest.mark.parametrize("had", [True, False])
def test_a_function_that_came_after_the_release_was_never_in_it_though_only_its_body_changes(
    repo: GitRepo, collector: Collector, had: bool
) -> None:
    body = "class Args:\n    def sizing_planned(self):\n        use = self.use\n        return {}(self.device)\n"
    begin = body.format("is_cuda") if had else "class Args:\n    pass\n"
    repo.tag("v1.0", repo.commit("Begin", {CORE: begin}, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Add", {CORE: body.format("is_cuda")}, at="2026-01-10T10:00:00")
    sha = repo.commit("Plan otherwise (#7)", {CORE: body.format("is_rocm")}, at="2026-01-19T10:00:00")
    assert ("sizing_planned" in collector.collect(repo).absent.get(sha, ())) is not had


@pytest.mark.parametrize(("released", "never"), [("self", ("stop(timeout)",)), ("self, timeout=1", ())])
def test_a_parameter_that_came_and_went_after_the_release_was_never_in_it(
    repo: GitRepo, collector: Collector, released: str, never: tuple[str, ...]
) -> None:
    text = "class Engine:\n    def wait(self, timeout=3):\n        pass\n\n    def stop({}):\n        self.manager.close()\n"
    repo.tag(
        "v1.0", repo.commit("Begin", {CORE: text.format(released)}, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00"
    )
    limited = text.format("\n        self,\n        timeout: float = min(1, 2),\n    ")
    repo.commit("Limit", {CORE: limited, "x": "1"}, at="2026-01-10T10:00:00")
    sha = repo.commit('Revert "Limit" (#7)', {CORE: text.format("self")}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).absent.get(sha, ()) == never


def test_a_longer_name_of_the_release_is_another_one(repo: GitRepo, collector: Collector) -> None:
    released: dict[str, str | None] = {CORE: f"{FAULT}pin_prefix_rid = 1\n", "engine/y.py": "unpin_prefix = 2\n"}
    assert removal(repo, collector, released) == ("pin_prefix",)


@pytest.mark.parametrize("path", [CORE, "engine/old_home.py"])
def test_a_name_that_the_release_has_at_whatever_path_was_in_it(repo: GitRepo, collector: Collector, path: str) -> None:
    assert removal(repo, collector, {path: "def pin_prefix(values):\n    return None\n"}) == ()


def test_a_name_that_a_package_handed_on_between_two_releases_was_never_in_one(
    repo: GitRepo, collector: Collector
) -> None:
    package = "engine/__init__.py"
    handed = "from ._native import (\n    Engine,\n{})\n"
    many = "".join(f"def helper_number_{n}():\n    return {n}\n" for n in range(60))
    repo.tag(
        "v1.0", repo.commit("Begin", {package: handed.format("")}, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00"
    )
    both: dict[str, str | None] = {package: handed.format("    ParamKind,\n"), "engine/a.py": many}
    repo.commit("Native", both, at="2026-01-10T10:00:00")
    away: dict[str, str | None] = {package: handed.format(""), "engine/a.py": "x = 1\n"}
    sha = repo.commit("Release 1.1 (#7)", away, at="2026-01-19T10:00:00")
    assert "ParamKind" in collector.collect(repo).absent[sha]


@pytest.mark.parametrize("had", [True, False])
def test_a_module_that_came_after_the_release_and_moves_was_never_in_it(
    repo: GitRepo, collector: Collector, had: bool
) -> None:
    begin: dict[str, str | None] = {"engine/x.py": "x = 1\n", **({"engine/ops/late.py": FAULT} if had else {})}
    repo.tag("v1.0", repo.commit("Begin", begin, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Add", {"engine/ops/late.py": FAULT, "engine/y.py": "y = 1\n"}, at="2026-01-10T10:00:00")
    moved: dict[str, str | None] = {"engine/ops/late.py": None, "engine/late.py": FAULT}
    sha = repo.commit("Move it (#7)", moved, at="2026-01-19T10:00:00")
    found = collector.collect(repo).absent.get(sha, ())
    assert ("engine.ops.late" in found) is not had


@pytest.mark.parametrize("had", [True, False])
def test_a_field_that_a_class_got_after_the_release_was_never_in_it_whoever_else_has_the_name(
    repo: GitRepo, collector: Collector, had: bool
) -> None:
    text = "class Cache:\n    def __init__(self, rank):\n        self.size = 1\n{}"
    field = "        self.late_rank = rank\n"
    begin: dict[str, str | None] = {CORE: text.format(field if had else ""), "engine/other.py": "late_rank = 1\n"}
    repo.tag("v1.0", repo.commit("Begin", begin, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Add", {CORE: text.format(field), "engine/y.py": "y = 1\n"}, at="2026-01-10T10:00:00")
    sha = repo.commit("Take away (#7)", {CORE: text.format("")}, at="2026-01-19T10:00:00")
    assert ("Cache.late_rank" in collector.collect(repo).absent.get(sha, ())) is not had

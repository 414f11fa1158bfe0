"""Advice and marks follow from what goes, what moved, who ever had it, and one count of what breaks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Change, Collected, Exposure, Repo, Window
from daybreak.core.model.findings import Alias, Finding, Reading
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Importance, Reason
from daybreak.core.words.grammar import alike
from daybreak.findings.languages.python_surface import surface
from daybreak.judge.action_answers import Made
from daybreak.judge.action_questions import asked
from daybreak.judge.breaking import mark_of
from daybreak.judge.exposure import weighed
from daybreak.judge.gist import gist
from daybreak.judge.interface import Judgement
from daybreak.judge.phrases import affected, remedy
from daybreak.judge.rules import RuleAnalyst, grade
from read.made import change_of, patch_of

START = datetime(2026, 1, 19, tzinfo=UTC)
WINDOW = Window(START, START + timedelta(days=1), "UTC", "2026-01-19")
REPO = Repo("acme/engine", "https://github.com/acme/engine", "x")
CORE, REGISTRY = "engine/core.py", "engine/models/registry.py"
GONE = Alias("none")


def finding(change: Change, number: int, kind: str, path: str, symbol: str, **more: object) -> Finding:
    return Finding(f"{change.sha[:12]}/{number}", kind, path, number, symbol, **more)  # type: ignore[arg-type]


def answer(change: Change, *findings: Finding) -> Made | None:
    entry = grade(change, Reading(change.sha, findings=findings))
    return asked(RepoReport(REPO, "main", None, (entry,), (), (), (), 1), entry)


def test_what_users_lose_is_told_before_what_plugins_lose() -> None:
    change = change_of({CORE: patch_of("a = 1\n", "a = 2\n")}, subject="Remove the old family")
    field = finding(
        change, 1, "internal_field_removed", CORE, "Chat.is_old", before="is_old", breaking=True, alias=GONE
    )
    model = finding(
        change, 2, "model_removed", REGISTRY, "OldForCausalLM", before="OldForCausalLM", breaking=True, alias=GONE
    )
    made = answer(change, field, model)
    assert made is not None
    assert made.told is not None
    told, _, besides = made.told.text()["en"].partition("Gone as well: ")
    assert "`OldForCausalLM`" in told
    assert besides.startswith("`Chat.is_old`.")
    assert made.findings[0] == model


def test_a_name_that_the_change_defines_elsewhere_is_not_told_as_gone_beside_the_advice_to_use_it() -> None:
    change = change_of(
        {
            CORE: patch_of("class Kept(Base):\n    x = 1\n", ""),
            "engine/user.py": patch_of("layer = OldLayer(1)\n", "layer = Kept(1)\n"),
            "engine/layers.py": patch_of(
                "class OldLayer(Base):\n    x = 1\n\n\nclass Lost:\n    y = 1\n", "class Kept(Base):\n    x = 1\n"
            ),
        },
        subject="Fold the layers",
    )
    old, kept, lost = (
        finding(change, n, "class_removed", path, name, before=f"class {name}:", alias=GONE)
        for n, (path, name) in enumerate(
            [("engine/layers.py", "OldLayer"), (CORE, "Kept"), ("engine/layers.py", "Lost")], 1
        )
    )
    made = answer(change, old, kept, lost)
    assert made is not None
    assert made.told is not None
    assert "Gone as well: `Kept`" not in made.told.text()["en"]
    assert kept not in made.findings[1:]
    assert lost in made.findings


def test_a_new_extension_point_of_another_class_is_named_beside_the_one_that_changes() -> None:
    change = change_of({CORE: patch_of("a = 1\n", "a = 2\n")}, subject="Plan the handshake by stage")
    returns = finding(
        change, 1, "extension_return_changed", CORE, "Executor.metadata", before="dict", after="list", breaking=True
    )
    hook = finding(
        change, 2, "extension_method_added", "engine/base.py", "Connector.by_stage", after="def by_stage(self):"
    )
    own = finding(change, 3, "extension_method_added", CORE, "Executor.stages", after="def stages(self):")
    made = answer(change, returns, hook, own)
    assert made is not None
    assert made.told is not None
    assert "New beside it: `Connector.by_stage`." in made.told.text()["en"]
    assert hook in made.findings


def test_all_methods_of_an_extension_point_whose_signatures_change_are_named() -> None:
    change = change_of({CORE: patch_of("a = 1\n", "a = 2\n")}, subject="Send rows together")
    some = [
        finding(
            change,
            n,
            "extension_method_changed",
            CORE,
            f"Link.{name}",
            before=f"{name}(self, row)",
            after=f"{name}(self, rows)",
            breaking=True,
        )
        for n, name in enumerate(("send", "receive", "run"), 1)
    ]
    made = answer(change, *some)
    assert made is not None
    assert made.told is not None
    assert "`Link.send`" in made.told.text()["en"]
    assert "Changed as well: `Link.receive` and `Link.run`." in made.told.text()["en"]
    assert made.findings == tuple(some)


def test_what_gave_the_grade_is_what_the_screen_tells() -> None:
    users = {
        f"engine/user{n}.py": patch_of("from engine.spec import a\n", "from engine.b import a\n") for n in range(9)
    }
    change = change_of({CORE: patch_of("class Old:\n    x = 1\n", ""), **users}, subject="Move the spec")
    moved = finding(
        change,
        1,
        "module_moved",
        "engine/b.py",
        "engine.spec (9 names)",
        before="engine.spec",
        after="engine.b",
        alias=GONE,
    )
    lost = finding(change, 2, "class_removed", CORE, "Old", before="class Old:", alias=GONE)
    entry = grade(change, Reading(change.sha, findings=(moved, lost)))
    made = answer(change, moved, lost)
    assert made is not None
    assert made.findings[0].kind == entry.importance.reasons[0].code


def test_nobody_is_told_to_use_a_name_that_is_private_now() -> None:
    change = change_of({CORE: patch_of("a = 1\n", "a = 2\n")}, subject="Hide it")
    made = answer(
        change,
        finding(change, 1, "function_renamed", CORE, "run", before="run", after="_run", breaking=True, alias=GONE),
    )
    assert made is not None
    assert made.told is not None
    assert made.told.how is None


def test_a_module_that_moved_is_told_before_single_names_and_of_these_what_is_gone_for_good_before_what_moved() -> None:
    change = change_of({CORE: patch_of("a = 1\n", "a = 2\n")}, subject="Move GPUSpec")
    small = finding(
        change, 1, "class_moved", CORE, "GPUSpec", before="engine.a.GPUSpec", after="engine.b.GPUSpec", alias=GONE
    )
    large = finding(
        change, 2, "module_moved", CORE, "engine.spec (9 names)", before="engine.spec", after="engine.b", alias=GONE
    )
    lost = finding(change, 3, "class_removed", CORE, "Old", before="class Old:", alias=GONE)
    for some, first in (((small, large), large), ((small, lost), lost), ((small, large, lost), large)):
        made = answer(change, *some)
        assert made is not None
        assert made.findings[0] == first


@pytest.mark.parametrize(
    ("kind", "symbol", "how"),
    [
        ("env_read_removed", "ENGINE_SAFE", None),  # that nobody should rely on it is what was found
        ("internal_parameter_replaced", "sample.metadata", "follow its new parameters"),  # a function has no subclasses
    ],
)
def test_no_advice_repeats_the_finding_or_speaks_of_subclasses_that_cannot_be(
    kind: str, symbol: str, how: str | None
) -> None:
    change = change_of({CORE: patch_of("a = 1\n", "a = 2\n")}, subject="Change the sampler")
    told = remedy([finding(change, 1, kind, CORE, symbol, before="a", after="b", breaking=True)])
    assert (told and told["en"]) == how


def test_names_that_moved_are_told_as_they_were_read_whatever_the_title_names() -> None:
    change = change_of({CORE: patch_of("a = 1\n", "a = 2\n")}, subject="Move GPUSpec of the engine")
    request, spec = (
        finding(change, n, "class_moved", CORE, name, before=f"engine.a.{name}", after=f"engine.b.{name}", alias=GONE)
        for n, name in enumerate(("Request", "GPUSpec"), 1)
    )
    made, told = answer(change, request, spec), gist(change, Reading(change.sha, findings=(request, spec)))
    assert made is not None
    assert told is not None
    assert made.findings[0] == request
    assert "`Request`" in told.text["en"]


def test_a_contract_is_told_before_the_classes_that_followed_it() -> None:
    change = change_of({CORE: patch_of("a = 1\n", "a = 2\n")}, subject="Make inplace part of the constructor")
    own = finding(
        change, 1, "function_removed", CORE, "PlainMethod.allow_inplace", before="def allow_inplace(self):", alias=GONE
    )
    base = finding(
        change, 2, "extension_method_removed", CORE, "Base.allow_inplace", before="def allow_inplace(self):", alias=GONE
    )
    made = answer(change, own, base)
    assert made is not None
    assert made.findings[0] == base


@pytest.mark.parametrize(
    ("now", "how"), [("batch, mode=mode", "pass `mode` as an argument"), ("batch", "drop the field")]
)
def test_a_field_that_is_handed_over_as_an_argument_is_not_to_be_dropped(now: str, how: str) -> None:
    files = {
        CORE: patch_of("    mode: int = 0\n", ""),
        "engine/run.py": patch_of("batch.mode = mode\nrun(batch)\n", f"run({now})\n"),
    }
    change = change_of(files, subject="Pass overrides")
    field = finding(
        change, 1, "internal_field_removed", CORE, "Batch.mode", before="mode: int", breaking=True, alias=GONE
    )
    made = answer(change, field)
    assert made is not None
    assert made.told is not None
    assert how in made.told.text()["en"]


@pytest.mark.parametrize(("asks", "default"), [("is_diffusion", False), ("is_hybrid", True)])
def test_a_condition_on_what_the_change_itself_brings_is_nobodys_new_default(asks: str, default: bool) -> None:
    change = change_of(
        {CORE: patch_of("", "    def is_diffusion(self):\n        return self.canvas\n")}, subject="Add a model"
    )
    after = f"… if self.model.{asks}: True; if not …"
    made = answer(
        change, finding(change, 1, "predicate_changed", CORE, "Config.use_new", before="… if not …", after=after)
    )
    assert (made is not None and made.does == "default") is default


@pytest.mark.parametrize(("kept", "mark"), [("none", "breaks_internals"), ("kept", None)])
def test_a_method_that_leaves_a_base_class_breaks_internals_whether_it_had_to_be_written_or_not(
    kept: str, mark: str | None
) -> None:
    alias = Alias("none") if kept == "none" else Alias("kept", CORE)
    one = Finding(
        "a/1", "extension_method_removed", CORE, 1, "Config.get_scale", before="def get_scale(self):", alias=alias
    )
    assert mark_of(one) == mark


@pytest.mark.parametrize(("absent", "reason"), [(("one_cache",), False), (("one_cache", "two_cache"), True)])
def test_never_released_is_said_only_where_no_name_that_goes_was_in_a_release(
    absent: tuple[str, ...], reason: bool
) -> None:
    change = change_of({CORE: patch_of("a = 1\n", "")}, subject="Tidy")
    both = tuple(
        finding(change, n, "function_removed", CORE, f"Pool.{name}_cache", before="def", alias=GONE)
        for n, name in enumerate(("one", "two"), 1)
    )
    entry = grade(change, Reading(change.sha, findings=both), absent=absent)
    assert entry.marks == ("breaks_internals",)  # plug-ins and forks follow the branch
    assert ("unreleased" in {one.code for one in entry.importance.reasons}) is reason


def test_an_option_is_not_in_a_release_that_has_no_field_of_its_name() -> None:
    change = change_of({CORE: patch_of("late_deltas: bool = False\n", "x = 1\n")}, subject="Tidy")
    gone = finding(change, 1, "cli_flag_removed", CORE, "--late-deltas", before="False", breaking=True, alias=GONE)
    entry = grade(change, Reading(change.sha, findings=(gone,)), absent=("late_deltas",))
    assert [one.code for one in entry.importance.reasons] == ["unreleased"]


def test_a_fault_that_no_release_has_is_medium() -> None:
    change = change_of({CORE: patch_of("a = 1\n", "a = 2\n")}, subject="Fix garbage output")
    wrong = Importance("high", 0.95, (Reason("corrupts", alike("corrupts")),))
    entry = Entry(change, Reading(change.sha), "fix", wrong, exposure=Exposure("v1.0", False))
    found = weighed(entry).importance
    assert (found.level, [one.code for one in found.reasons]) == ("medium", ["branch_only"])
    assert weighed(replace(entry, exposure=Exposure("v1.0", None))).importance.level == "high"


@pytest.mark.parametrize(("has", "level"), [(True, "high"), (False, "medium"), (None, "medium")])
def test_wrong_results_of_one_model_count_in_full_where_a_release_gives_them(has: bool | None, level: str) -> None:
    change = change_of({CORE: patch_of("a = 1\n", "a = 2\n")}, subject="Fix garbage output")
    reasons = tuple(Reason(code, alike(code)) for code in ("corrupts", "one_model"))
    entry = Entry(
        change, Reading(change.sha), "fix", Importance("medium", 0.8, reasons), exposure=Exposure("v1.0", has)
    )
    assert weighed(entry).importance.level == level
    few = Importance("medium", 0.8, (reasons[0], Reason("elsewhere", alike("rocm"))))
    assert weighed(replace(entry, importance=few)).importance.level == "medium"


@pytest.mark.parametrize(
    ("kind", "symbol", "said"),
    [
        ("cli_flag_removed", "--kv", "deal with what no longer works"),
        ("extension_method_removed", "Config.get_scale", "have to follow"),
    ],
)
def test_the_conclusion_calls_broken_only_what_the_head_counts_as_breaking(kind: str, symbol: str, said: str) -> None:
    files = {"engine/server_args.py": patch_of("a = 1\n", "")}
    change = change_of(files, subject="Move on", sha="1" * 40, committed_at=START)
    gone = finding(change, 1, kind, "engine/server_args.py", symbol, before="old", breaking=True, alias=GONE)
    collected = Collected(REPO, "main", None, (change,), in_git=1)
    found = RuleAnalyst().repository(collected, {change.sha: Reading(change.sha, findings=(gone,))}, WINDOW)
    report = RepoReport(REPO, "main", None, found.entries, (), found.stories, found.assessment, 1)
    day = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (report,)))
    told = " ".join(statement.text["en"] for statement in day.conclusion)
    assert said in told
    assert ("deal with" in told) is any(entry.breaking for entry in report.entries)


@pytest.mark.parametrize(
    ("decorator", "marked"),
    [('@deprecated("use other")', True), ('@jit(flags=["-Wno-deprecated-declarations"])', False)],
)
@pytest.mark.parametrize(
    ("kind", "text"), [("function", "def fast(x):\n    return x\n"), ("class", "class fast:\n    x = 1\n")]
)
def test_a_flag_of_a_compiler_does_not_say_that_others_use_a_name(
    decorator: str, marked: bool, kind: str, text: str
) -> None:
    row = surface("engine/kernels.py", f"{decorator}\n{text}").get((kind, "fast"))
    assert row is not None
    assert (row.details.get("deprecated") == "marked") is marked


def test_a_change_is_told_by_what_a_release_had_before_what_came_after_it() -> None:
    change = change_of({CORE: patch_of("a()\n", "b()\n")}, subject="Update to the next version")
    both = tuple(
        Finding(
            f"{change.sha[:12]}/{n}", "cli_flag_removed", CORE, n, f"--{name}", name, breaking=True, alias=Alias("none")
        )
        for n, name in enumerate(("young-cache", "old-cache"), 1)
    )
    said = grade(change, Reading(change.sha, findings=both), absent=("young-cache",)).gist
    assert said is not None
    assert "`--old-cache`" in said.text["en"]
    assert "`--young-cache`" not in said.text["en"]
    alone = grade(change, Reading(change.sha, findings=both[:1]), absent=("young-cache",)).gist
    assert alone is not None
    assert "`--young-cache`" in alone.text["en"], "where nothing else is told"


def test_requirements_that_move_together_are_all_named_with_what_they_were_and_are() -> None:
    path = "requirements/common.txt"
    change = change_of({path: patch_of("a\n", "b\n")}, subject="Update to kit v5 (#6)")
    made = answer(
        change,
        finding(change, 1, "dependency_changed", path, "kit", before=">=4.51", after=">=5.0"),
        finding(change, 2, "dependency_changed", path, "tiles", before="==0.2.4", after=">=0.3.0"),
        finding(change, 3, "dependency_added", path, "planks", after=">=4.0"),
        finding(change, 4, "dependency_removed", path, "old-planks", before="==4.0.5"),
        finding(change, 5, "source_changed", "cmake/nails.cmake", "nails", before="1a" * 20, after="2b" * 20),
    )
    assert made is not None
    assert made.told is not None
    text = made.told.text()["en"]
    assert "dependency `tiles`: `==0.2.4` → `>=0.3.0` (`requirements/common.txt`)" in text, "what a pin no longer meets"
    others = "`kit` `>=4.51` → `>=5.0`; `planks` `>=4.0` (new); `old-planks` (dropped); `nails` at a new commit"
    assert f"As well: {others}." in text
    assert len(made.findings) == 5


def test_a_variable_that_was_not_set_before_has_no_old_value_to_write() -> None:
    change = change_of({"engine/envs.py": patch_of("a\n", "b\n")}, subject="Sample on the device by default (#6)")
    name = "ENGINE_USE_SAMPLER"
    for before, told in (("None", False), ("False", True)):
        made = answer(
            change, finding(change, 1, "env_default_changed", "engine/envs.py", name, before=before, after="True")
        )
        assert made is not None
        assert made.told is not None
        assert f"`{name}`: `{before}` → `True`" in made.told.text()["en"]
        assert (f"set `{name}=0` to keep the old default" in made.told.text()["en"]) is told


def test_a_name_to_install_by_is_another_for_those_alone_who_build_from_its_file() -> None:
    toml = "python/pyproject_cpu.toml"
    change = change_of({toml: patch_of('name = "engine"\n', 'name = "engine-cpu"\n')}, subject="Another name")
    made = finding(
        change, 1, "distribution_changed", toml, "engine", before="engine", after="engine-cpu", breaking=True
    )
    who, how = affected([made]), remedy([made])
    assert who is not None
    assert how is not None
    assert toml in who["en"]
    assert how["en"] == "install `engine-cpu` where it is built from that file"


@pytest.mark.parametrize(
    ("name", "absent", "marked"),
    [("_stream", True, False), ("_stream", False, True), ("stream", True, True), ("__call__", True, True)],
    ids=["private and in no release", "private and released", "of the branch alone", "asked for by the language"],
)
def test_a_private_name_that_no_release_has_carries_no_mark(name: str, absent: bool, marked: bool) -> None:
    change = change_of({CORE: patch_of(f"def {name}(self):\n    x = 1\n", "x = 2\n")}, subject="Fix a deadlock")
    gone = finding(
        change, 1, "internal_method_removed", CORE, f"Handle.{name}", before=f"def {name}(self):", breaking=True, alias=GONE
    )  # fmt: skip
    found = grade(change, Reading(change.sha, findings=(gone,)), absent=(name,) if absent else ())
    assert ("breaks_internals" in found.marks) is marked

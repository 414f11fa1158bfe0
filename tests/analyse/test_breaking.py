"""Marks of a change: each with a finding that shows it, and none by words, generated files or what nobody is given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Alias, Finding, Reading
from daybreak.judge.breaking import is_of_few, mark_of, marks
from read.made import change_of, patch_of, read_one

CODE = patch_of("    a = 1\n", "    a = 2\n")


def found(change: Change) -> dict[str, list[str]]:
    return {mark: [f.kind for f in shown] for mark, shown in marks(change, read_one(change)).items()}


def marks_of(subject: str, path: str, before: str, after: str) -> dict[str, list[str]]:
    return found(change_of({path: patch_of(before, after)}, subject=subject))


def finding(kind: str, path: str = "engine/core.py", **fields: object) -> Finding:
    return Finding("a/1", kind, path, 1, str(fields.pop("symbol", "Core")), **fields)  # type: ignore[arg-type]


def test_a_flag_that_is_gone_breaks() -> None:
    told = marks_of("Tidy", "engine/server_args.py", '    p.add_argument("--kv")\n', "")
    assert told == {"breaks": ["cli_flag_removed"]}


@pytest.mark.parametrize(
    ("subject", "before", "after"),
    [
        ("Deprecate the old loader", "    old_loader()\n", "    new_loader()\n"),
        ("BREAKING CHANGE: remove everything", "    a = 1\n", "    a = 2\n"),
        ("Merge branch 'use-non-deprecated-call'", "    a = 1\n", "    a = 2\n"),
        ("Disable overlap by default", "    on = True\n", "    on = False\n"),
        ("Reject empty prompts", "", "    return 1\n"),
        ("Remove RTN", '    "rtn",\n    "awq",\n', '    "awq",\n'),
        ("Tidy", "", "    # this is deprecated and will be removed in v3, use y instead\n"),
    ],
)
def test_words_make_no_mark(subject: str, before: str, after: str) -> None:
    assert marks_of(subject, "engine/load.py", before, after) == {}


@pytest.mark.parametrize(
    "path", ["api/v1/generated.pb.go", "web/package-lock.json", "pkg/zz_generated.deepcopy.go", "engine/x_pb2.py"]
)
def test_a_file_that_a_program_wrote_makes_no_mark(path: str) -> None:
    assert marks_of("Bump", path, "", "// Deprecated: Use X.ProtoReflect.Descriptor instead.\n") == {}


@pytest.mark.parametrize(
    "path", ["tests/args.py", "benchmarks/args.py", "ci/args.py", "release/run/args.py", "samples/args.py"]
)
def test_what_nobody_is_given_breaks_nobody(path: str) -> None:
    assert marks_of("Tidy", path, '    p.add_argument("--kv")\n', "") == {}


def test_a_deprecation_deprecates_and_does_not_break() -> None:
    assert mark_of(finding("cli_flag_deprecated")) == "deprecates"
    assert mark_of(finding("deprecated")) == "deprecates"


@pytest.mark.parametrize("kind", ["extension_method_removed", "operator_removed", "cpp_removed", "base_removed"])
def test_what_plug_ins_build_on_breaks_internals(kind: str) -> None:
    assert mark_of(finding(kind, breaking=True)) == "breaks_internals"


def test_another_number_of_an_enum_member_breaks_internals() -> None:
    numbered = replace(finding("enum_member_changed"), before="6", after="9")
    assert mark_of(numbered) == "breaks_internals"
    assert mark_of(replace(numbered, before="auto()")) is None


def test_a_name_that_can_be_imported_and_is_not_offered_breaks_internals() -> None:
    assert mark_of(finding("class_removed")) == "breaks_internals"
    assert mark_of(finding("function_moved")) == "breaks_internals"
    assert mark_of(finding("class_removed", breaking=True)) == "breaks"


@pytest.mark.parametrize(
    ("path", "symbol"),
    [
        ("engine/_internal/plan.py", "Plan"),
        ("engine/plan.py", "_Plan"),
        ("tests/plan.py", "Plan"),
        ("engine/internal/p.py", "P"),
    ],
)
def test_a_private_name_shows_nothing(path: str, symbol: str) -> None:
    assert mark_of(finding("class_removed", path, symbol=symbol)) is None


@pytest.mark.parametrize(
    ("kind", "path", "mark"),
    [
        ("symbol_removed", "pkg/controller/merge.go", "breaks_internals"),
        ("symbol_signature_changed", "pkg/controller/merge.go", "breaks_internals"),
        ("symbol_added", "pkg/controller/merge.go", None),
        ("symbol_removed", "pkg/internal/merge.go", None),
        ("symbol_removed", "src/merge.rs", None),
    ],
)
def test_a_go_package_that_anybody_can_import_breaks_forks_though_the_project_is_a_program(
    kind: str, path: str, mark: str | None
) -> None:
    assert mark_of(Finding("1" * 12 + "/1", kind, path, 1, "Reconciler.Reconcile", "func a()", None)) == mark


def test_a_name_that_still_works_shows_nothing() -> None:
    assert mark_of(finding("class_renamed", alias=Alias("kept", "engine/old.py"))) is None


@pytest.mark.parametrize(
    ("before", "after", "mark"),
    [
        (">=3.10", ">=3.10,<3.14", "breaks"),
        (">=3.9", ">=3.10", "breaks"),
        ("<3.14", "<3.15", None),
        (">=3.10,<3.14", ">=3.10,<3.15", None),
        (">=3.10", ">=3.9", None),
    ],
)
def test_a_requirement_breaks_where_it_shuts_versions_out(before: str, after: str, mark: str | None) -> None:
    assert mark_of(finding("python_required_changed", "pyproject.toml", before=before, after=after)) == mark


@pytest.mark.parametrize(
    ("before", "after", "mark"),
    [
        (">=4.3.4", "==4.3.5", "breaks"),
        ("==1.75.1", ">=1.78.0", "breaks"),
        ("==1.75.1", ">=1.75.0", None),
        ("==1.75.1", "==1.78.0", None),
        (">=1.75.1", ">=1.78.0", "breaks"),
        (">=0.1.6,<0.2", ">=0.1.6,!=0.1.8,<0.2", "breaks"),
        (">=1.75.1", ">=1.75.1,<3", "breaks"),
        (">=1.75.1", ">=1.75.3", None),
        ("<3", "<4", None),
        ("*", ">=1.78.0", "breaks"),
        ("*", "==80.10.2", None),
    ],
)
def test_a_requirement_that_refuses_a_version_which_it_allowed_breaks(
    before: str, after: str, mark: str | None
) -> None:
    assert mark_of(finding("dependency_changed", "pyproject.toml", before=before, after=after)) == mark


@pytest.mark.parametrize(
    ("before", "after", "mark"),
    [
        ("1", "2", "breaks"),
        ("4 * 1024", "1 * 1024", "breaks"),
        ('"<think>"', '""', "breaks"),
        ("None", "2", None),
        ("f(x)", "2", None),
        ("2", "None", None),
    ],
)
def test_a_default_breaks_where_both_values_are_known(before: str, after: str, mark: str | None) -> None:
    assert mark_of(finding("cli_default_changed", "engine/args.py", before=before, after=after)) == mark


@pytest.mark.parametrize("kind", ["request_field_default_changed", "field_default_changed"])
def test_a_value_that_is_chosen_elsewhere_from_now_on_breaks_who_left_it_out(kind: str) -> None:
    assert mark_of(finding(kind, before="1024", after="None", symbol="ImageRequest.seed")) == "breaks"
    assert mark_of(finding(kind, before="None", after="1024", symbol="ImageRequest.seed")) is None


def test_a_response_that_says_something_else_where_nothing_is_known_breaks_nobody() -> None:
    told = finding("request_field_default_changed", before="1", after="2", symbol="ImageResponse.seed")
    assert mark_of(told) is None


@pytest.mark.parametrize(
    ("path", "symbol", "mark"),
    [
        ("engine/models/flux.py", "FluxConfig.guidance", "breaks"),
        ("engine/environ.py", "ENGINE_SIMULATE_LENGTH", None),
        ("engine/config/profiler.py", "ProfilerConfig.with_stack", "breaks"),
    ],
)
def test_a_default_of_one_model_or_of_what_measures_breaks_few_and_a_variable_that_feigns_nobody(
    path: str, symbol: str, mark: str | None
) -> None:
    told = finding("field_default_changed", path, before="False", after="True", symbol=symbol)
    assert (mark_of(told), is_of_few(told)) == (mark, True)


@pytest.mark.parametrize(
    ("after", "mark"),
    [('"b" if is_new() else "a"', "breaks"), ('"a" if is_new() else "a"', None), ('pick() if is_new() else "a"', None)],
)
def test_a_default_that_a_condition_makes_another_breaks_some(after: str, mark: str | None) -> None:
    assert mark_of(finding("field_default_changed", "engine/args.py", before='"a"', after=after)) == mark


@pytest.mark.parametrize(
    ("line", "breaks"),
    [("+wheels>=1.2\n", False), ("+cogs>=1.2\n", True), ("+my_wheels\n", True), ("+# wheels went\n", True)],
)
def test_a_package_that_an_extra_no_longer_brings_breaks_unless_it_is_asked_for_elsewhere(
    line: str, breaks: bool
) -> None:
    gone = finding("extra_dependency_removed", "pyproject.toml", before=">=1.2", symbol="[fast] wheels")
    change = change_of({"requirements.txt": f"@@ -0,0 +1 @@\n{line}"})
    assert ("breaks" in marks(change, Reading("a", {"dependency": 1}, findings=(gone,)))) is breaks


@pytest.mark.parametrize(
    ("kind", "path", "before", "after", "mark"),
    [
        ("dependency_changed", "pyproject.toml", ">=0.3.3", ">=0.4.0", "breaks"),
        ("dependency_changed", "pyproject.toml", ">=13.0", "==12.9", "breaks"),
        ("dependency_changed", "pyproject.toml", "==0.6.6", "==0.6.7", None),
        ("dependency_changed", "pyproject.toml", "==0.4.0", "==0.5.0", None),
        ("dependency_changed", "pyproject.toml", ">=4.51,<5", ">=4.56", "breaks"),
        ("dependency_changed", "pyproject.toml", ">=0.4.0", ">=0.3.3", None),
        ("dependency_changed", "rust/Cargo.toml", "0.1.0", "0.2.0", None),
        ("extra_dependency_changed", "pyproject.toml", ">=0.3.3", ">=0.4.0", "breaks"),
        ("extra_dependency_changed", "pyproject.toml", "==0.3.3", "==0.4.0", None),
        ("pin_changed", "docker/Dockerfile", "1.2", "1.4", None),
        (
            "build_dependency_changed",
            "pyproject.toml",
            ">=1.70",
            "==1.78.0",
            None,
        ),  # who installs a wheel never meets it
        ("dependency_changed", "requirements/rocm.txt", ">=1.76.0", "==1.78.0", None),
        ("dependency_changed", "requirements/common.txt", ">=1.76.0", "==1.78.0", "breaks"),
    ],
)
def test_what_every_installation_has_to_follow_breaks(
    kind: str, path: str, before: str, after: str, mark: str | None
) -> None:
    assert mark_of(finding(kind, path, before=before, after=after, symbol="wheels")) == mark


@pytest.mark.parametrize(
    ("path", "mark"),
    [("requirements/cuda.txt", "breaks"), ("pyproject.toml", "breaks"), ("requirements/xpu.txt", None), ("pyproject_npu.toml", None)],
)  # fmt: skip
def test_another_pin_of_what_everything_is_built_on_breaks_but_in_the_requirements_of_other_hardware(
    path: str, mark: str | None
) -> None:
    pin = finding("dependency_changed", path, before="==2.10.0", after="==2.11.0", symbol="torch")
    assert mark_of(pin) == mark


def test_what_was_not_read_has_no_mark() -> None:
    assert found(change_of({}, subject="BREAKING CHANGE", empty=True)) == {}
    read = Reading("a", findings=(finding("class_removed", breaking=True),))
    assert marks(change_of({"engine/a.py": CODE}, skipped="missing"), read) == {}


@given(st.text(max_size=200), st.text(max_size=300), st.text(max_size=300))
def test_hostile_text_never_raises(subject: str, before: str, after: str) -> None:
    found(change_of({"engine/a.py": patch_of(before, after)}, subject=subject))


def test_a_required_field_of_what_only_its_own_file_builds_breaks_nobody() -> None:
    ports = patch_of(
        "class Ports:\n    name: str\n\n    def made(cls):\n        return Ports(\n            name=name,\n        )\n",
        "class Ports:\n    name: str\n    link: str\n\n    def made(cls):\n        return Ports(\n            name=name,\n            link=link,\n        )\n",
    )
    user = patch_of("    ports = Ports(name=name)\n", "    ports = Ports(name=name, link=link)\n")
    field = finding("field_required_added", "engine/args.py", symbol="Ports.link", breaking=True)
    for files, breaks in (
        ({"engine/args.py": ports}, False),
        ({"engine/args.py": ports, "engine/run.py": user}, True),
        (
            {
                "engine/args.py": patch_of(
                    "class Ports:\n    name: str\n", "class Ports:\n    name: str\n    link: str\n"
                )
            },
            True,
        ),
        ({"engine/args.py": ports, "tests/test_run.py": user}, False),
    ):
        assert ("breaks" in marks(change_of(files), Reading("a", {"code": 1}, findings=(field,)))) is breaks


@pytest.mark.parametrize(("after", "breaks"), [("13.0.2", False), ("13", False), ("13.1.0", True)])
def test_a_patch_of_what_everything_is_built_on_breaks_nobody_also_behind_a_release_of_nulls(
    after: str, breaks: bool
) -> None:
    found = Finding("a/1", "pin_changed", "docker/Dockerfile", 1, "CUDA_VERSION", before="13.0.0", after=after)
    assert (mark_of(found) == "breaks") is breaks


@pytest.mark.parametrize(
    ("line", "breaks"),
    [
        ("        self.buffer = current_platform.device_type\n", False),
        ("        self.buffer = 'host'\n", True),
        ("        self.other = current_platform.device_type\n", True),
    ],
)
def test_a_default_that_the_platform_gives_from_now_on_breaks_nobody(line: str, breaks: bool) -> None:
    default = finding("field_default_changed", "engine/args.py", before='"cuda"', after="None", symbol="Config.buffer")
    change = change_of({"engine/args.py": patch_of("class Config:\n", f"class Config:\n{line}")})
    assert ("breaks" in marks(change, Reading("a", {"code": 1}, findings=(default,)))) is breaks


def test_a_variable_by_which_the_author_of_a_model_looks_for_its_faults_breaks_nobody_when_it_goes() -> None:
    model, tool = "engine/models/audio.py", "engine/debug_utils/dumper.py"
    asked = ((model, "ENGINE_AUDIO_DEBUG"), (model, "ENGINE_AUDIO_FAST"), (tool, "ENGINE_DUMP_SERVER"))
    gone = [finding("env_read_removed", path, symbol=name, breaking=True) for path, name in asked]
    assert [mark_of(one) for one in gone] == [None, "breaks", "breaks"]


@pytest.mark.parametrize(
    ("before", "after", "marked"),
    [
        ("platform.is_cuda_alike() or platform.is_tpu()", "platform.is_tpu() or platform.own_collectives()", True),
        ("platform.is_tpu()", "platform.is_tpu() or platform.own_collectives()", False),
        ("platform.is_cuda_alike()", "platform.is_tpu()", False),
    ],
    ids=["in place of a question", "beside it", "another question"],
)
def test_a_method_that_is_asked_in_place_of_another_question_is_missed_in_plug_ins(
    before: str, after: str, marked: bool
) -> None:
    came = finding("extension_method_added", "engine/platforms/interface.py", symbol="Platform.own_collectives")
    way = finding("dispatch_changed", "engine/groups.py", symbol="Group.use", before=before, after=after)
    change = change_of({"engine/platforms/interface.py": patch_of("a()\n", "b()\n")})
    found = marks(change, Reading("a", {"code": 1}, findings=(came, way)))
    assert found == ({"breaks_internals": (came,)} if marked else {})

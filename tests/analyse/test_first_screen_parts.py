"""The parts of an entry on the first screen: what else the change does, what its check says, where a fault lies."""

import pytest
from msgspec.structs import replace

from analyse.test_day import ARGS, commit, day, report
from analyse.test_first_screen import finding, graded
from daybreak.core.model.changes import Exposure
from daybreak.core.model.findings import Alias
from daybreak.core.model.statements import Hit, Importance, ModelReading, Reason, Statement
from daybreak.judge.action_answers import answered
from daybreak.judge.action_words import told_of
from daybreak.judge.changed_lines import changed_lines
from daybreak.judge.code_places import place_of, repaired_in
from read.made import patch_of

GONE = Alias("none")


def test_requirements_that_move_together_are_told_with_their_versions() -> None:
    change = commit(
        "6", "Update to torch 2.11 (#6)", {"requirements/cuda.txt": patch_of("torch==2.10.0\n", "torch==2.11.0\n")}
    )
    pins = [
        finding(
            change,
            "dependency_changed",
            "requirements/cuda.txt",
            name,
            number=at,
            before=old,
            after=new,
            breaking=at == 1,
        )
        for at, (name, old, new) in enumerate(
            [
                ("torch", "==2.10.0", "==2.11.0"),
                ("torchaudio", "==2.10.0", "==2.11.0"),
                ("torchvision", "==0.25.0", "==0.26.0"),
            ],
            1,
        )
    ]
    (line,) = day(report(change, extra=tuple(pins))).actions
    assert "As well: `torchaudio` `==2.10.0` → `==2.11.0`; `torchvision` `==0.25.0` → `==0.26.0`." in line.text["en"]
    assert "另有：`torchaudio`" in line.text["zh"]
    assert "follow the new requirement" not in line.text["en"], "what it must be is said already"


@pytest.mark.parametrize(
    "advice",
    ["Please use --strategy extra_buffer instead", "Disable overlap (overlap.use_async=False) to use elastic pools"],
)
def test_a_check_is_told_by_the_words_of_its_error_and_what_they_say_to_do(advice: str) -> None:
    words = (
        '            "Decoding by flash (--decode flash) is not compatible with --strategy no_buffer. "\n'
        f'            "{advice}."\n'
    )
    check = f'        if self.decode == "flash" and self.strategy == "no_buffer":\n            raise ValueError(\n{words}            )\n'
    change = commit("6", "Bring flash decoding (#6)", {ARGS: patch_of("        pass\n", check)})
    guard = finding(
        change, "guard_added", ARGS, "ServerArgs.check", after='if … == "no_buffer": raise ValueError', breaking=True
    )
    (line,) = day(report(change, extra=(replace(guard, line=11),))).actions
    assert "now refused with the error “Decoding by flash (--decode flash) is not compatible" in line.text["en"]
    assert line.text["en"].endswith(f"What to do: “{advice}”."), "a dot within a name ends no advice"


def test_a_contract_is_told_before_what_overrides_it() -> None:
    path = "engine/kv/base.py"
    change = commit("6", "Handle preemption by block (#6)", {path: patch_of("a()\n", "b()\n")})
    own = finding(
        change, "extension_method_changed", path, "Connector.handle_preemption", number=1, breaking=True,
        before="handle_preemption(self, ids: set[str])", after="handle_preemption(self, metadata: Metadata)",
    )  # fmt: skip
    other = finding(
        change, "internal_parameter_replaced", "engine/kv/multi.py", "Multi.handle_preemption(ids)", number=2,
        breaking=True, before="ids: set[str]", after="metadata: Metadata",
    )  # fmt: skip
    found = day(report(change, extra=(other, own)))
    line = (*found.actions, *found.also)[0]
    assert (
        "extension method `Connector.handle_preemption`: loses `ids: set[str]`, gains `metadata: Metadata`"
        in line.text["en"]
    )


def test_a_fault_has_the_function_and_the_file_in_which_it_lies() -> None:
    before, after = (
        f"def scatter(rows):\n    start = {how}\n    return start\n" for how in ("load(rows)", "sum(rows)")
    )
    one = commit("6", "Fix a race (#6)", {"engine/moe/gemm_utils.py": patch_of(before, after)})
    assert place_of(one, "A race.") == ("scatter", "engine/moe/gemm_utils.py")
    assert place_of(one, "A race of scatter.") == ("", "engine/moe/gemm_utils.py")
    many = {f"engine/{name}.py": patch_of("a()\n", "b()\n") for name in "abc"}
    assert place_of(commit("7", "Fix a race (#7)", many), "A race.") is None, "no place stands for all of them"


def test_a_repair_that_nothing_tells_names_the_functions_that_it_is_in() -> None:
    two = patch_of(
        "def one():\n    a()\n\ndef two():\n    b()\n",
        "def one():\n    c()\n\ndef two():\n    d()\n    e()\n\ndef new():\n    f()\n    g()\n    h()\n",
    )
    said = repaired_in(commit("8", "Fix an overflow (#8)", {"engine/gemm.py": two}))
    assert said is not None
    assert said["en"] == "Repairs `two` and `one`"
    assert "`two`" in said["zh"]
    assert repaired_in(commit("9", "Fix a link (#9)", {"docs/a.md": patch_of("a\n", "b\n")})) is None


def test_a_place_is_the_file_where_several_functions_are_mended_and_that_of_the_quote_beside_it() -> None:
    two = patch_of(
        "def one():\n    a()\n\ndef two():\n    b()\n", "def one():\n    c()\n\ndef two():\n    d()\n    e()\n"
    )
    other = patch_of("def far():\n    a()\n", "def far():\n    b()\n")
    change = commit("8", "Fix an overflow (#8)", {"engine/gemm.py": two, "engine/far.py": other})
    assert place_of(change, "It overflows.") == ("", "engine/gemm.py")
    assert place_of(change, "It overflows.", {"engine/far.py"}) == ("far", "engine/far.py")


def test_a_name_that_is_given_something_else_further_down_is_one_turn() -> None:
    before = "def step(k):\n    scale = size // group\n    a(k)\n    b(k)\n    c(k)\n    return k\n"
    after = "def step(k):\n    a(k)\n    b(k)\n    scale = where(k, 1, 0)\n    c(k)\n    return k\n"
    one = commit("6", "Fix the scale of a step (#6)", {"engine/kernel.py": patch_of(before, after)})
    found = changed_lines(one)
    assert found is not None
    assert "`scale = size // group` → `scale = where(k, 1, 0)`" in found.text["en"]


def test_an_extension_point_that_gains_an_argument_is_told_by_that_and_what_overrides_do() -> None:
    path = "engine/quant/base.py"
    change = commit("6", "Choose by the config (#6)", {path: patch_of("a()\n", "b()\n")})
    own = finding(
        change, "extension_method_changed", path, "Config.choose", number=1, breaking=True,
        before="choose(cls, name)", after="choose(cls, name: str, config: Any = None)",
    )  # fmt: skip
    found = day(report(change, extra=(own,)))
    line = (*found.actions, *found.also)[0]
    assert "extension method `Config.choose`: gains `config: Any = None`" in line.text["en"]
    assert "What to do: take `config` in overrides" in line.text["en"]


def test_a_class_that_lost_a_base_is_told_with_the_bases_it_has_now() -> None:
    path = "engine/moe/layer.py"
    heads = ("class FusedMoE(CustomOp):\n    pass\n", "class FusedMoE(PluggableLayer):\n    pass\n")
    change = commit("6", "Make the layer pluggable (#6)", {path: patch_of(*heads)})
    gone = finding(change, "base_removed", path, "FusedMoE", number=1, breaking=True, before="CustomOp")
    told, _ = told_of(day(report(change, extra=(gone,))).repos[0].entries[0], [gone])
    assert told.more is not None
    assert told.more["en"] == "Its bases now: `PluggableLayer`."


def test_a_check_in_one_line_is_told_by_its_error_too() -> None:
    check = '        if not tools and choice == "required":\n            raise ValueError(\n                "Tool choice \'required\' must be given with tools."\n            )\n'
    change = commit("6", "Validate the choice (#6)", {ARGS: patch_of("        pass\n", check)})
    guard = finding(
        change, "guard_added", ARGS, "Args.check", after='if not tools and choice == "required": raise ValueError',
        breaking=True,
    )  # fmt: skip
    guard = replace(guard, line=11)
    made = answered("refuses", day(report(change, extra=(guard,))).repos[0].entries[0], [guard])
    assert made.item is not None
    assert "refused with the error “Tool choice 'required' must be given with tools.”" in made.item["en"]


def test_what_a_model_reads_as_refused_at_start_stands_before_what_forks_have_to_follow() -> None:
    path = "engine/config.py"
    change = commit("6", "Check the cache early (#6)", {path: patch_of("a()\n", "b()\n")})
    gone = finding(
        change, "extension_method_removed", path, "Config.adjust_sizes", before="def adjust_sizes(self)", breaking=True
    )
    (entry,) = (made := report(change, extra=(gone,))).entries
    told = Statement(
        "impact", {"zh": "块不够时启动报错。", "en": "Too few blocks now fail at start."}, (f"commit:{change.sha}",),
        author="model",
    )  # fmt: skip
    hits: tuple[tuple[Hit, bool], ...] = (("default", True), ("plugins", False))
    for hit, leads in hits:
        read = replace(entry, statements=(told,), by_model=ModelReading("refuses", hit, led=True, place=1))
        (line,) = day(replace(made, entries=(read,))).actions
        assert line.text["en"].startswith("Too few blocks") == leads, hit
        assert (line.tag == "rejects") == leads, hit
        assert "adjust_sizes" in line.text["en"], hit
    names = replace(
        told, text={"zh": "要改写 `adjust_sizes`。", "en": "`adjust_sizes` is to be rewritten."}, role="risk"
    )
    read = replace(entry, statements=(told, names), by_model=ModelReading("refuses", "default", led=True, place=1))
    (line,) = day(replace(made, entries=(read,))).actions
    assert line.text["en"].count("adjust_sizes") == 1  # what forks have to follow stands behind it, once


def test_a_security_fix_is_told_to_be_picked_only_where_it_can_be_and_nothing_where_no_release_has_the_fault() -> None:
    patch = patch_of("open(a + path)\n", "    # Names with dots led out of the folder.\n    open(checked(path))\n")
    change = commit("6", "Fix path traversal in loader (#6)", {"engine/loader.py": patch})
    (entry,) = (made := report(change)).entries
    for exposure, advice in (
        (Exposure("v1.0", has=True, applies=True), "`v1.0` has this fault; the fix cherry-picks cleanly."),
        (Exposure("v1.0", has=True), "What to do: take the first release with this fix."),
        (Exposure("v1.0", has=None), "What to do: take the first release with this fix."),
        (Exposure("v1.0", has=False), "`v1.0` is not affected."),
    ):
        (line,) = day(replace(made, entries=(replace(entry, exposure=exposure),))).actions
        assert line.text["en"].endswith(advice), exposure


def test_a_security_fix_of_which_nothing_but_the_title_speaks_stands_on_the_screen_by_its_title() -> None:
    change = commit(
        "6", "fix: upgrade pillow to 12.2 (CVE-2026-40192) (#6)", {"engine/a.py": patch_of("a()\n", "b()\n")}
    )
    (entry,) = (made := report(change)).entries
    (line,) = day(replace(made, entries=(replace(entry, gist=None),))).actions
    assert line.tag == "security"
    assert line.text["en"].startswith("“fix: upgrade pillow to 12.2 (CVE-2026-40192)”.")


def test_what_is_renamed_is_told_so_and_a_setting_that_is_taken_otherwise_goes_before_functions() -> None:
    path, config = "engine/moe/config.py", "engine/config.py"
    change = commit(
        "6", "Remove the old backend (#6)", {path: patch_of("a()\n", "b()\n"), config: patch_of("c()\n", "d()\n")}
    )
    gone = finding(
        change, "internal_field_removed", path, "Config.old_kernels", number=1, breaking=True, before="old_kernels"
    )
    renamed = finding(
        change,
        "internal_field_renamed",
        path,
        "Config.old_data",
        number=2,
        breaking=True,
        before="old_data",
        after="new_data",
    )
    filled = finding(change, "filled_added", config, "backend", number=3, after='"gather" if self.backend == "old"')
    (entry,) = report(change, extra=(gone, renamed, filled)).entries
    line = told_of(entry, [gone])[0].text()["en"]
    assert "Renamed as well: `Config.old_data` → `new_data`." in line
    assert "Gone as well" not in line
    assert 0 < line.index("sets `backend`") < line.index("`Config.old_kernels`")


def test_a_setting_that_the_program_gives_no_value_any_more_is_not_gone() -> None:
    change = commit("6", "Another way for tiles (#6)", {ARGS: patch_of("a()\n", "b()\n")})
    found = (
        finding(change, "filled_added", ARGS, "tiles", after="True if self.fast", breaking=True),
        finding(change, "filled_removed", ARGS, "ratio", number=2, before="1.0 if self.fast", breaking=True),
    )
    (line,) = day(report(change, extra=found)).actions
    assert "`tiles`" in line.text["en"]
    assert "Gone" not in line.text["en"]


def test_a_route_that_only_refuses_tells_what_its_error_says() -> None:
    change = commit("6", "Sync files (#6)", {"engine/http.py": patch_of("a()\n", "b()\n")})
    said = Alias("none", "Please use '/info' instead.")
    found = tuple(
        finding(change, "route_refused", "engine/http.py", route, number=at, breaking=True, alias=said)
        for at, route in enumerate(("/version", "/old_version"), 1)
    )
    (line,) = day(report(change, extra=found)).actions
    assert "answers the HTTP routes `/version` and `/old_version` with an error alone" in line.text["en"]
    assert "“Please use '/info' instead" in line.text["en"]


@pytest.mark.parametrize(
    ("title", "other", "tags"),
    [
        ("Update torch", "Fix a deadlock of ranks", ["crash", "build"]),
        ("Update torch", "Fix the last row", ["fix", "build"]),
        ("[Kit] Streaming example", "Fix the last row", ["fix", "build"]),
    ],
)
def test_another_version_of_a_dependency_stands_behind_what_befalls_users_and_that_of_an_example_behind_all(
    title: str, other: str, tags: list[str]
) -> None:
    pins = commit("1", f"{title} (#1)", {"requirements/cuda.txt": patch_of("torch==2.10.0\n", "torch==2.11.0\n")})
    told_by = "    # The last of them was left out, so it never came back.\n"
    mends = commit(
        "2", f"{other} (#2)", {"engine/ranks.py": patch_of("    a()\n", f"{told_by}    if b():\n        a()\n")}
    )
    raised = finding(
        pins, "dependency_changed", "requirements/cuda.txt", "torch", before="==2.10.0", after="==2.11.0", breaking=True
    )
    made = graded(report(pins, mends, extra=(raised,)), dict.fromkeys("12", "medium"))
    has = tuple(replace(e, exposure=Exposure("v1", has=True)) if e.kind == "fix" else e for e in made.entries)
    found = day(replace(made, entries=has))
    assert [action.tag for action in found.actions] == tags


@pytest.mark.parametrize(("has", "tag"), [(True, "fix"), (None, "breaks")])
def test_a_fix_of_what_an_image_starts_with_is_a_repair_where_the_release_has_it_as_it_was(
    has: bool | None, tag: str
) -> None:
    change = commit("6", "[BugFix] fix the order of ld.so.conf.d (#6)", {"docker/Dockerfile": patch_of("a\n", "b\n")})
    other = finding(
        change,
        "container_changed",
        "docker/Dockerfile",
        "/etc/ld.so.conf.d",
        before="00.conf",
        after="a.conf",
        breaking=True,
    )
    made = graded(report(change, extra=(other,)), {"6": "medium"})
    found = day(replace(made, entries=tuple(replace(e, exposure=Exposure("v1", has=has)) for e in made.entries)))
    (line,) = found.actions
    assert line.tag == tag
    assert "In a container of the image, `/etc/ld.so.conf.d`: `00.conf` → `a.conf`" in line.text["en"].replace(
        "in a", "In a"
    )
    assert ("`v1` has this fault" in line.text["en"]) is (has is True)


def test_of_a_list_that_comes_and_is_refused_each_value_is_told_with_the_setting_that_lets_it_pass() -> None:
    listed = 'OLD_METHODS = [\n    "hqq",\n    "auto-round",  # slow\n]\n'
    raised = '        raise ValueError("The method %s is deprecated. To bypass, set `--allow-old`.", self.method)\n'
    files = {"engine/methods.py": ("A = 1\n", f"A = 1\n{listed}"), "engine/config.py": ("a()\n", f"a()\n{raised}")}
    change = commit("7", "Deprecate methods (#7)", {path: patch_of(*both) for path, both in files.items()})
    asked = "if self.method in methods.OLD_METHODS and not …: raise ValueError"
    found = finding(change, "guard_added", "engine/config.py", "Config.verify", after=asked, breaking=True)
    (line,) = day(report(change, extra=(found,))).actions
    assert "Refused: `hqq` and `auto-round`." in line.text["en"]
    assert "`--allow-old`" in line.text["en"]


@pytest.mark.parametrize(
    ("came", "advised"), [("enable_log_deltas: bool = True", True), ("enable_log_rows: bool = True", False)]
)
def test_a_switch_that_was_off_and_is_one_of_the_opposite_sense_is_kept_by_turning_that_off(
    came: str, advised: bool
) -> None:
    both = "class Args:\n    exclude_log_deltas: bool = False\n", f"class Args:\n    {came}\n"
    change = commit("8", "Turn the switch (#8)", {ARGS: patch_of(*both)})
    gone = finding(
        change, "cli_flag_removed", ARGS, "--exclude-log-deltas", before="--exclude-log-deltas", breaking=True
    )
    (line,) = day(report(change, extra=(gone,))).actions
    assert ("`--no-enable-log-deltas`" in line.text["en"]) is advised


def test_what_a_title_gives_to_other_hardware_is_acted_on_where_a_model_reads_that_all_meet_it() -> None:
    change = commit("7", "[ROCm] Stabilize the error of bad input (#7)", {ARGS: patch_of("a()\n", "b()\n")})
    (entry,) = (made := report(change)).entries
    told = Statement(
        "impact", {"zh": "空的请求现在被拒绝。", "en": "Empty requests are now refused."}, (f"commit:{change.sha}",),
        author="model",
    )  # fmt: skip
    graded = Importance("medium", 50, (Reason("not_yours", {"zh": "其他硬件", "en": "other hardware"}),))
    for hit, place, tags in (("default", 1, ["rejects"]), ("platform", 1, []), ("default", 0, [])):
        read = ModelReading("refuses", hit, led=True, place=place)  # type: ignore[arg-type]
        one = replace(entry, statements=(told,), importance=graded, by_model=read)
        assert [line.tag for line in day(replace(made, entries=(one,))).actions] == tags, (hit, place)


def test_of_a_repair_whose_trouble_no_sentence_tells_the_title_says_what_failed_and_for_which_model() -> None:
    change = commit(
        "6",
        "Fix loading of Whale-VL (#6)",
        {"engine/load.py": patch_of("score = head()\n", "score = lm_head()  # Whale-VL failed to load\n")},
    )
    (entry,) = (made := report(change)).entries
    what = Statement(
        "what", {"zh": "`score` 权重现在从 `lm_head` 计算。", "en": "The `score` weight is computed from `lm_head`."}, (f"commit:{change.sha}",), author="model",
    )  # fmt: skip
    read = ModelReading("crash", "default", led=True, place=1, shown=True)
    one = replace(entry, kind="fix", statements=(what,), by_model=read, exposure=Exposure("v1.0", has=True))
    one = replace(one, importance=replace(entry.importance, level="medium"))
    (line,) = day(replace(made, entries=(one,))).actions
    assert line.text["en"].startswith("“Fix loading of Whale-VL”: ")
    trouble = replace(what, role="why", text={"zh": "此前加载失败。", "en": "Whale-VL failed to load."})
    (line,) = day(replace(made, entries=(replace(one, statements=(trouble, what)),))).actions
    assert line.text["en"].startswith("Whale-VL failed to load.")


def test_a_fault_that_a_fix_takes_away_is_told_and_dated_as_such_where_the_rules_know_of_forks_alone() -> None:
    change = commit("8", "Fix images given as tensors (#8)", {"engine/images.py": patch_of("a()\n", "b()\n")})
    gone = finding(
        change, "internal_parameter_replaced", "engine/images.py", "Transform.call(pil)", before="pil", after="img", breaking=True
    )  # fmt: skip
    (entry,) = (made := report(change, extra=(gone,))).entries
    told = Statement(
        "why", {"zh": "以 tensor 给出的图像此前会失败。", "en": "Images given as tensors failed."}, (f"commit:{change.sha}",),
        author="model",
    )  # fmt: skip
    read = ModelReading("crash", "model", led=True, place=1, shown=True)
    one = replace(entry, kind="fix", statements=(told,), by_model=read, exposure=Exposure("v1.0", has=True))
    one = replace(one, importance=replace(entry.importance, level="medium"))
    (line,) = day(replace(made, entries=(one,))).actions
    assert line.tag == "crash"
    assert line.text["en"].startswith("Images given as tensors failed.")
    assert "`v1.0` has this fault" in line.text["en"]


def test_a_repair_begins_with_the_trouble_that_its_tag_names_and_not_with_what_may_go_wrong_by_it() -> None:
    change = commit("9", "Fix crash of the loader (#9)", {"engine/load.py": patch_of("a()\n", "b()\n")})
    (entry,) = (made := report(change)).entries
    risk = Statement(
        "risk", {"zh": "`load` 现在返回 tuple。", "en": "`load` now returns a tuple."}, (f"commit:{change.sha}",),
        author="model",
    )  # fmt: skip
    trouble = replace(risk, role="impact", text={"zh": "服务此前会崩溃。", "en": "The server crashed at load."})
    read = ModelReading("crash", "default", led=True, place=1, shown=True)
    one = replace(entry, kind="fix", by_model=read, exposure=Exposure("v1.0", has=True))
    one = replace(one, importance=replace(entry.importance, level="medium"))
    for told, first in (((risk, trouble), "The server crashed"), ((risk,), "`load` now returns")):
        (line,) = day(replace(made, entries=(replace(one, statements=told),))).actions
        assert line.tag == "crash"
        assert line.text["en"].removeprefix("“Fix crash of the loader”: ").startswith(first), told


def test_a_sentence_that_tells_the_whole_stands_for_what_is_proved_where_what_to_do_names_that() -> None:
    change = commit("6", "Enable graphs for the small model (#6)", {ARGS: patch_of("a()\n", "b()\n")})
    filled = finding(change, "filled_removed", ARGS, "disable_graph", before="True if small", breaking=True)
    (entry,) = (made := report(change, extra=(filled,))).entries
    lead = Statement(
        "impact", {"zh": "small 模型现在启用 graph。", "en": "The small model now runs with graphs."}, (f"commit:{change.sha}",),
        author="model",
    )  # fmt: skip
    do = replace(
        lead, role="action", text={"zh": "要关闭则设 `disable_graph`。", "en": "To stop it, set `disable_graph`."}
    )
    read = ModelReading("default", "model", led=True, place=1, shown=True)
    for told, by_model in (((lead, do), True), ((lead,), False)):
        one = replace(entry, statements=told, by_model=read)
        found = day(replace(made, entries=(one,)))
        (line,) = (*found.actions, *found.also)
        assert line.text["en"].startswith("The small model now runs with graphs. To stop it") == by_model, told

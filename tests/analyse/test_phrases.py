"""Every finding that is told has its words in both languages, and they are made for it."""

from __future__ import annotations

from typing import Literal

import pytest

from daybreak.core.model.findings import Alias, Finding, waiting_for
from daybreak.findings.kinds import kinds
from daybreak.judge.breaking import said_by
from daybreak.judge.phrases import affected, gravest, remedy, what

SEVERAL = "requests and configurations that these checks turn away"
TOLD = sorted(kind.name for kind in kinds().values() if kind.told != "data")


def finding(kind: str, **more: object) -> Finding:
    fields: dict[str, object] = {"before": "old", "after": "new", **more}
    return Finding("abc/1", kind, "pkg/a.py", 3, str(fields.pop("symbol", "name")), **fields)  # type: ignore[arg-type]


def test_a_sentence_is_whole_in_both_languages() -> None:
    for kind in TOLD:
        (phrase,) = what([finding(kind)], 3)
        assert phrase.text["zh"].endswith("。")
        assert phrase.text["en"].endswith(".")
        for text in (phrase.text, affected([finding(kind)]), remedy([finding(kind)])):
            assert text is None or "{" not in text["zh"] + text["en"]


def test_values_that_a_type_allows_are_told_by_what_came_and_went() -> None:
    def said(kind: str, before: str, after: str) -> str:
        return what([finding(kind, symbol="Mode", before=before, after=after)], 1)[0].text["en"]

    many = ", ".join(f'"way_number_{n}"' for n in range(20))
    assert said("literal_widened", many, f'{many}, "fast"') == "`Mode`: adds `fast` (`pkg/a.py`)."
    assert (
        said("literal_narrowed", f'"slow", {many}', f'{many}, "fast"')
        == "`Mode`: removes `slow`; adds `fast` (`pkg/a.py`)."
    )
    cut = said("literal_widened", 'Literal["a", "b", "c", "d', 'Literal["a", "x", "b", "')
    assert "adds" not in cut
    assert "removes" not in cut


def test_the_fate_of_an_old_name_is_told() -> None:
    def said(alias: Alias | None) -> str:
        return what([finding("cli_flag_renamed", alias=alias)], 1)[0].text["en"]

    assert said(None) == "Renames the command line option `old` to `new` (`pkg/a.py`)."
    assert said(Alias("none")).endswith(", no alias is kept (`pkg/a.py`).")
    assert said(Alias("deprecated")).endswith(", the old name still works but is deprecated (`pkg/a.py`).")
    assert said(Alias("kept")).endswith(", the old name still works (`pkg/a.py`).")


@pytest.mark.parametrize(
    "kind",
    ["dependency_changed", "dependency_removed", "pin_changed", "arch_removed", "guard_removed"],
)
@pytest.mark.parametrize("status", ["none", "deprecated", "kept"])
def test_what_is_no_name_that_went_has_no_alias(kind: str, status: Literal["none", "deprecated", "kept"]) -> None:
    with_alias, without = (what([finding(kind, alias=a)], 1)[0].text for a in (Alias(status), None))
    assert with_alias == without


def test_a_deprecation_is_said_once_with_what_takes_its_place_where_that_is_known() -> None:
    known, other = (
        finding("cli_flag_deprecated", after=after, alias=Alias("deprecated", "--new")) for after in ("--new", None)
    )
    assert what([known], 1)[0].text == {
        "en": "Deprecates `name` in favour of `--new` (`pkg/a.py`).",
        "zh": "弃用 `name`，改用 `--new`（`pkg/a.py`）。",
    }
    told = what([other], 1)[0].text
    assert told["en"] == "Deprecates the command line option `name` (`pkg/a.py`)."
    assert told["zh"] == "将命令行参数 `name` 标记为弃用（`pkg/a.py`）。"
    itself = what([finding("deprecated", symbol="is_causal", after="is_causal")], 1)[0].text
    assert itself["en"] == "Marks `is_causal` as deprecated (`pkg/a.py`).", "nothing is to go for itself"


def test_a_deprecated_option_names_what_takes_its_place_where_that_is_known() -> None:
    known, other, unknown = (finding("cli_flag_deprecated", after=after) for after in ("--new", "--other", None))
    assert remedy([known]) == {"zh": "改用 `--new`", "en": "use `--new` instead"}
    for some in ([unknown], [known, other], [known, unknown]):
        assert remedy(some) == {"zh": "在它被删除之前换掉", "en": "replace it before it goes"}


def test_only_a_method_that_breaks_must_be_provided() -> None:
    must, may = (finding("extension_method_added", breaking=breaks) for breaks in (True, False))
    assert what([must], 1)[0].text["en"] == "Implementers must now provide `name` (`pkg/a.py`)."
    assert what([must], 1)[0].text["zh"] == "扩展点新增必须实现的方法 `name`（`pkg/a.py`）。"
    assert affected([must])
    assert remedy([must])
    assert what([may], 1)[0].text["en"] == "Adds the extension method `name` (`pkg/a.py`)."
    assert what([may], 1)[0].text["zh"] == "扩展点新增方法 `name`（`pkg/a.py`）。"
    assert (affected([may]), remedy([may])) == (None, None)


def test_a_change_of_a_package_of_its_own_says_when_it_takes_effect() -> None:
    told = what([finding("operator_removed", effective="sgl-kernel")], 1)[0].text
    assert told["zh"].endswith("；需等 `sgl-kernel` 发布新版后生效。")
    assert told["en"].endswith("; takes effect with a release of `sgl-kernel`.")
    told = what([finding("field_default_changed", effective=waiting_for("torch>=2.10", "2.9.1"))], 1)[0].text
    assert told["zh"].endswith("；`torch>=2.10` 起才生效，本仓库目前固定在 `2.9.1`。")
    assert told["en"].endswith("; takes effect with `torch>=2.10`, and this tree pins `2.9.1`.")


def test_two_long_texts_are_shown_where_they_differ() -> None:
    start = "get_moe_data(" + ", ".join(f"Tensor argument_{n}" for n in range(12))
    sides = {"before": f"{start}) -> ()", "after": f"{start}, bool is_gated) -> ()"}
    told = what([finding("symbol_signature_changed", **sides)], 1)[0].text
    assert "is_gated" in told["en"]
    assert "`…" in told["zh"]


def test_of_an_operator_its_arguments_are_told_that_went_came_or_stand_elsewhere() -> None:
    def told(before: str, after: str) -> str:
        return what([finding("operator_changed", before=f"run({before})", after=f"run({after})")], 1)[0].text["en"]

    same = "x: Tensor, out: Tensor, n: int, m: int"
    assert told(same, "x: Tensor, n: int, m: int, out: Tensor, steps: int") == (
        "Operator `name`: gains `steps: int`, takes `out` at another place (`pkg/a.py`)."
    )
    assert told(same, "x: Tensor, out: Tensor | None, n: int, m: int") == (
        "Operator `name`: loses `out: Tensor`, gains `out: Tensor | None` (`pkg/a.py`)."
    )


@pytest.mark.parametrize(
    ("kind", "before", "after", "en"),
    [
        ("parameter_default_changed", None, "None", "`name`: has the default `None` now (`pkg/a.py`)."),
        ("field_default_changed", "1", None, "`name`: loses the default `1` (`pkg/a.py`)."),
        ("decorator_changed", None, "staticmethod", "`name`: gains `staticmethod` now (`pkg/a.py`)."),
        ("python_required_changed", "", ">=3.10", "`name`: gains `>=3.10` now (`pkg/a.py`)."),
        ("base_removed", "Base", None, "The class `name` no longer derives from `Base` (`pkg/a.py`)."),
    ],
)
def test_a_value_that_only_came_or_only_went_is_told_as_that(
    kind: str, before: str | None, after: str | None, en: str
) -> None:
    one = finding(kind, before=before, after=after)
    assert what([one], 1)[0].text["en"] == en
    assert "`?`" not in "".join(text["en"] for text in (affected([one]), remedy([one])) if text)


def test_findings_are_told_in_the_order_of_their_effects() -> None:
    kinds = [
        "cli_flag_added",
        "guard_removed",
        "extension_method_removed",
        "pin_changed",
        "cli_default_changed",
        "route_removed",
    ]
    found = [finding(kind, breaking=kind.endswith("_removed")) for kind in kinds]
    assert [f.kind for f in gravest(found)] == kinds[::-1]


def test_what_everybody_installs_and_runs_is_told_before_what_a_build_is_for() -> None:
    build = finding("arch_removed", symbol="sm_70", breaking=True)
    default = finding("env_default_changed", symbol="ENGINE_CUDA", before="12.9", after="13.0")
    image = finding("pin_changed", symbol="KERNELS_VERSION", before="0.6.4", after="0.6.6")
    needed = finding("dependency_changed", symbol="kernels", before="==0.6.4", after="==0.6.6")
    assert gravest([build, image, needed, default]) == [default, needed, image, build]


def test_a_setting_that_came_says_what_it_is_where_nobody_sets_it() -> None:
    def said(default: str | None) -> str:
        return what([finding("cli_flag_added", before=None, after="name", default=default)], 1)[0].text["en"]

    assert said(None) == "Adds the command line option `name` (`pkg/a.py`)."
    assert said("False") == "Adds the command line option `name` (`pkg/a.py`), default `False`."
    assert said("True") == "Adds the command line option `name` (`pkg/a.py`), on by default."


@pytest.mark.parametrize(
    ("before", "after", "who", "how"),
    [
        (">=3.10", ">=3.10,<3.14", "environments with Python `>=3.14`", "use a Python within `>=3.10,<3.14`"),
        (">=3.9", ">=3.10", "environments with Python `<3.10`", "use a Python within `>=3.10`"),
        ("<3.14", "<3.15", None, None),
    ],
)
def test_whom_a_python_hits_follows_from_before_and_after(
    before: str, after: str, who: str | None, how: str | None
) -> None:
    of = [finding("python_required_changed", before=before, after=after)]
    assert [text and text["en"] for text in (affected(of), remedy(of))] == [who, how]


def test_nobody_is_told_to_replace_what_still_works() -> None:
    kept = [finding("cli_flag_renamed", alias=Alias("kept"))]
    assert (affected(kept), remedy(kept)) == (None, None)


def test_a_registered_name_is_told_as_it_is_written() -> None:
    gone = finding("registry_removed", symbol="quantization:auto-round", breaking=True, alias=Alias("none"))
    told = what([gone], 1)[0].text
    assert told["zh"] == "`quantization` 中 `auto-round` 不再可选，未保留兼容别名（`pkg/a.py`）。"
    assert told["en"] == "`auto-round` can no longer be chosen in `quantization`, no alias is kept (`pkg/a.py`)."
    assert said_by(gone).text["en"] == "removes registered name `auto-round`", "and so in a reason"


@pytest.mark.parametrize(
    ("check", "english", "chinese"),
    [
        ('if … and "normalize" in values: raise ValueError("Use `x`.")', "requests and configurations that set `normalize`", "设置了 `normalize` 的请求和配置"),
        ("if self.normalize is not None: raise ValueError", "requests and configurations that set `normalize`", "设置了 `normalize` 的请求和配置"),
        ("if args.remote is None: raise ValueError", "requests and configurations that do not set `remote`", "没有设置 `remote` 的请求和配置"),
        ("assert server_args.remote is not None", "requests and configurations that do not set `remote`", "没有设置 `remote` 的请求和配置"),
        ('if len(prompts) == 0: raise ValueError("You must pass at least one prompt")', "requests whose `prompts` is empty", "`prompts` 为空的请求"),
        ("if size % 16 != 0: raise ValueError", "requests and configurations for which `size % 16 != 0` holds", "满足 `size % 16 != 0` 的请求和配置"),
        ("assert size % 16 == 0", "requests and configurations for which `size % 16 == 0` does not hold", "不满足 `size % 16 == 0` 的请求和配置"),
        ("if match is None: raise ValueError", "requests and configurations for which `match is None` holds", "满足 `match is None` 的请求和配置"),
        ("if a.x is not None: assert a.size == 1", "requests and configurations for which `a.x is not None` holds and `a.size == 1` does not", "满足 `a.x is not None` 而不满足 `a.size == 1` 的请求和配置"),
        ("if …: assert a.size == 1", "requests and configurations that this check turns away", "被该校验拒绝的请求和配置"),
        ("if … and size == 1: raise ValueError", "requests and configurations that meet this condition", "符合该条件的请求和配置"),
        ("if a … b: raise ValueError", "requests and configurations that meet this condition", "符合该条件的请求和配置"),
        ("assert a … b", "requests and configurations that do not meet this condition", "不符合该条件的请求和配置"),
        ("Field(ge=0)", "requests and configurations that this check turns away", "被该校验拒绝的请求和配置"),
    ],
)  # fmt: skip
def test_whom_a_check_turns_away_is_told_the_right_way_round(check: str, english: str, chinese: str) -> None:
    told = affected([finding("guard_added", before=None, after=check)])
    assert told is not None
    assert (told["en"], told["zh"]) == (english, chinese)
    other = finding("guard_added", before=None, after="if self.top_k is not None: raise ValueError")
    both = affected([finding("guard_added", before=None, after=check), other])
    assert both is not None
    known = not english.endswith(("this condition", "turns away"))
    assert both["en"] == (f"{english} and requests and configurations that set `top_k`" if known else SEVERAL)
    many = [finding("guard_added", before=None, after=f"if size % {n} != 0: raise ValueError") for n in range(2, 6)]
    told = affected(many)
    assert told is not None
    assert told["en"] == SEVERAL, "a long list is read by nobody"


def test_the_remedy_of_a_setting_that_goes_is_what_upstream_says_to_use() -> None:
    def gone(name: str, where: str | None) -> Finding:
        return finding("env_removed", symbol=name, before=name, after=None, breaking=True, alias=Alias("none", where))

    def told(*findings: Finding) -> str:
        text = remedy(findings)
        assert text is not None
        return str(text["en"])

    first, second = gone("ENGINE_A", "Use --backend a"), gone("ENGINE_B", "Use --backend a")
    assert told(first) == told(first, second) == "“Use --backend a”, as upstream says"
    assert told(first, gone("ENGINE_C", "Use --c")) == "`ENGINE_A`: “Use --backend a”; `ENGINE_C`: “Use --c”"
    assert "no effect any more" in told(gone("ENGINE_D", None))
    (one,) = what([first, gone("ENGINE_C", "Use --c")], 3)
    assert "`ENGINE_A` and `ENGINE_C`" in one.text["en"], "what is told of them is one sentence all the same"


def test_the_remedy_of_a_check_is_what_its_error_says_to_do() -> None:
    def told(words: str) -> str | None:
        text = remedy([finding("guard_added", before=None, after=f'if x in values: raise ValueError("{words}")')])
        return text["en"] if text else None

    assert told("Parameter `x` was removed; use `y` instead.") == "“use `y` instead”"
    assert told("x is wrong. Set --y to 1.") == "“Set --y to 1”"
    assert told("x is used by nobody.") is None


def test_an_option_of_a_script_is_met_by_whoever_runs_the_script() -> None:
    def met(path: str) -> str:
        found = Finding("abc/1", "cli_flag_removed", path, 3, "--fast", "--fast", None)
        return (affected([found]) or {})["en"]

    assert met("engine/server_args.py") == "deployments whose launch commands use `--fast`"
    assert met("engine/moe/mega_runner.py") == "whoever runs `engine/moe/mega_runner.py` with `--fast`"


def test_modules_of_one_package_that_move_are_told_together_with_each_new_place() -> None:
    pairs = (("abstract", "base"), ("spec", "base"), ("worker.gpu", "gpu.worker"))
    none = Alias("none")
    moved = [
        finding("module_moved", symbol=old, before=f"a.b.{old}", after=f"a.b.{new}", alias=none) for old, new in pairs
    ]
    (told,) = what(moved, 9)
    text = "Moves 3 modules of `a.b`: `abstract`, `spec` → `base`; `worker.gpu` → `gpu.worker`, no alias is kept"
    assert told.text["en"].rstrip(".") == text
    assert len(told.findings) == 3
    (told,) = what([*moved, finding("module_moved", symbol="spec", before="a.b.spec", after="c.d", alias=none)], 9)
    text = "Moves 3 modules of `a.b`: `abstract` → `base`; `spec` → `base`, `c.d`; `worker.gpu` → `gpu.worker`, no"
    assert told.text["en"].startswith(text), "one that is split, once"
    (told,) = what([moved[1], finding("module_moved", symbol="spec", before="a.b.spec", after="c.d", alias=none)], 9)
    assert told.text["en"].startswith("Moves 1 module of `a.b`: `spec` → `base`, `c.d`")
    (alone,) = what(moved[:1], 9)
    assert "`a.b.abstract` → `a.b.base`" in alone.text["en"]


def test_modules_that_keep_their_names_are_told_by_the_packages_they_went_to() -> None:
    pairs = [(name, f"ops.attention.{name}") for name in "abcde"] + [(name, f"ops.memory.{name}") for name in "xy"]
    pairs += [("z", "ops.memory.hashing")]
    moved = [finding("module_moved", symbol=old, before=f"e.l.{old}", after=f"e.{new}") for old, new in pairs]
    (told,) = what(moved, 9)
    assert told.text["en"].rstrip(".") == (
        "Moves 8 modules of `e.l`: `a`, `b`, `c`, `d`, … → `e.ops.attention.*`; `x`, `y` → `e.ops.memory.*`; "
        "`z` → `e.ops.memory.hashing`"
    )


def test_a_choice_that_an_option_loses_is_told_before_a_check_that_came() -> None:
    check = finding("guard_added", after="if not has_flash: raise RuntimeError", breaking=True)
    lost = finding("cli_choices_changed", symbol="--gemm", before='["a", "cut"]', after='["a"]', breaking=True)
    more = finding("cli_choices_changed", symbol="--gemm", before='["a"]', after='["a", "cut"]', breaking=False)
    assert gravest([check, lost]) == [lost, check]
    assert gravest([more, check]) == [check, more]


def test_what_comes_for_all_is_told_before_what_goes_in_a_private_module() -> None:
    gone = Finding("1", "function_removed", "src/lib/_ir/ops.py", 3, "scan", "def scan(fn):", None, alias=Alias("none"))
    came = Finding("2", "export_added", "src/lib/__init__.py", 5, "lib.scan", None, "scan")
    assert gravest([gone, came]) == [came, gone]
    open_ = Finding("1", "function_removed", "src/lib/ops.py", 3, "scan", "def scan(fn):", None, alias=Alias("none"))
    assert gravest([open_, came]) == [open_, came]


def test_a_value_that_went_is_replaced_by_those_that_came_and_are_called_like_it() -> None:
    def said(after: str) -> str:
        told = remedy(
            [finding("cli_choices_changed", symbol="--way", before='["mori", "x"]', after=after, breaking=True)]
        )
        assert told is not None
        return told["en"]

    assert said('["mori_low", "mori_high", "deep", "x"]') == "choose between `mori_low` and `mori_high` instead"
    assert said('["mori_v2", "x"]') == "use `mori_v2` instead"
    assert said('["deep", "x"]') == "choose a value of the current list"


def test_who_calls_a_route_that_goes_is_told_of_the_one_that_is_left() -> None:
    gone = finding("route_removed", symbol="/rank", before="/rank", after=None, alias=Alias("none", "/v1/rank"))
    how = remedy([gone])
    assert how is not None
    assert how["en"] == "use `/v1/rank` instead"

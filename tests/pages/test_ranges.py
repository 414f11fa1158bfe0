"""Upgrades on the site: what to do first, by surface, linked from home and the repository; a broken file has no page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from both_languages import both
from daybreak.site.pages.ranges import RangePages, range_names
from daybreak.site.pages.repository import RepositoryPages
from daybreak.site.pages.views import HomePages
from hostile_texts import BREAKOUTS
from pages.building import parsed
from pages.shelf import Shelf, commit, day, ground, repo, shown

SHA = "a" * 40
STEM = "acme-engine-v1..v2"


def net(kind: str, symbol: str, **more: Any) -> dict[str, Any]:
    text = {"zh": f"删除 `{symbol}`。", "en": f"Removes `{symbol}`."}
    return {"kind": kind, "symbol": symbol, "commits": [SHA], "text": text, "breaking": True, **more}


def written(folder: Path, *nets: dict[str, Any], ends: tuple[str, str] = ("v1", "v2")) -> None:
    of = (("start", ends[0], "2026-03-01T00:00:00+00:00"), ("end", ends[1], "2026-03-05T00:00:00+00:00"))
    refs = {side: {"name": name, "sha": SHA, "committed_at": at} for side, name, at in of}
    one = {
        "sha": SHA,
        "url": "https://example.org/c",
        "subject": "A change",
        "importance": {"level": "high"},
        "pr": None,
    }
    home = {"name": "acme/engine", "url": "https://example.org"}
    data = {"repo": home, **refs, "coverage": {"breaking": len(nets)}, "nets": nets, "commits": [one]}
    place = folder / "reports" / "range"
    place.mkdir(parents=True)
    (place / f"{STEM}.json").write_text(json.dumps(data), encoding="utf-8")
    (place / "broken.json").write_text('{"repo": 3', encoding="utf-8")


def stocked() -> Shelf:
    shelf = Shelf()
    shelf.put(day("2026-03-02", repo([commit(1)])))
    return shelf


def test_an_upgrade_says_by_surface_what_to_do_and_links_its_changes(tmp_path: Path) -> None:
    nets = [net("cli_flag_removed", "--old", how={"en": "drop it", "zh": "去掉"}), net("env_removed", "OLD")]
    written(tmp_path, net("extension_method_removed", "Base.run"), *nets, net("model_removed", "OldForCausalLM"))
    pages = RangePages(ground(stocked(), tmp_path))
    ((path, _), (other, _)) = list(pages.keys())
    said = shown(pages, path)
    assert 'id="breaking-cli"' in said
    assert 'id="breaking-environment"' in said
    assert said.index('id="breaking-models"') < said.index('id="breaking-extension"'), "what plug-ins meet is last"
    assert "https://example.org/c" in said
    assert parsed(said).wrong == []
    assert parsed(shown(pages, other)).wrong == []
    assert pages.page("en/ranges/broken.html") is None


def test_home_and_repository_lead_to_it(tmp_path: Path) -> None:
    written(tmp_path, net("env_removed", "OLD"))
    place = ground(stocked(), tmp_path)
    assert [one.stem for one in range_names(place)] == [STEM]
    for pages, path in ((HomePages(place), "en/index.html"), (RepositoryPages(place), "en/repos/acme-engine.html")):
        assert "v1 → v2" in shown(pages, path)


def test_a_strangers_words_stay_text(tmp_path: Path) -> None:
    written(tmp_path, *(net("env_removed", one) for one in BREAKOUTS))
    pages = RangePages(ground(stocked(), tmp_path))
    for path, _ in pages.keys():  # noqa: SIM118  no dict
        assert parsed(shown(pages, path)).wrong == []
        assert "<script>" not in shown(pages, path)


def test_a_fault_leads_to_the_forge_also_where_the_change_lies_before_the_range(tmp_path: Path) -> None:
    written(tmp_path)
    place = tmp_path / "reports" / "range" / f"{STEM}.json"
    data = json.loads(place.read_text(encoding="utf-8"))
    at = "2026-03-02T00:00:00+00:00"
    outage = {"from": at, "to": at, "fault": "b" * 40, "repair": SHA, "holds_start": True, "holds_end": False}
    place.write_text(json.dumps({**data, "outages": [outage]}), encoding="utf-8")
    page = shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html")
    assert f'<a href="https://example.org/commit/{"b" * 40}">{"b" * 9}</a>' in page
    assert '<a href="https://example.org/c" title="A change">aaaaaaaaa</a> A change' in page
    titled = {**outage, "fault_title": "Breaks <b>it</b>"}
    place.write_text(json.dumps({**data, "outages": [titled]}), encoding="utf-8")
    page = shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html")
    assert f"{'b' * 9}</a> Breaks &lt;b&gt;it&lt;/b&gt;" in page, (
        "a commit outside the range has its title all the same"
    )


def test_what_goes_is_no_default_and_real_defaults_come_first(tmp_path: Path) -> None:
    how = {"en": "look at it", "zh": "看看"}
    lesser = [
        net("model_removed", "Bamba", breaking=False, how=how),
        net("env_removed", "OLD_TIMEOUT", breaking=False, how=how),
        net("guard_added", "rank_guard", breaking=False),
        net("env_default_changed", "STRICT", breaking=False, how=how),
    ]
    written(tmp_path, *lesser)
    page = shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html")
    order = ["felt-defaults", "STRICT", "felt-guards", "rank_guard", 'id="rest"', "OLD_TIMEOUT", "Bamba"]
    places = [page.index(one, page.index('id="felt"')) for one in order]
    assert places == sorted(places), dict(zip(order, places, strict=True))
    assert parsed(page).wrong == []


def steps_of(said: str) -> str:
    return said[said.index('id="steps"') : said.index("</section>", said.index('id="steps"'))]


def test_an_upgrade_begins_with_an_ordered_short_list_of_what_to_do(tmp_path: Path) -> None:
    how = {"en": "use `--new`", "zh": "改用 `--new`"}
    flags = [net("cli_flag_removed", f"--old-{n}", how=how) for n in range(9)]
    turned = net("cli_default_changed", "--size", breaking=False, before="1", after="2")
    model = net("model_removed", "OldForCausalLM")
    written(tmp_path, net("extension_method_removed", "Base.run"), model, *flags, net("env_removed", "OLD"), turned)
    pages = RangePages(ground(stocked(), tmp_path))
    said = shown(pages, f"en/ranges/{STEM}.html")
    steps = steps_of(said)
    assert said.index("<h1>") < said.index('id="steps"') < said.index('id="breaking"')
    rows = re.findall(r'class="title" href="#([\w-]+)">[^<]+ (\d+)</a>', steps)
    names = ["breaking-cli", "breaking-environment", "felt-defaults", "breaking-models", "breaking-extension"]
    assert rows == list(zip(names, ["9", "1", "1", "1", "1"], strict=True)), (
        "what stops a start, what hits everybody, then who has the model; what plug-ins meet stands apart"
    )
    assert steps.index("</ol>") < steps.index("breaking-extension")
    assert f"{', '.join(f'--old-{n}' for n in range(9))} → use --new" in parsed(steps).text, (
        "one way out, one row, uncut"
    )
    assert "<code>--size</code>: <code>1 → 2</code>" in steps
    assert {one for one, _ in rows} <= set(parsed(said).ids)


def test_what_an_installation_asks_for_stands_in_the_list_by_file_as_it_is_written_there(tmp_path: Path) -> None:
    def needs(symbol: str, after: str, path: str) -> dict[str, Any]:
        return net("dependency_changed", symbol, breaking=False, before="==1", after=after, path=path)

    one = needs("torch", "==2.12.0", "requirements/cuda.txt"), needs("kernels", "[cu13] >=0.4", "requirements/cuda.txt")
    written(tmp_path, *one, needs("rand", "0.9", "rust/Cargo.toml"), needs("torch", "==2.11", "requirements/cpu.txt"))
    said = shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html")
    steps = steps_of(said)
    assert steps.index("<code>torch</code>: <code>1 → 2.12.0</code>") < steps.index("requirements/"), (
        "what all is built on"
    )
    assert "requirements/cuda.txt: <code>kernels&gt;=0.4</code>" in steps
    assert "requirements/cpu.txt: <code>torch==2.11</code>" in steps
    assert "rand" not in steps, "what is compiled in, nobody has to bring"
    assert 'href="#dependencies"' in steps
    assert "dependencies" in parsed(said).ids
    assert "now asks for 3</summary>" in said, "below as many as above; what is compiled in stands apart"
    assert "no longer asked for 1</summary>" in said


def test_what_everything_is_built_on_stands_first_with_its_jump_and_what_jumps_alike_together(tmp_path: Path) -> None:
    def needs(symbol: str, before: str, after: str, kind: str = "dependency_changed") -> dict[str, Any]:
        return net(kind, symbol, breaking=False, before=before, after=after, path="requirements.txt")

    written(
        tmp_path,
        net("env_removed", "OLD"),
        needs("xgrammar", ">=0.2.0,<1.0.0", ">=0.2.1,<1.0.0"),
        needs("transformers", ">=4.56.0,!=5.0.*,!=5.1.*", ">=5.5.3"),
        needs("Python", ">=3.9", ">=3.10", "python_required_changed"),
        needs("flashinfer-cubin", "==0.6.11", "==0.6.12"),
        needs("flashinfer-python", "==0.6.11", "==0.6.12"),
    )
    text = parsed(steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))).text
    rows = (
        "Python: >=3.9 → >=3.10",
        "transformers: >=4.56.0,… → >=5.5.3",
    )
    places = [text.index(row) for row in ("OLD", *rows, "requirements.txt: xgrammar")]
    assert places == sorted(places), "what is set comes first, and the jumps are not folded"
    assert "requirements.txt: xgrammar>=0.2.1,<1.0.0 flashinfer-cubin==0.6.12" in text, "a patch is no jump"


def test_a_fault_of_the_target_says_which_release_has_its_repair(tmp_path: Path) -> None:
    written(tmp_path)
    place = tmp_path / "reports" / "range" / f"{STEM}.json"
    data = json.loads(place.read_text(encoding="utf-8"))
    at = "2026-03-02T00:00:00+00:00"
    outage = {"from": at, "to": at, "fault": "b" * 40, "repair": SHA, "holds_end": True, "repaired_in": "v2.0.1"}
    place.write_text(json.dumps({**data, "outages": [outage]}), encoding="utf-8")
    said = shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html")
    assert "go to v2.0.1" in steps_of(said)
    removed = net("env_removed", "OLD")
    place.write_text(json.dumps({**data, "outages": [outage], "nets": [removed]}), encoding="utf-8")
    steps = steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))
    assert steps.index("OLD") < steps.index("go to v2.0.1"), (
        "what nobody starts without comes before what may hit somebody"
    )
    told = {**outage, "repair_title": "Fix a crash with long prompts"}
    place.write_text(json.dumps({**data, "outages": [told], "nets": [removed]}), encoding="utf-8")
    steps = steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))
    assert steps.index("Whom it hits, its repair tells: “Fix a crash with long prompts”.") < steps.index("go to v2.0.1")
    said_so = {**told, "repair_says": "Models with heads of many sizes.", "repair_files": ["attn.py", "mla.py"]}
    place.write_text(json.dumps({**data, "outages": [said_so], "nets": [removed]}), encoding="utf-8")
    steps = parsed(steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))).text
    assert (
        "The repair says: “Models with heads of many sizes.” In attn.py, mla.py. → if it hits you, go to v2.0.1 (repair: "
        in steps
    )


def test_what_is_refused_is_told_once_by_its_condition_however_many_files_have_it(tmp_path: Path) -> None:
    def guard(path: str) -> dict[str, Any]:
        text = {"zh": f"新增校验 `size < 0`（`{path}`）。", "en": f"New guard `size < 0` (`{path}`)."}
        owner = "Request" if path == "chat.py" else "Settings"
        return net("guard_added", f"{owner}._check", text=text, after="if self.size < 0: raise ValueError")

    written(tmp_path, guard("completion.py"), guard("chat.py"))
    steps = steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))
    assert "Settings, Request: size < 0 " in parsed(steps).text, "who meets it, and when where that is short"
    assert "chat.py" not in steps


def test_what_is_refused_is_told_in_the_words_of_its_error_and_never_by_half_of_its_condition(tmp_path: Path) -> None:
    says = "`budget` must be a non-negative integer or -1 for unlimited."
    check = "if … and value < 0: raise ValueError"
    nets = [
        net("guard_added", "Sampling.check", after=check, says=says),
        net("guard_added", "Request.budget", after=check.replace("value", "budget")),
        net("guard_narrowed", "Other.count", before="if n > 1: raise A", after="if n > 0: raise A"),
    ]
    written(tmp_path, *nets)
    steps = parsed(steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))).text
    assert "Sampling, Request: “budget must be a non-negative integer or -1 for unlimited.”" in steps
    assert "budget < 0" not in steps, "who gives -1 is not refused"
    assert "n > 1 → n > 0" not in steps, "a local name says nothing"


def test_a_type_of_values_and_a_variable_that_is_set_for_some_name_them(tmp_path: Path) -> None:
    typed = net(
        "field_changed",
        "Config.mode",
        before="str",
        after="Mode",
        only=["fast", "slow"],
        how=both("按新类型给值", "give a value"),
    )
    filled = net("env_filled", "FAST", after="1", only=["NewModel"], how=both("自行设置", "set it yourself"))
    written(tmp_path, typed, filled)
    steps = parsed(steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))).text
    assert "Config.mode → choose one of fast, slow" in steps
    assert "FAST: set to 1 for NewModel → set it yourself to decide" in steps


def test_another_type_has_both_its_sides_and_what_upstream_says_stands_alone(tmp_path: Path) -> None:
    typed = net(
        "field_changed",
        "Config.mode",
        before="str | None",
        after="Mode | None",
        how=both("按新类型给值", "give a value"),
    )
    said = net("env_removed", "OLD", how=both("按上游的说明：「Use --new」", "“Use --new”, as upstream says"))
    written(tmp_path, typed, said)
    steps = parsed(steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))).text
    assert "Config.mode: str | None → Mode | None → give a value" in steps
    assert "OLD → “Use --new” " in steps


def test_names_with_one_setting_instead_share_a_row_and_what_upstream_says_of_each_is_folded(tmp_path: Path) -> None:
    ways = [f"“Use --backend {n} with it”, as upstream says" for n in range(9)]
    written(tmp_path, *(net("env_removed", f"OLD_{n}", how=both(way, way)) for n, way in enumerate(ways)))
    steps = steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))
    seen, _, folded = steps.partition("<details>")
    assert "folded" not in parsed(seen).text, "nothing is left out"
    assert f"{', '.join(f'OLD_{n}' for n in range(9))} → use --backend" in parsed(seen).text
    assert "OLD_8 → “Use --backend 8 with it”" in parsed(folded).text


def test_a_setting_that_upstream_does_not_say_to_use_is_no_way_out(tmp_path: Path) -> None:
    ways = (
        "--a no longer works together with --extra.",
        "It never did anything without --extra.",
        "Do not use --extra",
        "Leave it out, see docs.example.org",
        "Gone, see docs.example.org",
        "Use --one 1 with --two 2",
        "Use --one 2 with --two 3",
    )
    nets = [net("env_removed", f"OLD_{n}", how=both(f"“{way}”", f"“{way}”")) for n, way in enumerate(ways)]
    right = [
        net("env_removed", f"WAS_{n}", how=both(f"“Gone, use --new. {n}”", f"“Gone, use --new. {n}”")) for n in (1, 2)
    ]
    written(tmp_path, *right, *nets)
    text = parsed(steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))).text
    assert "WAS_1, WAS_2 → use --new " in text, "without the full stop"
    assert "OLD_0 → “--a no longer works together with --extra.”" in text
    for name in ("--extra", "docs.example.org", "--one"):
        assert f" → use {name}" not in text


def test_an_old_default_is_offered_only_where_it_can_be_written(tmp_path: Path) -> None:
    kept = [("--size", "256", "1024"), ("--mode", '"fast"', '"slow"')]
    gone = [("--a", "get_default()", "1"), ("--b", "None", "3"), ("--c", "False", "True"), ("run(size)", "64", "65")]
    nets = [
        net("cli_default_changed", name, before=was, after=now, breaking=False) for name, was, now in (*kept, *gone)
    ]
    field = net("field_default_changed", "Config.x", before="True", after="False", breaking=False)
    written(tmp_path, *nets, field)
    text = parsed(steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))).text
    for was in ("256", '"fast"', "True"):
        assert f"set {was} to keep the old one" in text
    for was in ("get_default()", "None", "False", "64"):
        assert f"set {was} to keep" not in text
    assert "if you set nothing" in text, "whom another default hits"


def test_the_list_says_whom_each_step_hits_where_it_ends_and_by_which_change(tmp_path: Path) -> None:
    how = {"en": "use `--new`", "zh": "改用 `--new`"}
    written(tmp_path, net("cli_flag_removed", "--old", how=how), net("extension_method_removed", "Base.run"))
    steps = steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))
    text = parsed(steps).text
    assert "Command line 1: changed or gone" in text
    assert "Extension points 1: plug-ins and forks" in text
    assert re.search(r"<code>--old</code>.{0,80}<a href=\"https://example.org/c\"", steps), "a row leads to its change"


def test_a_value_that_a_setting_no_longer_takes_stands_by_its_flag_and_not_under_python(tmp_path: Path) -> None:
    flag = net(
        "cli_choices_changed",
        "--backend",
        before='["mori", "x"]',
        after='["mori_v2", "x"]',
        how={"en": "choose `mori_v2`", "zh": "改用 `mori_v2`"},
    )
    field = net("literal_narrowed", "PoolConfig.mode", before='"a", "b"', after='"a"', how={"en": "choose", "zh": "换"})
    written(tmp_path, flag, field, net("literal_narrowed", "Kind", before='"a", "b"', after='"a"'))
    said = shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html")
    told = parsed(steps_of(said)).text
    assert "--backend mori → choose mori_v2" in told
    assert "PoolConfig.mode b → choose" in told
    assert re.search(r'id="breaking-choices"><summary>[^<]+ 2<', said)
    assert re.search(r'id="breaking-python"><summary>[^<]+ 1<', said), "a type that no setting has is Python"


def test_what_is_chosen_by_name_and_is_no_model_is_named_by_its_registry_with_the_way_out(tmp_path: Path) -> None:
    instead = {"en": "use `gguf-plugin` instead", "zh": "改用 `gguf-plugin`"}
    another = {"en": "choose another", "zh": "换成其他选项"}
    chosen = [
        net("registry_removed", "quantization:gguf", how=instead),
        net("registry_removed", "quantization:cpu_awq", how=another),
        net("registry_removed", "connector:P2p", how=another),
    ]
    written(tmp_path, *(net("model_removed", f"Old{n}ForCausalLM") for n in range(20)), *chosen)
    said = shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html")
    told = parsed(steps_of(said)).text
    for row in (
        "quantization gguf → use gguf-plugin instead",
        "quantization cpu_awq, connector P2p → choose another",
    ):
        assert row in told
    assert "Models 20" in told
    assert all(f"Old{n}ForCausalLM" in told for n in range(20)), "nothing is cut"
    assert re.search(r'id="breaking-models"><summary>Models 20<', said), "the same count above and below"
    assert re.search(r'id="breaking-choices"><summary>[^<]+ 3<', said)


def test_what_is_open_is_read_within_a_minute_and_the_rest_is_folded_behind_its_count(tmp_path: Path) -> None:
    how = {"en": "set `x` in the file of the service instead of it", "zh": "改在服务的文件里设置 `x`"}
    many = [net("env_removed", f"OLD_{n}", how={**how, "en": f"{how['en']} {n}"}) for n in range(60)]
    wide = [net("extension_method_removed", f"Base.run_{n}") for n in range(90)]
    written(tmp_path, *wide, *many, net("cli_flag_removed", "--old", how=how), net("model_removed", "OldForCausalLM"))
    said = shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html")
    steps = steps_of(said)
    parts = {re.findall(r">([^<]+) \d+</a>", one)[0]: one for one in steps.split('class="title"')[1:]}
    first = {name: one.partition("<details>")[0] for name, one in parts.items()}
    assert "--old" in first["Command line"]
    assert "OldForCausalLM" in first["Models"]
    assert 0 < first["Environment"].count("OLD_") < 60, "of every part what is first"
    assert parts["Environment"].count("OLD_") == 60, "the rest folded, and whole"
    assert "Only code built on it 90</summary>" in steps, "what few meet is folded behind its count"
    shut = re.sub(r"(<details[^>]*>.*?</summary>).*?</details>", r"\1", steps, flags=re.DOTALL)
    assert len(parsed(shut).text.split()) <= 180
    assert said.index("</ol>") < said.index('<details class="part" id="all">') < said.index('id="breaking"')


def test_a_requirement_has_its_version_and_a_default_both_its_sides_or_a_sentence(tmp_path: Path) -> None:
    sha, wheel = (
        "fee783153f3efe57e3e933c5cb7e267a7cebcfb5",
        "@https://example.org/releases/v0.1.10/kernels_x-0.1.10-cp38-abi3-any.whl",
    )
    filled = {
        "zh": "未设置 `FAST` 时，程序可能将其设为 `1`（`a.py`）。",
        "en": "Where nobody sets `FAST`, the program may set it to `1` (`a.py`).",
    }
    nets = (
        net("source_changed", "MSA", breaking=False, before="0" * 40, after=sha, path="deps.cmake"),
        net("dependency_changed", "kernels_x", breaking=False, before="==1", after=wheel, path="requirements.txt"),
        net(
            "dependency_changed",
            "extra-quant",
            breaking=False,
            before=None,
            after="[extra-quant] extra-quant",
            path="setup.py",
        ),
        net("import_required", "tokens", breaking=False, before=None, after="tokens", path="a.py"),
        net("env_filled", "FAST", breaking=False, before=None, after="1", text=filled),
        net("parameter_default_changed", "run(size)", breaking=False, before="64", after="SIZE"),
    )
    written(tmp_path, *nets)
    steps = parsed(steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))).text
    assert f"deps.cmake: MSA {sha[:9]}" in steps
    assert "kernels_x 0.1.10" in steps
    assert "extra-quant" not in steps
    assert "tokens" not in steps
    assert "Where nobody sets FAST, the program may set it to 1." in steps
    assert "run(size): 64 → SIZE" in steps


def test_a_variable_that_only_a_build_reads_is_told_with_the_file_that_read_it(tmp_path: Path) -> None:
    how = {"zh": "确认不再依赖", "en": "make sure that nothing relies on it"}
    nets = [
        net("env_read_removed", name, how=how, path=path)
        for name, path in (("OUT", "build_it.sh"), ("OLD", "serve.py"))
    ]
    written(tmp_path, *nets)
    steps = parsed(steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))).text
    assert "build_it.sh: OUT → make sure" in steps
    assert steps.index("OLD → make sure") < steps.index("build_it.sh")


def test_names_of_a_list_that_decides_are_one_row_with_the_way_out_before_other_defaults(tmp_path: Path) -> None:
    listed = [
        {
            **net("listed_added", f"DEFAULT_NEW:{name}", breaking=False, after=name),
            "how": both("设置 `NEW`", "set `NEW`"),
        }
        for name in ("A", "B")
    ]
    written(tmp_path, net("cli_default_changed", "--size", breaking=False, before="1", after="2"), *listed)
    steps = parsed(steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))).text
    assert steps.index("A, B: new in DEFAULT_NEW, the list of defaults → set NEW") < steps.index("--size")


def open_part(steps: str) -> str:
    return parsed(re.sub(r"(<details>.*?</summary>).*?</details>", r"\1", steps, flags=re.DOTALL)).text


def test_what_works_otherwise_is_called_neither_gone_nor_refused(tmp_path: Path) -> None:
    guard = net("guard_added", "Request.check", after="if self.size < 0: raise ValueError")
    filled = net("env_filled", "FAST", how=both("自行设置", "set it yourself"), after="1")
    taken = net("taken_changed", "max_tokens", how=both("只给一个", "give one"))
    wanted = net("demand_added", "NEEDED", how=both("设置它", "set it"), after="no NEEDED")
    written(tmp_path, net("env_removed", "OLD"), filled, guard, taken, wanted)
    place = RangePages(ground(stocked(), tmp_path))
    said = open_part(steps_of(shown(place, f"en/ranges/{STEM}.html")))
    assert re.search(r"Environment 1: gone\s+Removes OLD", said)
    assert re.search(r"Environment 1: otherwise now\s+FAST → set it yourself", said)
    assert re.search(r"Behaviour 1: refused now\s+Request.check: size < 0", said)
    assert re.search(r"Behaviour 1: otherwise now\s+max_tokens → give one", said)
    assert re.search(r"Behaviour 1: fails unless you set it\s+NEEDED → set it", said)
    other = open_part(steps_of(shown(place, f"zh/ranges/{STEM}.html")))
    assert other.count("现在行为不同") == 2


def test_defaults_are_never_wholly_folded_and_those_that_turn_alike_share_a_line(tmp_path: Path) -> None:
    long = both("很长", f"Where it is left open, another value is chosen: {'a or ' * 30}b.")
    models = [net("model_removed", f"Old{n}ForCausalLM") for n in range(30)]
    names = [net("env_removed", f"OLD_{n}", how=both(f"改 {n}", f"use {n}")) for n in range(30)]
    turned = [
        net("env_default_changed", name, breaking=False, before="False", after="True") for name in ("STRICT", "LOUD")
    ]
    sentence = net("env_default_changed", "mode", breaking=False, text=long)
    written(tmp_path, *models, *names, sentence, *turned)
    said = open_part(steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html")))
    assert re.search(r"Defaults 3: [^\n]+\s+STRICT, LOUD: False → True", said)
    assert "1 more" in said
    (tmp_path / "b").mkdir()
    written(tmp_path / "b", sentence)
    said = open_part(steps_of(shown(RangePages(ground(stocked(), tmp_path / "b")), f"en/ranges/{STEM}.html")))
    assert re.search(r"Defaults 1: [^\n]+\s+mode", said), "one that fills lines is named at least"


def test_of_many_faults_two_are_open_and_a_repair_that_is_quoted_keeps_its_title(tmp_path: Path) -> None:
    written(tmp_path)
    place = tmp_path / "reports" / "range" / f"{STEM}.json"
    data = json.loads(place.read_text(encoding="utf-8"))
    at = "2026-03-02T00:00:00+00:00"
    told = {"from": at, "to": at, "holds_end": True, "repaired_in": "v2.0.1", "repair_says": "Models with many heads."}
    outages = [{**told, "fault": f"{n}" * 40, "repair": "c" * 40, "repair_title": "Mend heads"} for n in range(5)]
    place.write_text(json.dumps({**data, "outages": outages}), encoding="utf-8")
    steps = steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))
    assert open_part(steps).count("go to v2.0.1") == 2
    assert "3 more" in open_part(steps)
    assert f'title="Mend heads">{"c" * 9}</a>' in steps

"""The headline: one line that says what the day's first entry is."""

from __future__ import annotations

from msgspec.structs import replace

from daybreak.core.model.day import Action
from daybreak.judge.headline import headline, quoted_title, titled
from daybreak.judge.reach import without_plain_tags
from render import factory

LONG = "Support " + "a very long title that nobody can read in one line of a mailbox " * 4


def told(*actions: Action, **more: object) -> dict[str, str]:
    return dict(headline(replace(factory.report(), actions=actions, also=(), **more)))


def test_it_is_the_first_entry_with_tag_repository_and_what_its_finding_says() -> None:
    first = factory.busy().entries[0]
    action = Action("acme/engine", (first.change.sha,), {"en": "x"}, (first.reading.findings[0].id,), tag="breaks")
    said = told(action)
    assert said["en"].startswith("BREAKS · engine · ")
    assert said["zh"].startswith("不兼容 · engine · ")
    assert "--backend" in said["en"]
    assert "core.py" not in said["en"], "a headline names no file"


def test_without_a_finding_it_quotes_the_title_without_its_tags() -> None:
    entry = factory.entry(factory.change(1, "[Bugfix][Core] fix(moe): Stop the leak of blocks (#99) (#101)", pr=101))
    repo = replace(factory.busy(), entries=(entry,))
    action = Action("acme/engine", (entry.change.sha,), {"en": "x"}, tag="crash")
    said = told(action, repos=(repo,))
    assert said["en"] == "CRASH/HANG · engine · “Stop the leak of blocks”"
    assert said["zh"] == "崩溃/卡死 · engine · 「Stop the leak of blocks」"


def test_a_long_title_is_cut_between_words() -> None:
    entry = factory.entry(factory.change(1, LONG))
    action = Action("acme/engine", (entry.change.sha,), {"en": "x"}, tag="crash")
    said = told(action, repos=(replace(factory.busy(), entries=(entry,)),))["en"]
    assert len(said) < 130
    assert said.endswith("…”")
    assert said.rstrip("…”").split()[-1] in LONG.split()


def test_of_many_names_that_go_it_says_the_first() -> None:
    first = factory.busy().entries[0]
    one = replace(first.reading.findings[0], kind="operator_removed", symbol="engine::an_operator", effective=None)
    gone = [replace(one, id=f"{one.id}{n}", symbol=f"{one.symbol}_{n}", before="x", after=None) for n in range(9)]
    entry = replace(first, reading=replace(first.reading, findings=tuple(gone)))
    repo = replace(factory.busy(), entries=(entry,))
    action = Action("acme/engine", (entry.change.sha,), {"en": "x"}, tuple(f.id for f in gone), tag="fork")
    said = told(action, repos=(repo,))["en"]
    assert "an_operator_0" in said
    assert "an_operator_1" not in said


def test_it_tells_the_finding_that_the_entry_tells_first() -> None:
    first = factory.busy().entries[0]
    flag = first.reading.findings[0]
    field = replace(
        flag,
        id=f"{flag.id}9",
        kind="internal_field_removed",
        symbol="Pool.shape",
        before="x",
        after=None,
        effective=None,
    )
    entry = replace(first, reading=replace(first.reading, findings=(flag, field)))
    action = Action("acme/engine", (entry.change.sha,), {"en": "x"}, (field.id, flag.id), tag="breaks")
    said = told(action, repos=(replace(factory.busy(), entries=(entry,)),))["en"]
    assert "Pool.shape" in said
    assert "--backend" not in said


def test_a_quiet_day_is_a_plain_sentence() -> None:
    assert told()["en"] == f"Nothing to act on in {len(factory.report().entries)} commits"
    assert told(repos=(replace(factory.busy(), entries=(), in_git=0),))["en"] == "Nothing landed"
    assert told(repos=(replace(factory.busy(), entries=(), in_git=None),))["zh"] == "当日情况未知"


def test_two_repositories_of_one_short_name_are_told_apart() -> None:
    first = factory.busy()
    other = replace(first, repo=factory.repo("other/engine"))
    action = Action("acme/engine", (first.entries[1].change.sha,), {"en": "x"}, tag="crash")
    assert " · acme/engine · " in told(action, repos=(first, other))["en"]


def test_a_tag_that_names_hardware_or_a_part_of_few_stays_before_the_title() -> None:
    for subject, said in (
        ("[Core] Fuse the norm (#1)", "“Fuse the norm”"),
        ("[CPU] Upgrade torch (#1)", "“[CPU] Upgrade torch”"),
        ("[Feature][diffusion] chore: server args (#1)", "“[diffusion] chore: server args”"),
    ):
        assert quoted_title(factory.entry(factory.change(1, subject)), 80)["en"] == said


def test_scopes_stay_before_a_title_and_kinds_of_changes_do_not() -> None:
    assert without_plain_tags("[Bugfix][PD][Nixl] Fix heartbeats") == "[PD] [Nixl] Fix heartbeats"
    assert without_plain_tags("[DLLM] Schedule blocks") == "[DLLM] Schedule blocks"
    for plain in ("[Misc]", "[1/N]", "[CI/Build]", "[V1][Core]", "[Perf] ", "[Model]"):
        assert without_plain_tags(f"{plain} Send once") == "Send once"


def test_what_takes_a_change_back_says_so() -> None:
    entry = factory.entry(factory.change(1, 'Revert "[Core] Free the blocks early (#99)" (#101)', pr=101))
    assert titled(entry, 80) == {"en": "Revert of “Free the blocks early”", "zh": "回退 「Free the blocks early」"}


def test_both_sides_of_a_long_turn_are_cut_around_where_they_differ() -> None:
    entry = factory.busy().entries[0]
    common = "and current_platform.has_device_capability(90) and cfg.model_config.get_hidden_size() == 7168"
    turned = replace(
        entry.reading.findings[0],
        kind="field_default_changed",
        symbol="PassConfig.fuse",
        effective=None,
        before=f"cfg.tp_size > 1 {common}",
        after=f"cfg.tp_size > 2 {common}",
    )
    entry = replace(entry, reading=replace(entry.reading, findings=(turned,)))
    action = Action("acme/engine", (entry.change.sha,), {"en": "x"}, (turned.id,), tag="default")
    said = told(action, repos=(replace(factory.busy(), entries=(entry,)),))["en"]
    assert "`PassConfig.fuse`" in said
    assert "> 1" in said
    assert "> 2" in said
    assert len(said) < 160

"""The page of a week: a headline before its lists."""

from __future__ import annotations

from pathlib import Path

import msgspec

from both_languages import both
from daybreak.core.model.rollup import Line, Rollup, SpanDay, SpanRepo
from daybreak.site.pages.rollups import RollupPages, told_in_feed
from pages.building import parsed
from pages.shelf import Shelf, day, ground, repo, shown


def written(folder: Path, **parts: object) -> str:
    made = Rollup(label="2026-W10", first="2026-03-02", last="2026-03-08", digest="", **parts)  # type: ignore[arg-type]
    place = folder / "reports"
    place.mkdir(parents=True, exist_ok=True)
    (place / "2026-W10.json").write_bytes(msgspec.json.encode(made))
    shelf = Shelf()
    shelf.put(day("2026-03-02", repo()))
    return shown(RollupPages(ground(shelf, folder)), "en/rollups/2026-W10.html")


def line(said: str, tag: str, number: int = 1) -> Line:
    return Line(repo="acme/engine", text=both(said, said), tag=tag, commits=(f"{number:040x}",))


def test_a_week_begins_with_what_breaks_in_few_words(tmp_path: Path) -> None:
    page = written(tmp_path, breaks=(Line(repo="acme/engine", text=both("删除 `--x`。", "Removes `--x`.")),))
    title = page.split("<title>")[1].split("</title>")[0]
    assert title == "2026-W10 in sum (2026-03-02 – 2026-03-08) · Daybreak", "not half of a commit's message"
    assert "engine · Removes --x" in page.split('property="og:description" content="')[1].split('"')[0]
    assert page.index('id="short"') < page.index('id="breaks"')
    told = page[page.index("<li>") : page.index("</li>")]
    assert told.index("engine") < told.index("--x"), "whose it is stands first, as on the page of a day"
    assert {one[1:] for one in parsed(page).links if one.startswith("#")} - {"main"} <= set(parsed(page).ids)
    assert "#breaks" in parsed(page).links


def test_holes_lead_a_week_then_wrong_results_crashes_and_flags(tmp_path: Path) -> None:
    faults = (
        line("Fixes a hole.", "security", 1),
        line("Fixes a crash.", "crash", 2),
        line("Wrong sums.", "corrupts", 3),
    )
    page = written(tmp_path, fixes=faults, breaks=(line("Removes `--x`.", "breaks", 4),))
    places = [page.index(one, page.index('id="short"')) for one in ("a hole", "Wrong sums", "a crash", "--x")]
    assert places == sorted(places)


def test_every_project_with_a_fault_is_in_the_short_week_before_any_has_a_second(tmp_path: Path) -> None:
    found = [
        msgspec.structs.replace(
            line(f"Wrong sums of {of} {number}.", "corrupts", number), rank=number, repo=f"acme/{of}"
        )
        for number, of in enumerate(("a", "a", "a", "a", "a", "a", "a", "a", "b", "c"), 1)
    ]
    short = parsed(written(tmp_path, fixes=tuple(found)).partition('id="short"')[2].partition("</section>")[0]).text
    assert all(f"Wrong sums of {one}" in short for one in ("a 1", "b 9", "c 10"))


def test_a_week_in_short_has_at_most_250_words_and_shows_every_kind_of_it(tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(60))
    some = {
        name: tuple(line(f"{long}.", tag, number) for number in range(start, start + 30))
        for name, tag, start in (("fixes", "corrupts", 1), ("breaks", "breaks", 100))
    }
    some["fixes"] += (line(f"{long}.", "crash", 90),)
    some["stories"] = (msgspec.structs.replace(line(f"`A` was repaired by `B`; {long}.", "broken", 91), kind="fixup"),)
    some["releases"] = tuple(Line(repo="acme/engine", text={}, symbol=f"v{number}") for number in range(40))
    repos = tuple(SpanRepo(f"acme/{name}", "", 9, 0, 0, 0) for name in ("engine", "a", "b", "c", "d"))
    some["news"] = tuple(
        msgspec.structs.replace(line("Adds it.", "", 200 + n), kind="model_added", symbol=f"Model{n}") for n in range(9)
    )
    page = written(tmp_path, repos=repos, **some)
    short = page[page.index("<h1>") : page.index('<details class="part"')]
    assert len(parsed(short).text.split()) <= 250, "read in a minute"
    assert all(
        one in short for one in ("1 CRASH", ">CORRUPTS<", ">BREAKS<", "was repaired by", "v39", "Model1", "7 more")
    )
    assert all(f'class="part" id="{name}">' in page for name in some), "all of it is there, folded"


def test_what_to_do_is_said_where_what_changed_does_not_name_it(tmp_path: Path) -> None:
    renamed, moved = line("Renames `--x` to `--y`, no alias is kept.", "breaks", 1), line("Removes `--z`.", "breaks", 2)
    lines = (
        msgspec.structs.replace(renamed, how=both("改用 `--y`", "use `--y` instead")),
        msgspec.structs.replace(moved, how=both("改用 `W`", "set `W`")),
    )
    short = parsed(written(tmp_path, breaks=lines).partition('id="short"')[2].partition("</section>")[0]).text
    assert "Renames --x to --y.\n" in short
    assert "Removes --z; set W." in short


def test_advice_that_is_too_long_ends_with_a_clause_and_never_within_one(tmp_path: Path) -> None:
    one = "set `kv_dtype` and `decode_backend` yourself to keep the old value of both, which the program decides now"
    ways = (one, "remove the setting before upgrading, it has no effect any more")
    lines = (
        msgspec.structs.replace(line(f"Gone {n}.", "breaks", n), how=both(way, way)) for n, way in enumerate(ways, 1)
    )
    said = short_of(written(tmp_path, breaks=tuple(lines)))
    assert "yourself to keep the old value of both." in said
    assert "it has no effect any more." in said


def test_a_fault_is_told_by_what_went_wrong_and_the_release_that_has_it_or_its_repair(tmp_path: Path) -> None:
    said = "“Fix wrong sums”: a comment says: “Sums of rows …” `v0.2.1` has this fault."
    one = msgspec.structs.replace(line(said, "corrupts"), title="Fix wrong sums (#12)")
    page = written(tmp_path, fixes=(one,))
    short = parsed(page[page.index('id="short"') : page.index('<details class="part"')]).text
    assert "Fix wrong sums: “Sums of rows …” v0.2.1 has this fault." in short
    freed = msgspec.structs.replace(
        one, text=both("修复。", "It was."), released="v0.2.2", effect="Rows are added twice"
    )
    (tmp_path / "b").mkdir()
    assert "Rows are added twice. Released with v0.2.2." in parsed(written(tmp_path / "b", fixes=(freed,))).text


def test_what_the_days_put_first_is_told_first_each_project_in_turn(tmp_path: Path) -> None:
    some = [
        msgspec.structs.replace(line(f"Removes `--{name}` wholly.", "breaks", at), rank=rank, repo=f"acme/{of}")
        for at, (name, rank, of) in enumerate(
            (("e", None, "b"), ("d", 9, "b"), ("a", 0, "c"), ("b", 1, "c"), ("c", 2, "c")), 1
        )
    ]
    script = line("Removes `--s` (`tools/bench.py`).", "breaks", 9)
    script = msgspec.structs.replace(
        script, rank=3, who=both("运行 `tools/bench.py` 的人", "whoever runs `tools/bench.py`")
    )
    short = parsed(written(tmp_path, breaks=(*some, script)).partition('id="short"')[2].partition("</section>")[0]).text
    places = [short.index(f"--{name}") for name in "abc"]
    assert places == sorted(places)
    assert "acme" not in short
    assert short.index("--d") < short.index("--b"), "of those who are hit alike, each project has its turn"
    assert "Removes --s (tools/bench.py)" in short, "no flag of the server"


def short_of(page: str) -> str:
    return parsed(page.partition('id="short"')[2].partition("</section>")[0]).text


def test_every_project_that_changed_something_has_a_line_of_its_own(tmp_path: Path) -> None:
    loud = tuple(msgspec.structs.replace(line(f"Removes `--x{n}`.", "breaks", n), rank=n) for n in range(1, 30))
    quiet = msgspec.structs.replace(line("Renames `f`.", "deprecates", 50), repo="acme/kernels")
    repos = tuple(SpanRepo(name, "", 3, 0, 0, 0) for name in ("acme/engine", "acme/kernels"))
    short = short_of(written(tmp_path, breaks=loud, deprecates=(quiet,), repos=repos))
    assert short.index("--x1") < short.index("Other projects") < short.index("kernels") < short.index("Renames f.")


def test_the_newest_final_release_of_each_project_is_named_before_one_that_came_before_it(tmp_path: Path) -> None:
    tags = (("v1rc1", "prerelease"), ("v1rc2", "prerelease"), ("v1", ""), ("v2rc1", "prerelease"))
    released = tuple(Line(repo="acme/engine", text={}, symbol=tag, kind=kind) for tag, kind in tags)
    short = short_of(written(tmp_path, releases=released))
    assert short.index("engine v1") < short.index("v2rc1 (pre-release)")


def test_days_without_a_report_that_follow_one_another_are_one(tmp_path: Path) -> None:
    gone = ("2026-03-02", "2026-03-03", "2026-03-04", "2026-03-06")
    assert "Days without a report: 2026-03-02 – 2026-03-04, 2026-03-06" in written(tmp_path, missing=gone)


def test_a_change_that_no_day_of_the_archive_tells_is_linked_to_the_forge(tmp_path: Path) -> None:
    repos = (SpanRepo("acme/engine", "https://github.com/acme/engine", 3, 0, 0, 0),)
    page = written(tmp_path, repos=repos, breaks=(line("Removes `--x`.", "breaks", 4),))
    links = parsed(page).links
    assert not [one for one in links if "changes/" in one], "there is no such page"
    assert f"https://github.com/acme/engine/commit/{4:040x}" in links


def found(said: str, kind: str, number: int, rank: int, who: str = "") -> Line:
    made = line(said, "breaks", number)
    return msgspec.structs.replace(
        made, kind=kind, rank=rank, who=both(who, who) if who else {}, title=f"Change {number}"
    )


def test_who_runs_a_server_is_told_before_who_imports_a_library_or_runs_a_script(tmp_path: Path) -> None:
    script = found("Removes `--s` (`tools/mega.py`).", "cli_flag_removed", 1, 0, "whoever runs `tools/mega.py`")
    reads = found("`tools/mega.py` no longer reads `MEGA`.", "env_read_removed", 1, 0)
    moved = found("Moves `f` (`lib/core.py`).", "function_moved", 2, 1)
    kernel = found("Renames `K` (`lib/kernels/a.py`).", "env_renamed", 3, 2)
    request = found("New guard `x` (`server/entrypoints/protocol.py`).", "guard_added", 4, 9)
    request = msgspec.structs.replace(request, how=both("去掉 `x`", "drop `x`"))
    short = short_of(written(tmp_path, breaks=(script, reads, moved, kernel, request)))
    places = [short.index(one) for one in ("Change 4", "Renames K", "Moves f", "Removes --s")]
    assert places == sorted(places)


def test_what_only_its_title_tells_stands_below_the_fold(tmp_path: Path) -> None:
    def fault(title: str, told: str, number: int) -> Line:
        said = both(f"「{title}」：{told}", f"“{title}”: {told}")
        return msgspec.structs.replace(line("", "corrupts", number), title=title, text=said)

    lines = (fault("Fix sums", "changed lines: adds `a = 1`.", 1), fault("Fix rows", "a comment says: “Rows go.”", 2))
    guard = found("New guard `x` (`server/protocol.py`).", "guard_added", 4, 0)
    flag = found("Removes `--a`.", "cli_flag_removed", 5, 1)
    page = written(tmp_path, fixes=lines, breaks=(guard, flag))
    short = short_of(page)
    assert "Fix rows: “Rows go.”" in short
    assert "Removes --a" in short
    for title, told in (("Fix sums", "adds a = 1"), ("Change 4", "New guard x")):
        assert title not in short
        assert told in parsed(page).text


def test_no_sentence_of_a_short_week_is_cut_where_the_title_says_it_whole(tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(40))
    fault = msgspec.structs.replace(line("Wrong.", "corrupts"), title="[Fix] Wrong sums (#3)", effect=f"misuse {long}")
    moved = msgspec.structs.replace(line(f"Moves {long}.", "breaks", 2), title="Move the sums")
    short = short_of(written(tmp_path, fixes=(fault,), breaks=(moved,)))
    assert "Wrong sums." in short
    clause = msgspec.structs.replace(fault, effect="misuse raises instead")
    (tmp_path / "b").mkdir()
    assert "misuse" not in short_of(written(tmp_path / "b", fixes=(clause,))), "a clause from the middle of a sentence"
    assert "Move the sums" in short
    assert "…" not in short


def test_one_long_line_keeps_no_short_one_out(tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(90))
    lines = (found("Removes `--a`.", "cli_flag_removed", 1, 0), found("Removes `--b`.", "cli_flag_removed", 3, 2))
    wide = msgspec.structs.replace(found("Moves.", "cli_flag_removed", 2, 1), title=long, text=both(long, long))
    short = short_of(written(tmp_path, breaks=(lines[0], wide, lines[1])))
    assert "--a" in short
    assert "--b" in short


def test_all_names_that_a_change_takes_from_what_can_be_chosen_stand_in_its_line(tmp_path: Path) -> None:
    choice = found("`--method`: removes `one` (`server_args.py`).", "cli_choices_changed", 1, 0)
    other = msgspec.structs.replace(
        found("`two` can no longer be chosen in `method` (`reg.py`).", "registry_removed", 1, 0), symbol="method:two"
    )
    short = short_of(written(tmp_path, breaks=(choice, other)))
    assert "--method: removes one; gone as well: two." in short


def test_days_behind_the_newest_report_are_named_like_those_that_were_left_out(tmp_path: Path) -> None:
    days = tuple(SpanDay(f"2026-03-0{n}", 1, 0, both("", "")) for n in (2, 5))
    page = parsed(written(tmp_path, days=days, missing=("2026-03-03", "2026-03-04"))).text
    missing = "Days without a report: 2026-03-03 – 2026-03-04. After the newest report, without one so far: "
    assert f"{missing}2026-03-06 – 2026-03-08." in page


def test_a_fault_of_a_branch_says_from_when_until_when(tmp_path: Path) -> None:
    told = msgspec.structs.replace(line("`A` was repaired by `B`.", "broken"), span=("03-02 06:00", "03-05 09:00"))
    page = written(tmp_path, stories=(msgspec.structs.replace(told, kind="fixup"),))
    assert "03-02 06:00 → 03-05 09:00" in short_of(page)


def test_faults_of_a_branch_that_go_on_or_lasted_longest_come_first(tmp_path: Path) -> None:
    def fault(name: str, start: str, end: str) -> Line:
        told = line(f"`Fault {name}` was repaired by `B`.", "broken")
        return msgspec.structs.replace(told, kind="fixup", span=(start, end), repo=f"acme/{name}")

    hour, days, on = (
        fault("hour", "03-02 06:00", "03-02 07:00"),
        fault("days", "03-02 08:00", "03-05 09:00"),
        fault("on", "03-04 06:00", "…"),
    )
    short = short_of(written(tmp_path, stories=(hour, days, on)))
    assert short.index("Fault on") < short.index("Fault days") < short.index("Fault hour")
    assert "repaired by" not in short, "until when it lasted stands there"


def test_a_fault_of_tests_alone_never_stands_in_a_short_week_for_one_that_users_met(tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(60))
    met = msgspec.structs.replace(line(f"`{long}` was repaired by `B`.", "broken"), kind="fixup")
    tests = msgspec.structs.replace(line("`C` was repaired by `D`.", "broken_tests"), kind="fixup", repo="acme/other")
    short = short_of(written(tmp_path, stories=(tests, met)))
    assert "word1" in short
    assert "C was" not in short


def test_what_nobody_notices_and_the_newest_release_has_leads_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    def fault(title: str, tag: str, number: int, state: str) -> Line:
        text = f"“{title}”: a comment says: “Lines of the repair.” {state}"
        return msgspec.structs.replace(line(text, tag, number), title=title, rank=number)

    unclear, has = (
        "Not in `v1` yet.",
        "`v1` has this fault; the fix cherry-picks cleanly.",
    )
    found = (
        fault("Fix a crash with long prompts", "crash", 1, has),
        fault("Fix the stride of gates", "corrupts", 2, unclear),
        fault("Fix wrong sums of rows", "corrupts", 3, has),
        *(fault(f"Fix a crash with prompts of size {n}", "crash", n, has) for n in range(4, 30)),
    )
    page = written(tmp_path, fixes=found)
    short = parsed(page.partition('id="short"')[2].partition("</section>")[0]).text
    places = [short.index(one) for one in ("wrong sums", "stride of gates", "a crash with long")]
    assert places == sorted(places)
    assert "Fix wrong sums of rows. v1 has this fault" in short, "a title that says what went wrong needs no quote"
    assert "stride of gates: “Lines of the repair.”" in short
    assert "all 29: 2 CORRUPTS, 27 CRASH/HANG" in short


def test_a_title_in_a_story_is_a_quotation_and_no_code(tmp_path: Path) -> None:
    told = line("`Move the flags of layers` was repaired by `Mend it at once` in `Layers`.", "broken")
    page = written(tmp_path, stories=(msgspec.structs.replace(told, kind="fixup"),))
    assert page.count("<q>Move the flags of layers</q>") == 2
    assert "<code>Move" not in page
    assert '<code class="w">Layers</code>' in page


def test_a_check_that_came_is_told_in_the_words_of_its_error(tmp_path: Path) -> None:
    raised = 'if "x" in values: raise ValueError("Parameter `x` was removed; use `y` instead.")'
    bare = msgspec.structs.replace(
        line("New guard.", "breaks", 1), kind="guard_added", symbol="Request", after='if "x" in data: raise Wrong'
    )
    told = msgspec.structs.replace(bare, symbol="Config", after=raised)
    page = written(tmp_path, breaks=(bare, told))
    short = parsed(page.partition('id="short"')[2].partition("</section>")[0]).text
    assert "“Parameter x was removed; use y instead.”" in short


def test_what_is_new_stands_in_a_line_one_name_a_change(tmp_path: Path) -> None:
    def new(kind: str, symbol: str, number: int) -> Line:
        return msgspec.structs.replace(line(f"Adds {symbol}.", "", number), kind=kind, symbol=symbol)

    news = (
        new("model_added", "NewForCausalLM", 1),
        new("model_added", "NewForEmbedding", 1),
        new("registry_added", "quantization:fast", 2),
        new("cli_flag_added", "--new", 3),
    )
    page = written(tmp_path, news=news)
    short = parsed(page.partition('id="short"')[2].partition("</section>")[0]).text
    assert "engine: NewForCausalLM, quantization fast, 1 option" in short
    assert "NewForEmbedding" not in short


def test_the_feed_of_spans_has_the_newest_weeks_and_months(tmp_path: Path) -> None:
    written(tmp_path)
    for label in (*(f"2026-W{n}" for n in range(11, 25)), *(f"2026-0{n}" for n in range(1, 9))):
        made = Rollup(label=label, first="2026-03-02", last="2026-03-08", digest="")
        (tmp_path / "reports" / f"{label}.json").write_bytes(msgspec.json.encode(made))
    told = told_in_feed(ground(Shelf(), tmp_path))
    assert told == [
        "2026-W24",
        "2026-W23",
        "2026-W22",
        "2026-W21",
        "2026-W20",
        "2026-W19",
        "2026-08",
        "2026-07",
        "2026-06",
        "2026-05",
    ]

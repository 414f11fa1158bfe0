"""What only refuses is told as a refusal, whatever its title calls it; and a start that a warning let pass is a break."""

import pytest
from msgspec.structs import replace

from analyse.test_day import ARGS, commit, day, report
from analyse.test_first_screen import finding
from daybreak.core.model.changes import Change
from daybreak.judge.rejections import only_rejects, refuses_start
from read.made import change_of, patch_of

REFUSAL = '    if self.ep_size == 1:\n        raise ValueError(\n            "deep experts need --ep-size > 1, "\n            f"not {self.ep_size}"\n        )\n'
HEAD = "def check(self):\n    self.start_of_all(self.size)\n"


def changed(before: str, after: str, subject: str = "Fix the layout without experts (#6)") -> Change:
    return commit("6", subject, {ARGS: patch_of(before, after)})


@pytest.mark.parametrize(
    ("before", "after", "only"),
    [
        (HEAD, HEAD + REFUSAL, True),
        (
            f"{HEAD}    ratio = 128\n",
            f"{HEAD}    heads = q.shape[-2]\n    ratio = heads\n    if ratio != heads_of(q):\n        raise ValueError('no')\n",
            False,
        ),
        (
            f"{HEAD}    ratio = 128\n",
            f"{HEAD}    ratio = q.shape[-2]\n    if ratio != 128:\n        raise ValueError('no')\n",
            True,
        ),
        (HEAD, f"{HEAD}{REFUSAL}    self.layout = plain_layout(self)\n", False),
        (f"{HEAD}    start_again(self)\n", HEAD + REFUSAL, False),
        (HEAD, f"{HEAD}    assert self.ep_size\n", False),
    ],
    ids=["a check", "a value beside it", "a value for it", "a value that runs", "a call that goes", "an assertion"],
)
def test_a_change_only_rejects_where_nothing_else_comes_or_goes(before: str, after: str, only: bool) -> None:
    assert only_rejects(changed(before, after)) is only


def test_a_fix_that_only_rejects_is_told_as_what_is_refused() -> None:
    for subject in ("Fix the layout of experts with ep_size one (#6)", "Add a check of ep_size (#6)"):
        change = changed(HEAD, HEAD + REFUSAL, subject)
        guard = finding(change, "guard_added", ARGS, "check", number=9, after="if self.ep_size == 1: raise ValueError")
        (line,) = day(report(change, extra=(guard,))).actions
        assert line.tag == "breaks", "a size that was accepted is refused"
        assert "where `self.ep_size == 1`, it is now refused with the error" in line.text["en"]


def test_a_fix_that_does_more_than_reject_is_told_as_a_fix() -> None:
    mended = REFUSAL + "    self.layout = plain_layout(self)\n"
    change = changed(HEAD, HEAD + mended, "Fix the layout of experts with ep_size one (#6)")
    guard = finding(change, "guard_added", ARGS, "check", number=9, after="if self.ep_size == 1: raise ValueError")
    assert all(line.tag != "rejects" for line in day(report(change, extra=(guard,))).actions)


WARNED = '    logger.warning("No cache with drafts, it is off.")\n    self.no_cache = True\n'
REFUSED = '    if not self.no_cache:\n        raise ValueError("no cache with drafts")\n'


@pytest.mark.parametrize(
    ("went", "refuses"),
    [(WARNED, True), ("    self.no_cache = True\n", False), (WARNED.splitlines(keepends=True)[0], False)],
)
def test_a_start_that_a_warning_let_pass_is_refused(went: str, refuses: bool) -> None:
    patch = patch_of(HEAD + went, HEAD + REFUSED)
    change = change_of({ARGS: patch}, subject="Enable drafts (#6)", sha="6" * 40)
    guard = finding(change, "guard_added", ARGS, "check", number=9, after="if not self.no_cache: raise ValueError")
    at = type(guard)(guard.id, guard.kind, guard.path, 12, guard.symbol, after=guard.after)
    assert refuses_start(change, at) is refuses
    if refuses:
        part = report(change, extra=(at,))
        assert part.entries[0].importance.level == "high"
        assert day(part).actions[0].tag == "rejects"


@pytest.mark.parametrize(
    ("body", "breaks"),
    [
        ("Sizes of one have no layout, so `check` raises there rather than failing deep inside the layout.", False),
        ("Another part reports the layout rather than failing deep inside.", True),
        ("`check` raises instead of silently failing to lay anything out.", True),
        ("", True),
    ],
    ids=["failed before", "of something else", "ran before", "not said"],
)
def test_a_clearer_error_for_what_failed_before_breaks_nobody(body: str, breaks: bool) -> None:
    change = replace(changed(HEAD, HEAD + REFUSAL, "Tell of sizes without a layout (#6)"), body=body)
    guard = finding(change, "guard_added", ARGS, "check", number=9, after="if self.ep_size == 1: raise ValueError")
    (entry,) = report(change, extra=(guard,)).entries
    assert entry.breaking is breaks


LONG = (
    "The tiled kernels read an eight bit cache on one platform alone; here they ask for sixteen bits. Use --cache-dtype "
    "sixteen with the tiled backend, or keep --cache-dtype eight and pick a backend that reads it "
    "(--backend flat on Hopper, --backend long on Blackwell)."
)
CHECKER = (
    "def check_tiled(dtype, backend):\n"
    '    """Reject here instead of crashing at the capture of the graph."""\n'
    f"    if dtype == 'eight' and backend == 'tiled':\n        raise ValueError({LONG!r})\n\n\n"
)


def way_out(error: str, *came: str) -> str:
    """What the day says of a fix that has a new function raise it, which a function that stood there calls."""
    before = HEAD
    after = CHECKER.replace(repr(LONG), repr(error)) + HEAD + "    check_tiled(self.dtype, self.backend)\n"
    change = changed(before, after, "Fix the start with eight bits: fail fast on the tiled backend (#6)")
    options = [finding(change, "cli_flag_added", ARGS, name, number=9 + n, after=name) for n, name in enumerate(came)]
    return " ".join(one.text["en"] for one in day(report(change, extra=tuple(options))).actions)


def test_what_an_error_of_a_new_function_says_to_do_is_told_with_all_its_ways_however_long_it_is() -> None:
    told = way_out(LONG)
    assert told.count("Use --cache-dtype sixteen with") == 1, "it is told once"
    assert "--backend long on Blackwell)" in told


@pytest.mark.parametrize(
    ("error", "came"),
    [
        (LONG, ("--cache-dtype",)),
        ("Eight bits are read on one platform alone. Use something else there.", ()),
        ("Eight bits are read on one platform alone with --cache-dtype.", ()),
    ],
    ids=["an option that came with it", "nothing that is typed", "no advice"],
)
def test_what_only_new_options_or_no_option_help_with_is_no_way_out(error: str, came: tuple[str, ...]) -> None:
    assert "What to do" not in way_out(error, *came)


def test_a_setting_that_is_asked_for_has_all_ways_of_its_error() -> None:
    error = "Whole experts need a group of their own. Enable groups with --groups or pick another backend."
    after = f"{HEAD}    if self.whole and not self.groups:\n        raise ValueError({error!r})\n"
    change = changed(HEAD, after, "Guard whole experts (#6)")
    asked = "if self.whole and not self.groups: raise ValueError"
    demand = replace(
        finding(change, "demand_under", ARGS, "--groups", number=9, before="self.whole", after=asked, breaking=True),
        line=12,
    )
    (line,) = day(report(change, extra=(demand,))).actions
    assert "What to do: “Enable groups with --groups or pick another backend”" in line.text["en"]

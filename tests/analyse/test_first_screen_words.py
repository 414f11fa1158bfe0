"""An entry of the first screen is told by what it stands there for: its break, its fault, the words of its error; else it stands below."""

from __future__ import annotations

from msgspec.structs import replace

from analyse.test_day import ARGS, commit, day, report
from analyse.test_first_screen import finding, tags
from daybreak.core.model.changes import Exposure
from daybreak.core.model.report import RepoReport
from daybreak.judge.phrases import what
from daybreak.judge.quote_clauses import faulty_clause
from daybreak.judge.sayings import tells_fault
from read.made import patch_of

SILENT = {
    "engine/scheduler.py": patch_of("a()\n" * 40, "".join(f"b{n}()\n" for n in range(40))),
    "tests/test_scheduler.py": patch_of("a\n", "b\n"),
}


def released(part: RepoReport) -> RepoReport:
    """The same, each fault in the newest release."""
    return replace(part, entries=tuple(replace(e, exposure=Exposure("v1.2", has=True)) for e in part.entries))


def test_a_title_with_the_release_that_has_the_fault_stands_below_the_screen() -> None:
    found = day(released(report(commit("1", "Fix wrong logits of drafts (#1)", SILENT))))
    assert found.actions == ()
    (line,) = found.also
    assert line.text["en"].startswith("“Fix wrong logits of drafts”. `v1.2` has this fault")


def test_so_does_one_of_which_it_is_not_known_and_none_that_no_release_needs() -> None:
    told = report(commit("1", "Fix wrong logits of drafts (#1)", SILENT))
    (line,) = day(told).also
    assert line.text["en"].startswith("“Fix wrong logits of drafts”.")
    spared = replace(told, entries=tuple(replace(e, exposure=Exposure("v1.2", has=False)) for e in told.entries))
    assert day(spared).also == ()


def test_a_security_fix_stands_there_by_its_title() -> None:
    found = day(released(report(commit("4", "Fix path traversal in loader (#4)", SILENT))))
    assert [action.tag for action in found.actions] == ["security"]


def test_another_order_of_parameters_is_told_by_the_first_that_differs() -> None:
    before = "payload, most_tokens_of_a_rank, payload_in_workspace, output_dtype, output_scales, sf_layout"
    after = before.replace("sf_layout", "output_scalar_scale, sf_layout")
    change = commit("5", "Quantize what is combined (#5)", {"engine/comm.py": patch_of("a\n", "b\n")})
    moved = finding(
        change, "parameter_moved", "engine/comm.py", "All.combine", before=before, after=after, breaking=True
    )
    (line,) = day(report(change, extra=(moved,))).actions
    said = "by position, where `All.combine` took `sf_layout` it takes `output_scalar_scale` from now on"
    assert said in line.text["en"]
    assert line.findings == (moved.id,)


def test_a_check_that_came_is_told_by_the_words_of_its_error() -> None:
    change = commit("6", "Check it (#6)", {ARGS: patch_of("a\n", "b\n")})

    def told(check: str) -> str:
        return what([finding(change, "guard_added", ARGS, "check", after=check)], 1)[0].text["en"]

    words = "The pool must be local: got … buffers"
    assert told(f'if …: raise ValueError("{words}")') == f"Now refused with the error “{words}” (`{ARGS}`)."
    assert told(f'if args.pp_size > 1: raise ValueError("{words}")').startswith(
        "Where `args.pp_size > 1`, it is now refused"
    )
    assert told("if args.pp_size > 1: raise ValueError").startswith("New guard `if args.pp_size > 1: raise ValueError`")


def test_no_cut_of_a_quote_loses_what_went_wrong() -> None:
    said = (
        "If the layer leaves the raw scales of the checkpoint as they are, the kernel combines packed scales of"
        " activations with them, and emits NaN logits for every request that follows."
    )
    assert faulty_clause(said, 80, tells_fault) == "… emits NaN logits for every request that follows."
    assert faulty_clause(said, 20, tells_fault) == ""


def test_a_check_inside_without_words_tells_no_repair() -> None:
    change = commit("7", "Fix the mapping of pool layers (#7)", {**SILENT})
    bare = finding(
        change, "guard_added", "engine/pool.py", "build_pool", after="if len(pool) != layers: raise ValueError"
    )
    told = finding(
        change, "guard_added", "engine/pool.py", "build_pool", after='if …: raise ValueError("The pool must be local")'
    )
    assert day(released(report(change, extra=(bare,)))).actions == ()
    (line,) = day(released(report(change, extra=(told,)))).actions
    assert "now refused with the error “The pool must be local”" in line.text["en"]


def test_how_the_new_code_works_brings_no_repair_onto_the_screen() -> None:
    def told(comment: str) -> str:
        code = patch_of("a()\n" * 40, f"# {comment}\n" + "".join(f"b{n}()\n" for n in range(40)))
        change = commit("8", "Fix offsets of the page table (#8)", {**SILENT, "engine/scheduler.py": code})
        (tag,) = tags(released(report(change)))
        return tag

    assert told("The page table is shared because all offsets are read from the pool.") == ""
    assert told("The page table was read past its end, otherwise the offsets would be wrong.") == "fix"

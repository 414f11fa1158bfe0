"""The one sentence of a change: which witness speaks first, in which words, and when nobody does."""

from typing import Any

import pytest
from msgspec.structs import replace

from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance
from daybreak.core.words.grammar import quoted
from daybreak.findings.kinds import kinds
from daybreak.judge.gist import brief, gist
from daybreak.judge.quote_gist import MOST
from read.made import SHA, change_of, patch_of, read_one

CODE = "engine/scheduler.py"
NOTE = "# Only rank 0 sends the state, otherwise every rank would send it again.\n"
BODY = "Every rank sent the same state again, so a transfer took as many times as there were ranks."


def told(patches: dict[str, str], subject: str = "Send the state once", **fields: Any) -> Gist | None:
    change = change_of(patches, subject=subject, **fields)
    return gist(change, read_one(change))


def english(patches: dict[str, str], **fields: Any) -> str | None:
    found = told(patches, **fields)
    return found.text["en"] if found else None


def test_a_finding_with_its_values_speaks_before_the_body() -> None:
    flag = patch_of('p.add_argument("--slots", default=8)\n', 'p.add_argument("--slots", default=16)\n')
    found = told({"engine/server_args.py": flag}, body=BODY)
    assert found is not None
    assert (found.source, found.findings) == ("finding", (f"{SHA[:12]}/1",))
    assert "`8` → `16`" in found.text["en"]
    assert found.quotes == ()


def test_files_of_values_that_come_alone_are_told_by_their_names() -> None:
    """A line of a tuned configuration says nothing of what it is for; its name has the sizes and the device."""
    table = patch_of("", '{\n    "1": {"BLOCK_N": 128},\n    "2": {"BLOCK_N": 64}\n}\n')
    names = [f"E=160,N={n},device_name=H20,dtype=fp8.json" for n in (192, 384)]
    change = change_of({f"engine/moe/configs/{name}": table for name in names}, subject="Add tuned values for H20")
    change = replace(change, files=tuple(replace(file, status="A") for file in change.files))
    found = gist(change, read_one(change))
    assert found is not None
    assert found.text["en"] == f"Adds `{names[0]}` and `{names[1]}`"


def test_variables_that_go_unread_speak_before_the_docs() -> None:
    docs = patch_of("Endpoints of the tracer.\n", "Endpoints of the tracer (only with profiling switched on).\n")
    change = change_of({"engine/envs.py": patch_of("a\n", ""), "docs/usage.md": docs}, subject="Deprecate profiling")
    names = ("ENGINE_TRACE", "ENGINE_SHAPES")
    gone = tuple(Finding(f"1/{n}", "env_removed", "engine/envs.py", n, name, name) for n, name in enumerate(names, 1))
    found = gist(change, Reading(change.sha, findings=gone))
    assert found is not None
    assert found.text["en"].startswith("Removes the environment variables `ENGINE_TRACE` and `ENGINE_SHAPES`")


def test_the_body_speaks_before_a_comment() -> None:
    found = told({CODE: patch_of("send()\n", f"{NOTE}send()\n")}, body=BODY)
    assert found is not None
    assert found.text == {"zh": f"提交说明写道：「{BODY}」", "en": f"The commit says: “{BODY}”"}
    assert [(q.source, q.path, q.side, q.text) for q in found.quotes] == [("body", "", "message", BODY)]


def test_a_body_that_repeats_the_title_says_nothing() -> None:
    patches = {CODE: patch_of("send()\n", f"{NOTE}send()\n")}
    said = english(patches, body="This is to send the state once.\n\nFixes #12")
    assert said == "A comment says: “Only rank 0 sends the state, otherwise every rank would send it again.”"


def test_a_comment_speaks_before_an_error_text() -> None:
    error = 'raise ValueError("the state must be sent by rank 0")\n'
    said = english({CODE: patch_of("send()\n", f"{NOTE}{error}send()\n")})
    assert said is not None
    assert said.startswith("A comment says")


def test_an_error_text_that_came_and_one_that_went() -> None:
    line = 'assert ok, "the range of scales is too large"\n'
    big = "".join(f"x{n} = {n}\n" for n in range(60))
    come = english({CODE: patch_of("", f"{line}{big}")}, subject="Check the range of scales")
    assert come == "New error text: “the range of scales is too large”"
    assert english({CODE: patch_of("", f"{line}{big}")}) is None  # of which the title has not a word
    assert (
        english({CODE: patch_of(f"{line}{big}", "")}, subject="Allow any range of scales")
        == "A line that is gone raised: “the range of scales is too large”"
    )


def test_the_name_of_a_test_in_words_when_nothing_else_speaks() -> None:
    test = "def test_state_sent_once_does_not_corrupt_the_next_transfer():\n    pass\n"
    big = "".join(f"x{n} = {n}\n" for n in range(12))
    said = english({CODE: patch_of("", big), "tests/test_state.py": patch_of("", test)})
    assert said == "New test: “state sent once does not corrupt the next transfer”"


def test_a_small_diff_without_words_shows_its_lines() -> None:
    patch = patch_of("def free(self):\n    return False\n", "def free(self):\n    return True\n")
    found = told({CODE: patch})
    assert found is not None
    assert found.text["zh"] == "代码改动：在 `free` 中，`return False` → `return True`"
    assert found.text["en"] == "Changed lines: `return False` → `return True` in `free`"
    texts = {(q.source, q.path, q.line, q.side, q.text) for q in found.quotes}
    assert texts >= {("line", CODE, 11, "added", "return True"), ("line", CODE, 11, "removed", "return False")}


def test_the_same_line_in_many_files_is_one_line() -> None:
    patch = patch_of("frames = n + n % t\n", "frames = n + (-n % t)\n")
    said = english({f"models/m{n}.py": patch for n in range(20)})
    assert said == "Changed lines: `frames = n + n % t` → `frames = n + (-n % t)` (and 19 more lines alike)"


def test_a_line_that_moves() -> None:
    patch = "@@ -10,2 +10,2 @@\n-    or by_class(module)\n     or by_name(module)\n+    or by_class(module)"
    assert english({CODE: patch}) == "Changed lines: `or by_class(module)` moves below `or by_name(module)`"


def test_a_line_that_goes_to_another_file_or_below_a_bracket_is_not_told_as_moved_below_something() -> None:
    went, came = patch_of("x = by_class(module)\n", ""), patch_of("y = 1\n", "y = 1\nx = by_class(module)\n")
    assert "moves" not in (english({CODE: went, "engine/other.py": came}) or "")
    patch = "@@ -10,3 +10,3 @@\n-    x = by_class(module)\n     by_name(\n     )\n+    x = by_class(module)"
    assert "moves" not in (english({CODE: patch}) or "")


def test_a_large_diff_without_a_word_has_no_sentence() -> None:
    big = "".join(f"x{n} = {n}\n" for n in range(60))
    assert told({CODE: patch_of("", big)}) is None


def test_what_could_not_be_read_or_is_left_out_has_no_sentence() -> None:
    patches = {CODE: patch_of("send()\n", f"{NOTE}send()\n")}
    assert told(patches, skipped="too large") is None
    assert told(patches, filtered=True) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [("1", "defaults.base"), ("a" * 200, "b"), ("f(x, y) if z else w", "f(x)")],
)
def test_a_finding_whose_values_are_code_lets_the_author_speak(before: str, after: str) -> None:
    finding = Finding(f"{SHA[:12]}/1", "cli_default_changed", "engine/server_args.py", 3, "--slots", before, after)
    change = change_of({CODE: patch_of("send()\n", f"{NOTE}send()\n")}, subject="Send the state once")
    found = gist(change, Reading(SHA, findings=(finding,)))
    assert found is not None
    assert found.source == "comment"


@pytest.mark.parametrize(
    ("subject", "source"), [("Drop the stage field", "finding"), ("Send the state once", "comment")]
)
def test_what_only_insiders_meet_speaks_first_where_the_title_names_it(subject: str, source: str) -> None:
    kind = next(name for name, kind in kinds().items() if kind.mark == "internals" and kind.change == "removed")
    finding = Finding(f"{SHA[:12]}/1", kind, CODE, 3, "Context.stage", "stage", breaking=True)
    change = change_of({CODE: patch_of("send()\n", f"{NOTE}send()\n")}, subject=subject)
    found = gist(change, Reading(SHA, findings=(finding,)))
    assert found is not None
    assert found.source == source


def test_a_long_paragraph_is_cut_at_the_end_of_a_sentence() -> None:
    body = " ".join(f"Sentence number {n} says that the state is sent again because of rank {n}." for n in range(20))
    found = told({}, body=body)
    assert found is not None
    text = found.quotes[0].text
    assert len(text) <= MOST
    assert text.endswith(".")
    assert body.startswith(text)


def test_a_long_sentence_is_cut_at_a_clause_and_says_so() -> None:
    body = "The state is sent again" + ", because a rank does not know of the others and sends it once more" * 20
    found = told({}, body=body)
    assert found is not None
    text = found.quotes[0].text
    assert len(text) <= MOST + 2
    assert text.endswith(" …")
    assert body.startswith(text.removesuffix(" …"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("uses `x` now", "uses `x` now"),
        ("uses ``x`` now", "uses `x` now"),
        ("an odd ` mark", "an odd ' mark"),
        ("empty `` marks", "empty ' marks"),
        ("two\nlines\u202e", "two lines"),
        ("see [the page](#page) of **all** pages", "see the page of all pages"),
        ("takes **kwargs and *args", "takes **kwargs and *args"),
    ],
)
def test_quoted_words_keep_their_code_and_lose_what_nobody_sees(text: str, shown: str) -> None:
    assert quoted(text) == shown


def test_every_language_has_the_same_quote() -> None:
    found = told({CODE: patch_of("send()\n", f"{NOTE}send()\n")})
    assert found is not None
    assert all(found.quotes[0].text in said for said in found.text.values())


def test_lines_that_change_alike_are_one_however_many_they_are() -> None:
    names = [f"stride_{n}" for n in "abcdefghijklmnop"]
    before, after = ("".join(f"    {name}{kind},\n" for name in names) for kind in ("", ": int64"))
    said = english({CODE: patch_of(before, after)})
    assert said == "Changed lines: `stride_a,` → `stride_a: int64,` (and 15 more lines alike)"


def test_of_several_lines_those_with_words_of_the_title_are_shown() -> None:
    before = "a = b + c + d + e\nx = y + z + one + two\nlimit = 3\n"
    after = "a = b + c + d + f\nx = y + z + one + three\nlimit = 4\n"
    said = english({CODE: patch_of(before, after)}, subject="Raise the limit")
    assert said is not None
    assert said.startswith("Changed lines: `limit = 3` → `limit = 4`")


def test_a_line_that_calls_what_nobody_called_is_shown_before_what_only_moved() -> None:
    before = "if (n >= 32) {\n    wake(n);\n    give(rows);\n}\n"
    after = "proceed_with_budget(n);\n{\n    if (n >= 32) {\n        wake(n);\n    } else {\n        give(rows);\n    }\n}\n"
    said = english({"src/iter.c": patch_of(before, after)}, subject="Budget")
    assert said is not None
    assert said.startswith("Changed lines: adds `proceed_with_budget(n);`")
    assert "else" not in said


def test_neither_quotes_of_another_form_nor_a_broken_line_are_shown() -> None:
    before = "a = call['x']\nx: A[bool, 'off'] = 1\nlimit = 3\n"
    after = "a = call[\"x\"]\nx: A[\n    bool,\n    'off',\n    Arg(clear=True),\n] = 1\nlimit = 4\n"
    said = english({CODE: patch_of(before, after)}, subject="Raise")
    turned = "`x: A[bool, 'off'] = 1` → `x: A[bool, 'off', Arg(clear=True)] = 1`"
    assert said == f"Changed lines: {turned}; `limit = 3` → `limit = 4`"


# --- the sentence is about what the title is about ---


def test_an_error_that_is_gone_and_refused_what_the_title_brings_speaks_before_comments() -> None:
    before = 'assert not deterministic, "determinism is not supported yet"\n'
    after = "# Blocks that this one will not visit are signalled, so that nobody waits for them.\nsignal()\n"
    found = english({"engine/bwd.py": patch_of(before, after)}, subject="Implement deterministic backward") or ""
    assert "determinism is not supported yet" in found


def test_a_problem_is_quoted_with_the_sentence_that_says_what_is_done() -> None:
    after = "# The second copy would corrupt the page table of the request. Both are merged first.\nmerge()\n"
    assert "Both are merged first." in (
        english({"engine/copy.py": patch_of("", after)}, subject="Fix the page table of copies") or ""
    )


def test_a_title_of_two_parts_is_about_the_fault_that_one_of_them_names() -> None:
    after = (
        "# The new dtype stays in its own path, so that the launcher can choose a kernel by it.\nlaunch()\n"
        "x = 1\n"
        * 12
        + "# The graph replays the event, so that the crash of the ranks cannot come back.\nkeep(event)\n"
    )
    found = (
        english(
            {"engine/run.py": patch_of("", after)},
            subject="New dtype path for the launcher + crash fix of ranks in graphs",
        )
        or ""
    )
    assert "crash of the ranks" in found


def test_a_revert_is_told_by_what_it_takes_back() -> None:
    before = "# The second stream must wait for the first one, because the rows would be read too early.\nwait()\n"
    found = (
        english({"engine/run.py": patch_of(before, "x = 1\n")}, subject="Revert the wait of the second stream") or ""
    )
    assert found == "Changed lines: removes `wait()`; adds `x = 1`"


def test_a_comment_that_is_gone_and_shares_nothing_with_the_title_says_nothing() -> None:
    before = "# We need to verify the limit again, to avoid lengths beyond it.\n" + "a()\n" * 30
    after = "".join(f"b{n}()\n" for n in range(60))
    assert told({"engine/config.py": patch_of(before, after)}, subject="Fix the dynamic scaling") is None


def test_a_larger_diff_shows_the_line_that_its_title_is_about() -> None:
    turned = patch_of("span = self.poll_span.clone().entered()\n", "span = self.poll_span.entered()\n")
    others = patch_of("".join(f"step{n}()\n" for n in range(30)), "".join(f"other{n}(x)\n" for n in range(30)))
    patches = {"engine/poll.py": turned, "engine/run.py": others}
    assert "`span = self.poll_span.entered()`" in (english(patches, subject="remove an unnecessary span clone") or "")


def test_the_patch_of_a_package_does_not_stand_for_a_feature() -> None:
    change = change_of({"pyproject.toml": patch_of("a\n", "b\n")}, subject="Load models from a store")
    pin = Finding("1/1", "dependency_changed", "pyproject.toml", 1, "store-client", before=">=0.15.5", after=">=0.15.7")
    found = gist(change, Reading(change.sha, findings=(pin,)))
    assert found is None or found.source != "finding"


def test_a_line_is_in_the_function_whose_head_is_nearest_and_not_in_the_one_that_ended_above() -> None:
    before = "FULL = 0xFFFF\n\n\n@function\ndef mask() -> int32:\n    return int32(FULL)\n"
    after = "FULL = 0xFFFF\n\n\n@function(host=True)\ndef mask() -> int:\n    return FULL\n"
    said = english({CODE: patch_of(before, after, "def kind_of(value) -> Kind:")}, subject="Unsigned mask")
    assert said is not None
    assert "`return int32(FULL)` → `return FULL` in `mask`" in said
    assert "kind_of" not in said


def test_lines_that_share_few_words_are_no_pair() -> None:
    before = "        out = torch.empty(\n            (x.shape[0], w.shape[0]), dtype=torch.float32, device=x.device\n        )\n"
    before += "        gemm_wrapper.gemm_nt(x, w, out)\n"
    after = "        logits = torch.mm(x, w.t(), out_dtype=torch.float32)\n"
    said = english({CODE: patch_of(before, after)}, subject="Multiply without the wrapper")
    assert said is not None
    assert "adds `logits = torch.mm(x, w.t(), out_dtype=torch.float32)`" in said
    assert "→" not in said


def test_a_statement_is_paired_with_what_is_given_to_the_same_name() -> None:
    before = "    meta.most = longest + self.step + 1\n\n    pages = rows\n\n    meta.lens.copy_(\n        lens + self.step + 1\n    )\n"
    after = "    meta.lens.copy_(\n        lens + self.step + 1\n    )\n    meta.most = lens.max().item() + (\n        self.step + 1\n    )\n\n    pages = rows\n"
    said = english({CODE: patch_of(before, after)}, subject="Fix the lengths")
    assert said is not None
    assert "`meta.most = longest + self.step + 1` → `meta.most = lens.max().item() + (self.step + 1)`" in said
    assert "adds" not in said
    assert "removes" not in said


def test_a_condition_that_is_also_broken_into_lines_is_told_by_what_it_asks_more() -> None:
    before = "    if type(spec) in (FullSpec, QuantSpec):\n        zero(blocks)\n"
    after = "    if type(spec) in (\n        FullSpec,\n        QuantSpec,\n        LatentSpec,\n    ):\n        zero(blocks)\n"
    said = english({CODE: patch_of(before, after)}, subject="Fix what is read")
    turned = "`if type(spec) in (FullSpec, QuantSpec):` → `if type(spec) in (FullSpec, QuantSpec, LatentSpec):`"
    assert said == f"Changed lines: {turned}"


def test_of_a_long_statement_in_which_one_line_came_that_line_is_told() -> None:
    before = "    return kind in [\n        Kind.ONE,\n        Kind.TWO,\n    ]\n"
    said = english({CODE: patch_of(before, before.replace("    ]", "        Kind.THREE,\n    ]"))}, subject="Fix it")
    assert said == "Changed lines: `return kind in [` holds `Kind.THREE` as well"


@pytest.mark.parametrize(
    ("opens", "said"),
    [
        ("    ignored = {", 'Changed lines: `ignored` no longer holds `"LATE"`'),
        ("    fields: list[str] = [", 'Changed lines: `fields` no longer holds `"LATE"`'),
        ("", None),
    ],
)
def test_an_element_is_told_with_the_list_that_it_went_out_of_or_not_at_all(opens: str, said: str | None) -> None:
    head = [opens] if opens else ['        "A",']
    before = "\n".join([*head, '        "EARLY",', '        "LATE",', '        "LAST",', ""])
    assert english({CODE: patch_of(before, before.replace('        "LATE",\n', ""))}, subject="Fix it") == said


def test_tests_at_the_end_of_a_rust_source_are_no_lines_of_it() -> None:
    patch = "@@ -9,1 +9,1 @@ fn take() {\n-    rows.pop()\n+    rows.take()\n"
    patch += "@@ -90,1 +90,1 @@ mod tests {\n-    assert_eq!(take(), 1);\n+    assert_eq!(take(), 2);\n"
    said = english({"src/rows.rs": patch}, subject="Take the rows")
    assert said == "Changed lines: `rows.pop()` → `rows.take()` in `take`"


def test_arguments_on_lines_of_their_own_are_no_change() -> None:
    before, after = (
        "    states, False, alignment=size\n",
        "    states,\n    False,\n    alignment=size,\n    backend=KIND,\n",
    )
    said = english({CODE: patch_of(before, after)}, subject="Other kernels")
    assert said is not None
    assert "adds `backend=KIND,`" in said
    assert "alignment" not in said


def test_a_new_name_that_users_type_speaks_before_a_docstring() -> None:
    code = 'def parse(p):\n    """Adds what a transfer of the state is told by."""\n'
    flag = patch_of("p = parser()\n", 'p = parser()\np.add_argument("--state-once", default=None)\n')
    found = told({"engine/server_args.py": flag, "engine/state.py": patch_of("", code)})
    assert found is not None
    assert found.source == "finding"
    assert "`--state-once`" in found.text["en"]


def test_of_changed_lines_that_are_too_long_one_pair_is_told() -> None:
    old = "if getattr(self, 'a_name_that_says_it', 0) == 0 and self.other_one:\n    return self.take_rows_of_all_the_pages(rows)\n"
    new = "if getattr(self, 'a_name_that_says_it', 0) == 1 and self.other_one:\n    return self.take_rows_of_the_last_page(rows)\n"
    change = change_of({CODE: patch_of(old, new)}, subject="Fix it")
    reading = read_one(change)
    entry = Entry(change, reading, "fix", Importance("medium", 0.5), gist=gist(change, reading))
    assert entry.gist is not None
    whole, short = entry.gist.text["en"], brief(entry, 150)
    assert short is not None
    assert len(short["en"]) < len(whole)


def test_what_came_and_what_went_are_shown_beside_each_other() -> None:
    before = "    yield from tensors\n"
    after = "    for name, tensor in tensors:\n        yield name, scaled(tensor)\n"
    said = english({CODE: patch_of(before, after)}, subject="Fix reuse of the buffer")
    assert said is not None
    assert "adds `for name, tensor in tensors: yield name, scaled(tensor)`" in said
    assert "removes `yield from tensors`" in said


def test_an_option_that_the_title_is_about_speaks_before_comments() -> None:
    note = "# The pages are shared, otherwise every rank would hold them again.\n"
    bare = 'p.add_argument("--shared-pages", action="store_true")\n'
    said = english({"engine/server_args.py": patch_of("", f"{note}{bare}")}, subject="Pages that are shared")
    assert said is not None
    assert said.startswith("Adds the command line option `--shared-pages`")


def test_a_log_line_that_says_what_is_chosen_from_now_on_speaks_before_comments() -> None:
    log = 'logger.info("Auto-enabling ENGINE_GRAPH=1 for this model. " "Set ENGINE_GRAPH=0 to opt out.")\n'
    said = english({CODE: patch_of("send()\n", f"{NOTE}{log}send()\n")}, subject="[Refactor] No compiler for one model")
    assert said == "New log text: “Auto-enabling ENGINE_GRAPH=1 for this model. Set ENGINE_GRAPH=0 to opt out.”"


def test_a_comment_that_is_half_a_formula_speaks_where_the_title_has_its_words() -> None:
    note = "# DRAFT: seq_lens = prefix_lens; the extent of the cache is prefix + draft.\n"
    patches = {CODE: patch_of("send()\n", f"{note}send(1)\n")}
    said = english(patches, subject="Fix extent of the draft cache")
    assert said is not None
    assert said.startswith("A comment says: “DRAFT: seq_lens")
    said = english(patches, subject="Send once more")
    assert said is not None
    assert said.endswith("”; changed lines: `send()` → `send(1)`"), "a comment that stands over the line explains it"


def test_neither_the_docstring_of_a_helper_nor_a_log_line_of_code_put_in_order_speaks() -> None:
    doc = 'def padded(x):\n    """Pads rows to a multiple of eight, because the kernel would read past their end."""\n    return x\n'
    assert "docstring" not in (english({CODE: patch_of("send()\n", f"{doc}send(1)\n")}) or "")
    log = 'logger.info("The resolver cannot be used because the package is not found.")\n'
    said = english({CODE: patch_of("send()\n", f"{log}send(1)\n")}, subject="[refactor] Put the resolver in order")
    assert "log text" not in (said or "")


def test_a_line_is_told_behind_the_comment_that_stands_over_it_and_no_wish_for_later() -> None:
    note = "# Patches 12: pad the rows of scales to 4\n# TODO: go back once the kernel is new\n"
    said = english({CODE: patch_of("run()\n", f"{note}if rows > 0:\n    pad(rows)\nrun()\n")}, subject="Fix the scales")
    assert (
        said
        == "A comment says: “Patches 12: pad the rows of scales to 4”; changed lines: adds `if rows > 0: pad(rows)`"
    )


def test_what_a_change_writes_down_for_users_speaks_before_a_comment() -> None:
    fragment = "- Added an option to `send`.\n- Fixed `send` to send the state once, as all of the others do.\n"
    patches = {CODE: patch_of("send()\n", f"{NOTE}send()\n"), "changelog.d/send.md": patch_of("", fragment)}
    assert english(patches) == ("The changelog says: “Fixed `send` to send the state once, as all of the others do.”")
    release = "".join(f"\n## {n}\n\n- Fixed the state of {n} ranks, since all of them sent it.\n" for n in range(9))
    said = english({CODE: patches[CODE], "CHANGELOG.md": patch_of("", release)})
    assert said is not None
    assert said.startswith("A comment says")


def test_a_row_of_a_changelog_that_goes_on_from_another_ends_nothing() -> None:
    fragment = "Also fixed `send` to send the state once, as all of the others do.\n"
    patches = {CODE: patch_of("send()\n", f"{NOTE}send()\n"), "changelog.d/send.md": patch_of("", fragment)}
    assert english(patches) == "The changelog says: “… fixed `send` to send the state once, as all of the others do.”"


def test_a_limit_that_comes_is_told_with_what_is_said_to_whoever_passes_it() -> None:
    env = patch_of(
        "",
        'V = {\n    # Most rows of a request.\n    "ENGINE_MAX_ROWS": lambda: int(os.getenv("ENGINE_MAX_ROWS", "9")),\n}\n',
    )
    error = 'raise ValueError("a request has too many rows, set ENGINE_MAX_ROWS to allow more")\n'
    said = english({"engine/envs.py": env, CODE: patch_of("", error)}, subject="Bound the rows of a request")
    assert said is not None
    assert said.endswith("new error text: “a request has too many rows, set ENGINE_MAX_ROWS to allow more”")


def test_another_value_that_is_given_back_is_one_change_and_a_part_of_a_condition_is_no_new_one() -> None:
    said = english({CODE: patch_of("if x:\n    return False\n", "if x:\n    return not exact\n")}, subject="Fix it")
    assert said is not None
    assert "`return False` → `return not exact`" in said
    before = "if one.ready() or two.ready():\n    w = layer.plain\n"
    after = "if one.ready():\n    w = layer.swizzled\nelif two.ready():\n    w = layer.plain\n"
    said = english({CODE: patch_of(before, after)}, subject="Fix the choice")
    assert said is not None
    assert "layer.swizzled" in said


def test_of_a_help_text_that_is_another_only_what_differs_is_told() -> None:
    form = 'p.add_argument("--runner", help="Runner of rows. Options: auto (default; takes %s), plain (one row at a time), fast (all rows).")\n'
    args = patch_of(form % "fast on new devices, plain on others", form % "fast on all of the devices")
    said = english({"engine/server_args.py": args}, subject="Runner for all devices")
    assert said is not None
    assert said.startswith("Help text: “")
    assert "plain on others" in said.partition("→")[0]
    assert "fast on all of the devices" in said.partition("→")[2]

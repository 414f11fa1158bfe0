"""Quotes: the author's words in a change, verbatim, with their place; no code, no licence, nothing that only moved."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.core.model.quotes import Quote
from daybreak.findings.quotes import MOST, quotes
from read.made import change_of, patch_of
from timing import beside

CODE = "engine/scheduler.py"


def said(path: str, before: str, after: str) -> list[tuple[str, str, str]]:
    return [(q.source, q.side, q.text) for q in quotes(change_of({path: patch_of(before, after)}))]


# --- comments and docstrings ---


def test_a_comment_over_several_lines_is_one_quote_of_whole_sentences() -> None:
    after = "# Only rank 0 sends the state. Otherwise every rank\n# would send it again.\nsend()\n"
    (quote,) = quotes(change_of({CODE: patch_of("send()\n", after)}))
    text = "Only rank 0 sends the state. Otherwise every rank would send it again."
    assert quote == Quote("comment", CODE, 10, "added", text)


def test_a_sentence_with_one_changed_line_is_quoted_whole() -> None:
    before = "# The cache is cleared when the\n# engine stops.\nrun()\n"
    after = "# The cache is cleared when the\n# engine sleeps or stops.\nrun()\n"
    assert ("comment", "added", "The cache is cleared when the engine sleeps or stops.") in said(CODE, before, after)


def test_a_comment_that_comes_below_another_is_no_part_of_its_sentence() -> None:
    before = "# the old kernel does not take more than 128 heads\nif narrow and parallel:\n    use(old)\n"
    after = "# the old kernel does not take more than 128 heads\n# only take the new kernel when rows are narrow\nif narrow:\n    use(old)\n"
    assert said(CODE, before, after) == [("comment", "added", "only take the new kernel when rows are narrow")]


def test_notes_on_lines_of_their_own_are_not_joined_into_one_sentence() -> None:
    notes = "# Move the file to its final destination\n# Remove the old path if it exists there\nmove()\n"
    assert [text for _, _, text in said(CODE, "move()\n", notes)] == [
        "Move the file to its final destination",
        "Remove the old path if it exists there",
    ]
    wrapped = "# The state is sent by the first rank of the\n# Ray cluster, since all others have it.\nsend()\n"
    assert [text for _, _, text in said(CODE, "send()\n", wrapped)] == [
        "The state is sent by the first rank of the Ray cluster, since all others have it."
    ]
    two = "# The state is sent once.\n# Otherwise every rank would send it.\nsend()\n"
    assert [text for _, _, text in said(CODE, "send()\n", two)] == [
        "The state is sent once. Otherwise every rank would send it."
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("csrc/pad.cu", "// The map is padded by one, since the kernel reads one past its end.\nint x;\n"),
        ("csrc/pad.h", "/* The map is padded by one, since the kernel\n * reads one past its end. */\nint x;\n"),
        ("src/pad.rs", "/// The map is padded by one, since the kernel reads one past its end.\nfn x() {}\n"),
        ("cmd/pad.go", "// The map is padded by one, since the kernel reads one past its end.\nfunc x() {}\n"),
        ("web/pad.ts", "/**\n * The map is padded by one, since the kernel reads one past its end.\n */\nlet x;\n"),
        ("run/pad.sh", "# The map is padded by one, since the kernel reads one past its end.\nx=1\n"),
        (
            "engine/pad.py",
            'def pad():\n    """The map is padded by one, since the kernel\n    reads one past its end.\n    """\n',
        ),
    ],
)
def test_each_language_by_its_forms(path: str, text: str) -> None:
    assert [t for _, _, t in said(path, "", text)] == [
        "The map is padded by one, since the kernel reads one past its end."
    ]


def test_the_words_beside_the_type_of_a_setting_are_its_help() -> None:
    after = 'class Args:\n    fast: A[\n        bool,\n        "Use the fast path when it is there.",\n    ] = False\n'
    assert said("engine/server_args.py", "", after) == [("help", "added", "Use the fast path when it is there.")]


@pytest.mark.parametrize(
    "row",
    [
        "| Non-sparse | yes | the backend is chosen when nothing else is set |",
        "Non-sparse | yes | the backend is chosen when nothing else is set",
    ],
)
def test_a_row_of_a_table_is_no_sentence_and_parts_those_around_it(row: str) -> None:
    after = f"The backend is chosen by the head size of a model.\n{row}\nOthers are chosen when they are set.\n"
    assert [text for _, _, text in said("docs/backends.md", "", after)] == [
        "The backend is chosen by the head size of a model.",
        "Others are chosen when they are set.",
    ]


def test_bars_within_brackets_and_code_make_no_row() -> None:
    after = "# The limit (`int | str | None`) is read when the engine starts (int | str | None).\nrun()\n"
    assert [source for source, _, _ in said(CODE, "", after)] == ["comment"]


def test_a_line_within_a_docstring_that_begins_above_the_hunk() -> None:
    before = '    Keep the order of requests.\n    """\n    return order\n'
    after = '    Keep the order of requests.\n    Requests that wait are never dropped, even when the queue is full.\n    """\n    return order\n'
    assert said(CODE, before, after) == [
        ("docstring", "added", "Requests that wait are never dropped, even when the queue is full.")
    ]


def test_a_text_that_is_data_is_no_docstring() -> None:
    after = 'PROMPT = """\nYou are a helpful assistant and you must answer in one word.\n"""\n'
    assert said(CODE, "", after) == []


@pytest.mark.parametrize(
    "comment",
    [
        "SPDX-License-Identifier: Apache-2.0 is the license of this file",
        "Copyright (c) 2026 by the authors of the engine, all of them",
        "Licensed under the Apache License, you may not use this file except in compliance with it",
        "x = foo(bar) if baz else qux",
        "noqa: E501 because the line is longer than it may be",
        "=====================================",
        "Adapted from https://example.com/a/b/c and changed in the details",
        "See https://example.com/issue/1",
        "the scheduler",
    ],
)
def test_licences_marks_code_and_names_are_never_quoted(comment: str) -> None:
    assert said(CODE, "run()\n", f"# {comment}\nrun()\n") == []


def test_what_only_moved_is_not_quoted() -> None:
    note = "# The buffer is reused only when nothing of it is in flight.\n"
    moved = {CODE: patch_of(note, ""), "engine/core.py": patch_of("", note)}
    assert quotes(change_of(moved)) == []


def test_what_went_is_quoted_as_gone() -> None:
    note = "# The buffer must not be reused, because it may be in flight.\n"
    assert said(CODE, f"{note}run()\n", "run()\n") == [
        ("comment", "removed", "The buffer must not be reused, because it may be in flight.")
    ]


def test_sentences_between_which_one_is_left_out_are_not_joined() -> None:
    after = "# The first one must hold for all ranks. SPDX-License-Identifier: MIT is here. The last one must hold as well.\n"
    assert [text for _, _, text in said(CODE, "", after)] == [
        "The first one must hold for all ranks.",
        "The last one must hold as well.",
    ]


def test_generated_and_vendored_files_are_not_read() -> None:
    note = "// The map is padded by one, since the kernel reads one past its end.\n"
    assert said("third_party/lib/pad.h", "", note) == said("api/x.pb.go", "", note) == []


# --- what the program says ---


def test_an_error_text_is_joined_from_its_literals() -> None:
    after = 'raise ValueError(\n    f"logprobs must equal the number of ids. "\n    f"Got {n}."\n)\n'
    assert said(CODE, "", after) == [("error", "added", "logprobs must equal the number of ids. Got {n}.")]


def test_a_help_text_over_several_lines_is_read_to_its_end() -> None:
    after = (
        'p.add_argument(\n    "--x",\n    help="Raise an error if "\n    "a variable is unknown.",\n    default=1,\n)\n'
    )
    assert said("engine/server_args.py", "", after) == [("help", "added", "Raise an error if a variable is unknown.")]


def test_values_between_literals_are_left_out_openly() -> None:
    after = 'TORCH_CHECK(n > 0, "the number of blocks ", n, " must be positive");\n'
    assert said("csrc/a.cu", "", after) == [("error", "added", "the number of blocks … must be positive")]


@pytest.mark.parametrize(
    ("path", "line", "source"),
    [
        (CODE, 'logger.warning("The queue is full and %d chunks wait", n)', "log"),
        (CODE, 'assert n > 0, "the number of blocks must be positive"', "error"),
        ("engine/server_args.py", 'parser.add_argument("--x", help="Keep the pool when the engine sleeps.")', "help"),
        ("cmd/a.go", 'return fmt.Errorf("the number of blocks must be positive")', "error"),
        ("src/a.rs", 'panic!("the number of blocks must be positive")', "error"),
        ("web/a.ts", 'throw new Error("the number of blocks must be positive");', "error"),
    ],
)
def test_what_a_program_says_in_each_language(path: str, line: str, source: str) -> None:
    assert [s for s, _, _ in said(path, "", f"{line}\n")] == [source]


def test_a_text_that_hands_an_error_on_refuses_nothing_itself() -> None:
    assert said("cmd/a.go", "", 'return fmt.Errorf("checking that the pool is served here: %w", err)\n') == []


def test_an_error_whose_statement_stays_is_not_gone() -> None:
    raised = "if x.eplb:\n    raise NotImplementedError(\n        {}\n    )\n"
    told = said(
        "engine/moe.py",
        raised.format('"Balancing is not supported for `FirstQuantMethod` yet."'),
        raised.format('f"{type(self).__name__} cannot do that."'),
    )
    assert not [one for one in told if "Balancing" in str(one)]


def test_an_error_in_other_words_is_no_news() -> None:
    before = 'raise ValueError("the number of blocks must be positive")\n'
    after = 'raise ValueError("the number of all blocks must be positive")\n'
    assert said(CODE, before, after) == []


# --- tests and pages ---


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        (
            "tests/test_a.py",
            "def test_buffer_reuse_does_not_corrupt_messages():",
            "buffer reuse does not corrupt messages",
        ),
        ("pkg/a_test.go", "func TestBufferReuseKeepsOrder(t *testing.T) {", "Buffer Reuse Keeps Order"),
        ("tests/a.rs", "#[test]\nfn buffer_reuse_keeps_order() {", "buffer reuse keeps order"),
        ("web/__tests__/a.ts", 'it("keeps the order of buffers", () => {', "keeps the order of buffers"),
    ],
)
def test_the_name_of_a_test_in_words(path: str, line: str, name: str) -> None:
    assert ("test", "added", name) in said(path, "", f"{line}\n")


def test_pages_and_changelogs_are_told_apart() -> None:
    text = "The timeout is now 2 seconds by default.\n"
    assert said("docs/cache.md", "", text) == [("docs", "added", "The timeout is now 2 seconds by default.")]
    assert said("CHANGELOG.md", "", f"- {text}") == [
        ("changelog", "added", "- The timeout is now 2 seconds by default.")
    ]


COMMAND = "# All the jobs that failed in the newest build of a branch\nfetch --all\n"


def test_fields_over_a_page_are_no_sentences_of_it() -> None:
    page = (
        '---\ntitle: "How the stages of the engine are split on cards"\n---\nThe stages are split when cards differ.\n'
    )
    patch = patch_of("", page).replace("+10,", "+1,")
    assert [q.text for q in quotes(change_of({"docs/split.md": patch}))] == ["The stages are split when cards differ."]


@pytest.mark.parametrize("mark", ["```bash", "```", "~~~sh"])
def test_commands_and_samples_of_a_page_are_no_sentences_of_it(mark: str) -> None:
    text = f"{mark}\n{COMMAND}{mark[:3]}\nThe timeout is now 2 seconds by default.\n"
    assert said("docs/cache.md", "", text) == [("docs", "added", "The timeout is now 2 seconds by default.")]


def test_a_hunk_that_begins_within_a_sample_is_known_by_its_marks() -> None:
    text = f"{COMMAND}```\nThe timeout is now 2 seconds by default.\n\n```sh\n{COMMAND}```\n"
    assert said("docs/cache.md", "", text) == [("docs", "added", "The timeout is now 2 seconds by default.")]


# --- hostile input ---


@pytest.mark.parametrize(
    "text",
    [
        "# " + "a" * 500_000,
        "# the " * 100_000,
        '"""' * 100_000,
        "/*" * 200_000,
        'raise X("' * 50_000,
        "(" * 300_000,
        "# the a. " * 60_000,
        "<!--" * 5000,
        "- a\n" * 50_000,
        "#\n" * 100_000,
        "\u202ethe end of the line\u2028 must be here\n" * 5000,
    ],
)
def test_hostile_texts_cost_little(text: str) -> None:
    patches = {path: patch_of("", text) for path in (CODE, "csrc/a.cu", "docs/a.md", "tests/test_a.py")}
    start = time.process_time()
    found = quotes(change_of(patches))
    assert time.process_time() - start < beside(5)
    assert len(found) <= MOST
    assert all(len(quote.text) <= 10_000 for quote in found)


WORDS = st.sampled_from(
    ["the", "buffer", "must", "not", "be", "reused", "`x`", "e.g.", "a.", "(b)", "x=1", "- one", "#", "é", "的"]
)
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=8)


@given(LINES)
def test_every_quote_stands_in_the_change_word_for_word(lines: list[str]) -> None:
    patch = patch_of("", "".join(f"# {line}\n" for line in lines))
    everything = _squeezed(" ".join(lines))
    for quote in quotes(change_of({CODE: patch})):
        assert _squeezed(quote.text) in everything


def _squeezed(text: str) -> str:
    return "".join(text.split()).replace("#", "")


# --- what was said before ---


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'import os\nx: A[bool, "Disable the custom kernel and fall back to the default one."] = 1\n',
            'import os\nx: A[\n    bool,\n    Arg(\n        help="Disable the custom kernel and fall back to the default one.",\n        resolvable=True,\n    ),\n] = 1\n',
        ),
        (
            'say(f"The state is sent once, by the rank that "\n    f"holds it.")\n',
            'raise ValueError(\n    "The state is sent once, "\n    "by the rank that holds it."\n)\n',
        ),
    ],
)
def test_words_that_stood_in_another_call_are_not_quoted(before: str, after: str) -> None:
    assert said(CODE, before, after) == []


def test_of_an_error_text_only_the_sentence_that_is_new_is_quoted() -> None:
    before = (
        'raise E(\n    "fast-kit is required for fast mode. "\n    "Install it with: pip install engine[fast]"\n)\n'
    )
    after = (
        'raise E(\n    "Fast mode requires fast-kit. "\n    "If not installed, run: pip install engine[fast]. "\n'
        '    "If already installed, a broken import may be due to a version mismatch."\n)\n'
    )
    new = "If already installed, a broken import may be due to a version mismatch."
    assert said(CODE, before, after) == [("error", "added", new)]


def test_a_parameter_of_a_docstring_begins_a_quote_of_its_own() -> None:
    form = 'def top(x):\n    """Find the largest.\n\n    x : int\n        Rows that are searched for it.\n%s    """\n'
    new = "    exact : bool, optional\n        If True, the same rows are found whenever it runs.\n"
    text = "exact : bool, optional If True, the same rows are found whenever it runs."
    assert said(CODE, form % "", form % new) == [("docstring", "added", text)]


# --- what is gone, and whose words they are ---


def test_a_sentence_of_which_lines_stay_is_not_gone() -> None:
    before = "# label: the name of the step\n# nightly: whether to run it against the nightly build\n# only: run it there alone\nrun\n"
    after = "# label: the name of the step\n# only: run it there alone\nrun\n"
    assert not [text for _, side, text in said("ci/steps.yaml", before, after) if side == "removed" and "label" in text]


WHY = "# The first call starts a cluster, which may time out, so the whole test is run again.\n"
TEST = "tests/test_metrics.py"


def test_a_comment_over_an_old_test_is_no_new_test() -> None:
    body = "def test_of_the_metrics():\n    run()\n"
    assert [source for source, _, _ in said(TEST, body, f"{WHY}@again(2)\n{body}")] == ["comment"]


def test_a_comment_beside_an_old_test_says_nothing_of_a_change_of_code() -> None:
    body = "def test_of_the_metrics():\n    run()\n"
    patches = {TEST: patch_of(body, f"{WHY}{body}"), CODE: patch_of("run()\n", "run(2)\n")}
    assert quotes(change_of(patches)) == []


def test_a_comment_in_a_new_test_is_that_tests() -> None:
    body = f"def test_that_it_runs_again():\n    {WHY}    run()\n"
    assert {source for source, _, _ in said(TEST, "", body)} == {"test"}


def test_a_test_whose_head_was_altered_is_not_new() -> None:
    before, after = (f"def test_of_all_the_metrics({x}):\n    run()\n" for x in ("", "again"))
    assert said(TEST, before, after) == []


def test_a_test_that_moves_to_another_file_is_not_new() -> None:
    old, new = (f"def test_that_all_metrics_are_told(engine):\n    run({x})\n" for x in (1, 2))
    patches = {TEST: patch_of(old, ""), "tests/test_told.py": patch_of("", new), CODE: patch_of("run()\n", "run(2)\n")}
    assert quotes(change_of(patches)) == []


SETS_UP = "# The runner starts each file by itself, so that one which fails does not end all of the others.\n"


@pytest.mark.parametrize(
    ("body", "quoted"),
    [
        (f"def test_that_it_runs_again():\n    {WHY}    run()\n", True),
        (f"{WHY}@mark\ndef test_that_it_runs_again():\n    run()\n", True),
        (f"def test_that_it_runs_again(\n    a,\n):\n    {WHY}    run()\n", True),
        (f"def test_that_it_runs_again():\n    make()\n    {SETS_UP}    run()\n", False),
        (f"def test_that_it_runs_again():\n    with make():\n        {SETS_UP}        run()\n", False),
        (
            f"class Case:\n    {SETS_UP}    slow = True\n\n    def test_that_it_runs_again(self):\n        run()\n",
            False,
        ),
    ],
)
def test_comments_on_how_a_test_is_set_up_are_not_quoted(body: str, quoted: bool) -> None:
    patches = {TEST: patch_of("", body), CODE: patch_of("run()\n", "run(2)\n")}
    found = [quote.text for quote in quotes(change_of(patches)) if quote.source == "test"]
    assert (len(found) == 2) is quoted
    assert "it runs again" in found[0] or "it runs again" in found[-1]


def test_the_docstring_of_an_old_test_that_is_written_anew_is_quoted() -> None:
    form = 'def test_of_the_metrics():\n    """The metrics are %s."""\n    run()\n'
    patches = {
        TEST: patch_of(form % "joined at once", form % "kept apart, since all of them were lost when one failed"),
        CODE: patch_of("run()\n", "run(2)\n"),
    }
    found = [(q.source, q.side) for q in quotes(change_of(patches))]
    assert ("docstring", "added") in found


def test_tests_at_the_end_of_a_rust_source_are_tests() -> None:
    code = "/// The map is padded by one, since the kernel reads past its end.\nfn pad() {}\n"
    tests = "#[cfg(test)]\nmod tests {\n    // Both of the maps are made by hand, so that no file is read.\n    const N: u8 = 2;\n"
    tests += "    #[test]\n    fn pads_the_map_by_one() {\n        let a = 1;\n"
    tests += "        // The last of the rows is not there, because it was cut.\n        run(a);\n    }\n}\n"
    found = quotes(change_of({"src/pad.rs": patch_of("", code + tests)}))
    assert [(q.source, q.text) for q in found] == [
        ("comment", "The map is padded by one, since the kernel reads past its end."),
        ("test", "pads the map by one"),
    ]


def test_a_comment_over_an_import_says_nothing_of_what_the_code_does() -> None:
    note = "# Here and not above, since a circle of modules would otherwise break the import.\n"
    assert said(CODE, "def run():\n    go()\n", f"def run():\n    {note}    from engine import go\n\n    go()\n") == []
    assert said(CODE, "def run():\n    go()\n", f"def run():\n    {note}    go()\n") != []


def test_a_note_that_came_over_one_that_stood_there_is_quoted_without_it() -> None:
    stood, came = (
        "# SM90 and 12.2 are needed.\nrun()\n",
        "# The sparse kernels need exactly one kind of device and no younger one\n",
    )
    assert said(CODE, stood, came + stood) == [("comment", "added", came[2:-1])]


def test_a_comment_in_which_only_names_have_changed_is_not_quoted() -> None:
    form = "# We need %s tokens here, so the rest of them is padded by 0.\nrun()\n"
    assert said(CODE, form % "req.extend_len", form % "req.range.length") == []
    assert said(CODE, form % "req.extend_len", form % "no more of the") != []


@pytest.mark.parametrize("code", ["or asked_for_backend()", "== Backend.UNIFIED", "&& is_unified", ")"])
def test_code_that_was_made_a_comment_is_no_part_of_the_sentence_over_it(code: str) -> None:
    found = said("engine/core.py", "", f"# NOTE: This block has been deprecated for now\n# {code}\nx = 1\n")
    assert [text for _, _, text in found] == ["This block has been deprecated for now"]


def test_a_notebook_is_a_record_and_has_no_text_to_quote() -> None:
    rows = '"The server has to be started with a path of the model.\\n",\n'
    assert said("docs/start.ipynb", "", rows) == []
    assert said("docs/start.md", "", "The server has to be started with a path of the model.\n")


def test_a_remark_is_quoted_without_who_signed_it_and_without_the_list_that_it_put_out() -> None:
    note = "# NOTE(ada): Disabled to investigate wrong results of the router.\n#   Routing.Renormalize,\n#   Routing.Naive,\n"
    found = said("engine/core.py", "x = 1\n", f"{note}x = 1\n")
    assert [text for _, _, text in found] == ["Disabled to investigate wrong results of the router."]

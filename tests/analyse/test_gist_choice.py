"""Which of several things that a change says of itself is its sentence, and what is joined to it."""

import pytest
from msgspec.structs import replace

from analyse.test_gist import BODY, CODE, english, told
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance
from daybreak.findings.reader import USUAL
from daybreak.findings.text_trees import reading_of
from daybreak.judge.gist import brief, gist
from read.made import SHA, change_of, patch_of


def test_a_setting_that_comes_is_told_with_what_its_author_says_it_is_for() -> None:
    before = "variables = {\n}\n"
    after = (
        "variables = {\n    # Skip padding in the experts, off by default because not all kernels support it yet.\n"
        '    "ENGINE_SKIP_PADDING": lambda: bool(int(os.getenv("ENGINE_SKIP_PADDING", "0"))),\n}\n'
    )
    found = told({"engine/envs.py": patch_of(before, after)}, subject="Skip padding in the experts")
    assert found is not None
    assert found.source == "finding"
    assert "`ENGINE_SKIP_PADDING`" in found.text["en"]
    assert "a comment says: “Skip padding in the experts, off by default" in found.text["en"]
    assert [quote.source for quote in found.quotes] == ["comment"]


def test_behind_a_name_that_goes_stands_only_what_speaks_of_it() -> None:
    flag = patch_of('p.add_argument("--slots", default=8)\n', "")
    note = "# Requests are dropped when the queue is full, otherwise the engine would hang.\n"
    said = english({"engine/server_args.py": flag, CODE: patch_of("", f"{note}x = 1\n")}, subject="Drop --slots")
    assert said is not None
    assert "“" not in said


OFFLOADS = """@dataclass
class CacheConfig:
    offloading_size: float | None = None
    \"\"\"Size of the offloading buffer. {}\"\"\"

    offloading_backend: {}
    \"\"\"The backend to use for offloading. {}\"\"\"
"""


def test_behind_a_default_stands_no_docstring_of_the_field_before() -> None:
    before = OFFLOADS.format("Nothing is offloaded unless it is set with the backend.", 'str = "none"', "One of two.")
    when = "Offloading is only activated when offloading_size is set, otherwise the backend is ignored."
    after = OFFLOADS.format(
        "When set, the engine will fail over to offloading with the native backend.", 'str = "native"', when
    )
    path = "engine/config/cache.py"
    change = change_of({path: patch_of(before, after)}, subject="Use the native offloading backend by default")
    turned = Finding(
        f"{SHA[:12]}/1", "field_default_changed", path, 15, "CacheConfig.offloading_backend", '"none"', '"native"'
    )
    found = gist(change, Reading(SHA, {}, findings=(turned,)))
    assert found is not None
    assert "`CacheConfig.offloading_backend`" in found.text["en"]
    assert "When set" not in found.text["en"]
    found = gist(
        replace(change, subject="Make the other backend the default for offloading"),
        Reading(SHA, {}, findings=(turned,)),
    )
    assert found is not None
    assert when in found.text["en"], "what the field itself says, whatever the title"


def test_of_a_body_the_paragraph_that_tells_most_speaks_and_none_about_the_message() -> None:
    body = f"Follow-up to #12, addressing the review of the pull request that came after the merge.\n\n{BODY}\n"
    assert english({}, body=body) == f"The commit says: “{BODY}”"
    race = "Sending races with freeing, so that a rank could send blocks which another request has by now."
    plain = "The state of a request is written by the ranks of a group into the buffers of the transfer."
    said = english({}, subject="Fix the order of sending and freeing", body=f"{plain}\n\n{race}\n")
    assert said == f"The commit says: “{race}”"


def test_how_it_is_without_the_change_is_not_told_as_what_is_new() -> None:
    old = "Currently every rank sends the same state again, so a transfer takes as many times as there are ranks."
    found = told({}, body=old)
    assert found is not None
    assert found.text["en"] == f"Before this change, as the commit says: “{old}”"
    assert found.text["zh"] == f"提交说明写改动前：「{old}」"


def test_what_a_program_refuses_tells_more_than_a_docstring_that_names_a_function() -> None:
    code = (
        'def parse(arguments):\n    """Parse the arguments of a tool call for templates."""\n'
        '    raise ValueError("the arguments of a tool call must be a JSON object")\n'
    )
    big = "".join(f"x{n} = {n}\n" for n in range(12))
    said = english(
        {CODE: patch_of("", code + big)}, subject="Validate the arguments of a tool call before the template"
    )
    assert said == "New error text: “the arguments of a tool call must be a JSON object”"


def test_of_a_fix_the_comment_speaks_that_says_what_could_go_wrong() -> None:
    now = "# No step is in flight any more, so the blocks of the request are freed now.\n"
    was = "# A step may still be writing the blocks of a request, and a load can fill them, so freeing is deferred.\n"
    code = f"{now}free()\n\n\n{was}defer()\n"
    said = english({CODE: patch_of("", code)}, subject="[Bugfix] Defer freeing of blocks until steps in flight end")
    assert said is not None
    assert "may still be writing" in said


def test_a_sentence_that_is_too_long_for_a_line_is_cut_at_a_clause() -> None:
    long = (
        "Every rank sent the same state again"
        + ", because a rank knows nothing of the others and sends it once more" * 3
    )
    change = change_of({}, subject="Send the state once", body=f"{long}.")
    found = gist(change, Reading(SHA))
    assert found is not None
    short = brief(Entry(change, Reading(SHA), "fix", Importance("high", 0.9), gist=found), 80)
    assert short is not None
    assert short["en"].endswith(" …”")


def test_of_several_findings_the_one_speaks_that_the_title_names() -> None:
    pin = patch_of('dependencies = ["torch==2.10", "numpy==1.0"]\n', 'dependencies = ["torch==2.11", "numpy==1.0"]\n')
    flag = patch_of('p.add_argument("--slots", default=8)\n', 'p.add_argument("--slots", default=16)\n')
    patches = {"pyproject.toml": f"{pin}", "engine/server_args.py": flag}
    said = english(patches, subject="Raise the default of --slots")
    assert said is not None
    assert "--slots" in said


def test_how_a_test_is_led_in_is_no_part_of_what_it_says() -> None:
    code = 'def test_states():\n    """Regression test for a state that is lost when two ranks send it at once."""\n    send()\n'
    said = english({"tests/test_send.py": patch_of("", code), CODE: patch_of("", "x = 1\n" * 12)})
    assert said == "New test: “a state that is lost when two ranks send it at once.”"


def test_a_docstring_that_moved_with_its_function_is_no_news() -> None:
    old = (
        'def clear(x):\n    """Run the deferred clear of pages on the forward stream to avoid races."""\n    return x\n'
    )
    new = (
        'def maybe_clear(x):\n    """Run the deferred clear of pages on the forward stream, so nothing races.\n\n'
        '    Does nothing unless the clear was deferred by a page.\n    """\n    return x\n'
    )
    note = (
        "# Clear deferred pages before the dispatch below reads the pool, otherwise it reads what is gone.\nclear(y)\n"
    )
    patches = {"engine/backend.py": patch_of(old, ""), CODE: patch_of("", f"{new}\n\n{note}")}
    said = english(patches, subject="Move the deferred clear")
    assert said is not None
    assert "before the dispatch below" in said


def test_what_a_change_does_speaks_rather_than_how_it_was() -> None:
    was = "The device reads its properties in its constructor, and a device is made on every call of the kernel."
    does = "This PR caches the properties of the device once, so that making one costs no more than a copy."
    assert english({}, subject="Cache properties", body=f"{was}\n\n{does}") == f"The commit says: “{does}”"


def test_a_message_of_one_line_that_names_the_fault_speaks_before_a_comment() -> None:
    patches = {
        CODE: patch_of("send()\n", "# Send it in 32 bits rather than in 64, as only a part of it changes.\nsend()\n")
    }
    assert english(patches, body="Fix perf regression") == "The commit says: “Fix perf regression”"
    assert english(patches, body="Fix the tests") != "The commit says: “Fix the tests”"


def test_of_a_fix_what_is_left_to_do_speaks_where_it_names_the_fault() -> None:
    note = "# TODO: send the state by the fast path again after its accuracy issue is fixed.\n"
    patches = {CODE: patch_of("send(state, fast)\n", f"{note}send(state, slow)\n")}
    said = str(english(patches, subject="[Bugfix] Fix the path of the state"))
    assert "accuracy issue is fixed.”; " in said.replace("fixed”", "fixed.”")
    assert "`send(state, slow)`" in said


def test_of_a_fix_the_docstring_speaks_that_says_what_would_be_corrupted() -> None:
    code = (
        'def reduce(x):\n    """Reduce over the ranks.\n\n    A wide value would read against a narrow workspace and corrupt'
        ' the result of it.\n    """\n'
    )
    rest = "# Take the slow path of the engine when peers cannot be reached.\n" + "".join(
        f"x{n} = {n}\n" for n in range(12)
    )
    said = str(english({CODE: patch_of("", code + rest)}, subject="[Bugfix] Fix fusion of norms"))
    assert "corrupt the result" in said


def test_a_number_with_a_unit_tells_more_than_none() -> None:
    slow = "# A request whose sender failed would otherwise wait for the state until the timeout of 300s.\nwait(n)\n"
    other = "# A request whose sender failed would otherwise wait for the state until the timeout of it.\nstay(n)\n"
    said = str(english({CODE: patch_of("", f"{other}\n\n{slow}")}))
    assert "300s" in said


def test_a_comment_that_stood_nearly_alike_or_went_is_not_what_a_change_does() -> None:
    old = "# When using stages, the scheduler sends the sampled tokens back because no rank knows them.\nx = pick()\n"
    new = old.replace("When using stages, the", "Without overlap and with stages: the")
    come = "# With overlap and stages the tokens are read from the last rank, so no payload is sent.\nif overlap:\n    y()\n"
    said = str(english({CODE: patch_of(old + "z()\n", f"{new}{come}z()\n")}, subject="Support overlap with stages"))
    assert "read from the last rank" in said
    assert "sampled tokens back" not in said
    gone = "# It is necessary to limit the number of threads since images would take all of them.\nlimit(threads)\n"
    said = str(english({CODE: patch_of(gone, "with threads_of(count):\n    pass\n")}, subject="Set number of threads"))
    assert "necessary" not in said
    assert "threads_of(count)" in said


def test_a_comment_with_another_capital_letter_says_nothing_else() -> None:
    old = "# prefix detection: If any group cached more, then the prefix of the request is used.\nx = 1\n"
    said = english({CODE: patch_of(old, old.replace("If", "if"))}, subject="Detect the prefix of a group")
    assert said is None or "→" not in said


def test_a_limit_that_is_no_longer_refused_is_what_is_possible_now() -> None:
    old = "def plan(n):\n    assert n == 1, 'Only encoder size 1 is supported for now'\n    return n\n"
    note = "# Lengths of encoders are per request, so rows past them are never read.\n"
    said = english(
        {CODE: patch_of(old, f"def plan(n):\n    {note}    return n\n")}, subject="Plan encoders of any size"
    )
    assert said == "A line that is gone raised: “Only encoder size 1 is supported for now”"


def test_what_a_check_refused_that_is_gone_is_possible_now_in_whatever_words_it_was_refused() -> None:
    old = "def plan(rows):\n    if rows.shared:\n        raise ValueError('Shared rows do not go with prefixes here')\n    return rows\n"
    note = "        # NOTE rows of drafts may be dropped later, because they are not yet accepted.\n"
    new = f"def plan(rows):\n{note}    return rows\n"
    change = change_of({CODE: patch_of(old, new)}, subject="Prefixes with shared rows")
    check = Finding("1/1", "guard_removed", CODE, 11, "plan", before="if rows.shared: raise ValueError", after=None)
    found = gist(change, Reading(SHA, findings=(check,)))
    assert found is not None
    assert found.text["en"] == "A line that is gone raised: “Shared rows do not go with prefixes here”"


def test_a_value_that_users_can_choose_and_the_title_spells_is_told_before_the_code_of_it() -> None:
    given = 'import os\nfrom typing import Literal\n\nFormats = Literal["auto", "pt"{}]\n'
    note = '    """Rows are read at once, so that a start is shorter."""\n'
    old = {"engine/config.py": given.format(""), "engine/loader.py": "x = 1\n"}
    new = {
        **old,
        "engine/config.py": given.format(', "fasttensor"'),
        "engine/loader.py": f"x = 1\ndef fasttensor_rows(x):\n{note}{BODY}",
    }
    files = {path: patch_of(old[path], new[path]) for path in old}
    found = gist(change_of(files, subject="Add FastTensor"), reading_of(old, new, "acme/engine", USUAL))
    assert found is not None
    assert found.text["en"].startswith("`Formats`: adds `fasttensor`")


def test_what_callers_inside_follow_says_nothing_of_what_was_wrong() -> None:
    old = "class Norm:\n    def forward(self, x, extra):\n        return x\n\n\ndef run(n, x):\n    return Norm().forward(x, 1)\n"
    new = old.replace(", extra", "").replace("(x, 1)", "(x)")
    many = "".join(f"y{n} = {n}\n" for n in range(70))
    files = {CODE: patch_of(old + many, new + many.replace("= ", "= -"))}
    found = gist(
        change_of(files, subject="Fix regression"),
        reading_of({CODE: old + many}, {CODE: new + many}, "acme/engine", USUAL),
    )
    assert found is None or "interface" not in found.text["en"]


def test_a_line_of_a_log_that_came_refuses_nothing() -> None:
    old = "def plan(rows):\n    assert rows.plain, 'Shared rows are not supported'\n    return rows\n"
    new = "def plan(rows):\n    logger.info('Using shared rows of %s', rows)\n    return rows\n"
    said = english({CODE: patch_of(old, new)}, subject="Add shared rows")
    assert said == "A line that is gone raised: “Shared rows are not supported”"


def test_pages_for_tools_and_pages_beside_source_do_not_speak_for_a_change() -> None:
    page = patch_of("", "Use this when the scheduler is changed, because its parts must stay apart from each other.\n")
    code = patch_of("x = 1\n", "x = 2\n")
    for path in (".claude/skills/scheduler/SKILL.md", "AGENTS.md", "docs/scheduler.md"):
        said = english({path: page, CODE: code}, subject="Change parts of the scheduler")
        assert said == "Changed lines: `x = 1` → `x = 2`"


def test_a_short_quote_leaves_room_for_a_second_one_that_says_something_else() -> None:
    one = "# Use a fill instead of an assignment to avoid a sync of the device.\nfill()\n"
    two = "# Counts of rows are built on the host so no sync is forced by the batch.\nbuild()\n"
    many = "".join(f"x{n} = {n}\n" for n in range(12))
    said = english({CODE: patch_of("", one + many + two)}, subject="Avoid syncs of the device")
    assert said is not None
    assert said.count("a comment says") + said.count("A comment says") == 2


def test_a_variable_is_told_with_the_comment_over_the_line_that_reads_it() -> None:
    env = patch_of(
        "variables = {\n}\n",
        'variables = {\n    "ENGINE_KILL_GROUP": lambda: bool(int(os.getenv("ENGINE_KILL_GROUP", "0"))),\n}\n',
    )
    use = "# Opt-in: kill the whole group, otherwise other ranks would hang and log for minutes.\nif ENGINE_KILL_GROUP:\n    kill()\n"
    said = english({"engine/envs.py": env, CODE: patch_of("", use)}, subject="Kill the group on an exception")
    assert said is not None
    assert "`ENGINE_KILL_GROUP`" in said
    assert "kill the whole group" in said


def test_what_the_message_tells_speaks_before_a_setting_that_its_title_does_not_name() -> None:
    env = patch_of("", 'v = os.getenv("ENGINE_PROFILE_HOST", "0")\n')
    assert english({"engine/envs.py": env}, body=BODY) == f"The commit says: “{BODY}”"


def test_a_comment_of_which_only_names_changed_is_no_news() -> None:
    text = (
        "# We will need {0} tokens of the request,\n# and ids of logprobs are for the input only, so pad them.\nx = 1\n"
    )
    old, new = text.format("req.extend_len - req.start"), text.format("req.range.length - req.start")
    said = english({CODE: patch_of(old, new)}, subject="Remove lengths of the request and pad ids")
    assert said is None or "“" not in said


def test_the_docstring_of_a_helper_of_tests_does_not_speak() -> None:
    helper = 'class FakeModel:\n    """Made so that the methods can run without a model, because it would need a device."""\n'
    test = "def test_methods_of_the_model_run():\n    assert FakeModel()\n"
    files = {"tests/test_model.py": patch_of("", f"{helper}\n{test}"), CODE: patch_of("x = 1\n", "x = 2\n")}
    said = english(files, subject="Run the methods of a model")
    assert said is not None
    assert "Made so that" not in said


def test_of_a_feature_the_first_paragraph_speaks_and_none_on_how_it_was_tried() -> None:
    first = "Adds intrinsics of the launch control of clusters under the prefix that the other ones have, for kernels."
    tried = "Verified on two devices: previously it failed to import because the package was not found, now it works."
    later = "Arrays needed a match of types before, which means that values had to be cast, otherwise it would fail."
    said = english({}, subject="Add launch control of clusters", body=f"{tried}\n\n{first}\n\n{later}\n")
    assert said == f"The commit says: “{first}”"


def test_of_a_list_that_is_too_long_the_item_that_tells_most_speaks() -> None:
    items = [
        f"- Keep the shim number {n} of the package in the tree so that imports of version {n} work." for n in range(8)
    ]
    items[5] = "- Add a shim so that imports of the package work, previously only the module was importable."
    body = "Builds on the package so that both styles of imports work:\n\n" + "\n".join(items) + "\n"
    assert english({}, subject="Install the package from git", body=body) == f"The commit says: “{items[5][2:]}”"


def test_a_chain_of_conditions_in_another_order_is_told() -> None:
    old = "found = (\n    by_name(layer)\n    or by_class(layer)\n    or by_fused(layer)\n)\n"
    new = "found = (\n    by_name(layer)\n    or by_fused(layer)\n    or by_class(layer)\n)\n"
    said = english({CODE: patch_of(old, new)}, subject="Prefer fused names")
    assert said is not None
    assert "or by_class(layer) or by_fused(layer))` → `" in said


def test_in_code_that_is_put_in_order_a_refusal_that_went_opens_nothing() -> None:
    old = "def plan(n):\n    assert n == 1, 'Only encoder size 1 is supported for now'\n    return n\n"
    said = english({CODE: patch_of(old, "def plan(n):\n    return n\n")}, subject="Refactor plans of encoder sizes")
    assert said is None or "“" not in said


def test_an_error_of_new_code_that_the_title_hardly_names_does_not_speak_for_it() -> None:
    many = "".join(f"    value_{n} = compute_{n}({n})\n" for n in range(50))
    new = f"def rank(x):\n    if x:\n        raise ValueError('shared rows must be none on this device')\n{many}"
    assert english({CODE: patch_of("", new)}, subject="Rank scores and values on any device") is None
    said = english({CODE: patch_of("", new)}, subject="Refuse shared rows on a device")
    assert said is not None
    assert "shared rows must be none" in said


def test_a_comment_that_is_the_title_again_leaves_the_word_to_the_lines() -> None:
    old = "def share(rows):\n    return pool(rows)\n"
    new = "def share(rows):\n    # disable shared rows on cards due to wrong values\n    return fresh(rows)\n"
    said = english({CODE: patch_of(old, new)}, subject="Disable shared rows on cards due to wrong values")
    assert said == "Changed lines: `return pool(rows)` → `return fresh(rows)` in `share`"


def test_a_form_to_be_filled_in_is_no_sentence() -> None:
    form = 'def prompt(x):\n    """[system: {context}] only when a prompt is given, user: {audio} as it is."""\n'
    said = english({CODE: patch_of("def prompt(x):\n", form)}, subject="Take a prompt with the audio of a user")
    assert said is None or "{context}" not in said


def test_an_error_that_names_an_option_is_told_before_what_callers_inside_follow() -> None:
    refused = '        if spec and not extra:\n            raise ValueError("Drafts require the strategy `extra`. Please set `--strategy extra`.")\n'
    old = "class Pool:\n    def __init__(self, spec, extra):\n        self.size = 1\n"
    note = "        # The pool keeps one row for each draft, so that no row is read twice.\n"
    change = change_of(
        {CODE: patch_of(old, old.replace("        self", f"{note}{refused}        self"))}, subject="Support drafts"
    )
    inside = Finding(
        f"{SHA[:12]}/1",
        "internal_parameter_required_added",
        CODE,
        2,
        "Pool.__init__(overlap)",
        after="overlap",
        breaking=True,
    )
    guard = Finding(
        f"{SHA[:12]}/2", "guard_added", CODE, 3, "Pool.__init__", after="if spec and not extra: raise ValueError"
    )
    first, second = (gist(change, Reading(SHA, {}, findings=some)) for some in ((inside, guard), (inside,)))
    assert first is not None
    assert "--strategy extra" in first.text["en"]
    assert second is not None
    assert "--strategy extra" not in second.text["en"]


def test_a_kernel_that_comes_from_another_package_is_told_with_both() -> None:
    old = "if on_gpu:\n    from engine_kernel import other, marlin_gemm\n"
    new = "if on_gpu:\n    from engine_kernel import other\n\n    from engine.jit.marlin import marlin_gemm\n"
    note = "# Only half of the stages are active, since the next fetch may otherwise overwrite them.\n"
    files = {"engine/layers.py": patch_of(old, new), "engine/jit/marlin.py": patch_of("", f"{note}x = 1\n")}
    found = told(files, subject="Migrate the marlin GEMM kernel to JIT")
    assert found is not None
    assert found.text["en"] == "`marlin_gemm` now comes from `engine.jit.marlin` instead of `engine_kernel`"
    assert found.text["zh"] == "`marlin_gemm` 改由 `engine.jit.marlin` 提供，原来取自 `engine_kernel`"


def test_a_name_that_moved_within_its_package_is_no_other_supplier() -> None:
    moved = patch_of("from engine.a import marlin_gemm\n", "from engine.b import marlin_gemm\n")
    said = english({"engine/layers.py": moved}, subject="Migrate the marlin GEMM kernel")
    assert said is None or "instead of" not in said


def test_what_a_function_gives_is_not_why_it_came() -> None:
    doc = (
        'def project(groups):\n    """Groups of one worker, since a worker must not be charged for layers of others.\n\n'
        '    Returns:\n        The groups, if any of the layers is on this worker, otherwise none.\n    """\n    return groups\n'
    )
    said = english({CODE: patch_of("", doc)}, subject="Check the memory of groups of layers per worker")
    assert said is not None
    assert "otherwise none" not in said


HELPER = 'def is_ready(x):\n    """{}"""\n    return x.ready\n\n\n'


@pytest.mark.parametrize(
    ("words", "spoken"),
    [
        ("Check if the rows of the cache will actually be used.", False),
        ("Returns the rows of the cache on success, None on failure.", False),
        ("Without it the rows of the cache are read before they are written.", True),
    ],
)
def test_of_a_fix_the_docstring_of_a_helper_speaks_only_where_it_says_why(words: str, spoken: bool) -> None:
    old = "def run(x):\n    return take(x)\n"
    new = HELPER.format(words) + old.replace("return take(x)", "return take(x) if is_ready(x) else None")
    found = told({CODE: patch_of(old, new)}, subject="Fix garbage of the cache of rows")
    assert found is not None
    assert (words in found.text["en"]) is spoken


def test_what_a_test_holds_is_told_before_one_line_of_many_and_not_that_it_fails_without_the_fix() -> None:
    rows = "".join(f"    a{n} = b{n}(rows[{n}])\n" for n in range(12))
    code = patch_of(f"def mask(rows):\n{rows}", f"def mask(rows):\n{rows.replace('rows[', 'rows[1 + ')}")
    words = "Masks apply to rows that are apart, when only some requests have them. Odd sizes, so this test would fail without the fix."
    test = patch_of("", f'def test_mask():\n    """{words}"""\n    assert mask([1])\n')
    found = told({CODE: code, "tests/test_mask.py": test}, subject="Fix the masks of requests")
    assert found is not None
    assert "rows that are apart" in found.text["en"]
    assert "would fail" not in found.text["en"]


def test_of_a_fix_neither_the_help_of_an_example_nor_an_error_for_callers_speaks() -> None:
    example = 'p.add_argument("--rows", help="Rows of the cache that are taken at most, otherwise all.")\n'
    error = "    if not x.fast:\n        raise RuntimeError('take_rows is only for the fast cache of rows')\n"
    code = patch_of("def take_rows(x):\n    return x.rows\n", f"def take_rows(x):\n{error}    return x.all_rows\n")
    found = told({CODE: code, "examples/rows.py": patch_of("", example)}, subject="Fix the rows of the fast cache")
    assert found is not None
    assert "`return x.rows` → `return x.all_rows`" in found.text["en"]


def test_no_sentence_is_quoted_without_the_next_one_that_takes_it_back() -> None:
    first = "The swap of rows should be faster on all machines of the kind, because none of them waits."
    second = "However, it is only on where it was measured."
    note = "".join(f"# {one}\n" for one in (first, second))
    found = told({CODE: patch_of("run()\n", f"{note}run(swap=True)\n")}, subject="Swap rows in the kernel")
    assert found is not None
    assert second in found.text["en"]
    long = f"{second[:-1]} by those who wrote it, {'and for the machines of which they know the size, ' * 5}and not elsewhere."
    note = "".join(f"# {one}\n" for one in (first, long))
    found = told({CODE: patch_of("run()\n", f"{note}run(swap=True)\n")}, subject="Swap rows in the kernel")
    assert found is None or first not in found.text["en"]


def test_of_a_fix_what_would_happen_finds_room_before_what_is_done() -> None:
    note = "# Stop at once if the index names files that are not there, of a load that was broken off.\n"
    note += "# Otherwise those files are silently dropped and the rows of the index are lost.\n"
    change = change_of({CODE: patch_of("load()\n", f"{note}check(index)\nload()\n")}, subject="Fix loads by an index")
    found = gist(change, Reading(SHA))
    assert found is not None
    short = brief(Entry(change, Reading(SHA), "fix", Importance("medium", 0.6), gist=found), 90)
    assert short is not None
    assert "silently dropped" in short["en"]


def test_of_a_fix_that_is_reverted_the_fault_is_told_that_it_named() -> None:
    before = "# Without the wait of the second stream the rows would be read too early.\nwait()\n"
    said = english({CODE: patch_of(before, "x = 1\n")}, subject='Revert "[Bugfix] Let the second stream wait"') or ""
    assert "would be read too early" in said


@pytest.mark.parametrize(("path", "quoted"), [("engine/test/helper.py", False), ("engine/run/helper.py", True)])
def test_what_a_helper_of_tests_says_of_itself_tells_no_feature(path: str, quoted: bool) -> None:
    note = "# The window of a sample must not hide an earlier one, otherwise a divergence is lost.\n"
    helper = patch_of("", note + "def check(samples):\n    return samples[-1]\n")
    said = english({path: helper, CODE: patch_of("", "x = 1\n" * 12)}, subject="Add samples of the window")
    assert ("hide an earlier one" in (said or "")) is quoted

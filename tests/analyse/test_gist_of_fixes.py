"""What a fix is told by: what went wrong, before what came along with it."""

import pytest

from analyse.test_gist import CODE
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance
from daybreak.judge.empty_words import is_no_news, is_tested
from daybreak.judge.gist import brief, gist
from daybreak.judge.leaning import hangs
from daybreak.judge.quote_clauses import telling_clauses
from read.made import change_of, patch_of, read_one


def told(patches: dict[str, str], subject: str) -> str:
    change = change_of(patches, subject=subject)
    found = gist(change, read_one(change))
    assert found is not None
    return found.text["en"]


FAULT = "# The request still decodes on this memory. Freeing now would corrupt the session.\n"


def test_a_flag_that_comes_with_a_fix_is_not_told_before_what_went_wrong() -> None:
    flag = 'p.add_argument("--session-check", action="store_true", help="Check the session when it is closed.")\n'
    patches = {
        "engine/server_args.py": patch_of("", flag),
        "engine/session.py": patch_of("free(session)\n", f"{FAULT}if session.done:\n    free(session)\n"),
    }
    said = told(patches, "[Bugfix] Fix session race, session check")
    assert "Freeing now would corrupt the session" in said
    assert "--session-check" not in said


def test_a_flag_is_told_of_a_fix_where_no_words_say_what_went_wrong() -> None:
    flag = 'p.add_argument("--session-check", action="store_true", help="Check the session when it is closed.")\n'
    said = told({"engine/server_args.py": patch_of("", flag)}, "[Bugfix] Fix missing session check")
    assert "--session-check" in said


def test_a_test_that_says_what_would_fail_speaks_before_a_line() -> None:
    code = patch_of("if self.cap is not None:\n    cut()\n", "if admit and self.cap is not None:\n    cut()\n")
    test = (
        "def test_predictor_matches():\n"
        '    """The number of blocks must be what the pool will give; otherwise the pool raises ValueError."""\n'
        "    assert predict() == allocate()\n"
    )
    said = told(
        {"engine/pool.py": code, "tests/test_pool.py": patch_of("", test)}, "[Bugfix] Fix number of pool blocks"
    )
    assert "otherwise the pool raises ValueError" in said


def test_of_several_tests_not_the_one_is_quoted_that_holds_what_stays() -> None:
    code = patch_of(
        "names = config.names\n",
        "names = config.names\nif names is None and kind in CAUSAL_MAPPING:\n    names = [CAUSAL_MAPPING[kind]]\n"
        "for name in names or []:\n    use(name)\n",
    )
    tests = (
        "def test_config_leaves_unknown_model_type_without_names():\n    assert names(unknown) is None\n\n\n"
        "def test_config_populates_missing_names_from_causal_mapping():\n    assert names(known) == ['Causal']\n"
    )
    patches = {"engine/config.py": code, "tests/test_config.py": patch_of("", tests)}
    said = told(patches, "[Bug] Fix TypeError when config names of a model is None")
    assert "leaves unknown" not in said


def test_another_operand_of_the_same_name_is_told_before_a_comment_elsewhere() -> None:
    old = (
        "def bound(self):\n    return self.stored\n\n\ndef step(self):\n    new_tokens = cached.computed_tokens[idx]\n"
    )
    new = (
        "def bound(self):\n    # Include hit blocks of requests so that the bound matches what is stored.\n"
        "    return self.stored + self.hits\n\n\ndef step(self):\n    new_tokens = output.scheduled_tokens[request]\n"
    )
    said = told({"engine/connector.py": patch_of(old, new)}, "fix: correct store of requests and scheduled tokens")
    assert "`new_tokens = cached.computed_tokens[idx]` → `new_tokens = output.scheduled_tokens[request]`" in said


def test_a_call_that_is_refused_now_is_told_of_a_fix_whose_title_says_the_fault() -> None:
    old = "def resume(self):\n    self.wake()\n"
    new = (
        "def resume(self):\n    if self.pending_pause:\n"
        '        raise RuntimeError("resume called while a pause is in flight. Wait for it before resuming.")\n'
        "    self.wake()\n\n\ndef pause_complete(self):\n"
        '    """Once all ranks agree on the pause, stop stepping, so that no message starts them again."""\n'
        "    self.pending_pause = True\n"
    )
    said = told({"engine/core.py": patch_of(old, new)}, "[BUG] Two phase pause to prevent deadlock")
    assert "resume called while a pause is in flight" in said


def test_the_comment_that_says_the_fault_of_the_title_is_told_before_one_with_more_of_its_words() -> None:
    old = "def close(session):\n    free(session)\n\n\ndef restore(session):\n    slot.put(session)\n"
    new = (
        "def close(session):\n    # Freeing now would corrupt the scheduler.\n    if not session.busy:\n"
        "        free(session)\n\n\ndef restore(session):\n"
        "    # If a streaming session request was dropped, the streaming session slot is not restored, so it is fresh.\n"
        "    if not session.dropped:\n        slot.put(session)\n"
    )
    said = told({"engine/session.py": patch_of(old, new)}, "fix: streaming session request race condition")
    assert "Freeing now would corrupt the scheduler" in said


def test_of_a_fix_what_went_wrong_is_quoted_before_what_is_done_about_it() -> None:
    comment = (
        "    # The ragged kernel does not handle rows of no length: it leaves stale data in the buffer of the statistics.\n"
        "    # Fix up by forcing zero for rows of zero length so that the merge of the chunk ignores them in the end.\n"
    )
    old = "def attend(rows):\n    out = ragged(rows)\n    return out\n"
    new = f"def attend(rows):\n    out = ragged(rows)\n{comment}    fix_rows(out)\n    return out\n"
    assert "does not handle rows of no length" in told({CODE: patch_of(old, new)}, "Fix the chunk of zero length")


def test_a_sentence_that_points_back_is_not_quoted_without_what_it_points_to() -> None:
    comment = (
        "    # When the layers gather over the group of the attention, their reduce_scatter asks for a count of tokens that can be"
        " divided by the size of that group and of the other one, which is the case of every size that is a multiple of both of"
        " them.\n    # Drop graph captures that would violate this (as the regular graph capture does).\n"
    )
    old = "def capture(sizes):\n    return sizes\n"
    new = f"def capture(sizes):\n{comment}    sizes = kept(sizes)\n    return sizes\n"
    assert "violate this" not in told({CODE: patch_of(old, new)}, "Fix the graph capture of dense layers")


def test_a_log_line_that_names_the_option_to_set_is_told_where_the_title_is_about_logging() -> None:
    old = "def put(item):\n    try:\n        cache.put(item)\n    except ValueError:\n        pass\n"
    new = (
        "def put(item):\n    try:\n        cache.put(item)\n"
        "    # put raises where an item is there already, which is benign.\n"
        '    except ValueError:\n        logger.warning("item too large to cache; raise --cache-max-object-size")\n'
    )
    assert "raise --cache-max-object-size" in told({CODE: patch_of(old, new)}, "Better logging for large items")


def test_words_that_do_not_say_what_went_wrong_stand_with_the_line_of_a_small_fix() -> None:
    old = "def check(calls):\n    if calls is not None:\n        send(calls[0])\n"
    new = "def check(calls):\n    # only check if there are any tool calls detected by the parser\n    if calls:\n        send(calls[0])\n"
    said = told({CODE: patch_of(old, new)}, "Fix an error of the tool calls of the parser")
    assert "only check if there are any tool calls" in said
    assert "`if calls is not None:` → `if calls:`" in said


STRIDES = (
    "# When there is one head, tensors have degenerate strides,\n# for example, where two strides are equal:\n"
    "# - shape: [pages, 1, 64, 128]\n# - stride: [8192, 128, 128, 1]\n"
    "# This will cause validation of descriptors to fail in the backend.\n"
)


def test_what_follows_from_a_list_is_told_and_where_there_is_little_room_before_the_list() -> None:
    change = change_of(
        {CODE: patch_of("", f"{STRIDES}def canonical(x):\n    return x\n")}, subject="Fix strides of one head"
    )
    reading = read_one(change)
    found = gist(change, reading)
    assert found is not None
    assert "This will cause validation of descriptors to fail" in found.text["en"]
    entry = Entry(change=change, reading=reading, kind="fix", gist=found, importance=Importance("low", 0.1))
    short = brief(entry, 100)
    assert short is not None
    assert "… This will cause validation of descriptors to fail in the backend." in short["en"]


def test_how_a_branch_is_mended_is_not_what_went_wrong() -> None:
    long = "".join(f"    step_{n}(values)\n" for n in range(60))
    code = f"if ragged:\n    # Ragged case: use one slice for every batch of values\n{long}"
    test = 'def test_durations(run):\n    """Test batching of requests with ragged durations."""\n    run()\n'
    subject = "[Bugfix] Handle ragged values in batching"
    files = {"engine/pool.py": patch_of("", code), "tests/test_pool.py": patch_of("", test)}
    change = change_of(files, subject=subject)
    assert gist(change, read_one(change)) is None, "nor is what a test is about"


def test_how_the_new_code_works_does_not_tell_a_fix() -> None:
    """A cause and a condition that the title has nothing of describe the new code, however well they sound."""
    body = "".join(f"    step_{n}()\n" for n in range(30))
    note = "    # Ring buffers do not move the input, so all positions require additional room.\n"
    old, new = (
        f"def room(n):\n{body}",
        f"def room(n):\n{note}    pad(n)\n    fill(n)\n    cut(n)\n{body}    end()\n    stop()\n",
    )
    change = change_of({CODE: patch_of(old, new)}, subject="[Bugfix] Reserve the extra slot in the budget of drafts")
    found = gist(change, read_one(change))
    assert found is None or "Ring buffers" not in found.text["en"]


def test_a_test_that_says_what_happened_until_now_tells_a_fix_before_a_line() -> None:
    code = patch_of("if options.tag:\n    choose()\n", "if options.tag is not None:\n    choose()\n")
    test = (
        "def test_every_tag_is_chosen():\n"
        '    """A tag that is set but empty used to match no branch and hit the lookup with nothing assigned."""\n'
        "    assert choose('')\n"
    )
    said = told({CODE: code, "tests/test_tags.py": patch_of("", test)}, "[Fix] Treat an empty tag as unset in options")
    assert "used to match no branch" in said


def test_what_a_test_calls_a_regression_is_what_went_wrong() -> None:
    test = (
        "def test_masks_agree():\n"
        '    """Regression for a prefix cache with 0% hits.\n\n    Masks are shifted for each group because groups share one lookup.\n    """\n'
        "    assert masks()\n"
    )
    note = "# Groups share one lookup, so masks of the groups agree with it when a prefix is cached.\n"
    patches = {CODE: patch_of("mask()\n", f"{note}mask(all)\n"), "tests/test_masks.py": patch_of("", test)}
    assert "0% hits" in told(patches, "[Bugfix] Shift masks of all groups")


def test_where_there_is_little_room_a_sentence_keeps_what_went_wrong() -> None:
    long = "# Any eager batch regrows the buffer of it, freeing that address and poisoning every captured graph -> illegal memory access.\n"
    change = change_of(
        {CODE: patch_of("run()\n", f"{long}run(2)\n")}, subject="[Bugfix] Fix illegal memory access of graphs"
    )
    reading = read_one(change)
    entry = Entry(change, reading, "fix", Importance("high", 1.0, ()), gist=gist(change, reading))
    short = brief(entry, 80)
    assert short is not None
    assert "illegal memory access" in short["en"].partition("“")[2]


def test_where_no_line_tells_a_repair_its_comments_in_words_of_the_title_do() -> None:
    many = "".join(f"y{n} = {n}\n" for n in range(90))
    note = '    """Resolve the chunk size of blocks from the new and the legacy field of a config."""\n'
    for old, new, said in (
        ("x = 1\n", f"x = 1\ndef size_of(config):\n{note}    return config\n", "A docstring says"),
        (f"x = 1\ndef size_of(config):\n{note}    return config\n", "x = 1\n", "A docstring that is gone said"),
    ):
        text = told({CODE: patch_of(old + many, new + many.replace("= ", "= -"))}, "fix: chunk size alias")
        assert text.startswith(f"{said}: “Resolve the chunk size of blocks")


def test_a_value_of_an_enumeration_that_only_made_room_does_not_tell_a_feature_before_words() -> None:
    note = "# Scores of experts are taken after a sigmoid, because routing by softmax would lose small ones.\n"
    old = "from enum import IntEnum\nclass Routing(IntEnum):\n    TOP = 5\n    OTHER = 6\n"
    new = old.replace("    OTHER = 6\n", f"    {note}    SIGMOID = 6\n    OTHER = 9\n")
    said = told({"engine/routing.py": patch_of(old, new)}, "Enable routing of experts by sigmoid scores")
    assert "because routing by softmax would lose small ones" in said
    assert "OTHER" not in said


def test_a_warning_without_a_word_of_the_title_does_not_speak_before_what_says_why_the_title_is() -> None:
    """A line beside the repair may warn of worse: it is of another subject."""
    old = "pool[key] = infos\nregister(key)\n\n\ndef connect(address):\n    sock = context.socket()\n    return sock\n"
    new = (
        "# Store only then, so a failed registration does not leave a stale entry that is used again.\n"
        "if not register(key):\n    pass\npool[key] = infos\n\n\ndef connect(address):\n    sock = context.socket()\n"
        "    # Bound the send so a dead peer cannot block the scheduler forever.\n    sock.limit(TIMEOUT)\n    return sock\n"
    )
    said = told(
        {"engine/conn.py": patch_of(old, new)}, "Prevent the scheduler from blocking on sends to a stalled peer"
    )
    assert "cannot block the scheduler forever" in said
    assert "stale entry" not in said


def test_a_command_about_a_pronoun_and_what_holds_after_a_call_do_not_stand_alone() -> None:
    assert hangs("Do this before caching so that no entry stays.")
    assert hangs("Do NOT count them in the total, otherwise the pages are freed.")
    assert not hangs("Use this option when the cache is small.")
    assert is_no_news("After load(), self.linear exists and self.proj is gone.")
    assert is_no_news("PR #32208 / base-test-large CI failure.")
    assert not is_no_news("#32208 took rows of the pool away, so requests lost tokens.")
    assert not is_no_news("After the load self.linear takes the place of self.proj.")


def test_a_refusal_is_told_by_what_to_set_where_the_whole_finds_no_room() -> None:
    code = (
        "def check(dtype, backend):\n"
        '    """Reject here instead of crashing at capture."""\n'
        "    if dtype == 'fp8' and backend == 'tile':\n"
        "        raise ValueError(\n"
        '            "The tile decode backend does not support an fp8 cache on these devices, since its kernel takes bfloat16 alone. "\n'
        '            "Use --cache-dtype bfloat16 with the tile backend, or pick another backend."\n'
        "        )\n"
    )
    change = change_of({"engine/args.py": patch_of("", code)}, subject="fix: fail fast on fp8 cache with tile backend")
    reading = read_one(change)
    found = gist(change, reading)
    assert found is not None
    assert found.source == "error"
    entry = Entry(change, reading, "fix", Importance("low", 0), False, gist=found)
    shown = brief(entry, 80)
    assert shown is not None
    assert "Use --cache-dtype bfloat16 with the tile backend" in shown["en"]


def test_no_quote_ends_where_its_sentence_says_what_the_thing_does() -> None:
    text = (
        "Fallback when the backup of a leaf fails under pressure of the host memory: drop the subtree below it so device "
        "eviction makes progress instead of leaving its pages where they are until the host has room again"
    )
    for most in (90, 110, 150):
        said = telling_clauses(text, most, lambda part: float("Fallback" in part))
        assert not said.startswith("Fallback when the backup of a leaf fails under pressure of the host memory …"), said


def test_a_comment_that_stands_there_in_other_words_is_not_told_as_gone() -> None:
    before = "# Keep the dispatch lock until rank0 answers, otherwise the order is wrong.\nwith lock:\n    send()\n"
    after = "if direct:\n    # Keep the dispatch lock until rank0 answers, else the order is wrong.\n    with lock:\n        send()\n"
    change = change_of({"engine/a.py": patch_of(before, after)}, subject="Fix dispatch lock that keeps batches apart")
    found = gist(change, read_one(change))
    assert found is None or "gone" not in found.text["en"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("These tests intentionally avoid spinning up a server and run fast.", False),
        ("These unit tests cover the parser.", False),
        ("This test module needs no GPU.", False),
        ("This test reproduces a hang of two ranks.", True),
        ("These requests were lost where none was ready.", True),
    ],
)
def test_a_sentence_about_the_tests_themselves_says_nothing_of_what_they_hold(text: str, says: bool) -> None:
    assert is_tested(text) is not says


def test_a_test_that_names_what_did_not_change_is_not_quoted_before_what_must_not_be() -> None:
    code = patch_of(
        "if block in self.stored:\n    skip()\n", "if block in self.stored or block in self.moving:\n    skip()\n"
    )
    tests = (
        "def test_boundary():\n"
        '    """When num_rows is a multiple of BLOCK, the cap forces `find_longest_hit` to drop the last stored block (since `max_length // block_size` rounds down)."""\n'
        "    assert look()\n\n\n"
        "def test_again():\n"
        '    """A second request must not store the same moving block again before the first is done."""\n'
        "    assert store()\n"
    )
    said = told(
        {"engine/store.py": code, "tests/test_store.py": patch_of("", tests)},
        "[Bugfix] Do not store a moving block twice",
    )
    assert "A second request must not store the same moving block again" in said


def test_of_a_message_the_sentence_is_quoted_that_says_on_which_hardware_it_goes_wrong() -> None:
    body = (
        "## Summary\nFix incorrect results of tiled reads on SM120 when the head has 256 rows.\n\n"
        "## Root cause\nThe pages were only loaded after the last one, which leaves the others stale.\n"
    )
    change = change_of(
        {CODE: patch_of("a = 1\n", "a = 2\n")}, subject="[Fix] Fix tile reading from the wrong page", body=body
    )
    found = gist(change, read_one(change))
    assert found is not None
    assert "on SM120" in found.text["en"]


def test_the_name_of_a_test_that_says_nothing_stands_for_no_fix() -> None:
    code = "".join(f"width_{n} = rows\n" for n in range(40))
    test = "def test_gated_plain_shape_contract():\n    assert width() == 1\n"
    patches = {
        "engine/experts.py": patch_of(code, code.replace("rows", "rows * 2")),
        "tests/test_experts.py": patch_of("", test),
    }
    change = change_of(patches, subject="Fix plain and gated experts")
    found = gist(change, read_one(change))
    assert found is None or found.source != "test"

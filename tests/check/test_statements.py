"""Each check lets a good statement pass and stops a bad one for its reason."""

import pytest
from msgspec.structs import replace

from daybreak.core.model.statements import Grounding, Statement
from daybreak.judge.checks.evidence import FactEvidence, repository_evidence
from daybreak.judge.checks.statements import admit, judge, sift, total
from told_days import change, entry, file, patch, repository

EVIDENCE = FactEvidence(
    {
        "commit:a": lambda: "Drop the option `--kv`\nfiles 3\n+66 −4",
        "finding:a/1": lambda: "cli_flag_removed\n--kv\nvery long value that goes on and on",
        "empty": lambda: "",
    }
)


def make(zh: str, en: str, *evidence: str) -> Statement:
    return Statement("what", {"zh": zh, "en": en}, evidence or ("commit:a", "finding:a/1"))


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (make("删除 `--kv`（3 个文件，+66 −4）。", "Removes `--kv` (3 files, +66 −4)."), ""),
        (make("删除 `--kw`。", "Removes `--kw`."), "word_not_in_evidence"),
        (make("值 `very long value th…`。", "Value `very long value th…`."), ""),
        (make("值 `very lung value…`。", "Value `very lung value…`."), "word_not_in_evidence"),
        (make("5 个文件。", "5 files."), "number_not_in_evidence"),
        (make("删除。", "Removed.", "commit:b"), "unknown_evidence"),
        (make("删除。", "Removed.", "empty"), "empty_evidence"),
        (Statement("what", {"zh": "删除。", "en": "Removed."}, ()), "no_evidence"),
        (make("见 https://x.y 。", "See https://x.y ."), "markup"),
        (make("<b>删除</b>。", "<b>Removed</b>."), "markup"),
        (make("感谢 @ada。", "Thanks @ada."), "markup"),
        (make("[a](b)。", "[a](b)."), "markup"),
        (make("**删除**。", "**Removed**."), "markup"),
        (make("`abc1234f`。", "`abc1234f`."), "sha_in_text"),
        (make("删除", "Removed."), "cut"),
        (make("删除。", "Removed, and"), "cut"),
        (make("删除 `--kv。", "Removes `--kv."), "cut"),
        (make("删除。", ""), "language_missing"),
        (Statement("what", {"zh": "删除。"}, ("commit:a",)), "language_missing"),
        (make("删除 `--kv`。", "Removes it."), "languages_differ"),
    ],
)
def test_judge(statement: Statement, reason: str) -> None:
    verdict = judge(statement, EVIDENCE)
    assert (verdict.ok, verdict.reason) == (not reason, reason)


@pytest.mark.parametrize(
    ("name", "stands"),
    [
        ("Pool.release", True),
        ("Pool.free", False),
        ("no attribute 'create'", True),
        ("no attribute 'remove'", False),
        ("kv_pool", False),
    ],
)
def test_a_dotted_name_stands_by_its_parts_and_a_text_that_goes_over_two_lines_of_a_diff_as_one(
    name: str, stands: bool
) -> None:
    lines = patch(
        " class Pool:", "+    def release(self):", "+        # died with: no attribute", "+        # 'create'"
    )
    evidence = repository_evidence(
        repository([entry(change(1, "Mend it", files=[file("kv.py", lines.replace("# '", "'"))]))])
    )
    (key,) = (key for key in evidence if key.startswith("file:"))
    assert judge(make(f"见 `{name}`。", f"See `{name}`.", key), evidence).ok is stands


def test_sift_counts() -> None:
    good, bad = make("删除 `--kv`。", "Removes `--kv`."), make("5 个。", "5 files.")
    kept, grounding = sift([replace(one, author="model") for one in (good, bad, bad)], EVIDENCE)
    assert kept == (replace(good, author="model"),)
    assert grounding == Grounding(3, 1, 2, {"number_not_in_evidence": 2})
    assert total([grounding, grounding]) == Grounding(6, 2, 4, {"number_not_in_evidence": 4})


def test_a_quoted_backtick_is_found_again() -> None:
    assert judge(make("删除 `option '--kv'`。", "Removes `option '--kv'`."), EVIDENCE).ok


@pytest.mark.parametrize("quoted", ["see https://github.com/acme/engine/commit/b639cb", '{"files": 3}'])
def test_an_address_in_quoted_code_is_the_code_s_own_unless_a_model_quotes_it(quoted: str) -> None:
    evidence = FactEvidence({"finding:a/1": lambda: f"waiting_note_removed\n{quoted}"})
    said = make(f"了结 `{quoted}`。", f"Settles `{quoted}`.", "finding:a/1")
    assert judge(said, evidence).ok
    assert judge(replace(said, author="model"), evidence).reason == "markup"
    assert judge(make("见 /commit/b639cb。", "See /commit/b639cb.", "finding:a/1"), evidence).reason == "markup"


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (make("5 个文件。", "5 files."), ""),
        (make("删除 `--kw`。", "Removes `--kw`."), ""),
        (make("删除。", "Removed.", "commit:b"), "unknown_evidence"),
        (make("删除。", "Removed.", "empty"), "empty_evidence"),
        (Statement("what", {"zh": "删除。", "en": "Removed."}, ()), "no_evidence"),
        (make("见 https://x.y 。", "See https://x.y ."), "markup"),
        (make("`abc1234f`。", "`abc1234f`."), "sha_in_text"),
    ],
)
def test_words_of_a_rule_are_not_read_back_but_its_evidence_is_there(statement: Statement, reason: str) -> None:
    assert admit(statement, EVIDENCE).reason == reason
    assert not admit(replace(statement, author="model"), EVIDENCE).ok


@pytest.mark.parametrize(
    "words", ["reads `__init__` of **kwargs", "see [the page](#page)", "for https://x.y/issues/4", "`abc1234f` has it"]
)
def test_what_an_author_wrote_in_quotation_marks_is_no_markup_of_a_rule(words: str) -> None:
    said = make(f"代码注释写道：「{words}」。", f"A comment says: “{words}”.", "commit:a")
    assert admit(said, EVIDENCE).ok
    beside = make(f"{words}「x」。", f"{words} “x”.", "commit:a")
    assert not admit(beside, EVIDENCE).ok
    assert not admit(replace(said, author="model"), EVIDENCE).ok

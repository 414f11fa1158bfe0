"""A sum of sentences rests on what those rest on: a flag that only the tree around a change has is proved by its line."""

from __future__ import annotations

from daybreak.core.model.drafts import Case, Draft, Fate, Piece
from daybreak.core.model.statements import Proof, Statement
from daybreak.prose.held import widened
from daybreak.prose.llm import Prompt
from daybreak.prose.questions import Question

FLAG = Proof("commit:c0ffee", 'args.py: "--grammar-backend",')
OTHER = Proof("commit:c0ffee", "+    mask = None", "+")


def test_of_the_lines_of_what_is_summed_up_those_that_hold_a_name_of_the_sum_are_its_proof() -> None:
    text = {"zh": "用 `--grammar-backend` 时掩码是旧的。", "en": "With `--grammar-backend` the mask was stale."}
    case = Case("acme/engine", "acme/engine", (Piece("S1", "commit:c0ffee", text["en"]),))
    question = Question(
        case, Prompt("day", "1", "", "", {}, 100), 5, rests={"S1": ("commit:c0ffee",)}, proofs={"S1": (FLAG, OTHER)}
    )
    said = Statement("what", text, ("commit:c0ffee",), author="model")
    found = widened(Fate(Draft("what", text, (), ("S1",)), said), question)
    assert found.proof == (FLAG,)
    assert found.evidence == ("commit:c0ffee",)

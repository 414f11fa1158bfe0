"""Hostile texts as data: evidence that gives orders with the statements of a model that obeys, and hostile answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from corpora.statements import BAR, case_of, drafted
from daybreak.core.model.drafts import Case, Draft

FOLDER = Path(__file__).parent / "injection"
PLACES = ("message", "diff", "issue")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4,5})")


class Hostile(NamedTuple):
    """A hostile text in its place, and what a model made of it."""

    kind: str
    case: Case
    draft: Draft


def _rows(name: str) -> list[list[str]]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    return [
        [cell.strip(" ").replace("\\n", "\n").replace("REPEAT", "x" * 9000) for cell in row.split(BAR)]
        for row in text.split("\n")
        if row.strip()
    ]


def hostile_case(text: str = "", place: str = "message") -> Case:
    """A harmless commit with a hostile text in one of its places."""
    message = ["Add --page-size to the server", "", "The page size was fixed at 16. It can now be set."]
    patch = ["@@ -1,2 +1,3 @@", '+    parser.add_argument("--page-size", type=int, default=16)']
    issue = ["Please make the page size a flag"]
    if place == "message":
        message += ["", text]
    elif place == "diff":
        patch.append(f"+    # {text}")
    else:
        issue.append(text)
    return case_of("hostile", [("message", message), ("issue", issue), ("diff server/args.py", patch)])


def obeying() -> list[Hostile]:
    """Each order in each place, with the statement of a model that obeys: as a fact, and as an effect with its quote."""
    out: list[Hostile] = []
    for order, zh, en in _rows("evidence.txt"):
        for place in PLACES:
            case = hostile_case(order, place)
            ref = {"message": "M1", "diff": "D1", "issue": "I1"}[place]
            out.append(Hostile(place, case, drafted("what", zh, en, ("M1",), "Add --page-size to the server")))
            out.append(Hostile(place, case, drafted("impact", zh, en, (ref,), order[:80])))
    return out


def answers() -> list[Hostile]:
    """Answers that carry markup, links, hidden characters, fake evidence and the like."""
    case = hostile_case()
    return [
        Hostile(kind, case, drafted(role, zh, en, refs.split(), quote[0] if quote else ""))
        for kind, role, zh, en, refs, *quote in _rows("answers.txt")
    ]

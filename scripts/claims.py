"""Holds claims about commits in the frame, by code alone: how many true ones are refused, and how many lies of each kind are kept.

    python scripts/claims.py CLAIMS.jsonl [--prompts FOLDER] [--each]

A line of the file: `{"kind": "true" | "relational" | "wordy" | …, "prompt": "change-0123.txt", "role": "what", "zh": …, "en": …,
"spans": [{"at": "D1", "line": "+    x = 1"}]}`. `prompt` is a file that holds the question as a model was asked it, or `evidence` holds the
text between its two fences. `--each` also lists what was refused and why, and the lies that were kept.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from daybreak.core.model.drafts import Case, Fate, Piece, home_of
from daybreak.prose.batch import apart
from daybreak.prose.form import filled
from daybreak.prose.frame import Frame

LANGUAGES = ("zh", "en")
_FENCED = re.compile(r"^([0-9a-f]{6,64}) begin\n(.*?)\n\1 end$", re.MULTILINE | re.DOTALL)
_PIECE = re.compile(r"^\[((?:C\d+\.)?[A-Z]\d+)\] ?", re.MULTILINE)
_NAME = re.compile(r"\{((?:file|pr|commit|count):\d+)\}(?: = ([^,\n]+))?")


def evidence_of(prompt: str) -> str:
    """What stands between the fences of a question."""
    found = _FENCED.search(prompt)
    return found[2] if found else prompt


def cases_of(evidence: str, repo: str = "") -> dict[str, Case]:
    """The change, or each of several by its mark, as it was shown."""
    parts = _PIECE.split(evidence)[1:]
    values = {name: value.strip() for name, value in _NAME.findall(evidence) if value}
    pieces: dict[str, list[Piece]] = {}
    for ref, text in zip(parts[::2], parts[1::2], strict=True):
        head, _, rest = text.removesuffix("\n").partition("\n")
        shown = rest if _NAME.match(head) and "=" in head else text.removesuffix("\n")
        names = {name: values.get(name, "1") for name, _ in _NAME.findall(text)}
        pieces.setdefault(home_of(ref), []).append(Piece(ref.rpartition(".")[2], f"commit:{ref}", shown, names))
    return {home: Case("0" * 40, repo, tuple(some), (), evidence) for home, some in pieces.items()}


def fates(path: Path, prompts: Path) -> Iterator[tuple[str, Fate]]:
    """Each claim's kind and what became of it."""
    for row in map(json.loads, filter(None, path.read_text(encoding="utf-8").split("\n"))):
        yield str(row["kind"]), fate_of(row, prompts)


def fate_of(row: Mapping[str, Any], prompts: Path) -> Fate:
    prompt = "" if row.get("evidence") else (prompts / row["prompt"]).read_text(encoding="utf-8")
    named = re.search(r"^Repository: (\S+)$", prompt, re.MULTILINE)
    evidence = row.get("evidence") or evidence_of(prompt)
    ((_, draft),) = filled({"tells": [row]}, LANGUAGES).drafts
    case = cases_of(evidence, named[1] if named else "").get(draft.home)
    return Frame(case).fate(apart(draft)) if case is not None else Fate(draft, None, "unknown_evidence")


def main() -> int:
    told = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(description=told[0], epilog=told[2], formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--prompts", type=Path, default=Path())
    parser.add_argument("--each", action="store_true")
    asked = parser.parse_args()
    found = list(fates(asked.claims, asked.prompts))
    for kind, of in sorted(Counter(kind for kind, _ in found).items()):
        kept = sum(fate.statement is not None for one, fate in found if one == kind)
        print(f"{kind}: {of}, kept {kept} ({kept / of:.1%}), refused {of - kept} ({1 - kept / of:.1%})")
    for kind, fate in found if asked.each else ():
        if (fate.statement is None) == (kind == "true"):
            why = f"{fate.reason} ({fate.detail})" if fate.reason else "kept"
            print(f"{kind}: {why}: {fate.draft.text.get('en', '')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

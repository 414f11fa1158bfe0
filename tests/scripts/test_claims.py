"""Claims from a file, held in the frame as the sentences of an answer are."""

from __future__ import annotations

import json
from pathlib import Path

from scripts import claims

QUESTION = """[user]
Repository: acme/engine
0123456789ab begin
[M1] {pr:1} = #7
Free the blocks (#7)
[D1] {file:1} = engine/pool.py
@@ -1,2 +1,2 @@ def release(self):
-    keep(request)
+    free_blocks(request)
0123456789ab end
Answer with one JSON object.
"""


def claim(kind: str, name: str) -> str:
    spans = [{"at": "D1", "line": "+    free_blocks(request)"}]
    texts = {"zh": f"`release` 现在调用 `{name}`。", "en": f"`release` now calls `{name}`."}
    return json.dumps({"kind": kind, "prompt": "change.txt", "role": "what", **texts, "spans": spans})


def test_a_claim_is_held_against_the_question_that_its_line_names(tmp_path: Path) -> None:
    (tmp_path / "change.txt").write_text(QUESTION, encoding="utf-8")
    rows = "\n".join((claim("true", "free_blocks"), claim("wordy", "free_pages")))
    (tmp_path / "claims.jsonl").write_text(rows + "\n", encoding="utf-8")
    found = [(kind, fate.reason) for kind, fate in claims.fates(tmp_path / "claims.jsonl", tmp_path)]
    assert found == [("true", ""), ("wordy", "name_not_in_evidence")]


def test_of_several_changes_each_is_held_against_its_own() -> None:
    cases = claims.cases_of("[C1.M1] One\n[C1.D1] a.py\n+x\n[C2.M1] Two")
    assert {home: [piece.ref for piece in case.pieces] for home, case in cases.items()} == {
        "C1": ["M1", "D1"],
        "C2": ["M1"],
    }

"""Restored defaults: what is declared has no value any more, and whoever reads it gives the same one as before; and what goes with
all that it did.
"""

from __future__ import annotations

import re

from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.text_surface import quiet_file


def is_put_back(fact: Fact, whole: Whole) -> bool:
    """Nothing is declared any more, and where the variable is read a new line gives what was."""
    if fact.after != "None" or not fact.before or fact.before == "None":
        return False
    value = re.compile(rf"(?<![\w.\"'])[\"']?{re.escape(fact.before.strip(_QUOTES))}[\"']?(?![\w.\"'])")
    read = re.compile(rf"\b{re.escape(fact.symbol)}\b")
    for hunk in (hunk for file in whole.files if not quiet_file(file) for hunk in file.hunks):
        texts = [(x.sign, x.text) for x in hunk.lines if x.sign != "-" and not x.text.lstrip().startswith("#")]
        asked = any(read.search(text) and _ASKS.search(text) for _, text in texts)
        if asked and any(sign == "+" and value.search(text) for sign, text in texts):
            return True
    return False


def goes_with_function(fact: Fact, whole: Whole) -> bool:
    """A variable that did nothing but leave a function, which goes altogether: who set it loses nothing."""
    if fact.kind != "env_read_removed":
        return False
    leaves = re.compile(
        rf"(?m)^-\s*(?:async )?def .*\n(?:-.*\n){{0,6}}?-\s+if .*\b{re.escape(fact.symbol)}\b.*:\n-\s+return\s*(?:None\s*)?$"
    )
    return any(leaves.search(file.change.patch) for file in whole.files if file.path == fact.path)


_QUOTES = "\"'"
_ASKS = re.compile(r"\.get\(|\bgetenv\(|\benviron\b|\benvs\.")

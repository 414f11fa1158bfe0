"""Lines of upstream's own sources that a file of yours holds as text, to put others in their place:
`source.replace("self.run(x)", "self.run(y)")`. Where the line is gone, nothing is replaced, and nothing says so.
"""

from __future__ import annotations

import ast
import re

from daybreak.findings.languages.python_syntax import is_docstring
from daybreak.upgrade.downstream.python_values import Notes

_REPLACES = re.compile(r"\.replace\(|\bre\.subn?\(")
_TAKES = re.compile(r"\.__file__\b|\bgetsource(?:file|lines)?\(|[\"'](?:\w{1,60}/){1,8}\w{1,60}\.py[\"']")
"""How a file gets at upstream's sources."""
_PATH = re.compile(r"(?:\w{1,60}/){1,8}\w{1,60}\.py")
_CODE = re.compile(r"\w\(|\s=\s|[=!]=|\b(?:if|return|import|for|with|def|class|raise) |\w\.\w")
_LEAST, _MOST = 16, 300
"""Letters of a line that is hardly written twice by chance; lines of one file."""


def see_texts(found: Notes, tree: ast.Module, text: str) -> None:
    """Tell each line of code in a string, with the paths of sources that the file names."""
    if not (_REPLACES.search(text) and _TAKES.search(text)):
        return
    doc = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr) and is_docstring(one)}
    strings = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in doc
    ]
    paths = tuple(sorted({str(one.value) for one in strings if _PATH.fullmatch(str(one.value))}))
    told = 0
    for one in strings:
        for at, line in enumerate(str(one.value).split("\n")):
            plain = line.strip()
            if len(plain) >= _LEAST and _CODE.search(plain) and told < _MOST:
                told += 1
                number = min(one.lineno + at, one.end_lineno or one.lineno)
                found.add("text", plain, number, keywords=paths, guarded=False, when=())

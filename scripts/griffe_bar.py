"""Daybreak against `griffe check` on ten pairs of releases from PyPI; a long campaign, not part of the tests.

    python scripts/griffe_bar.py [--work FOLDER] [--rows] [PACKAGE …]

Downloads the wheels into FOLDER (kept for the next run) and griffe into a virtual environment of its own there, since
Daybreak does not depend on it. Nothing that is downloaded is run except griffe, and griffe reads without importing.
Each row of either side has a verdict in `griffe_bar.tsv` beside this file, given by reading the two sources; rows without one are listed.
docs/against-griffe.md is the report of a run.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

GRIFFE = "2.4.1"
PAIRS = (
    ("httpx", "0.27.0", "0.28.1"),
    ("starlette", "0.20.4", "0.36.3"),
    ("typer", "0.9.0", "0.12.5"),
    ("click", "8.1.3", "8.2.1"),
    ("attrs", "22.2.0", "24.2.0"),
    ("rich", "13.0.0", "13.9.4"),
    ("openai", "1.30.0", "1.60.0"),
    ("pydantic", "2.6.0", "2.10.0"),
    ("werkzeug", "2.3.8", "3.0.6"),
    ("aiohttp", "3.8.6", "3.10.0"),
)
OTHERS = (
    ("jinja2", "3.0.3", "3.1.4"),
    ("flask", "2.2.5", "3.0.3"),
    ("fastapi", "0.95.0", "0.115.0"),
    ("uvicorn", "0.23.0", "0.34.0"),
    ("huggingface-hub", "0.20.0", "0.30.0"),
    ("anyio", "3.7.1", "4.6.0"),
    ("urllib3", "1.26.18", "2.2.3"),
    ("marshmallow", "3.20.0", "4.0.0"),
    ("websockets", "11.0.3", "14.0"),
    ("tenacity", "8.2.0", "9.0.0"),
)
"""Looked at after the reader was written against the ten; what they showed was mended."""
FRESH = (
    ("structlog", "22.3.0", "24.4.0"),
    ("redis", "4.6.0", "5.2.0"),
    ("pytest", "7.4.4", "8.3.0"),
    ("langchain-core", "0.1.0", "0.2.0"),
    ("cattrs", "22.2.0", "24.1.0"),
)
"""Asked once, when the reader was finished."""
VERDICTS = Path(__file__).with_name("griffe_bar.tsv")

# griffe's own program, run by its own interpreter: both trees in, one JSON list of rows out
ASK = """
import json, sys
from griffe import GriffeLoader, find_breaking_changes

def load(folder, name, first):
    loader = GriffeLoader(search_paths=[folder], allow_inspection=False)
    for one in (*first, name):
        found = loader.load(one, try_relative_path=False)
    loader.resolve_aliases(implicit=False, external=None)
    return found

rows = []
old, new, *names = sys.argv[1:]
for at, name in enumerate(names):
    for b in find_breaking_changes(load(old, name, names[:at]), load(new, name, names[:at])):
        value = b.old_value if b.old_value is not None else b.new_value
        param = getattr(value, "name", "") if b.kind.name.startswith("PARAMETER") else ""
        try:
            paths = [b.obj.path, b.obj.canonical_path]
        except Exception:  # an alias that griffe cannot resolve
            paths = [b.obj.path, b.obj.path]
        rows.append([b.kind.name, paths, param, str(b.old_value)[:200], str(b.new_value)[:200]])
print(json.dumps(rows))
"""


class Row(NamedTuple):
    """One breakage as a tool tells it."""

    tool: str
    kind: str
    name: str
    """Dotted path of the object, and the parameter in brackets."""
    detail: str
    also: str = ""
    """Another dotted path of the same object."""
    breaking: bool = True


def main() -> int:
    parser = argparse.ArgumentParser(description="Daybreak against griffe check on pairs of releases from PyPI")
    parser.add_argument("packages", nargs="*", help="only these")
    parser.add_argument("--work", type=Path, default=Path("build/griffe-bar"), help="folder for downloads")
    parser.add_argument("--rows", action="store_true", help="print every row with its verdict")
    parser.add_argument("--pairs", choices=("ten", "others", "fresh"), default="ten", help="which pairs")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    python = griffe_python(given.work)
    verdicts = read_verdicts()
    total: Counter[str] = Counter()
    print(
        f"{'pair':28} {'griffe':>7} {'true':>5} {'false':>6} {'ours':>6} {'true':>5} {'false':>6} {'told':>5} {'missed':>7} {'open':>5}"
    )
    for package, old, new in {"ten": PAIRS, "others": OTHERS, "fresh": FRESH}[given.pairs]:
        if given.packages and package not in given.packages:
            continue
        trees = [unpacked(given.work, package, version) for version in (old, new)]
        theirs, ours = griffe_rows(python, *trees), daybreak_rows(*trees)
        count = judged(package, theirs, ours, verdicts, given.rows)
        total.update(count)
        print(line_of(f"{package} {old} → {new}", count))
    print(line_of("together", total))
    return 1 if total["missed"] or total["open"] or total["ours false"] >= total["griffe false"] > 0 else 0


def line_of(name: str, c: Counter[str]) -> str:
    ours = f"{c['ours']:>6} {c['ours true']:>5} {c['ours false']:>6}"
    return f"{name:28} {c['griffe']:>7} {c['griffe true']:>5} {c['griffe false']:>6} {ours} {c['told']:>5} {c['missed']:>7} {c['open']:>5}"


# --- getting the sources -------------------------------------------------------------------------------------------


def griffe_python(work: Path) -> Path:
    python = work / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(work / "venv")], check=True)
        subprocess.run([str(python), "-m", "pip", "-q", "install", f"griffe=={GRIFFE}"], check=True)
    return python


def unpacked(work: Path, package: str, version: str) -> Path:
    """The Python files of a wheel, in a folder of their own."""
    place = work / "trees" / f"{package}-{version}"
    if not place.exists():
        wheels = work / "wheels" / place.name
        asked = [f"{package}=={version}", "--no-deps", "--only-binary", ":all:", "-d", str(wheels)]
        subprocess.run([str(griffe_python(work)), "-m", "pip", "-q", "download", *asked], check=True)
        for wheel in sorted(wheels.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                names = [n for n in archive.namelist() if n.endswith((".py", ".pyi", "py.typed")) and ".." not in n]
                archive.extractall(place, names)
    return place


# --- asking both ---------------------------------------------------------------------------------------------------


def griffe_rows(python: Path, old: Path, new: Path) -> list[Row]:
    names = sorted(p.name for p in old.iterdir() if (p / "__init__.py").exists() and p.name[0] != "_")
    asked = [str(python), "-c", ASK, str(old), str(new), *names]
    done = subprocess.run(asked, check=True, capture_output=True, text=True)
    rows: dict[tuple[str, str], Row] = {}
    for kind, paths, param, before, after in json.loads(done.stdout):
        name = f"{paths[0]}({param})" if param else paths[0]
        # `attrs` and `attr` are one package under two names, so the same object comes twice
        rows.setdefault((kind, paths[1] + param), Row("griffe", kind, name, f"{before} -> {after}", paths[1]))
    return list(rows.values())


def daybreak_rows(old: Path, new: Path) -> list[Row]:
    from daybreak.findings.languages.python_library import library_facts

    out = []
    for fact in library_facts(texts(old), texts(new)):
        module = re.sub(r"(?:/__init__)?\.pyi?$", "", fact.path).replace("/", ".")
        full = fact.kind.startswith(("module_", "export_"))
        name = fact.symbol if full else f"{module}.{fact.symbol}"
        if (
            fact.kind.endswith(("_moved", "_renamed"))
            and fact.before
            and fact.before.startswith(module.split(".")[0] + ".")
        ):
            name = fact.before  # where it stood
        out.append(Row("daybreak", fact.kind, name, f"{fact.before} -> {fact.after}", "", fact.breaking))
    return out


def texts(root: Path) -> dict[str, str]:
    files = (p for p in sorted(root.rglob("*")) if p.suffix in (".py", ".pyi") and p.is_file())
    return {p.relative_to(root).as_posix(): p.read_text("utf-8", "replace") for p in files}


# --- joining -------------------------------------------------------------------------------------------------------

FAMILIES = {
    "PARAMETER_MOVED": r"parameter_moved",
    "PARAMETER_REMOVED": r"parameter_(?:removed|renamed|kind_changed)",
    "PARAMETER_CHANGED_KIND": r"parameter_kind_changed",
    "PARAMETER_CHANGED_DEFAULT": r"parameter_default_changed",
    "PARAMETER_CHANGED_REQUIRED": r"parameter_required_added",
    "PARAMETER_ADDED_REQUIRED": r"parameter_(?:required_added|renamed)",
    "RETURN_CHANGED_TYPE": r"return_changed",
    "CLASS_REMOVED_BASE": r"base_removed",
    "OBJECT_CHANGED_KIND": r"(?:function|class|attribute|module|base)_(?:removed|renamed|moved)|(?:decorator|attribute)_changed",
    "OBJECT_REMOVED": r"(?:function|class|attribute|field|enum_member|module|export)_(?:removed|renamed|moved)",
}


def matches(theirs: Row, ours: Row) -> bool:
    """Both tell the same of the same object; a class that went tells its members, a function its order once."""
    if not re.fullmatch(FAMILIES[theirs.kind], ours.kind):
        return False
    name, _, param = theirs.name.rstrip(")").partition("(")
    own, _, ours_param = ours.name.rstrip(")").partition("(")
    if theirs.kind == "PARAMETER_MOVED":
        return own in (name, theirs.also)
    if theirs.kind.startswith("PARAMETER"):
        named = param in (ours_param.lstrip("*"), ours.detail.partition(" -> ")[2])
        return own in (name, theirs.also) and named
    place, _, last = name.rpartition(".")
    if theirs.detail.startswith("Alias(") and own.startswith(place + ".") and own.endswith("." + last):
        return True  # a package handed it on: told where it was defined
    covers = ours.kind.startswith(("class_", "module_"))
    return any(n == own or (covers and n.startswith(own + ".")) for n in (name, theirs.also) if n)


def read_verdicts() -> list[tuple[str, str, str, bool, str]]:
    """Package, kind, name (both as patterns), true or false, why."""
    if not VERDICTS.exists():
        return []
    rows = (line.split("\t") for line in VERDICTS.read_text("utf-8").splitlines() if line and line[0] != "#")
    return [(package, kind, name, verdict == "true", why) for package, kind, name, verdict, why in rows]


def verdict(package: str, row: Row, verdicts: list[tuple[str, str, str, bool, str]]) -> tuple[bool, str] | None:
    for whose, kind, name, true, why in verdicts:
        if whose in (package, "*") and fnmatchcase(row.kind, kind) and fnmatchcase(row.name, name):
            return true, why
    return None


def judged(
    package: str, theirs: list[Row], ours: list[Row], verdicts: list[tuple[str, str, str, bool, str]], show: bool
) -> Counter[str]:
    count: Counter[str] = Counter()
    for row, met in joined(theirs, ours):
        found = verdict(package, row, verdicts)
        tool = "griffe" if row.tool == "griffe" else "ours"
        count[tool] += 1
        word = "open" if found is None else "true" if found[0] else "false"
        count["open" if found is None else f"{tool} {word}"] += 1
        if tool == "griffe" and found and found[0] and met == "only":
            count["missed"] += 1
            word = "MISSED"
        count["told"] += bool(tool == "griffe" and found and found[0] and met == "told")
        if show or word in ("open", "MISSED"):
            print(f"  {word:6} {met} {tool:6} {row.kind:27} {row.name:60} {row.detail[:120]}")
    return count


def joined(theirs: list[Row], ours: list[Row]) -> Iterator[tuple[Row, str]]:
    """Each breakage of either side, and whether the other calls it one too (both), tells it (told) or does not (only)."""
    for row in theirs:
        met = [one.breaking for one in ours if matches(row, one)]
        yield row, "both" if any(met) else "told" if met else "only"
    for row in ours:
        if row.breaking:
            yield row, "both" if any(matches(one, row) for one in theirs) else "only"


if __name__ == "__main__":
    raise SystemExit(main())

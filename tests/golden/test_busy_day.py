"""A busy day of two made-up projects as golden files: more asks to be acted on than eight lines hold, so lines are lists."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from daybreak.cli import main
from gitrepo import GitRepo
from golden.kept_pages import hold, written

DAY = "2026-03-10"
WHOLE = (f"reports/{DAY}.md", f"reports/{DAY}.en.md")

ARGUMENTS = """import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--block-rows", type=int, default=16)
    parser.add_argument("--max-queue", type=int, default=256)
    parser.add_argument("--graph-mode", choices=["off", "piecewise", "full"], default="off")
    parser.add_argument("--eager-lanes", action="store_true")
    parser.add_argument("--swap-rows", type=int, default=4)
"""
SAMPLER = """import torch


def sample(logits, top_k=0):
    if top_k > 0:
        logits = logits.topk(top_k).values
    return torch.argmax(logits, dim=-1)
"""
QUEUE = """class Queue:
    def __init__(self, most: int = 256) -> None:
        self.most, self.waiting = most, []

    def put(self, request) -> None:
        self.waiting.append(request)

    def take(self):
        return self.waiting.pop(0)
"""
ATTENTION = """def pick_backend(capability, head_size):
    if capability >= 90 and head_size <= 128:
        return "wide"
    return "plain"


def run_rows(query, key, value, scale=1.0):
    return (query @ key) * scale @ value
"""
LOADER = """def load_weights(path, strict=True):
    found = open(path, "rb").read()
    if strict and not found:
        raise ValueError("the file is empty")
    return found
"""
ROUTES = """from fastapi import APIRouter

router = APIRouter()


@router.post("/v1/rank")
def rank(request):
    return {"scores": []}


@router.get("/v1/lanes")
def lanes():
    return []
"""
CONFIG = """class EngineConfig:
    def __init__(self, dtype="auto", prefill_rows=2048, swap=False):
        self.dtype, self.prefill_rows, self.swap = dtype, prefill_rows, swap
"""
NEEDS = '[project]\nname = "beacon"\nrequires-python = ">=3.10"\ndependencies = ["torch==2.9.0", "rowkit==0.4.1"]\n'
BEACON = {
    "beacon/arguments.py": ARGUMENTS,
    "beacon/sampler.py": SAMPLER,
    "beacon/queue.py": QUEUE,
    "beacon/attention.py": ATTENTION,
    "beacon/loader.py": LOADER,
    "beacon/entrypoints/routes.py": ROUTES,
    "beacon/config.py": CONFIG,
    "pyproject.toml": NEEDS,
    "README.md": "# beacon\n",
}
OPS = """def pack_rows(rows, width=8):
    return rows[:width]


def scan_rows(rows):
    total = 0
    for row in rows:
        total += row.weight
        row.total = total
    return total
"""
ROWKIT = {
    "rowkit/ops.py": OPS,
    "rowkit/kernels/scan.cu": "__global__ void scan(float* out, int n) {\n  int i = threadIdx.x;\n  out[i] = i < n ? out[i] : 0.f;\n}\n",
    "pyproject.toml": '[project]\nname = "rowkit"\ndependencies = ["torch>=2.8"]\n',
}


def put(repo: GitRepo, number: int, title: str, path: str, text: str, before: str, after: str) -> str:
    """A commit of the day that writes something else in one place; the file as it is then."""
    assert text.count(before) == 1, (title, before)
    changed = text.replace(before, after)
    repo.commit(f"{title} (#{number})", {path: changed}, at=f"{DAY}T{6 + number % 15:02}:{number % 60:02}:00")
    return changed


def beacon(folder: Path) -> GitRepo:
    repo = GitRepo.make(folder / "beacon.git")
    first = repo.commit("Begin", BEACON, at="2026-02-20T09:00:00")
    repo.tag("v0.8.0", first, at="2026-02-21T09:00:00")
    flags = "beacon/arguments.py"
    text = put(
        repo,
        301,
        "Remove --eager-lanes",
        flags,
        ARGUMENTS,
        '    parser.add_argument("--eager-lanes", action="store_true")\n',
        "",
    )
    text = put(
        repo,
        302,
        "Use larger blocks",
        flags,
        text,
        '"--block-rows", type=int, default=16',
        '"--block-rows", type=int, default=64',
    )
    text = put(repo, 303, "Turn graphs on", flags, text, 'default="off"', 'default="piecewise"')
    put(
        repo,
        304,
        "Bound the queue",
        flags,
        text,
        '"--max-queue", type=int, default=256',
        '"--max-queue", type=int, default=64',
    )
    put(
        repo,
        305,
        "[Bugfix] Fix wrong results of top-k sampling",
        "beacon/sampler.py",
        SAMPLER,
        "logits = logits.topk(top_k).values",
        "logits = logits.masked_fill(logits < logits.topk(top_k).values[-1], float('-inf'))",
    )
    put(
        repo,
        306,
        "[Bugfix] Fix a deadlock when the queue is full",
        "beacon/queue.py",
        QUEUE,
        "        self.waiting.append(request)\n",
        "        if len(self.waiting) < self.most:\n            self.waiting.append(request)\n",
    )
    put(
        repo,
        307,
        "[Bugfix] Fix crash on an empty checkpoint shard",
        "beacon/loader.py",
        LOADER,
        'found = open(path, "rb").read()',
        'found = open(path, "rb").read() or b"{}"',
    )
    text = put(
        repo,
        308,
        "[Bugfix] Fix NaN logits with long prompts on Hopper",
        "beacon/attention.py",
        ATTENTION,
        "capability >= 90 and head_size <= 128",
        "capability >= 100 and head_size <= 128",
    )
    put(repo, 309, "Require a scale in run_rows", "beacon/attention.py", text, "value, scale=1.0", "value, scale")
    put(
        repo,
        310,
        "Drop the lanes endpoint",
        "beacon/entrypoints/routes.py",
        ROUTES,
        '\n\n@router.get("/v1/lanes")\ndef lanes():\n    return []\n',
        "",
    )
    put(repo, 311, "Swap by default", "beacon/config.py", CONFIG, "swap=False", "swap=True")
    text = put(repo, 312, "Bump torch", "pyproject.toml", NEEDS, "torch==2.9.0", "torch==2.11.0")
    put(repo, 313, "Need Python 3.11", "pyproject.toml", text, ">=3.10", ">=3.11")
    repo.commit("[Docs] Say what a beacon is (#314)", {"README.md": "# beacon\n\nA light.\n"}, at=f"{DAY}T22:00:00")
    return repo


def rowkit(folder: Path) -> GitRepo:
    repo = GitRepo.make(folder / "rowkit.git")
    repo.commit("Begin", ROWKIT, at="2026-02-20T09:00:00")
    text = put(
        repo, 71, "Rename scan_rows to sum_rows", "rowkit/ops.py", OPS, "def scan_rows(rows)", "def sum_rows(rows)"
    )
    put(repo, 72, "Pack sixteen rows", "rowkit/ops.py", text, "width=8", "width=16")
    put(
        repo,
        73,
        "[fix] Illegal memory access in scan for ragged rows",
        "rowkit/kernels/scan.cu",
        ROWKIT["rowkit/kernels/scan.cu"],
        "out[i] = i < n ? out[i] : 0.f;",
        "if (i < n) out[i] += 0.f;",
    )
    return repo


pytestmark = pytest.mark.quick  # seconds, and most of the daily path


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("busy")
    repos = {"acme/beacon": beacon(folder), "acme/rowkit": rowkit(folder)}
    watched = "".join(f'[[repo]]\nname = "{name}"\ngit = "{repo.path}"\n' for name, repo in repos.items())
    (folder / "daybreak.toml").write_text(f'timezone = "UTC"\n{watched}', encoding="utf-8")
    assert main(["run", "--date", DAY, "--config", str(folder / "daybreak.toml"), "--quiet"]) == 0
    return folder


def test_the_day_is_the_same_bytes_on_every_machine(busy: Path) -> None:
    hold(written(busy), WHOLE, "busy")


def test_at_most_eight_changes_are_to_act_on_and_each_is_shown(busy: Path) -> None:
    day = json.loads((busy / "reports" / f"{DAY}.json").read_text(encoding="utf-8"))
    assert 0 < len(day["actions"]) <= 8
    assert all(one["tag"] and len(one["commits"]) == 1 for one in day["actions"])
    assert max(Counter(one["repo"] for one in day["actions"]).values()) <= 6
    assert 0 < len(day["also"]) <= 10


def test_the_first_screen_is_one_screen(busy: Path) -> None:
    page = (busy / "reports" / f"{DAY}.en.md").read_text(encoding="utf-8")
    lines = page.partition("## Act on\n")[2].partition("\n**Also**")[0]
    visible = re.sub(r"\]\([^)]*\)", "]", lines)
    assert len(visible.split()) <= 400


@pytest.mark.parametrize("ending", [".md", ".en.md"])
def test_every_commit_of_the_day_is_listed_once_with_its_sentence_or_its_title(busy: Path, ending: str) -> None:
    day = json.loads((busy / "reports" / f"{DAY}.json").read_text(encoding="utf-8"))
    page = (busy / "reports" / f"{DAY}{ending}").read_text(encoding="utf-8")
    above = [*day["actions"], *day["also"], *(one for area in day["worth"] for one in area["changes"])]
    named = Counter(sha for one in above for sha in one["commits"])
    rows = [line.strip("| ").split(" | ") for line in page.split("\n") if re.match(r"\| \S{0,3} ?\[[#`]", line)]
    for commit in (one for repo in day["repos"] for one in repo["commits"]):
        own = [cells for cells in rows if commit["sha"] in cells[0]]
        assert named[commit["sha"]] + len(own) == 1, commit["subject"]
        assert all(len(cells) == 3 for cells in own), own
        assert all(len(re.sub(r"\]\([^)]*\)", "]", cells[2]).split()) <= 20 for cells in own if len(cells) == 3), own
    assert sum(len(area["changes"]) for area in day["worth"]) <= 30


def test_summary_and_conclusion_are_few_sentences_without_counts_and_titles_as_code(busy: Path) -> None:
    day = json.loads((busy / "reports" / f"{DAY}.json").read_text(encoding="utf-8"))
    for part in (day["summary"], day["conclusion"], *(repo["assessment"] for repo in day["repos"])):
        assert 1 <= len(part) <= 4
        for said in (one["text"] for one in part):
            assert len(re.sub("“[^”]*”", "", said["en"]).split()) <= 30, "beside the titles that it names"
            assert not re.search(r"\d+ (?:commits?|changes?)|\d+ 个", said["en"] + said["zh"])
    assert day["headline"]["en"].startswith(tuple(one["tag"].upper() for one in day["actions"][:1]))
    assert len(day["headline"]["en"]) <= 160

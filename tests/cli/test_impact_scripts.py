"""`impact` on what starts a script of upstream by its path: from a shell, an image, a manifest."""

from __future__ import annotations

import json

import pytest

from cli.place import Place

NOW = {"DAYBREAK_NOW": "2026-01-20T08:00:00+00:00"}
MAIN = 'if __name__ == "__main__":\n    print(parse_args())\n'
TRAIN = f"from pkg.arguments import parse_args\n\n{MAIN}"
JOB = """kind: Job
spec:
  template:
    spec:
      containers:
      - name: a
        image: acme/x:1
        command: ["python3", "train.py"]
        args: ["--kv", "3"]
"""


def parser(*names: str) -> str:
    added = "".join(f'    parser.add_argument("{name}", default=1)\n' for name in names)
    made = "    parser = argparse.ArgumentParser()\n"
    return f"import argparse\n\n\ndef parse_args():\n{made}{added}    return parser.parse_args()\n"


@pytest.fixture
def trained(place: Place) -> Place:
    """A release that lacks an option of one script, and one of another."""
    up, tool = place.upstream, "tools/convert.py"
    first = {"train.py": TRAIN, "pkg/arguments.py": parser("--kv", "--size"), "pkg/__init__.py": ""}
    up.tag("v1.0.0", up.commit("Base (#3)", {**first, tool: parser("--fast", "--to") + MAIN}, at="2026-01-19T11:00:00"))
    after = {"pkg/arguments.py": parser("--size"), tool: parser("--to") + MAIN}
    up.tag("v1.1.0", up.commit("Drop them (#4)", after, at="2026-01-19T12:00:00"))
    (place.folder / "svc").mkdir()
    return place


def hits(place: Place, files: dict[str, str]) -> list[tuple[str, str, str]]:
    for name, text in files.items():
        (place.folder / "svc" / name).write_text(text, "utf-8")
    answer = place.run("impact", "svc", "--range", "acme/engine", "v1.0.0..v1.1.0", "--json", **NOW)
    assert answer.returncode in (0, 3), answer.stderr
    return sorted(
        (hit["use"]["path"], hit["use"]["name"], hit["certainty"]) for hit in json.loads(answer.stdout)["hits"]
    )


def test_an_option_of_a_script_that_is_gone_is_told_wherever_it_is_started(trained: Place) -> None:
    shell = "ray job submit -- python3 train.py \\\n  --size 2 \\\n  --kv 3\n"
    image = 'FROM acme/x:1\nCMD ["python", "/root/engine/train.py", "--kv", "3"]\n'
    found = hits(trained, {"run.sh": shell, "Dockerfile": image, "job.yaml": JOB})
    assert [(path.rpartition("/")[2], name) for path, name, _ in found] == [
        ("Dockerfile", "--kv"),
        ("job.yaml", "--kv"),
        ("run.sh", "--kv"),
    ]


def test_options_of_another_script_are_not_meant(trained: Place) -> None:
    assert hits(trained, {"run.sh": "python3 train.py --fast\npython3 tools/convert.py --kv 3\n"}) == []


def test_a_script_of_your_own_is_yours(trained: Place) -> None:
    assert hits(trained, {"run.sh": "python3 train.py --kv 3\n", "train.py": "print()\n"}) == []


def test_a_script_of_another_project_with_the_same_file_name_is_never_certain(trained: Place) -> None:
    image = (
        'FROM a/b:1\nRUN git clone https://github.com/other/project /o\nCMD ["python", "/o/train.py", "--kv", "3"]\n'
    )
    shell = "git clone https://github.com/other/project && cd project\npython3 train.py --kv 3\n"
    found = hits(trained, {"Dockerfile": image, "run.sh": shell})
    assert {certainty for _, _, certainty in found} <= {"look"}

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
    found = json.loads(asked(place, "--json"))["hits"]
    return sorted((hit["use"]["path"], hit["use"]["name"], hit["certainty"]) for hit in found)


def asked(place: Place, *options: str) -> str:
    answer = place.run("impact", "svc", "--range", "acme/engine", "v1.0.0..v1.1.0", *options, **NOW)
    assert answer.returncode in (0, 3), answer.stderr
    return answer.stdout


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


@pytest.fixture
def tidied(place: Place) -> Place:
    """A release from which one script is gone, and in which another stands elsewhere."""
    up = place.upstream
    first = {
        "bench/serving.py": parser("--rate") + MAIN,
        "bench/sweep.py": parser("--grid") + MAIN,
        "examples/serving.py": MAIN,
        "top.py": MAIN,
    }
    up.tag("v1.0.0", up.commit("Base (#3)", first, at="2026-01-19T11:00:00"))
    after = {
        "top.py": None,
        "bench/serving.py": None,
        "bench/sweep.py": None,
        "tools/sweep.py": parser("--grid", "--all") + MAIN,
    }
    up.tag("v1.1.0", up.commit("Tidy (#4)", after, at="2026-01-19T12:00:00"))
    (place.folder / "svc").mkdir()
    return place


def test_a_script_that_is_gone_is_told_where_it_is_started_with_and_without_options(tidied: Place) -> None:
    shell = "python3 /w/engine/bench/serving.py --rate 2\n"
    image = 'FROM acme/x:1\nRUN python serving.py\nCMD ["python", "top.py"]\n'
    assert hits(tidied, {"run.sh": shell, "Dockerfile": image}) == [
        ("svc/Dockerfile", "top.py", "look"),
        ("svc/run.sh", "/w/engine/bench/serving.py", "likely"),
    ]
    assert "The script `bench/serving.py` is no longer there." in " ".join(asked(tidied, "--lang", "en").split())


def test_a_script_that_stands_elsewhere_is_told_with_its_new_path(tidied: Place) -> None:
    assert hits(tidied, {"run.sh": "python3 bench/sweep.py --grid 2\npython3 tools/sweep.py --grid 2\n"}) == [
        ("svc/run.sh", "bench/sweep.py", "likely")
    ]
    assert "Use `tools/sweep.py` instead." in asked(tidied, "--lang", "en")

"""Upgrades that pins of one's own repository made since a commit."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from daybreak.cli.parser import build_parser
from daybreak.core.errors import UsageError
from daybreak.core.git_program import Git
from daybreak.core.projects import wanted_for
from daybreak.runs.bumps import bumps, pinned, unwatched
from gitrepo import GitRepo

WATCHED = wanted_for(["vllm-project/vllm"])


def test_a_version_and_its_tag_are_one_upgrade_and_another_spelling_is_none(repo: GitRepo, tmp_path: Path) -> None:
    def files(number: str, spelt: str) -> dict[str, str]:
        return {
            "requirements.txt": f"vllm=={number}\n",
            "Dockerfile": f"FROM vllm/vllm-openai:v{number}\n",
            "other/requirements.txt": f"vllm=={spelt}\n",
        }

    first = repo.commit("Pin", files("0.24.0", "0.20.0"))
    repo.commit("Raise", files("0.25.0", "v0.20.0"))
    subprocess.run(["git", "clone", "-q", repo.path, tmp_path / "clone"], check=True)
    (one,) = bumps(Git(dict(os.environ)), tmp_path / "clone", first, WATCHED)
    assert (one.before.lstrip("v"), one.after.lstrip("v")) == ("0.24.0", "0.25.0")
    assert one.place == "Dockerfile:1, requirements.txt:1"


def test_pins_that_moved_and_are_not_watched_are_named(repo: GitRepo, tmp_path: Path) -> None:
    first = repo.commit("Pin", {"requirements.txt": "vllm==0.24.0\ntrl==0.28.0\nnumpy==2.0\n"})
    repo.commit("Raise", {"requirements.txt": "vllm==0.25.0\ntrl==0.29.0\nnumpy==2.0\n"})
    subprocess.run(["git", "clone", "-q", repo.path, tmp_path / "clone"], check=True)
    (one,) = unwatched(Git(dict(os.environ)), tmp_path / "clone", first, WATCHED)
    assert one.told == "requirements.txt:2: trl 0.28.0 → 0.29.0"


def test_go_modules_and_images_that_are_called_like_a_watched_project_are_pins_and_others_are_named(
    repo: GitRepo, tmp_path: Path
) -> None:
    def files(number: int) -> dict[str, str]:
        return {
            "go.mod": f"module a\n\nrequire (\n\tgithub.com/acme/meter v0.{number}.0\n\tgithub.com/acme/else v1.{number}.0\n\tgithub.com/acme/meter/api v0.1.{number}\n)\n",
            "compose.yml": f"services:\n  meter:\n    image: host:5000/docs/meter:v3.{number}.1\n  db:\n    image: db:{number}.0\n",
        }

    first = repo.commit("Pin", files(12))
    repo.commit("Raise", files(13))
    subprocess.run(["git", "clone", "-q", repo.path, tmp_path / "clone"], check=True)
    asked = Git(dict(os.environ)), tmp_path / "clone", first, wanted_for(["acme/meter"])
    assert [one.told for one in bumps(*asked)] == [
        "compose.yml:3: meter v3.12.1 → v3.13.1",
        "go.mod:4: meter v0.12.0 → v0.13.0",
    ]
    assert [one.told for one in unwatched(*asked)] == [
        "compose.yml:5: db 12.0 → 13.0",
        "go.mod:5: github.com/acme/else v1.12.0 → v1.13.0",
    ]


def test_an_image_with_its_registry_is_the_watched_one_and_versions_stand_behind_few_files(
    repo: GitRepo, tmp_path: Path
) -> None:
    def files(version: str) -> dict[str, str]:
        return {f"requirements-{number}.txt": f"vllm=={version}\n" for number in range(9)} | {
            "Dockerfile": f"FROM docker.io/vllm/vllm-openai:v{version}\n"
        }

    first = repo.commit("Pin", files("0.24.0"))
    repo.commit("Raise", files("0.25.0"))
    subprocess.run(["git", "clone", "-q", repo.path, tmp_path / "clone"], check=True)
    asked = Git(dict(os.environ)), tmp_path / "clone", first, WATCHED
    assert unwatched(*asked) == ()
    (one,) = bumps(*asked)
    assert one.told.endswith("requirements-4.txt:1 (+4): vllm 0.24.0 → 0.25.0")


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("k/kustomization.yaml", "images:\n- name: vllm/vllm-openai\n  newTag: vVER\n", 3),
        ("k/kustomization.yaml", "images:\n- name: engine\n  newName: vllm/vllm-openai\n  newTag: vVER\n", 4),
        ("main.tf", 'resource "x" "y" {\n  image = "docker.io/vllm/vllm-openai:vVER"\n}\n', 2),
        (".env", "VLLM_IMAGE=vllm/vllm-openai:vVER\n", 1),
        ("deploy/prod.env", 'VLLM_IMAGE="vllm/vllm-openai:vVER"\n', 1),
        ("app.py", 'IMAGE = "vllm/vllm-openai:vVER"\n', 1),
        ("app.py", '# IMAGE = "vllm/vllm-openai:vVER"\n', 0),
        ("main.tf", 'image = "acme/engine:vVER"\n', 0),
    ],
)
def test_an_image_is_a_pin_wherever_it_is_the_value_of_a_name(
    repo: GitRepo, tmp_path: Path, path: str, text: str, line: int
) -> None:
    first = repo.commit("Pin", {path: text.replace("VER", "0.24.0")})
    repo.commit("Raise", {path: text.replace("VER", "0.25.0")})
    subprocess.run(["git", "clone", "-q", repo.path, tmp_path / "clone"], check=True)
    told = [one.told for one in bumps(Git(dict(os.environ)), tmp_path / "clone", first, WATCHED)]
    assert told == ([f"{path}:{line}: vllm 0.24.0 → 0.25.0"] if line else [])


def test_a_branch_of_a_remote_that_is_not_there_is_told_with_how_to_fetch_it(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit("First", {"a.txt": "1\n"})
    subprocess.run(["git", "clone", "-q", repo.path, tmp_path / "clone"], check=True)
    with pytest.raises(UsageError) as refused:
        bumps(Git(dict(os.environ)), tmp_path / "clone", "origin/nowhere", WATCHED)
    assert "`git fetch origin nowhere`" in refused.value.tip
    assert "--bumps nowhere" in refused.value.tip


def test_a_folder_outside_of_git_is_told_in_our_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        bumps(Git(dict(os.environ)), tmp_path, "main", WATCHED)
    assert refused.value.message == f"{tmp_path} is not in a git repository, so it cannot be compared with main."


def test_a_misspelt_choice_is_told_with_the_one_that_is_meant() -> None:
    with pytest.raises(UsageError) as refused:
        build_parser().parse_args(["impact", ".", "--format", "jsn"])
    assert refused.value.tip == "Did you mean 'json'?"
    with pytest.raises(UsageError) as refused:
        build_parser().parse_args(["impact", ".", "--format", "qqq"])
    assert refused.value.tip == "Use one of text, markdown, json, sarif, github."


def test_a_bound_keeps_its_sign_and_a_pin_has_none(repo: GitRepo, tmp_path: Path) -> None:
    text = "vllm>=0.14.1\nsglang==0.5.8\n"
    commit = repo.commit("Pins", {"requirements.txt": text})
    folder = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", repo.path, folder], check=True)
    (folder / "requirements.txt").write_text(text.replace("0.14.1", "0.15.0").replace("0.5.8", "0.5.9"), "utf-8")
    wanted = wanted_for(["vllm-project/vllm", "sgl-project/sglang"])
    assert [one.told for one in bumps(Git(dict(os.environ)), folder, commit, wanted)] == [
        "requirements.txt:1: vllm >=0.14.1 → >=0.15.0",
        "requirements.txt:2: sglang 0.5.8 → 0.5.9",
    ]
    assert sorted(one.told for one in pinned(folder, wanted, "latest")) == [
        "requirements.txt:1: vllm >=0.15.0 → latest",
        "requirements.txt:2: sglang 0.5.9 → latest",
    ]

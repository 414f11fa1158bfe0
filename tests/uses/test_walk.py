from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daybreak.core.errors import UsageError
from daybreak.core.model.changes import Skipped
from daybreak.core.model.upgrade import Use, Uses
from daybreak.upgrade.downstream.python_project import Project
from daybreak.upgrade.downstream.readers import READERS, kind_of, reader_of
from daybreak.upgrade.downstream.walk import NOISE, read_uses
from uses.reading import WANTED


def make(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def places(uses: Uses) -> list[str]:
    return [f"{use.path}:{use.line} {use.kind} {use.name}" for use in uses.uses]


SERVE = "vllm serve m --a\n"


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    make(tmp_path, {"b/run.sh": SERVE, "a.sh": SERVE, "b.yaml": "env:\n  VLLM_A: 1\n", "app.py": "import vllm\n"})
    uses = read_uses(tmp_path, WANTED)
    assert places(uses) == [
        "a.sh:1 cli_flag --a",
        "app.py:1 import vllm",
        "b.yaml:2 env VLLM_A",
        "b/run.sh:1 cli_flag --a",
    ]
    assert (uses.files, uses.lines, uses.skipped) == (4, 5, ())
    assert read_uses(tmp_path, WANTED) == uses


def test_one_file_is_read_by_its_name(tmp_path: Path) -> None:
    make(tmp_path, {"run.sh": SERVE})
    assert places(read_uses(tmp_path / "run.sh", WANTED)) == ["run.sh:1 cli_flag --a"]


@pytest.mark.parametrize("folder", sorted(NOISE))
def test_noise_is_not_entered(tmp_path: Path, folder: str) -> None:
    make(tmp_path, {f"{folder}/run.sh": SERVE, "x.sh": SERVE})
    assert places(read_uses(tmp_path, WANTED)) == ["x.sh:1 cli_flag --a"]


def test_a_virtual_environment_of_any_name_is_not_entered(tmp_path: Path) -> None:
    make(tmp_path, {"py312/pyvenv.cfg": "", "py312/run.sh": SERVE, "x.sh": "ls\n"})
    assert places(read_uses(tmp_path, WANTED)) == []


def test_a_copy_of_the_package_itself_is_named_and_not_read(tmp_path: Path) -> None:
    make(
        tmp_path,
        {"third/vllm/__init__.py": "", "third/vllm/version.py": "", "third/vllm/run.sh": SERVE, "x.sh": "ls\n"},
    )
    uses = read_uses(tmp_path, WANTED)
    assert places(uses) == []
    assert uses.skipped == (Skipped("third/vllm", "a copy of vllm itself, not your use of it"),)


def test_a_folder_of_ours_with_the_packages_name_is_read(tmp_path: Path) -> None:
    make(tmp_path, {"integrations/vllm/__init__.py": "import vllm\n"})
    assert places(read_uses(tmp_path, WANTED)) == ["integrations/vllm/__init__.py:1 import vllm"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", {"run.sh": SERVE})
    inside = make(tmp_path / "inside", {"x.sh": "ls\n"})
    (inside / "folder").symlink_to(outside)
    (inside / "file.sh").symlink_to(outside / "run.sh")
    (inside / "loop").symlink_to(inside)
    uses = read_uses(inside, WANTED)
    assert (places(uses), uses.files) == ([], 1)


def test_what_cannot_be_understood_is_named_and_the_rest_read(tmp_path: Path) -> None:
    make(
        tmp_path,
        {"a.json": '{"vllm": [', "b.toml": "x = [", "c.sh": SERVE, "d.bin": b"\0\1", "e.sh": b"\0vllm serve --b"},
    )
    uses = read_uses(tmp_path, WANTED)
    assert places(uses) == ["c.sh:1 cli_flag --a"]
    assert [one.what for one in uses.skipped] == ["a.json", "b.toml"]
    assert all(one.reason.startswith("not ") for one in uses.skipped)


def test_bytes_that_are_no_text_do_not_hide_the_rest_of_the_file(tmp_path: Path) -> None:
    make(tmp_path, {"a.sh": b"echo \xff\xfe\n" + SERVE.encode()})
    assert places(read_uses(tmp_path, WANTED)) == ["a.sh:2 cli_flag --a"]


def test_a_huge_file_is_named_and_not_read(tmp_path: Path) -> None:
    make(tmp_path, {"a.sh": SERVE})
    for name in ("huge.py", "huge.bin", "huge"):
        with (tmp_path / name).open("wb") as file:
            file.write(b"# text\n")
            file.seek(1_000_000_000)
            file.write(b"x")
    uses = read_uses(tmp_path, WANTED)
    assert places(uses) == ["a.sh:1 cli_flag --a"]
    assert [(one.what, one.reason) for one in uses.skipped] == [("huge.py", "1000 MB: more than 5 MB are not read")]


def test_what_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"a.sh": SERVE, "closed.sh": SERVE, "shut/x.sh": SERVE})
    # Who runs the tests may be root, who may read everything: so the system's answer is given by hand.
    scan, read = os.scandir, Path.open

    def scandir(path: Path) -> Any:
        if path.name == "shut":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    def opened(path: Path, *mode: Any, **more: Any) -> Any:
        if path.name == "closed.sh":
            raise PermissionError(13, "Permission denied")
        return read(path, *mode, **more)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(Path, "open", opened)
    uses = read_uses(tmp_path, WANTED)
    assert places(uses) == ["a.sh:1 cli_flag --a"]
    assert uses.skipped == (
        Skipped("closed.sh", "no permission to read it"),
        Skipped("shut", "no permission to read it"),
    )


def test_a_fault_of_a_reader_costs_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise IndexError

    make(tmp_path, {"a.sh": SERVE, "b.cu": "cute::x\n"})
    monkeypatch.setattr("daybreak.upgrade.downstream.sources.cpp_file", broken)
    uses = read_uses(tmp_path, WANTED)
    assert places(uses) == ["a.sh:1 cli_flag --a"]
    assert uses.skipped == (Skipped("b.cu", "could not be read (IndexError)"),)


def test_of_too_much_the_largest_files_are_left_out_and_named(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            "a.yaml": "x: 1\n" * 1000 + "env:\n  VLLM_A: 1\n",
            "b.sh": SERVE,
            "c.py": "import vllm\n",
            "notes.md": "x" * 9000,
        },
    )
    uses = read_uses(tmp_path, WANTED, most=1000)
    assert places(uses) == ["b.sh:1 cli_flag --a", "c.py:1 import vllm"]
    assert [one.what for one in uses.skipped] == ["a.yaml"]
    assert "left out" in uses.skipped[0].reason
    assert read_uses(tmp_path, WANTED, most=1_000_000) == read_uses(tmp_path, WANTED)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    make(tmp_path, {"a.sh": SERVE})
    os.mkfifo(tmp_path / "pipe.sh")
    assert places(read_uses(tmp_path, WANTED)) == ["a.sh:1 cli_flag --a"]


@pytest.mark.parametrize(
    ("files", "path"), [({}, "absent"), ({"x.png": b"\0"}, "x.png"), ({"x.png": b"\0"}, "."), ({}, "."), ({"a.md": "# x"}, ".")]
)  # fmt: skip
def test_a_path_that_is_no_code_is_one_sentence_and_a_tip(
    tmp_path: Path, files: dict[str, str | bytes], path: str
) -> None:
    make(tmp_path, files)
    with pytest.raises(UsageError) as caught:
        read_uses(tmp_path / path, WANTED)
    assert caught.value.message.count(". ") == 0
    assert caught.value.tip


def test_settings_are_read_when_a_program_is_told_to(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            "run.sh": "vllm serve --config conf/one.yaml\n",
            "conf/one.yaml": "max-model-len: 1\n",
            "two.yaml": "max-model-len: 1\n",
        },
    )
    uses = read_uses(tmp_path, WANTED)
    assert places(uses) == ["conf/one.yaml:1 config_key max-model-len", "run.sh:1 cli_flag --config"]
    assert {use.program for use in uses.uses} == {"vllm serve"}


KINDS = {
    "a.py": "python", "a.ipynb": "notebook", "setup.py": "requirements:setup_script", "x/requirements-dev.txt": "requirements",
    "requirements/gpu.txt": "requirements", "dev-requirements.in": "requirements", "notes.txt": None, "README.md": None, "a.rst": None,
    "Dockerfile.cuda": "dockerfile", "a.yaml.j2": "yaml", "values.yml": "yaml", "a.yaml.tpl": "yaml", ".env.production": "env_files",
    "Makefile": "shell", "a.cuh": "cpp", "a.tsx": "clients", "uv.lock": "requirements:locked", "image.png": None, "Dockerfile.md": None, "Dockerfile.dockerignore": None, "package.lock": None,
}  # fmt: skip


@pytest.mark.parametrize("path", KINDS)
def test_a_file_gets_the_reader_of_its_name(path: str) -> None:
    assert kind_of(path) == KINDS[path]


def test_every_reader_that_is_named_exists() -> None:
    assert all(callable(reader_of(kind)) for _, kind in READERS)


def test_a_fault_while_files_are_read_together_costs_no_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"a.py": "from vllm import LLM\n", "b.sh": SERVE, "c.py": "from a import LLM\nimport vllm\n"})

    def failing(*_: object) -> Iterator[Use]:
        raise RecursionError

    monkeypatch.setattr(Project, "_together", failing)
    uses = read_uses(tmp_path, WANTED)
    assert places(uses) == ["a.py:1 import vllm.LLM", "b.sh:1 cli_flag --a", "c.py:2 import vllm"]
    assert uses.skipped == (Skipped("c.py", "could not be read together with your other files (RecursionError)"),)


def test_the_search_for_cycles_is_as_before_afterwards(tmp_path: Path) -> None:
    before = gc.get_threshold()
    read_uses(make(tmp_path, {"a.py": "import vllm\n"}), WANTED)
    assert gc.get_threshold() == before


HELPERS = """
def ask(engine, n):
    return engine.generate(n, prompt_token_ids=[1])

class Runner:
    def __init__(self, llm, *, size=None):
        self.llm = llm

    def go(self):
        self.llm.wake()
"""
CALLER = "from vllm import LLM\nfrom app import ask\nfrom app.helpers import Runner\nllm = LLM()\nask(llm, 3)\nRunner(llm=llm).go()\n"


def test_objects_handed_to_functions_of_other_files_are_followed_there(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "app/__init__.py": "from .helpers import ask\n",
        "app/helpers.py": HELPERS,
        "main.py": CALLER,
    }
    uses = read_uses(make(tmp_path, files), WANTED)
    assert [one for one in places(uses) if one.startswith("app/")] == [
        "app/helpers.py:3 call vllm.LLM.generate",
        "app/helpers.py:10 call vllm.LLM.wake",
    ]
    assert (uses.files, uses.skipped) == (3, ())


def test_a_parameter_that_gets_different_objects_is_none_of_them(tmp_path: Path) -> None:
    other = "from vllm import Other\nfrom app.helpers import ask\nask(Other(), 3)\n"
    files: dict[str, str | bytes] = {
        "app/__init__.py": "",
        "app/helpers.py": HELPERS,
        "a.py": CALLER.replace("from app ", "from app.helpers "),
    }
    files["b.py"] = other
    uses = read_uses(make(tmp_path, files), WANTED)
    assert [one for one in places(uses) if one.startswith("app/")] == ["app/helpers.py:10 call vllm.LLM.wake"]


def test_two_files_of_one_name_are_given_nothing(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "one/helpers.py": HELPERS,
        "two/helpers.py": HELPERS,
        "main.py": CALLER.replace("app.helpers", "helpers"),
    }
    assert not [one for one in places(read_uses(make(tmp_path, files), WANTED)) if not one.startswith("main.py")]

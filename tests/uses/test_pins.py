from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.core.projects import Unreadable, shown, wanted_for
from daybreak.upgrade.downstream.pins import requirement
from uses.reading import WANTED, read, short

REQUIREMENTS = {
    "vllm==0.14.1": ("vllm", "==0.14.1"),
    "vllm == 0.14.1 ; python_version > '3.9'": ("vllm", "==0.14.1"),
    "vllm[audio,video]>=0.14,<0.15": ("vllm", ">=0.14,<0.15"),
    "vllm (>=0.14)": ("vllm", ">=0.14"),
    "vllm": ("vllm", None),
    "VLLM~=0.14": ("vllm", "~=0.14"),
    "flashinfer_python==0.6": ("flashinfer-python", "==0.6"),
    "sgl-kernel==0.3": ("sgl-kernel", "==0.3"),
    "vllm @ git+https://github.com/vllm-project/vllm.git@v0.14.1": ("vllm", "@v0.14.1"),
    "git+https://github.com/vllm-project/vllm@main#egg=vllm": ("vllm", "@main"),
    "https://x/vllm-0.14.1-cp38-abi3-linux_x86_64.whl": ("vllm", "==0.14.1"),
    "vllm-router==1.0": None,
    "myvllm==1.0": None,
    "git+https://github.com/acme/other@v1": None,
    "see vllm==0.14.1": None,
}


@pytest.mark.parametrize("text", REQUIREMENTS)
def test_requirements(text: str) -> None:
    pin = requirement(text, WANTED)
    assert (None if pin is None else tuple(pin)) == REQUIREMENTS[text]


FILES = {
    "Chart.yaml": (
        ("name: ours\nversion: 0.3.0\ndependencies:\n- name: vllm\n  version: 0.14.1\n  repository: https://x.example\n- name: redis\n"
        "  version: 7.0.0\n  repository: https://x.example\n"),
        ["pin vllm===0.14.1@5"],
    ),
    "requirements.txt": (
        "# vllm==0.1\nvllm==0.14.1 \\\n    --hash=sha256:ab\n-r other.txt\n-e git+https://github.com/sgl-project/sglang@v0.5.6\nrequests\n",
        ["pin vllm===0.14.1@2", "pin sglang=@v0.5.6@5"],
    ),
    "requirements/cuda.txt": ("vllm==0.14.1\n", ["pin vllm===0.14.1@1"]),
    "constraints.txt": ("vllm<1\n", ["pin vllm=<1@1"]),
    "notes.txt": ("vllm==0.14.1\n", []),
    "pyproject.toml": (
        """[project]
name = "ours"
dependencies = ["vllm==0.14.1", "requests",
  "sglang>=0.5", # "flashinfer-python==1"
]
description = "vllm==9"
[project.optional-dependencies]
gpu = ["flashinfer-python>=0.6"]
[dependency-groups]
dev = [ "nvidia-cutlass-dsl" ]
[project.entry-points."vllm.general_plugins"]
ours = "ours:register"
[project.entry-points."other.plugins"]
x = "y"
""",
        ["pin vllm===0.14.1@3", "pin sglang=>=0.5@4", "pin flashinfer-python=>=0.6@8", "pin nvidia-cutlass-dsl@10",
         "attribute entry_point:vllm.general_plugins@11"],
    ),
    "poetry/pyproject.toml": (
        """[tool.poetry.dependencies]
vllm = "^0.14"
sglang = { version = "0.5.6", extras = ["all"] }
[tool.poetry.plugins."vllm.platform_plugins"]
a = "b:c"
[tool.poe.tasks]
serve = "vllm serve m --a"
""",
        ["pin vllm=^0.14@2", "pin sglang===0.5.6@3", "attribute entry_point:vllm.platform_plugins@4", "cli_flag --a@7"],
    ),
    "Pipfile": ('[packages]\nvllm = "==0.14.1"\nsglang = "*"\n', ["pin vllm===0.14.1@2", "pin sglang@3"]),
    "uv.lock": ('[[package]]\nname = "vllm"\nversion = "0.14.1"\nsource = {}\n[[package]]\nname = "x"\nversion = "1"\n', ["pin vllm===0.14.1@3"]),
    "Pipfile.lock": ('{"default": {"vllm": {"hashes": [],\n "version": "==0.14.1"}}}', ["pin vllm===0.14.1@2"]),
    "setup.cfg": (
        "[options]\ninstall_requires =\n    vllm==0.14.1\n    # sglang\n[options.entry_points]\nvllm.general_plugins =\n    a = b:c\n",
        ["pin vllm===0.14.1@3", "attribute entry_point:vllm.general_plugins@6"],
    ),
    "tox.ini": ("[testenv]\ndeps = vllm==0.14.1\nsetenv =\n    VLLM_A=1\ncommands =\n    vllm serve --a\n",
                ["pin vllm===0.14.1@2", "env VLLM_A=1@4", "cli_flag --a@6"]),
    "settings.toml": ("[engine]\nmax_model_len = 10\nblock_size = 16\n", ["config_key max_model_len=10@2", "config_key block_size=16@3"]),
    "other.toml": ("[tool]\nmax_model_len = 10\nvllm = '1'\n", []),
}  # fmt: skip


@pytest.mark.parametrize("path", FILES)
def test_files(path: str) -> None:
    text, expected = FILES[path]
    assert short(path, text) == expected


def test_setup_scripts_hold_pins_and_plug_in_groups() -> None:
    text = 'from setuptools import setup\nsetup(install_requires=["vllm==0.14.1",\n  "x"],\n entry_points={"vllm.general_plugins": ["a=b:c"]})\n'
    assert short("setup.py", text, "pin") == ["pin vllm===0.14.1@2"]
    assert "attribute entry_point:vllm.general_plugins@4" in short("setup.py", text, "attribute")


def test_toml_that_is_none_is_named() -> None:
    with pytest.raises(Unreadable, match="not TOML"):
        read("x.toml", "a = [1\nb")


def test_a_repository_nobody_wrote_down_is_known_by_its_name_and_project_file() -> None:
    named = wanted_for(["acme/py-fast.lib"])
    assert named.packages == {"fast_lib"}
    assert named.projects == {"fast-lib": "acme/py-fast.lib"}
    assert named.variables == {"FAST_LIB_"}
    told = wanted_for(
        ["acme/fast"],
        {"acme/fast": '[project]\nname = "Fast.Core"\n[project.scripts]\nrun-fast = "fastcore.cli:main"\n'},
    )
    assert told.packages == {"fastcore"}
    assert told.programs == {"run-fast"}
    assert told.projects == {"fast-core": "acme/fast"}
    assert wanted_for(["acme/fast"], {"acme/fast": "no = toml ["}).packages == {"fast"}


def test_a_default_repository_is_known_in_any_case() -> None:
    wanted = wanted_for(["VLLM-Project/vLLM"])
    assert wanted.projects["vllm"] == "VLLM-Project/vLLM"
    assert "vllm" in wanted.releases
    assert "sglang" not in wanted.packages


@given(st.text(max_size=200) | st.from_regex(r"vllm[\[\](){}=<>!~;@ #,.0-9a-z'\"-]{0,60}", fullmatch=True))
def test_any_text_is_read(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for name in ("requirements.txt", "setup.cfg", "uv.lock", "Pipfile", "x.toml.j2"):
        for use in read(name, text):
            assert use.text == shown(lines[use.line - 1])

"""`daybreak init` writes a config that fits, and says nothing untrue in it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from cli.place import DAY, Place, default_config, one_sentence_and_a_tip
from daybreak.cli.own_code import well_known
from daybreak.core.config import SCHEMA_FILE, Config, load, machine_zone
from daybreak.core.versions import normalised
from program import run

SERVICE = {
    "requirements.txt": "vllm==0.14.1\nlocal-thing==1.0\ngit+https://github.com/acme/tool@v1\n",
    "Dockerfile": 'FROM vllm/vllm-openai:v0.14.1\nENV TORCH_CUDA_ARCH_LIST="10.0a+PTX"\n',
    "app.py": "import flashinfer\nimport vllm\n",
    "go.mod": "require github.com/acme/router v1.2.0\nrequire github.com/acme/deep v1.0.0 // indirect\n",
    "k8s/deploy.yaml": "nodeSelector:\n  nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3\n",
    "node_modules/x/requirements.txt": "git+https://github.com/other/noise@v1\n",
}


def written(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "daybreak.toml").read_text(encoding="utf-8"))


def service(folder: Path) -> Path:
    for name, text in SERVICE.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def test_options_go_into_the_file_and_the_file_loads(tmp_path: Path) -> None:
    wish = ("--lang", "en", "--timezone", "Europe/Berlin", "--repo", "acme/engine", "--title", 'Our "news"')
    assert run("init", "new", *wish, cwd=tmp_path).returncode == 0
    settings = load(tmp_path / "new" / "daybreak.toml", {}, {})
    config = settings.config
    assert (config.timezone, config.languages, config.title) == ("Europe/Berlin", ("en",), 'Our "news"')
    assert [repo.name for repo in settings.repos()] == ["acme/engine"]


def test_an_address_is_taken_for_a_repository_wherever_it_lives(tmp_path: Path) -> None:
    addresses = ("https://github.com/acme/engine.git", "https://gitlab.example.com/team/group/tool")
    wish = [word for address in addresses for word in ("--repo", address)]
    assert run("init", ".", *wish, cwd=tmp_path).returncode == 0
    first, second = load(tmp_path / "daybreak.toml", {}, {}).repos()
    assert (first.name, first.git) == ("acme/engine", "https://github.com/acme/engine.git")
    assert (second.name, second.url) == ("group/tool", "https://gitlab.example.com/team/group/tool")


@pytest.mark.parametrize(("locale", "first"), [("zh_CN.UTF-8", "zh"), ("de_DE.UTF-8", "en"), ("", "en")])
def test_the_main_edition_is_that_of_the_locale(tmp_path: Path, locale: str, first: str) -> None:
    run("init", ".", cwd=tmp_path, env={"LC_ALL": locale, "LANG": "", "LC_MESSAGES": ""})
    assert written(tmp_path)["languages"][0] == first


def test_the_zone_is_the_machines(tmp_path: Path) -> None:
    run("init", ".", cwd=tmp_path, env={"TZ": "America/New_York"})
    assert written(tmp_path)["timezone"] == "America/New_York"
    zones = tmp_path / "zoneinfo" / "Asia"
    zones.mkdir(parents=True)
    (zones / "Tokyo").write_bytes(b"")
    (tmp_path / "localtime").symlink_to(zones / "Tokyo")
    assert machine_zone({}, tmp_path) == ("Asia/Tokyo", str(tmp_path / "localtime"))
    assert machine_zone({"TZ": "nonsense"}, tmp_path / "nowhere") == ("UTC", "")


def test_which_zone_was_taken_and_from_where_is_told_unless_it_was_asked_for(tmp_path: Path) -> None:
    taken = run("init", "one", cwd=tmp_path, env={"TZ": "America/New_York"})
    assert "the day's zone is America/New_York, from the variable TZ; another: --timezone ZONE" in taken.stderr
    asked = run("init", "two", "--timezone", "Asia/Tokyo", cwd=tmp_path)
    assert "the day's zone" not in asked.stderr


def test_the_place_that_names_a_version_is_the_evidence_and_markers_are_none(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("vllm\n", encoding="utf-8")
    (tmp_path / "requirements_serve.txt").write_text('vllm==0.14.1 ; sys_platform == "linux"\n', encoding="utf-8")
    answer = run("init", "out", "--from", ".", cwd=tmp_path)
    assert "vllm-project/vllm: requirements_serve.txt:1 ==0.14.1\n" in answer.stderr


def test_from_own_code_come_the_watchlist_the_hardware_and_the_path(tmp_path: Path) -> None:
    service(tmp_path / "svc")
    answer = run("init", "out", "--from", "svc", "--json", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    data = written(tmp_path / "out")
    names = [repo["name"] for repo in data["repo"]]
    assert names[0] == "vllm-project/vllm"
    assert set(names) == {"vllm-project/vllm", "flashinfer-ai/flashinfer", "acme/tool", "acme/router"}
    assert data["reader"]["hardware"] == ["sm100", "sm90"]
    assert data["impact"]["paths"] == ["../svc"]
    assert json.loads(answer.stdout)["repos"] == names
    assert "local-thing" in answer.stderr


def test_what_runs_the_tests_is_no_deployment_and_cuda_without_a_chip_is_all_of_it(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "vllm==0.14.1\n",
        ".github/workflows/test.yaml": "matrix:\n  - {os: macos-latest, device: metal}\n",
    }
    for name, text in files.items():
        (tmp_path / "svc" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "svc" / name).write_text(text, encoding="utf-8")
    run("init", "one", "--from", "svc", cwd=tmp_path)
    assert "hardware" not in written(tmp_path / "one")["reader"]
    (tmp_path / "svc" / "Dockerfile").write_text("FROM nvidia/cuda:13.0.0-devel\n", encoding="utf-8")
    (tmp_path / "svc" / "amd.Dockerfile").write_text("FROM vllm/vllm-openai-rocm:v0.14.1\n", encoding="utf-8")
    run("init", "two", "--from", "svc", cwd=tmp_path)
    assert "hardware" not in written(tmp_path / "two")["reader"]
    (tmp_path / "svc" / "Dockerfile").unlink()
    answer = run("init", "three", "--from", "svc", cwd=tmp_path)
    assert written(tmp_path / "three")["reader"]["hardware"] == ["rocm"]
    assert "hardware rocm: amd.Dockerfile:1\n" in answer.stderr
    assert '["rocm"]' in (line := _line(tmp_path / "three", "hardware = "))
    assert "amd.Dockerfile:1" in line


def _line(folder: Path, start: str) -> str:
    lines = (folder / "daybreak.toml").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith(start))


def test_the_newest_pin_of_the_package_in_a_file_of_requirements_counts_before_an_image(tmp_path: Path) -> None:
    files = {
        "chart/a.yaml": "image: vllm/vllm-openai:v0.23.0\n",
        "old/requirements.txt": "vllm==0.10.0\n",
        "requirements.txt": "vllm==0.14.1\n",
        "wide/requirements.txt": "vllm>=0.20.0\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert "vllm-project/vllm: requirements.txt:1 ==0.14.1\n" in run("init", "out", "--from", ".", cwd=tmp_path).stderr


def test_of_a_long_list_of_requirements_only_what_is_of_the_field_is_watched(tmp_path: Path) -> None:
    service(tmp_path / "svc")
    rows = "".join(f"require github.com/acme/small{n} v1.0.0\n" for n in range(6))
    (tmp_path / "svc" / "go.mod").write_text(rows, encoding="utf-8")
    answer = run("init", "out", "--from", "svc", cwd=tmp_path)
    names = {repo["name"] for repo in written(tmp_path / "out")["repo"]}
    assert names == {"vllm-project/vllm", "flashinfer-ai/flashinfer", "acme/tool"}
    assert "6 repositories that svc requires besides are in the file as comments, and not watched" in answer.stderr
    assert "go.mod:6" in _line(tmp_path / "out", '# name = "acme/small5"')


def test_a_pin_whose_repository_is_not_known_is_told_with_the_file_to_add_it_to(tmp_path: Path) -> None:
    service(tmp_path / "svc")
    answer = run("init", "out", "--from", "svc", cwd=tmp_path)
    told = " ".join(answer.stderr.split())
    assert "such as local-thing; add a [[repo]] for what you watch of them to out/daybreak.toml" in told


def test_a_name_that_no_repository_has_is_told_of_the_option(tmp_path: Path) -> None:
    assert "daybreak: --repo 'vllm' is not OWNER/NAME." in run("init", "out", "--repo", "vllm", cwd=tmp_path).stderr


def test_where_to_go_next_is_told_from_where_one_stands(tmp_path: Path) -> None:
    assert "next: daybreak run\n" in run("init", ".", cwd=tmp_path).stderr
    assert "next: cd out && daybreak run\n" in run("init", "out", cwd=tmp_path).stderr


def test_a_package_that_is_installed_beside_the_code_tells_its_repository(tmp_path: Path) -> None:
    service(tmp_path / "svc")
    info = tmp_path / "svc" / ".venv" / "lib" / "python3.12" / "site-packages" / "local_thing-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text(
        "Name: local-thing\nProject-URL: Source, https://github.com/acme/local-thing\n\nHome-page: https://github.com/a/b\n",
        encoding="utf-8",
    )
    run("init", "out", "--from", "svc", cwd=tmp_path)
    assert "acme/local-thing" in [repo["name"] for repo in written(tmp_path / "out")["repo"]]


def test_well_known_packages_are_examples_to_check_and_watched_where_nothing_else_is_known(tmp_path: Path) -> None:
    service(tmp_path / "svc")
    project = 'name = "svc"\ndependencies = [\n    "trl>=0.20",\n    "transformers", "ray[serve]>=2",\n    "in-house>=1",\n]\n'
    (tmp_path / "svc" / "pyproject.toml").write_text(f"[project]\n{project}", encoding="utf-8")
    answer = run("init", "out", "--from", "svc", cwd=tmp_path)
    assert "huggingface/trl" not in [repo["name"] for repo in written(tmp_path / "out")["repo"]]
    assert "example; pyproject.toml:4 trl" in _line(tmp_path / "out", '# name = "huggingface/trl"')
    assert "example; pyproject.toml:5 transformers" in _line(tmp_path / "out", '# name = "huggingface/transformers"')
    told = " ".join(answer.stderr.split())
    assert "3 repositories of well-known packages that svc names, in out/daybreak.toml as examples to check" in told
    assert "not watched: huggingface/trl, huggingface/transformers, " in told
    assert "2 pins, such as in-house, local-thing;" in told
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "requirements.txt").write_text("trl==0.20.0\n", encoding="utf-8")
    answer = run("init", "second", "--from", "alone", cwd=tmp_path)
    assert [repo["name"] for repo in written(tmp_path / "second")["repo"]] == ["huggingface/trl"]
    assert "names no project of the field: the well-known packages below are watched" in answer.stderr


def test_a_list_of_words_and_what_a_project_says_of_itself_are_nothing_that_it_requires(tmp_path: Path) -> None:
    (tmp_path / "svc" / "docs").mkdir(parents=True)
    project = '[project]\nname = "transformers"\nkeywords = ["trl", "serving"]\ndependencies = ["ray", "transformers[torch]"]\n'
    (tmp_path / "svc" / "pyproject.toml").write_text(project, encoding="utf-8")
    (tmp_path / "svc" / "docs" / "wordlist.txt").write_text("numpy\nserving\npydantic\n", encoding="utf-8")
    (tmp_path / "svc" / "requirements.txt").write_text("fastapi\n", encoding="utf-8")
    (tmp_path / "svc" / "tools.txt").write_text("accelerate\nblack==24.1\n", encoding="utf-8")
    assert run("init", "out", "--from", "svc", cwd=tmp_path).returncode == 0
    names = {repo["name"] for repo in written(tmp_path / "out")["repo"]}
    assert names == {"ray-project/ray", "fastapi/fastapi", "huggingface/accelerate"}


def test_what_is_wrong_is_told_alone(tmp_path: Path) -> None:
    answer = run("init", "new", "--repo", "../clone", cwd=tmp_path)
    assert answer.returncode == 2
    assert "`git` in its [[repo]]" in one_sentence_and_a_tip(answer)


def test_every_line_of_the_table_of_packages_is_one() -> None:
    for name, repo in well_known().items():
        assert name == normalised(name)
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", repo)


def test_code_that_names_nothing_known_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "svc").mkdir()
    (tmp_path / "svc" / "app.py").write_text("print(1)\n", encoding="utf-8")
    answer = run("init", "out", "--from", "svc", cwd=tmp_path)
    assert answer.returncode == 2
    assert "--repo" in one_sentence_and_a_tip(answer)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "wish",
    [("--lang", "xx"), ("--timezone", "Nowhere/Land"), ("--repo", "no-owner"), ("--repo", "a/b", "--repo", "A/B")],
)
def test_what_the_config_would_refuse_is_refused_before_it_is_written(tmp_path: Path, wish: tuple[str, ...]) -> None:
    answer = run("init", "new", *wish, cwd=tmp_path)
    assert answer.returncode == 2
    one_sentence_and_a_tip(answer)
    assert not (tmp_path / "new").exists()


def commented() -> list[tuple[str, str, str]]:
    """(table, key and value, what is said of it) of each line that does nothing as it stands."""
    found, table = [], ""
    for line in default_config().splitlines():
        if line.startswith("["):
            table = line.partition("]")[0].strip("[")
        elif row := re.fullmatch(r"# (\w+ = .+?)\s+# (.*)", line):
            found.append((table, row[1], row[2]))
    return found


def test_every_line_that_does_nothing_says_whether_it_is_a_default_or_an_example() -> None:
    rows = commented()
    assert len(rows) > 20
    assert [row for row in rows if not row[2].startswith(("default", "example"))] == []


def test_what_is_called_a_default_is_the_default() -> None:
    plain = msgspec.to_builtins(Config())
    for table, code, said in commented():
        ((key, value),) = tomllib.loads(code).items()
        known = plain.get(table, plain) if table and table != "repo" else plain
        if said.startswith("default"):
            assert known[key] == value, code
        elif table != "repo":
            assert known[key] != value, code


def test_the_schema_of_editors_is_that_of_the_config_and_takes_what_init_writes(tmp_path: Path) -> None:
    from test_docs import script

    assert script("config_schema").written() == SCHEMA_FILE.read_text(encoding="utf-8"), "run `make docs`"
    schema = json.loads(SCHEMA_FILE.read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(tomllib.loads(default_config()), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"timezon": "UTC"}, schema)
    run("init", ".", cwd=tmp_path)
    first = (tmp_path / "daybreak.toml").read_text(encoding="utf-8").splitlines()[0]
    assert (tmp_path / first.removeprefix("#:schema ")).read_bytes() == SCHEMA_FILE.read_bytes()


def test_a_title_leads_the_pages_and_the_index(place: Place) -> None:
    place.config(top='title = "Our [news]"\ntimezone = "UTC"')
    assert place.run("run", "--date", DAY, "--quiet").returncode == 0
    for page in ("README.md", f"reports/{DAY}.md", f"reports/{DAY}.en.md"):
        heading = next(line for line in place.written()[page].decode().splitlines() if line.startswith("# "))
        assert "Our" in heading.replace("\\", "")
        assert "news" in heading
    assert place.report()["title"] == "Our [news]"


def test_manifests_that_a_program_wrote_are_looked_at_once_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Megabytes of the same lines took minutes: a line that was seen is not asked about again."""
    from daybreak.cli import own_code
    from daybreak.judge import reach

    asked: list[str] = []
    known = reach.hardware

    def hear(text: str) -> frozenset[str]:
        asked.append(text)
        return known(text)

    monkeypatch.setattr(reach, "hardware", hear)
    texts = {f"crd{n}.yaml": "  nodeSelector: gpu-h100\n  image: x\n" * 2000 for n in range(5)}
    assert own_code._hardware(texts)
    assert len(asked) == 2


def test_a_first_look_at_a_folder_of_generated_manifests_is_bounded_and_says_what_it_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with a hundred megabytes of YAML took minutes: the small files, which people write, are read first."""
    from daybreak.cli import own_code

    service(tmp_path)
    (tmp_path / "all.yaml").write_text("image: lmsysorg/sglang:v0.5.6\n" + "x: 1\n" * 4000, encoding="utf-8")
    whole = own_code.own_code(tmp_path)
    assert "sgl-project/sglang" in whole.repos
    assert whole.unread == {}
    monkeypatch.setattr(own_code, "READ_MOST", 10_000)
    monkeypatch.setattr(own_code, "TEXTS_MOST", 10_000)
    bounded = own_code.own_code(tmp_path)
    assert [*bounded.unread.values()] == [("all.yaml",)]
    assert list(bounded.repos) == [repo for repo in whole.repos if repo != "sgl-project/sglang"]
    assert bounded.hardware == whole.hardware


def test_what_a_first_look_left_out_is_told(tmp_path: Path) -> None:
    service(tmp_path / "svc")
    (tmp_path / "svc" / "huge.yaml").write_bytes(b"x: 1\n" * 1_100_000)
    answer = run("init", "out", "--from", "svc", cwd=tmp_path)
    assert answer.returncode == 0
    assert "not read, more than 5 MB are not read: huge.yaml\n" in answer.stderr


def test_of_many_files_left_out_for_one_reason_some_are_named_and_all_where_asked(tmp_path: Path) -> None:
    service(tmp_path / "svc")
    for number in range(4):
        (tmp_path / "svc" / f"huge{number}.py").write_bytes(b"x=1\n" * (1_300_000 + number))
    some = run("init", "one", "--from", "svc", cwd=tmp_path).stderr
    assert (
        "not read, more than 5 MB are not read: huge0.py, huge1.py, huge2.py and 1 more (--verbose names all)\n" in some
    )
    every = run("init", "two", "--from", "svc", "--verbose", cwd=tmp_path).stderr
    assert "huge2.py, huge3.py\n" in every

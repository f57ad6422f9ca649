"""The rules of docs/architecture.md for the whole code; the import contracts are in pyproject.toml (`lint-imports`)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import hooktui
from hooktui.connect import bundle
from tests.command_world import CommandWorld, wait_until

ROOT = Path(hooktui.__file__).parents[1]
# What an event that matches a hook may import of the standard library: small C modules, and those that `_sqlite3` imports.
STANDARD = {
    "__future__", "_blake2", "_json", "_sre", "errno", "fcntl", "gc", "itertools", "select",
}  # fmt: skip
HASHING = {"_blake2", "_hashlib", "hashlib"}
FAST_ROOMS = ("hooktui.core", "hooktui.hosts", "hooktui.runner")
MOST_MODULES = 54  # of ours; each takes a tenth of a millisecond
SPY = """
import sys
before = set(sys.modules)
from hooktui.__main__ import _hook_files
from hooktui.runner.command import answer
code = answer("run", [], _hook_files)
sys.stdout.write(" ".join(sorted(set(sys.modules) - before)))
"""


def imported(world: CommandWorld, **event: object) -> set[str]:
    """The modules that `run` imports for an event, with the index warm."""
    index = world.home / ".cache/hooktui/index"
    stdin = json.dumps({"event_type": "pre-tool-call", "session_id": "s", "work_dir": str(world.project), **event})

    def warm() -> bool:
        world.run("run", stdin=stdin)
        return index.is_dir() and bool(os.listdir(index))

    wait_until(warm)
    command = [sys.executable, "-I", "-c", SPY]
    done = subprocess.run(
        command, input=stdin, env=world.environment, cwd=world.project, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def check_fast(loaded: set[str], standard: set[str] = STANDARD) -> None:
    """Only modules of the fast rooms, few of them, and of the standard library what is allowed."""
    ours = {name for name in loaded if name.startswith("hooktui")} - {"hooktui", "hooktui.__main__"}
    assert {name for name in ours if not name.startswith(FAST_ROOMS)} == set()
    assert len(ours) <= MOST_MODULES
    assert loaded - ours - {"hooktui", "hooktui.__main__"} <= standard


def test_the_fast_path_imports_what_is_allowed_and_nothing_else(world: CommandWorld) -> None:
    world.hook("guard", matcher={"tool": "Shell|Bash", "pattern": "rm -rf /|mkfs"})
    world.hook("later", **{"async": True})  # type: ignore[arg-type]
    check_fast(imported(world, tool_name="Shell", tool_input={"command": "rm -rf /"}))


def test_a_trusted_project_hook_adds_hashing_and_its_environment_only(world: CommandWorld) -> None:
    world.hook("theirs", scope="project")
    world.run("trust", "--hash", world.run("status", "--json").json()["hash"])
    check_fast(imported(world), STANDARD | HASHING)


def test_the_regexes_of_matchers_need_no_re(world: CommandWorld) -> None:
    world.hook("guard", matcher={"tool": "^Sh", "pattern": r"rm\s+-rf"})
    check_fast(imported(world, tool_name="Shell", tool_input={"command": "rm  -rf /"}))


def test_a_log_that_is_shipped_adds_a_look_at_its_upkeep_only(world: CommandWorld) -> None:
    world.configure("[fleet]\nendpoint = 'http://127.0.0.1:9'\nship = 'auto'\n")
    world.hook("guard")
    world.db.parent.mkdir(parents=True)
    for started in (".intake", ".shipper"):
        world.db.with_name(world.db.name + started).touch()
    check_fast(imported(world, tool_name="Shell", tool_input={}))


def test_hooks_that_a_tool_rules_out_add_a_look_at_their_list_only(world: CommandWorld) -> None:
    for number in range(6):
        world.hook(f"guard-{number}", matcher={"tool": f"Tool{number}"})
    world.hook("shell", matcher={"tool": "Shell"})
    index = world.home / ".cache/hooktui/index"
    call = {"tool_name": "Shell", "tool_input": {}}
    wait_until(lambda: imported(world, **call) and list(index.glob("*.calls")))
    check_fast(imported(world, **call))


def test_the_bundle_has_the_fast_path(world: CommandWorld) -> None:
    world.hook("theirs", scope="project")
    world.run("trust", "--hash", world.run("status", "--json").json()["hash"])
    assert {name for name in imported(world) if name.startswith("hooktui")} - {*bundle.module_names()} == set()


# The only modules that import the libraries of an extra.
OF_EXTRAS = {"hooktui.fleet.otlp_sender"}


def test_the_engine_never_imports_textual() -> None:
    modules = [
        name
        for path in sorted((ROOT / "hooktui").rglob("*.py"))
        if path.name != "__main__.py" and path != ROOT / "hooktui" / "app.py"
        if (name := ".".join(path.relative_to(ROOT).with_suffix("").parts)) not in OF_EXTRAS
    ]
    check = f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\nsys.exit('textual' in sys.modules)"
    assert len(modules) > 50
    assert subprocess.run([sys.executable, "-I", "-c", check], check=False).returncode == 0


def test_first_paint_needs_no_hook_file_reader() -> None:
    """The readers, rules and edits are a third of all modules; they are imported while the first screen is looked at."""
    code = "import sys; from hooktui import app; from hooktui.screens.hooks import screen; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    later = re.findall(r"\bhooktui\.(?:diagnostics|edit|trials|transcripts|catalog\.catalog|log\.read)\b", done.stdout)
    assert not later


def test_screens_open_no_files() -> None:
    """They ask the engine (architecture.md, rule 1); from `os` they use only functions that split and join paths."""
    pure = {"os.sep", "os.path", "os.path.basename", "os.path.dirname", "os.path.join", "os.path.relpath", "os.path.splitext"}
    for path in (ROOT / "screens").rglob("*.py"):
        source = path.read_text()
        assert set(re.findall(r"(?<![\w.])os\.[\w.]+", source)) <= pure, path.name
        assert not re.search(r"(?<!def )(?<![\w.])open\(", source), path.name


def test_screens_and_styles_are_links_to_the_folders_at_the_top() -> None:
    for name in ("screens", "styles"):
        assert os.readlink(ROOT / "hooktui" / name) == f"../{name}"


def test_the_guide_for_contributors_names_only_paths_that_exist() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    paths = re.findall(r"`((?:hooktui|screens|styles|tests|docs)/(?:[a-z_]+/)*(?:[a-z_]+\.[a-z]+(?=`))?)", guide)
    modules = {path.name for path in [*ROOT.glob("*.py"), *(ROOT / "hooktui").rglob("*.py"), *(ROOT / "screens").rglob("*.py")]}
    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert set(re.findall(r"`([a-z_]+\.py)`", guide)) <= modules


def test_the_lock_names_exact_versions_and_no_address() -> None:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line)] == []
    assert len(lines) == len({line.lower() for line in lines})


def test_the_lock_satisfies_every_requirement() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["build-system"]["requires"], *project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    lines = (line.split("==") for line in (ROOT / "requirements.lock").read_text().splitlines())
    locked = {canonicalize_name(name): version for name, version in lines}
    for requirement in map(Requirement, wanted):
        assert locked[canonicalize_name(requirement.name)] in requirement.specifier, requirement


@pytest.mark.parametrize("path", [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")], ids=lambda path: path.name)
def test_nothing_sends_people_to_the_package_of_that_name_on_pypi(path: Path) -> None:
    assert not re.search(r"(pip|pipx|uv tool|uvx?) (install |add )?['\"]?hooktui", path.read_text())

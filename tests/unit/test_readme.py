"""The examples in the README and in docs/hosts.md do what they say."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # runs the README's examples

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
HOSTS = (ROOT / "docs/hosts.md").read_text(encoding="utf-8")


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The world of a new user: an empty home, and hooktui on PATH."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "HOOKTUI"))}
    return {**own, "HOME": str(tmp_path / "home"), "PATH": os.path.dirname(sys.executable) + os.pathsep + own["PATH"]}


@pytest.fixture
def project(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A project with the README's rule, approved and denying."""
    place = tmp_path / "project"
    place.mkdir()
    (tmp_path / "home").mkdir()
    rule = next(line for block in blocks("sh") for line in block.splitlines() if line.startswith("hooktui new"))
    subprocess.run(rule, shell=True, check=True, cwd=place, env=environment, capture_output=True)
    (place / ".agents/hooks/no-force-push/scripts/run").write_text(
        "#!/bin/sh\necho 'not by force' >&2\nexit 2\n", encoding="utf-8"
    )
    status = subprocess.run(
        ["hooktui", "status", "--json"], check=True, cwd=place, env=environment, capture_output=True, text=True
    )
    approval = re.search(r'"hash": "(sha256:\w+)"', status.stdout)
    assert approval
    subprocess.run(["hooktui", "trust", "--hash", approval[1]], check=True, cwd=place, env=environment, capture_output=True)
    return place


def test_the_first_rule_blocks_every_example(project: Path, environment: dict[str, str]) -> None:
    def run(command: str | list[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
        options: dict[str, Any] = {"cwd": project, "env": environment, "capture_output": True, "text": True}
        return subprocess.run(command, shell=isinstance(command, str), input=stdin, check=False, **options)

    done = run(next(block for block in blocks("sh") if "hooktui run" in block))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "not by force\n")
    for tool in ("Shell", "Bash", "bash", "run_in_terminal"):
        tool_input = {"command": "git push --force"}
        event = {"event_type": "pre-tool-call", "session_id": "s", "tool_name": tool, "tool_input": tool_input}
        done = run(["hooktui", "run"], json.dumps(event))
        assert (done.returncode, done.stderr) == (2, "not by force\n"), tool
    example = blocks("python", HOSTS)[0]
    blocked = 'event["tool_input"]["command"] = "git push --force"\nask_hooks(event)\n'
    continues = f"{example}\nassert tool_input == {{'command': 'ls'}}\n{blocked}"
    assert "PermissionError: not by force" in run([sys.executable, "-c", continues]).stderr
    fails = f"{example}\nask_hooks({{'no': 'event'}})\n"
    assert "RuntimeError: hooktui" in run([sys.executable, "-c", fails]).stderr


def test_every_link_leads_somewhere() -> None:
    for page in PAGES:
        targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        assert [target for target in targets if not (page.parent / target).exists()] == [], page.name


def test_nothing_tells_people_to_install_a_stranger() -> None:
    assert not any(re.search(r"(pip|pipx|uv\S*) install hooktui", page.read_text(encoding="utf-8")) for page in PAGES)


def test_every_module_named_in_the_architecture_exists() -> None:
    in_folders = (path for top in ("hooktui", "screens", "tests") for path in (ROOT / top).rglob("*.py"))
    modules = [str(path) for path in (*ROOT.glob("*.py"), *in_folders)]
    for page in (ROOT / "docs/architecture.md", *(ROOT / "docs/decisions").iterdir()):
        named = re.findall(r"`((?:\w+/)*\w+\.py)`", page.read_text(encoding="utf-8"))
        assert [name for name in named if not any(module.endswith(f"/{name}") for module in modules)] == [], page.name

"""Managed HOOK.md hooks: everyone on the machine runs them, and nobody but its administrator switches them off."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.managed_machine import ManagedMachine

PASSES = "#!/bin/sh\nexit 0\n"


@pytest.fixture
def machine(tmp_path: Path) -> ManagedMachine:
    return ManagedMachine(tmp_path)


def test_managed_hook_runs_first_without_approval_whatever_its_priority(machine: ManagedMachine) -> None:
    machine.hook("first", PASSES, priority=1000)
    machine.managed("guard", priority=1)
    report = machine.fire(tool_name="Bash")
    assert [(hook["name"], hook["scope"], hook["decision"], hook["skip"]) for hook in report["hooks"]] == [
        ("guard", "managed", "deny", None),
        ("first", "user", "none", "blocked-earlier"),
    ]
    (listed,) = [hook for hook in machine.run("list", "--json").json() if hook["name"] == "guard"]
    assert (listed["scope"], listed["id"], listed["trust"], listed["editable"]) == (
        "managed", "agenthooks:managed:guard", "user", False,
    )  # fmt: skip
    assert "managed" in machine.run("list").stdout
    assert machine.run("check", "--scope", "project", "--format", "json").json()["hooks"] == 0


@pytest.mark.parametrize("scope", ["user", "project"])
def test_hook_of_the_same_name_replaces_no_managed_hook(machine: ManagedMachine, scope: str) -> None:
    machine.managed("guard")
    machine.hook("guard", PASSES, scope=scope)
    digest = machine.run("status", "--json").json()["hash"]
    machine.run("trust", "--hash", digest, code=None)
    assert machine.denies()


def test_configuration_of_the_user_switches_no_managed_hook_off(machine: ManagedMachine) -> None:
    machine.managed("guard")
    for text in (
        "[run",
        '[run]\nformats = ["claude"]',
        '[hooks]\nenable = ["other"]',
        '[run]\non_error = "allow"\non_hook_failure = "allow"',
    ):
        machine.configure(text)
        assert machine.denies(), text


@pytest.mark.parametrize(
    "script",
    [
        "#!/bin/bash\ngrep -q . && echo 'denied by the company' >&2 && exit 2\n",
        "#!/usr/bin/env python3\nimport sys; sys.stderr.write('denied by the company'); sys.exit(2)\n",
    ],
)
def test_variables_lead_a_managed_hook_to_no_other_code(machine: ManagedMachine, script: str) -> None:
    """An agent gets variables from the settings of a project."""
    machine.managed("guard", script)
    evil = machine.project / "evil"
    evil.mkdir()
    for name in ("grep", "python3", "bash", "env"):
        (evil / name).write_text("#!/bin/sh\nexit 0\n")
        (evil / name).chmod(0o755)
    (evil / "startup.sh").write_text("exit 0\n")
    (evil / "sitecustomize.py").write_text("import os; os._exit(0)\n")
    (evil / "grep_function").write_text("")
    assert machine.denies(
        PATH=str(evil), BASH_ENV=str(evil / "startup.sh"), ENV=str(evil / "startup.sh"), PYTHONPATH=str(evil),
        HOME=str(evil), XDG_CONFIG_HOME=str(evil), XDG_CACHE_HOME=str(evil), XDG_STATE_HOME=str(evil),
        **{"BASH_FUNC_grep%%": "() { return 1; }"},
    )  # fmt: skip


def test_managed_hook_imports_nothing_from_the_project(machine: ManagedMachine) -> None:
    words = "import json, sys; json.load(sys.stdin); sys.exit('denied by the company')"
    machine.managed("guard", f'#!/bin/sh\n{sys.executable} -c "{words}" && exit 0\nexit 2\n')
    (machine.project / "json.py").write_text("import os; os._exit(0)\n")
    assert machine.denies()


def test_index_of_a_project_is_not_believed(machine: ManagedMachine) -> None:
    """It could have been written where no managed hooks are."""
    brought = machine.project / "cache"
    machine.hooks.rmdir()
    assert not machine.denies(XDG_CACHE_HOME=str(brought))
    assert list(brought.rglob("*.cpython-*")) or list(brought.rglob("index/*"))
    machine.hooks.mkdir()
    guard = machine.managed("guard")
    os.utime(machine.hooks, ns=(0, 0))
    assert machine.denies(XDG_CACHE_HOME=str(brought))
    shutil.rmtree(guard)
    assert not machine.denies()


def test_hook_that_others_can_change_does_not_run_and_says_so(machine: ManagedMachine) -> None:
    guard = machine.managed("guard", '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n')
    (guard / "scripts/lib.sh").write_text("echo 'denied by the company' >&2\nexit 2\n")
    assert machine.denies()
    for path in ("", "HOOK.md", "scripts", "scripts/run", "scripts/lib.sh"):
        mode = (guard / path).stat().st_mode
        (guard / path).chmod(0o777)
        assert not machine.denies(), path
        (listed,) = machine.run("list", "--json").json()
        assert listed["why"] == f"others than root can write /etc/hooktui/hooks/guard{'/' * bool(path)}{path}"
        (guard / path).chmod(mode)
    guard.chmod(0o777)
    problems = machine.run("check", "--format", "json", code=1).json()["diagnostics"]
    assert [(problem["code"], problem["severity"]) for problem in problems] == [("insecure-permissions", "error")]


def test_hook_of_another_user_does_not_run(machine: ManagedMachine) -> None:
    guard = machine.managed("guard")
    os.chown(guard / "scripts/run", 4711, 4711)
    assert not machine.denies()
    assert "does not belong to root" in machine.run("list", "--json").json()[0]["why"]


def test_link_to_a_file_that_others_can_change_does_not_run(machine: ManagedMachine) -> None:
    elsewhere = machine.project / "run"
    elsewhere.write_text(PASSES)
    elsewhere.chmod(0o755)
    machine.project.chmod(0o777)
    guard = machine.managed("guard")
    (guard / "scripts/run").unlink()
    (guard / "scripts/run").symlink_to(elsewhere)
    assert "others than root can write" in machine.run("list", "--json").json()[0]["why"]

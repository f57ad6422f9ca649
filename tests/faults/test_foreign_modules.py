"""A project may contain json.py or sqlite3.py: they are never imported."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.faults.agent import DENY, Agent

TRAPS = (
    "_json", "_sqlite3", "asyncio", "click", "enum", "fcntl", "hashlib", "json", "marshal", "os", "re", "regex", "rich",
    "select", "shutil", "sqlite3", "subprocess", "tempfile", "textual", "time", "tomllib", "typing", "yaml",
)  # fmt: skip
SCRIPT = Path(sys.executable).with_name("hooktui")


@pytest.fixture
def trapped(agent: Agent) -> Agent:
    """A project in which importing one of these names leaves a mark and breaks the program."""
    for name in TRAPS:
        mark = agent.home / f"imported-{name}"
        (agent.project / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').close()\nraise SystemExit(77)\n")
    agent.hook("guard", DENY, matcher={"tool": "(Sh|sh)ell+$"})
    return agent


ISOLATED = [sys.executable, "-I", "-m", "hooktui"]
COMMANDS = ("list", "check", "log", "status", "doctor", "--version")


@pytest.mark.parametrize(
    ("command", "also"),
    [([str(SCRIPT)], ["list"]), (ISOLATED, ["list"]), ([sys.executable, "-m", "hooktui"], COMMANDS)],
    ids=["hooktui", "python -I -m hooktui", "python -m hooktui"],
)
def test_nothing_of_the_project_is_imported(trapped: Agent, command: Sequence[str], also: Sequence[str]) -> None:
    """Only `python -m` begins with the current directory on Python's path."""
    assert trapped.call(command=command).code == 2  # cold: everything is loaded and compiled
    assert trapped.call(command=command).code == 2
    for argument in also:
        done = subprocess.run(
            [*command, argument], env=trapped.environment, cwd=trapped.project, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1), done.stderr
        assert "Traceback" not in done.stderr
    assert [name for name in os.listdir(trapped.home) if name.startswith("imported-")] == []


@pytest.mark.parametrize("command", [[str(SCRIPT)], ISOLATED], ids=["hooktui", "python -I"])
def test_not_even_a_module_of_our_own_name(trapped: Agent, command: Sequence[str]) -> None:
    """`python -m hooktui` cannot promise this: Python looks for the package before any of our code runs (see __main__)."""
    mark = trapped.home / "imported-hooktui"
    (trapped.project / "hooktui.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    assert trapped.call(command=command).code == 2
    assert not mark.exists()

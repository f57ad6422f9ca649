"""Files beside an approved hook that are too many or too large to hash: the hook is changed, and everything else goes on."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.agent import DENY, Agent

SPARSE = 200 * 10**9
MEMORY = 2 * 10**9


def sparse_file(directory: Path) -> None:
    with (directory / "big").open("wb") as file:
        file.truncate(SPARSE)


def link_to_root(directory: Path) -> None:
    (directory / "everything").symlink_to("/")


def many_files(directory: Path) -> None:
    for number in range(5_001):
        (directory / str(number)).touch()


def fifo(directory: Path) -> None:
    os.mkfifo(directory / "pipe")


TOO_LARGE = {
    sparse_file: "its files have more than 64 MiB: big",
    link_to_root: "it has more than 5,000 files",
    many_files: "it has more than 5,000 files",
}


@pytest.fixture
def theirs(agent: Agent) -> Path:
    """A project's hook, approved, and a guard of the user."""
    agent.hook("guard", DENY, priority=1)
    directory = agent.hook("theirs", "#!/bin/sh\ntouch ran\n", scope="project")
    agent.approve()
    return directory


@pytest.mark.parametrize("spoil", [*TOO_LARGE, fifo])
def test_the_hook_counts_as_changed_and_the_guard_denies(agent: Agent, theirs: Path, spoil: Callable[[Path], None]) -> None:
    spoil(theirs)
    done = agent.report(in_child=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    assert done.code == 2
    runs = {run["name"]: run for run in done.json()["hooks"]}
    assert (runs["theirs"]["skip"], runs["theirs"]["why"]) == ("untrusted", "changed since its approval")
    assert runs["guard"]["decision"] == "deny"
    assert not (agent.project / "ran").exists()


@pytest.mark.parametrize(("spoil", "why"), TOO_LARGE.items())
def test_such_a_hook_cannot_be_approved(agent: Agent, theirs: Path, spoil: Callable[[Path], None], why: str) -> None:
    spoil(theirs)
    status = agent.run("status", "--json").json()
    assert (status["hooks"][0]["trust"], status["hooks"][0]["why"]) == ("changed", f"cannot be approved: {why}")
    assert f"theirs cannot be approved: {why}" in agent.run("status").stdout
    (advice,) = [
        problem for problem in agent.run("check", "--format", "json").json()["diagnostics"] if "trusted" in problem["code"]
    ]
    assert advice["hint"] == f"it cannot be approved: {why}"
    done = agent.run("trust", "--hash", status["hash"], code=1)
    assert f"nothing was approved: theirs cannot be approved: {why}" in done.stderr


def test_a_large_script_of_an_entry_is_not_read(agent: Agent) -> None:
    settings = agent.project / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./big"}]}]}}')
    sparse_file(agent.project)
    assert agent.run("status", "--json").json()["hooks"][0]["why"] == "cannot be approved: its files have more than 64 MiB: big"

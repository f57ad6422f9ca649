"""What was approved is what runs: the bytes that were hashed are the bytes that are executed, whoever swaps the files."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.command_world import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.faults.agent import Agent

ROUNDS = 100
GOOD = '#!/bin/sh\n. "$(dirname "$0")/words"\necho "$WORD" >> "$HOME/ran"\n'
EVIL = GOOD + ": evil\ntouch $HOME/evil\n"
# Swaps two names as fast as it can: one step each, so that the path always exists.
SWAPPER = """
import ctypes, itertools, os, sys
libc, (path, other) = ctypes.CDLL(None, use_errno=True), map(os.fsencode, sys.argv[1:])
print("ready", flush=True)
while os.getppid() == PARENT:
    assert libc.renameat2(-100, path, -100, other, 2) == 0, os.strerror(ctypes.get_errno())
"""
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="swaps two names in one step")


def approve(agent: Agent) -> None:
    agent.run("trust", "--hash", agent.run("status", "--json").json()["hash"])


@contextmanager
def swapping(path: Path, other: Path) -> Iterator[None]:
    """Exchange two files all the time."""
    script = SWAPPER.replace("PARENT", str(os.getpid()))
    process = subprocess.Popen([sys.executable, "-c", script, str(path), str(other)], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    yield
    assert process.poll() is None
    process.kill()
    process.communicate()


@pytest.fixture
def theirs(agent: Agent) -> Path:
    """A project's hook, approved."""
    directory = agent.hook("theirs", GOOD, scope="project")
    (directory / "scripts/words").write_text("WORD=good\n")
    approve(agent)
    return directory


def ran(agent: Agent) -> list[str]:
    return (agent.home / "ran").read_text().split() if (agent.home / "ran").exists() else []


def copies(agent: Agent) -> list[Path]:
    return [path for path in (agent.home / ".local/state/hooktui/approved").iterdir() if path.is_dir()]


@on_linux
@pytest.mark.parametrize("name", ["scripts/run", "scripts/words"])
def test_files_that_are_swapped_all_the_time_never_run_unapproved(agent: Agent, theirs: Path, name: str) -> None:
    other = agent.project / "other"
    other.write_text("WORD=evil\n" if name == "scripts/words" else EVIL)
    other.chmod((theirs / name).stat().st_mode)
    with swapping(theirs / name, other):
        for _ in range(ROUNDS):
            agent.fire()
    assert set(ran(agent)) <= {"good"}
    assert not (agent.home / "evil").exists()


@on_linux
def test_a_directory_that_is_swapped_all_the_time_never_runs_unapproved(agent: Agent, theirs: Path) -> None:
    other = agent.project / "other"
    shutil.copytree(theirs, other)
    (other / "scripts/words").write_text("WORD=evil\n")
    with swapping(theirs, other):
        for _ in range(ROUNDS):
            agent.fire()
    assert set(ran(agent)) <= {"good"}


def test_an_approved_hook_runs_from_a_private_copy_with_its_neighbors(agent: Agent, theirs: Path) -> None:
    (run,) = agent.fire()["hooks"]
    assert (run["state"], ran(agent)) == ("ok", ["good"])
    (copy,) = copies(agent)
    held = {str(path.relative_to(copy)): path for path in copy.rglob("*") if path.is_file()}
    assert set(held) == {"HOOK.md", "scripts/run", "scripts/words"}
    assert held["scripts/run"].read_text() == GOOD
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (copy, *copy.rglob("*"))}
    assert modes == {path: 0o500 if path.is_dir() or path.name == "run" else 0o400 for path in modes}


def test_a_change_is_noticed_though_the_copy_could_run(agent: Agent, theirs: Path) -> None:
    wait_until(lambda: agent.fire()["hooks"][0]["state"] == "ok")
    (theirs / "scripts/words").write_text("WORD=evil\n")
    (run,) = agent.fire()["hooks"]
    assert (run["skip"], run["why"]) == ("untrusted", "changed since its approval")
    (theirs / "scripts/words").write_text("WORD=good\n")
    assert agent.fire()["hooks"][0]["state"] == "ok"
    assert set(ran(agent)) == {"good"}


def test_a_file_that_is_added_beside_is_noticed(agent: Agent, theirs: Path) -> None:
    wait_until(lambda: agent.fire()["hooks"][0]["state"] == "ok")
    (theirs / "scripts/more").touch()
    assert agent.fire()["hooks"][0]["skip"] == "untrusted"


def test_the_copy_of_what_is_no_longer_approved_is_removed(agent: Agent, theirs: Path) -> None:
    agent.fire()
    (before,) = copies(agent)
    (theirs / "scripts/words").write_text("WORD=better\n")
    approve(agent)
    agent.fire()
    (after,) = copies(agent)
    assert after != before
    agent.run("untrust")
    assert copies(agent) == []


def test_a_copy_that_has_gone_is_made_again(agent: Agent, theirs: Path) -> None:
    agent.fire()
    for path in (agent.home / ".local/state/hooktui/approved").rglob("*"):
        path.chmod(0o700)
    shutil.rmtree(agent.home / ".local/state/hooktui/approved")
    assert agent.fire()["hooks"][0]["state"] == "ok"
    assert ran(agent) == ["good", "good"]


def test_a_hook_in_python_finds_the_module_beside_it(agent: Agent) -> None:
    directory = agent.hook("python", f"#!{sys.executable}\nimport words\nprint(words.ANSWER)\n", scope="project")
    (directory / "scripts/words.py").write_text(f"ANSWER = {json.dumps(json.dumps({'decision': 'deny', 'reason': 'x'}))}\n")
    approve(agent)
    for _ in range(2):
        (run,) = agent.fire()["hooks"]
        assert (run["state"], run["decision"]) == ("ok", "deny")


def test_links_inside_a_hook_stay_links(agent: Agent) -> None:
    directory = agent.hook("linked", '#!/bin/sh\ncat "$(dirname "$0")/../now/words" >&2\nexit 2\n', scope="project")
    (directory / "v1").mkdir()
    (directory / "v1/words").write_text("read")
    (directory / "now").symlink_to("v1")
    (directory / "v1/up").symlink_to("..")
    approve(agent)
    assert agent.fire()["reason"] == "read"


def test_the_users_own_hooks_run_in_place(agent: Agent) -> None:
    directory = agent.hook("own", '#!/bin/sh\necho "$0" >&2\nexit 2\n')
    assert agent.fire()["reason"] == str(directory / "scripts/run")


CLIMBING = (
    'cat "$(dirname "$0")/../../../../words" >&2; exit 2',
    'here="$(cd "$(dirname "$0")" && pwd)"; cat "$here"/../../../../words >&2; exit 2',
    'cd "$(dirname "$0")" && cat ../../../../words >&2; exit 2',
)


@pytest.mark.parametrize("script", CLIMBING)
def test_a_script_that_reads_above_its_hook_runs_in_place(agent: Agent, script: str) -> None:
    agent.hook("climber", f"#!/bin/sh\n{script}\n", scope="project")
    (agent.project / "words").write_text("found")
    approve(agent)
    assert [agent.fire()["reason"] for _ in range(2)] == ["found", "found"]


def test_a_state_directory_that_cannot_be_written_disarms_no_approved_guard(agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\nexit 2\n", scope="project")
    approve(agent)
    approved = agent.home / ".local/state/hooktui/approved"
    for path in (approved, *approved.rglob("*")):
        path.chmod(0o700)
    shutil.rmtree(approved)
    approved.write_text("not a directory")
    assert agent.fire()["decision"] == "deny"

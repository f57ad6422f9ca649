"""`hooktui completion`: what it writes, and what real shells complete with it when Tab is pressed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_world import DEADLINE_S, HOOKTUI, CommandWorld

SHELLS = ("bash", "zsh", "fish")
STARTUP = {"bash": ".bashrc", "zsh": ".zshrc"}


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed")
    return name


def typed(world: CommandWorld, shell: str, *lines: str) -> list[str]:
    """The arguments with which `hooktui` runs after somebody typed lines at a shell, with Tabs in them."""
    bin_ = world.home / "bin"
    bin_.mkdir(exist_ok=True)
    program = bin_ / "hooktui"  # completes as the real one, and else says how it was called
    program.write_text(
        f'#!/bin/sh\n[ -n "$_HOOKTUI_COMPLETE" ] && exec {" ".join(HOOKTUI)} "$@"\nprintf \'called: %s\\n\' "$*" >> ~/called\n'
    )
    program.chmod(0o755)
    (world.home / "called").unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", f"import pty; pty.spawn(['{shell}', '-i'])"],
        input="".join(f"{line}\r" for line in (*lines, "exit")).encode(),
        env={**world.environment, "PATH": f"{bin_}:{os.environ['PATH']}"},
        cwd=world.project,
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert (world.home / "called").exists(), done.stdout
    return [line.removeprefix("called: ").strip() for line in (world.home / "called").read_text().splitlines()]


def files(home: Path) -> dict[str, str]:
    return {str(path.relative_to(home)): path.read_text() for path in home.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_tab_completes_commands_options_hooks_sessions_and_queries(world: CommandWorld, shell: str) -> None:
    world.hook("guard-main", "#!/bin/sh\nexit 2\n")
    world.fire(session_id="abc-1", tool_name="Bash", tool_input={"command": "ls"})
    world.run("completion", shell)
    lines = ["disc\t", "log --fol\t", "try gua\t", "log session:ab\t", "log -decision:de\t"]
    completed = ["disconnect", "log --follow", "try guard-main", "log session:abc-1", "log -decision:deny"]
    assert typed(world, shell, *(f"hooktui {line}" for line in lines)) == completed


@pytest.mark.parametrize("name", SHELLS)
def test_installing_twice_changes_nothing_and_undo_restores_all(world: CommandWorld, name: str) -> None:
    startup = world.home / STARTUP.get(name, ".profile")
    startup.write_text("alias ll='ls -l'\n")
    before = files(world.home)
    told = world.run("completion", name).stdout
    once = files(world.home)
    for file in set(once) - set(before):
        assert f"Wrote ~/{file}" in told
    assert startup.read_text().startswith("alias ll='ls -l'\n")
    assert f"Undo: hooktui completion {name} --undo" in told
    world.run("completion", name)
    assert files(world.home) == once
    world.run("completion", name, "--undo")
    assert files(world.home) == before
    assert "nothing to remove" in world.run("completion", name, "--undo").stdout


def test_without_a_name_it_is_the_shell_of_the_user(world: CommandWorld) -> None:
    assert "completion.zsh" in world.run("completion", SHELL="/usr/bin/zsh").stdout
    assert "name your shell: bash, zsh, fish" in world.run("completion", SHELL="/bin/tcsh", code=2).stderr

"""`hooktui warm`: start, stop and status, and an event that starts the warm runner."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hooktui.cli import warm_client
from tests.command_world import DEADLINE_S, CommandWorld, Ended, wait_until


class Warm:
    """The commands, with a runtime directory of their own."""

    def __init__(self, world: CommandWorld, runtime: Path) -> None:
        self.world = world
        self.runtime = str(runtime)

    def __call__(self, *arguments: str, code: int = 0) -> Ended:
        return self.world.run("warm", *arguments, code=code, XDG_RUNTIME_DIR=self.runtime)

    def is_running(self) -> bool:
        return bool(self("status", "--json").json()["running"])

    def event(self) -> subprocess.CompletedProcess[bytes]:
        """Handle an event as an agent does."""
        stdin = json.dumps({"event_type": "pre-tool-call", "session_id": "s", "work_dir": str(self.world.project)}).encode()
        command = (self.world.home / ".local/share/hooktui/hook", "agenthooks")
        env = {**self.world.environment, "XDG_RUNTIME_DIR": self.runtime}
        return subprocess.run(command, input=stdin, env=env, capture_output=True, timeout=DEADLINE_S, check=False)


@pytest.fixture
def warm_commands(world: CommandWorld, tmp_path: Path) -> Iterator[Warm]:
    """The commands; what they start is stopped at the end."""
    (tmp_path / "run").mkdir(mode=0o700)
    try:
        warm_client.compile_to(str(tmp_path / "client"))
    except warm_client.CompileError as error:
        pytest.skip(str(error))
    commands = Warm(world, tmp_path / "run")
    yield commands
    commands("stop")


def test_launcher_reaches_the_runner_until_it_is_stopped(warm_commands: Warm) -> None:
    hook = warm_commands.world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n")
    started = warm_commands("start").stdout
    assert started.startswith("Warm runner started (pid ")
    assert started.endswith("It ends after 30 minutes without events.\n")
    bundle = warm_commands.world.home / ".local/share/hooktui/hook.bundle"
    bundle.write_bytes(b"")  # the cold runner would write it anew
    assert (warm_commands.event().returncode, bundle.read_bytes()) == (2, b"")
    assert warm_commands("stop").stdout == "Warm runner stopped.\n"
    assert warm_commands.event().returncode == 2
    wait_until(bundle.read_bytes)
    assert hook.exists()


def test_status_tells_whether_it_is_running(warm_commands: Warm) -> None:
    assert warm_commands("status").stdout == "The warm runner is not running.\n"
    warm_commands("start")
    status = warm_commands("status", "--json").json()
    assert (status["running"], status["has_client"], status["on_first_use"]) == (True, True, False)
    assert warm_commands("status").stdout.startswith(f"The warm runner is running (pid {status['pid']}, ")


def test_doctor_tells_whether_it_is_running(warm_commands: Warm) -> None:
    def told() -> list[str]:
        checks = warm_commands.world.run("doctor", "--json", code=None, XDG_RUNTIME_DIR=warm_commands.runtime).json()["checks"]
        return [check["message"] for check in checks if check["about"] == "warm runner"]

    assert told() == []
    warm_commands("start")
    assert told()[0].startswith("running (pid ")
    (Path(warm_commands.runtime) / "hooktui").chmod(0o770)
    assert "must be a directory of yours with mode 0700" in told()[0]
    (Path(warm_commands.runtime) / "hooktui").chmod(0o700)


def test_starting_twice_and_stopping_twice_is_no_error(warm_commands: Warm) -> None:
    warm_commands("start")
    assert "already running" in warm_commands("start").stdout
    warm_commands("stop")
    assert warm_commands("stop").stdout == "The warm runner is not running.\n"


def test_clients_of_earlier_boots_are_removed_and_drafts_left_alone(warm_commands: Warm) -> None:
    clients = warm_commands.world.home / ".local/share/hooktui/hook.warm"
    (clients / "draft").mkdir(parents=True)
    (clients / "earlier").write_bytes(b"")
    warm_commands("start")
    assert not (clients / "earlier").exists()
    assert (clients / "draft").is_dir()


def test_event_starts_it_if_the_configuration_says_so(warm_commands: Warm) -> None:
    warm_commands.world.configure("[run]\nwarm = true\n")
    assert "the next event starts it" in warm_commands("status").stdout
    stdin = json.dumps({"event_type": "pre-tool-call", "session_id": "s", "work_dir": str(warm_commands.world.project)})
    warm_commands.world.run("run", stdin=stdin, XDG_RUNTIME_DIR=warm_commands.runtime)
    wait_until(warm_commands.is_running)
    assert warm_commands("stop").stdout.splitlines()[-1].startswith("The next event starts it")


def test_start_says_why_there_is_no_client(world: CommandWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_client, "_PROGRAMS", str(tmp_path))
    ended = world.run("warm", "start", code=1, XDG_RUNTIME_DIR=str(tmp_path))
    assert ended.stderr == (
        "hooktui: cannot start the warm runner: there is no C compiler (cc); each event starts a process, as before\n"
    )


def test_runtime_directory_of_others_is_refused(world: CommandWorld, tmp_path: Path) -> None:
    (tmp_path / "hooktui").mkdir(mode=0o770)
    (tmp_path / "hooktui").chmod(0o770)
    ended = world.run("warm", "start", code=1, XDG_RUNTIME_DIR=str(tmp_path))
    assert f"{tmp_path}/hooktui must be a directory of yours with mode 0700" in ended.stderr

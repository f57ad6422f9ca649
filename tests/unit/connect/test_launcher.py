"""The launcher that hook files call: what it starts, and what it does when hooktui is gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hooktui.connect import bundle, launcher
from hooktui.core import paths
from tests.command_world import wait_until

from .world import World

GUARD = ("/bin/sh", "-c", "cat; echo no >&2; exit 2")
EVENT = b'{"hook_event_name": "Stop", "session_id": "s1"}'


def call(*words: str, event: bytes = EVENT) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([paths.launcher(), *words], input=event, capture_output=True, check=False, timeout=30)


@pytest.fixture(params=["removed", "without hooktui"])
def gone(world: World, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> World:
    """A hooktui whose Python was removed, or no longer has hooktui."""
    python = world.home / "it's a venv/bin/python"
    if request.param == "without hooktui":
        python.parent.mkdir(parents=True)
        python.symlink_to(os.path.realpath(sys.executable))  # outside its virtual environment it has no packages
    with monkeypatch.context() as earlier:
        earlier.setattr(sys, "executable", str(python))
        launcher.write()
    Path(paths.launcher() + bundle.SUFFIX).unlink(missing_ok=True)  # its modules are where they were
    return world


def test_launcher_belongs_to_its_user(world: World) -> None:
    launcher.write()
    path = Path(paths.launcher())
    assert path == world.home / ".local/share/hooktui/hook"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o755, 0o700)


def test_launcher_handles_an_event_and_observes_a_command(world: World) -> None:
    launcher.write()
    assert call("claude").returncode == 0
    assert world.decisions(1) == ["none"]
    done = call("claude", "--", *GUARD)
    assert (done.returncode, done.stdout, done.stderr) == (2, EVENT, b"no\n")
    wait_until(lambda: world.decisions(1) == ["deny"])  # both parts of the event are in one row


def test_launcher_passes_the_event_on_that_a_payload_does_not_name(world: World) -> None:
    launcher.write()
    event = b'{"sessionId": "s", "timestamp": 1, "cwd": "/", "reason": "complete"}'
    done = call("copilot", "sessionEnd", event=event)
    assert (done.returncode, done.stderr) == (0, b"")


def test_observed_command_decides_when_hooktui_is_gone(gone: World) -> None:
    done = call("claude", "--", *GUARD)
    assert (done.returncode, done.stdout, done.stderr) == (2, EVENT, b"no\n")


@pytest.mark.parametrize("host", ["claude", "vscode"])
def test_person_learns_that_hooktui_is_gone(gone: World, host: str) -> None:
    done = call(host)
    message = json.loads(done.stdout)["systemMessage"]
    assert message.startswith(
        "hooktui is gone from ~/it's a venv/bin/python: HOOK.md hooks do not run, and nothing is recorded. "
    )
    assert message.endswith("still runs its own hooks. Install hooktui again, then run `hooktui doctor`.")
    assert (done.returncode, done.stderr) == (0, b"")


def test_copilot_shows_the_line_at_a_prompt_once_and_never_denies_a_tool(gone: World) -> None:
    calls = [call("copilot", event) for event in ("preToolUse", "userPromptSubmitted", "preToolUse", "userPromptSubmitted")]
    assert [(done.returncode, done.stdout) for done in calls] == [(0, b""), (2, b""), (0, b""), (0, b"")]
    assert calls[1].stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "event",
    [
        b'{"session_id":"a1","x":"y"}',
        b'{\n  "x": {"y": 1},\n  "sessionId": "a1"\n}',
        b'{"session_id": "a1", "x": "\\"session_id\\": \\"b\\""}',
    ],
)
def test_person_learns_it_once_per_session(gone: World, event: bytes) -> None:
    assert [call("claude", event=event).stdout != b"" for _ in range(3)] == [True, False, False]
    assert call("vscode", event=event).stdout
    assert call("claude", event=event.replace(b"a1", b"a2")).stdout


def test_person_learns_it_at_every_event_without_a_session_or_a_state_directory(gone: World) -> None:
    nameless = [b"", b"no JSON", b'{"session_id": "../../a"}', b'{"session_id": 5}']
    assert all(call("claude", event=event).stdout for event in nameless * 2)
    state = gone.home / ".local/state"
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text("a file")
    assert call("claude").stdout
    assert call("claude").stdout


def test_marks_of_sessions_are_private(gone: World) -> None:
    call("claude")
    notices = gone.home / ".local/state/hooktui/sessions/notices"
    assert [path.name for path in notices.iterdir()] == ["gone-claude-s1"]
    assert notices.stat().st_mode & 0o077 == 0


def test_command_that_fails_to_import_something_runs_once(world: World) -> None:
    launcher.write()
    done = call("claude", "--", sys.executable, "-c", "print('once', flush=True); import no_such_module")
    assert (done.returncode, done.stdout) == (1, b"once\n")


def test_trouble_names_the_python_that_does_not_serve(gone: World) -> None:
    assert launcher.trouble(paths.launcher()).startswith("~/it's a venv/bin/python ")


def test_connecting_again_repairs_the_launcher(gone: World) -> None:
    gone.connect("claude")
    assert launcher.trouble(paths.launcher()) == ""
    Path(paths.launcher()).unlink()
    assert gone.connect("claude").visible == ()
    assert launcher.trouble(paths.launcher()) == ""

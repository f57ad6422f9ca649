"""The demo explains the program and leaves the user's files unchanged."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hooktui import demo
from hooktui.catalog import catalog
from tests import fork_server
from tests.command_world import DEADLINE_S, HOOKTUI, CommandWorld, wait_until

pytestmark = pytest.mark.slow  # plays the whole demo


# Hooks of hosts without a session in the scenario, and the calls that they must deny.
_REFUSED: Mapping[str, Mapping[str, Any]] = {
    "guard.json:PreToolUse:1": {
        "hook_event_name": "PreToolUse",
        "tool_name": "editFiles",
        "tool_input": {"filePath": "/shop/.env"},
    },
    "copilot.json:preToolUse:1": {"toolName": "bash", "toolArgs": {"command": "git push --force"}},
    "hooks.json:PreToolUse:1": {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "sudo reboot"},
    },
    "settings.json:BeforeTool:1": {
        "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command",
        "tool_input": {"command": "npm publish"},
    },
}


@pytest.fixture(autouse=True)
def _forked_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork what handles the events that this process plays."""
    start = subprocess.run

    def run(command: tuple[str, ...], **options: Any) -> Any:
        if tuple(command[:4]) != HOOKTUI:
            return start(command, **options)
        done = fork_server.run(command[4:], options["input"].encode(), options["env"], options["cwd"], DEADLINE_S)
        return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())

    monkeypatch.setattr(subprocess, "run", run)


@pytest.fixture
def built(world: CommandWorld) -> demo.World:
    """A demo that has not been played."""
    return demo.build(str(world.project / "demo"))


def test_headless_plays_every_lesson_as_expected_and_keeps_its_world(world: CommandWorld) -> None:
    place = world.project / "kept"
    arguments = ("demo", "--headless", "--keep", str(place))
    shown = world.run(*arguments, HOOKTUI_DB=str(world.home / "mine.db"), XDG_STATE_HOME=str(world.home / "state")).stdout
    assert f"{len(demo.scenario())} events in 6 sessions" in shown
    assert "All results as expected." in shown
    assert f"HOME={place} " in shown
    assert list(world.home.iterdir()) == []
    assert list(world.project.iterdir()) == [place]
    logged = [json.loads(line) for line in world.run("log", "--json", HOME=str(place)).stdout.splitlines()]
    assert len(logged) == len(demo.scenario())
    assert len({event["session_id"] for event in logged}) == 6
    runs = [run for event in logged for run in event["hooks"]]
    ways = {run["skip"] or (run["decision"] if run["decision"] != "none" else run["state"]) for run in runs}
    assert ways >= {"deny", "ok", "timeout"}
    assert ways >= {"bad-matcher", "untrusted", "overridden", "tool-mismatch", "pattern-mismatch"}
    assert {"exit-2", "json", "permission"} <= {run["via"] for run in runs}
    assert any(run["modified_input"] for run in runs)
    assert any(run["additional_context"] for run in runs)
    wait_until(lambda: (place / "notifications.log").read_text().count("\n") == 2)  # by async hooks


def test_demo_has_hooks_of_several_hosts_and_only_the_intended_problems(
    built: demo.World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/codex").touch(mode=0o755)  # an agent program of the user changes nothing
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    with built.entered():
        found = catalog.load(built.project)
    assert {hook.format for hook in found.hooks} == {"agenthooks", "claude", "vscode", "copilot", "codex", "gemini", "azure"}
    assert [hook.name for hook in found.hooks if found.trust[hook.id] == "untrusted"] == ["deploy-guard"]
    agents = "/.agents/hooks"
    assert {(problem.code, problem.file.removeprefix(built.project)) for problem in found.diagnostics} == {
        ("bad-regex", f"{agents}/no-secrets/HOOK.md"),
        ("overrides-user-hook", f"{agents}/tests-pass/HOOK.md"),
        ("unit-suspect", f"{agents}/check-links/HOOK.md"),
        ("untrusted", f"{agents}/deploy-guard/HOOK.md"),
        ("host-ignores-matcher", "/.github/hooks/guard.json"),
        ("matches-nothing", "/.claude/settings.json"),
        ("unknown-event", "/.claude/settings.json"),
    }


def test_guards_outside_the_scenario_guard(built: demo.World, world: CommandWorld) -> None:
    for hook, payload in _REFUSED.items():
        arguments = ("try", hook, "--project", built.project, "--payload", "-", "--json")
        assert world.run(*arguments, stdin=dict(payload), HOME=built.home).json()["decision"] == "deny", hook


def test_a_different_result_is_reported(built: demo.World) -> None:
    first = next(demo.play(built, pace=0))
    changed = demo.Played(first.event, {**first.report, "decision": "stop", "hooks": []})
    assert list(changed.differences()) == [
        "publish-fix pre-session: decision stop, expected none",
        "publish-fix pre-session: branch-context not considered, expected ok",
    ]


def test_demo_restores_the_environment(tmp_path: Path) -> None:
    before = dict(os.environ)
    world = demo.build(str(tmp_path / "demo"))
    with world.entered():
        assert os.environ["HOME"] == world.home
        assert "HOOKTUI_DB" not in os.environ
    assert dict(os.environ) == before


def test_a_world_is_settled_when_its_async_hooks_have_ended(built: demo.World, world: CommandWorld) -> None:
    next(one for one in demo.play(built, pace=0) if "started" in {run["state"] for run in one.report["hooks"]})
    demo.settle(built)
    assert world.run("log", "state:started", "--json", HOME=built.home).stdout == ""
    assert (world.project / "demo/notifications.log").read_text().count("\n") == 1


def test_keep_refuses_a_directory_with_files(world: CommandWorld) -> None:
    (world.project / "mine.txt").touch()
    ended = world.run("demo", "--headless", "--keep", str(world.project), code=1)
    assert "not empty" in ended.stderr
    assert [path.name for path in world.project.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("ending", ["the terminal is closed", "two signals"])
def test_demo_cleans_up_however_it_ends(world: CommandWorld, ending: str) -> None:
    pid, terminal = pty.fork()
    if not pid:
        os.execve(HOOKTUI[0], [*HOOKTUI, "demo"], {**world.environment, "TMPDIR": str(world.home)})
    begins_with = "denied by keep-main"
    assert begins_with in read_until(terminal, begins_with)
    assert [path.name[:13] for path in world.home.iterdir()] == ["hooktui-demo-"]
    if ending == "the terminal is closed":
        os.close(terminal)
    else:
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGHUP)
    wait_until(lambda: has_ended(pid, terminal))
    assert list(world.home.iterdir()) == []


def test_leaving_the_demo_says_what_to_do_next(world: CommandWorld) -> None:
    pid, terminal = pty.fork()
    if not pid:
        os.execve(HOOKTUI[0], [*HOOKTUI, "demo"], {**world.environment, "TMPDIR": str(world.home)})
    assert "denied by keep-main" in read_until(terminal, "denied by keep-main")
    os.write(terminal, b"q")
    left = read_until(terminal, "hooktui new --list")
    assert "Now, in a project of yours:\r\n  hooktui  " in left
    wait_until(lambda: has_ended(pid, terminal))


def test_demo_opens_from_an_empty_project_and_returns_to_it(world: CommandWorld) -> None:
    pid, terminal = pty.fork()
    if not pid:
        os.execve(HOOKTUI[0], [*HOOKTUI, str(world.project)], {**world.environment, "TMPDIR": str(world.home)})
    for then, key in (("No hooks here yet.", b"W"), ("denied by keep-main", b"q"), ("No hooks here yet.", b"q")):
        assert then in read_until(terminal, then)
        os.write(terminal, key)
    wait_until(lambda: has_ended(pid, terminal))
    assert not [path for path in world.home.iterdir() if path.name.startswith("hooktui-demo-")]


def has_ended(pid: int, terminal: int) -> bool:
    """Whether a process is gone; reads its output meanwhile, as a terminal does."""
    with suppress(OSError):
        while select.select([terminal], [], [], 0)[0]:
            os.read(terminal, 65536)
    return os.waitpid(pid, os.WNOHANG)[0] == pid


def read_until(terminal: int, text: str) -> str:
    """Read the output of a program until a text appears, it ends, or the deadline passes."""
    shown, deadline = b"", time.monotonic() + DEADLINE_S
    with suppress(OSError):
        while text.encode() not in shown and select.select([terminal], [], [], deadline - time.monotonic())[0]:
            shown += os.read(terminal, 65536)
    return shown.decode(errors="replace")


def test_bad_pattern_of_the_demo_is_fixed_as_described(world: CommandWorld) -> None:
    kept = world.project / "kept"
    demo.build(str(kept))
    hook = kept / "shop/.agents/hooks/no-secrets/HOOK.md"
    hook.write_text(hook.read_text().replace("|secret ", "|secret) "))
    home, shop = str(kept), str(kept / "shop")
    assert "bad-regex" not in world.run("check", shop, HOME=home, code=1).stdout
    status = world.run("status", shop, "--json", HOME=home).json()
    own = next(one["hash"] for one in status["hooks"] if one["name"] == "no-secrets")
    world.run("trust", shop, "--hook", "no-secrets", "--hash", own, HOME=home)
    tried = world.run("try", "no-secrets", "--project", shop, "--json", HOME=home).json()
    assert tried["decision"] == "deny"

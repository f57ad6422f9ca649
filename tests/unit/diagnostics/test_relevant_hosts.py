"""Hooks are checked for other hosts only where those matter (hosts.md, "Traps between hosts")."""

from __future__ import annotations

import json

import pytest

from hooktui.catalog import catalog
from tests.unit.diagnostics.host_files import CLAUDE, VSCODE, found, grouped, one, put
from tests.unit.formats.agenthooks_world import World
from tests.unit.formats.json_world import write

CODE = "host-ignores-matcher"
SETTING = '{"chat.useClaudeHooks": true}'


def program(world: World, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a program."""
    write(world.home / "bin" / name, "#!/bin/sh\n").chmod(0o755)
    monkeypatch.setenv("PATH", str(world.home / "bin"))


def test_host_that_is_not_in_use_is_not_named(world: World) -> None:
    put(world, grouped("true", matcher="Bash"), CLAUDE)
    assert found(world, CODE) == []


def test_vs_code_reads_claude_files_only_with_its_setting(world: World) -> None:
    put(world, grouped("true", matcher="Bash"), CLAUDE)
    write(world.project / ".vscode/settings.json", '{"chat.useClaudeHooks": false}')
    assert found(world, CODE) == []
    write(world.project / ".vscode/settings.json", f"// with comments\n{SETTING[:-1]},}}")
    assert one(world, CODE).hosts == ("vscode",)


def test_setting_of_the_project_wins_over_the_users(world: World) -> None:
    put(world, grouped("true", matcher="Bash"), CLAUDE)
    write(world.home / ".config/Code/User/settings.json", SETTING)
    write(world.home / ".vscode/extensions.json", "{}")
    assert one(world, CODE).hosts == ("vscode",)
    write(world.project / ".vscode/settings.json", '{"chat.useClaudeHooks": false}')
    assert found(world, CODE) == []


@pytest.mark.parametrize("trace", ["~/.copilot/config.json", ".github/copilot/settings.json", "copilot", "connection"])
def test_sign_of_a_host_makes_it_matter(world: World, monkeypatch: pytest.MonkeyPatch, trace: str) -> None:
    put(world, grouped("true", matcher=""), CLAUDE)
    assert found(world, "host-drops-file") == []
    if trace == "connection":
        entry = {"bash": "/x/python -I -m hooktui run --host copilot preToolUse"}
        write(world.project / ".github/hooks/hooktui.json", json.dumps({"version": 1, "hooks": {"preToolUse": [entry]}}))
    elif trace == "copilot":
        program(world, "copilot", monkeypatch)
    else:
        write(world.home / trace[2:] if trace.startswith("~/") else world.project / trace, "{}")
    only = one(world, "host-drops-file")
    assert (only.severity, only.hosts, only.fix) == ("info", ("copilot",), None)
    assert "nothing handles PreToolUse there" in only.message


def test_directory_of_shared_hooks_is_no_sign_of_either_host(world: World) -> None:
    put(world, '{"version": 1, "hooks": {"preToolUse": [{"bash": "true", "matcher": "bash"}]}}')
    assert found(world, CODE) == []


def test_own_host_always_matters(world: World) -> None:
    put(world, grouped("true", matcher="Bash"), VSCODE)
    assert one(world, CODE).hosts == ("vscode",)


@pytest.mark.parametrize(("named", "hosts"), [(["claude"], []), (["vscode"], ["vscode"]), (["claude", "vscode"], ["vscode"])])
def test_named_hosts_matter_and_no_others(world: World, named: list[str], hosts: list[str]) -> None:
    put(world, grouped("true", matcher="Bash"), CLAUDE)
    loaded = catalog.load(str(world.project), named=named)
    assert [host for problem in loaded.diagnostics if problem.code == CODE for host in problem.hosts] == hosts


def test_files_that_no_named_host_reads_are_left_out(world: World) -> None:
    put(world, grouped("./gone.sh"), VSCODE)
    assert one(world, "missing-script").severity == "error"
    named = catalog.load(str(world.project), named=["claude"])
    assert [problem.code for problem in named.diagnostics] == []


@pytest.mark.parametrize(("event", "others", "dropped"), [("PreToolUse", "*", 1), ("Stop", "*", 0), ("Stop", None, 1)])
def test_cursor_drops_claude_files_for_groups_without_a_matcher(
    world: World, event: str, others: str | None, dropped: int
) -> None:
    group = {"hooks": [{"type": "command", "command": "true"}]}
    other = [{**group, **({"matcher": others} if others else {})}]
    write(world.home / ".cursor/argv.json", "{}")
    write(world.project / CLAUDE, json.dumps({"hooks": {event: [group], "SessionEnd": other}}))
    problems = found(world, "host-drops-file")
    assert [(problem.hosts, problem.severity, problem.fix) for problem in problems] == [(("cursor",), "info", None)] * dropped


@pytest.mark.parametrize(
    ("steps", "unhandled"),
    [
        ((), "PreToolUse, Stop and SessionEnd"),
        (("preToolUse", "stop"), "SessionEnd"),
        (("preToolUse", "stop", "sessionEnd"), ""),
    ],
)
def test_a_dropped_file_is_told_for_the_events_that_the_host_does_not_handle_itself(
    world: World, steps: tuple[str, ...], unhandled: str
) -> None:
    group = {"hooks": [{"type": "command", "command": "true"}]}
    events = {event: [group] for event in ("PreToolUse", "Stop", "SessionEnd", "Notification")}
    put(world, json.dumps({"hooks": events}, indent=1), CLAUDE)
    put(world, json.dumps({"version": 1, "hooks": {step: [{"command": "date"}] for step in steps}}), ".cursor/hooks.json")
    messages = [problem.message for problem in found(world, "host-drops-file")]
    assert [message.partition("nothing handles ")[2] for message in messages] == [f"{unhandled} there"] * bool(unhandled)

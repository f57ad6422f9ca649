"""`connect --observe`: the host's own commands run as before, and their decisions are recorded."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hooktui import connect, formats
from hooktui.catalog import catalog
from hooktui.connect import SITES, command_wrapping
from hooktui.connect.connection_places import Scope
from hooktui.runner import trust
from hooktui.scripts import hooktui_commands

from .world import World

EVENT = b'{"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Bash", "tool_input": {}}'


def entries(world: World, path: Path, event: str) -> list[dict[str, Any]]:
    """The entries of an event without ours, in groups or not."""
    items = json.loads(path.read_text())["hooks"][event]
    flat = [entry for item in items for entry in item.get("hooks", [item])]
    return [entry for entry in flat if not _calls_hooktui(entry)]


def _calls_hooktui(entry: dict[str, Any]) -> bool:
    return any(hooktui_commands.runs(entry.get(key), host) for key in ("command", "bash") for host in SITES)


def claude_file(*entries: dict[str, Any], event: str = "PreToolUse") -> str:
    return json.dumps({"hooks": {event: [{"matcher": "Bash", "hooks": list(entries)}]}}, indent=2)


@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("claude", claude_file({"type": "command", "command": "echo 'a b' \\u00e9 ./own"})),
        ("claude", claude_file({"type": "command", "command": "printf", "args": ["%s", "./own"]})),
        ("vscode", '{"hooks": {"PreToolUse": [{"type": "command", "command": "a", "linux": "./own", "bash": "c"}]}}'),
        ("copilot", '{"version": 1, "hooks": {"preToolUse": [{"type": "command", "exec": "a", "args": [ "./own" ] }]}}'),
    ],
)
def test_approved_hooks_stay_approved_while_observed(world: World, host: str, text: str) -> None:
    own = world.file(host).with_name("settings.json")
    world.write(own, text)

    def trusted() -> dict[str, str]:
        found = formats.load(host).discover(str(world.project)).hooks
        return {hook.identity: trust.digest(hook) for hook in found if trust.needs_approval(hook)}

    before = trusted()
    trust.approve(str(world.project), before)
    world.connect(host, observe=True)
    assert own.read_text() != text
    assert trusted() == before
    world.write(own, own.read_text().replace("./own", "./other"))
    assert trusted() != before


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("printf '%s' \"a 'b' $1\"; exit 3", "none"),
        ("cat >&2", "none"),
        ("echo é😀 | tee /dev/stderr; exit 2", "deny"),
    ],
)
def test_an_observed_command_decides_as_before_and_is_logged(world: World, command: str, decision: str) -> None:
    own = world.write(world.file("claude"), claude_file({"type": "command", "command": command}))
    plain = subprocess.run(["/bin/sh", "-c", command], input=EVENT, capture_output=True, check=False)
    world.connect("claude", observe=True)
    observed = subprocess.run(
        ["/bin/sh", "-c", entries(world, own, "PreToolUse")[0]["command"]], input=EVENT, capture_output=True, check=False
    )
    assert (observed.returncode, observed.stdout, observed.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert world.decisions(1) == [decision]


def test_a_program_with_arguments_stays_one(world: World) -> None:
    entry = {"type": "command", "command": "printf", "args": ["%s|", "a b", "$HOME", ""]}
    own = world.write(world.file("claude"), claude_file(entry))
    world.connect("claude", observe=True)
    wrapped = entries(world, own, "PreToolUse")[0]
    done = subprocess.run([wrapped["command"], *wrapped["args"]], input=EVENT, capture_output=True, check=True)
    assert done.stdout == b"a b|$HOME||"
    assert world.decisions(1) == ["none"]


def test_arguments_that_the_host_ignores_make_no_program_of_a_shell_command(world: World) -> None:
    """Copilot starts `exec` without a shell, and a `command` always with one."""
    text = json.dumps({"hooks": {"preToolUse": [{"type": "command", "command": "x", "args": ["a"]}]}})
    own = world.write(world.file("copilot"), text)
    world.connect("copilot", observe=True)
    (entry,) = entries(world, own, "preToolUse")
    assert (hooktui_commands.original(entry["command"], "copilot"), entry["args"]) == ("x", ["a"])


def test_the_wrapper_names_nothing_but_the_host(world: World) -> None:
    own = world.write(world.file("claude"), claude_file({"type": "command", "command": "echo 'two words'"}))
    world.connect("claude", observe=True)
    launcher = f"{world.home}/.local/share/hooktui/hook"
    quoted = "'echo '\"'\"'two words'\"'\"''"
    wrapped = f'[ -x {launcher} ] && set {launcher} claude --; exec "$@" /bin/sh -c {quoted}'
    assert entries(world, own, "PreToolUse")[0]["command"] == wrapped


@pytest.mark.parametrize("arguments", [{}, {"args": ["%s|", "a b", ""]}])
@pytest.mark.parametrize("missing", ["deleted", "not executable"])
def test_observed_command_runs_without_the_launcher(world: World, arguments: dict[str, list[str]], missing: str) -> None:
    command = "printf" if arguments else "printf '%s|' \"it's\"; exit 3"
    own = world.write(world.file("claude"), claude_file({"type": "command", "command": command, **arguments}))
    world.connect("claude", observe=True)
    launcher = world.home / ".local/share/hooktui/hook"
    launcher.unlink() if missing == "deleted" else launcher.chmod(0o644)
    wrapped = entries(world, own, "PreToolUse")[0]
    words = [wrapped["command"], *wrapped["args"]] if arguments else ["/bin/sh", "-c", wrapped["command"]]
    done = subprocess.run(words, input=EVENT, capture_output=True, check=False)
    expected = (0, b"a b||") if arguments else (3, b"it's|")
    assert (done.returncode, done.stdout, done.stderr) == (*expected, b"")


def test_connecting_again_protects_commands_that_were_observed_before(world: World) -> None:
    text = claude_file({"type": "command", "command": "exit 2"})
    own = world.write(world.file("claude"), text)
    world.connect("claude", observe=True)
    former = f"{world.home}/.local/share/hooktui/hook claude -- /bin/sh -c 'exit 2'"
    protected = entries(world, own, "PreToolUse")[0]["command"]
    world.write(own, own.read_text().replace(json.dumps(protected)[1:-1], former))
    world.connect("claude")
    assert entries(world, own, "PreToolUse")[0]["command"] == protected
    world.disconnect("claude")
    assert json.loads(own.read_text()) == json.loads(text)


def test_the_output_of_an_async_hook_is_no_decision(world: World) -> None:
    entry = {"type": "command", "command": "echo no >&2; exit 2", "async": True}
    own = world.write(world.file("claude"), claude_file(entry))
    before = own.read_bytes()
    world.connect("claude", observe=True)
    wrapped = entries(world, own, "PreToolUse")[0]["command"]
    done = subprocess.run(["/bin/sh", "-c", wrapped], input=EVENT, cwd=world.project, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (2, b"no\n")
    assert world.decisions(1) == ["none"]
    world.disconnect("claude")
    assert own.read_bytes() == before


def test_commands_for_windows_and_entries_that_are_no_commands_stay_as_they_are(world: World) -> None:
    windows = {"type": "command", "windows": "a.ps1", "powershell": "b.ps1", "linux": "x", "command": "y"}
    own = world.write(
        world.file("vscode"), json.dumps({"hooks": {"Stop": [windows, {"type": "http", "url": "http://localhost"}]}})
    )
    world.connect("vscode", observe=True)
    first, second = entries(world, own, "Stop")
    assert {key: first[key] for key in ("windows", "powershell")} == {"windows": "a.ps1", "powershell": "b.ps1"}
    assert [hooktui_commands.original(first[key], "vscode") for key in ("linux", "command")] == ["x", "y"]
    assert second == {"type": "http", "url": "http://localhost"}


def test_a_powershell_entry_of_claude_stays_as_it_is(world: World) -> None:
    entry = {"type": "command", "command": "Get-Item x", "shell": "powershell"}
    own = world.write(world.file("claude"), claude_file(entry))
    world.connect("claude", observe=True)
    assert entries(world, own, "PreToolUse") == [entry]


def gemini_file(command: str, timeout: int = 5000) -> str:
    entry = {"type": "command", "command": command, "timeout": timeout}
    return json.dumps({"hooks": {"BeforeTool": [{"hooks": [entry]}]}})


@pytest.mark.parametrize(
    ("command", "timeout", "scope", "directory", "wrapped"),
    [
        ("./guard.sh", 1000, "project", "app", True),
        ("./guard.sh", 999, "project", "app", False),
        ("$GEMINI_PROJECT_DIR/guard.sh", 5000, "project", "app", True),
        ("$GEMINI_PROJECT_DIR/guard.sh", 5000, "project", "my app", False),
        ("$GEMINI_PROJECT_DIR/guard.sh", 5000, "user", "app", False),
        ('"${GEMINI_PROJECT_DIR}"/guard.sh', 5000, "project", "my app", True),
    ],
)
def test_a_command_is_observed_unless_that_would_change_what_it_does(
    world: World, command: str, timeout: int, scope: Scope, directory: str, wrapped: bool
) -> None:
    """Gemini writes the project's quoted path in place of `$GEMINI_PROJECT_DIR`, whatever quotes are around it."""
    project, site = world.project / directory, SITES["gemini"]
    file = site.file(scope, str(project))
    text = gemini_file(command, timeout)
    changed = command_wrapping.with_observed(site, scope, str(project), {file: text})
    assert [hooktui_commands.original(hooks[0]["command"], "gemini") for hooks in _groups(changed)] == [command] * wrapped


def _groups(texts: dict[str, str]) -> list[list[dict[str, str]]]:
    return [group["hooks"] for text in texts.values() for group in json.loads(text)["hooks"]["BeforeTool"]]


def test_the_file_of_the_scope_is_observed_and_no_other(world: World) -> None:
    paths = {scope: world.file("claude", scope) for scope in ("project", "local", "user")}
    for scope, path in paths.items():
        world.write(path, claude_file({"type": "command", "command": scope}))
    before = world.tree()
    plan = world.connect("claude", "local", observe=True)
    assert hooktui_commands.original(entries(world, paths["local"], "PreToolUse")[0]["command"], "claude") == "local"
    assert [name for name, content in world.tree().items() if content != before[name]] == [str(paths["local"])]
    notes = list(connect.notes(plan, str(world.project), observe=True))
    assert [note for note in notes if "observed" in note] == [
        "1 command in ~/.claude/settings.json is not observed: use --scope user --observe",
        f"1 command in {paths['project']} is not observed: use --scope project --observe",
    ]
    world.disconnect("claude", "local")
    assert world.tree() == before


def test_every_file_of_a_shared_directory_is_observed(world: World) -> None:
    text = '{"hooks": {"Stop": [{"type": "command", "command": "mine"}]}}'
    files = [world.write(world.file("vscode").with_name(name), text.replace("mine", name)) for name in ("a.json", "b.json")]
    world.connect("vscode", observe=True)
    observed = [hooktui_commands.original(entries(world, file, "Stop")[0]["command"], "vscode") for file in files]
    assert observed == ["a.json", "b.json"]


def test_files_of_two_hosts_in_one_directory_are_distinguished(world: World) -> None:
    vscode = world.write(world.file("vscode").with_name("v.json"), '{"hooks": {"Stop": [{"type": "command", "command": "x"}]}}')
    copilot = world.write(
        world.file("vscode").with_name("c.json"), '{"hooks": {"agentStop": [{"type": "command", "bash": "x"}]}}'
    )
    before = world.tree()
    world.connect("copilot", observe=True)
    assert before[str(vscode)] == vscode.read_bytes()
    assert hooktui_commands.observed_command(entries(world, copilot, "agentStop")[0]["bash"], "copilot") == ("bash", "-c", "x")
    world.connect("vscode", observe=True)
    world.disconnect("copilot")
    assert hooktui_commands.original(entries(world, vscode, "Stop")[0]["command"], "vscode") == "x"
    world.disconnect("vscode")
    assert world.tree() == before


def test_handlers_that_claude_runs_once_stay_equal(world: World) -> None:
    """Claude runs equal handlers of several files once: an observed one and an unobserved one would both run."""
    text = claude_file({"type": "command", "command": "same"})
    own = world.write(world.file("claude"), text)
    user = world.write(world.file("claude", "user"), text)
    world.connect("claude", observe=True)
    assert json.loads(own.read_text())["hooks"]["PreToolUse"][0] == json.loads(text)["hooks"]["PreToolUse"][0]
    user.unlink()
    world.connect("claude", observe=True)
    observed = entries(world, own, "PreToolUse")
    assert hooktui_commands.original(observed[0]["command"], "claude") == "same"
    world.write(user, text)
    world.connect("claude", "user", observe=True)
    assert entries(world, user, "PreToolUse") == observed


def test_a_file_with_invalid_json_is_not_changed(world: World) -> None:
    broken = world.write(world.file("vscode").with_name("broken.json"), '{"hooks": {"Stop": [{"command": "x"')
    before = broken.read_bytes()
    world.connect("vscode", observe=True)
    assert broken.read_bytes() == before


def test_an_observed_command_whose_literal_was_rewritten_is_still_restored(world: World) -> None:
    own = world.write(world.file("claude"), claude_file({"type": "command", "command": "echo 'é'"}, event="Stop"))
    world.connect("claude", observe=True)
    escaped = json.dumps(json.loads(own.read_text())).replace("'", "\\u0027")
    own.write_text(escaped)
    world.disconnect("claude")
    assert entries(world, own, "Stop")[0]["command"] == "echo 'é'"


@pytest.mark.parametrize("command", ["./gone.sh", "X='a b' ./gone.sh 'it'", 'X="1" ./gone.sh'])
def test_problems_of_an_observed_command_refer_to_the_original_text(world: World, command: str) -> None:
    own = world.write(world.file("claude"), claude_file({"type": "command", "command": command}))

    def blamed() -> str:
        (found,) = [one for one in catalog.load(str(world.project)).diagnostics if one.code == "missing-script"]
        line = own.read_text().splitlines()[found.line - 1]
        assert found.line == found.end_line
        return line[found.column - 1 : found.end_column - 1]

    before = blamed()
    assert "gone.sh" in before
    world.connect("claude", observe=True)
    assert "hooktui" in own.read_text()
    assert blamed() == before

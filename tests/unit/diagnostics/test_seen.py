"""contract.md, `check`: "it also reads the log for what hooks did and printed"; experience.md §4, runtime findings.

Hooks are run by real `hooktui run` processes; what makes them fail stands where no rule on their text can see it.
"""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from hooktui import calls, catalog
from hooktui.model import Run
from tests.command_world import CommandWorld, wait_until
from tests.log_world import LogWorld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hooktui.model import Skip

Found = dict[str, Any]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[CommandWorld]:
    made = CommandWorld(tmp_path)
    yield made
    made.end()


def check(world: CommandWorld, *arguments: str, code: int = 0) -> list[Found]:
    found: list[Found] = world.run("check", "--format", "json", *arguments, code=code).json()["diagnostics"]
    return found


def only(world: CommandWorld, code: str, exits: int = 0) -> Found:
    """The one problem there is, which must have this code."""
    (found,) = check(world, code=exits)
    assert found["code"] == code
    return found


def saying(world: CommandWorld, text: str, then: str, **fields: Any) -> Path:
    """A user's hook that prints a text, which stands in a file beside it, on stderr."""
    directory = world.hook("guard", f'#!/bin/sh\ncat "$(dirname "$0")/said" >&2\n{then}\n', **fields)
    (directory / "scripts/said").write_text(text)
    return directory


def running(world: CommandWorld, command: str, event: str = "PreToolUse", file: str = ".claude/settings.json") -> Path:
    """A user's hook of a host."""
    entry = {"type": "command", "command": command}
    hooks: list[object] = [{"hooks": [entry]}] if "claude" in file else [entry]
    path = world.home / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"hooks": {event: hooks}}, indent=1))
    return path


def answering(world: CommandWorld, answer: object, event: str = "PreToolUse", file: str = ".claude/settings.json") -> Path:
    """A user's hook of a host that prints an answer, which stands in another file."""
    said = world.home / "answer"
    said.write_text(json.dumps(answer))
    return running(world, f"cat {said}", event, file)


def fire(world: CommandWorld, host: str, event: str = "PreToolUse", times: int = 1) -> None:
    """Have a host's own hooks run by its own rules."""
    payload = {"hook_event_name": event, "session_id": "s1", "cwd": str(world.project), "tool_name": "Bash", "tool_input": {}}
    for _ in range(times):
        world.run("run", "--host", host, "--format", host, stdin=payload, code=None)


def place(found: Found) -> tuple[int, int, int]:
    return found["line"], found["column"], found["end_column"]


def command_of(path: Path) -> tuple[int, int, int]:
    """Where the command stands in a hook file, without its quotes."""
    line, text = next((number, line) for number, line in enumerate(path.read_text().split("\n"), 1) if '"command": ' in line)
    start = text.index('"command": ') + len('"command": ')
    return line, start + 2, len(text)


# Blocks that do not block -----------------------------------------------------------------------------------------------------


def test_exit_1_with_words_of_blocking_is_weak_at_the_exit(world: CommandWorld) -> None:
    directory = saying(world, "Blocked: rm -rf /\n", "\n\n\nif true; then\n    exit 1\nfi")
    for _ in range(2):
        world.fire()
    found = only(world, "weak-exit")
    assert (found["file"], place(found)) == (str(directory / "scripts/run"), (7, 5, 11))
    assert "“Blocked: rm -rf /”; seen in all of its last 2 runs, last on 20" in found["message"]
    assert (found["severity"], found["hint"]) == ("warning", "exit 2 with the reason on stderr")


def test_without_an_exit_in_its_text_a_weak_exit_stands_at_the_scripts_first_line(world: CommandWorld) -> None:
    directory = saying(world, "Refused\n", "false")
    world.fire()
    found = only(world, "weak-exit")
    assert (found["file"], place(found)) == (str(directory / "scripts/run"), (1, 1, 10))
    assert "seen in its only run, last on 20" in found["message"]


def test_what_the_text_shows_too_is_said_once_and_counted(world: CommandWorld) -> None:
    world.hook("guard", '#!/bin/sh\necho "Blocked" >&2\nexit 1\n')
    before = only(world, "weak-exit")
    world.fire()
    after = only(world, "weak-exit")
    assert after["message"].startswith(f"{before['message']}; seen in its only run")
    assert {**before, "message": ""} == {**after, "message": ""}


def test_one_script_that_two_hooks_run_is_reported_once(world: CommandWorld) -> None:
    script = world.home / "guard.sh"
    script.write_text('#!/bin/sh\ncat "$HOME/said" >&2\n\n\n\nexit 1\n')
    script.chmod(0o755)
    (world.home / "said").write_text("Blocked\n")
    path = running(world, str(script))
    hooks = json.loads(path.read_text())["hooks"]
    path.write_text(json.dumps({"hooks": {**hooks, "PostToolUse": hooks["PreToolUse"]}}))
    fire(world, "claude")
    fire(world, "claude", "PostToolUse")
    found = only(world, "weak-exit")
    assert (found["file"], place(found), found["message"].count("seen in")) == (str(script), (6, 1, 7), 1)


@pytest.mark.parametrize("said", ["sh: cannot create /x: Permission denied", "curl: (7) Connection refused", "oops", ""])
def test_exit_1_without_words_of_blocking_is_a_failure(said: str, world: CommandWorld) -> None:
    saying(world, said, "exit 1")
    world.fire()
    assert check(world) == []


def test_where_a_failing_hook_denies_exit_1_is_a_block(world: CommandWorld) -> None:
    saying(world, "Blocked\n", "false")
    config = world.home / ".config/hooktui/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[run]\non_hook_failure = "deny"\n')
    assert world.fire()["decision"] == "deny"
    assert check(world) == []


def test_an_async_hook_cannot_block_anyway(world: CommandWorld) -> None:
    saying(world, "Blocked\n", "exit 1", **{"async": True})
    world.fire()
    wait_until(lambda: world.run("log", "state:failed").stdout)
    assert check(world) == []


def test_a_block_on_stop_that_claude_does_not_see(world: CommandWorld) -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "tests fail"}}
    path = answering(world, answer, "Stop")
    fire(world, "claude", "Stop")
    found = only(world, "host-misses-block")
    assert (found["file"], place(found), found["hosts"]) == (str(path), command_of(path), ["claude"])


def test_a_block_on_stop_that_vscode_does_not_see(world: CommandWorld) -> None:
    path = answering(world, {"decision": "block", "reason": "tests fail"}, "Stop", ".copilot/hooks/gate.json")
    fire(world, "vscode", "Stop")
    found = only(world, "host-misses-block")
    assert (found["file"], place(found), found["hosts"]) == (str(path), command_of(path), ["vscode"])


def test_a_block_on_stop_in_both_places_is_seen_by_all(world: CommandWorld) -> None:
    block = {"decision": "block", "reason": "tests fail"}
    answering(world, {**block, "hookSpecificOutput": {"hookEventName": "Stop", **block}}, "Stop", ".copilot/hooks/gate.json")
    fire(world, "vscode", "Stop")
    assert check(world) == []


def test_a_rejection_without_a_reason_that_azure_takes_as_approval(world: CommandWorld) -> None:
    (world.project / "said").write_text('{"ok": false}')
    gate = {"type": "command", "command": "cat said"}
    agent = {"kind": "ExtendedAgent", "metadata": {"name": "a"}, "spec": {"hooks": {"Stop": [gate]}}}
    (world.project / "azuresre.yaml").write_text(json.dumps({"api_version": "azuresre.ai/v2", **agent}))
    status = world.run("status", "--json").json()
    world.run("trust", "--hash", status["hash"])
    payload = {"hook_event_name": "Stop", "agent_name": "a", "cwd": str(world.project), "session_id": "s"}
    world.run("run", "--host", "azure", "--format", "azure", "--project", str(world.project), stdin=payload, code=None)
    found = only(world, "host-misses-block")
    assert found["message"].startswith("rejected without a reason, which the agent takes as approval; seen in its only run")
    assert found["hosts"] == ["azure"]


# Answers that decide nothing --------------------------------------------------------------------------------------------------


def test_output_that_no_host_can_read_is_named(world: CommandWorld) -> None:
    directory = world.hook("guard", '#!/bin/sh\necho "all [good]\x1b[31m"\n')
    world.fire()
    found = only(world, "host-rejects-output")
    assert (found["file"], place(found), found["hosts"]) == (str(directory / "scripts/run"), (1, 1, 10), [])
    assert "the answer decides nothing: stdout is no JSON" in found["message"]
    assert "it printed “all [good]\x1b[31m”; seen in its only run" in found["message"]
    assert "\x1b" not in world.run("check").stdout


def test_an_answer_that_claude_rejects_is_reported_at_the_command(world: CommandWorld) -> None:
    path = answering(world, {"hookSpecificOutput": {"permissionDecision": "deny"}})
    fire(world, "claude")
    found = only(world, "host-rejects-output")
    assert (found["file"], place(found), found["hosts"]) == (str(path), command_of(path), ["claude"])
    assert found["message"].startswith("the answer decides nothing: hookSpecificOutput has no hookEventName: ")
    assert 'it printed “{"hookSpecificOutput": {"permissionDecision": "deny"}}”; seen in its only run' in found["message"]


@pytest.mark.parametrize(
    ("answer", "hosts"),
    [
        ({"permissionDecision": "deny"}, ["claude", "codex"]),
        ({"hookEventName": "PreToolUse", "permissionDecision": "ask"}, ["codex"]),
    ],
)
def test_an_answer_that_only_other_hosts_reject_names_them(answer: object, hosts: list[str], world: CommandWorld) -> None:
    answering(world, {"hookSpecificOutput": answer}, file=".copilot/hooks/a.json")
    fire(world, "vscode")
    found = next(one for one in check(world) if one["code"] == "host-rejects-output")
    assert found["hosts"] == hosts


def test_a_part_of_an_answer_that_does_not_count(world: CommandWorld) -> None:
    world.hook("guard", """#!/bin/sh\necho '{"modified_input": [1]}'\n""")
    world.fire()
    assert only(world, "host-rejects-output")["message"].startswith(
        "part of the answer does not count: modified_input is no object: dropped; seen in its only run"
    )


def test_a_good_answer_is_no_problem(world: CommandWorld) -> None:
    world.hook("guard", """#!/bin/sh\necho '{"decision": "deny", "reason": "no"}'\n""")
    answering(world, {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}})
    world.fire()
    fire(world, "claude")
    assert check(world) == []


# Hooks that never work --------------------------------------------------------------------------------------------------------


def test_a_command_that_cannot_be_started_three_times_is_an_error(world: CommandWorld) -> None:
    path = running(world, "no-such-guard --quick")
    fire(world, "claude", times=2)
    assert check(world) == []
    fire(world, "claude")
    found = only(world, "bad-command", exits=1)
    assert (found["file"], place(found), found["severity"]) == (str(path), command_of(path), "error")
    assert "the hook cannot be started: exited with 127, saying “" in found["message"]
    assert "no-such-guard" in found["message"]
    assert "seen in all of its last 3 runs" in found["message"]


def test_a_missing_script_is_said_once(world: CommandWorld) -> None:
    running(world, f"{world.home}/gone.sh")
    fire(world, "claude", times=3)
    found = only(world, "missing-script", exits=1)
    assert found["message"].endswith(f"seen in all of its last 3 runs, last on {found['message'][-16:]}")


def test_a_hook_of_which_every_run_failed_is_reported(world: CommandWorld) -> None:
    directory = saying(world, "no network\n", "exit 3")
    for _ in range(3):
        world.fire()
    found = only(world, "never-fires")
    assert (found["severity"], found["file"], place(found)) == ("warning", str(directory / "scripts/run"), (1, 1, 10))
    assert "the hook never does its work: exited with 3, saying “no network”; seen in all of its last 3" in found["message"]


def test_a_hook_that_always_times_out_is_reported(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\nexec sleep 60\n", timeout=1000)
    for _ in range(3):
        world.fire()
    assert "the hook never does its work: timed out after 1000 ms; seen in all" in only(world, "never-fires")["message"]


def test_a_timeout_in_the_wrong_unit_is_the_cause_of_what_was_seen(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\nexec sleep 60\n", timeout=100)
    for _ in range(3):
        world.fire()
    assert "; seen in all of its last 3 runs, last on 20" in only(world, "unit-suspect")["message"]


def test_a_hook_that_worked_once_is_left_alone(world: CommandWorld) -> None:
    directory = world.hook("guard", '#!/bin/sh\ntest -e "$(dirname "$0")/good" || exit 3\n')
    for _ in range(3):
        world.fire()
    assert [one["code"] for one in check(world)] == ["never-fires"]
    (directory / "scripts/good").touch()
    world.fire()
    assert check(world) == []


# Matchers that match nothing --------------------------------------------------------------------------------------------------


def passed_by(world: CommandWorld, monkeypatch: pytest.MonkeyPatch, skip: Skip, times: int, first: int = 0) -> None:
    """Record so many events that the hooks were considered for, and not wanted by their matchers."""
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(world.home))
    log = LogWorld(str(world.db))
    log.count = first
    runs = [Run(id=0, hook=hook, state="skipped", skip=skip) for hook in catalog.load(str(world.project)).hooks]
    for number in range(times):
        log.add(tool="Bash" if number % 3 else "Read", runs=runs)


def test_a_matcher_that_wanted_none_of_500_events(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = world.hook("guard", matcher={"tool": "Shell"})
    passed_by(world, monkeypatch, "tool-mismatch", 499)
    assert check(world) == []
    passed_by(world, monkeypatch, "tool-mismatch", 1, first=499)
    found = only(world, "matches-nothing")
    assert (found["file"], place(found), found["severity"]) == (str(directory / "HOOK.md"), (5, 19, 26), "warning")
    assert "the matcher has matched nothing so far; none of the last 500 events, the last on 2026-01-21" in found["message"]
    assert found["hint"] == "tools were Bash, Read"


def test_a_pattern_that_lies_in_wait_is_worth_a_remark(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world.hook("guard", matcher={"tool": "Bash", "pattern": "rm -rf /"})
    passed_by(world, monkeypatch, "pattern-mismatch", 500)
    found = only(world, "matches-nothing")
    assert (found["severity"], place(found)) == ("info", (5, 38, 48))
    assert "matches-nothing: the pattern has matched nothing so far" in world.run("check").stdout


def test_a_matcher_that_wanted_one_event_matches_something(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world.hook("guard", matcher={"tool": "Shell"})
    world.fire(tool_name="Shell", tool_input={})
    passed_by(world, monkeypatch, "tool-mismatch", 500)
    assert check(world) == []


def test_the_matcher_of_a_host_is_reported_at_its_value(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    path = running(world, "true", "preToolUse", ".copilot/hooks/a.json")
    path.write_text(path.read_text().replace('"type"', '"matcher": "shell.*",\n"type"'))
    passed_by(world, monkeypatch, "tool-mismatch", 500)
    found = next(one for one in check(world) if one["code"] == "matches-nothing")
    line = path.read_text().split("\n")[found["line"] - 1]
    assert (found["file"], line[found["column"] - 1 : found["end_column"] - 1]) == (str(path), '"shell.*"')


# What counts ------------------------------------------------------------------------------------------------------------------


def test_a_hook_that_was_mended_since_starts_anew(world: CommandWorld) -> None:
    directory = saying(world, "Blocked\n", "false")
    world.fire()
    assert only(world, "weak-exit")
    script = directory / "scripts/run"
    script.write_text(script.read_text().replace("false", "exit 2"))
    assert check(world) == []


def test_a_script_that_only_a_command_names_starts_anew_when_it_changes(world: CommandWorld) -> None:
    script = world.home / "guard.sh"
    script.write_text('#!/bin/sh\ncat "$HOME/said" >&2\nfalse\n')
    script.chmod(0o755)
    (world.home / "said").write_text("Blocked\n")
    running(world, str(script))
    fire(world, "claude")
    assert only(world, "weak-exit")
    script.write_text('#!/bin/sh\ncat "$HOME/said" >&2\nexit 2\n')
    assert check(world) == []


def test_tries_do_not_count(world: CommandWorld) -> None:
    saying(world, "Blocked\n", "false")
    world.run("try", "guard", code=None)
    assert check(world) == []


def test_a_hook_that_is_off_has_nothing_to_answer_for(world: CommandWorld) -> None:
    path = answering(world, {"hookSpecificOutput": {"permissionDecision": "deny"}})
    fire(world, "claude")
    assert only(world, "host-rejects-output")
    path.write_text(json.dumps({"disableAllHooks": True, **json.loads(path.read_text())}))
    assert check(world) == []


def test_what_a_host_ran_itself_and_exec_recorded_counts(world: CommandWorld) -> None:
    path = answering(world, {"hookSpecificOutput": {"permissionDecision": "deny"}})
    about = calls.Observed("claude", "settings.json:PreToolUse:1", str(path))
    wrapped = shlex.join((*calls.arguments(about), "/bin/sh", "-c", f"cat {world.home / 'answer'}"))
    running(world, wrapped)
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(world.project), "tool_name": "Bash"}
    subprocess.run(["/bin/sh", "-c", wrapped], input=json.dumps(event).encode(), env=world.environment, check=True)
    wait_until(lambda: world.run("log").stdout)
    found = only(world, "host-rejects-output")
    assert "hookSpecificOutput has no hookEventName" in found["message"]


# The log ----------------------------------------------------------------------------------------------------------------------


def test_no_log_leaves_out_what_the_log_knows(world: CommandWorld) -> None:
    saying(world, "Blocked\n", "false")
    world.fire()
    assert [one["code"] for one in check(world)] == ["weak-exit"]
    assert check(world, "--no-log") == []


def test_another_log_can_be_named(world: CommandWorld) -> None:
    saying(world, "Blocked\n", "false")
    world.fire()
    other = world.home / "other.db"
    world.db.rename(other)
    world.db.with_name("log.db-wal").rename(f"{other}-wal")
    assert check(world) == []
    assert [one["code"] for one in check(world, "--db", str(other))] == ["weak-exit"]


def test_a_log_that_cannot_be_read_is_one_line_beside_the_text(world: CommandWorld) -> None:
    world.hook("guard")
    world.db.parent.mkdir(parents=True)
    world.db.write_bytes(b"this is no database, though it is long enough to be one" * 100)
    told = world.run("check")
    assert told.stdout == "1 hook in 1 file: 0 errors, 0 warnings\n"
    assert told.stderr.startswith("hooktui: what the hooks did is left out: ~/.local/state/hooktui/log.db cannot be read")
    assert told.stderr.count("\n") == 1
    assert world.run("check", "--format", "json").stderr == ""


def test_a_newer_log_finds_nothing(world: CommandWorld) -> None:
    saying(world, "Blocked\n", "false")
    world.fire()
    connection = sqlite3.connect(world.db)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    told = world.run("check")
    assert "0 warnings" in told.stdout
    assert "newer hooktui" in told.stderr


def test_without_a_log_nothing_is_said(world: CommandWorld) -> None:
    world.hook("guard")
    told = world.run("check")
    assert (told.stdout, told.stderr) == ("1 hook in 1 file: 0 errors, 0 warnings\n", "")
    assert not world.db.exists()


def test_what_was_seen_fits_every_output(world: CommandWorld) -> None:
    saying(world, "Blocked [bold]\n", "false")
    world.fire()
    assert "warning weak-exit: exit 1 is a failure" in world.run("check").stdout
    assert world.run("check", "--format", "github").stdout.startswith("::warning file=")
    result = world.run("check", "--format", "sarif").json()["runs"][0]["results"][0]
    assert (result["ruleId"], result["level"]) == ("weak-exit", "warning")

"""The runs that findings count, and the log that they come from."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess

from tests.command_world import CommandWorld, wait_until
from tests.unit.runtime_findings.hooks_that_ran import answering, check, fire, only, running, saying


def test_a_repaired_hook_starts_a_new_history(world: CommandWorld) -> None:
    directory = saying(world, "Blocked\n", "false")
    world.fire()
    assert only(world, "weak-exit")
    script = directory / "scripts/run"
    script.write_text(script.read_text().replace("false", "exit 2"))
    assert check(world) == []


def test_a_change_of_a_script_that_only_a_command_names_starts_a_new_history(world: CommandWorld) -> None:
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


def observed(world: CommandWorld, command: str) -> None:
    """A host runs a user's hook by itself, and `exec` records it."""
    running(world, command)
    world.run("connect", "claude", "--scope", "user", "--observe", "--events", "needed", "--yes")
    settings = json.loads((world.home / ".claude/settings.json").read_text())
    wrapped = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(world.project), "tool_name": "Bash"}
    subprocess.run(
        ["/bin/sh", "-c", wrapped], input=json.dumps(event).encode(), env=world.environment, check=False, cwd=world.project
    )
    wait_until(lambda: world.run("log").stdout)


def test_what_a_host_ran_itself_and_exec_recorded_counts(world: CommandWorld) -> None:
    answering(world, {"hookSpecificOutput": {"permissionDecision": "deny"}})
    observed(world, f"cat {world.home / 'answer'}")
    found = only(world, "host-rejects-output")
    assert "hookSpecificOutput has no hookEventName" in found["message"]


def test_a_change_of_a_script_that_its_host_ran_starts_a_new_history_whatever_its_time(world: CommandWorld) -> None:
    script = world.home / "guard.sh"
    script.write_text("#!/bin/sh\necho Blocked >&2; exit 1\n")
    script.chmod(0o755)
    observed(world, f"{script} --strict")
    assert only(world, "weak-exit")
    before = script.stat()
    script.write_text("#!/bin/sh\necho Blocked >&2; exit 2\n")
    os.utime(script, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert check(world) == []


def test_no_log_leaves_out_what_the_log_knows(world: CommandWorld) -> None:
    saying(world, "Blocked\n", "false")
    world.fire()
    assert [one["code"] for one in check(world)] == ["weak-exit"]
    assert check(world, "--no-log") == []


def test_another_log_can_be_named(world: CommandWorld) -> None:
    saying(world, "Blocked\n", "false")
    world.fire()
    other = world.home / "other.db"
    world.stored().rename(other)
    assert check(world) == []
    assert [one["code"] for one in check(world, "--db", str(other))] == ["weak-exit"]


def test_an_unreadable_log_is_one_line_after_the_text(world: CommandWorld) -> None:
    world.hook("guard")
    world.db.parent.mkdir(parents=True)
    world.db.write_bytes(b"this is no database, though it is long enough to be one" * 100)
    told = world.run("check")
    assert told.stdout == "1 hook in 1 file: 0 errors, 0 warnings\n"
    assert told.stderr.startswith("hooktui: problems in the log are left out: ~/.local/state/hooktui/log.db cannot be read")
    assert told.stderr.count("\n") == 1
    assert world.run("check", "--format", "json").stderr == ""


def test_a_newer_log_finds_nothing(world: CommandWorld) -> None:
    saying(world, "Blocked\n", "false")
    world.fire()
    connection = sqlite3.connect(world.stored())
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    told = world.run("check")
    assert "0 warnings" in told.stdout
    assert "newer hooktui" in told.stderr


def test_without_a_log_there_are_no_findings(world: CommandWorld) -> None:
    world.hook("guard")
    told = world.run("check")
    assert (told.stdout, told.stderr) == ("1 hook in 1 file: 0 errors, 0 warnings\n", "")
    assert not world.db.exists()


def test_what_was_seen_fits_every_output(world: CommandWorld) -> None:
    saying(world, "Blocked [bold]\n", "false")
    world.fire()
    assert "warning: exit 1 is a failure" in world.run("check").stdout
    assert world.run("check", "--format", "github").stdout.startswith("::warning file=")
    result = world.run("check", "--format", "sarif").json()["runs"][0]["results"][0]
    assert (result["ruleId"], result["level"]) == ("weak-exit", "warning")

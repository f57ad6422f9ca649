from __future__ import annotations

import json
import sqlite3
import threading
from typing import Any

import pytest

from tests.command_world import CommandWorld, wait_until


def _lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_json_lines_are_reports_with_their_time_oldest_first(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n")
    reports = [world.fire(tool_name="Shell", tool_input={"command": command}) for command in ("first", "second")]
    logged = _lines(world.run("log", "--json").stdout)
    assert [one["id"] for one in logged] == [one["id"] for one in reports]
    for one, report in zip(logged, reports, strict=True):
        assert one.pop("at").endswith("Z")
        assert one.pop("payload")["tool_name"] == "Shell"
        assert one.pop("title") == ""  # there was no prompt
        assert (one.pop("outcome"), one.pop("hooks_recorded")) == ("denied-by-hook", "all")
        assert one == report


def test_limit_prints_the_newest(world: CommandWorld) -> None:
    for session in ("a", "b", "c"):
        world.fire(session_id=session)
    assert [one["session_id"] for one in _lines(world.run("log", "--json", "-n", "2").stdout)] == ["b", "c"]
    assert world.run("log", "-n", "0").stdout == ""


def test_query_selects_and_a_minus_negates_a_term(world: CommandWorld) -> None:
    world.fire("pre-session")
    world.fire("post-session")
    found = _lines(world.run("log", "--json", "-event:pre-*").stdout)
    assert [one["event"] for one in found] == ["post-session"]
    found = _lines(world.run("log", "event:pre-*", "--json", "-decision:deny").stdout)
    assert [one["event"] for one in found] == ["pre-session"]


def test_invalid_term_is_reported_in_one_line(world: CommandWorld) -> None:
    ended = world.run("log", "evnt:x", code=2)
    assert "evnt" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_show_accepts_the_id_from_the_text(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\necho not today >&2\nexit 2\n")
    report = world.fire(tool_name="Shell", tool_input={"command": "ls"})
    number, *_ = world.run("log").stdout.split()
    assert number == report["id"]
    shown = world.run("show", number).stdout
    assert "pre-tool-call Shell: deny" in shown
    assert "reason: not today" in shown
    assert world.run("show", number, "--json").json()["hooks"] == report["hooks"]


def test_escape_sequences_that_a_hook_printed_are_made_visible(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\nprintf '\\033]0;title\\007no' >&2\nexit 2\n")
    number = world.fire(tool_name="[bold]Shell", tool_input={})["id"]
    for shown in (world.run("log").stdout, world.run("show", number).stdout, world.run("log", "--json").stdout):
        assert "\x1b" not in shown
        assert "[bold]Shell" in shown


def test_show_of_an_unknown_id_says_where_to_find_ids(world: CommandWorld) -> None:
    world.fire()
    assert "no decision 0000000000001" in world.run("show", "0000000000001", code=1).stderr
    assert "not an ID: rubbish" in world.run("show", "rubbish", code=2).stderr


def test_follow_prints_new_events_and_ends_cleanly_on_interrupt(world: CommandWorld) -> None:
    world.fire(session_id="before")
    follower = world.start("log", "--json", "--follow")
    assert json.loads(follower.line())["session_id"] == "before"
    for session in ("one", "two"):
        world.fire(session_id=session)
        assert json.loads(follower.line())["session_id"] == session
    follower.interrupt()
    ended = follower.wait()
    assert (ended.code, ended.stderr) == (0, "")


def test_follow_shows_a_dispatch_that_began_earlier_and_ended_later(world: CommandWorld) -> None:
    slow = "#!/bin/sh\ntouch begun\nwhile [ ! -e go ]; do sleep 0.01; done\n"
    world.hook("slow", slow, matcher={"tool": "Slow"})
    follower = world.start("log", "--json", "--follow")
    event = {"event_type": "pre-tool-call", "session_id": "slow", "tool_name": "Slow", "work_dir": str(world.project)}
    slow_one = threading.Thread(target=world.spawn, args=("run",), kwargs={"stdin": json.dumps(event)})
    slow_one.start()
    wait_until((world.project / "begun").exists)
    world.fire(tool_name="Quick", session_id="quick")
    assert json.loads(follower.line())["session_id"] == "quick"
    (world.project / "go").touch()
    assert json.loads(follower.line())["session_id"] == "slow"
    slow_one.join()


def test_follow_waits_for_the_log_to_be_created(world: CommandWorld) -> None:
    follower = world.start("log", "-f", "--json")
    world.fire(session_id="first")
    assert json.loads(follower.line())["session_id"] == "first"


def test_follow_ends_when_the_pipe_closes(world: CommandWorld) -> None:
    world.fire()
    follower = world.start("log", "--follow")
    follower.line()
    follower.stop_reading()
    ended = follower.wait()
    assert (ended.code, ended.stderr) == (0, "")


def test_log_imports_the_spool_first(world: CommandWorld) -> None:
    world.fire(session_id="before")
    busy = sqlite3.connect(world.stored(), isolation_level=None)
    busy.execute("BEGIN IMMEDIATE")
    world.fire(session_id="spooled")
    busy.execute("ROLLBACK")
    busy.close()
    assert world.db.with_name("log.db.spool").stat().st_size > 0
    assert [one["session_id"] for one in _lines(world.run("log", "--json").stdout)] == ["before", "spooled"]
    assert not world.db.with_name("log.db.spool").exists()


def test_a_log_that_is_only_a_spool_yet_can_be_read(world: CommandWorld) -> None:
    other = world.home / "elsewhere" / "other.db"
    event = {"event_type": "pre-tool-call", "session_id": "first", "work_dir": str(world.project)}
    world.run("run", stdin=event, HOOKTUI_DB=str(other))
    assert not other.exists()
    assert [line["session_id"] for line in _lines(world.run("log", "--json", "--db", str(other)).stdout)] == ["first"]


@pytest.mark.parametrize("command", [("log",), ("log", "--json"), ("show", "0000000000001")], ids=" ".join)
def test_corrupt_log_is_reported_in_one_line_with_a_remedy(world: CommandWorld, command: tuple[str, ...]) -> None:
    world.db.parent.mkdir(parents=True)
    world.db.write_bytes(b"no database at all" * 1000)
    ended = world.run(*command, code=1)
    assert "hooktui doctor" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_newer_log_is_not_touched(world: CommandWorld) -> None:
    world.fire()
    newer = sqlite3.connect(world.stored())
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    assert "newer hooktui" in world.run("log", code=1).stderr


def test_missing_log_is_empty_and_says_so(world: CommandWorld) -> None:
    ended = world.run("log")
    assert ended.stdout == ""
    assert "No decisions yet" in ended.stderr
    assert not world.db.exists()
    assert world.run("log", "--json").stdout == ""


def test_query_without_results_says_so(world: CommandWorld) -> None:
    world.fire()
    ended = world.run("log", "decision:rewrote")
    assert (ended.stdout, ended.stderr) == ("", "No decisions match.\n")


def test_lines_speak_the_words_of_the_agent_in_aligned_columns(world: CommandWorld) -> None:
    session = "0de1f2a3-1111-2222-3333-444455556666"
    base = {"session_id": session, "cwd": str(world.project)}
    file = {"file_path": str(world.project / "src/app.js")}
    for event, fields in (
        ("UserPromptSubmit", {"prompt": "Add a discount"}),
        ("PreToolUse", {"tool_name": "Edit", "tool_input": file}),
    ):
        world.run("run", "--host", "claude", stdin={"hook_event_name": event, **base, **fields})
    prompt, call = world.run("log").stdout.splitlines()
    assert [line[31:38].rstrip() for line in (prompt, call)] == ["none", "none"]
    assert [line[40:59].rstrip() for line in (prompt, call)] == ["UserPromptSubmit", "PreToolUse"]
    assert [line[61:109].rstrip() for line in (prompt, call)] == ["Add a discount", "Edit src/app.js"]
    assert prompt.index(" ms  0de1f2a3  –") == call.index(" ms  0de1f2a3  –")
    for columns, about in ((80, "Add a disc"), (120, "Add a discount"), (200, "Add a discount")):
        prompt, call = world.at_terminal("log", columns=columns).stdout.splitlines()
        assert about in prompt
        assert max(map(len, (prompt, call))) <= columns


def test_rows_name_their_project_where_the_log_has_several(world: CommandWorld) -> None:
    world.fire()
    assert "elsewhere" not in world.run("log").stdout
    other = world.project.parent / "elsewhere"
    other.mkdir()
    world.fire(work_dir=str(other))
    assert [line[40:54].rstrip() for line in world.run("log").stdout.splitlines()] == [world.project.name, "elsewhere"]
    assert "elsewhere" not in world.run("log", f"project:{other}").stdout


def test_db_option_selects_another_log(world: CommandWorld) -> None:
    world.fire()
    copy = world.project / "copy.db"
    sqlite3.connect(world.stored()).execute(f"VACUUM INTO '{copy}'").connection.close()
    world.fire()
    assert len(_lines(world.run("log", "--json", "--db", str(copy)).stdout)) == 1
    assert world.run("log", "--db", "missing.db", code=2).stderr

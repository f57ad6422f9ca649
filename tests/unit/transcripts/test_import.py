"""`hooktui import`: what agents wrote before hooktui was there is in the log, once."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.command_world import DEADLINE_S, CommandWorld, wait_until
from tests.unit.transcripts.past_imports import ALL, FORK, HOOKS, imported, install, logged
from tests.unit.transcripts.sample_trees import SAMPLES, TREES, agent_of


@pytest.mark.parametrize("name", [name for name, tree in TREES.items() if agent_of(tree) and (SAMPLES / name).is_dir()])
def test_every_sample_is_in_the_log_with_its_titles(name: str, world: CommandWorld) -> None:
    install(world, name)
    imported(world)
    events = logged(world)
    expected = {session["id"]: session for session in TREES[name]["sessions"]}
    assert {event["session_id"]: event["title"] for event in events} == {key: one["title"] for key, one in expected.items()}
    for key, session in expected.items():
        own = [event for event in events if event["session_id"] == key and event["event"] != "pre-session"]
        assert len(own) == sum(event["event"] != "pre-session" for event in session["events"])
        calls = {(event["payload"].get("tool_use_id"), event["outcome"]) for event in own if event["event"] == "pre-tool-call"}
        if TREES[name]["host"] == "claude":
            wanted = [event for event in session["events"] if event["event"] == "pre-tool-call"]
            assert calls == {(event["id"], event["outcome"]) for event in wanted}
    assert {event["origin"] for event in events} == {"transcript"}


def test_a_denied_call_has_the_hook_its_reason_and_the_payload_of_that_time(world: CommandWorld) -> None:
    install(world, HOOKS)
    imported(world)
    (event,) = logged(world, "decision:deny", "curl")
    assert (event["event"], event["tool_name"], event["outcome"]) == ("pre-tool-call", "Bash", "denied-by-hook")
    assert event["reason"] == "no network"
    assert event["hooks_recorded"] == "some"
    (hook,) = event["hooks"]
    assert (hook["state"], hook["decision"], hook["exit_code"], hook["origin"]) == ("ok", "deny", 2, "transcript")
    assert event["payload"]["tool_input"] == {"command": "curl x", "description": "d"}
    assert event["payload"]["hook_event_name"] == "PreToolUse"
    assert event["payload"]["cwd"] == "/PROJECT"
    assert event["payload"]["permission_mode"] == "default"


def test_a_duration_that_no_transcript_tells_is_unknown_everywhere(world: CommandWorld) -> None:
    install(world, HOOKS)
    imported(world)
    told = [event for event in logged(world) if event["tool_name"] == "Bash"]
    unknown = next(event for event in told if event["decision"] == "deny" and "curl" in str(event["payload"]))
    known = next(event for event in told if event["hooks"] and event["duration_ms"])
    assert (unknown["duration_ms"], unknown["hooks"][0]["duration_ms"]) == (None, None)
    assert known["hooks"][0]["duration_ms"] == known["duration_ms"] > 0
    assert "curl" in (line := next(line for line in world.run("log", "curl").stdout.splitlines() if "deny" in line))
    assert " ms" not in line
    assert " ms" not in world.run("show", unknown["id"]).stdout.split("input")[0]
    world.run("export", "curl decision:deny", "--format", "csv", "-o", "out.csv")
    world.run("export", "curl decision:deny", "--format", "md", "-o", "out.md")
    (row,) = csv.DictReader((world.project / "out.csv").read_text().splitlines())
    assert row["duration_ms"] == ""
    table = (world.project / "out.md").read_text().partition("## Events")[2]
    assert "| – |" in table
    assert "0.0" not in table


def test_an_older_gemini_session_is_a_document_that_is_written_anew(world: CommandWorld) -> None:
    home = install(world, "gemini/tools-hooks-resume")
    (path,) = home.rglob("session-*.jsonl")
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    imported(world)
    expected = _told(logged(world, "event:pre-tool-call"))
    world.run("import", "--forget")
    path.unlink()
    last = {record["id"]: record for record in records if "id" in record}
    document = {**records[0], "messages": list(last.values())[:3]}
    path.with_suffix(".json").write_text(json.dumps(document, indent=1))
    assert imported(world)["gemini"]["sessions"] == 1
    document["messages"] = list(last.values())
    path.with_suffix(".json").write_text(json.dumps(document, indent=1))
    imported(world)
    assert [call.replace('.json"', '.jsonl"') for call in _told(logged(world, "event:pre-tool-call"))] == expected
    assert len(logged(world, "event:pre-session")) == 1
    assert imported(world) == {}


def test_codex_titles_come_from_its_database(world: CommandWorld) -> None:
    home = install(world, "codex/tools-hooks-resume")
    with closing(sqlite3.connect(home / "state_5.sqlite")) as database:
        database.execute("CREATE TABLE threads (id TEXT PRIMARY KEY, title TEXT NOT NULL)")
        database.execute("INSERT INTO threads VALUES ('01a20343-ab61-79b0-a209-646de8bb99ac', 'Fix the login\nsoon')")
        database.commit()
    (home / "state_10.sqlite-wal").touch()
    imported(world)
    assert {event["title"] for event in logged(world)} == {"Fix the login"}


def test_a_session_that_codex_has_compressed_is_the_same_or_told_not_to_be_read(world: CommandWorld) -> None:
    home = install(world, "codex/tools-hooks-resume")
    (session,) = home.glob("sessions/*/*/*/*.jsonl")
    content = session.read_bytes()
    blocks = [content[start : start + 100_000] for start in range(0, len(content), 100_000)]
    sizes = [(len(block) << 3 | (block is blocks[-1])).to_bytes(3, "little") for block in blocks]
    raw = b"".join(size + block for size, block in zip(sizes, blocks, strict=True))
    frame = b"\x28\xb5\x2f\xfd\xa0" + len(content).to_bytes(4, "little") + raw  # Zstandard without compression
    session.with_suffix(".jsonl.zst").write_bytes(frame)
    (programs := world.project / "bin").mkdir()
    (whole := world.project / "whole").write_bytes(content)
    session.unlink()
    if sys.version_info < (3, 14):
        told = world.run("import", *ALL, PATH=str(programs)).stdout
        assert "Codex" in told
        assert "1 file not read: compressed with Zstandard" in told
    (programs / "zstd").write_text(f"#!/bin/sh\ncat '{whole}'\n")
    (programs / "zstd").chmod(0o755)
    world.run("import", *ALL, PATH=f"{programs}:{os.environ['PATH']}")
    events = logged(world)
    session.write_bytes(content)  # as it was before
    world.run("import", *ALL)
    assert [event["id"] for event in logged(world)] == [event["id"] for event in events]
    assert len(events) == 20


def test_codex_calls_are_those_that_a_hook_would_see(world: CommandWorld) -> None:
    install(world, "codex/tools-hooks-resume")
    imported(world)
    first = logged(world, "event:pre-tool-call")[0]
    assert (first["tool_name"], first["payload"]["tool_input"]) == ("Bash", {"command": "echo one"})


def test_a_second_import_reads_nothing_twice(world: CommandWorld) -> None:
    install(world, HOOKS)
    first = imported(world)["claude"]
    assert first["sessions"] == 2
    before = logged(world)
    assert imported(world) == {}
    assert logged(world) == before
    assert len(before) == first["events"]


def test_a_growing_transcript_is_continued_where_it_ended(world: CommandWorld) -> None:
    home = install(world, HOOKS)
    path = next(home.glob("projects/*/6c*.jsonl"))
    lines = path.read_bytes().splitlines(keepends=True)
    for end in range(0, len(lines), 9):
        path.write_bytes(b"".join(lines[:end]) + lines[end][:40])
        imported(world)
    path.write_bytes(b"".join(lines))
    imported(world)
    grown = _told(logged(world))
    world.run("import", "--forget")
    assert logged(world) == []
    imported(world)
    assert _told(logged(world)) == grown


def _told(events: list[dict[str, Any]]) -> list[Any]:
    """Events without their ids."""
    return sorted(
        json.dumps([event[name] for name in ("at", "event", "tool_name", "payload", "outcome", "decision", "reason")])
        + json.dumps([[hook[name] for name in ("label", "state", "decision", "stdout", "reason")] for hook in event["hooks"]])
        for event in events
    )


def test_a_fork_does_not_count_its_copies_whichever_is_read_first(world: CommandWorld) -> None:
    home = install(world, FORK)
    (fork,) = home.glob("projects/*/eab0*.jsonl")
    kept = fork.read_bytes()
    fork.unlink()
    imported(world)
    assert len(logged(world, "session:accb4641-6d89-439b-a5a3-309e2dc4bd5b", "event:pre-tool-call")) == 5
    fork.write_bytes(kept)
    imported(world)
    inputs = [event["payload"]["tool_input"]["command"] for event in logged(world, "event:pre-tool-call")]
    assert len(inputs) == len(set(inputs)) == 9


def test_a_replaced_transcript_is_read_again_without_repeating(world: CommandWorld) -> None:
    home = install(world, HOOKS)
    imported(world)
    before = logged(world)
    path = next(home.glob("projects/*/6c*.jsonl"))
    content = path.read_bytes()
    path.rename(path.with_suffix(".old"))
    path.write_bytes(content)
    assert imported(world)["claude"]["events"] == 0
    assert len(logged(world)) == len(before)


def test_a_deleted_transcript_stays_in_the_log(world: CommandWorld) -> None:
    home = install(world, HOOKS)
    imported(world)
    before = logged(world)
    shutil.rmtree(home)
    assert imported(world) == {}
    assert logged(world) == before


def test_a_recorded_event_stays_as_it_was_recorded(world: CommandWorld) -> None:
    install(world, HOOKS)
    call = {
        "hook_event_name": "PreToolUse", "session_id": "6c835fd0-b179-428d-b713-bd6717c73945", "cwd": str(world.project),
        "tool_name": "Bash", "tool_input": {"command": "curl x"}, "tool_use_id": "toolu_3",
    }  # fmt: skip
    world.run("run", "--host", "claude", stdin=call)
    for _ in range(2):  # before and after the import
        imported(world)
        about = [event for event in logged(world, "event:pre-tool-call") if event["payload"]["tool_use_id"] == "toolu_3"]
        assert [(event["origin"], event["outcome"]) for event in about] == [("run", "denied-by-hook")]
    world.run("run", "--host", "claude", stdin=call | {"tool_use_id": "toolu_4"})
    about = [event for event in logged(world, "event:pre-tool-call") if event["payload"]["tool_use_id"] == "toolu_4"]
    assert [event["origin"] for event in about] == ["run"]
    assert len({event["project"] for event in logged(world) if event["session_id"].startswith("6c")}) == 1
    assert "intact" in world.run("doctor", "--verify").stdout


def test_calls_without_an_id_are_recognized_by_their_input(world: CommandWorld) -> None:
    home = install(world, "gemini/tools-hooks-resume")
    (path,) = home.rglob("session-*.jsonl")
    now = datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    path.write_text(re.sub(r"2026-11-2\dT[\d:.]+(?=Z)", now, path.read_text()))
    session = {"hook_event_name": "BeforeTool", "session_id": path.read_text()[14:50], "cwd": str(world.project)}
    for command in ("echo one", "exit 3"):  # before and after the import
        call = {"tool_name": "run_shell_command", "tool_input": {"command": command}}
        world.run("run", "--host", "gemini", stdin={**session, **call})
        imported(world)
        events = logged(world, "event:pre-tool-call")
        assert [event["origin"] for event in events if event["payload"]["tool_input"] == call["tool_input"]] == ["run"]
    assert {event["origin"] for event in events} == {"run", "transcript"}


def test_the_chain_does_not_cover_what_was_imported_but_all_that_was_recorded(world: CommandWorld) -> None:
    world.run("run", "--host", "claude", stdin={"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash"})
    install(world, HOOKS)
    imported(world)
    assert "intact (1 record in" in world.run("doctor", "--verify").stdout


def test_secrets_are_redacted_before_anything_is_stored(world: CommandWorld) -> None:
    home = install(world, HOOKS)
    path = next(home.glob("projects/*/6c*.jsonl"))
    secret = "ghp_" + "a1B2" * 9
    path.write_bytes(path.read_bytes().replace(b"echo ok", b"echo " + secret.encode()))
    imported(world)
    assert secret.encode() not in b"".join(file.read_bytes() for file in world.db.parent.iterdir() if file.is_file())
    assert logged(world, "redacted")


def test_a_dry_run_counts_and_stores_nothing(world: CommandWorld) -> None:
    install(world, FORK)
    counted = imported(world, "--dry-run")["claude"]
    assert logged(world) == []
    stored = imported(world)["claude"]
    assert [stored[name] for name in ("sessions", "events", "hooks")] == [
        counted[name] for name in ("sessions", "events", "hooks")
    ]
    assert imported(world, "--dry-run") == {}


def test_old_sessions_other_projects_and_other_agents_are_left_out_on_request(world: CommandWorld) -> None:
    install(world, HOOKS)
    install(world, "codex/fork")
    for path in world.home.rglob("*.jsonl"):
        shutil.os.utime(path, (1_700_000_000, 1_700_000_000))  # type: ignore[attr-defined]
    assert world.run("import").stdout == "Nothing new.\n"
    assert imported(world, "--project", str(world.project)) == {}
    assert list(imported(world, "codex")) == ["codex"]


def test_the_configuration_chooses_hosts_and_projects(world: CommandWorld) -> None:
    install(world, FORK)
    install(world, "codex/fork")
    config = world.home / ".config/hooktui/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[history]\nhosts = ["claude"]\nexclude = ["/PROJECT/sub"]\n')
    assert imported(world)["claude"]["sessions"] == 3
    assert not logged(world, "host:codex")
    config.write_text("[history]\nenabled = false\n")
    assert "enabled = false" in world.run("import", code=1).stderr


def test_an_unknown_host_or_time_is_a_usage_error(world: CommandWorld) -> None:
    assert "unknown host: cluade; did you mean claude?" in world.run("import", "cluade", code=2).stderr
    assert "--since soon: invalid time" in world.run("import", "--since", "soon", code=2).stderr


def test_an_import_that_is_killed_is_continued(world: CommandWorld) -> None:
    home = install(world, HOOKS)
    kept = next(home.glob("projects/*/6c*.jsonl")).read_bytes()
    copies = 100  # 8 MB, which are stored in several transactions
    for number in range(copies):
        session = f"6c835fd0-b179-428d-b713-{number:012}"
        copy = kept.replace(b"6c835fd0-b179-428d-b713-bd6717c73945", session.encode()).replace(
            b'"uuid":"', f'"uuid":"{number}'.encode()
        )
        (home / f"projects/-PROJECT/{session}.jsonl").write_bytes(copy)
    running = world.start("import", *ALL)
    wait_until(lambda: world.db.exists() and len(stored_files(world)) > 3)
    running.interrupt(signal.SIGKILL)
    running.process.wait(DEADLINE_S)
    assert len(stored_files(world)) < copies
    imported(world)
    continued = _told(logged(world, "event:pre-tool-call"))
    world.run("import", "--forget")
    imported(world)
    assert _told(logged(world, "event:pre-tool-call")) == continued


def stored_files(world: CommandWorld) -> list[str]:
    """The sessions whose transcripts were read."""
    with closing(sqlite3.connect(world.db)) as log:
        try:
            return [row[0] for row in log.execute("SELECT session FROM transcript")]
        except sqlite3.OperationalError:  # not created yet
            return []

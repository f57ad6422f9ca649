"""The process beside the app: it imports what is new, then stores what is written, until the app ends."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hooktui.transcripts.import_transcripts import import_lock
from tests.claude_transcript import ClaudeTranscript
from tests.command_world import DEADLINE_S, CommandWorld, wait_until


class Follower:
    """The process, its orders and what it says."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdin
        assert process.stdout
        self._orders, self._said = process.stdin, process.stdout

    def order(self, order: str) -> None:
        self._orders.write(order.encode() + b"\n")
        self._orders.flush()

    def said(self) -> dict[str, Any]:
        """The next message."""
        ready, _, _ = select.select([self._said], [], [], DEADLINE_S)
        assert ready, "it said nothing in time"
        message: dict[str, Any] = json.loads(self._said.readline())
        return message

    def end_of_import(self) -> bool:
        """Wait for the end of the import: whether everything was read."""
        while "ended" not in (message := self.said()):
            continue
        return bool(message["ended"])

    def app_ends(self) -> int:
        """Close its standard input, as the end of the app does; its exit code."""
        self._orders.close()
        return self.process.wait(DEADLINE_S)


@contextmanager
def follower(world: CommandWorld, *orders: str) -> Iterator[Follower]:
    """Start the process with orders that wait for it."""
    command = (sys.executable, "-I", "-m", "hooktui.transcripts.follow_process")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
    with subprocess.Popen(command, env=world.environment, **pipes) as process:  # type: ignore[call-overload]
        try:
            started = Follower(process)
            for order in orders:
                started.order(order)
            yield started
        finally:
            process.kill()


def commands(world: CommandWorld) -> list[str]:
    """The shell commands in the log."""
    events = [json.loads(line) for line in world.run("log", "event:pre-tool-call", "--json").stdout.splitlines()]
    return [event["payload"]["tool_input"]["command"] for event in events]


def session(world: CommandWorld, *shell: str, name: str = "s1") -> ClaudeTranscript:
    """A session that ran shell commands."""
    transcript = ClaudeTranscript(world.home, str(world.project), name)
    transcript.prompt(f"run {shell}")
    for command in shell:
        transcript.result(transcript.call(command))
    return transcript


def test_lines_of_a_growing_transcript_are_stored_once_and_soon(world: CommandWorld) -> None:
    transcript = session(world, "git status")
    with follower(world) as process:
        assert process.end_of_import()
        assert commands(world) == ["git status"]
        transcript.call("git diff")
        wait_until(lambda: commands(world) == ["git status", "git diff"])
        assert process.app_ends() == 0


def test_a_session_that_begins_in_a_new_directory_is_stored_too(world: CommandWorld) -> None:
    session(world, "git status")
    with follower(world) as process:
        assert process.end_of_import()
        transcript = ClaudeTranscript(world.home, f"{world.project}/elsewhere", "s2")
        transcript.prompt("begin")
        transcript.call("make")
        wait_until(lambda: commands(world) == ["git status", "make"])


def test_a_cancelled_import_is_continued_at_the_next_start(world: CommandWorld) -> None:
    session(world, "git status")
    session(world, "git diff", name="s2")
    with follower(world, "cancel") as process:
        assert not process.end_of_import()
        assert len(commands(world)) < 2
    with follower(world) as process:
        assert process.end_of_import()
    assert sorted(commands(world)) == ["git diff", "git status"]


def test_a_transcript_that_is_asked_for_is_read_though_the_import_was_cancelled(world: CommandWorld) -> None:
    for number in range(3):
        transcript = session(world, f"echo {number}", name=f"s{number}")
        os.utime(transcript.path, (number + 1e9, number + 1e9))  # the last one is read first
    world.configure('[history]\nsince = "all"\n')
    with follower(world, "cancel") as process:
        assert not process.end_of_import()
        process.order(f"read {transcript.path.with_name('s0.jsonl')}")
        wait_until(lambda: "echo 0" in commands(world))


def test_the_import_of_another_process_is_waited_for(world: CommandWorld) -> None:
    session(world, "git status")
    world.db.parent.mkdir(parents=True)
    with import_lock(str(world.db), waits=False), follower(world) as process:
        assert "heads" in process.said()
        assert commands(world) == []
        process.process.kill()
    with follower(world) as process:
        assert process.end_of_import()
    assert commands(world) == ["git status"]


def test_nothing_is_read_when_the_history_is_off(world: CommandWorld) -> None:
    session(world, "git status")
    world.configure("[history]\nenabled = false\n")
    with follower(world) as process:
        assert process.process.wait(DEADLINE_S) == 0
    assert commands(world) == []

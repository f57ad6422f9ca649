"""An import leaves out what it cannot read, and nothing else."""

from __future__ import annotations

import os

from tests.command_world import CommandWorld
from tests.unit.transcripts.past_imports import HOOKS, imported, install, logged


def test_lines_that_cannot_be_read_are_counted(world: CommandWorld) -> None:
    home = install(world, HOOKS)
    path = next(home.glob("projects/*/67*.jsonl"))
    path.write_bytes(b"\x00\xff\n[1]\n{}\n" + path.read_bytes() + b'{"type": "user", "uuid": 1')
    assert imported(world, "claude")["claude"]["skipped"] == 4
    assert len(logged(world, "session:67c839ea-f7d1-4c00-9d76-bd032a4e59cb")) == 4


def test_a_line_that_is_too_long_is_skipped_unread(world: CommandWorld) -> None:
    home = install(world, HOOKS)
    path = next(home.glob("projects/*/67*.jsonl"))
    first, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(first + b'\n{"type":"user","message":{"content":"' + b"x" * (17 << 20) + b'"}}\n' + rest)
    assert imported(world, "claude")["claude"]["skipped"] == 1
    assert len(logged(world, "session:67c839ea-f7d1-4c00-9d76-bd032a4e59cb")) == 4


def test_values_that_no_log_can_hold_keep_nothing_else_out(world: CommandWorld) -> None:
    directory = world.home / ".claude/projects/-x"
    directory.mkdir(parents=True)
    prompt = b'{"type":"user","uuid":"ID","timestamp":"2026-11-22T12:00:00.000Z","message":{"content":"hello"}}\n'
    call = b'{"type":"assistant","uuid":"ID","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":%s}]}}\n'
    odd = {
        "binary": bytes(range(256)) * 20 + b"\n",
        "nested": b"[" * 200_000 + b"\n" + call % (b"[" * 900 + b"]" * 900),
        "surrogates": prompt.replace(b"hello", b"\\ud800") + prompt.replace(b"hello", b"\xed\xa0\x80"),
        "numbers": call % b'{"a": NaN, "b": -1e999, "c": 1%s}' % (b"0" * 400),
        "times": prompt.replace(b"2026", b"9999") + prompt.replace(b"2026", b"0001") + prompt.replace(b'"2026', b'1e999,"x":"'),
        "repeated": call % b"{}" * 3,
        "names": call.replace(b'"t"', b'"' + b"t" * 100_000 + b'"') % b'"a\\u0000b"',
        "mark": b"\xef\xbb\xbf" + prompt.replace(b"\n", b" \r\n"),
    }
    for number, (name, lines) in enumerate(odd.items()):
        lines += prompt.replace(b"hello", b"end")
        (directory / f"{name}.jsonl").write_bytes(lines.replace(b'"ID"', b'"%d"' % number))
    assert imported(world)["claude"]["sessions"] == len(odd)
    events = logged(world)
    assert {event["session_id"] for event in events if event["payload"].get("prompt") == "end"} == set(odd)
    (numbers,) = [event["payload"]["tool_input"] for event in events if event["session_id"] == "numbers" and event["tool_name"]]
    assert numbers == {"a": None, "b": -1.7976931348623157e308, "c": 10**400}
    assert imported(world) == {}


def test_what_is_no_file_is_left_alone(world: CommandWorld) -> None:
    directory = world.home / ".claude/projects/-x"
    directory.mkdir(parents=True)
    os.mkfifo(directory / "fifo.jsonl")
    (directory / "directory.jsonl").mkdir()
    (directory / "broken.jsonl").symlink_to("/nonexistent")
    (directory / "empty.jsonl").touch()
    assert world.run("import").stdout == "Nothing new.\n"

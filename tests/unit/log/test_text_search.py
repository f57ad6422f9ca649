"""Text search in payloads, reasons and outputs, and its highlighting."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from hooktui.log.read.query import joined, parse
from hooktui.log.read.reader import LogReader
from tests.log_world import LogWorld, LogWriter, run
from tests.unit.log.tampering import downgrade


async def search(reader: LogReader, text: str) -> list[int]:
    return list(await reader.newest(parse(text)))


async def test_outputs_and_payloads_are_searched_together(log: LogWorld, reader: LogReader) -> None:
    match = log.add(payload={"k": "reformat"}, runs=[run("a", stdout="three files"), run("b", stderr="a warning")])
    log.add(payload={"k": "three"})
    assert await search(reader, "reformat three warn") == [match]
    assert await search(reader, '"three files" reformat') == [match]


async def test_output_of_an_async_hook_is_searched(log: LogWorld, reader: LogReader) -> None:
    started = run("notify", "started")
    number = log.add(payload={"k": "message"}, runs=[started])
    log.end(started.replace(id=number + 1, state="ok", stdout="message delivered"), number, 0)
    assert await search(reader, "delivered") == [number]
    assert await search(reader, "message") == [number]


async def test_prefix_of_many_words_is_found(log: LogWorld, reader: LogReader) -> None:
    numbers = [log.add(payload={"k": f"module{number:03}"}) for number in range(40)]
    assert await search(reader, "modu") == numbers[::-1]
    assert await search(reader, "MODULE03") == numbers[39:29:-1]
    assert await search(reader, "odule") == []


async def test_outputs_of_an_older_log_are_found_after_its_upgrade(log: LogWorld, reader: LogReader) -> None:
    older = log.add(payload={"k": "C:\\temp\nmkdir"}, runs=[run("a", stdout="three files", reason="why not")])
    with closing(sqlite3.connect(log.db)) as connection:
        connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
        connection.execute("INSERT INTO words (rowid, body) VALUES (?, 'three files')", (older + 1,))
        connection.commit()
    downgrade(log, 2)
    log.recorder = LogWriter(log.db)
    newer = log.add(payload={"k": "three"})
    assert await search(reader, "three") == [newer, older]
    assert await search(reader, "mkdir temp why") == [older]


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("time", "Timeout, time-out, sometime", ["Time", "time"]),
        ('"rm -rf"', "rm -rf / ; farm -rf", ["rm -rf"]),
        ("out* -none tool:Shell", "output: none of Shell", ["out"]),
        ("--force", "git push --force", ["--force"]),
        ("a*b", "a to b", ["a", "b"]),
        ("tool:Shell", "Shell", []),
        ("", "anything", []),
    ],
)
def test_matches_are_highlighted(query: str, text: str, marked: list[str]) -> None:
    shown = parse(query).highlight
    assert ([] if shown is None else shown.findall(text)) == marked


def test_queries_with_an_open_quotation_can_be_joined() -> None:
    assert joined('"rm -rf', "tool:Shell") == '"rm -rf" tool:Shell'
    assert joined("", "x") == "x"

"""Exports in every format: complete, in order, and harmless whatever was logged."""

from __future__ import annotations

import csv
import io
import json
import stat
from typing import TYPE_CHECKING, Any

import pytest

from hooktui.log.export import export_file
from hooktui.log.read import query
from hooktui.log.read.reader import LogReader
from tests.log_world import LogWorld, busy_day, run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command_world import CommandWorld


async def exported(log: LogWorld, name: str, text: str = "", limit: int | None = None) -> str:
    reader = await LogReader.open(log.db)
    out = io.StringIO()
    try:
        await export_file.export(reader, query.parse(text), name, out, limit)
    finally:
        await reader.close()
    return out.getvalue()


async def test_json_lines_have_whole_reports_oldest_first(log: LogWorld) -> None:
    busy_day(log)
    found = [json.loads(line) for line in (await exported(log, "jsonl")).splitlines()]
    reader = await LogReader.open(log.db)
    tail = await reader.tail(query.parse(""), 100)
    assert found == [await reader.report(row.id) for row in tail]
    await reader.close()


async def test_csv_can_be_parsed(log: LogWorld) -> None:
    busy_day(log)
    rows = list(csv.DictReader(io.StringIO(await exported(log, "csv", "decision:deny"))))
    assert [row["reason"] for row in rows] == ["Dangerous command blocked: rm -rf /", "2 tests fail"]
    assert rows[0]["ran"] == "block-dangerous"
    assert rows[0]["not_ran"].split("; ") == [
        "format-py (tool-mismatch)", "audit (untrusted)", "scan-secrets (blocked-earlier)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "hostile", ["=HYPERLINK(1)", "+1", "-1", "@x", "\t=1", " =1", "\n=1", "\nx", "\u3000-1", "＝1", "＋1", "－1", "＠x"]
)
async def test_no_csv_cell_is_a_formula(log: LogWorld, hostile: str) -> None:
    log.add(tool=hostile, decision="deny", reason=hostile)
    (row,) = csv.DictReader(io.StringIO(await exported(log, "csv")))
    assert row["tool_name"] == f"'{hostile}"
    assert row["reason"] == f"'{hostile}"


async def test_markdown_has_summary_denials_and_events(log: LogWorld) -> None:
    busy_day(log)
    text = await exported(log, "md", "session:s-a1")
    assert "Query: ` session:s-a1 `." in text
    assert "| s-a1 | agenthooks | /home/dev/app | 14 |" in text
    assert "| Shell | Dangerous command blocked: rm -rf / | cd /tmp⏎rm -rf / |" in text
    assert "| block-dangerous | 2 | 0 | 3 | 3 | 6 |" in text


async def test_logged_text_is_escaped_in_markdown(log: LogWorld) -> None:
    log.add(tool="a|b", decision="deny", reason="<b>*x*</b>\n# `y` [z](http://h)", runs=[run("|")], session="\x1b[0m")
    text = await exported(log, "md", '"<b>"')
    assert "a\\|b" in text
    assert "\\<b\\>\\*x\\*\\</b\\>⏎\\# \\`y\\` \\[z\\](http://h)" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("name", export_file.FORMATS)
async def test_limit_takes_the_newest(log: LogWorld, name: str) -> None:
    for number in range(500):
        log.add(tool=f"Tool{number:03}")
    text = await exported(log, name, limit=300)
    assert "Tool200" in text
    assert text.index("Tool200") < text.index("Tool499")
    assert "Tool199" not in text


def test_cancelled_export_leaves_and_replaces_nothing(log: LogWorld, tmp_path: Path) -> None:
    for _ in range(250):
        log.add()
    told: list[tuple[int, int]] = []
    place = tmp_path / "out" / "all.jsonl"
    place.parent.mkdir()
    wanted = query.parse("")

    def give_up(done: int, _of: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_file.to_file(log.db, wanted, "jsonl", str(place), give_up)
    assert list(place.parent.iterdir()) == []
    written = export_file.to_file(log.db, wanted, "jsonl", str(place), lambda *progress: told.append(progress))
    assert (written.events, written.size) == (250, place.stat().st_size)
    assert told == [(0, 250), (200, 250), (250, 250)]
    with pytest.raises(FileExistsError):
        export_file.to_file(log.db, wanted, "csv", str(place), lambda *_: None)
    assert place.stat().st_size == written.size


def test_command_takes_the_format_from_the_suffix_and_keeps_the_file_private(world: CommandWorld) -> None:
    world.fire(tool_name="Shell")
    world.fire("post-session")
    ended = world.run("export", "event:pre-*", "-o", "out.jsonl")
    assert ended.stderr.endswith("out.jsonl: 1 event\n")
    assert json.loads((world.project / "out.jsonl").read_text())["tool_name"] == "Shell"
    assert stat.S_IMODE((world.project / "out.jsonl").stat().st_mode) == 0o600
    assert world.run("export", "-event:pre-*", "--format", "csv", "-o", "-").stdout.count("\n") == 2
    assert [path.name for path in world.project.iterdir()] == ["out.jsonl"]


@pytest.mark.parametrize(
    ("words", "said"),
    [("-o out.txt", "--format is required"), ("n:1 -o x.csv", "unknown field n"), ("", "'-o'"), ("--format xml -o x", "xml")],
)
def test_usage_errors_are_explained(world: CommandWorld, words: str, said: str) -> None:
    assert said in world.run("export", *words.split(), code=2).stderr


def test_existing_file_stays_if_the_log_is_unreadable(world: CommandWorld) -> None:
    world.db.parent.mkdir(parents=True)
    world.db.write_text("dear diary\n" * 100)
    kept: Any = world.project / "out.md"
    kept.write_text("kept")
    world.run("export", "-o", "out.md", code=1)
    assert kept.read_text() == "kept"
    assert [path.name for path in world.project.iterdir()] == ["out.md"]

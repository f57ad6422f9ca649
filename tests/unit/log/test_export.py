"""Exports in every format: complete, in order, and harmless whatever the log contains."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from hooktui.log.export import export_file
from hooktui.log.read import query
from hooktui.log.read.reader import LogReader
from tests.command_world import CommandWorld
from tests.log_world import LogWorld, busy_day, run


async def exported(reader: LogReader, name: str, text: str = "", limit: int | None = None) -> str:
    out = io.StringIO()
    await export_file.export(reader, query.parse(text), name, out, limit)
    return out.getvalue()


async def test_json_lines_have_whole_reports_oldest_first(log: LogWorld, reader: LogReader) -> None:
    busy_day(log)
    lines = [json.loads(line) for line in (await exported(reader, "jsonl")).splitlines()]
    assert lines == await reader.reports(await reader.newest(query.parse("")))


async def test_csv_can_be_parsed(log: LogWorld, reader: LogReader) -> None:
    busy_day(log)
    rows = list(csv.DictReader(io.StringIO(await exported(reader, "csv", "decision:deny"))))
    assert [row["reason"] for row in rows] == ["Dangerous command blocked: rm -rf /", "2 tests fail"]
    assert rows[0]["ran"] == "block-dangerous"
    assert rows[0]["not_ran"].split("; ") == [
        "format-py (tool-mismatch)", "audit (untrusted)", "scan-secrets (blocked-earlier)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "hostile", ["=HYPERLINK(1)", "+1", "-1", "@x", "\t=1", " =1", "\n=1", "\nx", "\u3000-1", "＝1", "＋1", "－1", "＠x"]
)
async def test_no_csv_cell_is_a_formula(log: LogWorld, reader: LogReader, hostile: str) -> None:
    log.add(tool=hostile, decision="deny", reason=hostile)
    (row,) = csv.DictReader(io.StringIO(await exported(reader, "csv")))
    assert row["tool_name"] == f"'{hostile}"
    assert row["reason"] == f"'{hostile}"


async def test_markdown_has_summary_denials_and_events(log: LogWorld, reader: LogReader) -> None:
    busy_day(log)
    text = await exported(reader, "md", "session:s-a1")
    assert "Query: ` session:s-a1 `." in text
    assert "| s-a1 | agenthooks | /home/dev/app | 14 |" in text
    assert "| Shell | Dangerous command blocked: rm -rf / | cd /tmp⏎rm -rf / |" in text
    assert "| block-dangerous | 2 | 0 | 3 | 3 | 6 |" in text


async def test_logged_text_is_escaped_in_markdown(log: LogWorld, reader: LogReader) -> None:
    log.add(tool="a|b", decision="deny", reason="<b>*x*</b>\n# `y` [z](http://h)", runs=[run("|")], session="\x1b[0m")
    text = await exported(reader, "md", '"<b>"')
    assert "a\\|b" in text
    assert "\\<b\\>\\*x\\*\\</b\\>⏎\\# \\`y\\` \\[z\\](http://h)" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("name", export_file.FORMATS)
async def test_limit_takes_the_newest(log: LogWorld, reader: LogReader, name: str) -> None:
    log.add_all([log.made(tool=f"Tool{number:03}") for number in range(500)])
    text = await exported(reader, name, limit=300)
    assert "Tool200" in text
    assert text.index("Tool200") < text.index("Tool499")
    assert "Tool199" not in text


def test_cancelled_export_leaves_and_replaces_nothing(log: LogWorld, tmp_path: Path) -> None:
    log.add_all([log.made() for _ in range(250)])
    reported: list[tuple[int, int]] = []
    path = tmp_path / "out" / "all.jsonl"
    path.parent.mkdir()
    wanted = query.parse("")

    def give_up(done: int, _of: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_file.to_file(LogReader(log.db), wanted, "jsonl", str(path), give_up)
    assert list(path.parent.iterdir()) == []
    written = export_file.to_file(LogReader(log.db), wanted, "jsonl", str(path), lambda *progress: reported.append(progress))
    assert (written.events, written.size) == (250, path.stat().st_size)
    assert reported == [(0, 250), (200, 250), (250, 250)]
    with pytest.raises(FileExistsError):
        export_file.to_file(LogReader(log.db), wanted, "csv", str(path), lambda *_: None)
    assert path.stat().st_size == written.size


def test_command_takes_the_format_from_the_suffix_and_keeps_the_file_private(world: CommandWorld) -> None:
    world.fire(tool_name="Shell")
    world.fire("post-session")
    ended = world.run("export", "event:pre-*", "-o", "out.jsonl")
    assert ended.stderr.endswith("out.jsonl: 1 event\n")
    assert json.loads((world.project / "out.jsonl").read_text())["tool_name"] == "Shell"
    assert stat.S_IMODE((world.project / "out.jsonl").stat().st_mode) == 0o600
    assert world.run("export", "-event:pre-*", "--format", "csv", "-o", "-").stdout.count("\n") == 2
    assert [path.name for path in world.project.iterdir()] == ["out.jsonl"]


def test_command_replaces_a_file_with_force_only(world: CommandWorld) -> None:
    world.fire(tool_name="Shell")
    kept = world.project / "out.md"
    kept.write_text("kept")
    assert "out.md exists; --force replaces it" in world.run("export", "-o", "out.md", code=1).stderr
    assert kept.read_text() == "kept"
    world.run("export", "-o", "out.md", "--force")
    assert "Shell" in kept.read_text()
    assert [path.name for path in world.project.iterdir()] == ["out.md"]


def test_command_asks_at_a_terminal_before_it_replaces_a_file(world: CommandWorld) -> None:
    world.fire(tool_name="Shell")
    kept = world.project / "out.md"
    kept.write_text("kept")
    declined = world.at_terminal("export", "-o", "out.md", types="n\n")
    assert (declined.code, kept.read_text()) == (1, "kept")
    assert "out.md exists. Replace it? [y/N]: hooktui: nothing was exported" in declined.stdout
    assert world.at_terminal("export", "-o", "out.md", types="y\n").code == 0
    assert "Shell" in kept.read_text()


def test_command_replaces_nothing_but_regular_files(world: CommandWorld) -> None:
    world.fire(tool_name="Shell")
    (world.project / "a.md").mkdir()
    (world.project / "target").write_text("kept")
    (world.project / "b.md").symlink_to("target")
    os.mkfifo(world.project / "c.md")
    for name in ("a.md", "b.md", "c.md"):
        assert "not a regular file" in world.run("export", "-o", name, "--force", code=1).stderr
    assert (world.project / "target").read_text() == "kept"


@pytest.mark.parametrize("suffix", ["", "-wal", ".spool"])
def test_command_never_replaces_the_log(world: CommandWorld, suffix: str) -> None:
    world.fire(tool_name="Shell")
    (world.project / "link").symlink_to(world.db.parent)
    for file in (f"{world.db}{suffix}", f"link/{world.db.name}{suffix}"):
        for db in (world.db, shutil.copy(world.stored(), world.project / "other.db")):
            ended = world.run("export", "--format", "csv", "-o", file, "--force", "--db", str(db), code=1)
            assert "belongs to the log and is never replaced" in ended.stderr
    assert len(world.run("log").stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [("-o out.txt", "--format is required"), ("n:1 -o x.csv", "unknown field n"), ("", "'-o'"), ("--format xml -o x", "xml")],
)
def test_usage_errors_are_explained(world: CommandWorld, words: str, message: str) -> None:
    assert message in world.run("export", *words.split(), code=2).stderr


def test_existing_file_stays_if_the_log_is_unreadable(world: CommandWorld) -> None:
    world.db.parent.mkdir(parents=True)
    world.db.write_text("dear diary\n" * 100)
    kept = world.project / "out.md"
    kept.write_text("kept")
    world.run("export", "-o", "out.md", code=1)
    assert kept.read_text() == "kept"
    assert [path.name for path in world.project.iterdir()] == ["out.md"]

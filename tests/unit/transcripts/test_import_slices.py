"""The import as the app uses it: heads of sessions, slices with progress, and single files that have grown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hooktui.log.read.query import parse
from hooktui.log.store import imported, index_queue
from hooktui.transcripts import claude, transcript_places
from hooktui.transcripts.agents import AGENTS
from hooktui.transcripts.import_log import ImportLog
from hooktui.transcripts.import_portions import ImportChoice
from hooktui.transcripts.import_transcripts import import_file, import_past, import_slices
from hooktui.transcripts.session_index import SessionHead, session_heads
from tests.unit.transcripts import sample_trees

ALL = ImportChoice()


@pytest.fixture
def home(own_home: Path) -> Path:
    sample_trees.install("claude/hooks-2.1.330", own_home / ".claude")
    return own_home


@pytest.fixture
def log(tmp_path: Path) -> Iterator[ImportLog]:
    with closing(ImportLog(str(tmp_path / "log.db"), ())) as log:
        yield log


def heads(log: ImportLog) -> list[SessionHead]:
    return list(session_heads(AGENTS, ALL, log.db, log.secrets))


def stored(log: ImportLog) -> list[tuple[object, ...]]:
    return log.connection.execute(
        "SELECT event_key, event, tool, decision, outcome, ran FROM dispatch ORDER BY event_key"
    ).fetchall()


def path_of(home: Path, session: str = "6c") -> Path:
    return next((home / ".claude/projects").glob(f"*/{session}*.jsonl"))


def test_heads_are_the_sessions_that_the_log_does_not_have_newest_first(home: Path, log: ImportLog) -> None:
    sample_trees.install("codex/tools-hooks-resume", home / ".codex")
    sample_trees.install("claude/agents-2.1.197", home / ".claude")  # subagents are not sessions
    for number, path in enumerate(sorted(home.rglob("*.jsonl"))):
        os.utime(path, (1_800_000_000 + number, 1_800_000_000 + number))
    first = heads(log)
    assert [head.path for head in first] == sorted((head.path for head in first), reverse=True)
    assert {head.host for head in first} == {"claude", "codex"}
    by_id = {head.id: head for head in first}
    assert len(by_id) == 4
    head = by_id["6c835fd0-b179-428d-b713-bd6717c73945"]
    assert (head.title, head.project) == ("Do many things, please", "/PROJECT")
    assert head.model.startswith("claude-")
    assert 0 < head.start < head.end
    import_past(log, [claude.AGENT], ALL)
    assert {head.host for head in heads(log)} == {"codex"}


def test_an_import_that_is_cancelled_is_continued(home: Path, log: ImportLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hooktui.transcripts.import_transcripts._SLICE", 1)
    slices = import_slices(log, AGENTS)
    before, first = next(slices), next(slices)
    assert (before.share, before.host, first.host) == (0, "", "Claude Code")
    assert 0 < first.share < 1
    slices.close()
    *_, last = import_slices(log, AGENTS)
    assert (last.sessions, last.share) == (1, 1)
    assert len(log.known_files()) == 2


def test_two_imports_at_a_time_store_nothing_twice(home: Path, log: ImportLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hooktui.transcripts.import_transcripts._SLICE", 1)
    monkeypatch.setattr("hooktui.transcripts.transcript_files._PORTION", 20_000)  # several portions of a file
    with closing(ImportLog(log.db, ())) as other:
        first, second = import_slices(log, AGENTS), import_slices(other, AGENTS)
        sentinel = object()
        while {next(first, sentinel), next(second, sentinel)} != {sentinel}:
            pass
    both = stored(log)
    imported.forget(log.connection)
    import_past(log, AGENTS, ALL)
    assert stored(log) == both


def test_a_search_has_the_same_results_before_the_words_are_indexed_and_after(home: Path, log: ImportLog) -> None:
    def found(text: str) -> list[tuple[object, ...]]:
        query = parse(text)
        sql = f"SELECT {query.key} {query.source} ORDER BY {query.key} DESC"
        return log.connection.execute(sql, query.params).fetchall()

    import_past(log, AGENTS, ALL)
    queries = ("curl", "-curl", "cur*", '"curl x"', '-"curl x"', "network decision:deny", "PROJECT -curl")
    before = {text: found(text) for text in queries}
    assert all(0 < len(numbers) < len(stored(log)) for numbers in before.values())
    assert index_queue.count(log.connection) == len(stored(log))
    index_queue.index_some(log.connection, log.db)
    assert index_queue.count(log.connection) == 0
    assert {text: found(text) for text in queries} == before


def test_an_event_that_is_removed_leaves_the_index_with_its_words(home: Path, log: ImportLog) -> None:
    for is_indexed in (True, False):
        import_past(log, AGENTS, ALL)
        if is_indexed:
            index_queue.index_some(log.connection, log.db)
        imported.forget(log.connection)
        log.connection.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, words, row)")
        assert log.connection.execute("SELECT term FROM vocabulary").fetchall() == []
        assert index_queue.count(log.connection) == 0
        log.connection.execute("DROP TABLE vocabulary")


def test_a_file_that_grows_is_imported_line_by_line(home: Path, log: ImportLog) -> None:
    path = path_of(home)
    lines = path.read_bytes().splitlines(keepends=True)
    import_past(log, AGENTS, ALL)
    whole = stored(log)
    imported.forget(log.connection)
    import_file(log, AGENTS, str(path_of(home, "67")))
    path.write_bytes(b"")
    counts = []
    for line in lines:
        with path.open("ab") as file:
            file.write(line)
        counts.append(import_file(log, AGENTS, str(path)))
        assert counts[-1] == len(log.stored)
    assert 0 in counts  # most lines hold no event
    assert stored(log) == whole
    assert import_file(log, AGENTS, str(path)) == 0


def test_only_transcripts_are_imported_by_their_path(home: Path, log: ImportLog) -> None:
    for other in ("/etc/passwd", f"{home}/.claude/settings.json", f"{home}/.claude/projects/x.jsonl"):
        assert import_file(log, AGENTS, other) is None
    assert import_file(log, AGENTS, f"{home}/.claude/projects/-x/missing.jsonl") == 0
    assert transcript_places.existing(agent.host for agent in AGENTS) == [f"{home}/.claude/projects"]

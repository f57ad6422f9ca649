"""Names of hooks, files and projects that look like secrets: never stored, still searchable."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.catalog import catalog, log_links
from hooktui.core.model import Hook
from hooktui.log.read import hook_versions, recent_events, recorded_callbacks
from hooktui.log.read.query import parse, quoted
from hooktui.log.read.reader import LogReader
from hooktui.runner.journal.entry import stored_name
from tests.log_world import LogWorld, LogWriter, run
from tests.unit.log.tampering import rows

GATE = "pre-agent-turn-stop"
SECRET, OTHER = ("ghp" + "_" + letter * 36 for letter in "ab")
PROJECT = f"/home/dev/proj-{SECRET}"


def hook(name: str = SECRET, file: str = f"{PROJECT}/.claude/settings.json", **more: str) -> Hook:
    return run(name).hook.replace(file=file, **{"version": "1", **more})


def test_secret_names_are_not_stored(log: LogWorld, tmp_path: Path) -> None:
    log.add(SECRET, project=PROJECT, runs=[run("x").replace(hook=hook(event=SECRET))])
    stored = [path.read_bytes() for path in tmp_path.iterdir()]
    assert any(b"[redacted]" in content for content in stored)
    assert not any(SECRET.encode() in content for content in stored)


@given(st.text("abc/._- 0é~$", max_size=300))
def test_other_names_are_unchanged(path: str) -> None:
    assert stored_name(path) == path


def test_names_stay_distinct_and_paths_stay_below_their_directory() -> None:
    assert stored_name(f"a {SECRET}") != stored_name(f"a {OTHER}")
    assert stored_name(f"{PROJECT}/src/agent.py") == f"{stored_name(PROJECT)}/src/agent.py"
    assert stored_name(stored_name(PROJECT)) == stored_name(PROJECT)


def test_secret_across_directories_is_redacted() -> None:
    first, second = (stored_name(f"/clients/{name}/src", [r"clients/\w+"]) for name in ("acme", "emca"))
    assert first.startswith("/[redacted]/src #")
    assert first != second


async def test_project_events_are_found(log: LogWorld, reader: LogReader) -> None:
    mine = log.add(project=PROJECT)
    log.add(project=PROJECT.replace(SECRET, OTHER))
    assert [event.id for event in await recent_events.read(log.db, "pre-tool-call", "x", 9, PROJECT)] == [mine]
    for path in (PROJECT, stored_name(PROJECT)):
        assert list(await reader.newest(parse(f"project:{quoted(path)}"))) == [mine]


@pytest.mark.parametrize(
    "query",
    [
        f"session:{SECRET}", f'session:"run of {SECRET}"', f"tool:{SECRET}", f"event:{SECRET}", f"hook:{SECRET}", f"{SECRET}",
        f'"token {SECRET} leaked"', f"project:proj-{SECRET}", f"project:/srv/proj-{SECRET}", f"hook:{SECRET} state:ok",
    ],
)  # fmt: skip
async def test_queries_find_redacted_names(log: LogWorld, reader: LogReader, query: str) -> None:
    session = f"run of {SECRET}" if "run of" in query else SECRET
    runs = [run("x", stdout=f"the token {SECRET} leaked").replace(hook=hook())]
    mine = log.add(SECRET, tool=SECRET, session=session, project=f"/srv/proj-{SECRET}", runs=runs)
    other = log.add("pre-tool-call", tool="Shell", session="s1", runs=[run("guard", stdout="the token leaked")])
    assert list(await reader.newest(parse(query))) == [mine]
    assert list(await reader.newest(parse(f"-{query.removesuffix(' state:ok')}"))) == [other]


async def test_session_list_finds_redacted_names(log: LogWorld, reader: LogReader) -> None:
    log.add(session=SECRET, project=PROJECT)
    log.add(session="100%_sure")
    for words, count in ((SECRET, 1), (PROJECT, 1), (f"proj-{SECRET}", 1), ("%_", 1), ("dev", 2), (OTHER, 0)):
        assert len(await reader.sessions(text=words)) == count, words


async def test_hook_history_is_found(log: LogWorld) -> None:
    log.add(runs=[run("x", decision="deny").replace(hook=hook())])
    log.add(runs=[run("x").replace(hook=hook(OTHER, version="2"))])
    lifetime = await hook_versions.read(log.db, hook().identity, hook().file)
    assert lifetime is not None
    assert lifetime.considered == 1
    [newest, _] = await recent_events.read(log.db, "pre-tool-call", hook().id, 9)
    assert newest.outcome is None
    assert (await recent_events.read(log.db, "pre-tool-call", hook(OTHER).id, 9))[0].outcome is not None


async def test_stored_hook_is_compared_with_the_current_one(log: LogWorld, reader: LogReader, own_home: Path) -> None:
    number = log.add(runs=[run("x").replace(hook=hook(text="before"))])
    (report,) = await reader.reports([number])
    stored = await reader.stored_hook(number, report["hooks"][0]["id"])
    assert stored is not None
    today = catalog.load(str(own_home))._replace(hooks=(hook(text="after", version="2"),))
    comparison = log_links.beside_today(stored, today)
    assert comparison.today == "changed"
    assert "+after" in comparison.changed


async def test_callbacks_of_the_project_are_found(log: LogWorld, tmp_path: Path) -> None:
    project = tmp_path / f"proj-{SECRET}"
    project.mkdir()
    (project / "agent.py").write_text("def guard(context): ...\n")
    file = str(project / "agent.py")
    log.add(project=str(project), runs=[run("x").replace(hook=hook("guard", file, format="python"))])
    assert [callback.file for callback in await recorded_callbacks.read(log.db, str(project))] == [file]


async def test_names_redacted_by_own_patterns_are_found(log: LogWorld, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = own_home / ".config/hooktui/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[log]\nredact = ['ACME-[0-9]{8}']\n")
    log.recorder = LogWriter(log.db, ["ACME-[0-9]{8}"])
    mine = log.add(project="/home/dev/ACME-12345678")
    log.add(project="/home/dev/ACME-87654321")
    assert rows(log, "SELECT 1 FROM session WHERE project LIKE '%ACME%'") == []
    events = await recent_events.read(log.db, "pre-tool-call", "x", 9, "/home/dev/ACME-12345678")
    assert [event.id for event in events] == [mine]

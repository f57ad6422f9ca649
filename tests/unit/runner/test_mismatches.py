"""Hooks that a tool is known to rule out are not loaded, but logged as if they had been judged."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hooktui.runner.journal import side_files, spool
from hooktui.runner.journal.entry import DispatchEntry
from tests.command_world import CommandWorld, wait_until

DENY = "#!/bin/sh\necho no >&2\nexit 2\n"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[CommandWorld]:
    """Hooks for several tools, one of them disabled, another the project's; events with Bash have been remembered."""
    world = CommandWorld(tmp_path)
    for number in range(6):
        world.hook(f"tool-{number}", matcher={"tool": f"^Tool{number}$"}, priority=number)
    world.hook("guard", matcher={"tool": "^Bash$"}, priority=3)
    off = world.hook("off", DENY, matcher={"tool": "Bash"}, priority=2)
    (off / "HOOK.md").rename(off / "HOOK.md.off")
    world.hook("input", matcher={"tool": "Bash", "pattern": "rm -rf"}, priority=4)
    world.hook("theirs", scope="project", matcher={"tool": "^Other$"}, priority=1)
    wait_until(lambda: is_remembered(world))
    yield world
    world.end()


def call(world: CommandWorld, tool: str = "Bash", code: int | None = 0) -> None:
    event = {"event_type": "pre-tool-call", "session_id": "s", "tool_name": tool, "tool_input": {"command": "ls"}}
    world.run("run", stdin={**event, "work_dir": str(world.project)}, code=code)


def is_remembered(world: CommandWorld) -> bool:
    """Whether the next event with Bash names a list; the log has all events so far afterwards."""
    call(world, code=None)
    *_, last = (entry for entry in spool.entries(str(world.db)) if isinstance(entry, DispatchEntry))
    world.stored()
    return last.skips is not None


def hooks(world: CommandWorld) -> list[dict[str, Any]]:
    """The hooks of the newest event, without what differs between two events."""
    (line,) = world.run("log", "--json", "-n", "1").stdout.splitlines()
    return [settled(hook) for hook in json.loads(line)["hooks"]]


def settled(hook: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in hook.items() if name not in ("started_ms", "duration_ms")}


def test_log_has_the_hooks_that_were_not_loaded(world: CommandWorld) -> None:
    call(world)
    (waiting,) = spool.entries(str(world.db))
    assert isinstance(waiting, DispatchEntry)
    assert [run.skip for run in waiting.runs] == ["pattern-mismatch", None, "disabled", "untrusted"]
    report = world.fire(tool_name="Bash", tool_input={"command": "ls"})
    assert len(report["hooks"]) == 10
    judged = hooks(world)
    assert judged == [settled(hook) for hook in report["hooks"]]
    call(world)
    assert hooks(world) == judged
    assert world.run("doctor", "--verify", code=None).stdout.count("intact") == 1


def test_each_tool_is_remembered_by_itself(world: CommandWorld) -> None:
    for _ in range(3):
        call(world, "Tool2")
        assert [hook["name"] for hook in hooks(world) if hook["state"] == "ok"] == ["tool-2"]
        call(world)
        assert [hook["name"] for hook in hooks(world) if hook["state"] == "ok"] == ["guard"]


def matcher_changes(world: CommandWorld, hook: Path) -> None:
    text = (hook / "HOOK.md").read_text()
    (hook / "HOOK.md").write_text(text.replace("Tool5", "Bash"))


def hook_comes(world: CommandWorld, hook: Path) -> None:
    shutil.rmtree(hook)
    world.hook("new", DENY, matcher={"tool": "Bash"})


def hook_is_renewed(world: CommandWorld, hook: Path) -> None:
    shutil.rmtree(hook)
    world.hook("tool-5", DENY, matcher={"tool": "Bash"})


def hook_is_switched_on(world: CommandWorld, hook: Path) -> None:
    shutil.rmtree(hook)
    off = world.home / ".config/agents/hooks/off"
    (off / "HOOK.md.off").rename(off / "HOOK.md")


@pytest.mark.parametrize("change", [matcher_changes, hook_comes, hook_is_renewed, hook_is_switched_on])
def test_changed_hook_is_seen_at_once(world: CommandWorld, change: Any) -> None:
    hook = world.home / ".config/agents/hooks/tool-5"
    (hook / "scripts/run").write_text(DENY)
    call(world)
    change(world, hook)
    call(world, code=2)


def only_list(db: str) -> Path:
    """The file of the only list of skipped hooks."""
    (path,) = [path for path in Path(side_files.path_of(db, "")).iterdir() if path.read_bytes().startswith(b"[")]
    return path


def test_changed_script_runs_when_its_tool_comes(world: CommandWorld) -> None:
    for _ in range(3):
        call(world, "Tool5")
    (world.home / ".config/agents/hooks/tool-5/scripts/run").write_text(DENY)
    call(world)
    call(world, "Tool5", code=2)


@pytest.mark.parametrize("lost", [".local/state/hooktui/log.db.kept", ".cache/hooktui", ".local/state/hooktui"])
def test_what_was_remembered_may_be_lost(world: CommandWorld, lost: str) -> None:
    call(world)
    before = hooks(world)
    shutil.rmtree(world.home / lost)
    for _ in range(3):
        call(world)
        assert hooks(world) == before


@pytest.mark.parametrize("content", [b"", b"{}", b"[[0, 1, 2, 3]]", b"[" * 100_000], ids=["empty", "object", "other", "deep"])
def test_unreadable_list_costs_its_own_events_only(world: CommandWorld, content: bytes) -> None:
    before = hooks(world)
    call(world)
    path = only_list(str(world.db))
    path.write_bytes(content)
    for suffix in ("", "-wal", "-shm"):
        Path(str(world.db) + suffix).unlink(missing_ok=True)
    assert [hook["name"] for hook in hooks(world)] == ["input", "guard", "off", "theirs"]
    call(world)
    assert hooks(world) == before


def test_async_hook_ends_in_its_place(world: CommandWorld) -> None:
    slow: dict[str, Any] = {"matcher": {"tool": "Bash"}, "priority": 4, "async": True}
    world.hook("later", "#!/bin/sh\necho done >&2\n", **slow)
    wait_until(lambda: is_remembered(world))
    call(world)

    def ended() -> bool:
        later = next(hook for hook in hooks(world) if hook["name"] == "later")
        return bool(later["state"] == "ok" and later["stderr"] == "done\n")

    wait_until(ended)
    assert [hook["name"] for hook in hooks(world)] == [
        hook["name"] for hook in world.fire(tool_name="Bash", tool_input={"command": "ls"})["hooks"]
    ]


def test_lists_in_use_are_kept(world: CommandWorld) -> None:
    db = str(world.db)
    path = only_list(db)
    long_ago = time.time() - 40 * 86_400
    os.utime(path, (long_ago, long_ago))
    call(world)
    side_files.prune(db, time.time())
    assert side_files.is_kept(db, path.name)
    os.utime(path, (long_ago, long_ago))
    side_files.prune(db, time.time())
    assert not side_files.is_kept(db, path.name)

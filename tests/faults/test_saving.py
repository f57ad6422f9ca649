"""A person's files survive a kill during a save, a full disk and missing permissions."""

from __future__ import annotations

import errno
import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from hooktui.catalog import catalog
from hooktui.core import atomic_write
from hooktui.formats import documents
from tests.app.hook_world import HookWorld, read, shown, type_text, until, until_shown, world, write
from tests.faults import places

__all__ = ["world"]

_OLD, _NEW = "old line\n" * 5_000, "new line\n" * 5_000
_KILLS = 60


def test_a_save_that_is_killed_at_any_moment_leaves_the_complete_old_or_new_file(tmp_path: Path) -> None:
    file = tmp_path / "HOOK.md"
    file.write_text(_OLD)
    for number in range(_KILLS):
        child = os.fork()
        if child == 0:
            _save_for_ever(str(file))
        _pass(number / 4000)  # seconds; each time a little later
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert file.read_text() in (_OLD, _NEW)


def test_a_disk_that_is_full_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    with places.small_disk(tmp_path / "disk", kib=64):
        file = tmp_path / "disk" / "HOOK.md"
        file.write_text("old\n")
        with pytest.raises(OSError) as refused:
            documents.save(documents.read(str(file)), _NEW * 10)
        assert refused.value.errno == errno.ENOSPC
        assert file.read_text() == "old\n"
        assert os.listdir(file.parent) == ["HOOK.md"]


def test_a_file_that_may_not_grow_stays_what_it_was(tmp_path: Path) -> None:
    file = tmp_path / "HOOK.md"
    file.write_text("old\n")
    document = documents.read(str(file))
    with _no_file_grows(), pytest.raises(OSError):
        documents.save(document, _NEW)
    assert file.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["HOOK.md"]


def test_what_a_killed_save_leaves_behind_goes_when_its_hook_is_opened_and_what_another_is_saving_stays(
    world: HookWorld,
) -> None:
    file = world.add("guard")
    (hook,) = catalog.load(world.project).hooks
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    left, saving_now = (f"{os.path.dirname(file)}/.hooktui-{process}-abc" for process in (child, os.getpid()))
    for path in (left, saving_now):
        write(path, "half a fi")
    documents.read_hook(hook)
    assert not os.path.exists(left)
    assert os.path.exists(saving_now)


def test_a_file_that_is_read_only_is_not_replaced_and_the_reason_names_it(tmp_path: Path) -> None:
    file = tmp_path / "HOOK.md"
    file.write_text("old\n")
    document = documents.read(str(file))
    with places.read_only(file), pytest.raises(OSError) as refused:
        documents.save(document, "new\n")
    assert "HOOK.md: " in atomic_write.error_message(refused.value)
    assert file.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["HOOK.md"]


async def test_unwritable_place_keeps_the_text_in_the_editor_and_shows_the_reason(world: HookWorld) -> None:
    file = world.add("guard")
    before = read(file)
    async with world.app().run_test(size=(120, 40), notifications=True) as pilot:
        await _edit(pilot)
        with _no_file_grows():
            await pilot.press("ctrl+s")
            await until_shown(pilot, "Not saved", "HOOK.md: File too large")
        assert "xname" in shown(pilot)
        assert "• modified" in shown(pilot)
        assert read(file) == before
        await pilot.press("ctrl+s")
        await until_shown(pilot, "guard ─ saved")
        assert "xname" in read(file)


async def test_a_directory_that_is_read_only_keeps_the_text_in_the_editor(world: HookWorld, tmp_path: Path) -> None:
    file = world.add("guard")
    async with world.app().run_test(size=(120, 40), notifications=True) as pilot:
        await _edit(pilot)
        with places.read_only(tmp_path / "shop"):
            await pilot.press("ctrl+s")
            await until_shown(pilot, "Not saved", "HOOK.md: Read-only" if os.geteuid() == 0 else "Permission denied")
        assert "• modified" in shown(pilot)
        assert "xname" not in read(file)


async def test_a_new_hook_where_nothing_can_be_written_is_refused_while_one_can_choose_another_place(
    world: HookWorld, tmp_path: Path
) -> None:
    os.makedirs(os.path.join(world.project, ".agents", "hooks"))
    async with world.app().run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "No hooks here yet.")
        with places.read_only(tmp_path / "shop"):
            await pilot.press("a", "enter")
            await until_shown(pilot, "Where should it live?")
            await pilot.press("enter")
            await until_shown(pilot, "What should it match?")
            await type_text(pilot, "Shell\n")
            await until_shown(pilot, "✕ ~/shop/.agents/hooks: it is read-only.")
            await pilot.press("escape", "down", "enter")
            await until_shown(pilot, "AgentHooks, user")
            await pilot.press("enter")
            await until_shown(pilot, "Create this hook?", "tool: 'Shell'")


async def _edit(pilot: Pilot[None]) -> None:
    """Type into the file of the hook under the cursor."""
    await until_shown(pilot, "# guard")
    await pilot.press("enter", "ctrl+home", "down")
    await type_text(pilot, "x")
    await until(pilot, lambda: "xname" in shown(pilot))


def _save_for_ever(path: str) -> None:
    document = documents.read(path)
    while True:
        document = documents.save(document, _NEW if document.text == _OLD else _OLD)


def _pass(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


@contextmanager
def _no_file_grows() -> Iterator[None]:
    """Limit the size of files, which acts like a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

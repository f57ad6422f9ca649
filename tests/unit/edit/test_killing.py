"""A change that is killed at any moment leaves each hook complete: at its old place, its new place, or in the trash."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable

import pytest

from hooktui.edit import trash
from hooktui.edit.change_plan import carry_out, undone
from hooktui.edit.file_steps import Move
from hooktui.edit.switch import switch

from .world import World

pytestmark = pytest.mark.slow  # kills processes

# Python's audit events before it changes anything on disk, besides `open` for writing.
_MOMENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.symlink", "shutil.rmtree", "tempfile.mkstemp")
_WRITING = os.O_WRONLY | os.O_RDWR
_MOST = 200


def switch_and_back(world: World, format_name: str) -> None:
    change = carry_out(switch(world.hook(format_name), False), world.project)
    carry_out(undone(change), world.project)


def delete_and_restore(world: World, format_name: str) -> None:
    carry_out(trash.delete(world.hook(format_name), world.project), world.project)
    carry_out(trash.restore(next(trash.contents(world.project))), world.project)


@pytest.mark.parametrize("format_name", ["agenthooks", "claude", "azure"])
@pytest.mark.parametrize("action", [switch_and_back, delete_and_restore])
def test_no_hook_is_lost_or_halved(world: World, format_name: str, action: Callable[[World, str], None]) -> None:
    world.add(format_name)
    known = _known(world, format_name)
    for moment in range(1, _MOST):
        finished = _killed_at(moment, lambda: action(world, format_name))
        assert _known(world, format_name) == known, f"at moment {moment}"
        if finished:
            assert moment > 2
            return
        for name in os.listdir(world.home):
            shutil.rmtree(os.path.join(world.home, name))
        world.add(format_name)
    pytest.fail(f"still not at its end after {_MOST} moments")


def _known(world: World, format_name: str) -> list[tuple[str, str]]:
    """All hooks, wherever they are, by the fields that Azure's spelling of off does not change."""
    here = [*world.hooks(format_name), *(deleted.hook for deleted in trash.contents(world.project))]
    for deleted in trash.contents(world.project):
        if isinstance(deleted.step, Move):
            assert sorted(os.listdir(deleted.step.target)) == ["HOOK.md", "scripts"]
    return sorted((hook.event, hook.tool or "") for hook in here)


def _killed_at(moment: int, action: Callable[[], None]) -> bool:
    """Run a function in a process that is killed right before its nth change of a file; return whether it finished."""
    child = os.fork()
    if child == 0:
        left = moment

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            flags = arguments[2] if event == "open" else 0
            left -= event in _MOMENTS or (isinstance(flags, int) and bool(flags & _WRITING))
            if left == 0:
                left = -1  # killing is an audit event, too
                os.kill(os.getpid(), signal.SIGKILL)

        status = 1
        try:
            sys.addaudithook(count)
            action()
            status = 0
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status == 0

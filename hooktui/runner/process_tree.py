"""Kill a hook's process with all that it has started, also what has left its process group.

A process leaves the group with `setsid`, and its parent with a double fork. On Linux it is found by its session, by its parent
or by the mark in its environment; elsewhere only the group is killed (SECURITY.md).
"""

from __future__ import annotations

import _signal as signal
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_PASSES = 20  # a process may fork while it is looked for
_PROC = "/proc"
_NOBODY = -1  # leads no process


def kill(leader: int, mark: str) -> None:
    """Kill a hook's process, which leads its group and session, its group, and all that belongs to it.

    `mark` is a line of the environment that only the hook's processes have, "" for none.
    """
    own = os.fsencode(mark)
    for _ in range(_MOST_PASSES):
        members = _members(leader, own) - {os.getpid()}
        # It may not have called setsid yet.
        for kill_it, number in ((os.killpg, leader), *((os.kill, pid) for pid in (leader, *members))):
            try:
                kill_it(number, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # it has ended, or became another user's
                continue
        if not members - {leader}:
            return


def kill_marked(mark: str) -> None:
    """Kill the processes that were started with a line of the environment, and their children; on Linux only."""
    own = os.fsencode(mark)
    for _ in range(_MOST_PASSES):
        members = _members(_NOBODY, own) - {os.getpid()}
        for pid in members:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        if not members:
            return


def _members(leader: int, mark: bytes) -> set[int]:
    """The live processes of a hook."""
    parents: dict[int, int] = {}
    members: set[int] = set()
    for pid, parent, group, session in _processes():
        parents[pid] = parent
        if leader in (pid, group, session) or (mark and mark in _environment(pid)):
            members.add(pid)
    while more := {pid for pid, parent in parents.items() if parent in members} - members:
        members |= more
    return members


def _processes() -> Iterator[tuple[int, int, int, int]]:
    """The ID, parent, group and session of every process that has not ended; none without a /proc like Linux's."""
    try:
        names = os.listdir(_PROC)
    except OSError:
        return
    for name in filter(str.isdecimal, names):
        try:
            with open(f"{_PROC}/{name}/stat", "rb") as file:
                state, parent, group, session = file.read().rpartition(b")")[2].split()[:4]
        except (OSError, ValueError):
            continue
        if state not in (b"Z", b"X"):
            yield int(name), int(parent), int(group), int(session)


def _environment(pid: int) -> list[bytes]:
    """The environment with which a process was started; empty for another user's process."""
    try:
        with open(f"{_PROC}/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []

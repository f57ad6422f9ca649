"""Give a process of the warm runner the surroundings of its caller, the client that an agent has started.

The kernel tells everything about the client in /proc: command line, environment, directory, umask, limits, signals. The cold
runner would inherit the same. What cannot be reproduced is refused, and the client becomes the cold runner.
"""

from __future__ import annotations

import _locale
import _signal as signal
import os
import resource
import sys
import time
from typing import TYPE_CHECKING

from hooktui.core import own_commands
from hooktui.engine import repeated_events

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_STREAMS = 3
_COLD = (sys.executable, "-I", "-S", "-c")  # the cold runner's command line up to its code
# What a sandbox or a container changes: a process of ours must not run a hook outside of its caller's.
_NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts")
_RIGHTS = ("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "Seccomp", "Seccomp_filters")
_LIMITS = sorted({number for name, number in vars(resource).items() if name.startswith("RLIMIT_")})
_UTF8_FROM_C = ("C.UTF-8", "C.utf8", "UTF-8")  # locales that Python takes in place of "C"


class Unsuitable(Exception):
    """This process cannot stand in for a client; the message says why."""


class Confinement:
    """The namespaces, root directory and rights of a process."""

    def __init__(self, pid: int | str) -> None:
        root = os.stat(f"/proc/{pid}/root/")
        status = read_status(pid)
        self._facts = (
            *((name, os.readlink(f"/proc/{pid}/ns/{name}")) for name in _namespaces()),
            ("root", (root.st_dev, root.st_ino)),
            ("label", _read(f"/proc/{pid}/attr/current")),
            *((name, status.get(name)) for name in _RIGHTS),
        )
        # Landlock is not visible, but needs this.
        self._gains_no_rights = status.get("NoNewPrivs") != "0"

    def check(self, client: Confinement) -> None:
        """Raise Unsuitable for a client that is confined differently."""
        if client._gains_no_rights:
            raise Unsuitable("no_new_privs is set")
        for (name, ours), (_, theirs) in zip(self._facts, client._facts, strict=True):
            if ours != theirs:
                raise Unsuitable(f"{name} differs")


def become(pid: int, streams: Sequence[int], own: Confinement) -> list[str]:
    """Take over the surroundings of a client, with its standard streams, and return the arguments for `run`.

    `own` is this process's confinement. Raises Unsuitable or OSError.
    """
    if len(streams) != _STREAMS:
        raise Unsuitable("not all streams came")  # no descriptor was left for them
    arguments = _arguments(pid)
    own.check(Confinement(pid))
    status = read_status(pid)
    directory = os.open(f"/proc/{pid}/cwd", os.O_PATH | os.O_DIRECTORY)
    os.fchdir(directory)
    os.close(directory)
    os.umask(int(status["Umask"], 8))
    _set_environment(pid)
    _set_limits(pid)
    _set_signals(int(status["SigIgn"], 16), int(status["SigBlk"], 16))
    parent = int(status["PPid"])
    repeated_events.parent = lambda: parent
    _set_streams(streams)
    return arguments


def read_status(pid: int | str) -> Mapping[str, str]:
    """The fields of a process's status."""
    lines = _read(f"/proc/{pid}/status").decode(errors="replace").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _namespaces() -> tuple[str, ...]:
    return tuple(name for name in _NAMESPACES if os.path.lexists(f"/proc/self/ns/{name}"))


def _arguments(pid: int) -> list[str]:
    """The arguments of `run` in the command line of the client, which is its own name and that of the cold runner."""
    words = [os.fsdecode(word) for word in _read(f"/proc/{pid}/cmdline").split(b"\0")[1:-1]]
    if tuple(words[:4]) != _COLD or words[5:7] != [own_commands.launcher(), "run"]:
        raise Unsuitable("another hooktui was called")
    return words[7:]


def _set_environment(pid: int) -> None:
    lines = _read(f"/proc/{pid}/environ").split(b"\0")[:-1]
    os.environb.clear()
    for name, equals, value in (line.partition(b"=") for line in lines):
        if equals and name not in os.environb:  # as Python does
            os.environb[name] = value
    time.tzset()


def _set_limits(pid: int) -> None:
    for number in _LIMITS:
        theirs = resource.prlimit(pid, number)
        if theirs != resource.getrlimit(number):
            try:
                resource.setrlimit(number, theirs)
            except ValueError as error:  # above our hard limit
                raise Unsuitable(str(error)) from error
    nice, cores = os.getpriority(os.PRIO_PROCESS, pid), os.sched_getaffinity(pid)
    if nice != os.getpriority(os.PRIO_PROCESS, 0):
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    if cores != os.sched_getaffinity(0):
        os.sched_setaffinity(0, cores)


def _set_signals(ignored: int, blocked: int) -> None:
    """Ignore and block what the client does; it forwards those that it handles."""
    for number in (signal.SIGTERM, signal.SIGCHLD):  # the server handles these and ignores none
        signal.signal(number, signal.SIG_DFL)
    for number in _in_mask(ignored):
        signal.signal(number, signal.SIG_IGN)
    if blocked:
        signal.pthread_sigmask(signal.SIG_SETMASK, _in_mask(blocked))


def _in_mask(mask: int) -> list[int]:
    return [number for number in signal.valid_signals() if mask >> number - 1 & 1] if mask else []


def _set_streams(streams: Sequence[int]) -> None:
    """Open the standard streams as Python does at its start."""
    errors = _stream_errors()
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    sys.stdin = open(0, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115  # until the process ends
    sys.stdout = open(1, "w", encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


def _stream_errors() -> str:
    """How Python treats bytes that are not UTF-8, by the locale of the environment, which it coerces if it is "C"."""
    try:
        name = _locale.setlocale(_locale.LC_CTYPE, "")
    except _locale.Error:  # type: ignore[attr-defined]
        name = "C"
    if name in ("C", "POSIX"):
        if not os.environ.get("LC_ALL"):
            os.environ["LC_CTYPE"] = _UTF8_FROM_C[0]
    elif _locale.nl_langinfo(_locale.CODESET) != "UTF-8":
        raise Unsuitable(f"the locale {name} is not UTF-8")
    elif name not in _UTF8_FROM_C:
        return "strict"
    return "surrogateescape"


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.readall()
    except OSError:  # such as a label, where the system has none
        return b""

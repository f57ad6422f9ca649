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

from hooktui.core import paths
from hooktui.runner import repeated_events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_STREAMS = 3
_COLD = (sys.executable, "-I", "-S", "-c")  # the cold runner's command line up to its code
# What a sandbox or a container changes: a process of ours must not run a hook outside of its caller's.
_NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts")
_RIGHTS = ("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "Seccomp", "Seccomp_filters")
_LIMITS = sorted({number for name, number in vars(resource).items() if name.startswith("RLIMIT_")})
_UTF8_FROM_C = ("C.UTF-8", "C.utf8", "UTF-8")  # locales that Python takes in place of "C"


class UnsuitableCallerError(Exception):
    """This process cannot act for a client; the message says why."""


class ClientProcess:
    """A client: the `arguments` of `run` in its command line, and its surroundings. Raises UnsuitableCallerError or OSError.

    Two callers with equal `surroundings` are in the same directory, environment, limits and confinement, of the same parent.
    """

    def __init__(self, pid: int) -> None:
        self.arguments = _arguments(pid)
        self._pid = pid
        self._status = read_status(pid)
        self._environment = _read(f"/proc/{pid}/environ")
        self._limits = tuple(resource.prlimit(pid, number) for number in _LIMITS)
        self._nice, self._cores = os.getpriority(os.PRIO_PROCESS, pid), os.sched_getaffinity(pid)
        self.confinement = confinement(pid, self._status)
        directory = os.stat(f"/proc/{pid}/cwd")
        self.surroundings = (
            *(os.readlink(f"/proc/{pid}/cwd"), directory.st_dev, directory.st_ino, self._environment),
            *(self._limits, self._nice, frozenset(self._cores), self.confinement),
            *(self._status[name] for name in ("PPid", "Umask", "SigIgn", "SigBlk")),
        )

    @property
    def may_be_sandboxed(self) -> bool:
        """Whether Landlock, which is not visible, may confine it: that needs no_new_privs."""
        return self._status["NoNewPrivs"] != "0"

    def become(self) -> str:
        """Give this process the surroundings. Returns how its streams treat bytes that are not UTF-8.

        Raises UnsuitableCallerError or OSError.
        """
        directory = os.open(f"/proc/{self._pid}/cwd", os.O_PATH | os.O_DIRECTORY)
        os.fchdir(directory)
        os.close(directory)
        os.umask(int(self._status["Umask"], 8))
        self._set_environment()
        self._set_limits()
        _set_signals(int(self._status["SigIgn"], 16), int(self._status["SigBlk"], 16))
        parent = int(self._status["PPid"])
        repeated_events.parent = lambda: parent
        return _stream_errors()

    def _set_environment(self) -> None:
        os.environb.clear()
        for name, equals, value in (line.partition(b"=") for line in self._environment.split(b"\0")[:-1]):
            if equals and name not in os.environb:  # as Python does
                os.environb[name] = value
        time.tzset()

    def _set_limits(self) -> None:
        for number, theirs in zip(_LIMITS, self._limits, strict=True):
            if theirs != resource.getrlimit(number):
                try:
                    resource.setrlimit(number, theirs)
                except ValueError as error:  # above our hard limit
                    raise UnsuitableCallerError(str(error)) from error
        if self._nice != os.getpriority(os.PRIO_PROCESS, 0):
            os.setpriority(os.PRIO_PROCESS, 0, self._nice)
        if self._cores != os.sched_getaffinity(0):
            os.sched_setaffinity(0, self._cores)


def confinement(pid: int | str, status: Mapping[str, str]) -> tuple[object, ...]:
    """The namespaces, root directory and rights of a process. Raises OSError."""
    root = os.stat(f"/proc/{pid}/root/")
    return (
        *(os.readlink(f"/proc/{pid}/ns/{name}") for name in _NAMESPACES if os.path.lexists(f"/proc/self/ns/{name}")),
        *(root.st_dev, root.st_ino, _label(pid)),
        *(status.get(name) for name in _RIGHTS),
    )


def read_status(pid: int | str) -> Mapping[str, str]:
    """The fields of a process's status."""
    lines = _read(f"/proc/{pid}/status").decode(errors="replace").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _arguments(pid: int) -> list[str]:
    """The arguments of `run` in the command line of the client, which is its own name and that of the cold runner."""
    words = [os.fsdecode(word) for word in _read(f"/proc/{pid}/cmdline").split(b"\0")[1:-1]]
    if tuple(words[:4]) != _COLD or words[5:7] != [paths.launcher(), "run"]:
        raise UnsuitableCallerError("another hooktui was called")
    return words[7:]


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


def open_streams(streams: Sequence[int], errors: str) -> None:
    """Open the standard streams as Python does at its start. Raises UnsuitableCallerError."""
    if len(streams) != _STREAMS:
        raise UnsuitableCallerError("not all streams came")  # no descriptor was left for them
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    sys.stdin = open(0, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115  # until the event has ended
    sys.stdout = open(1, "w", encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


def close_streams() -> None:
    """Put the null device in place of the standard streams, whose readers wait for their end."""
    null = os.open(os.devnull, os.O_RDWR)
    for target in range(_STREAMS):
        os.dup2(null, target)
    os.close(null)


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
        raise UnsuitableCallerError(f"the locale {name} is not UTF-8")
    elif name not in _UTF8_FROM_C:
        return "strict"
    return "surrogateescape"


def _label(pid: int | str) -> bytes:
    try:
        return _read(f"/proc/{pid}/attr/current")
    except OSError:  # the system has no security module
        return b""


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.readall()

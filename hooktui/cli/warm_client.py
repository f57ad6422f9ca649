"""The client of the warm runner: a static program that the launcher calls, compiled when the warm runner starts.

It lies in `hook.warm/` beside the launcher, named after the boot: home directories are shared between machines, and a shell
that cannot execute a program ends, with an exit code that would let a tool run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress

from hooktui.core import paths
from hooktui.runner import warm

_SOURCE = os.path.join(os.path.dirname(warm.__file__), "client.c")
_BOOT = "/proc/sys/kernel/random/boot_id"
_PROGRAMS = "/usr/local/bin:/usr/bin:/bin"  # never a directory of a project
_COMPILE_S = 30.0
_USAGE = 64  # its exit code without arguments


class CompileError(Exception):
    """The client cannot be compiled here; the message says why."""


def path() -> str:
    """Where the launcher looks for the client. Raises OSError without /proc."""
    with open(_BOOT, encoding="ascii") as file:
        return os.path.join(_directory(), file.read().strip())


def is_compiled() -> bool:
    """Whether the launcher has a client."""
    try:
        return os.access(path(), os.X_OK)
    except OSError:
        return False


def compile_client() -> None:
    """Compile the client, in place of an earlier one. Raises CompileError or OSError."""
    target = path()
    paths.make_directories(_directory())
    with tempfile.TemporaryDirectory(dir=_directory()) as draft:
        program = os.path.join(draft, "client")
        compile_to(program)
        os.replace(program, target)
    for name in os.listdir(_directory()):
        if name != os.path.basename(target):  # of an earlier boot, or the draft of another process
            with suppress(FileNotFoundError, IsADirectoryError, PermissionError):
                os.unlink(os.path.join(_directory(), name))


def remove() -> None:
    """Remove the client: the launcher starts the cold runner at once. Raises OSError."""
    shutil.rmtree(_directory(), ignore_errors=True)


def compile_to(program: str) -> None:
    """Compile the client to a file, and try whether it runs. Raises CompileError."""
    compiler = shutil.which("cc", path=_PROGRAMS)
    if compiler is None:
        raise CompileError("there is no C compiler (cc)")
    reason = _failure((compiler, "-O2", "-static", "-o", program, _SOURCE), 0, TMPDIR=os.path.dirname(program))
    if reason is not None:
        raise CompileError(f"cc cannot link a static program: {reason}")
    if _failure((program,), _USAGE) is not None:
        raise CompileError("the compiled client does not run here")


def _failure(command: tuple[str, ...], wanted: int, **env: str) -> str | None:
    """The last line of a command's errors; None if it exits as wanted."""
    environment = {"PATH": _PROGRAMS, "LC_ALL": "C", **env}
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_COMPILE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == wanted:
        return None
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]


def _directory() -> str:
    return paths.launcher() + ".warm"

"""A `python3` for hooks that starts no interpreter: a server with the usual modules forks itself for each script.

The program on PATH is a shell script that tells the server its process id, and exits as the server says. The server takes
arguments, environment, directory and streams of that process from /proc. Options other than `-I` and `-c` and streams that
are not pipes are for a real interpreter. Run as a program, this module is the server.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import socket
import stat
import subprocess
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests import fork_server

_IMPORTED = ("json", "pathlib", "re", "shlex", "time")
_SERVE = "import sys; sys.path.append(sys.argv[1]); from tests import forked_python; forked_python.serve(int(sys.argv[2]))"
_PROGRAM = """\
#!/bin/bash
exec 9<>/dev/tcp/127.0.0.1/{port}
echo $$ >&9
read -r -u 9 code
[ "$code" != real ] || exec {python} "$@" 9>&-
exit "$code"
"""


@contextmanager
def serving(directory: Path, python: str) -> Iterator[None]:
    """Put a forking `python3` in a directory, or a link to the real one where there is no /proc."""
    program = directory / "python3"
    if not os.path.exists("/proc/self/fd"):
        program.symlink_to(python)
        yield
        return
    with socket.create_server(("127.0.0.1", 0)) as listener:
        program.write_text(_PROGRAM.format(port=listener.getsockname()[1], python=python))
        program.chmod(0o755)
        command = [python, "-I", "-c", _SERVE, str(Path(__file__).parents[1]), str(listener.fileno())]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[listener.fileno()])
    yield
    server.communicate()


def serve(descriptor: int) -> None:
    """Fork a script for each connection, until the process that started this one ends."""
    for name in _IMPORTED:
        importlib.import_module(name)
    gc.freeze()
    running: dict[int, tuple[int, socket.socket]] = {}
    with socket.socket(fileno=descriptor) as listener:
        while 0 not in (ready := select.select([0, descriptor, *running], [], [])[0]):
            for ended in running.keys() & ready:
                pid, connection = running.pop(ended)
                os.close(ended)
                with connection, suppress(OSError):
                    connection.send(f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n".encode())
            if descriptor in ready:
                connection, _ = listener.accept()
                pid = os.fork()
                if not pid:
                    _run_for(connection)
                running[os.pidfd_open(pid)] = pid, connection


def _run_for(connection: socket.socket) -> None:
    """Run the script of the process that connected; never returns."""
    process = Path("/proc", str(int(connection.recv(16))))
    _, _, *arguments = _texts(process / "cmdline")
    isolated = arguments[:1] == ["-I"]
    argv = arguments[isolated:]
    streams = [process / "fd" / str(number) for number in range(3)]
    ours = process.stat().st_uid == os.getuid()  # or another user's process could run text as this user
    if not (ours and argv and (argv[0] == "-c" or argv[0][:1] != "-") and all(_is_pipe(stream) for stream in streams)):
        connection.send(b"real\n")
        os._exit(0)
    opened = [os.open(stream, os.O_WRONLY if number else os.O_RDONLY) for number, stream in enumerate(streams)]
    env = dict(text.split("=", 1) for text in _texts(process / "environ"))
    cwd = os.readlink(process / "cwd")
    fork_server.become(opened, env, cwd, argv, lambda: _run(isolated=isolated))


def _run(*, isolated: bool) -> None:
    """Run the script or the text of `sys.argv` as the main program."""
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    script = sys.argv[0]
    if script == "-c":
        text: str | bytes = sys.argv.pop(1)
    else:
        text, main.__file__ = Path(script).read_bytes(), script
    if not isolated:
        sys.path.insert(0, "" if script == "-c" else os.path.dirname(os.path.realpath(script)))
    exec(compile(text, script, "exec", dont_inherit=True), main.__dict__)


def _texts(path: Path) -> list[str]:
    return [os.fsdecode(text) for text in path.read_bytes().split(b"\0")[:-1]]


def _is_pipe(stream: Path) -> bool:
    try:
        mode = stream.stat().st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)

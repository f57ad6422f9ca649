"""Real `hooktui` processes without the start of an interpreter: forked by a server that has imported their modules.

Run as a program it is the server: it answers each request, three streams and a JSON object, with an exit code. That of a
worker goes to a fourth stream, after its process id, and the server does not wait for it.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NoReturn

_REQUEST_BYTES = 1 << 20
# Also what most events import while they run, or each process would import it again.
_IMPORTED = (
    "hooktui.catalog.catalog", "hooktui.catalog.hook_files", "hooktui.runner.execute", "hooktui.__main__", "hooktui.cli.main",
    "hooktui.runner.run", "hooktui.runner.approved_copy", "hooktui.runner.command", "hooktui.runner.dispatch_report",
    "hooktui.runner.environment", "hooktui.runner.journal.side_files", "hooktui.formats.agenthooks.hook_directories",
    "hooktui.formats.json_hooks.json_format", "hooktui.formats.yaml_composer", "tree_sitter", "tree_sitter_bash",
)  # fmt: skip
WORKERS = ("hooktui.hook_tests.worker", "hooktui.stack.hook_worker", "hooktui.trials.backtest_worker", "hooktui.trials.trial")


def run(
    arguments: Sequence[str], stdin: bytes, env: Mapping[str, str], cwd: Path, timeout_s: float, etc: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `hooktui` until it exits and both of its output streams end, with another `/etc` if one is given."""
    deadline = time.monotonic() + timeout_s
    out, theirs_out = os.pipe()
    err, theirs_err = os.pipe()
    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        with started(arguments, (given.fileno(), theirs_out, theirs_err), env, cwd, timeout_s, etc) as exit_code:
            os.close(theirs_out)
            os.close(theirs_err)
            stdout, stderr = _read_all((out, err), deadline)
            return subprocess.CompletedProcess(list(arguments), exit_code(), stdout, stderr)


@contextmanager
def started(
    arguments: Sequence[str],
    streams: Sequence[int],
    env: Mapping[str, str],
    cwd: Path,
    timeout_s: float,
    etc: Path | None = None,
) -> Iterator[Callable[[], int]]:
    """Start `hooktui` with three streams, at a terminal in a session of its own. Yields the wait for its exit code.

    One at a time.
    """
    server = _server()
    try:
        server.settimeout(timeout_s)
        request = {"arguments": list(arguments), "env": dict(env), "cwd": str(cwd), "etc": str(etc or "")}
        socket.send_fds(server, [json.dumps(request).encode()], list(streams))
        yield lambda: int(server.recv(16))
    except BaseException:  # its answer to this request must not be taken for one to the next
        server.close()
        _server.cache_clear()
        raise


def start_worker(module: str, streams: Sequence[int]) -> None:
    """Start a module of workers in this process's environment and directory, in a session of its own, with four streams."""
    request = json.dumps({"module": module, "env": dict(os.environ), "cwd": os.getcwd()}).encode()
    socket.send_fds(_server(), [request], list(streams))


@cache
def _server() -> socket.socket:
    """A connection to the server of this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-I", __file__, str(theirs.fileno())]
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
    theirs.close()
    atexit.register(_end, server, ours)
    return ours


def _end(server: subprocess.Popen[bytes], connection: socket.socket) -> None:
    connection.close()
    server.kill()  # it may still wait for a command that did not end in time
    server.wait()


def _read_all(pipes: tuple[int, int], deadline: float) -> tuple[bytes, bytes]:
    content = dict.fromkeys(pipes, b"")
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(deadline - time.monotonic())
            assert ready, "the command did not end in time"
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 16)
                content[key.fd] += chunk
                if not chunk:
                    selector.unregister(key.fd)
                    os.close(key.fd)
    stdout, stderr = content.values()
    return stdout, stderr


def _serve(connection: socket.socket) -> None:
    from hooktui import hosts

    for name in (*_IMPORTED, *WORKERS):
        __import__(name)
    hosts.specs()
    gc.freeze()  # or each process that collects garbage copies all pages
    while True:
        request, streams, _, _ = socket.recv_fds(connection, _REQUEST_BYTES, 4)
        if not request:
            return
        pid = os.fork()
        if not pid:
            connection.close()
            if len(streams) == 4:
                _stay_beside_a_worker(streams)
            _become_hooktui(streams, **json.loads(request))
        for stream in streams:
            os.close(stream)
        if len(streams) == 3:
            connection.send(str(_exit_code(pid)).encode())
        with suppress(ChildProcessError):  # of the workers whose end has been told
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _stay_beside_a_worker(streams: list[int]) -> None:
    """Fork once more, return there, and stay here to tell the process id of the worker and how it ends."""
    status = streams.pop()
    pid = os.fork()
    if pid:
        for stream in streams:
            os.close(stream)
        os.write(status, f"{pid}\n".encode())
        os.write(status, f"{_exit_code(pid)}\n".encode())
        os._exit(0)
    os.close(status)


def _become_hooktui(
    streams: Sequence[int],
    env: Mapping[str, str],
    cwd: str,
    arguments: Sequence[str] = (),
    module: str = "hooktui.__main__",
    etc: str = "",
) -> None:
    if os.isatty(streams[0]) or not arguments:
        os.setsid()
    become(streams, env, cwd, ["hooktui", *arguments], lambda: _main(module, etc))


def _main(module: str, etc: str) -> NoReturn:
    if etc:
        _mount_etc(etc)
    sys.exit(importlib.import_module(module).main())


def become(streams: Sequence[int], env: Mapping[str, str], cwd: str, argv: Sequence[str], main: Callable[[], object]) -> None:
    """Run a function in this forked process as an interpreter runs a program; never returns."""
    code: object = 0
    try:
        for target, stream in enumerate(streams):
            os.dup2(stream, target)
            os.close(stream)
        sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
        os.environ.clear()
        os.environ.update(env)
        os.chdir(cwd)
        sys.argv = list(argv)
        main()
    except SystemExit as end:
        code = end.code or 0
        if not isinstance(code, int):
            print(code, file=sys.stderr)
    except BaseException:  # noqa: BLE001  # as an interpreter does at its end
        sys.excepthook(*sys.exc_info())
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


def _mount_etc(etc: str) -> None:
    """Replace `/etc` for this process, which its owner is the root of (unshare(2), mount(2), user_namespaces(7))."""
    import ctypes

    libc, user = ctypes.CDLL(None, use_errno=True), os.getuid()
    new_user, new_mounts, bind, recursive, private = 0x10000000, 0x20000, 0x1000, 0x4000, 0x40000
    failed = libc.unshare(new_user | new_mounts)
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    failed |= libc.mount(None, b"/", None, recursive | private, None)
    if failed | libc.mount(os.fsencode(etc), b"/etc", None, bind, None):
        raise OSError(ctypes.get_errno(), "no other /etc")


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))

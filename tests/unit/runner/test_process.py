"""One process from start to end, with its deadline (tests/faults/test_processes.py has misbehaving ones)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hooktui.runner.process import OUTPUT_LIMIT, Command, run, run_all


def sh(script: str, *, stdin: bytes = b"", timeout_s: float = 20, cwd: str = "/") -> Command:
    return Command(argv=("/bin/sh", "-c", script), stdin=stdin, cwd=cwd, env=dict(os.environ), timeout_s=timeout_s)


def test_process_result_has_input_output_and_exit_code(tmp_path: Path) -> None:
    ended = run(sh("cat; pwd; echo err >&2; exit 7", stdin=b"in\n", cwd=str(tmp_path)))
    assert (ended.exit_code, ended.signal, ended.spawn_error, ended.timed_out) == (7, None, None, False)
    assert ended.stdout == f"in\n{tmp_path}\n".encode()
    assert ended.stderr == b"err\n"


def test_death_by_signal_reports_its_number() -> None:
    ended = run(sh("kill -15 $$"))
    assert (ended.exit_code, ended.signal) == (None, 15)


@pytest.mark.parametrize(
    ("argv", "cwd", "says"),
    [
        (("/no/such/program",), "/", "No such file or directory: /no/such/program"),
        (("/",), "/", "Permission denied"),
        (("/bin/sh", "-c", ":"), "/no/such/directory", "No such file or directory: /no/such/directory"),
    ],
)
@pytest.mark.parametrize("is_here", [True, False])
def test_spawn_error_says_why(
    argv: tuple[str, ...], cwd: str, says: str, is_here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/" if is_here else "/tmp")
    ended = run(Command(argv=argv, stdin=b"", cwd=cwd, env={}, timeout_s=5))
    assert ended.exit_code is None
    assert ended.spawn_error is not None
    assert says in ended.spawn_error


@pytest.mark.parametrize("is_here", [True, False])
def test_program_is_found_by_the_path_of_the_command(tmp_path: Path, is_here: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path if is_here else "/")
    for name, mode in (("locked", 0o600), ("open", 0o700)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tool").write_text(f"#!/bin/sh\necho {name} $PWD\n")
        (tmp_path / name / "tool").chmod(mode)
    path = f"/no/such/directory:{tmp_path}/locked:{tmp_path}/open"
    ended = run(Command(argv=("tool",), stdin=b"", cwd=str(tmp_path), env={"PATH": path}, timeout_s=5))
    assert ended.stdout == f"open {tmp_path}\n".encode()
    ended = run(Command(argv=("no-such-tool",), stdin=b"", cwd=str(tmp_path), env={"PATH": path}, timeout_s=5))
    assert ended.spawn_error is not None
    assert "No such file or directory" in ended.spawn_error


def test_a_null_byte_in_a_command_is_a_spawn_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    ended = run(Command(argv=("/bin/echo", "a\0b"), stdin=b"", cwd="/", env={}, timeout_s=5))
    assert ended.spawn_error is not None


def test_process_gets_exactly_the_given_environment() -> None:
    ended = run(Command(argv=("/usr/bin/env",), stdin=b"", cwd="/", env={"A": "1"}, timeout_s=5))
    assert ended.stdout == b"A=1\n"


def test_process_relays_megabytes_in_both_directions() -> None:
    ended = run(sh("cat", stdin=b"x" * 5_000_000))
    assert len(ended.stdout) == 5_000_000
    assert not ended.overflow


def test_output_is_cut_at_the_limit() -> None:
    ended = run(sh(f"head -c {OUTPUT_LIMIT} /dev/zero"))
    assert (len(ended.stdout), ended.overflow) == (OUTPUT_LIMIT, False)
    ended = run(sh(f"head -c {OUTPUT_LIMIT + 1} /dev/zero; exit 2"))
    assert (len(ended.stdout), ended.overflow, ended.exit_code) == (OUTPUT_LIMIT, True, 2)


def test_timeout_kills_the_process_and_keeps_its_output() -> None:
    ended = run(sh("echo begun; sleep 60", timeout_s=0.2))
    assert (ended.timed_out, ended.exit_code, ended.signal, ended.stdout) == (True, None, None, b"begun\n")


def test_processes_run_side_by_side_each_with_its_timeout(tmp_path: Path) -> None:
    meets = "touch {}; until test -e {}; do sleep 0.01; done; exit {}"
    one, other, stuck = run_all(
        [
            sh(meets.format("one", "other", 2), cwd=str(tmp_path)),
            sh(meets.format("other", "one", 3), cwd=str(tmp_path)),
            sh("sleep 60", timeout_s=0.2),
        ]
    )
    assert (one.exit_code, other.exit_code, stuck.timed_out) == (2, 3, True)


def test_meanwhile_is_called_once_during_the_run(tmp_path: Path) -> None:
    calls: list[int] = []
    waiting = sh(f"until test -e {tmp_path}/go; do sleep 0.01; done; exit 4")
    ended = run(waiting, lambda: calls.append((tmp_path / "go").write_text("")))
    assert (ended.exit_code, len(calls)) == (4, 1)


def test_exception_in_meanwhile_kills_the_processes(tmp_path: Path) -> None:
    def fail() -> None:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            time.sleep(0.001)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(sh(f"echo $$ > {tmp_path}/pid; exec sleep 60"), fail)
    assert not os.path.exists(f"/proc/{(tmp_path / 'pid').read_text().strip()}")


def test_no_descriptor_stays_open() -> None:
    before = sorted(os.listdir("/dev/fd"))
    for script in ("exit 0", "sleep 60 & exit 0", "exec 1>&-; sleep 0.01", "kill -9 $$"):
        run(sh(script))
    run(sh("sleep 60", timeout_s=0.1))
    assert sorted(os.listdir("/dev/fd")) == before


def test_earlier_signal_interrupts_hooks_at_once() -> None:
    code = """
import os, sys
from hooktui.runner import interruption, process
interruption.handle_signals(*interruption.ENDING)
os.kill(os.getpid(), 15)
try:
    process.run(process.Command(argv=("sleep", "60"), stdin=b"", cwd="/", env=os.environ, timeout_s=60))
except interruption.Interrupted:
    print("interrupted")
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    print("nobody is left")
os.kill(os.getpid(), 15)
print("kept")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "interrupted\nnobody is left\nkept\n"

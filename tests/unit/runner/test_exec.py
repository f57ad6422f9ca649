"""`hooktui exec` is transparent: neither the host nor its hook notices it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.command_world import DEADLINE_S, HOOKTUI, wait_until
from tests.unit.runner.exec_world import BYTES, PAYLOAD, World, gone, pid_of, script


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_exec_relays_three_million_bytes_in_both_directions(world: World) -> None:
    assert world.begin("cat").communicate(BYTES, DEADLINE_S)[0] == BYTES


def test_stdout_and_stderr_stay_separate_and_complete(world: World) -> None:
    done = world.observe(*script("cat; echo out; printf 'err\\0\\377' >&2; echo out2"), stdin=b"in\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"in\nout\nout2\n", b"err\0\xff")


@pytest.mark.parametrize("code", [0, 1, 2, 255])
def test_exec_returns_the_exit_code_of_the_command(world: World, code: int) -> None:
    assert world.observe(*script(f"exit {code}")).returncode == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGPIPE, signal.SIGUSR1])
def test_exec_dies_by_the_same_signal_as_the_command(world: World, number: signal.Signals) -> None:
    assert world.observe(*script(f"kill -{int(number)} $$")).returncode == -number


def test_grandchild_does_not_delay_the_exit_or_the_log_and_its_output_is_relayed(world: World) -> None:
    host = world.begin(*script("(until [ -e go ]; do sleep 0.02; done; echo late) & echo now"), start_new_session=True)
    assert host.wait(DEADLINE_S) == 0
    assert world.recorded()[0]["stdout"] == "now\n"
    (world.project / "go").touch()
    assert host.communicate(timeout=DEADLINE_S)[0] == b"now\nlate\n"


def test_a_start_without_an_end_is_logged_as_interrupted(world: World) -> None:
    host = world.begin(*script("echo $$ > pid; exec sleep 60"), start_new_session=True)
    assert host.stdin
    host.stdin.write(json.dumps(PAYLOAD).encode())
    pid = pid_of(world)
    wait_until(lambda: list(world.db.with_name("log.db.observed").glob("*[0-9]")))
    os.killpg(host.pid, signal.SIGKILL)
    host.communicate(timeout=DEADLINE_S)
    assert host.returncode == -signal.SIGKILL
    wait_until(lambda: gone(pid))
    (run,) = world.recorded()
    assert (run["state"], run["event"], run["signal"]) == ("interrupted", "pre-tool-call", None)


def test_signals_are_forwarded_to_the_command(world: World) -> None:
    host = world.begin(*script("trap 'echo bye; exit 3' TERM; echo $$ > pid; while :; do sleep 0.02; done"))
    pid_of(world)
    host.terminate()
    assert host.communicate(timeout=DEADLINE_S)[0] == b"bye\n"
    assert host.returncode == 3


def test_signals_that_the_host_ignores_stay_ignored(world: World) -> None:
    host = world.begin(
        *script("echo $$ > pid; until [ -e go ]; do sleep 0.02; done; kill -HUP $$; echo alive"),
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    pid_of(world)
    host.send_signal(signal.SIGHUP)
    (world.project / "go").touch()
    assert host.communicate(timeout=DEADLINE_S)[0] == b"alive\n"


def test_command_without_a_reader_gets_sigpipe(world: World) -> None:
    ends = []
    for command in (["yes"], [*HOOKTUI, "exec", "--", "yes"]):
        host = subprocess.Popen(command, **world.streams)
        assert host.stdout
        assert host.stdout.read(2) == b"y\n"
        host.stdout.close()
        ends.append(host.wait(DEADLINE_S))
        host.communicate()
    assert ends == [-signal.SIGPIPE, -signal.SIGPIPE]


def test_host_sees_when_the_command_closes_its_streams(world: World) -> None:
    host = world.begin(*script("exec <&- >&-; echo $$ > pid; until [ -e go ]; do sleep 0.02; done"))
    pid_of(world)
    assert host.stdout
    assert host.stdout.read() == b""

    def write_fails() -> bool:
        assert host.stdin
        try:
            host.stdin.write(b"x" * 65536)
        except BrokenPipeError:
            return True
        return False

    wait_until(write_fails)
    (world.project / "go").touch()
    assert host.wait(DEADLINE_S) == 0
    assert host.stdin
    host.stdin.close()
    host.stdin = None
    host.communicate()


def test_command_that_ignores_stdin_does_not_block_the_host(world: World) -> None:
    host = world.begin("true")
    host.communicate(BYTES, DEADLINE_S)
    assert host.returncode == 0


def test_log_has_the_event_even_if_the_command_ignores_stdin(world: World) -> None:
    long = {**PAYLOAD, "tool_input": {"command": "x" * 300_000}}
    for payload in (PAYLOAD, long):
        world.observe("true", stdin=json.dumps(payload).encode())
    assert [run["event"] for run in world.recorded(2)] == ["pre-tool-call"] * 2


def test_command_that_cannot_start_fails_as_in_a_shell_and_is_logged(world: World) -> None:
    (world.project / "plain").touch()
    missing = world.observe("./missing.sh", stdin=json.dumps(PAYLOAD).encode())
    refused = world.observe("./plain")
    assert (missing.returncode, refused.returncode) == (127, 126)
    assert missing.stderr == b"hooktui: No such file or directory: ./missing.sh\n"
    runs = world.recorded(2)
    assert [(run["state"], run["exit_code"]) for run in runs] == [("failed", 127), ("failed", 126)]
    assert "No such file" in runs[0]["stderr"]


def test_script_without_a_shebang_runs_in_a_shell(world: World) -> None:
    (world.project / "plain").write_text('echo "$1"\n')
    (world.project / "plain").chmod(0o755)
    assert world.observe("./plain", "said").stdout == b"said\n"


def test_slow_host_gets_all_output_and_termination_ends_the_wait(world: World) -> None:
    (world.project / "bytes").write_bytes(BYTES[:300_000])
    late, gone = world.begin("cat", "bytes"), world.begin("cat", "bytes")
    for host in (late, gone):
        assert host.stdout
        assert host.stdout.read(1) == BYTES[:1]
    gone.terminate()
    assert gone.wait(DEADLINE_S) in (0, -signal.SIGTERM)
    assert late.communicate(timeout=DEADLINE_S)[0] == BYTES[1:300_000]
    gone.communicate()


@pytest.mark.parametrize("arguments", [[], ["--"], ["true"], ["--nonsense", "--", "true"], ["--host", "--", "true"]])
def test_wrong_command_line_is_a_usage_error(world: World, arguments: list[str]) -> None:
    assert "exec" in world.run("exec", *arguments, code=64).stderr

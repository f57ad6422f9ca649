"""`hooktui exec` stands between a host and its hook: neither may notice, and the log must know what was decided."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.command_world import DEADLINE_S, HOOKTUI, CommandWorld, wait_until

if TYPE_CHECKING:
    from pathlib import Path

PAYLOAD = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
BYTES = random.Random(3).randbytes(8_000_000)


class World(CommandWorld):
    """Runs commands through `exec`, as a host would, and without it."""

    def observe(self, *command: str, stdin: bytes = b"", options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*HOOKTUI, "exec", *options, "--", *command],
            input=stdin,
            env=self.environment,
            cwd=self.project,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )

    def begin(self, *command: str, **more: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen([*HOOKTUI, "exec", "--host", "claude", "--", *command], **self.streams, **more)

    @property
    def streams(self) -> dict[str, Any]:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return {"env": self.environment, "cwd": self.project, "bufsize": 0, **pipes}

    def recorded(self, count: int = 1) -> list[dict[str, Any]]:
        """The observed runs with their dispatches, oldest first, as soon as there are so many."""
        wait_until(lambda: len(self._rows()) >= count)
        return self._rows()

    def _rows(self) -> list[dict[str, Any]]:
        if not self.db.exists():
            return []
        with sqlite3.connect(f"file:{self.db}?mode=ro", uri=True) as connection:
            connection.row_factory = sqlite3.Row
            query = (
                "SELECT run.*, dispatch.event, dispatch.tool, dispatch.decision AS merged, hook.name, hook.file,"
                " content.payload, session.host FROM dispatch JOIN run ON run.dispatch = dispatch.id"
                " JOIN hook ON hook.id = run.hook JOIN content ON content.id = dispatch.id"
                " JOIN session ON session.id = dispatch.session ORDER BY dispatch.id"
            )
            try:
                rows = [dict(row) for row in connection.execute(query)]
            except sqlite3.OperationalError:  # its tables are being made
                rows = []
        connection.close()
        return rows


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def script(text: str) -> tuple[str, ...]:
    return ("sh", "-c", text)


def has_witness(pid: int) -> bool:
    """Whether a process of the same command line stands by in a session of its own, and is no child."""
    others = (int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != pid)
    return any(_command_line(other) == _command_line(pid) and _is_apart(other, pid) for other in others)


def _command_line(pid: int) -> bytes:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read()
    return str(pid).encode()  # it has just ended


def _is_apart(other: int, pid: int) -> bool:
    try:
        parent = _status(other)[1]
        return int(parent) != pid and os.getsid(other) != os.getsid(pid)
    except OSError:
        return False


def _status(pid: int) -> list[str]:
    """State, parent and so on."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return _status(pid)[0] == "Z"


def test_eight_million_bytes_come_out_as_they_are(world: World) -> None:
    (world.project / "bytes").write_bytes(BYTES)
    assert world.observe("cat", "bytes").stdout == BYTES


def test_eight_million_bytes_go_in_and_come_back(world: World) -> None:
    assert world.observe("cat", stdin=BYTES).stdout == BYTES


def test_the_streams_stay_apart_and_whole(world: World) -> None:
    done = world.observe(*script("cat; echo out; printf 'err\\0\\377' >&2; echo out2"), stdin=b"in\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"in\nout\nout2\n", b"err\0\xff")


@pytest.mark.parametrize("code", [0, 1, 2, 255])
def test_the_exit_code_is_the_commands(world: World, code: int) -> None:
    assert world.observe(*script(f"exit {code}")).returncode == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGPIPE, signal.SIGUSR1])
def test_a_command_that_dies_by_a_signal_dies_so_for_the_host(world: World, number: signal.Signals) -> None:
    assert world.observe(*script(f"kill -{int(number)} $$")).returncode == -number


def test_a_grandchild_that_keeps_the_pipe_does_not_delay_the_exit_and_is_heard_to_its_end(world: World) -> None:
    host = world.begin(*script("(until [ -e go ]; do sleep 0.02; done; echo late) & echo now"), start_new_session=True)
    assert host.wait(DEADLINE_S) == 0
    (world.project / "go").touch()
    assert host.communicate(timeout=DEADLINE_S)[0] == b"now\nlate\n"
    assert world.recorded()[0]["stdout"] == "now\nlate\n"


def test_a_daemon_that_keeps_the_pipe_does_not_keep_the_log_waiting(world: World) -> None:
    host = world.begin(*script("(until [ -e go ]; do sleep 0.02; done; echo late) & echo now"))
    (run,) = world.recorded()
    assert run["stdout"] == "now\n"
    (world.project / "go").touch()
    assert host.communicate(timeout=DEADLINE_S)[0] == b"now\nlate\n"


def test_a_kill_of_the_group_ends_the_command_too_and_is_in_the_log(world: World) -> None:
    host = world.begin(*script("echo $$ > pid; exec sleep 60"), start_new_session=True)
    pid = _pid(world)
    wait_until(lambda: has_witness(host.pid))
    os.killpg(host.pid, signal.SIGKILL)
    host.communicate(timeout=DEADLINE_S)
    assert host.returncode == -signal.SIGKILL
    wait_until(lambda: gone(pid))
    (run,) = world.recorded()
    assert (run["state"], run["signal"]) == ("failed", signal.SIGKILL)


def test_a_kill_that_was_meant_for_the_command_reaches_it(world: World) -> None:
    host = world.begin(*script("echo $$ > pid; echo begun; exec sleep 60"))
    pid = _pid(world)
    wait_until(lambda: has_witness(host.pid))
    host.kill()
    assert host.communicate(timeout=DEADLINE_S)[0] == b"begun\n"
    wait_until(lambda: gone(pid))
    assert world.recorded()[0]["stdout"] == "begun\n"


def test_a_signal_is_handed_on_to_a_command_that_handles_it(world: World) -> None:
    host = world.begin(*script("trap 'echo bye; exit 3' TERM; echo $$ > pid; while :; do sleep 0.02; done"))
    _pid(world)
    host.terminate()
    assert host.communicate(timeout=DEADLINE_S)[0] == b"bye\n"
    assert host.returncode == 3


def test_a_signal_that_the_host_ignores_for_its_hooks_is_ignored(world: World) -> None:
    host = world.begin(
        *script("echo $$ > pid; until [ -e go ]; do sleep 0.02; done; kill -HUP $$; echo alive"),
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    _pid(world)
    host.send_signal(signal.SIGHUP)
    (world.project / "go").touch()
    assert host.communicate(timeout=DEADLINE_S)[0] == b"alive\n"


def test_a_command_whose_reader_has_gone_ends_as_it_would_alone(world: World) -> None:
    ends = []
    for command in (["yes"], [*HOOKTUI, "exec", "--", "yes"]):
        host = subprocess.Popen(command, **world.streams)
        assert host.stdout
        assert host.stdout.read(2) == b"y\n"
        host.stdout.close()
        ends.append(host.wait(DEADLINE_S))
        host.communicate()
    assert ends == [-signal.SIGPIPE, -signal.SIGPIPE]


def test_a_host_learns_that_the_command_has_closed_its_streams(world: World) -> None:
    host = world.begin(*script("exec <&- >&-; echo $$ > pid; until [ -e go ]; do sleep 0.02; done"))
    _pid(world)
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


def test_a_command_that_reads_nothing_keeps_nobody_waiting(world: World) -> None:
    assert world.observe("true", stdin=BYTES).returncode == 0


def test_the_log_knows_the_event_though_the_command_read_nothing(world: World) -> None:
    long = {**PAYLOAD, "tool_input": {"command": "x" * 300_000}}
    for payload in (PAYLOAD, long):
        world.observe("true", stdin=json.dumps(payload).encode())
    assert [run["event"] for run in world.recorded(2)] == ["pre-tool-call"] * 2


def test_a_command_that_cannot_be_started_fails_as_in_a_shell_and_is_in_the_log(world: World) -> None:
    (world.project / "plain").touch()
    missing = world.observe("./missing.sh", stdin=json.dumps(PAYLOAD).encode())
    refused = world.observe("./plain")
    assert (missing.returncode, refused.returncode) == (127, 126)
    assert missing.stderr == b"hooktui: No such file or directory: ./missing.sh\n"
    runs = world.recorded(2)
    assert [(run["state"], run["exit_code"]) for run in runs] == [("failed", 127), ("failed", 126)]
    assert "No such file" in runs[0]["stderr"]


def test_a_script_without_a_first_line_is_run_as_a_shell_would(world: World) -> None:
    (world.project / "plain").write_text('echo "$1"\n')
    (world.project / "plain").chmod(0o755)
    assert world.observe("./plain", "said").stdout == b"said\n"


def test_a_host_that_reads_late_gets_all_and_one_that_gives_up_is_not_held(world: World) -> None:
    (world.project / "bytes").write_bytes(BYTES[:300_000])
    late, gone = world.begin("cat", "bytes"), world.begin("cat", "bytes")
    for host in (late, gone):
        assert host.stdout
        assert host.stdout.read(1) == BYTES[:1]
    gone.terminate()
    assert gone.wait(DEADLINE_S) in (0, -signal.SIGTERM)
    assert late.communicate(timeout=DEADLINE_S)[0] == BYTES[1:300_000]
    gone.communicate()


def test_the_log_has_the_decision_as_the_host_reads_it(world: World) -> None:
    camel = {"sessionId": "s", "toolName": "bash", "toolArgs": {}}
    stop = {"hook_event_name": "Stop", "agent_name": "a"}
    denial = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}'
    nameless = denial.replace('"hookEventName": "PreToolUse", ', "")
    observed = [
        ("claude", PAYLOAD, f"echo '{denial}'", "pre-tool-call", "deny"),
        ("claude", PAYLOAD, f"echo '{nameless}'", "pre-tool-call", "none"),
        ("vscode", PAYLOAD, f"echo '{nameless}'", "pre-tool-call", "deny"),
        ("claude", PAYLOAD, "exit 1", "pre-tool-call", "none"),
        ("copilot", camel, "exit 1", "pre-tool-call", "deny"),
        ("azure", stop, "echo more >&2; exit 2", "pre-agent-turn-stop", "deny"),
    ]
    for host, payload, text, _event, _decision in observed:
        world.observe(*script(text), stdin=json.dumps(payload).encode(), options=("--host", host))
    runs = world.recorded(len(observed))
    assert [(run["host"], run["event"], run["merged"]) for run in runs] == [
        (host, event, decision) for host, _payload, _text, event, decision in observed
    ]


def test_the_log_has_what_was_read_and_said(world: World) -> None:
    options = ("--name=audit", "--file", "/etc/hooks.json")
    world.observe(*script("cat; echo note >&2"), stdin=json.dumps(PAYLOAD).encode(), options=options)
    (run,) = world.recorded()
    assert (run["host"], run["event"], run["tool"], run["name"], run["file"]) == (
        "claude",
        "pre-tool-call",
        "Bash",
        "audit",
        "/etc/hooks.json",
    )
    assert (json.loads(run["payload"]), run["stdout"], run["stderr"]) == (PAYLOAD, json.dumps(PAYLOAD), "note\n")
    assert (run["state"], run["exit_code"]) == ("ok", 0)


def test_a_secret_in_the_payload_or_the_output_is_not_stored(world: World) -> None:
    secret = "gh" + "p_" + "a1B2c3D4" * 5
    payload = {**PAYLOAD, "tool_input": {"command": f"login {secret}"}}
    done = world.observe("cat", stdin=json.dumps(payload).encode())
    assert secret.encode() in done.stdout
    (run,) = world.recorded()
    assert "[redacted]" in run["payload"]
    assert "[redacted]" in run["stdout"]
    assert [path for path in world.db.parent.glob("*") if secret.encode() in path.read_bytes()] == []


def test_what_is_no_event_passes_and_is_kept_as_it_came(world: World) -> None:
    assert world.observe("cat", stdin=b"no event\xff").stdout == b"no event\xff"
    (run,) = world.recorded()
    assert run["event"] == "unknown"
    assert "no event" in run["payload"]


def test_more_than_10_mib_pass_whole_though_the_log_cannot_judge_them(world: World) -> None:
    done = world.observe(*script("head -c 11000000 /dev/zero; exit 0"), stdin=json.dumps(PAYLOAD).encode())
    assert len(done.stdout) == 11_000_000
    (run,) = world.recorded()
    assert (run["state"], run["truncated"]) == ("invalid-output", 1)


def test_runs_are_in_the_log_in_the_order_in_which_they_began(world: World) -> None:
    slow = world.begin(*script("(until [ -e go ]; do sleep 0.02; done) & exit 0"))
    assert slow.wait(DEADLINE_S) == 0
    world.observe("true")
    (world.project / "go").touch()
    slow.communicate(timeout=DEADLINE_S)
    assert [run["name"] for run in world.recorded(2)] == ["sh", "true"]


def test_a_log_that_is_locked_delays_neither_exit_nor_end_of_output(world: World) -> None:
    world.observe("true")
    world.recorded()
    with sqlite3.connect(world.db, isolation_level=None) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        started = time.monotonic()
        assert world.observe("echo", "hi").stdout == b"hi\n"
        assert time.monotonic() - started < DEADLINE_S / 2
        wait_until(lambda: any(path.stat().st_size for path in world.db.parent.glob("*spool*")))
        connection.execute("ROLLBACK")
    connection.close()


@pytest.mark.parametrize("arguments", [[], ["--"], ["true"], ["--nonsense", "--", "true"], ["--host", "--", "true"]])
def test_a_wrong_command_line_is_said_to_be_one(world: World, arguments: list[str]) -> None:
    assert "exec" in world.run("exec", *arguments, code=64).stderr


def _pid(world: World) -> int:
    """The process id that the command has written, when it has."""
    file = world.project / "pid"
    wait_until(lambda: file.exists() and file.read_text().endswith("\n"))
    return int(file.read_text())

"""The warm runner answers as the cold one, or not at all: then the cold runner does, once."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.command_world import DEADLINE_S, HOOKTUI, wait_until
from tests.faults.agent import Agent
from tests.warm_runner import COLD, WarmRunner, ended, send

OTHER_USER = 12345
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")


def begin(runner: WarmRunner, agent: Agent) -> subprocess.Popen[bytes]:
    """Send an event through the client, and do not wait."""
    client = subprocess.Popen(
        runner.command("--host", "agenthooks"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**agent.environment, "XDG_RUNTIME_DIR": str(runner.runtime)},
        cwd=agent.project,
    )
    assert client.stdin
    client.stdin.write(json.dumps(agent.event()).encode())
    client.stdin.close()
    client.stdin = None
    return client


def slow_hook(agent: Agent) -> Path:
    """A hook that reads its input, writes its process ID and waits for ever."""
    pid = agent.home / "pid"
    agent.hook("slow", f"#!/bin/sh\ncat > /dev/null\necho $$ >> {pid}\nexec sleep 1000\n", timeout=60)
    return pid


def started(pid: Path) -> int:
    """The process of the slow hook, once it has started."""
    wait_until(lambda: pid.exists() and pid.read_text().endswith("\n"))
    (line,) = pid.read_text().splitlines()
    return int(line)


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def child_of(pid: int) -> int:
    """The process that handles the only event."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        (child,) = file.read().split()
    return int(child)


def test_client_runs_the_cold_command_when_nobody_listens(runner: WarmRunner, agent: Agent) -> None:
    assert send(runner, agent).returncode == COLD


def test_client_passes_stdin_and_arguments_on_to_the_cold_command(runner: WarmRunner, agent: Agent) -> None:
    runner.code = "import sys; print(sys.argv[1:], sys.stdin.read())"
    done = runner.run(["--host", "claude", "Stop"], b"an event", agent.environment, agent.project)
    assert done.stdout.decode() == f"{[runner.launcher, 'run', '--host', 'claude', 'Stop']} an event\n"


def test_event_is_denied_and_recorded(served: WarmRunner, agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n")
    done = send(served, agent)
    assert (done.returncode, json.loads(done.stdout)["decision"]) == (2, "deny")
    assert [report["decision"] for report in agent.recorded()] == ["deny"]


def test_killed_client_ends_its_hooks(served: WarmRunner, agent: Agent) -> None:
    pid = slow_hook(agent)
    client = begin(served, agent)
    hook = started(pid)
    client.kill()
    wait_until(lambda: not is_alive(hook))
    wait_until(lambda: [report["hooks"][0]["state"] for report in agent.recorded()] == ["interrupted"])
    client.communicate()


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT], ids=lambda number: number.name
)
def test_signal_ends_client_and_hooks(served: WarmRunner, agent: Agent, number: signal.Signals) -> None:
    pid = slow_hook(agent)
    client = begin(served, agent)
    hook = started(pid)
    client.send_signal(number)
    client.communicate(timeout=DEADLINE_S)
    assert client.returncode == -number
    assert not is_alive(hook)
    assert [report["hooks"][0]["state"] for report in agent.recorded()] == ["interrupted"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
def test_end_of_the_server_does_not_disturb_an_event(runner: WarmRunner, agent: Agent, number: signal.Signals) -> None:
    server = runner.start()
    ends = agent.home / "ends"
    wait = f"until grep -q zombie /proc/{server.pid}/status; do :; done"
    agent.hook("end", f"#!/bin/sh\n[ ! -e {ends} ] || {{ kill -{number} {server.pid}; {wait}; }}\n")
    handlers(agent, runner)  # a process that would wait for another event
    ends.touch()
    done = send(runner, agent)
    assert (done.returncode, done.stderr) == (0, b"")
    assert send(runner, agent).returncode == COLD


def test_event_whose_process_is_killed_is_denied_and_runs_no_hook_twice(runner: WarmRunner, agent: Agent) -> None:
    server = runner.start()
    pid = slow_hook(agent)
    runner.code = "import site, sys; site.main(); from hooktui.__main__ import main; sys.argv[1:] = sys.argv[2:]; main()"
    client = begin(runner, agent)
    hook = started(pid)
    os.kill(child_of(server.pid), signal.SIGKILL)
    _, stderr = client.communicate(timeout=DEADLINE_S)
    assert client.returncode == 2
    assert stderr == b"hooktui: event denied: the warm runner ended while it handled the event\n"
    wait_until(lambda: not is_alive(hook))
    assert len(pid.read_text().splitlines()) == 1


def test_event_whose_process_is_killed_before_it_begins_is_handled_cold(runner: WarmRunner, agent: Agent) -> None:
    server = runner.start()
    os.kill(server.pid, signal.SIGSTOP)
    client = begin(runner, agent)
    wait_until(lambda: is_connected(client.pid))
    server.kill()
    client.communicate(timeout=DEADLINE_S)
    assert client.returncode == COLD


def is_connected(pid: int) -> bool:
    """Whether a client waits for an answer."""
    with open(f"/proc/{pid}/wchan") as file:
        return "poll" in file.read()


def test_stopped_server_delays_an_event_but_does_not_hold_it(runner: WarmRunner, agent: Agent) -> None:
    server = runner.start()
    os.kill(server.pid, signal.SIGSTOP)
    assert send(runner, agent).returncode == COLD
    os.kill(server.pid, signal.SIGCONT)
    assert send(runner, agent).returncode == 0


def test_stopped_server_holds_no_client_when_its_queue_is_full(runner: WarmRunner, agent: Agent) -> None:
    server = runner.start()
    os.kill(server.pid, signal.SIGSTOP)
    with contextlib.ExitStack() as connections:
        with contextlib.suppress(BlockingIOError):
            while True:
                connection = connections.enter_context(socket.socket(socket.AF_UNIX))
                connection.setblocking(False)
                connection.connect(str(runner.socket))
        assert send(runner, agent).returncode == COLD
        status = subprocess.run(
            (*HOOKTUI, "warm", "status"), env=runner.environment, stderr=subprocess.PIPE, timeout=DEADLINE_S, check=False
        )
    assert (status.returncode, status.stderr) == (1, b"hooktui: the warm runner accepts no connections: it may be stopped\n")


def test_changed_configuration_replaces_the_server(runner: WarmRunner, agent: Agent) -> None:
    config = runner.home / ".config/hooktui/config.toml"
    server = runner.start()
    assert send(runner, agent).returncode == 0
    config.parent.mkdir(parents=True)
    config.write_text("[run]\n")
    assert send(runner, agent).returncode == COLD
    assert ended(server) == 0
    wait_until(runner.listens)
    assert send(runner, agent).returncode == 0


def test_other_hooktui_is_not_served(runner: WarmRunner, agent: Agent) -> None:
    runner.start()
    runner.launcher = "/another/hooktui/hook"
    assert send(runner, agent).returncode == COLD


CONNECT = """
import os, socket, sys
os.setuid(int(sys.argv[2]))
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
sys.exit(len(connection.recv(1)))
"""


@needs_root
def test_other_user_is_not_served(agent: Agent) -> None:
    with tempfile.TemporaryDirectory() as root, contextlib.closing(WarmRunner(Path(root) / "warm")) as runner:
        runner.start()
        for path in (Path(root), Path(root) / "warm", runner.runtime, runner.socket.parent, runner.socket):
            path.chmod(0o777)
        connect = (sys.executable, "-I", "-S", "-c", CONNECT, str(runner.socket), str(OTHER_USER))
        assert subprocess.run(connect, check=False).returncode == 0
        runner.socket.parent.chmod(0o700)
        assert send(runner, agent).returncode == 0


LISTEN = """
import os, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
os.setuid(int(sys.argv[2]))
listener.listen()
listener.accept()[0].send(b"?")
listener.accept()
"""


@needs_root
def test_server_of_another_user_gets_no_event(runner: WarmRunner, agent: Agent) -> None:
    runner.socket.parent.mkdir(mode=0o700)
    command = (sys.executable, "-I", "-S", "-c", LISTEN, str(runner.socket), str(OTHER_USER))
    server = subprocess.Popen(command)
    wait_until(runner.listens)
    assert send(runner, agent).returncode == COLD
    server.kill()
    server.wait()


@pytest.mark.parametrize("kind", ["group can write", "others can read", "a link", "a file"])
def test_runtime_directory_of_others_is_refused(runner: WarmRunner, agent: Agent, kind: str) -> None:
    server = runner.start()
    place = runner.socket.parent
    if kind == "group can write":
        place.chmod(0o770)
    elif kind == "others can read":
        place.chmod(0o705)
    else:
        place.rename(place.with_name("moved"))
        place.symlink_to("moved") if kind == "a link" else place.write_text("")
    assert send(runner, agent).returncode == COLD
    server.kill()
    server.wait()
    again = runner.spawn(stderr=subprocess.PIPE)
    _, stderr = again.communicate(timeout=DEADLINE_S)
    assert again.returncode == 1
    assert b"must be a directory of yours with mode 0700" in stderr


def test_long_path_of_the_socket_is_no_obstacle(tmp_path: Path, agent: Agent) -> None:
    root = tmp_path
    for _ in range(6):
        root /= "a-directory-with-a-long-name"
    root.mkdir(parents=True)
    with contextlib.closing(WarmRunner(root)) as runner:
        runner.start()
        assert len(str(runner.socket)) > 108
        assert send(runner, agent).returncode == 0


def test_ten_events_at_once_are_all_answered(served: WarmRunner, agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n")
    clients = [begin(served, agent) for _ in range(10)]
    for client in clients:
        client.communicate(timeout=DEADLINE_S)
    assert [client.returncode for client in clients] == [2] * 10
    assert len(agent.recorded()) == 10


def test_server_without_descriptors_leaves_events_to_the_cold_runner(runner: WarmRunner, agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n")
    server = runner.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8)))
    clients = [begin(runner, agent) for _ in range(10)]
    for client in clients:
        client.communicate(timeout=DEADLINE_S)
    assert {client.returncode for client in clients} <= {2, COLD}
    assert server.poll() is None


def handlers(agent: Agent, runner: WarmRunner, *events: dict[str, str]) -> list[int]:
    """The processes that handle events with these variables, one after another, once the index is in use."""
    seen = agent.home / "handlers"
    agent.hook("spy", f"#!/bin/sh\necho $PPID >> {seen}\n")

    def handler(env: dict[str, str]) -> int:
        assert send(runner, agent, env=env).returncode == 0
        return int(seen.read_text().splitlines()[-1])

    wait_until(lambda: handler({}) == handler({}))
    return [handler(env) for env in events]


def test_only_a_caller_with_equal_surroundings_gets_a_process_again(served: WarmRunner, agent: Agent) -> None:
    first, other, again = handlers(agent, served, {}, {"SECRET": "1"}, {})
    assert first == again != other


def test_a_process_handles_events_again_whose_tool_rules_hooks_out(served: WarmRunner, agent: Agent) -> None:
    seen = agent.home / "handlers"
    agent.hook("spy", f"#!/bin/sh\necho $PPID >> {seen}\n")
    for number in range(5):
        agent.hook(f"other-{number}", "#!/bin/sh\n", matcher={"tool": f"^Tool{number}$"})

    def handled() -> str:
        done = served.run([], json.dumps(agent.event()).encode(), agent.environment, agent.project)
        assert done.returncode == 0
        return seen.read_text().split()[-1]

    wait_until(lambda: handled() == handled())


def test_hooks_that_change_between_events_count(served: WarmRunner, agent: Agent) -> None:
    handlers(agent, served)
    agent.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n")
    assert [send(served, agent).returncode for _ in range(3)] == [2, 2, 2]
    (agent.home / ".config/agents/hooks/guard/scripts/run").write_text("#!/bin/sh\n")
    assert send(served, agent).returncode == 0


def test_waiting_process_keeps_no_stream_of_a_caller_open(served: WarmRunner, agent: Agent) -> None:
    (process,) = handlers(agent, served, {})
    assert {os.readlink(f"/proc/{process}/fd/{fd}") for fd in range(3)} == {"/dev/null"}


def test_hook_cannot_reach_the_client(served: WarmRunner, agent: Agent) -> None:
    handlers(agent, served)
    seen = agent.home / "descriptors"
    agent.hook("other", f"#!/bin/sh\nls -l /proc/self/fd > {seen}\n")
    assert send(served, agent).returncode == 0
    assert "socket" not in seen.read_text()


def test_interrupted_process_handles_no_other_event(served: WarmRunner, agent: Agent) -> None:
    (process,) = handlers(agent, served, {})
    pid = slow_hook(agent)
    client = begin(served, agent)
    started(pid)
    client.terminate()
    client.communicate(timeout=DEADLINE_S)
    wait_until(lambda: not is_alive(process))


def test_waiting_processes_end_with_the_server(runner: WarmRunner, agent: Agent) -> None:
    server = runner.start()
    (process,) = handlers(agent, runner, {})
    server.kill()
    server.wait()
    wait_until(lambda: not is_alive(process))


def test_server_leaves_when_idle(runner: WarmRunner) -> None:
    server = runner.spawn(0.05)
    assert ended(server) == 0
    assert not runner.socket.exists()


def test_second_server_leaves_at_once(runner: WarmRunner) -> None:
    first = runner.start()
    assert ended(runner.spawn()) == 0
    assert first.poll() is None


def test_socket_of_a_killed_server_is_replaced(runner: WarmRunner, agent: Agent) -> None:
    server = runner.start()
    server.kill()
    server.wait()
    assert send(runner, agent).returncode == COLD
    runner.start()
    assert send(runner, agent).returncode == 0

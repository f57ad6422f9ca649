"""An approved hook executes exactly the bytes that were hashed, even while another process swaps its files."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.command_world import wait_until
from tests.faults.agent import Agent

ROUNDS = 100
GOOD = '#!/bin/sh\n. "$(dirname "$0")/words"\necho "$WORD" >> "$HOME/ran"\n'
EVIL = GOOD + ": evil\ntouch $HOME/evil\n"
# Swaps two names some thousand times a second: one step each, so that the path always exists.
SWAPPER = """
import ctypes, os, sys, time
libc, (path, other) = ctypes.CDLL(None, use_errno=True), map(os.fsencode, sys.argv[1:])
print("ready", flush=True)
while os.getppid() == PARENT:
    assert libc.renameat2(-100, path, -100, other, 2) == 0, os.strerror(ctypes.get_errno())
    time.sleep(0.0001)
"""
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="swaps two names in one step")


@contextmanager
def swapping(path: Path, other: Path) -> Iterator[None]:
    """Exchange two files all the time."""
    script = SWAPPER.replace("PARENT", str(os.getpid()))
    process = subprocess.Popen([sys.executable, "-c", script, str(path), str(other)], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    yield
    assert process.poll() is None
    process.kill()
    process.communicate()


@pytest.fixture
def theirs(agent: Agent) -> Path:
    """A project's hook, approved."""
    directory = agent.hook("theirs", GOOD, scope="project")
    (directory / "scripts/words").write_text("WORD=good\n")
    agent.approve()
    return directory


def ran(agent: Agent) -> list[str]:
    return (agent.home / "ran").read_text().split() if (agent.home / "ran").exists() else []


def copies(agent: Agent) -> list[Path]:
    return [path for path in (agent.home / ".local/state/hooktui/approved").iterdir() if path.is_dir()]


@on_linux
@pytest.mark.parametrize("name", ["scripts/run", "scripts/words"])
def test_files_that_are_swapped_all_the_time_never_run_unapproved(agent: Agent, theirs: Path, name: str) -> None:
    other = agent.project / "other"
    other.write_text("WORD=evil\n" if name == "scripts/words" else EVIL)
    other.chmod((theirs / name).stat().st_mode)
    with swapping(theirs / name, other):
        for _ in range(ROUNDS):
            agent.fire()
    assert set(ran(agent)) <= {"good"}
    assert not (agent.home / "evil").exists()


@on_linux
def test_a_directory_that_is_swapped_all_the_time_never_runs_unapproved(agent: Agent, theirs: Path) -> None:
    other = agent.project / "other"
    shutil.copytree(theirs, other)
    (other / "scripts/words").write_text("WORD=evil\n")
    with swapping(theirs, other):
        for _ in range(ROUNDS):
            agent.fire()
    assert set(ran(agent)) <= {"good"}


def test_an_approved_hook_runs_from_a_private_copy_with_its_neighbors(agent: Agent, theirs: Path) -> None:
    (run,) = agent.fire()["hooks"]
    assert (run["state"], ran(agent)) == ("ok", ["good"])
    (copy,) = copies(agent)
    held = {str(path.relative_to(copy)): path for path in copy.rglob("*") if path.is_file()}
    assert set(held) == {"HOOK.md", "scripts/run", "scripts/words"}
    assert held["scripts/run"].read_text() == GOOD
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (copy, *copy.rglob("*"))}
    assert modes == {path: 0o500 if path.is_dir() or path.name == "run" else 0o400 for path in modes}


def test_a_change_is_noticed_though_the_copy_could_run(agent: Agent, theirs: Path) -> None:
    wait_until(lambda: agent.fire()["hooks"][0]["state"] == "ok")
    (theirs / "scripts/words").write_text("WORD=evil\n")
    (run,) = agent.fire()["hooks"]
    assert (run["skip"], run["why"]) == ("untrusted", "changed since its approval")
    (theirs / "scripts/words").write_text("WORD=good\n")
    assert agent.fire()["hooks"][0]["state"] == "ok"
    assert set(ran(agent)) == {"good"}


def test_a_file_that_is_added_beside_is_noticed(agent: Agent, theirs: Path) -> None:
    wait_until(lambda: agent.fire()["hooks"][0]["state"] == "ok")
    (theirs / "scripts/more").touch()
    assert agent.fire()["hooks"][0]["skip"] == "untrusted"


def test_the_copy_of_what_is_no_longer_approved_is_removed(agent: Agent, theirs: Path) -> None:
    agent.fire()
    (before,) = copies(agent)
    (theirs / "scripts/words").write_text("WORD=better\n")
    agent.approve()
    agent.fire()
    (after,) = copies(agent)
    assert after != before
    agent.run("untrust")
    assert copies(agent) == []


def test_a_copy_that_has_gone_is_made_again(agent: Agent, theirs: Path) -> None:
    agent.fire()
    for path in (agent.home / ".local/state/hooktui/approved").rglob("*"):
        path.chmod(0o700)
    shutil.rmtree(agent.home / ".local/state/hooktui/approved")
    assert agent.fire()["hooks"][0]["state"] == "ok"
    assert ran(agent) == ["good", "good"]


def test_a_hook_in_python_finds_the_module_beside_it(agent: Agent) -> None:
    directory = agent.hook("python", f"#!{sys.executable}\nimport words\nprint(words.ANSWER)\n", scope="project")
    (directory / "scripts/words.py").write_text(f"ANSWER = {json.dumps(json.dumps({'decision': 'deny', 'reason': 'x'}))}\n")
    agent.approve()
    for _ in range(2):
        (run,) = agent.fire()["hooks"]
        assert (run["state"], run["decision"]) == ("ok", "deny")


def test_links_inside_a_hook_stay_links(agent: Agent) -> None:
    directory = agent.hook("linked", '#!/bin/sh\ncat "$(dirname "$0")/../now/words" >&2\nexit 2\n', scope="project")
    (directory / "v1").mkdir()
    (directory / "v1/words").write_text("read")
    (directory / "now").symlink_to("v1")
    (directory / "v1/up").symlink_to("..")
    agent.approve()
    assert agent.fire()["reason"] == "read"


def test_the_users_own_hooks_run_in_place(agent: Agent) -> None:
    directory = agent.hook("own", '#!/bin/sh\necho "$0" >&2\nexit 2\n')
    assert agent.fire()["reason"] == str(directory / "scripts/run")


CLIMBING = (
    'cat "$(dirname "$0")/../../../../words" >&2; exit 2',
    'here="$(cd "$(dirname "$0")" && pwd)"; cat "$here"/../../../../words >&2; exit 2',
    'cd "$(dirname "$0")" && cat ../../../../words >&2; exit 2',
)


@pytest.mark.parametrize("script", CLIMBING)
def test_a_script_that_reads_above_its_hook_runs_in_place(agent: Agent, script: str) -> None:
    agent.hook("climber", f"#!/bin/sh\n{script}\n", scope="project")
    (agent.project / "words").write_text("found")
    agent.approve()
    assert [agent.fire()["reason"] for _ in range(2)] == ["found", "found"]


def test_a_state_directory_that_cannot_be_written_disarms_no_approved_guard(agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\nexit 2\n", scope="project")
    agent.approve()
    approved = agent.home / ".local/state/hooktui/approved"
    for path in (approved, *approved.rglob("*")):
        path.chmod(0o700)
    shutil.rmtree(approved)
    approved.write_text("not a directory")
    assert agent.fire()["decision"] == "deny"


# Entries of a host's file run in place, from the files that were hashed

CLAUDE = ("--format", "claude", "--json")
SAYS = "#!/bin/sh\necho good >&2\nexit 2\n"


def claude_hook(agent: Agent, command: str) -> None:
    """Give the project a Claude hook."""
    settings = agent.project / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    entry = {"type": "command", "command": command}
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))


def write(agent: Agent, name: str, text: str) -> Path:
    path = agent.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def claude_run(agent: Agent, cwd: Path | None = None) -> dict[str, object]:
    """The only hook of an event of an agent that is in a directory."""
    event = {
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(cwd or agent.project), "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }  # fmt: skip
    done = agent.run("run", *CLAUDE, "--project", str(agent.project), stdin=event, code=None)
    (hook,) = done.json()["hooks"]
    return dict(hook)


PYTHON_SAYS = "import sys\nsys.exit(print('good', file=sys.stderr) or 2)\n"
LITERAL = {
    "a path from the root": ("./guard.sh", {"guard.sh": SAYS}),
    "the project's variable": ('"$CLAUDE_PROJECT_DIR"/tools/guard.sh', {"tools/guard.sh": SAYS}),
    "an interpreter": ("sh tools/guard.sh --strict", {"tools/guard.sh": SAYS}),
    "a shell in a shell": ("bash -c 'sh tools/guard.sh'", {"tools/guard.sh": SAYS}),
    "a file beside": (
        "./tools/guard.sh",
        {"tools/guard.sh": '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n', "tools/lib.sh": "echo good >&2\nexit 2\n"},
    ),
    "a file that is read": (
        "./tools/guard.sh",
        {"tools/guard.sh": '#!/bin/sh\ncat "$(dirname "$0")/text" >&2\nexit 2\n', "tools/text": "good\n"},
    ),
    "a module beside": (
        f"{sys.executable} tools/guard.py",
        {"tools/guard.py": "import words\n", "tools/words.py": PYTHON_SAYS},
    ),
    "a module of the project": (
        "python3 -m checks.guard",
        {"checks/__init__.py": "", "checks/guard.py": "from . import words\n", "checks/words.py": PYTHON_SAYS},
    ),
    "a text on stdin": ("sh < .claude/guard.sh", {".claude/guard.sh": SAYS}),
}  # fmt: skip


@pytest.mark.parametrize(("command", "texts"), LITERAL.values(), ids=LITERAL)
def test_an_entry_works_as_before_and_its_changes_are_noticed(agent: Agent, command: str, texts: dict[str, str]) -> None:
    written = [write(agent, name, text) for name, text in texts.items()]
    claude_hook(agent, command)
    agent.approve()
    assert agent.run("status", "--json").json()["hooks"][0]["covers"] == sorted(texts)
    for _ in range(2):
        run = claude_run(agent)
        assert (run["decision"], run["reason"]) == ("deny", "good"), run
    assert copies(agent) == []
    for path, text in zip(written, texts.values(), strict=True):
        path.write_text(f"{text}\n# changed\n")
        assert claude_run(agent)["skip"] == "untrusted"
        path.write_text(text)
    assert claude_run(agent)["decision"] == "deny"


@pytest.mark.parametrize("command", ["./guard.sh", "sh guard.sh", f"{sys.executable} guard.py", "python3 -m guard"])
def test_a_relative_command_is_that_of_the_project_wherever_the_agent_is(agent: Agent, command: str) -> None:
    write(agent, "guard.sh", SAYS)
    write(agent, "guard.py", PYTHON_SAYS)
    write(agent, "sub/guard.sh", "#!/bin/sh\ntouch ~/evil\n")
    write(agent, "sub/guard.py", "import pathlib; pathlib.Path.home().joinpath('evil').touch()\n")
    claude_hook(agent, command)
    agent.approve()
    assert claude_run(agent, agent.project / "sub")["reason"] == "good"
    assert not (agent.home / "evil").exists()


@pytest.mark.parametrize(("command", "place"), [('"$CLAUDE_PROJECT_DIR"/where.sh', "sub"), ("./where.sh", "")])
def test_a_hook_runs_where_the_agent_is_unless_it_names_files_of_the_project(agent: Agent, command: str, place: str) -> None:
    write(agent, "where.sh", '#!/bin/sh\necho "$PWD $CLAUDE_PROJECT_DIR" >&2\nexit 2\n')
    (agent.project / "sub").mkdir()
    claude_hook(agent, command)
    agent.approve()
    assert claude_run(agent, agent.project / "sub")["reason"] == f"{agent.project / place} {agent.project}"


IN_PLACE = {
    "writes beside itself": '#!/bin/sh\necho x >> "$(dirname "$0")/log"\ncat "$(dirname "$0")/log" >&2\nexit 2\n',
    "looks around": '#!/bin/sh\nhere="$(cd "$(dirname "$0")" && pwd)"\nls "$here" | grep -c guard >&2\nexit 2\n',
    "computes a name": '#!/bin/sh\nname=words\ncat "$(dirname "$0")/$name" >&2\nexit 2\n',
    "goes there": '#!/bin/sh\ncd "$(dirname "$0")"\ncat words >&2\nexit 2\n',
}


PYTHON_IN_PLACE = {
    "appends to its log": """\
import os, sys
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "log"), "a") as file:
    file.write("x")
sys.exit(open(os.path.join(here, "log")).read() and 2)
""",
    "counts its runs": """\
import pathlib, sys
state = pathlib.Path(__file__).parent / "count"
count = int(state.read_text()) if state.exists() else 0
state.write_text(str(count + 1))
sys.exit(2)
""",
}


@pytest.mark.parametrize("script", PYTHON_IN_PLACE.values(), ids=PYTHON_IN_PLACE)
def test_a_python_script_that_writes_beside_itself_stays_approved(agent: Agent, script: str) -> None:
    write(agent, "tools/guard.py", script)
    claude_hook(agent, f'{sys.executable} "$CLAUDE_PROJECT_DIR"/tools/guard.py')
    agent.approve()
    for _ in range(2):
        run = claude_run(agent)
        assert (run["state"], run["decision"]) == ("ok", "deny")
        shutil.rmtree(agent.home / ".cache/hooktui", ignore_errors=True)  # the next run reads the script again
    (gap,) = agent.run("status", "--json").json()["hooks"][0]["not_covered"]
    assert "which it writes" in gap


@pytest.mark.parametrize("script", IN_PLACE.values(), ids=IN_PLACE)
def test_a_script_that_needs_its_place_runs_there(agent: Agent, script: str) -> None:
    write(agent, "tools/guard.sh", script)
    write(agent, "tools/words", "x")
    claude_hook(agent, '"$CLAUDE_PROJECT_DIR"/tools/guard.sh')
    agent.approve()
    for _ in range(2):
        run = claude_run(agent)
        assert (run["state"], run["decision"]) == ("ok", "deny")
        assert str(run["reason"])[:1] in "x1"
        shutil.rmtree(agent.home / ".cache/hooktui", ignore_errors=True)  # the next run reads the scripts again


@pytest.mark.parametrize(("host", "directory"), [("qwen", ".qwen"), ("claude", ".claude"), ("gemini", ".gemini")])
def test_an_approval_covers_the_list_that_a_guard_reads_where_its_host_keeps_hooks(
    agent: Agent, host: str, directory: str
) -> None:
    write(agent, f"{directory}/hooks/guard.sh", f"#!/bin/sh\ngrep -q -f {directory}/hooks/deny.txt && exit 2\nexit 0\n")
    write(agent, f"{directory}/hooks/deny.txt", "ls\n")
    event = "BeforeTool" if host == "gemini" else "PreToolUse"
    entry = {"matcher": "*", "hooks": [{"type": "command", "command": f"{directory}/hooks/guard.sh"}]}
    write(agent, f"{directory}/settings.json", json.dumps({"hooks": {event: [entry]}}))
    agent.approve()
    write(agent, f"{directory}/hooks/deny.txt", "nothing\n")
    assert [hook["trust"] for hook in agent.run("status", "--json").json()["hooks"]] == ["changed"]

"""What `check` says that a program does with a hook, the real program does (docs/proofs.md).

A session has many hooks or calls at once. Nothing is asserted of a hook that `check` does not report.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from hooktui import hosts
from tests import wrong_hooks
from tests.bad_input import PLACES, Place
from tests.hosts.other_programs import CopilotWorld, GeminiWorld
from tests.hosts.scripted_model import bash, say
from tests.wrong_hooks import REASON, Hook, noting

if TYPE_CHECKING:
    from tests.hosts.agent_session import Session
    from tests.hosts.agent_world import AgentWorld
    from tests.hosts.claude_code import ClaudeWorld

_PROGRAMS = ("claude", "codex", "copilot", "droid", "gemini", "kimi", "qwen")
_IGNORED = ("host-misses-block", "host-rejects-output", "weak-exit")


@pytest.fixture(params=_PROGRAMS)
def agent(request: pytest.FixtureRequest) -> AgentWorld:
    """A home and a project with each program."""
    found: AgentWorld = request.getfixturevalue(request.param)
    return found


def place_of(agent: AgentWorld) -> Place:
    return PLACES[agent.host]


def write(agent: AgentWorld, *hooks: Hook) -> None:
    wrong_hooks.write(place_of(agent), agent.home, agent.project, *hooks)


def run(agent: AgentWorld, *commands: str, inside: tuple[str, ...] = ()) -> Session:
    """A session in which the model calls the shell with each command."""
    trusting = ("--dangerously-bypass-hook-trust",) if agent.host == "codex" else ()
    return agent.session(*map(agent.shell, commands or ("true",)), say("all done"), options=trusting, inside=inside)


def fired(agent: AgentWorld) -> list[str]:
    file = agent.project / "fired.txt"
    return file.read_text().split() if file.exists() else []


def reported(agent: AgentWorld, *codes: str) -> set[str]:
    """The last words of the commands with one of these problems."""
    listed = [hook for hook in agent.run("list", "--json").json() if not set(codes).isdisjoint(hook["problems"])]
    return {re.split(r"[ /]", hook["command"].removesuffix(" >> fired.txt"))[-1] for hook in listed if hook["command"]}


def messages(agent: AgentWorld, code: str) -> list[str]:
    found = agent.run("check", "--host", agent.host, "--format", "json", code=None).json()["diagnostics"]
    return [item["message"] for item in found if item["code"] == code and item["severity"] != "info"]


def undefined(agent: AgentWorld) -> tuple[set[str], set[str], set[str]]:
    """Variables and fields, the last at a stop, that the program does not set."""
    write(agent, *wrong_hooks.with_values(place_of(agent)))
    texts = messages(agent, "undefined-variable") + messages(agent, "undefined-field")
    patterns = (r"no host sets (\w+)", r"events have no field (\w+)", r"sends no (\w+) on")
    unset, absent, absent_at_stop = ({found[1] for text in texts if (found := re.search(name, text))} for name in patterns)
    return unset, absent, absent_at_stop


def test_what_check_says_of_matchers_events_keys_and_values(agent: AgentWorld) -> None:
    """All hooks are in one file; one with a key that Kimi Code does not know would lose it (test_kimi.py)."""
    place = place_of(agent)
    unset, absent, absent_at_stop = undefined(agent)
    matchers, hooks = wrong_hooks.with_matchers(place)
    keyed = [] if agent.host == "kimi" else wrong_hooks.with_keys()
    given = (Hook("env > env.txt; cat > call.json"), Hook("cat > stop.json", event=place.other))
    write(agent, *hooks, *wrong_hooks.on_events(place), *keyed, *given)
    dead, unknown = reported(agent, "matches-nothing"), reported(agent, "unknown-event")
    unread = reported(agent, "unread-key", "unknown-key", "ignored-key") & {*wrong_hooks.KEYS}
    run(agent, "true", "echo again")
    ran = set(fired(agent))

    assert place.shell in {matchers.get(name) for name in ran}
    assert len(dead) >= 5
    assert {matchers.get(name, name) for name in dead & ran} == set()

    assert unknown == set(wrong_hooks.unknown_events(place))
    assert place.event in ran
    assert ran.isdisjoint(unknown)
    seen = {name.removeprefix("always-") for name in ran if name.startswith("always-")}
    assert seen or not wrong_hooks.without_matchers(place)
    assert {f"matched-{name}" for name in seen} <= ran & reported(agent, "matcher-ignored")

    assert not keyed or {"enabled", "blocking", "filePattern", "colour"} <= unread
    assert {key: fired(agent).count(key) for key in unread} == dict.fromkeys(unread, 2)

    variables = {line.partition("=")[0] for line in (agent.project / "env.txt").read_text().splitlines()}
    assert {*wrong_hooks.VARIABLES} <= unset
    assert {*hosts.spec(agent.host).variables} <= variables
    assert unset.isdisjoint(variables)
    assert absent
    assert absent.isdisjoint(json.loads((agent.project / "call.json").read_text()))
    assert absent_at_stop.isdisjoint(json.loads((agent.project / "stop.json").read_text()))


def test_an_entry_of_a_type_that_does_not_run_is_skipped(agent: AgentWorld) -> None:
    losing = ("http", "mcp_tool") if agent.host == "codex" else ()  # Codex CLI loses the file for these
    write(agent, *(hook for hook in wrong_hooks.with_types() if hook.values.get("type") not in losing))
    skipped = [name for name in wrong_hooks.TYPES if any(name in text for text in messages(agent, "unsupported-type"))]
    if not skipped:
        pytest.skip("it is not reported")
    heard = run(agent).heard
    assert fired(agent) == ["command"]
    assert [name for name in skipped if f"a {name} hook" in heard] == []


def test_a_denial_that_is_reported_denies_nothing(agent: AgentWorld) -> None:
    ways = {name: way for name, way in wrong_hooks.DENIALS.items() if (agent.host, name) != ("gemini", "ask")}
    write(agent, *wrong_hooks.answering(agent.project, ways))
    ignored = reported(agent, *_IGNORED)
    write(agent, Hook(f"name=$(grep -o 'touch [a-z0-9-]*' | cut -c7- | head -n 1); exec {agent.project}/answers/$name"))
    run(agent, *(f"touch {name}.ran" for name in ways))
    ran = {path.stem for path in agent.project.glob("*.ran")}
    assert "exit-2" not in ran
    assert ignored
    assert ignored <= ran


def test_gemini_waits_forever_when_a_hook_asks(gemini: GeminiWorld) -> None:
    asks = {"ask": ({"decision": "ask", "reason": REASON}, "", 0)}
    write(gemini, *wrong_hooks.answering(gemini.project, asks))
    assert "host-rejects-output" in gemini.run("check", code=None).stdout
    assert run(gemini, "touch asked.ran", inside=("timeout", "30")).turns == 1
    assert not (gemini.project / "asked.ran").exists()


def test_a_try_obeys_an_answer_behind_a_blank_as_the_program_does(agent: AgentWorld) -> None:
    deny = {"permissionDecision": "deny", "permissionDecisionReason": REASON}
    specific = {"hookEventName": "PreToolUse", **deny}
    answer = json.dumps({"decision": "block", "reason": REASON, **deny, "hookSpecificOutput": specific})
    blanks = {"mark": r"\357\273\277", "space": r"\302\240", "separator": r"\034"}  # of byte order, not to break at, of files
    answers = {name: f"printf '{blank}%s' '{answer}'" for name, blank in blanks.items()}
    write(agent, *map(Hook, answers.values()))
    ids = {hook["command"]: hook["id"] for hook in agent.run("list", "--json").json()}
    tried = {name: agent.run("try", ids[text], "--yes", "--json").json()["decision"] for name, text in answers.items()}
    write(agent, *(Hook(only(name, text)) for name, text in answers.items()))
    run(agent, *(f"touch {name}.ran" for name in answers))
    ran = {path.stem for path in agent.project.glob("*.ran")}
    assert {name for name, decision in tried.items() if decision != "deny"} == ran


def only(name: str, command: str) -> str:
    """A command for the one call that leaves a file of this name."""
    return f"grep -q 'touch {name}.ran' || exit 0; {command}"


def test_a_block_at_a_stop_that_is_reported_blocks_nothing(agent: AgentWorld) -> None:
    event = place_of(agent).other
    write(agent, *wrong_hooks.answering(agent.project, wrong_hooks.GATES, event))
    ignored = reported(agent, *_IGNORED)
    if not ignored:
        pytest.skip("none is reported")
    write(agent, *(Hook(f"{noting(way)}; {agent.project}/answers/{way}", event=event) for way in sorted(ignored)))
    run(agent)
    assert sorted(fired(agent)) == sorted(ignored)


@pytest.mark.parametrize("agent", ["codex", "droid", "gemini"], indirect=True)
def test_a_gate_that_always_blocks_never_lets_the_agent_stop(agent: AgentWorld) -> None:
    write(agent, Hook("echo no >&2; exit 2", event=place_of(agent).other))
    assert "the agent never stops" in messages(agent, "denies-everything")[0]
    assert run(agent, inside=("timeout", "30")).turns > 10


def test_the_unit_of_a_timeout(agent: AgentWorld) -> None:
    place = place_of(agent)
    denies = f"sleep 1; echo '{REASON}' >&2; exit 2"
    timeouts = wrong_hooks.TIMEOUTS if agent.host != "kimi" else wrong_hooks.TIMEOUTS[:1]
    hooks = {timeout: Hook(only(f"{timeout}", denies), values={place.timeout: timeout}) for timeout in timeouts}
    short = set()
    for timeout, hook in hooks.items():
        write(agent, hook)
        short |= {timeout} if timeout < 1000 and messages(agent, "unit-suspect") else set()
    write(agent, *hooks.values())
    run(agent, *(f"touch {timeout}.ran" for timeout in timeouts))
    assert {timeout for timeout in timeouts if (agent.project / f"{timeout}.ran").exists()} == short


def test_gemini_ends_a_hook_with_a_timeout_of_0_at_once(gemini: GeminiWorld) -> None:
    write(gemini, Hook(f"sleep 1; echo '{REASON}' >&2; exit 2", values={"timeout": 0}))
    assert messages(gemini, "out-of-range")
    run(gemini, "touch zero.ran")
    assert (gemini.project / "zero.ran").exists()


def test_claude_finds_no_script_by_a_relative_path_once_the_agent_changed_directory(world: ClaudeWorld) -> None:
    (world.project / "sub").mkdir()
    script = world.project / "hooks/deny.sh"
    script.parent.mkdir()
    script.write_text(f"echo '{REASON}' >&2\nexit 2\n")
    write(world, Hook("bash hooks/deny.sh", "Bash"))
    assert messages(world, "relative-path")
    write(world, Hook("[ -e sub ] || bash hooks/deny.sh", "Bash"))  # lets the first call pass
    world.session(bash("cd sub"), bash("touch moved.ran"), say("all done"))
    assert (world.project / "sub/moved.ran").exists()


def test_claude_never_runs_an_entry_with_a_condition_at_a_stop(world: ClaudeWorld) -> None:
    at_stop = [Hook(noting("plain"), event="Stop"), Hook(noting("condition"), event="Stop", values={"if": "Bash(*)"})]
    write(world, *at_stop)
    assert messages(world, "never-fires")
    run(world)
    assert fired(world) == ["plain"]


def test_copilot_runs_a_program_of_claudes_file_without_its_arguments(copilot: CopilotWorld) -> None:
    guard = {"type": "command", "command": "sh", "args": ["-c", "touch arguments.ran"]}
    copilot.write(".claude/settings.json", {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [guard]}]}})
    assert messages(copilot, "ignored-key") + messages(copilot, "denies-everything")
    run(copilot)
    assert not (copilot.project / "arguments.ran").exists()


@pytest.mark.parametrize("cwd", ["gone", "~", "."])
def test_copilot_denies_every_tool_if_the_directory_of_a_hook_is_missing(copilot: CopilotWorld, cwd: str) -> None:
    write(copilot, Hook(noting("here"), values={"cwd": cwd}))
    missing = [text for text in messages(copilot, "missing-script") if text.endswith("Copilot CLI denies the tool")]
    run(copilot, "touch directory.ran")
    assert (copilot.project / "directory.ran").exists() is not bool(missing)
    assert bool(fired(copilot)) is not bool(missing)


def test_copilot_runs_a_command_twice_that_two_files_have(copilot: CopilotWorld) -> None:
    entry = {"type": "command", "matcher": "Bash"}
    copilot.write(".github/hooks/g.json", {"version": 1, "hooks": {"PreToolUse": [{**entry, "bash": noting("twice")}]}})
    guard = {"matcher": "Bash", "hooks": [{"type": "command", "command": noting("twice")}]}
    copilot.write(".claude/settings.json", {"hooks": {"PreToolUse": [guard]}})
    assert messages(copilot, "runs-twice")
    run(copilot)
    assert fired(copilot) == ["twice", "twice"]

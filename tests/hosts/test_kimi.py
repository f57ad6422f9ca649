"""Every guard decides in the real Kimi Code as far as it obeys, and hooktui knows what makes it run no hook."""

from __future__ import annotations

import json
import subprocess
import tomllib

import pytest

from tests.hosts.hook_scripts import DENIES, REASON, answering, command
from tests.hosts.other_programs import KimiWorld
from tests.hosts.scripted_model import say

OWN = '# mine\ndefault_thinking = true\n\n[[hooks]]\nevent = "PreToolUse"   # kept\nmatcher = \'^Read$\'\ncommand = "exit 2"\n'


@pytest.fixture
def connected(kimi: KimiWorld) -> KimiWorld:
    kimi.connect()
    return kimi


def entry(**fields: object) -> str:
    """An entry of `config.toml`."""
    return "[[hooks]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items())


def test_a_rewrite_that_kimi_would_let_pass_is_a_denial_that_says_why(connected: KimiWorld) -> None:
    connected.hook("hook", answering(modified_input={"command": "echo rewritten > ran.txt"}))
    session = connected.session()
    assert not connected.marker.exists()
    assert "echo rewritten > ran.txt" in session.heard


def test_context_of_a_prompt_reaches_the_model_and_that_before_a_tool_leaves_the_tool_alone(connected: KimiWorld) -> None:
    connected.hook("allows", answering(decision="allow", additional_context="the moon is full"))
    connected.hook("context", answering(additional_context="the sun is up"), trigger="pre-agent-turn")
    session = connected.session()
    assert connected.marker.exists()
    assert "the moon is full" not in session.heard, "Kimi takes no context before a tool: docs/hosts.md"
    assert "the sun is up" in session.heard


def test_a_denied_prompt_never_reaches_the_model(connected: KimiWorld) -> None:
    connected.hook("guard", DENIES, trigger="pre-agent-turn")
    assert connected.session().turns == 0
    (report,) = connected.decisions("decision:deny")
    assert report["payload"]["prompt"] == "do it"


def test_a_gate_makes_the_agent_continue_once(connected: KimiWorld) -> None:
    connected.hook("gate", DENIES, trigger="pre-agent-turn-stop")
    session = connected.session(*(say(f"turn {number}") for number in range(5)))
    assert session.turns == 2, "Kimi asks no hook a second time in a turn"
    assert REASON in session.heard


def test_a_denial_and_its_reason_hold_until_disconnect_restores_every_byte(kimi: KimiWorld) -> None:
    kimi.configure(OWN)
    kimi.connect()
    assert kimi.config.read_text().startswith(OWN)
    kimi.hook("guard", DENIES, matcher={"pattern": "ran"})
    assert REASON in kimi.session().heard
    assert not kimi.marker.exists()
    assert [report["reason"] for report in kimi.decisions("decision:deny")] == [REASON]
    kimi.run("disconnect", "kimi", "--scope", "user", "--yes")
    assert kimi.config.read_text() == OWN
    kimi.session()
    assert kimi.marker.exists()


def test_an_observed_hook_decides_as_before_and_is_in_the_log(kimi: KimiWorld) -> None:
    kimi.configure(entry(event="PreToolUse", command=command(stderr=REASON, code=2)))
    kimi.run("connect", "kimi", "--observe", "--yes")
    assert REASON in kimi.session().heard
    assert not kimi.marker.exists()
    (report,) = kimi.decisions("event:pre-tool-call")
    assert [(hook["format"], hook["decision"]) for hook in report["hooks"]] == [("kimi", "deny")]


@pytest.mark.parametrize(
    "wrong",
    [
        entry(event="PreToolCall", command="true"),
        entry(event="Stop", command="true", fail_mode="closed"),
        entry(event="Stop", command=""),
        entry(event="Stop", command="true", timeout=0),
        entry(event="Stop", command="true", timeout=900),
        entry(event="Stop", command="true", timeout=1.5),
        "x = = 1\n",
    ],
)
def test_one_wrong_entry_loses_every_guard_and_check_says_so(kimi: KimiWorld, wrong: str) -> None:
    kimi.configure(entry(event="PreToolUse", command=command(stderr=REASON, code=2)) + wrong)
    kimi.session()
    assert kimi.marker.exists(), "Kimi ran no hook"
    found = kimi.run("check", "--format", "json", code=1).json()["diagnostics"]
    (message,) = [item["message"] for item in found if item["code"] == "host-skips-file"]
    assert message.startswith("Kimi Code runs no hook at all: ")


def test_matchers_fire_as_list_and_check_say_and_a_hook_that_is_off_does_not(kimi: KimiWorld) -> None:
    firing, dead = ("Ba", "^(?!Read)"), ("bash", "*", "[")
    hooks = [entry(event="PreToolUse", matcher=name, command=f"echo '{name}' >> fired") for name in (*firing, *dead)]
    kimi.configure("".join(hooks) + entry(event="PreToolUse", command="echo off >> fired").replace("hooks", "hooks_off"))
    kimi.session()
    assert sorted((kimi.project / "fired").read_text().splitlines()) == sorted(firing)
    listed = {
        hook["command"].split("'")[1]: {*hook["problems"]} for hook in kimi.run("list", "--json").json() if hook["enabled"]
    }
    assert {name for name, codes in listed.items() if codes & {"bad-regex", "matches-nothing"}} == {*dead}
    assert {*listed} == {*firing, *dead}


def test_kimi_keeps_what_is_off_when_it_writes_the_file(kimi: KimiWorld) -> None:
    provider = '[providers.p]\ntype = "openai"\nbase_url = "http://127.0.0.1:1"\napi_key = "none"\n'
    kimi.configure(provider + entry(event="Stop", command="mine").replace("[[hooks]]", "[[hooks_off]]"))
    subprocess.run([kimi.program.path, "provider", "remove", "p"], env=kimi.environment, check=True, capture_output=True)
    assert tomllib.loads(kimi.config.read_text())["hooks_off"] == [{"event": "Stop", "command": "mine"}]
    assert "provider" not in kimi.config.read_text()


def test_hooks_of_the_project_are_not_read_and_check_says_so(kimi: KimiWorld) -> None:
    own = kimi.project / ".kimi-code/config.toml"
    own.parent.mkdir()
    own.write_text(entry(event="PreToolUse", command=command(stderr=REASON, code=2)))
    kimi.session()
    assert kimi.marker.exists()
    (found,) = kimi.run("check", "--format", "json").json()["diagnostics"]
    assert found["code"] == "unread-file"
    assert found["message"].startswith("Kimi Code does not read this file.")


def test_an_inline_table_on_several_lines_runs_and_is_listed(kimi: KimiWorld) -> None:
    guard = json.dumps(command(stderr=REASON, code=2))
    kimi.configure(f'hooks = [\n  {{ event = "PreToolUse",  # TOML 1.1\n    command = {guard},\n  }},\n]\n')
    kimi.session()
    assert not kimi.marker.exists()
    assert [(hook["event"], hook["problems"]) for hook in kimi.run("list", "--json").json()] == [("pre-tool-call", [])]


def test_a_matcher_of_prompts_is_compared_with_their_text(kimi: KimiWorld) -> None:
    matchers = ("do", "^Bash$", "*", "[")
    entries = [entry(event="UserPromptSubmit", matcher=name, command=f"echo '{name}' >> fired") for name in matchers]
    kimi.configure("".join(entries))
    kimi.session()
    fired = (kimi.project / "fired").read_text().splitlines()
    kimi.run("import", "kimi", "--since", "all")
    (prompt,) = kimi.decisions("event:pre-agent-turn")
    assert [matchers[number] for number, run in enumerate(prompt["hooks"]) if run["state"] != "skipped"] == fired == ["do"]

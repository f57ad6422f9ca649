"""Output of hooks is data: it can neither control the terminal nor imitate hooktui's own messages."""

from __future__ import annotations

import json

import pytest

from tests.faults.agent import Agent

ESCAPES = "\x1b]0;title\x07\x1b[2J\x1b[31mred\x9b1mC1\x08\r\u202eevil"
PYTHON = "#!/usr/bin/env python3\nimport json, sys\n"
UNSAFE = ("\x1b", "\x07", "\x9b", "\x08", "\r", "\u202e")


def shows_safely(text: str) -> bool:
    return not any(sign in text for sign in UNSAFE)


def test_a_warning_shows_escape_sequences_and_stays_one_line(agent: Agent) -> None:
    agent.hook("rude", PYTHON + f"print(json.dumps({{'decision': {ESCAPES + chr(10) + 'x'!r}}}))\n")
    done = agent.call()
    assert done.code == 0
    assert shows_safely(agent.warning(done))


@pytest.mark.parametrize("command", [["log"], ["log", "-n", "1"], ["list"], ["check"], ["status"]])
def test_what_people_read_is_safe(agent: Agent, command: list[str]) -> None:
    agent.hook("rude", PYTHON + f"sys.stderr.write({ESCAPES!r} + '[bold red]markup[/] [/nonsense]')\nsys.exit(2)\n")
    agent.hook("named", description=ESCAPES + "[bold]x[/]", scope="project")
    agent.call(agent.event(tool_name=f"Sh{ESCAPES}ell", session_id=f"s{ESCAPES}"))
    done = agent.run(*command)
    assert shows_safely(done.stdout)
    assert shows_safely(done.stderr)


def test_show_is_safe_and_keeps_markup_as_text(agent: Agent) -> None:
    agent.hook("rude", PYTHON + f"sys.stderr.write({ESCAPES!r} + '[bold red]markup[/] [/nonsense]')\nsys.exit(2)\n")
    report = agent.call(agent.event(tool_name=f"Sh{ESCAPES}ell"), "--json").json()
    done = agent.run("show", report["id"])
    assert shows_safely(done.stdout)
    assert "[bold red]markup[/] [/nonsense]" in done.stdout


def test_the_denied_agent_gets_the_reason_as_the_hook_wrote_it(agent: Agent) -> None:
    agent.hook("rude", PYTHON + f"sys.stderr.write({ESCAPES!r})\nsys.exit(2)\n")
    assert ESCAPES.strip() in agent.call().stderr


def test_a_person_who_tries_run_at_a_terminal_sees_the_reason_without_its_escapes(agent: Agent) -> None:
    agent.hook("rude", PYTHON + f"sys.stderr.write({ESCAPES!r})\nsys.exit(2)\n")
    shown = agent.at_terminal("run", types=json.dumps(agent.event()) + "\n\x04")
    assert shown.code == 2
    assert "␛[2J␛[31mred" in shown.stdout
    assert shows_safely(shown.stdout)


def test_output_that_is_no_utf_8_is_kept_as_text(agent: Agent) -> None:
    agent.hook("binary", PYTHON + "sys.stderr.buffer.write(b'a\\xff\\x00b')\nsys.exit(2)\n")
    report = agent.call(None, "--json").json()
    assert report["reason"] == "a\ufffd\0b"
    assert agent.recorded()[0]["reason"] == "a\ufffd\0b"

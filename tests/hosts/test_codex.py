"""Every guard decides in the real Codex CLI, and hooktui knows which hooks Codex trusts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hooktui import hosts
from tests.codex_answers import SURPRISING
from tests.hosts.codex_cli import CodexWorld
from tests.hosts.hook_scripts import DENIES, REASON, command
from tests.hosts.scripted_model import say


def states(codex: CodexWorld, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The commands in the hook file with the trust that hooktui computes; the same as Codex lists."""
    monkeypatch.setenv("HOME", str(codex.home))
    computed = hosts.spec("codex").own_trust
    text = codex.hooks.read_text()
    found: list[tuple[str, str]] = [
        (_command(json.loads(text), path), trust.state) for path, trust in computed(str(codex.hooks), text).items()
    ]
    listed = [(hook["command"], hook["trustStatus"]) for hook in codex.listed() if hook["handlerType"] == "command"]
    assert sorted(found) == sorted(listed)
    return found


def _command(value: Any, path: tuple[str | int, ...]) -> str:
    for key in path:
        value = value[key]
    return str(value["command"])


def test_trust_is_computed_as_codex_does(codex: CodexWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    codex.write_hooks("a", "b")
    assert states(codex, monkeypatch) == [("a", "untrusted"), ("b", "untrusted")]
    codex.trust()
    assert states(codex, monkeypatch) == [("a", "trusted"), ("b", "trusted")]
    codex.write_hooks("a", "b", "appended")
    assert states(codex, monkeypatch) == [("a", "trusted"), ("b", "trusted"), ("appended", "untrusted")]
    codex.write_hooks("inserted", "a", "b")
    assert states(codex, monkeypatch) == [("inserted", "modified"), ("a", "modified"), ("b", "untrusted")]


def test_every_field_counts_as_in_codex(codex: CodexWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    handlers: list[dict[str, Any]] = [
        {"command": 'quotes "q" é', "statusMessage": "hé"},
        {"command": "async", "async": True},
        {"command": "at once", "timeout": 0},
        {"command": "unknown fields", "args": ["x"], "cwd": "/", "commandWindows": "w", "additionalContextLimit": 5},
    ]
    group = {"matcher": "", "hooks": [{"type": "command", **handler} for handler in handlers]}
    groups = [group, {"hooks": group["hooks"]}]
    codex.hooks.parent.mkdir()
    codex.hooks.write_text(json.dumps({"hooks": dict.fromkeys(hosts.spec("codex").events, groups)}))
    codex.trust()
    assert {state for _, state in states(codex, monkeypatch)} == {"trusted"}


def test_trust_in_hooks_of_config_toml_is_computed_as_codex_does(codex: CodexWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(codex.home))
    config = codex.project / ".codex/config.toml"
    config.parent.mkdir()
    handlers = ('command = "a"\nstatusMessage = "hé"', "command = '''b'''\ntimeout = 5")
    group = "".join(f'[[hooks.PreToolUse.hooks]]\ntype = "command"\n{handler}\n' for handler in handlers)
    config.write_text(f'[[hooks.PreToolUse]]\nmatcher = "Bash"\n{group}[[hooks.Stop]]\n{group.replace("PreToolUse", "Stop")}')
    computed = hosts.spec("codex").own_trust
    for state in ("untrusted", "trusted"):
        assert {hook["trustStatus"] for hook in codex.listed()} == {state}
        assert [trust.state for trust in computed(str(config), config.read_text()).values()] == [state] * 4
        codex.trust()


def test_codex_does_not_start_with_a_wrong_entry_in_config_toml_and_check_says_so(codex: CodexWorld) -> None:
    config = codex.project / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text('[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\ntimeout = "30"\n')
    assert codex.session().turns == 0
    found = codex.run("check", "--format", "json", code=1).json()["diagnostics"]
    (message,) = [item["message"] for item in found if item["code"] == "host-skips-file"]
    assert message.startswith("Codex CLI does not start with this file: timeout must be a number")


def test_connect_says_the_step_that_is_left_and_doctor_when_it_is_done(codex: CodexWorld) -> None:
    codex.hook("guard", DENIES)
    assert "start `codex` and review its hooks" in codex.run("connect", "codex", "--yes").stdout
    assert "you have not trusted it" in codex.run("doctor", code=1).stdout
    codex.session()
    assert codex.marker.exists(), "Codex skips what it does not trust"
    codex.marker.unlink()
    codex.trust()
    assert "Codex CLI calls hooktui" in codex.run("doctor").stdout
    assert REASON in codex.session().heard
    assert not codex.marker.exists()


@pytest.mark.parametrize("scope", ["project", "user"])
def test_codex_without_a_config_file_trusts_nothing_and_every_command_says_so(codex: CodexWorld, scope: str) -> None:
    codex.hook("guard", DENIES)
    (codex.home / ".codex/config.toml").unlink()
    assert "`codex`" in codex.run("connect", "codex", "--scope", scope, "--yes").stdout
    codex.session(options=("-c", 'model="gpt-5"', "--dangerously-bypass-approvals-and-sandbox"))
    assert codex.marker.exists(), "Codex skips what it does not trust"
    (state,) = codex.run("status", "--json").json()["connections"]
    assert (state["works"], state["host_trust"]) == (False, "untrusted")
    assert state["why"] in codex.run("status").stdout
    assert state["why"] in codex.run("doctor", code=1).stdout


def test_connecting_leaves_the_persons_hooks_trusted_and_disconnecting_restores_every_byte(
    codex: CodexWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    codex.write_hooks("true", "false")
    before = codex.hooks.read_bytes()
    codex.trust()
    codex.run("connect", "codex", "--yes")
    assert [state for _, state in states(codex, monkeypatch)[:2]] == ["trusted", "trusted"]
    codex.run("disconnect", "codex", "--yes")
    assert codex.hooks.read_bytes() == before


def test_what_loses_its_trust_is_named_before_it_is_written(codex: CodexWorld) -> None:
    codex.write_hooks("./mine")
    codex.trust()
    told = codex.run("connect", "codex", "--observe", "--yes").stdout
    assert "Codex CLI will not run these until you trust them there again: ./mine" in told


def test_a_hook_that_codex_does_not_trust_is_reported(codex: CodexWorld) -> None:
    codex.write_hooks("true")
    found = codex.run("check", "--format", "json", code=None).json()["diagnostics"]
    (message,) = [item["message"] for item in found if item["code"] == "host-untrusted"]
    assert message.startswith("Codex CLI does not run true: you have not trusted it in Codex yet: start `codex`")


def test_the_log_has_the_decisions_that_codex_obeyed_before_tools(codex: CodexWorld) -> None:
    """One hook, which gives each call of the model another answer."""
    answers = [answer for answer in SURPRISING.values() if answer.event == "PreToolUse"]
    for number, answer in enumerate(answers):
        script = codex.write(f"answers/{number}", {})
        script.write_text(f"#!/bin/sh\n{command(answer.text, answer.stderr, answer.code)}\n")
        script.chmod(0o755)
    codex.write_hooks(f'exec "{codex.project}/answers/$(grep -o "touch [0-9]*" | head -n 1 | cut -c7-)"')
    codex.run("connect", "codex", "--observe", "--yes")
    codex.trust()
    codex.session(*(codex.shell(f"touch {number}.ran") for number in range(len(answers))), say("all done"))
    decisions = [answer.decision for answer in answers]
    assert ["none" if (codex.project / f"{number}.ran").exists() else "deny" for number in range(len(answers))] == decisions
    reports = codex.decisions("event:pre-tool-call")
    assert [report["decision"] for report in reports] == decisions
    hooks = [[hook for hook in report["hooks"] if hook["exit_code"] is not None] for report in reports]
    assert [[bool(hook["problems"]) for hook in found] for found in hooks] == [[name == "none"] for name in decisions]


@pytest.mark.parametrize("name", [name for name, answer in SURPRISING.items() if answer.event != "PreToolUse"])
def test_the_log_has_the_decision_that_codex_obeyed(codex: CodexWorld, name: str) -> None:
    answer = SURPRISING[name]
    once = "[ -e held ] && exit 0; : > held; " if answer.event == "Stop" else ""
    codex.write_hooks(once + command(answer.text, answer.stderr, answer.code), event=answer.event)
    codex.run("connect", "codex", "--observe", "--yes")
    codex.trust()
    session = codex.session(codex.shell("echo original >> ran.txt; cat ran.txt"), say("all done"), say("again"))
    done = {
        "PostToolUse": "original" not in session.heard.replace("echo original", ""),
        "UserPromptSubmit": session.turns == 0,
        "Stop": session.turns == 3,
    }
    assert ("deny" if done[answer.event] else "none") == answer.decision
    first, *_ = [report for report in codex.decisions() if report["payload"]["hook_event_name"] == answer.event]
    assert first["decision"] == answer.decision
    (hook,) = [hook for hook in first["hooks"] if hook["exit_code"] is not None]
    assert bool(hook["problems"]) == (answer.decision == "none")


def test_matchers_see_the_names_for_hooks_and_not_those_of_the_model(codex: CodexWorld) -> None:
    met = ["Bash", "Read|Bash", "^(Bash)$"]
    missed = ["exec_command", "shell", "local_shell", "unified_exec", "Read", ".*shell.*", "MultiEdit"]
    matched = codex.project / "matched"
    groups = [
        {"matcher": name, "hooks": [{"type": "command", "command": f"cat >/dev/null; echo '{name}' >>{matched}"}]}
        for name in (*met, *missed)
    ]
    codex.hooks.parent.mkdir(exist_ok=True)
    codex.hooks.write_text(json.dumps({"hooks": {"PreToolUse": groups}}))
    codex.trust()
    codex.session()
    assert sorted(set(matched.read_text().splitlines())) == sorted(met)
    problems = codex.run("check", "--format", "json", code=None).json()["diagnostics"]
    reported = [item["message"].split(" matches")[0] for item in problems if item["code"] == "matches-nothing"]
    assert sorted(reported) == sorted(missed)


@pytest.mark.parametrize(
    ("key", "loaded", "lost"),
    [
        ("commandWindows", ("x", None), (5, [], True)),
        ("command_windows", ("x", None), (5, [], True)),
        ("additionalContextLimit", (0, 7, None), ("x", -1, 1.5, 5.0, True, 2**64)),
        ("another", ("x", 5, None), ()),
    ],
)
def test_a_wrong_type_loses_the_file_as_check_says(
    codex: CodexWorld, key: str, loaded: tuple[object, ...], lost: tuple[object, ...]
) -> None:
    codex.hooks.parent.mkdir()
    for value in (*loaded, *lost):
        entry = {"type": "command", "command": "true", key: value}
        codex.hooks.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
        assert bool(codex.listed()) is (value in loaded), value
        report = codex.run("check", "--format", "json", code=None).json()
        skipped = "host-skips-file" in {item["code"] for item in report["diagnostics"]}
        assert skipped is (value not in loaded), value

"""Codex CLI's hook files (seen in 0.169.0)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hooktui import hosts
from hooktui.core.events import GATE
from hooktui.core.model import Dispatch, Event
from hooktui.runner import matching
from tests.unit.formats.agenthooks_world import World, skip_of
from tests.unit.formats.json_world import blamed, codes, codex, flat, grouped, only, problem, read, write

FILE = "/p/.codex/hooks.json"
HANDLER = '{"type": "command", "command": "true"}'
GROUP = f'{{"hooks": [{HANDLER}]}}'


def test_a_hook_of_codex_is_read() -> None:
    hook = only(read(codex, grouped("PreToolUse", {"matcher": "Bash"}, command="./guard", timeout=5), FILE))
    assert (hook.name, hook.event, hook.tool) == ("hooks.json:PreToolUse:1", "pre-tool-call", "Bash")
    assert (hook.argv, hook.timeout_ms) == (("/bin/bash", "-c", "./guard"), 5_000)


@pytest.mark.parametrize(
    "marked",
    [
        f'{{«"version"»: 1, "hooks": {{"Stop": [{GROUP}]}}}}',
        f'{{«"disableAllHooks"»: true, "hooks": {{"Stop": [{GROUP}]}}}}',
        f'{{"hooks": {{"Stop": [{GROUP}«,»]}}}}',
        '{"hooks": {"Stop": [{"hooks": [{"type": «"http"», "url": "https://x"}]}]}}',
        '{"hooks": {"Stop": [{"hooks": [«{»"command": "true"}]}]}}',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": «"30"»}]}]}}',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": «1.5»}]}]}}',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": «30.0»}]}]}}',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "async": «null»}]}]}}',
        *(
            f'{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "true", {key}: «{value}»}}]}}]}}}}'
            for key, values in (('"commandWindows"', (5, "[]")), ('"additionalContextLimit"', ('"x"', -1, 1.5, "true", 2**64)))
            for value in values
        ),
        f'{{"hooks": {{"PreToolUse": [{{"matcher": «3», "hooks": [{HANDLER}]}}]}}}}',
    ],
)
def test_codex_skips_the_file(marked: str) -> None:
    found = blamed(codex, marked, "host-skips-file", FILE)
    assert (found.severity, found.hosts) == ("error", ("codex",))
    hooks = read(codex, marked.replace("«", "").replace("»", ""), FILE).hooks
    assert {hook.obstacle.skip for hook in hooks if hook.obstacle} <= {"host-skips-file", "invalid"}


def test_a_null_for_what_may_be_left_out_is_like_none() -> None:
    nulls = dict.fromkeys(("timeout", "statusMessage", "commandWindows", "command_windows", "additionalContextLimit"))
    text = grouped("PreToolUse", {"matcher": None}, command="true", **nulls)
    found = read(codex, text, FILE)
    assert not found.diagnostics
    assert (only(found).tool, only(found).timeout_ms) == (None, 600_000)


def test_a_command_for_windows_and_a_limit_of_context_are_read() -> None:
    text = grouped("PreToolUse", {"matcher": "Bash"}, command="true", commandWindows="x", additionalContextLimit=0)
    assert not read(codex, text, FILE).diagnostics


def test_codex_takes_a_timeout_of_0_for_1() -> None:
    found = read(codex, grouped("PreToolUse", {"matcher": "Bash"}, command="true", timeout=0), FILE)
    assert codes(found) == ["out-of-range"]
    assert (only(found).obstacle, only(found).timeout_ms) == (None, 1_000)


def test_a_byte_order_mark_loses_the_file() -> None:
    assert "host-skips-file" in codes(read(codex, "\ufeff" + grouped("Stop"), FILE))


def test_an_unknown_event_loses_only_itself() -> None:
    text = f'{{"hooks": {{"PostToolUseFailure": [{GROUP}], "Stop": [{GROUP}]}}}}'
    parsed = read(codex, text, FILE)
    assert codes(parsed) == ["unknown-event"]
    assert [hook.obstacle is None for hook in parsed.hooks] == [False, True]


def test_a_flat_entry_is_dropped_without_the_others() -> None:
    parsed = read(codex, flat("Stop"), FILE)
    assert codes(parsed) == ["never-fires"]


@pytest.mark.parametrize("kind", ["prompt", "agent"])
def test_types_that_codex_does_not_run_yet_are_skipped(kind: str) -> None:
    parsed = read(codex, grouped("Stop", type=kind, prompt="x"), FILE)
    assert (codes(parsed), parsed.hooks) == (["unsupported-type"], ())


@pytest.mark.parametrize("key", ["args", "cwd", "env", "if", "timeoutSec"])
def test_keys_of_other_hosts_are_ignored(key: str) -> None:
    values = {"args": ["a"], "cwd": "x", "env": {}, "if": "Bash", "timeoutSec": 3}
    found = problem(read(codex, grouped("PreToolUse", **{key: values[key]}), FILE), "ignored-key")
    assert (found.severity, found.hosts) == ("warning", ("codex",))


def test_look_around_skips_its_group() -> None:
    parsed = read(codex, grouped("PreToolUse", {"matcher": "^(?!Edit).*$"}), FILE)
    hook = only(parsed)
    assert codes(parsed) == ["bad-regex"]
    assert skip_of(hook) == "bad-matcher"


@pytest.mark.parametrize(
    ("matcher", "matches"),
    [
        *[(matcher, True) for matcher in ("Bash", "Bas.", "^Bash$", "Edit|Bash", ".*", "*", "")],
        *[(matcher, False) for matcher in ("Bas", "bash", "exec_command", "shell", "Edit, Bash", "Edit | Bash")],
    ],
)
def test_what_a_matcher_matches(matcher: str, matches: bool) -> None:
    hook = only(read(codex, grouped("PreToolUse", {"matcher": matcher}), FILE))
    assert (matching.match(hook, event("PreToolUse")).skip is None) == matches


def test_a_matcher_that_hooktui_does_not_read_is_valid_and_its_meaning_unknown() -> None:
    parsed = read(codex, grouped("PreToolUse", {"matcher": "[A-Z&&[^B]]ash"}), FILE)
    assert codes(parsed) == []
    verdict = matching.match(only(parsed), event("PreToolUse"))
    assert verdict.skip == "bad-matcher"
    assert verdict.why == "cannot tell whether the matcher matches: hooktui does not support && in Rust regexes"


CONFIG = "/p/.codex/config.toml"
TOML = """\
model = "x"
[[hooks.PreToolUse]]
matcher = "Bash"

[[hooks.PreToolUse.hooks]]
type = "command"
command = './guard "q"'
timeout = 5

[hooks.state."/p/x"]
trusted_hash = "y"
"""


def test_a_hook_of_config_toml_is_read() -> None:
    parsed = read(codex, TOML, CONFIG)
    hook = only(parsed)
    assert codes(parsed) == []
    assert (hook.name, hook.event, hook.tool, hook.line) == ("config.toml:PreToolUse:1", "pre-tool-call", "Bash", 5)
    assert (hook.argv, hook.timeout_ms) == (("/bin/bash", "-c", './guard "q"'), 5_000)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("timeout = 5", 'timeout = «"5"»'),
        ("timeout = 5", "timeout = «1.5»"),
        ('"Bash"', "«1979-05-27»"),
        ('"command"', '«"http"»'),
        ('[[hooks.PreToolUse.hooks]]\ntype = "command"', "«[»[hooks.PreToolUse.hooks]]"),
    ],
)
def test_codex_does_not_start_with_a_wrong_value_in_config_toml(old: str, new: str) -> None:
    found = blamed(codex, TOML.replace(old, new), "host-skips-file", CONFIG)
    assert found.message.startswith("Codex CLI does not start with this file: ")


def test_config_toml_without_hooks_is_of_no_concern() -> None:
    assert codes(read(codex, 'x = = "broken"', CONFIG)) == []
    assert codes(read(codex, '[hooks.state."x"]\ntrusted_hash = "y"\n', CONFIG)) == []
    assert codes(read(codex, '[[hooks.Stop]]\nx = = "broken"', CONFIG)) == ["host-skips-file"]


def test_a_misspelled_event_is_corrected_in_each_of_its_headers() -> None:
    wrong = TOML.replace("PreToolUse", "preToolUse")
    fix = problem(read(codex, wrong, CONFIG), "unknown-event").fix
    assert fix
    assert wrong[: fix.start] + fix.text + wrong[fix.end :] == TOML


def test_files_are_read_from_the_repositorys_root_down(world: World) -> None:
    (world.project / ".git").mkdir()
    below = world.project / "a/b"
    below.mkdir(parents=True)
    write(world.project / ".codex/hooks.json", grouped("Stop"))
    write(below / ".codex/hooks.json", grouped("Stop"))
    write(Path(world.home) / ".codex/hooks.json", grouped("Stop"))
    write(below / ".codex/config.toml", TOML)
    hooks = codex.discover(str(below)).hooks
    assert [(hook.scope, hook.file) for hook in hooks] == [
        ("user", f"{world.home}/.codex/hooks.json"),
        ("project", f"{world.project}/.codex/hooks.json"),
        ("project", f"{below}/.codex/hooks.json"),
        ("project", f"{below}/.codex/config.toml"),
    ]


@pytest.mark.parametrize(
    ("effect", "exit_code", "stdout"),
    [
        ({"decision": "deny", "reason": "no"}, 2, ""),
        ({"decision": "ask", "reason": "sure?"}, 2, ""),
        ({"decision": "stop", "reason": "enough"}, 2, ""),
        ({"decision": "allow"}, 0, ""),
        ({"modified_input": {"path": "x"}}, 2, ""),
        (
            {"modified_input": {"command": "ls"}},
            0,
            (
                '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", '
                '"updatedInput": {"command": "ls"}}}\n'
            ),
        ),
    ],
)
def test_codex_gets_only_answers_that_it_obeys(effect: dict[str, object], exit_code: int, stdout: str) -> None:
    answer = hosts.answer("codex", Dispatch(id=1, event=event("PreToolUse"), project="/", runs=(), **effect))  # type: ignore[arg-type]
    assert (answer.exit_code, answer.stdout) == (exit_code, stdout)
    assert bool(answer.stderr) == (exit_code == 2)


@pytest.mark.parametrize(("written", "answer"), [("SessionStart", '{"continue": false}\n'), ("Stop", '{"continue": false}\n')])
def test_a_stop_ends_a_session_of_codex(written: str, answer: str) -> None:
    stopped = hosts.answer(
        "codex", Dispatch(id=1, event=event(written), project="/", runs=(), decision="stop", reason="enough")
    )
    assert (stopped.exit_code, stopped.stdout) == (0, answer)


def test_a_payload_of_codex_is_known_by_its_turn() -> None:
    payload = {"hook_event_name": "Stop", "turn_id": "t", "session_id": "s", "cwd": "/", "permission_mode": "default"}
    assert hosts.detect(payload) == "codex"
    assert hosts.read("codex", payload, None, "now").name == GATE


def event(written: str) -> Event:
    """A call of the shell."""
    payload = {"hook_event_name": written, "turn_id": "t", "tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "/"}
    return hosts.read("codex", payload, None, "now")

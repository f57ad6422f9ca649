"""VS Code's hook files (formats.md §3; seed 003)."""

from __future__ import annotations

import pytest

from hooktui.formats.json_hooks import json_command
from tests.unit.diagnostics.host_files import one, put
from tests.unit.formats.agenthooks_world import World, skip_of
from tests.unit.formats.json_world import blamed, codes, flat, grouped, only, problem, read, vscode

SEED_003 = {
    "command": "./scripts/format.sh",
    "windows": "powershell -File scripts\\format.ps1",
    "linux": "./scripts/format-linux.sh",
    "osx": "./scripts/format-mac.sh",
}


def on(monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    monkeypatch.setattr(json_command, "THIS_SYSTEM", system)


def test_an_entry_of_seed_003_is_read_completely(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "linux")
    text = flat("PostToolUse", **SEED_003, timeout=15, env={"AUDIT_LOG": "a.log"}, cwd="tools")
    hook = only(read(vscode, text))
    assert (hook.event, hook.event_as_written, hook.format, hook.scope) == (
        "post-tool-call",
        "PostToolUse",
        "vscode",
        "project",
    )
    assert hook.name == "a.json:PostToolUse:1"
    assert (hook.command, hook.argv) == ("./scripts/format-linux.sh", ("/bin/sh", "-c", "./scripts/format-linux.sh"))
    assert hook.commands == {key: SEED_003[key] for key in ("linux", "osx", "windows")}
    assert (hook.timeout_ms, hook.cwd, hook.env) == (15_000, "/p/tools", {"AUDIT_LOG": "a.log"})
    assert (hook.file, hook.line, hook.root, hook.obstacle) == ("/p/.github/hooks/a.json", 1, "/p", None)
    assert hook.text in text


@pytest.mark.parametrize(
    ("system", "entry", "effective"),
    [
        ("linux", {"command": "c", "bash": "b"}, "b"),
        ("osx", {"command": "c", "bash": "b"}, "b"),
        ("windows", {"command": "c", "bash": "b"}, "c"),
        ("windows", {"command": "c", "powershell": "p"}, "p"),
        ("linux", {"command": "c", "powershell": "p"}, "c"),
        ("linux", {"bash": "b", "linux": "l"}, "l"),
        ("osx", {"bash": "b", "linux": "l"}, "b"),
        ("windows", {"powershell": "p", "windows": "w"}, "w"),
        ("linux", {"command": "c", "linux": ""}, "c"),
    ],
)
def test_the_command_is_that_of_the_system(
    monkeypatch: pytest.MonkeyPatch, system: str, entry: dict[str, str], effective: str
) -> None:
    on(monkeypatch, system)
    assert only(read(vscode, flat(**{"command": None, **entry}))).command == effective


def test_bash_applies_to_linux_and_osx_without_falling_back_to_command() -> None:
    hook = only(read(vscode, flat(command="c", bash="b")))
    assert hook.commands == {"linux": "b", "osx": "b", "windows": None}


def test_a_hook_for_another_system_only_is_listed_and_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "linux")
    parsed = read(vscode, '{"hooks": {"Stop": [{"type": "command", "windows": "w"}]}}')
    hook = only(parsed)
    assert hook.command is None
    assert hook.obstacle
    assert (hook.obstacle.skip, hook.obstacle.why) == ("invalid", "it has no command for linux")


@pytest.mark.parametrize("entry", ['"windows": «"w"»', '"powershell": «"p"»'])
def test_a_missing_command_for_this_system_is_reported_at_the_other_command(
    monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    on(monkeypatch, "linux")
    found = blamed(vscode, f'{{"hooks": {{"Stop": [{{"type": "command", {entry}}}]}}}}', "never-fires")
    assert (found.severity, found.message) == ("warning", "no command for linux: the hook never runs here")


@pytest.mark.parametrize(
    ("entry", "timeout_ms"),
    [
        ({}, 30_000),
        ({"timeout": 5}, 5_000),
        ({"timeoutSec": 6}, 6_000),
        ({"timeout": 5, "timeoutSec": 6}, 5_000),
        ({"timeout": 0.5}, 500),
    ],
)
def test_timeouts_are_seconds_and_timeout_wins(entry: dict[str, float], timeout_ms: int) -> None:
    assert only(read(vscode, flat(**entry))).timeout_ms == timeout_ms


@pytest.mark.parametrize(("seconds", "timeout_ms"), [(0, 30_000), (-5, 30_000), (10**15, 2**31 - 1)])
def test_a_timeout_that_cannot_be_is_replaced(seconds: int, timeout_ms: int) -> None:
    parsed = read(vscode, flat(timeout=seconds))
    assert only(parsed).timeout_ms == timeout_ms
    assert codes(parsed) == (["out-of-range"] if seconds <= 0 else [])


@pytest.mark.parametrize(
    ("written", "cwd"),
    [("/abs/x/..", "/abs"), ("sub", "/p/sub"), ("~", "{home}"), ("~/x", "{home}/x"), ("", None), ("..", "/")],
)
def test_cwd_is_absolute(world: World, written: str, cwd: str | None) -> None:
    wanted = cwd.format(home=world.home) if cwd else None
    assert only(read(vscode, flat(cwd=written))).cwd == wanted


@pytest.mark.parametrize(
    ("marked", "field", "value"),
    [
        ('{"hooks": {"Stop": [{"type": "command", "command": "c", "cwd": «123»}]}}', "cwd", None),
        ('{"hooks": {"Stop": [{"type": "command", "command": "c", "env": «"x"»}]}}', "env", {}),
        ('{"hooks": {"Stop": [{"type": "command", "command": "c",\r\n\t"timeout": «"30"»}]}}', "timeout_ms", 30_000),
        ('{"hooks": {"Stop": [{"type": "command", "command": "c", "timeout": «true»}]}}', "timeout_ms", 30_000),
        ('{"hooks": {"Stop": [{"type": "command", "command": "c", "env": {"A": "1", "😀": «2»}}]}}', "env", {"A": "1"}),
        ('{"hooks": {"Stop": [{"type": "command", "command": "c", "matcher": «5»}]}}', "tool", None),
    ],
)
def test_a_wrong_typed_optional_field_is_dropped_and_the_hook_loads(marked: str, field: str, value: object) -> None:
    found = blamed(vscode, marked, "wrong-type")
    assert found.severity == "error"
    assert (found.hook or "").endswith("a.json:Stop:1")
    hook = only(read(vscode, marked.replace("«", "").replace("»", "")))
    assert (getattr(hook, field), hook.obstacle) == (value, None)
    assert hook.problems == ("wrong-type",)


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("5", "wrong-type"),
        ("null", "wrong-type"),
        ('{"type": "http", "url": "x"}', "unsupported-type"),
        ('{"type": 5}', "wrong-type"),
    ],
)
def test_a_bad_entry_is_skipped_and_its_siblings_load(bad: str, code: str) -> None:
    good = '{"type": "command", "command": "true"}'
    parsed = read(vscode, f'{{"hooks": {{"Stop": [{good}, {bad}, {good}]}}}}')
    assert [hook.name for hook in parsed.hooks] == ["a.json:Stop:1", "a.json:Stop:3"]
    assert codes(parsed) == [code]


def test_a_type_that_vs_code_does_not_know_is_reported_for_vs_code() -> None:
    found = blamed(vscode, '{"hooks": {"Stop": [{"type": «"comand"», "command": "c"}]}}', "unsupported-type")
    assert (found.severity, found.hosts, found.hint) == ("warning", ("vscode",), "did you mean command?")


@pytest.mark.parametrize(
    ("entry", "code"),
    [('"command": «""»', "bad-command"), ('"command": «5»', "wrong-type"), ('"command": «"a\\u0000b"»', "bad-command")],
)
def test_a_hook_without_a_valid_command_does_not_run(entry: str, code: str) -> None:
    marked = f'{{"hooks": {{"Stop": [{{"type": "command", {entry}}}]}}}}'
    blamed(vscode, marked, code)
    hook = only(read(vscode, marked.replace("«", "").replace("»", "")))
    assert (skip_of(hook), hook.argv) == ("invalid", ())


def test_no_command_at_all_is_a_missing_field() -> None:
    blamed(vscode, '{"hooks": {"Stop": [«{»"type": "command"}]}}', "missing-field")


@pytest.mark.parametrize("name", ["A=B", "", "A\\u0000"])
def test_a_variable_that_no_environment_can_hold_is_dropped(name: str) -> None:
    parsed = read(vscode, f'{{"hooks": {{"Stop": [{{"type": "command", "command": "c", "env": {{"{name}": "x"}}}}]}}}}')
    assert only(parsed).env == {}
    assert codes(parsed) == ["bad-value"]


def test_a_nested_entry_is_read_with_its_groups_matcher() -> None:
    hook = only(read(vscode, grouped("PreToolUse", {"matcher": "Bash"})))
    assert (hook.tool, hook.obstacle, hook.entry_path) == ("Bash", None, ("hooks", "PreToolUse", 0, "hooks", 0))


def test_a_matcher_that_is_ignored_need_be_no_regex() -> None:
    parsed = read(vscode, flat(matcher="["))
    assert only(parsed).obstacle is None
    assert not parsed.diagnostics


@pytest.mark.parametrize(
    ("written", "meant", "event"),
    [
        ("pretooluse", "PreToolUse", "pre-tool-call"),
        ("PostToolUsed", "PostToolUse", "post-tool-call"),
        ("stop", "Stop", "pre-agent-turn-stop"),
        ("before_tool", "PreToolUse", "pre-tool-call"),
    ],
)
def test_an_unknown_event_is_an_error_with_did_you_mean(written: str, meant: str, event: str) -> None:
    marked = f'{{"hooks": {{«"{written}"»: [{{"type": "command", "command": "c"}}]}}}}'
    found = blamed(vscode, marked, "unknown-event")
    assert (found.severity, found.hint, found.hosts) == ("error", f"did you mean {meant}?", ("vscode",))
    assert found.fix
    assert (found.fix.old, found.fix.text) == (f'"{written}"', f'"{meant}"')
    hook = only(read(vscode, flat(written)))
    assert (hook.event, hook.event_as_written, skip_of(hook)) == (event, written, "invalid")
    assert hook.problems == ("unknown-event",)


def test_an_event_that_nothing_is_like_stays_unknown() -> None:
    parsed = read(vscode, flat("Xyzzy"))
    assert only(parsed).event == ""
    assert problem(parsed, "unknown-event").fix is None


@pytest.mark.parametrize(("event", "severity"), [("StopFailure", "warning"), ("SessionEnd", "info"), ("Notification", "info")])
def test_an_event_that_vs_code_never_fires_is_reported_as_a_note_where_copilot_fires_it(event: str, severity: str) -> None:
    found = blamed(vscode, f'{{"hooks": {{«"{event}"»: [{{"type": "command", "command": "c"}}]}}}}', "never-fires")
    assert (found.severity, found.hosts, "Copilot CLI" in found.message) == (severity, ("vscode",), severity == "info")


@pytest.mark.parametrize(
    ("marked", "code", "text"),
    [
        ('{«"preToolUse"»: [{"type": "command", "bash": "c"}]}', "missing-field", '"hooks": {"preToolUse": ['),
        ('{«"PreToolUse"»: [{"type": "command", "command": "c"}]}', "missing-field", '"hooks": {"PreToolUse": ['),
        ('«[{"hooks": {"PreToolUse": []}}]»', "not-a-mapping", '{"hooks": {"PreToolUse": []}}'),
        ('«[{"hooks": {}}, {"hooks": {}}]»', "not-a-mapping", ""),
    ],
)
def test_hooks_without_their_wrapper_or_in_a_list_are_an_error(world: World, marked: str, code: str, text: str) -> None:
    place = put(world, marked, ".github/hooks/own.json")
    only_one = one(world, code)
    assert (only_one.severity, (only_one.line, only_one.column)) == ("error", place[:2])
    assert (only_one.fix is None) == (text == "")
    assert not only_one.fix or text in only_one.fix.text


def test_a_file_that_cannot_be_parsed_names_its_hooks(world: World) -> None:
    put(world, '{"hooks": {"PreToolUse": [{"type": "command", "command": "echo lost"}]', ".github/hooks/own.json")
    assert one(world, "bad-json").message.endswith("Its hook echo lost does not run.")


@pytest.mark.parametrize(("key", "value"), [("if", "x"), ("async", True), ("args", ["x"]), ("once", True)])
def test_keys_of_other_hosts_are_reported_as_ignored(key: str, value: object) -> None:
    found = problem(read(vscode, flat(**{key: value})), "ignored-key")
    assert (found.severity, found.hosts) == ("warning", ("vscode",))
    assert only(read(vscode, flat(**{key: value}))).is_async is False


def test_unknown_keys_are_reported_unless_they_describe_the_entry() -> None:
    found = blamed(vscode, '{"hooks": {"Stop": [{"type": "command", "command": "c", «"timout"»: 3}]}}', "unknown-key")
    assert (found.severity, found.hint) == ("warning", "did you mean timeout?")
    assert (
        blamed(vscode, '{"hooks": {"Stop": [{"type": "command", "command": "c", «"colour"»: 3}]}}', "unknown-key").fix is None
    )
    assert not read(vscode, flat(comment="mine", description="d", _note=1, **{"//": "x", "$id": "y"})).diagnostics


@pytest.mark.parametrize(
    ("key", "consequence"),
    [
        ("enabled", "the hook runs anyway"),
        ("blocking", "only the hook's answer or exit 2 blocks"),
        ("filePattern", "the hook runs for every file"),
        ("continueOnError", "failures count as usual"),
        ("match", "the hook runs for every tool"),
        ("on_error", "failures count as usual"),
    ],
)
def test_a_key_that_looks_like_a_condition_is_reported_with_its_consequence(key: str, consequence: str) -> None:
    marked = f'{{"hooks": {{"Stop": [{{"type": "command", "command": "c", «"{key}"»: false}}]}}}}'
    found = blamed(vscode, marked, "unread-key")
    assert (found.severity, found.hosts) == ("warning", ("vscode",))
    assert found.message == f"VS Code does not read {key}: {consequence}"


def test_the_description_and_other_keys_are_kept() -> None:
    hook = only(read(vscode, flat(description="d", comment="mine")))
    assert (hook.description, hook.metadata) == ("d", {"comment": "mine"})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "bad-json"),
        ("{", "bad-json"),
        ('{"hooks": []}', "wrong-type"),
        ('{"hooks": null}', "wrong-type"),
        ('{"hooks": {"Stop": {}}}', "wrong-type"),
        ('{"hooks": {"Stop": [{"hooks": {}}]}}', "wrong-type"),
    ],
)
def test_a_file_that_holds_no_hooks_says_why(text: str, code: str) -> None:
    parsed = read(vscode, text)
    assert parsed.hooks == ()
    assert [(one.severity, one.code) for one in parsed.diagnostics] == [("error", code)]


@pytest.mark.parametrize("text", ["[]", '"x"', "{}", '{"rules": ["a"]}'])
def test_other_json_in_a_directory_of_hooks_is_a_note(text: str) -> None:
    parsed = read(vscode, text)
    assert parsed.hooks == ()
    assert [(one.severity, one.code) for one in parsed.diagnostics] == [("info", "no-hook-file")]


def test_one_bad_event_does_not_hide_the_others() -> None:
    text = '{"hooks": {"Stop": 5, "PreToolUse": [{"type": "command", "command": "c"}]}}'
    assert only(read(vscode, text)).event == "pre-tool-call"


def test_comments_and_trailing_commas_are_read() -> None:
    parsed = read(vscode, '// a\n{"hooks": {"Stop": [{"type": "command", "command": "c",},],},}')
    assert only(parsed).line == 2
    assert not parsed.diagnostics


@pytest.mark.parametrize(
    "marked",
    [
        '{"hooks": {"Stop": [{"type": "command", "command": "a", «"command"»: "b"}]}}',
        '{"hooks": {"Stop": [{"type": "command", "command": "a", "env": {"A": "1", «"A"»: "2"}}]}}',
        '{"hooks": {"Stop": [{"type": "command", "command": "a"}], «"Stop"»: [{"type": "command", "command": "b"}]}}',
        '{"hooks": {}, «"hooks"»: {"Stop": [{"type": "command", "command": "a"}]}}',
        '{"hooks": {"Stop": [{"matcher": "a", «"matcher"»: "b", "hooks": [{"type": "command", "command": "a"}]}]}}',
    ],
)
def test_a_key_given_twice_keeps_the_hook_from_running(marked: str) -> None:
    assert blamed(vscode, marked, "duplicate-key").severity == "error"
    hooks = read(vscode, marked.replace("«", "").replace("»", "")).hooks
    assert hooks
    for hook in hooks:
        assert (skip_of(hook), "duplicate-key" in hook.problems) == ("invalid", True)


def test_disable_all_hooks_is_ignored_in_vs_codes_own_files() -> None:
    parsed = read(vscode, '{"disableAllHooks": true, "hooks": {"Stop": [{"type": "command", "command": "c"}]}}')
    assert only(parsed).enabled
    assert problem(parsed, "ignored-key").hosts == ("vscode",)

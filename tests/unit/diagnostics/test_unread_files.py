"""Hook files that no host reads where they are: told, listed and not enabled (contract.md, "check")."""

from __future__ import annotations

import json

import pytest

from hooktui.catalog import catalog
from tests.unit.diagnostics.host_files import found, grouped, one, put
from tests.unit.formats.agenthooks_world import World

CODE = "unread-file"
LIST = '{"hooks": [{"event": "preToolUse", "command": "./gone.sh"}]}'
STEPS = json.dumps({"version": 1, "hooks": {"preToolUse": [{"command": "./gone.sh"}]}})


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        (".copilot/hooks.json", STEPS, "Copilot CLI does not read this file. Its hook gone.sh does not run."),
        (
            ".copilot/hooks.json",
            '{"hooks": [{"event": "preToolUse", "command": "./gone.sh"}]}',
            "Its hook gone.sh does not run.",
        ),
        (".claude/hooks.json", grouped("./gone.sh", "PreToolUs"), "Claude Code does not read this file."),
        (".claude/hooks/hooks.json", grouped("./gone.sh")[:-1], "Claude Code does not read this file."),
        (".gemini/hooks.json", grouped("./gone.sh", "BeforeTool"), "Gemini CLI does not read this file."),
        (".factory/settings.local.json", grouped("./gone.sh"), "Factory droid does not read this file."),
    ],
)
def test_a_file_that_no_host_reads_is_all_that_is_said_of_it(world: World, file: str, text: str, message: str) -> None:
    put(world, text, file)
    (only,) = catalog.load(str(world.project)).diagnostics
    assert (only.code, only.severity) == (CODE, "warning")
    assert message in only.message


@pytest.mark.parametrize("text", ["{}", '{"hooks": {}}', '{"hooks": "on"}', "[]", '{"enabled": true}'])
def test_a_file_without_hooks_is_no_mistake(world: World, text: str) -> None:
    put(world, text, ".claude/hooks.json")
    assert found(world, CODE) == []


def test_its_hooks_are_listed_and_not_enabled(world: World) -> None:
    put(world, STEPS, ".copilot/hooks.json")
    (hook,) = catalog.load(str(world.project)).hooks
    assert (hook.enabled, hook.why_disabled) == (False, "Copilot CLI does not read this file")


@pytest.mark.parametrize(
    ("manifest", "text", "title"),
    [
        (".codex-plugin", grouped("true"), "Codex CLI"),
        (".cursor-plugin", STEPS.replace("./gone.sh", "true"), "Cursor"),
        (".factory-plugin", grouped("true"), "Factory droid"),
        (".claude-plugin", grouped("true"), "Claude Code"),
    ],
)
def test_the_repository_of_a_plugin_is_checked_and_its_hooks_are_listed(
    world: World, manifest: str, text: str, title: str
) -> None:
    put(world, '{"name": "guards"}', f"{manifest}/plugin.json")
    put(world, text, "hooks/hooks.json")
    loaded = catalog.load(str(world.project))
    (hook,) = loaded.hooks
    assert (hook.enabled, hook.why_disabled) == (False, f"{title} runs it where the plugin is installed")
    assert loaded.diagnostics == ()
    put(world, text.replace("reToolUse", "reToolUsee"), "hooks/hooks.json")
    codes = {problem.code for problem in catalog.load(str(world.project)).diagnostics}
    assert codes & {"unknown-event", "host-skips-file"}


@pytest.mark.parametrize(
    ("named", "listed"),
    [
        pytest.param('"./config/own.json"', ["own"], id="path"),
        pytest.param('["./config/own.json", "./more.json"]', ["own", "more"], id="list"),
        pytest.param('"config/own.json"', ["usual"], id="without-dot"),
        pytest.param('"../own.json"', ["usual"], id="outside"),
        pytest.param("[]", ["usual"], id="empty-list"),
        pytest.param("null", ["usual"], id="null"),
        pytest.param('{"Stop": []}', ["usual"], id="object-of-events"),
        pytest.param("{}", [], id="empty-object"),
        pytest.param('{"hooks": {}}', [], id="object"),
    ],
)
def test_the_manifest_of_a_plugin_may_name_other_files(world: World, named: str, listed: list[str]) -> None:
    put(world, f'{{"name": "guards", "hooks": {named}}}', ".codex-plugin/plugin.json")
    put(world, '{"name": "guards"}', ".claude-plugin/plugin.json")
    for name, file in (("usual", "hooks/hooks.json"), ("own", "config/own.json"), ("more", "more.json")):
        put(world, grouped(f"true {name}"), file)
    found = [hook for hook in catalog.load(str(world.project)).hooks if hook.format == "codex"]
    assert [str(hook.command).split()[-1] for hook in found] == [name for name in listed if name != "usual"]
    (world.project / ".claude-plugin/plugin.json").unlink()
    alone = [hook for hook in catalog.load(str(world.project)).hooks if hook.format == "codex"]
    assert [str(hook.command).split()[-1] for hook in alone] == listed


def test_the_repository_of_a_plugin_for_several_hosts_is_checked_once(world: World) -> None:
    for manifest in (".claude-plugin", ".cursor-plugin", ".codex-plugin"):
        put(world, '{"name": "guards"}', f"{manifest}/plugin.json")
    put(world, grouped('bash "${CLAUDE_PLUGIN_ROOT}"/gone.sh'), "hooks/hooks.json")
    assert [hook.format for hook in catalog.load(str(world.project)).hooks] == ["claude"]
    assert one(world, "missing-script").severity == "error"

"""The real programs and `hooktui list` agree on what the settings of everyone on the machine do to hooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.hosts.managed_settings import own_etc

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.hosts.agent_world import AgentWorld
    from tests.hosts.codex_cli import CodexWorld
    from tests.hosts.other_programs import CopilotWorld, DroidWorld, GeminiWorld, QwenWorld

ONLY, OFF, ON = "allow_managed_hooks_only = true\n", "[features]\nhooks = false\n", "[features]\nhooks = true\n"
HOOK = '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "echo system >> ran-hooks"\n'


def told(world: AgentWorld, inside: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The listed hooks by what they print."""
    listed = json.loads(world.hooktui("list", "--json", inside=inside).stdout)
    return {hook["command"].split()[1]: hook for hook in listed}


def same(world: AgentWorld, inside: tuple[str, ...]) -> set[str]:
    """The hooks that ran, after a comparison with the listing."""
    world.session(inside=inside)
    assert world.marker.exists(), "the tool ran"
    path = world.project / "ran-hooks"
    ran = set(path.read_text().split()) if path.exists() else set()
    hooks = told(world, inside)
    assert {name for name, hook in hooks.items() if hook["enabled"]} == ran
    assert all(hook["why"] for name, hook in hooks.items() if name not in ran)
    return ran


@pytest.mark.parametrize(
    ("files", "ran"),
    [
        ({"requirements.toml": ONLY}, ""),
        ({"requirements.toml": ONLY + HOOK}, "system"),
        ({"requirements.toml": HOOK}, "system user project"),
        ({"config.toml": HOOK}, "system user project"),
        ({"config.toml": HOOK, "requirements.toml": ONLY}, "system"),
        ({"managed_config.toml": HOOK, "requirements.toml": ONLY}, "system"),
        ({"managed_config.toml": ONLY}, "user project"),
        ({"requirements.toml": OFF + HOOK}, ""),
        ({"requirements.toml": OFF, "managed_config.toml": ON}, ""),
        ({"requirements.toml": ON, "user": OFF}, "user project"),
        ({"managed_config.toml": ON, "user": OFF}, "user project"),
        ({"managed_config.toml": OFF}, ""),
        ({"config.toml": OFF}, ""),
        ({"config.toml": OFF, "user": ON}, "user project"),
        ({"config.toml": HOOK, "user": OFF}, ""),
        ({"project": OFF, "user": ON}, ""),
        ({"project": ON, "user": OFF}, "user project"),
    ],
    ids=str,
)
def test_requirements_of_codex(codex: CodexWorld, tmp_path: Path, files: Mapping[str, str], ran: str) -> None:
    etc, inside = own_etc(tmp_path)
    (etc / "codex").mkdir()
    entry = {"type": "command", "command": "echo user >> ran-hooks"}
    codex.write("~/.codex/hooks.json", {"hooks": {"PreToolUse": [{"hooks": [entry]}]}})
    codex.write_hooks("echo project >> ran-hooks")
    codex.trust()
    for name, text in files.items():
        if name == "project":
            (codex.project / ".codex/config.toml").write_text(text)
        elif name == "user":
            with (codex.home / ".codex/config.toml").open("a") as file:
                file.write(f"\n{text}")
        else:
            (etc / "codex" / name).write_text(text)
    assert same(codex, inside) == set(ran.split())


def test_connection_that_requirements_leave_out_is_told(codex: CodexWorld, tmp_path: Path) -> None:
    etc, inside = own_etc(tmp_path)
    (etc / "codex").mkdir()
    (etc / "codex/requirements.toml").write_text(ONLY)
    told = codex.hooktui("connect", "codex", "--yes", inside=inside).stdout
    assert "Note: Codex CLI does not call hooktui" in told
    codex.trust()
    codex.session(inside=inside)
    assert codex.decisions() == []
    (state,) = json.loads(codex.hooktui("status", "--json", inside=inside).stdout)["connections"]
    assert (state["works"], "allow_managed_hooks_only" in state["why"]) == (False, True)


def test_project_that_codex_does_not_trust_turns_no_hooks_off(codex: CodexWorld, tmp_path: Path) -> None:
    config = codex.home / ".codex/config.toml"
    entry = {"type": "command", "command": "echo user >> ran-hooks"}
    codex.write("~/.codex/hooks.json", {"hooks": {"PreToolUse": [{"hooks": [entry]}]}})
    codex.trust()
    codex.write(".codex/hooks.json", {}).with_name("config.toml").write_text(OFF)
    config.write_text(config.read_text().replace('trust_level = "trusted"', 'trust_level = "untrusted"'))
    assert same(codex, own_etc(tmp_path)[1]) == {"user"}


def hooks(event: str, name: str) -> dict[str, Any]:
    entry = {"type": "command", "name": name, "command": f"echo {name} >> ran-hooks"}
    return {"hooks": {event: [{"matcher": "*", "hooks": [entry]}]}}


CASES = [
    ({"settings.json": ["system"]}, "system user project"),
    ({"settings.json": ["off"]}, ""),
    ({"settings.json": ["on"], "project": ["off"]}, "user project"),
    ({"settings.json": ["off"], "project": ["on"]}, ""),
    ({"settings.json": ["system"], "user": ["off"]}, ""),
    ({"system-defaults.json": ["system"]}, "system user project"),
    ({"system-defaults.json": ["off"]}, ""),
    ({"system-defaults.json": ["off"], "user": ["on"]}, "user project"),
]


def play(world: AgentWorld, root: Path, event: str, keys: Mapping[str, Any], files: Mapping[str, list[str]]) -> set[str]:
    """The hooks that ran: of the user, the project, and what the files of `files` have besides."""
    etc, inside = own_etc(root)
    system = etc / f"{world.host}-{'cli' if world.host == 'gemini' else 'code'}"
    system.mkdir()
    user, project = world.home / f".{world.host}/settings.json", world.project / f".{world.host}/settings.json"
    project.parent.mkdir()
    written = {user: {**json.loads(user.read_text()), **hooks(event, "user")}, project: hooks(event, "project")}
    for name, contents in files.items():
        path = {"user": user, "project": project}.get(name, system / name)
        for content in contents:
            written[path] = {**written.get(path, {}), **(hooks(event, content) if content == "system" else keys[content])}
    for path, values in written.items():
        path.write_text(json.dumps(values))
    return same(world, inside)


@pytest.mark.parametrize(("files", "ran"), CASES, ids=str)
def test_system_settings_of_gemini(gemini: GeminiWorld, tmp_path: Path, files: Mapping[str, list[str]], ran: str) -> None:
    keys = {"off": {"hooksConfig": {"enabled": False}}, "on": {"hooksConfig": {"enabled": True}}}
    assert play(gemini, tmp_path, "BeforeTool", keys, files) == set(ran.split())


@pytest.mark.parametrize(("files", "ran"), CASES, ids=str)
def test_system_settings_of_qwen(qwen: QwenWorld, tmp_path: Path, files: Mapping[str, list[str]], ran: str) -> None:
    keys = {"off": {"disableAllHooks": True}, "on": {"disableAllHooks": False}}
    assert play(qwen, tmp_path, "PreToolUse", keys, files) == set(ran.split())


@pytest.mark.parametrize(
    ("files", "ran"),
    [
        ({"policy.d/one.json": "system"}, "system user project"),
        ({"managed-settings.json": "system"}, "user project"),
        ({"managed-settings.json": {"allowManagedHooksOnly": True}}, ""),
        ({"managed-settings.json": {"allowManagedHooksOnly": True}, "policy.d/one.json": "system"}, "system"),
        ({"managed-settings.json": {"strictPluginOnlyCustomization": True}, "policy.d/one.json": "system"}, "system"),
        ({"managed-settings.json": {"strictPluginOnlyCustomization": ["hooks"]}}, ""),
        ({"managed-settings.json": {"strictPluginOnlyCustomization": ["skills"]}}, "user project"),
        ({"managed-settings.json": {"disableAllHooks": True}}, "user project"),
    ],
    ids=str,
)
def test_policies_of_copilot(copilot: CopilotWorld, tmp_path: Path, files: Mapping[str, Any], ran: str) -> None:
    def hooks_file(name: str) -> dict[str, Any]:
        return {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": f"echo {name} >> ran-hooks"}]}}

    etc, inside = own_etc(tmp_path)
    (etc / "github-copilot/policy.d").mkdir(parents=True)
    copilot.write("~/.copilot/hooks/one.json", hooks_file("user"))
    copilot.write(".github/hooks/one.json", hooks_file("project"))
    for name, content in files.items():
        values = hooks_file(content) if isinstance(content, str) else content
        (etc / "github-copilot" / name).write_text(json.dumps(values))
    assert same(copilot, inside) == set(ran.split())


@pytest.mark.parametrize(
    ("system", "project", "ran"),
    [
        (["system"], [], "system user project"),
        (["off"], [], ""),
        (["off", "system"], [], ""),
        (["off"], ["on"], ""),
        (["on"], ["off"], "user project"),
        (["system"], ["off"], ""),
    ],
    ids=str,
)
def test_system_settings_of_droid(droid: DroidWorld, tmp_path: Path, system: list[str], project: list[str], ran: str) -> None:
    keys = {"off": {"hooksDisabled": True}, "on": {"hooksDisabled": False}, "system": hooks("PreToolUse", "system")["hooks"]}
    etc, inside = own_etc(tmp_path)
    (etc / "factory").mkdir()
    held = {key: value for content in system for key, value in keys[content].items()}
    (etc / "factory/settings.json").write_text(json.dumps({"hooks": held}))
    droid.write("~/.factory/hooks.json", hooks("PreToolUse", "user")["hooks"])
    own = {key: value for content in project for key, value in keys[content].items()}
    droid.write(".factory/hooks.json", {**hooks("PreToolUse", "project")["hooks"], **own})
    assert same(droid, inside) == set(ran.split())

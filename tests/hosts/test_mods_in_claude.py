"""The real Claude Code and hooktui agree on mods: which of them load, what they register, and what they overrule."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.seen_in_claude import PROJECT, USER
from tests.hosts.claude_plugins import install
from tests.hosts.managed_settings import namespace
from tests.hosts.scripted_model import bash, say
from tests.hosts.test_managed_sources import KEY, REMOTE, start
from tests.mod_cases import CASES, ModCase
from tests.mod_world import PASSES, registering, write_mod

if TYPE_CHECKING:
    from tests.hosts.claude_code import ClaudeWorld

_SKILLS = ".claude/skills"
_OFF = {"enabledPlugins": {"sk@skills-dir": False}}
_GUARD = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}
_ONLY_MANAGED_MODS = {"pluginConfigs": {"cc-plugin-sec-default@builtin": {"options": {"allowManagedModsOnly": True}}}}


def loaded(world: ClaudeWorld, inside: tuple[str, ...] = (), **env: str) -> set[str]:
    """The mods that a session loaded, from Claude's debug log, without its own."""
    start(world, KEY | env, inside)
    text = world.debug_log.read_text(encoding="utf-8")
    out = set(re.findall(r"plugin\.register: \S+ \(user, (\S+)\), judged by \S+: hooks module left out", text))
    return {name for name in re.findall(r"hooks module (\S+) loaded \(", text) if not name.endswith("@builtin")} - out


def listed(world: ClaudeWorld, inside: tuple[str, ...] = (), **env: str) -> list[dict[str, Any]]:
    found = json.loads(world.hooktui("list", "--json", inside=inside, **KEY, **env).stdout)
    return [hook for hook in found if hook["format"] == "claude-mod"]


@pytest.mark.parametrize(
    ("files", "managed", "mods"),
    [
        ({}, {}, "sk@skills-dir"),
        ({USER: _OFF}, {}, ""),
        ({PROJECT: _OFF}, {}, ""),
        ({USER: {"enabledPlugins": {"folder@skills-dir": False}}}, {}, "sk@skills-dir"),
        ({USER: {"enabledPlugins": {"sk@skills-dir": "false"}}}, {}, "sk@skills-dir"),
        ({USER: {"disableAllHooks": True}}, {}, ""),
        ({PROJECT: {"disableAllHooks": True}}, {}, ""),
        ({}, {"cleanupPeriodDays": 30}, "sk@skills-dir"),
        ({}, {"allowManagedHooksOnly": True}, ""),
        ({}, {"disableAllHooks": True}, ""),
        ({}, {"strictPluginOnlyCustomization": True}, ""),
        ({}, {"strictPluginOnlyCustomization": ["hooks"]}, ""),
        ({}, {"strictPluginOnlyCustomization": ["agents"]}, ""),
        ({}, {"strictPluginOnlyCustomization": ["skills"]}, ""),
        ({}, {"strictPluginOnlyCustomization": []}, "sk@skills-dir"),
        ({}, {"strictPluginOnlyCustomization": False}, "sk@skills-dir"),
        ({}, {"strictKnownMarketplaces": []}, ""),
        ({}, {"blockedMarketplaces": [{"source": "skills-dir"}]}, ""),
        ({}, _ONLY_MANAGED_MODS, ""),
        ({REMOTE: {"allowManagedHooksOnly": True}}, {}, ""),
    ],
    ids=str,
)
def test_settings_decide_which_mods_load(
    world: ClaudeWorld, tmp_path: Path, files: dict[str, Any], managed: dict[str, Any], mods: str
) -> None:
    write_mod(world.home / _SKILLS / "folder")
    for name, settings in files.items():
        world.settings(name).write_text(json.dumps(settings))
    inside = namespace(tmp_path, managed) if managed else ()
    assert loaded(world, inside) == set(mods.split())
    assert {hook["name"] for hook in listed(world, inside) if hook["enabled"]} == set(mods.split())


@pytest.mark.parametrize("trusted", [".", "..", None])
def test_mods_of_a_project_load_in_a_trusted_folder(world: ClaudeWorld, trusted: str | None) -> None:
    write_mod(world.project / _SKILLS / "sk")
    if trusted is not None:
        folder = (world.project / trusted).resolve()
        (world.home / ".claude.json").write_text(json.dumps({"projects": {str(folder): {"hasTrustDialogAccepted": True}}}))
    assert loaded(world) == {hook["name"] for hook in listed(world) if hook["enabled"]}


def test_mods_of_installed_plugins_load_beside_their_hooks(world: ClaudeWorld) -> None:
    install(world, {"modules": ["./m.js"], **_GUARD})
    (world.home / "market/plug/hooks/m.js").write_text(registering(f"on('tool.call', {PASSES})"))
    assert loaded(world) == {"plug@market"} == {hook["name"] for hook in listed(world) if hook["enabled"]}
    world.settings(USER).write_text(
        json.dumps(json.loads(world.settings(USER).read_text()) | {"enabledPlugins": {"plug@market": False}})
    )
    assert loaded(world) == set() == {hook["name"] for hook in listed(world) if hook["enabled"]}


def test_folders_that_are_no_plugins_load_nothing(world: ClaudeWorld) -> None:
    write_mod(world.home / _SKILLS / "deep/inner")
    write_mod(world.home / _SKILLS / "nameless", manifest="{}")
    write_mod(world.home / _SKILLS / "broken", manifest="{")
    assert loaded(world) == set() == {hook["name"] for hook in listed(world) if hook["enabled"]}


@pytest.mark.parametrize("place", ["path", "link"])
def test_module_outside_its_plugin_does_not_load(world: ClaudeWorld, place: str) -> None:
    root = write_mod(world.home / _SKILLS / "folder")
    outside = (root / "hooks/m.js").rename(world.home / "m.js")
    if place == "link":
        (root / "hooks/m.js").symlink_to(outside)
    else:
        (root / "hooks/hooks.json").write_text(json.dumps({"modules": ["../../../../m.js"]}))
    assert loaded(world) == set()
    assert listed(world) == []
    assert "is outside the plugin's folder" in world.hooktui("check").stdout


def test_reason_in_the_debug_log_is_a_hint(world: ClaudeWorld) -> None:
    write_mod(world.home / _SKILLS / "sk", registering(f"on('tool.' + 'call', {PASSES})"))
    world.logs_at_home = True
    world.session()
    (problem,) = json.loads(world.hooktui("check", "--format", "json").stdout)["diagnostics"]
    assert problem["code"] == "mod-not-loaded"
    assert re.match(r"Claude Code's debug log of \S+ says: sk: \S+m\.js:2: the event name", problem["hint"])


_DIRECTORIES = "CLAUDE_CODE_PLUGIN_DIRS"


@pytest.mark.parametrize(
    ("named", "mods"),
    [
        ("{home}/one", "one@inline"),
        ("{home}/one:{home}/folder", "one@inline inner@inline"),
        ("~/one : relative", "one@inline"),
        ("{home}/bare:{home}/gone", "bare@inline"),
        ("{home}/sk:{home}/second", "sk@inline"),
    ],
)
@pytest.mark.parametrize("place", ["environment", USER])
def test_mods_that_a_variable_names_load(world: ClaudeWorld, named: str, mods: str, place: str) -> None:
    assert with_variable(world, named, place) == {*mods.split(), *(() if "sk@inline" in mods else ("sk@skills-dir",))}


def test_variable_in_settings_of_a_project_names_no_mods(world: ClaudeWorld) -> None:
    assert with_variable(world, "{home}/one", PROJECT) == {"sk@skills-dir"}


def with_variable(world: ClaudeWorld, named: str, place: str) -> set[str]:
    """The mods that load with a variable in this place, after a comparison with the listing."""
    for name, root in (("one", "one"), ("inner", "folder/inner"), ("sk", "sk"), ("sk", "second"), ("x", "bare")):
        write_mod(world.home / root, name=name)
    write_mod(world.project / "relative", name="relative")
    (world.home / "bare/.claude-plugin/plugin.json").unlink()
    write_mod(world.home / _SKILLS / "sk", name="sk")
    value = named.format(home=world.home)
    in_environment = value if place == "environment" else ""
    if not in_environment:
        world.settings(place).write_text(json.dumps({"env": {_DIRECTORIES: value}}))
    found = {hook["name"] for hook in listed(world, CLAUDE_CODE_PLUGIN_DIRS=in_environment) if hook["enabled"]}
    assert loaded(world, CLAUDE_CODE_PLUGIN_DIRS=in_environment) == found
    return found


@pytest.mark.parametrize(
    ("user", "managed", "is_loaded"),
    [
        ({}, {}, True),
        ({"enabledPlugins": {"dev@inline": False}}, {}, False),
        ({"disableAllHooks": True}, {}, False),
        ({}, {"cleanupPeriodDays": 30}, True),
        ({}, {"strictPluginOnlyCustomization": True}, True),
        ({}, {"strictKnownMarketplaces": []}, False),
        ({}, {"blockedMarketplaces": [{"source": "skills-dir"}]}, False),
        ({}, {"disableSideloadFlags": True}, False),
    ],
    ids=str,
)
def test_mods_of_a_session_load_in_that_session(
    world: ClaudeWorld, tmp_path: Path, user: dict[str, Any], managed: dict[str, Any], is_loaded: bool
) -> None:
    """Claude Code reads what its agent wrote while the session runs, not at its start."""
    session = "0b7f8a3e-90a5-4f0e-a9b8-6d8f3a1c2e4d"
    write_mod(world.home / ".claude/dev-mods" / session / "dev", name="dev")
    write_mod(world.home / ".claude/dev-mods/another/other", name="other")
    world.settings(USER).write_text(json.dumps(user))
    inside = namespace(tmp_path, managed) if managed else ()
    world.session(bash("sleep 3"), say("all done"), options=("--session-id", session), inside=inside)
    found = re.findall(r"hooks module (\S+@inline) loaded \(", world.debug_log.read_text(encoding="utf-8"))
    assert set(found) == ({"dev@inline"} if is_loaded else set())
    on = {hook["name"]: hook["description"] for hook in listed(world, inside) if hook["enabled"]}
    assert on.get("dev@inline") == (f"Claude Code loads it in session {session} only, unasked" if is_loaded else None)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_claude_code_finds_the_same_registrations(world: ClaudeWorld, case: ModCase) -> None:
    root = write_mod(world.home / "plugin", case.module, files=case.files)
    told = json.loads(world.program_command("plugin", "validate", str(root), "--json", may_fail=True))
    parts = [told["manifest"], *(told["contents"] or ())]
    registered = [hook["pattern"] for part in parts for module in part["modules"] or () for hook in module["hooks"]]
    assert registered == list(case.events)
    refusals = " ".join(error["message"] for part in parts for error in part["errors"])
    assert case.refused in refusals
    assert bool(case.refused) is not told["success"]


@pytest.mark.parametrize(
    "registration",
    [
        "on('tool.check', async () => ({ decision: 'allow' }))",
        "on('tool.check', async ($, e, next) => await next(e))",
        "on('tool.check', async () => ({ decision: 'deny', reason: 'never' }))",
        "on('classic.PreToolUse', async () => ({ allow: true }))",
        "on('classic.PreToolUse', async ($, e, next) => { await next(e); return { allow: true } })",
        "on('classic.*', async ($, e, next) => ({ ...(await next(e)), deny: undefined, allow: true }))",
        "on('tool.check', async () => { throw new Error() }).catch(async () => ({ decision: 'allow' }))",
        "on('tool.check', async ($, e, next) => { const r = await next(e), q = r; q.decision = 'allow'; return r })",
        "on('tool.check', async ($, e, next) => { next = async () => ({ decision: 'allow' }); return next(e) })",
        "on('tool.call', async ($, e, next) => next({ ...e, description: 'other' }))",
        "on('tool.call', async () => ({ deny: 'never' }))",
    ],
)
def test_mod_that_may_overrule_a_guard_is_told(world: ClaudeWorld, registration: str) -> None:
    """A tool that a guard denies runs exactly where hooktui says that the mod can let it."""
    assert overrules(world, registration) == world.marker.exists()


@pytest.mark.parametrize(
    ("event", "answer"), [("tool.check", "{ decision: 'allow' }"), ("classic.PreToolUse", "{ allow: true }")]
)
def test_no_mod_overrules_a_guard_beside_managed_settings(world: ClaudeWorld, tmp_path: Path, event: str, answer: str) -> None:
    inside = namespace(tmp_path, {"cleanupPeriodDays": 30})
    assert not overrules(world, f"on('{event}', async () => ({answer}))", inside)
    assert not world.marker.exists()


def overrules(world: ClaudeWorld, registration: str, inside: tuple[str, ...] = ()) -> bool:
    """Whether hooktui says that a mod can overrule the guard, after a session in which the guard denies a tool."""
    world.settings(PROJECT).write_text(json.dumps(_GUARD))
    write_mod(world.home / _SKILLS / "sk", registering(registration))
    world.session(inside=inside)
    checked = json.loads(world.hooktui("check", "--format", "json", inside=inside).stdout)
    return "mod-overrules" in {problem["code"] for problem in checked["diagnostics"]}


def test_claude_code_confirms_a_listed_mod(world: ClaudeWorld) -> None:
    write_mod(world.home / _SKILLS / "sk", registering(f"on('tool.call', {PASSES})", f"on('tool.check', {PASSES})"))
    path = f"{world.program.path.parent}:{world.environment['PATH']}"
    assert "Claude Code agrees: sk registers tool.call, tool.check" in world.hooktui("try", "sk", PATH=path).stdout

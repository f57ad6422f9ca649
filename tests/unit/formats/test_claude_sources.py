"""Every source of hooks that Claude Code was seen to read, and what its settings disable (formats.md §3)."""

from __future__ import annotations

import json
import plistlib
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hooktui import hosts
from hooktui.core.model import Hook
from hooktui.formats.json_hooks import json_format

SETTINGS = ".claude/settings.json"
LOCAL = ".claude/settings.local.json"
MANAGED = "managed-settings.json"


def hooks(name: str, event: str = "PreToolUse") -> dict[str, Any]:
    """Settings with one hook, which prints its name."""
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": f"echo {name}"}]}]}}


def markdown(name: str, event: str = "PreToolUse") -> str:
    """An agent or a skill with one hook."""
    front = f"name: {name}\ndescription: A part\nhooks:\n  {event}:\n    - hooks:\n"
    return f"---\n{front}        - type: command\n          command: echo {name}\n---\nDo it.\n"


class Places:
    """A home, a project and the directory of managed settings."""

    def __init__(self, root: Path) -> None:
        self.home, self.project, self.managed = root / "home", root / "project", root / "managed"
        self.project.mkdir()
        spec = hosts.spec("claude")
        moved = {files.path: files.path.replace(_etc(), str(self.managed)) for files in spec.files if _etc() in files.path}
        self.claude = json_format.of(
            spec.replace(files=tuple(files.replace(path=moved.get(files.path, files.path)) for files in spec.files))
        )

    def write(self, path: Path, content: Any) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def user(self, name: str, content: Any) -> Path:
        return self.write(self.home / ".claude" / name, content)

    def repository(self) -> None:
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=True)

    def listed(self, directory: str = "") -> dict[str, Hook]:
        """The hooks by what they print."""
        found = self.claude.discover(str(self.project / directory)).hooks
        return {(hook.command or "").removeprefix("echo "): hook for hook in found}

    def running(self, directory: str = "") -> set[str]:
        return {name for name, hook in self.listed(directory).items() if hook.enabled}

    def install(self, name: str, *, scope: str = "user", **place: str) -> Path:
        """Install a plugin of the marketplace `market` the way that Claude's own command does."""
        root = self.home / ".claude/plugins/cache/market" / name / "1.0.0"
        self.write(root / ".claude-plugin/plugin.json", {"name": name})
        entry = {"scope": scope, "installPath": str(root), **place}
        path = self.home / ".claude/plugins/installed_plugins.json"
        known: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"version": 2, "plugins": {}}
        known["plugins"][f"{name}@market"] = [entry]
        self.write(path, known)
        return root


def _etc() -> str:
    return next(files.path for files in hosts.spec("claude").files if files.scope == "managed").removesuffix(f"/{MANAGED}")


@pytest.fixture
def places(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert own_home == tmp_path / "home"
    return Places(tmp_path)


def test_managed_settings_are_listed_and_read_only(places: Places) -> None:
    places.write(places.managed / MANAGED, hooks("managed"))
    places.write(places.managed / "managed-settings.d/10-more.json", hooks("more"))
    places.write(places.managed / "managed-settings.d/.hidden.json", hooks("hidden"))
    listed = places.listed()
    assert set(listed) == {"managed", "more"}
    assert {(hook.scope, bool(hook.read_only)) for hook in listed.values()} == {("managed", True)}


@pytest.fixture
def preferences(places: Places) -> Path:
    """The file in which macOS keeps an organization's settings."""
    path = places.managed / "com.anthropic.claudecode.plist"
    path.parent.mkdir()
    spec = places.claude.spec
    managed = next(files for files in spec.files if files.scope == "managed")
    places.claude = json_format.of(spec.replace(files=(*spec.files, managed.replace(path=str(path)))))
    return path


@pytest.mark.parametrize("form", [plistlib.FMT_XML, plistlib.FMT_BINARY], ids=["XML", "binary"])
@pytest.mark.parametrize(
    ("behaviour", "running"),
    [({}, {"preferences"}), ({"managedSourcesBehavior": "merge"}, {"preferences", "file"})],
    ids=["alone", "merged"],
)
def test_managed_preferences_of_macos_replace_files(
    places: Places, preferences: Path, form: plistlib.PlistFormat, behaviour: dict[str, Any], running: set[str]
) -> None:
    places.write(places.managed / MANAGED, hooks("file"))
    preferences.write_bytes(plistlib.dumps({**hooks("preferences"), **behaviour}, fmt=form))
    assert places.running() == running
    assert [found.source for found in places.claude.discover(str(places.project)).managed if not found.why_unread][:1] == [
        "plist"
    ]


def test_a_servers_settings_replace_managed_preferences(
    places: Places, preferences: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preferences.write_bytes(plistlib.dumps(hooks("preferences")))
    places.user("remote-settings.json", hooks("remote"))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert places.running() == {"preferences"}
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    assert places.running() == {"remote"}


def test_broken_managed_preferences_are_reported(places: Places, preferences: Path) -> None:
    preferences.write_text("<plist>")
    [problem] = places.claude.discover(str(places.project)).diagnostics
    assert (problem.code, problem.message) == ("unreadable-file", "it is not a property list")


def test_another_config_directory_replaces_the_users(places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places.user("settings.json", hooks("home"))
    places.write(tmp_path / "elsewhere/settings.json", hooks("elsewhere"))
    places.write(tmp_path / "elsewhere/skills/tidy/SKILL.md", markdown("tidy"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert places.running() == {"elsewhere", "tidy"}


def test_in_a_subdirectory_the_roots_settings_are_not_enabled(places: Places) -> None:
    places.repository()
    places.write(places.project / SETTINGS, hooks("root"))
    places.write(places.project / LOCAL, hooks("root-local"))
    places.write(places.project / "sub" / SETTINGS, hooks("sub"))
    places.write(places.project / "sub" / LOCAL, hooks("sub-local"))
    assert places.running("sub") == {"sub", "sub-local", "root-local"}
    assert places.listed("sub")["root"].why_disabled == "Claude Code does not read this file when it is started in sub"
    assert places.running() == {"root", "root-local"}


def test_in_a_worktree_the_main_checkouts_local_settings_count(places: Places) -> None:
    places.repository()
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *who, "commit", "-qm", "all", "--allow-empty"], cwd=places.project, check=True)
    subprocess.run(["git", "worktree", "add", "-q", "../other"], cwd=places.project, check=True)
    places.write(places.project / SETTINGS, hooks("main"))
    places.write(places.project / LOCAL, hooks("main-local"))
    places.write(places.project / "../other" / SETTINGS, hooks("other"))
    places.write(places.project / "../other" / LOCAL, hooks("other-local"))
    assert places.running("../other") == {"other", "other-local", "main-local"}


@pytest.mark.parametrize("name", ["user", "project", "local"])
def test_disable_all_hooks_disables_all_but_managed_ones(places: Places, name: str) -> None:
    files = {
        "user": places.home / SETTINGS,
        "project": places.project / SETTINGS,
        "local": places.project / LOCAL,
    }
    for scope, path in files.items():
        places.write(path, hooks(scope) | ({"disableAllHooks": True} if scope == name else {}))
    places.write(places.managed / MANAGED, hooks("managed"))
    places.write(places.project / ".claude/skills/tidy/SKILL.md", markdown("tidy"))
    assert places.running() == {"managed"}
    assert "disableAllHooks" in places.listed()["user"].why_disabled


def test_managed_settings_disable_managed_hooks_too(places: Places) -> None:
    places.user("settings.json", hooks("user"))
    places.write(places.managed / MANAGED, hooks("managed") | {"disableAllHooks": True})
    assert places.running() == set()


def test_managed_settings_override_disable_all_hooks(places: Places) -> None:
    places.user("settings.json", hooks("user") | {"disableAllHooks": True})
    places.write(places.managed / MANAGED, hooks("managed") | {"disableAllHooks": False})
    assert places.running() == {"user", "managed"}


def test_only_managed_settings_can_leave_only_managed_hooks(places: Places) -> None:
    places.user("settings.json", hooks("user"))
    places.write(places.project / SETTINGS, {"allowManagedHooksOnly": True})
    assert places.running() == {"user"}
    places.write(places.managed / MANAGED, hooks("managed") | {"allowManagedHooksOnly": True})
    assert places.running() == {"managed"}
    assert "allowManagedHooksOnly" in places.listed()["user"].why_disabled


def test_an_installed_plugin_runs_where_it_is_enabled(places: Places) -> None:
    root = places.install("guards")
    places.write(root / "hooks/hooks.json", hooks("plugin"))
    assert places.listed() == {}
    places.user("settings.json", {"enabledPlugins": {"guards@market": True}})
    hook = places.listed()["plugin"]
    assert (hook.scope, hook.owner, bool(hook.read_only)) == ("plugin", "plugin guards@market", True)
    places.write(places.project / LOCAL, {"enabledPlugins": {"guards@market": False}})
    assert places.listed() == {}


def test_a_plugin_that_managed_settings_enable_is_a_managed_one(places: Places) -> None:
    places.write(places.install("guards") / "hooks/hooks.json", hooks("guards"))
    places.write(places.install("own") / "hooks/hooks.json", hooks("own"))
    places.user("settings.json", {"enabledPlugins": {"own@market": True}})
    only = {"allowManagedHooksOnly": True, "enabledPlugins": {"guards@market": True}}
    places.write(places.managed / MANAGED, only)
    assert places.running() == {"guards"}


def test_a_plugins_manifest_names_more_hooks(places: Places) -> None:
    root = places.install("guards")
    places.user("settings.json", {"enabledPlugins": {"guards@market": True}})
    places.write(root / ".claude-plugin/plugin.json", {"name": "guards", "hooks": ["./more.json", "../../outside.json"]})
    places.write(root / "more.json", hooks("more"))
    places.write(root / "../../outside.json", hooks("outside"))
    places.write(root / "skills/tidy/SKILL.md", markdown("tidy"))
    places.write(root / "agents/helper.md", markdown("helper"))  # Claude ignores the hooks of a plugin's agents
    assert places.running() == {"more", "tidy"}
    assert places.listed()["tidy"].owner == "plugin guards@market, skill tidy"
    places.write(root / ".claude-plugin/plugin.json", {"name": "guards", **hooks("inline")})
    assert places.running() == {"inline", "tidy"}


def test_a_plugins_marketplace_names_more_hooks(places: Places, tmp_path: Path) -> None:
    places.install("guards")
    places.install("others")
    places.user("settings.json", {"enabledPlugins": {"guards@market": True, "others@market": True}})
    places.user("plugins/known_marketplaces.json", {"market": {"installLocation": str(tmp_path / "market")}})
    offers = [{"name": name, "source": f"./{name}", **hooks(name)} for name in ("guards", "others", "third")]
    places.write(tmp_path / "market/.claude-plugin/marketplace.json", {"name": "market", "plugins": offers})
    assert places.running() == {"guards", "others"}
    assert len({hook.id for hook in places.listed().values()}) == 2


@pytest.mark.parametrize("source", ["./guards", "./"])
def test_plugin_of_a_marketplace_on_this_machine_is_read_in_place(places: Places, tmp_path: Path, source: str) -> None:
    copy, market = places.install("guards"), tmp_path / "market"
    places.user("settings.json", {"enabledPlugins": {"guards@market": True}})
    places.write(copy / "hooks/hooks.json", hooks("copy"))
    places.write(market / source / "hooks/hooks.json", hooks("in-place"))
    places.write(market / ".claude-plugin/marketplace.json", {"plugins": [{"name": "guards", "source": source}]})
    known = {"source": {"source": "directory", "path": str(market)}, "installLocation": str(market)}
    places.user("plugins/known_marketplaces.json", {"market": known})
    assert places.running() == {"in-place"}
    places.user("plugins/known_marketplaces.json", {"market": known | {"source": {"source": "github"}}})
    assert places.running() == {"copy"}


def test_plugin_with_a_broken_manifest_is_not_loaded(places: Places) -> None:
    root = places.install("guards")
    places.user("settings.json", {"enabledPlugins": {"guards@market": True}})
    places.write(root / "hooks/hooks.json", hooks("guard"))
    assert places.running() == {"guard"}
    (root / ".claude-plugin/plugin.json").write_text('{"name": ')
    assert places.running() == set()
    assert places.listed()["guard"].why_disabled == "Claude Code does not load a plugin whose manifest it cannot read"


def test_the_variable_for_a_plugins_directory_is_known(places: Places) -> None:
    root = places.install("guards")
    places.user("settings.json", {"enabledPlugins": {"guards@market": True}})
    entry = {"type": "command", "command": '"${CLAUDE_PLUGIN_ROOT}/guard.sh"'}
    places.write(root / "hooks/hooks.json", {"hooks": {"PreToolUse": [{"hooks": [entry]}]}})
    guard = places.write(root / "guard.sh", "#!/bin/sh\n")
    (hook,) = places.listed().values()
    assert str(guard) in places.claude.discover(str(places.project)).watched
    assert hook.plugin_root == str(root)
    argv = {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/guard.sh", "args": ["${CLAUDE_PLUGIN_ROOT}"]}
    places.write(root / "hooks/hooks.json", {"hooks": {"PreToolUse": [{"hooks": [argv]}]}})
    (hook,) = places.listed().values()
    assert hook.argv == (str(guard), str(root))


def test_a_plugins_own_repository_is_listed_as_not_enabled(places: Places) -> None:
    places.write(places.project / ".claude-plugin/plugin.json", {"name": "mine"})
    places.write(places.project / "hooks/hooks.json", hooks("mine"))
    hook = places.listed()["mine"]
    assert (hook.scope, hook.owner, hook.read_only) == ("project", "plugin mine", "")
    assert hook.why_disabled == "Claude Code runs it where the plugin is installed"


def test_a_marketplaces_own_repository_lists_its_plugins(places: Places) -> None:
    offers = [
        {"name": "a", "source": "./plugins/a"},
        {"name": "b", "source": "../b"},
        {"name": "c", "source": {"source": "github"}},
    ]
    places.write(places.project / ".claude-plugin/marketplace.json", {"name": "market", "plugins": offers})
    places.write(places.project / "plugins/a/hooks/hooks.json", hooks("a"))
    places.write(places.project / "../b/hooks/hooks.json", hooks("b"))
    assert set(places.listed()) == {"a"}


@pytest.mark.parametrize(
    ("key", "values", "is_left_out"),
    [
        ("allowManagedHooksOnly", [True], True),
        ("allowManagedHooksOnly", ["yes"], True),
        ("allowManagedHooksOnly", [0], True),
        ("allowManagedHooksOnly", ["false"], False),
        ("allowManagedHooksOnly", [None], False),
        ("allowManagedHooksOnly", [True, False], False),
        ("allowManagedHooksOnly", [False, True], True),
        ("strictPluginOnlyCustomization", ["hooks"], True),
        ("strictPluginOnlyCustomization", [True, []], False),
        ("strictPluginOnlyCustomization", [["hooks"], ["skills"]], True),
    ],
)
def test_last_managed_file_decides_and_a_value_that_cannot_be_read_counts(
    places: Places, key: str, values: list[object], is_left_out: bool
) -> None:
    """As the drop-ins of the real Claude Code (2.1.332)."""
    places.user("settings.json", hooks("user"))
    for number, value in enumerate(values):
        places.write(places.managed / f"managed-settings.d/{number}.json", {key: value})
    assert places.running() == (set() if is_left_out else {"user"})


def test_claude_code_does_not_start_with_a_broken_managed_file(places: Places) -> None:
    places.write(places.managed / "managed-settings.d/a.json", "{")
    (problem,) = places.claude.discover(str(places.project)).diagnostics
    assert problem.message.startswith("Claude Code does not start: ")

"""Which plugins bring mods: installed ones, folders of skills, those that a variable names, and those of a session."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hooktui import hosts
from hooktui.formats import Parsed, merged
from hooktui.formats.json_hooks import json_format
from tests.mod_world import write_mod
from tests.unit.formats.test_mods import found, project, skill

__all__ = ["project", "skill"]

_SKILLS = ".claude/skills"


@pytest.mark.parametrize(
    ("manifest", "code"),
    [("{", "host-skips-file"), ("{}", "missing-field"), ('{"name": ""}', "missing-field"), ("[]", "not-a-mapping")],
)
def test_plugin_with_a_broken_manifest_is_listed_and_off(project: Path, skill: Path, manifest: str, code: str) -> None:
    write_mod(skill, manifest=manifest, hooks={"Stop": [{"hooks": [{"type": "command", "command": "echo"}]}]})
    whole = merged([json_format.of(hosts.spec("claude")).discover(str(project)), found(project)])
    off = "Claude Code does not load this plugin: its manifest cannot be read or has no name"
    assert [(hook.type, hook.why_disabled) for hook in whole.hooks] == [("command", off), ("mod", off)]
    assert [problem.code for problem in whole.diagnostics] == [code]


def test_folder_of_a_skill_without_a_manifest_is_no_plugin(project: Path, skill: Path) -> None:
    write_mod(skill)
    (skill / ".claude-plugin/plugin.json").unlink()
    assert found(project) == Parsed(watched=found(project).watched)


_DIRECTORIES = "CLAUDE_CODE_PLUGIN_DIRS"


def names(project: Path) -> list[str]:
    """The mods that are on."""
    return [hook.name for hook in found(project).hooks if hook.enabled]


def test_variable_names_plugins_and_folders_of_plugins(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_mod(tmp_path / "whole", name="whole")
    write_mod(tmp_path / "bare", name="x")
    (tmp_path / "bare/.claude-plugin/plugin.json").unlink()
    write_mod(tmp_path / "folder/inner", name="inner")
    write_mod(Path(os.path.expanduser("~/own")), name="own")
    write_mod(project / "relative", name="relative")
    named = (tmp_path / "whole", f" {tmp_path / 'bare'} ", tmp_path / "folder", "~/own", "relative", tmp_path / "gone")
    monkeypatch.setenv(_DIRECTORIES, ":".join(map(str, named)))
    assert names(project) == ["whole@inline", "bare@inline", "inner@inline", "own@inline"]
    assert found(project).hooks[0].description == f"Claude Code loads it because {_DIRECTORIES} names its folder"


@pytest.mark.parametrize(
    ("file", "is_read"),
    [("~/.claude/settings.json", True), (".claude/settings.json", False), (".claude/settings.local.json", False)],
)
def test_settings_of_the_user_may_set_the_variable(project: Path, tmp_path: Path, file: str, is_read: bool) -> None:
    write_mod(tmp_path / "one", name="one")
    path = Path(os.path.expanduser(file)) if file.startswith("~") else project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"env": {_DIRECTORIES: str(tmp_path / "one")}}))
    assert names(project) == (["one@inline"] if is_read else [])


def test_of_plugins_with_one_name_the_first_counts(
    project: Path, skill: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for root in (skill, tmp_path / "a", tmp_path / "b"):
        write_mod(root)
    monkeypatch.setenv(_DIRECTORIES, f"{tmp_path / 'a'}:{tmp_path / 'b'}")
    assert {hook.file: hook.why_disabled for hook in found(project).hooks} == {
        str(tmp_path / "a/hooks/m.js"): "",
        str(tmp_path / "b/hooks/m.js"): "Claude Code loads another plugin of this name",
        str(skill / "hooks/m.js"): f"the plugin of this name that {_DIRECTORIES} names is loaded instead",
    }


def test_setting_switches_plugins_of_sessions_off(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_mod(tmp_path / "one", name="one")
    write_mod(Path(os.path.expanduser("~/.claude/dev-mods/s-1/two")), name="two")
    monkeypatch.setenv(_DIRECTORIES, str(tmp_path / "one"))
    assert names(project) == ["one@inline", "two@inline"]
    switched = {"enabledPlugins": {"one@inline": False, "two@inline": False}}
    Path(os.path.expanduser("~/.claude/settings.json")).write_text(json.dumps(switched))
    assert names(project) == []


@pytest.mark.parametrize(
    ("place", "manifest", "why"),
    [
        ("versions/2.1.286", None, "Claude Code 2.1.286 does not load mods"),
        ("versions/2.1.287", None, ""),
        ("claude-code/bin/claude", ("@anthropic-ai/claude-code", "2.1.197"), "Claude Code 2.1.197 does not load mods"),
        ("claude-code/bin/claude", ("@anthropic-ai/claude-code", "2.2.0"), ""),
        ("local/claude", ("claude-local", "0.0.1"), ""),
        ("bin/claude", None, ""),
    ],
    ids=["older", "first with mods", "older package", "newer package", "another package", "unknown"],
)
def test_older_claude_code_on_path_loads_no_mods(
    project: Path,
    skill: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    manifest: tuple[str, str] | None,
    why: str,
) -> None:
    write_mod(skill)
    program = tmp_path / place
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    if manifest:
        (tmp_path / place.partition("/")[0] / "package.json").write_text(
            json.dumps(dict(zip(("name", "version"), manifest, strict=True)))
        )
    (tmp_path / "path").mkdir()
    (tmp_path / "path/claude").symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert [hook.why_disabled for hook in found(project).hooks] == [why]


def test_project_folder_counts_once_it_is_trusted(project: Path) -> None:
    write_mod(project / _SKILLS / "sk")
    assert [hook.why_disabled for hook in found(project).hooks] == [
        "Claude Code loads it once you have trusted this folder in its dialog"
    ]
    trusted = {"projects": {str(project): {"hasTrustDialogAccepted": True}}}
    Path(os.path.expanduser("~/.claude.json")).write_text(json.dumps(trusted))
    assert [hook.enabled for hook in found(project).hooks] == [True]


def test_setting_switches_a_folder_off(project: Path, skill: Path) -> None:
    write_mod(skill)
    Path(os.path.expanduser("~/.claude/settings.json")).write_text('{"enabledPlugins": {"sk@skills-dir": false}}')
    [hook] = found(project).hooks
    assert (hook.enabled, hook.why_disabled) == (False, "enabledPlugins switches the plugin off")


def test_mod_that_an_agent_wrote_belongs_to_its_session(project: Path) -> None:
    write_mod(Path(os.path.expanduser("~/.claude/dev-mods/s-1/sk")))
    [hook] = found(project).hooks
    assert (hook.name, hook.description) == ("sk@inline", "Claude Code loads it in session s-1 only, unasked")

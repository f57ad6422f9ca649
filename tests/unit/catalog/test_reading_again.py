"""catalog.load and catalog.edited: a partial reload gives the same result as a full one."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hooktui.catalog import catalog
from hooktui.catalog.catalog import Catalog
from hooktui.core import paths
from hooktui.runner import trust
from tests.command_world import wait_until
from tests.unit.formats.azure_text import agent
from tests.unit.formats.json_world import flat, grouped, write

USER, PROJECT = "home/.config/agents/hooks", "project/.agents/hooks"
SCRIPT = "#!/bin/sh\necho blocked >&2\nexit 1\n"
FILES = {
    f"{USER}/guard/HOOK.md": "---\nname: guard\ndescription: Blocks rm\ntrigger: pre-tool-call\n---\n",
    f"{USER}/guard/scripts/run": SCRIPT,
    f"{USER}/twin/HOOK.md": "---\nname: guard\ndescription: The same name\ntrigger: pre-tool-call\npriority: 7\n---\n",
    f"{USER}/twin/scripts/run.py": "#!/nowhere/python\n",
    f"{USER}/asleep/HOOK.md.off": "---\nname: asleep\ndescription: Is off\ntrigger: pre-tool-call\n---\n",
    f"{PROJECT}/guard/HOOK.md": "---\nname: guard\ndescription: The project's\ntrigger: before_tool\n---\n",
    f"{PROJECT}/guard/scripts/run.sh": SCRIPT,
    f"{PROJECT}/late/HOOK.md": "---\nname: late\ndescription: Blocks\ntrigger: post-session\nmatcher: {tool: Bash}\n---\n",
    "home/.claude/settings.json": grouped("PreToolUse", {"matcher": "bash"}, command="./check.sh"),
    "project/.claude/settings.json": grouped("Stop", command="$CLAUDE_PROJECT_DIR/check.sh", timeout=5000),
    "project/.claude/settings.local.json": '{"disableAllHooks": false}',
    "project/.github/hooks/a.json": flat(command="./check.sh", osx="./mac.sh"),
    "project/.github/hooks/b.json": flat("preToolUse", bash="./check.sh"),
    "project/check.sh": SCRIPT,
    "project/azure/agent.yaml": agent("type: command\n  command: ./check.sh"),
    "project/azure/other.yaml": agent("type: prompt\n  prompt: Is it done?"),
}
# Edits that change a hook, or add something that a rule looks for.
PIECES = (
    *("", "x", "\n", ": [", "}", '"', "exit 2", "exit 1", "# ", "(a*)*b", "guard", "late", "Stop", "PreToolUse", "preToolUse"),
    *(
        '"disableAllHooks": true,',
        '"version": 1,',
        "enabled: false\n",
        "timeout: 5\n",
        "async: true\n",
        "./check.sh",
        "./gone.sh",
    ),
)


def make_world(root: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Related hooks of every format; the path of their project."""
    monkeypatch.setenv("HOME", str(root / "home"))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, text in FILES.items():
        write(root / name, text)
        (root / name).chmod(0o755 if "scripts/" in name else 0o644)
    # Files changed just before are read again in any case.
    wait_until(lambda: not any(paths.may_change(paths.stamp(str(root / name)), time.time_ns()) for name in FILES))
    return str(root / "project")


def visible(found: Catalog) -> tuple[object, ...]:
    """Everything in a catalog that a person could see."""
    return found.hooks, found.diagnostics, dict(found.trust), found.files, found.watched


splices = st.tuples(st.sampled_from(list(FILES)), st.integers(0, 200), st.integers(0, 20), st.sampled_from(PIECES))


@settings(max_examples=12)
@given(st.lists(splices, min_size=1, max_size=4))
def test_an_edit_is_checked_as_if_it_were_saved_and_read_with_everything(edits: list[tuple[str, int, int, str]]) -> None:
    with TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as monkeypatch:
        root = Path(os.path.realpath(directory))
        last = catalog.load(make_world(root, monkeypatch))
        for name, start, length, piece in edits:
            text = (root / name).read_text()
            changed = text[:start] + piece + text[start + length :]
            edited = catalog.edited(last, {str(root / name): changed.encode()})
            (root / name).write_text(changed)
            whole = catalog.load(last.project)
            last = catalog.load(last.project, last=last)
            assert visible(edited) == visible(whole)
            assert visible(last) == visible(whole)


def _remove(root: Path) -> None:
    shutil.rmtree(root / PROJECT / "guard")


def _rename_directory(root: Path) -> None:
    (root / USER / "guard").rename(root / USER / "other")


def _switch_off(root: Path) -> None:
    (root / USER / "guard/HOOK.md").rename(root / USER / "guard/HOOK.md.off")


def _add(root: Path) -> None:
    write(root / USER / "new/HOOK.md", FILES[f"{USER}/guard/HOOK.md"])


def _replace(root: Path) -> None:
    os.replace(root / USER / "twin/HOOK.md", root / USER / "guard/HOOK.md")


def _forbid(root: Path) -> None:
    (root / PROJECT / "guard/scripts/run.sh").chmod(0o644)


def _add_entry(root: Path) -> None:
    write(root / PROJECT / "late/scripts/run", SCRIPT)


def _prefer_entry(root: Path) -> None:
    write(root / PROJECT / "guard/scripts/run", "#!/bin/sh\nexit 0\n")


def _change_named_script(root: Path) -> None:
    write(root / "project/check.sh", "#!/bin/sh\nexit 0\n")


def _remove_named_script(root: Path) -> None:
    (root / "project/check.sh").unlink()


def _add_script_for_another_system(root: Path) -> None:
    write(root / "project/mac.sh", "#!/bin/sh\n")


def _add_file_of_a_format(root: Path) -> None:
    write(root / "project/.github/hooks/c.json", flat("Stop"))


def _link_nowhere(root: Path) -> None:
    (root / "project/.claude/settings.json").unlink()
    (root / "project/.claude/settings.json").symlink_to("gone.json")


def _link_elsewhere(root: Path) -> None:
    write(root / "elsewhere/HOOK.md", FILES[f"{PROJECT}/late/HOOK.md"])
    (root / USER / "linked").symlink_to(root / "elsewhere")


def _misname(root: Path) -> None:
    (root / USER / "guard/HOOK.md").rename(root / USER / "guard/hook.md")


def _add_yaml_below(root: Path) -> None:
    write(root / "project/azure/deep/er/agent.yaml", agent("type: prompt\n  prompt: And this?"))


def _approve(root: Path) -> None:
    loaded = catalog.load(str(root / "project"))
    trust.approve(loaded.project, {hook.identity: trust.digest(hook) for hook in loaded.hooks if hook.scope != "user"})


def _switch_on(root: Path) -> None:
    write(root / "home/.config/hooktui/config.toml", '[hooks]\nenable = ["asleep"]\n')


CHANGES = (
    *(_remove, _rename_directory, _switch_off, _add, _replace, _forbid, _add_entry, _prefer_entry, _change_named_script),
    *(_remove_named_script, _add_script_for_another_system, _add_file_of_a_format, _link_nowhere, _link_elsewhere),
    *(_misname, _add_yaml_below, _approve, _switch_on),
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_changed_files_are_read_again(change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last = catalog.load(make_world(tmp_path, monkeypatch))
    change(tmp_path)
    whole = catalog.load(last.project)
    again = catalog.load(last.project, last=last)
    assert visible(again) == visible(whole)
    assert visible(again) != visible(last)
    assert visible(catalog.load(last.project, last=again)) == visible(whole)


@pytest.mark.parametrize("name", ["beside", "empty/below", "linked/behind", "scripts/run.sh"])
def test_an_approved_hook_has_changed_when_any_of_its_files_has(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, hook = make_world(tmp_path, monkeypatch), tmp_path / PROJECT / "guard"
    (hook / "empty").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (hook / "linked").symlink_to(tmp_path / "elsewhere")
    _approve(tmp_path)
    last = catalog.load(project, last=catalog.load(project))
    assert last.trust["agenthooks:project:guard"] == "trusted"
    write(hook / name, "echo other")
    assert catalog.load(project, last=last).trust["agenthooks:project:guard"] == "changed"


def test_unchanged_files_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last = catalog.load(make_world(tmp_path, monkeypatch))
    write(tmp_path / USER / "guard/HOOK.md", "---\nname: guard\ndescription: Other\ntrigger: pre-tool-call\n---\n")
    again = catalog.load(last.project, last=last)
    before = {hook.id: hook.text for hook in last.hooks}
    assert [hook.id for hook in again.hooks if hook.text is not before[hook.id]] == ["agenthooks:user:guard"]

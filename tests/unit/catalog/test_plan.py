"""The compiled index is used while nothing has changed, and never after a change."""

from __future__ import annotations

import _sre
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from hooktui.catalog import catalog, plan_writer
from hooktui.core import paths
from hooktui.runner import plan
from tests.command_world import CommandWorld, wait_until


@pytest.fixture
def world(tmp_path: Path, own_home: Path) -> Iterator[CommandWorld]:
    """Two hooks, one of them a link, a broken link, and a fresh index of them."""
    own_home.rmdir()
    world = CommandWorld(tmp_path)
    world.hook("guard", matcher={"tool": "Shell"})
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(world.home / ".config/agents/hooks/guard", elsewhere / "one")
    shutil.copytree(world.home / ".config/agents/hooks/guard", elsewhere / "two")
    (world.home / ".config/agents/hooks/linked").symlink_to(elsewhere / "one")
    (world.home / ".config/agents/hooks/dangling").symlink_to(elsewhere / "three")
    world.configure("[run]\ngate_limit = 5\n")
    compile_index(world)
    yield world
    world.end()


def compile_index(world: CommandWorld) -> None:
    """Load until the sources are old enough for the index to trust their stamps."""
    project = paths.canonical(str(world.project))

    def fresh() -> bool:
        catalog.compiled(project, ())
        return plan.load(project, ()) is not None

    wait_until(fresh)


def found(world: CommandWorld) -> plan.Compiled | None:
    return plan.load(paths.canonical(str(world.project)), ())


def guard(world: CommandWorld) -> Path:
    return world.home / ".config/agents/hooks/guard"


def edit(world: CommandWorld) -> None:
    path = guard(world) / "HOOK.md"
    path.write_text(path.read_text().replace("Shell", "Bash"))


def edit_and_set_the_clock_back(world: CommandWorld) -> None:
    path = guard(world) / "HOOK.md"
    before = path.stat()
    path.write_text(path.read_text().replace("Shell", "Shall"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace_by_rename(world: CommandWorld) -> None:
    path = guard(world) / "HOOK.md"
    draft = path.with_name("draft")
    draft.write_text(path.read_text())
    draft.replace(path)


def relink(world: CommandWorld) -> None:
    link = world.home / ".config/agents/hooks/linked"
    target = Path(os.readlink(link)).with_name("two")
    link.unlink()
    link.symlink_to(target)


def arrive(world: CommandWorld) -> None:
    link = world.home / ".config/agents/hooks/dangling"
    shutil.copytree(guard(world), os.readlink(link))


def first_project_hook(world: CommandWorld) -> None:
    world.hook("theirs", scope="project")


def add(world: CommandWorld) -> None:
    world.hook("another")


def configure(world: CommandWorld) -> None:
    world.configure("[run]\ngate_limit = 6\n")


CHANGES: dict[str, Callable[[CommandWorld], object]] = {
    "a HOOK.md is edited": edit,
    "a HOOK.md is edited and its clock set back": edit_and_set_the_clock_back,
    "a HOOK.md is replaced by a copy": replace_by_rename,
    "a HOOK.md goes": lambda world: (guard(world) / "HOOK.md").unlink(),
    "a HOOK.md is renamed": lambda world: (guard(world) / "HOOK.md").rename(guard(world) / "hook.md"),
    "a hook comes": add,
    "a hook goes": lambda world: shutil.rmtree(guard(world)),
    "a hook is renamed": lambda world: guard(world).rename(guard(world).with_name("guards")),
    "an entry loses its executable bit": lambda world: (guard(world) / "scripts/run").chmod(0o644),
    "an entry's first line changes": lambda world: (guard(world) / "scripts/run").write_text("#!/bin/bash\n"),
    "another entry comes first": lambda world: (guard(world) / "scripts/run").rename(guard(world) / "scripts/run.sh"),
    "an entry goes": lambda world: (guard(world) / "scripts/run").unlink(),
    "the scripts go": lambda world: shutil.rmtree(guard(world) / "scripts"),
    "a link leads elsewhere": relink,
    "a link that led nowhere leads to a hook": arrive,
    "the project's first hook comes": first_project_hook,
    "the configuration changes": configure,
    "the configuration goes": lambda world: (world.home / ".config/hooktui/config.toml").unlink(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_index_is_stale_when(world: CommandWorld, change: Callable[[CommandWorld], object]) -> None:
    change(world)
    assert found(world) is None


def test_an_index_holds_what_a_full_load_finds(world: CommandWorld) -> None:
    full = catalog.compiled(paths.canonical(str(world.project)), ())
    index = found(world)
    assert index
    assert index.replace(loaded=None) == full
    assert [hook.name for hook in full.hooks] == ["guard", "guard"]
    assert full.settings.gate_limit == 5


def test_an_index_of_another_home_project_or_format_is_not_used(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    project = paths.canonical(str(world.project))
    assert plan.load(str(world.home), ()) is None
    assert plan.load(project, ("claude",)) is None
    monkeypatch.setenv("XDG_CONFIG_HOME", str(world.project))
    assert plan.load(project, ()) is None


def test_an_index_of_another_config_directory_is_not_used(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    project = str(world.project)
    wait_until(lambda: catalog.compiled(project, ("claude",)) and plan.load(project, ("claude",)) is not None)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(world.home / "elsewhere"))
    assert plan.load(project, ("claude",)) is None


def test_projects_whose_index_has_the_same_name_do_not_share_it(world: CommandWorld) -> None:
    hooks = found(world)
    assert hooks
    directory = world.home / ".cache/hooktui/index"
    (known,) = directory.iterdir()
    plan_writer.store("/b", (), hooks, (), time.time_ns())
    stored = plan.load("/b", ())
    assert stored
    assert stored.hooks == hooks.hooks
    (other,) = {*directory.iterdir()} - {known}
    known.replace(other)
    assert plan.load("/b", ()) is None


def test_files_that_change_while_they_are_read_are_not_indexed(world: CommandWorld) -> None:
    project = paths.canonical(str(world.project))
    compiled = catalog.compiled(project, ())
    edit(world)
    source = guard(world) / "HOOK.md"
    shutil.rmtree(world.home / ".cache")
    plan_writer.store(project, (), compiled, [str(source)], source.stat().st_mtime_ns - 1)
    assert plan.load(project, ()) is None


def test_an_index_is_private(world: CommandWorld) -> None:
    (file,) = (world.home / ".cache/hooktui/index").iterdir()
    assert file.stat().st_mode & 0o077 == 0
    assert file.parent.stat().st_mode & 0o077 == 0


def test_an_index_for_another_regex_module_is_stale(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "_sre", SimpleNamespace(MAGIC=_sre.MAGIC + 1, CODESIZE=_sre.CODESIZE))
    assert found(world) is None


def test_an_event_loads_its_own_hooks_and_those_that_replace_one(world: CommandWorld) -> None:
    world.hook("tests", trigger="post-tool-call")
    world.hook("tests", scope="project", trigger="pre-session")
    world.hook("other", trigger="post-session")
    world.hook("broken", trigger="pre-lunch")
    compile_index(world)
    index = plan.load(paths.canonical(str(world.project)), (), "post-tool-call")
    assert index
    hooks = sorted((hook.name, hook.event, hook.scope) for hook in index.hooks)
    assert hooks == [("broken", "", "user"), ("tests", "post-tool-call", "user"), ("tests", "pre-session", "project")]


def test_stored_regexes_decide_as_new_ones_do(world: CommandWorld) -> None:
    hook = world.hook("regex", matcher={"tool": "^(?i:shell)$", "pattern": r"push\s+(-f|--force)"})
    compile_index(world)
    event = {"event_type": "pre-tool-call", "session_id": "s", "work_dir": str(world.project), "tool_name": "Shell"}
    decided = {}
    for command in ("git push --force", "git push", "push  -f"):
        report = world.run("run", "--json", stdin={**event, "tool_input": {"command": command}}).json()
        decided[command] = next(run["skip"] for run in report["hooks"] if run["file"] == str(hook / "HOOK.md"))
    assert decided == {"git push --force": None, "git push": "pattern-mismatch", "push  -f": None}

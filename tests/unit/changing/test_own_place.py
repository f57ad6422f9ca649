"""A script that finds files from where it stands still finds them after its hook is converted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hooktui import catalog
from hooktui.changing import own_place, trash
from hooktui.changing.callers import callers
from hooktui.changing.steps import CannotChange

from .test_converting import DENIES, HOOK_MD, HOSTS, add_hook_md, assert_guards, converted, errors, landed

if TYPE_CHECKING:
    from .world import World

PYTHON = """\
#!/usr/bin/env python3
import os, subprocess, sys
from pathlib import Path
done = subprocess.run(["sh", {deny}], capture_output=True, text=True)
sys.stderr.write(done.stderr)
sys.exit(done.returncode)
"""
BEYOND = {
    "a root": '#!/bin/bash\ncd "$(dirname "$0")/../../../.." || exit 1\n. .agents/hooks/_lib/deny.sh\n',
    "a neighbour": '#!/bin/sh\n. "$(dirname "$0")/../../_lib/deny.sh"\n',
    "in steps": '#!/bin/bash\nHERE=${BASH_SOURCE[0]%/*}\nROOT=$HERE/..\n. "$ROOT/../_lib/deny.sh"\n',
    "parents": PYTHON.format(deny='Path(__file__).parents[2] / "_lib/deny.sh"'),
    "dirname": PYTHON.format(deny='os.path.dirname(__file__) + "/../../_lib/deny.sh"'),
    "another language": '#!/usr/bin/perl\nuse FindBin;\nexec "sh", "$FindBin::Bin/../../_lib/deny.sh";\n',
}
WITHIN = {
    "alone": '#!/bin/sh\ncd "$(dirname "$0")/../scripts" || exit 1\n' + DENIES,
    "beside": '#!/bin/bash\n. "${BASH_SOURCE[0]%/*}/lib/deny.sh"\n',
    "above": '#!/bin/sh\nHERE=$(cd "$(dirname "$0")" && pwd)\n. "$HERE/../deny.sh"\n',
    "python": PYTHON.format(deny='Path(__file__).resolve().parent.parent / "deny.sh"'),
}


@pytest.mark.parametrize("host", HOSTS[1:])
@pytest.mark.parametrize("script", BEYOND.values(), ids=BEYOND)
def test_a_script_that_finds_files_beyond_its_directory_is_called_where_it_stands(world: World, script: str, host: str) -> None:
    hook = add_hook_md(world, {"scripts/run": script, "../_lib/deny.sh": DENIES})
    plan = converted(world, hook, host)
    made = landed(world, plan)
    assert_guards(world, made)
    assert errors(world, made.file) == []
    stays = "its script stays at ~/shop/.agents/hooks/guard/scripts/run: it finds files from there"
    (row,) = [row for row in plan.rows if row.field == "command"]
    assert (row.fate, row.says) == ("approximated", f"{stays}, do not delete the original")
    assert [one.hook.id for one in callers(hook, catalog.load(world.project).hooks)] == [made.id]


def test_without_a_pattern_its_command_is_all_that_is_written(world: World) -> None:
    plain = HOOK_MD.replace("  pattern: 'push.*--force'\n", "")
    hook = add_hook_md(world, {"HOOK.md": plain, "scripts/run": BEYOND["a neighbour"], "../_lib/deny.sh": DENIES})
    plan = converted(world, hook, "claude")
    assert landed(world, plan).command == '"$CLAUDE_PROJECT_DIR"/.agents/hooks/guard/scripts/run'
    assert not os.path.exists(world.path(".claude/hooks"))


def test_no_copy_is_written_where_the_script_stood_that_it_calls(world: World) -> None:
    hook = add_hook_md(world, {"scripts/run": BEYOND["a neighbour"], "../_lib/deny.sh": DENIES})
    made = landed(world, converted(world, hook, "claude"))
    world.do(trash.delete(hook, world.project))
    with pytest.raises(CannotChange, match="guard/scripts/run, where the copy would stand: bring that back first"):
        converted(world, made, "agenthooks")


@pytest.mark.parametrize("host", HOSTS[1:])
@pytest.mark.parametrize("script", WITHIN.values(), ids=WITHIN)
def test_a_script_that_finds_only_what_goes_with_it_needs_nothing_of_the_original(world: World, script: str, host: str) -> None:
    beside = {} if script == WITHIN["alone"] else {"scripts/lib/deny.sh": DENIES, "deny.sh": DENIES}
    hook = add_hook_md(world, {"scripts/run": script, **beside})
    made = landed(world, converted(world, hook, host))
    assert callers(hook, catalog.load(world.project).hooks) == []
    world.do(trash.delete(hook, world.project))
    assert_guards(world, made)


def test_a_file_beside_it_may_be_what_leaves_the_directory(world: World) -> None:
    root = 'cd "$(dirname "$0")/../../../.." || exit 1\n. .agents/hooks/_lib/deny.sh\n'
    scripts = {"scripts/run.sh": '#!/bin/sh\nexec sh "$(dirname "$0")/lib.sh"\n', "scripts/lib.sh": root}
    hook = add_hook_md(world, {**scripts, "../_lib/deny.sh": DENIES})
    assert_guards(world, landed(world, converted(world, hook, "claude")))


@pytest.mark.parametrize(
    "text", ["awk '{ print $0 }'", 'echo "usage: $0 x"', 'echo "$(basename "$0"): no"', "# cd $(dirname $0)", "ls ../.."]
)
def test_what_only_looks_like_its_own_place_is_none(text: str) -> None:
    assert not own_place.refers(text)
    assert not own_place.leaves(text, 0)

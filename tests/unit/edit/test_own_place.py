"""A script that finds files from where it stands still finds them after its hook is converted."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from hooktui.catalog import catalog
from hooktui.edit import own_place, trash
from hooktui.edit.copy_plan import copy, move
from hooktui.edit.copy_targets import targets
from hooktui.edit.file_steps import CannotChange
from hooktui.edit.script_callers import callers
from hooktui.security import trust

from .test_converting import (
    DENIES,
    FORCE,
    HOOK_MD,
    HOSTS,
    SHELL,
    add_entry,
    add_hook_md,
    assert_guards,
    converted,
    decided,
    errors,
    landed,
)
from .world import FILES

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
    "its own directory by name": "#!/bin/sh\nsh .agents/hooks/guard/../_lib/deny.sh\n",
    "another language": '#!/usr/bin/perl\nuse FindBin;\nexec "sh", "$FindBin::Bin/../../_lib/deny.sh";\n',
}
UNCOUNTED = {
    "a loop": "root = Path(__file__)\nfor _ in range(5): root = root.parent\n",
    "a loop in the shell": 'd=$(dirname "$0")\nwhile [ ! -d "$d/.git" ]; do d=$(dirname "$d"); done\n',
    "a text": 'open(__file__.split("guard")[0] + "_lib/deny.sh")\n',
    "another name": "up = os.path.dirname\nopen(up(up(up(__file__))) + '/_lib/deny.sh')\n",
    "the path of modules": "sys.path.append(sys.path[0] + '/../../_lib')\n",
    "what was started": "require(path.dirname(process.argv[1]) + '/../../_lib/deny')\n",
    "a line of a program": f"{'x=1;' * 300}require(__dirname)\n",
}
WITHIN = {
    "alone": '#!/bin/sh\ncd "$(dirname "$0")/../scripts" || exit 1\n' + DENIES,
    "beside": '#!/bin/bash\n. "${BASH_SOURCE[0]%/*}/lib/deny.sh"\n',
    "above": '#!/bin/sh\nHERE=$(cd "$(dirname "$0")" && pwd)\n. "$HERE/../deny.sh"\n',
    "python": PYTHON.format(deny='Path(__file__).resolve().parent.parent / "deny.sh"'),
}


@pytest.mark.parametrize("script", UNCOUNTED.values(), ids=UNCOUNTED)
def test_a_way_up_that_cannot_be_counted_is_taken_to_lead_out(script: str) -> None:
    assert own_place.leaves(script, depth=1)


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


def test_a_script_that_reads_its_hook_md_is_called_where_it_stands(world: World) -> None:
    reads = '#!/bin/sh\ngrep -q "^name: guard" "$(dirname "$0")/../HOOK.md" || exit 1\n' + DENIES
    made = landed(world, converted(world, hook := add_hook_md(world, {"scripts/run": reads}), "claude"))
    assert_guards(world, made)
    assert callers(hook, catalog.load(world.project).hooks)


@pytest.mark.parametrize("whole", [False, True])
def test_a_link_that_leads_out_keeps_a_script_where_it_stands(world: World, whole: bool) -> None:
    library = '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n'
    hook = add_hook_md(world, {"scripts/run": library, "../_lib/deny.sh": DENIES, "deny.sh": DENIES})
    os.symlink(world.path(".agents/hooks/guard/deny.sh") if whole else "../../_lib/deny.sh", f"{hook.root}/scripts/lib.sh")
    for host in HOSTS[1:]:
        assert_guards(world, landed(world, plan := converted(world, hook, host)))
        assert [row.fate for row in plan.rows if row.field == "command"] == ["approximated"]


def test_a_linked_script_that_looks_around_itself_stays(world: World) -> None:
    world.write(script := world.path("tools/bin/guard.sh"), b'#!/bin/sh\n. "$(dirname "$(readlink -f "$0")")/../deny.sh"\n')
    os.chmod(script, 0o755)
    world.write(world.path("tools/deny.sh"), DENIES.encode())
    add_hook_md(world, {})
    os.makedirs(world.path(".agents/hooks/guard/scripts"))
    os.symlink("../../../../tools/bin/guard.sh", world.path(".agents/hooks/guard/scripts/run.sh"))
    for host in HOSTS[1:]:
        assert_guards(world, landed(world, converted(world, world.hook("agenthooks"), host)))


@pytest.mark.parametrize("host", HOSTS[1:])
def test_a_script_that_finds_files_is_called_by_its_whole_path_as_before(world: World, host: str) -> None:
    cuts = '#!/bin/bash\n. "${BASH_SOURCE%/*/*/*/*/*}/shop.sh" && cd / && . "$(dirname "$0")/deny.sh"\n'
    hook = add_hook_md(world, {"scripts/run": cuts, "scripts/deny.sh": DENIES, "../../../shop.sh": ""})
    assert_guards(world, landed(world, converted(world, hook, host)))


@pytest.mark.parametrize("script", BEYOND.values(), ids=BEYOND)
def test_a_directory_that_goes_to_another_scope_has_lost_what_is_beyond_it(world: World, script: str) -> None:
    hook = add_hook_md(world, {"scripts/run": script})
    where = next(one for one in targets(hook, world.project) if (one.format, one.scope) == ("agenthooks", "user"))
    for plan in (copy(hook, where), move(hook, where)):
        assert [row.fate for row in plan.rows if row.field == "command"] == ["lost"]
    inside = copy(add_hook_md(world, {"scripts/run": WITHIN["above"]}), where)
    assert [row.fate for row in inside.rows if row.field == "command"] == ["kept"]


@pytest.mark.parametrize("host", ["agenthooks", "claude"])
@pytest.mark.parametrize("source", ["vscode", "azure"])
def test_what_a_command_finds_in_the_root_it_finds_wherever_the_agent_is(world: World, source: str, host: str) -> None:
    world.write(world.path("deny.txt"), b"push.*--force\n")
    os.makedirs(below := world.path("a dir/below"))
    hook = add_entry(world, source, "grep -q -e \"$(cat deny.txt)\" && { echo 'no force' >&2; exit 2; }; exit 0")
    made = landed(world, converted(world, hook, host))
    assert decided(world, made, SHELL[host], FORCE, below) == ("deny", "no force")
    assert decided(world, made, SHELL[host], {"command": "ls"}, below)[0] == "none"


def test_a_script_of_azure_that_leaves_the_root_is_told_to(world: World) -> None:
    script = {"eventType": "PreToolUse", "hook": {"type": "command", "matcher": "*", "script": "#!/bin/bash\ncat deny.txt\n"}}
    document = {"kind": "GlobalHook", "metadata": {"name": "g"}, "spec": script}
    world.write(world.path(FILES["azure"]), json.dumps(document).encode())
    fates = {}
    for host in HOSTS[:-1]:
        rows = converted(world, world.hook("azure"), host).rows
        fates[host] = [row.fate for row in rows if row.field == "directory"]
    assert fates == {"agenthooks": ["approximated"], "claude": ["approximated"], "vscode": [], "copilot": []}


def test_approval_covers_the_script_that_stands_behind_a_guard(world: World) -> None:
    scripts = {"scripts/run": "#!/usr/bin/perl\nexit 2;\n"}
    made = landed(world, converted(world, add_hook_md(world, scripts), "claude"))
    assert "guard.sh" in (made.command or "")
    world.approve_all()
    world.write(world.path(".claude/hooks/guard/scripts/run"), b"#!/usr/bin/perl\nexit 0;\n")
    (found,) = world.hooks("claude")
    assert trust.state(found, trust.approvals(world.project)) == "changed"

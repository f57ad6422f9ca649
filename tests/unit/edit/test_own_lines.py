"""A script that looks for its host's tools looks for those of the new one, or its plan says that it does not."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hooktui.edit import matcher_shim, own_lines, script_templates
from hooktui.edit.drafts import Draft
from hooktui.edit.new_hook_places import Place

from .test_converting import FORCE, HOSTS, SCRIPTS, SHELL, add_entry, add_hook_md, assert_guards, converted, decided, landed

if TYPE_CHECKING:
    from hooktui.edit.drafts import Language

    from .world import World


@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
def test_a_hook_md_that_went_to_vs_code_guards_again_in_every_format(world: World, scripts: dict[str, str]) -> None:
    there = landed(world, converted(world, add_hook_md(world, scripts), "vscode"))
    for host in ("claude", "copilot", "azure"):
        plan = converted(world, there, host)
        assert_guards(world, landed(world, plan))
        assert ("tools", "approximated") in {(row.field, row.fate) for row in plan.rows}
        assert ("tools", "lost") not in {(row.field, row.fate) for row in plan.rows}


@pytest.mark.parametrize("scripts", SCRIPTS.values(), ids=SCRIPTS)
@pytest.mark.parametrize("between", ["claude", "copilot", "azure"])
def test_what_one_host_looks_for_and_another_does_not_is_looked_for_as_well(
    world: World, scripts: dict[str, str], between: str
) -> None:
    there = landed(world, converted(world, add_hook_md(world, scripts), between))
    assert_guards(world, landed(world, converted(world, there, "vscode")))


@pytest.mark.parametrize("host", [host for host in HOSTS if host != "vscode"])
def test_a_script_that_looks_for_a_tool_in_its_own_way_is_told_to_be_lost(world: World, host: str) -> None:
    hook = add_entry(world, "vscode", "grep -q run_in_terminal && { echo no >&2; exit 2; } || exit 0")
    assert decided(world, hook, SHELL["vscode"], FORCE)[0] == "deny"
    row = next(row for row in converted(world, hook, host).rows if row.field == "tools")
    assert row.fate == "lost"
    assert row.says.startswith(f"its script looks for run_in_terminal, which is {SHELL[host]} in ")


@pytest.mark.parametrize("language", ["sh", "py"])
def test_what_is_written_is_found_again(language: Language) -> None:
    place = Place("vscode", "project", "/shop", "/shop/.github/hooks/guard.json")
    new = script_templates.script(Draft(place, "guard", "pre-tool-call", "run_in_terminal", "a'b", language))
    first = matcher_shim.begun("", language, matcher_shim.Sought("run_in_terminal", "a'b"), "vscode")
    for text in (new, first):
        assert list(own_lines.tools(text)) == ["run_in_terminal"]
        assert list(own_lines.tools(own_lines.renamed(text, "vscode", "claude"))) == ["^(?:Bash)$"]


@pytest.mark.parametrize(
    "script",
    [
        "\ufeffimport sys\n",
        "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nimport sys\n",
        '"""A\x0cform\x1cfeed"""\nfrom __future__ import annotations\nimport sys\n',
        'import sys\r\nx = """\u2028"""\r\n',
    ],
)
def test_lines_are_put_where_a_python_script_still_works(script: str) -> None:
    text = matcher_shim.begun(f"{script}sys.stdin.read()\nsys.exit(2)\n", "py", matcher_shim.Sought("Bash", None), "vscode")
    for tool, code in (("Bash", 2), ("Read", 0)):
        done = subprocess.run([sys.executable, "-c", text], input=f'{{"tool_name": "{tool}"}}', text=True, check=False)
        assert done.returncode == code

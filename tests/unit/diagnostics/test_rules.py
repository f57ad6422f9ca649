"""Rules beyond parsing, for HOOK.md (contract.md, "check"; formats.md §3, last table)."""

from __future__ import annotations

import json

import pytest

from hooktui.catalog import catalog
from hooktui.core.model import Diagnostic
from hooktui.diagnostics.codes import CODES
from hooktui.runner import trust
from hooktui.scripts import hooktui_commands
from tests.unit.formats.agenthooks_world import World, changed, place_of, unmarked
from tests.unit.formats.json_world import write


def check(world: World, code: str) -> list[Diagnostic]:
    return [found for found in catalog.load(str(world.project)).diagnostics if found.code == code]


def one(world: World, code: str) -> Diagnostic:
    (found,) = check(world, code)
    assert found.severity == CODES[code].severity
    return found


def approve(world: World) -> None:
    loaded = catalog.load(str(world.project))
    trust.approve(loaded.project, {hook.identity: trust.digest(hook) for hook in loaded.hooks if hook.scope != "user"})


def script(world: World, text: str, name: str = "guard", **fields: str) -> None:
    """A user's hook with this script, without its «» marks."""
    world.hook(name, changed(name=name, **fields), scope="user", script=unmarked(text)[0] if "«" in text else text)


def test_project_hook_without_approval_is_untrusted(world: World) -> None:
    text, place = unmarked(changed(trigger="«pre-tool-call»"))
    world.hook(text=text)
    found = one(world, "untrusted")
    assert (place_of(found), found.hook) == (place, "agenthooks:project:guard")


def test_a_users_own_hook_needs_no_approval(world: World) -> None:
    world.hook(scope="user")
    assert check(world, "untrusted") == []


def test_changed_project_hook_is_reported(world: World) -> None:
    directory = world.hook()
    approve(world)
    assert catalog.load(str(world.project)).diagnostics == ()
    (directory / "beside.txt").write_text("new")
    assert one(world, "changed-since-trusted").hook == "agenthooks:project:guard"
    assert check(world, "untrusted") == []


def test_project_hook_that_overrides_a_user_hook_is_reported_at_its_name(world: World) -> None:
    text, place = unmarked(changed(name="«guard»"))
    world.hook(scope="user")
    world.hook(text=text)
    found = one(world, "overrides-user-hook")
    assert (place_of(found), found.hook) == (place, "agenthooks:project:guard")
    assert "would replace, once approved," in found.message
    approve(world)
    assert "replaces the user's hook" in one(world, "overrides-user-hook").message


def test_a_project_hook_that_cannot_run_overrides_nothing(world: World) -> None:
    world.hook(scope="user")
    world.hook(entry=None)
    assert check(world, "overrides-user-hook") == []


def test_same_name_in_one_scope_is_reported_at_the_later_hook(world: World) -> None:
    text, place = unmarked(changed(name="«same»"))
    world.hook("a", text)
    world.hook("b", text)
    found = one(world, "duplicate-hook")
    assert (found.file.split("/")[-2], place_of(found)) == ("b", place)


def test_same_name_in_two_scopes_is_not_a_duplicate(world: World) -> None:
    world.hook()
    world.hook(scope="user")
    assert check(world, "duplicate-hook") == []


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ('#!/bin/sh\necho "Blocked: rm" >&2\n«exit 1»\n', "d"),
        ('#!/bin/sh\nif grep -q rm; then echo "not allowed" >&2; «exit 1»; fi\n', "d"),
        ("#!/bin/sh\ngrep -q rm && «exit 1»\nexit 0\n", "Blocks rm"),
        ('#!/usr/bin/env python3\nimport sys\nprint("denied", file=sys.stderr)\n«sys.exit(1)»\n', "d"),
        ('#!/usr/bin/env python3\nprint("forbidden")\nraise «SystemExit(1)»\n', "d"),
    ],
)
def test_exit_1_used_as_a_block_is_weak(text: str, description: str, world: World) -> None:
    _, place = unmarked(text)
    script(world, text, description=description)
    found = one(world, "weak-exit")
    assert (place_of(found), found.file.endswith("/scripts/run")) == (place, True)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("#!/bin/sh\nexit 1\n", {}),
        ('#!/bin/sh\ncommand -v jq || { echo "jq is missing" >&2; exit 1; }\n', {}),
        ('#!/bin/sh\ncommand -v jq || exit 1\necho "Blocked" >&2\nexit 2\n', {"description": "Blocks rm"}),
        ('#!/bin/sh\necho "Blocked" >&2\nexit 1\n', {"async_": "true"}),
        ('#!/bin/sh\necho "Blocked" >&2\nexit 10\n', {}),
        ("#!/bin/sh\n# exit 1 would not have it blocked\nexit 0\n", {"description": "Blocks rm"}),
        ('#!/bin/sh\necho \'{"decision": "deny"}\' || exit 1\n', {"description": "Blocks rm"}),
    ],
)
def test_exit_1_for_a_failure_is_not_reported(text: str, fields: dict[str, str], world: World) -> None:
    script(world, text, **fields)
    assert check(world, "weak-exit") == []


@pytest.mark.parametrize(
    "text",
    [
        '#!/bin/sh\nprettier --write "«$TOOL_INPUT_FILE_PATH»"\n',
        "#!/bin/sh\ncd «${CLAUDE_PROJECT_DIR}»/x\n",
        '#!/usr/bin/env python3\nimport os\npath = os.«environ["CLAUDE_PROJECT_DIR"]»\n',
    ],
)
def test_a_variable_that_no_host_of_the_hook_sets_is_undefined(text: str, world: World) -> None:
    _, place = unmarked(text)
    script(world, text)
    assert place_of(one(world, "undefined-variable")) == place


@pytest.mark.parametrize(
    "text",
    [
        '#!/bin/sh\ncd "${CLAUDE_PROJECT_DIR:-.}"\n',
        "#!/bin/sh\nCLAUDE_PROJECT_DIR=$(pwd)\ncd $CLAUDE_PROJECT_DIR\n",
        "#!/bin/sh\n# not $CLAUDE_PROJECT_DIR\n",
        "#!/bin/sh\necho $CLAUDE_PROJECT_DIRECTORY $HOME\n",
    ],
)
def test_variable_with_a_value_or_default_is_not_reported(text: str, world: World) -> None:
    script(world, text)
    assert check(world, "undefined-variable") == []


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/sh\ncat | jq -r «.sessionId»\n",
        "#!/bin/sh\nSESSION=$(echo \"$INPUT\" | jq -r '«.sessionId»')\n",
        "#!/bin/sh\njq '{a: «.toolName»}'\n",
        '#!/usr/bin/env python3\nimport json, sys\nprint(json.load(sys.stdin)«["hookEventName"»])\n',
        '#!/usr/bin/env python3\nimport json, sys\nprint(json.load(sys.stdin).«get("tool_response"», ""))\n',
    ],
)
def test_a_field_that_only_other_hosts_events_have_is_undefined(text: str, world: World) -> None:
    _, place = unmarked(text)
    script(world, text)
    assert place_of(one(world, "undefined-field")) == place


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/sh\njq -r .session_id\n",
        "#!/bin/sh\njq -r '.session_id // .sessionId'\n",
        "#!/bin/sh\njq -r .tool_input.sessionId\n",
        "#!/bin/sh\ngrep sessionId\n",
        "#!/bin/sh\n# jq .sessionId\n",
    ],
)
def test_field_that_may_exist_is_not_reported(text: str, world: World) -> None:
    script(world, text)
    assert check(world, "undefined-field") == []


def test_binary_huge_and_missing_scripts_are_skipped(world: World) -> None:
    world.hook("binary", scope="user", script=b"\x7fELF\0exit 1 blocked")
    world.hook("huge", scope="user", script="#!/bin/sh\n# blocked\nexit 1\n" + "#" * 70_000)
    world.hook("none", scope="user", entry=None)
    assert {found.code for found in catalog.load(str(world.project)).diagnostics} == {"missing-entry"}


def test_unapproved_hook_that_its_host_runs_is_reported_only_where_hooktui_runs_it(world: World) -> None:
    text, place = unmarked('{"hooks": {"Stop": [{"hooks": [«{"type": "command", "command": "make"}»]}]}}')
    write(world.project / ".claude/settings.json", text)
    assert check(world, "untrusted") == check(world, "not-covered") == []
    write(world.home / ".config/hooktui/config.toml", '[run]\nformats = ["claude"]\n')
    assert [place_of(found) for found in (*check(world, "untrusted"), *check(world, "not-covered"))] == [place, place]


def test_hook_that_cannot_run_is_not_reported_as_unapproved(world: World) -> None:
    world.hook(entry=None)
    assert check(world, "untrusted") == []


def connected(world: World, host: str) -> None:
    """Connect a host of the project."""
    text = json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": hooktui_commands.run(host)}]}]}})
    write(world.project / ".claude/settings.json", text)


def test_matcher_with_foreign_tool_names_is_reported_for_a_connected_host(world: World) -> None:
    text, place = unmarked(changed(matcher="{tool: «'Shell'»}"))
    world.hook(text=text)
    assert check(world, "matches-nothing") == []
    connected(world, "claude")
    found = one(world, "matches-nothing")
    assert (place_of(found), found.hosts, found.hint) == (place, ("claude",), "also match its own names for them: Bash")
    assert found.fix
    assert (found.fix.text, found.fix.is_guess) == ("'Shell|Bash'", True)


def test_matcher_with_tools_of_the_connected_host_is_not_reported(world: World) -> None:
    world.hook(text=changed(matcher="{tool: 'Shell|Bash'}"))
    connected(world, "claude")
    assert check(world, "matches-nothing") == []

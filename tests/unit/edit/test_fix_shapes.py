"""What stands in another shape, or in another spelling, than its reader wants: mended by all fixes together, whole."""

from __future__ import annotations

import pytest

from hooktui.catalog import catalog
from tests.unit.edit.test_fix_slips import COMMAND, FILES, HOOK_MD, JSON, World, world

__all__ = ["world"]

GOOD = f'{{"hooks": [{{{COMMAND}}}]}}'
NESTED = '{"matcher": "MATCHER", "hooks": [{' + COMMAND + "}]}"
WHOLE = JSON.format(GOOD)


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ('{"matcher": "Edit|Write", ' + COMMAND + "}", NESTED.replace("MATCHER", "Edit|Write")),
        ("{" + COMMAND + ', "matcher": "Edit"}', NESTED.replace("MATCHER", "Edit")),
        ('{"type": "command", "matcher": "Edit", "command": "true"}', NESTED.replace("MATCHER", "Edit")),
        ('{"matcher": "Edit", "command": "true"}', NESTED.replace("MATCHER", "Edit")),
        ('{"matcher": {"tools": ["Write", "Edit"]}, "hooks": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "Write|Edit")),
        ('{"matcher": {"tool_name": "Write"}, "hooks": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "Write")),
        ('{"matcher": ["Write", "Edit"], "hooks": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "Write|Edit")),
        ('{"matcher": {}, "hooks": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "*")),
        ('{"matchers": "Write", "hooks": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "Write")),
        ('{"matcher": "Write", "hook": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "Write")),
        ('{"matcher": "Write", "hooks": ["true"]}', NESTED.replace("MATCHER", "Write")),
        ('{"matcher": "Write", "hooks": "true"}', NESTED.replace("MATCHER", "Write")),
        ('"true"', GOOD),
        ('{"hooks": [{"type": "command", "command": ["true"]}]}', GOOD),
        ('{"hooks": [{"type": "command", "command": "true", "type": "command"}]}', GOOD),
        ('{"hooks": [{"type": "command", "command": ["echo", "it\'s"]}]}',
         GOOD.replace('"true"', r'''"echo 'it'\"'\"'s'"''')),
    ],
)  # fmt: skip
def test_an_entry_comes_into_the_shape_that_claude_reads(world: World, slip: str, meant: str) -> None:
    file = world.write(FILES[JSON], JSON.format(slip))
    world.mend()
    assert file.read_text() == JSON.format(meant)
    left = {one.code for one in catalog.load(str(world.project)).diagnostics}
    assert left <= {"host-ignores-matcher", "untrusted"}


@pytest.mark.parametrize(
    "text",
    [
        f'{{"PreToolUse": [{GOOD}]}}',
        f'{{"hook": {{"PreToolUse": [{GOOD}]}}}}',
        WHOLE.replace('"', "'"),
        WHOLE.replace('"', "“", 1).replace('"', "”", 1),
        WHOLE.replace('"hooks"', "hooks"),
        WHOLE.replace('"true"', "'true'"),
        WHOLE.rstrip("}]"),
        f"{WHOLE}}}}}",
        WHOLE.replace("}]}", "},]}", 1),
        WHOLE.replace('"type": "command",', '"type": "command",,'),
        WHOLE.replace('"type": "command",', '"type"= "command";'),
        WHOLE.replace('"type": "command",', '"type": command,'),
    ],
)
def test_json_is_mended_until_it_says_what_it_meant(world: World, text: str) -> None:
    file = world.write(FILES[JSON], text)
    world.mend()
    assert file.read_text() == WHOLE


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("timeout:5000", "timeout: 5000"),
        ("matcher:\n\ttool: Shell", "matcher:\n  tool: Shell"),
        ("matcher: Shell|Write", "matcher: {tool: Shell|Write}"),
        ("matcher:\n  tool: [Shell, Write]", "matcher:\n  tool: Shell|Write"),
        ("matcher:\n  pattern: 'rm", "matcher:\n  pattern: 'rm'"),
        ('matcher:\n  pattern: "say "hi""', "matcher:\n  pattern: 'say \"hi\"'"),
        ("trigger: pre-tool-call\ntimeout: 5000", "timeout: 5000"),
        ("timeout: 5000\ntimeout: 5000", "timeout: 5000"),
    ],
)
def test_yaml_is_mended_until_it_says_what_it_meant(world: World, slip: str, meant: str) -> None:
    file = world.write(FILES[HOOK_MD], HOOK_MD.format(slip))
    world.write(".agents/hooks/guard/scripts/run", "#!/bin/sh\n")
    world.mend()
    assert file.read_text() == HOOK_MD.format(meant)


def test_a_frontmatter_that_lacks_its_first_line_gets_it(world: World) -> None:
    file = world.write(FILES[HOOK_MD], HOOK_MD.format("timeout: 5000").removeprefix("---\n"))
    world.mend()
    assert file.read_text() == HOOK_MD.format("timeout: 5000")


@pytest.mark.parametrize("trigger", ["PreToolUse,PostToolUse", "PreToolUse|Stop", "pre-tool-call and stop"])
def test_of_several_events_none_is_chosen(world: World, trigger: str) -> None:
    file = world.write(FILES[HOOK_MD], text := HOOK_MD.format("").replace("pre-tool-call", trigger))
    world.mend()
    assert file.read_text() == text

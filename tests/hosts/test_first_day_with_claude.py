"""A person with hooks of their own connects hooktui, works, loses its Python, repairs it and disconnects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command_world import wait_until
from tests.conformance.seen_in_claude import LOCAL
from tests.hosts import claude_plugins
from tests.hosts.claude_code import IN_BOTH_VERSIONS, ClaudeWorld
from tests.hosts.hook_scripts import DENIES, REASON
from tests.hosts.own_python import OwnPython
from tests.hosts.scripted_model import bash, say, use

_WORK = (use("Skill", skill="tidy"), bash("echo fine > fine.txt"), bash("echo original >> ran.txt"), say("all done"))


@IN_BOTH_VERSIONS
def test_first_day(world: ClaudeWorld, tmp_path: Path) -> None:
    _own_hooks(world)
    before = world.settings(LOCAL).read_bytes()
    python = OwnPython(world, tmp_path / "venv")
    assert _labels(world) == {"guard.sh", "note.sh", "plugin.sh", "tidy.sh"}

    python.run("connect", "claude", "--observe", "--yes")
    assert REASON in world.session(*_WORK).heard
    assert (world.project / "fine.txt").exists()
    assert not world.marker.exists()
    wait_until(lambda: len(world.decisions("hook:guard.sh")) == 2)
    shell = [report for report in world.decisions("event:pre-tool-call") if report["tool_name"] == "Bash"]
    assert [report["decision"] for report in shell] == ["none", "deny"]
    (denial,) = world.decisions("decision:deny")
    assert [hook["label"] for hook in denial["hooks"] if hook["decision"] == "deny"] == ["guard.sh"]

    python.vanish()
    world.session(*_WORK)
    assert not world.marker.exists(), "the person's own guard decides without us"
    assert any("hooktui" in message for message in world.shown())
    assert world.run("doctor", code=1).stdout

    world.run("connect", "claude", "--observe", "--yes")
    world.session(*_WORK)
    wait_until(lambda: len(world.decisions("decision:deny")) == 2)

    world.run("disconnect", "claude", "--yes")
    assert world.settings(LOCAL).read_bytes() == before
    count = len(world.decisions())
    world.session(*_WORK)
    assert not world.marker.exists()
    assert len(world.decisions()) == count


def _own_hooks(world: ClaudeWorld) -> None:
    """A guard and a note in the local settings, a plugin and a skill."""
    for name, text in {
        "guard.sh": "#!/bin/sh\ngrep -q ran.txt || exit 0\n" + DENIES.removeprefix("#!/bin/sh\ncat > /dev/null\n"),
        "note.sh": "#!/bin/sh\n",
        "plugin.sh": "#!/bin/sh\n",
        "tidy.sh": "#!/bin/sh\n",
    }.items():
        path = world.project / "tools" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    own = {"PreToolUse": [_group("guard.sh", "Bash")], "PostToolUse": [_group("note.sh", "Bash")]}
    world.settings(LOCAL).write_text(json.dumps({"hooks": own}, indent=2))
    claude_plugins.install(world, {"hooks": {"Stop": [_group("plugin.sh")]}})
    front = {"name": "tidy", "description": "Tidies", "hooks": {"PreToolUse": [_group("tidy.sh", "Bash")]}}
    lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in front.items())
    world.settings(".claude/skills/tidy/SKILL.md").write_text(f"---\n{lines}---\nTidy up.\n")


def _group(name: str, matcher: str = "*") -> dict[str, Any]:
    entry = {"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/tools/{name}'}
    return {"matcher": matcher, "hooks": [entry]}


def _labels(world: ClaudeWorld) -> set[str]:
    return {hook["label"] for hook in world.run("list", "--json").json()}

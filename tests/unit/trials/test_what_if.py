"""What today's hooks would do on logged events: which match, and what they decide together."""

from __future__ import annotations

import json

from hooktui.catalog import catalog
from hooktui.trials import what_if
from tests.command_world import CommandWorld
from tests.log_world import LogWorld

NO_PUSH = '#!/bin/sh\nif grep -q "git push"; then exit 2; fi\n'


def log_of(world: CommandWorld) -> LogWorld:
    world.db.parent.mkdir(parents=True, exist_ok=True)
    return LogWorld(str(world.db))


def called(log: LogWorld, command: str, *, host: str = "claude", project: str = "") -> int:
    payload = {"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Bash", "tool_input": {"command": command}}
    return log.add(tool="Bash", payload=payload, host=host, project=project)


async def test_todays_hooks_are_those_that_would_run_in_the_host_of_the_event(here: CommandWorld) -> None:
    here.hook("guard", matcher={"tool": "Bash"})
    here.hook("theirs", scope="project")
    settings = here.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}))
    log = log_of(here)
    of_claude, of_codex, other = called(log, "ls"), called(log, "ls", host="codex"), log.add("post-session")
    found: dict[int, tuple[str, ...]] = {}
    async for batch in what_if.matched_today(catalog.load(str(here.project)), db=log.db):
        found |= batch
    assert {number: [name.split(":")[0] for name in hooks] for number, hooks in found.items()} == {
        of_claude: ["agenthooks", "claude"],
        of_codex: ["agenthooks"],
        other: [],
    }


async def test_hooks_of_the_project_match_no_events_of_another(here: CommandWorld) -> None:
    here.hook("ours", scope="project")
    here.approve()
    log = log_of(here)
    own, other = called(log, "ls", project=str(here.project)), called(log, "ls", project="/home/dev/other")
    batches = [batch async for batch in what_if.matched_today(catalog.load(str(here.project)), [own, other])]
    assert {number: len(hooks) for batch in batches for number, hooks in batch.items()} == {own: 1, other: 0}


async def test_todays_hooks_decide_together_and_nothing_is_recorded(here: CommandWorld) -> None:
    here.hook("audit", "#!/bin/sh\n")
    here.hook("guard", NO_PUSH, matcher={"tool": "Bash"})
    log = log_of(here)
    numbers = [called(log, command) for command in ("ls", "git push", "make")]
    stop = log.add("pre-agent-turn-stop")
    loaded = catalog.load(str(here.project))
    found = [pair async for pair in what_if.decided_today(loaded, [*numbers, stop], log.db)]
    assert found == [(stop, "none"), (numbers[2], "none"), (numbers[1], "deny"), (numbers[0], "none")]
    assert len(here.run("log").stdout.splitlines()) == 4

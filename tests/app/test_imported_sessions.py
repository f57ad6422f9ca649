"""Sessions of the past, imported from transcripts, are on the screens like recorded ones."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from hooktui.transcripts import claude
from hooktui.transcripts.import_log import ImportLog
from hooktui.transcripts.import_portions import ImportChoice
from hooktui.transcripts.import_transcripts import import_past
from tests.app.decision_world import DecisionWorld, decided, world
from tests.app.hook_world import shown, until_shown
from tests.unit.transcripts import sample_trees

__all__ = ["decided", "world"]

_SIZE = (120, 40)


def import_sample(decided: DecisionWorld) -> None:
    """Import a session of Claude Code in this project."""
    home = Path(os.environ["HOME"]) / ".claude"
    sample_trees.install("claude/hooks-2.1.330", home)
    for path in home.rglob("*.jsonl"):
        path.write_bytes(path.read_bytes().replace(b"/PROJECT", decided.project.encode()))
    with closing(ImportLog(decided.db, ())) as log:
        import_past(log, [claude.AGENT], ImportChoice())


async def test_an_imported_session_has_its_title_denials_and_timeline(decided: DecisionWorld) -> None:
    import_sample(decided)
    async with decided.running("Do many things, please", "2 sessions", key="3") as pilot:
        await pilot.press("end", "enter")
        await until_shown(pilot, "Bash curl x", "✕ 5 denied", "✎ rewrote", "run the tests first")


async def test_imported_events_are_in_the_log_view_and_open_with_their_hooks(decided: DecisionWorld) -> None:
    import_sample(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("2")
        await until_shown(pilot, "Bash echo haltme", "■ stop")


async def test_what_ran_says_what_a_transcript_does_not_tell(decided: DecisionWorld) -> None:
    import_sample(decided)
    async with decided.running("Do many things, please", "2 sessions", key="3", notifications=True) as pilot:
        await pilot.press("end", "enter")
        await until_shown(pilot, "+ context", "echo Branch:")
        await pilot.press("enter")
        await until_shown(pilot, "✔ echo Branch:")
        await pilot.press("V")
        await until_shown(pilot, "What ran: echo Branch:", "≡ From the agent's transcript, which does not tell the version.")
        assert "not in this project" not in shown(pilot)
        await pilot.press("escape", "o")
        await until_shown(pilot, "It is not known which hook of this project this was.")

"""Sessions of the past, imported from transcripts, are on the screens like recorded ones."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from hooktui.transcripts import claude
from hooktui.transcripts.past_import import import_past
from hooktui.transcripts.past_log import PastLog
from hooktui.transcripts.past_portions import ImportChoice
from tests.app.decision_world import decided, world
from tests.app.hook_world import until_shown
from tests.unit.transcripts import sample_trees

if TYPE_CHECKING:
    from tests.app.decision_world import DecisionWorld

__all__ = ["decided", "world"]

_SIZE = (120, 40)


def import_sample(decided: DecisionWorld) -> None:
    """Import a session of Claude Code in this project."""
    home = Path(os.environ["HOME"]) / ".claude"
    sample_trees.install("claude/hooks-2.1.330", home)
    for path in home.rglob("*.jsonl"):
        path.write_bytes(path.read_bytes().replace(b"/PROJECT", decided.project.encode()))
    with closing(PastLog(decided.db, ())) as log:
        import_past(log, [claude.AGENT], ImportChoice())


async def test_an_imported_session_has_its_title_denials_and_timeline(decided: DecisionWorld) -> None:
    import_sample(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("3")
        await until_shown(pilot, "Do many things, please", "2 sessions")
        await pilot.press("end", "enter")
        await until_shown(pilot, "Bash curl x", "✕ 5 deny", "✎ rewrote", "run the tests first")


async def test_imported_events_are_in_the_log_view_and_open_with_their_hooks(decided: DecisionWorld) -> None:
    import_sample(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("2")
        await until_shown(pilot, "Bash echo haltme", "■ stop")

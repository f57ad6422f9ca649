"""A log with known contents, written by the real writer: fixed ids, fixed times."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.core.model import Dispatch, Event, Hook, HookDirectory, Outcome, Run
from hooktui.log.store import database, import_journal
from hooktui.runner.journal import entry, spool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hooktui.core.model import DecisionName, State

NOON = 1_768_996_800.0  # 2026-01-21T12:00:00Z


class LogWriter:
    """Records dispatches as `run` does, and takes them into the log; says why some are still waiting."""

    def __init__(self, db: str, secrets: Sequence[str] = (), patience_s: float = 0.1) -> None:
        self.db = db
        self._secrets = secrets
        self._patience_s = patience_s

    def record(self, dispatch: Dispatch) -> str | None:
        return self.record_all([dispatch])

    def record_all(self, dispatches: Sequence[Dispatch]) -> str | None:
        for dispatch in dispatches:
            spool.append(self.db, entry.of_dispatch(dispatch, self._secrets))
        try:
            with closing(database.connect(self.db, self._patience_s)) as connection:
                return import_journal.take_with(connection, self.db, self._patience_s)
        except database.UnusableLogError as error:
            return str(error)


class LogWorld:
    """Writes dispatches a second apart, from noon on."""

    project = "/home/dev/app"

    def __init__(self, db: str) -> None:
        self.db = db
        self.recorder = LogWriter(db)
        self.count = 0

    def end(self, run: Run, dispatch: int, position: int) -> None:
        """End an async run: add the end to the spool, as its supervisor does, and import it."""
        spool.append(self.db, entry.of_end(run, dispatch, position, ()))
        import_journal.take(self.db)

    def add(self, *about: str, **values: Any) -> int:
        """Record one dispatch with the arguments of `made`; its id."""
        return self.add_all([self.made(*about, **values)])[0]

    def add_all(self, dispatches: Sequence[Dispatch]) -> list[int]:
        """Record dispatches; their ids."""
        warning = self.recorder.record_all(dispatches)
        assert warning is None, warning
        return [dispatch.id for dispatch in dispatches]

    def made(
        self,
        event: str = "pre-tool-call",
        *,
        tool: str | None = None,
        decision: DecisionName = "none",
        reason: str | None = None,
        runs: Sequence[Run] = (),
        payload: dict[str, Any] | None = None,
        session: str = "s1",
        host: str = "agenthooks",
        project: str = "",
        duration_ms: float = 12.5,
        at: float | None = None,
        **more: Any,
    ) -> Dispatch:
        """A dispatch a second after the previous one, or at a given time."""
        number = ids.at_time(NOON + self.count if at is None else at) + 1
        self.count += 1
        project = project or self.project
        payload = payload or {"event_type": event, **({"tool_name": tool} if tool else {})}
        names: dict[str, Any] = {"name": event, "as_written": event, "host": host, "session_id": session, "work_dir": project}
        return Dispatch(
            id=number,
            event=Event(**names, known=True, timestamp="", tool_name=tool, payload=payload),
            project=project,
            runs=tuple(run.replace(id=number + 1 + place) for place, run in enumerate(runs)),
            decision=decision,
            reason=reason,
            duration_ms=duration_ms,
            **more,
        )


def run(name: str, state: State = "ok", **values: Any) -> Run:
    """A run of a hook of that name; `values` are fields of the run or its outcome."""
    outcome = {key: values.pop(key) for key in tuple(values) if key in Outcome.__annotations__}
    hook = Hook(
        id=f"agenthooks:user:{name}",
        name=name,
        event="pre-tool-call",
        event_as_written="pre-tool-call",
        format="agenthooks",
        scope="user",
        file=f"/home/me/.config/agents/hooks/{name}/HOOK.md",
        line=4,
        source=HookDirectory(),
        version=name,
    )
    return Run(id=0, hook=hook, state=state, outcome=Outcome(**outcome), **values)


def busy_day(world: LogWorld) -> dict[str, int]:
    """Record two sessions with most effects of hooks; the ids of a few dispatches by name."""
    shell = {"hook_event_name": "PreToolUse", "session_id": "s-a1", "cwd": "/home/dev/app", "tool_name": "Shell"}
    guard = run("block-dangerous", why="matched tool Shell", duration_ms=3.1)
    rewrite = {"command": "rm -r ./build", "timeout": 120}
    named: dict[str, int] = {}
    day: list[Dispatch] = []

    def add(*about: str, **values: Any) -> int:
        day.append(world.made(*about, **values))
        return day[-1].id

    add("pre-session", session="s-a1", runs=[run("notify", "started", why="matched every tool")])
    add("pre-agent-turn", session="s-a1", payload={"prompt": "tidy the build directory"})
    for number in range(12):
        tool = ("Read", "Grep", "Write", "mcp__github__create_issue")[number % 4]
        add(
            tool=tool,
            session="s-a1" if number % 3 else "s-b2",
            host="agenthooks" if number % 3 else "claude",
            runs=[
                run("audit", duration_ms=4.0 + number),
                run("scan-secrets", "skipped", skip="tool-mismatch", why="not Write"),
            ],
            duration_ms=6.0 + number,
        )
    named["slow"] = add(
        "post-tool-call",
        tool="Write",
        session="s-a1",
        runs=[
            run("format-py", stdout="1 file reformatted\n", duration_ms=88.0, started_ms=1.0),
            run("audit", "timeout", duration_ms=4000.0, started_ms=90.0, problems=("timed out after 4000 ms",), signal=9),
        ],
        duration_ms=4210.0,
    )
    named["rewritten"] = add(
        tool="Shell",
        session="s-a1",
        decision="allow",
        modified_input=rewrite,
        payload={**shell, "tool_input": {"command": "rm -rf ./build", "timeout": 120}},
        runs=[guard, run("no-force", decision="allow", via="json", exit_code=0, modified_input=rewrite, duration_ms=8.0)],
    )
    tool_input = {"command": "cd /tmp\nrm -rf /", "description": "tidy up", "timeout": 120, "options": []}
    named["denied"] = add(
        tool="Shell",
        session="s-a1",
        decision="deny",
        reason="Dangerous command blocked: rm -rf /",
        payload={**shell, "tool_input": tool_input},
        runs=[
            guard.replace(
                why="matched tool Shell and pattern rm -rf /",
                exit_code=2,
                stderr="Dangerous command blocked: rm -rf /\n\x1b[31mnot [bold]today[/]\x1b[0m\n",
                outcome=Outcome(decision="deny", via="exit-2", reason="Dangerous command blocked: rm -rf /"),
            ),
            run("format-py", "skipped", skip="tool-mismatch", why="tool Shell is not matched by Write|Edit"),
            run("audit", "skipped", skip="untrusted", why="this project hook is not approved"),
            run("scan-secrets", "skipped", skip="blocked-earlier", why="blocked earlier by block-dangerous"),
        ],
    )
    named["gate"] = add(
        "pre-agent-turn-stop",
        session="s-a1",
        decision="deny",
        reason="2 tests fail",
        runs=[run("tests-pass", decision="deny", via="json", exit_code=0, duration_ms=930.0)],
        duration_ms=931.0,
    )
    world.add_all(day)
    return named

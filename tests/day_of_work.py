"""A home with the Claude Code sessions of six weeks, for pictures: a project, its hooks, and what they decided."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hooktui.cli import main
from tests.claude_transcript import ClaudeTranscript

_DAYS, _SEED = 42, 7
_TASKS: Mapping[str, tuple[str, ...]] = {
    "The CSV export drops the last column": ("grep -rn 'def to_csv' src", "npm test -- --run src/csv", "git diff --stat"),
    "Update the HTTP client to version 3": (
        "npm view undici version", "npm install undici@7", "npm test", "curl -s https://api.acme.example/v1/status",
    ),
    "Why is the start page slow?": (
        "curl -sI https://staging.acme.example/", "curl -w '%{time_total}' -so /dev/null https://staging.acme.example/",
        "npm run build -- --profile", "ls -lh dist",
    ),
    "Add a health check to the API": ("npm test -- --run src/api", "git add src/api", "git commit -m 'Add a health check'"),
    "Round prices once, where they are shown": ("grep -rn 'toFixed' src", "npm test", "git commit -am 'Round prices once'"),
    "Translate the error messages": ("grep -rnc 'throw new' src", "npm run lint", "npm test -- --run src/i18n"),
}  # fmt: skip
_LOOKS = ("ls src", "git status --short", "cat package.json", "git log --oneline -5", "npm run lint", "wc -l src/*.ts")
_PUSH, _REASON = "git push --force origin HEAD", "Force pushes are not allowed here."


@contextmanager
def entered(home: Path) -> Iterator[str]:
    """Write the sessions, import them, and yield the project's path; meanwhile the home is this process's own."""
    project = home / "acme"
    before = dict(os.environ)
    kept = {name: value for name, value in before.items() if not name.startswith(("HOOKTUI_", "XDG_", "CLAUDE_"))}
    os.environ.clear()
    os.environ.update({**kept, "HOME": str(home)})
    try:
        _write_hooks(project)
        _write_sessions(home, str(project))
        main.main(["import", "--since", "all"])
        yield str(project)
    finally:
        os.environ.clear()
        os.environ.update(before)


def _write_hooks(project: Path) -> None:
    hooks = project / ".claude/hooks"
    hooks.mkdir(parents=True)
    for name in ("gate-push.sh", "format.sh"):
        (hooks / name).write_text("#!/bin/sh\nexit 0\n")
        (hooks / name).chmod(0o755)
    entries = {
        "PreToolUse": [_entry("Bash", "gate-push.sh")],
        "PostToolUse": [_entry("Write|Edit", "format.sh")],
    }
    (project / ".claude/settings.json").write_text(json.dumps({"hooks": entries}, indent=2))


def _entry(matcher: str, script: str) -> dict[str, object]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/.claude/hooks/{script}'}]}


def _write_sessions(home: Path, project: str) -> None:
    chance = random.Random(_SEED)
    today = time.time() - 3600 * 2
    for day in range(_DAYS, -1, -1):
        if day % 7 in (1, 2):  # no work at the weekend
            continue
        title = chance.choice(list(_TASKS))
        session = ClaudeTranscript(home, project, f"{day:08}-0000-4000-8000-000000000000")
        session.at = today - day * 86400 + chance.uniform(-3000, 3000)
        session.prompt(title)
        for command in _commands(title, chance):
            session.at += chance.uniform(5, 90)
            call = session.call(command)
            session.at += chance.uniform(0.2, 4)
            if command == _PUSH:
                session.denied(call, '"$CLAUDE_PROJECT_DIR"/.claude/hooks/gate-push.sh', _REASON)
            else:
                session.result(call)
        session.at += 3
        session.stopped()


def _commands(title: str, chance: random.Random) -> Iterator[str]:
    for command in _TASKS[title]:
        yield from chance.choices(_LOOKS, k=chance.randint(3, 9))
        yield command
    yield from chance.choices(_LOOKS, k=2)
    if chance.random() < 0.2:
        yield _PUSH

"""The events of Claude Code's mods (2.1.332; `../hosts/facts` of the design), and what they are called elsewhere."""

from __future__ import annotations

import re
from functools import cache

from hooktui import hosts
from hooktui.core import events

CLASSIC = "classic."  # before a hook event of settings files
_NAMES = """
    agent: call limits list offer register report spawn
    attribution: text
    audio: play speak
    clock: after every now sleep
    command: describe list register run
    config: describe list set
    decision: ask
    engine: create
    env: get set
    flag: value
    fs: ancestors exists list read stat write
    http: fetch
    mcp: call connect
    model: classify complete fork
    plugin: register
    process: hookEnv run spawn
    prompt: attachment autocomplete change compose context edit fill mention paint read section submit suggest
    session: append attach authorize compact cwd detach end id identity info machine measure messages model receive redact repo
    session: root send start stop surface surfaces turns usage version
    settings: read
    skill: prompt
    state: get set
    store: delete get keys set
    telemetry: log mark
    theme: clear set
    tool: call check describe judge list offer register run
    turn: abort complete start step
    ui: blit cancelNotify close copy fault focus input invalidate log message notice notify offer open panes place pointer press
    ui: render resolve scroll select selection status tip toast view
    vcs: detect diff isolate list release status
    wasm: compile
"""
_CANONICAL = {
    **dict.fromkeys(("tool.call", "tool.check", "tool.run"), "pre-tool-call"),
    "prompt.submit": "pre-agent-turn",
    "session.start": "pre-session",
    "session.end": "post-session",
}
_NAME = re.compile(r"[^\W\d][\w$]*\.[^\W\d][\w$]*")
_PATTERN = re.compile(r"!?(?:\*|[^\W\d][\w$]*\.\*)")


@cache
def known() -> frozenset[str]:
    """The events that Claude Code has itself. Plugins may add others."""
    lines = (line.split(":") for line in _NAMES.strip().splitlines())
    own = {f"{noun.strip()}.{verb}" for noun, verbs in lines for verb in verbs.split()}
    return frozenset(own | {CLASSIC + name for name in hosts.spec("claude").events})


def fault(event: str) -> str:
    """Why Claude Code refuses an event, in its own words; "" if it does not."""
    if _PATTERN.fullmatch(event) or event in known():
        return ""
    if not _NAME.fullmatch(event):
        return f'"{event}" is not an event name or a pattern ("*", "<prefix>.*", or "!" before either)'
    noun = event.partition(".")[0]
    return f'"{event}" is not an event' if any(name.startswith(f"{noun}.") for name in known()) else ""


def canonical(event: str) -> str:
    """The canonical event, the settings event of `classic.`, or the same text."""
    name = event.removeprefix(CLASSIC)
    return _CANONICAL.get(event) or (events.canonical(name) if name != event else None) or name


def covers(pattern: str, event: str) -> bool:
    """Whether a registration for an event or a pattern hears an event."""
    text = pattern.removeprefix("!")
    hears = text in ("*", event) or (text.endswith(".*") and event.startswith(text[:-1]))
    return hears is not pattern.startswith("!")

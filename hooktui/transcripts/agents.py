"""The agents whose transcripts hooktui reads."""

from __future__ import annotations

from collections.abc import Collection

from hooktui.transcripts import claude, codex, copilot, droid, gemini, kimi, opencode, qwen
from hooktui.transcripts.transcript_spec import TranscriptSpec

AGENTS: tuple[TranscriptSpec, ...] = (
    claude.AGENT,
    codex.AGENT,
    gemini.AGENT,
    copilot.AGENT,
    qwen.AGENT,
    kimi.AGENT,
    droid.AGENT,
    opencode.AGENT,
)
BY_NAME = {agent.name: agent for agent in AGENTS}


def chosen(names: Collection[str]) -> list[TranscriptSpec]:
    """The agents with these names, all without names. Raises KeyError."""
    return [BY_NAME[name] for name in dict.fromkeys(names)] or list(AGENTS)

"""The agent programs whose sessions hooktui knows without a connection: it reads their transcripts."""

from __future__ import annotations

from hooktui import config
from hooktui.transcripts import agents
from hooktui.transcripts.transcript_spec import watched_directories


def is_readable(host: str) -> bool:
    """Whether the configuration lets hooktui read the transcripts of a host, if it writes any that hooktui can read."""
    settings, _ = config.load_or_defaults()
    chosen = settings.history_hosts or agents.BY_NAME
    return settings.history_enabled and host in chosen and host in agents.BY_NAME


def is_transcribed(host: str) -> bool:
    """Whether hooktui reads transcripts of a host: there are some."""
    return is_readable(host) and bool(watched_directories([agents.BY_NAME[host]]))

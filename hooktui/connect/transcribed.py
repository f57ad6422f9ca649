"""The agent programs whose sessions hooktui knows without a connection: it reads their transcripts."""

from __future__ import annotations

from collections.abc import Sequence

from hooktui import config, hosts
from hooktui.hosts import Host
from hooktui.transcripts import transcript_places


def readable() -> Sequence[Host]:
    """The hosts whose transcripts the configuration lets hooktui read."""
    settings, _ = config.load_or_defaults()
    chosen = settings.history_hosts or hosts.names()
    return [host for host in hosts.specs() if host.transcripts and host.name in chosen] if settings.history_enabled else []


def transcribed() -> Sequence[Host]:
    """The readable hosts that have written transcripts."""
    return [host for host in readable() if transcript_places.existing([host])]

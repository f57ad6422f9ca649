"""Where a host's transcripts are: below the home directory, or where its variables put that."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hooktui.hosts import Host


def located(host: Host, patterns: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each pattern of a host as an absolute directory and the pattern below it."""
    for pattern in patterns:
        directory = os.path.dirname(pattern.partition("*")[0])
        yield host.in_home(directory), pattern[len(directory) + 1 :]


def directories(host: Host) -> list[str]:
    """The directories of a host's sessions, whether they exist or not."""
    return list(dict.fromkeys(directory for directory, _ in located(host, host.transcripts)))


def existing(hosts: Iterable[Host]) -> list[str]:
    """The directories of these hosts' sessions that exist; they are watched with all below them."""
    return sorted({place for host in hosts for place in directories(host) if os.path.isdir(place)})

"""The demo: a sample project with hooks, and agent sessions played through the real runner in a separate home."""

from __future__ import annotations

from hooktui.demo.moment import Moment
from hooktui.demo.player import NotHandled, Played, play, settle
from hooktui.demo.story import story
from hooktui.demo.world import World, build

__all__ = ["Moment", "NotHandled", "Played", "World", "build", "play", "settle", "story"]

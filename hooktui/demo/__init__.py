"""The demo: a sample project with hooks, and agent sessions played through the real runner in a separate home."""

from __future__ import annotations

from hooktui.demo.player import NotHandledError, Played, play, settle
from hooktui.demo.scripted_agents import DemoEvent, scenario
from hooktui.demo.world import World, build

__all__ = ["DemoEvent", "NotHandledError", "Played", "World", "build", "play", "scenario", "settle"]

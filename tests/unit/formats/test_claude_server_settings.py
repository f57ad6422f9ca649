"""The settings that an organization's server sends to Claude Code, which the program caches in a file."""

from __future__ import annotations

import os

import pytest

from tests.unit.formats.test_claude_sources import MANAGED, Places, hooks, places

__all__ = ["places"]

# With the real Claude Code: tests/hosts/test_managed_sources.py.

REMOTE = "remote-settings.json"


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_BASE_URL", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")


@pytest.mark.usefixtures("key")
def test_settings_of_a_server_replace_the_administrators_and_say_so(places: Places) -> None:
    places.user("settings.json", hooks("user"))
    places.write(places.managed / MANAGED, hooks("file") | {"allowManagedHooksOnly": True})
    remote = places.user(REMOTE, hooks("remote"))
    os.utime(remote, (1_800_000_000, 1_800_000_000))
    assert places.running() == {"user", "remote"}
    why = "Claude Code does not read this file: ~/.claude/remote-settings.json (2027-01-15) replaces it"
    assert places.listed()["file"].why_disabled == why
    read, file = places.claude.discover(str(places.project)).managed
    assert (read.source, read.date, read.why_unread) == ("remote", "2027-01-15", "")
    assert (file.source, "replaces it" in file.why_unread) == ("file", True)


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("setting", ["allowManagedHooksOnly", "strictPluginOnlyCustomization"])
def test_silenced_hooks_name_the_key_the_file_and_its_date(places: Places, setting: str) -> None:
    places.user("settings.json", hooks("user"))
    os.utime(places.user(REMOTE, {setting: True}), (1_800_000_000, 1_800_000_000))
    assert places.listed()["user"].why_disabled.startswith(
        f"{setting} in ~/.claude/remote-settings.json (2027-01-15) leaves only "
    )


def test_settings_of_a_server_without_a_login_are_listed_as_unread(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    places.user("settings.json", hooks("user"))
    places.user(REMOTE, hooks("remote") | {"allowManagedHooksOnly": True})
    assert places.running() == {"user"}
    assert "needs an API key or a Team or Enterprise login" in places.listed()["remote"].why_disabled

"""Exporting from the app: a session, or the results on the Live screen."""

from __future__ import annotations

import json
import os

import pytest

from hooktui.log.read import query
from hooktui.screens.dialogs.export_dialog import ExportDialog, ExportRequest
from tests.app.decision_world import DecisionWorld, decided, world
from tests.app.hook_world import read, type_text, until_shown, write
from tests.log_world import busy_day

__all__ = ["decided", "world"]

_SIZE = (100, 30)


async def test_a_session_is_exported_in_the_chosen_format(decided: DecisionWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(decided.hooks.project)
    busy_day(decided)
    async with decided.running("2 sessions", key="3", size=_SIZE, notifications=True) as pilot:
        await pilot.press("x")
        await until_shown(pilot, "Export session tidy the build directory", "~/shop/hooktui-tidy-the-build-directory.html")
        await pilot.press("down", "down", "space")
        await until_shown(pilot, "~/shop/hooktui-tidy-the-build-directory.jsonl")
        await pilot.press("enter")
        await until_shown(pilot, "Exported", "~/shop/hooktui-tidy-the-build-directory.jsonl: 14 events, ", "2 sessions")
    lines = read("hooktui-tidy-the-build-directory.jsonl").splitlines()
    assert {json.loads(line)["session_id"] for line in lines} == {"s-a1"}


@pytest.mark.parametrize(
    ("stem", "file"),
    [("Publish the fix.", "hooktui-Publish-the-fix"), ("v1.2 is out", "hooktui-v1.2-is-out"), ("…", "hooktui-log")],
)
def test_a_file_name_has_no_dot_or_dash_at_its_ends(stem: str, file: str) -> None:
    assert ExportRequest(query.parse(""), "title", stem).file == file


async def test_what_live_has_found_is_exported_and_no_file_is_replaced_unasked(
    decided: DecisionWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(decided.hooks.project)
    write("hooktui-decision-deny.html", "mine")
    busy_day(decided)
    async with decided.on_live(size=_SIZE, notifications=True) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "decision:deny")
        await until_shown(pilot, "2 of 17")
        await pilot.press("enter", "x")
        await until_shown(pilot, "Export decision:deny", "hooktui-decision-deny.html")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "already exists.")
        await pilot.press("escape")
        await until_shown(pilot, "Kept the existing file.")
        assert read("hooktui-decision-deny.html") == "mine"
        await pilot.press("ctrl+s")
        await until_shown(pilot, "already exists.")
        await pilot.press("r")
        await until_shown(pilot, "~/shop/hooktui-decision-deny.html: 2 events")
    assert read("hooktui-decision-deny.html").startswith("<!doctype html>")


async def test_a_long_export_can_be_given_up_and_leaves_nothing(
    decided: DecisionWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(decided.hooks.project)
    for _ in range(600):
        decided.add()
    async with decided.on_live(size=_SIZE, notifications=True) as pilot:
        await pilot.press("x")
        await until_shown(pilot, "Export everything")
        dialog = pilot.app.screen
        assert isinstance(dialog, ExportDialog)
        dialog._begin()
        await pilot.press("escape")
        await until_shown(pilot, "Cancelled. No file was written.")
    assert os.listdir(".") == []


async def test_unwritable_location_is_reported(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.running("2 sessions", key="3", size=_SIZE, notifications=True) as pilot:
        await pilot.press("x")
        await until_shown(pilot, "Export session")
        await pilot.click("#file")
        await pilot.press("home", "shift+end")
        await type_text(pilot, "/nowhere/at/all.md")
        await pilot.press("enter")
        await until_shown(pilot, "✕ Cannot write /nowhere/at/all.md: No such file or directory")

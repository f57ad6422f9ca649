"""What hooktui reads in Claude Code's debug log. The lines are those of the real program (2.1.332)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hooktui import hosts
from hooktui.formats.mods import debug_log
from hooktui.formats.mods.debug_log import DebugLog

pytestmark = pytest.mark.usefixtures("own_home")

LOADED = """[DEBUG] hooks module moda@skills-dir loaded (worker, environment 1, tier user); events: tool.check
[DEBUG] hooks module cc-plugin-privacy@builtin loaded (native, environment 4, tier builtin); events: tool.check,session.identity
"""
BOTH_HEARD = "[DEBUG] tool.check Bash toolu_1: unevaluated -> allow by plugins moda, modb, cc-plugin-privacy\n"


def answered(mod: str, event: str) -> str:
    return f"[DEBUG] {mod} (user) answered {event} without next() in 0.9ms; nothing beneath it ran for this dispatch\n"


def of(text: str) -> DebugLog:
    """The debug log of a session with these lines."""
    folder = Path(os.path.expanduser("~/.claude/debug"))
    folder.mkdir(parents=True, exist_ok=True)
    stamped = (f"2026-11-12T16:32:04.882Z {line}" if line.startswith("[") else line for line in text.splitlines())
    (folder / "s1.txt").write_text("\n".join(stamped) + "\n")
    return debug_log.of_session(hosts.spec("claude"), "s1")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (BOTH_HEARD, "moda or modb allowed it at tool.check"),
        (answered("modb", "tool.check") + BOTH_HEARD, "modb allowed it at tool.check"),
        (answered("modb", "tool.call") + BOTH_HEARD, "moda or modb allowed it at tool.check"),
        ("[DEBUG] tool.check Bash toolu_1: unevaluated -> deny by plugin moda: x\n", "moda denied it at tool.check"),
        ("[DEBUG] tool.check Bash toolu_1: unevaluated -> allow by plugins cc-plugin-privacy\n", None),
        (
            answered("moda", "tool.call") + "[DEBUG] tool.call Bash toolu_1: resolved by a hooks module (result)\n",
            "moda answered it without running it at tool.call",
        ),
        (
            answered("moda", "tool.call")
            + answered("modb", "tool.call")
            + "[DEBUG] tool.call Bash toolu_1: resolved by a hooks module (deny of 5 chars; reason left out …)\n",
            "moda or modb denied it at tool.call",
        ),
        ("[DEBUG] tool.call Bash toolu_1: resolved by a hooks module (result)\n", None),
        ("[DEBUG] tool.check Bash toolu_2: unevaluated -> allow by plugins moda\n", None),
        ("tool.check Bash toolu_1: unevaluated -> allow by plugins moda\n", None),
    ],
    ids=[
        "several heard it",
        "one answered by itself",
        "one answered another event",
        "a denial",
        "no mod but Claude's own",
        "a result",
        "several answer calls",
        "nobody is named",
        "another call",
        "a line of a tool's output",
    ],
)
def test_mod_that_answered_a_call_is_named(lines: str, told: str | None) -> None:
    assert of(LOADED + lines).calls.get("toolu_1") == told


def test_reason_for_a_module_that_did_not_load_is_kept_until_it_loads() -> None:
    refused = "[DEBUG] hooks module moda@skills-dir not loaded: only managed plugins run\n"
    failed = "[ERROR] hooks module modb@skills-dir failed to load: modb: m.js:2: the event name is not a string literal\n"
    assert of(refused + failed).refusals == {
        "moda@skills-dir": "only managed plugins run",
        "modb@skills-dir": "modb: m.js:2: the event name is not a string literal",
    }
    assert of(refused + LOADED).refusals == {}


def test_only_the_start_and_the_end_of_a_large_log_are_read() -> None:
    noise = "[DEBUG] nothing of interest\n" * 200_000
    lines = [f"[DEBUG] tool.check Bash toolu_{number}: unevaluated -> allow by plugins moda\n" for number in (1, 2, 3)]
    log = of(LOADED + lines[0] + noise + lines[1] + noise + lines[2])
    assert log.calls.keys() == {"toolu_1", "toolu_3"}


@pytest.mark.parametrize("session", ["", "gone", "../debug/s1", "s\0"])
def test_session_without_a_debug_log_has_an_empty_one(session: str) -> None:
    of(LOADED + BOTH_HEARD)
    assert debug_log.of_session(hosts.spec("claude"), session) == DebugLog()


def test_debug_log_that_is_no_file_is_not_read() -> None:
    os.makedirs(os.path.expanduser("~/.claude/debug"))
    os.mkfifo(os.path.expanduser("~/.claude/debug/s1.txt"))
    assert debug_log.of_session(hosts.spec("claude"), "s1") == DebugLog()

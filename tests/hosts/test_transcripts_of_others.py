"""What hooks did and what became of calls, as the transcripts of other programs than Claude Code tell it."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.hosts.agent_world import AgentWorld
from tests.hosts.codex_cli import CodexWorld
from tests.hosts.hook_scripts import REASON, command
from tests.hosts.other_programs import CopilotWorld, DroidWorld, GeminiWorld, KimiWorld, OpencodeWorld, QwenWorld
from tests.hosts.scripted_model import say, use


def imported(world: AgentWorld, query: str = "") -> list[dict[str, Any]]:
    """The events in the log, with what the transcripts tell of them."""
    world.run("import", world.host, "--since", "all")
    return world.decisions(query)


def gemini_hook(world: GeminiWorld, event: str, answer: object = "", stderr: str = "", code: int = 0) -> None:
    entry = {"type": "command", "command": command(answer, stderr, code)}
    world.write(".gemini/settings.json", {"hooks": {event: [{"hooks": [entry]}]}})


def test_context_that_gemini_adds_to_prompts_denies_nothing(gemini: GeminiWorld) -> None:
    gemini_hook(gemini, "BeforeAgent", {"hookSpecificOutput": {"additionalContext": "mind the tabs"}})
    gemini.session(say("done"), prompt="first")
    gemini.session(say("done"), prompt="second", options=("--resume", "latest"))
    told = imported(gemini, "event:pre-agent-turn*")
    assert [(report["payload"].get("prompt"), report["effect"], report["outcome"]) for report in told] == [
        *(("first", "context", None), (None, "none", "passed")),
        *(("second", "context", None), (None, "none", "passed")),
    ]


@pytest.mark.parametrize(
    ("event", "ran", "outcomes"),
    [("BeforeTool", False, ["denied-by-hook"]), ("AfterTool", True, ["ran", "ok"])],
)
def test_a_hook_that_stops_gemini_is_told_with_what_became_of_the_call(
    gemini: GeminiWorld, event: str, ran: bool, outcomes: list[str]
) -> None:
    gemini_hook(gemini, event, {"continue": False, "stopReason": "enough"})
    gemini.session()
    assert gemini.marker.exists() == ran
    told = imported(gemini, "event:*-tool-call*")
    assert [report["outcome"] for report in told] == outcomes
    assert [(told[-1]["decision"], told[-1]["reason"])] == [("stop", "enough")]


@pytest.mark.parametrize("is_connected", [True, False])
def test_a_tool_that_failed_in_gemini_is_told_once_with_the_hooks_that_heard_of_it(
    gemini: GeminiWorld, is_connected: bool
) -> None:
    gemini_hook(gemini, "AfterTool", {})
    if is_connected:
        gemini.connect()
    gemini.session(use("read_file", file_path="gone.txt"), say("done"))
    assert [report["outcome"] for report in gemini.decisions("event:post-tool-call*")] == ["failed"] * is_connected
    (failed,) = imported(gemini, "event:post-tool-call*")
    assert failed["outcome"] == "failed"
    assert [hook["state"] for hook in failed["hooks"]] == ["unrecorded"]


@pytest.mark.parametrize(("with_tool", "outcome"), [(False, "denied"), (True, None)])
def test_a_stop_that_was_held_in_gemini_is_never_told_as_passed(
    gemini: GeminiWorld, with_tool: bool, outcome: str | None
) -> None:
    """After a tool, nothing in the transcript shows that the reason is no prompt."""
    held = "case $(cat) in *'\"stop_hook_active\":true'*) exit 0;; esac; echo tests first >&2; exit 2"
    gemini.write(".gemini/settings.json", {"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": held}]}]}})
    call = [gemini.shell("echo original > ran.txt")] if with_tool else []
    session = gemini.session(*call, say("done"), say("tested"))
    assert "tests first" in session.heard
    told = imported(gemini, "event:pre-agent-turn-stop")
    assert [report["outcome"] for report in told] == [outcome, "passed"]


def test_a_call_that_a_hook_of_kimi_denied_is_not_told_as_one_that_ran(kimi: KimiWorld) -> None:
    """Kimi Code calls the hooks for failed tools for it, and for an unknown tool, which no hook hears of before."""
    kimi.configure(f'[[hooks]]\nevent = "PreToolUse"\ncommand = {json.dumps(command(stderr=REASON, code=2))}\n')
    kimi.session(kimi.shell("echo original > ran.txt"), use("Nope"), say("done"))
    assert not kimi.marker.exists()
    assert [report["outcome"] for report in imported(kimi, "event:pre-tool-call")] == [None, "invalid"]
    errors = [report["payload"]["error"] for report in kimi.decisions("event:post-tool-call-failure")]
    assert errors == [REASON, 'Tool "Nope" not found']


def test_a_call_that_a_plugin_of_opencode_denied_is_not_told_as_one_that_ran(opencode: OpencodeWorld) -> None:
    plugin = opencode.project / ".opencode/plugin/deny.js"
    plugin.parent.mkdir(parents=True)
    plugin.write_text(
        f'export const P = async () => ({{ "tool.execute.before": async () => {{ throw new Error("{REASON}") }} }})\n'
    )
    opencode.session()
    assert not opencode.marker.exists()
    (call,) = imported(opencode, "event:*-tool-call*")
    assert (call["event"], call["outcome"]) == ("pre-tool-call", None)


@pytest.mark.parametrize("answer", ["echo tests first >&2; exit 2", 'echo \'{"continue": false, "stopReason": "enough"}\''])
def test_a_stop_that_a_hook_of_qwen_held_is_denied(qwen: QwenWorld, answer: str) -> None:
    held = f"cat > /dev/null; [ -e held ] || {{ touch held; {answer}; }}"
    qwen.write(".qwen/settings.json", {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": held}]}]}})
    qwen.session(say("done"), say("tested"))
    assert [report["outcome"] for report in imported(qwen, "event:pre-agent-turn-stop")] == ["denied", "passed"]


def test_a_command_that_a_hook_of_codex_rewrote_is_told_with_what_ran(codex: CodexWorld) -> None:
    specific = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "touch other.txt"}}
    codex.write_hooks(command({"hookSpecificOutput": specific}))
    codex.trust()
    codex.session()
    (call,) = imported(codex, "event:pre-tool-call")
    assert (call["outcome"], call["effect"], call["modified_input"]) == ("ran", "rewrite", {"command": "touch other.txt"})


def test_an_image_that_codex_could_not_show_is_a_failure(codex: CodexWorld) -> None:
    picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    (codex.project / "there.png").write_bytes(base64.b64decode(picture))
    codex.session(*(use("view_image", path=str(codex.project / name)) for name in ("there.png", "gone.png")), say("done"))
    assert [report["outcome"] for report in imported(codex, "event:post-tool-call*")] == ["ok", "failed"]


def test_a_result_that_a_hook_of_copilot_changed_is_told_with_what_the_model_got(copilot: CopilotWorld) -> None:
    changed = {"modifiedResult": {"resultType": "success", "textResultForLlm": "changed"}}
    entry = {"type": "command", "bash": command(changed)}
    copilot.write(".github/hooks/own.json", {"version": 1, "hooks": {"postToolUse": [entry]}})
    assert "changed" in copilot.session().heard
    (result,) = imported(copilot, "event:post-tool-call")
    assert (result["effect"], result["modified_input"]) == ("rewrite", {"toolResult": {"textResultForLlm": "changed"}})


def test_a_stop_that_a_silent_hook_of_droid_held_leaves_no_prompt(droid: DroidWorld) -> None:
    held = "cat > /dev/null; [ -e held ] || { touch held; exit 2; }"
    droid.write(".factory/settings.json", {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": held}]}]}})
    session = droid.session(say("done"), say("tested"))
    assert "Stop hook requested continuation" in session.heard
    told = imported(droid, "event:pre-agent-turn*")
    assert [(report["event"], report["outcome"], report["reason"]) for report in told] == [
        ("pre-agent-turn", None, None),
        ("pre-agent-turn-stop", "denied", "Stop hook requested continuation"),
        ("pre-agent-turn-stop", "passed", None),
    ]


@pytest.mark.parametrize("answer", ["exit 3", 'echo \'{"continue": false, "stopReason": "enough"}\''])
def test_a_tool_after_which_a_hook_of_droid_ended_the_turn_has_run(droid: DroidWorld, answer: str) -> None:
    hook = {"type": "command", "command": f"cat > /dev/null; {answer}"}
    droid.write(".factory/settings.json", {"hooks": {"PostToolUse": [{"hooks": [hook]}]}})
    assert droid.session().turns == 1
    assert droid.marker.exists()
    told = imported(droid)
    assert [(report["event"], report["outcome"]) for report in told if "agent" in report["event"] or report["tool_name"]] == [
        *(("pre-agent-turn", None), ("pre-tool-call", "ran"), ("post-tool-call", "ok"))
    ]


def test_no_hook_of_codex_hears_of_a_call_that_is_not_valid(codex: CodexWorld) -> None:
    heard = codex.project / "heard"
    codex.write_hooks(f"cat >> {heard}")
    codex.trust()
    codex.session(use("nope", x=1), use("exec_command", nope=1), say("done"))
    assert not heard.exists()
    told = imported(codex, "event:pre-tool-call")
    assert [(call["outcome"], call["hooks"], call["hooks_recorded"]) for call in told] == [("invalid", [], "all")] * 2

"""Build the events of an agent's session in the payloads of its host."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui.demo import world

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.core.model import DecisionName

    _Values = Mapping[str, Any]

# Hooks without a name are identified by file, event and number.
_KEEP_MAIN = "settings.json:PreToolUse:1"
_NOTE_COMMANDS = "settings.json:PostToolUse:1"
_NONE: Mapping[str, str] = {}


class _Claude(NamedTuple):
    """Claude Code, connected with `hooktui connect claude`, with hooks of its own settings."""

    session: str

    def starts(self) -> Iterator[DemoEvent]:
        """Start the session; a HOOK.md adds context."""
        yield self._event("pre-session", {"source": "startup"}, {"branch-context": "ok"})

    def ends(self) -> Iterator[DemoEvent]:
        yield self._event("post-session", {"reason": "other"})

    def gets_prompt(self, prompt: str) -> Iterator[DemoEvent]:
        yield self._event("pre-agent-turn", {"prompt": prompt})

    def stops(self, message: str) -> Iterator[DemoEvent]:
        yield self._gate(message)

    def is_held(self, message: str) -> Iterator[DemoEvent]:
        yield self._gate(message, "deny")

    def bash(self, command: str, output: str = "", **hooks: str) -> Iterator[DemoEvent]:
        """Run a command that succeeds. The matcher `bash` of a hook in the settings does not match it."""
        call = _call("Bash", command)
        yield self._event("pre-tool-call", call, {_KEEP_MAIN: "ok", **_dashed(hooks)})
        done = {**call, "tool_response": {"stdout": output, "stderr": "", "interrupted": False}}
        yield self._event("post-tool-call", done, {_NOTE_COMMANDS: "tool-mismatch"})

    def bash_fails(self, command: str, error: str, **hooks: str) -> Iterator[DemoEvent]:
        call = _call("Bash", command)
        yield self._event("pre-tool-call", call, _dashed(hooks))
        yield self._event("post-tool-call-failure", {**call, "error": error}, {"notify-failures": "started"})

    def is_denied(self, command: str, by: str) -> Iterator[DemoEvent]:
        yield self._event("pre-tool-call", _call("Bash", command), {by: "ok"}, "deny")

    def reads(self, path: str, text: str) -> Iterator[DemoEvent]:
        yield from self._uses("Read", {"file_path": path}, {"content": text})

    def fetches(self, url: str, text: str) -> Iterator[DemoEvent]:
        """Fetch a URL; the hook that checks it times out."""
        yield from self._uses("WebFetch", {"url": url, "prompt": "Summarize"}, {"result": text}, {"check-links": "timeout"})

    def writes(self, path: str, text: str, **after: str) -> Iterator[DemoEvent]:
        """Write a file, for real, so that hooks can read it."""
        before, done = self._uses(
            "Write", {"file_path": path, "content": text}, {"filePath": path}, {"no-secrets": "bad-matcher"}
        )
        yield before
        yield replace(done, hooks=_dashed(after), writes=(path, text))

    def delegates(self, task: str, *inside: Iterator[DemoEvent]) -> Iterator[DemoEvent]:
        """Start a subagent, whose events are `inside`."""
        subagent = {"agent_id": "reviewer-1", "agent_type": "reviewer"}
        yield self._event("pre-subagent", subagent)
        yield from chain(*inside)
        yield self._event("post-subagent", {**subagent, "last_assistant_message": task})

    def compacts(self) -> Iterator[DemoEvent]:
        yield self._event("pre-context-compact", {"trigger": "auto"})
        yield self._event("post-context-compact", {"trigger": "auto"})

    def _gate(self, message: str, decision: DecisionName = "none") -> DemoEvent:
        fields = {"stop_hook_active": False, "last_assistant_message": message}
        return self._event("pre-agent-turn-stop", fields, {"tests-pass": "ok"}, decision)

    def _uses(
        self, tool: str, tool_input: _Values, response: _Values, hooks: Mapping[str, str] = _NONE
    ) -> tuple[DemoEvent, DemoEvent]:
        call = {"tool_name": tool, "tool_input": tool_input}
        done = {**call, "tool_response": response}
        return self._event("pre-tool-call", call, hooks), self._event("post-tool-call", done)

    def _event(
        self, event: str, fields: _Values, hooks: Mapping[str, str] = _NONE, decision: DecisionName = "none"
    ) -> DemoEvent:
        return DemoEvent(self.session, event, {"permission_mode": "default", **fields}, decision, hooks, host="claude")


class _Agent(NamedTuple):
    """An agent that supports AgentHooks."""

    session: str

    def starts(self) -> Iterator[DemoEvent]:
        args = {"ui": "shell", "agent": "default"}
        yield self._event("pre-session", {"model": "demo-1", "args": args}, {"branch-context": "ok"})

    def ends(self, seconds: int, steps: int) -> Iterator[DemoEvent]:
        yield self._event("post-session", {"duration_seconds": seconds, "total_steps": steps, "exit_reason": "user_exit"})

    def gets_prompt(self, prompt: str) -> Iterator[DemoEvent]:
        yield self._event("pre-agent-turn", {"prompt": prompt})

    def stops(self, message: str, steps: int) -> Iterator[DemoEvent]:
        final = {"role": "assistant", "content": message}
        fields = {"stop_reason": "no_tool_calls", "step_count": steps, "final_message": final}
        yield self._event("pre-agent-turn-stop", fields, {"tests-pass": "ok"})

    def shell(self, command: str, output: str = "") -> Iterator[DemoEvent]:
        call = _call("Shell", command)
        yield self._event("pre-tool-call", call)
        yield self._event("post-tool-call", {**call, "tool_output": output})

    def is_denied(self, command: str) -> Iterator[DemoEvent]:
        yield self._event("pre-tool-call", _call("Shell", command), {"block-dangerous": "ok"}, "deny")

    def _event(
        self, event: str, fields: _Values, hooks: Mapping[str, str] = _NONE, decision: DecisionName = "none"
    ) -> DemoEvent:
        return DemoEvent(self.session, event, fields, decision, hooks)


def _dashed(hooks: Mapping[str, str]) -> Mapping[str, str]:
    """Hooks by name, given as keyword arguments."""
    return {name.replace("_", "-"): expected for name, expected in hooks.items()}


class _AzureAgent(NamedTuple):
    """A custom agent of Azure SRE Agent. Its transcript identifies the session."""

    session: str
    agent: str

    def finds(self, command: str, result: str) -> Iterator[DemoEvent]:
        done = {**_call("RunAzCliReadCommands", command), "tool_result": result, "tool_succeeded": True}
        yield self._event("post-tool-call", 1, done, "deny", {f"{self.agent}:PostToolUse:1": "ok"})

    def stops(self, answer: str) -> Iterator[DemoEvent]:
        """Stop; the prompt hook fails because no model is configured."""
        fields = {"final_output": answer, "stop_hook_active": False, "stop_rejection_count": 0}
        yield self._event("pre-agent-turn-stop", 2, fields, "none", {f"{self.agent}:Stop:1": "failed"})

    def _event(
        self, event: str, turn: int, fields: Mapping[str, Any], decision: DecisionName, hooks: Mapping[str, str]
    ) -> DemoEvent:
        payload = {"agent_name": self.agent, "current_turn": turn, "max_turns": 50, **fields}
        return DemoEvent(self.session, event, payload, decision, hooks, host="azure")


def _call(tool: str, command: str) -> dict[str, Any]:
    return {"tool_name": tool, "tool_input": {"command": command}}


# Seconds before an event: an agent thinks before it calls a tool, a person reads before they answer.
_PAUSE_S = {"pre-session": 0.8, "pre-agent-turn": 1.0, "pre-tool-call": 0.5, "pre-agent-turn-stop": 0.7}
_SHORT_PAUSE_S = 0.2


@dataclass(frozen=True, slots=True)
class DemoEvent:
    """One event and its expected result.

    `event` is the canonical name; `fields` is the payload in the host's spelling. `hooks` maps names to the expected state or
    skip reason. `writes` is the path and text of a project file that the agent's tool writes before the event.
    """

    session: str
    event: str
    fields: Mapping[str, Any]
    decision: DecisionName = "none"
    hooks: Mapping[str, str] = field(default_factory=dict)
    writes: tuple[str, str] | None = None
    host: str = "agenthooks"

    @property
    def pause_s(self) -> float:
        """Seconds to wait before the event."""
        return _PAUSE_S.get(self.event, _SHORT_PAUSE_S)


_FAILS = "FAIL: test_discount_is_a_share_of_the_price\nAssertionError: 10.0 != 30"
_RUN_TESTS = "python3 -m unittest"


def scenario() -> tuple[DemoEvent, ...]:
    """Return all events in order.

    Claude Code may not push to main, and fixes a bug while a second session writes the README; it publishes the fix. Then an
    agent that supports AgentHooks updates the build tool at night, and one of Azure operates the shop. At last Claude Code
    answers a question: a long session in which hooks have nothing to say.
    """
    return (
        *_publishing_begins(), *_discount_begins(), *_readme(), *_discount_ends(), *_published(), *_nightly(), *_maintenance(),
        *_question(),
    )  # fmt: skip


def _publishing_begins() -> Iterator[DemoEvent]:
    agent = _Claude("publish-fix")
    yield from agent.starts()
    yield from agent.gets_prompt("Publish the discount fix.")
    yield from agent.is_denied("git push origin main", by=_KEEP_MAIN)


def _discount_begins() -> Iterator[DemoEvent]:
    agent = _Claude("fix-discount")
    yield from agent.starts()
    yield from agent.gets_prompt("25 % off gives the wrong total. Please find the bug and fix it.")
    yield from agent.reads("cart.py", "return sum(prices) - discount")
    yield from agent.reads("test_cart.py", "self.assertEqual(total([10, 30], 0.25), 30)")
    yield from agent.bash_fails(_RUN_TESTS, "FAIL: test_discount\nAssertionError: 39.75 != 30", quiet_tests="ok")
    yield from agent.writes("cart.py", world.CART_STILL_WRONG, format_py="ok")
    yield from agent.is_held("The discount is a factor now.")
    yield from agent.bash_fails(_RUN_TESTS, _FAILS, quiet_tests="ok")


def _readme() -> Iterator[DemoEvent]:
    agent = _Claude("write-readme")
    yield from agent.starts()
    yield from agent.gets_prompt("Explain in the README what a discount is.")
    yield from agent.fetches("https://example.com/style-guide", "Short sentences. One example.")
    yield from agent.writes("README.md", world.README_WITH_DISCOUNT, format_py="pattern-mismatch")
    yield from agent.is_held("The README explains discounts.")
    yield from agent.ends()


def _discount_ends() -> Iterator[DemoEvent]:
    agent = _Claude("fix-discount")
    yield from agent.writes("cart.py", world.CART_FIXED, format_py="ok")
    yield from agent.bash(_RUN_TESTS, "Ran 2 tests\nOK", quiet_tests="ok")
    yield from agent.reads("README.md", "A discount is a share between 0 and 1")
    yield from agent.compacts()
    yield from agent.is_denied("rm -rf /$BUILD_DIR", by="block-dangerous")
    yield from agent.bash("rm -rf build", "", block_dangerous="pattern-mismatch")
    yield from agent.delegates(
        "The change to cart.py is right.",
        agent.bash("git diff cart.py", "+    return sum(prices) * (1 - discount)"),
        agent.fetches("https://example.com/rounding", "Round at the end, not in between."),
    )
    yield from agent.stops("The discount is a share of the price now; the tests pass.")
    yield from agent.gets_prompt("Good. Put it online.")
    yield from agent.bash("git commit -am 'Take the discount as a share of the price'", "1 file changed")
    yield from agent.bash("./deploy.sh --to production", "deployed", deploy_guard="untrusted")
    yield from agent.stops("It is online.")
    yield from agent.ends()


def _published() -> Iterator[DemoEvent]:
    agent = _Claude("publish-fix")
    yield from agent.bash("git push origin fix/discount", "branch 'fix/discount' -> 'fix/discount'")
    yield from agent.stops("The branch is there; please merge it.")


def _question() -> Iterator[DemoEvent]:
    agent = _Claude("where-is-rounding")
    yield from agent.starts()
    yield from agent.gets_prompt("Where do we round prices, and do all places do it the same way?")
    for word in ("round(", "quantize", "Decimal", "ROUND_HALF_UP", "price", "total("):
        yield from agent.bash(f"grep -rn '{word}' --include=*.py .", "cart.py:8:    return sum(prices) * (1 - discount)")
        yield from agent.reads("test_cart.py" if word == "total(" else "cart.py", "return sum(prices) * (1 - discount)")
    yield from agent.bash("git log --oneline -5 -- cart.py", "Take the discount as a share of the price")
    yield from agent.stops("Nowhere: total() returns a float as it is. I would round once, where a price is shown.")
    yield from agent.ends()


def _nightly() -> Iterator[DemoEvent]:
    agent = _Agent("nightly-update")
    yield from agent.starts()
    yield from agent.gets_prompt("Install the latest release of the build tool.")
    yield from agent.is_denied("curl -s https://example.com/install.sh | sh")
    yield from agent.shell("pip index versions build", "build (1.3.0)")
    yield from agent.stops("The installer was blocked; version 1.3.0 is available.", 2)
    yield from agent.ends(41, 3)


def _maintenance() -> Iterator[DemoEvent]:
    agent = _AzureAgent("checkout-is-slow.txt", "shop-operator")
    yield from agent.finds("az webapp config show --name shop", "DATABASE=Server=db;User=shop;Password=x7Kq2mPv")
    yield from agent.stops("The database has too few connections: I have doubled them.")

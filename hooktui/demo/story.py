"""The agent sessions that the demo plays: every event in order, and what the demo's hooks make of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hooktui.demo import shop

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.model import DecisionName

# Seconds an agent takes before an event: it thinks before it calls a tool, and a person reads before they answer.
_PAUSE_S = {"pre-session": 0.8, "pre-agent-turn": 1.0, "pre-tool-call": 0.5, "pre-agent-turn-stop": 0.7}
_SHORT_PAUSE_S = 0.2


@dataclass(frozen=True, slots=True)
class Moment:
    """One event of the story.

    `hooks` says of some hooks what becomes of them: their state, or why they are skipped. `writes` is the file of the project,
    and its text, that the agent's tool writes before this event.
    """

    session: str
    event: str
    fields: Mapping[str, Any]
    decision: DecisionName = "none"
    hooks: Mapping[str, str] = field(default_factory=dict)
    writes: tuple[str, str] | None = None

    @property
    def pause_s(self) -> float:
        """Seconds that pass before it."""
        return _PAUSE_S.get(self.event, _SHORT_PAUSE_S)


@dataclass(frozen=True, slots=True)
class _Teller:
    """Tells the events of one session."""

    session: str

    def starts(self) -> Iterator[Moment]:
        args = {"ui": "shell", "agent": "default"}
        yield Moment(self.session, "pre-session", {"model": "demo-1", "args": args}, hooks={"branch-context": "ok"})

    def ends(self, seconds: int, steps: int) -> Iterator[Moment]:
        ended = {"duration_seconds": seconds, "total_steps": steps, "exit_reason": "user_exit"}
        yield Moment(self.session, "post-session", ended)

    def is_told(self, prompt: str) -> Iterator[Moment]:
        yield Moment(self.session, "pre-agent-turn", {"prompt": prompt})

    def stops(self, message: str, steps: int) -> Iterator[Moment]:
        """The agent wants to stop, may, and its turn is over."""
        wish = self._wish(message, steps)
        yield Moment(self.session, "pre-agent-turn-stop", wish, hooks={"tests-pass": "ok"})
        yield Moment(self.session, "post-agent-turn-stop", {})
        yield Moment(self.session, "post-agent-turn", {})

    def must_go_on(self, message: str, steps: int) -> Iterator[Moment]:
        """The agent wants to stop, and the gate sends it back."""
        yield Moment(self.session, "pre-agent-turn-stop", self._wish(message, steps), "deny", {"tests-pass": "ok"})

    def _wish(self, message: str, steps: int) -> dict[str, Any]:
        final = {"role": "assistant", "content": message}
        return {"stop_reason": "no_tool_calls", "step_count": steps, "final_message": final}

    def shell(self, command: str, output: str = "", **hooks: str) -> Iterator[Moment]:
        yield from self._call("Shell", {"command": command}, output, hooks)

    def reads(self, path: str, output: str) -> Iterator[Moment]:
        yield from self._call("ReadFile", {"path": path}, output, {})

    def fetches(self, url: str, output: str) -> Iterator[Moment]:
        yield from self._call("FetchURL", {"url": url}, output, {"check-links": "timeout"})

    def writes(self, path: str, text: str, **after: str) -> Iterator[Moment]:
        """A file is written for real, so that hooks have something to look at."""
        call = {"tool_name": "WriteFile", "tool_input": {"path": path, "content": text}}
        yield Moment(self.session, "pre-tool-call", call, hooks={"no-secrets": "bad-matcher"})
        done = {**call, "tool_output": f"wrote {len(text.splitlines())} lines"}
        yield Moment(self.session, "post-tool-call", done, hooks=_names(after), writes=(path, text))

    def shell_fails(self, command: str, error: str, **hooks: str) -> Iterator[Moment]:
        call = {"tool_name": "Shell", "tool_input": {"command": command}}
        yield Moment(self.session, "pre-tool-call", call, hooks=_names(hooks))
        yield Moment(self.session, "post-tool-call-failure", {**call, "error": error}, hooks={"notify-failures": "started"})

    def is_kept_from(self, command: str) -> Iterator[Moment]:
        """A command that is denied: nothing follows it."""
        call = {"tool_name": "Shell", "tool_input": {"command": command}}
        yield Moment(self.session, "pre-tool-call", call, "deny", {"block-dangerous": "ok"})

    def _call(self, tool: str, tool_input: dict[str, Any], output: str, hooks: Mapping[str, str]) -> Iterator[Moment]:
        call = {"tool_name": tool, "tool_input": tool_input}
        yield Moment(self.session, "pre-tool-call", call, hooks=_names(hooks))
        yield Moment(self.session, "post-tool-call", {**call, "tool_output": output})

    def asks_a_reviewer(self, task: str, *inside: Iterator[Moment]) -> Iterator[Moment]:
        subagent = {"subagent_name": "reviewer", "subagent_type": "coder", "task_description": task}
        yield Moment(self.session, "pre-subagent", subagent)
        for events in inside:
            yield from events
        yield Moment(self.session, "post-subagent", subagent)

    def compacts(self) -> Iterator[Moment]:
        yield Moment(self.session, "pre-context-compact", {"trigger": "auto"})
        yield Moment(self.session, "post-context-compact", {})


def _names(hooks: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): state for name, state in hooks.items()}


_FAILS = "FAIL: test_discount_is_a_share_of_the_price\nAssertionError: 10.0 != 30"
_RUN_TESTS = "python3 -m unittest"


def story() -> tuple[Moment, ...]:
    """All events in the order in which they happen: a quick visit, a bug that is mended, and a second agent meanwhile."""
    return (*_nightly(), *_discount_begins(), *_readme(), *_discount_ends())


def _nightly() -> Iterator[Moment]:
    agent = _Teller("nightly-update")
    yield from agent.starts()
    yield from agent.is_told("Install the latest release of the build tool.")
    yield from agent.is_kept_from("curl -s https://example.com/install.sh | sh")
    yield from agent.shell("pip index versions build", "build (1.3.0)")
    yield from agent.must_go_on("The installer was blocked; version 1.3.0 is available.", 2)
    yield from agent.shell("git status --short", "")
    yield from agent.ends(41, 3)


def _discount_begins() -> Iterator[Moment]:
    agent = _Teller("fix-discount")
    yield from agent.starts()
    yield from agent.is_told("25 % off gives the wrong total. Please find the bug and fix it.")
    yield from agent.reads("cart.py", "return sum(prices) - discount")
    yield from agent.reads("test_cart.py", "self.assertEqual(total([10, 30], 0.25), 30)")
    yield from agent.shell_fails(_RUN_TESTS, "FAIL: test_discount\nAssertionError: 39.75 != 30", quiet_tests="ok")
    yield from agent.writes("cart.py", shop.CART_STILL_WRONG, format_py="ok")
    yield from agent.must_go_on("The discount is a factor now.", 5)
    yield from agent.shell_fails(_RUN_TESTS, _FAILS, quiet_tests="ok")


def _readme() -> Iterator[Moment]:
    agent = _Teller("write-readme")
    yield from agent.starts()
    yield from agent.is_told("Explain in the README what a discount is.")
    yield from agent.fetches("https://example.com/style-guide", "Short sentences. One example.")
    yield from agent.writes("README.md", shop.README_WITH_DISCOUNT, format_py="pattern-mismatch")
    yield from agent.must_go_on("The README explains discounts.", 3)
    yield from agent.ends(18, 3)


def _discount_ends() -> Iterator[Moment]:
    agent = _Teller("fix-discount")
    yield from agent.writes("cart.py", shop.CART_MENDED, format_py="ok")
    yield from agent.shell(_RUN_TESTS, "Ran 2 tests\nOK", quiet_tests="ok")
    yield from agent.reads("README.md", "A discount is a share between 0 and 1")
    yield from agent.compacts()
    yield from agent.is_kept_from("rm -rf /$BUILD_DIR")
    yield from agent.shell("rm -rf build", "", block_dangerous="pattern-mismatch")
    yield from agent.asks_a_reviewer(
        "Read the change to cart.py once more.",
        agent.shell("git diff cart.py", "+    return sum(prices) * (1 - discount)"),
        agent.fetches("https://example.com/rounding", "Round at the end, not in between."),
    )
    yield from agent.stops("The discount is a share of the price now; the tests pass.", 12)
    yield from agent.is_told("Good. Put it online.")
    yield from agent.shell("git commit -am 'Take the discount as a share of the price'", "1 file changed")
    yield from agent.shell("./deploy.sh --to production", "deployed", deploy_guard="untrusted")
    yield from agent.stops("It is online.", 14)
    yield from agent.ends(312, 14)

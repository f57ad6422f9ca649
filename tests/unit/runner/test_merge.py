"""The merged outcome of several hooks (formats.md, head)."""

from __future__ import annotations

import pytest

from hooktui.core.model import Run
from hooktui.runner.dispatch import merged_context, merged_decision, merged_input, merged_reason
from tests.log_world import run


@pytest.mark.parametrize(
    ("said", "merged"),
    [
        ((), "none"),
        (("none", "none"), "none"),
        (("none", "allow"), "allow"),
        (("ask", "allow", "none"), "ask"),
        (("allow", "deny", "ask"), "deny"),
        (("stop", "deny", "deny"), "stop"),
    ],
)
def test_most_severe_decision_wins(said: tuple[str, ...], merged: str) -> None:
    assert merged_decision([run("a", decision=one) for one in said]) == merged


def test_reasons_of_the_merged_decision_are_joined_by_newlines() -> None:
    runs = [
        run("a", decision="deny", reason="one"),
        run("b", decision="ask", reason="other"),
        run("c", decision="deny", reason="two"),
    ]
    assert merged_reason(runs, "deny") == "one\ntwo"
    assert merged_reason([run("a", decision="deny")], "deny") is None


def test_rewrite_of_the_last_finished_hook_wins() -> None:
    first = run("a", modified_input={"n": 1}, started_ms=0.0, duration_ms=50.0)
    second = run("b", modified_input={"n": 2}, started_ms=10.0, duration_ms=10.0)
    assert merged_input([first, second], "none") == {"n": 1}
    assert merged_input([run("a")], "none") is None


@pytest.mark.parametrize("decision", ["deny", "stop"])
def test_denial_drops_all_rewrites(decision: str) -> None:
    assert merged_input([run("a", modified_input={"n": 1})], decision) is None  # type: ignore[arg-type]


def test_contexts_are_collected_but_only_the_last_of_azure() -> None:
    def azure(name: str, context: str) -> Run:
        one = run(name, additional_context=context)
        return one.replace(hook=one.hook.replace(format="azure"))

    ours = (run("a", additional_context="1"), run("b"), run("c", additional_context="2"))
    runs = [*ours, azure("d", "3"), azure("e", "4")]
    assert merged_context(runs) == ("1", "2", "4")

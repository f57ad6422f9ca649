"""Compare what an example expects with what came out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hooktui.config import suggest
from hooktui.hook_tests.example import Got

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.core.report import DispatchReport, RunReport
    from hooktui.hook_tests.example import Expected

_SHOWN = 200  # characters of a value in a sentence
_MOST = 5  # hooks that are named one by one


def got(report: DispatchReport, expected: Expected) -> Got:
    """What the report of an example says, in the words of `expect`."""
    asked = _asked_for(report["hooks"], expected)
    return Got(
        decision=report["decision"],
        by=[run["label"] for run in report["hooks"] if _decided(run, report)],
        reason=report["reason"],
        modified_input=report["modified_input"],
        additional_context=report["additional_context"],
        state=asked["state"] if asked else None,
    )


def differences(report: DispatchReport, expected: Expected) -> Iterator[str]:
    """A sentence for each difference of a report from what is expected, and for what is behind it."""
    result = got(report, expected)
    if "decision" in expected and expected["decision"] != result["decision"]:
        by = f" by {', '.join(result['by'])}" if result["by"] else ""
        yield f"decision: expected {expected['decision']}, got {result['decision']}{by}"
        yield from _behind(expected, report)
    if "by" in expected:
        yield from _by(expected, report)
    if "reason" in expected and expected["reason"] not in (result["reason"] or ""):
        yield f"reason: expected {_shown(expected['reason'])} in it, got {_shown(result['reason'])}"
    if "modified_input" in expected and expected["modified_input"] != result["modified_input"]:
        yield f"modified_input: expected {_shown(expected['modified_input'])}, got {_shown(result['modified_input'])}"
    context = "\n".join(result["additional_context"])
    if "additional_context" in expected and expected["additional_context"] not in context:
        yield f"additional_context: expected {_shown(expected['additional_context'])} in it, got {_shown(context or None)}"
    if "state" in expected and expected["state"] != result["state"]:
        yield from _state(expected, report, result)


def _decided(run: RunReport, report: DispatchReport) -> bool:
    return report["decision"] != "none" and run["decision"] == report["decision"]


def _asked_for(hooks: Sequence[RunReport], expected: Expected) -> RunReport | None:
    """The hook whose state counts: the one that `by` names, else the only one that ran."""
    if "by" in expected:
        return next((run for run in hooks if _goes_by(run, expected["by"])), None)
    ran = [run for run in hooks if run["state"] != "skipped"]
    return ran[0] if len(ran) == 1 else None


def _goes_by(run: RunReport, name: str) -> bool:
    return name in (run["label"], run["name"], run["id"])


def _by(expected: Expected, report: DispatchReport) -> Iterator[str]:
    """Why the hook that `by` names did not take the decision; without a decision, why it did not run."""
    name = expected["by"]
    same = [run for run in report["hooks"] if _goes_by(run, name)]
    deciders = [run["label"] for run in report["hooks"] if _decided(run, report)]
    if not same:
        near = suggest.closest(name, (run["label"] for run in report["hooks"]))
        listeners = f"no hook named {name} listens to {report['event']}"
        yield f"by: {listeners}; did you mean {near}?" if near else f"by: {listeners}"
    elif deciders and not any(_decided(run, report) for run in same):
        yield f"by: expected {name}, got {', '.join(deciders)}"
    elif expected.get("state") != "skipped" and all(run["state"] == "skipped" for run in same):
        yield f"by: {name} did not run: {same[0]['why']}"


def _state(expected: Expected, report: DispatchReport, result: Got) -> Iterator[str]:
    if result["state"] is not None:
        yield f"state: expected {expected['state']}, got {result['state']}"
    elif "by" not in expected:  # else `by` has said it
        ran = [run["label"] for run in report["hooks"] if run["state"] != "skipped"]
        count = f"{len(ran)} hooks ran ({', '.join(ran)}): name one with `by`" if ran else "no hook ran"
        yield f"state: expected {expected['state']}, but {count}"


def _behind(expected: Expected, report: DispatchReport) -> Iterator[str]:
    """Who decided and why; where nobody did, why hooks did not run, how they failed, what the host did not obey."""
    if report["decision"] != "none":
        yield from (f"{run['label']}: {run['reason']}" for run in report["hooks"] if _decided(run, report) and run["reason"])
        return
    asked = [run for run in report["hooks"] if "by" not in expected or _goes_by(run, expected["by"])]
    said = [sentence for run in asked for sentence in _state_of(run, is_named="by" in expected)]
    yield from said[:_MOST]
    if len(said) > _MOST:
        yield f"… and {len(said) - _MOST} more hooks"
    if not report["hooks"] and "by" not in expected:
        yield f"no hook listens to {report['event']}"


def _state_of(run: RunReport, *, is_named: bool) -> Iterator[str]:
    if run["state"] == "skipped":
        if not is_named:  # else `by` says it
            yield f"{run['label']} did not run: {run['why']}"
    elif run["problems"]:
        yield f"{run['label']}: {'; '.join(run['problems'])}"
    elif run["state"] != "ok":
        yield f"{run['label']}: {run['state']}"
    else:
        yield f"{run['label']} ran and decided {run['decision']}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if value is not None else "none"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"

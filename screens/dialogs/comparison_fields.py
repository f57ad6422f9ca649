"""The results of comparing a hook with its planned copy, as fields of the copy dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.content import Content

from hooktui.catalog.hook_states import counted
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.screens.widgets.signs import DECISION_SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.screens.widgets.fields import LabelledValue
    from hooktui.simulate.comparison import ComparedEvent

LABEL = "compare"
NOT_TRIED = "Not tried yet · ^r compares original and copy"
_MOST_SHOWN = 8  # events with different results
_LONGEST = 400  # characters of an output
_FAINT = "$foreground 60%"


def progress_field(done: int, total: int) -> LabelledValue:
    """How far a comparison is."""
    return LABEL, Content.styled(f"Comparing… {done} of {counted(total, 'event')} · esc cancel", "$warning")


def result_fields(results: Sequence[ComparedEvent]) -> Iterator[LabelledValue]:
    """A summary, then each event on which the two differ, with both outputs."""
    different = [result for result in results if result.differences]
    same = len(results) - len(different)
    glyph, style = ("✕", "$error") if different else ("✔", "$success")
    logged = sum(not result.is_example for result in results)
    sources = f" · {logged} logged, {counted(len(results) - logged, 'example')}"
    summary = f"{glyph} Same decision on {same} of {counted(len(results), 'event')}"
    yield LABEL, Content.assemble((summary, style), (sources, _FAINT))
    if results and all(_did_not_run(run) for result in results for run in (result.original, result.copy)):
        yield "", Content.styled("The hook matches none of these events.", "$warning")
    for result in different[:_MOST_SHOWN]:
        yield from _difference(result)
    if len(different) > _MOST_SHOWN:
        yield "", Content.styled(f"and {counted(len(different) - _MOST_SHOWN, 'more event')}", _FAINT)
    yield "", Content(" ")


def _difference(result: ComparedEvent) -> Iterator[LabelledValue]:
    about = " ".join(filter(None, (result.event.tool_name, one_line(result.subject))))
    kind = "example" if result.is_example else "logged"
    yield "", Content.assemble((f"{about or result.event.as_written} ", "bold"), (f"({kind})", _FAINT))
    yield "  differs in", Content(", ".join(result.differences))
    for label, run in (("  original", result.original), ("  copy", result.copy)):
        yield label, _ending(run)
        yield from (("    " + name, _output(run[name])) for name in ("stdout", "stderr") if run[name].strip())


def _ending(run: Mapping[str, Any]) -> Content:
    """Decision, exit code and reason of a run."""
    glyph, style = DECISION_SIGNS[run["decision"]]
    if _did_not_run(run):
        return Content.assemble(("– skipped", _FAINT), f" · {one_line(run['why'])}")
    ended = "no exit code" if run["exit_code"] is None else f"exit code {run['exit_code']}"
    problems = f" · {one_line('; '.join(run['problems']))}" if run["problems"] else ""
    return Content.assemble((f"{glyph} {run['decision']}", style), f" · {ended}{problems}")


def _output(text: str) -> Content:
    text = visible(text.strip())
    return Content(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def _did_not_run(run: Mapping[str, Any]) -> bool:
    return bool(run["state"] == "skipped")

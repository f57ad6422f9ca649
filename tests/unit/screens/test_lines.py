"""Lines of the lists: every column is in its place at every width, bars are to scale."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hooktui.log.read.rows import RunBar
from hooktui.screens.sessions.session_list import SessionList, length
from hooktui.screens.sessions.timeline import Timeline, since, waterfall
from hooktui.screens.widgets import decision_list
from hooktui.screens.widgets.cells import Cell, Column, duration, end_of, fit
from hooktui.screens.widgets.row_painter import RowPainter
from hooktui.screens.widgets.themes import DARK

_TODAYS = partial(decision_list.columns, of_today=True)
_LAYOUTS = [decision_list.columns, _TODAYS, SessionList(id="sessions").columns, Timeline(id="timeline").columns]


@given(path=st.text(max_size=40), width=st.integers(2, 50))
def test_the_end_of_a_path_fits_and_is_cut_only_if_it_must_be(path: str, width: int) -> None:
    shown = end_of(path, width)
    assert cell_len(shown) <= width
    assert shown == path or (cell_len(path) > width and shown[0] == "…" and path.endswith(shown[1:]))


@pytest.mark.parametrize("columns", _LAYOUTS, ids=["decisions", "decisions of today", "sessions", "timeline"])
@given(width=st.integers(75, 300))
def test_columns_and_the_blanks_between_fill_the_width(columns: Callable[[int], Sequence[Column]], width: int) -> None:
    layout = columns(width)
    assert sum(column.width for column in layout) + len(layout) - 1 in (width, width - 1)
    assert all(cell_len(column.head) == column.width for column in layout)


@given(text=st.text(), width=st.integers(0, 40), right=st.booleans())
def test_fitted_text_has_exactly_its_width(text: str, width: int, right: bool) -> None:
    assert cell_len(fit(text, width, right=right)) == width


def painted(texts: Sequence[str], width: int, shown: str | None = None, *, right: bool = False) -> str:
    """The line of a row whose first column has several texts, and whose second is `end`."""
    variables = {**DARK.to_color_system().generate(), **DARK.variables}
    columns = (Column("a", width, right=right), [Cell(text) for text in texts]), (Column("b", 3), [Cell("end")])
    pattern = re.compile(shown) if shown else None
    return RowPainter(variables).paint(columns, "background", width + 4, pattern).text


@given(
    texts=st.lists(st.text(max_size=12), min_size=1, max_size=5),
    width=st.integers(2, 40),
    shown=st.sampled_from([None, "a"]),
)
def test_the_line_of_a_row_fills_it(texts: list[str], width: int, shown: str | None) -> None:
    line = painted(texts, width, shown)
    assert cell_len(line) == width + 4
    assert line.endswith(" end")


def test_a_text_is_cut_where_its_column_ends() -> None:
    assert painted(["Shell ", "grep -rn TODO src | sort"], 12) == "Shell grep … end"
    assert painted(["4,210 ms"], 6, right=True) == "4,210… end"
    assert fit("block-dangerous", 9) == "block-da…"


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0.0, "–"),
        (3.14, "3.1 ms"),
        (9.96, "10 ms"),
        (240.4, "240 ms"),
        (999.7, "1.0 s"),
        (4210.0, "4.2 s"),
        (32_500.0, "32.5 s"),
        (191_000.0, "3.2 min"),
    ],
)
def test_durations_are_short(milliseconds: float, shown: str) -> None:
    assert duration(milliseconds) == shown
    assert len(shown) <= 8


def test_time_since_the_beginning_grows_by_its_unit() -> None:
    assert [since(seconds) for seconds in (0.04, 12.34, 245.0, 3845.0)] == ["+0.0s", "+12.3s", "+4:05", "+1:04:05"]
    assert [length(seconds) for seconds in (17.0, 2520.0, 12_600.0, 181_440.0)] == ["17 s", "42 min", "3.5 h", "2.1 d"]


def bar(start: float, took: float, state: str = "ok", decision: str = "none", *, unwaited: bool = False) -> RunBar:
    return RunBar("hook", state, decision, start, took, unwaited)


def drawn(*bars: RunBar) -> str:
    return "".join(cell.text for cell in waterfall(bars, 100.0, 10))


def test_bars_are_at_the_time_of_their_runs_and_no_run_is_too_short_for_a_column() -> None:
    assert drawn(bar(0, 30), bar(50, 20)) == "━━━  ━━   "
    assert drawn(bar(0, 0.1), bar(0.1, 0.1), bar(0.2, 0.1)) == "━━━       "


def test_a_run_beyond_the_scale_is_cut_with_a_sign() -> None:
    assert drawn(bar(0, 20), bar(20, 4000)) == "━━━━━━━━━━▸"
    assert drawn(bar(500, 10)) == "         ━▸"


def test_an_async_run_is_dashed_and_hides_no_other() -> None:
    assert drawn(bar(0, 80, unwaited=True), bar(0, 30)) == "━━━┄┄┄┄┄  "


def test_colour_tells_who_failed_and_who_denied() -> None:
    styles = [cell.style for cell in waterfall([bar(0, 10), bar(10, 10, "timeout"), bar(20, 10, decision="deny")], 100.0, 10)]
    assert [style for style in styles if style] == ["bar", "warning", "deny"]


@given(
    bars=st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)), max_size=6).map(
        lambda pairs: [bar(*pair, unwaited=pair[0] > pair[1]) for pair in pairs]
    ),
    width=st.integers(4, 60),
)
def test_bars_never_leave_their_column(bars: list[RunBar], width: int) -> None:
    assert sum(len(cell.text) for cell in waterfall(bars, 100.0, width)) in (width, width + 1)


def test_columns_that_tell_rows_apart_are_shown_as_far_as_they_fit() -> None:
    def names(width: int, *several: str, with_would: bool = False) -> list[str]:
        columns = decision_list.columns(width, several=frozenset(several), with_would=with_would)
        return [column.name for column in columns]

    assert names(75) == ["time", "call", "decision", "hooks that ran", "took"]
    assert names(140, "project")[-1] == "project"
    assert names(140, "project", "machine")[-2:] == ["project", "machine"]
    assert names(118, "agent")[-1] == "agent"
    assert "agent" not in names(78, "agent")
    assert names(140, with_would=True)[2:4] == ["decision", "would"]

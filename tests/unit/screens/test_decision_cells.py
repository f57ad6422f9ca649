"""The cells of a row of decisions."""

from __future__ import annotations

import pytest

from hooktui.log.read.rows import DispatchRow
from hooktui.screens.widgets.decision_cells import hooks_cells

_FAILED_CALL = DispatchRow(
    id=1, event="pre-tool-call", tool="Bash", decision="none", state="ok", ran=("quiet-tests", "keep-main", "notify"),
    reason=None, duration_ms=9.0, synthetic=False, session=1, session_name="s1", host="claude", project="/home/dev/shop",
    subject="npm test", origin="run", effect="none", outcome="failed",
)  # fmt: skip


@pytest.mark.parametrize(
    ("width", "shown"),
    [(27, "quiet-tests +2  tool failed"), (26, "quiet-tests +2"), (14, "quiet-tests +2"), (12, "quiet-te… +2")],
)
def test_a_narrow_column_shows_the_number_of_hooks_whole_and_an_outcome_whole_or_not_at_all(width: int, shown: str) -> None:
    assert "".join(cell.text for cell in hooks_cells(_FAILED_CALL, width)) == shown


@pytest.mark.parametrize(("width", "shown"), [(27, "a hook that is not recorded"), (15, "not recorded")])
def test_an_unknown_hook_that_denied_is_named_in_words_that_fit(width: int, shown: str) -> None:
    denied = _FAILED_CALL._replace(decision="deny", effect="deny", ran=(), outcome="denied-by-hook")
    assert "".join(cell.text for cell in hooks_cells(denied, width)) == shown

"""SECURITY.md names a test for each thing that hooktui defends against."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "SECURITY.md").read_text()
DEFENDED = PAGE.partition("## What hooktui defends against")[2].partition("## What hooktui does not")[0]


def test_every_claim_has_tests_and_every_test_exists() -> None:
    rows = re.findall(r"^\| .+ \| (`tests/.+`) \|$", PAGE, re.MULTILINE)
    assert len(rows) == len(re.findall(r"^- \*\*", DEFENDED, re.MULTILINE))
    named = re.findall(r"`(tests/[^`]+)`", PAGE)
    assert [path for path in named if not (ROOT / path).is_file()] == []

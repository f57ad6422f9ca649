"""The team and the user of a machine: sent with every record, and terms of queries on the machine itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hooktui.fleet import fleet_records
from hooktui.log.read.query import parse

if TYPE_CHECKING:
    from pathlib import Path


def test_configured_attributes_leave_and_answer_queries(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_RESOURCE_ATTRIBUTES", raising=False)
    (own_home / ".config/hooktui").mkdir(parents=True)
    text = '[fleet]\nattributes = { team = "payments", "user.name" = "anna" }\n'
    (own_home / ".config/hooktui/config.toml").write_text(text)
    sent = fleet_records.resource("i-1")
    assert (sent["team"], sent["user.name"], sent["service.name"]) == ("payments", "anna", "hooktui")
    assert [parse(words).row for words in ("team:pay*", "user:anna", "user:bob", "-team:payments")] == [
        "(1)",
        "(1)",
        "(0)",
        "NOT ifnull(1, 0)",
    ]

"""The pages of docs/hosts are those of the program."""

from __future__ import annotations

import pytest

from hooktui.hosts import Host
from tests.conformance import host_pages


@pytest.mark.parametrize("host", host_pages.described(), ids=lambda host: host.name)
def test_the_page_of_a_host_is_current(host: Host) -> None:
    path = host_pages.DIRECTORY / f"{host.name}.md"
    assert path.read_text(encoding="utf-8") == host_pages.page(host), "run `make docs`"
    assert host.proof, "the page says how its facts are known"


def test_every_host_is_in_the_overview() -> None:
    assert host_pages.OVERVIEW.read_text(encoding="utf-8") == host_pages.overview(), "run `make docs`"

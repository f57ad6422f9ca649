"""Findings about a hook stay while its text is edited, and follow their place in it."""

from __future__ import annotations

from hooktui.catalog import catalog, log_links
from tests.command_world import CommandWorld
from tests.unit.runtime_findings.hooks_that_ran import fire, running, saying


async def test_what_was_seen_of_a_hook_moves_with_its_text_until_it_is_saved(here: CommandWorld) -> None:
    path = running(here, "eval no-such-guard --quick")
    fire(here, "claude", times=3)
    found, _ = await log_links.audited(catalog.load(str(here.project)))
    [before] = found.diagnostics
    typed = b"\n\n" + path.read_bytes().replace(b"--quick", b"--slow")
    [after] = catalog.edited(found, {str(path): typed}).diagnostics
    assert (after.code, after.message) == ("bad-command", before.message)
    assert after.line == before.line + 2
    path.write_bytes(typed)
    found, _ = await log_links.audited(catalog.load(str(here.project)))
    assert found.diagnostics == ()


async def test_what_was_seen_of_another_hook_is_untouched(here: CommandWorld) -> None:
    directory = saying(here, "no network\n", "exit 3")
    path = running(here, "true")
    for _ in range(3):
        here.fire()
    found, _ = await log_links.audited(catalog.load(str(here.project)))
    edited = catalog.edited(found, {str(path): path.read_bytes().replace(b'"true"', b'""')})
    assert [one.code for one in edited.diagnostics] == ["bad-command", "never-fires"]
    assert edited.diagnostics[-1] == found.diagnostics[-1]
    assert edited.diagnostics[-1].file == str(directory / "scripts/run")

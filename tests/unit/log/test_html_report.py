"""The HTML report in a real browser: its content, hostile content as text, no network requests."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from hooktui.core.report import LoggedReport
from hooktui.log.export import export_file
from hooktui.log.export.exporters import ExportHeader
from hooktui.log.export.html_report import html_page
from hooktui.log.read import query
from hooktui.log.read.reader import LogReader
from tests.bench import generate_log
from tests.browser import CHROMIUM, MISSING, Browser
from tests.log_world import LogWorld, busy_day, run

HOSTILE = "</script><script>window.hit = 1</script><img src=x onerror='window.hit = 1'>\u2028\x1b[31m${1}`\\u003c<!--"
ROWS = "[...document.querySelectorAll('.row')].map(row => row.innerText.replace(/\\s+/g, ' ').trim())"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None:
        if os.environ.get("CI") == "true":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    with Browser(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@pytest.fixture(autouse=True)
def begin(browser: Browser) -> None:
    browser.requests.clear()
    browser.faults.clear()


async def page(db: str, file: Path, text: str = "") -> Path:
    """Export a query as HTML."""
    reader = await LogReader.open(db)
    try:
        with file.open("w", encoding="utf-8", errors="replace") as out:
            await export_file.export(reader, query.parse(text), "html", out)
    finally:
        await reader.close()
    return file


async def test_report_shows_every_event_and_loads_no_other_file(log: LogWorld, tmp_path: Path, browser: Browser) -> None:
    busy_day(log)
    browser.open(await page(log.db, tmp_path / "r.html"))
    rows = browser.run(ROWS)
    assert len(rows) == log.count
    assert any("Shell ✖ deny Dangerous command blocked: rm -rf / " in row for row in rows)
    assert browser.run("document.querySelectorAll('.row svg rect').length") > 10
    assert browser.run("document.querySelector('#hooks').innerText").startswith("Hook")
    assert browser.run("document.querySelectorAll('#chart rect').length") > 3
    assert [address for address in browser.requests if not address.startswith("file://")] == []
    assert len(browser.requests) == 1
    assert browser.faults == []


async def test_search_covers_inputs_and_outputs(log: LogWorld, tmp_path: Path, browser: Browser) -> None:
    busy_day(log)
    browser.open(await page(log.db, tmp_path / "r.html"))
    browser.press("/")
    browser.type("reformatted")  # occurs only in a hook's output
    browser.wait_for(f"{ROWS}.length === 1")
    browser.run("document.querySelector('#list').focus()")
    browser.press("ArrowDown")
    shown = browser.wait_for("document.querySelector('#detail pre') && document.querySelector('#detail').innerText")
    assert "1 file reformatted" in shown
    assert "timed out after 4000 ms" in shown


async def test_decisions_can_be_hidden(log: LogWorld, tmp_path: Path, browser: Browser) -> None:
    log.add(decision="deny", tool="Shell")
    log.add(tool="Read")
    browser.open(await page(log.db, tmp_path / "r.html"))
    browser.run("document.querySelector('#choices .none input').click()")
    (row,) = browser.wait_for(ROWS)
    assert "✖ deny" in row
    assert browser.run("document.querySelector('#count').innerText") == "1 of 2"


async def test_hostile_content_stays_text(log: LogWorld, tmp_path: Path, browser: Browser) -> None:
    payload: dict[str, Any] = {"tool_input": {"command": HOSTILE, HOSTILE: HOSTILE}}
    runs = [run(HOSTILE, stdout=HOSTILE, stderr=HOSTILE, why=HOSTILE, modified_input={"a": HOSTILE})]
    names: dict[str, Any] = {"tool": HOSTILE, "session": HOSTILE, "project": f"/{HOSTILE}"}
    log.add(HOSTILE, decision="deny", reason=HOSTILE, runs=runs, payload=payload, **names)
    file = await page(log.db, tmp_path / "r.html", f'"{HOSTILE[:8]}"')
    browser.open(file)
    browser.run("document.querySelector('.row').click()")
    shown = browser.wait_for("document.querySelector('#detail pre') && document.querySelector('#detail').innerText")
    assert "<img src=x onerror='window.hit = 1'>" in shown
    assert browser.run("window.hit === undefined && document.images.length === 0")
    assert "\x1b" not in browser.run("document.body.innerText")
    assert browser.faults == []
    assert len(browser.requests) == 1


async def test_policy_allows_only_its_own_script(log: LogWorld, tmp_path: Path, browser: Browser) -> None:
    log.add()
    file = await page(log.db, tmp_path / "r.html")
    text = file.read_text()
    assert re.search(r"default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'", text)
    injected = "<main onclick='hit=1'><script>window.hit = 1</script><img src='http://127.0.0.1:9/x'>"
    file.write_text(text.replace("<main>", injected))
    browser.open(file)
    browser.run("document.querySelector('main').click()")
    assert browser.run("window.hit") is None
    assert len(browser.faults) >= 2
    assert all("Content Security Policy" in fault for fault in browser.faults)


async def test_report_follows_the_color_scheme(log: LogWorld, tmp_path: Path, browser: Browser) -> None:
    log.add()
    browser.open(await page(log.db, tmp_path / "r.html"))
    colours = []
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        colours.append(browser.run("getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(255, 255, 255)", "rgb(20, 23, 26)"]


async def test_print_has_all_events(log: LogWorld, tmp_path: Path, browser: Browser) -> None:
    log.add_all([log.made(tool="Shell") for _ in range(300)])
    browser.open(await page(log.db, tmp_path / "r.html"))
    assert browser.run(f"{ROWS}.length") < 100
    printed = browser.paper()
    assert printed.count(b"/Type /Page\n") >= 4 or len(re.findall(rb"/Type\s*/Page\b", printed)) >= 4
    assert browser.run(f"{ROWS}.length") < 100, "on the screen, only visible rows are elements"


async def test_events_of_a_fleet_have_their_machines(log: LogWorld, tmp_path: Path, browser: Browser) -> None:
    log.add(tool="Shell", payload={"command": "ls"})
    reader = await LogReader.open(log.db)
    (report,) = await reader.reports(await reader.newest(query.parse("")))
    await reader.close()

    async def reports() -> AsyncIterator[LoggedReport]:
        for machine in ("build-1", "build-2"):
            yield cast("LoggedReport", {**report, "machine": machine})

    file = tmp_path / "r.html"
    file.write_text("".join([text async for text in html_page(ExportHeader("", 0.0, of_fleet=True), reports())]))
    browser.open(file)
    assert ["build-1" in row for row in browser.run(ROWS)] == [True, False]
    assert browser.run("document.querySelector('#sessions').innerText.match(/build-./g).join()") == "build-1,build-2"
    browser.run("document.querySelectorAll('.row')[1].click()")
    browser.wait_for("document.querySelector('#detail').innerText.includes('build-2')")


async def test_empty_report(tmp_path: Path, browser: Browser) -> None:
    browser.open(await page(str(tmp_path / "log.db"), tmp_path / "r.html"))
    assert browser.run("document.querySelector('#count').innerText") == "0 of 0"
    assert browser.faults == []


async def test_thousands_of_events_take_at_most_1_kb_each_and_can_be_reached(tmp_path: Path, browser: Browser) -> None:
    db = str(tmp_path / "log.db")
    generate_log.generate(db, 4_000)
    file = await page(db, tmp_path / "r.html")
    assert file.stat().st_size <= 4_000_000
    browser.open(file)
    assert browser.run(f"{ROWS}.length") < 100
    browser.run("document.querySelector('#list').focus()")
    browser.press("End")
    last = browser.wait_for("document.querySelector('.row[aria-selected=true]')?.getAttribute('aria-posinset')")
    assert last == "4000"
    shown = browser.wait_for("document.querySelector('#detail pre') && document.querySelector('#detail').innerText")
    assert "00003999" in shown


async def test_async_hooks_and_events_without_runs_match_the_app(log: LogWorld, tmp_path: Path, browser: Browser) -> None:
    log.add("pre-session", duration_ms=0.3)
    log.add(runs=[run("notify", duration_ms=900.0), run("format-py", duration_ms=8.0)], duration_ms=10.0)
    browser.open(await page(log.db, tmp_path / "r.html"))
    assert browser.run("document.querySelector('#decisions').innerText") == "2 events in 1 session, 10 ms in hooks"
    first, second = browser.run(ROWS)
    assert (first.split()[-1], second.split()[-2:]) == ("–", ["10", "ms"])
    assert first.split()[0] == "12:00:00.000"
    hooks = [line.split("\t")[0] for line in browser.run("document.querySelector('#hooks').innerText").splitlines()[1:]]
    assert [name for name in hooks if name.strip()] == ["format-py", "notify async"]
    hidden = "[...document.querySelectorAll('.row time')].filter(time => time.scrollWidth > time.clientWidth).length"
    assert browser.run(hidden) == 0

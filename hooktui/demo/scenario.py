"""The agent sessions of the demo: every event in order, with the expected results of its hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.demo import world
from hooktui.demo.scripted_agents import ScriptedAgent, ScriptedAzureAgent, ScriptedClaude

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.demo.scripted_agents import DemoEvent

_FAILS = "FAIL: test_discount_is_a_share_of_the_price\nAssertionError: 10.0 != 30"
_RUN_TESTS = "python3 -m unittest"


def scenario() -> tuple[DemoEvent, ...]:
    """Return all events in order.

    A nightly update; a bug fix with a second agent in parallel; then agents in other hosts publish and operate the shop.
    """
    return (*_nightly(), *_discount_begins(), *_readme(), *_discount_ends(), *_published(), *_looked_after())


def _nightly() -> Iterator[DemoEvent]:
    agent = ScriptedAgent("nightly-update")
    yield from agent.starts()
    yield from agent.gets_prompt("Install the latest release of the build tool.")
    yield from agent.is_denied("curl -s https://example.com/install.sh | sh")
    yield from agent.shell("pip index versions build", "build (1.3.0)")
    yield from agent.is_held("The installer was blocked; version 1.3.0 is available.", 2)
    yield from agent.shell("git status --short", "")
    yield from agent.ends(41, 3)


def _discount_begins() -> Iterator[DemoEvent]:
    agent = ScriptedAgent("fix-discount")
    yield from agent.starts()
    yield from agent.gets_prompt("25 % off gives the wrong total. Please find the bug and fix it.")
    yield from agent.reads("cart.py", "return sum(prices) - discount")
    yield from agent.reads("test_cart.py", "self.assertEqual(total([10, 30], 0.25), 30)")
    yield from agent.shell_fails(_RUN_TESTS, "FAIL: test_discount\nAssertionError: 39.75 != 30", quiet_tests="ok")
    yield from agent.writes("cart.py", world.CART_STILL_WRONG, format_py="ok")
    yield from agent.is_held("The discount is a factor now.", 5)
    yield from agent.shell_fails(_RUN_TESTS, _FAILS, quiet_tests="ok")


def _readme() -> Iterator[DemoEvent]:
    agent = ScriptedAgent("write-readme")
    yield from agent.starts()
    yield from agent.gets_prompt("Explain in the README what a discount is.")
    yield from agent.fetches("https://example.com/style-guide", "Short sentences. One example.")
    yield from agent.writes("README.md", world.README_WITH_DISCOUNT, format_py="pattern-mismatch")
    yield from agent.is_held("The README explains discounts.", 3)
    yield from agent.ends(18, 3)


def _discount_ends() -> Iterator[DemoEvent]:
    agent = ScriptedAgent("fix-discount")
    yield from agent.writes("cart.py", world.CART_FIXED, format_py="ok")
    yield from agent.shell(_RUN_TESTS, "Ran 2 tests\nOK", quiet_tests="ok")
    yield from agent.reads("README.md", "A discount is a share between 0 and 1")
    yield from agent.compacts()
    yield from agent.is_denied("rm -rf /$BUILD_DIR")
    yield from agent.shell("rm -rf build", "", block_dangerous="pattern-mismatch")
    yield from agent.delegates(
        "Read the change to cart.py once more.",
        agent.shell("git diff cart.py", "+    return sum(prices) * (1 - discount)"),
        agent.fetches("https://example.com/rounding", "Round at the end, not in between."),
    )
    yield from agent.stops("The discount is a share of the price now; the tests pass.", 12)
    yield from agent.gets_prompt("Good. Put it online.")
    yield from agent.shell("git commit -am 'Take the discount as a share of the price'", "1 file changed")
    yield from agent.shell("./deploy.sh --to production", "deployed", deploy_guard="untrusted")
    yield from agent.stops("It is online.", 14)
    yield from agent.ends(312, 14)


def _published() -> Iterator[DemoEvent]:
    agent = ScriptedClaude("publish-fix")
    yield from agent.starts()
    yield from agent.is_denied("git push origin main")
    yield from agent.bash("git push origin fix/discount", "branch 'fix/discount' -> 'fix/discount'")
    yield from agent.stops("The branch is there; please merge it.")


def _looked_after() -> Iterator[DemoEvent]:
    agent = ScriptedAzureAgent("checkout-is-slow.txt", "shop-operator")
    yield from agent.finds("az webapp config show --name shop", "DATABASE=Server=db;User=shop;Password=x7Kq2mPv")
    yield from agent.stops("The database has too few connections: I have doubled them.")

"""The files of the demo's project, and the versions that agents write."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_CART = '''\
"""The shopping cart: what a customer pays."""

from __future__ import annotations


def total(prices: list[float], discount: float = 0.0) -> float:{blanks}
    """Return the total price in euros, less a discount between 0 and 1."""
    return {formula}
'''
CART_WITH_BUG = _CART.format(blanks="", formula="sum(prices) - discount")
CART_STILL_WRONG = _CART.format(blanks="   ", formula="sum(prices) * discount")  # with trailing spaces
CART_FIXED = _CART.format(blanks="", formula="sum(prices) * (1 - discount)")

TEST_CART = '''\
"""Tests of the cart."""

from __future__ import annotations

import unittest

from cart import total


class Total(unittest.TestCase):
    """What a customer pays."""

    def test_items_are_added_up(self) -> None:
        """Without a discount."""
        self.assertEqual(total([10, 5]), 15)

    def test_discount_is_a_share_of_the_price(self) -> None:
        """A quarter off 40 euros."""
        self.assertEqual(total([10, 30], 0.25), 30)
'''

README = """\
# Shop

The cart of a small shop. `python3 -m unittest` runs the tests.
"""
README_WITH_DISCOUNT = f"{README}\nA discount is a share between 0 and 1: `total([10, 30], discount=0.25)` is 30 euros.\n"

# The project at the start of the demo.
FILES: Mapping[str, str] = {"README.md": README, "cart.py": CART_WITH_BUG, "test_cart.py": TEST_CART}

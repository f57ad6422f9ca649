"""IDs sort by time, are unique, and survive as text."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

from hypothesis import given
from hypothesis import strategies as st

from hooktui.core import ids

NUMBERS = st.integers(min_value=0, max_value=(1 << 63) - 1)


def test_each_id_is_later_than_the_one_before() -> None:
    made = [ids.new() for _ in range(10_000)]
    assert made == sorted(set(made))


def test_ids_are_unique_across_threads() -> None:
    made: list[list[int]] = [[] for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=lambda mine=mine: mine.extend(ids.new() for _ in range(20_000))) for mine in made]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len({number for mine in made for number in mine}) == 80_000


def test_id_contains_its_creation_time() -> None:
    before = time.time()
    made = ids.new()
    assert before - 0.001 <= ids.seconds(made) <= time.time() + 0.02  # ids made in a hurry run ahead of the clock


def test_id_ends_with_the_process_that_made_it() -> None:
    program = "import os; from hooktui.core import ids; print(ids.new() & 0xFFF, os.getpid() & 0xFFF)"
    printed = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=True).stdout.split()
    assert printed[0] == printed[1]
    assert ids.new() & 0xFFF == os.getpid() & 0xFFF


@given(NUMBERS)
def test_id_survives_text_and_parse(number: int) -> None:
    assert ids.parse(ids.text(number)) == number
    assert ids.parse(f" {ids.text(number).lower()}\n") == number


@given(NUMBERS, NUMBERS)
def test_written_ids_sort_like_numbers(one: int, other: int) -> None:
    assert (ids.text(one) < ids.text(other)) == (one < other)


@given(st.text())
def test_parse_returns_none_for_other_text(text: str) -> None:
    number = ids.parse(text)
    assert number is None or ids.text(number) == text.strip().upper()


@given(st.floats(min_value=1_577_836_800, max_value=4_000_000_000))
def test_at_time_is_a_lower_bound_of_later_ids(moment: float) -> None:
    bound = ids.at_time(moment)
    assert abs(ids.seconds(bound) - moment) < 0.00001
    assert ids.at_time(moment + 0.01) > bound


def test_time_before_2020_gives_the_smallest_id() -> None:
    assert ids.at_time(0) == 0

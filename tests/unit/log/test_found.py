"""The rows of a query while its search goes on and events come."""

from __future__ import annotations

from array import array

from hooktui.log.found import Found


def found(*batches: list[int]) -> Found:
    rows = Found()
    for batch in batches:
        rows.add_older(batch)
    return rows


def test_older_batches_go_before_newer_ones() -> None:
    assert list(found([9, 8], [7, 5], [1]).ids) == [1, 5, 7, 8, 9]


def test_dispatch_that_took_long_is_put_where_it_began() -> None:
    rows = found([9, 7, 5])
    assert rows.replace_newest(5, array("q", [7, 8, 9, 10]))
    assert list(rows.ids) == [5, 7, 8, 9, 10]


def test_nothing_new_changes_nothing() -> None:
    rows = found([9, 7, 5])
    assert not rows.replace_newest(5, array("q", [7, 9]))
    assert list(rows.ids) == [5, 7, 9]


def test_row_of_an_id_that_is_gone_is_that_of_the_next() -> None:
    rows = found([9, 7, 5])
    assert [rows.row_of(number) for number in (5, 6, 7, 10)] == [0, 1, 1, 3]
    assert rows.after(5) == 2


def test_rows_beyond_either_end_are_left_out() -> None:
    assert list(found([9, 7, 5]).between(-4, 2)) == [5, 7]
    assert list(found([9, 7, 5]).between(2, 40)) == [9]

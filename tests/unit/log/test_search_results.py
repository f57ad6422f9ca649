"""Search results while a search runs and events arrive."""

from __future__ import annotations

from hooktui.log.read.search import SearchResults


def results(*batches: list[int]) -> SearchResults:
    rows = SearchResults()
    for batch in batches:
        rows.add_older(batch)
    return rows


def test_older_batches_go_before_newer_ones() -> None:
    assert list(results([9, 8], [7, 5], [1]).ids) == [1, 5, 7, 8, 9]


def test_row_of_a_missing_id_is_the_next_row() -> None:
    rows = results([9, 7, 5])
    assert [rows.row_of(number) for number in (5, 6, 7, 10)] == [0, 1, 1, 3]
    assert rows.after(5) == 2


def test_rows_beyond_either_end_are_left_out() -> None:
    assert list(results([9, 7, 5]).between(-4, 2)) == [5, 7]
    assert list(results([9, 7, 5]).between(2, 40)) == [9]


def test_new_ids_are_inserted_in_order_once() -> None:
    rows = results([9, 7, 5])
    rows.complete = True
    rows.add([8, 10, 7, 3])
    assert list(rows.ids) == [3, 5, 7, 8, 9, 10]


def test_older_new_ids_are_left_to_a_running_search() -> None:
    rows = results([9, 7])
    rows.add([8, 3])
    rows.add_older([5, 3])
    assert list(rows.ids) == [3, 5, 7, 8, 9]

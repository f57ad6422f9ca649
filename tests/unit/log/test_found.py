"""The rows of a query while its search goes on and events come."""

from __future__ import annotations

from hooktui.log.read.search_results import SearchResults


def found(*batches: list[int]) -> SearchResults:
    rows = SearchResults()
    for batch in batches:
        rows.add_older(batch)
    return rows


def test_older_batches_go_before_newer_ones() -> None:
    assert list(found([9, 8], [7, 5], [1]).ids) == [1, 5, 7, 8, 9]


def test_row_of_an_id_that_is_gone_is_that_of_the_next() -> None:
    rows = found([9, 7, 5])
    assert [rows.row_of(number) for number in (5, 6, 7, 10)] == [0, 1, 1, 3]
    assert rows.after(5) == 2


def test_rows_beyond_either_end_are_left_out() -> None:
    assert list(found([9, 7, 5]).between(-4, 2)) == [5, 7]
    assert list(found([9, 7, 5]).between(2, 40)) == [9]


def test_what_comes_is_put_in_its_place_once() -> None:
    rows = found([9, 7, 5])
    rows.complete = True
    rows.add([8, 10, 7, 3])
    assert list(rows.ids) == [3, 5, 7, 8, 9, 10]


def test_what_comes_during_a_search_is_left_to_it_when_it_is_older() -> None:
    rows = found([9, 7])
    rows.add([8, 3])
    rows.add_older([5, 3])
    assert list(rows.ids) == [3, 5, 7, 8, 9]


def test_next_of_some_ids_is_one_that_is_among_others() -> None:
    marks, rows = found([9, 7, 5, 3]), found([9, 5, 3])
    assert [marks.next(5, 1, rows), marks.next(9, 1, rows), marks.next(9, -1, rows), marks.next(3, -1, rows)] == [
        9,
        None,
        5,
        None,
    ]


def test_a_mark_that_is_set_again_goes() -> None:
    marks = found()
    for number in (7, 3, 7):
        marks.toggle(number)
    assert (list(marks.ids), 3 in marks, 7 in marks) == ([3], True, False)

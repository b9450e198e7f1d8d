"""What a judge has before and behind them, against a file that keeps all verdicts and answers late, or not at all."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.people.queries.verdicts import SKIP, BlindItem
from tui.people.judging_screen import JudgingQueue, Verdict

ITEMS = [BlindItem(number, None, f"sentence {number}") for number in range(1, 7)]


class File:
    """Keeps verdicts as judging does: an item that was skipped comes after all others."""

    def __init__(self) -> None:
        self.said: list[Verdict] = []

    def coming(self, limit: int) -> list[BlindItem]:
        last = {verdict.item: (place, verdict.word) for place, verdict in enumerate(self.said, 1)}
        due = [item for item in ITEMS if last.get(item, (0, SKIP))[1] == SKIP]
        return sorted(due, key=lambda item: (last.get(item, (0, ""))[0], item.item))[:limit]


@given(
    steps=st.lists(st.sampled_from(["yes", "skip", "stored", "failed", "undo"]), max_size=60),
    ahead=st.integers(1, 4),
)
def test_no_item_is_lost_or_shown_while_its_verdict_is_on_its_way(steps: list[str], ahead: int) -> None:
    file, queue, on_its_way = File(), JudgingQueue(), deque[Verdict]()
    queue.was_fetched(file.coming(ahead))
    for step in [*steps, *["stored"] * len(steps)]:
        if step in ("yes", "skip"):
            verdict = queue.judge(step)
            on_its_way.extend([verdict] if verdict else [])
        elif step == "stored" and on_its_way:
            file.said.append(on_its_way[0])
            queue.was_stored(on_its_way.popleft(), file.coming(ahead))
        elif step == "failed" and on_its_way:
            queue.was_not_stored(on_its_way.popleft())
        elif step == "undo" and not on_its_way and file.said:
            item = file.said.pop().item
            queue.was_taken_back(item, file.coming(ahead))
            assert queue.current == item
        assert queue.current not in [verdict.item for verdict in queue.unstored]
        assert queue.unstored == list(on_its_way)
    assert queue.given == file.said
    left = set(file.coming(len(ITEMS)))
    assert (queue.current is None) == (not left)
    assert queue.current is None or queue.current in left


def test_the_items_come_in_the_order_of_the_file() -> None:
    queue = JudgingQueue()
    queue.was_fetched(ITEMS[:2])
    first, second = queue.judge("yes"), queue.judge("no")
    assert first is not None and second is not None
    assert queue.current is None  # more was not fetched
    queue.was_stored(first, ITEMS[1:4])
    assert queue.current == ITEMS[2]
    queue.was_stored(second, ITEMS[2:5])
    assert [verdict.item for verdict in (queue.judge("yes"), queue.judge("yes")) if verdict] == ITEMS[2:4]


@pytest.mark.parametrize("way", ["was not stored", "was taken back"])
def test_the_comment_comes_back_with_its_item(way: str) -> None:
    queue = JudgingQueue()
    queue.was_fetched(ITEMS)
    queue.comment = "doubtful"
    verdict = queue.judge("no")
    assert verdict == Verdict(ITEMS[0], "no", "doubtful")
    assert queue.comment == ""
    if way == "was not stored":
        queue.was_not_stored(verdict)
    else:
        queue.was_stored(verdict, ITEMS[1:])
        queue.was_taken_back(ITEMS[0], ITEMS)
    assert (queue.current, queue.comment, queue.given) == (ITEMS[0], "doubtful", [])


def test_verdicts_that_fail_come_back_in_their_order_and_before_what_was_on_the_screen() -> None:
    queue = JudgingQueue()
    queue.was_fetched(ITEMS)
    for verdict in [queue.judge("yes"), queue.judge("no")]:
        assert verdict is not None
        queue.was_not_stored(verdict)
    again = [queue.judge("yes") for _ in range(4)]
    assert [verdict.item for verdict in again if verdict] == ITEMS[:4]


def test_nothing_is_said_of_no_item() -> None:
    queue = JudgingQueue()
    queue.comment = "of what?"
    assert (queue.judge("yes"), queue.comment, queue.given) == (None, "", [])

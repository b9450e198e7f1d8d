"""What a judge has before and behind them: items fetched ahead, verdicts on their way to the file, and those given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from corpusdb.queries.judging.verdicts import BlindItem

__all__ = ["JudgingQueue", "Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was said of an item."""

    item: BlindItem
    word: str
    """A verdict of its kind, or ``skip``."""
    comment: str = ""


class JudgingQueue:
    """The items of one judge in one sample, as far as the screen needs them.

    A verdict takes the item away at once; the file learns it later. Where storing fails, the item comes back.
    """

    def __init__(self) -> None:
        self.unstored: list[Verdict] = []
        """Verdicts that the file does not hold yet, in the order in which they were given."""
        self.given: list[Verdict] = []
        """All verdicts that were given here and stand, the last one last."""
        self._returned: list[BlindItem] = []
        self._ahead: list[BlindItem] = []
        self._comments: dict[int, str] = {}

    @property
    def current(self) -> BlindItem | None:
        """The item to judge; None where none is left or none has come yet."""
        return next(chain(self._returned, self._ahead), None)

    @property
    def comment(self) -> str:
        """What will be noted with the verdict on the current item."""
        return "" if self.current is None else self._comments.get(self.current.item, "")

    @comment.setter
    def comment(self, text: str) -> None:
        if self.current is not None:
            self._comments[self.current.item] = text

    def judge(self, word: str) -> Verdict | None:
        """Say ``word`` of the current item and go on to the next; None where there is no item."""
        if self.current is None:
            return None
        verdict = Verdict(self.current, word, self.comment)
        (self._returned or self._ahead).pop(0)
        self._comments.pop(verdict.item.item, None)
        self.unstored.append(verdict)
        self.given.append(verdict)
        return verdict

    def was_stored(self, verdict: Verdict, coming: Iterable[BlindItem]) -> None:
        """The file holds the verdict, and after it these items are due."""
        self.unstored.remove(verdict)
        self.was_fetched(coming)

    def was_not_stored(self, verdict: Verdict) -> None:
        """The item comes back with its comment, after others that came back before it."""
        self.unstored.remove(verdict)
        self._forget(verdict)
        self._returned.append(verdict.item)

    def was_taken_back(self, item: BlindItem, coming: Iterable[BlindItem]) -> None:
        """The file no longer holds the last verdict, on ``item``, which is the current one now."""
        last = next((verdict for verdict in reversed(self.given) if verdict.item == item), None)
        if last is not None:
            self._forget(last)
        self._ahead = [each for each in self._ahead if each != item]
        self._returned = [item, *(each for each in self._returned if each != item)]
        self.was_fetched(coming)

    def was_fetched(self, coming: Iterable[BlindItem]) -> None:
        """These items were due, by what the file held when it was asked. The current one stays where it is."""
        known = [*self._returned, *self._ahead[:1], *(verdict.item for verdict in self.unstored)]
        self._ahead[1:] = [item for item in coming if item not in known]

    def _forget(self, verdict: Verdict) -> None:
        self.given.remove(verdict)
        if verdict.comment:
            self._comments[verdict.item.item] = verdict.comment

"""What the place of judging tells in words: the item, the last verdicts, how far a judge is."""

from __future__ import annotations

from corpusdb.display import cell_safe
from corpusdb.queries.judging.verdicts import BlindItem, Standing
from tui.judging.queue import JudgingQueue, Verdict
from tui.shown import Text

__all__ = ["figures", "item_text", "item_texts", "verdict_lines"]

_HISTORY = 5


def figures(standing: Standing) -> str:
    """How far a judge is, and the rate with Wilson's interval in percent."""
    done = f"{standing.judged}/{standing.total}"
    skipped = f", {standing.skipped} skipped" if standing.skipped else ""
    if standing.rate is None:
        return f"{done}{skipped}  no rate yet"
    low, high = 100 * standing.interval.low, 100 * standing.interval.high
    return f"{done}{skipped}  {100 * standing.rate:.1f} % ({low:.1f} - {high:.1f})"


def item_texts(item: BlindItem) -> list[str]:
    """What the judge sees of an item: the sentence to compare with first, where there is one."""
    return [cell_safe(text) for text in (item.seed, item.text) if text is not None]


def item_text(item: BlindItem, question: str, comment: str) -> Text:
    """An item with the question about it, and the comment that will be noted."""
    text = Text(f"Item {item.item}. {question}", "dim")
    for each in item_texts(item):
        text.append("\n\n").append(each, "not dim bold")
    if comment:
        text.append("\n\nComment: ", "dim").append(cell_safe(comment), "not dim")
    return text


def verdict_lines(queue: JudgingQueue) -> list[str]:
    """The last verdicts, the newest first."""
    return [_line(verdict, verdict in queue.unstored) for verdict in queue.given[: -_HISTORY - 1 : -1]]


def _line(verdict: Verdict, is_unstored: bool) -> str:
    comment = f" ({verdict.comment})" if verdict.comment else ""
    state = "  (not stored yet)" if is_unstored else ""
    return cell_safe(f"{verdict.item.item:>5}  {verdict.word:<11}  {verdict.item.text}{comment}{state}")

"""Options that take several words behind one name, as in `--ref one.en two.en` and `-m bleu ter`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from corpusdb.queries.evaluation.settings import is_metrics

__all__ = ["ARGUMENTS", "METRICS", "takes_more", "with_metrics_joined"]

METRICS = "METRICS..."
"""How the option shows its value whose words are known by being names of metrics."""

ARGUMENTS = "HYP..."
"""And the one whose values take the place of arguments, as in sacrebleu."""


def takes_more(metavar: str, *, argued: bool) -> bool:
    """Whether the words that follow a value are values, too, by how the option shows its value.

    ARGUMENTS takes them wherever it stands. Others that end so do where an argument of the command stands before them
    (``argued``), which all else would have to be mistaken for, and where its arguments are numbers, which no value is.
    """
    return metavar.endswith("...") and (argued or metavar == ARGUMENTS)


def with_metrics_joined(words: Sequence[str], options: Collection[str]) -> Iterator[str]:
    """The words with names of metrics that follow one of these options made one word, with commas: -m bleu,ter."""
    at, end = 0, words.index("--") if "--" in words else len(words)
    while at < len(words):
        word = words[at]
        yield word
        at += 1
        if word in options and at < end:
            last = at + 1
            while last < end and is_metrics(words[at]) and is_metrics(words[last]):
                last += 1
            yield ",".join(words[at:last])
            at = last

"""What people read in the terminal: `corpusdb guide TOPIC`. A topic is a file beside this one."""

from __future__ import annotations

from pathlib import Path

__all__ = ["READ_FIRST", "citation", "guide_text", "guide_topics"]

READ_FIRST = (
    "linguists",
    "evaluators",
    "sacrebleu",
    "files",
    "query",
    "keys",
    "scores",
    "sharing",
    "scripting",
    "changes",
)
"""The topics that most people read, in this order; the others are on one subject each."""


def citation() -> str:
    """How corpusdb is cited, with the papers whose methods are in it: the text of CITATION.cff."""
    return (Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8")


def guide_topics() -> dict[str, str]:
    """The topics with their titles, in alphabetical order."""
    files = sorted(Path(__file__).parent.glob("*.txt"))
    return {file.stem: file.read_text(encoding="utf-8").partition("\n")[0] for file in files}


def guide_text(topic: str) -> str:
    """The text of a topic, in lines of at most 80 columns. Raises KeyError for one that there is not."""
    if topic not in guide_topics():
        raise KeyError(topic)
    return (Path(__file__).parent / f"{topic}.txt").read_text(encoding="utf-8")

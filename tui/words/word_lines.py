"""A sentence and its translations as lines, with one word and what is aligned with it marked.

The word is reversed, what it is aligned with is bold and underlined: nothing is told by a colour alone. Where lines
are read aloud, both stand in brackets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpusdb.display import cell_safe
from corpusdb.queries.alignment.linked_pairs import LinkedSentence, LinkedTranslation, Span
from tui.meanings import MATCH
from tui.shown import Text

__all__ = ["CURRENT", "marked_aloud", "sentence_text", "told", "translation_text", "where_in_sentence"]

CURRENT = "bold reverse"
NOTHING = "aligned with nothing"


def where_in_sentence(found: LinkedSentence, word: int) -> str:
    """The sentence by its number, and the word by its place: ``#12 eng: word 3 of 9``."""
    place = f"word {word + 1:,} of {len(found.words):,}" if found.words else "no word"
    return f"#{found.sentence} {found.language}: {place}"


def sentence_text(found: LinkedSentence, word: int) -> Text:
    """The sentence with its word marked."""
    return _marked(found.text, found.words[word : word + 1], CURRENT)


def told(found: LinkedSentence, translation: LinkedTranslation, word: int) -> str:
    """What a word is aligned with in a translation, or why that is not known."""
    spans = translation.aligned_with(found.words[word]) if found.words else ()
    if spans is None:
        return translation.reason
    return ", ".join(translation.text[begin:end] for begin, end in _joined(translation.text, spans)) or NOTHING


def translation_text(found: LinkedSentence, translation: LinkedTranslation, word: int) -> Text:
    """Two lines: the language with what the word is aligned with, and the translation with that marked."""
    spans = (translation.aligned_with(found.words[word]) if found.words else None) or ()
    head = Text.assemble((f"{translation.language}  ", "bold"), cell_safe(told(found, translation, word)))
    return Text("\n").join([head, _marked(translation.text, spans, MATCH)])


def marked_aloud(text: str, spans: Sequence[Span]) -> str:
    """The text with these stretches in brackets."""
    for begin, end in sorted(_joined(text, spans), reverse=True):
        text = f"{text[:begin]}[{text[begin:end]}]{text[end:]}"
    return cell_safe(text)


def _marked(text: str, spans: Sequence[Span], style: str) -> Text:
    shown = Text(cell_safe(text))
    for begin, end in _joined(text, spans):
        shown.stylize(style, begin, end)
    return shown


def _joined(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """The stretches, those with at most white space between them as one."""
    begin = end = -1
    for start, stop in sorted(spans):
        if end >= 0 and not text[end:start].strip():
            end = max(end, stop)
            continue
        if end >= 0:
            yield begin, end
        begin, end = start, stop
    if end >= 0:
        yield begin, end

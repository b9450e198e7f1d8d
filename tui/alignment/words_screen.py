"""One sentence with its translations: the cursor goes from word to word, and what is aligned with each is marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from corpusdb.alignment.queries.models import Span
from corpusdb.alignment.queries.pairs import LinkedSentence, LinkedTranslation, linked_sentence
from corpusdb.base.display import cell_safe
from corpusdb.corpus.queries.sentences import sentence_id
from tui.kit.place_screen import Hints, PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.shown import Static, Text, TextPane, WordAsked
from tui.kit.terminal import MATCH

# A sentence and its translations as lines, with one word and what is aligned with it marked.
#
# The word is reversed, what it is aligned with is bold and underlined: nothing is told by a colour alone. Where lines
# are read aloud, both stand in brackets.


CURRENT = "bold reverse"
NOTHING = "aligned with nothing"


def where_in_sentence(found: LinkedSentence, word: int) -> str:
    """The sentence by its number, and the word by its place: ``#12 eng: word 3 of 9``."""
    place = f"word {word + 1:,} of {len(found.words):,}" if found.words else "no word"
    return f"#{found.sentence} {found.language}: {place}"


def sentence_text(found: LinkedSentence, word: int) -> Text:
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


# One sentence with its translations: the cursor goes from word to word, and what is aligned with each is marked.


class WordsScreen(PlaceScreen):
    """The words of a sentence. It belongs to the place from which it was opened."""

    PLACE = "corpus"
    REACHED = "a on a sentence"
    HINTS = Hints(("words.next", "words.previous", "words.last", "words.ask", "text.down"), needed=4)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,right", "walk(1)", "Word", id="words.next", tooltip="Go to the next word"),
        Binding("h,left", "walk(-1)", "Before", id="words.previous", tooltip="Go to the word before"),
        Binding("g,home", "go(0)", "First", id="words.first", tooltip="Go to the first word"),
        Binding("G,end", "go(-1)", "Last", id="words.last", tooltip="Go to the last word"),
        Binding(
            "e,enter", "ask_word", "Equivalents", id="words.ask", tooltip="What this word is aligned with elsewhere"
        ),
        Binding("escape", "back", "Back", id="words.leave", tooltip="Go back", show=False),
    ]

    def __init__(self, place: str, sentence: int) -> None:
        """``place`` is the key of the one that opens it."""
        super().__init__()
        self.place = place
        self._sentence = sentence
        self.found: LinkedSentence | None = None
        """What is shown, once it was read."""
        self.word = 0
        """The word under the cursor, from 0."""

    def compose_body(self) -> ComposeResult:
        yield Static("", id="words-head")
        with VerticalScroll(id="words-sentence", can_focus=False):
            yield Static("", id="words-text")
        yield TextPane(id="words-translations")

    def on_mount(self) -> None:
        self.query_one(TextPane).focus()
        sentence = self._sentence

        def question(reader: DatabaseReader) -> LinkedSentence:
            return linked_sentence(reader.store, sentence)

        self.ask(question, self._show)

    def _show(self, found: LinkedSentence) -> None:
        self.found = found
        self._draw(is_other=True)
        if not found.translations:
            self.say("this sentence has no translation")
        elif not any(each.pair for each in found.translations):
            self.say("none of its translations has links to its words")

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(lambda: self._draw(is_other=True))

    def _draw(self, *, is_other: bool = False) -> None:
        """Draw the texts; those of another width, or for the first time, may have more lines or fewer."""
        found = self.found
        if found is None:
            return
        self.query_one("#words-head", Static).update(where_in_sentence(found, self.word))
        pane = self.query_one("#words-sentence", VerticalScroll)
        lines = self._wrapped(sentence_text(found, self.word), pane.scrollable_content_region.width)
        self.query_one("#words-text", Static).update(Text("\n").join(lines), layout=is_other)
        here = next((row for row, line in enumerate(lines) if any(span.style == CURRENT for span in line.spans)), 0)
        rows = pane.size.height
        if not pane.scroll_offset.y <= here < pane.scroll_offset.y + rows:
            pane.scroll_to(y=max(here - rows // 2, 0), animate=False)
        texts = [translation_text(found, each, self.word) for each in found.translations]
        self.query_one(TextPane).show(Text("\n\n").join(texts) if texts else Text("no translation"), stays=not is_other)

    def _wrapped(self, text: Text, width: int) -> list[Text]:
        return [Text.assemble(line) for line in text.wrap(self.app.console, max(width, 2), overflow="fold")]

    def lines(self) -> list[str]:
        found = self.found
        if found is None:
            return []
        span = found.words[self.word : self.word + 1]
        lines = [where_in_sentence(found, self.word), marked_aloud(found.text, span)]
        for each in found.translations:
            aligned = each.aligned_with(span[0]) if span else None
            lines += [
                f"{each.language}  {cell_safe(told(found, each, self.word))}",
                marked_aloud(each.text, aligned or ()),
            ]
        return lines

    def copied_text(self) -> str:
        found = self.found
        return "" if found is None else "\n".join([found.text, *(each.text for each in found.translations)])

    def action_walk(self, by: int) -> None:
        if self.found is not None:
            self._go(max(0, min(self.word + by, len(self.found.words) - 1)))

    def action_go(self, word: int) -> None:
        """Go to a word, counted from the end where it is negative."""
        if self.found is not None and self.found.words:
            self._go(word % len(self.found.words))

    def _go(self, word: int) -> None:
        self.word = max(word, 0)
        self._draw()

    def action_ask_word(self) -> None:
        """Go to the place where all translations of the word are counted."""
        found = self.found
        if found is None or not found.words:
            self.say("there is no word here", is_error=True)
            return
        begin, end = found.words[self.word]
        self.app.post_message(WordAsked(found.text[begin:end], found.language))


def words_of_seed(screen: PlaceScreen, text: str, language: str) -> None:
    """Open the words of a sentence that is known by its text, or say that the corpus does not hold it."""

    def then(sentence: int | None) -> None:
        if sentence is None:
            screen.say("not in the corpus, so that it has no aligned translations", is_error=True)
        else:
            screen.app.push_screen(WordsScreen(screen.place, sentence))

    screen.ask(lambda reader: sentence_id(reader.store, language, text), then)

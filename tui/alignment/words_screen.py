"""A sentence with what each of its words is aligned with in its translations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll

from corpusdb.alignment.queries.pairs import LinkedSentence, LinkedTranslation, Span, linked_sentence
from corpusdb.base.cells import cut_right, padded
from corpusdb.base.display import cell_safe
from corpusdb.corpus.queries.sentences import sentence_id
from tui.kit.place_screen import Hints, PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.shown import Highlighted, RowList, Static, Text, TextPane, WordAsked, bind, said_here
from tui.kit.terminal import MATCH
from tui.kit.wide_lines import folded

# A sentence and its translations as lines, with one word and what is aligned with it marked.
# The word is reversed, what it is aligned with is bold and underlined: nothing is told by a colour alone. Where lines
# are read aloud, both stand in brackets.


CURRENT = "bold reverse"
NO_LINKS = "aligned with nothing"


def where_in_sentence(found: LinkedSentence, word: int) -> str:
    """The language, and the word by its place: ``eng: word 3 of 9``."""
    place = f"word {word + 1:,} of {len(found.words):,}" if found.words else "no word"
    return f"{found.language}: {place}"


def sentence_text(found: LinkedSentence, word: int) -> Text:
    return _marked(found.text, found.words[word : word + 1], CURRENT)


def told(found: LinkedSentence, translation: LinkedTranslation, word: int) -> str:
    """What a word is aligned with in a translation, or why that is not known."""
    spans = translation.aligned_with(found.words[word]) if found.words else ()
    if spans is None:
        return said_here(translation.reason)
    return ", ".join(translation.text[begin:end] for begin, end in _joined(translation.text, spans)) or NO_LINKS


def names_of(translations: Sequence[LinkedTranslation]) -> list[str]:
    """What each is called: its language, with a number where there are several in one."""
    count, met = Counter(each.language for each in translations), Counter[str]()
    names = list[str]()
    for each in translations:
        met[each.language] += 1
        names.append(f"{each.language} ({met[each.language]})" if count[each.language] > 1 else each.language)
    return names


def translation_text(found: LinkedSentence, translation: LinkedTranslation, name: str, word: int) -> Text:
    """Two lines: its name with what the word is aligned with, and the translation with that marked."""
    spans = (translation.aligned_with(found.words[word]) if found.words else None) or ()
    head = Text.assemble((f"{name}  ", "bold"), cell_safe(told(found, translation, word)))
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


_WORD_CELLS = 16
_LEAST_COLUMN = 8


class WordsScreen(PlaceScreen):
    """The words of a sentence as rows, each with what it is aligned with. It belongs to the place that opened it."""

    PLACE = "corpus"
    REACHED = "a on a sentence"
    NEEDS_ROWS = ("ask_word",)
    SIGNS = (
        ("[ ]", "The word with the cursor, and what it is aligned with, where lines are read aloud"),
        ("-", "Aligned with nothing; ? that is not known"),
    )
    HINTS = Hints(("words.ask", "list.down", "screen.copy"), needed=2)
    CALLED: ClassVar[Mapping[str, str]] = {"list.down": "next word"}
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "e,enter", "ask_word", "Translations", "words.ask", "How this word is translated elsewhere", priority=True
        ),
        bind("escape", "back", "Back", "words.leave", "Go back"),
    ]

    def __init__(self, place: str, sentence: int) -> None:
        """``place`` is the key of the one that opens it."""
        super().__init__()
        self.place = place
        self._sentence = sentence
        self.found: LinkedSentence | None = None
        """What is shown, once it was read."""

    @property
    def word(self) -> int:
        """The word under the cursor, from 0."""
        return self.query_one(RowList).cursor

    def compose_body(self) -> ComposeResult:
        yield Static("", id="words-head")
        with VerticalScroll(id="words-sentence", can_focus=False):
            yield Static("", id="words-text")
        yield Static("", id="words-columns", classes="aligned-columns")
        yield RowList(id="words", empty="reading what its words are aligned with ...")
        yield TextPane(id="words-translations")

    def on_mount(self) -> None:
        sentence = self._sentence

        def question(reader: DatabaseReader) -> LinkedSentence:
            return linked_sentence(reader.store, sentence)

        self.ask(question, self._show)

    def _show(self, found: LinkedSentence) -> None:
        self.found = found
        self.query_one(RowList).show_rows(len(found.words), self._row, empty="There is no word in it.")
        self._give_room()
        self._draw(is_other=True)
        if not found.translations:
            self.say("this sentence has no translation", stays=True)
        elif not any(each.pair for each in found.translations):
            self.say("none of its translations has links to its words", stays=True)

    def on_resize(self, event: events.Resize) -> None:
        self._give_room()
        self.call_after_refresh(lambda: self._draw(is_other=True))

    def _give_room(self) -> None:
        """The words have the lines that they need, up to two of five; the translations have the others."""
        rows = self.query_one(RowList)
        rows.styles.height = max(min(rows.count, self.size.height * 2 // 5), 1)

    @on(Highlighted)
    def _moved(self) -> None:
        self._draw()

    @property
    def _columns(self) -> list[tuple[LinkedTranslation, int]]:
        """The translations that have a column beside the words, and its cells."""
        room, there = self.size.width - _WORD_CELLS - 4, self.found.translations if self.found else ()
        shown = there[: max(room // (_LEAST_COLUMN + 2), 1)]
        return [(each, room // len(shown) - 2) for each in shown]

    def _row(self, row: int) -> Text:
        """A word, and what it is aligned with in each translation."""
        found = self.found
        if found is None:
            return Text()
        begin, end = found.words[row]
        text = Text(padded(cut_right(cell_safe(found.text[begin:end]), _WORD_CELLS), _WORD_CELLS), no_wrap=True)
        for each, cells in self._columns:
            spans = each.aligned_with((begin, end))
            told = "?" if spans is None else ", ".join(each.text[a:b] for a, b in _joined(each.text, spans)) or "-"
            text.append("  ").append(padded(cut_right(cell_safe(told), cells), cells))
        return text

    def _draw(self, *, is_other: bool = False) -> None:
        """Draw the texts; those of another width, or for the first time, may have more lines or fewer."""
        found = self.found
        if found is None:
            return
        self.query_one("#words-head", Static).update(where_in_sentence(found, self.word))
        names = names_of(found.translations)
        columns = zip(names, self._columns, strict=False)  # there may be no room for all
        heads = [padded("  word", _WORD_CELLS + 2), *(padded(name, cells) for name, (_, cells) in columns)]
        self.query_one("#words-columns", Static).update("  ".join(heads))
        pane = self.query_one("#words-sentence", VerticalScroll)
        lines = folded(sentence_text(found, self.word), max(pane.scrollable_content_region.width, 2))
        self.query_one("#words-text", Static).update(Text("\n").join(lines), layout=is_other)
        here = next((row for row, line in enumerate(lines) if any(span.style == CURRENT for span in line.spans)), 0)
        rows = pane.size.height
        if not pane.scroll_offset.y <= here < pane.scroll_offset.y + rows:
            pane.scroll_to(y=max(here - rows // 2, 0), animate=False)
        named = zip(found.translations, names, strict=True)
        texts = [translation_text(found, each, name, self.word) for each, name in named]
        self.query_one(TextPane).show(Text("\n").join(texts) if texts else Text("no translation"), stays=not is_other)

    def lines(self) -> list[str]:
        found = self.found
        if found is None:
            return []
        span = found.words[self.word : self.word + 1]
        lines = [where_in_sentence(found, self.word), marked_aloud(found.text, span)]
        for each, name in zip(found.translations, names_of(found.translations), strict=True):
            aligned = each.aligned_with(span[0]) if span else None
            lines += [
                f"{name}  {cell_safe(told(found, each, self.word))}",
                marked_aloud(each.text, aligned or ()),
            ]
        return lines

    def copied_text(self) -> str:
        found = self.found
        return "" if found is None else "\n".join([found.text, *(each.text for each in found.translations)])

    def action_ask_word(self) -> None:
        """Go to the place where all translations of the word are counted."""
        if self.found is not None:
            begin, end = self.found.words[self.word]
            self.app.post_message(WordAsked(self.found.text[begin:end], self.found.language))


def words_of_seed(screen: PlaceScreen, text: str, language: str) -> None:
    """Open the words of a sentence that is known by its text, or say that the corpus does not hold it."""

    def then(sentence: int | None) -> None:
        if sentence is None:
            screen.say("not in the corpus, so that it has no aligned translations", is_error=True)
        else:
            screen.app.push_screen(WordsScreen(screen.place, sentence))

    screen.ask(lambda reader: sentence_id(reader.store, language, text), then, opens=True)

"""Equivalents: how a word is translated, what else it is called, and the pairs in which it is aligned so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from corpusdb.alignment.queries.equivalents import FoundEquivalent, Pivot, pivots_of
from corpusdb.alignment.queries.pairs import LinkedPair
from corpusdb.alignment.queries.phrase_places import AlignedPhrase, PhrasePlaces, phrase_places
from corpusdb.alignment.queries.phrases import set_rejected
from corpusdb.alignment.report import NOTHING
from corpusdb.base.display import cell_safe, counted
from corpusdb.corpus.store import Store
from tui.alignment.aligned_words import (
    PIVOT_COLUMNS,
    STEPS,
    AlignedLanguages,
    Lookup,
    LookupHistory,
    LookupResult,
    Steps,
    columns_of,
    example_text,
    found_languages,
    linked_text,
    lookup_table,
    pair_row,
    pivot_row,
    row_text,
)
from tui.kit.command_forms import begin_command
from tui.kit.exports import ask_export
from tui.kit.place_screen import HeadLine, Hints, Legend, PlaceScreen, StepsScreen, TypedLine
from tui.kit.reader import DatabaseReader
from tui.kit.shown import (
    CorpusWanted,
    Highlighted,
    Opened,
    ParadigmWanted,
    PlaceWanted,
    RowList,
    Static,
    Text,
    WordAsked,
    bind,
)

_FIRST_PAIRS = 300


@dataclass(frozen=True, slots=True)
class _Row:
    asked: AlignedPhrase
    pair: LinkedPair | None
    told: str = ""


class PairsScreen(PlaceScreen):
    """The pairs, the shortest first; below them the one under the cursor, whole."""

    PLACE = "equivalents"
    AUTO_FOCUS = "#pairs"
    REACHED = "Enter on a translation"
    HINTS = Hints(("list.open", "pairs.all", "screen.copy"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("a", "all", "All", "pairs.all", "All pairs of sentences, not only the first 300"),
    ]

    def __init__(self, asked: Sequence[AlignedPhrase]) -> None:
        """``asked``: the pairs of phrases, one after the other; all have the same first language."""
        super().__init__()
        self._asked = tuple(asked)
        self._rows: list[_Row] = []
        self._is_all = True

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="pairs-head")
        yield RowList(id="pairs", empty="reading the pairs of sentences ...")
        yield Static("", id="pair-texts")

    def on_mount(self) -> None:
        self._load(_FIRST_PAIRS)

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(RowList).refresh()

    def _load(self, limit: int) -> None:
        def question(reader: DatabaseReader) -> list[PhrasePlaces]:
            return [phrase_places(reader.searcher, each, limit) for each in self._asked]

        self.ask(question, self._show, kind="pairs")

    def _show(self, found: list[PhrasePlaces]) -> None:
        self._rows = []
        for asked, places in zip(self._asked, found, strict=True):
            if len(self._asked) > 1:
                self._rows.append(_Row(asked, None, f"{_named(asked)}  {_counted(places)}"))
            self._rows += [_Row(asked, pair) for pair in places.pairs]
        self._is_all = all(each.is_all for each in found)
        head = " and ".join(dict.fromkeys(map(_named, self._asked)))
        self.query_one(HeadLine).show(cell_safe(head), _counted(found[0]) if len(found) == 1 else "")
        self.query_one(RowList).show_rows(len(self._rows), self._row, empty="No pair of sentences.")
        self._show_texts()
        self.say("" if self._is_all else "a shows all pairs", stays=True)

    def _row(self, at: int) -> Text:
        row = self._rows[at]
        if row.pair is None:
            return Text(cell_safe(row.told), "bold")
        return pair_row(row.pair, self.size.width - 3)

    @on(Highlighted)
    def _show_texts(self) -> None:
        rows = self.query_one(RowList)
        row = self._rows[rows.cursor] if self._rows else None
        text = Text()
        if row is not None and row.pair is not None:
            own = linked_text(row.pair.text, row.pair.marks)
            other = linked_text(row.pair.translation, row.pair.translation_marks)
            text = Text("\n").join(
                [
                    Text.assemble((f"{row.asked.language}  ", "bold"), own),
                    Text.assemble((f"{row.asked.other}  ", "bold"), other),
                ]
            )
        self.query_one("#pair-texts", Static).update(text)

    def lines(self) -> list[str]:
        told = [" and ".join(dict.fromkeys(map(_named, self._asked)))]
        for row in self._rows:
            if row.pair is None:
                told.append(row.told)
            else:
                own = linked_text(row.pair.text, row.pair.marks).plain
                told.append(f"{own}\t{linked_text(row.pair.translation, row.pair.translation_marks).plain}")
        return told

    def action_all(self) -> None:
        if self._is_all:
            self.say("these are all")
        else:
            self.say("reading ...")
            self._load(0)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        row = self._rows[message.row]
        if row.pair is not None:
            self.app.post_message(CorpusWanted(row.pair.text, row.asked.language))


def _named(asked: AlignedPhrase) -> str:
    return f"{asked.text} - {NOTHING if asked.translation is None else asked.translation}"


def _counted(places: PhrasePlaces) -> str:
    pairs, count = counted(len(places.pairs), "pairs"), len(places.pairs)
    if not places.is_all:
        return f"the first {count:,} pairs"
    return pairs if places.places == count else f"{pairs}, {places.places:,} places"


_PAIRS_LOOKED_AT = 20
"""Of so many pairs of sentences the shortest is the example."""


@dataclass(frozen=True, slots=True)
class _Examples:
    row: int
    pairs: tuple[LinkedPair | None, ...]


class PivotsScreen(PlaceScreen):
    """The shared phrases, those that add most first; below them an example of each side of the one under the cursor."""

    PLACE = "equivalents"
    AUTO_FOCUS = "#pivots"
    REACHED = "Enter on an equivalent"
    SIGNS = (("with ...", "How often it translates the word, and the equivalent; what tells most comes first"),)
    HINTS = Hints(("list.open", "screen.copy"))

    def __init__(self, language: str, text: str, equivalent: str) -> None:
        super().__init__()
        self._language = language
        self._texts = (text, equivalent)
        self._pivots: list[Pivot] = []

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="pivots-head")
        yield Static(f"  {PIVOT_COLUMNS}", id="pivots-columns", classes="aligned-columns")
        yield RowList(id="pivots", empty="looking for what both translate ...")
        yield Static("", id="pivot-texts")

    def on_mount(self) -> None:
        text, equivalent = self._texts
        self.ask(lambda reader: pivots_of(reader.store, self._language, text, equivalent), self._show)

    def _show(self, found: list[Pivot]) -> None:
        self._pivots = found
        text, equivalent = self._texts
        told = counted(len(found), "translations of both")
        self.query_one(HeadLine).show(cell_safe(f"{text} = {equivalent} ({self._language})"), told)
        self.query_one(RowList).show_rows(
            len(found), lambda row: pivot_row(self._pivots[row]), empty="They share no translation."
        )

    def _asked(self, row: int) -> list[AlignedPhrase]:
        pivot = self._pivots[row]
        return [
            AlignedPhrase(self._language, text, pivot.language, pivot.text, is_counted=True) for text in self._texts
        ]

    @on(Highlighted)
    def _ask_examples(self, message: Highlighted) -> None:
        asked = self._asked(message.row)

        def question(reader: DatabaseReader) -> _Examples:
            found = [phrase_places(reader.searcher, each, _PAIRS_LOOKED_AT) for each in asked]
            return _Examples(message.row, tuple(next(iter(each.pairs), None) for each in found))

        self.ask(question, self._show_examples, kind="pivot")

    def _show_examples(self, found: _Examples) -> None:
        lines = []
        for pair in found.pairs:
            if pair is not None:
                other = linked_text(pair.translation, pair.translation_marks)
                lines.append(Text.assemble(linked_text(pair.text, pair.marks), "\n  ", other))
        self.query_one("#pivot-texts", Static).update(Text("\n").join(lines))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        self.app.push_screen(PairsScreen(self._asked(message.row)))


_TYPE = """/ types a word, or up to three that follow each other.

It is shown how they are translated, and how often, in sentences of which the
words are aligned with their translations; then t shows their equivalents: what
is translated by the same words, and how probably it means the same."""


class AlignedWordLine(TypedLine):
    """Where one types what to look up; Enter looks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("down,escape", "leave", "To the list", "aligned-word.leave", "Go to the list"),
    ]


def _chosen_for(screen: EquivalentsScreen, form: str) -> Mapping[str, str]:
    if not screen.steps or form not in ("equivalents", "translations"):
        return {}
    last = screen.steps[-1]
    is_equivalents = form == "equivalents"
    return {"phrase" if is_equivalents else "word": last.text, "lang": last.language} | (
        {} if is_equivalents else {"other": last.other}
    )


class EquivalentsScreen(StepsScreen[Lookup]):
    """A line for a word, what it is aligned with or else called, and an example of the row under the cursor."""

    PLACE = "equivalents"
    CHOSEN_FOR = _chosen_for
    BEGINS = ("align", "translations", "equivalents", "annotate")
    SIGNS = (
        ("times", "How often the word is translated so"),
        ("shared", "How often both have a translation in common: the rarer of them, with the one that they share most"),
        ("share", "The share of the places of the word at which it is"),
        ("probability", "That it is an equivalent, by translations, places and exchanges, from 0 to 1"),
        ("languages", "Through how many: where both have a translation twice or more; after a once, too"),
        ("contexts", "In how many contexts both occur; - where the language has no index"),
        ("[ ]", "What is aligned with each other in an example"),
        ("(nothing)", "No word of the translation is aligned with it"),
        ("x rejected", "A person said that it is not an equivalent"),
    )
    HINTS = Hints(
        (
            *("equivalents.type", "list.open", "equivalents.turn", "equivalents.other", "equivalents.reject"),
            *("equivalents.doubtful", "equivalents.follow", "equivalents.language", "equivalents.export"),
        ),
        needed=4,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("slash", "type", "Word", "equivalents.type", "Type a word, or up to three"),
        bind("t", "look('turn')", "Turn", "equivalents.turn", "From translations to what else it is called, and back"),
        bind("x", "reject", "Reject", "equivalents.reject", "This is not an equivalent; again: it is one"),
        bind("f", "look('follow')", "Look up", "equivalents.follow", "Look up this phrase, in its language"),
        bind("l", "look('language')", "Language", "equivalents.language", "Look in the next aligned language"),
        bind("o", "look('other')", "Into", "equivalents.other", "Translations in the next language"),
        bind(
            "a",
            "look('doubtful')",
            "Doubtful",
            "equivalents.doubtful",
            "All that share a translation, or fewer",
        ),
        bind("v", "show('corpus')", "Sentences", "equivalents.sentences", "Show this phrase in Search"),
        bind("e", "show('file')", "Export", "equivalents.export", "Write the table to a file"),
        bind("p", "show('paradigm')", "Paradigm", "equivalents.paradigm", "What stands in the place of this phrase"),
        bind("backspace", "step_back", "Back", "equivalents.back", "Go one lookup back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.trail = LookupHistory()

    def compose_body(self) -> ComposeResult:
        yield AlignedWordLine(id="aligned-word", placeholder="a word, or up to three; Enter", compact=True)
        yield Static(id="lookup")
        yield Static(id="lookup-columns", classes="aligned-columns")
        yield RowList(id="aligned", empty=_TYPE)
        yield Static("", id="aligned-example")

    def on_screen_resume(self) -> None:
        self.ask(lambda reader: found_languages(reader.store), self._languages_read)

    def _languages_read(self, found: AlignedLanguages) -> None:
        if found == self.trail.languages:
            return
        self.trail = LookupHistory(found) if found.missing else replace(self.trail, languages=found)
        if self.trail.found is None:
            self.query_one(RowList).show_rows(0, self._row, empty=found.missing or _TYPE)
        self._show_head()

    @property
    def steps(self) -> Steps:
        return self.trail.lookups

    def _name_of(self, binding: Binding) -> str:
        """What the line of hints calls a binding: where the key leads from what is shown."""
        if self.trail.found is None:
            return super()._name_of(binding)
        last = self.trail.last
        names = {
            "equivalents.turn": "equivalents" if last.view == "translations" else "translations",
            "equivalents.language": f"words of {self.trail.next_language}",
            "equivalents.other": f"into {self.trail.next_other}",
            "equivalents.doubtful": "probable ones" if last.has_doubtful else "all",
        }
        return names.get(binding.id or "") or super()._name_of(binding)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is of equivalents, of translations or of phrases is offered only where these are shown."""
        view = self.steps[-1].view if self.steps else None
        row = self.trail.row
        offered = {
            "reject": view == "equivalents" and row is not None,
            "doubtful": view == "equivalents",
            "other": view == "translations",
            "follow": row is not None and row.found is not None,
            "turn": view is not None,
            "language": view is not None,
            "show": view is not None,
        }
        what = str(parameters[0]) if action == "look" and parameters else action
        return super().check_action(action, parameters) and offered.get(what, True)

    def lines(self) -> list[str]:
        found = self.trail.found
        told, empty = ([found.told], found.empty) if found else ([], self.trail.languages.missing or _TYPE)
        rows = super().lines() or [empty]
        return [self.trail.name, *told, *rows, self.query_one(Legend).line()]

    def take(self, wanted: PlaceWanted) -> None:
        if isinstance(wanted, WordAsked):
            self.query_one(Input).value = wanted.word
            with self.errors_shown():
                self._begin(self.trail.begun(wanted.word, wanted.language))

    @on(Input.Submitted, "#aligned-word")
    def _typed(self, event: Input.Submitted) -> None:
        with self.errors_shown():
            steps = () if self.trail.languages.begins else self.trail.begun(event.value)
            self.set_focus(self.query_one(RowList))  # at once: keys that come before the answer are not typed
            if steps:
                self._begin(steps)
            else:
                begin_command(self, self.trail.languages.begins)

    def _begin(self, steps: Steps) -> None:
        """Go to another word: what is shown is not of it."""
        self.trail = replace(self.trail, found=None)
        waits = f"looking up {cell_safe(steps[-1].text)} ..."
        self.query_one(RowList).show_rows(0, self._row, empty=waits)
        self._show_head()
        self._show_example()
        self.refresh_bindings()
        self.go(steps)

    def go(self, steps: Sequence[Lookup]) -> None:
        self.say(f"looking up {cell_safe(steps[-1].text)} ...")

        def question(reader: DatabaseReader) -> LookupResult:
            with reader.models.snapshot():
                return steps[-1].ask(reader.models)

        self.ask(question, lambda found: self._arrived(tuple(steps), found), kind="aligned")

    def _arrived(self, steps: Steps, found: LookupResult) -> None:
        lookups = (*steps[:-1], found.lookup)
        self.trail = replace(self.trail, lookups=lookups, found=found, cursor=found.lookup.cursor)
        rows, count = self.query_one(RowList), self.trail.count
        rows.show_rows(count, self._row, cursor=found.lookup.cursor, empty=found.empty)
        if count:
            rows.focus()
        self._show_head()
        self._show_example()
        self.refresh_bindings()  # what t leads to is another
        self.say(found.told, stays=True)

    def _show_head(self) -> None:
        columns = columns_of(self.trail.found) if self.trail.found and self.trail.count else ""
        self.query_one("#lookup", Static).update(cell_safe(self.trail.name))
        self.query_one("#lookup-columns", Static).update(columns)

    def _row(self, at: int) -> Text:
        found = self.trail.found
        if found is None or at > len(found.rows):
            return Text()
        if at == len(found.rows):
            return Text(f"{found.more:,} more: Enter shows them", "bold")
        return row_text(found, found.rows[at], ascii=self.shell.ascii_only)

    @on(Highlighted)
    def _show_example(self) -> None:
        before = self.trail.row
        self.trail = replace(self.trail, cursor=self.query_one(RowList).cursor)
        row = self.trail.row
        if (before is None or before.found is None) != (row is None or row.found is None):
            self.refresh_bindings()  # there is no phrase to follow any more, or there is one again
        self.query_one("#aligned-example", Static).update(Text() if row is None else example_text(row), layout=False)

    @on(Opened)
    def _opened(self) -> None:
        """The pairs of sentences of a translation, or through what an equivalent comes."""
        with self.errors_shown():
            last, row = self.trail.last, self.trail.row
            if row is None:
                self.go(self.trail.whole())
            elif isinstance(row.found, FoundEquivalent):
                self.app.push_screen(PivotsScreen(last.language, last.text, row.text))
            else:
                self.app.push_screen(PairsScreen([self.trail.aligned()]))

    def action_look(self, step: str) -> None:
        """Go where a key leads."""
        with self.errors_shown():
            self.go(STEPS[step](self.trail))

    def action_reject(self) -> None:
        """Reject the selected equivalents, or the one under the cursor; if all are rejected, take that back."""
        with self.errors_shown():
            last = self.trail.last
            wanted = self.trail.equivalents(frozenset(self.query_one(RowList).selected))
            is_rejected = not all(row.is_rejected for row in wanted)

            def change(store: Store) -> int:
                changes = (
                    set_rejected(store, last.language, last.text, row.text, is_rejected=is_rejected) for row in wanted
                )
                return sum(changes)

            def changed(count: int) -> None:
                if count:
                    self.go(self.trail.again())
                else:
                    self.say("what these phrases differ by is rejected; take that back where one looks it up")

            self.write(change, changed, kept=True)

    def action_show(self, place: str) -> None:
        with self.errors_shown():
            text, language = self.trail.phrase
            if place == "file" and self.trail.found is not None:
                ask_export(self, self.trail.found.lookup.view, lookup_table(self.trail.found))
                return
            is_search = place == "corpus"
            self.app.post_message(CorpusWanted(text, language, "word") if is_search else ParadigmWanted(text, language))

"""What stands behind a paraphrase: how probable it is and why, on a screen of its own or beside the list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult

from corpusdb.base.cells import wrapped
from corpusdb.base.display import cell_safe, counted
from corpusdb.base.errors import DatabaseReadOnly
from corpusdb.base.options import format_probability, rounded_below
from corpusdb.corpus.model import LISTED, Explanation, Paraphrase, SharedTranslation
from corpusdb.corpus.orders import DOUBTED
from corpusdb.corpus.queries.sentences import sentence_id
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.exchanges import ExchangeReport, exchanges_between, reports_behind
from corpusdb.paraphrase.queries.filters import NSequenceFilter
from corpusdb.paraphrase.queries.paraphrases import explain
from corpusdb.paraphrase.report import example_lines, format_exchange
from corpusdb.people.queries.views import SeedView
from tui.kit.place_screen import Hints, PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.shown import Opened, RowList, Text, TextPane
from tui.kit.terminal import ACCEPTED, REJECTED, UNSTORED, moved_validity
from tui.search.document_screen import DocumentScreen

ANALOGIES = 100
_MARGIN = re.compile(r" *(?:[-+<] )?(?:(?:[ABCDx]|B'|[a-z]{3})  +)?")
"""What stands before a text: spaces, a sign, and the letter of a sentence or the code of a language."""
_SIGN_AT = 2
_SIGN_COLOURS: Mapping[str, str] = {"+": ACCEPTED, "-": REJECTED, "<": UNSTORED}
_BESIDE_TEXT = 4
"""Cells of a line for the mark of the cursor, the scroll bar and a space before it."""
_LEAST_CELLS = 8
EXAMPLES = 3
"""Pairs of sentences that show an exchange of words, for it and against it."""


@dataclass(frozen=True, slots=True)
class ExplanationRow:
    """A line, and the sentence of the corpus that it may show."""

    text: str
    sentence: str | None = None
    language: str | None = None
    speaks: str = ""
    """The sign before its text, for what speaks for the paraphrase or against it."""

    @property
    def is_heading(self) -> bool:
        return not self.text.startswith(" ")


class ExplanationScreen(PlaceScreen):
    """The exchanges, analogies and translations behind a paraphrase.

    Enter on a sentence of the corpus shows its document with the lines of the file.
    """

    PLACE = "session"
    REACHED = "Enter on a session, and on a paraphrase"
    HINTS = Hints(("list.open", "screen.find", "screen.copy"))
    CALLED: ClassVar[Mapping[str, str]] = {"list.open": "where it is"}
    SIGNS = (
        ("+, -, <", "It speaks for the paraphrase; against it; the validity is not above this, whatever speaks for it"),
        ("a / b", "Words that take the place of others; (nothing) where there are none"),
        ("calls for", "The translation is mostly said with this word, which speaks for the paraphrase"),
        ("not expected", "The translation is hardly ever said with this word, which speaks against it"),
        ("(0.99)", "How probable it was that such a pair shares a translation, if both mean the same"),
        ("A, B, C, D", "Sentences of the corpus: A is to B as C is to D, which is the seed"),
        ("B', x", "B' shares translations with B; x, the paraphrase, is to D what B' is to B"),
    )

    def __init__(
        self, seed: str, paraphrase: str, language: str, judged: float | None = None, verdict: str = ""
    ) -> None:
        """``judged`` is how probably a wording of one's own holds, which nothing that makes paraphrases knows.

        ``verdict`` says whether it passes the filter of the session.
        """
        super().__init__()
        self._judged = judged
        self._verdict = verdict
        self._seed = seed
        self._paraphrase = paraphrase
        self._language = language
        self._rows: list[ExplanationRow] = []
        self._folded: list[tuple[int, str]] = []
        """What stands in each line of the list: a row by its place, and a part of it."""

    def compose_body(self) -> ComposeResult:
        yield RowList(id="explanation", empty="looking for the analogies and translations behind it ...")

    def on_mount(self) -> None:
        self.query_one(RowList).focus()

        def question(reader: DatabaseReader) -> list[ExplanationRow]:
            try:
                return self.rows_behind(reader.models)
            except DatabaseReadOnly:  # the corpus does not hold the seed: it is taken in, and out again
                with reader.writing() as store:
                    return self.rows_behind(store)

        self.ask(question, self._show)

    def rows_behind(self, store: Store) -> list[ExplanationRow]:
        found = explain(store, self._seed, self._paraphrase, self._language, limit=ANALOGIES)
        if found.validity is None and self._judged is not None:
            own = exchanges_between(store, self._language, self._seed, self._paraphrase)
            found = replace(found, validity=self._judged, exchanges=own)
        exchanges = reports_behind(store, self._language, found, EXAMPLES)
        found = replace(found, fails=self._verdict or found.fails)
        return list(explanation_rows(found, exchanges, self._language))

    def _show(self, found: list[ExplanationRow]) -> None:
        self._rows = [replace(row, text=cell_safe(row.text)) for row in found]
        self._fold()

    def on_resize(self) -> None:
        """Fold the rows to the width that there is; the cursor stays on its row."""
        if self._rows:
            self._fold()

    def _fold(self) -> None:
        rows = self.query_one(RowList)
        current = self._folded[rows.cursor][0] if rows.cursor < len(self._folded) else 0
        width = self.size.width - _BESIDE_TEXT
        self._folded = [(at, part) for at, row in enumerate(self._rows) for part in folded(row.text, width)]
        cursor = next((place for place, (at, _) in enumerate(self._folded) if at == current), 0)
        rows.show_rows(len(self._folded), self._line, cursor=cursor)

    def _line(self, place: int) -> Text:
        at, part = self._folded[place]
        return _styled(self._rows[at], part)

    def lines(self) -> list[str]:
        return [row.text for row in self._rows]

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        at, _ = self._folded[message.row]

        row = self._rows[at]
        text, language = row.sentence, row.language
        if text is None or language is None:
            self.say("this line is no sentence: Enter shows where a sentence is in the corpus")
            return

        def then(sentence: int | None) -> None:
            if sentence is None:
                self.say("nobody wrote this sentence: the corpus does not have it")
            else:
                self.app.push_screen(DocumentScreen(sentence, self.PLACE))

        self.ask(lambda reader: sentence_id(reader.store, language, text), then, opens=True)


def _styled(row: ExplanationRow, part: str) -> Text:
    """A line of a row: headings stand out, and so does the sign of what speaks for the paraphrase or against it."""
    text = Text(part, "bold" if row.is_heading else "")
    if row.speaks and part[_SIGN_AT:].startswith(row.speaks):
        text.stylize(f"bold {_SIGN_COLOURS[row.speaks]}", _SIGN_AT, _SIGN_AT + 1)
    return text


def folded(text: str, width: int) -> list[str]:
    """A row in lines of at most ``width`` cells, what follows below the text behind the margin and the letter."""
    indent = _MARGIN.match(text)
    begin = indent.end() if indent is not None else 0
    parts = wrapped(text[begin:], max(width - begin, _LEAST_CELLS))
    return [(text[:begin] if not at else " " * begin) + part for at, part in enumerate(parts)]


_AS = "A is to B as C is to D, so A is to B' as C is to x"


_ALIKE = 5
"""Rows of analogies that differ from one before in A and C only."""


def explanation_rows(
    explanation: Explanation, exchanges: Sequence[ExchangeReport] = (), language: str | None = None
) -> Iterator[ExplanationRow]:
    """Headings at the margin, sentences below them by their letters in A : B :: C : D and A : B' :: C : x.

    Of several analogies with the same B and B' the later ones take one row each, a few of them, and then one in all.
    ``language`` is that of the paraphrase.
    """
    yield ExplanationRow(explanation.candidate, explanation.candidate, language)
    yield ExplanationRow(f"  offered as a paraphrase of: {explanation.seed}", explanation.seed, language)
    yield from map(ExplanationRow, (*explanation.accepted, *filter(None, [explanation.fails])))
    if explanation.validity is not None:
        validity = format_probability(explanation.validity)
        yield ExplanationRow(f"Validity {validity}, how probably it means the same: + for, - against, < limit")
        regions = [(format_exchange(each), each.speaks) for each in explanation.exchanges]
        for text, speaks in (*regions, *explanation.steps):
            yield ExplanationRow(f"  {speaks or ' '} {text}", speaks=speaks)
    if explanation.direct:
        yield ExplanationRow(f"Both have the translations ({len(explanation.direct):,})")
        yield from shared_rows(explanation.direct)
    for report in exchanges:
        yield from _example_rows(report, language)
    yield from map(ExplanationRow, explanation.reasons)
    told: dict[tuple[str, str], int] = {}
    rows = Counter[tuple[str, str]]()
    left_out = Counter((each.b, each.rewording) for each in explanation.analogies)
    for number, analogy in enumerate(explanation.analogies, 1):
        pair = analogy.b, analogy.rewording
        left_out[pair] -= 1
        if pair in told:
            rows[pair] += 1
            same = f"  Analogy {number:,}, as {told[pair]:,} but for"
            if rows[pair] <= _ALIKE:
                yield ExplanationRow(f"{same} A  {analogy.a}  and C  {analogy.c}", analogy.a, language)
            elif rows[pair] == _ALIKE + 1:
                yield ExplanationRow(f"  and {left_out[pair] + 1:,} more as {told[pair]:,}, with another A and C")
            continue
        told[pair] = number
        yield ExplanationRow(f"Analogy {number:,} of {explanation.total:,}: {_AS}")
        sentences = (analogy.a, analogy.b, analogy.c, analogy.d, analogy.rewording, explanation.candidate)
        for letter, text in zip(("A", "B", "C", "D", "B'", "x"), sentences, strict=True):
            yield ExplanationRow(f"  {letter:<5}{text}", text, language)
        yield ExplanationRow("       B and B' share")
        yield from shared_rows(explanation.shared.get(pair, ()))
    left = explanation.total - len(explanation.analogies)
    if left > 0:
        yield ExplanationRow(f"{left:,} more analogies; `corpusdb explain -n 0` in a shell shows all")
    if not explanation.analogies and not explanation.direct and not explanation.reasons:
        yield ExplanationRow("No analogy gives it, and the two share no translation.")


def _example_rows(report: ExchangeReport, language: str | None) -> Iterator[ExplanationRow]:
    """The pairs of sentences that show an exchange, each with what it shows."""
    examples = (*report.examples, *report.counter_examples)
    known = {text: (text, language) for each in examples for text in (each.one, each.other)}
    shared = (translation for each in examples for translation in each.translations)
    known |= {f"{each.language}  {each.text}": (each.text, each.language) for each in shared}
    for line in example_lines(report):
        yield ExplanationRow(line, *known.get(re.sub(r"  \(expected \d\.\d+\)$", "", line.strip()), ()))


def shared_rows(translations: Sequence[SharedTranslation]) -> Iterator[ExplanationRow]:
    """A row for each translation that two sentences share, with where it stands."""
    for each in translations:
        places = f"  ({', '.join(each.places)})" if each.places else ""
        yield ExplanationRow(f"       {each.language}  {each.text}{places}", each.text, each.language)


# Whether a paraphrase passes the filter of a session, and why, in a line or two.


_BY: Mapping[str, str] = {
    "exchange": "exchanges of words lead to it, at once or in steps",
    "equivalent": "both phrases are translated alike",
    "rule": "rules of style keep the meaning",
}
_VALIDITY = next(each for each in LISTED if each.name == "validity")


def format_why(paraphrase: Paraphrase, kept: NSequenceFilter) -> str:
    """Why a paraphrase holds, or why it fails the filter, in a plain line."""
    if not paraphrase.origins:
        return f"Your own wording, exported unless rejected. {format_judged(paraphrase, kept)}."
    reasons = ["the corpus has it"] if paraphrase.in_corpus else []
    if paraphrase.shared:
        reasons.append(f"{counted(paraphrase.shared, 'translations')} shared")
    if paraphrase.frequency:
        languages = counted(paraphrase.languages, "languages")
        reasons.append(f"{counted(paraphrase.frequency, 'analogies')} in {languages}")
    reasons += [_BY[name] for name in paraphrase.origins if name in _BY]
    if kept.passes(paraphrase):
        known = _validity_told(paraphrase, kept)
        valid = f"Validity {known}: how probably it means the same."
        return f"{f'{valid} For it' if known else 'Holds'}: {'; '.join(reasons)}."
    return format_verdict(paraphrase, kept) + (f"\nFor it: {'; '.join(reasons)}." if reasons else "")


def format_verdict(paraphrase: Paraphrase, kept: NSequenceFilter) -> str:
    """By what a paraphrase passes the filter; or by what it fails, and which filter would let it pass."""
    told = kept.reason(paraphrase)
    if not paraphrase.origins:
        return f"{format_judged(paraphrase, kept)}."
    if kept.passes(paraphrase):
        known = _validity_told(paraphrase, kept)
        return f"Passes: {'; '.join(filter(None, [f'validity {known}' * bool(known), told or 'the corpus has it']))}."
    weaker = _weaker(paraphrase, kept)
    moved = [f"N = {weaker.order} (left)"] if weaker.order < kept.order else []
    moved += [f"V = {weaker.min_validity:g} (<)"] if weaker.min_validity < kept.min_validity else []
    told += _why_so_much(paraphrase, kept)
    way = f" It passes with {' and '.join(moved)}." if moved and weaker.passes(paraphrase) else ""
    return f"{told[:1].upper()}{told[1:]}.{way}"


def _why_so_much(paraphrase: Paraphrase, kept: NSequenceFilter) -> str:
    """Why a paraphrase that fails by its order must reach no less, where less is asked of others."""
    finding = kept.decisive(paraphrase)
    gain = None if finding is None else finding.word_gain
    if gain is None or gain < DOUBTED or not kept.halves or kept.failing(paraphrase) != "order":
        return ""
    if gain < 0:
        return f". Less is asked where words are as probable as those of the seed (word gain 0, here {gain:g})"
    return ". Less is asked where the corpus knows that the words may stand for each other"


def _weaker(paraphrase: Paraphrase, kept: NSequenceFilter) -> NSequenceFilter:
    """The filter with the highest N and V at which keys arrive that a paraphrase does not fail by."""
    while kept.order and kept.failing(paraphrase) == "order":
        kept = replace(kept, order=kept.order - 1)
    while kept.min_validity and kept.failing(paraphrase) == "validity":
        kept = replace(kept, min_validity=moved_validity(kept.min_validity, -1))
    return kept


def format_judged(own: Paraphrase, kept: NSequenceFilter) -> str:
    """How what a person wrote stands beside what a filter asks of others."""
    told = "the corpus has it" if own.in_corpus else kept.reason(own)
    if not kept.passes(own):
        return f"Made by the program it would fail: {told.removeprefix('fails: ')}"
    return f"Made by the program it would pass, too: validity {_validity_told(own, kept) or 'unknown'}; {told}"


def _validity_told(paraphrase: Paraphrase, kept: NSequenceFilter) -> str:
    """The validity as the list has it; empty where it is not known."""
    known = paraphrase.validity
    return "" if known is None else _VALIDITY.told(rounded_below(known, kept.min_validity))


_ANALOGIES = 5
"""As many as a screen may show; Enter on the paraphrase shows more."""
_BESIDE_PANE = 5
"""Cells for the border, the space inside and the scroll bar."""

Ask = Callable[[Callable[[DatabaseReader], Any], Callable[[Any], None], str], object]
"""Asks a question of a kind, and hands its answer on."""


class EvidencePane(TextPane):
    """The analogies that yield a paraphrase and the translations that it shares with the seed."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._wanted: tuple[str, str] | None = None
        """The seed and the paraphrase that it shows, or asks for."""

    def show_behind(self, view: SeedView, paraphrase: Paraphrase | None, ask: Ask) -> None:
        """Show what stands behind a paraphrase, where there is room for that."""
        if not self.display or not self.size.width:
            return
        wanted = None if paraphrase is None else (view.seed, paraphrase.text)
        if wanted == self._wanted:
            return
        self._wanted = wanted
        if wanted is None:
            self.show(Text())
            return
        if not view.in_corpus:  # it would have to be taken into the file for a moment
            self.show(Text("Enter shows what is behind it.", "dim"))
            return
        seed, text = wanted
        language = view.standing.language

        def question(reader: DatabaseReader) -> list[ExplanationRow]:
            return list(explanation_rows(explain(reader.models, seed, text, language, limit=_ANALOGIES)))

        ask(question, self._arrived, "evidence")

    def _arrived(self, rows: list[ExplanationRow]) -> None:
        shown = Text()
        for row in rows[2:]:  # the paraphrase and the seed stand beside it
            for line in folded(cell_safe(row.text), self.size.width - _BESIDE_PANE):
                shown.append(_styled(row, line)).append("\n")
        self.show(shown)

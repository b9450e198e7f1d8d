"""One rule: its examples, and what it does to sentences of the corpus, which are looked for in the background."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.display import cell_safe
from corpusdb.errors import CorpusError
from corpusdb.jobs import Progress
from corpusdb.queries.rules.rule_sentences import RewrittenSentence, SentencesOfRule
from corpusdb.queries.rules.rule_table import RuleRow
from tui.background.stepwise import StepwiseJob
from tui.background.superseded import Superseded
from tui.messages import CorpusWanted, Opened
from tui.shared.dialogs import DetailsDialog
from tui.shared.form import one_line
from tui.shared.place_screen import PlaceScreen
from tui.shared.rewriting_lines import changed_texts, marked_texts
from tui.shown import Static, Text
from tui.widgets.head_line import HeadLine
from tui.widgets.legend import Hints, Legend
from tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from corpusdb.japanese import Example

__all__ = ["RuleScreen"]

_SENTENCES: Final = 20
"""Of the corpus, that are looked for at a time."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A line; what Enter shows of it, and the sentence of the corpus that it is about."""

    text: Text
    whole: tuple[str, ...] = ()
    sentence: str | None = None


class RuleScreen(PlaceScreen):
    """Two rows for each pair: before, and below it after."""

    PLACE = "rules"
    AUTO_FOCUS = "#rule-rows"
    REACHED = "Enter on a rule"
    HINTS = Hints(("list.open", "rule.more", "rule.stop", "rule.corpus"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", id="rule.stop", tooltip="Stop looking for sentences"),
        Binding("plus,equals_sign", "more", "More", id="rule.more", tooltip="Look for more sentences of the corpus"),
        Binding("c", "corpus", "Corpus", id="rule.corpus", tooltip="Search for this sentence in the corpus"),
    ]

    def __init__(self, row: RuleRow) -> None:
        super().__init__()
        self._row = row
        self._rows: list[_Row] = []
        self._sentences = SentencesOfRule(row.rule)
        self._job: StepwiseJob[None] | None = None
        self._reason = ""
        """Why no sentence can be looked for."""

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="rule-head")
        yield Static(Text(cell_safe(self._row.rule.source)), id="rule-source")
        yield RowList(id="rule-rows", empty="...")

    def on_mount(self) -> None:
        rule = self._row.rule
        state = f"{rule.kind}, {'on' if self._row.is_on else 'off'}"
        self.query_one(HeadLine).show(cell_safe(f"Rule {self._row.number}: {rule.name}"), state)
        self._show()
        self._look()

    def on_unmount(self) -> None:
        if self._job is not None:
            self._job.stop()

    @work(exclusive=True, group="sentences")
    async def _look(self) -> None:
        """Look for more sentences; what is found is shown as it comes."""
        sentences = self._sentences
        self._job = StepwiseJob(lambda reader: sentences.more(reader.store, _SENTENCES))
        self._reason = ""
        try:
            await self.shell.runner.read_in_steps(self._job, self._watch, "rule")
        except Superseded:
            pass
        except CorpusError as error:
            self._reason = one_line(error)
        if self.is_attached:
            self.say(self._reason, is_error=bool(self._reason))
            self._show()

    def _watch(self, progress: Progress) -> None:
        self.say(f"{progress.done:,} of {progress.total:,} sentences tried ...; escape stops it")
        self._show()

    def _show(self) -> None:
        """Show the examples and what was found so far; the cursor stays."""
        rows = self.query_one(RowList)
        before = len(self._rows)
        self._rows = [*self._example_rows(), *self._sentence_rows()]
        if len(self._rows) != before or rows.count != before:
            rows.show_rows(len(self._rows), lambda row: self._rows[row].text, cursor=rows.cursor)
        else:
            rows.refresh()

    def _example_rows(self) -> Iterator[_Row]:
        rule = self._row.rule
        if rule.off is not None:
            yield _Row(Text(cell_safe(f"Off by default: {rule.off}"), "bold"), (f"off by default: {rule.off}",))
        # One line of a file is an example for each direction in which it must come out.
        lines = [list(of_line) for _, of_line in groupby(rule.examples, lambda example: example.place.line)]
        yield _Row(Text(f"Examples ({len(lines)})", "bold"))
        for examples in lines:
            yield from _example(examples)

    def _sentence_rows(self) -> Iterator[_Row]:
        yield _Row(Text(f"Sentences of the corpus: {self._told()}", "bold"), (self._told(),))
        for found in self._sentences.found:
            yield from _sentence(found)

    def _told(self) -> str:
        """How far the corpus was gone through, or why it cannot be."""
        sentences = self._sentences
        if self._reason:
            return self._reason
        if sentences.is_complete and not sentences.total:
            return "it has no Japanese"
        found = f"{len(sentences.found):,} rewritten, {sentences.read:,} of {sentences.total:,} tried"
        if sentences.is_complete:
            return f"{found}: all"
        return f"{found} ..." if self._job is None or not self._job.is_over else f"{found}; + tries more"

    def lines(self) -> list[str]:
        """The rule, its examples, the sentences, and the keys."""
        head = self.query_one(HeadLine)
        rows = [row.rstrip() for row in super().lines()]
        return [f"{head.left} ({head.right})", self._row.rule.source, *rows, self.query_one(Legend).line()]

    def action_stop(self) -> None:
        if self._job is None or self._job.is_over:
            self.say("no sentences are being looked for")
        else:
            self._job.stop()

    def action_more(self) -> None:
        if self._job is not None and not self._job.is_over:
            self.say("sentences are being looked for; escape stops it")
        elif self._sentences.is_complete:
            self.say("all sentences of the corpus were tried")
        else:
            self._look()

    def action_corpus(self) -> None:
        row = self._rows[self.query_one(RowList).cursor] if self._rows else None
        if row is None or row.sentence is None:
            self.say("this is no sentence of the corpus", is_error=True)
        else:
            self.app.post_message(CorpusWanted(row.sentence, "jpn"))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        row = self._rows[message.row]
        if row.whole:
            self.app.push_screen(DetailsDialog(f"Row {message.row + 1}", row.whole))


def _example(examples: Sequence[Example]) -> Iterator[_Row]:
    """The rows of one line of examples."""
    example = examples[0]
    arrow = "<->" if len(examples) > 1 else example.directions[0].value
    if example.after is None:
        whole = (cell_safe(example.before), "must stay as it is")
        yield _Row(Text(f"  {'=':<5} {cell_safe(example.before)}", no_wrap=True), whole)
        return
    yield from _pair(arrow, *changed_texts(example.before, example.after), None)


def _sentence(found: RewrittenSentence) -> Iterator[_Row]:
    arrow = found.rewriting.lineage[0].direction.value
    yield from _pair(arrow, *marked_texts(found.text, found.rewriting), found.text)


def _pair(arrow: str, before: Text, after: Text, sentence: str | None) -> Iterator[_Row]:
    whole = (before.plain, f"{arrow} {after.plain}")
    yield _Row(Text("        ", no_wrap=True) + before, whole, sentence)
    yield _Row(Text(f"  {arrow:<5} ", no_wrap=True) + after, whole, sentence)

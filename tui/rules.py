"""Rules: those of a rule set in their order, what each does, its examples, and switching them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from os.path import commonprefix
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType

from corpusdb.base.cells import cut_right, padded
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import CorpusError, UsageError
from corpusdb.base.jobs import Progress
from corpusdb.rules.queries.rewritings import (
    RuleRow,
    RuleTable,
    SentencesOfRule,
    rule_table,
    rule_uses,
    switch_rule,
)
from corpusdb.rules.queries.rule_sets import check_set_name
from corpusdb.rules.report import format_effect, format_effects
from tui.kit.dialogs import ChoiceDialog, DetailsDialog, FormDialog, one_line
from tui.kit.fields import Field
from tui.kit.late_screen import is_there
from tui.kit.place_screen import HeadLine, Hints, Legend, PlaceScreen
from tui.kit.reader import StepwiseJob, Superseded
from tui.kit.shown import (
    CorpusWanted,
    Highlighted,
    Opened,
    RowList,
    Static,
    Text,
    TextPane,
    bind,
    marked_text,
    marked_texts,
)

if TYPE_CHECKING:
    from corpusdb.rules.rule import Rule, RuleExample

_SENTENCES: Final = 20
"""Of the corpus, that are looked for at a time."""


def changed_texts(before: str, after: str) -> tuple[Text, Text]:
    """Both with what changed marked: all between what they begin and what they end with."""
    begin, end = _alike(before, after)
    return tuple(marked_text(each, [(begin, len(each) - end)]) for each in (before, after))  # type: ignore[return-value]


def changed_in_one(before: str, after: str) -> str:
    """Both in one line: ``I [am -> was] here``."""
    begin, end = _alike(before, after)
    old, new = (each[begin : len(each) - end] or "nothing" for each in (before, after))
    return cell_safe(f"{before[:begin]}[{old} -> {new}]{before[len(before) - end :]}")


def _alike(before: str, after: str) -> tuple[int, int]:
    """How many characters they begin with, and then end with, in common."""
    begin = len(commonprefix([before, after]))
    return begin, len(commonprefix([before[begin:][::-1], after[begin:][::-1]]))


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
        bind("escape", "stop", "Stop", "rule.stop", "Stop looking for sentences, else go back"),
        bind("plus,equals_sign", "more", "More", "rule.more", "Look for more sentences of the corpus"),
        bind("c", "corpus", "Search", "rule.corpus", "Show this sentence in Search"),
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
        yield Static(Text("\n".join(_formula(self._row.rule))), id="rule-source")
        yield RowList(id="rule-rows", empty="reading the rule ...")

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
        if is_there(self):
            self.say(self._reason, is_error=bool(self._reason))
            self._show()

    def _watch(self, progress: Progress) -> None:
        if is_there(self):
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
            arrow = found.rewriting.lineage[0].direction.value
            yield from _pair(arrow, *marked_texts(found.text, found.rewriting), found.text)

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
        head = self.query_one(HeadLine)
        rows = [row.rstrip() for row in super().lines()]
        return [f"{head.left} ({head.right})", self._row.rule.source, *rows, self.query_one(Legend).line()]

    def action_stop(self) -> None:
        if self._job is None or self._job.is_over:
            self.action_back()
        else:
            self._job.stop()

    def action_more(self) -> None:
        if self._job is not None and not self._job.is_over:
            self.say("sentences are being looked for; escape stops it")
        elif self._sentences.is_complete:
            self.say("all sentences of the corpus were tried", stays=True)
        else:
            self._look()

    def action_corpus(self) -> None:
        row = self._rows[self.query_one(RowList).cursor] if self._rows else None
        if row is None or row.sentence is None:
            self.say("this is not a sentence of the corpus", is_error=True)
        else:
            self.app.post_message(CorpusWanted(row.sentence, "jpn"))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        row = self._rows[message.row]
        if row.whole:
            self.app.push_screen(DetailsDialog(f"Row {message.row + 1}", row.whole))


def _example(examples: Sequence[RuleExample]) -> Iterator[_Row]:
    example = examples[0]
    arrow = "<->" if len(examples) > 1 else example.directions[0].value
    if example.after is None:
        whole = (cell_safe(example.before), "must stay as it is")
        yield _Row(Text(f"  {'=':<5} {cell_safe(example.before)}", no_wrap=True), whole)
        return
    yield from _pair(arrow, *changed_texts(example.before, example.after), None)


def _pair(arrow: str, before: Text, after: Text, sentence: str | None) -> Iterator[_Row]:
    whole = (before.plain, f"{arrow} {after.plain}")
    yield _Row(Text("        ", no_wrap=True) + before, whole, sentence)
    yield _Row(Text(f"  {arrow:<5} ", no_wrap=True) + after, whole, sentence)


_NUMBER, _NAME, _KIND, _ON, _EFFECT, _USES = 4, 24, 6, 3, 26, 7
_COLUMNS = f"{'no.':>{_NUMBER}} {'rule':<{_NAME}} {'kind':<{_KIND}} {'on':<{_ON}}"


_ENDS: Final = {"STOP": "a sentence ends", "END": "a predicate ends", "START": "a sentence begins"}
"""What stands around a place by name, in short."""


def _formula(rule: Rule) -> list[str]:
    """What it rewrites, and around which place; the help says what the signs are."""
    change, _, around = rule.source.partition(" / ")
    told = "; ".join(f"{name}: {what}" for name, what in _ENDS.items() if name in around)
    where = [f"only where: {around}{f'  ({told})' if told else ''}"] if around else []
    return [cell_safe(line) for line in (f"formula: {change}", *where)]


def _shortest(rule: Rule) -> str:
    """Of its examples the shortest that it changes."""
    changed = [(each.before, each.after) for each in rule.examples if each.after is not None]
    return changed_in_one(*min(changed, key=lambda each: len(each[0]))) if changed else ""


class RulesScreen(PlaceScreen):
    PLACE = "rules"
    BEGINS = ("rules",)
    AUTO_FOCUS = "#rules"
    SIGNS = (
        ("kind", "polite: changes the degree of politeness; other: does not"),
        ("on", "Whether the set uses the rule"),
        ("an example", "The shortest text that the rule rewrites, in brackets what becomes what"),
        ("$1(...) : ...", "The formula: what is left of -> becomes what is right of it, where what is"),
        ("-> ... / ...", "behind / is around it, _ being its place; the guide rules (tab) explains all of it"),
        ("loss without it", "What the correlation with people loses without the rule; above 0, the rule helps"),
        ("uses", "In how many of the rewritings that are kept it had a part"),
    )
    HINTS = Hints(("list.open", "rules.switch", "rules.set", "screen.find"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("o", "switch", "On/off", "rules.switch", "Switch this rule off or on, in a set of your own"),
        bind("s", "choose_set", "Rule set", "rules.set", "Choose the rule set that is shown"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.table: RuleTable | None = None
        self._set = "all"
        self._uses: Mapping[str, int] = {}
        """Of each rule in the rewritings that are kept."""

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="rules-head")
        yield Static("", id="rules-columns", classes="rule-columns")
        yield RowList(id="rules", empty="reading the rules ...")
        yield TextPane(id="rule-detail")

    def on_screen_resume(self) -> None:
        self._load()

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(RowList).refresh()

    def _load(self) -> None:
        """Read the set again, and count beside it how often its rules were used."""
        name = self._set
        self.ask(lambda reader: rule_table(reader.store, name), self._loaded, kind="rules")

        def counted(uses: Mapping[str, int]) -> None:
            self._uses = uses
            self._show_columns()
            self.query_one(RowList).refresh()

        self.wait_for(lambda: self.shell.runner.ask_beside(rule_uses), counted)

    def _loaded(self, table: RuleTable) -> None:
        rows, current = self.query_one(RowList), self._current()
        self.table, self._set = table, table.name
        names = [row.rule.name for row in table.rows]
        cursor = names.index(current.rule.name) if current is not None and current.rule.name in names else 0
        rows.show_rows(len(table.rows), self._row, cursor=cursor)
        on_now, polite = table.rules.enabled, sum(rule.kind == "polite" for rule in table.rules.enabled)
        whose = "yours" if table.is_own else "of the program"
        told = f"Rule set {table.name} ({whose}): {len(on_now)} of {len(table.rows)} on, {polite} polite"
        self.query_one(HeadLine).show(cell_safe(told), table.rules.digest)
        self._show_columns()
        self._show_rule()

    def _show_columns(self) -> None:
        self.query_one("#rules-columns", Static).update(Text(f"  {self._columns}"), layout=False)

    @property
    def _has_effects(self) -> bool:
        """Whether a study of them is kept."""
        return self.table is not None and any(row.effects for row in self.table.rows)

    @property
    def _columns(self) -> str:
        """What stands above the rules; figures only where there are any."""
        effect = f" {'loss without it':<{_EFFECT}}" if self._has_effects else ""
        uses = f" {'uses':>{_USES}}" if self._uses else ""
        return f"{_COLUMNS}{effect}{uses}  an example"

    def _row(self, number: int) -> Text:
        if self.table is None or number >= len(self.table.rows):
            return Text()
        row = self.table.rows[number]
        name = padded(cut_right(cell_safe(row.rule.name), _NAME), _NAME)
        state = f"{row.rule.kind:<{_KIND}} {'on' if row.is_on else 'off':<{_ON}}"
        effect = f" {format_effect(row.effects):<{_EFFECT}}" if self._has_effects else ""
        uses = f" {self._uses.get(row.rule.name, 0):>{_USES},}" if self._uses else ""
        return Text(f"{row.number:>{_NUMBER},} {name} {state}{effect}{uses}  {_shortest(row.rule)}", no_wrap=True)

    def _current(self) -> RuleRow | None:
        rows = self.query_one(RowList)
        return None if self.table is None or not rows.count else self.table.rows[rows.cursor]

    @on(Highlighted)
    def _show_rule(self) -> None:
        row = self._current()
        if row is not None:
            is_own = self.table is not None and self.table.is_own
            self.query_one(TextPane).show(Text("\n".join(_told(row, is_own=is_own))))

    def lines(self) -> list[str]:
        head = self.query_one(HeadLine)
        detail = self.query_one(TextPane).lines()
        return [f"{head.left}  {head.right}", self._columns, *super().lines(), *detail, self.query_one(Legend).line()]

    def action_choose_set(self) -> None:
        sets = self.table.sets if self.table else ()

        def answered(place: int) -> None:
            self._set = sets[place]
            self._load()

        if sets:
            dialog = ChoiceDialog("Which rule set?", [cell_safe(name) for name in sets], cell_safe(self._set))
            dialog.ask(self, answered)

    def action_switch(self) -> None:
        row, table = self._current(), self.table
        if row is None or table is None:
            return
        if table.is_own:
            self._switch(table, row, None)
            return

        def check(values: Mapping[str, str]) -> None:
            check_set_name(values["name"], table.rules)
            if values["name"] in table.sets:
                raise UsageError(f"there is a rule set {values['name']!r} already")

        title = f"The set {table.name} is of the program: make one of your own from it"
        dialog = FormDialog(title, [Field("name", "Name of the set")], check)
        dialog.ask(self, lambda values: self._switch(table, row, values["name"]))

    def _switch(self, table: RuleTable, row: RuleRow, new: str | None) -> None:
        """Switch a rule, in a ``new`` set where one is named."""
        name, rule = table.name, row.rule.name

        def switched(name: str) -> None:
            self._set = name
            self.say(f"{rule} is {'off' if row.is_on else 'on'} in {name}")
            self._load()

        self.write(lambda store: switch_rule(store, name, rule, new=new), switched, kept=True)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        if self.table is not None:
            self.app.push_screen(RuleScreen(self.table.rows[message.row]))


def _told(row: RuleRow, *, is_own: bool) -> list[str]:
    """A rule in words: what it rewrites, why it is off, what it does to correlations, and where it stands.

    That of a set of one's own stands in the database, as it was when the set was made.
    """
    rule = row.rule
    lines = [_shortest(rule)]
    if rule.off is not None:
        lines.append(cell_safe(f"off by default: {rule.off}"))
    lines += [cell_safe(line) for line in format_effects(row.effects)]
    place = f"as it was in {rule.place.file}" if is_own else f"{rule.place.file}, line {rule.place.line}"
    return [*lines, *_formula(rule), cell_safe(f"{place}; digest {rule.digest}")]

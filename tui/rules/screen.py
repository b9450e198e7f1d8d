"""Rules: those of a rule set in their order, what each does to correlations with people, and switching them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.cells import cut_right, padded
from corpusdb.display import cell_safe
from corpusdb.errors import UsageError
from corpusdb.queries.rules.named_sets import check_set_name
from corpusdb.queries.rules.rewritings import rule_uses
from corpusdb.queries.rules.rule_table import RuleRow, RuleTable, rule_table, switch_rule
from corpusdb.reports.rules import effect_told, effects_told
from tui.messages import Highlighted, Opened
from tui.rules.rule_screen import RuleScreen
from tui.shared.dialogs import ChoiceDialog
from tui.shared.form import Field, FormDialog
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.head_line import HeadLine
from tui.widgets.legend import Hints, Legend
from tui.widgets.row_list import RowList
from tui.widgets.text_pane import TextPane

__all__ = ["RulesScreen"]

_NUMBER, _NAME, _KIND, _ON, _EFFECT, _USES = 4, 24, 6, 3, 26, 7
_WIDE = 110
_COLUMNS = " ".join(
    (
        *(f"{'no.':>{_NUMBER}}", f"{'rule':<{_NAME}}", f"{'kind':<{_KIND}}", f"{'on':<{_ON}}"),
        *(f"{'loss without it':<{_EFFECT}}", f"{'uses':>{_USES}}"),
    )
)


class RulesScreen(PlaceScreen):
    """The rules of one set; below them what the rule under the cursor is."""

    PLACE = "rules"
    AUTO_FOCUS = "#rules"
    SIGNS = (
        ("kind", "polite: changes the degree of politeness; other: does not"),
        ("on", "Whether the set uses the rule"),
        ("loss without it", "Of the correlation with people where it is left out; above 0 it helps"),
        ("uses", "In how many of the rewritings that are kept it had a part"),
    )
    HINTS = Hints(("list.open", "rules.switch", "rules.set", "screen.find"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "switch", "On/off", id="rules.switch", tooltip="Switch this rule off or on, in a set of your own"),
        Binding("s", "choose_set", "Rule set", id="rules.set", tooltip="Choose the rule set that is shown"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.table: RuleTable | None = None
        self._set = "all"
        self._uses: Mapping[str, int] | None = None
        """Of each rule in the rewritings that are kept; None while they are counted."""

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="rules-head")
        yield Static("", id="rules-columns", classes="rule-columns")
        yield RowList(id="rules", empty="...")
        yield TextPane(id="rule-detail")

    def on_screen_resume(self) -> None:
        self._load()

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(RowList).refresh()
        self._show_columns()

    def _load(self) -> None:
        """Read the set again, and count beside it how often its rules were used."""
        name = self._set
        self.ask(lambda reader: rule_table(reader.store, name), self._loaded, kind="rules")

        def counted(uses: Mapping[str, int]) -> None:
            self._uses = uses
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
        wide = "  what is rewritten" if self._is_wide else ""
        self.query_one("#rules-columns", Static).update(Text(f"  {_COLUMNS}{wide}"), layout=False)

    @property
    def _is_wide(self) -> bool:
        """Whether there is room for what is rewritten."""
        return self.size.width >= _WIDE

    def _row(self, number: int) -> Text:
        if self.table is None or number >= len(self.table.rows):
            return Text()
        row = self.table.rows[number]
        return Text(self._figures(row) + (f"  {row.rule.source}" if self._is_wide else ""), no_wrap=True)

    def _figures(self, row: RuleRow) -> str:
        uses = "..." if self._uses is None else f"{self._uses.get(row.rule.name, 0):,}"
        cells = (
            padded(f"{row.number:,}", _NUMBER, right=True),
            padded(cut_right(cell_safe(row.rule.name), _NAME), _NAME),
            padded(row.rule.kind, _KIND),
            padded("on" if row.is_on else "off", _ON),
            padded(effect_told(row.effects), _EFFECT),
            padded(uses, _USES, right=True),
        )
        return " ".join(cells)

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
        """The set, the headings, the rules, what the one under the cursor is, and the keys."""
        head = self.query_one(HeadLine)
        detail = self.query_one(TextPane).lines()
        return [f"{head.left}  {head.right}", _COLUMNS, *super().lines(), *detail, self.query_one(Legend).line()]

    def action_choose_set(self) -> None:
        sets = self.table.sets if self.table else ()

        def answered(place: int | None) -> None:
            if place is not None:
                self._set = sets[place]
                self._load()

        if sets:
            self.app.push_screen(
                ChoiceDialog("Which rule set?", [cell_safe(name) for name in sets], cell_safe(self._set)), answered
            )

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

        def answered(values: dict[str, str] | None) -> None:
            if values is not None:
                self._switch(table, row, values["name"])

        title = f"The set {table.name} is of the program: make one of your own from it"
        self.app.push_screen(FormDialog(title, [Field("name", "Name of the set")], check), answered)

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
    lines = [cell_safe(rule.source)]
    if rule.off is not None:
        lines.append(cell_safe(f"off by default: {rule.off}"))
    lines += [cell_safe(line) for line in effects_told(row.effects)]
    place = f"as it was in {rule.place.file}" if is_own else f"{rule.place.file}, line {rule.place.line}"
    return [*lines, cell_safe(f"{place}; digest {rule.digest}")]

"""The samples that were drawn, the way to judge them, and the dialogs of judging."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from corpusdb.base.display import check_name
from corpusdb.base.errors import UsageError
from corpusdb.base.options import number_of
from corpusdb.base.text import language_code, nfc
from corpusdb.corpus.orders import DEFAULT_ORDER
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.people.queries.samples import (
    POPULATIONS,
    SIZES,
    Kind,
    Sample,
    SampleOptions,
    draw_sample,
    sample_filter,
    samples,
)
from corpusdb.people.queries.verdicts import JudgeProgress, progress
from tui.kit.dialogs import FormDialog
from tui.kit.fields import Field
from tui.kit.place_screen import Hints, Legend, PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.shown import Opened, RowList, Static, Text, bind
from tui.people.judging_screen import ITEM_SCREENS, REPORT, ReportScreen

_KINDS: tuple[Kind, ...] = ("grammaticality", "meaning")
_NUMBERS = {"size": "items", "controls": "controls", "seed": "the random seed", "order": "N"}


def usual_sample(values: Mapping[str, str], taken: Collection[str], language: str) -> dict[str, str]:
    """The values that depend on what is drawn: the size in the paper, a name that is not taken, N, the language.

    What rules made is Japanese, and passes no filter.
    """
    kind = next((each for each in _KINDS if each == values["kind"]), _KINDS[0])
    is_generated = values["population"] == "generated"
    number, stem = 1, kind if is_generated else f"rules-{kind}"
    while (name := f"{stem}-{number}") in taken:
        number += 1
    order, language = (str(DEFAULT_ORDER), language) if is_generated else ("0", "jpn")
    return {"size": str(SIZES[kind]), "name": name, "order": order, "language": language}


def sample_fields(taken: Collection[str], language: str, languages: Sequence[str]) -> list[Field]:
    chosen = {"kind": _KINDS[0], "population": POPULATIONS[0]}
    usual = usual_sample(chosen, taken, language)
    return [
        Field("kind", "Kind", chosen["kind"], "", _KINDS, "Whether one sentence is correct, or two mean the same"),
        Field(
            "population",
            "From",
            chosen["population"],
            "",
            POPULATIONS,
            "generated: by analogy, whatever sessions say; rewritings: by Japanese rules",
        ),
        Field("language", "Language", usual["language"], "", tuple(languages), "Of what is judged"),
        Field(
            "size",
            "Items",
            usual["size"],
            "how many are judged",
            help="How many are judged; Lepage and Denoual had 400 sentences and 470 pairs",
        ),
        Field("controls", "Controls", "0", "so many of the corpus mixed in, to see how you judge"),
        Field("seed", "Random seed", "1", "The same seed draws the same ones"),
        Field(
            "order",
            "Least order N",
            usual["order"],
            "all runs of N characters were seen in the corpus; 0: all",
        ),
        Field("name", "Name", usual["name"], "What the sample is called"),
    ]


def sample_request(values: Mapping[str, str], taken: Collection[str]) -> SampleOptions:
    """What the fields say, but for the name, which is looked at, too. Raises CorpusError."""
    for name, label in _NUMBERS.items():
        if not values[name].isdecimal():
            raise UsageError(f"{label}: {values[name]!r} is not a number")
    size, controls, seed, order = (number_of(values[name]) for name in _NUMBERS)
    if not values["name"] or values["name"] in taken:
        raise UsageError(f"there is a sample {values['name']!r} already" if values["name"] else "a sample needs a name")
    check_name(values["name"], "a sample")
    kind = next(each for each in _KINDS if each == values["kind"])
    population = next(each for each in POPULATIONS if each == values["population"])
    language = language_code(values["language"])
    kept = sample_filter(kind, order) if population == "generated" or order else NO_FILTER  # which refuses an N
    return SampleOptions(kind, language, size, seed, kept, controls, population=population)


_NAME_CELLS = 20
_EMPTY = """No sample was drawn yet.

c draws some of the paraphrases that pass, at random; Enter has them judged,
blind: whether a sentence is correct, or whether two say the same. r tells the
rates, with their intervals, and how far judges agree."""
_HEADINGS = f"  {'sample':<{_NAME_CELLS}}  {'judged':>9}  {'%':>5}  {'kind':<14}  lang  {'N':>3}  seed"


class JudgingScreen(PlaceScreen):
    """The samples with the progress of one judge."""

    PLACE = "judging"
    BEGINS = ("judge",)
    NEEDS_ROWS = ("report",)
    SIGNS = (
        ("judged", "Items that were judged, of all"),
        ("%", "Once all are judged: how many were found correct, or to say the same, controls left out"),
        ("N", "The least order that was asked for; - where none was"),
    )
    HINTS = Hints(("list.open", "judging.draw", "judging.judge", "judging.report"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("c", "draw", "Draw", "judging.draw", "Draw a new sample"),
        bind("J", "judge", "Judge", "judging.judge", "Change who judges"),
        REPORT,
    ]

    def __init__(self) -> None:
        super().__init__()
        self.samples: list[tuple[Sample, JudgeProgress]] = []

    @property
    def judge(self) -> str:
        """Who judged here last, else who is logged in; empty where that is not known."""
        return self.shell.memory.judge or nfc(os.environ.get("USER", "").strip())

    def compose_body(self) -> ComposeResult:
        yield Static(id="judge-line")
        yield Static("", id="samples-head")
        yield RowList(id="samples", empty=_EMPTY)

    def on_screen_resume(self) -> None:
        self._load()

    def lines(self) -> list[str]:
        return [self._judge_line(), _HEADINGS.strip(), *super().lines(), self.query_one(Legend).line()]

    def _judge_line(self) -> str:
        return f"Judge: {self.judge or 'nobody yet'}"

    def _load(self, name: str | None = None) -> None:
        """Read the samples again, and go to the one of this name."""
        judge = self.judge

        def question(reader: DatabaseReader) -> list[tuple[Sample, JudgeProgress]]:
            return [(sample, progress(reader.store, sample, judge)) for sample in samples(reader.store)]

        def then(found: list[tuple[Sample, JudgeProgress]]) -> None:
            self.samples = found
            rows = self.query_one(RowList)
            cursor = next((row for row, (sample, _) in enumerate(found) if sample.name == name), rows.cursor)
            rows.show_rows(len(found), lambda row: Text(_row(*found[row])), cursor=cursor)
            self.query_one("#samples-head", Static).update(_HEADINGS if found else "")
            self.query_one("#judge-line", Static).update(Text(self._judge_line()))

        self.ask(question, then)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        sample, _ = self.samples[message.row]
        if self.judge:
            self.app.push_screen(ITEM_SCREENS[sample.kind](sample, self.judge))
        else:
            self._ask_judge(lambda: self._opened(message))

    def action_judge(self) -> None:
        self._ask_judge(self._load)

    def _ask_judge(self, then: Callable[[], None]) -> None:
        def named(values: Mapping[str, str]) -> None:
            if not values["judge"]:
                raise UsageError("a judge needs a name")
            check_name(values["judge"], "a judge")

        def answered(values: Mapping[str, str]) -> None:
            self.shell.memory.judge = nfc(values["judge"])
            then()

        told = (
            "verdicts are kept under it; the database then has names in it: its file becomes yours alone to read (guide"
            " sharing)"
        )
        field = Field("judge", "Judge", self.judge, "a name", help=told)
        FormDialog("Who judges?", [field], named).ask(self, answered)

    def action_draw(self) -> None:
        self.ask(lambda reader: languages_of(reader.store), self._ask_what, kind="languages", opens=True)

    def _ask_what(self, languages: Sequence[str]) -> None:
        usual = self.samples[-1][0].language if self.samples else "eng"
        language = usual if usual in languages or not languages else languages[0]
        taken = [sample.name for sample, _ in self.samples]
        drawn: list[Sample] = []

        async def draw(values: Mapping[str, str]) -> None:
            options = sample_request(values, taken)
            drawn.append(await self.shell.runner.change(lambda store: draw_sample(store, values["name"], options)))

        dialog = FormDialog(
            "Draw a sample to be judged",
            sample_fields(taken, language, languages),
            lambda values: sample_request(values, taken),
            draw,
            lambda values: usual_sample(values, taken, language),
        )
        done = lambda values: self._drawn(drawn[-1])  # noqa: E731
        dialog.ask(self, done, late=done)

    def _drawn(self, sample: Sample) -> None:
        what = "sentences" if sample.kind == "grammaticality" else "pairs"
        self.say(f"{sample.name}: {sample.items - sample.controls:,} of {sample.population:,} {what} drawn")
        self._load(sample.name)

    def action_report(self) -> None:
        self.app.push_screen(ReportScreen(self.samples[self.query_one(RowList).cursor][0]))


def _row(sample: Sample, standing: JudgeProgress) -> str:
    is_done = standing.rate is not None and standing.judged == standing.total
    rate = f"{100 * standing.rate:.1f}" if is_done and standing.rate is not None else "-"
    judged = f"{standing.judged}/{standing.total}"
    name = Text(sample.name)
    name.truncate(_NAME_CELLS, overflow="ellipsis", pad=True)
    order = sample.order if sample.drawn_from == "generated" else "-"
    return f"{name}  {judged:>9}  {rate:>5}  {sample.kind:<14}  {sample.language:<4}  {order:>3}  {sample.seed}"

"""Accepting, rejecting, taking that back, moving the filter; going from seed to seed; writing what was accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from corpusdb.base.display import cell_safe, check_name
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.outputs import Guard
from corpusdb.base.text import normalise
from corpusdb.chain.queries.removing import RemovalReport, remove_accepted
from corpusdb.corpus.store import Store
from corpusdb.people.queries.decisions import (
    ApplyReport,
    Decision,
    LastDecision,
    Undone,
    Verdict,
    apply_session,
    decide,
    decided_elsewhere,
    decisions,
    last_decision,
    nothing_to_undo,
    undo_decision,
)
from corpusdb.people.queries.sessions import (
    SessionProgress,
    SessionSeed,
    add_seed,
    go_to_seed,
    rename_session,
    seed_position,
    seed_state,
    session_name,
    session_standing,
    set_filter,
)
from corpusdb.people.queries.views import (
    REFERENCE_FORMATS,
    ReferenceFile,
    SeedView,
    WrittenReferences,
    reference_file,
    write_session_references,
)
from tui.kit.background import JobState
from tui.kit.dialogs import ChoiceDialog, FormDialog
from tui.kit.fields import Field
from tui.kit.late_screen import DROPPED, LEADS_AWAY, is_there
from tui.kit.place_screen import PlaceScreen, StatusLine
from tui.kit.reader import DatabaseReader
from tui.people.open_seed import (
    WAYS_TO_TAKE_OUT,
    WAYS_TO_WRITE,
    CandidateList,
    DecidedTogether,
    OpenSeed,
    asked_to_take_out,
    asked_to_undo,
    asked_to_write,
    cannot_be_written,
    format_decided,
    format_elsewhere,
    format_redone,
    format_undone,
)


class WritingAccepted:
    """Asks, starts the job that writes or takes out again, and knows its report."""

    def __init__(self, screen: PlaceScreen, seed: OpenSeed) -> None:
        self._screen = screen
        self._seed = seed
        self._job: int | None = None

    def ask(self, view: SeedView) -> None:
        """Write what was accepted and can be written, if somebody says so."""
        at = view.standing
        if self._screen.shell.read_only:
            self._screen.say("the database may only be read", is_error=True)
        elif at.to_apply:
            dialog = ChoiceDialog(asked_to_write(at), WAYS_TO_WRITE)
            dialog.ask(self._screen, lambda place: self._start(at, follow=place == 0))
        elif at.without_translations:
            self._screen.say(f"nothing was written; {cannot_be_written(at.without_translations)}", is_error=True)
        else:
            self._start(at)  # what an interrupted one has left to be derived

    def ask_to_take_out(self, text: str) -> None:
        """Take what was written out of the corpus again, if somebody says so."""

        def start(follow: bool) -> None:
            job = self._screen.shell.jobs.start(
                f"take out of the corpus: {text}", lambda store: remove_accepted(store, text, follow=follow)
            )
            self._job = job.number
            self._screen.say("taking it out in the background")

        dialog = ChoiceDialog(asked_to_take_out(text), WAYS_TO_TAKE_OUT)
        dialog.ask(self._screen, lambda place: start(place == 0))

    def _start(self, at: SessionProgress, *, follow: bool = True) -> None:
        seed = self._seed
        title = f"write {at.to_apply:,} accepted of {at.name}" if at.to_apply else f"write accepted of {at.name}"
        job = self._screen.shell.jobs.start(
            title, lambda store: apply_session(store, seed.name_in(store), follow=follow)
        )
        self._job = job.number
        self._screen.say("writing in the background")

    def report_of(self, state: JobState) -> ApplyReport | RemovalReport | None:
        """The report of the job that was started here, where that is the one which has ended."""
        if state.number == self._job and isinstance(state.result, ApplyReport | RemovalReport):
            return state.result
        return None


class Deciding:
    """Stores decisions, all of those that were taken together or none; until then they are marked."""

    def __init__(self, screen: PlaceScreen, seed: OpenSeed, show: Callable[[SeedView | None], None]) -> None:
        """``show`` shows the seed as it was read, or again as it is."""
        self._screen = screen
        self._seed = seed
        self._show = show
        self._question = ""
        """What was asked before a decision that was not made here is taken back."""
        self._asked = 0
        """The number of that decision."""
        self._is_undoing = False
        """Whether a decision is being taken back, which is not shown yet."""
        self._undone: list[Decision] = []
        """What was taken back here and can be made again, the last one last."""

    def decide(self, view: SeedView, texts: Sequence[str], verdict: Verdict) -> None:
        """Accept or reject paraphrases of a seed; the cursor stays.

        What somebody else decided of them meanwhile is told first, and stands until the key is pressed again.
        """
        before = {each.text: each.verdict for each in view.decisions.values()} | self._seed.unstored
        seen = {text: before.get(text) for text in texts}
        decided = DecidedTogether(view.seed, texts, verdict)
        self._undone.clear()
        self._seed.decide(decided)
        self._show(None)
        self._screen.say("storing ...")
        self._screen.wait_for(lambda: self._store(view, decided, seen), lambda nothing: None)

    async def _store(self, view: SeedView, decided: DecidedTogether, seen: Mapping[str, Verdict | None]) -> None:
        seed, runner, verdict = self._seed, self._screen.shell.runner, decided.verdict

        def change(store: Store, name: str) -> list[int] | Decision:
            others = decided_elsewhere(store, name, decided.seed, seen, seed.decided_here)
            if other := next((each for each in others if each.verdict != verdict), None):
                return other
            made = [decide(store, name, decided.seed, text, verdict) for text in decided.texts]
            numbers = [number for number in made if number]
            seed.decided_here.update(numbers)  # now: the next change may be to take them back
            return numbers

        def read(reader: DatabaseReader) -> SeedView:
            return seed.read(reader, seed_position(reader.store, seed.name_in(reader.store), decided.seed))

        try:
            made = await runner.change(seed.changing(change), kept=True)
            now = await runner.ask(read)
        finally:
            self._seed.settle(decided)
            self._show(None)
        if is_there(self._screen):
            if isinstance(made, Decision):
                self._screen.say(format_elsewhere(made), is_error=True)
            else:
                own = next((each for each in now.paraphrases if each.text in decided.texts and not each.origins), None)
                self._screen.say(format_decided(view, verdict, len(made), len(decided.texts), own))
            if self._seed.view is not None and self._seed.view.seed == now.seed:
                self._show(now)

    def keep_filter(self) -> None:
        """Show the filter that was moved; the file learns it when no newer one has come meanwhile."""
        self._show(None)
        seed, kept = self._seed, self._seed.kept

        def change(store: Store) -> None:
            if kept == seed.kept:
                set_filter(store, seed.name_in(store), kept)

        if not self._screen.shell.read_only and not seed.is_only_looked_at:
            self._screen.write(change, lambda nothing: None, kept=True)

    def undo(self, rows: CandidateList) -> None:
        """Take the last decision back, first those of this browser, and go to what it was about.

        One that was not made here is taken back when somebody is still told so and presses the key again.
        """
        seed, screen = self._seed, self._screen
        if seed.is_only_looked_at:
            screen.say("nothing was decided yet", is_error=True)
            return
        if self._is_undoing:
            screen.say("taking the last decision back ...; u once more is for the one before, when that is shown")
            return
        asked = self._asked if screen.query_one(StatusLine).message == self._question else 0

        def change(store: Store) -> Undone | LastDecision | None:
            name = seed.name_in(store)
            last = last_decision(store, name, seed.decided_here)
            if last is not None and not last.is_own and last.number != asked:
                return last
            undone = undo_decision(store, name, seed.decided_here)
            if undone is not None:
                add_seed(store, name, undone.decision.seed)  # it is there, and is opened
            return undone

        async def take_back() -> Callable[[], None]:
            self._is_undoing = True
            try:
                undone = await screen.shell.runner.change(change, kept=True)
                view = await screen.shell.runner.ask(seed.read) if isinstance(undone, Undone) else None
                return lambda: taken_back(undone, view)
            finally:
                self._is_undoing = False

        def taken_back(undone: Undone | LastDecision | None, view: SeedView | None) -> None:
            if isinstance(undone, Undone) and view is not None:
                self._undone.append(undone.decision)
                self._show_decided(view, undone.decision, rows, format_undone(undone, view.standing.position))
            elif isinstance(undone, LastDecision):
                self._asked, self._question = undone.number, asked_to_undo(undone.decision)
                screen.say(self._question)
            else:
                screen.ask(
                    lambda reader: nothing_to_undo(reader.store, seed.name_in(reader.store)),
                    lambda told: screen.say(told, is_error=True),
                )

        screen.say("taking back ...")
        screen.wait_for(take_back, lambda then: then())

    def redo(self, rows: CandidateList) -> None:
        """Make the decision again that was taken back last, and go to what it is about."""
        seed, screen = self._seed, self._screen
        if not self._undone:
            screen.say("nothing to make again: u has taken nothing back here", is_error=True)
            return
        decision = self._undone.pop()

        def change(store: Store) -> int:
            name = seed.name_in(store)
            made = decide(store, name, decision.seed, decision.text, decision.verdict)
            add_seed(store, name, decision.seed)
            seed.decided_here.update([made] if made else [])  # now, as above
            return made

        def then(view: SeedView) -> None:
            self._show_decided(view, decision, rows, format_redone(decision, view.standing.position))

        screen.say("making it again ...")
        screen.write(change, lambda made: screen.ask(seed.read, then), kept=True)

    def _show_decided(self, view: SeedView, decision: Decision, rows: CandidateList, told: str) -> None:
        """Show the seed of a decision, which the file has as the open one, with the cursor on its paraphrase."""
        self._show(view)
        rows.go_to(decision.text)
        self._screen.say(told)


def ask_references(screen: PlaceScreen, session: SessionProgress) -> None:
    """Ask for a file and a format, and write the accepted references of a session to it.

    The form stays where that cannot be done.
    """
    database = screen.shell.path

    named = screen.shell.test_sets

    def asked(values: Mapping[str, str]) -> tuple[ReferenceFile, Path | None]:
        if not values["file"]:
            raise UsageError("a file needs a name")
        guard = Guard(database, values["overwrite"] == "yes")
        file = reference_file(Path(values["file"]).expanduser(), values["format"] or None, guard)
        test_set = Path(values["for"]).expanduser() if values["for"] else None
        if test_set is not None and not test_set.is_file():
            raise UsageError(f"there is no file {values['for']!r}")
        return file, test_set

    async def write(values: Mapping[str, str]) -> None:
        file, test_set = asked(values)

        def question(reader: DatabaseReader) -> tuple[WrittenReferences, int]:
            name = session_name(reader.store, session.id)
            written = write_session_references(reader.store, name, file, test_set)
            return written, session_standing(reader.store, name).accepted

        written = await screen.shell.runner.ask(question)
        named[session.id] = values["for"]
        screen.say(_told(*written))

    told = "each seed with what was accepted of it; score takes it"
    fields = [
        Field("file", "File", "references.tsv", told, is_file=True, is_written=True),
        Field(
            "for",
            "For test set",
            named.get(session.id, ""),
            "a file of sentences, one a line: a set for each, in its order; else for each seed",
            is_file=True,
        ),
        Field("format", "Format", "", ".tsv .jsonl", REFERENCE_FORMATS, nothing="by the ending"),
        Field("overwrite", "Replace a file", "no", "whether a file of that name is replaced", ("no", "yes")),
    ]
    title = f"Export the accepted references of {cell_safe(session.name)}"
    FormDialog(title, fields, asked, write).ask(screen, lambda values: None)


def _told(written: WrittenReferences, in_session: int) -> str:
    """How much was written; where that is not the + of the session, why."""
    accepted = written.references.accepted
    references, unit = "reference" if accepted == 1 else "references", written.unit
    units = unit if written.segments == 1 else f"{unit}s"
    told = f"{accepted:,} accepted {references} of {written.segments:,} {units} written to {written.path}"
    other = [f"not the {in_session:,} accepted of the session, which has each once, whatever lines ask for it"]
    return "; ".join([told, *(other if accepted != in_session else []), *written.notes])


# The dialogs of an open session: another seed, a seed of one's own, all translations.


def ask_name(screen: PlaceScreen, session: SessionProgress, then: Callable[[str], None]) -> None:
    """Give a session another name; ``then`` gets it when the file has it."""
    name = session.name

    async def rename(values: Mapping[str, str]) -> None:
        await screen.shell.runner.change(
            lambda store: rename_session(store, session_name(store, session.id), values["name"])
        )

    check = lambda values: check_name(values["name"], "a session")  # noqa: E731
    dialog = FormDialog("Rename this session", [Field("name", "Name", name)], check, rename)
    dialog.ask(screen, lambda values: then(values["name"]) if values["name"] != name else None)


def ask_position(screen: PlaceScreen, seed: OpenSeed, then: Callable[[int], None]) -> None:
    """Choose a seed of a session, beginning at the open one; ``then`` gets the position of the one chosen, from 1."""
    position = seed.view.standing.position if seed.view else 1

    def choose(seeds: list[SessionSeed]) -> None:
        lines = [
            f"{each.position:>5}  {each.state:<7}  +{each.accepted} -{each.rejected}  {each.text}" for each in seeds
        ]
        choices = [cell_safe(line) for line in lines]
        dialog = ChoiceDialog("Which seed?", choices, choices[position - 1] if position <= len(choices) else None)
        dialog.ask(screen, lambda place: then(place + 1) if place + 1 != position else None)

    screen.ask(lambda reader: seed.seeds(reader.store), choose, kind="session.seeds", opens=True)


def ask_seed(screen: PlaceScreen, language: str, then: Callable[[str], None]) -> None:
    """Type a seed; ``then`` gets it."""

    def typed(values: Mapping[str, str]) -> None:
        if not values["text"]:
            raise InputError("an empty sentence is not a seed")

    # What it takes to generate from a sentence that the corpus does not have is read while one types.
    screen.ask(lambda reader: reader.seed_reader.prepare(language), lambda nothing: None)
    dialog = FormDialog("A seed of your own", [Field("text", "Sentence")], typed)
    dialog.ask(screen, lambda values: then(values["text"]))


def ask_wording(screen: PlaceScreen, seed: str, text: str, then: Callable[[str], None]) -> None:
    """Edit a paraphrase; ``then`` gets it, normalised as it is kept."""

    def typed(values: Mapping[str, str]) -> None:
        if not normalise(values["text"]):
            raise InputError("an empty sentence is not a paraphrase")
        if normalise(values["text"]) == seed:
            raise InputError("that is the seed itself, which is a reference in any case")

    dialog = FormDialog(
        "Accept a wording of your own", [Field("text", "Paraphrase", text, f"of: {seed}", is_edited=True)], typed
    )
    dialog.ask(screen, lambda values: then(normalise(values["text"])))


class SeedNavigation:
    """Opens seeds by their positions. Of several that are asked for in a hurry only the last is read."""

    def __init__(self, screen: PlaceScreen, seed: OpenSeed, show: Callable[[SeedView], None]) -> None:
        self._screen = screen
        self._seed = seed
        self._show = show
        self._unwritten = 0
        """Seeds that were opened here, which the file does not know yet."""
        self._version = 0
        """Of the file, when it was last looked whether the seed has changed."""

    def look(self, *, stays: bool = False) -> None:
        """Read the open seed, as it is now: what the file says is open, or with ``stays`` the one that is open here."""
        if stays and self._awaits_other:
            return
        # Where nothing may be written, or another process writes, the file does not know which seed is open here.
        is_unknown = self._screen.shell.read_only or bool(self._unwritten)
        self._screen.wait_for(lambda: self._read(stays=stays or is_unknown), self._shown)

    @property
    def _awaits_other(self) -> bool:
        """Whether another seed than the one that is shown was asked for, and will be shown."""
        return self._seed.goal is not None or (self._seed.view is not None and self._screen.waits)

    def _shown(self, view: SeedView) -> None:
        """Show what was waited for; or the seed that was shown before, to which keys belong that were pressed before.

        Of a down and an accept behind it the second alone would come otherwise, to a line that was not meant.
        """
        before = self._seed.view
        self._show(view)
        if self._screen.waits or before is None or before.seed != view.seed:
            self._screen.end_waiting()

    async def _read(self, *, stays: bool) -> SeedView:
        """The open seed; a screen with a session that is gone before anything was read of it goes away."""
        seed = self._seed

        def question(reader: DatabaseReader) -> SeedView:
            return seed.read(reader, stays=stays)

        try:
            return await self._screen.shell.runner.ask(question, "session.look")
        except InputError as error:
            if seed.view is None and self._screen.is_current:
                self._screen.shell.go_back()
                if isinstance(below := self._screen.app.screen, PlaceScreen):
                    below.say(str(error), is_error=True)
            raise

    def look_again(self) -> None:
        """Read the open seed again where another process, or somebody elsewhere in this browser, has changed it."""
        seed, view = self._seed, self._seed.view
        if view is None or self._awaits_other or self._unwritten or seed.is_only_looked_at:
            return

        def question(reader: DatabaseReader) -> SeedView | None:
            before, self._version = self._version, reader.store.version
            if before == self._version:
                return None
            is_other = _is_other(reader.store, seed.name_in(reader.store), view)
            return seed.read(reader, stays=True) if is_other else None

        def then(found: SeedView | None) -> None:
            if seed.view is not view or self._awaits_other:
                self._version = 0  # to look again with the next key
            elif found is not None:
                self._show(found)

        self._screen.ask(question, then, kind="session.again")

    def step(self, by: int) -> None:
        """Open a seed further on."""
        if self._seed.view is None:
            return
        position = self._seed.neighbour(by)
        if position is not None:
            self.open(position)
        else:
            end = "last" if by > 0 else "first"
            self._screen.say(f"this is the {end} of {self._seed.view.standing.seeds:,} seeds", is_error=True)

    def step_to_decide(self) -> None:
        """Open the next seed that is not done and has a paraphrase that passes and is not decided on."""
        seed, view = self._seed, self._seed.view
        if view is None:
            return
        here, kept = view.standing.position, seed.kept

        def question(reader: DatabaseReader) -> int | None:
            left = [each.position for each in seed.seeds(reader.store) if each.position > here and each.state != "done"]
            return next((at for at in left if seed.read(reader, at).undecided(kept)), None)

        def then(found: int | None) -> None:
            if found is None:
                self._screen.say("no later seed that is not done has one that passes and is not decided on")
            else:
                self.open(found)

        self._screen.ask(question, then, kind="session.to-decide", opens=True)

    def wait(self, told: str) -> None:
        """Drop the keys that would act on a seed until another one is shown, and say so."""
        self._screen.say(f"{told}; {DROPPED}")
        self._screen.begin_waiting(*LEADS_AWAY, "session.next", "session.previous")

    def open(self, position: int) -> None:
        self._seed.goal = position
        self.wait(f"opening seed {position:,} ...")
        self._screen.wait_for(lambda: self._go(position), lambda nothing: None)

    def add(self, text: str) -> None:
        seed = self._seed
        self.wait("looking for its paraphrases ...")
        self._screen.write(
            seed.changing(lambda store, name: add_seed(store, name, text)), lambda added: self.look(), kept=True
        )

    async def _go(self, position: int) -> None:
        seed, shell = self._seed, self._screen.shell
        try:
            view = await shell.runner.ask(lambda reader: seed.read(reader, position), "session.open")
        finally:
            if self._seed.goal == position:
                self._seed.goal = None
        if self._seed.goal is not None:  # another was asked for meanwhile
            return
        if is_there(self._screen):
            self._shown(view)
        if not shell.read_only and not seed.is_only_looked_at:
            self._unwritten += 1
            try:
                await shell.runner.change(
                    seed.changing(lambda store, name: go_to_seed(store, name, position)), kept=True
                )
            finally:
                self._unwritten -= 1


def _is_other(store: Store, name: str, view: SeedView) -> bool:
    """Whether the file has another name, other counts or other decisions than a seed was read with."""
    before, now = view.standing, session_standing(store, name)
    known = replace(
        now,
        position=before.position,
        seed=before.seed,
        order=before.order,
        min_validity=before.min_validity,
        last_used=before.last_used,
    )
    decided = {each.text: each for each in decisions(store, name, view.seed)}
    return known != before or decided != view.decisions or seed_state(store, name, view.seed) != view.state

"""A session as it is looked at, stored or not yet, and as references."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import number_of
from corpusdb.base.outputs import Guard, Outputs, check_output
from corpusdb.base.text import common_ends, normalise
from corpusdb.corpus.formats.records import ReferenceSet
from corpusdb.corpus.formats.registry import FORMATS, format_of_extension
from corpusdb.corpus.formats.scoring_input import read_texts
from corpusdb.corpus.model import Finding, Paraphrase
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.corpus.queries.sentences import Translation, sentence_id, translations_of_sentence
from corpusdb.corpus.store import Store, layer_state
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, Filter, NSequenceFilter
from corpusdb.paraphrase.queries.origins.origin import HeldGeneration, Seed, find_seed, unrejected
from corpusdb.paraphrase.queries.origins.registry import select_origins
from corpusdb.paraphrase.ranking import merge, rank, rank_key
from corpusdb.people.queries.decisions import Decision, decisions
from corpusdb.people.queries.sessions import (
    SeedState,
    SessionProgress,
    SessionSeed,
    create_session,
    go_to_seed,
    seed_state,
    seeds_of_session,
    session_standing,
    unused_name,
)

if TYPE_CHECKING:
    from corpusdb.base.ngrams import SuffixIndex
    from corpusdb.paraphrase.queries.seeds import SeedValidity


def changed_words(seed: str, text: str) -> list[tuple[int, int]]:
    """Where a text has words that a seed does not have in their place: begin and end in its characters, from 0."""
    from corpusdb.translation.example_rungs import stretches  # not before somebody looks at paraphrases
    from corpusdb.translation.examples import spans_of_units

    spans = spans_of_units(text)
    units = ([each[start:stop].casefold() for start, stop in spans_of_units(each)] for each in (text, seed))
    numbers: dict[str, int] = {}
    numbered = [[numbers.setdefault(unit, len(numbers)) for unit in each] for each in units]
    return [(spans[start][0], spans[stop - 1][1]) for start, stop, _, _ in stretches(*numbered) if stop > start]


# A session that somebody only looks at: its seeds are shown as those of any, and the file has nothing of it yet.

_NUMBER = re.compile(r"-\d+$")


@dataclass(frozen=True, slots=True)
class UnstoredSession:
    """Seeds, and what a session with them would be called."""

    name: str
    language: str
    texts: tuple[str, ...]
    """Each once, normalised."""

    def standing(self, position: int) -> SessionProgress:
        """How far it is: at a position, with nothing decided; the number 0 says that it is not stored."""
        order, seeds = DEFAULT_FILTER.order, len(self.texts)
        if not 1 <= position <= seeds:
            raise InputError(f"there is no seed {position}; the seeds are 1 to {seeds}")
        text = self.texts[position - 1]
        return SessionProgress(self.name, self.language, order, position, text, seeds, 1, 0, 0, 0, 0, "", "")

    def seeds(self) -> list[SessionSeed]:
        """Its seeds in their order."""
        return [SessionSeed(position, text, "waiting", 0, 0) for position, text in enumerate(self.texts, 1)]

    def store(self, store: Store, position: int, kept: NSequenceFilter) -> SessionProgress:
        """Begin it, at a position and with a filter; another has its name where that was taken meanwhile."""
        with store.write():
            name = unused_name(store, _NUMBER.sub("", self.name))
            create_session(store, name, self.language, self.texts, kept)
            return go_to_seed(store, name, position) if position > 1 else session_standing(store, name)


# A seed of a session as one sees it: its translations, its paraphrases, those that fail the filter too, so
# that N is moved in memory, and what was decided of them.


@dataclass(frozen=True, slots=True)
class SeedView:
    """The open seed of a session."""

    standing: SessionProgress
    state: SeedState
    in_corpus: bool
    translations: tuple[Translation, ...]
    """Direct ones, of all languages."""
    paraphrases: tuple[Paraphrase, ...]
    """Whatever their fluency order; those that pass the filter of the session as lists of paraphrases show them."""
    decisions: Mapping[str, Decision]
    note: str = ""
    """Why there may be fewer paraphrases than one expects, if there is a reason."""

    @property
    def seed(self) -> str:
        """Its text."""
        return self.standing.seed

    @property
    def proposed(self) -> int:
        """How many of the paraphrases an origin yields; the others are wordings of a person's own."""
        return sum(bool(each.origins) for each in self.paraphrases)

    @property
    def by_probability(self) -> list[Paraphrase]:
        """The paraphrases, the most probable first; wordings of one's own stay at the end."""
        made = [each for each in self.paraphrases if each.origins]
        own = [each for each in self.paraphrases if not each.origins]
        return [*sorted(made, key=rank_key), *own]

    def passing(self, kept: Filter) -> int:
        """How many of those pass a filter."""
        return sum(bool(each.origins) and kept.passes(each) for each in self.paraphrases)

    def undecided(self, kept: Filter) -> int:
        """How many of those that pass nobody has decided on."""
        return sum(
            bool(each.origins) and kept.passes(each) for each in self.paraphrases if each.text not in self.decisions
        )

    def document(self, kept: NSequenceFilter) -> dict[str, object]:
        """The view as JSON has it, with what each paraphrase fails a filter by."""
        document = {each.name: getattr(self, each.name) for each in fields(self)}
        told = [each.document() | {"fails": kept.failing(each) or None} for each in self.paraphrases]
        return document | {"paraphrases": told}


class _OwnWordings(HeldGeneration[tuple["SuffixIndex | None", "SeedValidity"]]):
    """Judges what a person wrote as the paraphrases are judged that are generated."""

    LAYERS = ("ngram", "validity")

    def read(self, language: str) -> tuple[SuffixIndex | None, SeedValidity]:
        from corpusdb.paraphrase.queries.models import shared_ngrams
        from corpusdb.paraphrase.queries.seeds import SeedValidity

        state = layer_state(self._store, language, "ngram")
        ngrams = shared_ngrams(self._store, language) if state is not None and state.complete else None
        return ngrams, SeedValidity(self._store, language)

    def generated(self, seed: Seed) -> list[Finding]:
        return []

    def judged(self, seed: Seed, text: str) -> Finding:
        """A decided paraphrase that no origin gives, or none any more, since the corpus has changed."""
        from corpusdb.paraphrase.derivation import rewording_orders
        from corpusdb.paraphrase.pair_differences import Pair

        ngrams, validity = self.held(seed.language)
        orders = 0, 0
        if sentence_id(self._store, seed.language, text) is not None:
            orders = NO_LIMIT, NO_LIMIT
        elif ngrams is not None:
            begin, end = common_ends(seed.text, text)
            orders = rewording_orders(seed.text, text, begin, len(text) - end, ngrams.longest)
        finding = Finding("", text, fluency=orders[0], inner_fluency=orders[1])
        if not validity.is_known:
            return finding
        valid, replacement, gain = validity.judge([Pair(0, seed.text, text)], derived=False)[0]
        return finding._replace(validity=valid, replacement=replacement, word_gain=gain)


class SeedReader:
    """Reads seeds one after the other, and keeps in memory what is needed to generate from those not stored.

    It belongs to the thread of its store. ``writing`` opens the file for writing; it is called only for seeds that are
    not in the corpus and not stored, since trying one takes a transaction, which is rolled back.
    """

    def __init__(
        self, store: Store, writing: Callable[[], AbstractContextManager[Store]], origins: Iterable[str] | None = None
    ) -> None:
        self._store = store
        self._origins = [(origin, origin.generation(store, writing)) for origin in select_origins(origins)]
        self._own = _OwnWordings(store)

    def read(self, name: str, position: int | None = None) -> SeedView:
        """The open seed of a session, or the one at a position. Raises InputError where there is no such session."""
        with self._store.snapshot():
            standing = session_standing(self._store, name)
            if position is not None and position != standing.position:
                at_position = seeds_of_session(self._store, name)[position - 1]
                standing = replace(standing, position=position, seed=at_position.text)
        return self._view(standing)

    def read_unstored(self, session: UnstoredSession, position: int) -> SeedView:
        """The seed at a position of a session that the file does not have: nothing was decided of it."""
        return self._view(session.standing(position))

    def _view(self, standing: SessionProgress) -> SeedView:
        with self._store.snapshot():
            seed = find_seed(self._store, standing.language, standing.seed)
            stored, note = self._stored(seed)
        # Not in the snapshot: what generates may have to open the file for writing.
        found = [
            finding
            for (_, generation), findings in zip(self._origins, stored, strict=True)
            for finding in (generation.generate(seed) if findings is None else findings)
        ]
        with self._store.snapshot():
            decided: dict[str, Decision] = {}
            state: SeedState = "seen"
            if standing.is_stored:
                decided = {each.text: each for each in decisions(self._store, standing.name, standing.seed)}
                state = seed_state(self._store, standing.name, standing.seed)
            proposed = rank(unrejected(self._store, seed, found), seed.text, seed.language, standing.kept.passes)
            missing = decided.keys() - {each.text for each in proposed}
            return SeedView(
                standing=standing,
                state=state,
                in_corpus=seed.sentence is not None,
                translations=tuple(translations_of_sentence(self._store, [seed.sentence])[seed.sentence])
                if seed.sentence
                else (),
                paraphrases=(*proposed, *(merge([self._own.judged(seed, text)]) for text in sorted(missing))),
                decisions=decided,
                note=note,
            )

    def prepare(self, language: str) -> None:
        """Read into memory what is needed to generate from seeds of a language."""
        for _, generation in self._origins:
            generation.prepare(language)

    def forget(self) -> None:
        """Free that memory."""
        for generation in (self._own, *(each for _, each in self._origins)):
            generation.forget()

    def _stored(self, seed: Seed) -> tuple[list[list[Finding] | None], str]:
        """What the file holds of a seed by origin, and why there may be less of it than one expects."""
        stored: list[list[Finding] | None] = []
        notes = []
        for origin, _ in self._origins:
            try:
                stored.append(origin.stored(self._store, seed))
            except InputError as error:  # there is no index; what the others found can be shown all the same
                stored.append([])
                notes.append(str(error))
        return stored, "; ".join(dict.fromkeys(notes))


def chosen_paraphrase(view: SeedView, word: str) -> str:
    """The paraphrase that is meant by its text, or by its number among all of the seed, from 1.

    Raises InputError for one that the seed does not have.
    """
    texts = [each.text for each in view.paraphrases]
    if normalise(word) in texts:
        return normalise(word)
    if word.isdecimal() and 1 <= number_of(word) <= len(texts):
        return texts[number_of(word) - 1]
    numbers = f"; they are numbered 1 to {len(texts)}" if texts else ", which has none"
    raise InputError(f"{word!r} is not a paraphrase of {view.seed!r}{numbers}")


# The references that a person accepted in a session, as a file of references.

ReferenceFormat: TypeAlias = Literal["tsv", "jsonl"]
REFERENCE_FORMATS: Final[tuple[ReferenceFormat, ...]] = get_args(ReferenceFormat)
BLANK: Final = "-"
"""Source and reference of a segment without text: as little as can be, since no reference may be blank."""


@dataclass(frozen=True, slots=True)
class ReferenceFile:
    """Where references go, and how."""

    path: Path
    format: ReferenceFormat
    guard: Guard


@dataclass(frozen=True, slots=True)
class SessionReferences:
    """The references that a session has for some segments."""

    sets: tuple[ReferenceSet, ...]
    accepted: int
    """References that were accepted, those beside the seeds themselves."""
    alone: int
    """Segments that have only themselves: nothing is accepted of their seed."""
    no_seed: int = 0
    """Of these, the lines of a test set that are no seed of the session."""
    blank: int = 0
    """Lines of a test set that are blank; their reference is BLANK, since none may be blank."""
    left_out: int = 0
    """Seeds that are no line of the test set."""


@dataclass(frozen=True, slots=True)
class WrittenReferences:
    path: Path
    segments: int
    references: SessionReferences
    unit: Literal["seed", "line"]
    """What there is a segment for: each seed of the session, or each line of a test set."""

    @property
    def notes(self) -> list[str]:
        """What there is to know beside how many they are."""
        found, notes = self.references, []
        if found.alone:
            only = "has only itself" if found.alone == 1 else "have only themselves"
            notes.append(f"{found.alone:,} of {self.segments:,} {self.unit}s {only} as reference")
        if found.no_seed:
            notes[-1] += f", {found.no_seed:,} of them no seed"
        if found.blank:
            what = "blank line has" if found.blank == 1 else "blank lines have"
            # First, since it changes a score; a status line may have no room for more.
            notes.insert(0, f"{found.blank:,} {what} the reference {BLANK!r}: score {BLANK!r} there")
        if found.left_out:
            notes.append(f"seeds that are in no line, left out: {found.left_out:,}")
        return notes


def reference_file(path: Path, format: str | None, guard: Guard) -> ReferenceFile:
    """A file of references, its format by its ending where none is given.

    Raises UsageError for a format that there is none of, and as check_output does for a file that stands in the way.
    """
    found = format_of_extension(path.suffix.casefold()) if not format else None
    wanted = format or (found.name if found is not None else "")
    chosen = next((each for each in REFERENCE_FORMATS if each == wanted), None)
    if chosen is None:
        told = f"there is no format {format!r} here" if format else f"{path.name} does not tell the format"
        raise UsageError(f"{told}; give --format: {', '.join(REFERENCE_FORMATS)}")
    check_output(path, guard)
    return ReferenceFile(path, chosen, guard)


def session_references(store: Store, name: str, lines: Sequence[str] | None = None) -> SessionReferences:
    """A set for each seed of a session, in their order: the seed itself, then what was accepted of it, as accepted.

    With the ``lines`` of a test set there is one for each of these, doubles included, so that outputs of that test set
    have as many segments; a line that is no seed is its only reference. What was accepted counts whether it is written
    into the corpus or not. Raises InputError where there is no such session, where nothing is accepted in it, and where
    no line is a seed.
    """
    with store.snapshot():
        seeds = [each.text for each in seeds_of_session(store, name)]
        said = decisions(store, name)
    accepted: dict[str, list[str]] = {seed: [seed] for seed in seeds}
    for each in said:
        if each.verdict == "accept" and each.text not in accepted[each.seed]:
            accepted[each.seed].append(each.text)
    if all(len(texts) == 1 for texts in accepted.values()):
        raise InputError(f"nothing is accepted in session {name!r} yet")
    texts = seeds if lines is None else [normalise(line) for line in lines]
    if accepted.keys().isdisjoint(texts):
        raise InputError(f"no line of the test set is a seed of session {name!r}")
    sets = tuple(
        ReferenceSet(str(number), text or BLANK, tuple(accepted.get(text, [text or BLANK])))
        for number, text in enumerate(texts, 1)
    )
    blank = sum(not text for text in texts)
    return SessionReferences(
        sets=sets,
        accepted=sum(len(each.references) - 1 for each in sets),
        alone=sum(len(each.references) == 1 for each in sets) - blank,
        no_seed=sum(text not in accepted for text in texts) - blank,
        blank=blank,
        left_out=len(accepted.keys() - set(texts)),
    )


def write_session_references(
    store: Store, name: str, file: ReferenceFile, test_set: Path | None = None
) -> WrittenReferences:
    """Write the references of a session to one file, in a form that ``score --ref`` reads.

    ``test_set`` has a line, or a row with a source, for each segment that is wanted. Raises what session_references
    raises, and InputError for texts that the format cannot hold and for a test set that cannot be read.
    """
    lines = None if test_set is None else read_texts(test_set)
    found = session_references(store, name, lines)
    writer = FORMATS[file.format].reference_writer
    if writer is None or writer.lines is None:
        raise UsageError(f"references cannot be written as one file of {file.format}")
    with Outputs(file.guard) as outputs, outputs.text(file.path) as target:
        target.writelines(writer.lines(found.sets))
    return WrittenReferences(file.path, len(found.sets), found, "seed" if lines is None else "line")

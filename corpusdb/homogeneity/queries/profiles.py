"""Profiles: what each sentence of a language costs under models of two references (Denoual 2005, equations 1 to 4)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from random import Random
from typing import Any, Final, TypeAlias

import numpy as np

from corpusdb.base.arrays import I64, in_file
from corpusdb.base.char_model_counts import (
    DEFAULT_NORMALISATION,
    Alphabet,
    Counts,
    normalised,
    shared_characters,
    train,
)
from corpusdb.base.char_model_probabilities import Model, equal_references, folds_of, model_of, text_bits
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.queries.names import saved_query
from corpusdb.corpus.queries.sentences import (
    FilePlace,
    languages_of,
    places,
    result_languages,
    sentences_after,
    sentences_of,
)
from corpusdb.corpus.store import Layer, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.corpus.store.runs import exclusive, reopen_layers
from corpusdb.homogeneity.queries.char_models import (
    ModelRecipe,
    SourceRecord,
    TrainedModel,
    changed_sources,
    insert_model,
    key_set,
    read_counts,
    source_records,
    text_key,
    text_keys,
    text_sources,
    texts_of,
)
from corpusdb.homogeneity.scale import Anchors, LinearScale, Statistics, coefficients, held_out_scale


@dataclass(frozen=True)
class StoredProfile:
    id: int
    language: str
    parameters: dict[str, Any]
    """The references by name, and what the models were made by."""
    sources: tuple[tuple[SourceRecord, ...], ...]
    """Of the spoken and of the written reference."""
    models: tuple[int, int]
    anchors: Anchors
    scale: LinearScale | None
    """None where no text of the references could be held out."""
    unseen: tuple[float | None, float | None]
    """The coefficients of held-out text of both references."""
    reference_texts: bytes

    @cached_property
    def reference_keys(self) -> frozenset[bytes]:
        """Of the lines of the references, which are not measured."""
        return key_set(self.reference_texts)

    def smoothed(self, connection: sqlite3.Connection) -> list[Model]:
        """Both models. Raises InputError where one is corrupt."""
        return [model_of(read_counts(connection, number), self.parameters["smoothing"]) for number in self.models]

    def changed(self, store: Store) -> list[str]:
        """What of its references is not as it was, in words; empty for a profile that is not stale."""
        return changed_sources(store, (record for side in self.sources for record in side))


_PROFILES = """
select id, language, parameters, sources, model1, model2, h11, h12, h21, h22, d1, d2, unseen1, unseen2, reference_texts
from profile where language = ? and (? is null or parameters = ?) order by id
"""


def profiles_of(connection: sqlite3.Connection, language: str, parameters: str | None = None) -> list[StoredProfile]:
    """The profiles of a language, the oldest first: all, or the one that was made by these, JSON with sorted keys."""
    found = []
    for row in connection.execute(_PROFILES, (language, parameters, parameters)).fetchall():
        scale = None if row[10] is None else LinearScale(row[10], row[11])
        sources = tuple(source_records(side, lambda line: None) for side in json.loads(row[3]))
        given = json.loads(row[2])
        found.append(
            StoredProfile(
                *(row[0], row[1], given, sources, (row[4], row[5])),
                *(Anchors(*row[6:10]), scale, (row[12], row[13]), row[14]),
            )
        )
    return found


_LANGUAGES = "select distinct language from profile order by language"


def profile_languages(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute(_LANGUAGES)]


_DROP_SENTENCES = "delete from profile_sentence where profile = ?"
_DROP = "delete from profile where id = ?"
_DROP_MODEL = "delete from char_model where id = ?"


# The two references of a profile: as many characters of each, one alphabet, and the ends of the scale.


LEAST_SHARED: Final = 0.1
"""Of their characters; texts in another script share digits and marks, at most."""
_SAMPLE: Final = 5_000
"""Lines whose characters are looked at."""
REFERENCE_CHARACTERS: Final = 150_000
"""The most that is taken of a reference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileRecipe:
    """What a profile is made by, and known by."""

    spoken: tuple[str, ...]
    """Collections and files: the lower end of the scale."""
    written: tuple[str, ...]
    order: int = 5
    smoothing: str = "wb"
    normalisation: str = DEFAULT_NORMALISATION
    seed: int = 1
    """Of what is drawn where a reference is larger than the other."""
    characters: int = REFERENCE_CHARACTERS

    @property
    def model(self) -> ModelRecipe:
        return ModelRecipe(self.order, self.smoothing, self.normalisation)


@dataclass(frozen=True, slots=True)
class ProfileReferences:
    """Both sides, normalised and of equal size."""

    sides: tuple[list[str], list[str]]
    counts: tuple[Counts, Counts]
    records: tuple[list[SourceRecord], list[SourceRecord]]
    smoothing: str
    lines: frozenset[str]
    """The lines that are in them, also one of which half or more is."""

    def anchors(self) -> Anchors:
        """What each costs under both models. Raises InputError where they span no scale."""
        models = [model_of(counts, self.smoothing) for counts in self.counts]
        return Anchors.of(*(Statistics.under(models, side) for side in self.sides))

    def held_out(self) -> tuple[float | None, ...]:
        """d1 and d2, the difference of bits per character of held-out text of each, and its coefficients.

        None for what cannot be said, such as of a reference of few lines.
        """
        first, second = self.sides
        parts: list[Statistics] = []

        def measure(spoken: Sequence[str], written: Sequence[str], texts: Sequence[str]) -> Statistics:
            alphabet, order = self.counts[0].alphabet, self.counts[0].order
            models = [model_of(train(side, alphabet, order), self.smoothing) for side in (spoken, written)]
            parts.append(Statistics.under(models, texts))
            return parts[-1]

        try:
            scale = held_out_scale(first, second, folds_of(first), folds_of(second), measure)
        except InputError:
            return (None,) * 4
        anchors = self.anchors()
        sides = [Statistics.joined([part.total() for part in parts[side::2]]).total() for side in (0, 1)]
        unseen = [float(coefficients(side, anchors).values[0]) for side in sides]
        return (scale.d1, scale.d2, *(None if np.isnan(each) else each for each in unseen))


def check_alphabet(what: str, texts: Sequence[str], measured: Sequence[str]) -> None:
    """Raise InputError where texts hardly share characters with what is to be measured by them: another script."""
    share = shared_characters(texts[:_SAMPLE], measured[:_SAMPLE])
    if share < LEAST_SHARED:
        raise InputError(f"{what} and the corpus share only {share:.1%} of their characters: its alphabet does not fit")


def references_of(store: Store, language: str, recipe: ProfileRecipe) -> ProfileReferences:
    """The references that a recipe names. Raises InputError for one that is missing or empty, or is both."""
    if both := sorted({*recipe.spoken} & {*recipe.written}):
        raise InputError(f"{both[0]!r} is both references; they must not overlap")
    sources = [text_sources(store, language, names) for names in (recipe.spoken, recipe.written)]
    texts = [texts_of(side, recipe.normalisation) for side in sources]
    for what, side in zip(("spoken", "written"), texts, strict=True):
        if not side:
            raise InputError(f"the {what} reference has no characters")
    spoken, written = equal_references(texts, recipe.seed, recipe.characters)
    alphabet = Alphabet.of(spoken) | Alphabet.of(written)
    return ProfileReferences(
        (spoken, written),
        (train(spoken, alphabet, recipe.order), train(written, alphabet, recipe.order)),
        ([each.record for each in sources[0]], [each.record for each in sources[1]]),
        recipe.smoothing,
        _lines(texts[0], spoken) | _lines(texts[1], written),
    )


def _lines(texts: Sequence[str], drawn: Sequence[str]) -> frozenset[str]:
    """The lines that were drawn. The last of them may have been cut, and is not told apart from those that begin so."""
    whole = {*texts}
    cut = {*drawn} - whole
    halves = {text for text in whole for part in cut if 2 * len(part) >= len(text) and text.startswith(part)}
    return frozenset({*drawn} & whole | halves)


LAYER = "profile"
_SENTENCES_PER_TRANSACTION = 20_000

ProfileRow: TypeAlias = tuple[int, int, float, float, int]
"""Sentence, characters, bits under both models, unknown characters."""


def profile_rows(
    profile: StoredProfile, models: Sequence[Model], sentences: Sequence[tuple[int, str]]
) -> list[ProfileRow]:
    """What sentences cost, by number and text; none for those that are empty or stand in a reference."""
    texts = normalised([text for _, text in sentences], profile.parameters["normalisation"])
    known = profile.reference_keys
    kept = [
        (number, text)
        for (number, _), text in zip(sentences, texts, strict=True)
        if text and text_key(text) not in known
    ]
    if not kept:
        return []
    bits = text_bits(models, [text for _, text in kept])
    numbers = [number for number, _ in kept]
    columns = (bits.characters.tolist(), bits.bits[0].tolist(), bits.bits[1].tolist(), bits.unknown.tolist())
    return list(zip(numbers, *columns, strict=True))


_NEWEST = """
select coalesce((select max(id) from sentence where language = ?), 0),
       coalesce((select max(id) from run where operation in ('import', 'accept')), 0)
"""


def update_profiles(store: Store, language: str) -> Job[None]:
    """Measure what the profiles of a language have not measured yet; a part of a job."""
    profiles = profiles_of(store.connection, language)
    if not profiles:
        return
    state = layer_state(store, language, LAYER)
    done = state.last_sentence if state is not None and state.complete else 0
    for profile in profiles:
        yield from _follow(store, profile, done)
    newest = store.connection.execute(_NEWEST, (language,)).fetchone()
    measured = Layer({}, int(newest[0]), int(newest[1]), complete=True)
    if state != measured:
        with store.write():
            run = start_run(store, "profile sentences", {"language": language})
            save_layer(store, language, LAYER, measured, run)
            finish_run(store, run, {"profiles": len(profiles)})


_LAST = "select coalesce(max(sentence), 0) from profile_sentence where profile = ?"
_INSERT_COSTS = """
insert into profile_sentence (profile, sentence, characters, bits1, bits2, unknown) values (?, ?, ?, ?, ?, ?)
"""


def _follow(store: Store, profile: StoredProfile, done: int) -> Job[None]:
    """Sentences up to ``done`` are measured; they come by their numbers, so that those up to the last row are too."""
    (last,) = store.connection.execute(_LAST, (profile.id,)).fetchone()
    waiting = sentences_after(store, profile.language, max(done, last))
    if not waiting:
        return
    models = profile.smoothed(store.connection)
    stage = f"measuring sentences in {profile.language}"
    for first in range(0, len(waiting), _SENTENCES_PER_TRANSACTION):
        yield Progress(stage, first, len(waiting))
        rows = profile_rows(profile, models, waiting[first : first + _SENTENCES_PER_TRANSACTION])
        if rows:
            with store.unchecked_references(), store.write() as connection:
                connection.executemany(_INSERT_COSTS, [(profile.id, *row) for row in rows])
    yield Progress(stage, len(waiting), len(waiting))


_CHECKED_SAMPLE: Final = 200
_AT_ONCE: Final = 20_000
_NEAR: Final = 1e-9
"""Relative difference of bits that is taken for rounding on another machine."""


def wrong_profiles(connection: sqlite3.Connection, random: Random, *, full: bool = False) -> list[str]:
    """Models that cannot be read, and sentences whose row is missing, or is another one than the models give.

    Looked at in a sample; all of them with ``full``. What no profile has measured yet is left out.
    """
    problems: list[str] = []
    for language in profile_languages(connection):
        for profile in profiles_of(connection, language):
            problems += _wrong_profile(connection, profile, None if full else random)
    return problems


_MEASURED = """
select sentence.id, sentence.text from sentence
where language = ? and id <= (select last_sentence from layer where language = sentence.language and name = 'profile')
    and id <= (select coalesce(max(sentence), 0) from profile_sentence where profile = ?)
order by id
"""
_ROWS = "select sentence, characters, bits1, bits2, unknown from profile_sentence where profile = ?"
_STRANGERS = """
select count(*) from profile_sentence join sentence on sentence.id = profile_sentence.sentence
where profile = ? and sentence.language <> ?
"""


def _wrong_profile(connection: sqlite3.Connection, profile: StoredProfile, random: Random | None) -> list[str]:
    what = f"profile {profile.id} of {profile.language}"
    try:
        models = profile.smoothed(connection)
    except InputError as error:
        return [f"{what}: {error}"]
    sentences = connection.execute(_MEASURED, (profile.language, profile.id)).fetchall()
    if random is not None and len(sentences) > _CHECKED_SAMPLE:
        sentences = random.sample(sentences, _CHECKED_SAMPLE)
    stored = {row[0]: row for row in connection.execute(_ROWS, (profile.id,))}
    wrong = 0
    for first in range(0, len(sentences), _AT_ONCE):
        part = sentences[first : first + _AT_ONCE]
        made = {row[0]: row for row in profile_rows(profile, models, part)}
        wrong += sum(not _same(made.get(number), stored.get(number)) for number, _ in part)
    problems = [f"{what}: {wrong} sentences have another row than its models give"] if wrong else []
    (strangers,) = connection.execute(_STRANGERS, (profile.id, profile.language)).fetchone()
    return problems + ([f"{what}: {strangers} rows are of another language"] if strangers else [])


def _same(made: ProfileRow | None, stored: ProfileRow | None) -> bool:
    if made is None or stored is None:
        return made is stored
    exact = (made[0], made[1], made[4]) == (stored[0], stored[1], stored[4])
    return exact and all(abs(a - b) <= _NEAR * max(1.0, abs(a)) for a, b in zip(made[2:4], stored[2:4], strict=True))


# A profile is made once from its references. Sentences that come later are measured by the same models, so that its
# rows do not depend on the order of imports. What is kept are characters and bits; coefficients are made of their
# sums.


_LINES_AT_A_TIME = 5_000


@exclusive("profile")
def make_profile(store: Store, language: str, recipe: ProfileRecipe, *, rebuild: bool = False) -> Job[StoredProfile]:
    """The profile of these references, made where there is none, with every sentence of the language measured.

    With ``rebuild`` one that is there is made anew. An interrupted call is continued by the same call. Raises
    InputError for a reference that is missing or empty, for references that overlap or span no scale, and where no
    sentence is left to measure.
    """
    parameters = json.dumps(asdict(recipe), ensure_ascii=False, sort_keys=True)
    found = next(iter(profiles_of(store.connection, language, parameters)), None)
    if found is None or rebuild:
        found = yield from _new_profile(store, language, recipe, parameters, found)
    yield from update_profiles(store, language)
    return found


_INSERT = """
insert into profile (language, parameters, sources, model1, model2, h11, h12, h21, h22, d1, d2, unseen1, unseen2,
    reference_texts, run)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def _new_profile(
    store: Store, language: str, recipe: ProfileRecipe, parameters: str, old: StoredProfile | None
) -> Job[StoredProfile]:
    """Train the models, and store them in the place of the old profile, without any sentence measured."""
    yield Progress("reading the references", 0, 0)
    references = references_of(store, language, recipe)
    _check_left(store, language, recipe, references)
    yield Progress("measuring held-out parts of the references", 0, 0)
    ends = (*asdict(references.anchors()).values(), *references.held_out())
    sources = json.dumps([[asdict(each) for each in side] for side in references.records], ensure_ascii=False)
    with store.unchecked_references(), store.write() as connection:
        run = start_run(store, "profile", {"language": language, **asdict(recipe)})
        if old is not None:
            connection.execute(_DROP_SENTENCES, (old.id,))
            connection.execute(_DROP, (old.id,))
            connection.executemany(_DROP_MODEL, [(model,) for model in old.models])
        numbers = [
            insert_model(store, TrainedModel(language, None, recipe.model, records, counts), run)
            for records, counts in zip(references.records, references.counts, strict=True)
        ]
        values = (language, parameters, sources, *numbers, *ends, text_keys(references.lines), run.id)
        connection.execute(_INSERT, values)
        reopen_layers(store, language, (LAYER,), run)  # until it has measured all that the others have
        finish_run(store, run, {"characters": references.counts[0].characters})
    [made] = profiles_of(store.connection, language, parameters)
    return made


def _check_left(store: Store, language: str, recipe: ProfileRecipe, references: ProfileReferences) -> None:
    """Raise InputError where every sentence stands in a reference, or where one is in another script."""
    texts = [text for _, text in sentences_after(store, language, 0)]
    measured = normalised(texts[:_LINES_AT_A_TIME], recipe.normalisation)
    for what, side in zip(("spoken", "written"), references.sides, strict=True):
        check_alphabet(f"the {what} reference", side, measured)
    for first in range(0, len(texts), _LINES_AT_A_TIME):
        part = normalised(texts[first : first + _LINES_AT_A_TIME], recipe.normalisation)
        if any(text and text not in references.lines for text in part):
            return
    raise InputError(f"every sentence in {language} is part of a reference, so there is none to measure")


# Which lines of a profile are looked at, and what they cost.


@dataclass(frozen=True)
class Subset:
    """Some sentences of a language, and what they were asked for by."""

    name: str
    sentences: I64
    """Ascending and distinct; those of other languages too, where they stand in the same collection."""
    places: tuple[FilePlace, ...] = ()
    """Where a document was asked for, what has its name."""
    result: str | None = None
    """Where a result or selection was asked for as a collection, its name."""


def among(
    store: Store,
    language: str,
    *,
    collection: str | None = None,
    document: str | None = None,
    query: str | None = None,
) -> Subset | None:
    """The sentences for which all of this holds; None where nothing is asked.

    ``collection`` may be a selection; ``query`` is the name of a saved search, of which what was found in the language
    counts. Raises InputError for a name that is not there, and UsageError for a saved query that is no search.
    """
    parts, named = [], []
    if collection is not None or document is not None:
        parts.append(sentences_of(store, collection, document))
        named += [
            f"{what} {name}" for what, name in (("document", document), ("collection", collection)) if name is not None
        ]
    if query is not None:
        parts.append(_found(store, language, query))
        named.append(f"query {query}")
    if not parts:
        return None
    sentences = parts[0] if len(parts) == 1 else np.intersect1d(parts[0], parts[1], assume_unique=True)
    inside = () if document is None else tuple(places(store, () if collection is None else (collection,), document))
    return Subset(", ".join(named), sentences, inside, collection if collection in result_languages(store) else None)


def _found(store: Store, language: str, name: str) -> I64:
    from corpusdb.search.queries.results import saved_request
    from corpusdb.search.queries.search import Searcher

    saved = saved_query(store, name)
    if saved.command != "search":
        raise UsageError(f"{name!r} is not a search, but a call of `corpusdb {saved.command}`")
    return Searcher(store).find(saved_request(store, saved).search(language)).sentences


@dataclass(frozen=True)
class ProfileLines:
    """What the lines of a profile cost."""

    sentences: I64
    """Ascending."""
    statistics: Statistics
    left_out: int
    """Sentences of the language without figures: they stand in a reference, are empty, or wait to be measured."""
    changed: tuple[str, ...]
    """What of the references is not as it was, in words."""


_LINES = "select sentence, characters, bits1, bits2 from profile_sentence where profile = ? order by sentence"
_LINE = np.dtype([("sentence", np.int64), ("characters", np.int64), ("bits1", np.float64), ("bits2", np.float64)])
_COUNT = "select count(*) from sentence where language = ?"


def read_lines(store: Store, profile: StoredProfile, among: Subset | None = None) -> ProfileLines:
    """Every measured line, or those ``among`` some sentences; texts are not read."""
    connection = store.connection
    rows = np.fromiter(connection.execute(_LINES, (profile.id,)), dtype=_LINE)
    numbers: I64 = in_file(rows["sentence"])
    statistics = Statistics(in_file(rows["characters"]), in_file(rows["bits1"]), in_file(rows["bits2"]))
    (total,) = connection.execute(_COUNT, (profile.language,)).fetchone()
    changed = tuple(profile.changed(store))
    if among is None:
        return ProfileLines(numbers, statistics, total - len(numbers), changed)
    there = np.isin(numbers, among.sentences, assume_unique=True)
    return ProfileLines(numbers[there], statistics.at(there), 0, changed)


def all_profiles(store: Store) -> tuple[list[StoredProfile], list[str]]:
    found = [
        each for language in profile_languages(store.connection) for each in profiles_of(store.connection, language)
    ]
    return found, languages_of(store)


_STATE = """
select coalesce(max(id), 0) from run where operation in ('import', 'accept', 'profile', 'profile sentences')
"""


def profile_state(store: Store) -> int:
    """A number that is another one where profiles or their lines may have changed."""
    return int(store.connection.execute(_STATE).fetchone()[0])

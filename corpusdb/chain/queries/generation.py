"""Generation: candidates and rewordings of all sentences or of some, from an index that is up to date."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from corpusdb.base.jobs import Job, Progress, computed_in_order, usable_cores
from corpusdb.base.text import normalise
from corpusdb.corpus.model import REWORDING_COLUMNS, GenerationReport
from corpusdb.corpus.queries.sentences import check_languages, sentence_id, sentences_after
from corpusdb.corpus.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.corpus.store.runs import exclusive, interrupted_run, reopen_layers
from corpusdb.paraphrase.derivation import Evidence, Fluency, fluency_of
from corpusdb.paraphrase.queries.candidates import (
    CandidateSeed,
    IndexArrays,
    forget_outside_seeds,
    insert_into,
    pending_update,
    set_validity_aside,
    shrink_in_place,
    store_candidates,
    take_validity_back,
    update_in_place,
)
from corpusdb.paraphrase.queries.detection import detect, detect_without
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, Filter
from corpusdb.paraphrase.queries.models import load_ngrams
from corpusdb.paraphrase.queries.paraphrases import is_judged
from corpusdb.paraphrase.queries.slot_index import PARAMETERS, build_slot_index, unusable
from corpusdb.paraphrase.queries.slot_index_update import ContextTooCommon
from corpusdb.paraphrase.queries.statistics import generation_diversity, kept_counts

if TYPE_CHECKING:
    from corpusdb.paraphrase.rewording import Rewording
    from corpusdb.paraphrase.witnesses import TranslationsInto

# The index of a language, its n-grams and commutations, with the candidates that rest on it: updated or rebuilt.


def update_index(store: Store, language: str) -> Job[None]:
    """Bring n-grams and commutations up to date with the sentences and their paraphrases, which are; part of a job.

    Where little is new, what it touches is updated, also of the candidates. Otherwise the index is rebuilt, and the
    candidates are left to be generated again.
    """
    state = layer_state(store, language, "commutation")
    if state and state.complete and state.parameters == PARAMETERS:
        pending = pending_update(store, language, state)
        if pending == "nothing":
            return
        if pending == "little":
            try:
                yield from update_in_place(store, language, state)
                return
            except ContextTooCommon:
                pass  # nothing was changed
    yield from rebuild_index(store, language)


def rebuild_index(store: Store, language: str) -> Job[None]:
    """Make n-grams and commutations from all sentences; part of a job."""
    with store.write() as connection:
        run = start_run(store, "index", {"language": language})
        forget_outside_seeds(connection, language)
        # Until the new index is whole, the old one is not to be updated, and what came from it has to come again.
        reopen_layers(store, language, ("commutation", "candidate"), run)
    yield from build_slot_index(store, language, run)


def shrink_paraphrases(store: Store, language: str, _: Run, sentences: Sequence[tuple[int, str]]) -> None:
    """Take sentences (id, text) that are about to be deleted, and the translations in temp.unlinked, out of all that is
    derived of paraphrases; inside a transaction of the caller.

    What was learned from them stays, and is behind by them.
    """
    validity = layer_state(store, language, "validity")
    known = 0 if validity is None else _removed_from(store, language, validity)
    shrink_in_place(store, language, sentences, detect_without(store, language, known))
    store.connection.executemany(_FORGET_REWORDINGS, [(sentence,) for sentence, _ in sentences])


_REMOVED_FROM = """
select count(*) from (
    select id from temp.removed where language = :language and id <= :sentence
    union
    select unlinked.sentence from temp.unlinked join sentence on sentence.id = unlinked.sentence
    where unlinked.run <= :run and sentence.language = :language)
"""


def _removed_from(store: Store, language: str, state: Layer) -> int:
    """How many of the sentences that are about to go, or to lose translations, a layer has."""
    values = {"language": language, "sentence": state.last_sentence, "run": state.last_run}
    return int(store.connection.execute(_REMOVED_FROM, values).fetchone()[0])


_FORGET_REWORDINGS = "delete from rewording where sentence = ?"

# Rewordings: what analogies give that no other context shows, where the exchange of words vouches for it.
#
# D = c[x] and B = c[y] stand in one context, and B' is a paraphrase of B: B : B' :: D : t is an analogy, with t what
# B' becomes when y is replaced by x. The index asks for a second context of x and y, which shows that they are
# exchanged for one another (A : B :: C : D; Lepage & Denoual 2005, section 4.3). It misses changes at the edge of a
# word and in two places at once, which are other fillers in other contexts. Where sentences that differ as B and B' do
# nearly always share a translation, the second context is not needed.

REWORDING_PARAMETERS: Final[dict[str, object]] = {"rules": 13}
"""What the layer is made by; ``rules`` is raised when that changes."""

_RUNS = """
select (select run from layer where language = :language and name = 'validity' and complete),
       (select run from layer where language = :language and name = 'rewording' and complete)
"""
_DELETE = "delete from rewording where sentence in (select id from sentence where language = ?)"


def has_rewordings(store: Store, language: str, *, thorough: bool = False) -> bool:
    """Whether those of a language are made by the exchanges as they are, or none can be.

    A language whose candidates are not those of all sentences, or are not judged, has none. ``thorough``: and by this
    version.
    """
    validity, candidate = (layer_state(store, language, name) for name in ("validity", "candidate"))
    if not (validity and validity.complete and _is_complete(candidate)):
        return True
    state = layer_state(store, language, "rewording")
    judged, made = store.connection.execute(_RUNS, {"language": language}).fetchone()
    is_current = state is not None and (state.parameters == REWORDING_PARAMETERS or not thorough)
    return bool(is_current and made is not None and made > judged)


def update_judgements(store: Store, language: str, *, thorough: bool = False) -> Job[None]:
    """Judge the paraphrases of a language, and make the rewordings that rest on it; part of a job.

    Little that is new in a large corpus is judged as was learned before, unless ``thorough``.
    """
    translated: Sequence[TranslationsInto] | None = None
    if not is_judged(store, language, thorough=thorough):  # of one seed that is there, nothing of this is imported
        from corpusdb.paraphrase.queries.validity_update import update_validity

        translated = yield from update_validity(store, language, thorough=thorough)
    yield from update_rewordings(store, language, translated, thorough=thorough)


def update_rewordings(
    store: Store, language: str, translated: Sequence[TranslationsInto] | None = None, *, thorough: bool = False
) -> Job[None]:
    """Make the rewordings of all sentences of a language again, if exchanges were summed up since; part of a job.

    One transaction stores all. ``translated``: what ``update_validity`` gave just now. Otherwise, and unless
    ``thorough``, only new sentences get theirs, by the exchanges there are.
    """
    validity = layer_state(store, language, "validity")
    if validity is None:
        return
    if has_rewordings(store, language, thorough=thorough):
        if not thorough:
            yield from _reword_new(store, language)
        return
    from corpusdb.paraphrase.queries.rewordings import make_rewordings

    store.give_memory_back()  # of what all was judged by, before as much is read again
    found = yield from make_rewordings(store, language, translated)
    with store.write() as connection:
        run = start_run(store, "reword", {"language": language})
        connection.execute(_DELETE, (language,))
        connection.executemany(_INSERT, _rows(found, run))
        layer = Layer(REWORDING_PARAMETERS, validity.last_sentence, validity.last_run, True)
        save_layer(store, language, "rewording", layer, run)
        finish_run(store, run, {"rewordings": len(found)})


def _reword_new(store: Store, language: str) -> Job[None]:
    """Make the rewordings of the sentences that the layer does not have, which are few; part of a job."""
    state = layer_state(store, language, "rewording")
    fresh = sentences_after(store, language, state.last_sentence) if state is not None and state.complete else []
    if state is None or not fresh:
        return
    from corpusdb.paraphrase.queries.rewordings import rewordings_of_few

    yield Progress("rewording new sentences by exchanges", 0, len(fresh))
    found = rewordings_of_few(store, language, fresh)
    with store.write() as connection:
        run = start_run(store, "reword", {"language": language, "after": state.last_sentence})
        connection.executemany(_INSERT, _rows(found, run))
        layer = Layer(state.parameters, fresh[-1][0], state.last_run, True)
        save_layer(store, language, "rewording", layer, run)
        finish_run(store, run, {"rewordings": len(found)})


_COLUMNS = ("sentence", "text", *REWORDING_COLUMNS, "run")
_INSERT = insert_into("rewording", _COLUMNS)


def _rows(found: Iterable[Rewording], run: Run) -> Iterator[tuple[object, ...]]:
    figures = attrgetter(*_COLUMNS[:-1])
    return ((*figures(each), run.id) for each in sorted(found))


# Generation: candidates of all sentences of a language or of given seeds, from layers that are up to date.

_SEEDS_PER_TRANSACTION = 2_000


@exclusive("index")
def prepare(store: Store, language: str) -> Job[None]:
    """Bring paraphrases, n-grams and commutations of a language up to date with the corpus, and stored candidates too.

    What a few new sentences touch is updated; after many, all is rebuilt, which is faster. Both give the same rows.
    Candidates of given seeds are generated again after a rebuild, those of all sentences by ``generate``. Raises
    InputError for a language without sentences.
    """
    check_languages(store, [language])
    yield from detect(store, language)
    yield from update_index(store, language)
    state = layer_state(store, language, "candidate")
    if state and state.parameters == _GIVEN:
        yield from update_candidates(store, language)


def update_candidates(store: Store, language: str) -> Job[None]:
    """Generate the candidates that were there before the index was rebuilt, or that an interrupted call left out.

    Otherwise the update of the index has brought them up to date. Part of a job.
    """
    state = layer_state(store, language, "candidate")
    if state is None or state.complete:
        return
    if state.parameters == _GIVEN:
        seeds = [row[0] for row in store.connection.execute(_SEEDS, (language,))]
        yield from _generate_given(store, language, seeds, is_whole=True)
    else:
        yield from generate_all(store, language)


def _is_complete(state: Layer | None) -> bool:
    return state is not None and state.complete and state.parameters == _ALL


@exclusive("generate")
def generate(
    store: Store, language: str, seeds: Sequence[str] | None = None, kept: Filter = DEFAULT_FILTER
) -> Job[GenerationReport]:
    """Generate the candidates of all sentences of a language, or of ``seeds``, which need not be in the corpus.

    All layers are brought up to date first. Sentences are taken in the order of their ids, some thousands in each
    transaction: an interrupted call goes on behind the last one, and ends with the same rows. Then all are judged. The
    counts of the report are for the candidates that ``kept`` accepts.
    """
    begun = time.monotonic()
    yield from prepare(store, language)
    seeds = None if seeds is None else list(dict.fromkeys(normalise(seed) for seed in seeds))
    # The run ends with its counts, which are known when all is judged: where a call was interrupted behind the last
    # candidate, there may be nothing to generate any more, and the run still has to end.
    run = interrupted_run(store, "generate", _asked(language, seeds)) if store.in_job else None
    if seeds is None:
        if not _is_complete(layer_state(store, language, "candidate")):
            run = yield from generate_all(store, language, is_whole=False)
    elif not _all_given(store, language, seeds, run):
        run = yield from _generate_given(store, language, seeds)
    yield from update_judgements(store, language, thorough=True)
    found = generation_diversity(store, language, kept, seeds)
    counts = kept_counts(store, language, kept, seeds)
    if run:
        with store.write():
            finish_run(store, run, counts | kept.document())
    seconds = time.monotonic() - begun
    return GenerationReport(
        **counts,
        seconds=seconds,
        run=run.id if run else _last_run(store, language),
        **unusable(store, language),
        diversity=found,
    )


_ALL: dict[str, object] = {"seeds": "all"}
_GIVEN: dict[str, object] = {"seeds": "given"}
_LAST_RUN = "select run from layer where language = ? and name = 'candidate'"
_CLEAR = (
    "delete from candidate where seed in (select id from seed where language = ?)",
    "delete from seed where language = ?",
)


def _last_run(store: Store, language: str) -> int | None:
    row = store.connection.execute(_LAST_RUN, (language,)).fetchone()
    return None if row is None else int(row[0])


def _asked(language: str, seeds: Sequence[str] | None) -> dict[str, object]:
    """The parameters of the run that generates from these seeds, or from all."""
    return {"language": language} if seeds is None else {"language": language, "seeds": list(seeds)}


def generate_all(store: Store, language: str, *, is_whole: bool = True) -> Job[Run]:
    """Generate from every sentence, or go on where this was interrupted; part of a job, behind ``prepare``.

    Unless that ``is_whole`` what was asked for, the caller finishes the run, and all is judged again.
    """
    state = layer_state(store, language, "candidate")
    done = state.last_sentence if state and state.parameters == _ALL else 0
    with store.write() as connection:
        run = start_run(store, "generate", _asked(language, None))
        if is_whole:  # of one that was interrupted nothing is left: the table was of the process that began it
            set_validity_aside(connection, language)
        if done == 0:
            for statement in _CLEAR:
                connection.execute(statement, (language,))
            save_layer(store, language, "candidate", Layer(_ALL, 0, run.id, complete=False), run)
    index, ngrams = IndexArrays(store, language), load_ngrams(store, language)
    begun, end = int(np.searchsorted(index.sentences, done, side="right")), len(index.texts)
    batches = range(begun, end, _SEEDS_PER_TRANSACTION)
    ngrams.prepare_for_many()  # once, and not in each copy of this process
    store.give_memory_back()

    def derived(number: int) -> _Batch:
        first = batches[number]
        found = index.candidates(first, min(first + _SEEDS_PER_TRANSACTION, end))
        return _Batch(found, fluency_of({one.text for each in found.values() for one in each}, ngrams.longest_of_many))

    with (
        store.unchecked_references(),
        closing(computed_in_order(derived, len(batches), usable_cores())) as results,
    ):
        yield Progress("generating from sentences", 0, end - begun)
        for first, batch in zip(batches, results, strict=True):
            last = min(first + _SEEDS_PER_TRANSACTION, end)
            texts = dict(zip(index.sentences[first:last].tolist(), index.texts[first:last], strict=True))
            _store_batch(store, language, texts, batch, run)
            yield Progress("generating from sentences", last - begun, end - begun)
    with store.write():
        through = int(index.sentences[-1]) if batches else done
        save_layer(store, language, "candidate", Layer(_ALL, through, run.id, complete=True), run)
        if is_whole:
            take_validity_back(store.connection, language)
            finish_run(store, run, {})
    return run


@dataclass(frozen=True, slots=True)
class _Batch:
    """What was generated from some thousands of sentences."""

    candidates: dict[int, list[Evidence]]
    fluency: dict[str, Fluency]


def _store_batch(store: Store, language: str, texts: dict[int, str], batch: _Batch, run: Run) -> None:
    """Store what was generated from the sentences with these numbers and texts; all of them were tried."""
    with store.write() as connection:
        for seed, found in batch.candidates.items():
            if found:
                store_candidates(connection, CandidateSeed(language, texts[seed], seed), found, batch.fluency, run)
        save_layer(store, language, "candidate", Layer(_ALL, max(texts), run.id, complete=False), run)


_SEEDS = "select text from seed where language = ? order by id"
_IS_SEED = "select exists (select 1 from seed where language = ? and text = ?)"


def _all_given(store: Store, language: str, seeds: Sequence[str], begun: Run | None) -> bool:
    """Whether there is nothing to do for these seeds: they were generated from, and were kept up to date since.

    ``begun``: the run that began with them and has not ended; it notes at last that it has done them.
    """
    state = layer_state(store, language, "candidate")
    if state is None or not state.complete:
        return False
    if begun is not None and state.parameters == _GIVEN and _last_run(store, language) != begun.id:
        return False
    if state.parameters == _ALL:  # of a sentence from which nothing came there is no row
        seeds = [seed for seed in seeds if sentence_id(store, language, seed) is None]
    return all(store.connection.execute(_IS_SEED, (language, seed)).fetchone()[0] for seed in seeds)


def _generate_given(store: Store, language: str, seeds: Sequence[str], *, is_whole: bool = False) -> Job[Run]:
    """Generate from some seeds; those of the corpus are there already when all were generated.

    ``is_whole`` as for ``generate_all``.
    """
    state = layer_state(store, language, "candidate")
    with store.write():
        run = start_run(store, "generate", _asked(language, seeds))
    from corpusdb.paraphrase.queries.seeds import SeedGenerator

    session = SeedGenerator(store, language)
    for number, text in enumerate(seeds):
        yield Progress("generating from seeds", number, len(seeds))
        sentence = sentence_id(store, language, text)
        if sentence is not None and _is_complete(state):
            continue
        found = session.evidence(text)
        fluency = fluency_of([one.text for one in found], session.ngrams.longest_of_few)
        with store.write() as connection:
            store_candidates(connection, CandidateSeed(language, text, sentence), found, fluency, run)
    with store.write():
        if state is None or state.parameters == _GIVEN:
            save_layer(store, language, "candidate", Layer(_GIVEN, 0, run.id, complete=True), run)
        if is_whole:
            finish_run(store, run, {})
    return run

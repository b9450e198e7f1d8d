"""The alignment of the corpus: a model is trained and links its pairs, phrases are counted, all is checked."""

from __future__ import annotations

import io
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, islice
from random import Random
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from corpusdb.alignment.bitext import Bitext, WordedTexts
from corpusdb.alignment.links import Link, Links, links_to_bytes, tokens_digests
from corpusdb.alignment.model import AlignmentModel, Vocabularies, one_blas_thread
from corpusdb.alignment.queries.pairs import (
    UNITS,
    SentencePair,
    SentenceTokens,
    StoredModel,
    advice_on,
    all_models,
    cut_of,
    drop_older_models,
    has_older_models,
    is_sound,
    model_bytes,
    model_digest,
    new_model,
    ordered_languages,
    pairs_of,
    pairs_to_align,
    read_links,
    read_model,
    ready_model,
    ready_models,
    save_state,
    unfinished_model,
    ways_now,
)
from corpusdb.alignment.queries.phrases import PairRow, WordRow, add_phrases, counted, counted_in
from corpusdb.alignment.training import Training, TrainingSettings, align_bitext
from corpusdb.base.errors import CorpusError, InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.options import record_from_json
from corpusdb.base.text import MAX_SENTENCE_UNITS, are_undelimited
from corpusdb.corpus.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.corpus.store.runs import exclusive, keep_counts, run_counts

PARAMETERS: dict[str, object] = asdict(TrainingSettings())


def train_model(
    store: Store, model: StoredModel, pairs: Sequence[SentencePair], tokens: SentenceTokens
) -> Job[tuple[StoredModel, AlignmentModel]]:
    """Take the steps that are left; part of a job. The pairs must be those that the training began with.

    Raises InputError where none of them can be trained with.
    """
    tokens.keep(chain.from_iterable(pairs))
    source = tokens.numbered([pair.sentence for pair in pairs])
    target = tokens.numbered([pair.translation for pair in pairs])
    vocabularies = Vocabularies(source.vocabulary(), target.vocabulary())
    bitext = Bitext(source.in_vocabulary(vocabularies.source), target.in_vocabulary(vocabularies.target))
    del source, target
    training = Training(bitext, vocabularies)
    if (begun := model_bytes(store, model)) is not None:
        training.restore(_read(begun))
    while training.steps < training.total:
        yield from training.step()
        if training.steps < training.total:
            written = _written(training.state())
            with store.write():
                save_state(store, model, "training", written)
    learned = training.model()
    with store.write():
        model = save_state(store, model, "decoding", learned.to_bytes())
    return model, learned


def _written(state: dict[str, np.ndarray[Any, Any]]) -> bytes:
    file = io.BytesIO()
    np.savez(file, **state)  # type: ignore[arg-type]
    return file.getvalue()


def _read(written: bytes) -> dict[str, np.ndarray[Any, Any]]:
    with np.load(io.BytesIO(written), allow_pickle=False) as arrays:
        return dict(arrays)


# The alignment of the corpus: the pairs of two languages are linked by a model, and their phrases counted.
# A model is trained once, on all pairs that there are; pairs that come later are linked by it, each by itself. So what
# a model has aligned does not depend on the order in which pairs were imported. Training by other pairs gives another
# model, which is made when somebody asks for it.


_PAIRS_PER_TRANSACTION = 1 << 15
_TOKENS_PER_TRANSACTION = 1 << 19
"""Of both sides, unless one pair alone has more: what is held in memory hangs on them."""
_T = TypeVar("_T")


@dataclass(slots=True)
class LinkCounts:
    trained: int = 0
    """Pairs that the model was trained on; 0 for one that was there."""
    pairs: int = 0
    links: int = 0
    unlinked_source: int = 0
    """Tokens without a link."""
    unlinked_target: int = 0
    too_long: int = 0
    """Pairs with over MAX_SENTENCE_UNITS tokens on a side, which have no links."""


_INSERT = """
insert into alignment (model, sentence, translation, links, tokens_digest, run) values (?, ?, ?, ?, ?, ?)
"""


class LinkedPairs(NamedTuple):
    """Pairs of sentences with their tokens and links, which are stored together with their phrases."""

    pairs: Sequence[SentencePair]
    source: WordedTexts
    target: WordedTexts
    links: Links

    def add_to(self, counts: LinkCounts) -> None:
        lengths, their_lengths = self.source.texts.lengths, self.target.texts.lengths
        is_linked, is_linked_there = self.links.linked_words(lengths, their_lengths)
        counts.pairs += len(self.links)
        counts.links += len(self.links.sources)
        counts.unlinked_source += int((~is_linked).sum())
        counts.unlinked_target += int((~is_linked_there).sum())
        counts.too_long += int((np.maximum(lengths, their_lengths) > MAX_SENTENCE_UNITS).sum())

    def store(self, store: Store, model: StoredModel, run: Run, counts: LinkCounts | None = None) -> None:
        """In one transaction, with the counts of the run, if they are kept."""
        digests, stored = tokens_digests(self.source, self.target), links_to_bytes(self.links)
        rows = [
            (model.id, *pair, links, digest, run.id)
            for pair, links, digest in zip(self.pairs, stored, digests, strict=True)
        ]
        phrases = counted_in(self.pairs, self.source, self.target, self.links)
        with store.unchecked_references(), store.write() as connection:
            connection.executemany(_INSERT, rows)
            add_phrases(store, model, phrases)
            if counts is not None:
                keep_counts(store, run, asdict(counts))


@dataclass(frozen=True, slots=True)
class AlignmentReport:
    source: str
    target: str
    source_tokens: str
    """What is linked: words, characters, or morphemes by an analyser."""
    target_tokens: str
    trained: int
    """Pairs of sentences that a model was trained on now; 0 where there was one."""
    pairs: int
    """Pairs that were linked now."""
    links: int
    unlinked_source: int
    unlinked_target: int
    too_long: int
    aligned: int
    """Pairs of the two languages that have links in the file, with those of before."""
    phrase_pairs: int
    """Different ones in the file."""
    without_links: int
    """Pairs of the two languages that have none: those that came after links were imported, or were not among them."""
    seconds: float
    advice: tuple[str, ...] = ()
    """How languages could be cut better, a line each."""


@exclusive("align")
def align_languages(store: Store, one: str, other: str, *, retrain: bool = False) -> Job[AlignmentReport]:
    """Link the words of all pairs of sentences of two languages that are not linked yet, and count their phrases.

    The model is trained on all pairs where there is none, or with ``retrain``: then what the one before it aligned is
    aligned anew, and counts until that is done. After an interruption the same call goes on. Raises UsageError for
    one language, InputError where no sentence has a translation or none could be trained with, DatabaseDamaged.
    Where the analyser of the model is not installed it raises UsageError, and InputError where another version is.
    """
    begun = time.monotonic()
    source, target = ordered_languages(one, other)
    yield Progress("finding the pairs of sentences", 0, 0)
    pairs = pairs_of(store, source, target)
    if not pairs:
        raise InputError(f"no sentence in {source} has a translation in {target}")
    ready = ready_model(store, source, target)
    counts = LinkCounts()
    if ready is not None and has_older_models(store, ready):
        yield from drop_older_models(store, ready)
        # A call that was interrupted when it had trained anew has only that left to do.
        retrain = retrain and bool(pairs_to_align(store, source, target, ready.id))
    if retrain or ready is None or (not ready.is_imported and pairs_to_align(store, source, target, ready.id)):
        with one_blas_thread():
            counts, _ = yield from _align(store, (source, target), pairs, None if retrain else ready)
    for language in (source, target):
        yield from update_alignment(store, language)
    aligned, phrase_pairs = stored_counts(store, source, target)
    newest = ready_model(store, source, target)
    ways = ways_now(source, target) if newest is None else newest.ways
    return AlignmentReport(
        source,
        target,
        source_tokens=_shown_tokens(store, source, ways[0]),
        target_tokens=_shown_tokens(store, target, ways[1]),
        **asdict(counts),
        aligned=aligned,
        phrase_pairs=phrase_pairs,
        without_links=len(pairs) - aligned,
        seconds=time.monotonic() - begun,
        advice=tuple(filter(None, map(advice_on, ways, (source, target)))),
    )


_SOME = "select text from sentence where language = ? order by id limit 20"


def _shown_tokens(store: Store, language: str, way: str) -> str:
    """What the tokens of a language are, in words."""
    if way != UNITS:
        return f"morphemes by {way}"
    texts = (row[0] for row in store.connection.execute(_SOME, (language,)))
    return "characters" if are_undelimited(texts) else "words"


def _align(
    store: Store, languages: tuple[str, str], pairs: Sequence[SentencePair], ready: StoredModel | None
) -> Job[tuple[LinkCounts, Run]]:
    """Train where no model is given, link what it has not linked, and let it count."""
    ways = ways_now(*languages) if ready is None else ready.ways
    tokens = SentenceTokens(store.connection, dict(zip(languages, ways, strict=True)))
    # A training that another version of the program began with other settings is begun again.
    parameters = {"languages": list(languages), "retrain": ready is None, "tokens": ways, "training": PARAMETERS}
    with store.write():
        run = start_run(store, "align", parameters)
        model = ready or unfinished_model(store, *languages)
        if model is None or (model.state != "ready" and (model.run != run.id or not is_sound(store, model))):
            model = new_model(store, *languages, {**PARAMETERS, "pairs": len(pairs), "tokens": ways}, run)
        counts = record_from_json(LinkCounts, run_counts(store, run), of="an alignment")
        if model.run == run.id:
            counts.trained = len(pairs)  # also where this was interrupted behind the training
    stage, begin = f"aligning {model.languages}, per cent", 0
    if model.state == "training":
        begin = _PER_CENT_OF_TRAINING
        model, learned = yield from _as_part(train_model(store, model, pairs, tokens), Progress(stage, 0, 100), begin)
    else:
        learned = read_model(store, model)
    yield from _as_part(_link(store, model, learned, run, counts, tokens), Progress(stage, begin, 100), 100)
    with store.write():
        model = save_state(store, model, "ready")
        finish_run(store, run, asdict(counts))
    yield from drop_older_models(store, model)
    return counts, run


def _link(
    store: Store, model: StoredModel, learned: AlignmentModel, run: Run, counts: LinkCounts, tokens: SentenceTokens
) -> Job[None]:
    """Link what a model has not linked yet; in each transaction some pairs, and their phrases."""
    waiting = pairs_to_align(store, model.source, model.target, model.id)
    tokens.keep(chain.from_iterable(waiting))
    step = Progress("", 0, len(waiting))
    for pairs in _portions(waiting, tokens):
        source = tokens.numbered([pair.sentence for pair in pairs])
        target = tokens.numbered([pair.translation for pair in pairs])
        vocabularies = learned.vocabularies
        bitext = Bitext(source.in_vocabulary(vocabularies.source), target.in_vocabulary(vocabularies.target))
        links = yield from _as_part(align_bitext(learned, bitext), step, step.done + len(pairs) // 2)
        made = LinkedPairs(pairs, source, target, links)
        made.add_to(counts)
        made.store(store, model, run, counts)
        step = replace(step, done=step.done + len(pairs))  # the other half: to store them
    yield step


def _portions(waiting: Sequence[SentencePair], tokens: SentenceTokens) -> Iterator[Sequence[SentencePair]]:
    """What one transaction takes in: as many pairs as have that many tokens."""
    first = 0
    while first < len(waiting):
        pairs = waiting[first : first + _PAIRS_PER_TRANSACTION]
        lengths = sum(tokens.numbered([pair[side] for pair in pairs]).texts.lengths for side in (0, 1))
        most = int(np.searchsorted(np.cumsum(lengths), _TOKENS_PER_TRANSACTION, side="right"))
        yield pairs[: max(1, most)]
        first += max(1, most)


_PER_CENT_OF_TRAINING: Final = 35
"""Of the time that training and linking take together, as measured with 5,000 and with 167,000 pairs."""


def _as_part(job: Job[_T], begin: Progress, end: int) -> Job[_T]:
    """A job that tells the progress of the one that it is a part of, which it brings from where that is to ``end``."""
    while True:
        try:
            step = next(job)
        except StopIteration as ended:
            result: _T = ended.value
            return result
        share = step.done / step.total if step.total else 0.0
        yield replace(begin, done=begin.done + int((end - begin.done) * share))


_STORED = "select count(*) from alignment where model = ?"
_STORED_PHRASES = "select count(*) from phrase_pair where model = ?"


def stored_counts(store: Store, source: str, target: str) -> tuple[int, int]:
    """How many pairs of two languages have links, and how many different phrase pairs these give."""
    model = ready_model(store, source, target)
    number = None if model is None else model.id
    aligned, phrases = (store.connection.execute(each, (number,)).fetchone()[0] for each in (_STORED, _STORED_PHRASES))
    return int(aligned), int(phrases)


_NEWEST = """
select coalesce((select max(id) from sentence where language = ?), 0),
       coalesce((select max(id) from run where operation in ('import', 'accept')), 0)
"""
_ANY_NEWER = "select exists (select 1 from translation where run > ?)"
_TAKE_IN = "update layer set last_sentence = ?, last_run = ? where language = ? and name = 'alignment'"


def update_alignment(store: Store, language: str) -> Job[None]:
    """Link the new pairs of a language with all those that it was aligned with; part of a job.

    Where links were imported nothing can link new pairs: these stay without.

    Where the analyser of a model is not installed they wait: the layer stays behind the corpus, and the rest goes on.
    Raises DatabaseDamaged where a model cannot be used.
    """
    models, state = ready_models(store, language), layer_state(store, language, "alignment")
    newest = store.connection.execute(_NEWEST, (language,)).fetchone()
    if not models or (state is not None and (state.last_sentence, state.last_run) == newest):
        return
    if not all(model.can_cut for model in models):
        yield Progress(f"new pairs of {language} wait for the analyser that they are aligned with", 0, 0)
        return
    run = None
    if state is None or store.connection.execute(_ANY_NEWER, (state.last_run,)).fetchone()[0]:
        for model in models:
            if not model.is_imported and pairs_to_align(store, model.source, model.target, model.id):
                _, run = yield from _align(store, (model.source, model.target), [], model)
    if store.read_only:
        return
    with store.write() as connection:
        if run is None and state is not None:  # nothing that is new concerns it
            connection.execute(_TAKE_IN, (*newest, language))
        else:
            made = run or Run(models[-1].run, "align")
            save_layer(store, language, "alignment", Layer({}, newest[0], newest[1], complete=True), made)


_SAMPLE: Final = 300
_PAIRS_AT_ONCE: Final = 1 << 14
_SHOWN: Final = 3


_MODELS = "select id, tables, digest from alignment_model order by id"


def wrong_alignments(connection: sqlite3.Connection, random: Random, *, full: bool = False) -> list[str]:
    """Models that are not what was stored for their languages, links that their sentences cannot have, and counts of
    phrases that do not fit together.

    Links are looked at in a sample; with ``full`` all of them, and the phrases are counted again. Those whose tokens
    nothing here can find are left out: see unread_alignments.
    """
    problems: list[str] = []
    models = {model.id: model for model in all_models(connection)}
    for number, tables, digest in connection.execute(_MODELS).fetchall():
        model = models[number]
        if tables is not None and digest != model_digest(model.source, model.target, tables):
            problems.append(f"the alignment model of {model.languages} is damaged, or one of other languages")
        problems += _wrong_sentences(connection, model)
        if not model.can_cut:
            problems += _wrong_sums(connection, model)
            continue
        wrong = _wrong_links(connection, model, None if full else random)
        problems += wrong
        if not wrong:
            problems += _wrong_phrases(connection, model) if full else _wrong_sums(connection, model)
    return problems


_WRONG_SENTENCES = """
select count(*) from alignment
join sentence own on own.id = alignment.sentence join sentence other on other.id = alignment.translation
where alignment.model = ? and (own.language <> ? or other.language <> ? or not exists (
    select 1 from translation there
    where there.sentence = alignment.sentence and there.translation = alignment.translation))
"""


def _wrong_sentences(connection: sqlite3.Connection, model: StoredModel) -> list[str]:
    (wrong,) = connection.execute(_WRONG_SENTENCES, (model.id, model.source, model.target)).fetchone()
    return [f"{wrong} alignments of {model.languages} are of sentences that are no such pair"] if wrong else []


def unread_alignments(connection: sqlite3.Connection) -> Iterator[str]:
    """The models whose links cannot be read here, and why, a line each."""
    for model in all_models(connection):
        for way in model.ways:
            try:
                cut_of(way)
            except CorpusError as error:
                yield f"the links of {model.languages}: {error}"


class _Row(NamedTuple):
    pair: SentencePair
    links: bytes
    digest: bytes


_ALIGNED = "select sentence, translation, links, tokens_digest from alignment where model = ? order by 1, 2"
_COUNT = "select count(*) from alignment where model = ?"
_SAMPLED = """
select sentence, translation, links, tokens_digest from alignment
where model = :model and (sentence, translation) >= (
    select sentence, translation from alignment where model = :model order by 1, 2 limit 1 offset :place)
order by 1, 2 limit :count
"""


def _checked_rows(connection: sqlite3.Connection, model: StoredModel, random: Random | None) -> Iterator[list[_Row]]:
    """All that a model aligned, or a stretch of it, some at once."""
    if random is None:
        rows = connection.execute(_ALIGNED, (model.id,))
    else:
        (count,) = connection.execute(_COUNT, (model.id,)).fetchone()
        place = random.randrange(max(1, count - _SAMPLE + 1))
        rows = connection.execute(_SAMPLED, {"model": model.id, "place": place, "count": _SAMPLE})
    while some := [_Row(SentencePair(*row[:2]), *row[2:]) for row in islice(rows, _PAIRS_AT_ONCE)]:
        yield some


def _wrong_links(connection: sqlite3.Connection, model: StoredModel, random: Random | None) -> list[str]:
    problems, more, cut = [], 0, SentenceTokens(connection, model.way_by_language)
    for rows in _checked_rows(connection, model, random):
        for row, source, target in zip(rows, *_tokens(cut, rows), strict=True):
            try:
                read_links(source, target, row.links, row.digest)
            except InputError as error:
                more += 1
                if more <= _SHOWN:
                    where = f"alignment of sentences {row.pair.sentence} and {row.pair.translation}"
                    problems.append(f"{where} ({model.languages}): {error}")
    if more > _SHOWN:
        problems.append(f"{more - _SHOWN} more alignments of {model.languages} are like that")
    return problems


def _tokens(cut: SentenceTokens, rows: Sequence[_Row]) -> tuple[list[list[str]], list[list[str]]]:
    return cut.of([row.pair.sentence for row in rows]), cut.of([row.pair.translation for row in rows])


_SUMS = """
select (select coalesce(sum(count), 0) from phrase_pair where model = :model),
       (select coalesce(sum(paired), 0) from phrase_count
        cross join phrase on phrase.id = phrase_count.phrase and phrase.language = :source where model = :model),
       (select coalesce(sum(paired), 0) from phrase_count
        cross join phrase on phrase.id = phrase_count.phrase and phrase.language = :target where model = :model)
"""


def _wrong_sums(connection: sqlite3.Connection, model: StoredModel) -> list[str]:
    bound = {"model": model.id, "source": model.source, "target": model.target}
    pairs, source, target = connection.execute(_SUMS, bound).fetchone()
    if pairs == source == target:
        return []
    return [
        f"the phrases of {model.languages} stand in {pairs} phrase pairs, but {source} and {target} times in one by "
        "their own counts"
    ]


_PAIRS = """
select source.text, target.text, pair.count, pair.size, pair.sentence, pair.translation from phrase_pair pair
left join phrase source on source.id = pair.source left join phrase target on target.id = pair.target
where pair.model = ?
"""
_WORDS = """
select phrase.text, paired, unlinked, unpaired from phrase_count
cross join phrase on phrase.id = phrase_count.phrase and phrase.language = ? where model = ?
"""


def _wrong_phrases(connection: sqlite3.Connection, model: StoredModel) -> list[str]:
    pairs: dict[tuple[str, str], PairRow] = {}
    words: tuple[dict[str, WordRow], dict[str, WordRow]] = ({}, {})
    cut = SentenceTokens(connection, model.way_by_language)
    for rows in _checked_rows(connection, model, None):
        source, target = _tokens(cut, rows)
        links: list[list[Link]] = [
            read_links(own, theirs, row.links, row.digest)
            for row, own, theirs in zip(rows, source, target, strict=True)
        ]
        found = counted([row.pair for row in rows], source, target, Links.of(links))
        for each in found.pairs():
            known = pairs.get((each.source, each.target))
            pairs[each.source, each.target] = each if known is None else _added(known, each)
        for sums, counts in zip(words, (found.source, found.target), strict=True):
            for text, row in counts.rows().items():
                sums[text] = WordRow(*map(sum, zip(sums.get(text, (0, 0, 0)), row, strict=True)))
    made = {(*each[:4], *each.example) for each in pairs.values()}
    problems = []
    if wrong := len(made ^ {*connection.execute(_PAIRS, (model.id,))}):
        problems.append(f"{wrong} phrase pairs of {model.languages} are not what its links give")
    for language, sums in zip((model.source, model.target), words, strict=True):
        stored = connection.execute(_WORDS, (language, model.id))
        if wrong := len({(text, *row) for text, row in sums.items()} ^ {*stored}):
            problems.append(f"{wrong} counts of {language} phrases of {model.languages} are not what its links give")
    return problems


def _added(one: PairRow, other: PairRow) -> PairRow:
    size, example = min((one.size, one.example), (other.size, other.example))
    return PairRow(one.source, one.target, one.times + other.times, size, example)

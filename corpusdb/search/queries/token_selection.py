"""Which tokens of the corpus are counted: of what language and documents, and what makes two of them the same.

However often a sentence stands in the corpus, or in the part of it that is looked at, its tokens count once, unless
every occurrence is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from corpusdb.base.arrays import I64, Bools
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.ngrams import NgramPlaces, joined_ranges
from corpusdb.base.regular_expressions import Regex
from corpusdb.base.text import alike_in, as_typed, is_word, look_alike_pattern, nfc
from corpusdb.corpus.queries.sentences import check_languages, languages_of, result_languages, sentences_of, standing
from corpusdb.corpus.store import Store
from corpusdb.search.cqp_parser import parse
from corpusdb.search.cqp_syntax import attributes_of
from corpusdb.search.lexical import (
    deviation_of_proportions,
    juilland_d,
    normalised_deviation,
    parts_with,
    reduced_frequencies,
)
from corpusdb.search.queries.annotated_corpus import AnnotationCoverage, by_attribute, of_attribute
from corpusdb.search.queries.token_index import load_tokens
from corpusdb.search.token_corpus import WORD, Annotated, Attributes, TokenCorpus


@dataclass(frozen=True, slots=True)
class TokenSelection:
    language: str
    collection: str | None = None
    """Only sentences of this collection."""
    document: str | None = None
    """Only sentences of this document, or file, by its name."""
    fold_case: bool = False
    """Tokens that differ in case only are the same; they are shown in lower case."""
    words_only: bool = False
    """Only tokens with a letter or digit; punctuation marks are as if they were not there."""
    attribute: str = WORD
    """What is counted of a token, such as its lemma; only in sentences where it is known of a token."""
    occurrences: bool = False
    """A sentence counts as often as it stands there, and not once; its id then comes as often in what is selected."""
    having: tuple[str, ...] = ()
    """Further attributes: only sentences where each of them is known of a token, too."""


def require_language(store: Store, given: str | None) -> str:
    """The ISO 639-3 code that was given, or that of the only language that the corpus has.

    Raises UsageError where none was given and there are several, and InputError where there are no such sentences.
    """
    present = languages_of(store)
    if given is None and len(present) > 1:
        raise UsageError(f"give a language with --lang; there are {', '.join(present)}")
    if given is None and not present:
        raise InputError("the corpus is empty; `corpusdb import` fills it", path=store.path)
    language = present[0] if given is None else given
    check_languages(store, [language])
    return language


def select_tokens(store: Store, selection: TokenSelection) -> TokenCorpus:
    """The tokens that are counted, sentence after sentence. Raises InputError for a name that is not there.

    The type "" is of tokens of which the attribute is not known.
    """
    corpus, is_word = select_all_tokens(store, selection)
    return corpus if is_word is None else _only(corpus, is_word)


def select_all_tokens(store: Store, selection: TokenSelection) -> tuple[TokenCorpus, Bools | None]:
    """The tokens of the chosen sentences, and which of them are counted where not all are: ``words_only``.

    Raises InputError as select_tokens does.
    """
    return _selected(store, _loaded(store, selection), selection)[:2]


def select_tokens_of(store: Store, selection: TokenSelection) -> tuple[TokenCorpus, TokenCorpus, I64]:
    """The tokens that are counted, as select_tokens has them; all of the language; and of each of these, and of the end
    behind the last, before how many of the counted it stands.

    Raises InputError as select_tokens does.
    """
    words = _loaded(store, selection)
    corpus, are_words, chosen = _selected(store, words, selection)
    counted = np.repeat(chosen, words.lengths)
    if are_words is not None:
        counted[counted] = are_words
        corpus = _only(corpus, are_words)
    return corpus, words, np.concatenate(([0], np.cumsum(counted)))


def _loaded(store: Store, selection: TokenSelection) -> TokenCorpus:
    """All sentences of the language once, or those that are asked for as often as they stand there."""
    words = load_tokens(store, selection.language)
    return repeated_in(store, words, selection) if selection.occurrences else words


def _selected(store: Store, words: TokenCorpus, selection: TokenSelection) -> tuple[TokenCorpus, Bools | None, Bools]:
    """As select_all_tokens, and which sentences of all are chosen."""
    are_words = _are_words(words) if selection.words_only else None
    corpus = by_attribute(words, selection.attribute)
    chosen = np.ones(len(corpus.sentences), dtype=np.bool_)
    for name in {selection.attribute, *selection.having} - {WORD}:
        chosen &= _having(words, name)
    if selection.collection is not None or selection.document is not None:
        chosen &= np.isin(corpus.sentences, sentences_of(store, selection.collection, selection.document))
    if not chosen.all():
        are_words = None if are_words is None else are_words[np.repeat(chosen, corpus.lengths)]
        corpus = corpus.restricted_to(corpus.sentences[chosen])
    return without_case(corpus) if selection.fold_case else corpus, are_words, chosen


def _having(words: TokenCorpus, name: str) -> Bools:
    """For each sentence whether an attribute is known of one of its tokens. Raises InputError where it is not there."""
    known = by_attribute(words, name).tokens != 0
    return np.asarray(np.bincount(words.stream.sentences[known], minlength=len(words.sentences)) > 0)


def coverages(store: Store, selection: TokenSelection, query: str | None = None) -> list[AnnotationCoverage]:
    """How many of the chosen sentences have what is counted, all that they must have, and what a CQP query asks for;
    none of words.

    Raises InputError for an attribute that is not there, and QueryError.
    """
    names = [selection.attribute, *selection.having, *(() if query is None else attributes_of(parse(query)))]
    return [_coverage(store, selection, name) for name in dict.fromkeys(names) if name != WORD]


def _coverage(store: Store, selection: TokenSelection, name: str) -> AnnotationCoverage:
    words = load_tokens(store, selection.language)
    having = _having(words, name)
    found = of_attribute(words, name)
    if selection.collection is None and selection.document is None:
        return found
    chosen = np.isin(words.sentences, sentences_of(store, selection.collection, selection.document))
    return replace(found, sentences=int(np.count_nonzero(having & chosen)), total=int(np.count_nonzero(chosen)))


@dataclass(frozen=True, slots=True)
class WordRegex:
    regex: Regex
    """To be put to words as ``seen`` gives them."""
    alike: str
    """Those keys of text.LOOK_ALIKES that stand for what looks like them."""

    def seen(self, texts: Sequence[str]) -> Sequence[str]:
        """Some texts with the spaces, apostrophes and hyphens of the expression for all that looks like them."""
        return [as_typed(text, self.alike) for text in texts] if self.alike else texts


def compile_pattern(pattern: str, *, ignore_case: bool) -> WordRegex:
    """A regular expression for words, in NFC as these are. Raises UsageError with the position of an error in it."""
    pattern = nfc(pattern)
    pattern, alike = look_alike_pattern(pattern, alike_in(pattern))
    try:
        return WordRegex(Regex(pattern, re.IGNORECASE if ignore_case else 0), alike)
    except re.error as error:
        place = "" if error.pos is None else f" at character {error.pos + 1}"
        raise UsageError(f"{pattern!r} is not a regular expression{place}: {error.msg}") from error
    except (RecursionError, OverflowError) as error:
        raise UsageError(f"{pattern[:40]!r}... is too large a regular expression") from error


def without_case(corpus: TokenCorpus) -> TokenCorpus:
    """The same tokens with one type for all that differ in case only, written in lower case."""
    numbers: dict[str, int] = {}
    folded = [numbers.setdefault(text.lower(), len(numbers)) for text in corpus.types]
    tokens = np.array(folded, dtype=np.int32)[corpus.tokens]
    return TokenCorpus(corpus.language, corpus.sentences, corpus.lengths, tokens, list(numbers))


def usual_spellings(corpus: TokenCorpus) -> dict[str, str]:
    """Of each word in lower case how it is most often written where it does not begin a sentence."""
    is_first = np.zeros(len(corpus.tokens), np.bool_)
    is_first[(corpus.ends - corpus.lengths)[corpus.lengths > 0]] = True
    counts = np.bincount(corpus.tokens[~is_first], minlength=len(corpus.types))
    by_count = np.argsort(counts, kind="stable").tolist()
    return {corpus.types[number].lower(): corpus.types[number] for number in by_count if counts[number]}


def _are_words(corpus: TokenCorpus) -> Bools:
    return np.fromiter(map(is_word, corpus.types), dtype=np.bool_, count=len(corpus.types))[corpus.tokens]


def _only(corpus: TokenCorpus, wanted: Bools) -> TokenCorpus:
    before = np.concatenate(([0], np.cumsum(wanted)))
    lengths = np.diff(before[corpus.ends], prepend=0).astype(np.int32)
    return TokenCorpus(corpus.language, corpus.sentences, lengths, corpus.tokens[wanted], corpus.types)


# What is said again and again counts again and again, where that is asked.


_OCCURRENCES = """
select occurrence.sentence, coalesce(-unit.section, occurrence.document), occurrence.document, occurrence.line
from occurrence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
where occurrence.document = ? and (? is null or unit.section = ?)
"""
_FIRST_SECTIONS = "select -id, iif(name = '', document, -min(id) over (partition by document, name)) from section"


def occurrences_of(
    store: Store, sentences: I64, collection: str | None = None, document: str | None = None
) -> tuple[I64, I64, I64]:
    """Every occurrence of some sentences, by their ascending ids, in a collection and document, sentence after
    sentence: the index of the sentence, the document, by a number that is below 0 for one inside a file, and how many
    occurrences stand before it in the files.

    Of a result or selection these are all occurrences of its sentences, of a search in a part of the corpus those in
    that part. Raises InputError for a name that is not there.
    """
    indexes, found, ahead = sections_of(store, sentences, collection, document)
    # The lines of one speaker stand in a section of their own, which has the name of their document, or none in a file
    # that has no documents.
    parts = dict(store.connection.execute(_FIRST_SECTIONS).fetchall())
    present, places = np.unique(found, return_inverse=True)
    return indexes, np.array([parts.get(part, part) for part in present.tolist()], dtype=np.int64)[places], ahead


def sections_of(
    store: Store, sentences: I64, collection: str | None = None, document: str | None = None
) -> tuple[I64, I64, I64]:
    """As occurrences_of, with the section of the line, below 0, where it has one."""
    is_result = collection is not None and collection in result_languages(store)
    rows: list[tuple[int, int, int, int]] = []
    for place in standing(store, collection, document):
        rows += store.connection.execute(_OCCURRENCES, (place.document, place.section, place.section)).fetchall()
    found = np.array(rows, dtype=np.int64).reshape(-1, 4)
    wanted = sentences if not is_result else np.intersect1d(sentences, sentences_of(store, collection))
    found = found[np.isin(found[:, 0], wanted)]
    found = found[np.lexsort((found[:, 3], found[:, 2]))]
    ahead = np.argsort(found[:, 0], kind="stable")
    return np.searchsorted(sentences, found[ahead, 0]), found[ahead, 1], ahead


_SEVERAL = "select sentence, count(*) as times from occurrence group by sentence having times > 1"
_NOWHERE = "select id, 0 from sentence where language = ? and id not in (select sentence from occurrence)"


def repeated_in(store: Store, corpus: TokenCorpus, selection: TokenSelection) -> TokenCorpus:
    """Each sentence as often as it stands in the part of the corpus that is chosen, or in all of it.

    Raises InputError as occurrences_of does.
    """
    if selection.collection is None and selection.document is None:  # three times as fast as place by place
        rows = store.connection.execute(_SEVERAL).fetchall()
        rows += store.connection.execute(_NOWHERE, (corpus.language,)).fetchall()
        told = np.array(rows, dtype=np.int64).reshape(-1, 2)
        told = told[np.isin(told[:, 0], corpus.sentences)]
        times = np.ones(len(corpus.sentences), dtype=np.int64)
        times[np.searchsorted(corpus.sentences, told[:, 0])] = told[:, 1]
        return _repeated(corpus, np.repeat(np.arange(len(times)), times))
    return _repeated(corpus, occurrences_of(store, corpus.sentences, selection.collection, selection.document)[0])


def _repeated(corpus: TokenCorpus, indexes: I64) -> TokenCorpus:
    """The sentences at some ascending indexes, each as often as its index is among them."""
    lengths = corpus.lengths[indexes]
    chosen = joined_ranges((corpus.ends - corpus.lengths)[indexes], lengths.astype(np.int64))
    annotated = corpus.annotated
    if annotated is not None:
        attributes = annotated.attributes
        gathered = attributes.gathered(chosen) if isinstance(attributes, Attributes) else attributes
        annotated = Annotated(annotated.begins[chosen], annotated.ends[chosen], annotated.sentences[indexes], gathered)
    tokens = corpus.tokens[chosen]
    return replace(corpus, sentences=corpus.sentences[indexes], lengths=lengths, tokens=tokens, annotated=annotated)


# How evenly words are spread.


BLOCK_CELLS = 1 << 22
"""How many frequencies of an n-gram in a part are held at a time."""


@dataclass(frozen=True, slots=True)
class Dispersion:
    range: int
    """In how many it occurs."""
    juilland_d: float
    """1: spread evenly; 0: all in one document."""
    dp: float
    """Gries's deviation of proportions: 0 is spread evenly."""
    dp_norm: float
    """The same over the highest that it can be."""
    arf: float
    """The average reduced frequency, whatever the documents: near 1 where all occurrences are in one place."""


@dataclass(frozen=True)
class Parts:
    """The documents that some sentences stand in; a sentence may stand in several."""

    count: int
    starts: I64
    """For each sentence where its documents begin in ``members``."""
    lengths: I64
    """In how many documents each sentence stands."""
    members: I64
    """The documents, numbered from 0, of one sentence after the other."""


def load_parts(
    store: Store, sentences: I64, collection: str | None, document: str | None, *, occurrences: bool = False
) -> tuple[Parts, I64]:
    """The documents, of the collection and of that name, in which the sentences, by their ascending ids, stand; and for
    each sentence a number by which they are in the order of the files, where each first stands.

    With ``occurrences`` the sentences come as often as they stand there, each in one document. Raises UsageError where
    the documents are fewer than two, over which nothing can be dispersed.
    """
    owners, found, ahead = occurrences_of(store, np.unique(sentences), collection, document)
    numbers, documents = np.unique(found, return_inverse=True)
    _require_several(len(numbers))
    if occurrences:
        alone = np.ones(len(documents), dtype=np.int64)
        return Parts(len(numbers), np.arange(len(documents)), alone, documents), ahead
    first = np.full(len(sentences), len(ahead), dtype=np.int64)  # what stands nowhere is behind all that does
    np.minimum.at(first, owners, ahead)
    return parts_of(sentences, sentences[owners], documents, len(numbers)), first


def parts_of(sentences: I64, placed: I64, parts: I64, count: int) -> Parts:
    """The parts, numbered from 0, in which sentences stand; ``placed`` has those of ``parts`` beside them."""
    owners = np.searchsorted(sentences, placed)
    keys = np.unique(owners * count + parts)  # a sentence counts once in each part
    lengths = np.bincount(keys // count, minlength=len(sentences))
    return Parts(count, np.cumsum(lengths) - lengths, lengths, keys % count)


def dispersions(ngrams: NgramPlaces, owners: I64, parts: Parts, chosen: I64, read: I64) -> list[Dispersion]:
    """How the chosen n-grams are spread, whose sentences ``owners`` gives for every place of the stream, and ``read``
    how many units that are counted stand before it in the corpus as it is read, and last how many there are.

    The size of a document is the number of n-grams in it; one that has none does not count. Raises UsageError where
    fewer than two have any.
    """
    sizes = counts_in_parts(ngrams.places, np.zeros_like(ngrams.places), owners, parts, 1)[0]
    occupied = sizes > 0
    if len(chosen):
        _require_several(int(np.count_nonzero(occupied)))
    found: list[Dispersion] = []
    step = max(BLOCK_CELLS // parts.count, 1)
    for first in range(0, len(chosen), step):
        block = chosen[first : first + step]
        lengths = ngrams.counts[block]
        where = ngrams.places[joined_ranges(ngrams.starts[block], lengths)]
        rows = np.repeat(np.arange(len(block), dtype=np.int64), lengths)
        counts = counts_in_parts(where, rows, owners, parts, len(block))[:, occupied]
        as_read = read[where]
        columns = (
            parts_with(counts).tolist(),
            juilland_d(counts, sizes[occupied]).tolist(),
            deviation_of_proportions(counts, sizes[occupied]).tolist(),
            normalised_deviation(counts, sizes[occupied]).tolist(),
            reduced_frequencies(as_read[np.lexsort((as_read, rows))], lengths, int(read[-1])).tolist(),
        )
        found.extend(map(Dispersion, *columns))
    return found


def counts_in_parts(places: I64, rows: I64, owners: I64, parts: Parts, height: int) -> I64:
    """How often each row stands in each part, given the places and the row of each."""
    sentences = owners[places]
    lengths = parts.lengths[sentences]
    members = parts.members[joined_ranges(parts.starts[sentences], lengths)]
    cells = np.bincount(np.repeat(rows, lengths) * parts.count + members, minlength=height * parts.count)
    return cells.reshape(height, parts.count)


def _require_several(documents: int) -> None:
    if documents < 2:
        raise UsageError(f"dispersion is over two documents or more, and these sentences are in {documents}")

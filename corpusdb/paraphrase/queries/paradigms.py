"""Paradigms: what stands in the place of a phrase, where a phrase stands, and what fills a gap.

A phrase is a filler of the commutation index, a sentence with a gap a context (schema/paraphrase.sql). A filler carries
the space before it there; here it is asked for and given without, so that "coffee" is one phrase wherever it stands.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise, product
from typing import Generic, TypeVar

import numpy as np

from corpusdb.base.errors import UsageError
from corpusdb.base.ngrams import Fingerprints, combined
from corpusdb.base.text import normalise, unit_ends
from corpusdb.corpus.queries.fillers import filler_forms, known_fillers, require_index
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.slots import MAX_FILLERS, MAX_UNITS

Member_co = TypeVar("Member_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Paradigm(Generic[Member_co]):
    """An answer: its best members, and how many it has in all."""

    total: int
    members: tuple[Member_co, ...]


@dataclass(frozen=True, slots=True)
class CommutingFiller:
    """What stands where a phrase stands."""

    text: str
    """Without the space before it; empty where the phrase can be left out."""
    contexts: int
    """In how many contexts of the index it and the phrase both stand, at least 2."""
    example: str
    """One of these contexts, with ``␣`` for the gap: the first in the index."""


@dataclass(frozen=True, slots=True)
class FillerContext:
    text: str
    """The context, with ``␣`` for the gap."""
    fillers: int
    """How many sentences have it, at least 2; the index is made of those that at most MAX_FILLERS have."""
    sentence: str
    """With the phrase in the gap."""


@dataclass(frozen=True, slots=True)
class SharedContext:
    text: str
    """The context, with ``␣`` for the gap."""
    fillers: int
    """How many sentences have it."""
    sentence: str
    """With the first phrase in the gap."""
    other_sentence: str
    """With the second."""


@dataclass(frozen=True, slots=True)
class ContextFiller:
    text: str
    """Without the space before it; empty where nothing needs to stand in the gap."""
    contexts: int
    """In how many contexts of the index it stands; 0 for fewer than two."""
    sentence: str


def gap_of(pattern: str) -> tuple[str, str] | None:
    """What stands before and after the gap of a pattern, or None where it has none.

    The gap is ``␣``, or else a run of ``_``. The space before it belongs to the filler. Raises UsageError for two gaps
    and for nothing but a gap.
    """
    pattern = normalise(pattern)
    parts = re.split("␣" if "␣" in pattern else "_+", pattern)
    if len(parts) == 1:
        return None
    if len(parts) > 2:
        raise UsageError(f"{pattern!r} has {len(parts) - 1} gaps; one can be filled")
    before, after = parts[0].rstrip(" "), parts[1].rstrip(" ")
    if not before and not after.strip():
        raise UsageError("a gap alone is not a context")
    return before, after


_COMMUTING = """
select other.id, other.text, other.contexts, pair.contexts
from (select two.filler, count(*) as contexts
      from slot one cross join slot two on two.context = one.context and two.filler <> one.filler
      where one.filler = :filler group by two.filler having count(*) > 1) pair
cross join filler other on other.id = pair.filler
"""


def fillers_commuting_with(store: Store, language: str, phrase: str, limit: int = 0) -> Paradigm[CommutingFiller]:
    """What stands in two or more contexts of the index with ``phrase``; those of most contexts first, then by text.

    Contexts that more than MAX_FILLERS sentences have are not in the index. At most ``limit`` members; 0 is all.
    Raises InputError where the language has no index.
    """
    require_index(store, language)
    forms = filler_forms(phrase)
    known = known_fillers(store, language, forms)
    contexts: dict[str, int] = defaultdict(int)
    pairs: dict[str, tuple[int, int]] = {}
    for number, own in known.values():
        for other, text, others, shared in store.connection.execute(_COMMUTING, {"filler": number}):
            if text in forms:  # the phrase in its other form
                continue
            bare = text.removeprefix(" ")
            contexts[bare] += shared
            pairs.setdefault(bare, (number, other) if own <= others else (other, number))
    best = sorted(contexts.items(), key=lambda item: (-item[1], item[0]))
    members = (CommutingFiller(text, count, _example(store, *pairs[text])) for text, count in best[: limit or None])
    return Paradigm(len(best), tuple(members))


_EXAMPLE = """
select text from context_text where id = (
    select one.context from slot one cross join slot two on two.context = one.context and two.filler = :other
    where one.filler = :rarer order by one.context limit 1)
"""


def _example(store: Store, rarer: int, other: int) -> str:
    return str(store.connection.execute(_EXAMPLE, {"rarer": rarer, "other": other}).fetchone()[0])


_COMMON_CONTEXTS = f"""
select substr(sentence.text, 1, context.start), substr(sentence.text, context.stop + 1), context.fillers
from context cross join sentence on sentence.id = context.sentence
where context.fillers > {MAX_FILLERS} and context.language = ?
"""
_SENTENCE = "select 1 from sentence where language = ? and text = ?"
_NTH_FILLERS = """
select context.fillers from slot cross join context on context.id = slot.context
where slot.filler = ? order by context.fillers desc limit 1 offset ?
"""
_CONTEXTS = """
select context_text.text, context_text.fillers, sentence.text
from slot cross join context on context.id = slot.context and context.fillers >= :least
cross join context_text on context_text.id = slot.context
cross join sentence on sentence.id = slot.sentence
where slot.filler = :filler
"""


def contexts_of_filler(store: Store, language: str, phrase: str, limit: int = 0) -> Paradigm[FillerContext]:
    """The contexts that ``phrase`` stands in and that another sentence has too; most fillers first, then by text.

    Of those that at most MAX_FILLERS sentences have, the index knows a phrase only where it stands in two. At most
    ``limit`` members; 0 is all. Raises InputError where the language has no index.
    """
    require_index(store, language)
    forms = filler_forms(phrase)
    found = [context for form in forms for context in _common_contexts(store, language, form)]
    total = len(found)
    for number, contexts in known_fillers(store, language, forms).values():
        total += contexts
        # Texts are looked up for those only that can be among the first, ties included.
        nth = store.connection.execute(_NTH_FILLERS, (number, limit - 1)).fetchone() if limit else None
        values = {"filler": number, "least": nth[0] if nth else 0}
        found += [FillerContext(*row) for row in store.connection.execute(_CONTEXTS, values)]
    found.sort(key=lambda member: (-member.fillers, member.text, member.sentence))
    return Paradigm(total, tuple(found[: limit or None]))


def _common_contexts(store: Store, language: str, filler: str) -> Iterator[FillerContext]:
    """The contexts of a filler that are too common for the index: there are so few that each can be tried."""
    rows = store.connection.execute(_COMMON_CONTEXTS, (language,)).fetchall()
    for before, after, fillers in rows:
        text = before + filler + after
        if store.connection.execute(_SENTENCE, (language, text)).fetchone() and _is_slot(text, before, after):
            yield FillerContext(f"{before}␣{after}", fillers, text)


def _is_slot(text: str, before: str, after: str) -> bool:
    """Whether what stands between the two is a run of at most MAX_UNITS units."""
    ends = [0, *unit_ends(text)]
    start, stop = len(before), len(text) - len(after)
    return start <= stop and start in ends and stop in ends and ends.index(stop) - ends.index(start) <= MAX_UNITS


# By the filler of fewer contexts; in each of these the other one is looked up.
_SHARED_CONTEXTS = """
select context_text.text, context_text.fillers, rare.text, common.text
from slot one cross join slot two on two.context = one.context and two.filler = :common
cross join context_text on context_text.id = one.context
cross join sentence rare on rare.id = one.sentence
cross join sentence common on common.id = two.sentence
where one.filler = :rare
"""


def shared_contexts(store: Store, language: str, phrase: str, other: str, limit: int = 0) -> Paradigm[SharedContext]:
    """The contexts that both phrases stand in, by which they commute; most fillers first, then by text.

    They are those that ``fillers_commuting_with`` counts: two or more for a form of either. At most ``limit`` members;
    0 is all. Raises InputError where the language has no index.
    """
    require_index(store, language)
    mine, others = (known_fillers(store, language, filler_forms(each)).values() for each in (phrase, other))
    found: list[SharedContext] = []
    for (one, own), (two, theirs) in product(mine, others):
        swapped = own > theirs
        values = {"rare": two, "common": one} if swapped else {"rare": one, "common": two}
        rows = store.connection.execute(_SHARED_CONTEXTS, values).fetchall()
        if one != two and len(rows) > 1:
            sentences = ((common, rare) if swapped else (rare, common) for _, _, rare, common in rows)
            found += [SharedContext(row[0], row[1], *pair) for row, pair in zip(rows, sentences, strict=True)]
    found.sort(key=lambda member: (-member.fillers, member.text, member.sentence))
    return Paradigm(len(found), tuple(found[: limit or None]))


# With a plus, as SQLite would put the value for the hash, also where the index has it.
_FILLERS_OF_CONTEXT = """
select fillers from context where hash >> 32 = :hash >> 32 and +hash = :hash and language = :language
"""


def fillers_of_context(store: Store, language: str, pattern: str, limit: int = 0) -> Paradigm[ContextFiller]:
    """What fills the gap of ``pattern`` in the corpus; fillers that stand in most contexts first, then by text.

    Sentences are counted whether or not the index has their context, so that one seen once has its one filler. A filler
    has at most MAX_UNITS units. At most ``limit`` members; 0 is all. Raises InputError where the language has no index,
    UsageError where the pattern has no gap or more than one.
    """
    require_index(store, language)
    parts = gap_of(pattern)
    if parts is None:
        raise UsageError(f"{pattern!r} has no gap; write _ where something should go")
    bound = {"hash": _context_hash(*parts), "language": language}
    row = store.connection.execute(_FILLERS_OF_CONTEXT, bound).fetchone()
    if limit and row and row[0] > _TOO_MANY_TO_READ:
        # Of tens of thousands of fillers the best are found faster by trying those of the index.
        first = tuple(islice(_common_fillers(store, language, *parts), limit))
        if len(first) == limit:
            return Paradigm(int(row[0]), first)
    found = _fillers_by_reading(store, language, *parts)
    return Paradigm(len(found), tuple(found[: limit or None]))


def _context_hash(before: str, after: str) -> int:
    bounds = np.array([0, len(before), len(before) + len(after)])
    parts = Fingerprints(before + after).of(bounds[:-1], bounds[1:])
    return int(combined(parts[:1], parts[1:]).view(np.int64)[0])


_TOO_MANY_TO_READ = 10_000
_BANDS = (2**62, 100, 10, 0)
# In bands, since a common context has found enough fillers long before the rare ones, which are nearly all, are sorted.
_FILLERS_BY_CONTEXTS = """
select text, contexts from filler where language = ? and contexts < ? and contexts >= ? order by contexts desc, text
"""


def _common_fillers(store: Store, language: str, before: str, after: str) -> Iterator[ContextFiller]:
    """The fillers of the index that make a sentence in this context, those of most contexts first."""
    for band in pairwise(_BANDS):
        for filler, contexts in store.connection.execute(_FILLERS_BY_CONTEXTS, (language, *band)):
            text = before + filler + after
            if store.connection.execute(_SENTENCE, (language, text)).fetchone() and _is_slot(text, before, after):
                yield ContextFiller(filler.removeprefix(" "), contexts, text)


_BETWEEN = "select text from sentence where language = ? and text >= ? and text < ? and text glob ?"
_LAST_CHARACTER = "\U0010ffff"


def _fillers_by_reading(store: Store, language: str, before: str, after: str) -> list[ContextFiller]:
    """The fillers of all sentences that begin and end so, those of most contexts first."""
    ending = "*" + re.sub(r"([*?\[])", r"[\1]", after)
    values = (language, before, before + _LAST_CHARACTER, ending)
    texts = [text for (text,) in store.connection.execute(_BETWEEN, values) if _is_slot(text, before, after)]
    sentences = {text[len(before) : len(text) - len(after)]: text for text in texts}
    known = known_fillers(store, language, list(sentences))
    counted = [(known.get(filler, (0, 0))[1], filler, text) for filler, text in sentences.items()]
    counted.sort(key=lambda item: (-item[0], item[1]))
    return [ContextFiller(filler.removeprefix(" "), contexts, text) for contexts, filler, text in counted]

"""Lines that do not belong to the others of their language, and lines that are there more than once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.charlm.alphabet import Alphabet
from corpusdb.charlm.counts import train
from corpusdb.charlm.cross_validation import fold_models, folds_of
from corpusdb.charlm.normalisation import DEFAULT_NORMALISATION, normalised
from corpusdb.charlm.scoring import character_bits, text_bits
from corpusdb.errors import InputError
from corpusdb.homogeneity import outliers as measures
from corpusdb.jobs import Job, Progress
from corpusdb.queries.corpus.occurrences import Place, places_of
from corpusdb.queries.corpus.sentences import sentences_after, sentences_of
from corpusdb.store import Store

__all__ = ["OutlierReport", "OutlyingLine", "lines_to_measure", "near_duplicates", "outliers"]

_ORDER: Final = 6
_SMOOTHING: Final = "mkn"


@dataclass(frozen=True, slots=True)
class OutlyingLine:
    """A line, and why it does not belong."""

    sentence: int
    text: str
    score: float
    """The higher, the less it belongs: its self-entropy, as low as it may be for a line that short, and a tenth of the
    bits of its rarest character."""
    self_entropy: float
    """Bits per character under a model of the other folds."""
    rarity: float
    """Bits of its rarest character, by how many lines of the other folds have it."""
    marked: str
    """The text as it was measured, brackets around the fewest characters that cost half of its bits."""
    measured: str
    """The text as it was measured."""
    dearest: tuple[int, ...]
    """The places of these characters in it, ascending."""
    places: tuple[Place, ...] = ()
    """Where it stands, in the order in which the files were imported; in all collections."""


@dataclass(frozen=True, slots=True)
class OutlierReport:
    """The lines that belong least, and of how many."""

    language: str
    measured: int
    lines: tuple[OutlyingLine, ...]


def outliers(
    store: Store, language: str, collection: str | None = None, *, limit: int | None = None
) -> Job[OutlierReport]:
    """The lines of a language, or of a collection, that belong least to the others; the strangest first.

    Each is measured by a model of the other folds, to which a hash of the text assigns it: order 6, modified
    Kneser-Ney, in lower case. Raises InputError for a collection that there is not, and for too few lines.
    """
    yield Progress("reading sentences", 0, 0)
    numbers, originals, texts = lines_to_measure(store, language, collection)
    folds = folds_of(texts)
    members = [own for fold in range(int(folds.max(initial=-1)) + 1) if len(own := np.flatnonzero(folds == fold))]
    if len(members) < 2:
        raise InputError(f"there are too few sentences in {language} to measure some by the others")
    alphabet = Alphabet.of(texts)
    parts = []
    for place, own in enumerate(members):
        yield Progress("counting characters, folds", place, len(members))
        parts.append(train(_chosen(texts, own), alphabet, _ORDER))
    entropies: F64 = np.zeros(len(texts))
    models = fold_models(parts, _SMOOTHING)
    for place, (own, model) in enumerate(zip(members, models, strict=True)):
        yield Progress("measuring lines, folds", place, len(members))
        bits = text_bits([model], _chosen(texts, own))
        entropies[own] = measures.self_entropies(bits.characters, bits.bits[0], bits.end_bits[0])
    rarity = measures.character_rarity(texts, folds)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    scores = measures.outlier_scores(entropies - measures.uncertainties(entropies, lengths), rarity)
    model_of_fold = {int(folds[own[0]]): model for own, model in zip(members, models, strict=True)}
    found = []
    strangest = np.argsort(-scores, kind="stable")[:limit].tolist()
    places = places_of(store, (numbers[each] for each in strangest))
    for each in strangest:
        costs = character_bits(model_of_fold[int(folds[each])], [texts[each]])[0][:-1]
        dear = measures.dearest(costs)
        found.append(
            OutlyingLine(
                numbers[each],
                originals[each],
                float(scores[each]),
                float(entropies[each]),
                float(rarity[each]),
                _marked(texts[each], dear),
                texts[each],
                tuple(dear.tolist()),
                tuple(places[numbers[each]]),
            )
        )
    return OutlierReport(language, len(texts), tuple(found))


def near_duplicates(store: Store, language: str, collection: str | None = None) -> list[tuple[str, ...]]:
    """Groups of sentences that have the same letters in the same order: case, digits, marks and blanks are no matter.

    The largest first.
    """
    _, originals, _ = lines_to_measure(store, language, collection)
    groups = measures.near_duplicates(normalised(originals, "letters"))
    return sorted((tuple(originals[place] for place in group) for group in groups), key=lambda group: -len(group))


def lines_to_measure(
    store: Store, language: str, collection: str | None = None
) -> tuple[list[int], list[str], list[str]]:
    """Numbers, texts, and texts as they are measured, of the sentences that have something to measure."""
    sentences = sentences_after(store, language, 0)
    if collection is not None:
        wanted = {*sentences_of(store, collection).tolist()}
        sentences = [each for each in sentences if each[0] in wanted]
    texts = normalised([text for _, text in sentences], DEFAULT_NORMALISATION)
    kept = [(*sentence, text) for sentence, text in zip(sentences, texts, strict=True) if text]
    return [row[0] for row in kept], [row[1] for row in kept], [row[2] for row in kept]


def _chosen(texts: Sequence[str], places: I64) -> list[str]:
    return [texts[place] for place in places.tolist()]


def _marked(text: str, dear: I64) -> str:
    """The text with brackets around each run of these characters."""
    places, parts, inside = {*dear.tolist()}, [], False
    for place, char in enumerate(text):
        if (place in places) != inside:
            parts.append("]" if inside else "[")
            inside = not inside
        parts.append(char)
    return "".join(parts) + ("]" if inside else "")

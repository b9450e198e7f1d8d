"""A score in characters on the built-in phrasebook: one output against one reference and against all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.formats import ReferenceSet
from corpusdb.formats.scoring_input import Output
from corpusdb.metrics.registry import settings_for
from corpusdb.queries.corpus.translations import translations_of
from corpusdb.queries.evaluation.scoring import score_systems
from corpusdb.queries.references.scoring_references import ScoringReferences
from corpusdb.store import Store

__all__ = ["ORDER", "OUTPUT", "SEGMENTED", "SOURCE", "ScoresShown", "ShownScore", "score_phrasebook"]

SOURCE: Final = "A window seat, please."
OUTPUT: Final = "窓側の座席をお願いできますか。"
"""What a system may have made of it; no reference has it."""
SEGMENTED: Final = "窓側 の 座席 を お願い でき ます か 。"
"""The same with blanks between its words."""
ORDER: Final = 4
_LANGUAGE: Final = "jpn"
_TRANSLATIONS_OF_PARAPHRASES: Final = 3
"""A distance: from the source to a translation, to what else that translates, to a translation of this."""


@dataclass(frozen=True, slots=True)
class ShownScore:
    """The scores of one text against so many references."""

    references: int
    words: float
    """BLEUw4, 0 to 100, with the words of mteval-v13a."""
    characters: float
    """BLEUc4, 0 to 100."""
    characters_segmented: float
    """The same of the segmented text."""


@dataclass(frozen=True, slots=True)
class ScoresShown:
    """An output, its references, and what it scores."""

    source: str
    output: str
    references: tuple[str, ...]
    """Translations of the source first, then those of its paraphrases."""
    scores: tuple[ShownScore, ...]
    """Against the first reference, and against all."""


_SOURCE = "select id from sentence where language = 'eng' and text = ?"


def score_phrasebook(store: Store) -> ScoresShown | None:
    """The scores of the output; None where the database does not have the source."""
    row = store.connection.execute(_SOURCE, (SOURCE,)).fetchone()
    if row is None:
        return None
    found = translations_of(store, [row[0]], [_LANGUAGE], _TRANSLATIONS_OF_PARAPHRASES)[row[0]]
    references = tuple(each.text for each in found)
    counts = dict.fromkeys((1, len(references)))
    return ScoresShown(SOURCE, OUTPUT, references, tuple(_scores(references[:count]) for count in counts))


def _scores(references: tuple[str, ...]) -> ShownScore:
    outputs = [Output(name, Path(name), (text,)) for name, text in (("output", OUTPUT), ("segmented", SEGMENTED))]
    known = ScoringReferences((ReferenceSet("1", SOURCE, references),), (("",) * len(references),), "files", {})
    settings = [settings_for("bleu", unit=unit, order=ORDER) for unit in ("word", "char")]
    words, characters = score_systems(outputs, known, settings)
    return ShownScore(len(references), float(words.scores[0]), *(float(each) for each in characters.scores))

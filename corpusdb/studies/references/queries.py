"""Reference sets to be measured for their variation: generated ones from the database, others from files."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from corpusdb.base.errors import InputError
from corpusdb.base.tokenisation import tokeniser
from corpusdb.corpus.formats.records import ReferenceSet, exact_digest
from corpusdb.corpus.formats.scoring_input import ReferenceTexts
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, Filter
from corpusdb.paraphrase.queries.origins.analogy import CANDIDATES
from corpusdb.scoring.metrics.measures import signature_of
from corpusdb.scoring.metrics.registry import settings_for
from corpusdb.scoring.metrics.settings import Settings, Smoothing
from corpusdb.studies.references.variation import (
    Curve,
    LeaveOneOut,
    ParaphraseSet,
    Scoring,
    figure_2,
    leave_one_out,
    seed_variation,
)

__all__ = [
    "Measuring",
    "SetSelection",
    "VariationReport",
    "generated_sets",
    "generated_variation",
    "hand_made_sets",
    "hand_made_variation",
    "variation_report",
]


@dataclass(frozen=True, slots=True)
class SetSelection:
    """Which generated sets are taken."""

    kept: Filter = DEFAULT_FILTER
    """What a paraphrase must pass (section 4.4)."""
    least: int = 1
    """Paraphrases that a seed must have."""
    sample: int = 400
    """How many seeds, drawn at random; 0 is all. The paper takes 400."""
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Measuring:
    """How the sentences are scored, and what is drawn."""

    unit: str = "word"
    tokenisation: str | None = None
    lowercase: bool = False
    effective: bool = False
    """Whether BLEU of a sentence that is shorter than its order takes only the orders it has, instead of being 0."""
    draws: int = 20
    seed: int = 1

    @property
    def bleu(self) -> Settings:
        smoothing = Smoothing(effective=self.effective)
        return settings_for(
            "bleu", unit=self.unit, tokenisation=self.tokenisation, lowercase=self.lowercase, smoothing=smoothing
        )

    @property
    def nist(self) -> Settings:
        return settings_for("nist", unit=self.unit, tokenisation=self.tokenisation, lowercase=self.lowercase)


@dataclass(frozen=True, slots=True)
class VariationReport:
    """The variation of the sets of one kind."""

    name: str
    sets: int
    of: int
    """How many sets there were to draw from."""
    paraphrases: float
    """By set, on average."""
    table_7: LeaveOneOut
    figure_2: tuple[Curve, ...]
    bleu_signature: str
    nist_signature: str


_SEEDS = f"""
select seed.text from seed join {CANDIDATES} candidate on candidate.seed = seed.id
where seed.language = :language and candidate.text <> seed.text and ({{kept}})
group by seed.id having count(*) >= :least order by seed.text
"""
_PARAPHRASES = f"""
select seed.text, candidate.text from json_each(:seeds) drawn
cross join seed on seed.language = :language and seed.text = drawn.value
cross join {CANDIDATES} candidate on candidate.seed = seed.id
where candidate.text <> seed.text and ({{kept}}) order by seed.text, candidate.text
"""


def generated_sets(store: Store, language: str, selection: SetSelection) -> tuple[list[ParaphraseSet], int]:
    """Seeds with their generated paraphrases, by the text of the seed, and how many seeds there were to draw from.

    The same sample for the same candidates, whatever the order in which they were made. Raises InputError where no seed
    has enough paraphrases.
    """
    kept = selection.kept.condition("candidate")
    bound = {"language": language, **selection.kept.values}
    found = store.connection.execute(_SEEDS.format(kept=kept), bound | {"least": selection.least})
    seeds = [row[0] for row in found]
    if not seeds:
        raise InputError(
            f"no seed of {language} has {selection.least} paraphrases at {selection.kept};"
            f" `corpusdb generate --lang {language}` makes them"
        )
    count = len(seeds)
    if selection.sample and selection.sample < count:
        seeds = random.Random(selection.seed).sample(seeds, selection.sample)
    rows = store.connection.execute(_PARAPHRASES.format(kept=kept), bound | {"seeds": json.dumps(seeds)})
    return [
        ParaphraseSet(seed, tuple(text for _, text in pairs)) for seed, pairs in groupby(rows, key=itemgetter(0))
    ], count


def hand_made_sets(
    segments: Iterable[Sequence[str]], sample: int = 0, seed: int = 1
) -> tuple[list[ParaphraseSet], int]:
    """One set for each segment of two references or more, or for ``sample`` of these, and how many of these there are.

    Which reference stands for the seed is drawn, because some test sets have them in an order, such as by length.
    """
    rng = random.Random(seed)
    sets = [
        ParaphraseSet(first, tuple(others))
        for first, *others in (rng.sample(each, len(each)) for each in segments)
        if others
    ]
    return (rng.sample(sets, sample) if 0 < sample < len(sets) else sets), len(sets)


def generated_variation(store: Store, language: str, selection: SetSelection, how: Measuring) -> VariationReport:
    """The variation of generated sets. Raises InputError where no seed has enough paraphrases."""
    sets, count = generated_sets(store, language, selection)
    return variation_report(f"generated, {language}, {selection.kept}", sets, count, how)


def hand_made_variation(name: str, texts: ReferenceTexts, how: Measuring, *, sample: int = 0) -> VariationReport:
    """The variation of the references of a test set, of ``sample`` segments or of all. Raises InputError as above."""
    segments = [[reference.text for reference in references] for references in texts.references]
    sets, count = hand_made_sets(segments, sample, how.seed)
    return variation_report(name, sets, count, how)


def variation_report(name: str, sets: Sequence[ParaphraseSet], of: int, how: Measuring) -> VariationReport:
    """Table 7 and Figure 2 for these sets, drawn from ``of``. Raises InputError where there are none."""
    bleu, nist = how.bleu, how.nist
    tokenise = tokeniser(bleu.tokenisation or "none", lowercase=bleu.lowercase)
    scoring = Scoring(tokenise, bleu.order or 1, nist.order or 1, bleu.smoothing)
    table = leave_one_out(sets, scoring, draws=how.draws, seed=how.seed)
    # Which of the texts is the seed counts, too.
    texts = exact_digest(ReferenceSet("", each.seed, each.paraphrases) for each in sets)

    def signature(settings: Settings) -> str:
        # Each sentence is scored against one other, whatever the size of its set.
        return str(replace(signature_of(settings, (1,), texts), seed=how.seed))

    return VariationReport(
        name=name,
        sets=len(sets),
        of=of,
        paraphrases=sum(len(each.paraphrases) for each in sets) / len(sets),
        table_7=table,
        figure_2=tuple(figure_2(seed_variation(sets, scoring))),
        bleu_signature=signature(bleu),
        nist_signature=signature(nist),
    )

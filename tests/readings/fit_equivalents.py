"""Fit what equivalents that were read teach, and write it where it is shipped: `fit_equivalents.py DATABASE`.

DATABASE holds Tatoeba's English sentences with French, German, Japanese and Chinese, generated and aligned by this
version. The models of phrases are logistic, with a penalty on large weights, of how many readers say that a pair holds;
of what is to be listed, what nearly holds counts half. Those of changes in sentences are boosted trees, as ``fit``
makes them, fitted to all pairs that were read that differ in one place. What ten-fold cross-validation says of them is
printed: expected and observed, by bands.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing import Pool
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple

import fit
import numpy as np

from corpusdb.alignment.phrase_evidence import Judgement
from corpusdb.alignment.queries.equivalence_evidence import Candidate, Having, equivalence_judge
from corpusdb.alignment.queries.pairs import ready_models
from corpusdb.alignment.queries.phrases import occurrences, phrase_key
from corpusdb.base.arrays import F64, Bools
from corpusdb.base.estimates import LogisticModel, logistic
from corpusdb.base.text import units_of
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.differences import difference
from corpusdb.paraphrase.exchange_index import EXCHANGE_FEATURES
from corpusdb.paraphrase.logistic import BoostedModel
from corpusdb.paraphrase.validity import READ, READ_FEATURES
from corpusdb.paraphrase.word_model import SAID_BY_WORDS
from corpusdb.scoring.queries.recipe import UnitText
from corpusdb.scoring.queries.reference_equivalents import LONGEST
from corpusdb.scoring.queries.substitution_judge import OF_PHRASES, Substituted, SubstitutionJudge

FOLDER = Path(__file__).parent
SHIPPED: Final = FOLDER.parents[1] / "corpusdb" / "alignment" / "equivalence_model.json"
SUBSTITUTIONS: Final = FOLDER.parents[1] / "corpusdb" / "scoring" / "substitution_models.json"
OF_TWO: Final = ("11a", "11b", "12a", "12b")
OF_EQUIVALENTS: Final = ["equivalents-5", "equivalents-6", "equivalents-8", *(f"equivalents-{each}" for each in OF_TWO)]
OF_LISTED: Final = [*OF_EQUIVALENTS, "equivalents-14", "equivalents-15"]
OF_SENTENCES: Final = ["equivalents-7", "equivalents-9", "equivalents-10"]
"""Sheets of phrases, and of what was put in sentences."""
EQUIVALENTS_COUNT: Final = 5
"""As if each of these had been read so often."""
TREES: Final = 400
COLUMNS: Final = ("reference", "rewritten")
PENALTY: Final = 2.0
RANGE: Final = (1, 99)
BANDS: Final = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01)


def sheet(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def fitted(figures: F64, holds: F64) -> LogisticModel:
    """By Newton's method, within the range of the middle 98 % of each feature."""
    least, most = np.percentile(figures, RANGE, axis=0)
    inside = np.clip(figures, least, most)
    mean, deviation = inside.mean(axis=0), inside.std(axis=0) + 1e-9
    standard = np.concatenate([(inside - mean) / deviation, np.ones((len(inside), 1))], axis=1)
    penalty = 2 * PENALTY * np.diag(np.append(np.ones(figures.shape[1]), 0.0))
    weights = np.zeros(standard.shape[1])
    for _ in range(50):
        expected = logistic(standard @ weights)
        slope = standard.T @ (holds - expected) - penalty @ weights
        step = np.linalg.solve((standard.T * (expected * (1 - expected))) @ standard + penalty, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-10:
            break
    own = weights[:-1] / deviation
    rounded = [[float(f"{value:.6g}") for value in each] for each in (own, [weights[-1] - own @ mean], least, most)]
    return LogisticModel(tuple(rounded[0]), rounded[1][0], tuple(rounded[2]), tuple(rounded[3]))


def unseen(figures: F64, holds: F64) -> F64:
    """The probability of each pair by a model of nine tenths that it is not in."""
    fold = np.random.default_rng(0).permutation(len(holds)) % 10
    expected = np.empty(len(holds))
    for number in range(10):
        expected[fold == number] = fitted(figures[fold != number], holds[fold != number]).probability(
            figures[fold == number]
        )
    return expected


def tell(name: str, expected: F64, holds: F64) -> None:
    print(f"{name}: {len(holds)} pairs, area {fit.area(expected, holds):.3f}")
    for low, high in itertools.pairwise(BANDS):
        chosen = (expected >= low) & (expected < high)
        if chosen.any():
            print(
                f"  {low:4} {chosen.sum():5}  expected {expected[chosen].mean():.3f}  held {holds[chosen].mean():.3f}"
            )


def equivalent_features(store: Store, pairs: Sequence[tuple[str, str]], judgement: Judgement = "substituted") -> F64:
    """Of phrases and others, as they are stored."""
    models, judge = ready_models(store, "eng"), equivalence_judge(store, "eng")
    found: dict[tuple[str, str], list[float]] = {}
    for phrase, of_phrase in itertools.groupby(sorted(set(pairs)), key=itemgetter(0)):
        known = [(model, occurrences(store, model, "eng", phrase)) for model in models]
        having = [Having(model, each.phrase, each.paired) for model, each in known if each and each.paired]
        candidates = [
            Candidate(other, *store.connection.execute(NUMBER, (other,)).fetchone()) for _, other in of_phrase
        ]
        features = judge.features if judgement == "substituted" else judge.listed_features
        for candidate, counted in zip(candidates, features(phrase, having, candidates), strict=True):
            found[phrase, candidate.key] = counted
    return np.array([found[pair] for pair in pairs])


STORED: Final = "select text from phrase where language = 'eng'"
NUMBER: Final = "select id from phrase where language = 'eng' and text = ?"


def phrases_of(row: dict[str, str]) -> tuple[str, str]:
    """The phrase and the other, as they are stored, of a row of either kind of sheet."""
    if "phrase" in row:
        return phrase_key(row["phrase"]), phrase_key(row["other"])
    phrase, other = (" ".join(UnitText.of(re.findall(r"\[(.*)\]", row[name])[0]).tokens) for name in COLUMNS)
    return phrase, other


class Read(NamedTuple):
    """A change in a sentence that was read."""

    change: Substituted
    reading: fit.Reading
    is_equivalent: bool
    """Whether it is of a sheet of equivalents."""


def read_changes(store: Store, model: LogisticModel) -> list[Read]:
    """Equivalents in sentences, and all other pairs that were read that differ in one place."""
    found = [each for name in OF_SENTENCES for each in sheet_of_sentences(name)]
    for names in (*([name] for name in fit.OF_EXCHANGES), *fit.OF_STORED):
        for each in fit.read(names):
            one, other = (UnitText.of(part.strip()).tokens for part in difference(*map(units_of, each[:2])).exchange)
            if each.drawn != "composed" and max(len(one), len(other)) <= LONGEST:
                found.append(Read(Substituted(*each[:2], one, other, None), each, is_equivalent=False))
    pairs = sorted({words_of(each.change) for each in found})
    known = {text for (text,) in store.connection.execute(STORED)}
    models = ready_models(store, "eng")
    paired = [
        pair
        for pair in pairs
        if known.issuperset(pair)
        and any((at := occurrences(store, one, "eng", pair[0])) and at.paired for one in models)
    ]
    probability = dict(zip(paired, model.probability(equivalent_features(store, paired)).tolist(), strict=True))
    return [
        each._replace(change=each.change._replace(probability=probability.get(words_of(each.change)))) for each in found
    ]


def words_of(change: Substituted) -> tuple[str, str]:
    """The two phrases, as they are stored."""
    return " ".join(change.phrase), " ".join(change.other)


def sheet_of_sentences(name: str) -> Iterator[Read]:
    for row in sheet(name):
        text, changed = (re.sub(r"[][]", "", row[column]) for column in COLUMNS)
        phrase, other = (UnitText.of(re.findall(r"\[(.*)\]", row[column])[0]).tokens for column in COLUMNS)
        holds = row["holds"] if row["grammatical"] == "yes" else "no"
        said = float(holds != "no"), float(holds == "yes"), float(row["grammatical"] == "yes")
        reading = fit.Reading(text, changed, *said, row["drawn"], "")
        yield Read(Substituted(text, changed, phrase, other, None), reading, is_equivalent=True)


def changes_judged(store: Store, rows: Sequence[Read]) -> fit.Judgements:
    """Equivalents, of which most is put into references, count as if several had read them."""
    judge = SubstitutionJudge(store, "eng")
    for each in rows:
        if each.reading.translation:
            judge.give(each.change.sentence, each.reading.translation)
    holds, strictly = np.array([(each.reading.holds, each.reading.strictly) for each in rows]).T
    group = np.unique([each.reading.seed for each in rows], return_inverse=True)[1]
    figures = judge.features([each.change for each in rows])
    times = [EQUIVALENTS_COUNT if each.is_equivalent else 1 for each in rows]
    return fit.Judgements(*(np.repeat(each, times, axis=0) for each in (figures, holds, strictly, group)))


def fitted_to_changes(of: fit.Judgements, own: Bools) -> tuple[BoostedModel, F64]:
    """The model, and the log odds of the changes ``own`` by models that have seen none of the same sentence; in line
    with how many of these hold.
    """
    odds = fit.unseen_odds(of, lambda some: fit.boosted(some, TREES))[own]
    slope, shift = fit.line_through(odds, of.strictly[own])
    return fit.in_line(fit.boosted(of, TREES), slope, shift), slope * odds + shift


def fit_changes(store: Store, model: LogisticModel) -> None:
    """The models of changes in sentences."""
    rows = read_changes(store, model)
    of = changes_judged(store, rows)
    own = np.repeat(
        [each.is_equivalent for each in rows], [EQUIVALENTS_COUNT if each.is_equivalent else 1 for each in rows]
    )
    by_words = of._replace(features=of.features[:, -len(SAID_BY_WORDS) - len(OF_PHRASES) :])
    with Pool(2) as pool:
        found = pool.starmap(fitted_to_changes, [(of, own), (by_words, own)])
    models, odds = zip(*found, strict=True)
    rewordings = READ.plain.log_odds(of.features[own][:, : -len(OF_PHRASES)])  # which has read none of these
    for name, each in (("exchanges", odds[0]), ("words", odds[1]), ("with rewordings", (odds[0] + rewordings) / 2)):
        tell(name, logistic(each[::EQUIVALENTS_COUNT]), of.strictly[own][::EQUIVALENTS_COUNT])
    document = {
        "features": [*EXCHANGE_FEATURES, *READ_FEATURES, *OF_PHRASES],
        "exchanges": models[0].document(),
        "words": models[1].document(),
    }
    SUBSTITUTIONS.write_text(fit.as_text(document), encoding="utf-8")


def fit_equivalents(database: Path) -> None:
    """What another alignment does not link is left out."""
    with open_store(database, read_only=True) as store:
        substituted = fit_phrases(store, "substituted", OF_EQUIVALENTS, {"yes": 1.0})
        listed = fit_phrases(store, "listed", OF_LISTED, {"yes": 1.0, "doubtful": 0.5})
        models = {"substituted": substituted.document(), "listed": listed.document()}
        SHIPPED.write_text(json.dumps(models, indent=1) + "\n", encoding="utf-8")
        fit_changes(store, substituted)


def fit_phrases(store: Store, judgement: Judgement, names: Sequence[str], worth: Mapping[str, float]) -> LogisticModel:
    """``worth``: what each verdict counts that is not 0."""
    stored = {text for (text,) in store.connection.execute(STORED)}
    phrases = [row for name in names for row in sheet(name) if stored.issuperset(phrases_of(row))]
    figures = equivalent_features(store, list(map(phrases_of, phrases)), judgement)
    holds = np.array([worth.get(row["holds"], 0.0) for row in phrases])
    tell(judgement, unseen(figures, holds), holds)
    return fitted(figures, holds)


if __name__ == "__main__":
    fit_equivalents(Path(sys.argv[1]))

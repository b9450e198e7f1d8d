"""Fit what equivalents that were read teach, and write it where it is shipped: `fit_equivalents.py DATABASE`.

DATABASE holds Tatoeba's English sentences with French, German and Japanese, aligned by this version. The models are
logistic, with a penalty on large weights, of how many readers say that a pair holds. What ten-fold cross-validation
says of them is printed: expected and observed, by bands.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
import sys
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Final

import numpy as np

from corpusdb.alignment.equivalence import Equivalent, Substitution, closed_words
from corpusdb.alignment.queries.equivalence_evidence import Candidate, Having, equivalence_judge
from corpusdb.alignment.queries.pairs import ready_models
from corpusdb.alignment.queries.phrases import occurrences, phrase_key
from corpusdb.base.arrays import F64
from corpusdb.base.estimates import LogisticModel, logistic
from corpusdb.base.jobs import finished
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.store import Store, open_store
from corpusdb.scoring.queries.recipe import CONTEXTS, UnitText, substitution_features
from corpusdb.scoring.queries.reference_equivalents import corpus_equivalents

FOLDER = Path(__file__).parent
SHIPPED: Final = FOLDER.parents[1] / "corpusdb" / "alignment" / "equivalence_models.json"
OF_TWO: Final = ("11a", "11b", "12a", "12b")
OF_EQUIVALENTS: Final = [
    ["equivalents-5", "equivalents-6", "equivalents-8", *(f"equivalents-{each}" for each in OF_TWO)],
    ["equivalents-7", "equivalents-9", "equivalents-10"],
]
"""Sheets of phrases, and of what was put in sentences."""
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


def tell(name: str, figures: F64, holds: F64) -> None:
    fold = np.random.default_rng(0).permutation(len(holds)) % 10
    expected = np.empty(len(holds))
    for number in range(10):
        expected[fold == number] = fitted(figures[fold != number], holds[fold != number]).probability(
            figures[fold == number]
        )
    print(f"{name}: {len(holds)} pairs")
    for low, high in itertools.pairwise(BANDS):
        chosen = (expected >= low) & (expected < high)
        if chosen.any():
            print(
                f"  {low:4} {chosen.sum():5}  expected {expected[chosen].mean():.3f}  held {holds[chosen].mean():.3f}"
            )


def equivalent_features(store: Store, pairs: Sequence[tuple[str, str]]) -> F64:
    """Of phrases and others, as they are stored."""
    models, judge = ready_models(store, "eng"), equivalence_judge(store, "eng")
    found: dict[tuple[str, str], list[float]] = {}
    for phrase, of_phrase in itertools.groupby(sorted(set(pairs)), key=itemgetter(0)):
        known = [(model, occurrences(store, model, "eng", phrase)) for model in models]
        having = [Having(model, each.phrase, each.paired) for model, each in known if each and each.paired]
        candidates = [
            Candidate(other, *store.connection.execute(NUMBER, (other,)).fetchone()) for _, other in of_phrase
        ]
        for candidate, counted in zip(candidates, judge.features(phrase, having, candidates), strict=True):
            found[phrase, candidate.key] = counted
    return np.array([found[pair] for pair in pairs])


STORED: Final = "select text from phrase where language = 'eng'"
NUMBER: Final = "select id from phrase where language = 'eng' and text = ?"


def substituted_features(store: Store, rows: Sequence[dict[str, str]], model: LogisticModel) -> F64:
    """Of phrases in sentences, in brackets, and what was put in their places."""
    references = [ReferenceSet(row["number"], "", (re.sub(r"[][]", "", row["reference"]),)) for row in rows]
    found = finished(corpus_equivalents(store, references, "eng"))
    given = []
    for row, (text,) in zip(rows, found.texts, strict=True):
        start = len(UnitText.of(row["reference"].partition("[")[0]).tokens)
        phrase, other = (UnitText.of(re.findall(r"\[(.*)\]", row[name])[0]).tokens for name in COLUMNS)
        (probability,) = model.probability(equivalent_features(store, [(" ".join(phrase), " ".join(other))]))
        equivalent = Equivalent(other, 0.0, 0, (), float(probability))
        given += found.in_sentence(text, [Substitution(start, start + len(phrase), equivalent)], CONTEXTS[-1])
    return substitution_features(given)


COLUMNS: Final = ("reference", "rewritten")


def is_put_in(row: dict[str, str]) -> bool:
    """Whether references get it: nothing of closed classes, or with all words of the phrase, or with such alone."""
    phrase, other = ({*UnitText.of(re.findall(r"\[(.*)\]", row[name])[0]).tokens} for name in COLUMNS)
    closed = closed_words("eng", "closed")
    return not (phrase <= other or other <= phrase or phrase <= closed or other <= closed)


def phrases_of(row: dict[str, str]) -> tuple[str, str]:
    """The phrase and the other, as they are stored, of a row of either kind of sheet."""
    if "phrase" in row:
        return phrase_key(row["phrase"]), phrase_key(row["other"])
    phrase, other = (" ".join(UnitText.of(re.findall(r"\[(.*)\]", row[name])[0]).tokens) for name in COLUMNS)
    return phrase, other


def fit_equivalents(database: Path) -> None:
    """What another alignment does not link is left out."""
    phrases, sentences = ([row for name in names for row in sheet(name)] for names in OF_EQUIVALENTS)
    with open_store(database, read_only=True) as store:
        stored = {text for (text,) in store.connection.execute(STORED)}
        phrases, sentences = (
            [row for row in rows if stored.issuperset(phrases_of(row))] for rows in (phrases, sentences)
        )
        figures = equivalent_features(store, list(map(phrases_of, phrases)))
        model = fit_and_tell("phrase", figures, [row["holds"] == "yes" for row in phrases])
        sentences = list(filter(is_put_in, sentences))
        figures = substituted_features(store, sentences, model)
        fit_and_tell("sentence", figures, [row["holds"] == row["grammatical"] == "yes" for row in sentences])


def fit_and_tell(name: str, figures: F64, holds: Sequence[bool]) -> LogisticModel:
    """The model, which is written under its name among those of equivalents."""
    tell(name, figures, np.array(holds, dtype=np.float64))
    model = fitted(figures, np.array(holds, dtype=np.float64))
    document = json.loads(SHIPPED.read_text(encoding="utf-8")) | {name: model.document()}
    SHIPPED.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return model


if __name__ == "__main__":
    fit_equivalents(Path(sys.argv[1]))

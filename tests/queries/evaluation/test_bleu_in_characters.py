"""The study of BLEU in characters as a library gives it."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.scoring_input import Output
from corpusdb.scoring.metrics.signature import Signature
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.studies.bleu_in_characters.queries import Measurement, bleu_in_characters, length_classes, study_notes
from corpusdb.studies.bleu_in_characters.report import study_lines

HOW = Measurement(3, 12)


def references(*texts: str) -> ScoringReferences:
    sets = tuple(ReferenceSet(str(number), "", (text,)) for number, text in enumerate(texts, 1))
    return ScoringReferences(sets, (("made",),) * len(texts), "files", {})


def random_texts() -> tuple[list[Output], ScoringReferences]:
    rng = random.Random(5)
    texts = [" ".join(rng.choices(["one", "two", "three"], k=9)) for _ in range(30)]
    outputs = [
        Output(
            name, Path(f"{name}.txt"), tuple(" ".join(w for w in text.split() if rng.random() < kept) for text in texts)
        )
        for name, kept in (("good", 0.9), ("bad", 0.6))
    ]
    return outputs, references(*texts)


def test_the_study_names_what_it_compared() -> None:
    outputs, given = random_texts()
    found = finished(bleu_in_characters(outputs, given, HOW, length_classes([4, 6]), equivalent=7))
    words, characters = map(Signature.parse, found.signatures)
    assert (words.unit, words.order, words.tokenisation) == ("word", 3, "13a")
    assert (characters.unit, characters.order, characters.tokenisation) == ("char", 7, "char")
    assert words.digest == characters.digest == given.digest[:16]
    assert found.scores.words.shape == (3, 60)
    assert np.all(found.equivalence.best[0].order == 1) and found.equivalence.is_given
    assert found.findings
    with_plots, without = study_lines(found), study_lines(found, plots=False)
    assert tuple(with_plots[-2:]) == tuple(without[-2:]) == found.signatures
    assert "Figure 1" in with_plots and "Figure 1" not in without


def test_an_output_that_is_given_twice() -> None:
    outputs, given = random_texts()
    with pytest.raises(UsageError, match="the same output is given twice"):
        finished(bleu_in_characters([outputs[0], outputs[0]], given, HOW, length_classes([4])))


@pytest.mark.parametrize(
    ("text", "tokenisation", "warned"),
    [("こんにちは", "13a", True), ("こんにちは", "zh", False), ("good day", "13a", False)],
)
def test_words_that_no_spaces_tell_apart(text: str, tokenisation: str, warned: bool) -> None:
    outputs = [Output("s", Path("s.txt"), ("x",))]
    notes = list(study_notes(outputs, references(text), Measurement(tokenisation=tokenisation)))
    assert any("a script without spaces" in note for note in notes) == warned

"""Measures over lattices beside the same metrics without, and with every path as a reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from corpusdb.errors import InputError, UsageError
from corpusdb.metrics.lattices.lattice_measure import WITH_LATTICES, Equivalence, lattice_measure
from corpusdb.metrics.lattices.reference_lattice import Replacement
from corpusdb.metrics.metric import SegmentReferences
from corpusdb.metrics.registry import metric_named, settings_for
from corpusdb.metrics.signature import Signature

DIGEST = "0123456789abcdef"
REFERENCES = [
    ["I admire the answer Mrs Parly gave this morning.", "I liked what Mrs Parly answered."],
    ["We have turned a blind eye to that."],
]
HYPOTHESES = ["I admire the reply Mrs Parly gave this morning.", "We have turned a blind eye to it."]
NOTHING = Equivalence(lambda units: (), "none")


def replies(units: Sequence[str]) -> list[Replacement]:
    other = {"answer": "reply", "that": "it", "blind": "unseeing"}
    return [Replacement(at, at + 1, (other[unit],)) for at, unit in enumerate(units) if unit in other]


@pytest.mark.parametrize("name", WITH_LATTICES)
@pytest.mark.parametrize("unit", ["word", "char"])
def test_without_replacements_it_is_the_metric(name: str, unit: str) -> None:
    settings = settings_for(name, unit=unit)
    references = SegmentReferences(REFERENCES)
    plain = metric_named(name).measure(settings, references)
    measure = lattice_measure(settings, references, NOTHING)
    rows = measure.statistics(HYPOTHESES)
    np.testing.assert_allclose(rows, plain.statistics(HYPOTHESES), atol=1e-9)
    np.testing.assert_allclose(measure.scores(rows), plain.scores(plain.statistics(HYPOTHESES)), atol=1e-9)
    assert measure.label == plain.label


def test_bleu_is_that_of_the_references_written_out() -> None:
    settings = settings_for("bleu")
    written = [
        [*REFERENCES[0], REFERENCES[0][0].replace("answer ", "reply ")],
        [
            REFERENCES[1][0].replace("blind", one).replace("that", other)
            for one in ("blind", "unseeing")
            for other in ("that", "it")
        ],
    ]
    expected = metric_named("bleu").measure(settings, SegmentReferences(written)).statistics(HYPOTHESES)
    measure = lattice_measure(settings, SegmentReferences(REFERENCES), Equivalence(replies, "test"))
    np.testing.assert_array_equal(measure.statistics(HYPOTHESES), expected)
    one = lattice_measure(settings, SegmentReferences(REFERENCES), Equivalence(replies, "test", 1))
    np.testing.assert_array_equal(one.statistics(HYPOTHESES), expected)
    none = lattice_measure(settings, SegmentReferences(REFERENCES), Equivalence(replies, "test", 0))
    assert (none.statistics(HYPOTHESES)[:, 0] < expected[:, 0]).all()


def test_a_signature_names_the_equivalents() -> None:
    measure = lattice_measure(settings_for("bleu"), SegmentReferences(REFERENCES), Equivalence(replies, "n2+closed"))
    signature = measure.signature(DIGEST)
    assert "|eq:n2+closed|" in str(signature)
    assert Signature.parse(str(signature)) == signature
    plain = metric_named("bleu").measure(settings_for("bleu"), SegmentReferences(REFERENCES)).signature(DIGEST)
    assert str(signature).replace("|eq:n2+closed", "") == str(plain)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="mwer is not computed with equivalents; bleu, nist are"):
        lattice_measure(settings_for("mwer"), SegmentReferences(REFERENCES), NOTHING)
    with pytest.raises(InputError, match="blank"):
        lattice_measure(settings_for("bleu"), SegmentReferences([["a"], [" "]]), NOTHING)

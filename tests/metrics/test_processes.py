"""Statistics of slow metrics computed by parts, here and in several processes."""

from __future__ import annotations

import numpy as np
import pytest

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Progress, finished
from corpusdb.scoring.metrics.measures import measures, statistics_of_systems
from corpusdb.scoring.metrics.registry import settings_for

WORDS = "the a dog man bit has had no one was not is it".split()
SEGMENTS = 130


def texts(seed: int) -> list[str]:
    draw = np.random.default_rng(seed)
    return [" ".join(draw.choice(WORDS, size=draw.integers(1, 12))) for _ in range(SEGMENTS)]


@pytest.mark.parametrize("metric", ["ter", "chrf", "chrf++", "bleu", "mwer"])
@pytest.mark.parametrize("processes", [1, 2, 3])
def test_the_same_statistics_however_they_are_shared_out(metric: str, processes: int) -> None:
    pytest.importorskip("sacrebleu")
    references = [
        [one, two][: 1 + number % 2] for number, (one, two) in enumerate(zip(texts(1), texts(2), strict=True))
    ]
    (measure,) = measures([settings_for(metric)], references)
    systems = [texts(3), texts(4), texts(5)]
    seen: list[Progress] = []
    found = finished(statistics_of_systems(measure, systems, processes), seen.append)
    assert np.array_equal(found, np.array([measure.statistics(each) for each in systems]))
    if measure.metric.is_slow:
        assert [(step.done, step.total) for step in (seen[0], seen[-1])] == [(0, 390), (390, 390)]
        assert [step.done for step in seen] == sorted({step.done for step in seen})


@pytest.mark.parametrize("processes", [1, 2])
def test_a_text_that_is_too_long_is_told_by_its_segment(processes: int) -> None:
    pytest.importorskip("sacrebleu")
    (measure,) = measures([settings_for("ter")], [[each] for each in texts(1)])
    long = texts(2)
    long[100] = "a " * 600
    with pytest.raises(InputError, match="a text of 600 words is too long for TER") as told:
        finished(statistics_of_systems(measure, [texts(3), long], processes))
    assert told.value.line == 101


def test_another_number_of_segments_is_refused() -> None:
    pytest.importorskip("sacrebleu")
    (measure,) = measures([settings_for("ter")], [["a b"], ["c"]])
    with pytest.raises(InputError, match="1 hypotheses for the references of 2 segments"):
        finished(statistics_of_systems(measure, [["a b"]], 2))

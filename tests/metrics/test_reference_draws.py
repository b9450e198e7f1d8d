"""References drawn from a set."""

from __future__ import annotations

from corpusdb.scoring.metrics.encoding import References
from corpusdb.scoring.metrics.metric import resampled_references


def test_drawn_references_are_the_segments_own() -> None:
    references = References.of([["a", "b", "c"], ["d"], ["e", "f"]], str.split)
    own = [set(units) for units in ("abc", "d", "ef")]
    names = {number: unit for unit, number in references.vocabulary.items()}
    seen: list[set[str]] = [set(), set(), set()]
    for drawn in resampled_references(references, 40, seed=2):
        for segment, number in zip(drawn.segments, drawn.sequences.units, strict=True):
            seen[segment].add(names[int(number)])
        assert (drawn.counts >= 1).all() and (drawn.counts <= references.counts).all()

    assert seen == own
    first, again = (next(resampled_references(references, 1, seed=2)) for _ in range(2))
    assert first.sequences.units.tolist() == again.sequences.units.tolist()

"""What a source does not yield, paraphrases of the reference do, segment by segment."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest
from typer.testing import Result

from corpusdb.corpus.store import open_for_reading
from corpusdb.scoring.metrics.signature import Signature
from corpusdb.scoring.queries.score_table import ScoreReader, find_table
from corpusdb.scoring.queries.segment_view import origins_of, segment_view

Run: TypeAlias = Callable[..., Result]


class Case(NamedTuple):
    """References of two segments, of which the corpus has the first source alone."""

    second: str
    told: str
    counts: dict[str, int]
    signed: str
    found: tuple[int, ...]
    """The segments that get more."""


CASES = [
    Case(
        "A slice of pizza, please.",
        "2 of 2 segments got 3 more references from the corpus (2 by the sources, 1 as paraphrases of the references)",
        {"by_source": 2, "paraphrased": 1},
        "files+corpus:partly-paraphrased",
        (1, 2),
    ),
    Case(
        "Nobody has ever written that.",
        "1 of 2 segments got 2 more references from the corpus; none for 2",
        {"by_source": 2, "paraphrased": 0},
        "files+corpus",
        (1,),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.signed for case in CASES])
def test_what_a_source_does_not_yield_is_paraphrased(case: Case, run: Run, generated: Path, tmp_path: Path) -> None:
    sources = "Une bière, s'il vous plaît.\nPersonne n'a jamais écrit cela.\n"
    for name, text in (
        ("src.fr", sources),
        ("ref.en", f"One beer, please.\n{case.second}\n"),
        ("h.txt", "A beer, please.\nNobody wrote it.\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    call = ("score", "h.txt", "--ref", "ref.en", "--ref-from", "corpus", "--source", "src.fr", "-N", "0")
    scored = run(*call, "--store", "--json")
    assert f"{case.told}\n" in scored.stderr
    signature = Signature.parse(json.loads(scored.stdout)[0]["signature"])
    assert signature.origins == case.signed
    written = run("references", "src.fr", "--ref", "ref.en", "--ref-from", "corpus", "-N", "0", "-o", "out", "--json")
    assert f"{case.told}\n" in written.stderr
    document = json.loads(written.stdout)
    assert (document["added"], document["digest"][:16]) == (case.counts, signature.digest)
    # Made anew, from what it was made of, it is the same; and each reference knows where it comes from.
    assert [each["differences"] for each in json.loads(run("verify", "--json").stdout)] == [[]]
    with open_for_reading(generated) as store:
        reader, table = ScoreReader(store), find_table(store)
        assert table is not None
        for segment in case.found:
            view = segment_view(reader, table, 0, (table.row("h").output,), segment)
            given, *added = origins_of(reader, view).references
            assert given is None
            assert added and all(each is not None for each in added)

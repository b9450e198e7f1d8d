"""Equivalents of two files, and scores with references in which they may stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpusdb.alignment.equivalence import equivalence_sets
from corpusdb.alignment.links import Links
from corpusdb.formats.pharaoh import read_links
from corpusdb.jobs import finished
from corpusdb.metrics.lattices.lattice_measure import lattice_measure
from corpusdb.metrics.metric import SegmentReferences
from corpusdb.metrics.registry import settings_for
from corpusdb.queries.alignment.file_alignment import align_files, figures_of, read_tokenised
from corpusdb.queries.alignment.file_equivalents import LINKS, Recipe, equivalence_of, figures_of_sets, phrases_of_files

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "data"
SOURCE = ["la question est là", "la question reste", "Une question", "la matière est là"]
REFERENCE = ["the issue is there", "the matter remains", "A question", "the matter is there"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "source.txt", tmp_path / "ref.txt"
    for path, lines in zip(paths, (SOURCE, REFERENCE), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return paths


def test_equivalents_stand_in_references(files: tuple[Path, Path], tmp_path: Path) -> None:
    """question is aligned with issue, matter and question; a capital stays one."""
    tokens = read_tokenised(*files, "none")
    path = tmp_path / "links.txt"
    path.write_text("0-0 1-1 2-2 3-3\n0-0 1-1 2-2\n0-0 1-1\n0-0 1-1 2-2 3-3\n")
    phrases = phrases_of_files(tokens, Links.of(read_links(path, tokens.lengths)), 1)
    recipe = Recipe(min_pivot=0, longest=1)
    sets = list(equivalence_sets(phrases, recipe.kept))
    assert [(each.source, {member.phrase for member in each.members}) for each in sets] == [
        (("question",), {("issue",), ("matter",), ("question",)})
    ]
    found = figures_of_sets(sets)
    assert (found.sets, found.members, found.mean) == (1, 3, 3)
    equivalence = equivalence_of(phrases, recipe)
    assert equivalence.label.startswith("closed+w1+any+")
    assert [each.units for each in equivalence.replacements(["Issue"])] == [("Matter",), ("Question",)]
    measure = lattice_measure(
        settings_for("bleu", tokenisation="none"), SegmentReferences([[REFERENCE[0]]]), equivalence
    )
    assert measure.scores(measure.statistics(["the question is there"])).tolist() == pytest.approx([100])
    none_left = equivalence_of(phrases, Recipe(min_count=2))
    assert list(none_left.replacements(["issue"])) == []


def test_the_label_tells_recipes_and_sets_apart(files: tuple[Path, Path]) -> None:
    tokens = read_tokenised(*files, "none")
    phrases = phrases_of_files(tokens, finished(align_files(tokens, LINKS)))
    recipes = [Recipe(), Recipe(most=1), Recipe(left_out="prepositions"), Recipe(min_probability=0.2, min_pivot=0.3)]
    recipes += [Recipe(min_source_count=2), Recipe(min_count=2)]
    labels = [equivalence_of(phrases, recipe).label for recipe in recipes]
    assert len(set(labels)) == len(labels)
    assert [str(recipe) for recipe in recipes[:4]] == [
        "closed+pivot0.1+any",
        "closed+pivot0.1+k1",
        "prepositions+pivot0.1+any",
        "closed+p0.2+pivot0.3+any",
    ]


@pytest.mark.data
@pytest.mark.slow
def test_the_figures_of_a_bitext_are_of_the_size_of_the_paper() -> None:
    """Section 3.2: 769 sets of 1,658 members, two or three in each, from 2,000 pairs without a threshold."""
    folder = SHARED / "wmt21-isen"
    if not folder.is_dir():
        pytest.skip("the real corpora are not beside the checkout")
    tokens = read_tokenised(folder / "source.is", folder / "ref.A.en")
    links = finished(align_files(tokens, "grow-diag-final-and"))
    assert figures_of(tokens, links).pairs == 1000
    phrases = phrases_of_files(tokens, links)
    by_filter = {
        (left_out, count): figures_of_sets(
            list(equivalence_sets(phrases, Recipe(left_out=left_out, min_count=count).kept))
        )
        for left_out in ("prepositions", "closed")
        for count in (1, 2)
    }
    paper = by_filter["prepositions", 1]
    assert 500 < paper.sets < 2000
    assert paper.mean is not None
    assert 2 <= paper.mean <= 3
    assert by_filter["closed", 1].sets < paper.sets
    assert by_filter["closed", 2].sets < by_filter["closed", 1].sets / 4

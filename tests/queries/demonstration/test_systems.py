"""What the demonstration shows beside generation, held against the texts that it is made of."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from corpusdb.base import morphemes as sudachi
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store, open_store
from corpusdb.phrasebook import phrasebook_files
from corpusdb.program.queries.demonstration import (
    OUTPUT,
    REWRITTEN,
    SEGMENTED,
    SOURCE,
    WORD,
    DemoReport,
    GenerationShown,
    rewrite_phrasebook,
    score_phrasebook,
    show_other_systems,
)
from corpusdb.rules.queries.rewritings import TextRewritings

INSTALL = "pip install 'corpusdb[japanese]'"


@pytest.fixture
def phrasebook(demonstration: tuple[Path, GenerationShown], tmp_path: Path) -> Iterator[tuple[Store, GenerationShown]]:
    """The generated phrasebook, to be written to."""
    path, generation = demonstration
    with open_store(Path(shutil.copy(path, tmp_path))) as store:
        yield store, generation


def shown(phrasebook: tuple[Store, GenerationShown]) -> DemoReport:
    return finished(show_other_systems(*phrasebook, time.monotonic()))


def rows() -> set[tuple[str, str, str]]:
    """English, Japanese and French, as the files of the phrasebook have them."""
    lines = (line for path in phrasebook_files() for line in path.read_text("utf-8").splitlines()[1:])
    return {(english, japanese, french) for english, japanese, french in (line.split("\t") for line in lines)}


def test_the_scores_are_those_of_sacrebleu(phrasebook: tuple[Store, GenerationShown]) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    found = score_phrasebook(phrasebook[0])
    assert found is not None
    assert [each.references for each in found.scores] == [1, len(found.references)]
    assert len(found.references) > 2
    for each in found.scores:
        references = found.references[: each.references]
        spaced = [[" ".join(text)] for text in references]
        characters = sacrebleu.BLEU(tokenize="none", smooth_method="none").corpus_score([" ".join(OUTPUT)], spaced)
        words = sacrebleu.BLEU(smooth_method="none").corpus_score([OUTPUT], [[text] for text in references])
        assert each.characters == pytest.approx(characters.score, abs=1e-9)
        assert each.words == pytest.approx(words.score, abs=1e-9)
        assert each.characters_segmented == each.characters > 0


def test_the_output_is_nobodys_sentence_and_its_references_are_translations() -> None:
    japanese = {row[1] for row in rows()}
    assert OUTPUT not in japanese
    assert SEGMENTED.replace(" ", "") == OUTPUT
    assert {row[1] for row in rows() if row[0] == SOURCE}


def test_the_rules_rewrite_a_sentence_of_the_phrasebook(phrasebook: tuple[Store, GenerationShown]) -> None:
    pytest.importorskip("sudachipy")
    assert REWRITTEN in {row[1] for row in rows()}
    found = rewrite_phrasebook(phrasebook[0])
    assert isinstance(found, TextRewritings)
    assert "道に迷ってしまった。" in {each.text for each in found.rewritings}


def test_a_word_is_linked_no_more_often_than_it_stands_beside_its_translation(
    phrasebook: tuple[Store, GenerationShown],
) -> None:
    found = shown(phrasebook).equivalents
    for translations in found.translations:
        column = {"jpn": 1, "fra": 2}[translations.other]
        pairs = {(row[0], row[column]) for row in rows()}
        assert translations.members
        for each in translations.members:
            together = sum(WORD in one.lower() and each.text in other.lower() for one, other in pairs)
            assert 0.8 * together <= each.count <= together
    assert "bags" in {each.text for each in found.equivalents.members}


def test_the_profile_has_every_topic_between_the_held_out_references(
    phrasebook: tuple[Store, GenerationShown],
) -> None:
    profiles = shown(phrasebook).profiles
    assert [each.report.language for each in profiles] == ["eng", "jpn"]
    for each in profiles:
        spoken, written = each.report.unseen
        assert spoken is not None and written is not None
        assert {entry.name for entry in each.topics} == {path.name for path in phrasebook_files()}
        coefficients = [entry.coefficient for entry in each.topics]
        assert each.topics[0].name == "conversation.tsv"  # what people say to each other, where nothing is bought
        middle = (spoken + written) / 2
        assert all(one is not None and one < middle for one in coefficients)


def test_without_the_extra_for_japanese_all_else_is_shown(phrasebook: tuple[Store, GenerationShown]) -> None:
    with patch.object(sudachi, "_opened", side_effect=UsageError(f"Japanese morphemes need more: {INSTALL}")):
        found = shown(phrasebook)
    assert isinstance(found.rules, str)
    assert INSTALL in found.rules
    assert [each.other for each in found.equivalents.translations] == ["fra"]
    assert "bags" in {each.text for each in found.equivalents.equivalents.members}
    assert len(found.profiles) == 2

"""Systems of the database, with the reference sets that they were scored with, and what the corpus has of these."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.base.tokenisation import tokeniser
from corpusdb.corpus.formats.scoring_input import Output, read_references
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Store, open_store
from corpusdb.scoring.metrics.registry import settings_for
from corpusdb.scoring.queries.comparison import corpus_likeness, in_corpus, stored_comparison, stored_system
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets
from corpusdb.scoring.queries.scoring import score_systems
from corpusdb.scoring.queries.scoring_references import ScoringReferences, references_from_corpus, references_from_files
from corpusdb.scoring.queries.stored_scores import store_scores

BLEU = settings_for("bleu")


@pytest.fixture
def phrasebook(finished_phrasebook: Path, tmp_path: Path) -> Iterator[Store]:
    with open_store(Path(shutil.copy(finished_phrasebook, tmp_path / "phrasebook.db"))) as store:
        yield store


def keep(store: Store, references: ScoringReferences, **texts: tuple[str, ...]) -> None:
    outputs = [Output(system, Path(system), lines) for system, lines in texts.items()]
    store_scores(store, outputs, references, score_systems(outputs, references, [BLEU]))


def from_file(folder: Path, *lines: str) -> ScoringReferences:
    path = folder / f"{len(list(folder.iterdir()))}.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return references_from_files(read_references([path]), [path])


def test_the_set_that_both_were_scored_with(phrasebook: Store, tmp_path: Path) -> None:
    one, other = from_file(tmp_path, "a", "b"), from_file(tmp_path, "c", "d")
    keep(phrasebook, one, A=("a", "x"), B=("b", "y"))
    keep(phrasebook, other, A=("a", "x"))
    outputs, references = finished(stored_comparison(phrasebook, ["B", "A"]))
    assert [(each.system, each.texts) for each in outputs] == [("B", ("b", "y")), ("A", ("a", "x"))]
    assert (references.sets, references.digest) == (one.sets, one.digest)

    keep(phrasebook, other, B=("b", "y"))
    with pytest.raises(InputError, match=f"2 reference sets .* --set {one.digest[:16]} .2 segments, from files. or"):
        finished(stored_comparison(phrasebook, ["A", "B"]))
    assert finished(stored_comparison(phrasebook, ["A", "B"], other.digest[:6]))[1].sets == other.sets
    with pytest.raises(InputError, match="no reference set of digest 0000 has scores of all of A, B"):
        finished(stored_comparison(phrasebook, ["A", "B"], "0000"))


def test_a_set_under_its_digest_of_now_and_of_older_versions_is_one(phrasebook: Store, tmp_path: Path) -> None:
    one = from_file(tmp_path, "a", "b")
    keep(phrasebook, one, A=("a", "x"), B=("b", "y"))
    with phrasebook.write() as connection:
        connection.execute("drop trigger reference_set_stays")
        connection.execute(
            "update reference_set set digest = json_extract(parameters, '$.exact'),"
            " parameters = json_remove(parameters, '$.exact')"
        )
    keep(phrasebook, one, A=("a", "x"), B=("b", "y"))
    assert phrasebook.connection.execute("select count(*) from reference_set").fetchone() == (2,)
    assert finished(stored_comparison(phrasebook, ["A", "B"]))[1].sets == one.sets


def test_the_output_that_a_name_means(phrasebook: Store, tmp_path: Path) -> None:
    keep(phrasebook, from_file(tmp_path, "a", "b"), A=("a", "x"), B=("b", "y"))
    keep(phrasebook, from_file(tmp_path, "a"), A=("z",))
    assert stored_system(phrasebook, "A", 1).texts == ("z",)
    with pytest.raises(InputError, match="the stored output of A has 1 or 2 segments, the references have 3"):
        stored_system(phrasebook, "A", 3)
    with pytest.raises(InputError, match="C is no file, and no output of this name is stored; there are A, B"):
        stored_system(phrasebook, "C", 2)

    keep(phrasebook, from_file(tmp_path, "a", "b"), A=("other", "x"))
    with pytest.raises(InputError, match="2 stored outputs of 2 segments are called A; say A@") as told:
        stored_system(phrasebook, "A", 2)
    names = str(told.value).partition("say ")[2].split(" or ")
    assert {stored_system(phrasebook, name, 2).texts for name in names} == {("a", "x"), ("other", "x")}


def test_a_set_of_the_corpus_has_its_origins(phrasebook: Store) -> None:
    rows = phrasebook.connection.execute(
        "select distinct sentence.text from seed join sentence on sentence.id = seed.sentence order by seed.id limit 4"
    )
    recipe, sources = Recipe(language="eng"), [row[0] for row in rows]
    references = references_from_corpus(finished(attributed_sets(phrasebook, sources, recipe)), recipe)
    texts = tuple(each.references[0] for each in references.sets)
    keep(phrasebook, references, A=texts, B=tuple(reversed(texts)))
    found = finished(stored_comparison(phrasebook, ["A", "B"]))[1]
    assert (found.sets, found.labels, found.attributed) == (references.sets, references.labels, references.attributed)


def test_likeness_is_that_of_every_sequence_looked_up(phrasebook: Store) -> None:
    corpus = [text for _, text in sentences_after(phrasebook, "eng", 0)]
    references = [[corpus[0], f"{corpus[1][:14]}zzz{corpus[2]}"], ["zzz"], [corpus[3][:4]], [f"zz{corpus[4]}"]]
    found = corpus_likeness(phrasebook, "eng", references)
    assert found is not None
    for texts, share in zip(references, found.shares.tolist(), strict=True):
        sequences = [
            text[at : at + size]
            for text in texts
            for size in [min(found.characters, len(text))]
            for at in range(len(text) - size + 1)
        ]
        assert share == sum(any(each in text for text in corpus) for each in sequences) / len(sequences)
    assert found.shares[1] == 0 and found.shares[2] == 1 and 0 < found.shares[3] < 1


def test_frequencies_are_those_of_the_words_in_the_corpus(phrasebook: Store) -> None:
    tokenise = tokeniser("13a", lowercase=True)
    counts = Counter(unit for _, text in sentences_after(phrasebook, "eng", 0) for unit in tokenise(text))
    found = in_corpus(phrasebook, "eng", [["The ticket"]], [["Where is zzz?"]], [settings_for("bleu", lowercase=True)])
    assert counts["the"] > 0
    assert {unit: found.frequencies[unit] for unit in ("the", "ticket", "where", "is", "zzz", "?", "a")} == {
        unit: counts[unit] * (unit != "a") for unit in ("the", "ticket", "where", "is", "zzz", "?", "a")
    }
    assert in_corpus(phrasebook, "deu", [["a"]], [["b"]], [BLEU]).likeness is None

"""Reference sets that are frozen before a score on them is shown: nothing changes them, and damage is found."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

from corpusdb.base.errors import DatabaseDamaged, InputError, StoreError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.formats.records import ReferenceSet, digest, output_digest
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.frozen_sets import (
    Guidance,
    GuidedReferences,
    freeze,
    freezing_of,
    frozen_references,
    frozen_sets,
    guided_references,
    made_again,
)
from corpusdb.scoring.queries.scoring import freezing_notes, score_systems
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.queries.stored_scores import store_scores, stored_scores
from corpusdb.scoring.queries.verification import verify

SEEDS = "select text from seed where language = 'eng' order by id limit 4"


def generated(store: Store, *, limit: int = 3) -> GuidedReferences:
    texts = [row[0] for row in store.connection.execute(SEEDS)]
    said = tuple(paraphrases(store, text, "eng", kept=NO_FILTER)[-1].text for text in texts)
    sets = tuple(ReferenceSet(str(number), "", (text,)) for number, text in enumerate(texts, 1))
    given = ScoringReferences(sets, (("r.txt:1",),) * len(sets), "files", {"files": []})
    guidance = Guidance(language="eng", settings=settings_for("bleu"), kept=NO_FILTER, limit=limit)
    return finished(guided_references(store, given, [Output("first", Path("first.txt"), said)], guidance))


def other(references: ScoringReferences) -> Output:
    return Output("other", Path("other.txt"), tuple(each.references[0] for each in references.sets))


def scored(store: Store, name: str = "set") -> ScoringReferences:
    """A frozen set with a stored score of an output that did not guide it."""
    freeze(store, generated(store), name)
    references = frozen_references(store, name)
    outputs = [other(references)]
    store_scores(store, outputs, references, score_systems(outputs, references, [settings_for("bleu")]))
    return references


def test_the_set_is_what_was_given_and_what_was_chosen(phrasebook: Store) -> None:
    found = generated(phrasebook)
    made = freeze(phrasebook, found, "set")
    loaded = frozen_references(phrasebook, "set")
    assert loaded == made
    assert loaded.digest == digest(loaded.sets)
    for each, before, segment in zip(loaded.sets, found.given.sets, found.segments, strict=True):
        assert each.references == (*before.references, *(one.text for one in segment.chosen))
    (listed,) = frozen_sets(phrasebook)
    assert (listed.name, listed.digest, listed.segments, listed.scores) == ("set", made.digest, 4, 0)
    assert listed.guided_by == (("first", output_digest(found.outputs[0].texts)),)
    (scores,) = phrasebook.connection.execute("select count(*) from score").fetchone()
    assert scores == 0


_TWIN = """
insert into reference_set (digest, origin, parameters, segments, texts, run)
select digest, origin, '{"files": []}', segments, texts, run from reference_set returning id
"""


def test_another_set_of_the_same_texts_is_not_frozen(phrasebook: Store) -> None:
    freeze(phrasebook, generated(phrasebook), "set")
    (frozen,) = phrasebook.connection.execute("select reference_set from frozen_set").fetchone()
    with phrasebook.write() as connection:
        (twin,) = connection.execute(_TWIN).fetchone()
    found = freezing_of(phrasebook, frozen)
    assert (found is not None and found.name, freezing_of(phrasebook, twin)) == ("set", None)


def test_scores_on_it_say_so(phrasebook: Store) -> None:
    references = scored(phrasebook)
    (stored,) = stored_scores(phrasebook)
    assert "|guided:1|" in stored.signature
    assert stored.validity == pytest.approx(references.validity)
    assert references.freezing is not None
    assert "guided by 1 system" in references.freezing.note
    assert frozen_sets(phrasebook)[0].scores == 1
    unfair = [note for note in freezing_notes([other(references)], references.freezing) if "did not guide" in note]
    assert len(unfair) == 1
    guide = generated(phrasebook).outputs[0]
    renamed = Output("renamed", Path("renamed.txt"), guide.texts)
    assert not [note for note in freezing_notes([guide, renamed], references.freezing) if "did not guide" in note]
    assert all(each.ok for each in finished(verify(phrasebook)))


CHANGES = [
    "update reference_set set texts = zeroblob(3)",
    "update reference_set set digest = 'other'",
    "update reference_set set parameters = '{}'",
    "update frozen_set set guided_by = '[]'",
    "update frozen_set set frozen = '2020-01-01'",
    "delete from reference_set",
]


@pytest.mark.slow
@pytest.mark.parametrize("statement", CHANGES)
@pytest.mark.parametrize("is_scored", [False, True])
def test_no_statement_changes_it(statement: str, is_scored: bool, phrasebook: Store) -> None:
    before = scored(phrasebook) if is_scored else freeze(phrasebook, generated(phrasebook), "set")
    with pytest.raises(StoreError), phrasebook.write() as connection:
        connection.execute(statement)
    assert frozen_references(phrasebook, "set") == before


def test_a_set_from_files_stays_too_once_it_was_scored_with(phrasebook: Store) -> None:
    given = generated(phrasebook).given
    outputs = [other(given)]
    store_scores(phrasebook, outputs, given, score_systems(outputs, given, [settings_for("bleu")]))
    with pytest.raises(StoreError), phrasebook.write() as connection:
        connection.execute("update reference_set set digest = 'other'")


def test_nor_does_freezing_another_under_its_name(phrasebook: Store) -> None:
    before = scored(phrasebook)
    with pytest.raises(UsageError, match="already, and it stays"):
        freeze(phrasebook, generated(phrasebook, limit=1), "set")
    assert frozen_references(phrasebook, "set") == before
    assert len(frozen_sets(phrasebook)) == 1


def altered(texts: bytes) -> bytes:
    segments = json.loads(zlib.decompress(texts))
    segments[0][1][0] += " Indeed."
    return zlib.compress(json.dumps(segments).encode())


def break_in(store: Store, *, signs: bool) -> None:
    """Change the texts behind the back of the program; whoever signs puts in the digest of what is there then."""
    with store.write() as connection:
        for trigger in ("reference_set_stays", "frozen_set_stays"):
            connection.execute(f"drop trigger {trigger}")
        (texts,) = connection.execute("select texts from reference_set").fetchone()
        connection.execute("update reference_set set texts = ?", (altered(texts),))
        if signs:
            sets = [ReferenceSet("", one, tuple(many)) for one, many in json.loads(zlib.decompress(altered(texts)))]
            connection.execute("update reference_set set digest = ?", (digest(sets),))


@pytest.mark.parametrize("signs", [False, True])
def test_texts_that_were_changed_behind_its_back_are_refused(signs: bool, phrasebook: Store) -> None:
    scored(phrasebook)
    break_in(phrasebook, signs=signs)
    with pytest.raises(DatabaseDamaged, match="not what was signed: its texts were changed"):
        frozen_references(phrasebook, "set")


def test_so_are_other_systems(phrasebook: Store) -> None:
    scored(phrasebook)
    with phrasebook.write() as connection:
        connection.execute("drop trigger frozen_set_stays")
        connection.execute("update frozen_set set guided_by = '[]'")
    with pytest.raises(DatabaseDamaged, match="it names other systems"):
        frozen_references(phrasebook, "set")


def test_it_is_made_again_from_what_is_kept(phrasebook: Store) -> None:
    made = freeze(phrasebook, generated(phrasebook), "set")
    again = finished(made_again(phrasebook, "set"))
    assert (again.digest, again.sets) == (made.digest, made.sets)
    with phrasebook.write() as connection:
        connection.execute("delete from translation")
    assert frozen_references(phrasebook, "set") == made  # whatever the corpus says now


def test_there_must_be_something_to_freeze_and_to_load(phrasebook: Store) -> None:
    found = generated(phrasebook)
    with pytest.raises(UsageError, match="is empty"):
        freeze(phrasebook, found, " ")
    with pytest.raises(InputError, match="there is no frozen reference set 'x'; there are none"):
        frozen_references(phrasebook, "x")
    same = Output("same", Path("same.txt"), tuple(each.references[0] for each in found.given.sets))
    nothing = finished(guided_references(phrasebook, found.given, [same], found.guidance))
    with pytest.raises(InputError, match="nothing to freeze"):
        freeze(phrasebook, nothing, "set")
    assert frozen_sets(phrasebook) == []

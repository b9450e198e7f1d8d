"""The algorithm over rows, whatever engine holds them, gives the rows that the chain over a database stores."""

from __future__ import annotations

import random

import pytest
from corpora import Row, derived_rows, import_rows, random_rows, tatoeba
from rows_chain import RowsChain

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries import detection, slot_index
from corpusdb.paraphrase.queries.slot_index import PARAMETERS
from corpusdb.paraphrase.sharing import MAX_SHARING, Translation
from corpusdb.paraphrase.slots import SlotIndex, Slots, index_slots

_TRANSLATIONS = """
select translation.sentence, other.language, other.id
from translation join sentence other on other.id = translation.translation and other.language <> :language
where translation.sentence in (select id from sentence where language = :language)
"""


def over_rows(store: Store, language: str, chance: random.Random, max_sharing: int = MAX_SHARING) -> RowsChain:
    """The chain over the rows that were imported; the translations come in any order."""
    translations = list(map(Translation._make, store.connection.execute(_TRANSLATIONS, {"language": language})))
    chance.shuffle(translations)
    max_fillers = int(str(PARAMETERS["max_fillers"]))
    return RowsChain(language, dict(sentences_after(store, language, 0)), translations, max_sharing, max_fillers)


def assert_same_rows(store: Store, language: str, chance: random.Random, max_sharing: int = MAX_SHARING) -> int:
    """Generate, and compare every derived row of the language, to the last bit; how many candidates there are."""
    finished(generate(store, language))
    stored, found = derived_rows(store), over_rows(store, language, chance, max_sharing).rows()
    assert found.keys() == stored.keys()
    for table, rows in stored.items():
        assert found[table] == rows, table
    return len(stored["candidate"])


@pytest.mark.parametrize("number", range(25))
def test_random_corpora(empty: Store, number: int) -> None:
    chance = random.Random(number)
    rows = random_rows(chance, chance.randint(6, 24), words="abcd"[: chance.randint(2, 4)])
    import_rows(empty, [(*row, f"j{chance.randrange(5)}") for row in rows], ("eng", "fra", "jpn"))
    assert_same_rows(empty, "eng", chance)


@pytest.mark.parametrize("number", range(8))
def test_limits(empty: Store, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Translations that many sentences share, and contexts that many have, are left out alike."""

    def limited(slots: Slots) -> SlotIndex:
        return index_slots(slots, max_fillers=3)

    monkeypatch.setattr(slot_index, "index_slots", limited)
    monkeypatch.setitem(PARAMETERS, "max_fillers", 3)
    monkeypatch.setattr(detection, "MAX_SHARING", 4)
    chance = random.Random(100 + number)
    import_rows(empty, random_rows(chance, 24))
    assert_same_rows(empty, "eng", chance, max_sharing=4)
    assert over_rows(empty, "eng", chance).paraphrases.keys() > over_rows(empty, "eng", chance, 4).paraphrases.keys()


@pytest.mark.parametrize("number", range(6))
def test_a_corpus_without_spaces(empty: Store, number: int) -> None:
    chance = random.Random(200 + number)
    rows: list[Row] = [
        ("".join(chance.choices("山川を見", k=chance.randint(1, 5))) + "。", f"t{chance.randrange(5)}")
        for _ in range(18)
    ]
    import_rows(empty, rows, ("jpn", "eng"))
    assert assert_same_rows(empty, "jpn", chance)


@pytest.mark.data
def test_real_sentences(empty: Store) -> None:
    for language in ("fra", "jpn"):
        import_rows(empty, tatoeba(language, 1000, 800), ("eng", language))
    assert assert_same_rows(empty, "eng", random.Random(1)) > 20

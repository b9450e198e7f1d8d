"""Candidates against a naive implementation of the design, also of seeds that are not in the corpus."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from brute_force import Generation, detected
from corpora import Row, all_rows, copy_of_corpus, import_rows, near, new_store, random_rows, tatoeba

from corpusdb.base.errors import DatabaseReadOnly
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.derivation import Evidence
from corpusdb.paraphrase.equations import is_analogy, length_of_lcs
from corpusdb.paraphrase.queries import slot_index
from corpusdb.paraphrase.queries.models import load_ngrams
from corpusdb.paraphrase.queries.seeds import as_if_in_corpus, outside_candidates
from corpusdb.paraphrase.queries.slot_index import PARAMETERS
from corpusdb.paraphrase.slots import SlotIndex, Slots, index_slots

# Candidates against a naive implementation of the design, and the examples of Lepage & Denoual (2005).


Generated = dict[tuple[str, str], tuple[int, int, int, float]]


def generated(store: Store, language: str) -> Generated:
    """By seed and candidate: frequency, pivots, languages, probability."""
    rows = store.connection.execute(
        "select seed.text, candidate.text, frequency, pivots, languages, probability"
        " from candidate join seed on seed.id = candidate.seed where seed.language = ?",
        (language,),
    )
    return {
        (seed, text): (frequency, pivots, languages, probability)
        for seed, text, frequency, pivots, languages, probability in rows
    }


def naive(rows: Sequence[Row], languages: tuple[str, ...], language: str, max_fillers: int = 2000) -> Generation:
    """The naive generator for one language of these rows."""
    column = languages.index(language)
    pairs = {
        (row[column], other, text)
        for row in rows
        for other, text in zip(languages, row, strict=True)
        if other != language and text and row[column]
    }
    sentences = list(dict.fromkeys(row[column] for row in rows if row[column]))
    return Generation(sentences, detected(pairs), max_fillers)


def index(store: Store, language: str) -> tuple[set[tuple[str, str, str]], dict[tuple[str, str], int]]:
    """The slots (context, filler, sentence) and the commutations of the index, as texts."""
    slots = store.connection.execute(
        "select context_text.text, filler.text, sentence.text from slot join context_text on context_text.id = context"
        " join filler on filler.id = slot.filler join sentence on sentence.id = sentence where filler.language = ?",
        (language,),
    )
    commutations = store.connection.execute(
        "select min(x.text, y.text), max(x.text, y.text), commutation.contexts from commutation"
        " join filler x on x.id = x join filler y on y.id = y where x.language = ?",
        (language,),
    )
    return set(slots), {(x, y): contexts for x, y, contexts in commutations}


def expected(generation: Generation, sentences: Sequence[str]) -> Generated:
    return {
        (seed, one.text): (one.frequency, one.pivots, one.languages, near(one.probability))
        for seed in dict.fromkeys(sentences)
        for one in generation.candidates(seed)
    }


def assert_as_naive(store: Store, rows: Sequence[Row], languages: tuple[str, ...], language: str) -> Generated:
    """Import, generate and compare every figure; returns what was generated."""
    import_rows(store, rows, languages)
    report = finished(generate(store, language))
    found = generated(store, language)
    generation = naive(rows, languages, language, int(str(PARAMETERS["max_fillers"])))
    assert index(store, language) == (generation.slots(), generation.asked_commutations())
    wanted = expected(generation, [row[languages.index(language)] for row in rows])
    assert found.keys() == wanted.keys()
    assert found == wanted
    assert (report.candidates, report.analogies) == (len(found), sum(row[0] for row in found.values()))
    assert report.too_common == generation.too_common
    assert report.seeds == len({seed for seed, _ in found})
    return found


@pytest.mark.parametrize("number", range(8))
def test_random_corpora(empty: Store, number: int) -> None:
    chance = random.Random(number)
    rows = random_rows(chance, chance.randint(4, 24), words="abcd"[: chance.randint(2, 4)])
    assert_as_naive(empty, rows, ("eng", "fra"), "eng")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(10))
def test_random_corpora_in_three_languages(empty: Store, number: int) -> None:
    chance = random.Random(100 + number)
    rows = [(*row, f"j{chance.randrange(5)}") for row in random_rows(chance, 16)]
    found = assert_as_naive(empty, rows, ("eng", "fra", "jpn"), "eng")
    assert any(languages == 2 for _, _, languages, _ in found.values())


@pytest.mark.parametrize("number", range(10))
def test_random_corpora_without_spaces(empty: Store, number: int) -> None:
    chance = random.Random(200 + number)
    rows = [
        ("".join(chance.choices("山川を見", k=chance.randint(1, 5))) + "。", f"t{chance.randrange(5)}")
        for _ in range(18)
    ]
    assert assert_as_naive(empty, rows, ("jpn", "eng"), "jpn")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_contexts_that_are_too_common_are_left_out_and_reported(
    empty: Store, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def limited(slots: Slots) -> SlotIndex:
        return index_slots(slots, max_fillers=3)

    monkeypatch.setattr(slot_index, "index_slots", limited)
    monkeypatch.setitem(PARAMETERS, "max_fillers", 3)
    rows = random_rows(random.Random(300 + number), 20)
    assert_as_naive(empty, rows, ("eng", "fra"), "eng")
    assert finished(generate(empty, "eng")).too_common > 0


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(
    ("other", "language", "first", "least"),
    [
        ("fra", "eng", 3000, 20),
        ("jpn", "eng", 300, 100),
        ("jpn", "jpn", 300, 100),
        ("cmn", "cmn", 1000, 10),
    ],
)
def test_real_sentences(empty: Store, other: str, language: str, first: int, least: int) -> None:
    rows = tatoeba(other, first, 1500)
    assert len(assert_as_naive(empty, rows, ("eng", other), language)) > least


@pytest.mark.data
@pytest.mark.parametrize(
    ("other", "language"),
    [
        pytest.param("fra", "eng", marks=pytest.mark.slow),
        pytest.param("jpn", "eng", marks=pytest.mark.slow),
        pytest.param("jpn", "jpn", marks=pytest.mark.slow),
    ],
)
def test_rectangles_are_analogies(other: str, language: str) -> None:
    """By their characters all of them are, |A|a + |D|a = |B|a + |C|a: both sides are two contexts and two fillers.

    By their distances 1 in 100 is not: d(A, B) = d(C, D) supposes that the best alignment of the contexts is that of
    the sentences too, and a filler may stand in another order or align with a context, as in the example below.
    """
    rows = tatoeba(other, 1500, 1500)
    rectangles = list(naive(rows, ("eng", other), language).rectangles())
    assert len(rectangles) > 100
    assert all(sorted(a + d) == sorted(b + c) for a, b, c, d in rectangles)
    failing = [terms for terms in rectangles if not is_analogy(*terms)]
    assert len(failing) <= 0.02 * len(rectangles)


def test_a_rectangle_that_is_no_analogy() -> None:
    """The letters of "it" align with those of "is" where the two change places, and those of "he" do not."""
    terms = "Where is he?", "There he is.", "Where is it?", "There it is."
    generation = naive([(text, str(number)) for number, text in enumerate(terms)], ("eng", "fra"), "eng")
    assert terms in {(a, b, c, d) for b, a, d, c in generation.rectangles()}
    a, b, c, d = terms
    assert (length_of_lcs(a, b), length_of_lcs(c, d)) == (7, 8)
    assert not is_analogy(*terms)


TABLE_3 = [
    ("I'd like a beer, please.", "ビールが欲しいのですが。"),
    ("A beer, please.", "ビールをください。"),
    ("I'd like a slice of pizza, please.", "ピザを一切れ欲しいのですが。"),
    ("A slice of pizza, please.", "ピザを一切れください。"),
    ("I'd like a twin, please.", "ツインにしたいのですが。"),
    ("A twin, please.", "ツインをお願いします。"),
    ("I'd like a bottle of red wine, please.", "赤ワインを一本欲しいのですが。"),
    ("A bottle of red wine, please.", "赤ワインを一本ください。"),
]
"""The sentences of the three analogies; the Japanese is ours."""
SECTION_4_2 = [
    (sentence, "ビールをください。")
    for sentence in [
        "A beer, please.",
        "Beer, please.",
        "Can I have a beer?",
        "Give me a beer, please.",
        "I would like beer.",
        "I'd like a beer, please.",
        "A bottle of beer, please.",
    ]
]
"""The paraphrases of the beer example, and the one of section 4.4 that leads astray."""
SUPPORT = [("Can I have a slice of pizza pie?", "一。"), ("Do you have a slice of pizza?", "二。")]
"""Sentences that together have every sequence of 20 characters of "Can I have a slice of pizza?"."""
PIZZA = "A slice of pizza, please."
GOOD, BAD = "Can I have a slice of pizza?", "A bottle of slice of pizza, please."


def fluency_of(store: Store, seed: str) -> dict[str, int]:
    rows = store.connection.execute(
        "select candidate.text, fluency from candidate join seed on seed.id = candidate.seed where seed.text = ?",
        (seed,),
    )
    return dict(rows.fetchall())


@pytest.mark.parametrize(
    ("more", "good_passes", "bad_passes"),
    [([], False, False), (SUPPORT, True, False), ([*SUPPORT, (BAD, "三。")], True, True)],
)
def test_table_4_and_section_4_4(empty: Store, more: list[Row], good_passes: bool, bad_passes: bool) -> None:
    found = assert_as_naive(empty, [*TABLE_3, *SECTION_4_2, *more], ("eng", "jpn"), "eng")
    assert found[PIZZA, GOOD][0] >= 1
    assert found[PIZZA, BAD][0] >= 1
    fluency = fluency_of(empty, PIZZA)
    assert (fluency[GOOD] >= 20, fluency[BAD] >= 20) == (good_passes, bad_passes)
    assert (fluency[BAD] == NO_LIMIT) == bad_passes


def rewordings(exchanged: Sequence[str], frames: Sequence[str], same: tuple[str, str]) -> list[Row]:
    """Two words in each of the frames, ``same`` two of them translated alike for the first word only."""
    rows: list[Row] = [(frame.format(word), f"{word} in {frame}") for frame in frames for word in exchanged]
    shared: list[Row] = [(frame.format(exchanged[0]), "the same") for frame in same]
    return [row for row in rows if row[0] != same[1].format(exchanged[1])] + shared


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "words", "frames", "rewording"),
    [
        ("jpn", ["ビール", "コーヒー"], ["{}をください。", "{}はありますか。"], "{}をお願いします。"),
        ("cmn", ["茶", "啤酒"], ["我想喝{}。", "你有{}吗?"], "请给我{}。"),
        ("tha", ["ชา", "น้ำ"], ["ขอ{}ครับ", "มี{}ไหม"], "อยากได้{}ครับ"),
        ("heb", ["בירה", "קפה"], ["אני רוצה {}.", "יש לך {}?"], "תן לי {} בבקשה."),
        ("ara", ["شَايًا", "قَهْوَةً"], ["أُرِيدُ {}.", "هَلْ عِنْدَكَ {}؟"], "أَعْطِنِي {} مِنْ فَضْلِكَ."),
        ("hin", ["चाय", "पानी"], ["मुझे {} चाहिए।", "गरम {} लाओ।"], "कृपया {} दीजिए।"),
        ("fra", ["q\u0323au", "thé"], ["Je veux de l'{}.", "Il y a de l'{} ici."], "Donnez-moi de l'{}."),
        ("eng", ["👩‍🚀", "👍🏽"], ["I like {}.", "Send {} now."], "I love {}."),
    ],
)
def test_scripts(empty: Store, language: str, words: list[str], frames: list[str], rewording: str) -> None:
    """What is translated alike for one word is generated for the other; the pivots are of another language."""
    rows = rewordings(words, frames, (frames[0], rewording))
    other = "deu" if language != "deu" else "eng"
    found = assert_as_naive(empty, rows, (language, other), language)
    assert (frames[0].format(words[1]), rewording.format(words[1])) in found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "candidate"),
    [("Call me, please.", "Phone me, please."), ("Call me.", "Phone me.")],
)
def test_insertion_and_deletion(empty: Store, seed: str, candidate: str) -> None:
    """One of the fillers is empty; the general solver finds its place."""
    other = {"Call me, please.": "Call me.", "Call me.": "Call me, please."}[seed]
    reworded = candidate.replace(", please", "") if "please" in seed else candidate.replace(".", ", please.")
    rows = [("Help me, please.", "1"), ("Help me.", "2"), (seed, "3"), (other, "4"), (reworded, "4")]
    found = assert_as_naive(empty, rows, ("eng", "fra"), "eng")
    assert found[seed, candidate] == (1, 1, 1, 0.5)


@pytest.mark.slow
def test_a_seed_is_not_its_own_candidate(empty: Store) -> None:
    found = assert_as_naive(empty, [*TABLE_3, *SECTION_4_2], ("eng", "jpn"), "eng")
    assert not any(seed == text for seed, text in found)


# Seeds that are not in the corpus get what they would get in it, and leave nothing behind.


def imported_candidates(store: Store, seed: str) -> list[tuple[Any, ...]]:
    """What the seed gets as a sentence of a copy of the corpus, without translations, from an index made anew."""
    with copy_of_corpus(store) as copy:
        with copy.write() as connection:
            connection.execute("insert into sentence (language, text) values ('eng', ?)", (seed,))
        finished(generate(copy, "eng"))
        return candidates_of(copy, seed)


def candidates_of(store: Store, seed: str) -> list[tuple[Any, ...]]:
    columns = ", ".join(f"candidate.{name}" for name in Evidence._fields)
    query = f"select {columns} from candidate join seed on seed.id = candidate.seed where seed.text = ? order by 1"
    return store.connection.execute(query, (seed,)).fetchall()


def rows(evidence: list[Evidence]) -> list[tuple[Any, ...]]:
    return [tuple(one) for one in evidence]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12))
def test_as_if_it_had_been_imported(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    with new_store(tmp_path) as store:
        import_rows(store, random_rows(chance, chance.randint(5, 25)))
        finished(generate(store, "eng"))
        known = {row[0] for row in store.connection.execute("select text from sentence where language = 'eng'")}
        seeds = {text for text, _ in random_rows(chance, 12, words="abcd")} - known
        ngrams = load_ngrams(store, "eng")
        before = all_rows(store)
        for seed in sorted(seeds)[:3]:
            assert rows(outside_candidates(store, "eng", seed, ngrams)) == imported_candidates(store, seed)
            assert all_rows(store) == before


@pytest.mark.slow
def test_the_random_seeds_have_candidates(empty: Store) -> None:
    """Without this the property above could hold of nothing."""
    chance = random.Random(1)
    import_rows(empty, random_rows(chance, 25))
    finished(generate(empty, "eng"))
    assert len(outside_candidates(empty, "eng", "b a b c a.", load_ngrams(empty, "eng"))) >= 5


@pytest.mark.slow
@pytest.mark.data
def test_sentences_taken_out_of_a_real_sample(tmp_path: Path) -> None:
    sample = tatoeba("jpn", 300, 1500)
    out = {row[0] for row in sample[::150]}
    with new_store(tmp_path) as store:
        import_rows(store, [row for row in sample if row[0] not in out], ("eng", "jpn"))
        finished(generate(store, "eng"))
        before, ngrams = all_rows(store), load_ngrams(store, "eng")
        found = 0
        for seed in sorted(out):
            candidates = rows(outside_candidates(store, "eng", seed, ngrams))
            assert candidates == imported_candidates(store, seed)
            found += len(candidates)
        assert found > 0
        assert all_rows(store) == before


def test_an_error_inside_leaves_nothing_behind(empty: Store) -> None:
    import_rows(empty, random_rows(random.Random(2), 20))
    finished(generate(empty, "eng"))
    before = all_rows(empty)
    with pytest.raises(ZeroDivisionError), as_if_in_corpus(empty, "eng", "d a.", load_ngrams(empty, "eng")):
        _ = 1 // 0
    assert all_rows(empty) == before
    assert not empty.connection.in_transaction


def test_a_database_that_may_only_be_read_says_so(empty: Store) -> None:
    import_rows(empty, random_rows(random.Random(3), 20))
    finished(generate(empty, "eng"))
    with open_store(empty.path, read_only=True) as reader:
        ngrams = load_ngrams(reader, "eng")
        with pytest.raises(DatabaseReadOnly, match="not in the corpus"):
            outside_candidates(reader, "eng", "d a.", ngrams)


@pytest.mark.parametrize("number", range(10))
def test_given_seeds_are_stored_whether_in_the_corpus_or_not(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    with new_store(tmp_path) as store:
        sample = random_rows(chance, 25)
        import_rows(store, sample)
        report = finished(generate(store, "eng", [sample[0][0], "  d a.  ", "a d."]))
        stored = store.connection.execute(
            "select seed.text, seed.sentence is null, count(candidate.id) from seed left join candidate"
            " on candidate.seed = seed.id and fluency is not null group by seed.id order by seed.id"
        ).fetchall()
        assert [row[:2] for row in stored] == [(sample[0][0], 0), ("d a.", 1), ("a d.", 1)]
        assert report.candidates == sum(row[2] for row in stored)
        ngrams = load_ngrams(store, "eng")
        for seed in ("d a.", "a d."):
            assert candidates_of(store, seed) == rows(outside_candidates(store, "eng", seed, ngrams))

"""Detection against its definition, and the example of Lepage & Denoual (2005), section 4.2."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from brute_force import Shared, detected
from corpora import Row, copy_of_corpus, import_file, import_rows, near, new_store, write_rows

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.corpus.model import DetectionReport
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Store, layer_state
from corpusdb.paraphrase.queries import detection
from corpusdb.paraphrase.queries.detection import detect, detected_counts

_ROWS = """
select a.text, b.text, translations, languages, probability from paraphrase
join sentence a on a.id = paraphrase.sentence join sentence b on b.id = paraphrase.paraphrase where a.language = ?
"""


def stored(store: Store, language: str = "eng") -> dict[str, dict[str, Shared]]:
    """The paraphrases in the database, as the brute force has them."""
    found: dict[str, dict[str, Shared]] = {}
    for one, other, translations, languages, probability in store.connection.execute(_ROWS, (language,)):
        shared = Shared(translations, tuple(languages.split(",")), near(probability))
        found.setdefault(one, {})[other] = shared
    return found


def pairs_of(store: Store, language: str = "eng") -> set[tuple[str, str, str]]:
    """What a language's sentences are translated as, whichever collection says so."""
    rows = store.connection.execute(
        "select a.text, b.language, b.text from translation join sentence a on a.id = translation.sentence"
        " join sentence b on b.id = translation.translation where a.language = ? and b.language <> ?",
        (language, language),
    )
    return set(rows.fetchall())


def random_multilingual_rows(chance: random.Random, count: int) -> list[Row]:
    sizes = [chance.randint(2, 12) for _ in range(4)]
    return [tuple(f"{'efjd'[place]}{chance.randrange(size)}" for place, size in enumerate(sizes)) for _ in range(count)]


LANGUAGES = ("eng", "fra", "jpn", "deu")


@pytest.mark.parametrize("number", range(8))
def test_random_corpora(empty: Store, number: int) -> None:
    chance = random.Random(number)
    for _ in range(chance.randint(1, 3)):
        chosen = ("eng", *chance.sample(LANGUAGES[1:], chance.randint(1, 3)))
        rows = random_multilingual_rows(chance, chance.randint(1, 25))
        import_rows(empty, [tuple(row[LANGUAGES.index(code)] for code in chosen) for row in rows], chosen)
    present = languages_of(empty)
    for language in set(LANGUAGES) - set(present):
        with pytest.raises(InputError, match=f"no sentences in {language}"):
            finished(detect(empty, language))
    for language in present:
        report = finished(detect(empty, language))
        expected = detected(pairs_of(empty, language))
        assert stored(empty, language) == expected
        assert (report.sentences, report.pairs) == (len(expected), sum(map(len, expected.values())))
        assert detected_counts(empty, language) == (report.sentences, report.pairs)


@pytest.mark.parametrize("number", range(10))
def test_probabilities_sum_to_one(empty: Store, number: int) -> None:
    """Over all b, a itself included: p(a|a) = sum over t of p(t|a) p(a|t)."""
    import_rows(empty, random_multilingual_rows(random.Random(number), 30), LANGUAGES)
    finished(detect(empty, "eng"))
    pairs = pairs_of(empty)
    for sentence, _, _ in pairs:
        own = {pivot for one, *pivot_parts in pairs for pivot in [tuple(pivot_parts)] if one == sentence}
        itself = sum(1 / len(own) / sum(1 for _, *parts in pairs if tuple(parts) == pivot) for pivot in own)
        others = sum(shared.probability for shared in detected(pairs).get(sentence, {}).values())
        (found,) = empty.connection.execute(
            "select coalesce(sum(probability), 0) from paraphrase join sentence on id = sentence"
            " where text = ? and language = 'eng'",
            (sentence,),
        ).fetchone()
        assert found == pytest.approx(others)
        assert itself + found == pytest.approx(1)


@pytest.mark.parametrize("number", range(8))
def test_following_is_as_detecting_from_nothing(empty: Store, number: int) -> None:
    chance = random.Random(number)
    for _ in range(3):
        other = chance.choice(LANGUAGES[1:])
        rows = random_multilingual_rows(chance, chance.randint(1, 15))
        import_rows(empty, [(row[0], row[LANGUAGES.index(other)]) for row in rows], ("eng", other))
        finished(detect(empty, "eng"))
        with copy_of_corpus(empty) as copy:
            finished(detect(copy, "eng"))
            assert stored(empty) == stored(copy)
    assert empty.connection.execute("select count(*) from run where finished is null").fetchone() == (0,)


def test_only_rows_that_changed_name_the_new_run(empty: Store) -> None:
    import_rows(empty, [("a", "t1"), ("b", "t1"), ("c", "t2"), ("d", "t2")])
    finished(detect(empty, "eng"))
    import_rows(empty, [("e", "t2")])
    finished(detect(empty, "eng"))
    rows = empty.connection.execute(
        "select a.text || b.text, run from paraphrase"
        " join sentence a on a.id = sentence join sentence b on b.id = paraphrase"
    ).fetchall()
    newest = max(run for _, run in rows)
    assert sorted(pair for pair, run in rows if run == newest) == ["cd", "ce", "dc", "de", "ec", "ed"]
    assert sorted(pair for pair, run in rows if run < newest) == ["ab", "ba"]


def test_nothing_new_is_no_run(empty: Store) -> None:
    import_rows(empty, [("a", "t"), ("b", "t")])
    first = finished(detect(empty, "eng"))
    runs = empty.connection.execute("select count(*) from run").fetchone()
    again = finished(detect(empty, "eng"))
    assert (again.sentences, again.pairs) == (first.sentences, first.pairs) == (2, 2)
    assert empty.connection.execute("select count(*) from run").fetchone() == runs


def test_several_collections_with_the_same_pairs_count_once(empty: Store, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "pairs.tsv", [("a", "t"), ("b", "t"), ("b", "u")])
    for collection in ("one", "two", "three"):
        import_file(empty, path, ("eng", "fra"), collection)
    finished(detect(empty, "eng"))
    assert stored(empty) == {"a": {"b": Shared(1, ("fra",), 0.5)}, "b": {"a": Shared(1, ("fra",), 0.25)}}


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_what_was_imported_during_an_interruption_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """Found by test: sentences that were done before the interruption missed the translations they got meanwhile."""
    monkeypatch.setattr(detection, "_SENTENCES_PER_TRANSACTION", 4)
    chance = random.Random(steps)
    with new_store(tmp_path) as store:
        import_rows(store, [(f"e{number}", f"f{chance.randrange(6)}") for number in range(10)])
        job = detect(store, "eng")
        for _ in range(steps):
            next(job)
        job.close()
        assert (state := layer_state(store, "eng", "paraphrase")) is None or not state.complete
        import_rows(store, [(f"e{number}", "f new") for number in range(0, 10, 2)])
        finished(detect(store, "eng"))
        assert stored(store) == detected(pairs_of(store))


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets how many sentences a translation may have to be used."""

    def set_limit(most: int) -> None:
        monkeypatch.setattr(detection, "MAX_SHARING", most)
        monkeypatch.setitem(detection.PARAMETERS, "max_sharing", most)

    return set_limit


def left_out(pairs: set[tuple[str, str, str]], most: int) -> tuple[int, int]:
    """The translations that more sentences have, and the sentences that have one of them."""
    having: dict[tuple[str, str], set[str]] = {}
    for sentence, *pivot in pairs:
        having.setdefault((pivot[0], pivot[1]), set()).add(sentence)
    crowds = [sentences for sentences in having.values() if len(sentences) > most]
    return len(crowds), len(set().union(*crowds))


@pytest.mark.parametrize("number", range(8))
def test_common_translations_are_left_out_and_counted(
    empty: Store, number: int, limit: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the definition has it, and growing is as detecting from nothing: paraphrases that were found may go."""
    chance = random.Random(700 + number)
    most = chance.randint(1, 4)
    limit(most)
    if number % 2:  # the way that a language goes which has few of the sentences
        monkeypatch.setattr(detection, "_HOLDS_MUCH", "select ? is null")
    for _ in range(4):
        chosen = ("eng", *chance.sample(LANGUAGES[1:], chance.randint(1, 2)))
        rows = random_multilingual_rows(chance, chance.randint(1, 12))
        import_rows(empty, [tuple(row[LANGUAGES.index(code)] for code in chosen) for row in rows], chosen)
        report = finished(detect(empty, "eng"))
        expected = detected(pairs_of(empty), most)
        assert stored(empty) == expected
        assert (report.sentences, report.pairs) == (len(expected), sum(map(len, expected.values())))
        assert (report.left_out, report.left_out_sentences) == left_out(pairs_of(empty), most)
        again = finished(detect(empty, "eng"))
        assert replace(again, seconds=0) == replace(report, seconds=0), "told again where nothing is new"


def test_a_translation_that_comes_to_be_too_common_takes_its_pairs_away(
    empty: Store, limit: Callable[[int], None]
) -> None:
    limit(3)
    import_rows(empty, [("a", "t"), ("b", "t"), ("c", "t"), ("a", "u"), ("b", "u")])
    report = finished(detect(empty, "eng"))
    assert (report.pairs, report.left_out) == (6, 0)
    import_rows(empty, [("d", "t")])
    report = finished(detect(empty, "eng"))
    assert stored(empty) == {"a": {"b": Shared(1, ("fra",), 0.25)}, "b": {"a": Shared(1, ("fra",), 0.25)}}
    assert (report.left_out, report.left_out_sentences) == (1, 4)
    (counts,) = empty.connection.execute("select counts from run order by id desc limit 1").fetchone()
    assert json.loads(counts) == {"sentences": 2, "pairs": 2, "left_out": 1, "left_out_sentences": 4}


def test_another_limit_makes_older_paraphrases_anew(empty: Store, limit: Callable[[int], None]) -> None:
    import_rows(empty, [("a", "t"), ("b", "t"), ("c", "t"), ("a", "u"), ("b", "u")])
    for most, pairs in ((3, 6), (2, 2), (3, 6), (1, 0)):
        limit(most)
        assert finished(detect(empty, "eng")).pairs == pairs
        assert stored(empty) == detected(pairs_of(empty), most)


def test_sharing_is_bounded(empty: Store) -> None:
    """2,000 sentences with one translation are 4 million pairs; none is made, and it is told."""
    size = 2_000
    import_rows(empty, [(f"e{number}", "t") for number in range(size)])
    report = finished(detect(empty, "eng"))
    assert replace(report, seconds=0) == DetectionReport(0, 0, 0, left_out=1, left_out_sentences=size)
    import_rows(empty, [("one", "t"), ("two", "u"), ("e1", "u")])
    report = finished(detect(empty, "eng"))
    assert replace(report, seconds=0) == DetectionReport(2, 2, 0, left_out=1, left_out_sentences=size + 1)
    (touched,) = empty.connection.execute("select count(*) from temp.touched").fetchone()
    assert touched == 3, "the others of a translation that was left out before are not looked at again"


BEER = {
    "A beer, please.": ["ビールをください。", "ビールを一本。", "ビールを一本ください。"],
    "Beer, please.": [
        "ビール。",
        "ビールをお願いします。",
        "ビールをください。",
        "ビールを下さい。",
        "ビール一杯ください。",
    ],
    "Can I have a beer?": ["ビールをください。"],
    "Give me a beer, please.": ["ビールをください。"],
    "I would like beer.": ["ビールをください。"],
    "I'd like a beer, please.": ["ビールをください。"],
}
"""The table of section 4.2."""


def test_the_example_of_the_paper(empty: Store) -> None:
    import_rows(empty, [(english, japanese) for english, all_ in BEER.items() for japanese in all_], ("eng", "jpn"))
    report = finished(detect(empty, "eng"))
    assert report == DetectionReport(6, 30, report.seconds)
    found = stored(empty)
    assert {sentence: set(others) for sentence, others in found.items()} == {
        sentence: set(BEER) - {sentence} for sentence in BEER
    }
    assert found["Can I have a beer?"]["A beer, please."] == Shared(1, ("jpn",), 1 / 6)
    assert found["A beer, please."]["Can I have a beer?"] == Shared(1, ("jpn",), 1 / 3 / 6)
    japanese = finished(detect(empty, "jpn"))
    assert (japanese.sentences, japanese.pairs) == (7, 3 * 2 + 5 * 4)
    assert set(stored(empty, "jpn")["ビール。"]) == set(BEER["Beer, please."]) - {"ビール。"}

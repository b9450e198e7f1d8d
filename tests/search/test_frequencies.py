"""Frequency lists and keywords against counting one by one, and which tokens are counted."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from itertools import chain, pairwise
from pathlib import Path

import pytest
from corpora import Row, filled_store, import_file, import_rows, near, write_rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.text import is_word
from corpusdb.corpus.store import Store
from corpusdb.search.lexical import keyness_likelihood, log_ratio, significance, simple_maths
from corpusdb.search.queries.frequencies import (
    Count,
    Frequency,
    FrequencyList,
    Keyness,
    Keyword,
    KeywordComparison,
    frequency_list,
    keywords,
)
from corpusdb.search.queries.token_selection import TokenSelection, require_language, select_tokens
from corpusdb.search.token_corpus import tokenise

ENG = TokenSelection("eng")


def grams_of(text: str, count: Count) -> list[str]:
    """The n-grams of one sentence, by the definition."""
    if count.tokens.fold_case:
        text = text.lower()
    units = tokenise(text) if count.unit == "word" else list(text)
    grams = [units[i : i + count.n] for i in range(len(units) - count.n + 1)]
    if count.tokens.words_only:
        grams = [gram for gram in grams if all(map(is_word, gram))]
    return [" ".join(gram) if count.unit == "word" else "".join(gram).replace(" ", "␣") for gram in grams]


def by_hand(texts: Sequence[str], count: Count) -> FrequencyList:
    """A list of delimited scripts, by the definition."""
    each = [grams_of(text, count) for text in set(texts)]
    counts = Counter(gram for grams in each for gram in grams)
    sentences = Counter(gram for grams in each for gram in set(grams))
    found = [
        text
        for text in counts
        if counts[text] >= count.least and (count.pattern is None or re.search(count.pattern, text))
    ]
    total = sum(counts.values())
    rows = [
        Frequency(text, counts[text], near(counts[text] * 1e6 / total), sentences[text])
        for text in sorted(found, key=lambda text: (-counts[text], text))
    ]
    return FrequencyList(total, len(counts), len(found), len(set(texts)), tuple(rows))


texts = st.lists(st.text("ab. I'", min_size=1, max_size=12).map(str.strip).filter(bool), min_size=1, max_size=8)
counts = st.builds(
    Count,
    tokens=st.builds(TokenSelection, language=st.just("eng"), fold_case=st.booleans(), words_only=st.booleans()),
    unit=st.sampled_from(["word", "char"]),
    n=st.integers(1, 4),
    least=st.integers(1, 3),
    pattern=st.sampled_from([None, "a", "^I"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(texts=texts, count=counts)
def test_lists_are_those_of_counting_by_hand(texts: list[str], count: Count, empty: Store) -> None:
    with empty.write() as connection:
        connection.execute("delete from sentence")
        connection.executemany(
            "insert into sentence (language, text) values ('eng', ?)", [(text,) for text in set(texts)]
        )
    if count.tokens.fold_case and count.pattern is not None:
        count = replace(count, pattern=count.pattern.lower())
    found = frequency_list(empty, count, limit=0)
    assert found == by_hand(texts, count)
    if count.least == 1 and count.pattern is None:
        assert sum(row.count for row in found.rows) == found.total
    for limit in (1, 2, 5):
        assert frequency_list(empty, count, limit).rows == found.rows[:limit]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(texts=texts, n=st.integers(3, 5), least=st.integers(1, 3))
def test_frames_are_those_of_counting_by_hand(texts: list[str], n: int, least: int, empty: Store) -> None:
    with empty.write() as connection:
        connection.execute("delete from sentence")
        connection.executemany(
            "insert into sentence (language, text) values ('eng', ?)", [(text,) for text in set(texts)]
        )
    fillers: dict[str, list[str]] = {}
    for text in set(texts):
        units = tokenise(text)
        for start in range(len(units) - n + 1):
            for gap in range(start + 1, start + n - 1):
                frame = " ".join([*units[start:gap], "*", *units[gap + 1 : start + n]])
                fillers.setdefault(frame, []).append(units[gap])
    found = frequency_list(empty, Count(ENG, n=n, least=least, open_slot=True), limit=0)
    assert {row.text: (row.count, row.fillers) for row in found.rows} == {
        frame: (len(each), len(set(each))) for frame, each in fillers.items() if len(each) >= least
    }
    assert [row.text for row in found.rows] == sorted(
        (row.text for row in found.rows), key=lambda text: (-len(fillers[text]), text)
    )


def test_an_open_slot_needs_words_on_both_sides(empty: Store) -> None:
    with pytest.raises(UsageError, match="three units or more"):
        frequency_list(empty, Count(ENG, n=2, open_slot=True))


JAPANESE = [("トムはJohn Smithと話す。", "a"), ("トムは「話す」。", "b")]


@pytest.mark.parametrize(
    ("unit", "n", "words_only", "present"),
    [
        ("word", 2, False, ["トム", "ムは", "はJohn", "John Smith", "Smithと", "す。", "「話", "」。"]),
        ("word", 2, True, ["ムは", "John Smith", "話す"]),
        ("char", 3, False, ["n␣S", "は「話"]),
        ("char", 3, True, ["トムは", "Smi"]),
    ],
)
def test_texts_are_joined_as_their_script_has_it(
    unit: str, n: int, words_only: bool, present: list[str], empty: Store
) -> None:
    import_rows(empty, JAPANESE, ("jpn", "eng"))
    count = Count(TokenSelection("jpn", words_only=words_only), "word" if unit == "word" else "char", n)
    found = {row.text for row in frequency_list(empty, count, limit=0).rows}
    assert set(present) <= found
    assert not words_only or not any(mark in text for text in found for mark in "「」。␣")


def test_a_word_behind_a_mark_does_not_follow_the_one_before_it(empty: Store) -> None:
    import_rows(empty, [("yes, sir", "a")])
    assert frequency_list(empty, Count(replace(ENG, words_only=True), n=2)).rows == ()


def test_marks_on_letters_are_parts_of_words_among_characters(empty: Store) -> None:
    import_rows(empty, [("हिन्दी", "a")], ("hin", "eng"))
    found = frequency_list(empty, Count(TokenSelection("hin", words_only=True), "char"), limit=0)
    assert {row.text for row in found.rows} == set("हिन्दी")


def two_collections(store: Store) -> None:
    """Two files of one collection and one of another, with a sentence that all have."""
    folder = store.path.parent
    files: dict[str, tuple[str, list[Row]]] = {
        "tea.tsv": ("drinks", [("tea please", "1"), ("more tea", "2"), ("hello", "3"), ("hello", "4")]),
        "beer.tsv": ("drinks", [("beer please", "5"), ("hello", "6")]),
        "soup.tsv": ("food", [("soup please", "7"), ("more soup , more soup", "8"), ("hello", "9")]),
    }
    for name, (collection, rows) in files.items():
        import_file(store, write_rows(folder / name, rows), ("eng", "fra"), collection)


@pytest.mark.parametrize(
    ("collection", "document", "expected"),
    [
        (None, None, {"please": 3, "hello": 1, "more": 3, "soup": 3, "tea": 2, "beer": 1, ",": 1}),
        ("drinks", None, {"please": 2, "hello": 1, "more": 1, "tea": 2, "beer": 1}),
        ("drinks", "beer.tsv", {"please": 1, "hello": 1, "beer": 1}),
        (None, "soup.tsv", {"please": 1, "hello": 1, "more": 2, "soup": 3, ",": 1}),
    ],
)
def test_a_collection_or_document_alone(
    collection: str | None, document: str | None, expected: dict[str, int], empty: Store
) -> None:
    two_collections(empty)
    selection = TokenSelection("eng", collection, document)
    found = frequency_list(empty, Count(selection), limit=0)
    assert {row.text: row.count for row in found.rows} == expected
    characters = frequency_list(empty, Count(selection, "char"), limit=0)
    assert characters.sentences == found.sentences
    assert {row.text for row in characters.rows} - {"␣"} == set("".join(expected))


def test_dispersion_counts_a_sentence_in_each_of_its_documents(empty: Store) -> None:
    """By hand: sizes 5, 3 and 8; "please" 1, 1, 1; "soup" 0, 0, 3; "hello" stands in all, and once in the list."""
    two_collections(empty)
    rows = frequency_list(empty, Count(ENG, dispersion=True), limit=0).rows
    spread = {row.text: row.dispersion for row in rows}
    please, soup, hello = spread["please"], spread["soup"], spread["hello"]
    assert please is not None and hello is not None and astuple(please)[:4] == astuple(hello)[:4]
    assert (please.range, please.dp) == (3, near((1 / 3 - 5 / 16 + 1 / 3 - 3 / 16 + 8 / 16 - 1 / 3) / 2))
    assert soup is not None
    assert astuple(soup)[:4] == (1, near(0.0), near(0.5), near(0.5 / (1 - 3 / 16)))
    alone = frequency_list(empty, Count(replace(ENG, collection="drinks"), dispersion=True), limit=0).rows
    assert {row.text: row.dispersion.range for row in alone if row.dispersion} == {
        "please": 2,
        "hello": 2,
        "tea": 1,
        "more": 1,
        "beer": 1,
    }


def test_documents_inside_a_file_are_parts_of_their_own(empty: Store) -> None:
    import_rows(empty, [("tea please", "1"), ("more tea", "2"), ("no more", "3")])
    with empty.write() as connection:
        connection.execute("insert into section (id, document, number, name) values (7, 1, 1, 'd1'), (8, 1, 2, 'd2')")
        connection.execute("insert into unit (document, line, section) values (1, 1, 7), (1, 2, 8)")
    rows = frequency_list(empty, Count(ENG, dispersion=True)).rows
    ranges = {row.text: row.dispersion.range for row in rows if row.dispersion}
    assert ranges == {"tea": 2, "more": 2, "please": 1, "no": 1}  # the third line is in no document, but in the file
    with pytest.raises(UsageError, match="are in 1"):
        frequency_list(empty, Count(replace(ENG, document="d1"), dispersion=True))


def test_dispersion_needs_two_documents(empty: Store) -> None:
    two_collections(empty)
    with pytest.raises(UsageError, match="two documents or more"):
        frequency_list(empty, Count(replace(ENG, document="tea.tsv"), dispersion=True))


@pytest.mark.parametrize(
    ("count", "error", "message"),
    [
        (Count(ENG, n=0), UsageError, "n is 1 or more"),
        (Count(ENG, pattern="("), UsageError, "not a regular expression"),
        (Count(replace(ENG, collection="nowhere")), InputError, "nowhere"),
        (Count(replace(ENG, document="nowhere"), "char"), InputError, "nowhere"),
    ],
)
def test_what_cannot_be_counted(count: Count, error: type[Exception], message: str, empty: Store) -> None:
    import_rows(empty, [("one", "un")])
    with pytest.raises(error, match=message):
        frequency_list(empty, count)


def test_case_is_ignored_by_the_pattern_too(empty: Store) -> None:
    import_rows(empty, [("Tea TEA tea", "a")])
    (row,) = frequency_list(empty, Count(replace(ENG, fold_case=True), pattern="^TEA$")).rows
    assert (row.text, row.count, row.sentences) == ("tea", 3, 1)
    assert frequency_list(empty, Count(ENG, pattern="^Tea$")).found == 1


def test_a_corpus_without_ngrams_of_that_length(empty: Store) -> None:
    import_rows(empty, [("one two", "a")])
    assert frequency_list(empty, Count(ENG, n=3)) == FrequencyList(0, 0, 0, 1, ())


@pytest.mark.parametrize("cells", [1, 12, 1 << 22])
def test_dispersion_is_measured_in_blocks(cells: int, empty: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row gets its own, whatever the order and however many fit into a block."""
    monkeypatch.setattr("corpusdb.search.queries.frequencies.BLOCK_CELLS", cells)
    chance = random.Random(7)
    for number in range(4):
        import_rows(empty, [(" ".join(chance.choices("abcdefgh", k=6)), f"{number}-{i}") for i in range(30)])
    rows = frequency_list(empty, Count(ENG, dispersion=True), limit=0).rows
    documents: dict[int, list[str]] = {}
    for document, text in empty.connection.execute(
        "select distinct document, text from occurrence join sentence on sentence.id = sentence where language = 'eng'"
    ):
        documents.setdefault(document, []).extend(text.split())
    for row in rows:
        shares = [words.count(row.text) for words in documents.values()]
        sizes = [len(words) for words in documents.values()]
        dp = sum(abs(a / sum(shares) - b / sum(sizes)) for a, b in zip(shares, sizes, strict=True)) / 2
        assert row.dispersion is not None and row.dispersion.dp == near(dp)


COLLECTIONS: dict[str, list[str]] = {
    "drinks": ["tea please", "more tea", "Tea , tea", "hello", "hello", "no beer please"],
    "food": ["soup please", "more soup", "hello", "bread please", "no bread"],
    "travel": ["a ticket please", "hello", "no ticket"],
}
DRINKS = TokenSelection("eng", "drinks")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with filled_store(tmp_path, fill) as store:
        yield store


def fill(store: Store) -> None:
    for name, texts in COLLECTIONS.items():
        rows: list[Row] = [(text, f"{name} {number}") for number, text in enumerate(texts)]
        import_file(store, write_rows(store.path.parent / f"{name}.tsv", rows), ("eng", "fra"), name)


IN_DRINKS, IN_FOOD, IN_ANY = ({*COLLECTIONS["drinks"]}, {*COLLECTIONS["food"]}, {*chain(*COLLECTIONS.values())})


def sequences(texts: set[str], n: int) -> Counter[str]:
    split = [text.split() for text in texts]
    return Counter(" ".join(words[at : at + n]) for words in split for at in range(len(words) - n + 1))


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize(("reference", "others"), [(None, IN_ANY - IN_DRINKS), ("food", IN_FOOD)])
@pytest.mark.parametrize("measure", ["loglikelihood", "logratio", "diff", "simple"])
@pytest.mark.parametrize("negative", [False, True])
def test_every_figure_of_every_keyword(
    reference: str | None, others: set[str], measure: Keyness, negative: bool, n: int, store: Store
) -> None:
    """A sentence of the target is in the rest no more, but may be in a reference that is named."""
    target, counts = sequences(IN_DRINKS, n), sequences(others, n)
    sizes = target.total(), counts.total()
    expected = []
    for word in {*target, *counts}:
        a, b = target[word], counts[word]
        if (a / sizes[0] < b / sizes[1]) if negative else (a / sizes[0] > b / sizes[1]):
            table = (a, b, *sizes)
            likelihood = float(keyness_likelihood(*table))
            row = Keyword(
                text=word,
                count=a,
                reference_count=b,
                per_million=near(1e6 * a / sizes[0]),
                reference_per_million=near(1e6 * b / sizes[1]),
                loglikelihood=near(-likelihood if negative else likelihood),
                significance=near(float(significance(likelihood))),
                logratio=near(float(log_ratio(*table))),
                diff=near(100 * (a * sizes[1] / (b * sizes[0]) - 1)) if b else None,
                simple=near(float(simple_maths(*table))),
            )
            expected.append(row)
    comparison = KeywordComparison(DRINKS, reference, negative=negative, least=1, n=n)
    found = keywords(store, comparison, measure, limit=0)
    assert (found.target_tokens, found.reference_tokens, found.found) == (*sizes, len(expected))
    assert sorted(found.rows, key=lambda row: row.text) == sorted(expected, key=lambda row: row.text)
    values = [float("inf") if getattr(row, measure) is None else getattr(row, measure) for row in found.rows]
    assert values == sorted(values, reverse=not negative)
    assert keywords(store, comparison, measure, limit=1).rows == found.rows[:1]


def test_the_most_typical_words(store: Store) -> None:
    assert keywords(store, KeywordComparison(DRINKS, least=1)).rows[0].text == "tea"
    folded = keywords(store, KeywordComparison(replace(DRINKS, fold_case=True, words_only=True), least=1)).rows
    assert (folded[0].text, folded[0].count) == ("tea", 4)
    assert "," not in {row.text for row in folded}
    pairs = keywords(store, KeywordComparison(replace(DRINKS, words_only=True), least=1, n=2)).rows
    assert "Tea tea" not in {row.text for row in pairs}, "what has a mark between does not stand side by side"


def test_what_is_too_rare_or_not_significant_is_left_out(store: Store) -> None:
    every = keywords(store, KeywordComparison(DRINKS, least=1)).rows
    assert {row.text for row in keywords(store, KeywordComparison(DRINKS, least=2)).rows} == {
        row.text for row in every if row.count >= 2
    }
    few = keywords(store, KeywordComparison(DRINKS, least=1, significance=0.05)).rows
    assert few == tuple(row for row in every if row.significance <= 0.05)
    assert 0 < len(few) < len(every)


def test_smoothing_prefers_frequent_words(store: Store) -> None:
    little, much = (
        {row.text: row.simple for row in keywords(store, KeywordComparison(DRINKS, least=1, smoothing=n)).rows}
        for n in (1.0, 1e6)
    )
    assert little["beer"] > 10_000 and much["beer"] < 1.1 < much["tea"]


def test_a_document_against_the_rest_and_against_a_collection(store: Store) -> None:
    document = TokenSelection("eng", None, "travel.tsv")
    assert keywords(store, KeywordComparison(document, least=1)).rows[0].text == "ticket"
    assert (
        keywords(store, KeywordComparison(document, "food", least=1)).reference_tokens == sequences(IN_FOOD, 1).total()
    )


def test_what_counts_in_both_parts_is_counted(store: Store) -> None:
    within = keywords(store, KeywordComparison(DRINKS, DRINKS.collection, least=1))
    assert within.shared_tokens == within.target_tokens == within.reference_tokens
    assert keywords(store, KeywordComparison(DRINKS, least=1)).shared_tokens == 0


@pytest.mark.parametrize(
    ("comparison", "error", "message"),
    [
        (KeywordComparison(TokenSelection("eng")), UsageError, "Name a collection"),
        (KeywordComparison(DRINKS, smoothing=0), UsageError, "above 0"),
        (KeywordComparison(DRINKS, n=4), InputError, "the target has no sequences of 4 tokens"),
        (KeywordComparison(DRINKS, "nowhere"), InputError, "nowhere"),
        (KeywordComparison(replace(DRINKS, collection="nowhere")), InputError, "nowhere"),
        (KeywordComparison(replace(DRINKS, language="jpn")), InputError, "target has no tokens in jpn"),
    ],
)
def test_what_cannot_be_compared(
    comparison: KeywordComparison, error: type[Exception], message: str, store: Store
) -> None:
    with pytest.raises(error, match=message):
        keywords(store, comparison)


def test_a_corpus_of_one_collection_has_nothing_to_compare_with(empty: Store) -> None:
    import_file(empty, write_rows(empty.path.parent / "a.tsv", [("tea", "1")]), ("eng", "fra"), "drinks")
    with pytest.raises(InputError, match="reference has no tokens"):
        keywords(empty, KeywordComparison(DRINKS))


ROWS = [("Do you? Yes, I do.", "a"), ("...", "b"), ("do Do", "c")]


@pytest.mark.parametrize(
    ("fold_case", "words_only", "expected"),
    [
        (False, False, [["Do", "you", "?", "Yes", ",", "I", "do", "."], ["..."], ["do", "Do"]]),
        (True, False, [["do", "you", "?", "yes", ",", "i", "do", "."], ["..."], ["do", "do"]]),
        (False, True, [["Do", "you", "Yes", "I", "do"], [], ["do", "Do"]]),
        (True, True, [["do", "you", "yes", "i", "do"], [], ["do", "do"]]),
    ],
)
def test_folding_and_words(fold_case: bool, words_only: bool, expected: list[list[str]], empty: Store) -> None:
    import_rows(empty, ROWS)
    corpus = select_tokens(empty, TokenSelection("eng", fold_case=fold_case, words_only=words_only))
    texts = [corpus.types[number] for number in corpus.tokens.tolist()]
    starts = [0, *corpus.ends.tolist()]
    assert [texts[a:b] for a, b in pairwise(starts)] == expected
    assert len(corpus.sentences) == len(ROWS)
    if fold_case:
        assert len(set(corpus.types)) == len(corpus.types)


@pytest.mark.parametrize(
    ("token", "expected"),
    [("a", True), ("n't", True), ("5:30", True), ("語", True), ("हि", True), (".", False), ("…", False), ("'", False)],
)
def test_what_is_a_word(token: str, expected: bool) -> None:
    assert is_word(token) is expected


def test_the_language_may_be_left_out_where_there_is_only_one(empty: Store) -> None:
    with pytest.raises(InputError, match="the corpus is empty"):
        require_language(empty, None)
    with empty.write() as connection:
        connection.execute("insert into sentence (language, text) values ('eng', 'one')")
    assert require_language(empty, None) == require_language(empty, "eng") == "eng"
    with pytest.raises(InputError, match="no sentences in fra; there are some in eng"):
        require_language(empty, "fra")
    with empty.write() as connection:
        connection.execute("insert into sentence (language, text) values ('fra', 'un')")
    with pytest.raises(UsageError, match="eng, fra"):
        require_language(empty, None)


@pytest.mark.parametrize("count", [Count(ENG), Count(ENG, n=2), Count(ENG, "char", 2)], ids=["words", "pairs", "chars"])
@pytest.mark.parametrize("words_only", [False, True])
@pytest.mark.parametrize("occurrences", [False, True])
def test_frequency_is_reduced_where_the_corpus_is_read(
    count: Count, words_only: bool, occurrences: bool, empty: Store
) -> None:
    """By the definition of Savický and Hlaváčová: f / N times the sum of min (distance, N / f), going round the end;
    where a repeated sentence stands, not where it first stood, and in words where only these are counted."""
    chance = random.Random(7)
    rows = [" ".join(chance.choices("a b , . c".split(), k=3)) for _ in range(40)]
    import_rows(empty, [(text, f"{number}") for number, text in enumerate(rows[:20])])
    import_rows(empty, [(text, f"{number}") for number, text in enumerate(rows[20:])])
    asked = replace(count, dispersion=True, tokens=replace(ENG, words_only=words_only, occurrences=occurrences))
    places: dict[str, list[int]] = {}
    size = 0
    for text in rows if occurrences else dict.fromkeys(rows):
        units = tokenise(text) if count.unit == "word" else list(text)
        is_counted = [not words_only or is_word(each) for each in units]
        for i in range(len(units) - count.n + 1):
            if all(is_counted[i : i + count.n]):
                joined = (" " if count.unit == "word" else "").join(units[i : i + count.n])
                places.setdefault(joined.replace(" ", "␣") if count.unit == "char" else joined, []).append(
                    size + sum(is_counted[:i])
                )
        size += sum(is_counted)
    expected = {}
    for text, found in places.items():
        reach = size / len(found)
        distances = [after - before for before, after in zip(found, [*found[1:], found[0] + size], strict=True)]
        expected[text] = near(sum(min(each, reach) for each in distances) / reach)
    listed = frequency_list(empty, asked, limit=0).rows
    assert {row.text: row.dispersion.arf for row in listed if row.dispersion} == expected

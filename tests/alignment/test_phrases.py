"""The places of phrase pairs against their counts, what a person rejects, and words in company."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
from calls import Run
from corpora import drawn_pairs, import_rows, new_store, tatoeba
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusdb.alignment.queries import company
from corpusdb.alignment.queries.company import Cooccurrence, cooccurrences, word_sketches
from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.equivalents import (
    EquivalentFilter,
    FoundEquivalent,
    equivalents_of,
    pivots_of,
    seed_substitutions,
)
from corpusdb.alignment.queries.phrase_places import (
    AlignedPhrase,
    PhrasePlaces,
    phrase_places,
    translations_of,
)
from corpusdb.alignment.queries.phrases import (
    RejectedExchanges,
    phrase_key,
    rejected_among,
    rejected_pairs,
    rejections,
    set_rejected,
    shown,
)
from corpusdb.base.errors import DatabaseDamaged, InputError, StoreError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.text import is_word
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.store import Store, open_store
from corpusdb.program.replay_queries import database_inputs
from corpusdb.search.lexical import log_dice, log_likelihood
from corpusdb.search.queries.search import Searcher
from corpusdb.search.queries.token_selection import TokenSelection, select_tokens
from corpusdb.search.token_corpus import TokenCorpus, tokenise

# The places of phrase pairs, found again in the sentences, against the counts that were made of all of them.


MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture
def store(make_once: MakeOnce, tmp_path: Path) -> Iterator[Store]:
    """A copy of a corpus that is aligned once."""
    with open_store(Path(shutil.copy(make_once("phrases-aligned", fill) / "corpus.db", tmp_path))) as opened:
        yield opened


def fill(folder: Path) -> None:
    with new_store(folder) as opened:
        rows = drawn_pairs(random.Random(3), 120)
        rows += [("I don't know, don't I?", "Je ne sais pas, l'eau."), ("The the THE", "le Le la")]
        import_rows(opened, rows)
        import_rows(opened, rows[:30])  # the same pairs in another document count once
        finished(align_languages(opened, "eng", "fra"))


_PAIRS = """
select source.text, target.text, count from phrase_pair
join phrase source on source.id = phrase_pair.source join phrase target on target.id = phrase_pair.target
"""
_WORDS = """
select language, text, unlinked from phrase_count join phrase on phrase.id = phrase_count.phrase
where text not like '% %'
"""


def assert_all_places_are_found(store: Store) -> None:
    """Every stored count, from both sides."""
    searcher = Searcher(store)

    def places(language: str, text: str, translation: str | None) -> PhrasePlaces:
        other = "fra" if language == "eng" else "eng"
        return phrase_places(searcher, AlignedPhrase(language, text, other, translation, is_counted=True))

    rows = store.connection.execute(_PAIRS).fetchall()
    assert len(rows) > 50
    for source, target, count in rows:
        found = places("eng", shown(source), shown(target))
        assert (found.places, found.is_all) == (count, True)
        for pair in found.pairs:
            assert {phrase_key(pair.text[begin:end]) for begin, end in pair.marks} == {source}
            assert {phrase_key(pair.translation[begin:end]) for begin, end in pair.translation_marks} == {target}
        turned = places("fra", shown(target), shown(source))
        assert turned.places == count
        assert sorted((pair.translation, pair.text) for pair in turned.pairs) == sorted(
            (pair.text, pair.translation) for pair in found.pairs
        )
    for language, text, unlinked in store.connection.execute(_WORDS).fetchall():
        assert places(language, shown(text), None).places == unlinked


@pytest.mark.slow
def test_all_counted_places_are_found(store: Store) -> None:
    assert_all_places_are_found(store)


@pytest.mark.slow
@pytest.mark.data
def test_all_counted_places_are_found_in_real_sentences(tmp_path: Path) -> None:
    with new_store(tmp_path) as opened:
        import_rows(opened, tatoeba("fra", 5_000, 250))
        finished(align_languages(opened, "eng", "fra"))
        assert_all_places_are_found(opened)


def test_a_limit_leaves_the_shortest_of_some(store: Store) -> None:
    searcher = Searcher(store)
    asked = AlignedPhrase("eng", "the", "fra", None)
    everything = phrase_places(searcher, asked)
    some = phrase_places(searcher, asked, 2)
    assert len(everything.pairs) > 3
    assert (some.pairs, some.is_all, everything.is_all) == (everything.pairs[:2], False, True)
    sizes = [len(pair.spans) + len(pair.translation_spans) for pair in everything.pairs]
    assert sizes == sorted(sizes)
    assert phrase_places(searcher, asked, len(everything.pairs)).is_all


@pytest.mark.parametrize("text", ["l'", "qu’", "jusqu'", "l'eau", "l'eau d'", "n't", "'s", "dogs'", "'", "o'clock"])
def test_what_is_shown_is_found_again(text: str) -> None:
    key = phrase_key(text)
    assert phrase_key(shown(key)) == key


@pytest.mark.parametrize("text", ["l'", "qu’", "jusqu'", "L'", "de l'"])
def test_a_clitic_that_stands_alone_is_the_word_that_it_is_before_its_host(text: str) -> None:
    assert phrase_key(f"{text}eau") == f"{phrase_key(text)} eau"


@pytest.mark.parametrize("word", ["the", "THE"])
def test_case_does_not_matter(store: Store, word: str) -> None:
    found = phrase_places(Searcher(store), AlignedPhrase("eng", word, "fra", "le"))
    texts = {pair.text[begin:end] for pair in found.pairs for begin, end in pair.marks}
    assert len({text.lower() for text in texts}) == 1 < len(texts)


def test_what_is_not_there_has_no_places(store: Store) -> None:
    searcher = Searcher(store)
    for text, translation in (("nowhere", "le"), ("the", "nowhere"), ("the cat", None), ("the " * 40, "le")):
        assert phrase_places(searcher, AlignedPhrase("eng", text, "fra", translation)).pairs == ()
    with pytest.raises(UsageError, match="at least one word"):
        phrase_places(searcher, AlignedPhrase("eng", " ", "fra", "le"))
    with pytest.raises(InputError, match="no sentences in deu"):
        phrase_places(searcher, AlignedPhrase("eng", "the", "deu", "le"))


def test_links_of_other_tokens_are_refused(store: Store) -> None:
    with store.write() as connection:
        connection.execute("update alignment set tokens_digest = zeroblob(8)")
    with open_store(store.path) as again, pytest.raises(DatabaseDamaged, match="other tokens"):
        phrase_places(Searcher(again), AlignedPhrase("eng", "the", "fra", None))


# What a person rejects is no equivalent any more, whatever is trained, in every place where equivalents are used.


ALL = EquivalentFilter(min_count=1, min_pivot=0.0, min_probability=0.0, with_forms=True)
SHOWN = replace(ALL, with_rejected=True)
SEED = "Tom begins soon, the house."


@pytest.fixture
def rejections_store(make_once: MakeOnce, tmp_path: Path) -> Iterator[Store]:
    with open_store(
        Path(shutil.copy(make_once("rejections-aligned", fill_rejections) / "corpus.db", tmp_path))
    ) as opened:
        yield opened


def fill_rejections(folder: Path) -> None:
    """English with French and with German, which has the words of the French turned round."""
    with new_store(folder) as opened:
        rows = drawn_pairs(random.Random(8), 150)
        import_rows(opened, rows)
        import_rows(opened, [(english, french[::-1]) for english, french in rows], ("eng", "deu"))
        for other in ("fra", "deu"):
            finished(align_languages(opened, "eng", other))


def members(store: Store, word: str, kept: EquivalentFilter = ALL) -> dict[str, FoundEquivalent]:
    return {each.text: each for each in equivalents_of(store, "eng", word, kept=kept).members}


def reject(store: Store, one: str, other: str) -> bool:
    return set_rejected(store, "eng", one, other, is_rejected=True)


@pytest.mark.slow
def test_a_rejection_has_no_direction_and_no_case(rejections_store: Store) -> None:
    before, turned = members(rejections_store, "begins"), members(rejections_store, "starts")
    assert "starts" in before and "begins" in turned
    assert reject(rejections_store, " STARTS", "Begins") and not reject(rejections_store, "begins", "starts")
    assert members(rejections_store, "begins").keys() == before.keys() - {"starts"}
    assert members(rejections_store, "starts").keys() == turned.keys() - {"begins"}
    (pair,) = rejected_pairs(rejections_store)
    assert (pair.language, pair.phrase, pair.equivalent) == ("eng", "begins", "starts")
    assert rejected_pairs(rejections_store, "fra") == [] == list(rejections(rejections_store, "fra"))
    assert rejections(rejections_store, "eng") == (("begins", "starts"),)


def test_it_can_be_seen_and_taken_back(rejections_store: Store) -> None:
    before = equivalents_of(rejections_store, "eng", "begins", kept=ALL)
    reject(rejections_store, "begins", "starts")
    hidden, seen = (equivalents_of(rejections_store, "eng", "begins", kept=kept) for kept in (ALL, SHOWN))
    assert (hidden.rejected, seen.rejected, before.rejected) == (1, 1, 0)
    assert (hidden.total, seen.total) == (before.total - 1, before.total)
    assert [each.is_rejected for each in seen.members] == [each.text == "starts" for each in before.members]
    assert [replace(each, is_rejected=False) for each in seen.members] == list(before.members)
    assert set_rejected(rejections_store, "eng", "starts", "begins", is_rejected=False)
    assert not set_rejected(rejections_store, "eng", "starts", "begins", is_rejected=False)
    assert equivalents_of(rejections_store, "eng", "begins", kept=ALL) == before
    assert reject(rejections_store, "begins", "starts")  # once more, after it was taken back
    unlikely = equivalents_of(rejections_store, "eng", "begins", kept=replace(ALL, min_probability=1.0))
    assert unlikely.rejected == 0, "what is not shown with what was rejected either is not told"
    assert rejections_store.connection.execute(
        "select count(*), count(undone) from rejected_equivalent"
    ).fetchone() == (2, 1)


def test_the_limit_counts_what_is_left(rejections_store: Store) -> None:
    ranked = equivalents_of(rejections_store, "eng", "begins", kept=ALL).members
    reject(rejections_store, "begins", ranked[0].text)
    assert equivalents_of(rejections_store, "eng", "begins", kept=ALL, limit=2).members == ranked[1:3]


def test_phrases_that_differ_by_it_alone_are_rejected_with_it(rejections_store: Store) -> None:
    before = members(rejections_store, "the house")
    assert "the home" in before
    reject(rejections_store, "house", "home")
    after = members(rejections_store, "the house", SHOWN)
    assert {text for text, each in after.items() if each.is_rejected} == {"the home"}
    assert members(rejections_store, "the house").keys() == before.keys() - {"the home"}
    set_rejected(rejections_store, "eng", "house", "home", is_rejected=False)
    reject(rejections_store, "the house", "the home")  # which says nothing of the words alone
    assert members(rejections_store, "the house").keys() == before.keys() - {"the home"}
    assert "home" in members(rejections_store, "house")


def test_it_survives_another_training_and_other_sentences(rejections_store: Store) -> None:
    reject(rejections_store, "begins", "starts")
    finished(align_languages(rejections_store, "eng", "fra", retrain=True))
    import_rows(rejections_store, drawn_pairs(random.Random(9), 40))
    finished(align_languages(rejections_store, "eng", "fra"))
    assert "starts" not in members(rejections_store, "begins")
    assert members(rejections_store, "begins", SHOWN)["starts"].is_rejected
    assert check(rejections_store, full=True).problems == ()


def test_paraphrases_are_made_without_it(rejections_store: Store) -> None:
    before = {each.text for each in seed_substitutions(rejections_store, "eng", SEED)}
    assert "Tom begins soon, the home." in before
    reject(rejections_store, "house", "home")
    after = {each.text for each in seed_substitutions(rejections_store, "eng", SEED)}
    assert not {text for text in after if "home" in text}
    assert {text for text in before if "house" in text} == {text for text in after if "house" in text} != set()


def test_texts_exchange_what_was_rejected_where_one_has_more_of_each(rejections_store: Store) -> None:
    reject(rejections_store, "film", "movie")
    reject(rejections_store, "first", "first time")
    between = RejectedExchanges(rejections_store, "eng").between
    assert between("I liked the Movie.", "I like that film!") == ("movie", "film")
    assert between("A film, a film.", "A movie, a film.") == ("film", "movie")
    assert between("The first.", "The first time.") == ("first", "first time")
    assert between("The first time.", "The last time.") is None
    for other in ("I liked it.", "The filmed movie.", "No film is a movie."):
        assert between("Not a movie.", other) is None
    assert not RejectedExchanges(rejections_store, "fra")


def test_what_shares_nothing_can_be_rejected_and_a_phrase_with_itself_cannot(rejections_store: Store) -> None:
    assert reject(rejections_store, "never seen", "l'eau")
    texts = ["never seen", "l' eau", "seen"]
    assert rejected_among(rejections_store, "eng", phrase_key("L'EAU"), texts) == {"never seen"}
    for one, other in (("begins", " BEGINS "), ("don't", "do n't"), ("é", "e\N{COMBINING ACUTE ACCENT}")):
        with pytest.raises(UsageError, match="is one phrase"):
            reject(rejections_store, one, other)
    with pytest.raises(UsageError, match="at least one word"):
        reject(rejections_store, "begins", " \t")


@pytest.mark.parametrize(
    "statement",
    [
        "delete from rejected_equivalent",
        "update rejected_equivalent set equivalent = 'zzz'",
        "update rejected_equivalent set language = 'fra'",
        "insert into rejected_equivalent values (9, 'eng', 'b', 'a', '2020', null)",
        "insert into rejected_equivalent values (9, 'eng', 'begins', 'starts', '2020', null)",
    ],
)
def test_the_file_refuses_other_changes(rejections_store: Store, statement: str) -> None:
    reject(rejections_store, "begins", "starts")
    before = rejected_pairs(rejections_store)
    with pytest.raises(StoreError), rejections_store.write() as connection:
        connection.execute(statement)
    assert rejected_pairs(rejections_store) == before != []


def test_a_change_by_another_program_is_found(rejections_store: Store) -> None:
    reject(rejections_store, "begins", "starts")
    path = rejections_store.path
    with closing(sqlite3.connect(path)) as stranger, stranger:
        stranger.execute("update rejected_equivalent set undone = '2020-01-01'")
    assert any("rejected_equivalent" in problem for problem in check(rejections_store).problems)


def test_results_say_that_they_depend_on_it(rejections_store: Store) -> None:
    def inputs() -> list[str]:
        return [each.digest for each in database_inputs(rejections_store) if each.kind == "rejections"]

    assert inputs() == []
    reject(rejections_store, "begins", "starts")
    (first,) = inputs()
    reject(rejections_store, "begins", "soon")
    assert inputs() not in ([], [first])
    set_rejected(rejections_store, "eng", "soon", "begins", is_rejected=False)
    assert inputs() == [first]


_PHRASES = st.sampled_from(["begins", "starts", "soon", "fast", "the house", "the home"])


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(_PHRASES, _PHRASES, st.booleans()), max_size=12))
def test_what_stands_is_what_was_said_last(rejections_store: Store, said: list[tuple[str, str, bool]]) -> None:
    for pair in rejected_pairs(rejections_store):
        set_rejected(rejections_store, "eng", pair.phrase, pair.equivalent, is_rejected=False)
    standing: set[frozenset[str]] = set()
    for one, other, is_rejected in said:
        if one != other:
            pair_of = frozenset((one, other))
            assert set_rejected(rejections_store, "eng", one, other, is_rejected=is_rejected) == (
                (pair_of in standing) != is_rejected
            )
            (standing.add if is_rejected else standing.discard)(pair_of)
    assert {frozenset((each.phrase, each.equivalent)) for each in rejected_pairs(rejections_store)} == standing
    for word in ("begins", "starts"):
        gone = {next(iter(pair - {word})) for pair in standing if word in pair}
        assert members(rejections_store, word).keys() == members(rejections_store, word, SHOWN).keys() - gone


def test_all_pivots_are_those_of_the_equivalent_and_more(rejections_store: Store) -> None:
    for each in equivalents_of(rejections_store, "eng", "begins", kept=ALL).members:
        found = pivots_of(rejections_store, "eng", "begins", each.text)
        assert tuple(found[:3]) == each.pivots
        assert sum(pivot.probability for pivot in found) / 2 == pytest.approx(each.pivot)
    assert pivots_of(rejections_store, "eng", "begins", "nowhere") == []


# Words in company: what stands before and after a word and its translations, counted sentence by sentence.


def beside(sentences: list[list[str]], node: str, steps: range) -> list[tuple[str, int, float]]:
    """The collocates of a word at these steps from it, by the definitions: each place once."""
    near: Counter[str] = Counter()
    every = Counter(word for words in sentences for word in words if word != node)
    for words in sentences:
        own = [place for place, word in enumerate(words) if word == node]
        places = {place + step for place in own for step in steps} & {*range(len(words))}
        near.update(words[place] for place in places if words[place] != node)
    of_node, size, total = sum(words.count(node) for words in sentences), near.total(), every.total()
    found = []
    for word, both in near.items():
        more = both * total > size * every[word]
        if both >= 3 and more and log_likelihood(both, size, every[word], total) >= 10.83:
            found.append((word, both, float(log_dice(both, of_node, every[word]))))
    return sorted(found, key=lambda row: (-row[2], row[0]))[:5]


@pytest.mark.slow
def test_company_of_words_and_of_their_translations(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        rows = drawn_pairs(random.Random(3), 400)
        strong = [("I want strong tea.", "Je veux du thé fort."), ("Strong tea is good.", "Le thé fort est bon.")]
        import_rows(
            store, [(f"{one[:-1]} {number}.", f"{two[:-1]} {number}.") for one, two in strong for number in range(9)]
        )
        import_rows(store, rows)
        finished(align_languages(store, "eng", "fra"))
        texts = {
            language: [
                [token.lower() for token in tokenise(text) if is_word(token)]
                for (text,) in store.connection.execute("select text from sentence where language = ?", (language,))
            ]
            for language in ("eng", "fra")
        }
        with_company = 0
        for word in sorted({word for words in texts["eng"] for word in words if word.isalpha()}):
            own, *others = word_sketches(store, "eng", word, ["fra"])
            assert (own.language, own.count) == ("eng", sum(words.count(word) for words in texts["eng"]))
            members = [each for each in translations_of(store, "eng", word, "fra").members if each.share >= 0.02]
            assert [(each.text, each.count, each.share) for each in others] == [
                (each.text, each.count, each.share) for each in members
            ]
            for sketch in (own, *others):
                if len(tokenise(sketch.text)) > 1:
                    continue
                for side, steps in ((sketch.before, range(-3, 0)), (sketch.after, range(1, 4))):
                    expected = beside(texts[sketch.language], sketch.text.lower(), steps)
                    assert [(each.text, each.count, round(each.logdice, 9)) for each in side] == [
                        (text, count, round(value, 9)) for text, count, value in expected
                    ]
                    with_company += bool(side)
                    for each in side if sketch is not own else ():
                        known = translations_of(store, "fra", each.text, "eng", 1).members
                        assert each.translation == (known[0].text.lower() if known else "")
        assert with_company > 20
        assert word_sketches(store, "eng", "Tea", ["fra"], 1)[0].before[0].text == "strong"


# `corpusdb translations --cooccurring`, against counting by sets.

CHOICE = random.Random(3)
PAIRS = [
    (f"{' '.join(CHOICE.choices('abcde', k=4))} {number}", f"{' '.join(CHOICE.choices('uvwxyz', k=5))} {number}")
    for number in range(80)
]
PAIRS += [(f"give it up {number}", f"laisse donc tomber {number}") for number in range(80, 95)]


@pytest.fixture
def corpus(run: Run, tmp_path: Path) -> Path:
    (tmp_path / "p.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in PAIRS), encoding="utf-8")
    assert run("import", "p.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "holds"),
    [("a b", lambda text: "a b" in text), ('"give" []? "up"', lambda text: "give" in text), ("c", lambda t: "c" in t)],
)
def test_what_stands_in_translations_is_counted(run: Run, corpus: Path, asked: str, holds: object) -> None:
    def has(text: str, sequence: str) -> bool:
        return f" {sequence} " in f" {text} "

    assert callable(holds)
    chosen = {other for one, other in PAIRS if holds(one)}
    every = [other.split() for _, other in PAIRS]
    sequences = {" ".join(w[at : at + n]) for w in every for n in (1, 2, 3) for at in range(len(w) - n + 1)}
    expected = {}
    for each in sequences:
        count = sum(has(text, each) for text in chosen)
        frequency = sum(has(text, each) for _, text in PAIRS)
        likelihood = float(log_likelihood(count, len(chosen), frequency, len(PAIRS)))
        if count > 1 and likelihood >= 10.83 and count / len(chosen) > frequency / len(PAIRS):
            expected[each] = (count, frequency, float(log_dice(count, len(chosen), frequency)))
    expected = {
        each: figures
        for each, figures in expected.items()
        if not any(has(other, each) and other != each and expected[other][0] == figures[0] for other in expected)
    }
    result = run("translations", asked, "--with", "fra", "--lang", "eng", "--cooccurring", "-n", "0", "--json")
    found = {each["text"]: (each["count"], each["frequency"], each["logdice"]) for each in json.loads(result.stdout)}
    assert found == {each: pytest.approx(figures) for each, figures in expected.items()}
    assert result.exit_code == (0 if found else 1)
    if "give" in asked:
        assert next(iter(found)) == "laisse donc tomber"


def test_sequences_of_many_types_are_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """From 2.1 million types on three of them are more than 63 bits."""
    with new_store(tmp_path) as store:
        import_rows(store, PAIRS)

        def asked() -> list[Cooccurrence]:
            sentences = select_tokens(store, TokenSelection("eng")).sentences[-15:]
            return cooccurrences(store, sentences, "eng", "fra")[0]

        few = asked()
        types = [f"type {number}" for number in range(1 << 22)]

        def with_more_types(store: Store, selection: TokenSelection) -> TokenCorpus:
            known = select_tokens(store, selection)
            return replace(known, tokens=known.tokens + len(types), types=[*types, *known.types])

        monkeypatch.setattr(company, "select_tokens", with_more_types)
        assert asked() == few
        assert few[0].text == "laisse donc tomber"


def test_the_language_is_that_in_which_what_is_asked_has_translations(run: Run, corpus: Path) -> None:
    """Nothing need be aligned; what stands in several languages is told."""
    (corpus / "q.tsv").write_text("uno\tgive it up\nuno\tdrop it\nit\tdrop it\n", encoding="utf-8")
    assert run("import", "q.tsv", "--lang", "spa,deu", "--header", "no").exit_code == 0
    for asked in ('"give" []? "up"', "give it up"):
        call = ("translations", asked, "--with", "fra", "--cooccurring", "--json")
        assert run(*call).stdout == run(*call, "--lang", "eng").stdout != ""
    for asked, told in (
        ('"drop"', "'\"drop\"' is in no sentence of deu or eng or spa with a translation into fra"),
        ('[lemma="drop"]', "no attribute lemma"),
    ):
        result = run("translations", asked, "--with", "fra", "--cooccurring")
        assert (result.exit_code, told in result.stderr) == (2, True), result.stderr
    (corpus / "r.tsv").write_text("give it up\tlaisse\n", encoding="utf-8")
    assert run("import", "r.tsv", "--lang", "ita,fra", "--header", "no").exit_code == 0
    result = run("translations", '"give"', "--with", "fra", "--cooccurring")
    assert "'\"give\"' occurs in eng, ita; say which with --lang" in result.stderr


def test_a_list_that_is_cut_says_so(run: Run, corpus: Path) -> None:
    (corpus / "q.tsv").write_text("".join(f"give {each}\tlaisse {each}\n" for each in range(9)), encoding="utf-8")
    assert run("import", "q.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    call = ("translations", "give", "--with", "fra", "--lang", "eng", "--cooccurring")
    lines = run(*call, "-n", "0", "--format", "tsv").stdout.splitlines()
    every = len(lines) - 1
    assert all(len(cell.replace(".", "").strip("0")) <= 4 for line in lines[1:] for cell in line.split("\t")[1:])
    assert f"{every - 1} more sequence; `-n 0` shows all {every}" in run(*call, "-n", "1").stderr


def test_languages_of_translations_are_none_of_the_word(run: Run, tmp_path: Path) -> None:
    for other in ("deu", "fra"):
        (tmp_path / f"{other}.tsv").write_text("a hand\tx hand\na dog\tx dog\n", encoding="utf-8")
        assert run("import", f"{other}.tsv", "--lang", f"eng,{other}", "--header", "no").exit_code == 0
        assert run("align", "--lang", f"eng,{other}").exit_code == 0
    assert "occurs in deu, eng; say which" in run("translations", "hand", "--with", "fra").stderr
    found = run("translations", "hand", "--with", "fra,deu")
    assert (found.exit_code, "eng and fra" in found.stderr, "eng and deu" in found.stderr) == (0, True, True)


# `corpusdb translations --where`: only what stands there, of repeated sentences, too.


@pytest.fixture
def spoken(run: Run, tmp_path: Path) -> Path:
    """Sentences each said by Ann or Bob; one that both say, each with a translation of their own."""
    rows = [(one, other, ("Ann", "Bob")[number % 3 == 0]) for number, (one, other) in enumerate(PAIRS)]
    rows += [(f"agreed {number}", f"convenu {number}", "Ann") for number in range(9)]
    rows += [("agreed", "convenu", "Ann"), ("agreed", "entendu", "Bob")]
    lines = "".join("\t".join(row) + "\n" for row in [("eng", "fra", "speaker"), *rows])
    (tmp_path / "spoken.tsv").write_text(lines, encoding="utf-8")
    assert run("import", "spoken.tsv", "--lang", "eng,fra", "--attributes", "speaker").exit_code == 0
    assert run("align", "--lang", "eng,fra").exit_code == 0
    return tmp_path


@pytest.mark.slow
def test_translations_of_a_part_add_up(run: Run, spoken: Path) -> None:
    """Every pair of sentences stands at one place, so that of Ann's and those of others are all."""

    def counts(word: str, *where: str) -> Counter[str]:
        call = ("translations", word, "--with", "fra", "--lang", "eng", "-n", "0", "--json")
        found = json.loads(run(*call, *(each for one in where for each in ("--where", one))).stdout)
        assert (
            sum(each["count"] for each in found["members"]) + found["unlinked"] + found["unpaired"]
            == (found["occurrences"])
        )
        if where:
            assert found["standing"]["places"] == found["occurrences"]
        return Counter({"": found["unlinked"]} | {each["text"]: each["count"] for each in found["members"]})

    told = 0
    for word in ("a", "b", "e", "give", "it", "up", "give it up", "a b", "agreed"):
        everywhere = counts(word)
        assert counts(word, "speaker=*") == everywhere
        assert counts(word, "speaker=Ann") + counts(word, "speaker!=Ann") == +everywhere
        told += len(everywhere)
    assert told > 20


def test_a_repeated_sentence_has_the_translation_that_it_has_there(run: Run, spoken: Path) -> None:
    call = ("translations", "agreed", "--with", "fra", "--where")
    result = run(*call, "speaker=Bob")
    assert "entendu" in result.stdout
    assert "convenu" not in result.stdout
    assert "occurs once in 1 pair of eng and fra sentences where speaker=Bob" in result.stderr
    pairs = json.loads(run(*call, "speaker=Ann", "--pairs", "convenu", "-n", "0", "--json").stdout)["pairs"]
    assert sorted(each["text"] for each in pairs) == sorted(["agreed", *(f"agreed {number}" for number in range(9))])
    assert run(*call, "speaker=Bob", "--pairs", "convenu").exit_code == 1
    own, *others = json.loads(run(*call, "speaker=Bob", "--sketch", "--json").stdout)
    assert (own["count"], [(each["text"], each["count"]) for each in others]) == (1, [("entendu", 1)])
    told = run(*call, "speaker=Ann", "--cooccurring").stderr
    assert "10 sentences have 'agreed', with 10 translations" in told
    assert "with 1 translation" in run(*call, "speaker=Bob", "--cooccurring").stderr
    for where, code in (("role=boss", 3), ("speaker=Cy", 3), ("boss", 2)):
        assert run(*call, where).exit_code == code

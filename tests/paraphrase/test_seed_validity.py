"""The validity of the paraphrases of a seed: its steps, one pivot language, and seeds that the corpus does not hold."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterable, Iterator
from itertools import permutations, product
from pathlib import Path
from typing import Any
from weakref import ReferenceType, ref

import numpy as np
import pytest
from brute_force import fluency
from corpora import (
    Row,
    derived_rows,
    generated_store,
    import_rows,
    judged_rows,
    near,
    new_store,
    random_rows,
    two_exchanges,
)

from corpusdb.base.estimates import log_odds, logistic
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.model import Finding
from corpusdb.corpus.orders import ONE_PIVOT
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Store, open_store
from corpusdb.corpus.store.runs import exclusive
from corpusdb.paraphrase import known
from corpusdb.paraphrase import validity as validity_models
from corpusdb.paraphrase.applying import CorpusJudge
from corpusdb.paraphrase.known import ReadExchange
from corpusdb.paraphrase.logistic import BoostedModel
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.queries import rewordings, seed_rewordings, seeds, validity_update
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, NO_FILTER
from corpusdb.paraphrase.queries.models import NgramIndex, load_ngrams, shared_ngrams
from corpusdb.paraphrase.queries.origins.registry import origin_marks
from corpusdb.paraphrase.queries.paraphrases import explain, generations_of, paraphrases, validity_pivots
from corpusdb.paraphrase.queries.rewordings import load_exchanges, load_judge
from corpusdb.paraphrase.queries.seed_rewordings import SeedRewordings, validity_steps
from corpusdb.paraphrase.queries.seeds import SeedValidity
from corpusdb.paraphrase.sharing import WHOLE
from corpusdb.paraphrase.validity import READ
from corpusdb.people.queries.sessions import create_session
from corpusdb.people.queries.views import SeedReader
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets

# What the validity is made of beside the rates of exchanges, as `explain` tells it.


FRENCH_HAS_ONE_WORD = [
    (f"{word} {whose} hat{number}", f"son{number}", f"{whose}{number}")
    for number, word in enumerate(["take", "see", "give", "lose"] * 6)
    for whose in ("his", "her")
]


@pytest.mark.slow
def test_a_language_that_tells_two_words_apart_bounds_what_another_says(tmp_path: Path) -> None:
    with generated_store(tmp_path, FRENCH_HAS_ONE_WORD, ("eng", "fra", "deu")) as store:
        found = explain(store, "take his hat0", "take her hat0", "eng")
        bound, witness, shared = found.steps
        assert bound.text.startswith("not above 0.1")
        assert "translations into deu 0 share one, 15." in bound.text
        assert witness.text == "deu: 'his0': her is not expected", "the French one is shared, and not asked"
        assert shared.text == "the two share a translation (fra)"
        assert [step.speaks for step in found.steps] == ["<", "-", "+"]
        assert found.validity is not None
        assert found.validity < 0.6, "all 24 pairs share a translation in French"


def test_what_differs_in_one_place_is_explained_without_the_word_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with generated_store(tmp_path, FRENCH_HAS_ONE_WORD, ("eng", "fra", "deu")) as store:
        monkeypatch.setattr(seeds, "load_word_model", None)
        assert explain(store, "take his hat0", "take her hat0", "eng").steps


def test_what_only_an_exchange_speaks_for_says_so(tmp_path: Path) -> None:
    with generated_store(tmp_path, FRENCH_HAS_ONE_WORD, ("eng", "fra", "deu")) as store:
        finding = Finding("exchange", "take her hat0", validity=0.5)

        def told(finding: Finding, *, in_corpus: bool) -> tuple[str, ...]:
            steps = validity_steps(store, "eng", "take his hat0", finding, [], in_corpus=in_corpus)
            return tuple(step.text for step in steps)

        for in_corpus in (True, False):
            bound, *_, last = told(finding, in_corpus=in_corpus)
            assert bound.startswith("not above 0.1")
            assert last == "the two share no translation: only the exchange of words speaks for it here"
        by_analogy = finding._replace(origin="analogy", frequency=1, languages=1, probability=0.5)
        assert not any("no analogy" in step for step in told(by_analogy, in_corpus=True))
        assert told(finding._replace(validity=1.0), in_corpus=True) == (), "a person says so"


def test_what_readers_said_of_an_exchange_counts_beside_other_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with generated_store(tmp_path, seed_rewordings_rows()) as store:
        read = ReadExchange(9, 7, 0.0, (0.25, 0.5), {"he": 0.125}, {"quite": 0.125, "late": 9.0})
        judge, said = SeedValidity(store, "eng"), {("'s", "is"): read}
        both = Pair(0, SEED, REWORDED), Pair(0, REWORDED, SEED)
        others = Pair(0, SEED, SEED.replace("is", "was")), Pair(0, SEED, REWORDED.replace("late", "new"))
        monkeypatch.setattr(known, "read_exchanges", {"eng": {}}.__getitem__)
        before = [each.validity for each in judge.judge_applied([*both, *others])]
        by_translation = judge.judge(both, [1, 1], derived=False, detected=True)
        for module in (known, seed_rewordings):
            monkeypatch.setattr(module, "read_exchanges", {"eng": said}.__getitem__)
        after = [each.validity for each in judge.judge_applied([*both, *others])]
        more = log_odds(np.array(after)) - log_odds(np.array(before))
        assert more == pytest.approx([0.75, 0.5, 0.0, 0.0], abs=0.01), "of it alone, by direction and neighbours"
        assert judge.judge(both, [1, 1], derived=False, detected=True) == by_translation
        steps = [step.text for step in explain(store, SEED, REWORDED, "eng").steps]
        told = "of 9 pairs that differ by is / 's alone readers said that 7 hold, or nearly"
        assert f"{told}; more often in this direction and beside these words" in steps


def test_what_readers_make_of_what_the_corpus_teaches_is_told_where_it_is_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with generated_store(tmp_path, FRENCH_HAS_ONE_WORD, ("eng", "fra", "deu")) as store:
        learned = SeedValidity(store, "eng").learned(Pair(0, "take his hat0", "take her hat0"), derived=False)
        assert learned > 0.9, "all 24 pairs of sentences share a translation in French"
        monkeypatch.setattr(SeedValidity, "learned", lambda *asked, **options: 0.3)
        for validity, is_told in ((0.5, True), (0.34, False), (0.1, False)):
            finding = Finding("exchange", "take her hat0", validity=validity)
            *_, (last, _) = validity_steps(store, "eng", "take his hat0", finding, [], in_corpus=True)
            assert ("alone teaches 0.300;" in last and last.endswith("raises that to 0.500")) == is_told


def test_what_judges_all_sentences_of_one_pivot_language_sees_the_words_that_it_does_not(tmp_path: Path) -> None:
    given = [
        (f"{what} {who}{number}", f"{number} {same}")
        for number in range(24)
        for same, group in enumerate((("nimm", "hol"), ("iss",)))
        for what in group
        for who in ("deinen Hut", "euren Hut")
    ]
    with new_store(tmp_path) as store:
        import_rows(store, given, ("deu", "eng"))
        finished(generate(store, "deu"))
        judge = load_judge(store, sentences_after(store, "deu", 0), load_exchanges(store, "deu"), "deu")
        texts = [f"{what} {who}0" for what in ("nimm", "hol") for who in ("deinen Hut", "euren Hut")]
        pairs = [Pair(0, seed, text) for seed, text in permutations(texts, 2)]
        found = judge(pairs)
        assert found == SeedValidity(store, "deu").judge_applied(pairs)
        told = {(each.seed, each.text): said.validity for each, said in zip(pairs, found, strict=True)}
        assert told[texts[0], texts[1]] <= ONE_PIVOT < told[texts[0], texts[2]]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["deu", "fra"])
def test_pairs_through_one_language_that_were_read_tell_what_it_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """In German, of what analogies make; else a little less is left than of what several languages say."""
    monkeypatch.setattr(validity_models, "READ_THROUGH_ONE", {"deu": BoostedModel(4.0, ())})
    usual = BoostedModel(5.0, ())
    monkeypatch.setattr(validity_models, "READ", READ._replace(derived=usual, detected=usual))
    given = [
        (f"{what} {whose} Hut{number}", f"{same}{number}")
        for number in range(8)
        for same, group in enumerate((("nimm", "hol"), ("iss",)))
        for what in group
        for whose in (("deinen", "euren") if language == "deu" else ("ton", "votre"))
    ]
    with new_store(tmp_path) as store:
        import_rows(store, given, (language, "eng"))
        finished(generate(store, language))
        query = (
            "select seed.text, candidate.text, frequency, languages, probability, validity"
            " from candidate join seed on seed.id = candidate.seed"
        )
        read, most = {"deu": (4.0, 1.0), "fra": (5.0, 0.98)}[language]
        told = set()
        for seed, text, *known, validity in store.connection.execute(query):
            is_hidden = seed.split()[1] != text.split()[1]
            expected = float(logistic(np.array(read))) * (ONE_PIVOT if is_hidden else most)
            assert validity == round(expected, 4), (seed, text)
            pair = Pair(0, seed, text, *known)
            assert SeedValidity(store, language).judge([pair], [1])[0].validity == validity
            told.add(is_hidden)
        assert told == {False, True}


def test_what_judges_all_sentences_says_what_the_database_says_of_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {("see", "take"): ReadExchange(9, 1, -2.0, (0.5, -0.5), {"^": 0.25}, {"his": 1.0, "my": -1.0})}
    monkeypatch.setattr(known, "read_exchanges", {"eng": said}.__getitem__)
    with generated_store(tmp_path, FRENCH_HAS_ONE_WORD, ("eng", "fra", "deu")) as store:
        sentences = sentences_after(store, "eng", 0)
        exchanges = load_exchanges(store, "eng")
        judge = load_judge(store, sentences, exchanges, "eng")
        texts = [*(text for _, text in sentences[:8]), "take my hat0", "see my hat0"]
        pairs = [Pair(0, seed, text) for seed, text in permutations(texts, 2)]
        found = judge(pairs)
        assert found == SeedValidity(store, "eng").judge_applied(pairs)
        assert len({each.validity for each in found}) > 3
        translated = finished(exclusive("measure")(validity_update.judge_paraphrases)(store, "eng")).translated
        assert len(translated) == 2
        assert load_judge(store, sentences, exchanges, "eng", translated)(pairs) == found


def test_what_tells_of_fluency_is_let_go_while_exchanges_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both together would be most of the memory that generation takes."""
    held: list[ReferenceType[NgramIndex]] = []
    at_judging: list[list[bool]] = []
    judged = rewordings.load_judge

    def loaded(store: Store, language: str) -> NgramIndex:
        found = load_ngrams(store, language)
        held.append(ref(found))
        return found

    def judge(*given: Any) -> CorpusJudge:
        gc.collect()
        at_judging.append([each() is None for each in held])
        return judged(*given)

    monkeypatch.setattr(rewordings, "load_ngrams", loaded)
    monkeypatch.setattr(rewordings, "load_judge", judge)
    with new_store(tmp_path) as store:  # generated here, and not copied from another test
        import_rows(store, two_exchanges())
        finished(generate(store, "eng"))
        assert store.connection.execute("select count(*) from rewording").fetchone()[0]
    assert (at_judging, len(held)) == ([[True]], 2)


def test_nothing_is_told_where_nothing_was_learned(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        finding = Finding("exchange", "b", validity=0.5)
        assert validity_steps(store, "eng", "a", finding, ["fra"], in_corpus=True) == ()


# One pivot language that does not see all that a paraphrase may change: nothing is more than half probable there.


_VALIDITIES = """
select 'candidate', seed.text, candidate.text, validity from candidate
join seed on seed.id = candidate.seed and seed.language = 'spa'
union all
select 'paraphrase', sentence.text, other.text, validity from paraphrase
join sentence on sentence.id = paraphrase.sentence and sentence.language = 'spa'
join sentence other on other.id = paraphrase.paraphrase
union all
select 'rewording', sentence.text, rewording.text, validity from rewording
join sentence on sentence.id = rewording.sentence and sentence.language = 'spa' and rewording.parts = 1
order by 1, 2, 3
"""


def rows(number: int) -> list[Row]:
    return random_rows(random.Random(number), 60, pivots=8)


def in_other_words(given: Iterable[Row]) -> list[Row]:
    return [(text, f"u{translation}") for text, translation in given]


def made(store: Store, languages: str, number: int) -> Store:
    """A French corpus with its paraphrases, whose translations are into these languages."""
    for language in languages.split():
        import_rows(store, in_other_words(rows(number)) if language == "deu" else rows(number), ("spa", language))
    finished(generate(store, "spa"))
    return store


def validities(store: Store) -> dict[tuple[str, str, str], float]:
    return {tuple(row[:3]): row[3] for row in store.connection.execute(_VALIDITIES)}


@pytest.mark.slow
def test_a_pivot_that_does_not_see_all_halves_every_validity(tmp_path: Path) -> None:
    with new_store(tmp_path, "blind") as blind, new_store(tmp_path, "seeing") as seeing:
        halved, whole = validities(made(blind, "eng", 2)), validities(made(seeing, "ita", 2))
        assert {name for name, *_ in halved} >= {"candidate", "paraphrase"}
        assert max(halved.values()) <= ONE_PIVOT < max(whole.values())
        assert halved == pytest.approx({pair: ONE_PIVOT * each for pair, each in whole.items()}, abs=1e-4)
        (known, other) = (validity_pivots(store, "spa") for store in (blind, seeing))
        assert known is not None
        assert other is not None
        assert (known.languages, known.unseen[:2], other.languages, other.unseen) == (
            ("eng",),
            ("address", "gender"),
            ("ita",),
            (),
        )
        seeds = ["c c b a a.", *(text for text, _ in rows(3))]
        found = [each for seed in seeds for each in paraphrases(blind, seed, "spa", limit=0, kept=NO_FILTER)]
        assert max(each.score for each in found if each.validity is not None) <= ONE_PIVOT, "of unseen seeds, too"


@pytest.mark.slow
@pytest.mark.parametrize("few", [0, 10**9])
@pytest.mark.parametrize("number", range(3))
def test_another_pivot_language_lifts_it_as_a_rebuild_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, few: int
) -> None:
    """Also in a corpus that is large enough to have little that is new judged in place."""
    monkeypatch.setattr(validity_update, "_FEW", few)
    monkeypatch.setattr(validity_update, "_LITTLE", 1.0)
    with new_store(tmp_path, "grown") as grown, new_store(tmp_path, "rebuilt") as rebuilt:
        made(grown, "eng", number)
        assert max(validities(grown).values()) <= ONE_PIVOT
        import_rows(grown, in_other_words(rows(number)), ("spa", "deu"))
        finished(update_layers(grown))
        made(rebuilt, "eng deu", number)
        assert max(validities(grown).values()) > ONE_PIVOT, "an import brings it up to date"
        assert validities(grown) == validities(rebuilt)
        assert (derived_rows(grown), judged_rows(grown)) == (derived_rows(rebuilt), judged_rows(rebuilt))


# Sentences that the corpus does not hold, paraphrased by the exchanges that it speaks for.


WHO = ("It", "That", "He", "She")
WHAT = (
    *("very good", "quite late", "not here", "my friend", "too cold", "so sad", "quite old", "quite new"),
    *("quite sad", "on time", "at home", "in town", "my boss", "too hot", "too big", "so slow", "not ill"),
)
SEED = "He is quite late with everything."
"""New to the corpus, as is what it becomes; all that stands around " is" has been seen."""
REWORDED = "He's quite late with everything."


def seed_rewordings_rows() -> list[Row]:
    """Sentences with " is" and "'s" that share translations, and some with " was" that share none."""
    found: list[Row] = []
    for who, what in product(WHO, WHAT):
        found += [(f"{who} {verb} {what}.", f"{who} {what} {n}") for verb in ("is", "'s") for n in range(3)]
        found += [(f"{who} was {what}.", f"{who} {what} then {n}") for n in range(3)]
    found = [(text.replace(" 's", "'s"), translation) for text, translation in found]
    return [*found, ("He is quite late with his work.", "l0"), ("Tom is with everything.", "l1")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with generated_store(tmp_path, seed_rewordings_rows()) as opened:
        yield opened


def texts(store: Store) -> list[str]:
    return [text for (text,) in store.connection.execute("select text from sentence where language = 'eng'")]


@pytest.mark.slow
def test_replacements_of_a_high_rate_are_made_wherever_they_stand_and_no_others(store: Store) -> None:
    rewordings = SeedRewordings(store, "eng", load_ngrams(store, "eng"))
    familiar = [rewordings.familiar(text) for text in rewordings.exchanges][-1]
    stored = store.connection.execute("select x, y, pairs, shared, expected from exchange").fetchall()
    expected = {}
    for x, y, pairs, shared, parts in stored:
        for before, after in ((x, y), (y, x)):
            of = sum(row[2] for row in stored if before in row[:2])
            rate = (shared + 0.3) / (parts / WHOLE + 1)
            if x and y and parts / WHOLE >= 3 and rate >= 0.625 and pairs / of >= 0.1:
                expected[before, after] = shared, parts / WHOLE
    made = {
        (before, each.after): (each.shared, each.expected)
        for before, partners in familiar.partners.items()
        for each in partners
        if not each.beside
    }
    assert made == expected
    assert {(" is", "'s"), ("'s", " is")} <= set(expected)
    assert not any(" was" in exchange for exchange in expected)


@pytest.mark.slow
def test_orders_count_the_sequences_of_the_seed(store: Store) -> None:
    rewordings = SeedRewordings(store, "eng", load_ngrams(store, "eng"))
    corpus = texts(store)
    assert SEED not in corpus
    found = {each.made.text: each for each in rewordings.of(SEED)}
    assert REWORDED in found
    for text, each in found.items():
        assert each.order == fluency(text, [*corpus, SEED])
        assert each.inner_order == fluency(text, [*corpus, SEED], marks=False)
    assert found[REWORDED].order > fluency(REWORDED, corpus)


def test_many_sentences_are_reworded_as_each_is_alone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = [SEED, *texts(store)[::40], "Nobody is there.", "Nothing.", SEED]
    alone = [
        [each.made for each in SeedRewordings(store, "eng", load_ngrams(store, "eng")).of(text)] for text in sentences
    ]
    together = SeedRewordings(store, "eng", load_ngrams(store, "eng"))
    calls: list[int] = []
    judge = SeedValidity.judge_applied

    def counted(own: SeedValidity, pairs: Any, *given: Any) -> Any:
        calls.append(len(pairs))
        return judge(own, pairs, *given)

    monkeypatch.setattr(SeedValidity, "judge_applied", counted)
    assert together.applied(sentences) == alone
    assert sum(map(bool, alone)) > 2
    assert len(calls) <= 2, "of exchanges, and of frames"


def test_a_replacement_needs_no_neighbour_that_it_is_known_by(store: Store) -> None:
    rewordings = SeedRewordings(store, "eng", load_ngrams(store, "eng"))
    elsewhere, beside = (rewordings.of(f"Nobody is {what}.") for what in ("there", "very sad"))
    assert [each.made.text for each in (*elsewhere, *beside)] == ["Nobody's there.", "Nobody's very sad."]
    assert elsewhere[0].validity < beside[0].validity


@pytest.fixture
def with_word_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Store]:
    monkeypatch.setattr("corpusdb.paraphrase.word_model.LEAST_SENTENCES", 10)
    opening = [
        (f"{word} {who.lower()} sang {what}.", f"{who} sang {what} {n}")
        for word, who, what, n in product(("Maybe", "Perhaps"), WHO, WHAT, range(3))
    ]
    with new_store(tmp_path) as opened:
        import_rows(opened, [*seed_rewordings_rows(), *opening])
        finished(generate(opened, "eng"))
        yield opened


@pytest.mark.slow
def test_what_a_sentence_ends_with_is_reworded_as_by_itself(with_word_model: Store) -> None:
    rewordings = SeedRewordings(with_word_model, "eng", load_ngrams(with_word_model, "eng"))
    clause, other = (f"{word} it sang quite late with everything." for word in ("Maybe", "Perhaps"))
    alone = {each.made.text: each for each in rewordings.of(clause)}[other]
    for opening in ("Well,", "So", "Tom,"):
        seed, text = (f"{opening} {each[0].lower()}{each[1:]}" for each in (clause, other))
        found = {each.made.text: each for each in rewordings.of(seed)}[text]
        assert found.clause == (clause, other)
        assert found.validity == pytest.approx(0.99 * alone.validity, abs=1e-4)
        assert (found.order, found.replacement) == (alone.order, alone.replacement), "it is a sentence by itself"
        assert found.made.text[found.made.begin : found.made.stop] == "perhaps"
        said = explain(with_word_model, seed, text, "eng")
        assert said.reasons[0] == f"the seed ends with {clause!r}, which has the paraphrase {other!r}"
        assert said.steps[-1].text == f"0.99 of the validity of {other!r} as a paraphrase of {clause!r}"


@pytest.mark.slow
def test_of_what_a_sentence_ends_with_the_corpus_has_the_paraphrases(with_word_model: Store) -> None:
    with with_word_model.write() as connection:
        connection.execute("update candidate set validity_parts = 9700, text = replace(text, 'so sad', 'so slow')")
    rewordings = SeedRewordings(with_word_model, "eng", load_ngrams(with_word_model, "eng"))
    made = [each for each in rewordings.of("Tom, she is so sad.") if each.exchange is None]
    told = {(each.made.text, each.validity, each.clause) for each in made}
    assert ("Tom, she's so slow.", 0.9603, ("She is so sad.", "She's so slow.")) in told


def test_without_a_word_model_nothing_is_made_of_what_a_sentence_ends_with(store: Store) -> None:
    rewordings = SeedRewordings(store, "eng", load_ngrams(store, "eng"))
    assert not any(each.clause for each in rewordings.of(f"Well, {SEED}"))


def test_it_passes_the_filter_and_is_ranked_and_marked(store: Store) -> None:
    found = {each.text: each for each in paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER)}
    one = found[REWORDED]
    assert one.origins == ("exchange",)
    assert origin_marks(one) == "  E   "
    assert one.score == one.validity == near(one.findings[0].strength)
    assert (one.in_corpus, one.frequency, one.findings[0].replacement) == (False, 0, 1)
    kept = paraphrases(store, SEED, "eng", limit=0, kept=DEFAULT_FILTER)
    assert [each.text for each in kept] == [text for text, each in found.items() if DEFAULT_FILTER.passes(each)]
    assert REWORDED in {each.text for each in kept}
    assert paraphrases(store, SEED, "eng", generations=generations_of(store, ["detected", "analogy"])) == []


def test_sentences_of_the_corpus_are_left_to_the_analogies(store: Store) -> None:
    for text in texts(store):
        assert paraphrases(store, text, "eng", kept=NO_FILTER, generations=generations_of(store, ["exchange"])) == []


def test_a_file_that_may_only_be_read_is_enough(store: Store) -> None:
    with open_store(store.path, read_only=True) as reading:
        found = paraphrases(reading, SEED, "eng", kept=NO_FILTER, generations=generations_of(reading, ["exchange"]))
    assert found == paraphrases(store, SEED, "eng", kept=NO_FILTER, generations=generations_of(store, ["exchange"]))
    assert found


def test_the_reason_is_told(store: Store) -> None:
    partners = SeedRewordings(store, "eng", load_ngrams(store, "eng")).familiar(SEED).partners[" is"]
    (count,) = (each for each in partners if each.after == "'s")
    (reason,) = explain(store, SEED, REWORDED, "eng").reasons
    assert reason.startswith(f"'is' becomes \"'s\": {count.shared} pairs of sentences")
    assert f"where {count.expected:.1f} would" in reason
    assert explain(store, SEED, SEED, "eng").reasons == ()
    assert explain(store, "It is very good.", "It's very good.", "eng").reasons == ()


def test_references_and_sessions_have_it(store: Store) -> None:
    recipe = Recipe(language="eng", origins=("original", "exchanged"))
    (made,) = finished(attributed_sets(store, [SEED], recipe))
    assert {each.text: each.origins for each in made.references}[REWORDED] == ("exchanged",)
    (without,) = finished(attributed_sets(store, [SEED], Recipe(language="eng", origins=("generated",))))
    assert without.references == ()
    create_session(store, "s", "eng", [SEED])
    with open_store(store.path, read_only=True) as reading:
        reader = SeedReader(reading, lambda: open_store(store.path))
        assert list(reader.read("s").paraphrases) == paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER)


@pytest.mark.slow
def test_what_is_generated_later_is_followed(store: Store) -> None:
    with open_store(store.path, read_only=True) as reading:
        create_session(store, "s", "eng", ["Nobody has gone."])
        reader = SeedReader(reading, lambda: open_store(store.path), origins=["exchange"])
        assert reader.read("s").paraphrases == ()
        particles = "up", "off", "out", "in", "down", "on", "over", "back"
        more = [(f"Nobody has {verb} {each}.", f"nobody {each}") for verb in ("gone", "left") for each in particles]
        import_rows(store, more)
        finished(generate(store, "eng"))
        assert [each.text for each in reader.read("s").paraphrases] == ["Nobody has left."]


@pytest.mark.slow
def test_the_ngrams_are_read_once_for_all_who_hold_them(store: Store) -> None:
    one = shared_ngrams(store, "eng")
    assert shared_ngrams(store, "eng") is one
    import_rows(store, [("Something new.", "n")])
    finished(generate(store, "eng"))
    assert shared_ngrams(store, "eng") is not one

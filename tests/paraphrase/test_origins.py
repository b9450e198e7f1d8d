"""The origins of paraphrases, each by itself, and a new one that is registered here."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from corpora import drawn_pairs, filled_store, generated_store, import_rows, near, random_rows

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.equivalents import EquivalentFilter, equivalents_of, seed_substitutions
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.model import Finding
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.corpus.queries.sentences import sentence_id
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter, filter_at
from corpusdb.paraphrase.queries.origins.made import EQUIVALENT, RULE
from corpusdb.paraphrase.queries.origins.origin import Origin, Seed, SeedGeneration, find_seed
from corpusdb.paraphrase.queries.origins.registry import ORIGINS, origin_marks, select_origins
from corpusdb.paraphrase.queries.origins.stored import analogy_odds, detection_strength
from corpusdb.paraphrase.queries.paraphrases import explain, generations_of, missing_origins, paraphrases
from corpusdb.paraphrase.ranking import EligibleParaphrase, varied
from corpusdb.people.queries.decisions import apply_session, decide, decisions
from corpusdb.people.queries.samples import SampleOptions, draw_sample
from corpusdb.people.queries.sessions import create_session, sample_seeds
from corpusdb.people.queries.verdicts import judging_report, record
from corpusdb.people.queries.views import SeedReader
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets, reference_origins, usual_origins
from corpusdb.search.token_corpus import tokenise


@pytest.mark.parametrize(
    ("frequency", "pivots", "languages", "probability", "expected"),
    [(0, 0, 0, 0.0, 0.0), (1, 1, 1, 0.5, 1 / 2), (3, 1, 1, 0.5, 1.0), (3, 2, 1, 0.5, 2.0), (3, 2, 2, 0.25, 2.0)],
)
def test_odds(frequency: int, pivots: int, languages: int, probability: float, expected: float) -> None:
    """Worked out by hand."""
    assert analogy_odds(frequency, pivots, languages, probability) == pytest.approx(expected)


@pytest.mark.parametrize(("shared", "expected"), [(1, 0.95), (2, 0.99), (3, 0.998)])
def test_strength(shared: int, expected: float) -> None:
    """Worked out by hand."""
    assert detection_strength(shared) == pytest.approx(expected)


_IS_PAIR = """
select count(*) from translation join sentence own on own.id = sentence join sentence other on other.id = translation
where own.text = ? and other.text = ?
"""
SEED = "Tom begins soon, the house."
"""Not in the corpus."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with filled_store(tmp_path, fill) as opened:
        yield opened


def fill(store: Store) -> None:
    rows = [*drawn_pairs(random.Random(8), 300), ("Tom starts soon, the cat.", "Tom commence vite le chat.")]
    import_rows(store, rows)
    import_rows(store, [(english, french[::-1]) for english, french in rows], ("eng", "deu"))
    finished(generate(store, "eng"))


def align(store: Store) -> None:
    for other in ("fra", "deu"):
        finished(align_languages(store, "eng", other))


@pytest.mark.slow
def test_references_have_them_only_where_they_are_asked_for(store: Store) -> None:
    """To align a corpus means to change no test set."""

    def references(*origins: str) -> set[str]:
        recipe = Recipe(language="eng", kept=NO_FILTER, limit=0)
        asked = replace(recipe, origins=(*recipe.origins, *origins))
        found = finished(attributed_sets(store, seeds, asked))
        return {each.text for sets in found for each in sets.references}

    english = "select text from sentence where language = 'eng' order by id limit 20"
    seeds = [text for (text,) in store.connection.execute(english)]

    before = references()
    align(store)
    assert references() == before < references("equivalent")


def test_each_phrase_is_replaced_by_its_equivalents_in_two_languages(store: Store) -> None:
    assert list(seed_substitutions(store, "eng", SEED)) == []
    align(store)
    made = {each.text: each for each in seed_substitutions(store, "eng", SEED)}
    assert {"Tom starts soon, the house.", "Tom begins fast, the house.", "Tom begins soon, the home."} <= made.keys()
    for text, each in made.items():
        assert text[each.begin : each.stop] + SEED[each.begin + len(each.before) :] == text[each.begin :]
        assert SEED[each.begin :].startswith(each.before) and text[: each.begin] == SEED[: each.begin]
        kept = EquivalentFilter(min_probability=0.7, judgement="substituted")
        assert each.equivalent in equivalents_of(store, "eng", each.before, kept=kept).members
        assert each.equivalent.languages == ("deu", "fra")


@pytest.mark.slow
def test_a_capital_at_the_beginning_stays_and_names_stay(store: Store) -> None:
    align(store)
    made = {each.text for each in seed_substitutions(store, "eng", "Begins the House, Tom")}
    assert "Starts the House, Tom" in made
    assert all("the House, Tom" in text for text in made)


@pytest.mark.slow
def test_what_is_put_in_stands_between_such_words_in_the_corpus(store: Store) -> None:
    align(store)
    corpus = "\n".join(["", *(text for (text,) in store.connection.execute("select text from sentence")), ""])
    kept = 0
    for seed in (SEED, "the dog sees large.", "cat", "house begins starts soon fast", "old Tom, likes red"):
        found = {each.text for each in EQUIVALENT.findings(store, find_seed(store, "eng", seed))}
        for each in seed_substitutions(store, "eng", seed):
            text = f"\n{each.text}\n"
            words = tokenise(each.text)
            before, after = tokenise(each.text[: each.begin]), tokenise(each.text[each.stop :])
            assert each.text[each.left : each.begin].split() == before[-1:]
            assert each.text[each.stop : each.right].split() == after[:1]
            assert len(words) >= len(before) + len(after)
            seen = text[each.left : each.stop + 2] in corpus and text[each.begin : each.right + 2] in corpus
            assert (each.text in found) == seen
            kept += seen
    assert kept > 2


def test_it_is_found_ranked_and_explained_like_the_others(store: Store) -> None:
    assert EQUIVALENT.findings(store, find_seed(store, "eng", SEED)) == []
    align(store)
    found = {each.text: each for each in EQUIVALENT.findings(store, find_seed(store, "eng", SEED))}
    one = found["Tom starts soon, the house."]
    assert "Tom begins fast, the house." not in found  # nothing begins "fast,"
    assert SEED not in found and one.languages == 2 and one.validity is not None and one.strength == one.validity
    shown = paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER, generations=generations_of(store, ["equivalent"]))
    assert {each.text for each in shown} == found.keys()
    reasons = explain(store, SEED, one.text, "eng").reasons
    (first,) = (place for place, each in enumerate(reasons) if each.startswith("'begins' becomes 'starts', which"))
    assert "through deu, fra" in reasons[first + 1]
    (pivot,) = equivalents_of(store, "eng", "begins", ("fra",)).members[0].pivots[:1]
    below = [f"  fra 'commence': {pivot.count:,} and {pivot.other_count:,} times, as in"]
    below += [f"       {pivot.example}  {pivot.example_translation}"]
    below += [f"       {pivot.other_example}  {pivot.other_example_translation}"]
    assert any(list(reasons[place : place + 3]) == below for place in range(first, len(reasons)))
    assert all(
        store.connection.execute(_IS_PAIR, pair).fetchone() == (1,)
        for pair in (
            (pivot.example, pivot.example_translation),
            (pivot.other_example, pivot.other_example_translation),
        )
    )
    assert "begins" in pivot.example and "commence" in pivot.example_translation
    assert "starts" in pivot.other_example and "commence" in pivot.other_example_translation
    assert list(EQUIVALENT.seeds(store, "eng", NO_FILTER)) == []


# Rules as an origin of paraphrases: where the extra is installed, and with the rules that made each.


PLAIN, POLITE = "彼が本を読んだ。", "彼が本を読みました。"
ROWS = [
    (PLAIN, "He read a book."),
    ("静かだ。", "It is quiet."),
    ("静かです。", "It is quiet."),
    ("彼は寝た。", "He slept."),
    ("彼は寝ました。", "He slept."),
]


@pytest.fixture
def rule_store(tmp_path: Path) -> Iterator[Store]:
    with generated_store(tmp_path, ROWS, ("jpn", "eng")) as opened:
        yield opened


def test_rewritings_are_paraphrases(rule_store: Store) -> None:
    pytest.importorskip("sudachipy")
    found = {each.text: each for each in paraphrases(rule_store, PLAIN, "jpn")}
    one = found[POLITE]
    assert (one.origins, origin_marks(one)[-2:], one.in_corpus) == (("rule",), "R ", False)
    assert 0.5 < one.score < 1
    assert one.order is not None  # told, and not filtered by
    for text, each in found.items():
        reasons = [
            told for told in explain(rule_store, PLAIN, text, "jpn").reasons if told.startswith("rewritten by rules")
        ]
        assert (reasons != []) == ("rule" in each.origins)
    assert explain(rule_store, PLAIN, POLITE, "jpn").reasons == (
        "rewritten by rules: 読んだ becomes 読みました: verb-past ->",
    )
    assert missing_origins("jpn") == []


def test_no_order_is_asked_of_them_wherever_they_are_filtered(rule_store: Store) -> None:
    """Found in a session: all that rules made was struck out there, since only lists left the filter out."""
    pytest.importorskip("sudachipy")
    strict = filter_at(20)
    made = RULE.findings(rule_store, find_seed(rule_store, "jpn", PLAIN), NO_FILTER)
    assert made and all(min(each.fluency, each.inner_fluency) < 20 for each in made)
    assert all(map(strict.accepts, made))
    assert not any(strict.accepts(each._replace(is_vouched=False)) for each in made)
    assert not strict.accepts(made[0]._replace(validity=strict.min_validity / 2))
    assert all(
        map(strict.passes, paraphrases(rule_store, PLAIN, "jpn", generations=generations_of(rule_store, ["rule"])))
    )


def test_what_another_origin_has_too_is_one_paraphrase(rule_store: Store) -> None:
    pytest.importorskip("sudachipy")
    found = {each.text: each for each in paraphrases(rule_store, "静かだ。", "jpn", kept=NO_FILTER)}
    assert found["静かです。"].origins == ("detected", "rule")


def test_references_have_rewritings_only_where_they_are_asked_for(rule_store: Store) -> None:
    """And equivalents, which a corpus has once it is aligned: a test set would change by that."""
    pytest.importorskip("sudachipy")
    assert {*reference_origins()} - {*usual_origins()} == {"equivalent", "rule"}
    (usual,) = finished(attributed_sets(rule_store, [PLAIN], Recipe(language="jpn")))
    assert [each.text for each in usual.references] == [PLAIN]
    (asked,) = finished(attributed_sets(rule_store, [PLAIN], Recipe(language="jpn", origins=("original", "rule"))))
    assert POLITE in {each.text for each in asked.references if each.origins == ("rule",)}


@pytest.mark.usefixtures("without_extra")
def test_without_the_extra_there_are_none_and_one_line_says_so(rule_store: Store) -> None:
    assert RULE.findings(rule_store, find_seed(rule_store, "jpn", PLAIN)) == []
    assert paraphrases(rule_store, PLAIN, "jpn", kept=NO_FILTER) == []
    assert explain(rule_store, PLAIN, POLITE, "jpn").reasons == ()
    (told,) = missing_origins("jpn")
    assert told.endswith("pip install 'corpusdb[japanese]'")
    assert missing_origins("eng") == []


# An origin of paraphrases that nobody would want: the words of the seed from the last to the first.


ORDER = 9
"""The fluency order of all that it makes."""


def backwards(text: str) -> str:
    return " ".join(reversed(text.removesuffix(".").split())) + ("." if text.endswith(".") else "")


class Backwards(Origin):
    name = "backwards"
    label = "reversed"
    mark = "B"
    is_at_hand = False

    def stored(self, store: Store, seed: Seed) -> list[Finding] | None:
        return None

    def generation(
        self, store: Store, writing: Callable[[], AbstractContextManager[Store]] | None = None
    ) -> SeedGeneration:
        return _Generation(store)


class _Generation(SeedGeneration):
    def __init__(self, store: Store) -> None:
        self._store = store

    def generated(self, seed: Seed) -> list[Finding]:
        text = backwards(seed.text)
        if text == seed.text:
            return []
        order = ORDER if sentence_id(self._store, seed.language, text) is None else NO_LIMIT
        return [Finding("backwards", text, fluency=order, inner_fluency=order, strength=0.5)]

    def reasons(self, seed: Seed, text: str) -> Iterator[str]:
        if text == backwards(seed.text):
            yield "it is the seed from its last word to its first"


# A new origin, registered here: everything takes its paraphrases, and can be limited to some origins.


REGISTRY_ROWS = [*random_rows(random.Random(7), 40), ("a b", "t0"), ("b a", "t1")]
SENTENCES = sorted({row[0] for row in REGISTRY_ROWS})
REGISTRY_SEED = next(text for text in SENTENCES if backwards(text) not in (text, *SENTENCES))
"""What its words give backwards is new to the corpus."""


@pytest.fixture
def registry_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Paraphrases of three origins."""
    monkeypatch.setitem(ORIGINS, "backwards", Backwards())
    with generated_store(tmp_path, REGISTRY_ROWS) as opened:
        yield opened


@pytest.mark.slow
def test_it_ranks_with_the_others(registry_store: Store) -> None:
    found = {each.text: each for each in paraphrases(registry_store, REGISTRY_SEED, "eng", limit=0, kept=NO_FILTER)}
    one = found[backwards(REGISTRY_SEED)]
    assert "backwards" in one.origins
    others = [each for each in one.findings if each.origin != "backwards"]
    doubt = 0.5
    for each in others:
        doubt *= (1 - each.strength) / (1 + each.odds)
    assert one.score == near(1 - doubt)
    assert (one.order, one.in_corpus, origin_marks(one)[5:]) == (ORDER, False, "B ")
    ranked = sorted(found.values(), key=lambda each: (-each.score, each.text))
    choices = [EligibleParaphrase(each.text, REGISTRY_SEED, each.score) for each in ranked]
    assert list(found.values()) == [ranked[place] for place in varied(choices, [REGISTRY_SEED], "eng")]
    assert any("backwards" not in each.origins for each in found.values())


def test_it_is_filtered_like_the_others(registry_store: Store) -> None:
    kept = [
        paraphrases(registry_store, REGISTRY_SEED, "eng", limit=0, kept=NSequenceFilter(order))
        for order in (ORDER, ORDER + 1)
    ]
    assert [backwards(REGISTRY_SEED) in {each.text for each in found} for found in kept] == [True, False]


def test_paraphrases_are_limited_to_some_origins(registry_store: Store) -> None:
    everything = {
        each.text: each for each in paraphrases(registry_store, REGISTRY_SEED, "eng", limit=0, kept=NO_FILTER)
    }
    for names in (["backwards"], ["detected"], ["analogy", "backwards"], []):
        found = paraphrases(
            registry_store,
            REGISTRY_SEED,
            "eng",
            limit=0,
            kept=NO_FILTER,
            generations=generations_of(registry_store, names),
        )
        wanted = {text for text, each in everything.items() if not set(each.origins).isdisjoint(names)}
        assert {each.text for each in found} == wanted
        assert all(set(each.origins) <= set(names) for each in found)
    with pytest.raises(
        UsageError, match="unknown origin 'b'; there are detected, analogy, exchange, equivalent, rule, backwards"
    ):
        paraphrases(registry_store, REGISTRY_SEED, "eng", generations=generations_of(registry_store, ["detected", "b"]))


def test_the_index_is_needed_only_by_the_origin_that_needs_it(empty: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ORIGINS, "backwards", Backwards())
    import_rows(empty, REGISTRY_ROWS)
    finished(detect(empty, "eng"))
    with pytest.raises(InputError, match="nothing was generated for eng yet"):
        paraphrases(empty, REGISTRY_SEED, "eng")
    assert [
        each.text
        for each in paraphrases(
            empty, REGISTRY_SEED, "eng", kept=NO_FILTER, generations=generations_of(empty, ["backwards"])
        )
    ] == [backwards(REGISTRY_SEED)]


@pytest.mark.slow
def test_a_session_shows_it_and_takes_decisions_on_it(registry_store: Store) -> None:
    create_session(registry_store, "s", "eng", [REGISTRY_SEED, "never seen before"], NO_FILTER)
    with open_store(registry_store.path, read_only=True) as reading:
        reader = SeedReader(reading, lambda: open_store(registry_store.path))
        view = reader.read("s")
        assert list(view.paraphrases) == paraphrases(registry_store, REGISTRY_SEED, "eng", limit=0, kept=NO_FILTER)
        shown = {each.text: origin_marks(each) for each in view.paraphrases}
        assert shown[backwards(REGISTRY_SEED)].endswith("B ")
        assert [each.text for each in reader.read("s", 2).paraphrases] == ["before seen never"]
        limited = SeedReader(reading, lambda: open_store(registry_store.path), origins=["backwards"]).read("s")
        assert [each.text for each in limited.paraphrases] == [backwards(REGISTRY_SEED)]
    decide(registry_store, "s", REGISTRY_SEED, backwards(REGISTRY_SEED), "accept")
    assert finished(apply_session(registry_store, "s")).accepted == 1
    assert [(each.text, each.applied) for each in decisions(registry_store, "s")] == [(backwards(REGISTRY_SEED), True)]


def test_a_decision_stays_when_the_origin_is_gone(registry_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    create_session(registry_store, "s", "eng", ["never seen before"])
    decide(registry_store, "s", "never seen before", "before seen never", "accept")
    monkeypatch.delitem(ORIGINS, "backwards")
    view = SeedReader(registry_store, lambda: open_store(registry_store.path)).read("s")
    (one,) = view.paraphrases
    said = "before seen never", 1, (), "      "  # its order is told as that of one's own wording
    assert (one.text, one.order, one.origins, origin_marks(one)) == said
    assert (view.proposed, view.passing(NSequenceFilter(0))) == (0, 0)


def test_seeds_are_sampled_from_those_it_has_a_paraphrase_of(registry_store: Store) -> None:
    seeds = [text for text in SENTENCES if backwards(text) != text]
    assert sorted(sample_seeds(registry_store, "eng", 1000, 1, NSequenceFilter(ORDER), ["backwards"])) == seeds
    held = [text for text in seeds if backwards(text) in SENTENCES]
    assert sorted(sample_seeds(registry_store, "eng", 1000, 1, NSequenceFilter(ORDER + 1), ["backwards"])) == held


def test_references_from_it_are_asked_for_and_labelled(registry_store: Store) -> None:
    assert reference_origins() == (
        "original",
        "accepted",
        "detected",
        "generated",
        "exchanged",
        "equivalent",
        "rule",
        "reversed",
    )
    found = {}
    for origins in (reference_origins(), ("original", "detected"), ("reversed",)):
        recipe = Recipe(language="eng", origins=origins, kept=NO_FILTER, limit=0)
        assert Recipe.of(recipe.document()) == recipe
        (made,) = finished(attributed_sets(registry_store, [REGISTRY_SEED], recipe))
        found[origins] = {each.text: each.origins for each in made.references}
    everything, without, only = found.values()
    assert "reversed" in everything[backwards(REGISTRY_SEED)]
    assert not any("reversed" in labels for labels in without.values())
    assert list(only) == [backwards(REGISTRY_SEED)]


@pytest.mark.slow
def test_a_sample_is_drawn_from_it_and_judged(registry_store: Store) -> None:
    options = SampleOptions("meaning", "eng", 1000, seed=1, kept=NO_FILTER, controls=5, origins=("backwards",))
    drawn = draw_sample(registry_store, "backwards", options)
    rows = registry_store.connection.execute(
        "select seed_text, text, source, score, fluency from sample_item"
    ).fetchall()
    pairs = [(seed, text) for seed, text, source, *_ in rows if source == "candidate"]
    assert sorted(pairs) == [(text, backwards(text)) for text in SENTENCES if backwards(text) != text]
    assert (drawn.population, drawn.controls) == (len(pairs), 5)
    assert Counter(row[2] for row in rows) == {"candidate": len(pairs), "detected": 5}
    for seed, text, source, score, fluency in rows:
        if source == "candidate":
            (one,) = (
                each for each in paraphrases(registry_store, seed, "eng", limit=0, kept=NO_FILTER) if each.text == text
            )
            assert (score, one.in_corpus) == (one.score, fluency > ORDER)
    record(registry_store, drawn, "ann", 1, "=")
    assert judging_report(registry_store, drawn).judges[0].judge == "ann"
    (parameters,) = registry_store.connection.execute("select parameters from sample").fetchone()
    assert '"origins": ["backwards"]' in parameters
    with pytest.raises(UsageError, match="unknown origin 'x'"):
        SampleOptions("meaning", "eng", 1, seed=1, origins=("x",))


@pytest.mark.slow
def test_sentences_of_several_origins_are_drawn_once(registry_store: Store) -> None:
    names = tuple(ORIGINS)
    options = SampleOptions("grammaticality", "eng", 10_000, seed=1, kept=NO_FILTER, origins=names)
    draw_sample(registry_store, "all", options)
    drawn = [text for (text,) in registry_store.connection.execute("select text from sample_item")]
    wanted = {
        each.text for seed in SENTENCES for each in paraphrases(registry_store, seed, "eng", limit=0, kept=NO_FILTER)
    }
    assert sorted(drawn) == sorted(wanted)


def test_it_explains_itself(registry_store: Store) -> None:
    assert explain(registry_store, REGISTRY_SEED, backwards(REGISTRY_SEED), "eng").reasons == (
        "it is the seed from its last word to its first",
    )
    assert explain(registry_store, REGISTRY_SEED, REGISTRY_SEED, "eng").reasons == ()


def test_the_marks_are_one_character_each() -> None:
    marks = [origin.mark for origin in select_origins()]
    assert marks == ["D", "G", "E", "Q", "R"]
    assert len({origin.label for origin in select_origins()}) == len(ORIGINS)

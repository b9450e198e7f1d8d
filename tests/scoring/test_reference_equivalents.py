"""Equivalents in references: of a bitext of which all is known, of the corpus, and forms of one word."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from importlib.resources import files
from itertools import chain, pairwise
from math import prod
from os.path import commonprefix
from pathlib import Path

import numpy as np
import pytest
from corpora import drawn_pairs as corpora_drawn_pairs
from corpora import filled_store, import_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.equivalence import Substitution
from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.equivalents import EquivalentFilter, equivalents_of
from corpusdb.alignment.queries.phrases import phrase_key
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.records import Provenance
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.differences import Application
from corpusdb.paraphrase.exchange_index import EXCHANGE_FEATURES
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.queries.seeds import SeedValidity
from corpusdb.paraphrase.validity import READ, READ_FEATURES
from corpusdb.paraphrase.word_model import SAID_BY_WORDS
from corpusdb.scoring.measures import RewritableText, TextReplacement
from corpusdb.scoring.queries.recipe import (
    CORPUS,
    PUBLISHED,
    VERSION,
    NeighbouringWords,
    SubstitutionRecipe,
    UnitText,
    WrittenForms,
    parse_substitutions,
)
from corpusdb.scoring.queries.reference_equivalents import (
    BitextEquivalents,
    CorpusEquivalents,
    bitext_equivalents,
    bitext_notes,
    closed_class_notes,
    corpus_equivalents,
)
from corpusdb.scoring.queries.reference_sets import expanded_sets, rewritings
from corpusdb.scoring.queries.substitution_judge import (
    OF_PHRASES,
    Exchanged,
    JudgedPlaces,
    Substituted,
    SubstitutionJudge,
    substitution_model,
)
from corpusdb.scoring.substituted_measures import LatticeReferences
from corpusdb.search.token_corpus import Tokeniser, tokenise
from corpusdb.studies.queries.bitext import accuracies, drawn_pairs, sheet_of

# Equivalents of a small bitext that was made so that it is known which there are.


SUBJECTS = {"chat": ("cat", "puss"), "chien": ("dog", "hound"), "roi": ("king", "ruler"), "bateau": ("boat", "ship")}
VERBS = {"dort": "sleeps", "mange": "eats", "chante": "sings", "tombe": "falls", "court": "runs"}
ANYWHERE = SubstitutionRecipe(context=0, min_pivot=0)


def bitext() -> list[ReferenceSet]:
    """Each subject is translated in two ways; the verbs always in one."""
    sets: list[ReferenceSet] = []
    for at, (subject, words) in enumerate(SUBJECTS.items()):
        for number, (verb, translated) in enumerate(VERBS.items()):
            for turn in range(2):
                source = f"le {subject} {verb} ."
                reference = f"The {words[(number + at + turn) % 2]} {translated} ."
                sets.append(ReferenceSet(str(len(sets) + 1), source, (reference,)))
    return sets


@pytest.fixture(scope="module")
def found() -> BitextEquivalents:
    return finished(bitext_equivalents(bitext(), "eng"))


def test_words_that_translate_one_word_are_equivalent(found: BitextEquivalents) -> None:
    equivalents = found.equivalents(ANYWHERE)
    for one, other in SUBJECTS.values():
        assert [each.phrase for each in equivalents((one,))] == [(other,)]
        assert [each.phrase for each in equivalents((other,))] == [(one,)]
    assert [each.phrase for verb in VERBS.values() for each in equivalents((verb,))] == []


def test_each_limit_leaves_out_more(found: BitextEquivalents) -> None:
    def places(recipe: SubstitutionRecipe) -> int:
        return sum(len(fits) for *_, fits in found.substitutions(recipe))

    widest = replace(PUBLISHED, left_out="nothing")
    closed = replace(PUBLISHED, left_out="closed")
    assert places(widest) >= places(PUBLISHED) >= places(closed) >= places(replace(closed, context=2))
    assert places(replace(ANYWHERE, best_only=True)) <= places(ANYWHERE)
    assert places(replace(ANYWHERE, min_pivot=0.6)) == 0  # each of two words has one half
    assert places(replace(ANYWHERE, min_count=6)) == 0
    assert places(ANYWHERE) >= len(found.texts)


def test_what_was_rejected_is_not_put_in_and_the_label_says_so(found: BitextEquivalents) -> None:
    recipe = replace(ANYWHERE, rejected=(("puss", "cat"), ("boat", "ship"), ("cat", "puss")))
    equivalents = found.equivalents(recipe)
    assert [list(equivalents((word,))) for word in ("cat", "puss", "boat", "ship")] == [[], [], [], []]
    assert [each.phrase for each in equivalents(("dog",))] == [("hound",)]
    wide = found.equivalents(replace(recipe, left_out="nothing", with_parts=True))
    assert ("the", "puss") not in [each.phrase for each in wide(("the", "cat"))]
    assert ("the", "hound") in [each.phrase for each in wide(("the", "dog"))]
    label = recipe.label.removeprefix(f"{ANYWHERE.label}+rejected2-")
    assert len(label) == 16 and found.lattices(recipe).equivalents.startswith(f"{recipe.label}+")
    turned = replace(ANYWHERE, rejected=(("ship", "boat"), ("cat", "puss")))
    assert turned == recipe and turned.label == recipe.label
    assert replace(turned, rejected=(("cat", "puss"),)).label not in (recipe.label, ANYWHERE.label)
    assert replace(recipe, rejected=()) == ANYWHERE
    again = SubstitutionRecipe(**json.loads(json.dumps(asdict(recipe))))
    assert again == recipe


def test_context_asks_for_the_words_on_both_sides() -> None:
    """The ship never sings here: not even where the boat does, although the two are equivalent."""
    kept = [each for each in bitext() if "ship sings" not in each.references[0]]
    found = finished(bitext_equivalents(kept, "eng"))
    fits = {
        (text.text, each.phrase) for _, _, text, chosen in found.substitutions(SubstitutionRecipe()) for each in chosen
    }
    assert ("The boat runs .", ("ship",)) in fits
    assert ("The boat sings .", ("ship",)) not in fits


def test_the_digest_is_that_of_what_is_put_in(found: BitextEquivalents) -> None:
    again = finished(bitext_equivalents(bitext(), "eng"))
    assert again.lattices(ANYWHERE).equivalents == found.lattices(ANYWHERE).equivalents
    label, _, digest = found.lattices(ANYWHERE).equivalents.rpartition("+")
    assert (label, len(digest)) == ("closed+n2+c0.75+any", 16)
    fewer = finished(bitext_equivalents(bitext()[:-4], "eng"))
    assert fewer.lattices(ANYWHERE).equivalents.rpartition("+")[2] != digest


def test_references_come_first_and_then_by_substitutions(found: BitextEquivalents) -> None:
    sets = bitext()
    expanded = expanded_sets(sets, found.lattices(ANYWHERE), 0)
    for before, after in zip(sets, expanded, strict=True):
        assert after.references[0] == before.references[0]
        assert len(set(after.references)) == len(after.references)
    limited = expanded_sets(sets, found.lattices(ANYWHERE), 2)
    assert {len(each.references) for each in limited} <= {1, 2}
    assert all(few.references == every.references[:2] for few, every in zip(limited, expanded, strict=True))


def test_the_same_words_are_written_otherwise_where_that_is_asked(found: BitextEquivalents) -> None:
    texts = [[UnitText.of('The grey cup "runs" .')], [UnitText.of("Gray cups sing .")]]
    spelled = replace(found, texts=texts)
    assert not any(text.replacements for own in spelled.lattices(ANYWHERE).texts for text in own if "grey" in text.text)
    lattices = spelled.lattices(replace(ANYWHERE, spellings=True))
    put_in = [[(each.text, each.probability) for each in own[0].replacements] for own in lattices.texts]
    assert put_in[0][0] == ("gray", 1.0)
    assert put_in[1][0] == ("Grey", 1.0)
    assert "+spellings+any+" in lattices.equivalents


@pytest.mark.parametrize(
    ("most", "limit", "expected"),
    [
        (None, 0, ["a b c", "x b c", "a z c", "a b y", "x z c", "x b y", "a z y", "x z y"]),
        (1, 0, ["a b c", "x b c", "a z c", "a b y"]),
        (None, 3, ["a b c", "x b c", "a z c"]),
    ],
)
def test_validities_are_those_of_all_that_is_put_in(most: int | None, limit: int, expected: list[str]) -> None:
    places = ((0, 1, "x", 0.5), (2, 3, "z", 1.0), (4, 5, "y", 0.25))
    text = RewritableText("a b c", tuple(TextReplacement(*each) for each in places))
    (made,) = expanded_sets([ReferenceSet("1", "", (text.text,))], LatticeReferences([[text]], most, "eq"), limit)
    assert list(made.references) == expected
    by_hand = {"x": 0.5, "y": 0.25}
    for each in expected[1:]:
        validity = prod(share for word, share in by_hand.items() if word in each)
        assert made.provenance[each] == Provenance("equivalent", validity)
    assert made.provenance[text.text] == Provenance("original")


def test_what_is_put_in_without_a_probability_has_no_validity() -> None:
    text = RewritableText("a b", (TextReplacement(0, 1, "x"), TextReplacement(2, 3, "y", 0.5)))
    (made,) = expanded_sets([ReferenceSet("1", "", ("a b",))], LatticeReferences([[text]], None, "eq"), 0)
    assert [made.provenance[each].validity for each in ("x b", "a y", "x y")] == [None, 0.5, None]


def test_the_first_word_of_a_text_keeps_its_capital() -> None:
    texts = [UnitText.of(text) for text in ("Cats sleep.", "He saw the U.S. and Paris.", '"Cats do." Don\'t.')]
    forms = WrittenForms(texts, [("paris",), ("cats",), ("do", "n't"), ("dogs",)])
    assert forms.instead_of(texts[0], 0, 1, ("dogs",)) == "Dogs"
    assert forms.instead_of(texts[0], 1, 2, ("paris",)) == "Paris"
    assert forms.instead_of(texts[2], 1, 2, ("dogs",)) == "Dogs"
    assert forms.instead_of(texts[1], 1, 2, ("do", "n't")) == "Don't"
    # Of a corpus it is known which words are names: cats are none there.
    forms = WrittenForms([UnitText.of("He saw the Cats and Paris.")], [("paris",), ("cats",)], {"paris"})
    assert forms.instead_of(texts[1], 1, 2, ("cats",)) == "cats"
    assert forms.instead_of(texts[1], 1, 2, ("paris",)) == "Paris"


def test_texts_without_words_are_refused_and_doubtful_ones_told_of() -> None:
    with pytest.raises(InputError, match="the source has no word") as error:
        finished(bitext_equivalents([ReferenceSet("1", "a b", ("c",)), ReferenceSet("2", " ", ("c",))], "eng"))
    assert error.value.line == 2
    assert len(list(bitext_notes([ReferenceSet("1", "猫が寝る", ("c",))], None))) == 2
    assert not list(bitext_notes(bitext() * 3, None))
    assert len(list(closed_class_notes("xho", SubstitutionRecipe()))) == 1
    assert not list(closed_class_notes("eng", SubstitutionRecipe()))


@pytest.mark.parametrize("text", ["0", "-1", "one", "", "1.5", "9" * 30])
def test_substitutions_are_a_number_or_any(text: str) -> None:
    with pytest.raises(UsageError, match="substitutions"):
        parse_substitutions(text)
    assert (parse_substitutions("2"), parse_substitutions("any")) == (2, None)


def test_sheets_are_blind_and_counted_by_group(found: BitextEquivalents, tmp_path: Path) -> None:
    drawn = drawn_pairs(found, ANYWHERE, 6, seed=1)
    assert drawn == drawn_pairs(found, ANYWHERE, 6, seed=1) != drawn_pairs(found, ANYWHERE, 6, seed=2)
    groups = [each.group for each in drawn]
    assert (groups.count("best"), groups.count("all"), groups.count("control")) == (6, 6, 3)
    pairs = {frozenset(words) for words in SUBJECTS.values()}
    for each in drawn:
        marked = [text[text.index("[") + 1 : text.index("]")] for text in (each.reference, each.rewritten)]
        words = frozenset(text.split()[1 if text.startswith("The ") else 0] for text in marked)
        assert (words in pairs) == (each.group != "control")
    path = tmp_path / "sheet.tsv"
    verdicts = {"best": "y", "all": "n", "control": ""}
    lines = [
        "\t".join((str(line.item), line.seed, line.text, verdicts[each.group], ""))
        for line, each in zip(sheet_of(drawn), drawn, strict=True)
    ]
    path.write_text("\n".join(["item\tseed\ttext\tverdict\tcomment", *lines, ""]), encoding="utf-8")
    counted = {each.group: (each.judged, each.accepted) for each in accuracies(drawn, path, "grammaticality")}
    assert counted == {"best": (6, 6), "all": (6, 0), "control": (0, 0)}
    with pytest.raises(InputError, match="is not a verdict") as error:
        accuracies(drawn, path, "meaning")
    assert (error.value.path, error.value.line) == (str(path), 2)
    with pytest.raises(InputError, match="was not drawn"):
        accuracies(drawn_pairs(found, ANYWHERE, 6, seed=2), path, "grammaticality")


# Equivalents from an aligned corpus, held against those of each phrase by itself, and against the texts.


WIDE = replace(CORPUS, min_count=2, min_pivot=0.01, min_languages=1, context=0, with_parts=True, with_forms=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """English with French, and with German, which has the words of the French turned round."""
    with filled_store(tmp_path, fill) as opened:
        yield opened


def fill(store: Store) -> None:
    rows = corpora_drawn_pairs(random.Random(8), 200)
    import_rows(store, rows)
    import_rows(store, [(english, french[::-1]) for english, french in rows[:150]], ("eng", "deu"))
    for other in ("fra", "deu"):
        finished(align_languages(store, "eng", other))


def derived(store: Store, languages: int = 1) -> CorpusEquivalents:
    rows = store.connection.execute(_SENTENCES).fetchall()
    sets = [ReferenceSet(str(number), "", (text,)) for number, (text,) in enumerate(rows, 1)]
    return finished(corpus_equivalents(store, sets, "eng", languages))


_SENTENCES = "select text from sentence where language = 'eng' order by id limit 40"


@pytest.mark.slow
@pytest.mark.parametrize("languages", [1, 2])
def test_equivalents_are_those_of_each_phrase(store: Store, languages: int) -> None:
    found = derived(store, languages)
    recipe = replace(WIDE, min_languages=languages)
    equivalents, kept = (
        found.equivalents(recipe),
        EquivalentFilter(2, 0.01, languages, min_probability=0.0, with_forms=True),
    )
    compared = 0
    for phrase in found.found:
        ours = {" ".join(each.phrase): each.pivot for each in equivalents(phrase)}
        theirs = equivalents_of(store, "eng", " ".join(phrase), kept=kept, limit=0).members
        known = {phrase_key(each.text): each.pivot for each in theirs}
        assert ours.items() <= known.items()
        if languages == 1 and not any(word in {"the", "and", "a"} for word in phrase):
            compared += len(ours)
    assert compared or languages == 2


def test_languages_count_by_their_own_share(store: Store) -> None:
    found = derived(store, 2)
    for phrase, ranked in found.found.items():
        wanted = [each.key for each in ranked if sum(share >= 0.1 for share in each.shares) >= 2 and each.pivot >= 0.1]
        recipe = replace(WIDE, min_pivot=0.1, min_languages=2, left_out="nothing")
        assert [" ".join(each.phrase) for each in found.candidates(recipe)(phrase)] == wanted


@pytest.mark.slow
def test_the_digest_changes_with_what_is_aligned(store: Store) -> None:
    before = derived(store)
    assert derived(store).digest == before.digest
    import_rows(store, [("the newest cat", "le chat neuf")])
    finished(align_languages(store, "eng", "fra"))
    assert derived(store).digest != before.digest
    assert before.lattices(WIDE).equivalents.split("+")[-2] == before.digest[:16]


def test_too_few_languages_are_refused(store: Store) -> None:
    with pytest.raises(UsageError, match="deu, fra alone"):
        derived(store, 3)
    with pytest.raises(InputError, match="there are no sentences in jpn; there are some in deu, eng, fra"):
        finished(corpus_equivalents(store, [], "jpn"))


@given(st.lists(st.lists(st.sampled_from("a b C d".split()), min_size=1, max_size=5), max_size=6), st.data())
def test_neighbours_are_those_of_the_texts(texts: Sequence[Sequence[str]], data: st.DataObject) -> None:
    numbers = {"E": 0}  # which stands nowhere, as a type of what was deleted
    lengths, tokens = Tokeniser(numbers).types_of(" ".join(words) for words in texts)
    found = NeighbouringWords([*numbers], lengths, tokens)
    padded = [("", "", *(token.lower() for token in tokenise(" ".join(words))), "", "") for words in texts]
    pairs = {pair for words in padded for pair in pairwise(words)}
    rows = {row for words in padded for row in zip(words, words[1:], words[2:], strict=False)}
    word = st.sampled_from(["", "a", "b", "c", "d", "e"])
    asked = data.draw(st.tuples(word, word))
    if texts:
        assert found.have(asked) == (asked in pairs)
        row = data.draw(st.one_of(st.tuples(word, word, word), st.sampled_from(sorted(rows))))
        # Where one sentence ends and another begins two empty words stand in a row, and no word of both.
        assert found.have(row) == (row in rows)
    assert found.capitals == {"c"} & {token for words in padded for token in words}


# What the corpus says of a substitution in its sentence.


@pytest.mark.slow
def test_without_a_model_of_words_rows_of_three_must_be_known(store: Store) -> None:
    found = derived(store)
    assert found.judged is None
    asked, believed = (replace(CORPUS, min_probability=least) for least in (0.3, 0.0))
    places: dict[float, dict[tuple[str, Substitution], bool]] = {}
    for recipe in (asked, believed):
        places[recipe.min_probability] = {
            (text.text, replace(each, probability=None)): found.rows_seen(text, each, 3) == 1
            for _, _, text, fits in found.substitutions(recipe)
            for each in fits
        }
    assert places[0.3].keys() == {
        place
        for place, seen in places[0.0].items()
        if seen and place[1].equivalent.probability >= asked.min_probability
    }
    assert places[0.3] and not all(places[0.0].values())


@pytest.fixture
def learned(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The same with exchanges, and a model of words, of few sentences."""
    monkeypatch.setattr("corpusdb.paraphrase.word_model.LEAST_SENTENCES", 10)
    finished(generate(store, "eng"))
    return store


@pytest.mark.slow
def test_what_is_less_probable_in_its_sentence_is_not_put_in(learned: Store) -> None:
    found = derived(learned)
    sentences = [text for (text,) in learned.connection.execute(_SENTENCES)]
    judge = SubstitutionJudge(learned, "eng")
    places = {}
    for least in (0.0, 0.5, 0.6, 0.7):
        recipe = replace(CORPUS, min_probability=least)
        places[least] = {
            (segment, each.start, each.phrase) for segment, _, _, fits in found.substitutions(recipe) for each in fits
        }
    assert places[0.0] > places[0.5] > places[0.6] > places[0.7]
    assert places[0.7]
    for segment, _, text, fits in found.substitutions(replace(CORPUS, min_probability=0.6)):
        for each in fits:
            change = found.change(text, each)
            assert each.probability == judge.probabilities([change])[change] >= 0.6
            assert change.text != change.sentence == text.text == sentences[segment]
    assert replace(CORPUS, min_probability=0.3).label == f"corpus+auxiliaries+n2+held0.3m{VERSION}+context2+any"


@pytest.mark.slow
def test_what_judges_rewordings_judges_a_place_as_much_as_what_read_substitutions(learned: Store) -> None:
    changes = [Substituted("I see a cat.", f"I see a {word}.", ("cat",), (word,), 0.9) for word in ("dog", "cow")]
    rewordings = SeedValidity(learned, "eng").read_features([Pair(0, *each[:2]) for each in changes])
    of_substitutions = substitution_model("exchanges").log_odds(SubstitutionJudge(learned, "eng").features(changes))
    odds = (READ.plain.log_odds(rewordings) + of_substitutions) / 2
    found = SubstitutionJudge(learned, "eng").probabilities(changes)
    assert list(found.values()) == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-4)


@given(st.lists(st.sampled_from("a b c".split()), min_size=1, max_size=6), st.data())
def test_what_an_exchange_writes(words: Sequence[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(words) - 1))
    other = data.draw(st.sampled_from(["", "x", "long one"]))
    text = " ".join([*words[:at], other, *words[at + 1 :]])
    begin = len(" ".join(words[:at])) + bool(at)
    change = Substituted(" ".join(words), text, (words[at],), tuple(other.split()), None)
    assert Exchanged(begin, begin + len(words[at]), change).written == other


@pytest.mark.parametrize(
    ("sentence", "exchange", "text", "stop"),
    [
        ("The plan was the only one here.", ("_ here", "here _"), "Here the plan was the only one.", 30),
        ("A plan is here.", (" here", " there"), "A plan is there.", 15),
        ("A plan is here.", ("A plan", "Plans"), "Plans is here.", 5),
    ],
)
def test_what_exchanges_at_two_places_is_put_in_as_it_was_judged(
    store: Store, sentence: str, exchange: tuple[str, str], text: str, stop: int
) -> None:
    """Of frames the notation was put in, with its gap: whether or not dy or not."""
    (found,) = exchanged(store, sentence, [Application(text, exchange, len(commonprefix([sentence, text])), stop)])
    assert f"{sentence[: found.begin]}{found.written}{sentence[found.end :]}" == found.change.text == text


def test_no_exchange_puts_another_mark_at_the_end(store: Store) -> None:
    made = [Application(f"A bike{mark}", (" bicycle.", f" bike{mark}"), 2, 7) for mark in "!.?"]
    assert [each.change.text for each in exchanged(store, "A bicycle.", made)] == ["A bike."]


def exchanged(store: Store, sentence: str, made: list[Application]) -> Sequence[Exchanged]:
    """What is put into a sentence of what rewordings make of it."""

    class Rewordings:
        @staticmethod
        def applied(sentences: Sequence[str]) -> list[list[Application]]:
            return [made for _ in sentences]

    judge = SubstitutionJudge(store, "eng")
    vars(judge)["_rewordings"] = Rewordings
    return judge.exchanged([sentence])[sentence]


@pytest.mark.parametrize(
    ("language", "before", "phrase", "other", "expected"),
    [
        ("eng", "ships", "will", "is going to", False),
        ("eng", "ships", "will", "are going to", True),
        ("eng", "ship", "will", "is going to", True),
        ("eng", "Skvernelis", "will", "is going to", False),
        ("eng", "who", "can", "is able to", False),
        ("eng", "ships", "will", "may", True),
        ("eng", "ships", "have been", "were", True),
        ("eng", "ships", "have been", "was", False),
        ("deu", "ships", "will", "is going to", True),
        ("deu", "being", "unable", "n't able", False),
        ("eng", "are", "unable", "n't able", True),
    ],
)
def test_what_is_put_in_can_follow_the_word_before(
    language: str, before: str, phrase: str, other: str, expected: bool
) -> None:
    """will was replaced by "is going to" behind whatever stood there, of all that was put in the most often."""
    sentences = (
        "the ships are here",
        "her ships are old",
        "one of ships is his",
        "a ship is",
        "they aren't",
        "who is it",
    )
    texts = list(map(tokenise, sentences))
    types = list(dict.fromkeys(chain.from_iterable(texts)))
    tokens = np.array([types.index(token) for text in texts for token in text], dtype=np.int32)
    words = NeighbouringWords(types, np.array(list(map(len, texts)), dtype=np.int32), tokens)
    assert words.can_follow(language, before, tuple(phrase.split()), tuple(other.split())) is expected


def test_exchanges_are_put_in_where_they_probably_hold(store: Store) -> None:
    found = derived(store)
    (text,), *_ = found.texts
    begin, end = text.starts[0], text.ends[0]
    changed = [f"{word}{text.text[end:]}" for word in ("Probably", "Hardly")]
    first, second = (
        Substituted(text.text, each, text.tokens[:1], (each.split()[0].lower(),), None) for each in changed
    )
    exchanged = {text.text: [Exchanged(begin, end, first), Exchanged(begin, end, second)]}
    found = replace(found, judged=JudgedPlaces({first: 0.8, second: 0.4}, exchanged))

    def put_in(recipe: SubstitutionRecipe) -> dict[str, float | None]:
        return dict(rewritings(found.lattices(recipe).texts[0][0], 1))

    recipe = replace(CORPUS, min_probability=0.5)
    assert put_in(recipe) == {changed[0]: 0.8}
    assert put_in(replace(recipe, min_probability=0.3)) == {changed[0]: 0.8, changed[1]: 0.4}
    assert put_in(replace(recipe, rejected=((text.tokens[0], "probably"),))) == {}


def test_the_models_were_fitted_to_the_features_that_there_are() -> None:
    """By name: one that is put in or moved makes them ask for others without an error."""
    shipped = files("corpusdb.scoring").joinpath("substitution_models.json").read_text(encoding="utf-8")
    assert json.loads(shipped)["features"] == [*EXCHANGE_FEATURES, *READ_FEATURES, *OF_PHRASES]


@pytest.mark.slow
def test_the_models_ask_for_features_that_there_are(learned: Store) -> None:
    change = Substituted("I see a cat.", "I see a dog.", ("cat",), ("dog",), None)
    for store, model, said in (
        (learned, substitution_model("exchanges"), len(EXCHANGE_FEATURES) + len(READ_FEATURES)),
        (None, substitution_model("words"), len(SAID_BY_WORDS)),
    ):
        if store is not None:
            assert SubstitutionJudge(store, "eng").features([change]).shape == (1, said + len(OF_PHRASES))
        assert max(feature for tree in model.trees for feature in tree.features) < said + len(OF_PHRASES)

"""What the stored counts give, held against the sets that are made in memory from all links at once."""

from __future__ import annotations

import math
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
from corpora import ENGLISH, drawn_pairs, import_rows, near, new_store

from corpusdb.alignment.equivalence import EquivalenceFilter, Equivalents, closed_words
from corpusdb.alignment.links import Links, PhrasePairs, counted_phrases, links_from_bytes
from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.equivalence_evidence import Candidate, Having, equivalence_judge
from corpusdb.alignment.queries.equivalents import EquivalentFilter, _written, equivalents_of
from corpusdb.alignment.queries.pairs import links_between, ready_models
from corpusdb.alignment.queries.phrase_places import translations_of
from corpusdb.alignment.queries.phrases import language_of_phrase, occurrences, phrase_key, shown
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.store import Store, open_store
from corpusdb.search.token_corpus import tokenise

ALL = EquivalentFilter(min_count=1, min_pivot=0.0, min_probability=0.0, with_forms=True)


MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture
def store(make_once: MakeOnce, tmp_path: Path) -> Iterator[Store]:
    """A copy of a corpus that is aligned once."""
    with open_store(Path(shutil.copy(make_once("equivalents-aligned", fill) / "corpus.db", tmp_path))) as opened:
        yield opened


def fill(folder: Path) -> None:
    """English with French and with German, which has the words of the French turned round."""
    with new_store(folder) as opened:
        rows = drawn_pairs(random.Random(8), 150)
        nouns = zip(
            "cat kitty dog hound house home".split(), "chat chat chien chien maison maison".split(), strict=True
        )
        for english, french in nouns:  # in the same contexts
            rows += [(f"the {english} begins", f"le {french} commence"), (f"Tom likes {english}", f"Tom aime {french}")]
        import_rows(opened, rows)
        import_rows(opened, [(english, french[::-1]) for english, french in rows[:90]], ("eng", "deu"))
        for other in ("fra", "deu"):
            finished(align_languages(opened, "eng", other))


def phrase_pairs(store: Store, other: str) -> PhrasePairs:
    """All phrase pairs with the other language as the source, counted at once."""
    rows = store.connection.execute(_LINKED, {"other": other}).fetchall()
    english, theirs = ([list(map(str.lower, tokenise(row[side]))) for row in rows] for side in (0, 1))
    links = []
    for row, own, foreign in zip(rows, english, theirs, strict=True):
        sizes = (len(own), len(foreign)) if other > "eng" else (len(foreign), len(own))
        read = links_from_bytes(row[2], *sizes)
        links.append([(two, one) if other > "eng" else (one, two) for one, two in read])
    return counted_phrases(Links.of(links), theirs, english, 3)


_LINKED = """
select english.text, other.text, links from alignment
join sentence english on english.id in (alignment.sentence, alignment.translation) and english.language = 'eng'
join sentence other on other.id in (alignment.sentence, alignment.translation) and other.language = :other
"""


@pytest.mark.parametrize("min_count", [2, *(pytest.param(count, marks=pytest.mark.slow) for count in (1, 5))])
def test_equivalents_are_those_of_the_sets(store: Store, min_count: int) -> None:
    pairs = phrase_pairs(store, "fra")
    sets = Equivalents(pairs, EquivalenceFilter(min_count=min_count))
    phrases = sets.phrases()
    assert len(phrases) > 15
    compared = 0
    for phrase in phrases:
        found = equivalents_of(store, "eng", " ".join(phrase), ["fra"], replace(ALL, min_count=min_count))
        wanted = {shown(" ".join(each.phrase)): (near(each.pivot), each.count) for each in sets.of(phrase)}
        assert {each.text.lower(): (each.pivot, each.count) for each in found.members} == wanted
        lower = [each.text for each in found.members if "tom" in each.text.split()]
        assert lower == [] or min_count == 1, phrase  # which may stand at the beginning of one sentence alone
        assert found.total == len(wanted)
        compared += len(wanted)
        first = {shown(" ".join(each.phrase)): shown(" ".join(each.sources[0])) for each in sets.of(phrase)}
        for each in found.members:
            best = each.pivots[0]
            assert first[each.text.lower()] in {
                other.text.lower() for other in each.pivots if other.probability == pytest.approx(best.probability)
            }
    assert compared > 10


def test_a_word_that_means_another_beside_a_third_alone_is_none(tmp_path: Path) -> None:
    things = "Tom Ann cats dogs birds trees cars boats".split()
    rows = [
        (f"{verb} {each} {when}", f"{autre} {each} {quand}")
        for each in things
        for verb, autre in (("saw", "vu"), ("liked", "aime"))
        for when, quand in WHEN
    ]
    with new_store(tmp_path) as store:
        import_rows(store, rows)
        finished(align_languages(store, "eng", "fra"))
        judge, (model,) = equivalence_judge(store, "eng"), ready_models(store, "eng")
        known = {word: occurrences(store, model, "eng", word) for word in ("yesterday", "last", "now", "today")}
        phrase = {word: each.phrase for word, each in known.items() if each}
        bound = {
            (one, other): judge._means_it_beside_a_word(
                one, [Having(model, phrase[one], 1)], Candidate(other, phrase[other])
            )
            for one, other in (("yesterday", "last"), ("now", "today"), ("today", "now"))
        }
    assert bound == {("yesterday", "last"): True, ("now", "today"): False, ("today", "now"): False}


WHEN = [
    *(("yesterday", "hier"), ("last night", "hier soir"), ("every night", "chaque soir"), ("every day", "chaque jour")),
    *(("now", "maintenant"), ("today", "maintenant")),
]


def test_the_pivot_probability_is_the_mean_over_languages(store: Store) -> None:
    both, french, german = (
        {each.text: each for each in equivalents_of(store, "eng", "begins", through, ALL).members}
        for through in (None, ["fra"], ["deu"])
    )
    assert "starts" in both and both.keys() == french.keys() | german.keys()
    for text, each in both.items():
        parts = [found[text] for found in (french, german) if text in found]
        assert each.pivot == pytest.approx(sum(part.pivot for part in parts) / 2)
        assert each.languages == tuple(sorted(language for part in parts for language in part.languages))
    two = equivalents_of(store, "eng", "begins", kept=replace(ALL, min_languages=2))
    assert {each.text for each in two.members} == french.keys() & german.keys()


def test_filters_leave_what_they_say(store: Store) -> None:
    closed = closed_words("eng", "closed")
    for word in (word.lower() for word in ENGLISH):
        everything = equivalents_of(store, "eng", word, kept=ALL).members
        kept = equivalents_of(store, "eng", word, kept=replace(ALL, min_pivot=0.2, left_out="closed")).members
        own = [each for each in phrase_key(word).split() if each not in closed]
        texts = {each.text for each in everything if each.pivot >= 0.2}
        assert {each.text for each in kept} == {
            text
            for text in texts
            if (words := [each for each in phrase_key(text).split() if each not in closed]) and words != own
        }
        assert equivalents_of(store, "eng", word, kept=ALL, limit=2).members == everything[:2]


def test_a_form_of_a_more_probable_equivalent_is_shown_only_if_asked_for(store: Store) -> None:
    rows = [
        (f"{name} {verb} it", f"{name} pr\u00eate cela") for name in "abcd" for verb in ("gives", "lends", "lending")
    ]
    import_rows(store, rows)
    finished(align_languages(store, "eng", "fra"))
    forms = equivalents_of(store, "eng", "gives", ["fra"], ALL)
    kept = equivalents_of(store, "eng", "gives", ["fra"], replace(ALL, with_forms=False))
    ranked = [each.text for each in forms.members if each.text in ("lends", "lending")]
    assert len(ranked) == 2 and kept.below == 0
    assert [each.text for each in kept.members if each.text in ranked] == ranked[:1]
    substituted = replace(ALL, with_forms=False, judgement="substituted")
    assert set(ranked) <= {each.text for each in equivalents_of(store, "eng", "gives", ["fra"], substituted).members}


def test_contexts_are_those_of_the_commutations(store: Store) -> None:
    assert all(each.contexts is None for each in equivalents_of(store, "eng", "begins", kept=ALL).members)
    with pytest.raises(InputError, match="no index of contexts"):
        equivalents_of(store, "eng", "begins", kept=EquivalentFilter(same_context=1))
    finished(generate(store, "eng"))
    commuting = store.connection.execute(_COMMUTING).fetchall()
    compared = 0
    for word in ENGLISH:
        for each in equivalents_of(store, "eng", word, kept=ALL).members:
            forms = {word.lower(), f" {word.lower()}"}, {each.text, f" {each.text}"}
            shared = sum(
                n for x, y, n in commuting if (x in forms[0] and y in forms[1]) or (y in forms[0] and x in forms[1])
            )
            assert each.contexts == shared
            compared += shared > 0
        kept = equivalents_of(store, "eng", word, kept=replace(ALL, same_context=3)).members
        assert all(each.contexts is not None and each.contexts >= 3 for each in kept)
    assert compared > 3


_COMMUTING = """
select x.text, y.text, count(*) from slot one join slot two on two.context = one.context and two.filler > one.filler
join filler x on x.id = one.filler join filler y on y.id = two.filler
group by x.id, y.id having count(*) > 1
"""


@pytest.mark.slow
@pytest.mark.parametrize("other", ["fra", "deu"])
def test_translations_add_up_to_all_places_of_a_word(store: Store, other: str) -> None:
    pairs = phrase_pairs(store, other)
    counts = Counter(
        {
            (" ".join(pairs.target.texts[target]), " ".join(pairs.source.texts[source])): int(count)
            for source, target, count in zip(pairs.sources, pairs.targets, pairs.counts, strict=True)
        }
    )
    seen = Counter(
        token.lower() for row in store.connection.execute(_LINKED, {"other": other}) for token in tokenise(row[0])
    )
    for word in ("the", "cat", "begins", "soon", "tom"):
        found = translations_of(store, "eng", word, other)
        assert {each.text.lower(): each.count for each in found.members} == {
            shown(text): count for (own, text), count in counts.items() if own == word
        }
        assert sum(each.count for each in found.members) + found.unlinked + found.unpaired == found.occurrences
        assert found.occurrences == seen[word]
        assert [each.share for each in found.members] == [each.count / seen[word] for each in found.members]
        for each in found.members:
            ((begin, end),) = each.example.marks
            assert each.example.text[begin:end].lower() == word
            ((begin, end),) = each.example.translation_marks
            assert each.example.translation[begin:end].lower() == each.text.lower()
    assert translations_of(store, "eng", "nowhere", other).occurrences == 0


def test_the_links_of_a_pair_are_found_from_either_side(store: Store) -> None:
    one, other = store.connection.execute(
        "select sentence, translation from alignment where length(links) > 5 limit 1"
    ).fetchone()
    found, turned = links_between(store, one, other), links_between(store, other, one)
    assert found is not None and turned is not None and turned.turned() == found
    own, theirs = found.links[0]
    assert theirs in found.aligned_with(own) and own in turned.aligned_with(theirs)
    assert found.text[slice(*found.spans[own])] in tokenise(found.text)
    assert links_between(store, one, one) is None


def test_a_phrase_is_found_in_its_language_and_shown_as_it_is_written(store: Store) -> None:
    assert language_of_phrase(store, phrase_key("Begins")) == "eng"
    assert phrase_key(" I don't  know, l'eau") == "i do n't know , l' eau"
    assert [shown(phrase_key(text)) for text in ("don't", "l'eau", "猫だ", "aujourd'hui")] == [
        "don't",
        "l'eau",
        "猫だ",
        "aujourd'hui",
    ]
    with pytest.raises(UsageError, match="occurs in no pair"):
        language_of_phrase(store, "nowhere")
    with pytest.raises(UsageError, match="at least one word"):
        phrase_key("  ")
    with pytest.raises(InputError, match="no sentences in jpn"):
        translations_of(store, "eng", "cat", "jpn")
    with pytest.raises(InputError, match="no sentences in jpn"):
        equivalents_of(store, "jpn", "cat")


def test_a_word_that_has_a_capital_everywhere_has_it_and_no_other_letter_has(tmp_path: Path) -> None:
    """The ei of "bei ei" is Ei, and not that of bei."""
    rows = [("with an egg", "bei Ei"), ("by an egg", "mit Ei"), ("with a cat", "bei einer Katze"), ("by", "mit")]
    with new_store(tmp_path) as store:
        import_rows(store, [(other, one) for one, other in rows], ("deu", "eng"))
        finished(update_layers(store))
        assert _written(store, "deu", "bei ei") == "bei Ei"


@pytest.mark.slow
def test_the_evidence_is_counted_in_all_pairs_and_sentences(store: Store) -> None:
    """Held against the phrase pairs and the sentences, gone over one by one."""
    one, other = "cat", "kitty"
    models = ready_models(store, "eng")
    numbers = dict(store.connection.execute("select text, id from phrase where language = 'eng'").fetchall())
    known = [occurrences(store, model, "eng", one) for model in models]
    having = [Having(model, each.phrase, each.paired) for model, each in zip(models, known, strict=True) if each]
    judge = equivalence_judge(store, "eng")
    assert judge is equivalence_judge(store, "eng")
    (found,) = judge.features(one, having, [Candidate(other, numbers[other])])
    forward, backward, alike = [], [], []
    for language in ("deu", "fra"):
        pairs = phrase_pairs(store, language)
        counts: defaultdict[tuple[str, ...], Counter[int]] = defaultdict(Counter)
        totals: Counter[int] = Counter()
        for source, target, count in zip(pairs.sources, pairs.targets, pairs.counts, strict=True):
            counts[pairs.target.texts[target]][int(source)] += int(count)
            totals[int(source)] += int(count)
        mine, theirs = counts[(one,)], counts[(other,)]
        shared = sum(mine[each] * theirs[each] / totals[each] for each in mine)
        forward.append(shared / mine.total())
        backward.append(shared / max(theirs.total(), 1))
        alike.append(sum(math.sqrt(mine[each] * theirs[each] / mine.total() / max(theirs.total(), 1)) for each in mine))
    assert found[0] == near(sum(math.log(each + 0.02) for each in alike) / 2)
    assert found[1] == near(math.log(sum(forward) / 2 + 1e-4) + math.log(sum(backward) / 2 + 1e-4))
    translated: defaultdict[str, set[str]] = defaultdict(set)
    for text, translation in store.connection.execute(_TRANSLATED):
        translated[" ".join(tokenise(text.lower()))].add(translation)
    pairs_of_sentences = [
        (text, changed)
        for text in translated
        for at, word in enumerate(text.split())
        if word == one and (changed := " ".join([*text.split()[:at], other, *text.split()[at + 1 :]])) in translated
    ]
    sharing = sum(bool(translated[text] & translated[changed]) for text, changed in pairs_of_sentences)
    assert sharing and found[5] == near(math.log1p(sharing))


_TRANSLATED = """
select sentence.text, translation.translation from sentence
join translation on translation.sentence = sentence.id where sentence.language = 'eng'
"""


def test_the_judge_is_made_anew_where_sentences_came(store: Store) -> None:
    before = equivalence_judge(store, "eng")
    import_rows(store, [("a newer sentence", "une phrase neuve")])
    assert equivalence_judge(store, "eng") is not before

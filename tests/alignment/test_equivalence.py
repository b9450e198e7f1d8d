"""Phrases, equivalence sets, substitutions and rejected pairs, against their definitions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.equivalence import (
    CLOSED,
    EquivalenceFilter,
    Equivalents,
    Phrase,
    closed_class_languages,
    closed_words,
    equivalence_sets,
    is_rejected,
    substitutions,
)
from corpusdb.alignment.links import Link, Links, PhrasePairs, consistent_spans, counted_phrases, may_begin, may_part
from corpusdb.alignment.phrase_evidence import (
    Alignment,
    ExchangeCounts,
    Neighbours,
    PhraseStream,
    Surroundings,
    affinity,
    equivalence_model,
    evidence,
    listed_evidence,
    shares_alike,
    stem_shares,
)
from corpusdb.base.arrays import I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.search.token_corpus import TokenCorpus, Tokeniser

Pair = tuple[list[str], list[str], list[Link]]
Span = tuple[int, int, int, int, int]


@st.composite
def linked_pairs(draw: st.DrawFn) -> Pair:
    source = draw(st.lists(st.sampled_from(["u", "v", "l'", "nicht", "."]), min_size=1, max_size=6))
    target = draw(st.lists(st.sampled_from(["a", "b", "c", "of", "n't", "!"]), min_size=1, max_size=6))
    links = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, draw(st.lists(links, unique=True, max_size=8))


bitexts = st.lists(linked_pairs(), min_size=1, max_size=6)


def consistent(links: Sequence[Link], lengths: tuple[int, int], longest: int) -> set[tuple[int, int, int, int]]:
    """Both begin and end with a linked word, and no link leads from inside of one to outside of the other."""
    found = set()
    for s in range(lengths[0]):
        for t in range(lengths[1]):
            for m in range(1, longest + 1):
                for n in range(1, longest + 1):
                    if s + m > lengths[0] or t + n > lengths[1]:
                        continue
                    inside = [(s <= own < s + m, t <= theirs < t + n) for own, theirs in links]
                    edges = [{own for own, _ in links}, {theirs for _, theirs in links}]
                    is_tight = {s, s + m - 1} <= edges[0] and {t, t + n - 1} <= edges[1]
                    if is_tight and all(own == theirs for own, theirs in inside):
                        found.add((s, m, t, n))
    return found


def lengths_of(pairs: Sequence[Pair]) -> tuple[I64, I64]:
    return np.array([len(pair[0]) for pair in pairs]), np.array([len(pair[1]) for pair in pairs])


def spans_by_definition(pairs: Sequence[Pair], longest: int) -> list[Span]:
    return sorted(
        (number, *span)
        for number, (source, target, links) in enumerate(pairs)
        for span in consistent(links, (len(source), len(target)), longest)
    )


@given(bitexts, st.integers(1, 4))
def test_spans_are_consistent_and_all_of_them(pairs: list[Pair], longest: int) -> None:
    spans = consistent_spans(Links.of([pair[2] for pair in pairs]), *lengths_of(pairs), longest)
    columns = (spans.pairs, spans.sources, spans.source_lengths, spans.targets, spans.target_lengths)
    found = list(zip(*(column.tolist() for column in columns), strict=True))
    assert sorted(found) == spans_by_definition(pairs, longest)
    assert len(set(found)) == len(found)


def phrase_counts(pairs: Sequence[Pair], longest: int) -> Counter[tuple[Phrase, Phrase]]:
    counts: Counter[tuple[Phrase, Phrase]] = Counter()
    for number, s, m, t, n in spans_by_definition(pairs, longest):
        source, target, links = pairs[number]
        denied_there = {at for at, word in enumerate(target) if word == "n't" and "nicht" not in source}
        denied = {at for at, word in enumerate(source) if word == "nicht" and "n't" not in target}
        if {t - 1, t + n} & (denied_there - {theirs for _, theirs in links}):
            continue
        if {s - 1, s + m} & (denied - {own for own, _ in links}):
            continue
        phrases = tuple(source[s : s + m]), tuple(target[t : t + n])
        begins = [*target[t : t + (t > 0)], *source[s : s + (s > 0)]]
        ends = [text[end - 1 : end + 1] for text, end in ((target, t + n), (source, s + m)) if end < len(text)]
        is_of_words = all(any(map(str.isalpha, word)) for phrase in phrases for word in phrase)
        if is_of_words and all(may_part(*cut) for cut in ends) and all(map(may_begin, begins)):
            counts[phrases] += 1
    return counts


def table_of(pairs: Sequence[Pair], longest: int = 3) -> PhrasePairs:
    links = Links.of([pair[2] for pair in pairs])
    return counted_phrases(links, [pair[0] for pair in pairs], [pair[1] for pair in pairs], longest)


@given(bitexts)
def test_phrases_are_counted(pairs: list[Pair]) -> None:
    expected = phrase_counts(pairs, 3)
    table = table_of(pairs)
    found = {
        (table.source.texts[source], table.target.texts[target]): count
        for source, target, count in zip(table.sources, table.targets, table.counts.tolist(), strict=True)
    }
    assert found == dict(expected)
    for row, (source, target) in enumerate(found):
        of_source = sum(count for (own, _), count in expected.items() if own == source)
        of_target = sum(count for (_, theirs), count in expected.items() if theirs == target)
        assert table.forward[row] == pytest.approx(expected[source, target] / of_source)
        assert table.backward[row] == pytest.approx(expected[source, target] / of_target)
        example = pairs[int(table.examples[row])]
        assert " ".join(source) in " ".join(example[0])
        assert " ".join(target) in " ".join(example[1])


def test_a_phrase_is_none_of_what_is_denied_beside_it_alone() -> None:
    denied = (["unschuldig"], ["not", "guilty"], [(0, 1)])
    assert not len(table_of([denied, (["bleibt"], ["do", "n't", "leave"], [(0, 2)])]))
    both = (["nicht", "schuldig"], ["not", "guilty"], [(1, 1)])
    table = table_of([denied, both])
    assert (table.source.texts, table.target.texts) == ((("schuldig",),), (("guilty",),))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("do", "n't", False),
        ("Tom", "'s", False),
        ("Tom", "’s", False),
        ("l'", "eau", False),
        ("qu’", "il", False),
        ("said", "'", True),
        ("'", "Yes", True),
        ("the", "house", True),
        ("DO", "N'T", False),
    ],
)
def test_clitics_stay_with_their_hosts(before: str, after: str, expected: bool) -> None:
    assert may_part(before, after) is expected


filters = st.builds(
    EquivalenceFilter,
    closed=st.sampled_from([frozenset(), frozenset({"of"}), frozenset({"of", "a"})]),
    min_count=st.integers(1, 2),
    min_source_count=st.integers(1, 3),
    min_probability=st.sampled_from([0.0, 0.3, 0.5]),
)


def kept_pairs(pairs: Sequence[Pair], kept: EquivalenceFilter) -> dict[Phrase, dict[Phrase, int]]:
    """Of each source phrase the target phrases that pass, with their counts."""
    counts = phrase_counts(pairs, 3)
    found: defaultdict[Phrase, dict[Phrase, int]] = defaultdict(dict)
    for (source, target), count in counts.items():
        of_source = sum(other for (own, _), other in counts.items() if own == source)
        if (
            not set(target) <= kept.closed
            and count >= kept.min_count
            and of_source >= kept.min_source_count
            and count / of_source >= kept.min_probability
        ):
            found[source][target] = count
    return dict(found)


@given(bitexts, filters)
def test_sets_hold_what_is_aligned_with_one_source_phrase(pairs: list[Pair], kept: EquivalenceFilter) -> None:
    found = {
        each.source: {member.phrase: member.count for member in each.members}
        for each in equivalence_sets(table_of(pairs), kept)
    }
    assert found == {source: members for source, members in kept_pairs(pairs, kept).items() if len(members) > 1}


@given(bitexts, filters)
def test_equivalents_share_a_set_and_have_the_pivot_probability(pairs: list[Pair], kept: EquivalenceFilter) -> None:
    counts = phrase_counts(pairs, 3)
    left = kept_pairs(pairs, kept)
    equivalents = Equivalents(table_of(pairs), kept)
    phrases = {phrase for members in left.values() for phrase in members}
    assert set(equivalents.phrases()) == phrases
    for phrase in phrases:
        of_phrase = sum(count for (_, target), count in counts.items() if target == phrase)
        expected: defaultdict[Phrase, float] = defaultdict(float)
        for source, members in left.items():
            of_source = sum(count for (own, _), count in counts.items() if own == source)
            for other in members if phrase in members else ():
                if other != phrase:
                    expected[other] += members[phrase] / of_phrase * members[other] / of_source
        found = equivalents.of(phrase)
        assert {each.phrase: each.pivot for each in found} == pytest.approx(dict(expected))
        assert [each.pivot for each in found] == sorted((each.pivot for each in found), reverse=True)
        for each in found:
            shared = [left[source] for source in each.sources]
            assert all(phrase in members and each.phrase in members for members in shared)
            assert each.count == max(min(members[phrase], members[each.phrase]) for members in shared)
        assert equivalents.of(phrase, 0.2) == [each for each in found if each.pivot >= 0.2]
    assert equivalents.of(("never", "seen")) == []


def test_equivalence_is_not_transitive() -> None:
    """people ~ public through citoyens, people ~ population through population: public and population are not."""
    pairs = [
        (["citoyens"], ["people"], [(0, 0)]),
        (["citoyens"], ["public"], [(0, 0)]),
        (["population"], ["people"], [(0, 0)]),
        (["population"], ["population"], [(0, 0)]),
    ]
    equivalents = Equivalents(table_of(pairs), EquivalenceFilter())
    assert [each.phrase for each in equivalents.of(("people",))] == [("population",), ("public",)]
    assert [each.phrase for each in equivalents.of(("public",))] == [("people",)]


def test_substitutions_are_on_tokens_of_the_original() -> None:
    pairs = [
        (["question"], ["issue"], [(0, 0)]),
        (["question"], ["matter"], [(0, 0)]),
        (["art"], ["art"], [(0, 0)]),
        (["art"], ["craft"], [(0, 0)]),
    ]
    equivalents = Equivalents(table_of(pairs), EquivalenceFilter())
    tokens = ["The", "Issue", "is", "the", "party", "matter"]
    found = list(substitutions(tokens, equivalents.of, 3))
    assert [" ".join([*tokens[: each.start], *each.phrase, *tokens[each.end :]]) for each in found] == [
        "The matter is the party matter",
        "The Issue is the party issue",
    ]
    assert list(substitutions(["the", "party"], equivalents.of, 3)) == []


def test_substitutions_do_not_cut_clitics() -> None:
    pairs = [(["peux"], ["ca"], [(0, 0)]), (["peux"], ["could"], [(0, 0)])]
    equivalents = Equivalents(table_of(pairs), EquivalenceFilter())
    assert list(substitutions(["i", "ca", "n't"], equivalents.of, 3)) == []
    assert len(list(substitutions(["i", "ca", "not"], equivalents.of, 3))) == 1


def test_closed_classes_are_lower_case_words() -> None:
    assert closed_words("xxx", "closed") == frozenset()
    for language in closed_class_languages():
        everything, prepositions, auxiliaries, nothing = (closed_words(language, left_out) for left_out in CLOSED)
        assert frozenset() == nothing < prepositions < everything
        assert nothing < auxiliaries < everything
        assert all(word == word.lower() for word in closed_words(language, "closed"))
    assert {"of", "through"} <= closed_words("eng", "prepositions")
    assert closed_words("eng", "closed").isdisjoint({"house", "said", "people"})
    assert {"が", "から"} <= closed_words("jpn", "prepositions")
    assert {"私", "なかっ", "ませ", "は"} <= closed_words("jpn", "closed")
    assert closed_words("jpn", "closed").isdisjoint({"学校", "食べ", "本", "行く"})


def test_bad_input_is_refused() -> None:
    links = Links.of([[(0, 1)]])
    with pytest.raises(InputError, match="outside"):
        consistent_spans(links, np.array([1]), np.array([1]), 3)
    with pytest.raises(UsageError, match="at least one word"):
        consistent_spans(links, np.array([1]), np.array([2]), 0)


# Which phrases a rejected pair is about: itself, and what differs by it alone.


PAIRS = {("home", "house"), ("a big house", "a home")}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("house", "home", True),
        ("the house", "the home", True),
        ("my house now", "my home now", True),
        ("the house", "a home", False),
        ("house", "the home", False),
        ("house", "home home", False),
        ("a home", "a big house", True),
        ("is a home", "is a big house", False),
        ("house house", "house home", True),
        ("car", "vehicle", False),
    ],
)
def test_pairs(one: str, other: str, expected: bool) -> None:
    assert is_rejected(tuple(one.split()), tuple(other.split()), PAIRS) is expected
    assert is_rejected(tuple(other.split()), tuple(one.split()), PAIRS) is expected


_WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)
_AROUND = st.lists(st.sampled_from("xyz"), max_size=2).map(tuple)


@given(_WORDS, _WORDS, _AROUND, _AROUND)
def test_what_stands_around_both_changes_nothing(
    one: tuple[str, ...], other: tuple[str, ...], before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    """Where the two differ at both ends, so that nothing around them belongs to what they differ by."""
    pair = (min(" ".join(one), " ".join(other)), max(" ".join(one), " ".join(other)))
    around = before + one + after, before + other + after
    assert is_rejected(one, other, {pair})
    if one[0] != other[0] and one[-1] != other[-1]:
        assert is_rejected(*around, {pair})
    assert not is_rejected(*around, set())
    assert not is_rejected(*around, {("q", "r")})


# What speaks for two phrases being equivalents, held against counts that are made one by one.

SENTENCES = st.lists(st.lists(st.sampled_from(["a", "b", "C", "c"]), min_size=1, max_size=5).map(tuple), unique=True)


def stream_of(sentences: Sequence[Sequence[str]]) -> PhraseStream:
    numbers: dict[str, int] = {}
    lengths, tokens = Tokeniser(numbers).types_of(" ".join(words) for words in sentences)
    return PhraseStream(TokenCorpus("eng", np.arange(len(sentences)) + 7, lengths, tokens, list(numbers)))


@given(SENTENCES, st.lists(st.sampled_from("abcd"), min_size=1, max_size=2).map(tuple))
def test_surroundings_are_those_of_all_places(sentences: list[tuple[str, ...]], phrase: tuple[str, ...]) -> None:
    around: Counter[tuple[str, str]] = Counter()
    frames: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    for words in sentences:
        lowered = [word.lower() for word in words]
        for at in range(len(words) - len(phrase) + 1):
            if tuple(lowered[at : at + len(phrase)]) == phrase:
                before, after = tuple(lowered[:at]), tuple(lowered[at + len(phrase) :])
                around["".join(before[-1:]), "".join(after[:1])] += 1
                frames.add((before, after))
    found = stream_of(sentences).of(phrase)
    assert found.places == around.total()
    shares = sorted(count / around.total() for count in around.values())
    assert sorted(found.around.shares.tolist()) == pytest.approx(shares)
    assert len(found.before.numbers) == len({before for before, _ in around})
    assert len(found.after.numbers) == len({after for _, after in around})
    assert len(found.frames) == len(frames)
    for sentence in found.sentences.tolist():
        assert set(phrase) <= {word.lower() for word in sentences[sentence - 7]}


def test_what_was_asked_for_last_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpusdb.alignment.phrase_evidence._MOST_KNOWN", 7)  # two words of two frames each
    stream = stream_of([("we", "quit", "now"), ("they", "quit", "now"), ("we", "slept")])
    first = {word: stream.of((word,)) for word in ("we", "quit")}
    assert stream.of(("we",)) is first["we"] and stream.of(("now",)).places == 2
    assert stream.of(("we",)) is first["we"]
    assert stream.of(("quit",)) is not first["quit"]
    assert stream.of(("quit",)).sentences.tolist() == first["quit"].sentences.tolist()


def test_sentences_that_differ_by_one_phrase_have_one_frame() -> None:
    stream = stream_of([("we", "give", "up", "now"), ("we", "quit", "now"), ("we", "quit"), ("they", "quit", "now")])
    one, other = stream.of(("give", "up")), stream.of(("quit",))
    assert len(np.intersect1d(one.frames, other.frames)) == 1
    assert affinity(one.around, other.around) == pytest.approx(math.sqrt(1 / 3))


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_affinity_is_that_of_shares(one: list[int], other: list[int]) -> None:
    first, second = Neighbours.of(np.array(one)), Neighbours.of(np.array(other))
    told = sum(math.sqrt(one.count(each) / len(one) * other.count(each) / len(other)) for each in range(6))
    assert affinity(first, second) == pytest.approx(told) == pytest.approx(affinity(second, first))
    assert affinity(first, first) == pytest.approx(1)


def surroundings(*words: int, places: int = 50) -> Surroundings:
    beside = Neighbours.of(np.array(words))
    none = np.zeros(0, dtype=np.int64)
    return Surroundings(places, beside, beside, beside, none.astype(np.uint64), none)


def probability(alike: float, other: Surroundings, exchanges: ExchangeCounts) -> float:
    aligned = [Alignment(alike / 7, alike / 7, alike)] * 3
    features = evidence(aligned, surroundings(1, 2, 3, 4), other, exchanges, closed=0.0)
    return float(equivalence_model("substituted").probability(np.array([features]))[0])


def test_stems_of_translations_are_alike_where_their_endings_are_not() -> None:
    one, other = [("maisons", 1), ("la maison", 1), ("住宅地帯マン", 2)], [("maisonnette", 1), ("chien", 3)]
    assert stem_shares(one) == {"maiso": 0.25, "la maiso": 0.25, "住宅地帯マン": 0.5}
    assert shares_alike(stem_shares(one), stem_shares(other)) == pytest.approx(0.25)
    assert shares_alike(stem_shares(one), stem_shares(one)) == pytest.approx(1)
    assert stem_shares([]) == {}


def test_what_is_to_be_listed_is_alike_by_stems_in_all_languages() -> None:
    aligned = [Alignment(0.1, 0.1, 0.3)] * 3
    figures = evidence(aligned, surroundings(1, 2, 3, 4), surroundings(1, 2, 3, 5), ExchangeCounts(3, 1), closed=0.0)
    stems = [0.7, 0.7, 0.7], [0.7, 0.7, 0.1], [0.1, 0.1, 0.1]
    features = np.array([listed_evidence(figures, each) for each in stems])
    assert features[1, -2:].tolist() == pytest.approx([math.log(0.12), math.log(0.72)])
    assert features[1, :-3].tolist() == figures[1:]
    high, middle, low = equivalence_model("listed").probability(features)
    assert high > middle > low


def test_what_speaks_for_a_pair_makes_it_more_probable() -> None:
    """Translations alone, or places alone, are not enough: forms of a word have the one, antonyms the other."""
    near, far = surroundings(1, 2, 3, 5), surroundings(6, 7, 8, 9)
    both = probability(0.7, near, ExchangeCounts(6, 1))
    assert both > 0.8
    assert both > probability(0.7, near, ExchangeCounts(0, 0)) > probability(0.7, far, ExchangeCounts(0, 0))
    assert probability(0.7, near, ExchangeCounts(0, 0)) > probability(0.05, near, ExchangeCounts(0, 9))
    assert max(probability(0.7, far, ExchangeCounts(0, 0)), probability(0.05, near, ExchangeCounts(0, 9))) < 0.5

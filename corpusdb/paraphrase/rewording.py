"""Sentences reworded by exchanges that the corpus shows beside the same neighbours, and paraphrases put together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import combinations, islice, pairwise
from math import prod
from typing import Final, NamedTuple, TypeAlias, TypeVar

from corpusdb.base.jobs import computed_in_order, usable_cores
from corpusdb.base.text import lower_words, units_of
from corpusdb.corpus.orders import DEFAULT_MIN_VALIDITY, DEFAULT_ORDER, DOUBTED, NO_LIMIT, order_asked
from corpusdb.paraphrase.derivation import Evidence, Fluency
from corpusdb.paraphrase.differences import change, change_of, difference, spoken_of
from corpusdb.paraphrase.marking import marking_of
from corpusdb.paraphrase.word_model import WordModel, word_gains

# Several paraphrases of a sentence in one: each changes other places, and holds by itself. Deep paraphrases come from
# this. What only contracts, points or has other marks is no part, since it adds nothing that varies.

MOST_COMPOSED: Final = 20
"""Of one sentence."""
_MOST_PARTS: Final = 24
"""So many paraphrases of a sentence are put together with one another, those of the highest validity."""
_MOST_AT_ONCE: Final = 3
OF_A_STEP: Final = 0.99
"""What a second step leaves of the product of the validities of both, and a change right behind another one: of 100 of
these that have 0.95 so 98 % hold, of 43 that would without it 93 %, read blind."""
_DIGITS: Final = 4

_Item = TypeVar("_Item")
_Change: TypeAlias = tuple[int, int, tuple[str, ...]]
"""Where units of the seed begin and end, and what stands in their place."""


class Part(NamedTuple):
    """A paraphrase of a sentence that may be put together with others."""

    text: str
    validity: float
    replacement: int
    """1 where it replaces only, by words that the corpus has evidence for."""


class Composed(NamedTuple):
    """Several paraphrases of a sentence in one, or a paraphrase of a paraphrase."""

    text: str
    parts: tuple[str, ...]
    """The paraphrases, in the order of their places; or that of which ``text`` is one, and ``text``."""
    validity: float
    """The product of those of its parts, or nearly, so never above the least of them."""
    replacement: int
    begin: int
    stop: int
    """It is the sentence before the one and from the other on, which are offsets in ``text``."""
    in_steps: bool = False
    """Whether it is a paraphrase of a paraphrase."""
    left: float = 1.0
    """What is left of the product: less than 1 in steps, and where changes touch."""
    of_parts: tuple[float, ...] = ()
    """The validities of the parts; of the second step, that of ``text`` as a paraphrase of the first."""


def is_part(validity: float | None, replacement: int | None, order: int, gain: float | None) -> bool:
    """Whether the usual filter keeps a paraphrase by itself: nothing else may be put together with others.

    ``gain``: what the word model says; None where it says nothing.
    """
    if validity is None or validity < DEFAULT_MIN_VALIDITY:
        return False
    asked = order_asked(DEFAULT_ORDER, replacement=replacement or 0, gain=gain)
    return order == NO_LIMIT or (order >= asked and (gain is None or gain >= DOUBTED))


def composed(sentence: str, parts: Iterable[Part], language: str, known: Container[str] = ()) -> list[Composed]:
    """What two or three paraphrases of ``sentence`` give together, by text; at most MOST_COMPOSED.

    Their changes do not overlap, and where two touch both replace words, which costs as much as a second step. They add
    neither a word twice nor a person. None is in ``known``, or a part.
    """
    found = _all_composed(sentence, parts, language)
    return sorted(_varied([each for text, each in found.items() if text not in known]))


def composition(
    sentence: str, text: str, parts: Sequence[Part], parts_of: Callable[[str], Iterable[Part]], language: str
) -> Composed | None:
    """How ``text`` is made of paraphrases of ``sentence``, or of theirs; None where it is not."""
    ways = _all_composed(sentence, parts, language).get(text), _all_steps(sentence, parts, parts_of).get(text)
    return max((each for each in ways if each is not None), key=lambda each: each.validity, default=None)


def _all_composed(sentence: str, parts: Iterable[Part], language: str) -> dict[str, Composed]:
    """By text; of several compositions of one text that of the highest validity."""
    best = _best_of_each_text(parts)
    if len(best) < 2:
        return {}
    is_wording = _wording_of(sentence, language)
    usable = list(islice((each for each in best if is_wording(each.text)), _MOST_PARTS))
    units = units_of(sentence)
    changed = [(each, _changes(units, each.text)) for each in usable]
    texts = {sentence, *(each.text for each in best)}
    found: dict[str, Composed] = {}
    for count in range(2, _MOST_AT_ONCE + 1):
        for chosen in combinations(changed, count):
            made = _together(units, chosen)
            if made is None or made.text in texts:
                continue
            if made.text not in found or found[made.text].validity < made.validity:
                found[made.text] = made
    return found


def _best_of_each_text(parts: Iterable[Part]) -> list[Part]:
    """The highest validity first; each text once, and as a replacement where any of its origins says so."""
    best: dict[str, Part] = {}
    for each in parts:
        other = best.get(each.text, each)
        best[each.text] = Part(each.text, max(each.validity, other.validity), max(each.replacement, other.replacement))
    return sorted(best.values(), key=lambda each: (-each.validity, each.text))


def _changes(units: Sequence[str], text: str) -> list[_Change]:
    others = units_of(text)
    return [(start, stop, tuple(others[i:j])) for start, stop, i, j in difference(units, others).places]


def _together(units: Sequence[str], chosen: Sequence[tuple[Part, list[_Change]]]) -> Composed | None:
    """The parts in one text; None where they meet, add the same word, or do not stay the units that they are."""
    changes = sorted((change, place) for place, (_, of_part) in enumerate(chosen) for change in of_part)
    meeting = [(one[0], other[0]) for one, other in pairwise(changes) if one[1] != other[1]]
    touching = [pair for pair in meeting if pair[0][1] >= pair[1][0]]
    if not all(_replace_words(units, *pair) for pair in touching):
        return None
    added = [{unit for _, _, new in of_part for unit in new} for _, of_part in chosen]
    if sum(map(len, added)) > len(set().union(*added)):
        return None
    made: list[str] = []
    done = 0
    for (start, stop, new), _ in changes:
        made += [*units[done:start], *new]
        done = stop
    made += units[done:]
    text = "".join(made)
    if text != text.strip() or units_of(text) != made:
        return None
    order = dict.fromkeys(place for _, place in changes)
    parts = [part for part, _ in chosen]
    end = len(text) - len("".join(units[done:]))
    begin = len("".join(units[: changes[0][0][0]]))
    left = OF_A_STEP if touching else 1.0
    return Composed(
        text,
        tuple(parts[place].text for place in order),
        round(prod(sorted(part.validity for part in parts)) * left, _DIGITS),
        min(part.replacement for part in parts),
        begin,
        end,
        left=left,
        of_parts=tuple(parts[place].validity for place in order),
    )


def _replace_words(units: Sequence[str], one: _Change, other: _Change) -> bool:
    """Whether a change ends at the space where another one begins, and both put something in the place of something.

    What is only put in or left out next to another change often belongs to it: "Could you ..., please?" is "Please ..."
    and "Can you ...?", but not "Please please ...". Nor was anything read in scripts without spaces.
    """
    (start, stop, new), (begin, end, others) = one, other
    return start < stop == begin < end and units[begin].startswith(" ") and bool(new) and bool(others)


def _varied(found: list[Composed]) -> list[Composed]:
    """The best MOST_COMPOSED, each time one whose parts were chosen least often, then that of the highest validity."""
    uses: Counter[str] = Counter()
    chosen: list[Composed] = []
    waiting = sorted(found, key=lambda each: (-each.validity, each.text))
    while waiting and len(chosen) < MOST_COMPOSED:
        best = min(waiting, key=lambda each: sorted((uses[part] for part in each.parts), reverse=True))
        waiting.remove(best)
        chosen.append(best)
        uses.update(best.parts)
    return chosen


# Paraphrases of paraphrases, through a sentence of the corpus: what a sentence becomes in two steps shares no
# translation with it, and differs from it as no single exchange does. A second step costs a little more than its doubt.


def stepwise(
    sentence: str,
    parts: Iterable[Part],
    parts_of: Callable[[str], Iterable[Part]],
    language: str,
    known: Container[str] = (),
) -> list[Composed]:
    """The paraphrases of the paraphrases ``parts`` of a sentence, by text; at most MOST_COMPOSED, the most probable.

    ``parts_of`` gives those of a text; none where it is no sentence of the corpus. They speak of nobody that the
    sentence does not speak of, and none is in ``known``, or a part.
    """
    found = (each for text, each in _all_steps(sentence, parts, parts_of).items() if text not in known)
    ordered = sorted(found, key=lambda each: (-each.validity, each.text))
    is_wording = _wording_of(sentence, language)
    return sorted(islice((each for each in ordered if is_wording(each.text)), MOST_COMPOSED))


def _all_steps(sentence: str, parts: Iterable[Part], parts_of: Callable[[str], Iterable[Part]]) -> dict[str, Composed]:
    """By text; of several ways to one text that of the highest validity."""
    best = _best_of_each_text(parts)
    left_out = {sentence, *(each.text for each in best)}
    found: dict[str, Composed] = {}
    for first in best:
        for text, probable, replacement in _best_of_each_text(parts_of(first.text)):
            validity = round(first.validity * probable * OF_A_STEP, _DIGITS)
            if text not in left_out and (text not in found or found[text].validity < validity):
                steps, valid = (first.text, text), (first.validity, probable)
                found[text] = Composed(text, steps, validity, replacement, 0, len(text), True, OF_A_STEP, valid)
    return found


def _wording_of(sentence: str, language: str) -> Callable[[str], bool]:
    """What tells whether a text changes words of a sentence, and speaks of nobody else.

    Nor does it change what one pivot language may not mark, as two steps do together that do not each.
    """
    words, units = lower_words(sentence), units_of(sentence)
    persons_spoken_of, marking = spoken_of(words, language), marking_of(language)

    def is_wording(text: str) -> bool:
        if marking is not None and marking.change(units, units_of(text)) is not None:
            return False
        own = lower_words(text)
        return change(words, own, language).kind == "real" and spoken_of(own, language) <= persons_spoken_of

    return is_wording


# Sentences of the corpus at the beginning or the end of others: their paraphrases are put in their place. What they
# mean by themselves they mostly mean there; the exchange and the words judge the whole, and some of their doubt counts.
# Of 79 that have .95 or more so, and are as probable as the sentence, 96 % were read to hold; of 50 that change two
# places at once, or the order of words, as pairs that share translations do, 68 %, so these are not made.

MARKS: Final = ".!?"
"""What a sentence ends with that may stand in another one."""
PART_OF_DOUBT: Final = 0.1
LEAST_CLAUSE: Final = 0.96
"""What has less hardly ever has .95 with this doubt."""


def words_inside(sentences: Iterable[tuple[int, str]]) -> Counter[str]:
    """How often each word stands inside of sentences, given with their numbers: not as the first."""
    return Counter(word for _, text in sentences for word in text.split()[1:])


def clauses_in(sentence: str) -> Iterator[tuple[int, str, str]]:
    """Where a sentence can be cut: a space, and what stands before and behind it, each as a sentence is written.

    Without the mark at their ends.
    """
    body = sentence[:-1] if sentence[-1:] in MARKS else ""
    at = body.find(" ")
    while at >= 0:
        head, tail = body[:at].rstrip(","), body[at + 1 :]
        yield at, head, tail if head[-1:] in MARKS else tail[:1].upper() + tail[1:]
        at = body.find(" ", at + 1)


_OPENING: Final[Mapping[str, frozenset[str]]] = {
    "eng": frozenset(
        "actually ah alright also and anyway because but great hello hey hi mm no now oh ok okay or right so sure then"
        " uh um well yeah yes".split()
    )
}
"""By language: words that a sentence may open with and say the same without."""
_BREAKS: Final = ".!?,"


_MOST_CLOSING, _LONGEST_CLOSING = 8, 40
"""Of one sentence, and of words: what enumerates has hundreds, and each is asked for all exchanges of its words."""


def closing_clauses(sentence: str, language: str) -> Iterator[tuple[int, str]]:
    """Where what stands behind a comma begins, or behind words that open a sentence, and it as a sentence by itself.

    It has two words or more, and not too many; the first of several. What is exchanged at its beginning may be known
    from the beginning of sentences alone, as "maybe" in "So maybe we should go.".
    """
    ends = islice(_openings(sentence, _OPENING.get(language, frozenset())), _MOST_CLOSING)
    return ((at, sentence[at].upper() + sentence[at + 1 :]) for at in ends)


def _openings(sentence: str, opening: Container[str]) -> Iterator[int]:
    opens, at, words = True, 0, sentence.split(" ")
    for left, word in zip(range(len(words) - 1, 1, -1), words, strict=False):
        at += len(word) + 1
        opens = word.endswith(",") or (opens and word.rstrip(_BREAKS).lower() in opening)
        if opens and left <= _LONGEST_CLOSING and len(sentence[at].upper()) == 1:
            yield at


def is_clause(sentence: str) -> bool:
    """Whether a sentence may be a clause of others: by its mark, and since it has two words or more."""
    return sentence[-1] in MARKS and " " in sentence


class Clauses:
    """Sentences that may be clauses of others: of two words or more, without the mark at their end."""

    def __init__(
        self,
        sentences: Sequence[tuple[int, str]],
        paraphrases: Iterable[PartRow],
        language: str,
        inside: Callable[[str], float],
    ) -> None:
        """``inside`` gives more for a word that stands inside of sentences more often."""
        self.language = language
        self._inside = inside
        parts = parts_by_sentence(paraphrases)
        self._parts: dict[str, list[tuple[str, Part]]] = defaultdict(list)
        for number, text in sentences:
            if number in parts and is_clause(text):
                self._parts[text[:-1]] += ((text, each) for each in parts[number] if each.validity >= LEAST_CLAUSE)
        self._known: dict[str, list[tuple[str, float]]] = {}

    def exchanged(self, sentence: str) -> Iterator[tuple[str, float]]:
        """Each sentence with its beginning or its end replaced by a paraphrase, and the validity of that."""
        for at, head, tail in clauses_in(sentence):
            for text, validity in self._paraphrases(head):
                yield text + sentence[len(head) :], validity
            for text, validity in self._paraphrases(tail):
                said = text if head[-1:] in MARKS else as_inside(text, self._inside)
                yield sentence[: at + 1] + said + sentence[-1:], validity

    def _paraphrases(self, clause: str) -> Sequence[tuple[str, float]]:
        """Those that end with the same mark, without it, and are more than a contraction."""
        if clause not in self._parts:
            return ()
        if clause not in self._known:
            self._known[clause] = [
                (each.text[:-1], each.validity)
                for text, each in self._parts[clause]
                if each.text[-1] == text[-1]
                and each.text[:-1].strip()
                and change_of(text, each.text, self.language).kind == "real"
            ]
        return self._known[clause]


def as_inside(text: str, inside: Callable[[str], float]) -> str:
    """A sentence as it is written inside another: with the capital only that its first word has there too."""
    word = text.split(maxsplit=1)[0]
    low = word[0].lower() + word[1:]
    return low + text[len(word) :] if inside(low) >= inside(word) else text


# The rows of the table, and what makes them for all sentences of a language, whatever engine holds these.

LEAST_ORDER_APPLIED: Final = 5
"""What has sequences of so few characters that were not seen is not stored: no filter lets it pass."""
LEAST_APPLIED: Final = 0.5
"""Nor what is no more probable than this, as what one pivot language alone speaks for, which does not see it all."""


class Rewording(NamedTuple):
    """A row of the table, but for its run."""

    sentence: int
    text: str
    validity: float
    fluency: int
    inner_fluency: int
    pivots: int = 0
    languages: int = 0
    probability: float = 0.0
    replacement: int = 1
    parts: int = 1
    word_gain: float | None = None


def lone_row(sentence: int, evidence: Evidence, judged: Judged, fluency: Fluency) -> Rewording:
    """Of what one context gives."""
    return Rewording(
        sentence,
        evidence.text,
        judged.validity,
        *fluency[:2],
        pivots=evidence.pivots,
        languages=evidence.languages,
        probability=evidence.probability,
        replacement=judged.replacement,
        word_gain=judged.word_gain,
    )


def with_word_gains(
    rows: Iterable[Rewording], sentences: Mapping[int, str], model: WordModel | None
) -> list[Rewording]:
    """The rows in their order, with what a word model says of each beside its sentence."""
    found = sorted(rows)
    gains = word_gains(model, [sentences[each.sentence] for each in found], [each.text for each in found])
    return [each._replace(word_gain=gain) for each, gain in zip(found, gains, strict=True)]


PartRow = tuple[int, str, float, int, int, float | None]
"""The number of a sentence, and the text, validity, replacement, order and word gain of a paraphrase of it."""


class Judged(NamedTuple):
    """What is known of a pair of a sentence and a paraphrase."""

    validity: float
    replacement: int
    """Why fewer than N will do; of what only an exchange makes, 0: it vouches for none."""
    word_gain: float | None
    """log10 of its probability as a sentence less that of the seed; None where no word model says it."""


class AppliedExchange(NamedTuple):
    """A sentence with one exchange made beside neighbours that it is known by, or a paraphrase of a clause."""

    sentence: int
    text: str
    validity: float
    replacement: int
    word_gain: float | None
    """These three as ``Judged`` has them."""


def composed_of(
    sentences: Iterable[tuple[int, str]],
    paraphrases: Iterable[PartRow],
    language: str,
    made: Iterable[tuple[int, str]],
    finish: Callable[[Mapping[int, str], list[tuple[int, Composed]]], list[_Item]],
) -> Iterator[list[_Item]]:
    """What several ``paraphrases`` of a sentence give together, and theirs, for some thousands of sentences at a time.

    What is ``made`` already is left out; what other origins have may get another vote. Made in a copy of this process
    for each core, and what ``finish`` makes of that too, which is given the sentences by their numbers.
    """
    parts = parts_by_sentence(paraphrases)
    known: dict[int, set[str]] = defaultdict(set)
    for sentence, text in made:
        known[sentence].add(text)
    served = [(number, text) for number, text in sentences if number in parts]
    number_of = {text: number for number, text in served}

    def parts_of(text: str) -> Sequence[Part]:
        return parts[number_of[text]] if text in number_of else ()

    batches = [served[begin : begin + COMPOSED_AT_ONCE] for begin in range(0, len(served), COMPOSED_AT_ONCE)]

    def made_of(batch: int) -> list[_Item]:
        made = ((number, put_together(text, parts_of, language, known[number])) for number, text in batches[batch])
        return finish(dict(batches[batch]), [(number, each) for number, found in made for each in found])

    with closing(computed_in_order(made_of, len(batches), usable_cores())) as results:
        yield from results


def put_together(
    text: str, parts_of: Callable[[str], Sequence[Part]], language: str, made: Collection[str]
) -> list[Composed]:
    """What several paraphrases of a sentence give together, and theirs, without what is ``made`` already.

    Of both ways to one text that of the highest validity.
    """
    parts = parts_of(text)
    best: dict[str, Composed] = {}
    for each in (*composed(text, parts, language, made), *stepwise(text, parts, parts_of, language, made)):
        if each.text not in best or best[each.text].validity < each.validity:
            best[each.text] = each
    return sorted(best.values())


def parts_by_sentence(paraphrases: Iterable[PartRow]) -> dict[int, list[Part]]:
    parts: dict[int, list[Part]] = defaultdict(list)
    for sentence, text, validity, replacement, order, gain in paraphrases:
        if is_part(validity, replacement, order, gain):
            parts[sentence].append(Part(text, validity, replacement))
    return dict(parts)


def applied_row(made: AppliedExchange, fluency: Fluency) -> Rewording:
    return Rewording(*made[:3], *fluency[:2], replacement=made.replacement, word_gain=made.word_gain)


def part_row(made: Rewording) -> PartRow:
    return made.sentence, made.text, made.validity, made.replacement, made.fluency, made.word_gain


def composed_row(sentence: int, made: Composed, fluency: Fluency) -> Rewording:
    return Rewording(
        sentence, made.text, made.validity, *fluency[:2], replacement=made.replacement, parts=len(made.parts)
    )


COMPOSED_AT_ONCE: Final = 2_000

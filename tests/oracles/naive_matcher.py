"""A matcher that follows the syntax tree from every token, and compares whole matches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count

import numpy as np

from corpusdb.search.cqp_syntax import (
    Alternation,
    Anchor,
    And,
    Condition,
    Node,
    Not,
    Or,
    Query,
    Repetition,
    SequenceNode,
    Token,
    WordPair,
    WordPattern,
    WordTest,
    labels_of,
)


class Word(str):
    """A word form with its lemma and part of speech, "" where they are not known."""

    lemma: str = ""
    pos: str = ""

    @classmethod
    def of(cls, written: str) -> Word:
        """The word of ``goes/go/V``."""
        form, lemma, pos = (written + "//").split("/")[:3]
        word = cls(form)
        word.lemma, word.pos = lemma, pos
        return word


UNLABELLED = 99


def word_matches(pattern: WordPattern, word: str) -> bool:
    text = pattern.text
    if pattern.ignore_diacritics:
        text, word = (each.replace("é", "e").replace("É", "E") for each in (text, word))
    if pattern.literal:
        text = re.escape(text)
    return re.fullmatch(text, word, re.IGNORECASE if pattern.ignore_case else 0) is not None


def value_of(word: str, name: str) -> str:
    return str(word) if name == "word" else str(getattr(word, name, ""))


def holds(condition: Condition | None, words: Mapping[str | None, str]) -> bool:
    match condition:
        case None:
            return True
        case Not(operand=operand):
            return not holds(operand, words)
        case And(operands=operands):
            return all(holds(operand, words) for operand in operands)
        case Or(operands=operands):
            return any(holds(operand, words) for operand in operands)
        case WordTest(label=label, equal=equal, pattern=pattern, attribute=name):
            return label in words and word_matches(pattern, value_of(words[label], name)) == equal
        case WordPair(left=left, right=right, equal=equal, ignore_case=ignore_case, ignore_diacritics=bare):
            if left not in words or right not in words:
                return False
            one = value_of(words[left], condition.left_attribute)
            other = value_of(words[right], condition.right_attribute)
            if not one and not other:
                return not equal
            if bare:
                one, other = (each.replace("é", "e").replace("É", "E") for each in (one, other))
            return (one.lower() == other.lower() if ignore_case else one == other) == equal


Way = tuple[int, tuple[int, ...], frozenset[str]]
"""Where a match has got to, for each of its tokens the number of its label, and the anchors since the last token."""


def ways(node: Node, words: Sequence[str], way: Way, labels: Sequence[str], bounds: frozenset[int]) -> set[Way]:
    """``bounds``: the places where a sentence begins or ends."""
    place, path, anchors = way
    match node:
        case Token(condition=condition, label=label):
            if place == len(words) or not holds(condition, {None: words[place]}):
                return set()
            return {(place + 1, (*path, UNLABELLED if label is None else labels.index(label)), frozenset())}
        case Anchor(side=side):
            # Before the first token only <s> can hold; that only </s> can behind the last is seen when it is known.
            holds_here = place in bounds and (bool(path) or side == "start")
            return {(place, path, anchors | {side})} if holds_here else set()
        case SequenceNode(items=items):
            reached = {way}
            for item in items:
                reached = {end for each in reached for end in ways(item, words, each, labels, bounds)}
            return reached
        case Alternation(branches=branches):
            return {end for branch in branches for end in ways(branch, words, way, labels, bounds)}
        case Repetition(item=item, least=least, most=most):
            reached, found = {way}, {way} if not least else set()
            for times in count(1):
                if most is not None and times > most:
                    break
                ahead = {end for each in reached for end in ways(item, words, each, labels, bounds)}
                # Beyond the least number only what moves on can lead to anything new.
                reached = ahead if times <= least else ahead - found
                if not reached:
                    break
                found |= reached if times >= least else set()
            return found


Found = tuple[int, int, tuple[int, ...]]
"""Start, stop, and the token of each label, from the beginning of the sentence."""


def matches_plainly(query: Query, document: Sequence[Sequence[str]]) -> list[Found]:
    """Of sentences that follow each other."""
    labels = labels_of(query.sequence)
    words = [word for sentence in document for word in sentence]
    ends = np.cumsum([len(sentence) for sentence in document]).tolist()
    found: list[Found] = []
    for start in range(len(words)):
        sentence = next(index for index, end in enumerate(ends) if start < end)
        end = ends[min(sentence + query.sentences, len(ends)) - 1]
        begin = ends[sentence] - len(document[sentence])
        bounds = frozenset([begin, *(each for each in ends if start < each <= end)])
        candidates = []
        for stop, path, anchors in ways(query.sequence, words[:end], (start, (), frozenset()), labels, bounds):
            last = {label: start + offset for offset, label in enumerate(path) if label != UNLABELLED}
            named: dict[str | None, str] = {labels[label]: words[token] for label, token in last.items()}
            fits = stop > start and stop - start <= (query.within or len(words)) and "start" not in anchors
            if fits and holds(query.constraint, named):
                tokens = tuple(last.get(label, -1) for label in range(len(labels)))
                candidates.append((stop, path, (start, stop, tokens)))
        found += [min(candidates)[-1]] if candidates else []
    return [one for one in found if not any(two[1] == one[1] and two[0] < one[0] for two in found)]

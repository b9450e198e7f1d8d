"""One application of a rule to a text, and whether what came out analyses as it was meant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from corpusdb.japanese.analysis import Analysis
from corpusdb.japanese.classes import INFLECTIONS
from corpusdb.japanese.conjugation import conjugated, in_form, paradigm, voices
from corpusdb.japanese.matching import DirectedRule, voiced
from corpusdb.japanese.rule import Direction, Element
from corpusdb.morphemes import Morpheme

__all__ = ["Change", "Draft", "Step", "draft", "reads_as_meant"]

Analyse: TypeAlias = Callable[[str], Analysis]


@dataclass(frozen=True)
class Change:
    """Where a step changed a text: characters of the text before it and of the text after it, from 0, ends excluded."""

    begin: int
    end: int
    new_begin: int
    new_end: int


@dataclass(frozen=True)
class Step:
    """One application of a rule, at every place where it applies."""

    rule: str
    """The name of the rule."""
    direction: Direction
    changes: tuple[Change, ...]
    """From left to right."""


@dataclass(frozen=True)
class Draft:
    """What a rule made of a text, not analysed yet."""

    text: str
    step: Step
    surfaces: tuple[str, ...]
    """The morphemes that the text is meant to have."""
    places: tuple[int, ...]
    """The numbers of the morphemes with which what was written begins."""


_GODAN = {"く": "カ", "ぐ": "ガ", "す": "サ", "つ": "タ", "ぬ": "ナ", "ぶ": "バ", "む": "マ", "る": "ラ", "う": "ワア"}


def _row_of(word: str, inflection: str) -> str:
    """The row of the table by which a word in its form of citation is inflected."""
    if inflection == "godan":
        return paradigm(f"五段-{_GODAN[word[-1]]}行", word, word)
    return paradigm(INFLECTIONS[inflection][0], word, word)


def _cited(word: str, element: Element, form: str) -> str | None:
    """A word given in its form of citation, in a form of UniDic."""
    return conjugated(word, _row_of(word, _inflection(element)), "終止形-一般", form)


def _as_form(word: str, element: Element) -> str | None:
    """A word given in its form of citation, in the form that an element names."""
    cited = Morpheme(word, 0, (), _row_of(word, _inflection(element)), "終止形-一般", word, word, "")
    return in_form(cited, element.form or "final")


def _inflection(element: Element) -> str:
    return min(name for names in element.any_of if names <= INFLECTIONS.keys() for name in names)


def _written(element: Element, bound: dict[int, Morpheme], form: str, is_voiced: bool) -> str | None:
    """The surface of an element of the target; None where a form is not known."""
    if element.variable is not None:
        morpheme = bound[element.variable]
        return morpheme.surface if element.form is None else in_form(morpheme, element.form)
    word = voiced(element.surfaces[0]) if is_voiced else element.surfaces[0]
    if element.copied:
        return _cited(word, element, form)
    return _as_form(word, element) if element.form is not None else word


def _target(directed: DirectedRule, analysis: Analysis, begin: int) -> tuple[str, ...] | None:
    """The morphemes that are written in place of a match."""
    bound, form = {}, ""
    for element, morpheme in zip(directed.elements, analysis.morphemes[begin:], strict=False):
        if element.variable is not None:
            bound[element.variable] = morpheme
        if element.copied:
            form = morpheme.form
    found, is_voiced = [], False
    for element in directed.target:
        surface = _written(element, bound, form, is_voiced)
        if surface is None:
            return None
        if surface:
            found.append(surface)
        is_voiced = element.form == "euphonic" and element.variable is not None and voices(bound[element.variable])
    return tuple(found)


def draft(directed: DirectedRule, analysis: Analysis) -> Draft | None:
    """A text with a rule applied wherever it applies; None where it changes nothing."""
    pieces: list[str] = []
    surfaces: list[str] = []
    changes: list[Change] = []
    places: list[int] = []
    read = done = length = 0
    for begin in directed.matches(analysis):
        target = _target(directed, analysis, begin)
        if target is None:
            continue
        end = begin + len(directed.elements)
        first, last = analysis.morphemes[begin].begin, analysis.morphemes[end - 1].end
        written = "".join(target)
        pieces += (analysis.text[done:first], written)
        length += first - done
        changes.append(Change(first, last, length, length + len(written)))
        length += len(written)
        surfaces += analysis.surfaces[read:begin]
        places.append(len(surfaces))
        surfaces += target
        read, done = end, last
    text = "".join((*pieces, analysis.text[done:]))
    if not changes or text == analysis.text:
        return None
    surfaces += analysis.surfaces[read:]
    step = Step(directed.rule.name, directed.direction, tuple(changes))
    return Draft(text, step, tuple(surfaces), tuple(places))


def reads_as_meant(made: Draft, analysis: Analysis, directed: DirectedRule) -> bool:
    """Whether a rewritten text has the very morphemes that were written, and they are what the rule says."""
    if analysis.surfaces != made.surfaces:
        return False
    return all(directed.opposite.fits(analysis, place) for place in made.places)

"""What sentences that share a translation say of rules: twins, and rules that they suggest.

Plain and polite twins say the same with the same words, but for the style of their predicates: what rules for
politeness ought to make of each other. How many of them they do make is their recall.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpusdb.base.tokenisation import Morpheme
from corpusdb.rules.matching import Style, at_end, style
from corpusdb.rules.morphology import INFLECTIONS, Analysis, forms_of
from corpusdb.rules.rewriting import Expander

_FUNCTIONAL: Final = frozenset({"ある", "ない", "有る", "無い", "ござる"})
_REQUESTS: Final = frozenset({"くださる", "下さる", "くれる", "なさる"})
_TWIN_CONTENT: Final = frozenset(
    {"名詞", "代名詞", "動詞", "形容詞", "形状詞", "副詞", "感動詞", "接尾辞", "接頭辞", "連体詞", "接続詞"}
)
_PREDICATE_PARTICLES: Final = frozenset({"て", "で", "ん"})
_GUESSES: Final = ("だろう", "だろ", "でしょう", "でしょ")
_COMPLETED: Final = ("ちゃう", "じゃう", "しまう")
_PUNCTUATION: Final = re.compile(r"[、。，．・…！？!?,.「」『』\s]")


@dataclass(frozen=True, slots=True)
class Twin:
    """A plain and a polite sentence."""

    plain: str
    polite: str


@dataclass(frozen=True, slots=True)
class TwinResult:
    """Whether rules make the one of the other."""

    twin: Twin
    to_polite: bool
    to_plain: bool
    either: bool
    """One of the two, but for punctuation."""


def content_of(analysis: Analysis) -> tuple[object, ...]:
    """What two sentences must share to be twins.

    The same content words and particles in the same order and spelling, as many pasts, negations, requests and guesses,
    and the same closing particles. Only て, で, の and ん may differ, as they belong to predicates.
    """
    words: list[str] = []
    counted: Counter[str] = Counter()
    final: list[str] = []
    for morpheme, classes in zip(analysis.morphemes, analysis.classes, strict=True):
        word, part = morpheme.dictionary_form, morpheme.part_of_speech[0]
        final = [*final, morpheme.surface] if "closing" in classes else final if "mark" in classes else []
        counted["past"] += "ta" in classes
        counted["negation"] += word in ("ない", "無い") or "nu" in classes
        counted["guess"] += morpheme.surface in _GUESSES
        counted["completed"] += word in _COMPLETED
        counted["nominaliser"] += "nominaliser" in classes
        counted["request"] += word in _REQUESTS and part == "動詞"
        if part in _TWIN_CONTENT and word not in _FUNCTIONAL | _REQUESTS and "da" not in classes:
            words.append(word)
        elif (
            part == "助詞" and not classes & {"closing", "nominaliser"} and morpheme.surface not in _PREDICATE_PARTICLES
        ):
            words.append(morpheme.surface)
    return (*words, tuple(sorted(counted.items())), *final)


def strict_twins(group: Sequence[Analysis]) -> list[Twin]:
    """The twins among sentences that share a translation, in their order."""
    contents = [content_of(each) for each in group]
    styles = [style(each) for each in group]
    return [
        Twin(plain.text, polite.text)
        for plain, content, plain_style in zip(group, contents, styles, strict=True)
        for polite, other, polite_style in zip(group, contents, styles, strict=True)
        if plain_style is Style.PLAIN and polite_style is Style.POLITE and content == other
    ]


def bare(text: str) -> str:
    """A text without its punctuation."""
    return _PUNCTUATION.sub("", text)


def try_twin(twin: Twin, expander: Expander) -> TwinResult:
    """Whether the rules of an expander make the one of the other."""
    ways = [
        (wanted, [rewriting.text for rewriting in expander.expand(text).rewritings])
        for text, wanted in ((twin.plain, twin.polite), (twin.polite, twin.plain))
    ]
    to_polite, to_plain = (wanted in texts for wanted, texts in ways)
    either = any(bare(wanted) in map(bare, texts) for wanted, texts in ways) or bare(twin.plain) == bare(twin.polite)
    return TwinResult(twin, to_polite, to_plain, either)


# Rules that pairs of sentences with one translation suggest: the learning that Kanayama (2003) leaves open.
# What differs between two sentences is widened to the whole predicate, and its content words become wildcards. Most
# such differences are no paraphrases in general: a person has to accept a rule.


LONGEST: Final = 5
"""The most morphemes in which the two sentences of a pair differ, on either side."""
_LONGEST_RULE: Final = 7
_CONTENT: Final = ("full-verb", "adjective", "noun", "pronoun", "na-adjective", "adverb", "interjection", "adnominal")
_PREDICATE: Final = frozenset({"auxiliary", "conjunctive"})
_FORMS: Final = (
    *("euphonic", "final", "continuative", "irrealis", "irrealis-sa", "irrealis-se", "conditional"),
    *("imperative", "volitional", "stem"),
)
_UNVOICED: Final = {"だ": "た", "で": "て", "じ": "ち", "ど": "と"}
_VOICED: Final = (*_UNVOICED, *_UNVOICED.values())
"""What an auxiliary or particle that asks for the euphonic form begins with."""
_HAN: Final = re.compile("[\u3400-\u9fff]")
_LITERAL_CLASSES: Final = (
    *("case", "topic", "adverbial", "conjunctive", "closing", "nominaliser", "comma", "stop", "mark"),
    *("conjunction", "prefix", "suffix", "manner"),
)
_SPECIAL: Final = frozenset(':/$!()|_*=<> "')


@dataclass(frozen=True, slots=True)
class LearntPattern:
    """A difference between two sentences, as a line of the rule language without its name."""

    kind: str
    """polite where the two sentences differ in style, else other."""
    source: str
    before: str
    """The sentence on the left side of the rule."""
    after: str


def pattern_between(first: Analysis, second: Analysis) -> LearntPattern | None:
    """The rule that two sentences suggest; None where they differ in too much, in content words, or in nothing.

    The plain sentence stands left, else the one of which the side is shorter.
    """
    one, other = sorted((first, second), key=_rank)
    begin, ends = _difference(one, other)
    if ends is None:
        return None
    begin, ends = _widened(one, other, begin, ends)
    sides = one.morphemes[begin : ends[0]], other.morphemes[begin : ends[1]]
    if not all(sides) or max(map(len, sides)) > _LONGEST_RULE:
        return None
    written = _written(one, other, begin, ends)
    context = None if written is None else _context(one, other, begin, ends, starts_open=written[0].startswith("$"))
    if written is None or context is None or written[0] == written[1]:
        return None
    kind = "polite" if (style(one) is Style.POLITE) != (style(other) is Style.POLITE) else "other"
    source = f"{written[0]} <-> {written[1]}{context}"
    return LearntPattern(kind, source, one.text, other.text)


def _rank(analysis: Analysis) -> tuple[bool, int, str]:
    """The plain sentence before the polite one, the shorter before the longer, and else as the texts sort."""
    return style(analysis) is Style.POLITE, len(analysis.morphemes), analysis.text


def _difference(one: Analysis, other: Analysis) -> tuple[int, tuple[int, int] | None]:
    """Where the two begin to differ, and where the difference ends in each; None for none and for too much of it."""
    ours, theirs = one.morphemes, other.morphemes
    least = min(len(ours), len(theirs))
    begin = next((at for at in range(least) if not _same(ours[at], theirs[at])), least)
    same = 0
    while same < least - begin and _same(ours[-1 - same], theirs[-1 - same]):
        same += 1
    ends = len(ours) - same, len(theirs) - same
    widths = [end - begin for end in ends]
    return begin, ends if 0 < max(widths) <= LONGEST else None


def _same(one: Morpheme, other: Morpheme) -> bool:
    return (one.surface, one.part_of_speech[0]) == (other.surface, other.part_of_speech[0])


def _widened(one: Analysis, other: Analysis, begin: int, ends: tuple[int, int]) -> tuple[int, tuple[int, int]]:
    """From the verb or adjective that the difference belongs to, to the last auxiliary; at least one morpheme each."""

    def is_predicate(at: int) -> bool:
        return any(
            at < end and bool(analysis.classes[at] & _PREDICATE)
            for analysis, end in ((one, max(ends[0], begin + 1)), (other, max(ends[1], begin + 1)))
            if at < len(analysis.morphemes)
        )

    while begin and one.morphemes[begin - 1].conjugation and is_predicate(begin):
        begin -= 1
    while ends[0] < len(one.morphemes) and "auxiliary" in one.classes[ends[0]]:
        ends = ends[0] + 1, ends[1] + 1
    if begin and begin in ends:
        begin -= 1
    return begin, ends


def _written(one: Analysis, other: Analysis, begin: int, ends: tuple[int, int]) -> tuple[str, str] | None:
    """Both sides in the rule language; None where a content word of one side is not on the other."""
    left, right = range(begin, ends[0]), range(begin, ends[1])
    numbers: dict[int, int] = {}
    free = [at for at in right if _is_content(other, at)]
    for at in left:
        if not _is_content(one, at):
            continue
        lexeme = _lexeme(one.morphemes[at])
        mate = next((there for there in free if _lexeme(other.morphemes[there]) == lexeme), None)
        if mate is None:
            return None
        free.remove(mate)
        numbers[at] = mate
    if free or [*numbers.values()] != sorted(numbers.values()):
        return None
    variables = {at: number for number, at in enumerate(numbers, 1)}
    others = {numbers[at]: number for at, number in variables.items()}
    sides = []
    for analysis, places, known in ((one, left, variables), (other, right, others)):
        elements = [_element(analysis, at, known.get(at), is_left=analysis is one) for at in places]
        if None in elements:
            return None
        sides.append(" : ".join(element or "" for element in elements))
    return sides[0], sides[1]


def _is_content(analysis: Analysis, at: int) -> bool:
    return bool(analysis.classes[at] & {*_CONTENT})


def _lexeme(morpheme: Morpheme) -> tuple[str, str]:
    return morpheme.dictionary_form, morpheme.part_of_speech[0]


def _element(analysis: Analysis, at: int, number: int | None, *, is_left: bool) -> str | None:
    """A morpheme as a rule has it: a wildcard with its class and form, or what is written with its class."""
    morpheme, classes = analysis.morphemes[at], analysis.classes[at]
    if number is None:
        if _SPECIAL & {*morpheme.surface} or _HAN.search(morpheme.surface):
            return None  # what is written in Chinese characters is content
        names = [name for name in (*INFLECTIONS, *_LITERAL_CLASSES) if name in classes]
        surface = _unvoiced(analysis, at)
        return f"{surface}({names[0]})" if names else surface
    name = next(name for name in _CONTENT if name in classes)
    form = _form(analysis, at)
    if morpheme.conjugation and form is None:
        return None
    said = " ".join(filter(None, (name.replace("full-verb", "verb") if is_left else "", form)))
    return f"${number}({said})" if said else f"${number}"


def _unvoiced(analysis: Analysis, at: int) -> str:
    """A surface as rules have it: た also after 読ん, where だ is written."""
    surface = analysis.surfaces[at]
    follows = bool(at) and "euphonic" in forms_of(analysis.morphemes[at - 1])
    unvoiced = _UNVOICED.get(surface[0], surface[0]) + surface[1:]
    return unvoiced if follows and analysis.classes[at] & {"ta", "conjunctive", "ichidan", "godan"} else surface


def _form(analysis: Analysis, at: int) -> str | None:
    """The name of the form in which an inflected morpheme stands; before た and て euphonic, as godan verbs are."""
    known = forms_of(analysis.morphemes[at])
    if {"euphonic", "continuative"} <= known:
        following = analysis.surfaces[at + 1 : at + 2]
        return "euphonic" if following and following[0].startswith(_VOICED) else "continuative"
    return next((form for form in _FORMS if form in known), None)


def _context(one: Analysis, other: Analysis, begin: int, ends: tuple[int, int], *, starts_open: bool) -> str | None:
    """What stands around, where it matters; None where the two are followed by what cannot be named."""
    before = ""
    if begin and not starts_open:
        classes = one.classes[begin - 1]
        names = [name for name in ("nominal", "verb", "adjective", "auxiliary", "particle", "mark") if name in classes]
        if not names:
            return None
        before = f"({names[0]}) "
    if at_end(one, ends[0]) and at_end(other, ends[1]):
        return f" / {before}_ END"
    if ends[0] == len(one.morphemes):
        return None
    surface = one.morphemes[ends[0]].surface
    if "particle" in one.classes[ends[0]] and not _SPECIAL & {*surface}:
        return f" / {before}_ {surface}"
    return f" / {before}_" if before else ""

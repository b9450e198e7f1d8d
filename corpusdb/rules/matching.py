"""Where a side of a rule stands in an analysed text; the style of a text, its registers, and how it is spelled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from os.path import commonprefix
from typing import Final, NamedTuple, TypeAlias

from corpusdb.base.tokenisation import Morpheme
from corpusdb.rules.morphology import Analysis, forms_of, voices
from corpusdb.rules.rule import Boundary, Context, MorphemePattern, Rule, RuleDirection

Test: TypeAlias = Callable[[Morpheme, frozenset[str], bool], bool]
"""Whether a morpheme, of these classes, fits an element; the last says whether it stands voiced after its verb."""

_VOICED: Final = {"た": "だ", "て": "で", "ち": "じ", "と": "ど"}
_PARTICLES: Final = frozenset({"よ", "ね", "よね", "ねえ", "ねぇ", "ねー", "か"})
_COORDINATING: Final = frozenset({"が", "けど", "けれど", "けれども", "けども", "から", "し"})
_NOT_COORDINATED: Final = frozenset({"desu", "da", "topic", "case", "adverbial", "nominaliser"})
_POLITE: Final = frozenset({"desu", "masu"})
_ENDS_POLITE: Final = frozenset({"desu", "masu", "ta", "nu"})
_LONGEST_POLITE: Final = 4  # ませ ん でし た
_ASKING: Final = "か"
_MOST_CLOSING: Final = 2  # よね
_PREDICATES: Final = frozenset({"verb", "adjective", "auxiliary", "nominaliser"})
_WHETHER: Final = frozenset({"どう", "否"})
_INTERROGATIVE: Final = frozenset(
    {"何", "誰", "何処", "何時", "何れ", "何方", "幾つ", "幾ら", "如何", "何故", "どの", "どう"}
)
_OF_KNOWING: Final = frozenset(
    {"知る", "分かる", "聞く", "尋ねる", "問う", "覚える", "考える", "思う", "言う", "教える", "決める", "調べる"}
)
"""Verbs that have a question as their object: 来るか知っているか is one question, 来るか来ないか are two."""
_TRAILING: Final = frozenset('…‥♪☆★〜～ー♡♥❤"')
_OPENING: Final = frozenset({"（", "("})


def voiced(word: str) -> str:
    """A literal as it stands after a verb that voices what follows: た is だ."""
    return _VOICED.get(word[:1], word[:1]) + word[1:]


def at_stop(analysis: Analysis, at: int) -> bool:
    """Whether a sentence ends before the morpheme of this number: by a mark, a line or the text."""
    morphemes = analysis.morphemes
    if at == len(morphemes):
        return True
    classes = analysis.classes[at]
    if "stop" in classes:
        return True
    surface = morphemes[at].surface
    if surface in _OPENING or ("mark" in classes and surface[0] in _TRAILING):
        return True
    if not analysis.joined[at] and at and "\n" in analysis.text[morphemes[at - 1].end : morphemes[at].begin]:
        return True
    return analysis.quoted[-1:] == (False,) and at == len(morphemes) - 1 and "mark" in classes and len(surface) == 1


def _coordinated(analysis: Analysis, at: int) -> bool:
    """Whether a clause ends here that another follows, by が, けど, から or し."""
    morpheme = analysis.morphemes[at]
    if morpheme.surface not in _COORDINATING or "conjunctive" not in analysis.classes[at]:
        return False
    after = at + 1
    if after == len(analysis.morphemes) or not analysis.joined[after]:
        return True
    if morpheme.surface == "が" and not analysis.classes[after] & {"comma", "stop"}:
        return False  # 反抗的だが真面目な新人
    # 行くからだ, 行くからには, 行くからか
    return not (analysis.classes[after] & _NOT_COORDINATED or analysis.surfaces[after] == "か")


def at_end(analysis: Analysis, at: int) -> bool:
    """Whether a predicate ends before this morpheme: by a stop, by よ or ね with a stop or comma, by けど."""
    known = analysis.ends.get(at)
    if known is None:
        known = analysis.ends[at] = _at_end(analysis, at)
    return known


def _at_end(analysis: Analysis, at: int) -> bool:
    morphemes, end = analysis.morphemes, at
    while end < len(morphemes) and morphemes[end].surface in _PARTICLES and "particle" in analysis.classes[end]:
        end += 1
    if end <= at + 2 and (at_stop(analysis, end) or (end > at and "comma" in analysis.classes[end])):
        return True  # そうだね、行こう is two sentences
    return at < len(morphemes) and (_coordinated(analysis, at) or _polite_within(analysis, at))


def _polite_within(analysis: Analysis, at: int) -> bool:
    """Whether a polite predicate ends here in the middle of a sentence: 分かりました、, 決めましたので."""
    if not any(analysis.classes[back] & _POLITE for back in range(max(0, at - _LONGEST_POLITE), at)):
        return False
    if not analysis.classes[at - 1] & _ENDS_POLITE:
        return False
    if "comma" in analysis.classes[at]:
        return True
    return analysis.surfaces[at : at + 2] == ("の", "で") and "desu" not in analysis.classes[at - 1]  # no だので


def asks_within(analysis: Analysis, number: int) -> bool:
    """Whether the か of this number asks nobody: a question within a sentence, or one of several that are set side by
    side. 住むか、それが問題だ, 来るか分からない, 来るかどうか, 来るのか来ないのか, AかそれともBか.
    """
    end = number + 1
    while end < len(analysis.morphemes) and end <= number + _MOST_CLOSING and "closing" in analysis.classes[end]:
        end += 1
    if not at_stop(analysis, end):
        return True
    if number >= 2 and analysis.surfaces[number - 2] == _ASKING and analysis.surfaces[number - 1] in _WHETHER:
        return True
    asked = _asked_of(analysis, number)
    for at in range(number - 2, 0, -1):
        if at_stop(analysis, at):
            return False
        if analysis.morphemes[at].normalized_form in _OF_KNOWING:
            return False
        if analysis.surfaces[at] == _ASKING and asked is not None and _asked_of(analysis, at) == asked:
            return True
    return False


def _asked_of(analysis: Analysis, number: int) -> str | None:
    """What か stands behind: a predicate or a nominal; None for 誰か, かも and what else is no question."""
    if "particle" not in analysis.classes[number] or analysis.surfaces[number + 1 : number + 2] == ("も",):
        return None
    if any(each.normalized_form in _INTERROGATIVE for each in analysis.morphemes[max(0, number - 2) : number]):
        return None
    classes = analysis.classes[number - 1]
    return "predicate" if classes & _PREDICATES else "nominal" if "nominal" in classes else None


def _asking_at(analysis: Analysis, end: int) -> int | None:
    """The number of the か with which a match ends, or which follows it among the closing particles."""
    for number in range(end - 1, min(end + _MOST_CLOSING, len(analysis.morphemes))):
        if analysis.surfaces[number] == _ASKING and "particle" in analysis.classes[number]:
            return number
        if number >= end and analysis.surfaces[number] not in _PARTICLES:
            return None
    return None


_HOLDS: Final[Mapping[Boundary, Callable[[Analysis, int], bool]]] = {
    Boundary.END: at_end,
    Boundary.STOP: at_stop,
    Boundary.START: lambda analysis, at: at == 0 or at_stop(analysis, at - 1) or not analysis.joined[at],
}


def _named(element: MorphemePattern) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(element.surfaces), frozenset(voiced(word) for word in element.surfaces)


def element_test(element: MorphemePattern) -> Test:
    """The test of one element, with what need not be asked left out."""
    plain, changed = _named(element)
    any_of, none_of, form = element.any_of, element.none_of, element.form
    lexemes, others, is_lexeme = element.lexemes, element.other_lexemes, element.is_lexeme

    def holds(morpheme: Morpheme, classes: frozenset[str], is_voiced: bool) -> bool:
        if plain:
            word = morpheme.dictionary_form if is_lexeme else morpheme.surface
            if word not in (changed if is_voiced else plain):
                return False
        for names in any_of:
            if not names & classes:
                return False
        if none_of & classes or (form is not None and form not in forms_of(morpheme)):
            return False
        if lexemes and morpheme.dictionary_form not in lexemes and morpheme.normalized_form not in lexemes:
            return False
        return not (others and (morpheme.dictionary_form in others or morpheme.normalized_form in others))

    return holds


class DirectedRule:
    """A rule in one direction, made ready for matching."""

    def __init__(self, rule: Rule, direction: RuleDirection) -> None:
        self.rule = rule
        self.direction = direction

    @cached_property
    def elements(self) -> tuple[MorphemePattern, ...]:
        return self.rule.sides(self.direction)[0]

    @cached_property
    def target(self) -> tuple[MorphemePattern, ...]:
        return self.rule.sides(self.direction)[1]

    @cached_property
    def opposite(self) -> DirectedRule:
        """The same rule the other way, by which is seen whether what was written is what the rule says."""
        return DirectedRule(self.rule, self.direction.other)

    @cached_property
    def _tests(self) -> tuple[Test, ...]:
        return tuple(element_test(element) for element in self.elements)

    @cached_property
    def _context_tests(self) -> Mapping[MorphemePattern, Test]:
        contexts = (*self.rule.before, *self.rule.after)
        return {
            one.condition: element_test(one.condition) for one in contexts if isinstance(one.condition, MorphemePattern)
        }

    @cached_property
    def anchor(self) -> tuple[int, frozenset[str]] | None:
        """The number of the element with the longest literal, and its words; None for wildcards alone."""
        literals = [(number, element) for number, element in enumerate(self.elements) if element.surfaces]
        if not literals:
            return None
        number, element = max(literals, key=lambda pair: (min(len(word) for word in pair[1].surfaces), -pair[0]))
        plain, changed = _named(element)
        after = number and self.elements[number - 1].form == "euphonic"
        return number, plain | changed if after else plain

    def matches(self, analysis: Analysis) -> Iterator[int]:
        """Where the rule applies, as numbers of morphemes, from left to right and without overlap."""
        free = 0
        for begin in self._begins(analysis):
            if begin >= free and self.fits(analysis, begin) and self._allowed(analysis, begin):
                yield begin
                free = begin + len(self.elements)

    def _begins(self, analysis: Analysis) -> Sequence[int]:
        if self.anchor is None:
            if not self.elements[0].any_of:
                return range(len(analysis.morphemes))
            return sorted({at for name in self.elements[0].any_of[0] for at in analysis.members.get(name, ())})
        number, words = self.anchor
        found = {at - number for word in words for at in analysis.words.get(word, ()) if at >= number}
        return sorted(found)

    def fits(self, analysis: Analysis, begin: int) -> bool:
        """Whether the morphemes from here are those that are looked for, whatever stands around them."""
        if begin + len(self.elements) > len(analysis.morphemes):
            return False
        is_voiced = False
        for at, (element, test) in enumerate(zip(self.elements, self._tests, strict=True), begin):
            morpheme = analysis.morphemes[at]
            if at > begin and not analysis.joined[at]:
                return False
            if not test(morpheme, analysis.classes[at], is_voiced):
                return False
            is_voiced = element.form == "euphonic" and voices(morpheme)
        return True

    def _allowed(self, analysis: Analysis, begin: int) -> bool:
        """Whether nothing of the match is quoted or asked within, and its context is as the rule says."""
        end = begin + len(self.elements)
        if any(analysis.quoted[begin:end]):
            return False
        asking = _asking_at(analysis, end) if self.rule.kind == "polite" else None
        if asking is not None and asks_within(analysis, asking):
            return False  # who is asked is spoken to, and a question within a sentence asks nobody
        return self._context(analysis, self.rule.after, end, 1) and self._context(
            analysis, self.rule.before[::-1], begin, -1
        )

    def _context(self, analysis: Analysis, contexts: Sequence[Context], at: int, step: int) -> bool:
        for context in contexts:
            if isinstance(context.condition, Boundary):
                holds = _HOLDS[context.condition](analysis, at)
            else:
                number = at if step > 0 else at - 1
                holds = 0 <= number < len(analysis.morphemes) and self._context_tests[context.condition](
                    analysis.morphemes[number], analysis.classes[number], False
                )
                at += 0 if context.negated else step
            if holds == context.negated:
                return False
        return True


class RuleIndex:
    """Which rules may apply to a text at all, by the words and classes that it needs to have."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.directed = tuple(DirectedRule(rule, direction) for rule in rules for direction in rule.directions)
        """Each rule in each of its directions, in the order of the rules."""
        self._always = frozenset(one for one in self.directed if one.anchor is None)
        self._by_word: dict[str, list[DirectedRule]] = {}
        for one in self.directed:
            for word in one.anchor[1] if one.anchor else ():
                self._by_word.setdefault(word, []).append(one)

    def candidates(self, analysis: Analysis) -> frozenset[DirectedRule]:
        """The directed rules whose words stand in the text."""
        words = analysis.words.keys() & self._by_word.keys()
        return self._always.union(one for word in words for one in self._by_word[word])


# Whether a text is polite or plain, by the predicates with which its sentences end.


_ENDING_CLASSES: Final = frozenset({"verb", "adjective", "auxiliary"})
_BETWEEN: Final = frozenset({"closing", "adverbial", "nominaliser"})
_REPORTING: Final = frozenset({"と", "って"})
_REQUESTS: Final = frozenset({"くださる", "下さる"})
_ENDING: Final = ("終止形", "連体形", "命令形", "意志推量形")
_TO_ONESELF: Final = frozenset({"な", "なあ", "なぁ", "なー", "かしら", "の"})
_MOST_PARTICLES: Final = 3
_FARTHEST_BACK: Final = 3  # ませ ん でし た


class Style(StrEnum):
    POLITE = "polite"
    PLAIN = "plain"
    MIXED = "mixed"
    NONE = "none"
    """No sentence ends with a predicate."""


def style(analysis: Analysis) -> Style:
    """The style of a text: a plain clause within a sentence says nothing of it, a polite one anywhere does.

    What stands in quotation marks, or before と and って, is what another says, and is not looked at.
    """
    found: set[Style] = set()
    beside: set[Style] = set()
    for at in range(1, len(analysis.morphemes) + 1):
        if analysis.quoted[at - 1]:
            continue
        if _is_polite(analysis, at - 1) and not _is_reported(analysis, at):
            found.add(Style.POLITE)
        elif _ends_sentence(analysis, at):
            found.add(_style_before(analysis, at))
        elif "comma" in analysis.classes[at] or not analysis.joined[at]:  # white space in place of a stop
            beside.add(_style_before(analysis, at))  # 分かった、行きます is of two styles, 安い、うまい of none
    found.discard(Style.NONE)
    if not found:
        return Style.NONE
    return found.pop() if len(found | beside - {Style.NONE}) == 1 else Style.MIXED


def _is_polite(analysis: Analysis, number: int) -> bool:
    """Whether a morpheme is です or ます; でん of 読んでんの, which an analyser takes for です, is neither."""
    return bool(analysis.classes[number] & _POLITE) and analysis.morphemes[number].form != "終止形-撥音便"


def _is_reported(analysis: Analysis, at: int) -> bool:
    """Whether a polite auxiliary, with what follows it in its predicate, stands before と or って."""
    while at < len(analysis.morphemes) and analysis.classes[at] & {"auxiliary", "closing", "nu", "ta"}:
        at += 1
    return at < len(analysis.morphemes) and analysis.surfaces[at] in _REPORTING and "particle" in analysis.classes[at]


def _ends_sentence(analysis: Analysis, at: int) -> bool:
    """Whether a sentence of some style ends here: by a stop or by が, beside which けど and から say little of it.

    Particles may stand between, but for those of one who talks to himself, which polite speakers use as well.
    """
    if analysis.surfaces[at : at + 1] == ("が",):
        return at_end(analysis, at) and at > 1 and not at_stop(analysis, at - 2)  # だが begins a sentence
    for end in range(at, at + _MOST_PARTICLES + 1):
        if at_stop(analysis, end) or (end > at and "comma" in analysis.classes[end]):
            return True
        if analysis.surfaces[end] == "か" and asks_within(analysis, end):
            return False
        if not analysis.classes[end] & _BETWEEN or analysis.surfaces[end] in _TO_ONESELF:
            return False
    return False


def _style_before(analysis: Analysis, at: int) -> Style:
    """The style of the predicate that ends before the morpheme of this number; NONE where there is none."""
    last = analysis.morphemes[at - 1]
    if not analysis.classes[at - 1] & _ENDING_CLASSES or not last.form.startswith(_ENDING):
        asked = "nominal" in analysis.classes[at - 1] and analysis.surfaces[at : at + 1] == ("か",)
        return Style.PLAIN if asked else Style.NONE  # 本当か
    if last.form == "命令形":
        return Style.POLITE if last.dictionary_form in _REQUESTS else Style.NONE
    for back in range(at - 1, max(at - 1 - _FARTHEST_BACK, -1) - 1, -1):
        if _is_polite(analysis, back):
            return Style.POLITE
        if "auxiliary" not in analysis.classes[back]:
            break
    return Style.PLAIN


# What in a text is of two registers, though all its predicates are of one style: courtesy beside plain style.
# Politeness is said by predicates, and also by words for the hearer: 神田様とお約束している。 is said by nobody. Rules
# change predicates alone, so that rewriting can leave such words behind; and である is written, not said to somebody.


_COURTEOUS: Final = frozenset(
    {
        "畏まる", "如何", "恐れ入る", "御座る", "承知", "存じる", "存ずる", "申し上げる", "伺う", "貴社", "弊社",
    }
)  # fmt: skip
"""Words to a hearer, in their normalized form."""
_HUMBLE: Final = "頂く"
_TITLES: Final = frozenset({"様", "さま"})
_PREFIXES: Final = frozenset({"お", "ご", "御"})
_OF_A_HEARER: Final = frozenset({"社", "時間"})  # 御社, お時間
_TO_A_HEARER: Final = frozenset({"closing", "interjection"})
_PERSON: Final = "人名"
_TOPICS: Final = frozenset({"は", "が", "も"})


def clashes_in(analysis: Analysis) -> frozenset[str]:
    """What clashes: ``courtesy`` with plain predicates, ``speech`` with である, a name given plainly as one's own."""
    found = set()
    if style(analysis) is Style.PLAIN:
        if _is_courteous(analysis):
            found.add("courtesy")
        if _introduces(analysis):
            found.add("name")
    if _is_written(analysis) and any(classes & _TO_A_HEARER for classes in analysis.classes):
        found.add("speech")
    return frozenset(found)


def _is_courteous(analysis: Analysis) -> bool:
    for number, morpheme in enumerate(analysis.morphemes):
        if analysis.quoted[number]:
            continue
        if morpheme.normalized_form in _COURTEOUS:
            return True
        if morpheme.normalized_form == _HUMBLE and number and "action" in analysis.classes[number - 1]:
            return True  # 変更いただき
        if morpheme.part_of_speech[0] == "接尾辞" and morpheme.surface in _TITLES:
            return True
        if morpheme.part_of_speech[0] == "接頭辞" and morpheme.surface in _PREFIXES:
            following = number + 1
            if following < len(analysis.morphemes) and (
                analysis.classes[following] & {"action", "full-verb"} or analysis.surfaces[following] in _OF_A_HEARER
            ):
                return True
    return False


def _introduces(analysis: Analysis) -> bool:
    """Whether somebody gives a name as one does on the telephone: N社の玉元だ。"""
    if _TOPICS & {*analysis.surfaces}:
        return False
    return any(
        _PERSON in analysis.morphemes[at - 2].part_of_speech and "da" in analysis.classes[at - 1]
        for at in range(2, len(analysis.morphemes) + 1)
        if at_end(analysis, at)
    )


def _is_written(analysis: Analysis) -> bool:
    return any(
        analysis.surfaces[at - 2 : at] == ("で", "ある") and not analysis.quoted[at - 1]
        for at in range(2, len(analysis.morphemes) + 1)
        if at_end(analysis, at)
    )


# Content words in the spelling that the dictionary prefers: 分る and わかる are both 分かる.
# Rules that do this are what Kanayama (2003), section 5.1, sets against his own: they replace words, not styles.


_CONTENT = frozenset({"名詞", "動詞", "形容詞", "形状詞", "副詞"})
_NAMES = "固有名詞"
_BOUND = "非自立可能"  # いる, ある, くださる: these are styles, not contents


class Respelling(NamedTuple):
    """A text with its content words respelt."""

    text: str
    replaced: tuple[tuple[str, str], ...]
    """The words in the form of citation, as they were and as they are, in the order of the text."""


def canonical_spelling(analysis: Analysis) -> Respelling:
    """The text with every content word in the dictionary's own spelling; the same text where all are."""
    parts, replaced, end = [], [], 0
    for morpheme in analysis.morphemes:
        parts.append(analysis.text[end : morpheme.begin])
        spelt = _spelt(morpheme)
        if spelt != morpheme.surface:
            replaced.append((morpheme.dictionary_form, morpheme.normalized_form))
        parts.append(spelt)
        end = morpheme.end
    return Respelling("".join((*parts, analysis.text[end:])), tuple(replaced))


def _spelt(morpheme: Morpheme) -> str:
    """The surface, its stem respelt where the two forms of citation end alike: 分っ of 分る, 分かる is 分かっ."""
    first, *narrower = morpheme.part_of_speech
    cited, preferred = morpheme.dictionary_form, morpheme.normalized_form
    if first not in _CONTENT or _NAMES in narrower or _BOUND in narrower or cited == preferred:
        return morpheme.surface
    if not morpheme.conjugation:
        return preferred if cited == morpheme.surface else morpheme.surface
    shared = len(commonprefix((cited[::-1], preferred[::-1])))
    stem = cited[: len(cited) - shared]
    # Without a shared ending the inflection of the one is not that of the other.
    if not shared or not stem or not morpheme.surface.startswith(stem):
        return morpheme.surface
    return preferred[: len(preferred) - shared] + morpheme.surface[len(stem) :]

"""What is kept of the paraphrases: filters, each in SQL and in Python, and what they could do without.

A filter looks at what one origin says of one paraphrase of a seed: in SQL at a row with the columns of ``candidate``,
in Python at a ``Finding``, which has them as fields. A paraphrase is kept where the filter accepts what one of its
origins says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, TypeAlias, TypedDict, Unpack, cast

from corpusdb.base.errors import UsageError
from corpusdb.base.options import rounded_below
from corpusdb.corpus.model import Finding, Paraphrase
from corpusdb.corpus.orders import (
    AS_PROBABLE,
    DEFAULT_MIN_VALIDITY,
    DEFAULT_ORDER,
    DOUBTED,
    NEARLY_AS_PROBABLE,
    NO_LIMIT,
    ONE_PIVOT,
    REPLACES,
    SURELY_STANDS,
    order_asked,
    part_of_order,
)


class Filter(ABC):
    """What a paraphrase must satisfy to be kept."""

    @abstractmethod
    def condition(self, row: str) -> str:
        """An SQL expression that is true where the row that is called ``row`` is accepted."""

    @property
    @abstractmethod
    def values(self) -> Mapping[str, object]:
        """What is bound to the names in the condition; no other filter has these names."""

    @abstractmethod
    def accepts(self, finding: Finding) -> bool:
        """The same condition in Python."""

    @abstractmethod
    def document(self) -> dict[str, object]:
        """The filter as JSON can hold it, from which ``read`` makes it again; no other filter has these keys."""

    @classmethod
    @abstractmethod
    def read(cls, document: Mapping[str, Any]) -> Filter | None:
        """The filter of this kind that a document holds, or None; other members are not looked at."""

    def passes(self, paraphrase: Paraphrase) -> bool:
        return any(map(self.accepts, paraphrase.findings))


# The marks that a sentence ends with: what differs from its seed in nothing else is no paraphrase.
# One definition, in SQL and in Python. What opens a sentence goes with the mark that ends it, as ¿ with ?.


_LAST: Final = '.!?…。．｡！？‼⁇⁈⁉؟।։ \u00a0\u202f\u3000"”»」』'
"""Marks, with the spaces before them and the quotation marks behind."""
_FIRST: Final = '¿¡"“«「『 \u00a0\u202f'


def differs_in_final_marks(seed: str, text: str) -> bool:
    """Whether two different texts are the same but for the marks at their end."""
    return seed.rstrip(_LAST).lstrip(_FIRST) == text.rstrip(_LAST).lstrip(_FIRST)


def differs_in_final_marks_sql(seed: str, text: str) -> str:
    """The same of two expressions in SQL, each of which is looked at once."""
    return " = ".join(f"ltrim(rtrim({each}, '{_LAST}'), '{_FIRST}')" for each in (seed, text))


# The filter: every sequence of N characters was seen in the corpus, and the paraphrase probably holds.
# The N-sequences alone are the filter of Lepage & Denoual (2005, section 4.4). They keep apart what is no sentence,
# and say nothing of the meaning. Unless that filter is asked for as it is, shorter sequences will do for a paraphrase
# that only replaces words by others of which the corpus knows that they may stand for them, or is as probable as its
# seed as a sentence; and still shorter ones where all that was read says that it is a sentence.

Address: TypeAlias = Literal["same", "any"]
Failing: TypeAlias = Literal["", "marks", "change", "order", "validity"]
"""What a paraphrase fails a filter by; nothing where it passes."""


@dataclass(frozen=True, slots=True)
class NSequenceFilter(Filter):
    """All sequences of ``order`` characters occur in the corpus (section 4.4), and the validity is high enough.

    Raises UsageError for an order below 0, and for a validity that is no probability.
    """

    order: int = DEFAULT_ORDER
    """N; 0 lets all pass."""
    marks: bool = True
    """Whether the marks at both ends of a sentence are characters of these sequences."""
    min_validity: float = 0.0
    """The least probability that the paraphrase holds, where that is known; 0 with ``final_marks`` is the filter
    of the paper, by N alone."""
    final_marks: bool = True
    """Whether what differs from its seed in the marks at its end alone is accepted, as the paper's filter does."""
    real: bool = False
    """Whether what differs from its seed in capitals, marks and contractions alone is left out."""
    address: Address = "same"
    """``any``: what is halved, since one pivot language does not mark in what it may differ, is taken for whole: what
    is halved is at most ONE_PIVOT, and of what is not hardly any is between that and the halved least validity."""

    def __post_init__(self) -> None:
        if self.order < 0:
            raise UsageError(f"the order of the filter is 0 or more, not {self.order}")
        if not 0 <= self.min_validity <= 1:
            raise UsageError(f"the least validity is from 0 to 1, not {self.min_validity}")

    def __str__(self) -> str:
        told = f"N = {self.order}" + (f", V = {self.min_validity:g}" if self.min_validity else "")
        return told + (", real" if self.real else "") + (", any address" if self.address == "any" else "")

    @property
    def halves(self) -> bool:
        """Whether half of N will do for a replacement with evidence: at whatever least validity, so that a lower one
        lets all pass that a higher one does. The paper's filter has no such thing."""
        return bool(self.min_validity) or not self.final_marks

    @property
    def orders(self) -> tuple[int, ...]:
        """Half of N, a quarter and a tenth, where they will do.

        Half for a replacement with evidence: of what is only inserted or left out, and passes no more than that, 4 in
        10 are no sentences unless they are as probable as the seed.
        """
        return tuple(part_of_order(self.order, part if self.halves else 1) for part in (2, 4, 10))

    def reached(self, row: str) -> str:
        """The SQL expression for the highest order that a row passes."""
        return f"{row}.fluency" if self.marks else f"{row}.inner_fluency"

    def condition(self, row: str) -> str:
        parts = [self.order_condition(row)]
        parts += [self.validity_condition(row)] if self.min_validity else []
        parts += [] if self.final_marks else [self.marks_condition(row)]
        # Last, since each call of it costs more than all others.
        return " and ".join([*parts, self.real_condition(row)] if self.real else parts)

    def order_condition(self, row: str) -> str:
        reached = self.reached(row)
        if not self.halves or not self.order:
            return f"{reached} >= :order"
        return f"""({reached} >= :order
            or {reached} >= :half and ({row}.replacement or {row}.word_gain >= {AS_PROBABLE})
            or {row}.replacement >= {SURELY_STANDS} and {reached} >= :quarter
            or {row}.replacement > {SURELY_STANDS} and {reached} >= :tenth and {row}.word_gain >= {NEARLY_AS_PROBABLE}
        ) and ({reached} = {NO_LIMIT} or coalesce({row}.word_gain, 0.0) >= {DOUBTED})"""

    def validity_condition(self, row: str) -> str:
        if not self.min_validity:
            return "true"
        whole = f"coalesce({row}.validity, 1.0) >= :min_validity"
        return f"({whole} or {row}.validity between :min_halved and :one_pivot)" if self.address == "any" else whole

    def marks_condition(self, row: str) -> str:
        return "true" if self.final_marks else f"not {row}.only_marks"

    def real_condition(self, row: str) -> str:
        return f"{row}.is_real" if self.real else "true"

    @property
    def values(self) -> Mapping[str, object]:
        values: dict[str, object] = {"order": self.order}
        if self.halves and self.order:
            values |= dict(zip(("half", "quarter", "tenth"), self.orders, strict=True))
        values |= {"min_validity": self.min_validity} if self.min_validity else {}
        halved = {"min_halved": self.min_validity * ONE_PIVOT, "one_pivot": ONE_PIVOT}
        return values | (halved if self.min_validity and self.address == "any" else {})

    def accepts(self, finding: Finding) -> bool:
        return not self._failing(finding)

    def order_asked(self, finding: Finding) -> int:
        """The order that it has to reach."""
        if not self.halves:
            return self.order
        return order_asked(self.order, replacement=finding.replacement or 0, gain=finding.word_gain)

    def _failing(self, finding: Finding) -> Failing:
        if finding.only_marks and not self.final_marks:
            return "marks"
        if self.real and not finding.is_real:
            return "change"
        reached = finding.fluency if self.marks else finding.inner_fluency
        if not finding.is_vouched and (reached < self.order_asked(finding) or _is_doubted(self, finding, reached)):
            return "order"
        return "" if _is_valid(self, finding.validity) else "validity"

    def decisive(self, paraphrase: Paraphrase) -> Finding | None:
        """Of several findings the one that decides: the first that passes, else that whose validity is shown."""
        found = paraphrase.findings
        highest = max(found, key=lambda each: -1.0 if each.validity is None else each.validity, default=None)
        return next(filter(self.accepts, found), highest)

    def failing(self, paraphrase: Paraphrase) -> Failing:
        """What the decisive finding of a paraphrase fails by; nothing where it passes.

        The order before the validity: of what is no sentence, how probable it is that it keeps the meaning says little.
        """
        finding = self.decisive(paraphrase)
        return "" if finding is None else self._failing(finding)

    def reason(self, paraphrase: Paraphrase) -> str:
        """Why a paraphrase passes, or why it fails, by its decisive finding.

        Empty for one that passes since the corpus has it.
        """
        finding = self.decisive(paraphrase)
        return "" if finding is None else self._reason(finding)

    def _reason(self, finding: Finding) -> str:
        match self._failing(finding):
            case "marks":
                return "fails: nothing but the marks at the end differs"
            case "change":
                return "fails: nothing but capitals, marks and contractions differs"
            case "validity":
                return f"fails: {_low_validity(self, finding)}"
            case "order" if not _is_valid(self, finding.validity):
                return f"{_order_reason(self, finding)}, and {_low_validity(self, finding)}"
        return _order_reason(self, finding)

    def document(self) -> dict[str, object]:
        """What is as usual is left out, as in the documents of older versions."""
        said = {name: getattr(self, name) for name in _USUALLY}
        return {"order": self.order} | {name: value for name, value in said.items() if value != _USUALLY[name]}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Filter | None:
        if "order" not in document:
            return None
        return cls(document["order"], **{name: document.get(name, usual) for name, usual in _USUALLY.items()})


_USUALLY: Final[Mapping[str, Any]] = {
    "marks": True,
    "final_marks": True,
    "real": False,
    "address": "same",
    "min_validity": 0.0,
}


def _is_valid(kept: NSequenceFilter, validity: float | None) -> bool:
    if validity is None or validity >= kept.min_validity:
        return True
    return kept.address == "any" and kept.min_validity * ONE_PIVOT <= validity <= ONE_PIVOT


def _low_validity(kept: NSequenceFilter, finding: Finding) -> str:
    shown = rounded_below(finding.validity or 0.0, kept.min_validity, 4)
    return f"validity {shown:.4f} is below V = {kept.min_validity:g}"


def _order_reason(kept: NSequenceFilter, finding: Finding) -> str:
    """Why it fails by its order, or why it passes."""
    reached = finding.fluency if kept.marks else finding.inner_fluency
    asked, said = kept.order_asked(finding), f"word gain {finding.word_gain}"
    if finding.is_vouched:
        return "vouched for: no order is asked"
    if reached == NO_LIMIT:
        return ""
    if _is_doubted(kept, finding, reached):
        return f"fails: its words are far less probable than those of the seed: {said} is below {DOUBTED:g}"
    names = dict(zip((*kept.orders[::-1], kept.order), ("N/10", "N/4", "N/2", "N"), strict=True))
    name = names[asked]
    if reached < asked:
        return f"fails: order {reached} is below {name} = {asked}"
    if reached >= kept.order:
        return f"order {reached} reaches N = {kept.order}"
    support = finding.replacement or 0
    why = "vouched for" if support & REPLACES else "probably a sentence" if support else said
    why = "very probably a sentence" if support >= SURELY_STANDS else why
    also = f", {said}" if asked == kept.orders[-1] else ""
    return f"order {reached}, {why}{also}: {name} = {asked} suffices"


def _is_doubted(kept: NSequenceFilter, finding: Finding, reached: int) -> bool:
    """Whether the word model finds it so improbable that no order will do."""
    gain = finding.word_gain
    return kept.halves and kept.order > 0 and reached != NO_LIMIT and gain is not None and gain < DOUBTED


class FilterOptions(TypedDict, total=False):
    """What ``filter_at`` takes, for a function that hands it on."""

    order: int
    marks: bool
    min_validity: float | None
    final_marks: bool
    real: bool
    address: Address


def filter_at(
    order: int = DEFAULT_ORDER,
    *,
    marks: bool = True,
    min_validity: float | None = None,
    final_marks: bool = False,
    real: bool = False,
    address: Address = "same",
) -> NSequenceFilter:
    """The filter that somebody asks for; None: the usual validity, and none where no order is asked for either.

    ``final_marks``: also what differs from its seed in the marks at its end alone, as where nothing is asked for.
    ``real``: without what differs from it in capitals, marks and contractions alone.
    ``address``: ``any`` for what changes the address, number or gender of persons too.
    """
    if min_validity is None:
        min_validity = DEFAULT_MIN_VALIDITY if order else 0.0
    final_marks = final_marks or not (order or min_validity)
    return NSequenceFilter(order, marks, min_validity, final_marks, real, address)


def filter_of(options: object) -> NSequenceFilter:
    """The filter that the options of a command ask for by the same names; one that it lacks is as usual."""
    asked = {name: getattr(options, name) for name in FilterOptions.__annotations__ if hasattr(options, name)}
    return filter_at(**cast(FilterOptions, asked))


DEFAULT_FILTER: Final = filter_at()
NO_FILTER: Final = NSequenceFilter(0)


# Least figures of a paraphrase, over all origins that give it: what a list or an export shows is what they look at.


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Figures that a paraphrase must reach; 0 asks for nothing. Raises UsageError for a figure below 0.

    Unlike a ``Filter``, which looks at what each origin says, they look at the figures that are shown, each the highest
    that an origin gives. Paraphrases that are made by rules have none of them.
    """

    min_pivots: int = 0
    """Different rewordings behind it."""
    min_languages: int = 0
    """Languages that show them to be such."""
    min_shared: int = 0
    """Translations that it shares with the seed."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value < 0:
                raise UsageError(f"{name} is 0 or more, not {value}")

    def accepts(self, figures: Finding | Paraphrase) -> bool:
        return (
            figures.pivots >= self.min_pivots
            and figures.languages >= self.min_languages
            and figures.shared >= self.min_shared
        )

    def document(self) -> dict[str, int]:
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def of(cls, options: object) -> Thresholds:
        """Those that options ask for by the same names; one that a command lacks or leaves open asks for nothing."""
        return cls(**{name: getattr(options, name, None) or 0 for name in cls.__slots__})

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Thresholds:
        """Those of which ``document`` is the document; other members are not looked at."""
        return cls(**{name: document.get(name, 0) for name in cls.__slots__})


NO_THRESHOLDS: Final = Thresholds()


class ListOptions(FilterOptions, total=False):
    """The same with thresholds, for a function that lists paraphrases."""

    min_pivots: int
    min_languages: int
    min_shared: int


def filter_and_thresholds(**options: Unpack[ListOptions]) -> tuple[Filter, Thresholds]:
    """Both of what somebody asks for. Raises UsageError as ``Thresholds`` does."""
    passing = {name: value for name, value in options.items() if name not in Thresholds.__slots__}
    # What is not known is refused there.
    return filter_at(**cast(FilterOptions, passing)), Thresholds.read(options)


# The kinds of filters: a new one is a subclass of ``Filter`` in a module of its own, and a name in ``FILTERS``.


FILTERS: Final[list[type[Filter]]] = [NSequenceFilter]


def filter_from(document: Mapping[str, Any]) -> Filter:
    """The filter whose document is part of ``document``: of each kind that it holds, all at once."""
    found = tuple(each for kind in FILTERS if (each := kind.read(document)) is not None)
    return found[0] if len(found) == 1 else AllOf(found)


@dataclass(frozen=True, slots=True)
class AllOf(Filter):
    filters: tuple[Filter, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.filters)) or str(NO_FILTER)

    def condition(self, row: str) -> str:
        return " and ".join(f"({each.condition(row)})" for each in self.filters) or "true"

    @property
    def values(self) -> Mapping[str, object]:
        return {name: value for each in self.filters for name, value in each.values.items()}

    def accepts(self, finding: Finding) -> bool:
        return all(each.accepts(finding) for each in self.filters)

    def document(self) -> dict[str, object]:
        return {name: value for each in self.filters for name, value in each.document().items()}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Filter | None:
        return filter_from(document)


# What a filter that keeps nothing could do without: advice names only what would bring something.


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A filter that asks for less than another, and what that brings."""

    kept: NSequenceFilter
    options: str
    """As they are typed beside those that were given: ``-V 0``."""
    found: int
    """How many more it keeps; at least 1."""


def relaxations(kept: Filter, count: Callable[[Filter], int], *, final_marks: bool = False) -> tuple[Relaxation, ...]:
    """What brings something where ``kept`` brings nothing: one thing less, each by itself; all only if none does.

    ``count`` tells how many a filter keeps. It is called first for what lets all pass, and no more if that has none.
    ``final_marks``: whether what differs in the marks at its end alone can be asked for by itself.
    """
    if not isinstance(kept, NSequenceFilter):
        return ()
    changing = _relaxation(kept, replace(kept, real=False), count) if kept.real else None
    return (*([changing] if changing else []), *_less_strict(kept, count, final_marks))


def _less_strict(kept: NSequenceFilter, count: Callable[[Filter], int], final_marks: bool) -> tuple[Relaxation, ...]:
    nothing = replace(NO_FILTER, marks=kept.marks, real=kept.real)
    everything = None if kept == nothing else _relaxation(kept, nothing, count)
    if everything is None:
        return ()
    less = [_asking(kept, kept.order, 0.0)] if kept.min_validity else []
    less += [_asking(kept, 0, kept.min_validity)] if kept.order else []
    less += [replace(kept, final_marks=True)] if final_marks and not kept.final_marks else []
    if len(less) == 1:
        return (everything,)
    return tuple(filter(None, (_relaxation(kept, each, count) for each in less))) or (everything,)


def _asking(kept: NSequenceFilter, order: int, min_validity: float) -> NSequenceFilter:
    """The filter of somebody who asks for these and says nothing new of the rest."""
    how = filter_at(order, marks=kept.marks, min_validity=min_validity, final_marks=kept.final_marks)
    return replace(how, real=kept.real, address=kept.address)


def _relaxation(kept: NSequenceFilter, less: NSequenceFilter, count: Callable[[Filter], int]) -> Relaxation | None:
    """None where it keeps nothing either."""
    found = count(less)
    return Relaxation(less, _options(kept, less), found) if found else None


def _options(kept: NSequenceFilter, less: NSequenceFilter) -> str:
    """With the validity that stays: without -V, -N 0 asks for none."""
    if less.real != kept.real:
        return "without --real"
    order = "" if less.order == kept.order else f"-N {less.order}"
    validity = f"-V {less.min_validity:g}" if kept.min_validity else ""
    if less.final_marks == kept.final_marks or not (less.order or less.min_validity):
        return f"{order} {validity}".strip()
    return "--final-marks"


def format_relaxations(found: Sequence[Relaxation], verb: str) -> str:
    """In words: ``-V 0 shows 6, -N 0 -V 0.95 shows 2``; empty where nothing would bring anything."""
    return ", ".join(f"{each.options} {verb} {each.found:,}" for each in found)

"""Which metric is wanted, and how; and the signature of a number, all that someone needs to get the same."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from corpusdb import __version__
from corpusdb.base.errors import InputError, UsageError, there_are

_DEFAULTS = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}


@dataclass(frozen=True, slots=True)
class Smoothing:
    """What stands in for a precision of 0, with sacrebleu's definitions (Chen and Cherry 2014).

    ``none``: nothing, the score is 0. ``floor``: ``value`` (default 0.1) n-grams matched. ``add-k``: ``value`` (default
    1) is added to the matched and to all n-grams, for orders over 1. ``exp``: one half of an n-gram, a quarter the next
    time, and so on, as in mteval. Without a single matching unit the score is 0 whatever the method.
    """

    method: str = "none"
    value: float | None = None
    effective: bool = False
    """Whether orders longer than the hypothesis are left out (sacrebleu's effective_order) instead of counting as 0."""

    def __post_init__(self) -> None:
        if self.method not in _DEFAULTS:
            raise UsageError(f"unknown smoothing {self.method!r}; {there_are(self.method, _DEFAULTS)}")
        if self.value is not None and (not _DEFAULTS[self.method] or not 0 < self.value < math.inf):
            raise UsageError(f"smoothing {self.method!r} takes no value {self.value!r}")

    @property
    def amount(self) -> float:
        return _DEFAULTS[self.method] if self.value is None else self.value

    def __str__(self) -> str:
        value = f"[{self.amount:g}]" if self.amount else ""
        return f"{self.method}{value}{'+effective' if self.effective else ''}"


NO_SMOOTHING = Smoothing()
SENTENCE_SMOOTHING = Smoothing("exp", effective=True)
"""For sentences, whose plain BLEU is 0 more often than not; what sacrebleu takes for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSettings:
    """Which metric, and how. Made by registry.settings_for, which fills in what is not given and checks the rest."""

    metric: str
    unit: str
    order: int | None
    """The longest n-grams; None for metrics that count none."""
    tokenisation: str | None
    """None for metrics that cut texts themselves."""
    lowercase: bool = False
    smoothing: Smoothing = NO_SMOOTHING
    """Of BLEU."""
    word_order: int | None = None
    """Of chrF, with its beta: None for what the metric has by itself."""
    beta: int | None = None
    normalised: bool = False
    """Of TER, with the two that follow: whether punctuation is cut off."""
    no_punctuation: bool = False
    """Whether it is left out."""
    asian_support: bool = False
    """Whether Chinese and Japanese characters are cut apart where texts are normalised, and their punctuation is left
    out like other."""

    @property
    def is_plain_bleu(self) -> bool:
        """Whether it gives many a single segment 0, since one order without a match is enough."""
        return self.metric == "bleu" and self.smoothing.method == "none"


# The signature of a number: all that someone needs to get the same number again.


SACREBLEU: Final = "2.6.0"
"""The version of sacrebleu whose numbers these are; those of chrF and TER are of all since 2.0."""
_CUT_ALIKE: Final = ("13a", "intl", "zh", "char", "none")
"""The tokenisers that are the same there, whatever packages there are."""

DIGEST_LENGTH: Final = 16
"""Characters of a digest in a signature, the version of the digest among them: at least 56 bits, so that two of a
million sets agree by chance once in 140,000 times."""
_DIGEST: Final = re.compile(rf"[0-9a-f]{{{DIGEST_LENGTH}}}|2-[0-9a-f]{{{DIGEST_LENGTH - 2}}}")
"""Those of older versions, which depended on the file, too, have no version in front."""


@dataclass(frozen=True, slots=True)
class ReferenceCounts:
    """How many references the segments have."""

    least: int
    mean: float
    """Rounded to a hundredth."""
    most: int

    def __post_init__(self) -> None:
        if not 1 <= self.least <= self.most or not self.least - 0.005 <= self.mean <= self.most + 0.005:
            raise UsageError(f"impossible numbers of references: {self.least}, {self.mean}, {self.most}")

    @classmethod
    def of(cls, counts: Sequence[int]) -> ReferenceCounts:
        """From the number of references of each segment; UsageError without segments."""
        if not counts:
            raise UsageError("there are no segments")
        return cls(min(counts), round(sum(counts) / len(counts), 2), max(counts))

    @classmethod
    def parse(cls, text: str) -> ReferenceCounts:
        least, mean, most = text.split("/") if "/" in text else (text,) * 3
        return cls(int(least), float(mean), int(most))

    def __str__(self) -> str:
        return str(self.least) if self.least == self.most else f"{self.least}/{self.mean:.2f}/{self.most}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """How a score was computed; ``str`` gives one short line, from which parse makes the same signature again.

    None says that a field has no meaning for the metric, and leaves it out of the line.
    """

    metric: str
    order: int | None = None
    unit: str | None = None
    case: str = "mixed"
    """mixed, or lc where it was folded."""
    tokenisation: str
    smoothing: str | None = None
    effective: str | None = None
    """yes where orders that a text is too short for are left out; with the seven that follow one of the settings that
    sacrebleu's own signatures of chrF and TER have."""
    char_order: str | None = None
    word_order: str | None = None
    beta: str | None = None
    space: str | None = None
    """yes where white space counts as a character."""
    normalised: str | None = None
    punctuation: str | None = None
    """yes where punctuation is kept."""
    asian: str | None = None
    """yes where Chinese characters are cut apart."""
    references: ReferenceCounts
    drawn_from: ReferenceCounts | None = None
    """How many the segments of the set have, where only some of them were taken, drawn at random; None for all."""
    copies: int | None = None
    """How many of these only repeat another one of their segment, which no digest tells; None for none."""
    digest: str
    """The first DIGEST_LENGTH characters of the digest of the reference set."""
    origins: str | None = None
    """corpus where the corpus made all references; files+corpus where those of files stand with them, and
    files+corpus:paraphrased where the latter are paraphrases of the former, partly-paraphrased where some of them are,
    and others were found by their sources; None where all are of files."""
    guided: int | None = None
    """The number of systems for whose outputs some of the references were generated; None where none was."""
    equivalents: str | None = None
    """What can be substituted in the references, how many at a time, and the digest of it; None for nothing."""
    rules: str | None = None
    """The rule set that references were rewritten by, and its digest, with the analyser; None for none."""
    draws: int | None = None
    """How often references were drawn, where the score is the mean of that."""
    seed: int | None = None
    version: str = __version__

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str) and not re.fullmatch(r"[^|\s]+", value):
                raise UsageError(f"{field.name} of a signature cannot be {value!r}: no white space, no |, not empty")
        if not _DIGEST.fullmatch(self.digest):
            raise UsageError(
                f"a digest in a signature is {DIGEST_LENGTH} characters like 2-0a1b..., unlike {self.digest!r}"
            )

    def __str__(self) -> str:
        pairs = ((key, getattr(self, name)) for name, (key, _, _) in _KEYS.items())
        return "|".join(f"{key}:{value}" for key, value in pairs if value is not None)

    def short(self) -> str:
        """The same to be read, or to stand in a table: letters for keys, and less of the digest, of what is put into
        references and of what rules them. Only the long form tells all; there is no way back."""
        pairs = ((key, self._shortened(name)) for name, (_, key, _) in _KEYS.items())
        return "|".join(f"{key}{value}" for key, value in pairs if value is not None)

    def of_sacrebleu(self) -> str | None:
        """The line of sacrebleu that gives the same number; None where it has no such number."""
        references, tokenisation = self.references, self.tokenisation.partition("+")[0]
        smoothing, _, effective = (self.smoothing or "").partition("+")
        of_others = (self.equivalents, self.draws, self.drawn_from)
        if any(each is not None for each in of_others):
            return None
        told = {
            "nrefs": str(references.least) if references.least == references.most else "var",
            "case": self.case,
        }
        match self.metric:
            case "bleu" if self.order == _BLEU_ORDER and tokenisation in _CUT_ALIKE:
                method, _, value = smoothing.removesuffix("]").partition("[")
                told |= {"eff": "yes" if effective else "no", "tok": tokenisation}
                told["smooth"] = f"{method}[{float(value):.2f}]" if value else method
            case "chrf" | "chrf++" if self.beta == "2":
                told |= {"eff": str(self.effective), "nc": str(self.char_order), "nw": str(self.word_order)}
                told["space"] = str(self.space)
            case "ter":
                told |= {"tok": tokenisation, "norm": str(self.normalised), "punct": str(self.punctuation)}
                told["asian"] = str(self.asian)
            case _:
                return None
        return "|".join(f"{key}:{value}" for key, value in (told | {"version": SACREBLEU}).items())

    def _shortened(self, name: str) -> str | None:
        value = getattr(self, name)
        match name:
            case "digest":
                return str(value)[:_SHORT_DIGEST]
            case "unit" if value is not None:
                return str(value)[0]
            case "equivalents" | "rules" if value is not None:
                return re.split("[:+]", str(value))[0]
        return None if value is None else str(value)

    @classmethod
    def parse(cls, line: str) -> Signature:
        """The signature of which ``line`` is the ``str``; InputError where it is none."""
        pairs = [pair.partition(":")[::2] for pair in line.split("|")]
        given = dict(pairs)
        if len(given) < len(pairs) or not _REQUIRED <= set(given) <= {key for key, _, _ in _KEYS.values()}:
            raise InputError(f"not a signature: {line!r}")
        texts: dict[str, Any] = {name: given[key] for name, (key, _, _) in _KEYS.items() if key in given}
        try:
            return cls(
                **texts
                | {name: int(texts[name]) for name in _NUMBERS if name in texts}
                | {name: ReferenceCounts.parse(texts[name]) for name in _COUNTS if name in texts}
            )
        except (ValueError, UsageError) as error:
            raise InputError(f"not a signature: {line!r} ({error})") from error


_KEYS: Final[Mapping[str, tuple[str, str, str]]] = {
    "metric": ("metric", "", "the metric"),
    "order": ("order", "n:", "n-grams of 1 to so many units count"),
    "unit": ("unit", "u:", "what n-grams are made of: words, or characters"),
    "case": ("case", "c:", "mixed: A is not a; lc: letters were made small first"),
    "tokenisation": ("tok", "tok:", "how texts were cut into words; none: not at all"),
    "smoothing": ("smooth", "s:", "what stands for orders without a match, as in sacrebleu"),
    "effective": ("eff", "e:", "yes: orders that a text is too short for do not count"),
    "char_order": ("nc", "nc:", "n-grams of 1 to so many characters count"),
    "word_order": ("nw", "nw:", "and of 1 to so many words; 0: none"),
    "beta": ("beta", "b:", "recall counts so many times as much as precision"),
    "space": ("space", "sp:", "yes: white space counts as a character"),
    "normalised": ("norm", "nr:", "yes: marks and entities were written alike first"),
    "punctuation": ("punct", "pn:", "yes: punctuation counts; no: it was taken out"),
    "asian": ("asian", "as:", "yes: each Chinese or Japanese character is a word"),
    "references": ("refs", "#:", "references of a segment; 1/2.4/9: least, mean, most"),
    "drawn_from": ("of", "of:", "refs: of them were drawn by chance from so many"),
    "copies": ("copies", "copies:", "so many references repeat another of their segment"),
    "digest": ("set", "set:", "digest of the references: another one, other references"),
    "origins": ("from", "from:", "whose references: of the corpus, or with it of files"),
    "guided": ("guided", "g:", "references were made for the outputs of so many systems"),
    "equivalents": ("eq", "eq:", "what may stand for words of the references"),
    "rules": ("rules", "rules:", "rules that rewrote references, and what analysed them"),
    "draws": ("draws", "draws:", "mean of so many draws of references"),
    "seed": ("seed", "seed:", "where chance began: the same draws again with it"),
    "version": ("version", "v:", "of corpusdb"),
}
"""What each field is called in the line, what stands before its value in the short form, sacrebleu's letters where it
has such, and what it says."""
_NUMBERS: Final = ("order", "copies", "guided", "draws", "seed")
_COUNTS: Final = ("references", "drawn_from")
_BLEU_ORDER: Final = 4
_SHORT_DIGEST: Final = 10
_REQUIRED: Final = {"metric", "case", "tok", "refs", "set", "version"}


def signature_fields(line: str) -> list[tuple[str, str, str]]:
    """The fields of a signature as key, value, and what it says; none of a line that is no signature."""
    meanings = {key: meaning for key, _, meaning in _KEYS.values()}
    parts = (each.partition(":") for each in line.split("|"))
    return [(key, value, meanings[key]) for key, _, value in parts if key in meanings]

"""The values that travel between the rooms: reports, paraphrases, analogies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from corpusdb import __version__
from corpusdb.base.errors import InputError
from corpusdb.base.options import format_probability, rounded_probability

if TYPE_CHECKING:
    from corpusdb.base.display import Cell

ACCEPTED = "accepted"
"""The collection of candidates that a person accepted; each is a line of its one document."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    read: int
    """Records read, without the header."""
    sentences: int
    """Sentences new to the corpus."""
    translations: int
    """Pairs new to the collection."""
    duplicates: int
    """Pairs that stood in the collection already."""
    rejected: int
    seconds: float
    annotated: int | None = None
    """Sentences whose tokens are known now; None where there are none."""
    annotated_before: int | None = None
    """Texts whose annotation was left out, since their sentence had one; None where there are none."""
    first_rejected: tuple[tuple[str, int, str], ...] = ()
    """File, line and reason of the first lines left out that are not bad ones."""
    skipped: tuple[tuple[str, int, str], ...] = ()
    """File, line and reason of each bad line; they are among the rejected."""
    first_duplicates: tuple[tuple[str, int], ...] = ()
    """File and line of the first pairs that were there already."""
    unchanged: tuple[str, ...] = ()
    """Files that had been imported before, which were not read again."""


@dataclass(frozen=True, slots=True)
class DetectionReport:
    """What detection found: sentences with a paraphrase, and ordered pairs."""

    sentences: int
    pairs: int
    seconds: float
    left_out: int = 0
    """Translations that more sentences share than the limit allows, which make no pairs."""
    left_out_sentences: int = 0
    """Sentences that have such a translation."""


@dataclass(frozen=True, slots=True)
class GenerationCounts:
    """What a generation gave, at every step (Lepage & Denoual 2005, section 5)."""

    seeds: int
    analogies: int
    candidates: int
    kept: int
    """Candidates whose every N-sequence was seen."""
    kept_seeds: int
    distinct: int
    novel: int
    """Of these, sentences that the corpus does not hold."""


@dataclass(frozen=True, slots=True)
class Diversity:
    """How much paraphrases differ from their seeds, and how different they are among themselves."""

    exchanges: int
    """Different exchanges of words, in either direction."""
    changed: float | None
    """Mean number of units that differ from the seed; None without any pair."""
    distance: float | None
    """The same as part of the units of the seed, 0 and above."""


@dataclass(frozen=True, slots=True)
class VariationCounts:
    """How many pairs of a seed and a paraphrase an evaluator can use."""

    real: int
    """Pairs that differ in more than capitals, marks and contractions."""
    real_seeds: int
    """Seeds of these."""
    deep: int
    """Real pairs of which two words or more differ."""


@dataclass(frozen=True, slots=True)
class GenerationReport(GenerationCounts):
    """The counts of a generation, and how it was made."""

    seconds: float
    run: int | None
    too_common: int = 0
    """Contexts that were left out because more sentences have them than the limit allows."""
    too_long: int = 0
    """Sentences that were left out because they have more units than the limit allows."""
    exchanged: int = 0
    """Pairs besides the candidates, kept as these, that only an exchange of words vouches for."""
    diversity: Diversity = Diversity(0, None, None)
    """Of the pairs of a seed and a candidate that were kept."""
    real: int = 0
    """Of all pairs that were kept, also those that only an exchange of words vouches for: see ``VariationCounts``."""
    real_seeds: int = 0
    deep: int = 0


class Finding(NamedTuple):
    """A paraphrase of a seed as one origin gives it: its figures, those that the origin does not have being 0.

    A named tuple, since there are many of them: a dataclass takes several times as long to make.
    """

    origin: str
    """The name of the origin; empty where none gives the paraphrase any more."""
    text: str
    frequency: int = 0
    """How many analogies yield it."""
    pivots: int = 0
    """How many different paraphrases B' stand behind it."""
    languages: int = 0
    """In how many languages B and B' share a translation."""
    probability: float = 0.0
    """The highest p(B' given B) behind it, 0 to 1."""
    shared: int = 0
    """How many translations the seed and the paraphrase share."""
    fluency: int = 0
    """The largest N whose N-sequences were all seen; NO_LIMIT when the whole sentence was."""
    inner_fluency: int = 0
    """The same without the marks at both ends of the sentence."""
    validity: float | None = None
    """The probability, 0 to 1, that it holds, as the corpus has taught it; None where it is not known."""
    word_gain: float | None = None
    """By how much it is more probable than the seed as a sentence, as log10; None where no word model says it."""
    replacement: int | None = None
    """Why fewer than N will do: the sum of REPLACES and STANDS or SURELY_STANDS; 0 where nothing says so."""
    only_marks: int = 0
    """1 where nothing differs from the seed but the marks at the end."""
    is_real: int = 1
    """0 where nothing differs from the seed but capitals, marks and contractions."""
    strength: float = 0.0
    """The probability, 0 to 1, that the paraphrase holds, by the evidence of this origin alone."""
    odds: float = 0.0
    """The same as odds, for evidence that is a sum; what has odds has no strength, and the other way round."""
    is_vouched: bool = False
    """Whether something else than sequences of characters says that it can be written: no order is asked of it."""

    def weighed(self, origin: str, *, strength: float = 0.0, odds: float = 0.0) -> Finding:
        """The same figures as what this origin says, with what speaks for them."""
        return Finding(origin, *self[1:-3], strength, odds)


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A paraphrase of a seed with its rank figures, over all origins that give it."""

    text: str
    frequency: int
    order: int | None
    """The fluency order; None when the corpus holds the sentence whole."""
    inner_order: int | None
    in_corpus: bool
    pivots: int
    languages: int
    probability: float
    shared: int
    """How many translations the seed and this sentence share; 0 for one that was only generated."""
    validity: float | None
    """The probability, 0 to 1, that it holds, as the corpus has taught it; None where it is not known."""
    word_gain: float | None
    """log10 of its probability as a sentence, less that of the seed; None where no word model says it."""
    score: float
    """What it is ranked by: the validity, or where that is not known what speaks for it, from 0 to 1."""
    findings: tuple[Finding, ...] = ()
    """What each origin says, in the order in which the origins are registered."""

    @property
    def origins(self) -> tuple[str, ...]:
        """The names of the origins that give it."""
        return tuple(finding.origin for finding in self.findings if finding.origin)

    def document(self) -> dict[str, object]:
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "findings"}


# The figures of a paraphrase, each described once: whatever stores, reads, compares or shows them goes by this table.


def _order(value: int | None) -> str:
    return "whole" if value is None else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of a paraphrase. Every one is a field of Finding, and of Paraphrase."""

    name: str
    """Of the field of Paraphrase, and in JSON."""
    stored_as: str = ""
    """What Finding and the database call it, where that is something else."""
    tables: frozenset[str] = frozenset()
    """Those of the database that have it as a column: candidate, rewording, paraphrase."""
    parts: int = 0
    """In how many parts of 1 the database counts it, in a column of its own; 0: it holds the number itself."""
    merged: Callable[[Iterable[Any]], Any] = max
    """What several origins make together of what each of them says."""
    heading: str = ""
    """Of its column in tables and TSV; empty where these do not show it."""
    help: str = ""
    """What it is, in words: behind its heading in the guide of columns, and among the signs of the browser."""
    cell: Callable[[Any], Cell] = lambda value: value
    """How tables and TSV show it."""
    brief: str = ""
    """Its heading in the lists of sessions and of the browser; empty where these do not show it."""
    width: int = 0
    """Of its column in the browser, in cells."""
    told: Callable[[Any], str] = str
    """How the browser shows it."""

    @property
    def column(self) -> str:
        """Of the field of Finding, and in the database."""
        return self.stored_as or self.name


def _highest(values: Iterable[Any]) -> Any:
    return max((value for value in values if value is not None), default=None)


_GENERATED: Final = frozenset({"candidate", "rewording"})
FIGURES: Final[tuple[Figure, ...]] = (
    Figure(
        name="validity",
        tables=_GENERATED | {"paraphrase"},
        parts=10_000,
        merged=_highest,
        heading="validity",
        help="the probability that the meaning is kept if it is grammatical, 0 to 1 (`corpusdb guide validity`)",
        cell=lambda value: None if value is None else rounded_probability(value),
        brief="valid",
        width=6,
        told=lambda value: "-" if value is None else format_probability(value),
    ),
    Figure(
        name="frequency",
        tables=frozenset({"candidate"}),
        heading="frequency",
        help="the number of analogies that yield it",
        brief="freq",
        width=5,
    ),
    Figure(
        name="order",
        stored_as="fluency",
        tables=_GENERATED,
        merged=min,
        heading="order",
        help="the largest N such that the corpus has every run of N characters of it; whole: it is a sentence of the"
        " corpus",
        cell=_order,
        brief="order",
        width=5,
        told=_order,
    ),
    Figure(name="inner_order", stored_as="inner_fluency", tables=_GENERATED, merged=min),
    Figure(name="word_gain", tables=_GENERATED, parts=100, merged=_highest),
    Figure(
        name="pivots",
        tables=_GENERATED,
        heading="pivots",
        help="the number of paraphrases of other sentences it was made from",
        brief="piv",
        width=3,
    ),
    Figure(
        name="languages",
        tables=_GENERATED,
        heading="langs",
        help="the number of languages in which those share a translation",
        brief="lg",
        width=2,
    ),
    Figure(
        name="probability",
        tables=_GENERATED | {"paraphrase"},
        heading="p",
        help="the pivot probability: of going to a shared translation, and back",
        cell=lambda value: round(value, 3),
    ),
    Figure(name="shared", heading="shared", help="how many translations the two sentences share themselves"),
)
"""In the order of the columns of tables."""
JUDGED: Final = frozenset({"validity", "word_gain"})
"""The columns that are filled in when the paraphrases of a language are judged, after they were generated."""
SHOWN: Final = tuple(each for each in FIGURES if each.heading)
"""The columns of tables, TSV and the other forms of rows."""
LISTED: Final = tuple(each for each in FIGURES if each.brief)
"""The columns of the lists of sessions and of the browser, which have less room."""


def stored_in(table: str) -> tuple[str, ...]:
    """The columns that a table of the database has for figures."""
    return tuple(each.column for each in FIGURES if table in each.tables)


REWORDING_COLUMNS: Final = (*stored_in("rewording"), "replacement", "parts")
"""Of the table of rewordings, behind the seed and the text."""


@dataclass(frozen=True, slots=True)
class SharedTranslation:
    """A translation that two sentences share, with the places where the corpus has both pairs."""

    language: str
    text: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Analogy:
    """A : B :: C : D with D the seed, and A : B' :: C : x with x the candidate."""

    a: str
    b: str
    c: str
    d: str
    rewording: str
    """B', the paraphrase that takes the place of B."""
    context: str
    """What B and D share, with the gap as ``␣``."""
    filler_b: str
    filler_d: str


@dataclass(frozen=True, slots=True)
class ExchangeFigures:
    """How often sentences that differ in nothing but an exchange of words share a translation."""

    before: str
    """What stands in the one sentence; empty where it is only inserted in the other."""
    after: str
    pairs: int
    """Of sentences in one context, the one with ``before``, the other with ``after``."""
    shared: int
    """Of these, pairs that share a translation."""
    expected: float
    """How many would if the exchange kept the meaning, by the numbers of their translations."""
    rate: float
    """What follows from the two, 0 or more: above 1 where more share than were expected to."""

    @property
    def speaks(self) -> Literal["+", "-", ""]:
        """For the exchange, where three quarters of those that were expected to share a translation do; against it,
        where not half of them do."""
        share = self.shared / self.expected if self.pairs and self.expected else 0.6
        return "+" if share >= 0.75 else "-" if share < 0.5 else ""


class ValidityStep(NamedTuple):
    """One thing that a validity is made of."""

    text: str
    speaks: Literal["+", "-", "<", ""] = ""
    """For the paraphrase, against it, or as what its validity is not above; nothing where it tells both, or neither."""


@dataclass(frozen=True, slots=True)
class Explanation:
    seed: str
    candidate: str
    analogies: tuple[Analogy, ...]
    total: int
    """How many analogies there are; those given may be fewer."""
    shared: dict[tuple[str, str], tuple[SharedTranslation, ...]] = field(default_factory=dict)
    """The translations that each B and its B' share."""
    direct: tuple[SharedTranslation, ...] = ()
    """The translations that the seed and the candidate share themselves, where the corpus has both."""
    reasons: tuple[str, ...] = ()
    """What other origins say, in words."""
    validity: float | None = None
    """The probability, 0 to 1, that it holds, as the corpus has taught it; None where it is not known."""
    exchanges: tuple[ExchangeFigures, ...] = ()
    """Of each region in which the two differ, where they were looked at: what the validity comes from."""
    accepted: tuple[str, ...] = ()
    """What people accepted of the two, in words: what they share since then is no evidence of the files."""
    fails: str = ""
    """Why it is not shown although it may hold: it exchanges equivalents that people rejected, or the usual filter
    refuses it by its order, or for nothing but other marks at its end."""
    steps: tuple[ValidityStep, ...] = ()
    """What else the validity is made of: what it is not above, what the translations of the seed say."""


# What a document, a score or a reference set was made of: inputs, each of a kind, with a name and a digest; nothing
# else is known when two are compared. A new kind is a function in DATABASE_INPUTS (program/replay_queries.py), or a
# name that somebody adds.

MADE_FROM: Final = "made_from"
"""The key under which a document says what it was made from; in a list, the first of its members does, for all."""
ANALYSER: Final = "analyser"
"""The kind of input that cuts texts into morphemes."""


@dataclass(frozen=True, slots=True)
class Input:
    kind: str
    """file, analyser, corpus, layer, judgements ..."""
    name: str
    digest: str
    """Another one for another content; empty where it cannot be told."""


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """How a document was made: enough to make it again, and to say what has changed where it then differs."""

    command: str
    options: Mapping[str, Any]
    """As options.options_given gives them; what is not among them has its default."""
    inputs: tuple[Input, ...]
    version: str = __version__
    """Of corpusdb."""

    def document(self) -> dict[str, object]:
        inputs = [asdict(each) for each in self.inputs]
        return {"command": self.command, "options": self.options, "inputs": inputs, "version": self.version}

    @classmethod
    def of(cls, document: object, path: Path) -> MadeFrom:
        """What ``document`` records. Raises InputError, for the file ``path``, where it is no such record."""
        try:
            return cls(
                command=_text(document, "command"),
                options=dict(_member(document, "options")),
                inputs=tuple(
                    Input(_text(each, "kind"), _text(each, "name"), _text(each, "digest"))
                    for each in _member(document, "inputs")
                ),
                version=_text(document, "version"),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError("its record of what it was made from was not written by corpusdb", path=path) from error


def _member(document: Any, name: str) -> Any:
    return document[name]


def _text(document: Any, name: str) -> str:
    value = document[name]
    if not isinstance(value, str):
        raise TypeError(name)
    return value


def analyser_inputs(identities: Iterable[str]) -> Iterator[Input]:
    """The analysers of morphemes; the digest of one is its version, with that of its dictionary."""
    for identity in sorted(identities):
        yield Input(ANALYSER, "of Japanese", identity)


def with_record(value: Any, record: MadeFrom) -> Any:
    """A document with what it was made from, or a list of them, of which the first has it; an empty list stays one."""
    if isinstance(value, list):
        return [*(with_record(each, record) for each in value[:1]), *value[1:]]
    return value | {MADE_FROM: record.document()}

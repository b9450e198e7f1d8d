"""What Lepage and Denoual (2005) print of their corpus, beside the figures of others; what stands behind a paraphrase.

Their corpus is the English side of the Basic Travel Expression Corpus of C-STAR; N = 20, and no filter by validity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from corpusdb.base.cells import Axis, Bar, bar_plot, cut_right, point_plot
from corpusdb.base.display import Cell, cell_safe
from corpusdb.base.options import format_probability
from corpusdb.corpus.model import ExchangeFigures, Explanation

if TYPE_CHECKING:
    from corpusdb.corpus.model import SharedTranslation
    from corpusdb.paraphrase.queries.exchanges import ExchangeExample, ExchangeReport
    from corpusdb.paraphrase.queries.statistics import CorpusStatistics, Detected, Generated, SeedsOfLength, TextSizes


@dataclass(frozen=True, slots=True)
class PublishedSizes:
    """How many different sentences, and their sizes, each a mean and its standard deviation."""

    texts: int
    characters: float
    characters_deviation: float
    words: float
    words_deviation: float


@dataclass(frozen=True, slots=True)
class PublishedGeneration:
    """The numbers of Tables 1 and 2 and of section 5."""

    corpus: PublishedSizes
    """Table 1."""
    paraphrases: PublishedSizes
    """Table 2."""
    detected: int
    """Sentences with a paraphrase; those of Table 1 are all."""
    detected_average: float
    """Paraphrases of such a sentence."""
    detected_over_100: int
    detected_most: int
    """Of "Sure."."""
    candidates: int
    kept_seeds: int
    kept: int
    kept_average: float
    """As it is printed; the two numbers above give 9.14."""
    kept_deviation: float
    set_bleu: float
    """Of the sentences of an automatically produced set against each other (Table 7)."""
    set_nist: float
    """The same of NIST, normalised."""


PAPER: Final = PublishedGeneration(
    corpus=PublishedSizes(97_769, 35.14, 18.81, 6.86, 3.57),
    paraphrases=PublishedSizes(42_249, 33.15, 9.31, 6.44, 1.90),
    detected=26_079,
    detected_average=5.35,
    detected_over_100=60,
    detected_most=529,
    candidates=4_495_266,
    kept_seeds=16_153,
    kept=147_708,
    kept_average=8.65,
    kept_deviation=16.98,
    set_bleu=0.11,
    set_nist=0.39,
)


# The statistics of the paper for the corpus at hand, as text (Lepage & Denoual 2005: tables 1 and 2, section 5).


_WIDTH = 80
_STEPS = (1, 2, 3, 4, 5, 6, 11, 21, 51, 101)
"""Where the rows of the left of figure 1 begin."""
_LONG = 20
"""Longer seeds stand in one row, in words."""
_ORDERS_IN_ROW = 5
_DIFFERENCES = (
    "Otherwise than in the paper, a seed that its own analogies give again is no",
    "candidate (in the paper's Table 5 it is one, the 4th), and candidates are kept",
    "by validity, too, unless --min-validity is 0: `corpusdb guide limits`. Real is",
    "what changes more than capitals, marks and contractions. What is - the paper",
    "does not say.",
)
"""In lines of at most 80 columns."""


def statistics_document(statistics: CorpusStatistics) -> dict[str, object]:
    return asdict(statistics) | {"paper": asdict(PAPER)}


def corpus_tables(statistics: CorpusStatistics) -> str:
    """The statistics as plain text of at most 80 columns, with the paper's numbers beside them."""
    marks = "with" if statistics.marks else "without"
    lines = [f"Language {statistics.language}, N = {statistics.order} {marks} the marks at both ends of a sentence"]
    lines += ["", "Table 1: the corpus", *_size_lines(statistics.corpus, PAPER.corpus)]
    lines += ["", f"Table 2: the paraphrases kept at {statistics.filter} (the paper: N = 20)"]
    lines += _size_lines(statistics.paraphrases, PAPER.paraphrases)
    lines += ["", _headed(_DETECTION), *(_line(*row) for row in _detection_rows(statistics.detected))]
    if statistics.detected.most_of is not None:
        lines.append("    of: " + cut_right(cell_safe(statistics.detected.most_of), _WIDTH - 8, "..."))
    generated = _generation_rows(statistics.generated, statistics.corpus.texts)
    lines += ["", _headed(_GENERATION), *(_line(*row) for row in generated)]
    lines += [
        "",
        f"Table 7: BLEU and NIST within a set are {PAPER.set_bleu:.2f} and {PAPER.set_nist:.2f} in the paper; here",
    ]
    lines += [f"`corpusdb study reference-sets --lang {statistics.language}` measures them."]
    lines += ["", *_DIFFERENCES]
    lines += ["", "Figure 1, left: paraphrases of a seed, and seeds with so many"]
    lines += bar_plot(_grouped_paraphrases(statistics.seeds_by_paraphrases), _WIDTH, ascii=True)
    lines += ["", "Figure 1, right: words of a seed, and paraphrases on average (of how many seeds)"]
    lines += bar_plot(_grouped_lengths(statistics.paraphrases_by_length), _WIDTH, ascii=True)
    lines += ["", "Fluency: the largest N that a candidate passes, and candidates"]
    lines += bar_plot(_grouped_orders(statistics), _WIDTH, ascii=True)
    return "\n".join(lines)


STATISTICS_COLUMNS = ("part", "figure", "here", "paper")
_SIZES = ("different sentences", "size in characters", "size in words")
_DETECTION = "Section 5: detection"
_GENERATION = "Section 5: generation"
_Row: TypeAlias = tuple[str, str, str | None]


def statistics_rows(statistics: CorpusStatistics) -> Iterator[tuple[str, str, str, str | None]]:
    """The same figures as one table, for formats of rows."""
    for part, here, paper in (
        ("Table 1: the corpus", statistics.corpus, PAPER.corpus),
        (f"Table 2: the paraphrases kept at {statistics.filter}", statistics.paraphrases, PAPER.paraphrases),
    ):
        for size in zip(_SIZES, _sizes(here), _sizes(paper), strict=True):
            yield part, *size
    generated = _generation_rows(statistics.generated, statistics.corpus.texts)
    for section, rows in ((_DETECTION, _detection_rows(statistics.detected)), (_GENERATION, generated)):
        for name, value, published in rows:
            yield section, "of how many" if name == "  of" else name.strip(), value, published


def _sizes(each: TextSizes | PublishedSizes) -> tuple[str, str, str]:
    characters = f"{each.characters:.2f} +- {each.characters_deviation:.2f}"
    return f"{each.texts:,}", characters, f"{each.words:.2f} +- {each.words_deviation:.2f}"


def _size_lines(sizes: TextSizes, published: PublishedSizes) -> list[str]:
    rows = (("", *_SIZES), ("here", *_sizes(sizes)), ("paper", *_sizes(published)))
    return [f"  {name:<5}  {texts:>19}  {characters:>20}  {words:>20}" for name, texts, characters, words in rows]


def _headed(title: str) -> str:
    return f"{title:<34}{'here':>18}{'paper':>20}"


def _line(name: str, here: str, paper: str | None) -> str:
    return f"  {name:<32}{here:>18}{'-' if paper is None else paper:>20}"


def _detection_rows(detected: Detected) -> list[_Row]:
    return [
        ("sentences with a paraphrase", f"{detected.sentences:,}", f"{PAPER.detected:,}"),
        ("  of", f"{detected.of:,}", f"{PAPER.corpus.texts:,}"),
        ("paraphrases by sentence", f"{detected.average:.2f}", f"{PAPER.detected_average:.2f}"),
        ("sentences with more than 100", f"{detected.over_100:,}", f"{PAPER.detected_over_100:,}"),
        ("most paraphrases", f"{detected.most:,}", f"{PAPER.detected_most:,}"),
    ]


def _generation_rows(generated: Generated, sentences: int) -> list[_Row]:
    counts = generated.counts
    return [
        ("seeds with a candidate", f"{counts.seeds:,}", None),
        ("analogies", f"{counts.analogies:,}", None),
        ("candidates", f"{counts.candidates:,}", f"{PAPER.candidates:,}"),
        ("seeds with a paraphrase kept", f"{counts.kept_seeds:,}", f"{PAPER.kept_seeds:,}"),
        ("  of", f"{sentences:,}", f"{PAPER.corpus.texts:,}"),
        ("paraphrases kept", f"{counts.kept:,}", f"{PAPER.kept:,}"),
        (
            "paraphrases by seed",
            f"{generated.average:.2f} +- {generated.deviation:.2f}",
            f"{PAPER.kept_average:.2f} +- {PAPER.kept_deviation:.2f}",
        ),
        ("real pairs, all origins", f"{generated.variation.real:,}", None),
        ("  seeds of these", f"{generated.variation.real_seeds:,}", None),
        ("  two words or more changed", f"{generated.variation.deep:,}", None),
        ("different paraphrases", f"{counts.distinct:,}", f"{PAPER.paraphrases.texts:,}"),
        ("of these new to the corpus", f"{counts.novel:,}", None),
    ]


def _grouped_paraphrases(seeds: Iterable[tuple[int, int]]) -> Iterator[Bar]:
    numbers = dict(seeds)
    for first, after in zip(_STEPS, (*_STEPS[1:], None), strict=True):
        count = sum(
            n for paraphrases, n in numbers.items() if paraphrases >= first and (after is None or paraphrases < after)
        )
        label = f"{first}+" if after is None else str(first) if after == first + 1 else f"{first}-{after - 1}"
        if count:
            yield label, f"{count:,}", count


def _grouped_lengths(lengths: Sequence[SeedsOfLength]) -> Iterator[Bar]:
    for row in lengths:
        if row.words <= _LONG:
            yield str(row.words), f"{row.average:.2f} ({row.seeds:,})", row.average
    seeds = sum(row.seeds for row in lengths if row.words > _LONG)
    if seeds:
        average = sum(row.seeds * row.average for row in lengths if row.words > _LONG) / seeds
        yield f"{_LONG + 1}+", f"{average:.2f} ({seeds:,})", average


def _grouped_orders(statistics: CorpusStatistics) -> Iterator[Bar]:
    rows: Counter[int] = Counter()
    for order, candidates in statistics.orders:
        rows[order // _ORDERS_IN_ROW] += candidates
    for row, candidates in sorted(rows.items()):
        first = row * _ORDERS_IN_ROW
        yield f"{first}-{first + _ORDERS_IN_ROW - 1}", f"{candidates:,}", candidates
    if statistics.unlimited:
        yield "no limit", f"{statistics.unlimited:,}", statistics.unlimited


# Figure 1 of the paper as plots of characters, and what the choice of N costs.


def figures(statistics: CorpusStatistics, size: tuple[int, int], *, ascii: bool = False) -> list[str]:
    """Three plots, each of ``size`` (width in cells, height in lines) under a title and above an empty line.

    On the left of the figure both axes are logarithmic, since nearly all seeds have few paraphrases.
    """
    lines = []
    for title, plot in (
        ("Paraphrases of a seed, and seeds with so many", _seeds_by_paraphrases),
        ("Words of a seed, and its paraphrases", _paraphrases_by_length),
        ("The filter: N, and candidates that pass it", _kept_by_order),
    ):
        lines += [title, *plot(statistics, size, ascii), ""]
    return lines


def _seeds_by_paraphrases(statistics: CorpusStatistics, size: tuple[int, int], ascii: bool) -> list[str]:
    x, y = Axis("paraphrases", log=True), Axis("seeds", log=True)
    return point_plot({"seeds": statistics.seeds_by_paraphrases}, size, x, y, ascii=ascii)


def _paraphrases_by_length(statistics: CorpusStatistics, size: tuple[int, int], ascii: bool) -> list[str]:
    rows = statistics.paraphrases_by_length
    series: dict[str, list[tuple[float, float]]] = {
        "mean": [(row.words, row.average) for row in rows],
        "most": [(row.words, row.most) for row in rows],
    }
    return point_plot(series, size, Axis("words"), Axis("paraphrases"), ascii=ascii)


def _kept_by_order(statistics: CorpusStatistics, size: tuple[int, int], ascii: bool) -> list[str]:
    """A candidate passes at every N up to its fluency order, and one without a limit at any."""
    passing, points = statistics.unlimited, []
    for order, candidates in reversed(statistics.orders):
        passing += candidates
        points.append((order, passing))
    return point_plot({"candidates": points}, size, Axis("N"), Axis("candidates"), ascii=ascii)


# What stands behind a paraphrase.


_TRANSLATIONS_SHOWN = 20
"""Of the translations that two sentences share; a few have thousands."""


def explanation_document(found: Explanation) -> dict[str, object]:
    # Pairs are no keys in JSON: what B and B' share stands with each analogy.
    analogies = [
        asdict(analogy) | {"shared": [asdict(each) for each in found.shared.get((analogy.b, analogy.rewording), ())]}
        for analogy in found.analogies
    ]
    reasons = [*found.accepted, *found.reasons]
    return {
        "seed": found.seed,
        "candidate": found.candidate,
        "validity": found.validity,
        **({"fails": found.fails} if found.fails else {}),
        "exchanges": [asdict(each) for each in found.exchanges],
        "steps": [step.text for step in found.steps],
        "total": found.total,
        "analogies": analogies,
        "direct": [asdict(each) for each in found.direct],
        **({"reasons": reasons} if reasons else {}),
    }


def explanation_lines(found: Explanation) -> Iterator[str]:
    first = [*found.accepted, *filter(None, [found.fails]), *validity_lines(found)]
    yield from first
    if first:
        yield ""
    if found.direct:
        yield "The two share translations:"
        yield from _shared_lines(found.direct)
    yield from found.reasons
    told: set[tuple[str, str]] = set()
    for number, analogy in enumerate(found.analogies, 1):
        if number > 1 or found.direct or found.reasons:
            yield ""
        yield f"{number}.  {analogy.a} : {analogy.b} :: {analogy.c} : {analogy.d}"
        yield f"    B' = {analogy.rewording}"
        pair = (analogy.b, analogy.rewording)
        if pair in told:
            yield "    which shares with B the translations above"
        else:
            yield from _shared_lines(found.shared.get(pair, ()))
        told.add(pair)
        yield f"    {analogy.a} : {analogy.rewording} :: {analogy.c} : {found.candidate}"


def _shared_lines(shared: Sequence[SharedTranslation]) -> Iterator[str]:
    for each in shared[:_TRANSLATIONS_SHOWN]:
        places = f"  ({', '.join(each.places)})" if each.places else ""
        yield f"      {each.language}  {each.text}{places}"
    if len(shared) > _TRANSLATIONS_SHOWN:
        yield f"      and {len(shared) - _TRANSLATIONS_SHOWN:,} more, which --json shows"


# Exchanges of words: how often they keep a translation, and the sentences that show it.


EXCHANGE_COLUMNS = ("of", "name", "pairs", "shared", "expected", "rate")
_NOTHING = "(nothing)"
_SHARED_SHOWN = 3
"""Of the translations that an example shares: one shows what is meant already."""


def format_exchange(found: ExchangeFigures) -> str:
    """``am / 'm: 274 of 400 pairs of sentences share a translation; 236 expected if they mean the same``."""
    words = _words(found)
    if not found.pairs:
        return f"{words}: no two sentences differ by that alone"
    pairs = "the only pair of sentences shares" if found.pairs == found.shared == 1 else ""
    pairs = pairs or f"{found.shared:,} of {found.pairs:,} pairs of sentences share"
    return f"{words}: {pairs} a translation; {_rounded(found.expected)} expected if they mean the same"


def _rounded(expected: float) -> str:
    return f"{expected:,.0f}" if expected >= 10 else f"{expected:.1f}"


def validity_lines(found: Explanation) -> list[str]:
    """The validity with what it comes from; none where not known.

    One line for each region in which the two differ, and for each step that it is made by besides.
    """
    if found.validity is None:
        return []
    first = f"validity {format_probability(found.validity)}"
    told = [*map(format_exchange, found.exchanges), *(step.text for step in found.steps)]
    if not told:
        return [first]
    return [f"{first}: {told[0]}", *(f"{'':{len(first)}}  {each}" for each in told[1:])]


def exchange_rows(found: ExchangeReport) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = [("all", _words(found.total), *_figures(found.total))]
    if len(found.forms) > 1:
        rows += [("form", _words(each), *_figures(each)) for each in found.forms]
    for of, parts in (("language", found.by_language), ("left", found.left), ("right", found.right)):
        rows += [
            (of, part.name, part.pairs, part.shared, round(part.expected, 1), round(part.rate, 3)) for part in parts
        ]
    return rows


def _words(found: ExchangeFigures) -> str:
    return " / ".join(text.strip(" ") or _NOTHING for text in (found.before, found.after))


def _figures(found: ExchangeFigures) -> tuple[Cell, ...]:
    return found.pairs, found.shared, round(found.expected, 1), round(found.rate, 3)


def example_lines(found: ExchangeReport) -> Iterator[str]:
    """Headings at the margin; pairs that share a translation with it, then pairs that share none."""
    words, (sharing, counter) = _words(found.total), found.with_translations
    yield f"{words}: pairs that share a translation{_of(found.examples, sharing)}"
    for each in found.examples:
        yield from _pair(each)
    if counter:
        none = "pairs with translations into one language that share none"
        yield f"{words}: {none}, most expected first{_of(found.counter_examples, counter)}"
    for each in found.counter_examples:
        yield from _pair(each)


def _of(shown: Sequence[ExchangeExample], total: int) -> str:
    return f" ({len(shown):,} of {total:,})" if len(shown) < total else f" ({total:,})"


def _pair(example: ExchangeExample) -> Iterator[str]:
    told = "" if example.translations else f"  (expected {example.expected:.2f})"
    yield f"  {example.one}{told}"
    yield f"  {example.other}"
    for each in example.translations[:_SHARED_SHOWN]:
        yield f"       {each.language}  {each.text}"
    if (more := len(example.translations) - _SHARED_SHOWN) > 0:
        yield f"       and {more:,} more"

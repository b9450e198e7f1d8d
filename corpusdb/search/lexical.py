"""Measures of words in corpora, association, keyness, dispersion, good examples, and words that look most like another.

Association of two words: how much more often they co-occur than they would by chance.
All measures take the same numbers, as Evert (2008, section 4) lays them out: ``both``, how often the two occur
together (O11); ``first`` and ``second``, how often each occurs (the marginals R1 and C1); ``total``, the size of the
sample (N). What "together" means is for the caller to count. Arrays of any shape that broadcast are taken; floats
come out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import F64, I64
from corpusdb.search.cqp_plan import without_diacritics


def expected_frequency(first: npt.ArrayLike, second: npt.ArrayLike, total: npt.ArrayLike) -> F64:
    """How often two words would occur together if they were independent: E11 = R1 C1 / N."""
    return np.asarray(np.asarray(first, dtype=np.float64) * np.asarray(second) / np.asarray(total))


SIGNIFICANT: Final = 10.83
"""The least log-likelihood with p < .001 (chi square of one degree of freedom)."""


def log_likelihood(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, total: npt.ArrayLike) -> F64:
    """The likelihood ratio of Dunning (1993, section 4): G2 = 2 sum of O ln (O / E) over the 2 x 2 table, 0 or more.

    It is the same for words that attract and for words that repel each other. Asymptotically it has a chi-squared
    distribution with one degree of freedom.
    """
    both, first, second, total = (np.asarray(each, dtype=np.float64) for each in (both, first, second, total))
    rows, columns = (first, total - first), (second, total - second)
    observed = ((both, first - both), (second - both, total - first - second + both))
    terms = [
        _times_log_ratio(observed[i][j], rows[i] * columns[j] / np.maximum(total, 1)) for i in (0, 1) for j in (0, 1)
    ]
    return np.maximum(2 * sum(terms), 0.0)  # rounding can leave a little less than nothing


def mutual_information(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, total: npt.ArrayLike) -> F64:
    """Pointwise mutual information in bits: log2 (O11 / E11) (Church and Hanks 1990); -inf where ``both`` is 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log2(np.asarray(both) / expected_frequency(first, second, total)), dtype=np.float64)


def t_score(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, total: npt.ArrayLike) -> F64:
    """(O11 - E11) / square root of O11 (Church, Gale, Hanks and Hindle 1991); -inf where ``both`` is 0."""
    observed = np.asarray(both, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray((observed - expected_frequency(first, second, total)) / np.sqrt(observed))


def cubic_association(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, total: npt.ArrayLike) -> F64:
    """MI3: log2 (O11 cubed / E11), which frequent pairs lead (Daille 1994); -inf where ``both`` is 0."""
    observed = np.asarray(both, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log2(observed**3 / expected_frequency(first, second, total)))


def z_score(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, total: npt.ArrayLike) -> F64:
    """(O11 - E11) / square root of E11 (Berry-Rogghe 1973, as Evert 2008 has it); of rare words it is too high."""
    expected = expected_frequency(first, second, total)
    return np.asarray((np.asarray(both) - expected) / np.sqrt(expected))


def minimum_sensitivity(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike) -> F64:
    """The lesser of O11 / R1 and O11 / C1 (Pedersen 1998): 1 for words that only occur together."""
    return np.asarray(np.asarray(both, dtype=np.float64) / np.maximum(first, second))


def log_dice(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike) -> F64:
    """14 + log2 of the Dice coefficient (Rychlý 2008): 14 for words that only occur together, whatever their number.

    -inf where ``both`` is 0. It does not depend on the size of the corpus.
    """
    either = np.asarray(first, dtype=np.float64) + np.asarray(second)
    with np.errstate(divide="ignore"):
        return np.asarray(14 + np.log2(2 * np.asarray(both) / either), dtype=np.float64)


def _times_log_ratio(observed: F64, expected: F64) -> F64:
    """O ln (O / E), which is 0 where O is 0."""
    ratio = np.divide(observed, expected, out=np.ones_like(observed + expected), where=observed > 0)
    return np.asarray(observed * np.log(ratio))


# Dispersion: how evenly a word is spread over the parts of a corpus.
# ``counts`` holds how often a word occurs in each part, along the last axis, so that many words can be measured in one
# call; ``sizes`` holds how many words each part has, all above 0. There are two parts or more, and every word occurs.


def parts_with(counts: npt.ArrayLike) -> I64:
    """The range of each word: in how many parts it occurs."""
    return np.asarray(np.count_nonzero(counts, axis=-1), dtype=np.int64)


def juilland_d(counts: npt.ArrayLike, sizes: npt.ArrayLike) -> F64:
    """Juilland's D, of relative frequencies as Gries (2008, section 2) has it: 1 is spread evenly, 0 all in one part.

    D = 1 - V / sqrt(n - 1), V being the standard deviation of the relative frequencies in the n parts, as of a whole
    population, over their mean.
    """
    # Terms are added in the order of their size, so that the order of the parts makes no difference.
    relative = np.sort(np.asarray(counts, dtype=np.float64) / np.asarray(sizes), axis=-1)
    variation = relative.std(axis=-1) / relative.mean(axis=-1)
    return np.asarray(1 - variation / np.sqrt(relative.shape[-1] - 1))


def deviation_of_proportions(counts: npt.ArrayLike, sizes: npt.ArrayLike) -> F64:
    """DP (Gries 2008, section 3): 0 is spread as the sizes of the parts are, near 1 all in one small part.

    Half the sum, over the parts, of how far the part's share of the occurrences is from its share of the words.
    """
    occurrences, words = np.asarray(counts, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    shares = occurrences / occurrences.sum(axis=-1, keepdims=True)
    return np.asarray(np.sort(np.abs(shares - words / words.sum()), axis=-1).sum(axis=-1) / 2)


def normalised_deviation(counts: npt.ArrayLike, sizes: npt.ArrayLike) -> F64:
    """DPnorm (Lijffijt and Gries 2012): DP over the highest that it can be, 1 less the share of the smallest part."""
    words = np.asarray(sizes, dtype=np.float64)
    return np.asarray(deviation_of_proportions(counts, sizes) / (1 - words.min() / words.sum()))


def reduced_frequencies(places: I64, lengths: I64, size: int) -> F64:
    """The average reduced frequency of each word (Savický and Hlaváčová 2002): its frequency where it is spread evenly,
    and near 1 where it stands in one place alone.

    ``places``: where in a corpus of ``size`` tokens each of them stands, ascending, one word after the other;
    ``lengths``: how many each word has, above 0.
    """
    ends = np.cumsum(lengths)
    distances = np.diff(places, append=0)
    distances[ends - 1] = places[ends - lengths] + size - places[ends - 1]
    reach = size / np.asarray(lengths, dtype=np.float64)
    kept = np.minimum(distances, np.repeat(reach, lengths))
    return np.asarray(np.add.reduceat(kept, ends - lengths) / reach)


# Trends: whether a word gets more frequent from each part of a corpus to the next, as from year to year.
# ``rates`` are relative frequencies in the parts, along the last axis, of which there are three or more.


def theil_sen_slope(rates: npt.ArrayLike) -> F64:
    """The median of the slopes between any two parts, a step apart (Theil 1950; Sen 1968)."""
    values = np.asarray(rates, dtype=np.float64)
    one, two = np.triu_indices(values.shape[-1], 1)
    return np.asarray(np.median((values[..., two] - values[..., one]) / (two - one), axis=-1))


def mann_kendall(rates: npt.ArrayLike) -> F64:
    """How probable so much order is by chance, if no part has more than another, by the normal approximation of the
    test of Mann (1945) and Kendall (1975), with ties and correction for continuity; two-sided."""
    values = np.asarray(rates, dtype=np.float64)
    n = values.shape[-1]
    one, two = np.triu_indices(n, 1)
    sums = np.sign(values[..., two] - values[..., one]).sum(axis=-1)
    # A run of t ties takes t (t - 1) (2 t + 5) from the variance: each value in it its part.
    same = (values[..., :, None] == values[..., None, :]).sum(axis=-1).astype(np.float64)
    variance = (n * (n - 1) * (2 * n + 5) - ((same - 1) * (2 * same + 5)).sum(axis=-1)) / 18
    score = np.maximum(np.abs(sums) - 1, 0) / np.sqrt(np.maximum(variance, 1e-300))
    tails = [math.erfc(each / math.sqrt(2)) for each in np.ravel(score).tolist()]
    return np.array(tails, dtype=np.float64).reshape(score.shape)


# Keyness: how much more often a word occurs in one corpus than in another.
# ``target`` and ``reference`` are how often it occurs in each, ``target_size`` and ``reference_size`` how many words
# each has, both above 0. Frequencies may be arrays; floats come out.


def keyness_likelihood(target: npt.ArrayLike, reference: npt.ArrayLike, target_size: int, reference_size: int) -> F64:
    """The log-likelihood of Rayson and Garside (2000, section 2): 2 (a ln (a / E1) + b ln (b / E2)), 0 or more.

    E1 = c (a + b) / (c + d) and E2 = d (a + b) / (c + d), with a and b the frequencies, c and d the sizes. Of the four
    cells of Dunning's table only these two are summed. It is the same for the corpus in which the word is rarer.
    """
    a, b = np.asarray(target, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    total = np.zeros_like(a + b)
    for observed, size in ((a, target_size), (b, reference_size)):
        expected = size * (a + b) / (target_size + reference_size)
        ratio = np.divide(observed, expected, out=np.ones_like(expected), where=observed > 0)
        total = total + observed * np.log(ratio)
    return np.maximum(2 * total, 0.0)  # rounding can leave a little less than nothing


def log_ratio(target: npt.ArrayLike, reference: npt.ArrayLike, target_size: int, reference_size: int) -> F64:
    """The binary logarithm of the ratio of relative frequencies (Hardie 2014): 1 is twice as often, -1 half as often.

    A frequency of 0 counts as 0.5, as Hardie has it, so that every value is finite.
    """
    a, b = (np.where(np.asarray(each) == 0, 0.5, each) for each in (target, reference))
    return np.asarray(np.log2((a / target_size) / (b / reference_size)), dtype=np.float64)


def difference(target: npt.ArrayLike, reference: npt.ArrayLike, target_size: int, reference_size: int) -> F64:
    """%DIFF (Gabrielatos and Marchi 2011): how many per cent the relative frequency in the target is above the other.

    From -100, where the target does not have the word, to inf, where the reference does not.
    """
    with np.errstate(divide="ignore"):
        ratio = (np.asarray(target) / target_size) / (np.asarray(reference) / reference_size)
    return np.asarray(100 * (ratio - 1), dtype=np.float64)


def simple_maths(
    target: npt.ArrayLike, reference: npt.ArrayLike, target_size: int, reference_size: int, *, smoothing: float = 1.0
) -> F64:
    """The ratio of frequencies per million, each with ``smoothing`` added (Kilgarriff 2009).

    The more is added, the more frequent are the words that the measure prefers; 1, 100 and 1000 are usual. It must be
    above 0.
    """
    a, b = np.asarray(target) * 1e6 / target_size, np.asarray(reference) * 1e6 / reference_size
    return np.asarray((a + smoothing) / (b + smoothing), dtype=np.float64)


def significance(likelihood: npt.ArrayLike) -> F64:
    """The probability of so high a log-likelihood by chance: the tail of chi-squared with one degree of freedom.

    For one word looked at by itself: who looks at thousands must ask for much less than 0.05.
    """
    values = np.asarray(likelihood, dtype=np.float64)
    tails = [math.erfc(math.sqrt(value / 2)) for value in values.ravel().tolist()]
    return np.array(tails, dtype=np.float64).reshape(values.shape)


# Good examples of a word, as GDEX chooses them for dictionaries (Kilgarriff, Husák, McAdam, Rundell and Rychlý 2008).


COMMON_WORDS = 17_000
"""Words beyond the commonest so many make an example hard to understand."""
ANAPHORS: Mapping[str, frozenset[str]] = {
    "deu": frozenset(
        "er ihm ihn sein seine seinem seinen seiner sie ihr ihre ihrem ihren ihrer ihnen es "
        "dieser diese diesem diesen dieses jener jene jenem jenen jenes".split()
    ),
    "eng": frozenset(
        "he him his himself she her hers herself it its itself they them their theirs themselves "
        "this that these those one such".split()
    ),
    "fra": frozenset(
        "il ils elle elles lui leur leurs eux ce c' cet cette ces cela ça ceci celui celle ceux celles".split()
    ),
    "jpn": frozenset("これ それ あれ ここ そこ あそこ この その あの 彼 彼女 彼ら".split()),
}
"""By language, words that mostly stand for what was said before the sentence; of other languages it is not asked."""
_OPENING, _CLOSING = "\"'([{«»“”„‘’‚‹›「『（¿¡ \u00a0\u202f", "\"')]}»«”“’‘›‹」』） \u00a0\u202f"


def is_whole(text: str) -> bool:
    """Whether a sentence goes from a capital, a digit or a letter without case to a mark that ends sentences."""
    begin, end = text.lstrip(_OPENING)[:1], text.rstrip(_CLOSING)[-1:]
    return begin.isalnum() and not begin.islower() and end in {*".!?…。！？．"}


def example_score(words: npt.ArrayLike, common: npt.ArrayLike, anaphors: npt.ArrayLike, whole: npt.ArrayLike) -> F64:
    """How good an example a sentence makes, from 0 to 1, by how many words it has, and how many of them are common.

    It has a length (1 from 10 to 25 words, in proportion below and above), a share of common words, no anaphor, and is
    whole. The first two weigh double: in the paper they weigh most.
    """
    number = np.asarray(words, dtype=np.float64)
    length = np.minimum(1, np.minimum(number / 10, 25 / np.maximum(number, 1)))
    share = np.asarray(common) / np.maximum(number, 1)
    return np.asarray((2 * length + 2 * share + (np.asarray(anaphors) == 0) + np.asarray(whole)) / 6)


# Words that look most like another: what somebody meant who typed one that is not there.


_LETTERS_AN_EDIT = 3
"""A word may differ by one letter in so many of its own, so that "it" is like nothing, and "teh" like "the"."""
_MOST_EDITS = 2
_MOST_NEAR = 3


def near_words(word: str, words: Iterable[str]) -> list[str]:
    """Those of some words that differ in least from another one, ignoring case and the marks on letters.

    Of forms in other cases the first is given.
    Of those that differ in as much, those come first that have the same letters, then those that come first in
    ``words``. None differs by more than a letter in three, or by more than two.
    """
    wanted = without_diacritics(word.casefold())
    allowed = min(len(wanted) // _LETTERS_AN_EDIT, _MOST_EDITS)
    letters = sorted(wanted)
    found: list[tuple[int, bool, int, str]] = []
    forms: dict[str, str] = {}
    for each in words:
        forms.setdefault(each.casefold(), each)
    for rank, text in enumerate(forms):
        if abs(len(text) - len(wanted)) > allowed:
            continue
        plain = text if text.isascii() else without_diacritics(text)
        if _letters_missing(wanted, plain) <= allowed:
            edits = edits_between(wanted, plain, allowed)
            if edits <= allowed:
                found.append((edits, sorted(plain) != letters, rank, text))
    return [forms[text] for *_, text in sorted(found)[:_MOST_NEAR]]


def _letters_missing(wanted: str, text: str) -> int:
    """How many letters of ``text`` the other has not: no more than the edits between them, and seen much sooner."""
    for letter in wanted:
        text = text.replace(letter, "", 1)
    return len(text)


def edits_between(one: str, other: str, most: int) -> int:
    """The least number of letters to insert, delete, replace or exchange with the next; ``most`` + 1 for any more."""
    earlier: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one):
        before, earlier, row = earlier, row, [place + 1]
        for column, another in enumerate(other):
            cost = min(earlier[column + 1] + 1, row[column] + 1, earlier[column] + (letter != another))
            if place and column and letter == other[column - 1] and one[place - 1] == another:
                cost = min(cost, before[column - 1] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)

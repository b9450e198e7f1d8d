"""Aligned words as text: what a phrase is aligned with, what else it is called, and pairs of sentences that show it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from math import floor
from typing import TYPE_CHECKING, Final

from corpusdb.alignment.queries.company import WordSketch
from corpusdb.alignment.queries.equivalents import FoundEquivalents, Pivot
from corpusdb.alignment.queries.pairs import LinkedPair, Span
from corpusdb.alignment.queries.phrase_places import PhraseStanding, Translations
from corpusdb.alignment.queries.phrases import RejectedPair
from corpusdb.base.cells import cell_width, cut_left, cut_right, padded
from corpusdb.base.display import Cell, cell_safe, counted
from corpusdb.search.patterns import meant_mode

if TYPE_CHECKING:
    from corpusdb.alignment.queries.corpus_alignment import AlignmentReport
    from corpusdb.alignment.queries.link_files import LinkImportReport

TRANSLATION_COLUMNS = ("translation", "count", "share", "example", "example_translation")
PAIR_COLUMNS = ("sentence", "translation")
_EQUIVALENT_COLUMNS = ("equivalent", "probability", "count", "languages", "contexts", "through")
REJECTION_COLUMNS = ("language", "phrase", "equivalent", "rejected")
NOTHING = "(nothing)"
"""What stands for the places that are aligned with nothing."""
_BETWEEN: Final = "  "
_LEAST: Final = 10
"""Cells that a text has at least, however narrow the terminal is."""


def alignment_rows(found: AlignmentReport) -> list[tuple[str, Cell]]:
    return [
        ("languages", f"{found.source},{found.target}"),
        ("pairs trained on", found.trained),
        ("pairs aligned now", found.pairs),
        ("links", found.links),
        (f"tokens of {found.source}", found.source_tokens),
        (f"tokens of {found.target}", found.target_tokens),
        (f"{found.source} tokens aligned with nothing", found.unlinked_source),
        (f"{found.target} tokens aligned with nothing", found.unlinked_target),
        ("pairs aligned in all", found.aligned),
        ("different phrase pairs", found.phrase_pairs),
        ("seconds", round(found.seconds, 1)),
    ]


def import_rows(found: LinkImportReport) -> list[tuple[str, Cell]]:
    return [
        ("languages", f"{found.source},{found.target}"),
        ("lines read", found.read),
        ("pairs with links", found.pairs),
        ("links", found.links),
        (f"{found.source} tokens aligned with nothing", found.unlinked_source),
        (f"{found.target} tokens aligned with nothing", found.unlinked_target),
        ("lines of pairs not in the corpus", found.unknown),
        ("lines of pairs cut into other tokens", found.other_tokens),
        ("lines of pairs that stood before", found.repeated),
        ("pairs of the corpus without links", found.without_links),
        ("different phrase pairs", found.phrase_pairs),
        ("seconds", round(found.seconds, 1)),
    ]


def marked_pair(pair: LinkedPair) -> tuple[str, str]:
    """A sentence and its translation with what is marked in brackets."""
    return _marked(pair.text, pair.marks), _marked(pair.translation, pair.translation_marks)


def _marked(text: str, marks: Sequence[Span]) -> str:
    for begin, end in sorted(marks, reverse=True):
        text = f"{text[:begin]}[{text[begin:end]}]{text[end:]}"
    return text


def translation_rows(found: Translations) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = [
        (each.text, each.count, round(each.share, 3), *marked_pair(each.example)) for each in found.members
    ]
    if found.unlinked:
        rows.append((NOTHING, found.unlinked, round(found.unlinked / found.occurrences, 3), None, None))
    return rows


PAIRS_COUNTED: Final = {
    False: "each distinct sentence pair counts once (with --occurrences, every time); frequencies count a sentence"
    " once, whatever its translations",
    True: "every occurrence of a sentence pair counts",
}
"""How pairs of sentences count, by whether every occurrence does."""


def format_more_pairs(shown: int) -> str:
    return f"there are more than {shown:,} pairs; `-n 0` shows all"


COOCCURRENCE_COLUMNS = ("text", "count", "share", "frequency", "loglikelihood", "logdice")


def format_cooccurrences(word: str, sentences: int, translations: int) -> str:
    return f"{sentences:,} sentences have {word!r}, with {translations:,} translations"


SKETCH_COLUMNS = ("language", "text", "count", "share", "before", "after")


def sketch_row(sketch: WordSketch) -> tuple[Cell, ...]:
    """A word with its company: ``tasse (cup), noir (black)``."""
    before, after = (
        ", ".join(f"{each.text} ({each.translation})" if each.translation else each.text for each in side)
        for side in (sketch.before, sketch.after)
    )
    share = None if sketch.share is None else round(sketch.share, 3)
    return sketch.language, sketch.text, sketch.count, share, before, after


def format_sketch(word: str, language: str, count: int) -> str:
    return f"{word!r} occurs {counted(count, 'times')} in {language}, ignoring case"


def translation_lines(found: Translations, width: int) -> Iterator[str]:
    """Below each other an example of each translation, both phrases in brackets, in at most ``width`` cells.

    What is longer is cut around the phrases, as the lines of a concordance are.
    """
    most = max((width - len(_BETWEEN)) // 2, _LEAST)
    shown = [
        (_cut_around(pair.text, pair.marks, most), _cut_around(pair.translation, pair.translation_marks, most))
        for pair in (each.example for each in found.members)
    ]
    column = max((cell_width(text) for text, _ in shown), default=0)
    for text, translation in shown:
        yield f"{padded(text, column)}{_BETWEEN}{translation}"


def _cut_around(text: str, marks: Sequence[Span], width: int) -> str:
    """The text with its first mark in brackets, in at most ``width`` cells; a longer mark is cut itself."""
    begin, end = min(marks, default=(0, 0))
    left, match, right = (cell_safe(part) for part in (text[:begin], text[begin:end], text[end:]))
    match = cut_right(f"[{match}]", width) if marks else ""
    room = width - cell_width(match)
    before = min(cell_width(left), max(room // 2, room - cell_width(right)))
    if before or not cell_width(left):  # an ellipsis needs a cell
        match = cut_left(left, before) + match
    after = width - cell_width(match)
    return match + cut_right(right, after) if after or not cell_width(right) else match


def format_translations(found: Translations, where: Sequence[str] = ()) -> str:
    """``'house' stands 1,014 times in 1,001 pairs of eng and fra sentences; once only within a longer phrase``."""
    asked = found.asked or found.text
    if " " in asked and not found.occurrences and not found.sentences and not where:
        return f"{asked!r} occurs in no {found.language} sentence"
    if not found.occurrences and found.sentences:
        end = "-- " if asked.startswith("-") else ""
        shown = f"corpusdb search --word --lang {found.language} --with {found.other} {end}{shlex.quote(asked)}"
        where = f"{counted(found.sentences, 'sentences')} of {found.language}"
        return f"{asked!r} occurs in {where} and in no aligned pair with {found.other}; `{shown}` shows them"
    otherwise = f"; with the other apostrophe {_times(found.otherwise)} more" if found.otherwise else ""
    pairs = _format_pairs(None if found.standing is None else found.standing.pairs, found.language, found.other)
    pairs += f" where {', '.join(where)}" if where else ""
    told = f"{asked!r} occurs {_times(found.occurrences)} in {pairs}"
    told += f"; {_times(found.unpaired)} aligned only within a longer phrase" if found.unpaired else ""
    is_seldom = " " in asked and found.unlinked + found.unpaired > found.occurrences / 2
    others = "; --cooccurring looks at all words of the translations" if is_seldom else ""
    if not found.occurrences and meant_mode(asked, "word") == "regex":
        others = f"""; a regular expression is asked for as a CQP query: '"{asked}"%c'"""
    return f"{told}{otherwise}{others}"


_TRUSTED: Final = 0.5
"""The least share of its places at which a phrase is aligned as a whole, that what is aligned there speaks for all."""


def _format_standing(standing: PhraseStanding, language: str) -> str:
    """``178 times in 177 pairs of ... sentences, and is aligned as a whole 12 times, 7 %: too few for ...``."""
    told = f"{_times(standing.places)} in {_format_pairs(standing.pairs, language, standing.other)}"
    told += f", and is aligned as a whole {_times(standing.aligned)}, {standing.share * 100:.0f} %"
    return told if standing.share >= _TRUSTED else f"{told}: too few for shares to be trusted"


def _format_pairs(count: int | None, language: str, other: str) -> str:
    """How many pairs of sentences; None: it is not known."""
    return f"{'pairs' if count is None else counted(count, 'pairs')} of {language} and {other} sentences"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def equivalent_table(
    found: FoundEquivalents, width: int | None = None, *, with_rejected: bool
) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """The columns, and a row for each equivalent; through: the phrases that both are aligned with, and how often each
    of them is. With a last column for what was rejected where that was wanted.

    As a table the rows have at most ``width`` cells: phrases that are longer than what is left to them are cut.
    """
    columns = (*_EQUIVALENT_COLUMNS, "rejected") if with_rejected else _EQUIVALENT_COLUMNS
    most = None if width is None else _left_to_phrases(found, width, columns)
    rows: list[tuple[Cell, ...]] = [
        (
            each.text if most is None else cut_right(cell_safe(each.text), most),
            round(each.probability, 2),
            each.count,
            ",".join(each.languages),
            each.contexts,
            "; ".join(_format_pivot(pivot, most) for pivot in each.pivots[:1]),
        )
        for each in found.members
    ]
    if not with_rejected:
        return columns, rows
    marks = ("rejected" if each.is_rejected else "" for each in found.members)
    return columns, [(*row, mark) for row, mark in zip(rows, marks, strict=True)]


def rejection_rows(found: Sequence[RejectedPair]) -> list[tuple[Cell, ...]]:
    return [(each.language, each.phrase, each.equivalent, each.rejected) for each in found]


def _left_to_phrases(found: FoundEquivalents, width: int, columns: Sequence[str]) -> int:
    """How many cells are left to the equivalent, and to what it comes through, in a table of ``width`` cells."""
    taken = len("probability") + len("contexts") + len(_BETWEEN) * (len(columns) - 1)
    taken += len("rejected") if "rejected" in columns else 0
    taken += max((len(str(each.count)) for each in found.members), default=0) + len("count")
    taken += max((len(",".join(each.languages)) for each in found.members), default=0)
    pivots = [pivot for each in found.members for pivot in each.pivots[:1]]
    taken += max((cell_width(_format_pivot(pivot, 0)) for pivot in pivots), default=0)
    return max((width - taken) // 2, _LEAST)


def _format_pivot(pivot: Pivot, most: int | None = None) -> str:
    text = pivot.text if most is None else cut_right(cell_safe(pivot.text), most)
    return f"{pivot.language} {text} ({pivot.count}, {pivot.other_count})"


def format_equivalents(found: FoundEquivalents) -> str:
    """``'begin' in eng, through deu, fra``."""
    if not found.through:
        return format_equivalents_missing(found)
    told = f"{found.text!r} in {found.language}, through {', '.join(found.through)}"
    for each in found.standing:
        told += f"; it occurs {_format_standing(each, found.language)}"
    return told


def equivalent_notes(found: FoundEquivalents, *, with_rejected: bool) -> Iterator[str]:
    """What is said beside a table of equivalents; of an empty one why it is."""
    yield format_equivalents(found)
    if found.rejected and not with_rejected:
        yield f"{found.rejected:,} rejected; --rejected shows what"
    if not found.total:
        yield from _none_lines(found)
    elif found.below:
        verb = "is" if found.below == 1 else "are"
        yield f"{found.below:,} more {verb} less probable; --all shows them, and other forms"


def format_none(found: FoundEquivalents) -> str:
    """Why a phrase that is aligned has no equivalents: ``... is probable enough; nearest: cool 0.59, fresh 0.29``."""
    if found.nearest:
        nearest = ", ".join(f"{text} {floor(probability * 100) / 100:.2f}" for text, probability in found.nearest)
        return f"nothing that shares its translations is probable enough; nearest: {nearest}"
    seldom = f"; it is aligned {_times(max(found.places))}" if _is_rare(found) else ""
    return f"nothing else is aligned with the same words often enough{seldom}"


def _none_lines(found: FoundEquivalents) -> Iterator[str]:
    """Why there are none, and which command shows more; nothing where no language is aligned with the phrase."""
    if not found.through or found.rejected:
        return
    yield format_none(found)
    call = f"{'-- ' if found.text.startswith('-') else ''}{shlex.quote(found.text)}"
    best = max((probability for _, probability in found.nearest), default=0.0)
    if best >= _NEAR:
        least = f"--lang {found.language} --probability {floor(best * 10) / 10:g}"
        yield f"`corpusdb equivalents {least} {call}` shows what is nearest"
        return
    more = "--min-count 1 asks for less evidence" if _is_rare(found) else "--all shows all, with its forms"
    most = found.through[found.places.index(max(found.places))]
    where = f"--lang {found.language} --with {most}"
    yield f"{more}; `corpusdb translations {where} {call}` shows its senses"


def _is_rare(found: FoundEquivalents) -> bool:
    return max(found.places) < _FEW_PLACES


_FEW_PLACES: Final = 30
"""A phrase that is aligned less often may be too rare for its equivalents to be seen."""
_NEAR: Final = 0.4
"""What is less probable is hardly worth a look."""


def format_equivalents_missing(found: FoundEquivalents) -> str:
    """Why a phrase has no equivalents that no language is aligned with."""
    if " " in found.text:
        told = f"{found.text!r} is aligned as a whole in no {found.language} sentence"
        stands = [_format_pairs(each.pairs, found.language, each.other) for each in found.standing]
        return f"{told}; it occurs in {', '.join(stands)}" if stands else told
    return f"{found.text!r} occurs in no {found.language} sentence that is aligned"

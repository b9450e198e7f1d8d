"""The dialogs of the corpus: a search request as lines of forms, and back, and what one key changes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from corpusdb.base.display import cell_safe
from corpusdb.base.errors import UsageError
from corpusdb.base.options import FormLine, described, number_of
from corpusdb.base.text import language_codes
from corpusdb.search.patterns import Mode
from corpusdb.search.queries.concordance import Concordance
from corpusdb.search.queries.hit_export import EXPORT_FORMATS, HitExport
from corpusdb.search.queries.request import NO_CATEGORY, GroupBy, Order, SearchRequest, context_width
from corpusdb.search.queries.search import Hits
from tui.kit.fields import Field

Answer = TypeVar("Answer")


_BETWEEN = ";"
_ANY = "any"
"""How the form calls what is no condition; who types it means that."""
_OF_RESULTS = ("tmx", "moses")
"""Formats of pairs of sentences, which a command writes of results."""
_YES_OR_NO: Mapping[object, Mapping[str, bool | None]] = {
    bool: {"": False, "yes": True},
    bool | None: {"": None, "yes": True, "no": False},
}
"""What is typed for the values of these types."""


def filter_fields(
    words: SearchRequest, languages: Sequence[str], collections: Sequence[str], categories: Sequence[str] = ()
) -> list[Field]:
    known = {"languages": languages, "collections": collections, "categories": [*categories, NO_CATEGORY]}
    listed = {name: ",".join(names) for name, names in known.items()}
    made: list[Field] = []
    for name, line, kind in _filters(words):
        choices = tuple(_YES_OR_NO.get(kind, ("", *known[line.choices]) if line.choices else ()))
        value, hint = _text(kind, getattr(words, name)), line.hint.format(**listed)
        nothing, is_open = "no" if kind is bool else _ANY, kind not in _YES_OR_NO
        made.append(Field(name, line.label, value, hint, choices, nothing=nothing, is_open=is_open))
    return made


def filtered(words: SearchRequest, values: Mapping[str, str]) -> SearchRequest:
    """The search with other conditions. Raises CorpusError for texts that are none."""
    changed: dict[str, Any] = {
        name: _value(kind, values[name], line.label.lower()) for name, line, kind in _filters(words)
    }
    made = replace(words, **changed)
    made.search("eng")
    return made


def _filters(words: SearchRequest) -> list[tuple[str, FormLine, Any]]:
    """The fields that stand in the form of the conditions, each with its line and its type."""
    kinds = get_type_hints(type(words))
    lines = [(name, line, kinds[name]) for name, line in described(type(words), FormLine).items()]
    return sorted(lines, key=lambda entry: entry[1].place)


def _text(kind: object, value: object) -> str:
    if kind in _YES_OR_NO:
        return next(text for text, each in _YES_OR_NO[kind].items() if each is value)
    if isinstance(value, tuple):
        return _BETWEEN.join(value)
    return "" if value is None else str(value)


def _value(kind: object, text: str, label: str) -> object:
    """What was typed, as its field has it. Raises UsageError for a text that is no such value."""
    text = "" if text == _ANY else text
    if (known := _YES_OR_NO.get(kind)) is not None:
        if text not in known:
            raise UsageError(f"{label}: {'yes, no, or' if 'no' in known else 'yes or'} nothing, not {text!r}")
        return known[text]
    if get_origin(kind) is tuple:
        return tuple(part.strip() for part in text.split(_BETWEEN) if part.strip())
    if not text:
        return "" if kind is str else None
    if int in get_args(kind):
        if not text.isdecimal():
            raise UsageError(f"{label}: a whole number or nothing, not {text!r}")
        return number_of(text)
    return text


def without_filters(words: SearchRequest) -> SearchRequest:
    return filtered(words, {field.name: "" for field in filter_fields(words, (), ())})


def conditions(words: SearchRequest) -> list[str]:
    """The conditions in force, each in a few words; those of which there may be several come last."""
    found: list[str] = []
    several: list[str] = []
    for name, line, _ in _filters(words):
        match getattr(words, name):
            case tuple() as values:
                several += [line.summary.format(value) for value in values]
            case bool() as value:
                yes, _, no = line.summary.partition("/")
                found.append(yes if value else no)
            case value:
                found.append("" if value in ("", None) else line.summary.format(value))
    return [*filter(None, found), *several]


def mode_text(words: SearchRequest) -> str:
    """In which language is searched, and for what kind of pattern."""
    mode = "string" if words.mode == "substring" else words.mode
    return f"{words.lang} {mode}{' any case' if words.pattern and words.folds_case else ''}:"


SORTED: Mapping[str, str] = {
    "corpus": "in corpus order",
    "left": "by the word before",
    "2L": "by the 2nd word before",
    "3L": "by the 3rd word before",
    "right": "by the word after",
    "2R": "by the 2nd word after",
    "3R": "by the 3rd word after",
    "match": "by what was found",
    "target": "by the word with @",
    "random": "in random order",
    "examples": "good examples first",
    "category": "by their category",
}
COUNTED: Mapping[GroupBy, str] = {
    "match": "what was found itself",
    "left": "the word before it",
    "right": "the word after it",
    "2L": "the 2nd word before it",
    "3L": "the 3rd word before it",
    "2R": "the 2nd word after it",
    "3R": "the 3rd word after it",
    "target": "the word that @ marks",
    "category": "the category of the line",
    "collection": "the collection of the sentence",
    "document": "the document of the sentence",
    "translation": "the translation of the sentence",
}
"""By what lines are counted, in the order of the menu."""
SORTED_BY_SEVERAL = "by several, such as 2L,right"
_ORDERS = (*("corpus", "left", "right", "match", "2L", "3L", "2R", "3R", "target", "category", "examples", "random"),)


def sortings(words: SearchRequest) -> list[str]:
    """The orders in which lines can be shown, in that of the menu."""
    return [each for each in _ORDERS if each != "target" or words.has_target]


def countings(words: SearchRequest) -> list[GroupBy]:
    """What lines can be counted by, in the order of the menu."""
    return [each for each in COUNTED if each != "target" or words.has_target]


_MARKS = frozenset({"left", "right", "2L", "3L", "2R", "3R"})
"""Orders and counts in which a punctuation mark may stand where a word does."""


def view_text(words: SearchRequest, group: str | None = None) -> str:
    """The conditions, how what is found is arranged, the group that is open, and which translations are shown."""
    told = [f"only: {', '.join(found)}"] if (found := conditions(words)) else []
    if not words.kwic:
        told = told or ["no conditions"]
    else:
        sample = f", {words.sample:,} at random" if words.sample is not None else ""
        seed = f", seed {words.seed}" if words.sample is not None or words.sort == "random" else ""
        order = f"KWIC {SORTED.get(words.sort, f'by {cell_safe(words.sort)}')}"
        if words.group:  # the order of lines is not seen in counts
            counted = COUNTED.get(words.group, words.group)  # type: ignore[call-overload]
            order = f"lines and their share, by {counted}" if group is None else f"KWIC, {counted}: {cell_safe(group)}"
        keys = _MARKS & {*(words.group or words.sort).split(",")}
        marks = ", punctuation counts" if not words.words_only and keys else ""
        told.append(f"{order}{marks}{sample}{seed}{', each occurrence' if words.occurrences else ''}")
        if words.categories:
            told.append("categories" if words.categories == "categories" else f"categories of {words.categories}")
    distance = f", to distance {words.distance}" if words.distance > 1 else ""
    if words.shown or distance or not words.kwic:
        told.append(f"translations: {words.shown or 'all'}{distance}")
    return " | ".join(told)


def shown_fields(words: SearchRequest, languages: Sequence[str]) -> list[Field]:
    return [
        Field(
            "shown", "Languages", words.shown, f"all; or some of {','.join(languages)}", ("", *languages), is_open=True
        ),
        Field(
            "distance",
            "Translations by",
            str(words.distance),
            "1 step; 2: translations of translations, too",
            ("1", "2", "3"),
        ),
    ]


def shown_with(words: SearchRequest, values: Mapping[str, str]) -> SearchRequest:
    """The search with other translations shown. Raises CorpusError for texts that make no sense."""
    if values["distance"] not in ("1", "2", "3"):
        raise UsageError(f"the distance is 1, 2 or 3, not {values['distance']!r}")
    shown = "" if values["shown"] == "all" else values["shown"]  # as the form calls it
    made = replace(words, shown=shown, distance=int(values["distance"]))
    made.shown_languages  # noqa: B018 - raises for unknown languages
    return made


def sample_fields(words: SearchRequest) -> list[Field]:
    return [
        Field("sample", "Lines", "" if words.sample is None else str(words.sample), "how many at random; empty: all"),
        Field("seed", "Seed", str(words.seed), "of the random choice and order"),
    ]


def sampled(words: SearchRequest, values: Mapping[str, str]) -> SearchRequest:
    """The concordance with another sample. Raises UsageError for texts that are no numbers."""
    sample, seed = values["sample"], values["seed"]
    if sample and not (sample.isdecimal() and int(sample)):
        raise UsageError(f"{sample!r} is not a number of lines")
    if not seed.isdecimal():
        raise UsageError(f"{seed!r} is not a seed; a whole number is")
    if not sample:  # all lines, as they are shown now
        return replace(words, sample=None, seed=int(seed))
    return replace(words, kwic=True, sample=int(sample), seed=int(seed))


_LEVELS: Mapping[str, str] = {"first": "First by", "second": "Then by", "third": "And then by"}


def sort_fields(words: SearchRequest) -> list[Field]:
    """Three keys by which lines are sorted, one after the other."""
    keys = [
        each for each in sortings(words) if each not in get_args(Order) and (each != "category" or words.categories)
    ]
    given = words.sort.split(",") if words.sort not in get_args(Order) else []
    hint = "such as left, 2R, match.lemma, left.pos, speaker"
    return [
        Field(name, label, value, hint, ("", *keys), is_open=True)
        for (name, label), value in zip(_LEVELS.items(), (*given, "", "", ""), strict=False)
    ]


def sorted_by(words: SearchRequest, values: Mapping[str, str]) -> SearchRequest:
    """The concordance in the order of these keys. Raises CorpusError for texts that are none."""
    keys = ",".join(filter(None, (values[name] for name in _LEVELS)))
    made = replace(words, kwic=True, sort=keys or "corpus")
    made.search("eng")
    return made


def export_fields(words: SearchRequest) -> list[Field]:
    return [
        Field("file", "File", "hits.tsv", "its ending tells the format", is_file=True, is_written=True),
        Field("format", "Format", "", "by the name", EXPORT_FORMATS, nothing="by the name"),
        *(
            [Field("width", "Context of lines", words.width, "40 characters on each side, or 5w: words; else all")]
            if words.kwic
            else []
        ),
        Field("overwrite", "Replace a file", "no", choices=("no", "yes")),
    ]


def export_of(
    values: Mapping[str, str], words: SearchRequest, languages: Sequence[str], found: Hits | Concordance
) -> HitExport:
    """The export of what was found. Raises UsageError for a file or format that makes no sense."""
    path = Path(values["file"]).expanduser()
    if not values["file"] or path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"{values['file']!r} is not a file in a folder that exists")
    if os.path.lexists(path) and values["overwrite"] != "yes":
        raise UsageError(f"{values['file']!r} is there already; yes in 'Replace a file' replaces it")
    wanted = values["format"] or path.suffix.removeprefix(".").lower()
    chosen = next((each for each in EXPORT_FORMATS if each == wanted), None)
    if wanted in _OF_RESULTS:
        command = f"corpusdb export --collection NAME -o {path.with_suffix('').name}.{wanted}"
        raise UsageError(f"{wanted} takes whole sentences: w keeps the result as NAME, then `{command}`")
    if chosen is None:
        raise UsageError(f"{wanted!r} is not a format; there are {', '.join(EXPORT_FORMATS)}")
    own = found.hits.language if isinstance(found, Concordance) else found.language
    shown = language_codes(words.shown) if words.shown else tuple(each for each in languages if each != own)
    replaces = values["overwrite"] == "yes"
    width = context_width(values.get("width", ""))
    return HitExport(path, chosen, shown, words.distance, overwrite=replaces, width=width, within=words.place)


# What one key changes about a search.


_MODES: tuple[Mode, ...] = get_args(Mode)


def _other_case(words: SearchRequest) -> SearchRequest:
    if words.cqp:
        raise UsageError('a CQP query says itself where case does not count: "word"%c')
    return replace(words, ignore_case=not words.folds_case)


CHANGES: Mapping[str, Callable[[SearchRequest], SearchRequest]] = {
    "mode": lambda words: words.with_mode(_MODES[(_MODES.index(words.mode) + 1) % len(_MODES)]),
    "case": _other_case,
    "no-filters": without_filters,
    "kwic": lambda words: replace(words, kwic=not words.kwic, group=None),
}
"""The search that a key makes of another one, or UsageError."""

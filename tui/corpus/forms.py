"""The dialogs of the corpus as fields, and back to the words of a search."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from corpusdb.errors import UsageError
from corpusdb.languages import language_codes
from corpusdb.queries.search.concordance import Concordance
from corpusdb.queries.search.hit_export import EXPORT_FORMATS, HitExport
from corpusdb.queries.search.request import SearchRequest
from corpusdb.queries.search.search import Hits
from tui.shared.form import Field

__all__ = [
    "conditions",
    "export_fields",
    "export_of",
    "filter_fields",
    "filtered",
    "mode_text",
    "sample_fields",
    "sampled",
    "shown_fields",
    "shown_with",
    "view_text",
    "without_filters",
]

_PARAPHRASED = {"": None, "yes": True, "no": False}
_BETWEEN = ";"


def filter_fields(words: SearchRequest, languages: Sequence[str], collections: Sequence[str]) -> list[Field]:
    """The conditions of a search."""
    paraphrased = next(name for name, value in _PARAPHRASED.items() if value is words.paraphrased)
    others = ",".join(languages)
    return [
        Field("collection", "Collection", words.collection or "", "any", ("", *collections)),
        Field("document", "Document or file", words.document or "", "any"),
        Field("length", "Length from-to", words.length, "words, such as 3-7; characters in Japanese ..."),
        Field("paraphrased", "Has paraphrases", paraphrased, "yes, no, or nothing", tuple(_PARAPHRASED)),
        Field("translated", "Translated into", words.translated, f"all of these: {others}", ("", *languages)),
        Field("untranslated", "Not translated into", words.untranslated, "none of these", ("", *languages)),
        Field("aligned", "A translation holds", _BETWEEN.join(words.aligned), "fra:chat; several: fra:chat;jpn:猫"),
        Field("not_aligned", "None holds", _BETWEEN.join(words.not_aligned), "fra:chien"),
        Field("width", "Ignore width", "yes" if words.ignore_width else "", "yes: Ａ is A", ("", "yes")),
    ]


def filtered(words: SearchRequest, values: Mapping[str, str]) -> SearchRequest:
    """The search with other conditions. Raises CorpusError for texts that are none."""
    if values["paraphrased"] not in _PARAPHRASED:
        raise UsageError(f"has paraphrases: yes, no, or nothing, not {values['paraphrased']!r}")
    if values["width"] not in ("", "yes"):
        raise UsageError(f"ignore width: yes or nothing, not {values['width']!r}")
    made = replace(
        words,
        collection=values["collection"] or None,
        document=values["document"] or None,
        length=values["length"],
        paraphrased=_PARAPHRASED[values["paraphrased"]],
        translated=values["translated"],
        untranslated=values["untranslated"],
        aligned=_several(values["aligned"]),
        not_aligned=_several(values["not_aligned"]),
        ignore_width=values["width"] == "yes",
    )
    made.search("eng")
    return made


def _several(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(_BETWEEN) if part.strip())


def without_filters(words: SearchRequest) -> SearchRequest:
    """The search without its conditions."""
    return filtered(words, {field.name: "" for field in filter_fields(words, (), ())})


def conditions(words: SearchRequest) -> list[str]:
    """The conditions in force, each in a few words."""
    told = [
        (words.collection, f"collection {words.collection}"),
        (words.document, f"document {words.document}"),
        (words.length, f"length {words.length}"),
        (words.paraphrased is not None, "paraphrased" if words.paraphrased else "unparaphrased"),
        (words.translated, f"with {words.translated}"),
        (words.untranslated, f"without {words.untranslated}"),
        (words.ignore_width, "any width"),
    ]
    found = [text for there, text in told if there]
    return [*found, *words.aligned, *(f"not {given}" for given in words.not_aligned)]


def mode_text(words: SearchRequest) -> str:
    """In which language is searched, and for what kind of pattern."""
    return f"{words.lang} {words.mode}{' any case' if words.ignore_case else ''}:"


def view_text(words: SearchRequest) -> str:
    """The conditions, how what is found is arranged, and which translations are shown."""
    told = [f"only: {', '.join(found)}" if (found := conditions(words)) else "no conditions"]
    if words.kwic:
        sample = f", {words.sample:,} at random" if words.sample is not None else ""
        seed = f", seed {words.seed}" if words.sample is not None or words.sort == "random" else ""
        told.append(f"KWIC by {words.sort}{sample}{seed}{f', counted by {words.group}' if words.group else ''}")
    told.append(f"translations: {words.shown or 'all'}{f' to {words.distance}' if words.distance > 1 else ''}")
    return " | ".join(told)


def shown_fields(words: SearchRequest, languages: Sequence[str]) -> list[Field]:
    """Which translations are shown."""
    return [
        Field("shown", "Languages", words.shown, f"all; or some of {','.join(languages)}", ("", *languages)),
        Field("distance", "Distance 1-3", str(words.distance), "2: translations of translations", ("1", "2", "3")),
    ]


def shown_with(words: SearchRequest, values: Mapping[str, str]) -> SearchRequest:
    """The search with other translations shown. Raises CorpusError for texts that make no sense."""
    if values["distance"] not in ("1", "2", "3"):
        raise UsageError(f"the distance is 1, 2 or 3, not {values['distance']!r}")
    made = replace(words, shown=values["shown"], distance=int(values["distance"]))
    made.shown_languages  # noqa: B018 - raises for unknown languages
    return made


def sample_fields(words: SearchRequest) -> list[Field]:
    """Which lines of the concordance are chosen at random."""
    return [
        Field("sample", "Lines", "" if words.sample is None else str(words.sample), "how many at random; empty: all"),
        Field("seed", "Seed", str(words.seed), "of the random choice and order"),
    ]


def sampled(words: SearchRequest, values: Mapping[str, str]) -> SearchRequest:
    """The search with another sample. Raises UsageError for texts that are no numbers."""
    sample, seed = values["sample"], values["seed"]
    if sample and not (sample.isdecimal() and int(sample)):
        raise UsageError(f"{sample!r} is no number of lines")
    if not seed.isdecimal():
        raise UsageError(f"{seed!r} is no seed; a whole number is")
    return replace(words, sample=int(sample) if sample else None, seed=int(seed))


def export_fields() -> list[Field]:
    """Where hits go."""
    return [
        Field("file", "File", "hits.tsv", "a new file"),
        Field("format", "Format", "", "by the name; or tsv, csv, jsonl", EXPORT_FORMATS),
    ]


def export_of(
    values: Mapping[str, str], words: SearchRequest, languages: Sequence[str], found: Hits | Concordance
) -> HitExport:
    """The export of what was found. Raises UsageError for a file or format that makes no sense."""
    path = Path(values["file"]).expanduser()
    if not values["file"] or path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"{values['file']!r} is no file in a folder that exists")
    if os.path.lexists(path):
        raise UsageError(f"{values['file']!r} is there already; choose another name")
    wanted = values["format"] or path.suffix.removeprefix(".").lower()
    chosen = next((each for each in EXPORT_FORMATS if each == wanted), None)
    if chosen is None:
        raise UsageError(f"{wanted!r} is no format; there are {', '.join(EXPORT_FORMATS)}")
    own = found.hits.language if isinstance(found, Concordance) else found.language
    shown = language_codes(words.shown) if words.shown else tuple(each for each in languages if each != own)
    return HitExport(path, chosen, shown, words.distance)

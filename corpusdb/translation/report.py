"""Translations as text: rows, JSON, and the examples behind each so that a person can follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from corpusdb.base.display import Cell, counted
from corpusdb.translation.examples import (
    RUNGS,
    AnalogyShown,
    Evidence,
    ExampleTranslation,
    NearExample,
    Piece,
    RungName,
    TranslationExample,
)
from corpusdb.translation.queries.ladder import Abstention, TranslatedText

TRANSLATED_COLUMNS = ("line", "rung", "score", "votes", "translation", "from")


def translated_rows(found: Iterable[TranslatedText]) -> Iterator[tuple[Cell, ...]]:
    """A row for each translation; of a text that has none, one without a rung."""
    for line, each in enumerate(found, 1):
        for answer in each.translations:
            yield line, answer.rung, f"{answer.score:.2f}", answer.votes, answer.text, format_evidence(answer)
        if not each.translations:
            yield line, None, None, None, None, None


def format_evidence(answer: ExampleTranslation) -> str:
    """In one line, the first of what a translation rests on; of phrases, all."""
    if answer.rung == "phrases":
        return " | ".join(f"{each.source} = {each.target}" for each in answer.evidence if isinstance(each, Piece))
    match next(iter(answer.evidence), None):
        case AnalogyShown(a, b, c):
            return f"{a.source} : {b.source} :: {c.source} : (text)"
        case NearExample() as near:
            return near.marked
        case TranslationExample() as example:
            return f"sentence {example.sentence}"
    return ""


def format_no_translation(rungs: Sequence[RungName], abstention: Abstention | None) -> str:
    """Why none of the methods that were asked has a translation of a text, each in plain words."""
    votes, fuzzy = (1, 0.0) if abstention is None else (abstention.votes, abstention.fuzzy)
    reasons: dict[RungName, str] = {
        "exact": "the corpus has no translation of the text",
        "analogy": "no analogies agree on one" if votes < 2 else f"fewer than {votes:,} analogies agree on one",
        "phrases": "more than half of its words are in no aligned phrase",
        "memory": f"no sentence is like it by {fuzzy:g}" if fuzzy else "no sentence shares a word with it",
    }
    told = "; ".join(f"{reasons[rung]} ({rung})" for rung in rungs)
    weaker = "" if abstention is None else "; without --abstain, weaker ones are shown"
    return f"no translation: {told}{weaker}"


def translated_document(found: TranslatedText) -> dict[str, object]:
    return {
        "text": found.text,
        "translations": [
            {
                "text": answer.text,
                "rung": answer.rung,
                "score": answer.score,
                "votes": answer.votes,
                "evidence": [_evidence_document(each) for each in answer.evidence],
            }
            for answer in found.translations
        ],
    }


def _evidence_document(evidence: Evidence) -> dict[str, object]:
    document = asdict(evidence)
    return document | {"marked": evidence.marked} if isinstance(evidence, NearExample) else document


def explained_lines(found: TranslatedText) -> Iterator[str]:
    """A text, its translations, and what each rests on."""
    yield found.text
    for answer in found.translations:
        votes = f", {answer.votes:,} votes" if answer.rung == "analogy" else ""
        yield f"  {answer.text}    ({answer.rung}, score {answer.score:.2f}{votes})"
        for line in evidence_lines(found.text, answer):
            yield f"    {line}"
    if not found.translations:
        yield "  (no translation)"


def evidence_lines(text: str, answer: ExampleTranslation) -> Iterator[str]:
    """What a translation rests on: the numbers of sentences with a # before them."""
    for number, each in enumerate(answer.evidence):
        match each:
            case TranslationExample():
                yield f"#{each.sentence}  {each.source} = {each.target}"
            case AnalogyShown():
                if number:
                    yield ""
                yield from _analogy_lines(text, answer.text, each)
            case NearExample():
                yield f"#{each.example.sentence}  {each.score:.2f}  {each.marked}"
                yield f"= {each.example.target}"
            case Piece():
                yield f"{each.source} = {each.target}  {_format_support(each)}"


def _format_support(piece: Piece) -> str:
    if piece.example is None:
        return "(left as it is)"
    example = piece.example
    figures = f"{piece.probability:.2f}  {counted(piece.count, 'times')}"
    return f"{figures}  #{example.sentence}  {example.source} = {example.target}"


def _analogy_lines(text: str, translation: str, shown: AnalogyShown) -> Iterator[str]:
    for name, each in (("A", shown.a), ("B", shown.b), ("C", shown.c)):
        yield f"{name}  #{each.sentence}  {each.source} = {each.target}"
    yield f"D  {text} = {translation}"


def format_rungs(found: Sequence[TranslatedText]) -> str:
    """How many texts each method answered first, and how many none."""
    counts = Counter(each.translations[0].rung for each in found if each.translations)
    parts = [f"{counts[rung]:,} by {rung}" for rung in RUNGS if counts[rung]]
    without = sum(not each.translations for each in found)
    parts += [f"{without:,} without a translation"] if without else []
    return f"{len(found):,} texts: {', '.join(parts)}" if parts else "no texts"

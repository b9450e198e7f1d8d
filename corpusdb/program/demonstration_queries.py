"""The demonstration: each of the five systems on the built-in phrasebook."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.alignment.queries.corpus_alignment import AlignmentReport, align_languages
from corpusdb.alignment.queries.equivalents import FoundEquivalents, equivalents_of
from corpusdb.alignment.queries.phrase_places import Translations, translations_of
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Job
from corpusdb.base.tokenisation import sudachi_analyser
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, ReferenceSet, open_source
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.model import Analogy, DetectionReport, GenerationReport
from corpusdb.corpus.queries.sentences import translations_of_sentence
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profile_levels import ProfileEntry, ProfileReport, entries_of, profile_report
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, make_profile
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.paraphrase.queries.paraphrases import explain, paraphrases
from corpusdb.phrasebook import LANGUAGES, LICENCE, phrasebook_files, register_file
from corpusdb.rules.queries.rewritings import TextRewritings, rewritings_of
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.scoring import score_systems
from corpusdb.scoring.queries.scoring_references import ScoringReferences

# Generation on the built-in phrasebook: the whole chain from its files to paraphrases, and what came out of it.

SEED: Final = "I would like a room with a balcony."
_SHOWN = 8
_ANALOGIES = 20
_KEPT = NSequenceFilter()
"""The filter of the paper."""


@dataclass(frozen=True, slots=True)
class ShownCandidate:
    """A candidate of a seed, and whether the filter keeps it."""

    text: str
    frequency: int
    is_kept: bool
    is_new: bool
    """Whether the phrasebook does not have it."""


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """Candidates of one seed as in Table 5 of the paper."""

    seed: str
    candidates: tuple[ShownCandidate, ...]
    """By frequency, the highest first."""
    more: int
    """How many candidates are not among these."""


@dataclass(frozen=True, slots=True)
class ExplainedCandidate:
    """A candidate with one analogy behind it."""

    text: str
    analogy: Analogy
    shared: str
    """What B and B' are both translations of."""


@dataclass(frozen=True, slots=True)
class GenerationShown:
    """What the phrasebook holds, and what was generated from it."""

    sentences: int
    detection: DetectionReport
    generation: GenerationReport
    table: CandidateTable
    example: ExplainedCandidate | None


_SENTENCES = "select count(*) from sentence where language = ?"


def generate_phrasebook(store: Store) -> Job[GenerationShown]:
    """Import the phrasebook, detect and generate paraphrases of its English sentences, and report."""
    for path in phrasebook_files():
        source = open_source("tsv", [path], Options(languages=LANGUAGES))
        checked = yield from check_source(source)
        yield from import_source(store, checked, "phrasebook", LICENCE)
    detection = yield from detect(store, "eng")
    generation = yield from generate(store, "eng")
    (sentences,) = store.connection.execute(_SENTENCES, ("eng",)).fetchone()
    table = _table(store)
    return GenerationShown(sentences, detection, generation, table, _example(store, table))


def _table(store: Store) -> CandidateTable:
    """Some candidates that are kept, and some that the filter strikes out."""
    generated = [one for one in paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER) if one.frequency]
    ranked = sorted(generated, key=lambda one: (-one.frequency, one.text))
    kept = [one for one in ranked if _KEPT.passes(one)][: _SHOWN - 3]
    struck = [one for one in ranked if not _KEPT.passes(one)][: _SHOWN - len(kept)]
    shown = sorted([*kept, *struck], key=lambda one: (-one.frequency, one.text))
    candidates = (ShownCandidate(one.text, one.frequency, _KEPT.passes(one), not one.in_corpus) for one in shown)
    return CandidateTable(SEED, tuple(candidates), len(ranked) - len(shown))


def _example(store: Store, table: CandidateTable) -> ExplainedCandidate | None:
    """A short analogy behind the first that is kept in the table, and new to the phrasebook, if there is such."""
    kept = [one for one in table.candidates if one.is_kept]
    for one in sorted(kept, key=lambda one: not one.is_new):
        explanation = explain(store, table.seed, one.text, "eng", limit=_ANALOGIES)
        if explanation.analogies:
            analogy = min(explanation.analogies, key=lambda each: len(each.a + each.b + each.rewording))
            return ExplainedCandidate(one.text, analogy, explanation.shared[analogy.b, analogy.rewording][0].text)
    return None


# Equivalents in the built-in phrasebook: its words aligned, and what else one of them is called.

WORD: Final = "luggage"
_LANGUAGE: Final = "eng"
_EQUIVALENTS_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class EquivalentsShown:
    """What was aligned, and what a word is called in other languages and in its own."""

    alignments: tuple[AlignmentReport, ...]
    translations: tuple[Translations, ...]
    equivalents: FoundEquivalents


def align_phrasebook(store: Store) -> Job[EquivalentsShown]:
    """Align English with French, and with Japanese where that can be cut into morphemes; then look a word up."""
    reports: list[AlignmentReport] = []
    others = ["fra", *_japanese()]
    for other in others:
        reports.append((yield from align_languages(store, _LANGUAGE, other)))
    translations = (translations_of(store, _LANGUAGE, WORD, other, _EQUIVALENTS_SHOWN, min_count=2) for other in others)
    found = equivalents_of(store, _LANGUAGE, WORD, others, limit=_EQUIVALENTS_SHOWN)
    return EquivalentsShown(tuple(reports), tuple(translations), found)


def _japanese() -> tuple[str, ...]:
    try:
        sudachi_analyser()
    except UsageError:  # characters would be aligned: the rules say what to install
        return ()
    return ("jpn",)


# Where the topics of the built-in phrasebook stand between speech and writing.

_LANGUAGES: Final = ("eng", "jpn")


@dataclass(frozen=True, slots=True)
class ProfileShown:
    """The topics of the phrasebook in one language."""

    report: ProfileReport
    """With the references and where unseen text of theirs stands."""
    topics: tuple[ProfileEntry, ...]
    """The nearest to speech first."""


def profile_phrasebook(store: Store) -> Job[tuple[ProfileShown, ...]]:
    """The profiles of its English and its Japanese, by references that come with the program."""
    shown: list[ProfileShown] = []
    for language in _LANGUAGES:
        spoken, written = (str(register_file(register, language)) for register in ("spoken", "written"))
        made = yield from make_profile(store, language, ProfileRecipe(spoken=(spoken,), written=(written,)))
        report = profile_report(store, made, ("document",))
        shown.append(ProfileShown(report, tuple(entries_of(store, made, "document"))))
    return tuple(shown)


# Japanese rules on a sentence of the built-in phrasebook.

REWRITTEN: Final = "道に迷ってしまいました。"
_RULES: Final = "all"


def rewrite_phrasebook(store: Store) -> TextRewritings | str:
    """What the rules make of the sentence; where Japanese cannot be analysed, what to install, in a line."""
    try:
        sudachi_analyser()
    except UsageError as error:
        return str(error)
    return rewritings_of(store, REWRITTEN, _RULES)


# A score in characters on the built-in phrasebook: one output against one reference and against all.

SOURCE: Final = "A window seat, please."
OUTPUT: Final = "窓側の座席をお願いできますか。"
"""What a system may have made of it; no reference has it."""
SEGMENTED: Final = "窓側 の 座席 を お願い でき ます か 。"
"""The same with blanks between its words."""
ORDER: Final = 4
_SCORED_LANGUAGE: Final = "jpn"
_TRANSLATIONS_OF_PARAPHRASES: Final = 3
"""A distance: from the source to a translation, to what else that translates, to a translation of this."""


@dataclass(frozen=True, slots=True)
class ShownScore:
    """The scores of one text against so many references."""

    references: int
    words: float
    """BLEUw4, 0 to 100, with the words of mteval-v13a."""
    characters: float
    """BLEUc4, 0 to 100."""
    characters_segmented: float
    """The same of the segmented text."""


@dataclass(frozen=True, slots=True)
class ScoresShown:
    """An output, its references, and what it scores."""

    source: str
    output: str
    references: tuple[str, ...]
    """Translations of the source first, then those of its paraphrases."""
    scores: tuple[ShownScore, ...]
    """Against the first reference, and against all."""


_SOURCE = "select id from sentence where language = 'eng' and text = ?"


def score_phrasebook(store: Store) -> ScoresShown | None:
    """The scores of the output; None where the database does not have the source."""
    row = store.connection.execute(_SOURCE, (SOURCE,)).fetchone()
    if row is None:
        return None
    found = translations_of_sentence(store, [row[0]], [_SCORED_LANGUAGE], _TRANSLATIONS_OF_PARAPHRASES)[row[0]]
    references = tuple(each.text for each in found)
    counts = dict.fromkeys((1, len(references)))
    return ScoresShown(SOURCE, OUTPUT, references, tuple(_scores(references[:count]) for count in counts))


def _scores(references: tuple[str, ...]) -> ShownScore:
    outputs = [Output(name, Path(name), (text,)) for name, text in (("output", OUTPUT), ("segmented", SEGMENTED))]
    known = ScoringReferences((ReferenceSet("1", SOURCE, references),), (("",) * len(references),), "files", {})
    settings = [settings_for("bleu", unit=unit, order=ORDER) for unit in ("word", "char")]
    words, characters = score_systems(outputs, known, settings)
    return ShownScore(len(references), float(words.scores[0]), *(float(each) for each in characters.scores))


# All five systems on the built-in phrasebook, and a report of what each of them shows.


@dataclass(frozen=True, slots=True)
class DemoReport:
    """What the demonstration shows."""

    generation: GenerationShown
    scores: ScoresShown | None
    """None where the database does not have the sentence."""
    rules: TextRewritings | str
    """What to install, where Japanese cannot be analysed."""
    equivalents: EquivalentsShown
    profiles: tuple[ProfileShown, ...]
    """Of English and of Japanese."""
    seconds: float


def run_demo(store: Store) -> Job[DemoReport]:
    """Import the phrasebook, generate paraphrases, score, rewrite, align and profile; all of it is kept but scores."""
    begun = time.monotonic()
    generation = yield from generate_phrasebook(store)
    return (yield from show_other_systems(store, generation, begun))


def show_other_systems(store: Store, generation: GenerationShown, begun: float) -> Job[DemoReport]:
    """All but generation, in a database in which that was done; ``begun`` is when, by ``time.monotonic``."""
    scores, rules = score_phrasebook(store), rewrite_phrasebook(store)
    equivalents = yield from align_phrasebook(store)
    profiles = yield from profile_phrasebook(store)
    return DemoReport(generation, scores, rules, equivalents, profiles, time.monotonic() - begun)

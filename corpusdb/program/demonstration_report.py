"""What the demonstration shows, as text: each system in a few lines, its notation explained where it stands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from corpusdb.corpus.orders import DEFAULT_ORDER
from corpusdb.program.demonstration_queries import (
    ORDER,
    SEGMENTED,
    DemoReport,
    EquivalentsShown,
    GenerationShown,
    ProfileShown,
    ScoresShown,
)
from corpusdb.rules.queries.rewritings import TextRewritings
from corpusdb.rules.queries.rule_sets import format_steps

_LANGUAGE_NAMES: Final = {"eng": "English", "fra": "French", "jpn": "Japanese"}
OWN: Final = {
    "generation": ("import pairs.tsv --lang eng,fra", "generate --lang eng"),
    "scores": ("score output.ja --ref reference.ja --unit char",),
    "rules": ("rules apply texts.ja",),
    "equivalents": ("align --lang eng,fra", "equivalents WORD --lang eng"),
    "profile": ("profile --lang eng --spoken talk.txt --written news.txt",),
}
"""For each system the commands that do the same for one's own corpus."""
TO_TRY: Final = (
    ("browse", "ctrl+q leaves"),
    ('paraphrases "May I have another pillow?"', "different ones"),
    ("search coffee --lang eng --with jpn", "translations"),
)
"""Commands for the database of the demonstration, and what each is for."""
_TOPICS: Final = 2
"""At each end of the profile."""


def demonstration_text(report: DemoReport, database: Path, program: str = "corpusdb") -> str:
    """The report, in lines of at most 80 columns but for the name of the database; ``program`` is how it is called."""
    lines = [
        "The built-in travel phrasebook (English, Japanese, French) through five systems.",
        "Under each, `yours:` is what does the same for a corpus of your own.",
        *_generation(report.generation),
        *_yours("generation", program),
        *_scores(report.scores),
        *_yours("scores", program),
        *_rules(report.rules),
        *_yours("rules", program),
        *_equivalents(report.equivalents),
        *_yours("equivalents", program),
        *_profiles(report.profiles),
        *_yours("profile", program),
        "",
        f"All of this took {report.seconds:.1f} s. To go on with it, try:",
        f"  export CORPUSDB_DB={shlex.quote(str(database))}",
        *(f"  {program + ' ' + command:59} # {why}" for command, why in TO_TRY),
    ]
    return "\n".join(line.rstrip() for line in lines)


def demonstration_document(report: DemoReport) -> dict[str, object]:
    """The figures of the report as JSON has them, but for their text."""
    rules, generation = report.rules, report.generation
    return {
        "sentences": generation.sentences,
        "detection": generation.detection,
        "generation": generation.generation,
        "scores": report.scores,
        "rules": {"missing": rules}
        if isinstance(rules, str)
        else {"text": rules.text, "rewritings": {each.text: format_steps(each.lineage) for each in rules.rewritings}},
        "equivalents": report.equivalents,
        "profiles": report.profiles,
    }


def _yours(system: str, program: str) -> Iterator[str]:
    for number, command in enumerate(OWN[system]):
        yield f"  {'' if number else 'yours:':6} {program} {command}"


def _generation(shown: GenerationShown) -> Iterator[str]:
    detection, generation, table = shown.detection, shown.generation, shown.table
    yield from (
        "",
        "1 GENERATION: paraphrases by analogy, as references (Lepage & Denoual 2005)",
        f"{shown.sentences:9,}  different English sentences; {detection.sentences:,} share a translation with another",
        f"{generation.analogies:9,}  analogies A : B :: C : D (A is to B as C is to D) among them; with B",
        f"{'':9}  replaced by a sentence that shares a translation with it, they gave",
        f"{generation.candidates:9,}  candidates for {generation.seeds:,} sentences",
        f"{generation.kept:9,}  of these pass N = {DEFAULT_ORDER}: each run of {DEFAULT_ORDER} characters was seen",
        f"{generation.distinct:9,}  different sentences, {generation.novel:,} of them new to the phrasebook",
        "",
        f"  {table.seed}",
        f"  (number: analogies that yield it; x: struck out at N = {DEFAULT_ORDER}; new: not in it yet)",
    )
    for each in table.candidates:
        new = "  (new)" if each.is_kept and each.is_new else ""
        yield f"{each.frequency:9}  {' ' if each.is_kept else 'x'} {each.text}{new}"
    if table.more:
        yield f"{'':9}    ... and {table.more} more"
    if shown.example is not None:
        analogy = shown.example.analogy
        yield from (
            f"  Why {shown.example.text!r}? By this analogy",
            f"   A = {analogy.a} : B = {analogy.b}",
            f":: C = {analogy.c} : D = {analogy.d}",
            f"    B can be {analogy.rewording!r}: both translate",
            f"    {shown.example.shared!r}. So D can be the paraphrase.",
        )


def _scores(shown: ScoresShown | None) -> Iterator[str]:
    yield from ("", "2 SCORES IN CHARACTERS: BLEU without cutting words (Denoual & Lepage 2005)")
    if shown is None:
        yield "  the database does not have the sentence"
        return
    yield from (
        f"  source      {shown.source}",
        f"  output      {shown.output}",
        f"  segmented   {SEGMENTED}",
        f"  references  {shown.references[0]}  and others from the phrasebook",
        f"  (BLEU, 0 to 100: the share of its runs of 1 to {ORDER} words or characters in them)",
        f"  references   in words (BLEUw{ORDER})   in characters (BLEUc{ORDER})   segmented, BLEUc{ORDER}",
    )
    for each in shown.scores:
        yield f"{each.references:12}{each.words:20.2f}{each.characters:25.2f}{each.characters_segmented:20.2f}"


def _rules(shown: TextRewritings | str) -> Iterator[str]:
    yield from ("", "3 JAPANESE RULES: plain for polite and the like, for references (Kanayama 2003)")
    if isinstance(shown, str):
        yield f"  {shown}"
        return
    yield f"  {shown.text}  becomes, by rules read forwards (->) or back (<-):"
    for rewriting in shown.rewritings:
        yield f"    {rewriting.text}  {format_steps(rewriting.lineage)}"


def _equivalents(shown: EquivalentsShown) -> Iterator[str]:
    aligned = " and ".join(
        f"{report.aligned:,} with "
        + " and ".join(_LANGUAGE_NAMES[each] for each in (report.source, report.target) if each != "eng")
        for report in shown.alignments
    )
    yield from (
        "",
        "4 EQUIVALENTS: words that share translations (Owczarzak et al. 2006)",
        f"  pairs with linked words: {aligned}",
        f"  {shown.equivalents.text} is linked with (how often):",
    )
    for each in shown.translations:
        found = ", ".join(f"{one.text} {one.count}" for one in each.members)
        yield f"    {_LANGUAGE_NAMES[each.other]:10}  {found}"
    yield "  and these with the same (p: how probable it is that they are equivalents)"
    for member in shown.equivalents.members:
        pivot = member.pivots[0]
        yield f"    {member.text:10}  p {member.probability:.2f}  {pivot.other_count} times with {pivot.text}"


def _profiles(shown: tuple[ProfileShown, ...]) -> Iterator[str]:
    yield from (
        "",
        "5 PROFILE: where texts lie between speech and writing (Denoual 2005)",
        "  I compares how well a text is foreseen by models of the characters of speech",
        "  and of writing: 0 is the speech that they were made of, 1 the writing. Other",
        "  text is between; held out is what of the references the models had not seen.",
        f"    {'I':24}" + "".join(f"{_LANGUAGE_NAMES[each.report.language]:>10}" for each in shown),
        _row("conversation, held out", [each.report.unseen[0] for each in shown]),
    )
    topics = [each.name for each in shown[0].topics]
    known = [{each.name: each.coefficient for each in one.topics} for one in shown]
    left_out = len(topics) - 2 * _TOPICS
    for number, name in enumerate(topics):
        if number == _TOPICS and left_out > 0:
            yield f"    ... and {left_out} more topics"
        if number < _TOPICS or number >= max(_TOPICS, len(topics) - _TOPICS):
            yield _row(f"phrasebook: {Path(name).stem}", [each.get(name) for each in known])
    yield _row("news style, held out", [each.report.unseen[1] for each in shown])


def _row(name: str, values: list[float | None]) -> str:
    cells = ("-" if value is None else f"{value:.2f}" for value in values)
    return f"    {name:24}" + "".join(f"{cell:>10}" for cell in cells)

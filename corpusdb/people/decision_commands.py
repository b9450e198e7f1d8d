"""The commands that show a seed of a session, decide on its paraphrases, and write what was accepted."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.base.display import Cell
from corpusdb.base.options import Argument, Option
from corpusdb.commands.command import Overwrite, command
from corpusdb.commands.invocation import AS_TEXT, Invocation, as_in_corpus, sentence_of
from corpusdb.commands.output import write_json, write_line
from corpusdb.paraphrase.commands import LanguageIfTold

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store
    from corpusdb.paraphrase.queries.filters import NSequenceFilter
    from corpusdb.people.queries.decisions import Verdict
    from corpusdb.people.queries.sessions import SessionProgress
    from corpusdb.people.queries.views import SeedView

# A paraphrase session as commands take its name and report how far it is.

Name: TypeAlias = Annotated[str, Argument("Name of the session.", metavar="NAME")]


@dataclass(frozen=True, slots=True)
class SessionNameOptions:
    """What a command takes that only needs to know the session."""

    name: Name


def figures(standing: SessionProgress) -> list[tuple[str, Cell]]:
    """How a session stands, as a report."""
    return [
        ("session", standing.name),
        ("seed", standing.seed),
        ("its position", standing.position),
        ("seeds", standing.seeds),
        ("of these done", standing.done),
        ("accepted", standing.accepted),
        ("of these to apply", standing.to_apply),
        ("of these without translations to share", standing.without_translations),
        ("rejected", standing.rejected),
        ("N", standing.order),
        ("V", standing.kept.min_validity),
    ]


# A seed of a paraphrase session as the command line shows it.


def read_view(invocation: Invocation, store: Store, name: str) -> SeedView:
    from corpusdb.people.queries.views import SeedReader

    return SeedReader(store, invocation.writing).read(name)


def _advice(view: SeedView, kept: NSequenceFilter) -> str:
    """How to let some pass, where that is the filter's doing."""
    from corpusdb.paraphrase.queries.filters import relaxations

    name = shlex.quote(view.standing.name)
    return "".join(
        f"; `session order {name} {each.kept.order} -V {each.kept.min_validity:g}"
        f"{' --no-real' if kept.real and not each.kept.real else ''}` lets {each.found:,} pass"
        for each in relaxations(kept, view.passing)
    )


def write_view(invocation: Invocation, view: SeedView, min_validity: float | None = None) -> None:
    """Write the seed with its translations, and its numbered paraphrases; the filter is that of the session.

    ``min_validity`` is another least validity, for this once.
    """
    from corpusdb.corpus.model import LISTED
    from corpusdb.paraphrase.queries.origins.registry import origin_marks

    if invocation.json:
        write_json(view.document())
        return
    standing = view.standing
    kept = standing.kept if min_validity is None else replace(standing.kept, min_validity=min_validity)
    passing = view.passing(kept)
    invocation.say(
        f"seed {standing.position:,} of {standing.seeds:,}, {view.state}; "
        f"{passing:,} of {view.proposed:,} pass at {kept}{_advice(view, kept) if not passing else ''}"
    )
    if view.note:
        invocation.say(view.note)
    write_line(view.seed)
    for translation in view.translations:
        write_line(f"  {translation.language}  {translation.text}")
    rows: list[tuple[Cell, ...]] = []
    for number, each in enumerate(view.paraphrases, 1):
        decision = view.decisions.get(each.text)
        said = "" if decision is None else "w" if decision.applied else "+" if decision.verdict == "accept" else "-"
        origin = origin_marks(each).replace(" ", "") + ("" if kept.passes(each) else "x")
        figures = (figure.cell(getattr(each, figure.name)) for figure in LISTED)
        rows.append((number, said, origin, kept.failing(each) or None, *figures, each.text))
    invocation.show(("number", "said", "from", "fails", *(figure.heading for figure in LISTED), "text"), rows)


# The command that writes what was accepted in a paraphrase session as references.


@dataclass(frozen=True, slots=True)
class SessionReferencesOptions:
    name: Name
    output: Annotated[Path, Option("The file to write.", "--output -o", metavar="FILE")]
    for_: Annotated[
        Path | None, Option("A segment for each line of this test set, in its order.", "--for", metavar="FILE")
    ] = None
    format: Annotated[
        str | None,
        Option("tsv or jsonl; without it by the ending of the file.", metavar="FORMAT"),
    ] = None
    overwrite: Overwrite = False


@command("references")
def write_references(invocation: Invocation, options: SessionReferencesOptions) -> None:
    """Write what was accepted as a file of references.

    Each seed is a segment, in their order; its references are the seed itself, then what was accepted of it, whether
    `session apply` has written that into the corpus or not. `score --ref FILE` reads the file.

    A session has each seed once and no blank one. With --for the segments are the lines of a test set, so that outputs
    of that test set can be scored: doubles have the same references, a line that is not a seed has itself, and a blank
    one "-". Of a table the column of sources counts.
    """
    from corpusdb.people.queries.views import reference_file, write_session_references

    file = reference_file(options.output, options.format, invocation.guard(overwrite=options.overwrite))
    written = invocation.look(lambda store: write_session_references(store, options.name, file, options.for_))
    found = written.references
    document: dict[str, Cell] = {"file": str(written.path), "segments": written.segments, "accepted": found.accepted}
    for note in written.notes:
        invocation.say(note)
    more: dict[str, Cell] = {"only_themselves": found.alone}
    if options.for_ is not None:
        more |= {"no_seed": found.no_seed, "blank": found.blank, "seeds_left_out": found.left_out}
    invocation.report(document | more, list(document.items()))


# The commands that decide on paraphrases in a session, take that back, and write what was accepted.

Candidates: TypeAlias = Annotated[
    list[str], Argument("Texts, or numbers as `session show` has them.", metavar="CANDIDATE...")
]


@dataclass(frozen=True, slots=True)
class SeedAcceptOptions:
    name: Name
    candidates: Candidates
    own: Annotated[bool, Option("They are texts of your own, none of those shown.")] = False


@command("accept")
def accept(invocation: Invocation, options: SeedAcceptOptions) -> None:
    """Accept paraphrases of the open seed.

    `session apply` writes them into the corpus. Those that are not shown need --own.
    """
    _decide(invocation, options.name, options.candidates, "accept", own=options.own)


@dataclass(frozen=True, slots=True)
class RejectOptions:
    name: Name
    candidates: Candidates


@command("reject")
def reject(invocation: Invocation, options: RejectOptions) -> None:
    """Reject paraphrases of the open seed."""
    _decide(invocation, options.name, options.candidates, "reject")


def _decide(invocation: Invocation, name: str, candidates: list[str], verdict: Verdict, *, own: bool = False) -> None:
    """Decide on all that were named, or on none where one of them is not there."""
    from corpusdb.base.text import normalise
    from corpusdb.people.queries.decisions import decide
    from corpusdb.people.queries.sessions import session_standing
    from corpusdb.people.queries.views import chosen_paraphrase

    with invocation.writing() as store:
        view = read_view(invocation, store, name)
        texts = [normalise(word) if own else chosen_paraphrase(view, word) for word in candidates]
        with store.write():
            changed = [text for text in texts if decide(store, name, view.seed, text, verdict)]
        standing = session_standing(store, name)
    _say_same(invocation, set(texts) - set(changed), verdict)
    invocation.report(
        {"decided": changed} | asdict(standing), [*(("decided", text) for text in changed), *figures(standing)]
    )


def _say_same(invocation: Invocation, texts: Iterable[str], verdict: Verdict) -> None:
    for text in sorted(texts):
        invocation.say(f"{text!r} is {verdict}ed already")


@command("undo")
def undo(invocation: Invocation, options: SessionNameOptions) -> None:
    """Take back the last decision.

    Again, the one before. What is in the corpus stays. The exit code is 1 where there is nothing to take back.
    """
    from corpusdb.people.queries.decisions import nothing_to_undo, undo_decision

    with invocation.writing() as store:
        undone = undo_decision(store, options.name)
        nothing = "" if undone else nothing_to_undo(store, options.name)
    if undone is None:
        invocation.say(nothing)
        raise typer.Exit(1)
    if undone.in_corpus:
        invocation.say(f"{undone.in_corpus:,} accepted later are in the corpus and stay there")
    invocation.report(
        asdict(undone),
        [
            ("seed", undone.decision.seed),
            ("paraphrase", undone.decision.text),
            ("was", f"{undone.decision.verdict}ed"),
            ("is", f"{undone.stands}ed" if undone.stands else "undecided"),
        ],
    )


@command("decisions")
def list_decisions(invocation: Invocation, options: SessionNameOptions) -> None:
    """List what was decided in a session, in that order."""
    from corpusdb.people.queries.decisions import decisions

    with invocation.reading() as store:
        found = decisions(store, options.name)
    if invocation.json:
        write_json([asdict(each) for each in found])
    else:
        rows = [(each.verdict, "yes" if each.applied else "no", each.seed, each.text) for each in found]
        invocation.show(("verdict", "applied", "seed", "text"), rows)


@command("apply")
def apply(invocation: Invocation, options: SessionNameOptions) -> None:
    """Write the accepted paraphrases into the corpus.

    Each becomes a sentence of the collection "accepted", with the translations of its seed; everything that was derived
    follows once. They cannot be taken back any more.
    """
    from corpusdb.people.queries.decisions import apply_session

    with invocation.writing() as store:
        report = invocation.run(apply_session(store, options.name))
    for seed, text in report.without_translations:
        invocation.say(f"{text!r} waits: its seed {seed!r} has no translations to share")
    invocation.report(
        asdict(report),
        [
            ("paraphrases written", report.accepted),
            ("new translations", report.translations),
            ("waiting for translations of their seed", len(report.without_translations)),
            ("seconds", round(report.seconds, 1)),
        ],
    )


# The command that takes one paraphrase into the corpus, without a session.


@dataclass(frozen=True, slots=True)
class CorpusAcceptOptions:
    seed: Annotated[str, Argument("A sentence of the corpus.", metavar="SEED")]
    candidate: Annotated[str, Argument("Its paraphrase, as good as one of the corpus.", metavar="CANDIDATE")]
    lang: LanguageIfTold = None
    as_text: Annotated[bool, AS_TEXT] = False


@command("accept")
def accept_into_corpus(invocation: Invocation, options: CorpusAcceptOptions) -> None:
    """Take a paraphrase into the corpus.

    It becomes a sentence of the collection "accepted", with the translations of its seed; everything that was derived
    follows.
    """
    from corpusdb.people.queries.decisions import accept as accept_candidate

    given = (options.seed, options.candidate)
    seed, candidate = (sentence_of(invocation, each, as_text=options.as_text) for each in given)
    with invocation.writing() as store:
        seed, candidate = as_in_corpus(invocation, store, [seed, candidate], options.lang)
        language = invocation.language(store, options.lang, seed)
        report = invocation.run(accept_candidate(store, seed, candidate, language))
    invocation.report(
        asdict(report),
        [
            ("number of the sentence", report.sentence),
            ("new translations", report.translations),
            ("seconds", round(report.seconds, 1)),
        ],
    )

"""The commands that decide on paraphrases in a session, take that back, and write what was accepted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.cli.paraphrases.session_figures import Name, NameOptions, figures
from corpusdb.cli.paraphrases.session_views import read_view
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json

if TYPE_CHECKING:
    from corpusdb.queries.sessions.decisions import Verdict

__all__ = ["accept", "apply", "list_decisions", "reject", "undo"]

Candidates: TypeAlias = Annotated[
    list[str],
    typer.Argument(metavar="CANDIDATE...", help="Texts, or numbers as `session show` has them.", show_default=False),
]


@dataclass(frozen=True, slots=True)
class AcceptOptions:
    """What `session accept` takes."""

    name: Name
    candidates: Candidates
    own: Annotated[bool, typer.Option("--own", help="They are texts of your own, none of those shown.")] = False


@command("accept")
def accept(invocation: Invocation, options: AcceptOptions) -> None:
    """Accept paraphrases of the open seed.

    `session apply` writes them into the corpus. Those that are not shown need --own.
    """
    _decide(invocation, options.name, options.candidates, "accept", own=options.own)


@dataclass(frozen=True, slots=True)
class RejectOptions:
    """What `session reject` takes."""

    name: Name
    candidates: Candidates


@command("reject")
def reject(invocation: Invocation, options: RejectOptions) -> None:
    """Reject paraphrases of the open seed."""
    _decide(invocation, options.name, options.candidates, "reject")


def _decide(invocation: Invocation, name: str, candidates: list[str], verdict: Verdict, *, own: bool = False) -> None:
    """Decide on all that were named, or on none where one of them is not there."""
    from corpusdb.queries.sessions.decisions import decide
    from corpusdb.queries.sessions.sessions import session_standing
    from corpusdb.queries.sessions.views import chosen_paraphrase
    from corpusdb.text import normalise

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
def undo(invocation: Invocation, options: NameOptions) -> None:
    """Take back the last decision.

    Again, the one before. What is in the corpus stays. The exit code is 1 where there is nothing to take back.
    """
    from corpusdb.queries.sessions.decisions import nothing_to_undo, undo_decision

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
def list_decisions(invocation: Invocation, options: NameOptions) -> None:
    """List what was decided in a session, in that order."""
    from corpusdb.queries.sessions.decisions import decisions

    with invocation.reading() as store:
        found = decisions(store, options.name)
    if invocation.json:
        write_json([asdict(each) for each in found])
    else:
        rows = [(each.verdict, "yes" if each.applied else "no", each.seed, each.text) for each in found]
        invocation.show(("verdict", "applied", "seed", "text"), rows)


@command("apply")
def apply(invocation: Invocation, options: NameOptions) -> None:
    """Write the accepted paraphrases into the corpus.

    Each becomes a sentence of the collection "accepted", with the translations of its seed; everything that was derived
    follows once. They cannot be taken back any more.
    """
    from corpusdb.queries.sessions.decisions import apply_session

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

"""The commands of a paraphrase session: seed after seed, what is good of each is accepted."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.base.options import Argument, Option
from corpusdb.commands.command import CommandGroup, command
from corpusdb.commands.invocation import AS_TEXT, Invocation, as_in_corpus, sentence_of
from corpusdb.corpus.model import DEFAULT_ORDER
from corpusdb.paraphrase.commands import Address, Language, MinValidity, Order, Real
from corpusdb.people.decision_commands import (
    Name,
    SessionNameOptions,
    accept,
    apply,
    figures,
    list_decisions,
    read_view,
    reject,
    undo,
    write_references,
    write_view,
)

if TYPE_CHECKING:
    from corpusdb.people.queries.sessions import SessionProgress

# The commands that rename, delete and bring back a paraphrase session.


@dataclass(frozen=True, slots=True)
class RenameOptions:
    name: Name
    new: Annotated[str, Argument("Its new name.", metavar="NEW")]


@command("rename")
def rename(invocation: Invocation, options: RenameOptions) -> None:
    """Give a session another name."""
    from corpusdb.people.queries.sessions import rename_session

    with invocation.writing() as store:
        standing = rename_session(store, options.name, options.new)
    _report(invocation, standing, "session")


@command("delete")
def delete(invocation: Invocation, options: SessionNameOptions) -> None:
    """Delete a session; `session restore` brings it back.

    What was written into the corpus stays there.
    """
    from corpusdb.people.queries.sessions import delete_session

    with invocation.writing() as store:
        standing = delete_session(store, options.name)
    _report(invocation, standing, "deleted")


@dataclass(frozen=True, slots=True)
class RestoreOptions:
    name: Annotated[str | None, Argument("Name of the deleted session.", metavar="[NAME]")] = None


@command("restore")
def restore(invocation: Invocation, options: RestoreOptions) -> None:
    """Bring a deleted session back.

    Without a name it is the only one; where there are several, these are listed, the last one first, and the exit code
    is 1.
    """
    from corpusdb.people.queries.sessions import deleted_sessions, restore_session

    if options.name is None:
        with invocation.reading() as store:
            found = deleted_sessions(store)
        if len(found) > 1:
            invocation.show_records(("name", "language", "seeds", "decisions", "last_used"), found)
            invocation.say(f"{len(found):,} sessions are deleted: name the one to bring back")
            raise typer.Exit(1)
    with invocation.writing() as store:
        standing = restore_session(store, options.name)
    _report(invocation, standing, "session")


def _report(invocation: Invocation, standing: SessionProgress, what: str) -> None:
    invocation.report(
        asdict(standing), [(what, standing.name), ("seeds", standing.seeds), ("of these done", standing.done)]
    )


# The commands of a paraphrase session: seed after seed, what is good of each is accepted.


@dataclass(frozen=True, slots=True)
class NewOptions:
    name: Name
    lang: Language
    from_: Annotated[Path | None, Option("Seeds from a file, one a line; - is stdin.", "--from", metavar="FILE")] = None
    search: Annotated[str | None, Option("The sentences that hold this.", metavar="PATTERN")] = None
    sample: Annotated[
        int | None, Option("So many sentences that have paraphrases, at random.", metavar="SIZE", least=1)
    ] = None
    text: Annotated[list[str], Option("This sentence; may be repeated.", metavar="TEXT")] = field(default_factory=list)
    seed: Annotated[int, Option("Of the random sample.", metavar="NUMBER", least=0)] = 1
    order: Order = DEFAULT_ORDER
    min_validity: MinValidity = None
    real: Real = False
    address: Address = "same"


@command("new")
def new(invocation: Invocation, options: NewOptions) -> None:
    """Begin a session with seeds from a file, a search or a sample.

    A sample is drawn from the sentences with a detected paraphrase or a candidate
    that passes the filter, which the session keeps; the same --seed draws the
    same.
    """
    from corpusdb.base.text import language_code
    from corpusdb.paraphrase.queries.filters import filter_of
    from corpusdb.people.queries.sessions import SeedSource, create_session, distinct_seeds, seeds_from

    language = language_code(options.lang)
    source = SeedSource(tuple(options.text), options.from_, options.search, options.sample, options.seed)
    with invocation.writing() as store:
        kept = filter_of(options)
        seeds = as_in_corpus(invocation, store, seeds_from(store, source, language, kept), language)
        standing = create_session(store, options.name, language, seeds, kept, source.described)
    taken = distinct_seeds(seeds)
    if taken.left_out:
        invocation.say(f"{taken.left_out}; `session references --for FILE` has a segment for each line")
    invocation.report(asdict(standing) | taken.counts, figures(standing))


@dataclass(frozen=True, slots=True)
class SessionListOptions:
    """What `session list` takes: nothing of its own."""


@command("list")
def list_sessions(invocation: Invocation, options: SessionListOptions) -> None:
    """List the sessions, the one used last first."""
    from corpusdb.people.queries.sessions import deleted_sessions
    from corpusdb.people.queries.sessions import sessions as all_sessions

    with invocation.reading() as store:
        found, deleted = all_sessions(store), len(deleted_sessions(store))
    if found or invocation.json:
        columns = (
            *("name", "language", "position", "seeds", "done", "accepted", "rejected"),
            *("to_apply", "without_translations", "last_used"),
        )
        invocation.show_records(columns, found)
    else:
        invocation.say("there is no session yet; `corpusdb session new` begins one")
    if deleted:
        invocation.say(f"{deleted:,} deleted: `corpusdb session restore` brings back or lists")


@command("seeds")
def list_seeds(invocation: Invocation, options: SessionNameOptions) -> None:
    """List the seeds of a session."""
    from corpusdb.people.queries.sessions import seeds_of_session

    with invocation.reading() as store:
        found = seeds_of_session(store, options.name)
    invocation.show_records(("position", "state", "accepted", "rejected", "text"), found)


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """What a command takes that shows the seed of a session."""

    name: Name
    min_validity: MinValidity = None


@command("show")
def show(invocation: Invocation, options: ViewOptions) -> None:
    """Show the open seed with its numbered paraphrases.

    said: + accepted, w accepted and written, - rejected. from: D detected by a shared translation, G generated, E by
    an exchange in the seed itself, Q by an equivalent, R by rules, * in the corpus, x below the filter, which
    `session order` moves; --min-validity is for this once. The other columns are those of `paraphrases`.
    """
    with invocation.reading() as store:
        write_view(invocation, read_view(invocation, store, options.name), options.min_validity)


@dataclass(frozen=True, slots=True)
class PositionOptions:
    name: Name
    position: Annotated[int, Argument("From 1.", metavar="POSITION", least=1)]


@command("go")
def go(invocation: Invocation, options: PositionOptions) -> None:
    """Open another seed by its position, and show it."""
    _open(invocation, options.name, options.position)


@command("next")
def show_next(invocation: Invocation, options: ViewOptions) -> None:
    """Open the next seed.

    The seed is shown. The exit code is 1 if there is none.
    """
    _step(invocation, options, 1)


@command("previous")
def show_previous(invocation: Invocation, options: ViewOptions) -> None:
    """Open the seed before.

    The seed is shown. The exit code is 1 if there is none.
    """
    _step(invocation, options, -1)


def _step(invocation: Invocation, options: ViewOptions, by: int) -> None:
    from corpusdb.people.queries.sessions import session_standing

    with invocation.reading() as store:
        standing = session_standing(store, options.name)
    if not 1 <= standing.position + by <= standing.seeds:
        invocation.say(f"seed {standing.position:,} is the {'last' if by > 0 else 'first'}")
        raise typer.Exit(1)
    _open(invocation, options.name, standing.position + by, options.min_validity)


def _open(invocation: Invocation, name: str, position: int, min_validity: float | None = None) -> None:
    from corpusdb.people.queries.sessions import go_to_seed

    with invocation.writing() as store:
        go_to_seed(store, name, position)
        write_view(invocation, read_view(invocation, store, name), min_validity)


@dataclass(frozen=True, slots=True)
class AddOptions:
    name: Name
    text: Annotated[str, Argument("A sentence of any kind.", metavar="TEXT")]
    as_text: Annotated[bool, AS_TEXT] = False


@command("add")
def add(invocation: Invocation, options: AddOptions) -> None:
    """Add a seed behind the open one, and open it.

    The corpus need not hold it. One that is in the queue already is opened where it stands.
    """
    from corpusdb.people.queries.sessions import add_seed, session_standing

    text = sentence_of(invocation, options.text, as_text=options.as_text)
    with invocation.writing() as store:
        language = session_standing(store, options.name).language
        (text,) = as_in_corpus(invocation, store, [text], language)
        add_seed(store, options.name, text)
        write_view(invocation, read_view(invocation, store, options.name))


@command("done")
def done(invocation: Invocation, options: SessionNameOptions) -> None:
    """Mark the open seed as done."""
    from corpusdb.people.queries.sessions import mark_seed, session_standing

    with invocation.writing() as store:
        standing = mark_seed(store, options.name, session_standing(store, options.name).seed, "done")
    invocation.report(asdict(standing), figures(standing))


@dataclass(frozen=True, slots=True)
class OrderOptions:
    name: Name
    order: Annotated[int, Argument("0 lets all pass.", metavar="N", least=0)]
    min_validity: MinValidity = None
    real: Annotated[
        bool | None, Option("Without what differs in capitals, marks and contractions alone.", "--real/--no-real")
    ] = None
    address: Annotated[
        Literal["same", "any"] | None, Option("any: also another address, number or gender of persons.")
    ] = None


@command("order")
def order(invocation: Invocation, options: OrderOptions) -> None:
    """Move N and what else the filter asks for.

    What is not given stays as it was. The open seed is shown.
    """
    from corpusdb.people.queries.sessions import session_standing, set_filter

    with invocation.writing() as store:
        asked = {name: value for name, value in asdict(options).items() if name != "name" and value is not None}
        set_filter(store, options.name, replace(session_standing(store, options.name), **asked).kept)
        write_view(invocation, read_view(invocation, store, options.name))


sessions = CommandGroup(
    "session",
    """Work through seeds, accept paraphrases.

    A session is a queue of seeds with what was decided of their paraphrases. It is stored at every step, and the
    terminal browser takes it up at the same place. Every command takes --json.
    """,
    (
        *(new, list_sessions, show, list_seeds, show_next, show_previous, go, add, done, order),
        *(accept, reject, undo, list_decisions, write_references, apply, rename, delete, restore),
    ),
)

"""The commands of a paraphrase session, seed after seed."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from corpusdb.base.display import Cell
from corpusdb.base.errors import UsageError
from corpusdb.base.options import Argument, Option
from corpusdb.base.text import language_code, normalise
from corpusdb.commands.command import CommandGroup, Overwrite, command
from corpusdb.commands.invocation import AS_TEXT, Invocation, as_in_corpus, sentence_of, write_json, write_line
from corpusdb.corpus.orders import DEFAULT_ORDER
from corpusdb.paraphrase.filter_options import Address, Language, MinValidity, Order, Real
from corpusdb.people.acceptance_commands import Name, SessionNameOptions, apply

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store
    from corpusdb.paraphrase.queries.filters import NSequenceFilter
    from corpusdb.people.queries.decisions import Verdict
    from corpusdb.people.queries.sessions import SessionProgress
    from corpusdb.people.queries.views import SeedView

# How far a paraphrase session is.


def figures(standing: SessionProgress) -> list[tuple[str, Cell]]:
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

    standing = view.standing
    kept = standing.kept if min_validity is None else replace(standing.kept, min_validity=min_validity)
    if invocation.json:
        write_json(view.document(kept))
        return
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
        Path | None, Option("Write one segment for each line of this test set, in its order.", "--for", metavar="FILE")
    ] = None
    format: Annotated[
        str | None,
        Option("tsv or jsonl (default: by extension).", metavar="FORMAT"),
    ] = None
    overwrite: Overwrite = False


@command("references")
def write_references(invocation: Invocation, options: SessionReferencesOptions) -> None:
    """Write the accepted paraphrases to a file of references.

    Each seed becomes a segment, in the order of the session. Its references are the seed and the paraphrases accepted
    for it, even without `session apply`. `score --ref FILE` reads the file.

    A session holds each seed once and no blank lines. With --for, segments follow the lines of a test set, so that
    system outputs for it can be scored: repeated lines get the same references, a line that is not a seed gets itself,
    and a blank line gets "-". In a table, the source column is used.
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
    list[str], Argument("Texts, or the numbers that `session show` gives them.", metavar="CANDIDATE...")
]


@dataclass(frozen=True, slots=True)
class RejectOptions:
    name: Name
    candidates: Candidates


@dataclass(frozen=True, slots=True)
class SeedAcceptOptions(RejectOptions):
    own: Annotated[bool, Option("Accept texts of your own.")] = False


@command("accept")
def accept(invocation: Invocation, options: SeedAcceptOptions) -> None:
    """Accept paraphrases of the open seed.

    `session apply` writes them into the corpus. Texts that are not shown need --own.
    """
    _decide(invocation, options.name, options.candidates, "accept", own=options.own)


@command("reject")
def reject(invocation: Invocation, options: RejectOptions) -> None:
    """Reject paraphrases of the open seed."""
    _decide(invocation, options.name, options.candidates, "reject")


def _decide(invocation: Invocation, name: str, candidates: list[str], verdict: Verdict, *, own: bool = False) -> None:
    """Decide on all that were named, or on none where one of them is not there."""
    from corpusdb.people.queries.decisions import decide
    from corpusdb.people.queries.sessions import session_standing
    from corpusdb.people.queries.views import chosen_paraphrase

    with invocation.writing() as store:
        view = read_view(invocation, store, name)
        texts = [normalise(word) if own else chosen_paraphrase(view, word) for word in candidates]
        with store.write():
            changed = [text for text in texts if decide(store, name, view.seed, text, verdict)]
        standing = session_standing(store, name)
    for text in sorted(set(texts) - set(changed)):
        invocation.say(f"{text!r} is {verdict}ed already")
    invocation.report(
        {"decided": changed} | asdict(standing), [*(("decided", text) for text in changed), *figures(standing)]
    )


@command("undo")
def undo(invocation: Invocation, options: SessionNameOptions) -> None:
    """Take back the last decision.

    Repeat it to go further back. What is already in the corpus stays: `corpusdb remove accepted --sentence TEXT`
    removes it. The exit code is 1 if there is nothing to undo.
    """
    from corpusdb.people.queries.decisions import nothing_to_undo, undo_decision

    with invocation.writing() as store:
        undone = undo_decision(store, options.name)
        nothing = "" if undone else nothing_to_undo(store, options.name)
    if undone is None:
        invocation.say(nothing)
        raise typer.Exit(1)
    if undone.in_corpus:
        invocation.say(
            f"{undone.in_corpus:,} accepted later are in the corpus and stay there;"
            " `corpusdb remove accepted --sentence TEXT` takes one back"
        )
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
    """List the decisions of a session, in order."""
    from corpusdb.people.queries.decisions import decisions

    with invocation.reading() as store:
        found = decisions(store, options.name)
    rows = [(each.verdict, "yes" if each.applied else "no", each.seed, each.text) for each in found]
    invocation.show(("verdict", "applied", "seed", "text"), rows, document=[asdict(each) for each in found])


# The commands that rename, delete and bring back a paraphrase session.


@dataclass(frozen=True, slots=True)
class RenameOptions:
    name: Name
    new: Annotated[str, Argument("The new name.", metavar="NEW")]


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

    Paraphrases already written into the corpus stay there.
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

    The name may be left out if only one session is deleted. If several are, they are listed, latest first, and the exit
    code is 1.
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
    from_: Annotated[
        Path | None, Option("Read seeds from a file, one per line; - is stdin.", "--from", metavar="FILE")
    ] = None
    search: Annotated[str | None, Option("Take the sentences that contain this.", metavar="PATTERN")] = None
    sample: Annotated[
        int | None,
        Option(
            "Take this many random sentences with paraphrases, of all or of --from or --search.",
            metavar="SIZE",
            least=1,
        ),
    ] = None
    text: Annotated[list[str], Option("Take this sentence; may be repeated.", metavar="TEXT")] = field(
        default_factory=list
    )
    seed: Annotated[int, Option("Random seed of the sample.", metavar="NUMBER", least=0)] = 1
    order: Order = DEFAULT_ORDER
    min_validity: MinValidity = None
    real: Real = False
    address: Address = "same"


@command("new")
def new(invocation: Invocation, options: NewOptions) -> None:
    """Begin a session with seeds from a file, a search or a sample of either.

    A sample is drawn from sentences that have a detected paraphrase or a candidate passing the filter, which is stored
    with the session. The same --seed draws the same sample.
    """
    from corpusdb.corpus.queries.meant_language import told_as_another
    from corpusdb.paraphrase.queries.filters import filter_of
    from corpusdb.people.queries.sessions import SeedSource, create_session, distinct_seeds, seeds_from

    if options.sample is None and options.seed != 1:
        raise UsageError("--seed is for --sample, and no sample is drawn")
    language = language_code(options.lang)
    source = SeedSource(tuple(options.text), options.from_, options.search, options.sample, options.seed)
    with invocation.writing() as store:
        kept = filter_of(options)
        seeds = as_in_corpus(invocation, store, seeds_from(store, source, language, kept), language)
        standing = create_session(store, options.name, language, seeds, kept, source.described)
        if told := told_as_another(store, seeds, language):
            invocation.say(f"of the seeds {told}: was another --lang meant?")
    taken = distinct_seeds(seeds)
    if short := source.shortage(len(seeds)):
        invocation.say(short)
    if taken.left_out:
        invocation.say(f"{taken.left_out}; `session references --for FILE` has a segment for each line")
    invocation.report(asdict(standing) | taken.counts, figures(standing))


@dataclass(frozen=True, slots=True)
class SessionListOptions:
    """What `session list` takes: nothing of its own."""


@command("list")
def list_sessions(invocation: Invocation, options: SessionListOptions) -> None:
    """List the sessions, most recently used first."""
    from corpusdb.people.queries import sessions

    with invocation.reading() as store:
        found, deleted = sessions.sessions(store), len(sessions.deleted_sessions(store))
    if found or invocation.json:
        columns = ["name", "language", "position", "seeds", "done", "accepted", "rejected"]
        columns += ["to_apply", "without_translations", "last_used"]
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

    said: + accepted, w accepted and written, - rejected. from: D detected by a shared translation, G generated, E by an
    exchange in the seed itself, Q by an equivalent, R by rules, * in the corpus, x below the filter (`session order`
    changes it; --min-validity applies to this call only). The other columns are those of `paraphrases`.
    """
    with invocation.reading() as store:
        write_view(invocation, read_view(invocation, store, options.name), options.min_validity)


@dataclass(frozen=True, slots=True)
class PositionOptions:
    name: Name
    position: Annotated[int, Argument("The position, from 1.", metavar="POSITION", least=1)]


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
    text: Annotated[str, Argument("Any sentence.", metavar="TEXT")]
    as_text: Annotated[bool, AS_TEXT] = False


@command("add")
def add(invocation: Invocation, options: AddOptions) -> None:
    """Add a seed after the open one, and open it.

    It need not be in the corpus. A seed that is already in the queue is opened in its place.
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
    order: Annotated[int, Argument("Fluency: N of the filter; 0: no filter.", metavar="N", least=0)]
    min_validity: MinValidity = None
    real: Annotated[
        bool | None,
        Option("Leave out those that differ only in capitals, punctuation or contractions.", "--real/--no-real"),
    ] = None
    address: Annotated[Literal["same", "any"] | None, Option("any: include changes of address, number or gender.")] = (
        None
    )


@command("order")
def order(invocation: Invocation, options: OrderOptions) -> None:
    """Change N and the other settings of the filter.

    Settings that you leave out stay as they were. The open seed is shown.
    """
    from corpusdb.people.queries.sessions import session_standing, set_filter

    with invocation.writing() as store:
        asked = {name: value for name, value in asdict(options).items() if name != "name" and value is not None}
        set_filter(store, options.name, replace(session_standing(store, options.name), **asked).kept)
        write_view(invocation, read_view(invocation, store, options.name))


sessions = CommandGroup(
    "session",
    """Work through seeds, accept paraphrases.

    A session is a queue of seeds with the decisions on their paraphrases. Every step is stored, so the browser can
    continue it. Every command takes --json.
    """,
    (
        *(new, list_sessions, show, list_seeds, show_next, show_previous, go, add, done, order),
        *(accept, reject, undo, list_decisions, write_references, apply, rename, delete, restore),
    ),
)

"""The commands that take what was accepted into the corpus: of a session, or one paraphrase without a session."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

from corpusdb.base.jobs import SAME_COMMAND
from corpusdb.base.options import Argument
from corpusdb.commands.command import Follow, command
from corpusdb.commands.invocation import AS_TEXT, Invocation, as_in_corpus, sentence_of
from corpusdb.paraphrase.filter_options import LanguageIfTold

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store

Name: TypeAlias = Annotated[str, Argument("Name of the session.", metavar="NAME")]


@dataclass(frozen=True, slots=True)
class SessionNameOptions:
    """What a command takes that only needs to know the session."""

    name: Name


@dataclass(frozen=True, slots=True)
class SessionApplyOptions(SessionNameOptions):
    follow: Follow = True


@command("apply")
def apply(invocation: Invocation, options: SessionApplyOptions) -> None:
    """Write the accepted paraphrases into the corpus.

    Each becomes a sentence of the collection "accepted", with the translations of its seed; derived data are updated
    once. `corpusdb remove accepted --sentence TEXT` removes one.
    """
    from corpusdb.people.queries.decisions import apply_session

    with invocation.writing() as store:
        _say_what_follows(invocation, store, follow=options.follow)
        job = apply_session(store, options.name, follow=options.follow)
        report = invocation.run(job, goes_on=SAME_COMMAND)
        _say_what_is_left(invocation, store, follow=options.follow)
    if report.accepted:
        invocation.say("`corpusdb remove accepted --sentence TEXT` takes one back")
    for seed, text in report.without_translations:
        invocation.say(f"{text!r} is not in the corpus yet: its seed {seed!r} has no translations")
    invocation.report(
        asdict(report),
        [
            ("paraphrases written", report.accepted),
            ("new translations", report.translations),
            ("waiting for translations of their seed", len(report.without_translations)),
            ("seconds", round(report.seconds, 1)),
        ],
    )


def _say_what_follows(invocation: Invocation, store: Store, *, follow: bool) -> None:
    from corpusdb.chain.queries.importing import foreseen_layers

    for told in foreseen_layers(store, follow=follow):
        invocation.say(told)


def _say_what_is_left(invocation: Invocation, store: Store, *, follow: bool) -> None:
    from corpusdb.chain.queries.importing import left_behind

    for told in left_behind(store, followed=True) if follow else ():
        invocation.say(told)


@dataclass(frozen=True, slots=True)
class CorpusAcceptOptions:
    seed: Annotated[str, Argument("A sentence of the corpus.", metavar="SEED")]
    candidate: Annotated[str, Argument("Its paraphrase.", metavar="CANDIDATE")]
    lang: LanguageIfTold = None
    as_text: Annotated[bool, AS_TEXT] = False
    follow: Follow = True


@command("accept")
def accept_into_corpus(invocation: Invocation, options: CorpusAcceptOptions) -> None:
    """Add a paraphrase to the corpus.

    It becomes a sentence of the collection "accepted", with the translations of its seed; derived data are updated.
    `corpusdb remove accepted --sentence TEXT` undoes this.
    """
    from corpusdb.people.queries.decisions import accept as accept_candidate

    given = (options.seed, options.candidate)
    seed, candidate = (sentence_of(invocation, each, as_text=options.as_text) for each in given)
    with invocation.writing() as store:
        seed, candidate = as_in_corpus(invocation, store, [seed, candidate], options.lang)
        language = invocation.language(store, options.lang, seed)
        _say_what_follows(invocation, store, follow=options.follow)
        job = accept_candidate(store, seed, candidate, language, follow=options.follow)
        report = invocation.run(job, goes_on=SAME_COMMAND)
        _say_what_is_left(invocation, store, follow=options.follow)
    invocation.report(
        asdict(report),
        [
            ("number of the sentence", report.sentence),
            ("new translations", report.translations),
            ("seconds", round(report.seconds, 1)),
        ],
    )

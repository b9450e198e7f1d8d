"""The command that translates a text, or each line of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from corpusdb.base.errors import UsageError
from corpusdb.base.options import Argument, Option
from corpusdb.commands.command import command, replayable
from corpusdb.commands.invocation import AS_TEXT, Invocation, names_texts, texts_of, write_line

if TYPE_CHECKING:
    from corpusdb.translation.queries.ladder import Abstention, TranslatedText, Translator


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslateOptions:
    text: Annotated[str, Argument("A text, or a file of texts, one per line.", metavar="TEXT|FILE|-")]
    source: Annotated[str, Option("The source language.", "--from", metavar="LANG")]
    target: Annotated[str, Option("The target language.", "--to", metavar="LANG")]
    method: Annotated[
        str | None,
        Option("Methods: exact, analogy, phrases, memory (default: all that the corpus is ready for).", metavar="A,B"),
    ] = None
    limit: Annotated[
        int | None,
        Option(
            "Maximum number of translations (default: 5; for a file 1).",
            "--limit -n",
            metavar="N",
            least=1,
        ),
    ] = None
    abstain: Annotated[bool, Option("Give no answer rather than a doubtful one: see --votes, --fuzzy.")] = False
    votes: Annotated[int, Option("With --abstain: at least this many analogies must agree.", metavar="N", least=1)] = 2
    fuzzy: Annotated[
        float,
        Option("With --abstain: minimum score of an example.", metavar="S", least=0, most=1),
    ] = 0.7
    within: Annotated[
        list[str] | None, Option("Only from this collection or selection; may be repeated.", metavar="NAME")
    ] = None
    explain: Annotated[bool, Option("Show the examples behind each translation.")] = False
    as_text: Annotated[bool, AS_TEXT] = False


@replayable()
@command("translate", answers=True, kept=False)
def translate(invocation: Invocation, options: TranslateOptions) -> int:
    """Translate from examples in the corpus, and show them.

    The surest method that has an answer gives it: exact, the corpus has the translation; analogy, A is to B as C is to
    the text, and the same among their translations; phrases, pieces of the aligned corpus; memory, the translation of
    the nearest example, with differences in brackets. score: how well it is supported, from 0 to 1, comparable only
    within a method. votes: how many analogies agree.

    `corpusdb guide translation` explains the methods. The exit code is 1 if a TEXT has no translation.
    """
    from corpusdb.translation.queries.ladder import Abstention, Translator, rung_names

    is_file = names_texts(options.text, as_text=options.as_text)
    texts = texts_of(invocation, [options.text], as_text=options.as_text)
    if not is_file and not options.text.strip():
        raise UsageError("there is nothing to translate: the text is empty")
    methods = rung_names(options.method) if options.method is not None else ()
    asked = Abstention(options.votes, options.fuzzy)
    if not options.abstain and asked != Abstention():
        raise UsageError("--votes and --fuzzy say when --abstain says nothing; give it, too")
    abstention = asked if options.abstain else None
    limit = options.limit or (1 if is_file else 5)
    with invocation.reading() as store:
        opening = Translator.open(store, options.source, options.target, methods, options.within or ())
        translator = invocation.run(opening)
        found = invocation.run(translator.translate_all(texts, limit, abstention))
    _write(invocation, found, explain=options.explain)
    _tell(invocation, translator, found, abstention, is_file=is_file)
    translator.keep()
    answered = sum(bool(each.translations) for each in found)
    if not is_file and not answered:
        raise typer.Exit(1)
    return answered


def _write(invocation: Invocation, found: Sequence[TranslatedText], *, explain: bool) -> None:
    from corpusdb.translation.report import TRANSLATED_COLUMNS, explained_lines, translated_document, translated_rows

    if invocation.json:
        invocation.write_document([translated_document(each) for each in found])
    elif explain:
        for each in found:
            for line in explained_lines(each):
                write_line(line)
    else:
        invocation.show(TRANSLATED_COLUMNS, translated_rows(found))


def _tell(
    invocation: Invocation,
    translator: Translator,
    found: Sequence[TranslatedText],
    abstention: Abstention | None,
    *,
    is_file: bool,
) -> None:
    from corpusdb.translation.report import format_no_translation, format_rungs

    for name, reason in translator.missing.items():
        invocation.say(f"without {name}: {reason}")
    if is_file:
        invocation.say(format_rungs(found))
    elif not found[0].translations:
        invocation.say(format_no_translation(tuple(translator.rungs), abstention))

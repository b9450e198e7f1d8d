"""The command that cuts the sentences of a language into words, with what is known of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation

__all__ = ["annotate"]


@dataclass(frozen=True, slots=True)
class AnnotateOptions:
    """What `annotate` takes."""

    lang: Annotated[str, typer.Option("--lang", metavar="LANG", help="The language: jpn.")] = "jpn"


@command("annotate")
def annotate(invocation: Invocation, options: AnnotateOptions) -> None:
    """Cut Japanese into words with lemma, tag and reading.

    Afterwards `search --cqp`, `frequencies` and `collocates` see words where they saw characters, and know the
    attributes lemma, pos, conjugation, form, reading and norm; sentences that are imported later follow. Sentences that
    a CoNLL-U or vertical file has annotated stay as they are. What another version of the analyser made is made anew.
    An interrupted call is continued by the same call. It needs pip install 'corpusdb[japanese]'; to search what it
    made, nothing is needed. Other languages are annotated by importing files: `corpusdb guide annotations`.
    """
    from corpusdb.languages import language_code
    from corpusdb.queries.search.morpheme_annotation import annotate as annotate_language

    language = language_code(options.lang)
    with invocation.writing() as store:
        found = invocation.run(annotate_language(store, language))
    invocation.report(
        found,
        [
            ("analyser", found.analyser),
            ("sentences annotated", found.sentences),
            ("tokens", found.tokens),
            ("sentences that files annotated", found.imported),
            ("seconds", round(found.seconds, 1)),
        ],
    )

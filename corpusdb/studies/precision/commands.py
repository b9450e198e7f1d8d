"""The command that tells how far the probability of paraphrases can be trusted."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Annotated

from corpusdb.base.options import Option
from corpusdb.commands.command import command, replayable
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import write_line
from corpusdb.corpus.model import DEFAULT_ORDER
from corpusdb.paraphrase.commands import Language, Marks, Order


@dataclass(frozen=True, slots=True)
class PrecisionOptions:
    """What `study precision` takes."""

    lang: Language
    held_out: Annotated[
        list[str], Option("Hold out this language; again for more. All, if not given.", metavar="LANG")
    ] = field(default_factory=list)
    order: Order = DEFAULT_ORDER
    marks: Marks = True
    plots: Annotated[bool, Option("The curves below the tables.", "--plots/--no-plots")] = True


@replayable()
@command("precision", answers=True, kept=False)
def precision(invocation: Invocation, options: PrecisionOptions) -> int:
    """Tell how often paraphrases hold, by their validity.

    Holds out one language of the translations after the other: all is made again in a temporary database without it,
    and generated pairs both sentences of which have a translation into it are confirmed where they share one. The
    database is not changed. share: pairs that are confirmed, in %. precision: the same over what pairs of one meaning
    would have, which may exceed 100 and compares better than it counts. pass, all: what passes the filter at --fluency
    and this validity. sharing: whether translations that a pair shares in the other languages count for it. The area
    under the curve is 0.5 for chance; that of the former score, by the analogies alone, stands beside. What people
    judged is shown by its validity, which their judgements may have calibrated. Translations into one language alone
    can hold nothing out: there `corpusdb judge` has people judge a sample.
    """
    from corpusdb.paraphrase.queries.filters import NSequenceFilter
    from corpusdb.studies.precision.queries import precision_study
    from corpusdb.studies.precision.report import PRECISION_COLUMNS, precision_lines, precision_notes, precision_rows

    kept = NSequenceFilter(options.order, options.marks)
    with invocation.reading() as store:
        found = invocation.run(precision_study(store, options.lang, options.held_out, kept))
    for note in precision_notes(found):
        invocation.say(note)
    measured = sum(bool(each.measured) for each in found.held_out)
    if invocation.json:
        invocation.write_document(found)
    elif invocation.format != "table":
        invocation.show(PRECISION_COLUMNS, precision_rows(found))
    else:
        is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        for line in precision_lines(found, plots=options.plots, ascii=not is_unicode):
            write_line(line)
    return measured

"""Options of several commands that say which paraphrases are wanted: without the commands, which load for longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from corpusdb.base.options import Option
from corpusdb.corpus.orders import DEFAULT_MIN_VALIDITY

if TYPE_CHECKING:
    from corpusdb.commands.invocation import Invocation
    from corpusdb.corpus.store import Store
    from corpusdb.paraphrase.queries.filters import Filter

Order: TypeAlias = Annotated[
    int,
    Option(
        "Fluency: the corpus must have every run of N characters (N/2 where V supports a replacement); 0: no filter.",
        "--fluency -N",
        metavar="N",
        least=0,
    ),
]
Marks: TypeAlias = Annotated[
    bool, Option("With --fluency: count sentence boundaries as characters.", "--marks/--no-marks")
]
MinValidity: TypeAlias = Annotated[
    float | None,
    Option(
        f"Minimum probability that the meaning is kept (default: {DEFAULT_MIN_VALIDITY}; 0 with -N 0).",
        "--min-validity -V",
        metavar="V",
        least=0,
        most=1,
    ),
]
FinalMarks: TypeAlias = Annotated[
    bool, Option("Include those that differ from the seed only in final punctuation.", "--final-marks")
]
Real: TypeAlias = Annotated[
    bool, Option("Leave out those that differ from the seed only in capitals, punctuation or contractions.", "--real")
]
Address: TypeAlias = Annotated[
    Literal["same", "any"],
    Option("any: include changes of address (du, Sie), number or gender that a single pivot language does not show."),
]
MinPivots: TypeAlias = Annotated[
    int, Option("Minimum number of rewordings that support a paraphrase.", metavar="N", least=0, shows_default=False)
]
MinLanguages: TypeAlias = Annotated[
    int, Option("Minimum number of languages that support these rewordings.", metavar="N", least=0, shows_default=False)
]
MinShared: TypeAlias = Annotated[
    int, Option("Minimum number of translations shared with the seed.", metavar="N", least=0, shows_default=False)
]


def say_pivots(invocation: Invocation, store: Store, language: str, kept: Filter) -> None:
    """Say where one pivot language, which does not see all that paraphrases may change, stands behind validities."""
    from corpusdb.paraphrase.queries.paraphrases import validity_pivots

    known = validity_pivots(store, language)
    if known is not None and known.unseen and (told := known.told(kept)) is not None:
        invocation.say(told)


Language: TypeAlias = Annotated[str, Option("The language, such as eng.", "--lang", metavar="LANG")]
LanguageIfTold: TypeAlias = Annotated[
    str | None, Option("The language (default: by the corpus).", "--lang", metavar="LANG")
]

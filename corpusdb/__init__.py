"""corpusdb: aligned multilingual corpora in one SQLite file, and the paraphrases that are in them.

    import corpusdb

    with corpusdb.open("corpus.db") as corpus:
        for paraphrase in corpus.paraphrases("Where is the bus stop?"):
            print(paraphrase.validity, paraphrase.text)

``corpusdb.library`` describes what there is; it is loaded when it is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for that of typing, which is loaded after the signals are taken care of

if TYPE_CHECKING:
    from corpusdb.library import Corpus, agreement, compare, metric, open, score

__all__ = ["Corpus", "__version__", "agreement", "compare", "metric", "open", "score"]

__version__ = "1.0.0"


if not TYPE_CHECKING:  # or every name would be known to the type checker

    def __getattr__(name: str) -> object:
        if name in __all__:
            from corpusdb import library

            return getattr(library, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return __all__

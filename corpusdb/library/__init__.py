"""The corpus database as a library: what ``import corpusdb`` offers.

A corpus is opened by ``corpusdb.open``, and its methods are the steps from files to scored references. Each takes and
returns the values that the rest of the program uses, and raises the errors of ``corpusdb.base.errors`` and no others.
A step that takes long runs to its end, and tells its progress to whoever wants to know.

What is not here is in the ``queries`` of each capability, as functions over an open store, ``Corpus.store``: every
command is one of them. Those that are jobs are run by ``Corpus.run``. Profiles, models of characters and selections are
``Corpus.homogeneity``.
"""

from __future__ import annotations

from corpusdb.library.corpus import Corpus, open
from corpusdb.library.homogeneity import Homogeneity, Watch
from corpusdb.library.scores import score

__all__ = ["Corpus", "Homogeneity", "Watch", "open", "score"]

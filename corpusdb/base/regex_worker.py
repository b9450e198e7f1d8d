"""The process that runs a regular expression for ``process``: a file to be run, which imports nothing of corpusdb.

Its stdin is a file with the task, its stdout one for the answer, both as ``marshal`` writes them; the third file, whose
descriptor is its argument, always holds the number of the text that is being looked at.
"""

from __future__ import annotations

import marshal
import mmap
import re
import signal
import sys
import warnings

_ORPHAN_SECONDS = 60
"""Somebody who was killed can stop nobody: so long after that the process ends by itself."""
_TEXTS_A_SIGN_OF_LIFE = 16


def main() -> None:
    """Answer with the spans of each text in which the pattern is found, by the number of the text."""
    pattern, flags, whole, texts = marshal.load(sys.stdin.buffer)
    signal.alarm(_ORPHAN_SECONDS)
    warnings.simplefilter("ignore")
    compiled = re.compile(pattern, flags)
    found: dict[int, list[tuple[int, int]]] = {}
    with mmap.mmap(int(sys.argv[1]), 8) as shared, memoryview(shared) as memory, memory.cast("q") as current:
        for number, text in enumerate(texts):
            current[0] = number
            if number % _TEXTS_A_SIGN_OF_LIFE == 0:
                signal.alarm(_ORPHAN_SECONDS)
            if whole:
                spans = [(0, len(text))] if compiled.fullmatch(text) else []
            else:
                spans = [match.span() for match in compiled.finditer(text)]
            if spans:
                found[number] = spans
    marshal.dump(found, sys.stdout.buffer)


if __name__ == "__main__":
    main()

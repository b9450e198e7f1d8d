"""``python -m corpusdb`` is the ``corpusdb`` command."""

from __future__ import annotations

from corpusdb.cli.app import main

if __name__ == "__main__":
    main()

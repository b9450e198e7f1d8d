"""Whether this Python is new enough, told in one line.

`python3 corpusdb/base/python_version.py` does so before anything is installed, and the program before anything else
is loaded. Any Python has to be able to read this file: no annotations.
"""

import sys

__all__ = ["require_python"]

_NEEDED = (3, 11)


def require_python():  # type: () -> None
    """Raise SystemExit with a line on stderr, and exit code 2, where this Python is too old."""
    found = tuple(sys.version_info[:3])
    if found < _NEEDED:
        told = "corpusdb: error: this is Python {}, and corpusdb needs {} or later"
        sys.stderr.write(told.format(*(".".join(map(str, each)) for each in (found, _NEEDED))) + "\n")
        raise SystemExit(2)


if __name__ == "__main__":
    require_python()

"""The entry of the program, as ``corpusdb`` and as ``python -m corpusdb``.

Signals are taken care of before anything else is loaded, so nothing is imported up here.
"""

from __future__ import annotations


def main() -> None:
    """Run the program. Raises SystemExit with the exit code."""
    listening = False
    try:
        try:
            from corpusdb.base.python_version import require_python

            require_python()
            from corpusdb.base import signals

            signals.listen()
            listening = True
            from corpusdb.base.startup import save_time

            save_time()
            from corpusdb.program.catalogue import main as run

            signals.begin()
            run()
        finally:
            if listening:
                signals.close()
    except KeyboardInterrupt:  # before there was a handler, or between two lines on the way out, also as it is closed
        _tell_interrupted(at_once=not listening)


def _tell_interrupted(*, at_once: bool) -> None:
    import os

    if at_once:
        os.write(2, b"corpusdb: interrupted\n")
        os._exit(130)
    from corpusdb.commands.group import exit_code_of

    raise SystemExit(exit_code_of(KeyboardInterrupt()))


if __name__ == "__main__":
    main()

"""Many calls of the program at the price of one: a process that has imported everything, and forks for each call.

    python forked_calls.py

Reads a call as a line of JSON from stdin, {"arguments": [...], "stdin": FILE, "stdout": FILE, "stderr": FILE}, runs it
in a child of its own, and answers with a line, the exit code.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import sys
from contextlib import suppress
from typing import NoReturn

import corpusdb
from corpusdb.__main__ import main


def import_everything() -> None:
    for module in pkgutil.walk_packages(corpusdb.__path__, "corpusdb."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # of what is optional
                importlib.import_module(module.name)


def run(call: dict[str, object]) -> NoReturn:
    """In a child: become the program. Never returns."""
    for number, name, how in (
        (0, "stdin", os.O_RDONLY),
        (1, "stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        file = os.open(str(call[name]), how, 0o644)
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    arguments = call["arguments"]
    assert isinstance(arguments, list)
    sys.argv = ["corpusdb", *map(str, arguments)]
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0)  # without taking all modules down, which costs more than most calls


def serve() -> None:
    for line in sys.stdin:
        child = os.fork()
        if not child:
            run(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    import_everything()
    gc.freeze()
    serve()

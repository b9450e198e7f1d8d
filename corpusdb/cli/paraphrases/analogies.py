"""The command for analogical equations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Annotated, BinaryIO

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json, write_line, write_text
from corpusdb.errors import InputError, UsageError

__all__ = ["solve"]


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """What `solve` takes."""

    terms: Annotated[list[str], typer.Argument(metavar="A B C", help="Three strings; or - for lines A<TAB>B<TAB>C.")]
    all: Annotated[bool, typer.Option("--all", help="Every solution that is found, the first one first.")] = False


@command("solve")
def solve(invocation: Invocation, options: SolveOptions) -> None:
    """Solve the analogical equation A : B :: C : x.

    Prints x; where there is none, the exit code is 1. With - as the only argument, equations are read from standard
    input, A<TAB>B<TAB>C a line, and one solution a line is printed, an empty line where there is none (several
    solutions are separated by tabs). A string that begins with - is given behind --.
    """
    from corpusdb.analogy import LONGEST_TERM, solutions
    from corpusdb.analogy import solve as first_solution

    def answer(a: str, b: str, c: str) -> list[str]:
        if options.all:
            found = solutions(a, b, c, limit=0)
        else:
            first = first_solution(a, b, c)
            found = [] if first is None else [first]
        if not found and (longest := max(len(a), len(b), len(c))) > LONGEST_TERM:
            raise InputError(f"a term has {longest:,} characters; up to {LONGEST_TERM:,} are solved")
        return found

    if options.terms == ["-"]:
        _answer_lines(invocation, options, answer)
        return
    if len(options.terms) != 3:
        raise UsageError(f"an equation has three terms, A B C; {len(options.terms)} given")
    found = answer(*options.terms)
    if invocation.json:
        write_json(_document(found, options))
    else:
        for solution in found:
            write_line(solution)
    if not found:
        invocation.say("no solution")
        raise typer.Exit(1)


def _answer_lines(invocation: Invocation, options: SolveOptions, answer: Callable[[str, str, str], list[str]]) -> None:
    for number, line in _lines(sys.stdin.buffer):
        terms = line.split("\t")
        if len(terms) != 3:
            raise InputError(
                f"has {len(terms)} column{'s' if len(terms) > 1 else ''}, 3 needed: A, B, C", path="-", line=number
            )
        try:
            found = answer(terms[0], terms[1], terms[2])
        except InputError as error:
            raise InputError(error.reason, path="-", line=number) from error
        if invocation.json:
            write_json(_document(found, options), indent=None)
        else:
            write_text("\t".join(found))
        # Whoever is at the other end may wait for each solution before asking for the next.
        sys.stdout.flush()


def _lines(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """Lines as they arrive; the readers of files would first copy standard input to its end."""
    from corpusdb.formats.files.reading import MAX_LINE

    for number in count(1):
        if not (line := stream.readline(MAX_LINE + 1)):
            return
        if len(line) > MAX_LINE:
            raise InputError(f"the line is longer than {MAX_LINE:,} bytes", path="-", line=number)
        try:
            yield number, line.removesuffix(b"\n").removesuffix(b"\r").decode()
        except UnicodeDecodeError as error:
            raise InputError("is not UTF-8", path="-", line=number) from error


def _document(found: list[str], options: SolveOptions) -> dict[str, object]:
    document: dict[str, object] = {"solution": found[0] if found else None}
    if options.all:
        document["solutions"] = found
    return document

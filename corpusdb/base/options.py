"""Options as fields of dataclasses: what each is called and means, its bounds, and how values are kept and restored."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from functools import cache
from glob import glob
from math import floor
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from corpusdb.base.errors import InputError, UsageError

# Options as fields of dataclasses, each described once, in its annotation: ``limit: Annotated[int, Option(...)] = 20``.
# From that the command line makes an option and the browser a line of a form; a query that was kept is restored by it.

Options = TypeVar("Options")
Description = TypeVar("Description")


@dataclass(frozen=True, slots=True)
class Option:
    """A field on the command line, as far as its name, its type and its default do not say what it is."""

    help: str
    names: str = ""
    """As they are typed: "--limit -n"; "--yes/--no" for a flag and its opposite. Empty: the name of the field with --
    in front."""
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    shows_default: bool | str = True
    """Whether the help shows the default; a text stands for one that says nothing by itself."""
    called: Mapping[str, str] = field(default_factory=dict)
    """What values are called in other programs, in small letters without signs; their own names in any case need no
    mention: {"gsquare": "loglikelihood"}."""
    instead: Callable[[], None] | None = None
    """What a flag makes the program do instead of all else that was said."""


@dataclass(frozen=True, slots=True)
class Argument(Option):
    """A field whose value is given with no name in front."""

    is_required: bool = False
    """Whether it has to be given on the command line, though the field has a default."""


_ROWS = Option("Show at most this many; 0 shows all.", "--limit -n", metavar="N", least=0)
RowLimit: TypeAlias = Annotated[int, _ROWS]
RowLimitIfGiven: TypeAlias = Annotated[int | None, _ROWS]

"""The field of a command that shows the first of many rows."""
RandomSeed: TypeAlias = Annotated[int, Option("Random seed.", metavar="NUMBER", least=0)]


@dataclass(frozen=True, slots=True)
class FormLine:
    """A field as a line of a form."""

    label: str
    hint: str
    """May name what there is to choose from: "all of these: {languages}"."""
    summary: str = "{}"
    """What is shown of a value that is not the default: "length {}"; "short/long" for yes and no."""
    choices: str = ""
    """What of the corpus there is to choose from: "languages", "collections", or nothing."""
    place: int = 100
    """Lines stand in this order, those of one place in the order of the fields."""


@dataclass(frozen=True, slots=True)
class FormField:
    """An option of a command as whoever shows it in a form needs it, without the command."""

    name: str
    """Of the field."""
    help: str
    typed: str = ""
    """Its name on the command line, such as ``--lang``; empty where the value is given with no name in front."""
    opposite: str = ""
    """Of a flag: the name that says no, where there is one."""
    metavar: str = ""
    default: str = ""
    """As text; of a flag yes or no, and nothing where no value is the default."""
    choices: tuple[str, ...] = ()
    is_flag: bool = False
    is_many: bool = False
    """Whether it takes several values, apart by spaces as in a shell."""
    is_file: bool = False
    is_required: bool = False
    heading: str = ""
    """Under what it stands where options are many."""

    @property
    def label(self) -> str:
        return option_label(self.typed or self.metavar)


def option_label(typed: str) -> str:
    """What a form calls an option: in words where its name on the command line is short for some, else that name."""
    return _LABELS.get(typed) or typed.strip("-[].").replace("-", " ").replace("|", " or ").capitalize()


_LABELS: Final[Mapping[str, str]] = {
    "--address": "Form of address",
    "--baseline": "Compare with",
    "--by": "Parts, by",
    "--chosen-by": "Kept for their",
    "--columns": "Language columns",
    "--cqp": "CQP",
    "--draws": "Random draws",
    "--documents": "Documents",
    "--first-segment": "First segment no.",
    "--fluency": "Least order N",
    "--follow": "Bring up to date",
    "--for": "Aim at outputs",
    "--frequencies-from": "Text with counts",
    "--human": "Human scores",
    "--human-column": "Their column",
    "--human-references": "Human as system",
    "--hyp": "System output",
    "--kwic": "KWIC",
    "--labels": "Labels of words",
    "--lang": "Language",
    "--least": "Least count",
    "--limit": "At most",
    "--max-rewritings": "Rewritings, most",
    "--metric": "Metrics",
    "--min-count": "Least count",
    "--min-cover": "Least cover",
    "--min-languages": "Least languages",
    "--min-pivot": "Least p(pivot)",
    "--min-pivots": "Least rewordings",
    "--min-probability": "Least probability",
    "--min-shared": "Least shared",
    "--min-validity": "Least validity V",
    "--mqm-weights": "MQM weights",
    "--order": "Longest n-grams",
    "--output": "Write to",
    "--overwrite": "Replace a file",
    "--p": "p, at most",
    "--page": "Page of HTML",
    "--png": "Folder for PNG",
    "--pool": "Pool with",
    "--rater": "One rater",
    "--real": "Real ones only",
    "--ref": "References",
    "--ref-from": "References from",
    "--ref-set": "Reference set",
    "--references": "Which references",
    "--resample-references": "Resample refs",
    "--scores": "Other scores",
    "--seeds": "File of seeds",
    "--segments": "Each segment",
    "--skip-bad": "Bad lines allowed",
    "--skip-unknown": "Skip the others",
    "--source": "Source text",
    "--spoken": "Text like speech",
    "--store": "Keep the result",
    "--svg": "Folder for SVG",
    "--system-names": "Rename systems",
    "--systems": "System outputs",
    "--ter-asian-support": "TER, Asian",
    "--ter-case-sensitive": "TER with case",
    "--ter-no-punct": "TER, no marks",
    "--ter-normalized": "TER, marks cut",
    "--test-set": "Test set, its no.",
    "--text": "Is no file",
    "--tokenise": "Tokeniser",
    "--tokenise-source": "Tokeniser, source",
    "--trust-lang": "Trust languages",
    "--verbose": "More figures",
    "--width": "Decimals",
    "--written": "Text like writing",
    "A B...": "A and B",
    "A B C": "A B C",
    "B...": "Others",
    "BITEXT...": "Bitexts",
    "DIR": "Folder",
    "FILE...": "Files",
    "HYP...": "System outputs",
    "REF": "References",
    "TEXT|FILE|-": "Text or file",
    "[FILE...]": "Files",
    "[HYP]": "System output",
    "[QUERY]": "Name of a query",
    "[SOURCE...]": "Sources",
    "[TEXT|FILE|-]": "Text or file",
    "SELECT": "Statement",
}
"""At most 17 cells each, as the help of a form has."""


@dataclass(frozen=True, slots=True)
class CommandForm:
    """A command as a form: what it is called, its help, and its options, those that are given without a name first."""

    name: str
    help: str
    fields: tuple[FormField, ...]

    def words(self, values: Mapping[str, str]) -> list[str]:
        """The words of the command line behind the name of the program, for texts by the names of their fields.

        What says the default is left out. Raises UsageError where something that is needed is missing, or is no value.
        """
        named: list[str] = []
        placed: list[str] = []
        for each in self.fields:
            text = values.get(each.name, each.default)
            label = each.label
            if each.is_required and not text:
                raise UsageError(f"{label!r} is needed")
            if each.choices and text not in each.choices and (text or not each.typed) and not each.is_many:
                raise UsageError(f"{label!r}: {text!r} is not one of {', '.join(filter(None, each.choices))}")
            if text == each.default and each.typed:
                continue
            if each.is_flag:
                named.append(each.typed if text == "yes" else each.opposite)
                continue
            if not each.is_many or (each.metavar in _SENTENCES and _is_sentence(text)):
                parts = [text] if text else []
            else:
                parts = _parts(text, label, is_file=each.is_file)
            if not each.typed:
                placed += parts
            else:
                named += [w for part in parts for w in _given(each.typed, part)]
        named = [each for each in named if each]
        if any(each.startswith("-") and each != "-" for each in placed):
            return [*self.name.split(), *named, "--", *placed]
        return [*self.name.split(), *placed, *named]  # what two of them differ in is seen first


def _given(name: str, value: str) -> list[str]:
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


_SENTENCES: Final = ("TEXT", "[SOURCE...]")
"""How options call sentences: those are of several words, which nobody quotes in a form."""


def _is_sentence(text: str) -> bool:
    """Whether a text is one sentence as it stands: not in quotation marks, and no word of it the name of a file.

    A question mark or a star at the end of a word without a full stop or a folder stands for no file.
    """
    words = [os.path.expanduser(word) for word in text.split()]
    marked = {word for word in words if word[-1] in "?*" and not {".", os.sep} & {*word}}
    is_file = any(os.path.exists(word) or (word not in marked and glob(word)) for word in words)
    return len(words) > 1 and text[0] not in "'\"" and not is_file


def _parts(text: str, label: str, *, is_file: bool) -> list[str]:
    """The words of a text; what stands for names of files stands for those that there are, as in a shell."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{label!r}: it cannot be split into words: {error}") from error
    return [name for word in words for name in (is_file and sorted(glob(os.path.expanduser(word)))) or [word]]


def described(options: type[object], kind: type[Description]) -> dict[str, Description]:
    """The description of that kind that each field of a dataclass has, by its name, where it has one."""
    return {
        name: each
        for name, hint in annotations_of(cast("Hashable", options)).items()
        for each in getattr(hint, "__metadata__", ())
        if isinstance(each, kind)
    }


def headings_of(options: type[object]) -> dict[str, str]:
    """Under what the fields of a dataclass stand where they are many, by their names: as its classes say in ``HEADED``.

    That has the names of fields by their headings, the nearest class first; no names are all that the class adds.
    """
    found: dict[str, str] = {}
    for each in options.__mro__:
        for heading, names in each.__dict__.get("HEADED", {}).items():
            for name in names or each.__annotations__:
                found.setdefault(name, heading)
    return found


Headings: TypeAlias = Mapping[str, tuple[str, ...]]
SHOWN_AND_WRITTEN: Final = "What is shown and written"
"""The heading of options that many commands have."""


@cache
def annotations_of(options: Hashable) -> Mapping[str, Any]:
    """The types of the fields of a dataclass with what describes them, which take long to find out."""
    return get_type_hints(options, include_extras=True)


def default_of(option: Field[Any]) -> Any:
    """What a field holds if no value is given, or MISSING."""
    return option.default if option.default_factory is MISSING else option.default_factory()


def values_of(options: object) -> Iterator[tuple[Field[Any], Any]]:
    for option in fields(options):  # type: ignore[arg-type]
        yield option, getattr(options, option.name)


def names_in(given: str | None) -> tuple[str, ...]:
    """Names with commas between them, each once; none of nothing."""
    return tuple(dict.fromkeys(name.strip() for name in (given or "").split(",") if name.strip()))


def refuse_given(options: object, names: Collection[str], told: str) -> None:
    """Raise UsageError for one of these fields that was given and would have no effect; ``told`` says why, of {}."""
    spelled = {name: each.names.split() for name, each in described(type(options), Option).items()}
    for each, value in values_of(options):
        if each.name in names and value != default_of(each):
            raise UsageError(told.format((spelled.get(each.name) or [f"--{each.name.replace('_', '-')}"])[0]))


def with_rows(options: Options, limit: int | None = None) -> Options:
    """The same with another RowLimit, where there is one, or the usual: it is of the screen, not of the question."""
    if annotations_of(cast("Hashable", type(options))).get("limit") != RowLimit:
        return options
    usual = next(default_of(each) for each in fields(cast("Any", options)) if each.name == "limit")
    return cast("Options", replace(cast("Any", options), limit=usual if limit is None else limit))


def options_to_json(options: object) -> dict[str, object]:
    """The fields of ``options`` as JSON can hold them; paths as text."""
    return {option.name: _plain(value) for option, value in values_of(options)}


def options_given(options: object) -> dict[str, object]:
    """The same, without those that are off, empty or none by default and are so here: what is to be read by people."""
    return {option.name: _plain(value) for option, value in values_of(options) if value or value != default_of(option)}


def _plain(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, Path) else value


def options_from_json(
    kind: type[Options],
    document: object,
    tell: Callable[[str], object] = lambda line: None,
    *,
    of: str = "the query",
) -> Options:
    """The options that options_to_json made ``document`` of, in this version of the program or in another one.

    An option that it does not name has its default: what was kept before there was such an option did not ask for it.
    One that there is no more is left out, and a line for ``tell`` says so; ``of`` is what the document is kept for.
    Fields that are dataclasses themselves are read the same way. Raises UsageError where ``document`` is no JSON
    object, does not name an option that has no default, or has a value that the option cannot have.
    """
    if not isinstance(document, Mapping):
        raise _other_version(of, "its options are not a JSON object")
    hints = annotations_of(cast("Hashable", kind))
    known = {option.name: option for option in fields(kind)}  # type: ignore[arg-type]
    gone = [repr(name) for name in document if name not in known]
    if gone:
        what = "an option" if len(gone) == 1 else "options"
        tell(f"{of} was kept by another version of corpusdb, with {what} of no effect now: {', '.join(gone)}")
    for name, option in known.items():
        if name not in document and default_of(option) is MISSING:
            raise _other_version(of, f"it does not say what {name!r} should be")
    return kind(**{name: _restored(document[name], hints[name], name, tell, of) for name in known if name in document})


def record_from_json(
    kind: type[Options], document: object, tell: Callable[[str], object] = lambda line: None, *, of: str
) -> Options:
    """A record that the database keeps as JSON, read as the options of a query are: by this version or by another one.

    Nobody typed it: raises InputError where ``options_from_json`` raises UsageError.
    """
    try:
        return options_from_json(kind, document, tell, of=of)
    except UsageError as error:
        raise InputError(str(error)) from error


def _other_version(of: str, reason: str) -> UsageError:
    return UsageError(f"{of} was kept by another version of corpusdb: {reason}")


def _restored(value: object, hint: Any, name: str, tell: Callable[[str], object], of: str) -> object:
    """``value`` as its field has it."""
    hint = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    for kind in get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,):
        outer = get_origin(kind)
        if outer in (list, tuple) and isinstance(value, list):
            return outer(_restored(each, get_args(kind)[0], name, tell, of) for each in value)
        if outer in (dict, Mapping) and isinstance(value, Mapping):
            return {key: _restored(each, get_args(kind)[1], name, tell, of) for key, each in value.items()}
        if outer is Literal:
            if value in get_args(kind):
                return value
        elif kind is Path and isinstance(value, str):
            return Path(value)
        elif is_dataclass(kind) and isinstance(value, Mapping):
            return options_from_json(cast("type[object]", kind), value, tell, of=of)
        elif type(value) is kind or (kind in (None, NoneType) and value is None):
            return value
        elif kind is float and type(value) is int:
            return float(value)
    raise _other_version(of, f"{name!r} cannot be {value!r}")


# How large a number may be that somebody gives, and how large a probability may look that is shown: what is below 1
# never as 1, which a filter at 1 would let pass, and a p-value never as 0.

LARGEST: Final = 2**31 - 1
"""Of numbers that have no smaller bound of their own: SQLite and numpy could take more, nothing here has as many."""

_MOST_DIGITS: Final = len(str(LARGEST))
_ALMOST: Final = 10_000
_LEAST_P: Final = 0.001


_PIPES: Final = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")


def is_sent(name: object) -> bool:
    """Whether what is named can be read once only: - is standard input, /dev/fd/63 what a shell puts for <(...)."""
    return str(name) == "-" or str(name).startswith(_PIPES)


def number_of(digits: str) -> int:
    """The number that decimal digits write, at most LARGEST: Python refuses to read more than 4,300 of them."""
    if len(digits) > _MOST_DIGITS:
        digits = digits.lstrip("0")[: _MOST_DIGITS + 1] or "0"
    return min(int(digits), LARGEST)


def rounded_probability(value: float, digits: int = 3) -> float:
    """The value with so many decimals; with four and rounded down where it would round up to 1."""
    rounded = round(value, digits)
    return rounded if rounded < 1 or value >= 1 else floor(value * _ALMOST) / _ALMOST


def rounded_below(value: float, least: float, digits: int = 3) -> float:
    """The same, rounded down where a value below ``least`` would be rounded up to it: 0.9495 is no 0.95."""
    rounded = rounded_probability(value, digits)
    return floor(value * 10**digits) / 10**digits if value < least <= rounded else rounded


def format_probability(value: float) -> str:
    """The value with three decimals, or with four where three would make it 1."""
    rounded = rounded_probability(value)
    return f"{rounded:.3f}" if round(rounded, 3) == rounded else f"{rounded:.4f}"


def format_p_value(value: float) -> str:
    """A p-value with three decimals behind its sign, ``= 0.012``; ``< 0.001`` where these would hide how small it is.

    The one form of it wherever people read it: tests over a thousand samples give no less than 1/1001.
    """
    return f"< {_LEAST_P}" if value < _LEAST_P else f"= {value:.3f}"


def format_share(value: float) -> str:
    """In per cent with one decimal: 99.7%, and >99.9% for what is almost all."""
    told = f"{value:.1%}"
    return ">99.9%" if told == "100.0%" and value < 1 else told

"""Words of references and outputs in classes that files say: by label, by a training text, by the source word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import Option

if TYPE_CHECKING:
    from corpusdb.corpus.formats.segments import Output
    from corpusdb.scoring.metric_settings import MetricSettings
    from corpusdb.scoring.queries.comparison import Asked
    from corpusdb.scoring.queries.scoring_references import ScoringReferences

_UNLINKED = "(no link)"


@dataclass(frozen=True, kw_only=True)
class WordClassOptions:
    frequencies_from: Annotated[
        Path | None, Option("words: classes by frequency in this text, such as the training data.", metavar="FILE")
    ] = None
    labels: Annotated[
        list[Path],
        Option(
            "words: classes by label instead; a file for the reference, then for A, B ..., one label per word.",
            metavar="FILE...",
        ),
    ] = field(default_factory=list)
    word_links: Annotated[
        list[Path],
        Option(
            "words: by how often the word of --source occurs there that they are linked with; files as for --labels, "
            "with links as 0-0 1-2.",
            metavar="FILE...",
        ),
    ] = field(default_factory=list)


def with_word_classes(
    asked: Asked,
    options: WordClassOptions,
    source: Path | None,
    outputs: Sequence[Output],
    references: ScoringReferences,
    settings: Sequence[MetricSettings],
) -> Asked:
    """What is asked, with the classes of words that files say.

    Raises UsageError for files that do not go together, and InputError for a line that has not a label for each unit.
    """
    from corpusdb.base.tokenisation import tokeniser
    from corpusdb.scoring.queries.comparison import WordLabels, units_of_settings

    how = units_of_settings(settings)
    tokenise = tokeniser(how.tokenisation or "none", lowercase=how.lowercase)
    if (options.frequencies_from is not None) + bool(options.labels) + bool(options.word_links) > 1:
        raise UsageError("--frequencies-from, --labels and --word-links each say how words are told apart: give one")
    if options.frequencies_from is not None:
        lines = _lines(options.frequencies_from)
        counts = Counter(unit for line in lines for unit in tokenise(line))
        return replace(asked, frequencies=counts, frequencies_of=f"the text {options.frequencies_from.name}")
    files = options.labels or options.word_links
    if not files:
        return asked
    if any(len(each) > 1 for each in references.texts):
        raise UsageError("words have labels and links in one reference, and segments here have several")
    texts = [[each[0] for each in references.texts], *(output.texts for output in outputs)]
    if len(files) != len(texts):
        raise UsageError(f"{len(texts)} files are needed, of the reference and of each output, and {len(files)} given")
    units = [[tokenise(text) for text in each] for each in texts]
    if options.labels:
        read = [_labels(path, of_text) for path, of_text in zip(files, units, strict=True)]
        by, names = "label", tuple(sorted({label for each in read for line in each for label in line}))
    else:
        from corpusdb.scoring.queries.matched_ngrams import frequency_class, frequency_classes

        if source is None:
            raise UsageError("--word-links needs the --source with whose words they are")
        classes = (*frequency_classes(), _UNLINKED)
        sources = [tokenise(line) for line in _lines(source)]
        known = Counter(unit for line in sources for unit in line)
        class_of = lambda unit: frequency_class(known[unit])  # noqa: E731
        read = [_linked(path, of_text, sources, class_of, classes) for path, of_text in zip(files, units, strict=True)]
        by, names = "how often the source word that they are linked with occurs in the source", classes
    return replace(asked, labels=WordLabels(by, read[0], read[1:], names))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise InputError(f"it cannot be read: {error}", path=path) from error


def _labels(path: Path, units: Sequence[Sequence[str]]) -> list[list[str]]:
    found = [line.split() for line in _lines(path)]
    _check_lines(path, found, units)
    for number, (labels, of_segment) in enumerate(zip(found, units, strict=True), 1):
        if len(labels) != len(of_segment):
            told = f"{len(labels)} labels, and the text has {len(of_segment)} words"
            raise InputError(f"{told}; --tokenise none takes what stands between spaces", path=path, line=number)
    return found


def _linked(
    path: Path,
    units: Sequence[Sequence[str]],
    sources: Sequence[Sequence[str]],
    class_of: Callable[[str], int],
    names: Sequence[str],
) -> list[list[str]]:
    """For each unit the class of the rarest source word that it is linked with."""
    lines = _lines(path)
    _check_lines(path, lines, units)
    _check_lines(path, lines, sources)
    found: list[list[str]] = []
    for number, (line, of_segment, of_source) in enumerate(zip(lines, units, sources, strict=True), 1):
        classes = [len(names) - 1] * len(of_segment)
        for link in line.split():
            one, mark, two = link.replace("?", "-").partition("-")
            if not (mark and one.isdecimal() and two.isdecimal()):
                raise InputError(f"{link!r} is no link such as 0-1", path=path, line=number)
            if int(one) >= len(of_source) or int(two) >= len(of_segment):
                told = f"{link} goes beyond {len(of_source)} and {len(of_segment)} words"
                raise InputError(f"{told}; --tokenise none takes what stands between spaces", path=path, line=number)
            classes[int(two)] = min(classes[int(two)], class_of(of_source[int(one)]))
        found.append([names[each] for each in classes])
    return found


def _check_lines(path: Path, lines: Sequence[object], segments: Sequence[object]) -> None:
    if len(lines) != len(segments):
        raise InputError(f"it has {len(lines):,} lines, and there are {len(segments):,} segments", path=path)

"""References with the labels that a test gives them, as the files of a call that names their origins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from corpusdb.corpus.formats.records import Provenance
from corpusdb.corpus.formats.segments import ReferenceTexts, segmentation_by_line
from corpusdb.scoring.queries.labelled_references import LabelledReferences
from corpusdb.scoring.queries.scoring_references import references_from_files

__all__ = ["labelled"]


def labelled(origins: Mapping[str, ReferenceTexts]) -> LabelledReferences:
    """The references of each label, those of one segment in the order of the labels."""
    files = [
        [[replace(one, provenance=Provenance(label)) for one in each] for each in texts.references]
        for label, texts in origins.items()
    ]
    first = next(iter(origins.values()), ReferenceTexts(segmentation_by_line(Path("none"), 0), ()))
    references = tuple(tuple(one for part in parts for one in part) for parts in zip(*files, strict=True))
    return LabelledReferences.of(references_from_files(replace(first, references=references), []))

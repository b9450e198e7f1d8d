"""Processor time of scores over lattices, beside those of the references as given.

    python tests/benchmarks/lattices.py SOURCE REF HYP... [--lang eng] [--wide]

HYP are outputs of systems; --wide takes the published recipe with any number of substitutions, which has hundreds of
them in a segment.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import TypeVar

from corpusdb.base.jobs import finished
from corpusdb.corpus.formats.scoring_input import read_output, read_references, read_sources
from corpusdb.scoring.queries.metric_names import settings_for
from corpusdb.scoring.queries.recipe import PUBLISHED, SubstitutionRecipe
from corpusdb.scoring.queries.reference_equivalents import bitext_equivalents
from corpusdb.scoring.queries.scoring import score_over_lattices, score_systems, substitution_note
from corpusdb.scoring.queries.scoring_references import references_from_files

Result = TypeVar("Result")


def timed(what: str, work: Callable[[], Result]) -> Result:
    begun = process_time()
    result = work()
    print(f"{what:44} {process_time() - begun:7.2f} s")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("ref", type=Path)
    parser.add_argument("hypotheses", type=Path, nargs="+")
    parser.add_argument("--lang", default="eng")
    parser.add_argument("--wide", action="store_true")
    options = parser.parse_args()
    texts = read_references([options.ref])
    sources, _ = read_sources(options.source, texts)
    references = references_from_files(texts, [options.ref], sources)
    outputs = [output for path in options.hypotheses for output in read_output(path, texts.segmentation)]
    recipe = replace(PUBLISHED, most=None) if options.wide else SubstitutionRecipe()
    print(f"{len(outputs) * len(sources):,} segments of {len(outputs)} systems, {recipe.label}")
    found = timed("alignment and phrases", lambda: finished(bitext_equivalents(references.sets, options.lang)))
    lattices = timed("substitutions", lambda: found.lattices(recipe))
    print(substitution_note(found, recipe, lattices))
    for metric in ("bleu", "nist"):
        settings = [settings_for(metric)]
        timed(f"{metric}, references as given", partial(score_systems, outputs, references, settings))
        timed(f"{metric}, lattices", partial(score_over_lattices, outputs, references, lattices, settings))


if __name__ == "__main__":
    main()

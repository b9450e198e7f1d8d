"""How well words are aligned, and how fast alignments are stored and asked."""

from __future__ import annotations

import argparse
import gzip
import os
import resource
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from measuring import DATA, PROGRAM, Cost, additions, cost_of, print_times, run_named

from corpusdb.alignment.equivalence import EquivalenceFilter, Equivalents, closed_words, equivalence_sets, substitutions
from corpusdb.alignment.links import (
    SYMMETRISATIONS,
    Link,
    PhrasePairs,
    agreement,
    consistent_spans,
    counted_phrases,
    read_gold_links,
)
from corpusdb.alignment.queries.equivalents import equivalents_of
from corpusdb.alignment.queries.pairs import ready_models
from corpusdb.alignment.queries.phrase_places import translations_of
from corpusdb.alignment.queries.phrases import aligned_languages
from corpusdb.alignment.training import align, train
from corpusdb.base.jobs import finished
from corpusdb.base.text import units_of
from corpusdb.corpus.store import Store, open_store
from corpusdb.scoring.measures import Lattice, Replacement, lattice_bleu_statistics
from corpusdb.scoring.unit_metrics import bleu_scores

# Word alignment and what follows from it: time, memory, agreement with a gold standard and with another aligner.
#
#     python tests/benchmarks/alignment.py alignment [--data FOLDER] [--sets wmt21-isen ...] [--tatoeba fra ...]
#     python tests/benchmarks/alignment.py alignment --gold SOURCE TARGET LINKS [--thot]
#     python tests/benchmarks/alignment.py alignment --golds FOLDER
#     python tests/benchmarks/alignment.py alignment --pairs SOURCE TARGET [--thot]
#
# Seconds are those of the processor. For each test set: those of training and linking, links, and the sets and members
# that each filter leaves; then every output of its systems is scored with the lattices of the substitutions, beside
# the single reference. For Tatoeba: seconds and memory of a whole language pair. With a gold standard, tokens split by
# white space and links in Pharaoh format: the alignment error rate of each way to symmetrise; with --thot also that of
# sil-thot's HMM and fast_align (pip install sil-thot), trained on the same pairs in the same run, how many times as
# long each takes, and how far its links agree with ours. sil-thot is no dependency: where it is missing, that is said.
# With --pairs instead of --gold, two texts without a gold standard: times and agreement alone. With --golds FOLDER all
# gold standards of a folder, each NAME.source, NAME.target and NAME.links: the error rate of each, aligned alone.


LONGEST = 3
STEPS = 5
OTHERS = {
    "HMM": ("HmmAlignmentModel",),
    "IBM-1, then HMM": ("Ibm1AlignmentModel", "HmmAlignmentModel"),
    "fast_align": ("FastAlignModel",),
}
PREPOSITIONS, CLOSED = closed_words("eng", "prepositions"), closed_words("eng", "closed")
FILTERS = {
    "prepositions out": EquivalenceFilter(PREPOSITIONS),
    "closed classes out": EquivalenceFilter(CLOSED),
    "the same, source seen twice, p >= .2": EquivalenceFilter(CLOSED, min_source_count=2, min_probability=0.2),
    "the same, each member seen twice": EquivalenceFilter(CLOSED, min_count=2),
}
Texts = list[list[str]]


def lowered_units(lines: Sequence[str]) -> Texts:
    return [[unit.strip().lower() for unit in units_of(line)] for line in lines]


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def phrases_of(source: Texts, target: Texts, name: str) -> PhrasePairs:
    """Align, count phrases, and tell how long each took."""
    moments = [time.process_time()]
    model = finished(train(source, target))
    moments.append(time.process_time())
    links = finished(align(model, source, target))
    moments.append(time.process_time())
    own, theirs = (np.array([len(text) for text in texts]) for texts in (source, target))
    phrases = counted_phrases(consistent_spans(links, own, theirs, LONGEST), source, target)
    moments.append(time.process_time())
    told = ", ".join(
        f"{what} {end - begin:.2f} s"
        for what, begin, end in zip(("training", "linking", "phrases"), moments[:-1], moments[1:], strict=True)
    )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = len(model.to_bytes()) / 1e6
    print(f"{name}: {len(source):,} pairs, {told}, {len(links.sources):,} links, {len(phrases):,} phrase pairs")
    print(f"  model {size:.2f} MB, at most {memory:.0f} MB of memory so far")
    return phrases


def test_set(folder: Path) -> None:
    """Sets and members at each filter, and the time that scoring with lattices takes."""
    source = lowered_units(lines_of(next(folder.glob("source.*"))))
    target = lowered_units(lines_of(folder / "ref.A.en"))
    phrases = phrases_of(source, target, folder.name)
    outputs = [lowered_units(lines_of(path)) for path in sorted((folder / "systems").iterdir())]
    single = scored(outputs, [[Lattice(units)] for units in target])
    print(f"  single reference: BLEU {single[0]:.2f}, {single[1]:.2f} s for {len(outputs) * len(target):,} segments")
    for name, kept in FILTERS.items():
        sets = list(equivalence_sets(phrases, kept))
        equivalents = Equivalents(phrases, kept)
        begin = time.process_time()
        found = [list(substitutions(units, equivalents.of, LONGEST)) for units in target]
        building = time.process_time() - begin
        told = f"{len(sets):,} sets, {sum(len(each.members) for each in sets):,} members"
        told += f", {sum(map(len, found)) / len(found):.1f} substitutions a segment in {building:.2f} s"
        for most in (1, None):
            replacements = ([Replacement(each.start, each.end, each.phrase) for each in own] for own in found)
            lattices = [[Lattice(units, own, most)] for units, own in zip(target, replacements, strict=True)]
            score, seconds = scored(outputs, lattices)
            told += f"; {'any number' if most is None else 'one'} at a time BLEU {score:.2f}, {seconds:.2f} s"
        print(f"  {name}: {told}")


def scored(outputs: Sequence[Texts], lattices: Sequence[Sequence[Lattice]]) -> tuple[float, float]:
    """Mean BLEU of the outputs, and the seconds that they took."""
    begin = time.process_time()
    scores = [bleu_scores(lattice_bleu_statistics(output, lattices, 4).sum(axis=0))[-1] for output in outputs]
    return 100 * float(np.mean(scores)), time.process_time() - begin


def beside_others(paths: Sequence[Path], *, thot: bool) -> None:
    """The aligner beside a gold standard, where there is a third path, and beside sil-thot where that is asked for."""
    source, target = ([line.split() for line in lines_of(path)] for path in paths[:2])
    gold = [
        [tuple(map(int, link.split("-"))) for link in line.split()] for path in paths[2:] for line in lines_of(path)
    ]
    begin = time.process_time()
    model = finished(train(source, target))
    trained = time.process_time()
    links = finished(align(model, source, target))
    linked = time.process_time()
    own = linked - begin
    print(f"{len(source):,} pairs: training {trained - begin:.2f} s, linking {linked - trained:.2f} s")
    for way in SYMMETRISATIONS if gold else ():
        found = finished(align(model, source, target, way))
        told(way, [found.of_pair(number) for number in range(len(found))], gold)
    if thot and find_spec("thot") is None:
        print("sil-thot is not installed (pip install sil-thot), so that nothing is compared with it")
        return
    ours = [links.of_pair(number) for number in range(len(links))]
    for name, chain in OTHERS.items() if thot else ():
        begin = time.process_time()
        theirs = list(links_of_thot(chain, source, target))
        seconds = time.process_time() - begin
        print(f"sil-thot {name}: {seconds:.2f} s, {seconds / own:.1f} times as long")
        told("  ours, its links as the gold standard", ours, theirs)
        if gold:
            told("  its own", theirs, gold)


def error_rates(folder: Path) -> None:
    """The error rate of each gold standard of a folder, aligned alone, and what it took."""
    rates, begin = [], time.process_time()
    for path in sorted(folder.glob("*.links")):
        source, target = (
            [line.split() for line in lines_of(path.with_suffix(side))] for side in (".source", ".target")
        )
        gold = read_gold_links(path, [(len(own), len(theirs)) for own, theirs in zip(source, target, strict=True)])
        links = finished(align(finished(train(source, target)), source, target))
        found = agreement((links.of_pair(number), each.sure, each.possible) for number, each in enumerate(gold))
        rates.append(found.aer or 0.0)
        print(f"{path.stem}: {len(source):,} pairs, AER {rates[-1]:.3f}", flush=True)
    print(f"mean {np.mean(rates):.4f}, {time.process_time() - begin:.2f} s of the processor")


def told(name: str, found: Sequence[Sequence[Link]], gold: Sequence[Sequence[Any]]) -> None:
    measures = agreement((own, sure, sure) for own, sure in zip(found, gold, strict=True))
    print(f"{name}: AER {measures.aer:.3f}, precision {measures.precision:.3f}, recall {measures.recall:.3f}")


def links_of_thot(chain: Sequence[str], source: Texts, target: Texts) -> Iterator[list[Link]]:
    """Grow-diag-final-and over five steps of each model of each direction, with the defaults of the package.

    Each model of the chain begins with what the one before it has learned.
    """
    from thot import alignment  # type: ignore[import-not-found]

    models = []
    for given, other in ((source, target), (target, source)):
        model = None
        for name in chain:
            made = getattr(alignment, name)
            model = made() if model is None else made(model)
            if name == chain[0]:
                for one, two in zip(given, other, strict=True):
                    model.add_sentence_pair([word.lower() for word in one], [word.lower() for word in two])
            model.start_training()
            for _ in range(STEPS):
                model.train()
            model.end_training()
        models.append(model)
    aligner = alignment.SymmetrizedAligner(*models)
    aligner.heuristic = alignment.SymmetrizationHeuristic.GROW_DIAG_FINAL_AND
    for one, two in zip(source, target, strict=True):
        _, matrix = aligner.get_best_alignment([word.lower() for word in one], [word.lower() for word in two])
        yield list(zip(*(places.tolist() for places in np.nonzero(matrix.to_numpy())), strict=True))


def alignment_main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sets", nargs="*", default=["wmt21-isen", "wmt21-ruen", "wmt21-jaen"])
    parser.add_argument("--tatoeba", nargs="*", default=[])
    parser.add_argument("--gold", nargs=3, type=Path, default=None)
    parser.add_argument("--golds", type=Path, default=None)
    parser.add_argument("--pairs", nargs=2, type=Path, default=None)
    parser.add_argument("--thot", action="store_true")
    chosen = parser.parse_args()
    if chosen.golds is not None:
        error_rates(chosen.golds)
        return
    if paths := chosen.gold or chosen.pairs:
        beside_others(paths, thot=chosen.thot)
        return
    for name in chosen.sets:
        test_set(chosen.data / name)
    for language in chosen.tatoeba:
        packed = (chosen.data / "tatoeba" / f"eng-{language}.tsv.gz").read_bytes()
        rows = [line.split("\t") for line in gzip.decompress(packed).decode().split("\n")[1:-1]]
        source, target = (lowered_units([row[side] for row in rows]) for side in (1, 0))
        phrases_of(source, target, f"Tatoeba eng-{language}")


# The alignment of a whole corpus in the database: time, memory, size, and how soon questions to it are answered.
#
#     python tests/benchmarks/alignment.py stored-alignment [--data FOLDER] [--tatoeba fra deu jpn cmn] [--pairs
#     N] [--words 300]
#     python tests/benchmarks/alignment.py stored-alignment --database FILE [--words 300]
#
# The pairs of Tatoeba are imported, all or the first N of each language, and aligned by `corpusdb align`, a process
# for each language, which is what the times are of: of the processor, and of the wall, where nothing else should run.
# Asked are 120 s of two idle cores for four languages, 1 GB, and 60 MB of file without phrases. A loop of ten million
# additions before and after tells how fast the machine was. Then `equivalents` and `translations` of words are timed,
# drawn evenly from all words by how often they stand, and of the most frequent ones: asked are 10 ms for the median
# and 100 ms for the 99th percentile. With --database only these, in a file that is aligned already.

WITHOUT_PHRASES = ("alignment", "alignment_model")
SHOWN = 20
_WORDS = """
select phrase.text, sum(paired + unlinked + unpaired) as occurrences from phrase
join phrase_count on phrase_count.phrase = phrase.id
where language = ? and phrase.text not like '% %' group by phrase.id order by 2 desc, 1
"""


def imported(data: Path, database: Path, language: str, pairs: int | None) -> None:
    packed = data / "tatoeba" / f"eng-{language}.tsv.gz"
    if pairs is not None:
        cut = database.with_name(f"{language}.tsv")
        with gzip.open(packed, "rt", encoding="utf-8") as lines:
            cut.write_text("".join(islice(lines, pairs + 1)), encoding="utf-8")
        packed = cut
    how = ("--lang", f"eng,{language}", "--name", "tatoeba", "--no-follow")
    cost_of((*PROGRAM, "--db", str(database), "import", str(packed), *how))


def aligned(database: Path, languages: Sequence[str]) -> None:
    """Align English with each of the languages, and tell what it took."""
    print(f"ten million additions {additions():.2f} s")
    costs = []
    for language in languages:
        costs.append(cost_of((*PROGRAM, "--db", str(database), "align", "--lang", f"eng,{language}")))
        print(f"eng-{language}: {_seconds(costs[-1:])}, {costs[-1].megabytes:.0f} MB", flush=True)
    print(f"all: {_seconds(costs)}; ten million additions {additions():.2f} s")


def _seconds(costs: Sequence[Cost]) -> str:
    wall, processor = sum(each.seconds for each in costs), sum(each.processor for each in costs)
    return f"{wall:.1f} s, {processor:.1f} s of the processor"


def sizes(database: Path) -> None:
    """Megabytes of file that the alignment takes."""
    with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        rows = dict(connection.execute("select name, pgsize / 1e6 from dbstat where aggregate = 1"))
    phrases = {name: size for name, size in rows.items() if "phrase" in name and "paraphrase" not in name}
    links = sum(rows.get(name, 0.0) for name in WITHOUT_PHRASES)
    print(f"{links:.1f} MB of models and links, and {sum(phrases.values()):.1f} MB of phrases:")
    print("  " + ", ".join(f"{name} {size:.1f}" for name, size in phrases.items()))


def questions(store: Store, language: str, words: int) -> None:
    known = [row[0] for row in store.connection.execute(_WORDS, (language,))]
    drawn = known[:: max(1, len(known) // words)]
    partners = [model.other(language) for model in ready_models(store, language)]
    for name, asked in ((f"{len(drawn)} words of {language}", drawn), (f"the {words} most frequent", known[:words])):
        equivalents = [partial(equivalents_of, store, language, word, limit=SHOWN) for word in asked]
        print_times(f"equivalents of {name}", equivalents, asked)
        for other in partners:
            translations = [partial(translations_of, store, language, word, other, limit=SHOWN) for word in asked]
            print_times(f"translations of {name} with {other}", translations, asked)


def stored_alignment_main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--tatoeba", nargs="+", default=["fra", "deu", "jpn", "cmn"])
    parser.add_argument("--pairs", type=int, default=None)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--database", type=Path, default=None)
    options = parser.parse_args()
    os.environ["CORPUSDB_HISTORY"] = "off"
    with tempfile.TemporaryDirectory() as folder:
        database = options.database
        if database is None:
            database = Path(folder) / "corpus.db"
            for language in options.tatoeba:
                imported(options.data, database, language, options.pairs)
            aligned(database, options.tatoeba)
        sizes(database)
        print(f"{'milliseconds':<52} {'median':>10} {'99th':>10} {'most':>10} the slowest")
        with open_store(database, read_only=True) as store:
            for language in aligned_languages(store):
                questions(store, language, options.words)


if __name__ == "__main__":
    run_named({"alignment": alignment_main, "stored-alignment": stored_alignment_main})

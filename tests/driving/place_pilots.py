"""Databases with scores, profiles, selections and rewritings, and driving the places that show them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import numpy as np
from pilots import filled_once, press, screen_text, settled
from textual.pilot import Pilot

from corpusdb.base.jobs import finished
from corpusdb.base.options import options_to_json
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.queries.names import save_query
from corpusdb.corpus.store import Store, finish_run, open_store, start_run
from corpusdb.homogeneity.queries.profile_levels import ProfileView, keep_lines, read_groups
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, make_profile, read_lines
from corpusdb.paraphrase.queries.filters import filter_at
from corpusdb.program.commands import OfferedCommands
from corpusdb.rules.queries.rewritings import keep_rewritings
from corpusdb.rules.queries.rule_sets import choose_rules, named_set, rewriting_method
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.attributed import AttributedSet
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets
from corpusdb.scoring.queries.scoring import score_systems
from corpusdb.scoring.queries.scoring_references import ScoringReferences, references_from_corpus, references_from_files
from corpusdb.scoring.queries.stored_scores import store_scores
from corpusdb.search.queries.request import SearchRequest
from tui.app import make_browser

# Databases with scores, made of what a corpus holds, and driving the place that shows them.


SEGMENTS = 6
_PAIRS = """
select source.text, min(target.text) from sentence source
join translation on translation.sentence = source.id join sentence target on target.id = translation.translation
where source.language = ? and target.language = ? group by source.id order by source.id limit 60
"""


def add_scores(path: Path) -> Path:
    """Store scores of three systems into English on references from the corpus, and on two files, of which the set was
    frozen, with scores of others; and before them one of a system into Japanese.
    """
    return filled_once(path, "scored", with_scores)


def with_scores(path: Path) -> Path:
    """The same, computed now and stored while others may have the file open."""
    folder = path.parent / "news"
    folder.mkdir(exist_ok=True)
    with open_store(path) as store:
        _into_japanese(store, folder)
        sources = _pairs(store, "jpn", "eng")
        # So low that some of the references are sentences that nobody wrote.
        recipe = Recipe(language="eng", kept=filter_at(min_validity=0.5), chosen_by="validity")
        sets = finished(attributed_sets(store, sources, recipe))
        outputs = [
            Output("good", folder, tuple(map(_generated, sets))),
            Output("fair", folder, tuple(each.references[0].text.rsplit(" ", 1)[0] for each in sets)),
            Output("poor", folder, tuple(each.references[-1].text[:12] for each in sets)),
        ]
        from_files = _in_files(folder, sources, sets)
        settings = [settings_for("bleu", order=2), settings_for("mwer")]
        _store(store, outputs, from_files, settings[:1])
        freeze(store, "guided", [output.system for output in outputs])
        stored_ratings(store, ["good", "fair", "poor"])
        references = references_from_corpus(sets, recipe)
        _store(store, outputs, references, settings)
    return path


def _store(store: Store, outputs: Sequence[Output], references: ScoringReferences, settings: Sequence[object]) -> None:
    store_scores(store, outputs, references, score_systems(outputs, references, settings))  # type: ignore[arg-type]


def _pairs(store: Store, source: str, target: str) -> list[str]:
    rows = store.connection.execute(_PAIRS, (source, target)).fetchall()
    return [text for text, _ in rows[:: max(1, len(rows) // SEGMENTS)]][:SEGMENTS]


def _generated(found: AttributedSet) -> str:
    """A reference that nobody wrote, where there is one."""
    new = (each.text for each in found.references if "generated" in each.origins and "original" not in each.origins)
    return next(new, found.references[-1].text)


def _in_files(folder: Path, sources: Sequence[str], sets: Sequence[AttributedSet]) -> ScoringReferences:
    paths = [folder / "ref.A.en", folder / "ref.B.en"]
    for path, at in zip(paths, (0, -1), strict=True):
        lines = (each.references[at].text.replace("\n", " ") + "\n" for each in sets)
        path.write_text("".join(lines), encoding="utf-8")
    return references_from_files(read_references(paths), paths, sources)


def _into_japanese(store: Store, folder: Path) -> None:
    sources = _pairs(store, "eng", "jpn")
    sets = finished(attributed_sets(store, sources, Recipe(language="jpn", origins=("original",))))
    path = folder / "ref.ja"
    path.write_text("".join(each.references[0].text + "\n" for each in sets), encoding="utf-8")
    references = references_from_files(read_references([path]), [path], sources)
    outputs = [Output("翻訳機", folder, tuple(each.references[0].text[1:] for each in sets))]
    _store(store, outputs, references, [settings_for("bleu", unit="char", order=4)])


_FREEZE = """
insert into frozen_set (reference_set, name, guided_by, run, frozen)
select max(id), ?, '[]', run, '2026-01-01T00:00:00Z' from reference_set
"""


def freeze(store: Store, name: str, systems: Sequence[str]) -> None:
    """Freeze the reference set that was stored last."""
    with store.write():
        store.connection.execute(_FREEZE, (name,))


_RATING = """
insert into imported_score (output, name, kind, value, segment_values, file, digest, run, imported)
select max(id), ?, ?, ?, ?, ?, ?, ?, '2026-01-01T00:00:00Z' from system_output where system = ?
"""


def stored_ratings(store: Store, systems: Sequence[str]) -> None:
    """Store scores of people, the last segment without one, and a metric of others with scores of systems alone."""
    with store.write():
        run = start_run(store, "test ratings", {})
        for place, system in enumerate(systems):
            values = np.array([*(0.9 - 0.3 * place + 0.01 * at for at in range(SEGMENTS - 1)), np.nan])
            human = ("DA", "human", float(np.nanmean(values)), values.astype("<f8").tobytes(), "DA.seg.score")
            metric = ("COMET", "metric", 0.8 - 0.1 * place, None, "COMET.sys.score")
            for row in (human, metric):
                store.connection.execute(_RATING, (*row, "ab" * 32, run.id, system))
        finish_run(store, run, {})


@asynccontextmanager
async def scores(path: Path, *keys: str, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
    """The place, after some keys more."""
    async with browser_at(path, "5", *keys, size=size) as pilot:
        yield pilot


def status(pilot: Pilot[None]) -> str:
    return screen_text(pilot.app).split("\n")[-1]


# Databases with a profile and a selection, made of what a corpus holds and of two files beside it.


REFERENCES = ("talk.txt", "news.txt")
_WHO = ("yeah you", "so we", "hey they", "well I", "oh she", "right he")
_WHAT = ("know it, okay?", "wanna go now!", "eat that, don't you?", "sleep in, see?", "got this, huh?")
_OFFICE = ("The minister", "The committee", "An official", "The company", "A spokesman", "The central bank")
_DID = ("announced the plan.", "met on Tuesday.", "rejected the proposal.", "published its report.", "fell by 4 %.")


def write_references() -> None:
    """Text like speech and text like news, in files here."""
    for name, subjects, rest in zip(REFERENCES, (_WHO, _OFFICE), (_WHAT, _DID), strict=True):
        lines = [f"{subject} {what}\n" for subject in subjects for what in rest]
        Path(name).write_text("".join(lines), encoding="utf-8")


def add_profile(path: Path, *languages: str) -> Path:
    """Profiles of some languages, English if none is named, a selection of their spoken end, and a saved search."""
    write_references()
    return filled_once(path, "-".join(("profiled", *languages)), lambda copy: _profile(copy, languages or ("eng",)))


def _profile(path: Path, languages: Sequence[str]) -> None:
    with open_store(path) as store:
        for language in languages:
            recipe = ProfileRecipe(spoken=REFERENCES[:1], written=REFERENCES[1:])
            profile = finished(make_profile(store, language, recipe))
            view = ProfileView(profile, read_lines(store, profile), read_groups(store, profile))
            order = view.order("line", "I")
            spoken = order.stretch(0, min(300, len(order.values)))
            seen = {"level": "line", "seen": "the spoken end"}
            keep_lines(store, f"talk-{language}", view, order.places(spoken), seen)
        save_query(store, "beers", "search", options_to_json(SearchRequest("beer", lang="eng")))


# Small corpora of Japanese, and driving the screens that show rules and rewritings.


TEXTS = ("彼が本を読んだ。", "静かだ。", "トムはもう怒ってないよ。", "彼が本を読みました。", "東京駅")
"""The Japanese sentences, in the order of the corpus; each is the translation of an English one."""
RuleScript: TypeAlias = Callable[[Pilot[None]], Awaitable[None]]


def japanese_corpus(folder: Path, texts: Sequence[str] = TEXTS, language: str = "jpn") -> Path:
    """A database of these sentences with English ones."""
    file, path = folder / "rows.tsv", folder / "corpus.db"
    rows = (f"Sentence number {number}.\t{text}\n" for number, text in enumerate(texts))
    file.write_text("".join(rows), encoding="utf-8")
    with open_store(path, create=True) as store:
        source = open_source("tsv", [file], Options(languages=("eng", language), header="no"))
        finished(import_source(store, finished(check_source(source)), "rows"))
    return path


def keep(path: Path, rules: str = "polite", texts: Sequence[str] = TEXTS) -> None:
    """Keep what rules make of the sentences."""
    with open_store(path) as store:
        method = rewriting_method(choose_rules(rules, lambda name: named_set(store, name).rules))
        finished(keep_rewritings(store, method, texts))


@asynccontextmanager
async def browser_at(path: Path, *keys: str, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
    """A browser on a database, after some keys."""
    async with make_browser(path, commands=OfferedCommands()).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, *keys)
        yield pilot


def run_browser(path: Path, script: RuleScript, *keys: str) -> None:
    """Do something there."""

    async def main() -> None:
        async with browser_at(path, *keys) as pilot:
            await script(pilot)

    asyncio.run(main())

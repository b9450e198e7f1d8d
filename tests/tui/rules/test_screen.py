"""The place Rules, and sentences with their rewritings, driven by keys."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event

import pytest
from people_pilots import status
from pilots import press, screen_text, settled, until
from place_pilots import TEXTS, browser_at, japanese_corpus, keep, run_browser
from recorded_analyses import RecordedAnalyser
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.base.tokenisation import Morpheme
from corpusdb.corpus.store import open_store
from corpusdb.rules.queries.rewritings import rule_uses
from corpusdb.rules.queries.rule_sets import RuleEffect, keep_effects, make_set, named_set, named_sets, shipped_set
from corpusdb.rules.rewriting import load_rules
from tui.app import Visit, visit_place
from tui.kit.dialogs import ChoiceDialog, DetailsDialog, FormDialog
from tui.kit.shown import RowList
from tui.rules import RuleScreen, RulesScreen
from tui.search.document_screen import RewritingsScreen
from tui.search.screen import CorpusScreen

RULES = load_rules()


@pytest.fixture
def path(tmp_path: Path, recorded_morphemes: object) -> Path:
    return japanese_corpus(tmp_path)


def place(pilot: Pilot[None]) -> RulesScreen:
    assert isinstance(pilot.app.screen, RulesScreen)
    return pilot.app.screen


def rows(pilot: Pilot[None]) -> list[str]:
    return pilot.app.screen.query_one(RowList).lines()


async def go(pilot: Pilot[None], rule: str) -> None:
    """Put the cursor on a rule."""
    pilot.app.screen.query_one(RowList).cursor = RULES.names.index(rule)
    await settled(pilot)


def row_of(pilot: Pilot[None], rule: str) -> list[str]:
    return next(line.split() for line in rows(pilot) if line.split()[1] == rule)


@pytest.mark.slow
def test_every_rule_has_a_row_with_its_effect_and_uses(path: Path) -> None:
    keep(path)
    with open_store(path) as store:
        effect = RuleEffect("verb-past", "BLEU", "z", "pearson", 7, 0.978, -0.0011, -0.0019, -0.0003)
        keep_effects(store, RULES, [effect], {})
        uses = rule_uses(store)

    async def script(pilot: Pilot[None]) -> None:
        found = {line.split()[1]: line.split() for line in rows(pilot)}
        assert [int(each[0]) for each in found.values()] == list(range(1, len(RULES.rules) + 1))
        for rule in RULES.rules:
            _, name, kind, state, *rest = found[rule.name]
            effect = "+0.0011 +0.0003 to +0.0019" if rule.name == "verb-past" else "-"
            assert (name, kind, state) == (rule.name, rule.kind, "on" if rule.off is None else "off")
            assert " ".join(rest).startswith(f"{effect} {uses.get(rule.name, 0)} ")
        assert uses["verb-past"] > 0
        assert "Rule set all (of the program)" in screen_text(pilot.app)
        await go(pilot, "verb-past")
        assert "without it pearson with z loses +0.0011" in screen_text(pilot.app)
        assert place(pilot).lines()[0].endswith(RULES.digest)

    run_browser(path, script, "0")


async def test_a_rule_that_is_off_says_why(path: Path) -> None:
    rule = next(rule for rule in RULES.rules if rule.off is not None)

    async with browser_at(path, "0") as pilot:
        await go(pilot, rule.name)
        assert f"off by default: {rule.off}" in "\n".join(place(pilot).lines())
        await press(pilot, "enter")
        assert rows(pilot)[0] == f"Off by default: {rule.off}"


@pytest.mark.slow
async def test_the_first_switch_makes_a_set_of_ones_own_and_the_next_changes_it(path: Path) -> None:
    async with browser_at(path, "0") as pilot:
        await go(pilot, "verb-past")
        await press(pilot, "o")
        assert isinstance(pilot.app.screen, FormDialog)
        for name, reason in (("polite", "is a rule set of the program"), ("verb", "is a rule"), ("a b", "called")):
            pilot.app.screen.query_one(Input).value = name
            await press(pilot, "enter")
            assert reason in screen_text(pilot.app)
        pilot.app.screen.query_one(Input).value = "mine"
        await press(pilot, "enter")
        assert status(pilot).strip() == "verb-past is off in mine"
        assert "Rule set mine (yours)" in screen_text(pilot.app)
        assert row_of(pilot, "verb-past")[3] == "off"
        assert place(pilot).query_one(RowList).cursor == RULES.names.index("verb-past")  # it stays on its rule
        await press(pilot, "o")
        await go(pilot, "da")
        await press(pilot, "o")
        assert (row_of(pilot, "verb-past")[3], row_of(pilot, "da")[3]) == ("on", "off")
        await press(pilot, "s", "g", "enter")
        assert "Rule set polite (of the program)" in screen_text(pilot.app)
        await press(pilot, "o")
        pilot.app.screen.query_one(Input).value = "mine"
        await press(pilot, "enter")
        assert "there is a rule set 'mine' already" in screen_text(pilot.app)
        await press(pilot, "escape", "s")
        assert isinstance(pilot.app.screen, ChoiceDialog)
        assert pilot.app.screen.lines()[1:] == ["polite", "all", "mine"]
    with open_store(path) as store:
        assert [each.name for each in named_sets(store)] == ["mine"]
        assert named_set(store, "mine").rules.disabled == RULES.disabled | {"da"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_database_that_may_only_be_read_says_so(path: Path) -> None:
    path.chmod(0o444)

    async with browser_at(path, "0", "o") as pilot:
        pilot.app.screen.query_one(Input).value = "mine"
        await press(pilot, "enter")
        assert "read" in status(pilot)


@pytest.mark.slow
async def test_a_rule_shows_its_examples_and_the_sentences_that_it_rewrites(path: Path) -> None:
    async with browser_at(path, "0") as pilot:
        await go(pilot, "verb-past")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, RuleScreen)
        found = [line.strip() for line in rows(pilot)]
        heading = next(place for place, line in enumerate(found) if line.startswith("Sentences of the corpus"))
        assert found[heading] == f"Sentences of the corpus: 2 rewritten, {len(TEXTS)} of {len(TEXTS)} tried: all"
        assert found[heading + 1 :] == [
            "彼が本を読[んだ]。",
            "->    彼が本を読[みました]。",
            "彼が本を読[みました]。",
            "<-    彼が本を読[んだ]。",
        ]
        for example in RULES.by_name["verb-past"].examples:
            assert any(example.before == line.replace("[", "").replace("]", "").split()[-1] for line in found[:heading])
        await press(pilot, "plus")
        assert status(pilot).strip() == "all sentences of the corpus were tried"
        await press(pilot, "c")
        assert "this is not a sentence of the corpus" in status(pilot)
        await press(pilot, "G", "enter")
        assert isinstance(pilot.app.screen, DetailsDialog)
        assert pilot.app.screen.lines()[1:] == ["彼が本を読[みました]。", "<- 彼が本を読[んだ]。"]
        await press(pilot, "q", "c")
        assert isinstance(pilot.app.screen, CorpusScreen)
        assert rows(pilot) == ["彼が本を読みました。"]


@pytest.mark.slow
async def test_more_sentences_are_looked_for_on_demand(tmp_path: Path, recorded_morphemes: object) -> None:
    texts = [f"{number}は静かだ。" for number in range(25)]

    async with browser_at(japanese_corpus(tmp_path, texts), "0", "slash", *"da", "enter", "enter") as pilot:
        assert "20 rewritten, 20 of 25 tried; + tries more" in screen_text(pilot.app) + "\n".join(rows(pilot))
        await press(pilot, "plus")
        assert "25 rewritten, 25 of 25 tried: all" in "\n".join(rows(pilot))


async def test_looking_for_sentences_is_stopped_and_taken_up_again(
    path: Path, recorded_morphemes: RecordedAnalyser, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyse = recorded_morphemes.analyse

    begun, may_end = Event(), Event()

    def when_it_may(text: str) -> tuple[Morpheme, ...]:
        begun.set()
        assert may_end.wait(60)
        return analyse(text)

    monkeypatch.setattr(recorded_morphemes, "analyse", when_it_may)
    monkeypatch.setattr("tui.kit.reader._SECONDS", -1.0)  # a step is one sentence

    async with browser_at(path, "0") as pilot:
        await go(pilot, "verb-past")
        await pilot.press("enter")
        await until(pilot, begun.is_set, "the first sentence")
        assert isinstance(pilot.app.screen, RuleScreen)
        await pilot.press("escape")
        may_end.set()
        await settled(pilot)
        told = next(line for line in rows(pilot) if line.startswith("Sentences"))
        assert told.endswith("tried; + tries more")
        assert f"{len(TEXTS)} of {len(TEXTS)} tried" not in told
        await press(pilot, "plus")
        assert "2 rewritten, 5 of 5 tried: all" in "\n".join(rows(pilot))
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, RulesScreen), "there is nothing to stop: it goes back"


_INSTALL = "Japanese morphemes need more: pip install 'corpusdb[japanese]'"


@pytest.mark.slow
@pytest.mark.usefixtures("without_extra")
async def test_without_the_extra_the_rules_are_there_and_one_line_says_what_is_missing(tmp_path: Path) -> None:
    async with browser_at(japanese_corpus(tmp_path), "0") as pilot:
        assert len(rows(pilot)) == len(RULES.rules)
        await press(pilot, "enter")
        assert rows(pilot)[-1] == f"Sentences of the corpus: {_INSTALL}"
        assert _INSTALL in status(pilot)
        await press(pilot, "1", "l", "r")
        assert _INSTALL in status(pilot)
        assert pilot.app.screen.lines()[:2] == [TEXTS[0], _INSTALL]  # type: ignore[attr-defined]


async def test_a_corpus_without_japanese_says_so(tmp_path: Path, recorded_morphemes: object) -> None:
    async with browser_at(japanese_corpus(tmp_path, ["Bonjour."], "fra"), "0", "enter") as pilot:
        assert rows(pilot)[-1] == "Sentences of the corpus: it has no Japanese"


def test_the_place_can_be_piped(path: Path) -> None:
    view = visit_place(path, Visit("rules", "de-aru"))
    assert view.lines[0].startswith("Rule ")
    assert any(line.strip().startswith("->") for line in view.lines)
    assert not view.is_error


# Japanese sentences with their rewritings: in the detail, on a screen of their own, and from a document.


def rows_of_rewritings(pilot: Pilot[None]) -> list[str]:
    return [" ".join(line.split()) for line in pilot.app.screen.query_one(RowList).lines()]


def test_the_detail_has_the_rewritings_that_are_kept(path: Path) -> None:
    async def before(pilot: Pilot[None]) -> None:
        assert "rewriting" not in screen_text(pilot.app)

    async def after(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app.screen, CorpusScreen)
        assert "1 place, 1 rewriting" in screen_text(pilot.app)
        assert "by rules  彼が本を読[みました]。  verb-past ->" in pilot.app.screen.lines()
        await press(pilot, "G")
        assert "rewriting" not in screen_text(pilot.app)  # of what no rule rewrites

    run_browser(path, before, "l")
    keep(path, "verb-past")
    run_browser(path, after, "l")


@pytest.mark.slow
def test_a_key_rewrites_the_sentence_now_or_shows_what_is_kept(path: Path) -> None:
    with open_store(path) as store:
        make_set(store, "mine", shipped_set("polite").without(["verb-past"]))

    async def made(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app.screen, RewritingsScreen)
        assert f"by all:{shipped_set('all').digest}" in screen_text(pilot.app)
        assert "1 彼が本を読[みました]。" in rows_of_rewritings(pilot)
        assert "verb-past ->" in rows_of_rewritings(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DetailsDialog)
        assert pilot.app.screen.lines()[1:] == [
            "彼が本を読[んだ]。",
            "彼が本を読[みました]。",
            "読んだ becomes 読みました: verb-past ->",
        ]
        await press(pilot, "q", "s", "G", "enter")
        assert (rows_of_rewritings(pilot), "No rule rewrites this." in screen_text(pilot.app)) == ([], True)
        assert "by mine:" in screen_text(pilot.app)

    async def kept(pilot: Pilot[None]) -> None:
        assert "run " in screen_text(pilot.app)
        assert rows_of_rewritings(pilot) == ["1 彼が本を読[みました]。", "verb-past ->"]

    run_browser(path, made, "l", "r")
    keep(path, "verb-past")
    run_browser(path, kept, "l", "r")


async def test_other_languages_are_not_rewritten(path: Path) -> None:
    async with browser_at(path, "r") as pilot:
        assert "rules rewrite Japanese" in status(pilot)
        await press(pilot, "enter", "r")
        assert "rules rewrite Japanese, and there is none in this row" in status(pilot)
        await press(pilot, "j", "r")
        assert isinstance(pilot.app.screen, RewritingsScreen)
        assert pilot.app.screen.lines()[0] == TEXTS[0]


async def test_beside_each_other_the_japanese_of_the_line_is_rewritten(path: Path) -> None:
    async with browser_at(path, "enter", "r", size=(140, 30)) as pilot:
        assert isinstance(pilot.app.screen, RewritingsScreen)
        assert pilot.app.screen.lines()[0] == TEXTS[0]

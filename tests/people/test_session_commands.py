"""`session`: a queue of seeds worked through from the shell, and on after every kind of end."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from calls import Run, document

from corpusdb.corpus.model import FIGURES, LISTED, Explanation, Finding
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.origins.origin import Origin, Seed, SeedGeneration
from corpusdb.paraphrase.queries.origins.registry import ORIGINS

BEER, PIZZA = "A beer, please.", "A slice of pizza, please."


@pytest.fixture
def begun(run: Run, generated: Path) -> Run:
    """`session` on the sentences of the paper, with two seeds."""
    result = run("session", "new", "s", "--lang", "en", "-N", "0", "--text", BEER, "--text", PIZZA)
    assert result.exit_code == 0, result.stderr
    return lambda *arguments, **more: run("session", *arguments, **more)


def texts(begun: Run) -> list[str]:
    return [each["text"] for each in document(begun("show", "s", "--json"))["paraphrases"]]


def test_seeds_of_another_language_are_told(begun: Run) -> None:
    french = ("--text", "Une bière, s'il vous plaît.")
    told = begun("new", "t", "--lang", "en", *french, "--text", BEER).stderr
    assert "of the seeds 1 of 2 are fra sentences of the corpus, and no eng ones: was another --lang meant?" in told
    assert "another --lang" not in begun("new", "u", "--lang", "fra", *french, "--text", "Rien du tout.").stderr


def test_the_help_fits_the_line(run: Run) -> None:
    summaries = run("session", "-h").stdout.partition("Commands:")[2].splitlines()
    assert all(len(line) <= 80 and "..." not in line for line in summaries)


def test_the_queue(begun: Run) -> None:
    result = begun("show", "s")
    lines = result.stdout.splitlines()
    assert lines[0] == BEER
    assert lines[1] == "  fra  Une bière, s'il vous plaît."
    assert lines[2].split("\t") == ["number", "said", "from", "fails", *(each.heading for each in LISTED), "text"]
    assert lines[3].split("\t")[:3] == ["1", "", "D*"]
    assert "seed 1 of 2, seen;" in result.stderr
    assert begun("previous", "s").exit_code == 1
    assert begun("next", "s").stdout.splitlines()[0] == PIZZA
    result = begun("next", "s")
    assert (result.exit_code, "seed 2 is the last" in result.stderr, result.stdout) == (1, True, "")
    assert begun("previous", "s").stdout.splitlines()[0] == BEER
    assert begun("add", "s", "A twin, please.").stdout.splitlines()[0] == "A twin, please."
    assert begun("go", "s", 3).stdout.splitlines()[0] == PIZZA
    done = document(begun("done", "s", "--json"))
    assert (done["done"], done["seed"], done["position"]) == (1, PIZZA, 3)
    rows = [line.split("\t") for line in begun("seeds", "s").stdout.splitlines()[1:]]
    assert rows == [
        ["1", "seen", "0", "0", BEER],
        ["2", "seen", "0", "0", "A twin, please."],
        ["3", "done", "0", "0", PIZZA],
    ]
    assert [each["state"] for each in document(begun("seeds", "s", "--json"))] == ["seen", "seen", "done"]
    result = begun("go", "s", 9)
    assert (result.exit_code, "has no seed 9; its seeds are 1 to 3" in result.stderr) == (3, True)


def test_n_is_moved_and_kept(begun: Run) -> None:
    begun("go", "s", 2)
    for order, mark in ((0, "G"), (300, "Gx")):
        rows = [line.split("\t") for line in begun("order", "s", order).stdout.splitlines()[3:]]
        (candidate,) = [row for row in rows if row[-1] == "Can I have a slice of pizza?"]
        assert candidate[2] == mark
    assert document(begun("list", "--json"))[0]["order"] == 300
    assert f"of {len(texts(begun))} pass at N = 300, V = 0.95" in begun("show", "s").stderr


def test_the_least_validity_is_asked_for(begun: Run) -> None:
    begun("order", "s", 1)
    for command, from_seed in (("show", 2), ("next", 1)):
        for least, mark in ((0, "G"), (0.2, "G"), (0.99, "Gx")):
            begun("go", "s", from_seed)
            result = begun(command, "s", "--min-validity", least)
            rows = [line.split("\t") for line in result.stdout.splitlines()[3:]]
            (candidate,) = [row for row in rows if row[-1] == "Can I have a slice of pizza?"]
            assert 0.2 < float(candidate[4]) < 0.99
            assert candidate[2:4] == [mark, "" if mark == "G" else "validity"]
            as_json = document(begun("show", "s", "--min-validity", least, "--json"))["paraphrases"]
            assert [each["fails"] or "" for each in as_json] == [row[3] for row in rows]
            advice = "; `session order s 1 -V 0` lets 1 pass" if "0 of 1 pass" in result.stderr else ""
            assert result.stderr.endswith(f"pass at N = 1{f', V = {least}' if least else ''}{advice}\n")
    assert begun("show", "s", "--min-validity", 2).exit_code == 2


def test_what_is_not_given_of_the_filter_stays(begun: Run) -> None:
    asked = ("order", "s", 20, "--real", "--address", "any")
    assert "pass at N = 20, V = 0.95, real, any address" in begun(*asked).stderr
    assert "pass at N = 7, V = 0.5, real, any address" in begun("order", "s", 7, "-V", 0.5).stderr
    standing = document(begun("list", "--json"))[0]
    assert {name: standing[name] for name in ("order", "min_validity", "real", "address")} == {
        "order": 7,
        "min_validity": 0.5,
        "real": True,
        "address": "any",
    }
    assert begun("order", "s", 7, "--no-real", "--address", "same").stderr.endswith("pass at N = 7, V = 0.5\n")


@pytest.mark.slow
def test_decide_undo_and_write(begun: Run, run: Run) -> None:
    begun("go", "s", 2)
    named = texts(begun)
    candidate = "Can I have a slice of pizza?"
    result = begun("accept", "s", candidate, "--json")
    assert document(result)["decided"] == [candidate]
    again = begun("accept", "s", named.index(candidate) + 1)
    assert f"{candidate!r} is accepted already" in again.stderr
    assert "\t+\t" in begun("show", "s").stdout
    assert document(begun("reject", "s", candidate, "--json"))["rejected"] == 1
    undone = document(begun("undo", "s", "--json"))
    assert (undone["decision"]["verdict"], undone["stands"], undone["in_corpus"]) == ("reject", "accept", 0)
    assert begun("decisions", "s").stdout.splitlines()[1:] == [f"accept\tno\t{PIZZA}\t{candidate}"]
    report = document(begun("apply", "s", "--json"))
    assert (report["accepted"], report["translations"], report["without_translations"]) == (1, 1, [])
    assert "\tw\tDG*\t" in begun("show", "s").stdout
    assert document(begun("decisions", "s", "--json")) == [
        {"seed": PIZZA, "text": candidate, "verdict": "accept", "applied": True}
    ]
    result = begun("undo", "s")
    assert (result.exit_code, "nothing to take back" in result.stderr) == (1, True)
    result = begun("reject", "s", candidate)
    assert (result.exit_code, "cannot be rejected while it is in the corpus" in result.stderr) == (3, True)
    assert candidate in run("search", "slice of pizza", "--lang", "eng").stdout


def test_what_was_derived_follows_unless_it_is_left_to_generate(begun: Run, run: Run, generated: Path) -> None:
    """Of hours it is said beforehand: in a small corpus all validities are learned again."""
    begun("accept", "s", "One beer, thanks.", "--own")
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update run set started = datetime(finished, '-1 hours') where operation = 'generate'")
    left = begun("apply", "s", "--no-follow")
    assert "stays as it is; `corpusdb generate --lang eng` brings it up to date" in left.stderr
    assert left.stdout.startswith("paraphrases written\t1\n")
    assert document(run("info", "--json"))["languages"][0]["layers"][0]["state"] == "behind"
    follows = begun("apply", "s")
    assert "may take as long as generating did (1 h 00 min); --no-follow leaves it to" in follows.stderr
    assert document(run("info", "--json"))["languages"][0]["layers"][0]["state"] == "up to date"


def test_nothing_is_decided_where_one_of_several_is_not_there(begun: Run) -> None:
    result = begun("accept", "s", 1, "Nothing like it.")
    assert (result.exit_code, "'Nothing like it.' is not a paraphrase of" in result.stderr) == (3, True)
    assert document(begun("decisions", "s", "--json")) == []


def test_a_seed_of_ones_own_waits_for_translations(begun: Run) -> None:
    begun("add", "s", "Can I have a twin?")
    assert texts(begun)
    begun("accept", "s", 1)
    result = begun("apply", "s")
    assert "is not in the corpus yet: its seed 'Can I have a twin?' has no translations" in result.stderr
    assert "waiting for translations of their seed\t1" in result.stdout
    (standing,) = document(begun("list", "--json"))
    assert (standing["accepted"], standing["to_apply"], standing["without_translations"]) == (1, 0, 1)


def test_undo_says_what_it_passes_over(begun: Run) -> None:
    first = texts(begun)[0]
    begun("next", "s")
    begun("reject", "s", 1)
    begun("previous", "s")
    begun("accept", "s", first)
    assert begun("apply", "s").exit_code == 0
    result = begun("undo", "s")
    assert "1 accepted later are in the corpus and stay there" in result.stderr
    assert f"seed\t{PIZZA}" in result.stdout


def test_each_source_of_seeds(begun: Run, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text(f"{PIZZA}\n\n{BEER}\n", encoding="utf-8")
    for arguments in (("--from", "seeds.txt"), ("--search", "please"), ("--sample", 2, "--seed", 3, "-N", 0)):
        made = document(begun("new", arguments[1], "--lang", "eng", "--json", *arguments))
        assert made["seeds"] == (6 if arguments[0] == "--search" else 2)
    assert document(begun("new", "piped", "--lang", "eng", "--from", "-", "--json", stdin=f"{BEER}\n"))["seeds"] == 1
    assert document(begun("list", "--json"))[0]["name"] == "piped"
    assert begun("list").stdout.startswith("name\tlanguage\tposition")
    for wrong in ([], ["--text", BEER, "--sample", 2]):
        result = begun("new", "none", "--lang", "eng", *wrong)
        assert (result.exit_code, "name one" in result.stderr) == (2, True)
    result = begun("new", "none", "--lang", "eng", "--text", BEER, "--seed", 3)
    assert (result.exit_code, "--seed is for --sample" in result.stderr) == (2, True)
    result = begun("new", "s", "--lang", "eng", "--text", BEER)
    assert (result.exit_code, "there is a session 's' already" in result.stderr) == (2, True)


def test_references_line_up_with_the_file_of_which_the_seeds_are(begun: Run, run: Run, tmp_path: Path) -> None:
    lines = [BEER, "", PIZZA, BEER, "A twin, please.", "Thank you."]
    (tmp_path / "seeds.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = begun("new", "f", "--lang", "eng", "-N", 0, "--from", "seeds.txt")
    assert "6 lines: 4 seeds, 1 blank, 1 double" in made.stderr
    assert document(begun("new", "g", "--lang", "eng", "--from", "seeds.txt", "--json"))["double"] == 1
    assert begun("accept", "f", 1).exit_code == 0
    assert "3 of 4 seeds have only themselves as reference" in begun("references", "f", "-o", "own.tsv").stderr
    result = begun("references", "f", "--for", "seeds.txt", "-o", "refs.tsv")
    assert "3 of 6 lines have only themselves as reference" in result.stderr
    assert "1 blank line has the reference '-': score '-' there" in result.stderr
    assert result.stdout == "file\trefs.tsv\nsegments\t6\naccepted\t2\n"
    (tmp_path / "out.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    scored = run("score", "out.txt", "--ref", "refs.tsv")
    assert (scored.exit_code, "of 6 segments" in scored.stderr) == (0, True), scored.stderr
    assert run("score", "out.txt", "--ref", "own.tsv").exit_code == 3
    (tmp_path / "some.txt").write_text(f"{BEER}\nNo seed.\n", encoding="utf-8")
    told = begun("references", "f", "--for", "some.txt", "-o", "some.jsonl", "--json")
    assert (document(told)["no_seed"], document(told)["seeds_left_out"]) == (1, 3)


def test_a_wording_of_ones_own(begun: Run, tmp_path: Path) -> None:
    assert begun("accept", "s", "One beer, thanks.").exit_code == 3
    assert document(begun("accept", "s", " One beer, thanks.", "--own", "--json"))["decided"] == ["One beer, thanks."]
    assert begun("references", "s", "-o", "refs.tsv").exit_code == 0
    assert f"1\t2\t{BEER}\tOne beer, thanks.\n" in (tmp_path / "refs.tsv").read_text(encoding="utf-8")
    assert "\nparaphrase\tOne beer, thanks.\n" in begun("undo", "s").stdout
    assert "One beer, thanks." not in begun("show", "s").stdout
    assert "nothing was decided yet" in begun("undo", "s").stderr


def test_a_deleted_session_is_found_again(begun: Run) -> None:
    assert "no session was deleted" in begun("restore").stderr
    begun("new", "t", "--lang", "eng", "--text", BEER)
    begun("delete", "t")
    assert "1 deleted: `corpusdb session restore` brings back or lists" in begun("list").stderr
    assert begun("restore").stdout.startswith("session\tt\n")
    begun("delete", "s")
    begun("delete", "t")
    result = begun("restore")
    assert (result.exit_code, [row.split("\t")[0] for row in result.stdout.splitlines()]) == (1, ["name", "t", "s"])
    assert "name the one to bring back" in result.stderr
    assert begun("restore", "s").exit_code == 0


def test_what_is_not_there(run: Run, generated: Path) -> None:
    assert "there is no session yet" in run("session", "list").stderr
    result = run("session", "show", "x")
    assert (result.exit_code, "there is no session 'x'; there are: none yet" in result.stderr) == (3, True)


def test_before_anything_was_generated_the_reason_is_said(run: Run, corpus: Path) -> None:
    run("session", "new", "s", "--lang", "eng", "--text", BEER)
    result = run("session", "show", "s")
    assert (result.exit_code, "run `corpusdb generate --lang eng` first" in result.stderr) == (0, True)


class Shouted(Origin):
    name = label = "shouted"
    mark = "S"

    def stored(self, store: Store, seed: Seed) -> list[Finding] | None:
        return [Finding(self.name, seed.text.upper(), fluency=20, inner_fluency=20, strength=0.5)]

    def explain(self, store: Store, seed: Seed, text: str, limit: int, generation: SeedGeneration) -> Explanation:
        return Explanation(seed.text, text, (), 0, reasons=("louder",) if text == seed.text.upper() else ())


@pytest.mark.slow
def test_a_new_origin_is_shown_by_its_mark(begun: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ORIGINS, "shouted", Shouted())
    shown = {line.split("\t")[-1]: line.split("\t")[2] for line in begun("show", "s").stdout.splitlines()[3:]}
    assert shown[BEER.upper()] == "S"
    assert "D*" in shown.values()
    assert BEER.upper() in texts(begun)
    assert begun("accept", "s", BEER.upper()).exit_code == 0
    assert begun("apply", "s").exit_code == 0
    assert document(begun("decisions", "s", "--json"))[0]["text"] == BEER.upper()


def test_a_new_origin_in_the_other_commands(run: Run, generated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ORIGINS, "shouted", Shouted())
    listed = document(run("paraphrases", BEER, "--json"))
    (one,) = (each for each in listed if each["text"] == BEER.upper())
    lacking = {each.name: getattr(Finding("", ""), each.column) for each in FIGURES}
    said = {"text": BEER.upper(), "order": 20, "inner_order": 20, "in_corpus": False, "score": 0.5}
    assert one == lacking | said
    assert BEER.upper() not in run("paraphrases", BEER, "-N", "21").stdout
    assert run("explain", BEER, BEER.upper()).stdout == "louder\n"
    assert document(run("explain", BEER, BEER.upper(), "--json"))["reasons"] == ["louder"]
    assert run("references", BEER, "-o", "refs", "--format", "tsv").exit_code == 0
    assert BEER.upper() in "".join(file.read_text(encoding="utf-8") for file in Path("refs").iterdir())


_SUBJECTS = (("Tom", "Tom"), ("Mary", "Marie"), ("the man", "l'homme"), ("my sister", "ma soeur"))
_VERBS = (("begins", "commence"), ("starts", "commence"), ("sees", "voit"), ("likes", "aime"))
_OBJECTS = (("the work", "le travail"), ("a game", "un jeu"), ("her lesson", "sa leçon"))


@pytest.fixture
def aligned(run: Run, tmp_path: Path) -> Run:
    """A corpus in which two verbs share their translations in two languages, one of which is the other spelt back."""
    pairs = [
        (f"{subject[0]} {verb[0]} {thing[0]}.", f"{subject[1]} {verb[1]} {thing[1]}.")
        for subject in _SUBJECTS
        for verb in _VERBS
        for thing in _OBJECTS
        if (subject[0], verb[0], thing[0]) != ("Tom", "starts", "a game")
    ]
    for language in ("fra", "deu"):
        rows = [(own, other if language == "fra" else other.upper()) for own, other in pairs]
        (tmp_path / f"{language}.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
        for words in (
            ("import", f"{language}.tsv", "--lang", f"eng,{language}", "--header", "no"),
            ("align", "--lang", f"eng,{language}"),
        ):
            result = run(*words)
            assert result.exit_code == 0, result.stderr
    assert run("generate", "--lang", "eng").exit_code == 0
    return run


@pytest.mark.slow
def test_equivalents_come_in_a_session_and_what_is_decided_of_them_stays(aligned: Run) -> None:
    seed, said = "Tom begins a game.", "Tom starts a game."
    assert aligned("session", "new", "q", "--lang", "eng", "-N", "0", "--text", BEER, "--text", seed).exit_code == 0
    assert seed in aligned("session", "next", "q").stdout.splitlines()[0]

    def row() -> list[str]:
        lines = aligned("session", "show", "q").stdout.splitlines()
        return next(line.split("\t") for line in lines if line.endswith(f"\t{said}"))

    assert "Q" in row()[2] and row()[1] == ""
    told = aligned("explain", seed, said, "--lang", "eng").stdout.splitlines()
    first = told.index("'begins' becomes 'starts', which is aligned with the same words")
    assert told[first + 1].startswith("  probability ") and told[first + 1].endswith("through deu, fra")
    assert "  fra 'commence': 12 and 11 times, as in" in told[first:]
    assert any("begins" in line and "commence" in line for line in told[first + 3 :])
    assert any("starts" in line and "commence" in line for line in told[first + 3 :])
    assert aligned("session", "reject", "q", said).exit_code == 0
    assert row()[1] == "-"
    assert aligned("align", "--lang", "eng,fra", "--retrain").exit_code == 0
    assert row()[1] == "-" and "Q" in row()[2]
    assert aligned("session", "undo", "q").exit_code == 0
    assert aligned("session", "accept", "q", said).exit_code == 0
    assert "paraphrases written\t1\n" in aligned("session", "apply", "q").stdout
    assert row()[1] == "w"
    assert aligned("align", "--lang", "eng,fra", "--json").stdout.count('"without_links": 0') == 1
    assert aligned("check", "--full").exit_code == 0


def test_only_a_filter_that_lets_some_pass_is_named(run: Run, generated: Path) -> None:
    refused = run("session", "new", "drawn", "--lang", "eng", "--sample", "3").stderr
    assert "no sentence in eng has a paraphrase at N = 20, V = 0.95; at N = 20 2 would have one" in refused
    run("session", "new", "s", "--lang", "eng", "--text", "A beer, please.")
    shown = run("session", "show", "s").stderr
    assert "0 of 1 pass at N = 20, V = 0.95; `session order s 20 -V 0` lets 1 pass\n" in shown
    assert run("session", "order", "s", "20", "-T", "0").stderr.endswith("1 of 1 pass at N = 20\n")

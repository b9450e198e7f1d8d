"""The corpora of compare_outputs.py: their files, and what is asked of them."""

from __future__ import annotations

import gzip
import re
import shlex
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

PHRASEBOOK = Path(__file__).resolve().parents[2] / "corpusdb" / "phrasebook"
FIRST_LINE = 20_000
"""Of the pairs of Tatoeba that are taken: sentences of five words, many of which share a translation."""


@dataclass
class Sample:
    """One corpus, and what is asked of it."""

    name: str
    files: Sequence[Path]
    words: dict[str, str] = field(default_factory=dict)
    """What stands for the words in capitals of the calls."""

    def put_into(self, folder: Path) -> None:
        """Write everything that calls read."""
        inputs = folder / "inputs"
        inputs.mkdir()
        (folder / "out").mkdir()
        for file in self.files:
            shutil.copy(file, inputs)
        pairs = list(self.pairs())[:60]
        sources, references = [other for _, other in pairs], [english for english, _ in pairs]
        texts = {
            "equations.tsv": "walk\twalked\ttalk\na\tb\tc\nab\taabb\taaab\n",
            "keys.toml": "[keys]\nnonsense = 'x'\n",
            "bad.tsv": "one\n\ntwo\tthree\tfour\n",
            "bad.xml": "<dataset><doc>",
            "one.tsv": "english\tfrench\nI saw ABBA.\tJ'ai vu ABBA.\nThe end.\tLa fin.\n＝1+1\t=1+1\n",
            "one.csv": 'english,note,french\n"Well, well.",x,"Tiens, tiens."\nThe end.,,La fin.\n',
            "two.tsv": "".join(f"{a} {b}\t{c} {d}\n" for (a, c), (b, d) in pairwise(pairs)),
            "seeds.txt": "".join(f"{self.words[name]}\n" for name in ("SEED", "SEED2", "UNSEEN")),
            "source.txt": "".join(f"{each}\n" for each in sources),
            "ref1.txt": "".join(f"{each}\n" for each in references),
            "ref2.txt": "".join(f"{each.lower()}\n" for each in [*references[1:], references[0]]),
            "hyp1.txt": "".join(f"{' '.join(without_every(each, 4))}\n" for each in references),
            "hyp2.txt": "".join(f"{' '.join(without_every(each, 3))}!\n" for each in references),
            "seedhyp.txt": "".join(f"{self.words[name]}\n" for name in ("REWORDING", "REWORDING2")),
            "japanese.txt": "静かだ。\n彼が本を読んだ。\n「行くよ」と彼は言いました。\n",
            "polite.txt": "静かです。\n彼が本を読みました。\n「行くよ」と彼は言った。\n",
            "ja-human.tsv": "system\traw\tz\njapanese\t80\t0.5\npolite\t70\t0.25\n",
            "bad.rules": "da polite = だ(da final <-> です(desu final) / _ END\n",
            "short.txt": "Only one.\n",
            "holes.txt": "\n" * len(references),
            "human.tsv": "system\tsegment\tz\n"
            + "".join(f"hyp{1 + n % 2}\t{n // 2}\t{n * 7 % 11 / 10}\n" for n in range(2 * len(references))),
            "said.tsv": "item\ttext\tverdict\n1\t\ty\n2\t\tn\n",
            "words.conllu": "# sent_id = 1\n# text_fr = Je l'ai vu.\n"
            "1\tI\tI\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tsaw\tsee\tVERB\t_\t_\t0\troot\t_\t_\n\n"
            "# sent_id = 2\n1-2\tIt's\t_\t_\t_\t_\t_\t_\t_\t_\n1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
            "2\t's\tbe\tVERB\t_\t_\t0\troot\t_\t_\n",
            "query.sql": "select language, count(*) from sentence group by language\n",
        }
        for name, text in texts.items():
            (inputs / name).write_text(text, encoding="utf-8")

    def pairs(self) -> Iterator[tuple[str, str]]:
        """English sentences with a French translation, each once."""
        seen = set()
        for file in self.files:
            for line in file.read_text(encoding="utf-8").splitlines()[1:]:
                english, _, french = line.split("\t")
                if french and english not in seen:
                    seen.add(english)
                    yield english, french

    def choose_words(self, database: Path) -> None:
        """Choose what is asked for: frequent words, and the seeds with most paraphrases in a database of the files."""
        words = Counter(word for english, _ in self.pairs() for word in re.findall(r"[a-z]{3,}", english))
        (frequent, _), (other, _) = words.most_common(2)
        with closing(sqlite3.connect(database)) as connection:
            found = connection.execute(
                "select s.text, (select c.text from candidate c where c.seed = s.id order by frequency desc, text)"
                " from seed s join candidate c on c.seed = s.id where s.language = 'eng' and c.fluency >= 20"
                " group by s.id order by count(*) desc, s.text limit 3"
            ).fetchall()
        (seed, rewording), (seed2, rewording2), (seed3, _) = found
        unseen = f"{seed.rstrip('?!. ')} now."
        self.words = {"WORD": frequent, "OTHER": other, "SEED": seed, "REWORDING": rewording, "SEED2": seed2}
        self.words |= {"REWORDING2": rewording2, "SEED3": seed3, "UNSEEN": unseen, "LANGUAGES": "eng,jpn,fra"}
        self.words |= {"UNSEEN2": f"{rewording.rstrip('?!. ')} now.", "GAP": f"{seed.rpartition(' ')[0]} _"}

    def call(self, line: str) -> tuple[list[str], str | None]:
        """The arguments of a line of calls, and the file that is stdin."""
        arguments: list[str] = []
        for word in shlex.split(line):
            if word == "FILES":
                arguments += [f"inputs/{file.name}" for file in self.files]
            else:
                arguments.append(self.words.get(word, word))
        if arguments[-2:-1] == ["<"]:
            return arguments[:-2], arguments[-1]
        return arguments, None


def without_every(text: str, step: int) -> list[str]:
    words = text.split()
    return [word for number, word in enumerate(words, 1) if number % step] or words


def phrasebook() -> Sample:
    return Sample("phrasebook", sorted(PHRASEBOOK.glob("*.tsv")))


def tatoeba(data: Path, pairs: int, folder: Path) -> Sample:
    """A sample of Tatoeba as one file of three columns: a block of the French pairs, and their Japanese ones."""

    def read(language: str) -> list[tuple[str, str]]:
        with gzip.open(data / f"eng-{language}.tsv.gz", "rt", encoding="utf-8") as file:
            cells = [line.rstrip("\n").split("\t") for line in file]
        return [(line[0], line[1]) for line in cells[1:]]

    french = read("fra")[FIRST_LINE : FIRST_LINE + pairs]
    wanted = {english for english, _ in french}
    lines = [f"{english}\t\t{other}\n" for english, other in french]
    lines += [f"{english}\t{other}\t\n" for english, other in read("jpn") if english in wanted]
    file = folder / "tatoeba.tsv"
    file.write_text("english\tjapanese\tfrench\n" + "".join(lines), encoding="utf-8")
    return Sample("tatoeba", [file])

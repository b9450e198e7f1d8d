"""Damaged files through all readers: each ends in units or in one InputError that names the file, in bounded time.

    python tests/benchmarks/mutated_files.py [--count 100000] [--seed 1] [--data FOLDER] [--program 500]

Every file is a good or broken sample with one to four changes: bytes flipped, pieces cut out, doubled, moved or put in
from elsewhere, and what readers stumble over. With --program so many of them are given to the program, too, whose
database must then be as it was, unless the import succeeded.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.formats.scoring_input import (
    read_human_scores,
    read_output,
    read_references,
    read_score_file,
    read_sources,
)
from corpusdb.people.queries.samples import read_sheet
from tui.app import load_configuration

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "formats"
SCORES = Path(__file__).resolve().parents[1] / "corpus" / "formats" / "score_files" / "good"
LARGEST_SAMPLE = 12_000
SECONDS = 20.0
"""Of the processor, for one file."""
LONGEST_MESSAGE = 800

SAMPLES: dict[str, bytes] = {
    "words.conllu": (
        "# newdoc id = d\n# sent_id = 1\n# text = Don't, café!\n# text_fr = Non !\n"
        "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "1\tDo\tdo\tAUX\tVB\tMood=Imp\t0\troot\t_\t_\n2\tn't\tnot\tPART\tRB\t_\t1\tadvmod\t_\t_\n"
        "3\t,\t,\tPUNCT\t,\t_\t1\tpunct\t_\t_\n3.1\tgo\tgo\tVERB\t_\t_\t_\t_\t1:dep\t_\n"
        "4\tcafé\tcafé\tNOUN\tNN\t_\t1\tdep\t_\tSpaceAfter=No\n5\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_\n\n"
    ).encode(),
    "words.vert": (
        b"<!-- #vrt positional-attributes: word pos lemma -->\n<doc id='d' genre=\"news\">\n<s id='1'>\nHe\tPRP\the\n"
        b"went\tVBD\tgo\n<g/>\n.\t.\t.\n</s>\n<s>\nR&amp;D\tNP\tR&amp;D\n</s>\n</doc>\n"
    ),
    "pairs.tsv": b"eng\tfra\tdocument\nGood day.\tBonjour.\ta\nThank you.\tMerci.\tb\n" * 3,
    "pairs.csv": b'eng,fra\n"Good, day.","Bon\njour."\nThanks.,Merci.\n' * 3,
    "units.jsonl": (
        b'{"eng": "Good day.", "fra": ["Bonjour.", "Bon jour."], "id": 7}\n'
        b'{"texts": [{"lang": "eng", "text": "One."}, {"lang": "fra", "text": "Un.", "role": "reference", "name": "B"}'
        b'], "document": "d", "attributes": {"genre": "talk"}}\n'
    ),
    "sentences.csv": b"1\teng\tGood day.\n2\tfra\tBonjour.\n3\teng\tThanks.\n4\tfra\tMerci.\n",
    "plain.en": "Good day.\nThank you.\n七時です。\n".encode(),
    "references.jsonl": b'{"id": 1, "source": "Un", "references": ["One", "1"]}\n{"source": "", "references": ["2"]}\n',
    "references.tsv": b"segment\trank\tsource\treference\n1\t1\tUn.\tOne.\n1\t2\tUn.\t1.\n2\t1\tDeux.\tTwo.\n",
    "human.tsv": b"system\tsegment\tz\nA\t0\t0.5\nA\t1\t-1e3\nB\t0\t2\n",
    "sheet.tsv": b'item\tseed\ttext\tverdict\tcomment\n1\tOne.\t"1, ""so""."\ty\t\n2\tTwo.\tDeux.\tn\twhy\n',
    "browser.toml": b'theme = "dark"\nborders = "ascii"\n[keys]\n"app.help" = "f1,question_mark"\n',
}
"""Of what the folder of samples has none."""

TOKENS: Sequence[bytes] = (
    *(b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xff"),
    *(
        "\u2028".encode(),
        "\u0085".encode(),
        "\u202e".encode(),
        "e\u0301\u0301".encode(),
        b"\r",
        b"\n",
        b"\t",
        b'"',
        b"'",
    ),
    *(b"9" * 5000, b"-1", b"1e400", b"NaN", b"Infinity", b"99999999999999999999999", b"\xd9\xa3", b"0x1F", b"\xc2\xb2"),
    *(
        b"[" * 3000,
        b'{"a":' * 3000,
        b"<a>" * 150,
        b"<" * 50,
        b"</seg>",
        b"</doc>",
        b"<seg id='1'>",
        b"<!--",
        b"<![CDATA[",
    ),
    *(b"&#0;", b"&#xD800;", b"&#9999999;", b"&x;", b"<!ENTITY a 'b'>", b"<!DOCTYPE a [", b"<?xml version='1.0'?>"),
    *(b'<?xml version="1.0" encoding="utf-7"?>', b'encoding="idna"', b'encoding="rot13"', b'encoding="UTF-16"'),
    *(b"\\u0000", b"\\ud800", b"\\", b"null", b"true", b"{}", b"[]", b"\x1f\x8b", b"PK\x03\x04", b"\x1b]52;c;AAAA\x07"),
    *(b"lang", b"eng", b"xx", b"zho-Hant", b"id", b"#2", b":reference:", b"segment", b"a" * 70_000),
)


def mutated(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """``data`` with one to four changes."""
    for _ in range(chance.randint(1, 4)):
        data = chance.choice(_CHANGES)(data, chance, others)
    return data


def _piece(data: bytes, chance: random.Random) -> tuple[int, int]:
    begin = chance.randint(0, len(data))
    return begin, min(len(data), begin + int(chance.expovariate(1 / 40)) + 1)


def _flipped(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(min(len(data), chance.choice((1, 1, 3, 20)))):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _without_piece(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    begin, end = _piece(data, chance)
    return data[:begin] + data[end:]


def _with_piece_twice(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    begin, end = _piece(data, chance)
    return data[:end] + data[begin:end] * chance.choice((1, 1, 50)) + data[end:]


def _cut_off(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    return data[: chance.randint(0, len(data))]


def _with_token(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    begin, end = _piece(data, chance)
    return data[:begin] + chance.choice(TOKENS) + data[chance.choice((begin, end)) :]


def _with_other(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    other = chance.choice(others)
    begin, end = _piece(other, chance)
    at = chance.randint(0, len(data))
    return data[:at] + other[begin:end] + data[at:]


def _with_lines_moved(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    line = lines.pop(chance.randrange(len(lines)))
    lines.insert(chance.randint(0, len(lines)), line)
    return b"\n".join(lines)


def _with_other_number(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    places = [at for at, byte in enumerate(data) if 48 <= byte < 58]
    if not places:
        return data
    at = chance.choice(places)
    return data[:at] + chance.choice((b"-1", b"0", b"9" * 25, b"9" * 5000, b"1.5", b"")) + data[at + 1 :]


def _encoded(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(chance.choice(("utf-16", "utf-16-le", "latin-1", "utf-8-sig", "cp1252", "utf-32")), "replace")


def _packed(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    packed = gzip.compress(data, mtime=0)
    return chance.choice((packed, _flipped(packed, chance, others), _cut_off(packed, chance, others)))


_CHANGES: Sequence[Callable[[bytes, random.Random, Sequence[bytes]], bytes]] = (
    *(_flipped, _without_piece, _with_piece_twice, _cut_off, _with_token, _with_token, _with_token),
    *(_with_other, _with_lines_moved, _with_other_number),
    *(_encoded, _packed),
)
_LANGUAGES = Options(languages=("eng", "fra"))


def _read(format: str, options: Options = _LANGUAGES, *beside: Path) -> Callable[[Path], object]:
    def read(path: Path) -> object:
        return [sum(1 for _ in source.items()) for source in open_sources(format, [path, *beside], options)]

    return read


def readers(folder: Path) -> dict[str, Callable[[Path], object]]:
    """Every reader of a file of somebody else's; in ``folder`` lies what goes with them."""
    (folder / "beside.en").write_text("Good day.\nThank you.\nSeven.\n", encoding="utf-8")
    (folder / "links.csv").write_text("1\t2\n3\t4\n", encoding="utf-8")
    beside, links = folder / "beside.en", folder / "links.csv"
    plain = read_references([beside])
    systems = Options(languages=("jpn", "eng"), systems=True)
    return {
        "tsv": _read("tsv"),
        "tsv by header": _read("tsv", Options()),
        "tsv by name": _read("tsv", Options(languages=("eng", "fra"), columns=("eng", "fra"))),
        "csv": _read("csv"),
        "csv by header": _read("csv", Options()),
        "jsonl": _read("jsonl", Options()),
        "moses": _read("moses", _LANGUAGES, beside),
        "tatoeba": _read("tatoeba", Options(), links),
        "tmx": _read("tmx", Options()),
        "wmt": _read("wmt", systems),
        "sgm": _read("sgm", systems),
        "conllu": _read("conllu"),
        "vert": _read("vert", Options(languages=("eng",), attributes=("word", "pos", "lemma"))),
        "references": lambda path: read_references([path]),
        "output": lambda path: read_output(path, plain.segmentation),
        "sources": lambda path: read_sources(path, plain),
        "human scores": read_human_scores,
        "external scores": lambda path: read_score_file(path).scores(),
        "sheet": lambda path: list(read_sheet(path)),
        "settings": load_configuration,
    }


def samples(data: Path = DATA) -> dict[str, bytes]:
    """The files to be damaged, by their names; a long one by its beginning."""
    found = dict(SAMPLES)
    for path in sorted(SCORES.rglob("*.*")):
        if path.is_file():
            found[f"score-file-{path.name}"] = path.read_bytes()
    for path in sorted(data.glob("*/*/*")):
        found[f"{path.parent.name}-{path.name}"] = path.read_bytes()[:LARGEST_SAMPLE]
    return found


@dataclass(frozen=True)
class Failure:
    """What is wrong with how a reader took a file."""

    reader: str
    sample: str
    number: int
    reason: str


def attacks(
    count: int, seed: int, files: dict[str, bytes], names: Sequence[str]
) -> Iterator[tuple[int, str, str, bytes]]:
    """Number, reader, sample and content of each file; each is a matter of its number alone."""
    known, contents = list(files), list(files.values())
    for number in range(count):
        chance = random.Random(seed * 1_000_003 + number)
        sample = chance.choice(known)
        fitting = (chance.random() < 0.8 and _fitting(sample, names)) or list(names)
        yield number, chance.choice(fitting), sample, mutated(files[sample], chance, contents)


def _fitting(sample: str, names: Sequence[str]) -> list[str]:
    """The readers that such a file is meant for."""
    kinds = {
        ".tmx": ("tmx",),
        ".sgm": ("sgm", "references", "output"),
        ".conllu": ("conllu",),
        ".vert": ("vert",),
        ".xml": ("wmt", "references", "output"),
        ".csv": ("csv", "csv by header", "tatoeba"),
        ".jsonl": ("jsonl", "references"),
        ".toml": ("settings",),
        ".tsv": ("tsv", "tsv by header", "tsv by name", "references", "human scores", "external scores", "sheet"),
    }
    if sample.startswith("score-file-"):
        return [name for name in names if name in ("human scores", "external scores")]
    wanted = kinds.get(Path(sample.removesuffix(".gz")).suffix, ("moses", "references", "output", "sources"))
    return [name for name in names if name in wanted]


def outcome(read: Callable[[Path], object], path: Path) -> tuple[str, str]:
    """How a reader takes a file: the kind of the outcome, and what is wrong with it, if anything is."""
    begun = time.process_time()
    try:
        read(path)
        kind, wrong = "read", ""
    except (InputError, UsageError) as error:
        told = str(error)
        kind = type(error).__name__
        wrong = "" if len(told) <= LONGEST_MESSAGE and "\n" not in told else f"message: {told!r}"
        if isinstance(error, InputError) and error.path is None:
            wrong = f"no file is named: {told}"
    except Exception:
        kind, wrong = "crash", traceback.format_exc()
    if time.process_time() - begun > SECONDS:
        wrong = wrong or "takes too long"
    return kind, wrong


def attack_readers(count: int, seed: int, files: dict[str, bytes], folder: Path) -> tuple[Counter[str], list[Failure]]:
    """Give damaged files to the readers; how they ended, and what was wrong."""
    known = readers(folder)
    kinds: Counter[str] = Counter()
    failures = []
    for number, reader, sample, content in attacks(count, seed, files, list(known)):
        path = folder / f"attack{Path(sample.removesuffix('.gz')).suffix}"
        path.write_bytes(content)
        kind, wrong = outcome(known[reader], path)
        kinds[kind] += 1
        if wrong:
            failures.append(Failure(reader, sample, number, wrong))
    return kinds, failures


def attack_program(count: int, seed: int, files: dict[str, bytes], folder: Path) -> tuple[Counter[str], list[Failure]]:
    """Import damaged files with the program itself; where that fails, the database must be as it was."""
    formats = ["tsv", "csv", "jsonl", "tmx", "wmt", "sgm"]
    program = [sys.executable, "-m", "corpusdb", "--quiet", "--db", str(folder / "corpus.db")]
    subprocess.run([*program, "import", _good(folder), "--lang", "eng,fra"], check=True, capture_output=True)
    state = _state(folder)
    kinds: Counter[str] = Counter()
    failures = []
    for number, format, sample, content in attacks(count, seed, files, formats):
        path = folder / f"attack{number}{Path(sample.removesuffix('.gz')).suffix}"
        path.write_bytes(content)
        command = [*program, "import", str(path), "--format", format, "--no-follow"]
        command += ["--lang", "eng,fra"] if format != "jsonl" else []
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        kinds[f"exit {done.returncode}"] += 1
        told = done.stderr.decode("utf-8", "backslashreplace")
        now = _state(folder)
        wrong = done.returncode not in (0, 2, 3) or told.count("\n") > 1 or "error: unexpected" in told
        if wrong or (done.returncode and now != state):
            failures.append(Failure(format, sample, number, f"exit {done.returncode}: {told}"))
        state = now
        path.unlink()
    return kinds, failures


def _good(folder: Path) -> str:
    (folder / "good.tsv").write_bytes(SAMPLES["pairs.tsv"])
    return str(folder / "good.tsv")


def _state(folder: Path) -> str:
    """All that the database holds, but for what is derived from its bytes."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / "corpus.db")) as connection:
        return hashlib.sha256("\n".join(connection.iterdump()).encode("utf-8", "surrogatepass")).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description="damaged files through all readers")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--program", type=int, default=0, help="so many through the command line, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, files = Path(name), samples(options.data)
        for what, count, attack in (
            ("readers", options.count, attack_readers),
            ("program", options.program, attack_program),
        ):
            begun = time.monotonic()
            kinds, failures = attack(count, options.seed, files, folder)
            print(f"{what}: {count:,} files in {time.monotonic() - begun:.0f} s, {dict(kinds)}, {len(failures)} wrong")
            for failure in failures[:20]:
                print(f"  {failure.reader}, {failure.sample}, number {failure.number}: {failure.reason}")


if __name__ == "__main__":
    main()

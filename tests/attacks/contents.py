"""All that a database holds, in a form in which two databases can be compared: without numbers and times.

Rows are named by what they say. Of runs the parameters and counts stay, but for the numbers of runs in them. A table
that is not listed here is an error, so that whoever adds one has to say how it is compared.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from corpusdb.base.arrays import decompressed, unpacked, unpacked_steps
from corpusdb.corpus.model import stored_in

Contents: TypeAlias = dict[str, Counter[tuple[Any, ...]]]


def _figures(table: str) -> str:
    """Of paraphrases, as far as a number does not depend on the order in which things were added up."""
    columns = (f"{table}.{name}" for name in stored_in(table))
    return ", ".join(f"round({each}, 12)" if each.endswith(".probability") else each for each in columns)


_PLACE = "document.digest, occurrence.line"
_QUERIES = {
    "collection": "select name, licence from collection",
    "document": """
        select collection.name, document.name, digest, languages, lines_done, complete, counts
        from document join collection on collection.id = document.collection""",
    "sentence": "select language, text from sentence",
    "occurrence": f"""
        select {_PLACE}, language, text, original from occurrence
        join document on document.id = occurrence.document join sentence on sentence.id = occurrence.sentence""",
    "translation": """
        select a.language, a.text, b.language, b.text, collection.name from translation
        join sentence a on a.id = translation.sentence join sentence b on b.id = translation.translation
        join collection on collection.id = translation.collection""",
    "section": """
        select digest, number, section.name, attributes from section join document on document.id = section.document""",
    "unit": """
        select digest, line, section.number, unit.name from unit
        join document on document.id = unit.document left join section on section.id = unit.section""",
    "version": """
        select digest, line, number, language, text, role, version.name from version
        join document on document.id = version.document join sentence on sentence.id = version.sentence""",
    "paraphrase": """
        select a.language, a.text, b.text, translations, languages, round(probability, 12), validity from paraphrase
        join sentence a on a.id = paraphrase.sentence join sentence b on b.id = paraphrase.paraphrase""",
    "context": """
        select context.language, hash, fillers, text, start, stop
        from context join sentence on sentence.id = context.sentence""",
    "filler": "select language, hash, text, contexts from filler",
    "slot": """
        select context.hash, filler.hash, sentence.text from slot join context on context.id = slot.context
        join filler on filler.id = slot.filler join sentence on sentence.id = slot.sentence""",
    "commutation": """
        select min(x.hash, y.hash), max(x.hash, y.hash), commutation.contexts
        from commutation join filler x on x.id = commutation.x join filler y on y.id = commutation.y""",
    "substitution": """
        select context.hash, filler.hash, reworded.text, sentence.text, substitution.start, substitution.stop
        from substitution join context on context.id = substitution.context
        join filler on filler.id = substitution.filler join sentence on sentence.id = substitution.sentence
        join sentence reworded on reworded.id = substitution.rewording""",
    "seed": """
        select seed.language, seed.text, sentence.text
        from seed left join sentence on sentence.id = seed.sentence""",
    "candidate": f"""
        select seed.language, seed.text, candidate.text, {_figures("candidate")}, unseen, other_unseen, replacement
        from candidate join seed on seed.id = candidate.seed""",
    "exchange": "select language, x, y, pairs, shared, expected from exchange",
    "exchange_part": """
        select language, x, y, kind, name, part.pairs, part.shared, part.expected
        from exchange_part part join exchange on exchange.id = part.exchange""",
    "word_model": "select language, sentences, checksum from word_model",
    "lexical_model": "select language, other, checksum from lexical_model",
    "rewording": f"""
        select language, sentence.text, rewording.text, {_figures("rewording")}, replacement, parts
        from rewording join sentence on sentence.id = rewording.sentence""",
    "layer": """
        select language, name, parameters, complete,
               (select count(*) from sentence where sentence.language = layer.language and id <= last_sentence),
               (select count(*) from translation where translation.run > layer.last_run)
        from layer""",
    "type": "select language, text from type",
    "job_lock": "select operation from job_lock",
    "saved_query": "select name, command, options, note from saved_query",
    "sample": "select name, kind, language, seed, parameters from sample",
    "sample_item": """
        select sample.name, position, text, seed_text, source, fluency, inner_fluency, round(score, 12), frequency
        from sample_item join sample on sample.id = sample_item.sample""",
    "judgement": """
        select sample.name, position, judge, verdict, comment, undone is null from judgement
        join sample_item on sample_item.id = judgement.item join sample on sample.id = sample_item.sample""",
    "session": "select name, language, least_order, position, least_validity, was_called from session",
    "session_seed": """
        select session.name, session_seed.position, text, state
        from session_seed join session on session.id = session_seed.session""",
    "session_decision": """
        select session.name, session_seed.text, session_decision.text, verdict, undone is null, applied is null
        from session_decision join session_seed on session_seed.id = session_decision.seed
        join session on session.id = session_seed.session""",
    "reference_set": "select digest, origin, parameters, segments, hex(texts) from reference_set",
    "system_output": "select system, digest, segments, hex(texts) from system_output",
    "score": """
        select system, system_output.digest, reference_set.digest, metric, unit, ngram_order, value,
               hex(segment_values), signature, score.parameters
        from score join system_output on system_output.id = score.output
        join reference_set on reference_set.id = score.reference_set""",
    "alignment_model": "select source_language, target_language, parameters, state, hex(digest) from alignment_model",
    "alignment": """
        select one.text, other.text, hex(links), hex(tokens_digest) from alignment
        join sentence one on one.id = alignment.sentence join sentence other on other.id = alignment.translation""",
    "phrase": "select language, text from phrase",
    "phrase_count": """
        select language, text, paired, unlinked, unpaired
        from phrase_count join phrase on phrase.id = phrase_count.phrase""",
    "phrase_pair": """
        select source.language, source.text, target.language, target.text, count, size, one.text, other.text
        from phrase_pair join phrase source on source.id = phrase_pair.source
        join phrase target on target.id = phrase_pair.target
        join sentence one on one.id = phrase_pair.sentence join sentence other on other.id = phrase_pair.translation""",
    "imported_score": """
        select system, system_output.digest, name, kind, value, hex(segment_values), file, imported_score.digest
        from imported_score join system_output on system_output.id = imported_score.output""",
    "char_model": "select language, name, parameters, sources, texts, characters, hex(counts) from char_model",
    "profile": """
        select profile.language, profile.parameters, profile.sources, h11, h12, h21, h22, d1, d2, unseen1, unseen2,
            hex(reference_texts), hex(one.counts), hex(other.counts)
        from profile join char_model one on one.id = model1 join char_model other on other.id = model2""",
    "profile_sentence": """
        select profile.parameters, text, characters, bits1, bits2, unknown
        from profile_sentence join profile on profile.id = profile_sentence.profile
        join sentence on sentence.id = profile_sentence.sentence""",
    "selection": "select language, name, parameters, curve from selection",
    "selection_member": """
        select name, rank, text, score from selection_member
        join selection on selection.id = selection_member.selection
        join sentence on sentence.id = selection_member.sentence""",
    "frozen_set": """
        select reference_set.digest, name, guided_by
        from frozen_set join reference_set on reference_set.id = frozen_set.reference_set""",
    "rule": "select name, kind, text, digest, file from rule",
    "rule_set": "select digest from rule_set",
    "rule_set_member": """
        select rule_set.digest, position, rule.digest from rule_set_member
        join rule_set on rule_set.id = rule_set_member.rule_set join rule on rule.id = rule_set_member.rule""",
    "named_rule_set": "select name from named_rule_set",
    "named_rule_set_member": """
        select named_rule_set.name, position, rule.digest, enabled from named_rule_set_member
        join named_rule_set on named_rule_set.id = named_rule_set_member.named_rule_set
        join rule on rule.id = named_rule_set_member.rule""",
    "rewriting_method": """
        select digest, analyser, most from rewriting_method join rule_set on rule_set.id = rewriting_method.rule_set""",
    "rewritten_text": """
        select digest, analyser, most, text, dropped from rewritten_text
        join rewriting_method on rewriting_method.id = rewritten_text.method
        join rule_set on rule_set.id = rewriting_method.rule_set""",
    "rewriting": """
        select digest, analyser, most, rewritten_text.text, position, rewriting.text, lineage from rewriting
        join rewritten_text on rewritten_text.id = rewriting.origin
        join rewriting_method on rewriting_method.id = rewritten_text.method
        join rule_set on rule_set.id = rewriting_method.rule_set""",
    "rule_effect": """
        select rule.digest, metric, human, correlation, segments, with_rule, delta, low, high
        from rule_effect join rule on rule.id = rule_effect.rule""",
    "rejected_equivalent": "select language, phrase, equivalent, undone is null from rejected_equivalent",
    "line_category": """
        select name, step, sentence.text, start, stop, category, undone is null from line_category
        join sentence on sentence.id = line_category.sentence""",
}
_RUNS = "select operation, parameters, counts, finished is not null from run"
_NUMBERED = ("run",)
"""What is in the parameters of a run and is the number of another."""
_TABLES = "select name from sqlite_master where type = 'table' and name not like 'sqlite^_%' escape '^'"
_KEPT_BY_THE_STORE = frozenset(
    "_sqlite_migrations schema_migration row_checksum sentence_checksum document_checksum translation_checksum "
    "damage".split()
)


def contents(path: Path) -> Contents:
    """What a database holds, by table. Raises ValueError for a table that is not known here."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        dump = {name: Counter(connection.execute(query).fetchall()) for name, query in _QUERIES.items()}
        dump["run"] = Counter(_run(*row) for row in connection.execute(_RUNS))
        dump["token_segment"] = Counter(_token_rows(connection))
        dump["ngram_segment"] = Counter(_ngram_rows(connection))
        dump["annotation"] = Counter(_annotation_rows(connection))
        dump["annotation_attribute"] = Counter(_attribute_rows(connection))
        unknown = {row[0] for row in connection.execute(_TABLES)} - dump.keys() - _KEPT_BY_THE_STORE
    if unknown:
        raise ValueError(f"nothing is said of how to compare {', '.join(sorted(unknown))}")
    return dump


_ANNOTATIONS = "select id, language, source, sentences, lengths, begins, ends, remarks from annotation"


def _annotation_rows(connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """Each annotated sentence with its tokens: which of them share a segment depends on the time that there was."""
    texts = dict(connection.execute(_SENTENCES))
    for _, language, source, sentences, lengths, begins, ends, remarks in connection.execute(_ANNOTATIONS):
        cuts = np.cumsum(np.frombuffer(lengths, "<i4"))[:-1]
        columns = (np.split(np.frombuffer(blob, "<i4"), cuts) for blob in (begins, ends))
        lines = remarks.decode().split("\n")[:-1]
        for sentence, begin, end, line in zip(np.frombuffer(sentences, "<i8").tolist(), *columns, lines, strict=True):
            yield language, source, texts.get(sentence), tuple(begin.tolist()), tuple(end.tolist()), line


_VALUES = "select name, vocabulary, tokens from annotation_attribute where annotation = ?"


def _attribute_rows(connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    texts = dict(connection.execute(_SENTENCES))
    for number, language, source, sentences, lengths, *_ in connection.execute(_ANNOTATIONS).fetchall():
        cuts = np.cumsum(np.frombuffer(lengths, "<i4"))[:-1]
        for name, vocabulary, tokens in connection.execute(_VALUES, (number,)):
            values = vocabulary.decode().split("\n")
            for sentence, part in zip(
                np.frombuffer(sentences, "<i8").tolist(), np.split(np.frombuffer(tokens, "<i4"), cuts), strict=True
            ):
                if name == "word" or part.any():
                    yield language, source, name, texts.get(sentence), tuple(values[each] for each in part.tolist())


def _run(operation: str, parameters: str, counts: str, finished: int) -> tuple[Any, ...]:
    said = {name: value for name, value in json.loads(parameters).items() if name not in _NUMBERED}
    return operation, json.dumps(said, sort_keys=True), counts, finished


_TYPES = "select language, text from type order by id"
_TOKENS = "select language, first_sentence, sentences, lengths, tokens, text from token_segment"
_SENTENCES = "select id, text from sentence"


def _token_rows(connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """Each sentence of each segment with its tokens, so that one that stands in two segments is there twice."""
    types: dict[str, list[str]] = {}
    for language, text in connection.execute(_TYPES):
        types.setdefault(language, []).append(text)
    sentences: dict[int, str] = dict(connection.execute(_SENTENCES))
    for language, first, ids, lengths, tokens, text in connection.execute(_TOKENS):
        words = [types[language][place] for place in unpacked(tokens).tolist()]
        start = 0
        rows = zip(unpacked_steps(first, ids).tolist(), unpacked(lengths).tolist(), strict=True)
        for (sentence, length), line in zip(rows, decompressed(text).decode().split("\n")[:-1], strict=True):
            yield language, sentences.get(sentence), line, *words[start : start + length]
            start += length


_NGRAMS = "select language, first_sentence, sentences, text, suffixes from ngram_segment"


def _ngram_rows(connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """Each segment whole: its sentences, their text and its suffixes."""
    sentences: dict[int, str] = dict(connection.execute(_SENTENCES))
    for language, first, ids, text, suffixes in connection.execute(_NGRAMS):
        held = tuple(sentences.get(number) for number in unpacked_steps(first, ids).tolist())
        yield language, held, decompressed(text), suffixes


LOCK = ("job_lock",)
"""The table with the lock of a job, which one that could not end leaves behind."""
_SHOWN = 3


def differences(found: Contents, expected: Contents, ignored: Iterable[str] = ()) -> list[str]:
    """What one has more and less than the other, a line for each table."""
    told = []
    for table in sorted(found.keys() - set(ignored)):
        more, less = found[table] - expected[table], expected[table] - found[table]
        if more or less:
            told.append(f"{table}: {_some('more', more)}{', ' if more and less else ''}{_some('less', less)}")
    return told


def _some(what: str, rows: Counter[tuple[Any, ...]]) -> str:
    if not rows:
        return ""
    shown = "; ".join(f"{repr(row)[:160]}" for row in sorted(rows, key=repr)[:_SHOWN])
    return f"{rows.total()} {what} ({shown})"

-- Scores of systems with their signatures, and all that is needed to compute them again.

create table reference_set (
    id integer primary key,
    digest text not null,                 -- SHA-256 of sources and references; signatures have its first 16 digits
    origin text not null check (origin in ('corpus', 'files')),
    parameters text not null,             -- JSON: from the corpus, what the set can be made anew from; else the files
    segments integer not null,
    texts blob not null,                  -- zlib of JSON: [[source, [reference, ...]], ...] by segment
    run integer not null references run (id),
    unique (digest, parameters)           -- the corpus may give the same set for two ways of asking, and later not
) strict;

create table system_output (
    id integer primary key,
    system text not null,
    digest text not null,                 -- SHA-256 of the lines, each ended by LF
    segments integer not null,
    texts blob not null,                  -- zlib of JSON: [hypothesis, ...] by segment; "" where there is none
    run integer not null references run (id),
    unique (system, digest)
) strict;

-- A score of another version of corpusdb has another signature, and is another row.
create table score (
    id integer primary key,
    output integer not null references system_output (id),
    reference_set integer not null references reference_set (id),
    metric text not null,                 -- bleu, nist, mwer, chrf, chrf++, ter
    unit text not null check (unit in ('word', 'char')),
    ngram_order integer,                  -- null where the metric has none
    value real not null,                  -- on the scale in which it is printed: BLEU, chrF and TER up to 100
    segment_values blob not null,         -- of each segment on the same scale: IEEE 754 binary64, little endian
    signature text not null,
    parameters text not null,             -- JSON: metric, unit, order, tokenisation, lowercase, smoothing
    run integer not null references run (id),
    scored text not null,                 -- UTC, ISO 8601
    unique (output, reference_set, signature)
) strict;

create index score_reference_set on score (reference_set);

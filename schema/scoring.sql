-- Scores of systems with their signatures, and all that is needed to compute them again.

-- Sources with their references, as scores were computed with them.
create table reference_set (
    id integer primary key,               -- its number
    digest text not null,                 -- SHA-256 of sources and references; signatures have its first 16 digits
    origin text not null check (origin in ('corpus', 'files')),     -- made from the corpus, or read
    parameters text not null,             -- JSON: from the corpus, what the set can be made anew from; else the files
    segments integer not null,            -- how many sources
    texts blob not null,                  -- zlib of JSON: [[source, [reference, ...]], ...] by segment
    run integer not null references run (id),               -- what stored it
    unique (digest, parameters)           -- the corpus may give the same set for two ways of asking, and later not
) strict;

-- The outputs of systems that were scored.
create table system_output (
    id integer primary key,               -- its number
    system text not null,                 -- its name
    digest text not null,                 -- SHA-256 of the lines, each ended by LF
    segments integer not null,            -- how many lines
    texts blob not null,                  -- zlib of JSON: [hypothesis, ...] by segment; "" where there is none
    run integer not null references run (id),               -- what stored it
    unique (system, digest)
) strict;

-- A score of another version of corpusdb has another signature, and is another row.
create table score (
    id integer primary key,               -- its number
    output integer not null references system_output (id),  -- what was scored
    reference_set integer not null references reference_set (id),   -- against what
    metric text not null,                 -- bleu, nist, mwer, chrf, chrf++, ter
    unit text not null check (unit in ('word', 'char')),    -- of which n-grams are made
    ngram_order integer,                  -- null where the metric has none
    value real not null,                  -- on the scale in which it is printed: BLEU, chrF and TER up to 100
    segment_values blob not null,         -- of each segment on the same scale: IEEE 754 binary64, little endian
    signature text not null,              -- all that the number depends on
    parameters text not null,             -- JSON: metric, unit, order, tokenisation, lowercase, smoothing
    run integer not null references run (id),               -- what computed it
    scored text not null,                 -- UTC, ISO 8601
    unique (output, reference_set, signature)
) strict;

create index score_reference_set on score (reference_set);

-- Scores that were not computed here: of other metrics (COMET, MetricX ...) and of people.
create table imported_score (
    id integer primary key,               -- its number
    output integer not null references system_output (id),  -- what was scored
    name text not null,                   -- of the metric or of the kind of human score, as its file names it
    kind text not null check (kind in ('metric', 'human')), -- who scored: a program or people
    value real not null,                  -- of the system: as given, else the mean over its segments that have one
    segment_values blob,                  -- IEEE 754 binary64, little endian, NaN for a segment without; null for none
    file text not null,                   -- the name of the file, without its folder
    digest text not null,                 -- SHA-256 of the file
    run integer not null references run (id),               -- the import
    imported text not null,               -- UTC, ISO 8601
    unique (output, name, kind)
) strict;

-- Reference sets that were made for outputs, and signed before any score on them was shown.
create table frozen_set (
    reference_set integer primary key references reference_set (id),    -- that is frozen
    name text not null unique,            -- as the user calls it
    guided_by text not null,              -- JSON: [[system, SHA-256 of its output], ...] that it was made for
    run integer not null references run (id),               -- what froze it
    frozen text not null                  -- UTC, ISO 8601
) strict;

-- What a score was computed on, or was promised to be, stays as it is.
create trigger reference_set_stays before update on reference_set
when exists (select 1 from score where reference_set = old.id)
  or exists (select 1 from frozen_set where reference_set = old.id)
begin
    select raise(abort, 'this reference set is frozen, or scores were computed on it');
end;

create trigger frozen_set_stays before update on frozen_set
begin
    select raise(abort, 'this reference set is frozen');
end;

create trigger frozen_set_remains before delete on frozen_set
begin
    select raise(abort, 'this reference set is frozen');
end;

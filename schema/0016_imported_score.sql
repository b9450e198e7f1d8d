-- Scores that were not computed here: of other metrics (COMET, MetricX ...) and of people.

create table imported_score (
    id integer primary key,
    output integer not null references system_output (id),
    name text not null,                   -- of the metric or of the kind of human score, as its file names it
    kind text not null check (kind in ('metric', 'human')),
    value real not null,                  -- of the system: as given, else the mean over its segments that have one
    segment_values blob,                  -- IEEE 754 binary64, little endian, NaN for a segment without; null for none
    file text not null,                   -- the name of the file, without its folder
    digest text not null,                 -- SHA-256 of the file
    run integer not null references run (id),
    imported text not null,               -- UTC, ISO 8601
    unique (output, name, kind)
) strict;

insert into checksum_since (name, since, against) values ('imported_score', 0, -1);

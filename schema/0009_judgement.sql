-- Judging by people: samples, and what each judge said of their items (Lepage & Denoual 2005, section 6).

create table sample (
    id integer primary key,
    name text not null unique,
    kind text not null check (kind in ('grammaticality', 'meaning')),
    language text not null,               -- ISO 639-3
    seed integer not null,                -- of the drawing and of the order
    parameters text not null,             -- JSON: size, order, marks, controls
    run integer not null references run (id)
) strict;

-- Text and figures stand as they were at the drawing: candidates are generated again, and judgements must not move.
create table sample_item (
    id integer primary key,
    sample integer not null references sample (id),
    position integer not null,            -- from 1, shuffled; the number by which judges know the item
    text text not null,
    seed_text text,                       -- null where grammaticality is judged
    source text not null check (source in ('candidate', 'detected', 'corpus')),  -- the last two are controls
    fluency integer not null,             -- as in candidate; 2147483647 when the corpus holds the whole
    inner_fluency integer not null,
    score real,                           -- the ranking score, 0 to 1; null for a sentence of the corpus
    frequency integer not null,           -- 0 for controls
    unique (sample, position)
) strict;

-- Rows are only added: one that is said again or taken back stays, and what counts is current_judgement.
create table judgement (
    id integer primary key,
    item integer not null references sample_item (id),
    judge text not null,
    verdict text not null check (verdict in ('yes', 'no', 'equivalence', 'entailment', 'neither', 'skip')),
    comment text,
    judged text not null,                 -- UTC, ISO 8601
    undone text                           -- UTC, ISO 8601; null: it stands
) strict;

create index judgement_item on judgement (item, judge);

create trigger judgement_stays before delete on judgement
begin
    select raise(abort, 'judgements are never deleted');
end;

create trigger judgement_unchanged before update of id, item, judge, verdict, comment, judged on judgement
begin
    select raise(abort, 'judgements are never changed, only undone');
end;

-- The last of each judge on each item that was not taken back; SQLite takes the other columns from the row of max(id).
create view current_judgement as
select max(id) as id, item, judge, verdict, comment from judgement where undone is null group by item, judge;

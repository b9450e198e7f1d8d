-- What people say of paraphrases: samples that are judged, and sessions in which paraphrases are accepted.

-- Judging by people: samples, and what each judge said of their items (Lepage & Denoual 2005, section 6).

-- What was drawn at once to be judged.
create table sample (
    id integer primary key,               -- its number
    name text not null unique,            -- as the user calls it
    kind text not null check (kind in ('grammaticality', 'meaning')),           -- of sentences; of pairs with their seed
    language text not null,               -- ISO 639-3
    seed integer not null,                -- of the drawing and of the order
    parameters text not null,             -- JSON: size, order, marks, controls
    run integer not null references run (id)                -- the drawing
) strict;

-- Text and figures stand as they were at the drawing: candidates are generated again, and judgements must not move.
create table sample_item (
    id integer primary key,               -- its number
    sample integer not null references sample (id),         -- in which it was drawn
    position integer not null,            -- from 1, shuffled; the number by which judges know the item
    text text not null,                   -- what is judged
    seed_text text,                       -- null where grammaticality is judged
    source text not null check (source in ('candidate', 'detected', 'corpus')),  -- the last two are controls
    fluency integer not null,             -- as in candidate; 2147483647 when the corpus holds the whole
    inner_fluency integer not null,       -- the same without the marks at both ends
    score real,                           -- the ranking score, 0 to 1; null for a sentence of the corpus
    frequency integer not null,           -- 0 for controls
    unique (sample, position)
) strict;

-- Rows are only added: one that is said again or taken back stays, and what counts is current_judgement.
create table judgement (
    id integer primary key,               -- ascending: the last counts
    item integer not null references sample_item (id),      -- what was judged
    judge text not null,                  -- the name of the person
    verdict text not null check (verdict in ('yes', 'no', 'equivalence', 'entailment', 'neither', 'skip')),  -- by kind
    comment text,                         -- of the judge
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

-- Paraphrase sessions: seeds in a queue, and what a person decided of their paraphrases. A session that was deleted is
-- out of all lists and can be brought back: decisions are never deleted.
create table session (
    id integer primary key,               -- its number
    name text not null unique,            -- as the user calls it; of a deleted one, one that no other can have
    language text not null,               -- ISO 639-3
    least_order integer not null check (least_order >= 0),  -- N of the filter, as it was left
    position integer not null check (position >= 1),        -- of the seed that is open, as it was left
    made text not null,                   -- UTC, ISO 8601
    last_used text not null,              -- UTC, ISO 8601
    run integer not null references run (id),               -- what began it
    least_validity real check (least_validity between 0 and 1),   -- V of the filter, as it was left; null: the usual one
    is_real integer not null default 0 check (is_real in (0, 1)),  -- 1: the filter leaves out mere contractions and marks
    address text not null default 'same' check (address in ('same', 'any')),  -- any: it takes any address, number, gender
    was_called text                       -- the name that a deleted one had; null: it was not deleted
) strict;

-- The queue of a session.
create table session_seed (
    id integer primary key,               -- its number
    session integer not null references session (id),       -- whose seed it is
    position integer not null,            -- from 1, without gaps
    text text not null,                   -- NFC; the corpus need not hold it
    state text not null default 'waiting' check (state in ('waiting', 'seen', 'done')),     -- done: a person said so
    unique (session, position),
    unique (session, text)
) strict;

-- Rows are only added: what is decided anew or taken back stays, and what counts is current_decision.
create table session_decision (
    id integer primary key,               -- ascending: the last counts
    seed integer not null references session_seed (id),     -- whose paraphrase it is
    text text not null,                   -- the paraphrase
    verdict text not null check (verdict in ('accept', 'reject')),  -- what the person decided
    decided text not null,                -- UTC, ISO 8601
    undone text,                          -- UTC, ISO 8601; null: it stands
    applied integer references run (id),  -- what wrote the paraphrase into the corpus; null: nothing did
    check (undone is null or applied is null)
) strict;

create index session_decision_seed on session_decision (seed, text);

create trigger session_decision_stays before delete on session_decision
begin
    select raise(abort, 'decisions are never deleted');
end;

create trigger session_decision_unchanged before update of id, seed, text, verdict, decided on session_decision
begin
    select raise(abort, 'decisions are never changed, only undone or applied');
end;

-- The last on each paraphrase of a seed that was not taken back; SQLite takes the other columns from the row of max(id).
create view current_decision as
select max(id) as id, seed, text, verdict, applied from session_decision where undone is null group by seed, text;

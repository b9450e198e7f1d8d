-- Paraphrase sessions: seeds in a queue, and what a person decided of their paraphrases.

create table session (
    id integer primary key,
    name text not null unique,
    language text not null,               -- ISO 639-3
    least_order integer not null check (least_order >= 0),  -- N of the filter, as it was left
    position integer not null check (position >= 1),        -- of the seed that is open, as it was left
    made text not null,                   -- UTC, ISO 8601
    last_used text not null,              -- UTC, ISO 8601
    run integer not null references run (id)
) strict;

create table session_seed (
    id integer primary key,
    session integer not null references session (id),
    position integer not null,            -- from 1, without gaps
    text text not null,                   -- NFC; the corpus need not hold it
    state text not null default 'waiting' check (state in ('waiting', 'seen', 'done')),
    unique (session, position),
    unique (session, text)
) strict;

-- Rows are only added: what is decided anew or taken back stays, and what counts is current_decision.
create table session_decision (
    id integer primary key,
    seed integer not null references session_seed (id),
    text text not null,                   -- the paraphrase
    verdict text not null check (verdict in ('accept', 'reject')),
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

-- Slots and commutations: the index in which an analogy is a rectangle of two contexts and two fillers.

create table context (
    id integer primary key,
    language text not null,
    hash integer not null,                -- of what stands before and after the gap
    fillers integer not null,             -- how many sentences have this context, at least 2
    sentence integer not null references sentence (id),  -- the first that has it
    start integer not null,               -- its gap there, in code points
    stop integer not null
) strict;

create unique index context_hash on context (hash, language);

create table filler (
    id integer primary key,
    language text not null,
    hash integer not null,
    text text not null,                   -- with the space before it; empty for an insertion
    contexts integer not null             -- in how many slots it stands, at least 2
) strict;

create unique index filler_hash on filler (hash, language);

create table slot (
    context integer not null references context (id),
    filler integer not null references filler (id),
    sentence integer not null references sentence (id),
    primary key (context, filler)
) strict, without rowid;

create index slot_filler on slot (filler, context);
create index slot_sentence on slot (sentence, context, filler);

create table commutation (
    x integer not null references filler (id),
    y integer not null references filler (id),
    contexts integer not null,            -- in how many contexts x and y both stand, at least 2
    primary key (x, y),
    check (x < y)
) strict, without rowid;

-- The filler of a slot that stands in a paraphrase of the slot's sentence too, and where.
create table substitution (
    context integer not null references context (id),
    filler integer not null references filler (id),
    rewording integer not null references sentence (id),  -- the paraphrase B' of B
    sentence integer not null references sentence (id),   -- B
    start integer,                        -- where the filler stands in B', in code points; null: empty, more than once, or
    stop integer,                         -- not between units, so that the general solver has to find the place
    primary key (context, filler, rewording)
) strict, without rowid;

create index substitution_sentence on substitution (sentence);

create view context_text as
select context.id, context.language, context.fillers,
       substr(sentence.text, 1, context.start) || '␣' || substr(sentence.text, context.stop + 1) as text
from context join sentence on sentence.id = context.sentence;

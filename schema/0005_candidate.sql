-- Generated paraphrases (Lepage & Denoual 2005, sections 4.3 and 4.4).

create table seed (
    id integer primary key,
    language text not null,
    text text not null,
    sentence integer references sentence (id),  -- null: the seed is not in the corpus
    run integer not null references run (id),
    unique (language, text)
) strict;

create index seed_sentence on seed (sentence);

create table candidate (
    id integer primary key,
    seed integer not null references seed (id),
    text text not null,
    frequency integer not null,           -- how many analogies yield it
    pivots integer not null,              -- how many different paraphrases B' stand behind it
    languages integer not null,           -- in how many languages B and B' share a translation
    probability real not null,            -- the highest p(B' given B) behind it
    fluency integer not null,             -- the largest N whose N-sequences were all seen; 2147483647 when the whole was
    inner_fluency integer not null,       -- the same without the marks at both ends
    unseen integer,                       -- hash of the first unseen sequence of fluency + 1 characters
    inner_unseen integer,
    run integer not null references run (id)
) strict;

create index candidate_seed on candidate (seed);
create index candidate_unseen on candidate (unseen) where unseen is not null;
create index candidate_inner_unseen on candidate (inner_unseen) where inner_unseen is not null;

-- Validity and word gain are counted in parts, which take two bytes where a real number takes eight. The real numbers are
-- computed: of the type any, since SQLite sorts those of type real as integers where they are whole. Hashes of what was
-- not seen are cut to 32 bits, and where both sequences are the same that of the second is left out.

create table compact_paraphrase (
    sentence integer not null references sentence (id),     -- the one
    paraphrase integer not null references sentence (id),   -- the other, of the same language
    translations integer not null,        -- how many translations the two share
    languages text not null,              -- in which languages, ascending, separated by commas
    probability real not null,            -- p(paraphrase given sentence), pivoted over the shared translations
    run integer not null references run (id),               -- the detection
    validity_parts integer,               -- the probability that it holds, in parts of 1/10000; null where not known
    validity any generated always as (validity_parts / 10000.0) virtual,    -- the same from 0 to 1
    primary key (sentence, paraphrase)
) strict, without rowid;

insert into compact_paraphrase (sentence, paraphrase, translations, languages, probability, run, validity_parts)
select sentence, paraphrase, translations, languages, probability, run, round(validity * 10000)
from paraphrase;

drop table paraphrase;
alter table compact_paraphrase rename to paraphrase;

create table compact_candidate (
    id integer primary key,               -- its number
    seed integer not null references seed (id),             -- what it paraphrases
    text text not null,                   -- the paraphrase
    frequency integer not null,           -- how many analogies yield it
    pivots integer not null,              -- how many different paraphrases B' stand behind it
    languages integer not null,           -- in how many languages B and B' share a translation
    probability real not null,            -- the highest p(B' given B) behind it
    fluency integer not null,             -- the largest N whose N-sequences were all seen; 2147483647 when the whole was
    inner_fluency integer not null,       -- the same without the marks at both ends
    unseen integer,                       -- hash, in 32 bits, of the first unseen sequence of fluency + 1 characters
    other_unseen integer,                 -- the same of inner_fluency, where it is another sequence
    inner_unseen any generated always as (iif(inner_fluency = 2147483647, null, coalesce(other_unseen, unseen))) virtual,  -- whether another or not
    run integer not null references run (id),               -- what generated it
    validity_parts integer,               -- the probability that it holds, in parts of 1/10000; null where not known
    validity any generated always as (validity_parts / 10000.0) virtual,    -- the same from 0 to 1
    word_gain_parts integer,              -- log10 of its probability as a sentence less that of the seed, in parts of 1/100; null: not known
    word_gain any generated always as (word_gain_parts / 100.0) virtual,    -- the same as a number
    replacement integer                   -- why fewer than N will do: 1: it only replaces, with evidence; 2 or 4 more: it is probably a sentence
) strict;

insert into compact_candidate (id, seed, text, frequency, pivots, languages, probability, fluency, inner_fluency,
       unseen, other_unseen, run, validity_parts, word_gain_parts, replacement)
select id, seed, text, frequency, pivots, languages, probability, fluency, inner_fluency, unseen >> 32,
       iif(inner_unseen is not unseen, inner_unseen >> 32, null), run, round(validity * 10000),
       round(word_gain * 100), replacement
from candidate;

drop table candidate;
alter table compact_candidate rename to candidate;

create table compact_rewording (
    sentence integer not null references sentence (id),     -- the seed, D
    text text not null,                   -- what it becomes
    pivots integer not null,              -- how many different paraphrases B' stand behind it; 0: none
    languages integer not null,           -- in how many languages B and B' share a translation
    probability real not null,            -- the highest p(B' given B) behind it
    fluency integer not null,             -- the largest N whose N-sequences were all seen; 2147483647 when the whole was
    inner_fluency integer not null,       -- the same without the marks at both ends
    validity_parts integer not null,      -- the probability that it holds, in parts of 1/10000
    validity any generated always as (validity_parts / 10000.0) virtual,    -- the same from 0 to 1
    replacement integer not null,         -- why fewer than N will do: 1: it only replaces, with evidence; 2 or 4 more: it is probably a sentence
    parts integer not null,               -- how many paraphrases of the seed were put together; 1: it is one by itself
    word_gain_parts integer,              -- log10 of its probability as a sentence less that of the seed, in parts of 1/100; null: not known
    word_gain any generated always as (word_gain_parts / 100.0) virtual,    -- the same as a number
    run integer not null references run (id),               -- what made it
    primary key (sentence, text)
) strict, without rowid;

insert into compact_rewording (sentence, text, pivots, languages, probability, fluency, inner_fluency, validity_parts,
       replacement, parts, word_gain_parts, run)
select sentence, text, pivots, languages, probability, fluency, inner_fluency, round(validity * 10000), replacement,
       parts, round(word_gain * 100), run
from rewording;

drop table rewording;
alter table compact_rewording rename to rewording;

create index candidate_seed on candidate (seed);
create index candidate_unseen on candidate (unseen) where unseen is not null;
create index candidate_other_unseen on candidate (other_unseen) where other_unseen is not null;

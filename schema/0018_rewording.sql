-- Sentences of the corpus reworded by exchanges of words that nearly always keep a translation.

-- D and B stand in one context, B' is a paraphrase of B, and the text is what D becomes as B became B'. No other context
-- shows how D and B differ, so that the analogies of the table candidate do not have it.
create table rewording (
    sentence integer not null references sentence (id),  -- the seed, D
    text text not null,
    pivots integer not null,              -- how many different paraphrases B' stand behind it
    languages integer not null,           -- in how many languages B and B' share a translation
    probability real not null,            -- the highest p(B' given B) behind it
    fluency integer not null,             -- the largest N whose N-sequences were all seen; 2147483647 when the whole was
    inner_fluency integer not null,       -- the same without the marks at both ends
    validity real not null,               -- the probability that it holds
    run integer not null references run (id),
    primary key (sentence, text)
) strict, without rowid;

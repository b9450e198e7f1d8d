-- Paraphrases detected through shared translations (Lepage & Denoual 2005, section 4.2).

create table paraphrase (
    sentence integer not null references sentence (id),
    paraphrase integer not null references sentence (id),
    translations integer not null,        -- how many translations the two share
    languages text not null,              -- in which languages, ascending, separated by commas
    probability real not null,            -- p(paraphrase given sentence), pivoted over the shared translations
    run integer not null references run (id),
    primary key (sentence, paraphrase)
) strict, without rowid;

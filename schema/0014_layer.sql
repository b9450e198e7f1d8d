-- A derived layer of any name may be kept: which there are, and how each is kept up to date, says the program.

create table new_layer (
    language text not null,
    name text not null,
    parameters text not null,             -- JSON
    last_sentence integer not null,       -- sentences up to this id are in it
    last_run integer not null,            -- translations of runs up to this id are in it
    complete integer not null check (complete in (0, 1)),
    run integer not null references run (id),
    primary key (language, name)
) strict, without rowid;

insert into new_layer select language, name, parameters, last_sentence, last_run, complete, run from layer;
drop table layer;
alter table new_layer rename to layer;

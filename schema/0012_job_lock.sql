-- Who is changing the corpus or what is derived from it: one job at a time, of all processes on all machines. At most one
-- row, which is there while a job runs, and after one that was killed.

create table job_lock (
    id integer primary key check (id = 1),
    token text not null,                  -- drawn at random; a job whose token is gone has lost the lock
    operation text not null,              -- import, generate ...
    host text not null,                   -- the name of the machine
    boot text not null,                   -- of the machine and its process numbers; '' where the system does not tell
    pid integer not null,
    process_started integer not null,     -- tells a later process of the same number apart; 0 where it is not known
    started text not null,                -- UTC, ISO 8601
    beats integer not null                -- grows while the job runs
) strict;

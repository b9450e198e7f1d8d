-- A session keeps the least validity of its filter, as it keeps N.

alter table session add column least_validity real check (least_validity between 0 and 1);  -- null: the usual one

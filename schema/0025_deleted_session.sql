-- A session that was deleted is out of all lists and can be brought back: decisions are never deleted.

alter table session add column was_called text;  -- the name that a deleted one had; null: it was not deleted

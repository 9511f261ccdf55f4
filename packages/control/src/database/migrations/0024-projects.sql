-- The check of a project item. What it is tied to is a value of the item, without a foreign key: a tie outlives its site, and says so, because
-- what was ordered must not shrink by itself.
ALTER TABLE project_items
  ADD COLUMN check_state text NOT NULL DEFAULT 'not_started',
  ADD COLUMN due_date date,
  ADD COLUMN check_note text NOT NULL DEFAULT '',
  ADD COLUMN attack_classes text[] NOT NULL DEFAULT '{}',
  ADD COLUMN ties jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(ties) = 'array' AND octet_length(ties::text) <= 2097152);

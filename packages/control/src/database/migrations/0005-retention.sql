-- A retention that was changed is brought to what is stored by the control plane, some minutes later: here it notes which
-- one the stored record has.
ALTER TABLE organizations
  ADD COLUMN retention_changed_at timestamptz(3) NOT NULL DEFAULT now(),
  ADD COLUMN stored_retention_days integer NOT NULL DEFAULT 90;
UPDATE organizations SET stored_retention_days = retention_days;

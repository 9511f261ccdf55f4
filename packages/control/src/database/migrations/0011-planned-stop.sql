-- The end that a site had before it was closed by `disable`, which sets its end to that moment; null where it was not, or has an end
-- of its own again. Opening the site again brings it back.
ALTER TABLE sites ADD COLUMN planned_stops_at timestamptz(3);

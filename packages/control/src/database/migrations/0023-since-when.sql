-- Since when a watched state is so, and when something was first seen of a subject. Of what was there before, nobody knows;
-- what the version before writes has a beginning of its state and none of its sighting.
ALTER TABLE notification_states ADD COLUMN since timestamptz(3);
ALTER TABLE notification_states ALTER COLUMN since SET DEFAULT now();
ALTER TABLE notification_sightings ADD COLUMN first_seen_at timestamptz(3);
CREATE INDEX notification_sightings_newest ON notification_sightings (org_id, first_seen_at)
  WHERE first_seen_at IS NOT NULL;

-- Telling people: where an organization is told of what happens, what there was to tell, and each way of one to the other.
CREATE TABLE notification_destinations (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('webhook', 'email')),
  name text NOT NULL,
  -- Encrypted (secrets/): the URL or the address, and the keys that sign. URLs of webhooks are secrets often enough.
  target text NOT NULL,
  keys text NOT NULL DEFAULT '',
  types text[] NOT NULL,
  is_enabled boolean NOT NULL DEFAULT true,
  -- Why it was disabled by itself; empty where a person did it, or nobody.
  disabled_because text NOT NULL DEFAULT '' CHECK (disabled_because IN ('', 'gone', 'failing')),
  -- Of an address: SHA-256 of the code that was sent to it, in hex, until somebody has shown that code. Empty from then on.
  code_hash text NOT NULL DEFAULT '',
  code_attempts integer NOT NULL DEFAULT 0,
  -- Since when no attempt has succeeded.
  failing_since timestamptz(3),
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT 1,
  UNIQUE (org_id, id)
);
CALL make_tenant_table('notification_destinations');

CREATE TABLE notifications (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  type text NOT NULL,
  -- The one thing that it is about: so many of one type and subject are told in an hour.
  subject text NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  data jsonb NOT NULL,
  UNIQUE (org_id, id)
);
CREATE INDEX notifications_subject ON notifications (org_id, type, subject, created_at);
CALL make_tenant_table('notifications');

CREATE TABLE notification_deliveries (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  destination_id uuid NOT NULL,
  notification_id uuid NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed', 'cancelled')),
  -- Raised when an attempt begins, so that the outcome of one that was given up on is known as such.
  attempts integer NOT NULL DEFAULT 0,
  -- The attempts that were made before it was last replayed; they do not count for the next pause.
  attempts_before integer NOT NULL DEFAULT 0,
  -- Of one that is being sent: when it counts as given up, because the process that sent it is gone.
  next_attempt_at timestamptz(3) NOT NULL DEFAULT now(),
  last_attempt_at timestamptz(3),
  -- How the last attempt ended; empty before the first, and during one.
  outcome text NOT NULL DEFAULT '',
  -- Status that the receiver answered; 0 for none.
  status integer NOT NULL DEFAULT 0,
  UNIQUE (org_id, destination_id, notification_id),
  FOREIGN KEY (org_id, destination_id) REFERENCES notification_destinations (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, notification_id) REFERENCES notifications (org_id, id) ON DELETE CASCADE
);
CREATE INDEX notification_deliveries_newest ON notification_deliveries (org_id, id);
CREATE INDEX notification_deliveries_notification ON notification_deliveries (org_id, notification_id);
CREATE INDEX notification_deliveries_due ON notification_deliveries (next_attempt_at) WHERE state = 'waiting';
CREATE INDEX notification_deliveries_waiting ON notification_deliveries (org_id, destination_id, next_attempt_at)
  WHERE state = 'waiting';
CALL make_tenant_table('notification_deliveries');

-- What was last seen of things whose change is told. A thing in its usual state has no row.
CREATE TABLE notification_states (
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  kind text NOT NULL,
  subject text NOT NULL,
  state text NOT NULL,
  data jsonb NOT NULL,
  PRIMARY KEY (org_id, kind, subject)
);
CALL make_tenant_table('notification_states');

-- What was seen of a site or researcher in its traffic: attack classes, networks, tools.
CREATE TABLE notification_sightings (
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  kind text NOT NULL,
  subject text NOT NULL,
  value text NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  PRIMARY KEY (org_id, kind, subject, value)
);
CALL make_tenant_table('notification_sightings');

-- What an organization is told of gateways is found across organizations.
GRANT SELECT ON gateways TO sallyport_installation;

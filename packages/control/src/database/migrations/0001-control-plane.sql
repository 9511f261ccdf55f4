-- The first schema of the control plane.
--
-- Two roles use it. `sallyport_app` serves requests: row-level security shows it one organization, the one that
-- `app.org_id` of its transaction names, and nothing without one. `sallyport_installation` may only read, but across
-- organizations: what gateways must know, and whose key a presented key is. The application takes that role for a
-- transaction in one place (database.ts); nothing can be written under it.

DO $$
BEGIN
  CREATE ROLE sallyport_app NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$
BEGIN
  CREATE ROLE sallyport_installation NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$
BEGIN
  IF current_setting('server_version_num')::integer >= 160000 THEN
    EXECUTE 'GRANT sallyport_installation TO sallyport_app WITH INHERIT FALSE, SET TRUE';
  ELSE
    -- PostgreSQL 15 has this for a role as a whole, and cannot read the other statement.
    ALTER ROLE sallyport_app NOINHERIT;
    GRANT sallyport_installation TO sallyport_app;
  END IF;
EXCEPTION WHEN unique_violation THEN NULL;
END $$;
GRANT USAGE ON SCHEMA public TO sallyport_app, sallyport_installation;

-- The organization of the transaction; null where none is set, which no row equals.
CREATE FUNCTION current_organization() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT nullif(current_setting('app.org_id', true), '')::uuid $$;

-- The one rule for tables that hold what belongs to an organization: an `org_id`, an index that begins with it,
-- row-level security that binds even the owner, and grants. The subselect makes PostgreSQL read the setting once a
-- query and not once a row. A table that does not go through here says why in its comment; a test compares.
CREATE PROCEDURE make_tenant_table(tenant_table regclass, privileges text DEFAULT 'SELECT, INSERT, UPDATE, DELETE')
LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM pg_index i
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
    WHERE i.indrelid = tenant_table AND a.attname = 'org_id'
  ) THEN
    RAISE EXCEPTION 'table % has no index that begins with org_id', tenant_table;
  END IF;
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', tenant_table);
  EXECUTE format(
    'CREATE POLICY own_organization ON %s USING (org_id = (SELECT current_organization()))', tenant_table);
  EXECUTE format(
    'CREATE POLICY whole_installation ON %s FOR SELECT TO sallyport_installation USING (true)', tenant_table);
  EXECUTE format('GRANT %s ON %s TO sallyport_app', privileges, tenant_table);
  EXECUTE format('GRANT SELECT ON %s TO sallyport_installation', tenant_table);
END $$;

CREATE TABLE installation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Raised by every change that gateways must know of. Its row lock makes commits follow the order of revisions.
  revision bigint NOT NULL DEFAULT 1
);
COMMENT ON TABLE installation IS 'not a tenant table: the one row of the installation';
INSERT INTO installation DEFAULT VALUES;
GRANT SELECT, UPDATE ON installation TO sallyport_app;
GRANT SELECT ON installation TO sallyport_installation;

CREATE TABLE rate_limit_policies (
  name text PRIMARY KEY,
  site jsonb NOT NULL,
  per_researcher jsonb
);
COMMENT ON TABLE rate_limit_policies IS 'not a tenant table: the configuration of the operator';
CREATE TABLE plans (
  name text PRIMARY KEY,
  policies text[] NOT NULL
);
COMMENT ON TABLE plans IS 'not a tenant table: the configuration of the operator';
GRANT SELECT ON rate_limit_policies, plans TO sallyport_app, sallyport_installation;

INSERT INTO rate_limit_policies (name, site, per_researcher) VALUES
  ('fixed', '{"kind": "fixed", "limit": 600, "windowMs": 60000}', NULL),
  ('sliding', '{"kind": "sliding", "limit": 600, "windowMs": 60000, "segments": 6}', NULL),
  ('bucket', '{"kind": "bucket", "limit": 100, "refill": 50, "windowMs": 1000}', NULL),
  ('concurrency', '{"kind": "concurrency", "limit": 50}', NULL),
  ('shared', '{"kind": "sliding", "limit": 6000, "windowMs": 60000, "segments": 6}',
    '{"kind": "sliding", "limit": 1200, "windowMs": 60000, "segments": 6}');
INSERT INTO plans (name, policies) VALUES
  ('standard', ARRAY['fixed', 'sliding', 'bucket', 'concurrency', 'shared']),
  ('basic', ARRAY['fixed']);

CREATE TABLE organizations (
  org_id uuid PRIMARY KEY,
  name text NOT NULL,
  plan text NOT NULL DEFAULT 'standard' REFERENCES plans,
  credits bigint NOT NULL DEFAULT 0 CHECK (credits >= 0),
  is_suspended boolean NOT NULL DEFAULT false,
  stopped_at timestamptz(3),
  stopped_by text,
  retention_days integer NOT NULL DEFAULT 90 CHECK (retention_days BETWEEN 1 AND 3650),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT 1
);
CALL make_tenant_table('organizations');

CREATE TABLE credit_entries (
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  id uuid NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  balance bigint NOT NULL CHECK (balance >= 0),
  reason text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (org_id, id)
);
CALL make_tenant_table('credit_entries', 'SELECT, INSERT');

CREATE TABLE billing (
  org_id uuid PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  business_name text NOT NULL,
  vat text NOT NULL,
  address text NOT NULL,
  address_line_2 text NOT NULL,
  city text NOT NULL,
  zip_code text NOT NULL,
  country text NOT NULL,
  state text NOT NULL,
  email text NOT NULL,
  version bigint NOT NULL DEFAULT 1
);
CALL make_tenant_table('billing');

CREATE TABLE sites (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  -- As the organization wrote it; `origin_scheme`, `origin_host` and `origin_port` are what it means.
  origin_name text NOT NULL,
  origin_scheme text NOT NULL CHECK (origin_scheme IN ('http', 'https')),
  origin_host text NOT NULL,
  origin_port integer NOT NULL CHECK (origin_port BETWEEN 1 AND 65535),
  gated_name text NOT NULL UNIQUE,
  is_enabled boolean NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  stops_at timestamptz(3) NOT NULL,
  has_custom_list boolean NOT NULL DEFAULT false,
  -- Encrypted (secrets.ts), empty for none.
  credentials text NOT NULL DEFAULT '',
  instructions text NOT NULL DEFAULT '',
  rate_limit text NOT NULL DEFAULT '',
  block_list text NOT NULL DEFAULT '[]',
  firewall jsonb NOT NULL DEFAULT '{"mode": "observe", "overrides": [], "exclusions": []}',
  record_settings jsonb NOT NULL DEFAULT
    '{"queryValues": "keep", "clientAddress": "keep", "userAgent": "keep", "refuseAmbiguousTargets": false}',
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT 1,
  UNIQUE (org_id, id)
);
CALL make_tenant_table('sites');

CREATE TABLE site_definitions (
  org_id uuid NOT NULL,
  site_id uuid NOT NULL,
  document text NOT NULL,
  PRIMARY KEY (org_id, site_id),
  FOREIGN KEY (org_id, site_id) REFERENCES sites (org_id, id) ON DELETE CASCADE
);
CALL make_tenant_table('site_definitions');

CREATE TABLE researchers (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  email text NOT NULL,
  name text NOT NULL DEFAULT '',
  paused boolean NOT NULL DEFAULT false,
  expires_at timestamptz(3),
  -- Raised to end every session that was opened before.
  session_generation integer NOT NULL DEFAULT 1,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT 1,
  UNIQUE (org_id, id)
);
CREATE UNIQUE INDEX researchers_email ON researchers (org_id, lower(email));
CALL make_tenant_table('researchers');

CREATE TABLE researcher_keys (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  researcher_id uuid NOT NULL,
  -- The public beginning of the key, and SHA-256 of the whole in hex.
  lookup text NOT NULL,
  hash text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, researcher_id) REFERENCES researchers (org_id, id) ON DELETE CASCADE
);
CREATE INDEX researcher_keys_of_researcher ON researcher_keys (org_id, researcher_id);
CALL make_tenant_table('researcher_keys');

CREATE TABLE researcher_invitations (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  researcher_id uuid NOT NULL,
  -- SHA-256 of the token in the link, in hex.
  hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  FOREIGN KEY (org_id, researcher_id) REFERENCES researchers (org_id, id) ON DELETE CASCADE
);
CREATE INDEX researcher_invitations_of_researcher ON researcher_invitations (org_id, researcher_id);
CALL make_tenant_table('researcher_invitations');

CREATE TABLE site_researchers (
  org_id uuid NOT NULL,
  site_id uuid NOT NULL,
  researcher_id uuid NOT NULL,
  PRIMARY KEY (org_id, site_id, researcher_id),
  FOREIGN KEY (org_id, site_id) REFERENCES sites (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, researcher_id) REFERENCES researchers (org_id, id) ON DELETE CASCADE
);
CREATE INDEX site_researchers_of_researcher ON site_researchers (org_id, researcher_id);
CALL make_tenant_table('site_researchers');

CREATE TABLE projects (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name text,
  type text,
  description text,
  note text,
  launch_date timestamptz(3),
  end_date timestamptz(3),
  owner text,
  vendor text,
  report_deadline text,
  is_retest_needed boolean NOT NULL DEFAULT false,
  retesting_launch timestamptz(3),
  retesting_end timestamptz(3),
  access_type text,
  location text,
  created_by text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT 1,
  UNIQUE (org_id, id)
);
CALL make_tenant_table('projects');

CREATE TABLE project_items (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  project_id uuid,
  name text,
  type text,
  access_type text,
  location text,
  created_by text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT 1,
  UNIQUE (org_id, id),
  FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id) ON DELETE CASCADE
);
CREATE INDEX project_items_of_project ON project_items (org_id, project_id, id);
CALL make_tenant_table('project_items');

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'viewer')),
  -- The public beginning of the key, by which it is found, and SHA-256 of the whole in hex.
  lookup text NOT NULL,
  hash text NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_by text NOT NULL,
  created_by_email text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT 1,
  UNIQUE (org_id, id)
);
CREATE INDEX api_keys_lookup ON api_keys (lookup) WHERE revoked_at IS NULL;
CALL make_tenant_table('api_keys');

-- The audit log. `entry` is kept exactly as it was hashed; the columns after it repeat parts of it, to be searched by.
-- No foreign keys: its entries outlive what they tell of, and each would be one more row to lock.
CREATE TABLE audit_log (
  org_id uuid NOT NULL,
  sequence bigint NOT NULL,
  entry text NOT NULL,
  hash bytea NOT NULL,
  time timestamptz(3) NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  target text NOT NULL,
  PRIMARY KEY (org_id, sequence)
);
CALL make_tenant_table('audit_log', 'SELECT, INSERT');
CREATE TABLE audit_heads (
  org_id uuid PRIMARY KEY,
  sequence bigint NOT NULL DEFAULT 0,
  hash bytea NOT NULL DEFAULT ''
);
CALL make_tenant_table('audit_heads', 'SELECT, INSERT, UPDATE');

-- At which revision each thing that gateways know was last changed. A row whose thing is gone is a removal.
CREATE TABLE config_revisions (
  kind text NOT NULL,
  id text NOT NULL,
  org_id uuid,
  revision bigint NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX config_revisions_revision ON config_revisions (revision);
COMMENT ON TABLE config_revisions IS
  'not a tenant table: identifiers and numbers only, written by record_change, read by the config feed';
GRANT SELECT, INSERT, UPDATE ON config_revisions TO sallyport_app;
GRANT SELECT ON config_revisions TO sallyport_installation;

-- What was answered under an Idempotency-Key; the answer is encrypted, because it may hold a key shown once.
CREATE TABLE idempotency_keys (
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  key text NOT NULL,
  request_hash text NOT NULL,
  result text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (org_id, key)
);
CALL make_tenant_table('idempotency_keys');

-- Gateways as they last reported, so that every control process knows what runs where.
CREATE TABLE gateways (
  id text PRIMARY KEY,
  revision bigint NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  health jsonb NOT NULL,
  assertion_keys jsonb NOT NULL,
  journal jsonb NOT NULL
);
COMMENT ON TABLE gateways IS 'not a tenant table: gateways serve every organization';
GRANT SELECT, INSERT, UPDATE, DELETE ON gateways TO sallyport_app;

-- The last statement of every change: appends the audit entry to the chain of its organization and, where gateways
-- must know, raises the revision. Both rows are locked until the commit, in this order, so that entries and revisions
-- are committed in the order of their numbers. Returns the revision, or 0 where none was raised.
CREATE FUNCTION record_change(
  change_org uuid, change_entry text, change_time timestamptz, change_actor text, change_action text,
  change_target text, config_kinds text[], config_ids text[]
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  next_sequence bigint;
  next_hash bytea;
  next_revision bigint := 0;
BEGIN
  UPDATE audit_heads AS head
    SET sequence = head.sequence + 1, hash = sha256(head.hash || convert_to(change_entry, 'UTF8'))
    WHERE org_id = change_org RETURNING sequence, hash INTO next_sequence, next_hash;
  IF NOT FOUND THEN
    INSERT INTO audit_heads AS head (org_id, sequence, hash)
      VALUES (change_org, 1, sha256(convert_to(change_entry, 'UTF8')))
      ON CONFLICT (org_id) DO UPDATE
        SET sequence = head.sequence + 1, hash = sha256(head.hash || convert_to(change_entry, 'UTF8'))
      RETURNING sequence, hash INTO next_sequence, next_hash;
  END IF;
  INSERT INTO audit_log (org_id, sequence, entry, hash, time, actor, action, target)
    VALUES (change_org, next_sequence, change_entry, next_hash, change_time, change_actor, change_action,
      change_target);
  IF cardinality(config_kinds) > 0 THEN
    UPDATE installation SET revision = revision + 1 RETURNING revision INTO next_revision;
    -- Most changes are of one thing that has been changed before.
    UPDATE config_revisions SET revision = next_revision
      WHERE cardinality(config_kinds) = 1 AND kind = config_kinds[1] AND id = config_ids[1];
    IF NOT FOUND THEN
      INSERT INTO config_revisions (kind, id, org_id, revision)
        SELECT kind, id, change_org, next_revision FROM unnest(config_kinds, config_ids) AS changed (kind, id)
        ON CONFLICT (kind, id) DO UPDATE SET revision = excluded.revision;
    END IF;
  END IF;
  RETURN next_revision;
END $$;

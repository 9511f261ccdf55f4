-- Firewall rule sets that the operator has imported; every gateway runs them beside the default rules.
CREATE TABLE rule_sets (
  name text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  -- JSON in the engine's format.
  rules text NOT NULL,
  rule_count integer NOT NULL,
  imported_at timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE rule_sets IS 'not a tenant table: the configuration of the operator';
GRANT SELECT, INSERT, UPDATE, DELETE ON rule_sets TO sallyport_app;
GRANT SELECT ON rule_sets TO sallyport_installation;

-- Tells gateways of a change that belongs to no organization. The last statement of such a change.
CREATE FUNCTION record_installation_change(config_kind text, config_id text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  next_revision bigint;
BEGIN
  UPDATE installation SET revision = revision + 1 RETURNING revision INTO next_revision;
  INSERT INTO config_revisions (kind, id, org_id, revision)
    VALUES (config_kind, config_id, NULL, next_revision)
    ON CONFLICT (kind, id) DO UPDATE SET revision = excluded.revision;
  RETURN next_revision;
END $$;

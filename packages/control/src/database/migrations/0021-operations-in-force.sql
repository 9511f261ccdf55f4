-- Operations of a site's API that a person took into its definition.
CREATE TABLE confirmed_operations (
  org_id uuid NOT NULL,
  site_id uuid NOT NULL,
  method text NOT NULL,
  template text NOT NULL,
  -- As it was learned: parameters, media types, statuses.
  operation jsonb NOT NULL,
  confirmed_by text NOT NULL,
  confirmed_at timestamptz(3) NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, site_id) REFERENCES sites (org_id, id) ON DELETE CASCADE
);
-- A template can be longer than what an index holds.
CREATE UNIQUE INDEX confirmed_operations_key ON confirmed_operations (org_id, site_id, method, md5(template));
CALL make_tenant_table('confirmed_operations');

-- Templates of a site's API, and the work of learning them.
CREATE TABLE site_routes (
  org_id uuid NOT NULL,
  site_id uuid NOT NULL,
  -- Of the documents that were given.
  given text[] NOT NULL DEFAULT '{}',
  -- Each with when it was last learned, milliseconds since the epoch.
  learned jsonb NOT NULL DEFAULT '[]',
  -- What gateways are sent: given before confirmed before learned.
  routes text[] NOT NULL DEFAULT '{}',
  -- Whether what is given has changed since.
  is_due boolean NOT NULL DEFAULT false,
  learned_at timestamptz(3),
  -- Until when one control plane has it.
  claimed_until timestamptz(3),
  PRIMARY KEY (org_id, site_id),
  FOREIGN KEY (org_id, site_id) REFERENCES sites (org_id, id) ON DELETE CASCADE
);
CALL make_tenant_table('site_routes');
CREATE INDEX site_routes_due ON site_routes (org_id) WHERE is_due;

-- Whoever writes a definition, this version or the one before: its templates are read anew.
CREATE FUNCTION mark_routes_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE site_routes SET is_due = true WHERE org_id = OLD.org_id AND site_id = OLD.site_id;
  ELSE
    INSERT INTO site_routes (org_id, site_id, is_due) VALUES (NEW.org_id, NEW.site_id, true)
    ON CONFLICT (org_id, site_id) DO UPDATE SET is_due = true;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_routes_due AFTER INSERT OR UPDATE OR DELETE ON site_documents
  FOR EACH ROW EXECUTE FUNCTION mark_routes_due();

-- Definitions that are there already.
ALTER TABLE site_documents NO FORCE ROW LEVEL SECURITY;
ALTER TABLE site_routes NO FORCE ROW LEVEL SECURITY;
INSERT INTO site_routes (org_id, site_id, is_due) SELECT DISTINCT org_id, site_id, true FROM site_documents;
ALTER TABLE site_documents FORCE ROW LEVEL SECURITY;
ALTER TABLE site_routes FORCE ROW LEVEL SECURITY;

-- Sites that are one application on several hosts: a group owns a label under the gate domain, and its sites are one label below.
CREATE TABLE site_groups (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  gated_name text NOT NULL UNIQUE,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT 1,
  UNIQUE (org_id, id)
);
CALL make_tenant_table('site_groups');

ALTER TABLE sites ADD COLUMN group_id uuid;
ALTER TABLE sites ADD CONSTRAINT sites_group_fkey FOREIGN KEY (org_id, group_id) REFERENCES site_groups (org_id, id);
CREATE INDEX sites_group ON sites (org_id, group_id) WHERE group_id IS NOT NULL;

-- Every gated name, of sites and of groups: a name is either's, of one organization. The triggers keep it, whoever writes.
CREATE TABLE gated_names (
  name text PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE
);
CREATE INDEX gated_names_organization ON gated_names (org_id);
-- What is there already is of all organizations, which row-level security keeps even from the owner.
ALTER TABLE sites NO FORCE ROW LEVEL SECURITY;
INSERT INTO gated_names (org_id, name) SELECT org_id, gated_name FROM sites;
ALTER TABLE sites FORCE ROW LEVEL SECURITY;
CALL make_tenant_table('gated_names');

-- A row whose name is taken is not inserted, as `ON CONFLICT DO NOTHING` has it; a change to such a name fails.
CREATE FUNCTION keep_gated_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM gated_names WHERE name = OLD.gated_name;
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' THEN
    UPDATE gated_names SET name = NEW.gated_name WHERE name = OLD.gated_name;
    RETURN NEW;
  END IF;
  INSERT INTO gated_names (org_id, name) VALUES (NEW.org_id, NEW.gated_name) ON CONFLICT (name) DO NOTHING;
  RETURN CASE WHEN FOUND THEN NEW END;
END $$;
CREATE TRIGGER keep_gated_name BEFORE INSERT OR DELETE ON sites
  FOR EACH ROW EXECUTE FUNCTION keep_gated_name();
CREATE TRIGGER change_gated_name BEFORE UPDATE OF gated_name ON sites
  FOR EACH ROW WHEN (OLD.gated_name IS DISTINCT FROM NEW.gated_name) EXECUTE FUNCTION keep_gated_name();
CREATE TRIGGER keep_gated_name BEFORE INSERT OR DELETE ON site_groups
  FOR EACH ROW EXECUTE FUNCTION keep_gated_name();
CREATE TRIGGER change_gated_name BEFORE UPDATE OF gated_name ON site_groups
  FOR EACH ROW WHEN (OLD.gated_name IS DISTINCT FROM NEW.gated_name) EXECUTE FUNCTION keep_gated_name();

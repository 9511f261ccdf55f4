-- An API definition as a rule: the table that it was compiled into, of sites that have it in force. Gateways are sent it as it stands.
CREATE TABLE site_definition_tables (
  org_id uuid NOT NULL,
  site_id uuid NOT NULL,
  -- The documents that it was compiled from, a line of name and hash each, and the hash of the table.
  source text NOT NULL,
  hash text NOT NULL,
  compiled text NOT NULL,
  operations integer NOT NULL,
  left_out jsonb NOT NULL,
  PRIMARY KEY (org_id, site_id),
  FOREIGN KEY (org_id, site_id) REFERENCES sites (org_id, id) ON DELETE CASCADE
);
CALL make_tenant_table('site_definition_tables');

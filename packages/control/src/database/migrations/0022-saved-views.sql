-- Views of the traffic under a name: the filters and the window of the console's address, of one member or of everyone.
CREATE TABLE saved_views (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name text NOT NULL,
  query text NOT NULL CHECK (octet_length(query) <= 8192),
  is_shared boolean NOT NULL,
  -- The subject that made it, and as whom people know it.
  created_by text NOT NULL,
  created_by_email text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT 1,
  UNIQUE (org_id, id)
);
CALL make_tenant_table('saved_views');

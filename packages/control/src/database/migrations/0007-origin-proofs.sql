-- Origins that an organization has proved to be its own. A proof by DNS stands for the name, whatever scheme and port; one by
-- file for the scheme and port that it was read from.
CREATE TABLE origin_proofs (
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  host text NOT NULL,
  scheme text NOT NULL CHECK (scheme IN ('', 'http', 'https')),
  port integer NOT NULL CHECK (port BETWEEN 0 AND 65535),
  method text NOT NULL CHECK (method IN ('dns', 'file')),
  proved_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (org_id, host, scheme, port),
  CHECK ((method = 'dns') = (scheme = '' AND port = 0))
);
CALL make_tenant_table('origin_proofs', 'SELECT, INSERT, DELETE');

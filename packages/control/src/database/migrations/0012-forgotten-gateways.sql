-- Gateways that an organization does not wait for any more, with when each had last been heard of; one that is heard of again counts again.
CREATE TABLE forgotten_gateways (
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  gateway_id text NOT NULL REFERENCES gateways ON DELETE CASCADE,
  seen_at timestamptz(3) NOT NULL,
  PRIMARY KEY (org_id, gateway_id)
);
CALL make_tenant_table('forgotten_gateways', 'SELECT, INSERT, UPDATE');

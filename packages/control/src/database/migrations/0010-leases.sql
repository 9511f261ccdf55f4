-- How long gateways go on serving an organization's sites without being told that their configuration is in force; null for ever.
-- The longest is what a gateway may still hold that has not heard of the organization's last change.
ALTER TABLE organizations
  ADD COLUMN lease_seconds integer DEFAULT 120 CHECK (lease_seconds >= 10),
  ADD COLUMN lease_longest_seconds integer DEFAULT 120,
  ADD CONSTRAINT organizations_lease CHECK (
    lease_longest_seconds IS NULL OR (lease_seconds IS NOT NULL AND lease_longest_seconds >= lease_seconds));

-- When a gateway was last vouched for, and at which revision; null for one of before leases, which serves for ever.
ALTER TABLE gateways
  ADD COLUMN version text NOT NULL DEFAULT '',
  ADD COLUMN granted_at timestamptz(3),
  ADD COLUMN granted_revision bigint;
GRANT SELECT ON gateways TO sallyport_installation;

-- Gateways that were not heard of for so long had been forgotten before; from now on nobody is forgotten by silence alone.
DELETE FROM gateways WHERE seen_at < now() - interval '10 minutes';

-- The organizations that a gateway serves, and is told of; null for all, also those to come.
ALTER TABLE gateway_enrolment_tokens ADD COLUMN org_ids uuid[] CHECK (cardinality(org_ids) BETWEEN 1 AND 100);
ALTER TABLE enrolled_gateways ADD COLUMN org_ids uuid[];
-- Of the configuration when it was enrolled: up to it, the gateway may run what it was told before.
ALTER TABLE enrolled_gateways ADD COLUMN enrolled_revision bigint NOT NULL DEFAULT 0;

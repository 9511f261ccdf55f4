-- Gateways with credentials of their own. Credentials and tokens are kept as the SHA-256 of their text, in hex.
CREATE TABLE enrolled_gateways (
  gateway_id text PRIMARY KEY CHECK (gateway_id ~ '^[A-Za-z0-9._-]{1,64}$'),
  enrolled_at timestamptz(3) NOT NULL DEFAULT now(),
  revoked_at timestamptz(3)
);
COMMENT ON TABLE enrolled_gateways IS 'not a tenant table: gateways serve every organization';
GRANT SELECT, INSERT, UPDATE ON enrolled_gateways TO sallyport_app;
GRANT SELECT ON enrolled_gateways TO sallyport_installation;

CREATE TABLE gateway_credentials (
  hash text PRIMARY KEY CHECK (hash ~ '^[0-9a-f]{64}$'),
  gateway_id text NOT NULL REFERENCES enrolled_gateways,
  issued_at timestamptz(3) NOT NULL DEFAULT now(),
  ends_at timestamptz(3) NOT NULL,
  -- Null while the gateway has asked for it and not shown it yet.
  first_used_at timestamptz(3),
  -- When a later one was shown. It is kept, so that one that comes back from an old copy is told from one that never was.
  superseded_at timestamptz(3)
);
CREATE INDEX gateway_credentials_gateway ON gateway_credentials (gateway_id);
COMMENT ON TABLE gateway_credentials IS 'not a tenant table: gateways serve every organization';
GRANT SELECT, INSERT, UPDATE, DELETE ON gateway_credentials TO sallyport_app;
GRANT SELECT ON gateway_credentials TO sallyport_installation;

CREATE TABLE gateway_enrolment_tokens (
  hash text PRIMARY KEY CHECK (hash ~ '^[0-9a-f]{64}$'),
  -- The one gateway that it enrols; null for any that is not enrolled yet.
  gateway_id text CHECK (gateway_id ~ '^[A-Za-z0-9._-]{1,64}$'),
  made_by text NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  -- The hash of the credential that it was used up for.
  used_for text
);
COMMENT ON TABLE gateway_enrolment_tokens IS 'not a tenant table: gateways serve every organization';
GRANT SELECT, INSERT, UPDATE, DELETE ON gateway_enrolment_tokens TO sallyport_app;
GRANT SELECT ON gateway_enrolment_tokens TO sallyport_installation;

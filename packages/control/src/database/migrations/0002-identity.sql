-- Members of organizations with their local accounts, and what the embedded identity provider keeps.

-- A member belongs to one organization; the same person in two organizations is two members, with two passwords, so
-- that no organization can learn from an address whether another one knows it.
CREATE TABLE members (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  email text NOT NULL,
  name text NOT NULL DEFAULT '',
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'viewer')),
  is_suspended boolean NOT NULL DEFAULT false,
  -- argon2id, as a PHC string; null until the invitation is taken up.
  password_hash text,
  -- SHA-256 of the token in the link by which a password can be set once, in hex.
  invitation_hash text UNIQUE,
  invitation_expires_at timestamptz(3),
  -- Tokens issued before are refused: the password was changed.
  tokens_valid_from timestamptz(3),
  last_sign_in_at timestamptz(3),
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT 1,
  UNIQUE (org_id, id)
);
CREATE UNIQUE INDEX members_email ON members (org_id, lower(email));
CREATE INDEX members_sign_in ON members (lower(email));
CALL make_tenant_table('members');

-- Sessions, codes, grants and refresh tokens. Identifiers are hashed and contents encrypted (identity/provider).
CREATE TABLE identity_artifacts (
  model text NOT NULL,
  id_hash text NOT NULL,
  uid_hash text,
  grant_id text,
  account_id text,
  sealed text NOT NULL,
  consumed_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (model, id_hash)
);
CREATE INDEX identity_artifacts_uid ON identity_artifacts (uid_hash) WHERE uid_hash IS NOT NULL;
CREATE INDEX identity_artifacts_grant ON identity_artifacts (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX identity_artifacts_account ON identity_artifacts (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX identity_artifacts_expiry ON identity_artifacts (expires_at);
COMMENT ON TABLE identity_artifacts IS
  'not a tenant table: most of it exists before anybody knows who signs in; contents are encrypted';

-- Private keys of the identity provider, encrypted.
CREATE TABLE identity_signing_keys (
  kid text PRIMARY KEY,
  sealed text NOT NULL,
  -- Published before it signs, so that every control process knows it by then.
  signs_from timestamptz(3) NOT NULL
);
COMMENT ON TABLE identity_signing_keys IS 'not a tenant table: keys of the installation';

-- Attempts to sign in, counted by account and by client address; keys are hashes.
CREATE TABLE sign_in_attempts (
  key text PRIMARY KEY,
  attempts integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_attempts_started ON sign_in_attempts (started_at);
COMMENT ON TABLE sign_in_attempts IS 'not a tenant table: counted before anybody knows who signs in';
GRANT SELECT, INSERT, UPDATE, DELETE ON identity_artifacts, identity_signing_keys, sign_in_attempts TO sallyport_app;

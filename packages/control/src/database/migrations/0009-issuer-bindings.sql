-- Who a member is at an issuer of the organization's own: the issuer, and its name for the person (`sub`), noted at the first
-- sign-in. An address can be given to somebody else there; a subject cannot (OpenID Connect Core 1.0, section 5.7).
ALTER TABLE members
  ADD COLUMN issuer text,
  ADD COLUMN subject text,
  ADD CONSTRAINT members_issuer_and_subject CHECK ((issuer IS NULL) = (subject IS NULL));
CREATE UNIQUE INDEX members_subject ON members (org_id, issuer, subject);

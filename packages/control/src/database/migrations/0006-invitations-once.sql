-- An invitation is used up by the first browser that takes it up. Which attempt that was stands here for the minute in which the
-- same attempt is answered again; then it lapses like any other.
ALTER TABLE researcher_invitations ADD COLUMN accepted_attempt text;
-- A gateway asks for an invitation by the hash of its token alone.
CREATE UNIQUE INDEX researcher_invitations_hash ON researcher_invitations (hash);

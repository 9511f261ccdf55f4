-- Whom researchers ask: an e-mail address or the address of a page; empty for nobody.
ALTER TABLE organizations ADD COLUMN contact text NOT NULL DEFAULT '' CHECK (length(contact) <= 320);

-- What the origin of a site makes of requests, by which its gate judges them, and what of them is forwarded.
ALTER TABLE sites ADD COLUMN forwarding_settings jsonb NOT NULL DEFAULT
  '{"pathConventions": [], "passesKnownHeadersOnly": false}';

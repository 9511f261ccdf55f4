-- The hosts outside of the gate to which the headers of an answer lead a browser: mostly none. They are an origin's words, and there
-- may be any number of different ones, so they are plain texts.
ALTER TABLE requests ADD COLUMN IF NOT EXISTS leads_to Array(String) CODEC(ZSTD(1));

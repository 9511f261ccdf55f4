-- How many host names the gate rewrote in the body of an answer: mostly none.
ALTER TABLE requests ADD COLUMN IF NOT EXISTS rewritten_names UInt32 CODEC(T64, ZSTD(1));

-- What the evidence of a hit amounts to, in percent, and of what that is made. Rows of before have no items here.
ALTER TABLE requests ADD COLUMN IF NOT EXISTS hit_scores Array(UInt16) CODEC(ZSTD(1));
ALTER TABLE requests ADD COLUMN IF NOT EXISTS hit_reasons Array(LowCardinality(String)) CODEC(ZSTD(1));

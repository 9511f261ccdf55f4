-- The last batch that was stored of each gateway. A gateway sends one batch after the other and repeats it until it is
-- acknowledged, so this is the only one that can come again, however much later.
CREATE TABLE IF NOT EXISTS stored_batches
(
  gateway_id String,
  batch_id String,
  time DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(time)
ORDER BY gateway_id
SETTINGS non_replicated_deduplication_window = 1000;

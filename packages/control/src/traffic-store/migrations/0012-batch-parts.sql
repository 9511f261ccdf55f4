-- Parts of batches that did not come whole, as they came, in base64, until the last one of their batch is there and for a week.
CREATE TABLE IF NOT EXISTS batch_parts
(
  time DateTime64(3, 'UTC'),
  gateway_id String,
  batch_id String,
  first UInt32,
  end UInt32,
  events UInt32,
  lines String CODEC(NONE)
)
ENGINE = MergeTree
ORDER BY (gateway_id, batch_id, first)
TTL toDateTime(time) + INTERVAL 7 DAY
SETTINGS min_rows_to_fsync_after_merge = 1;

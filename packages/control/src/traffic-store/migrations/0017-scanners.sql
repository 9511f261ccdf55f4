-- How sure it is that a scanner sent a request, and why: mostly 0 and nothing.
ALTER TABLE requests ADD COLUMN IF NOT EXISTS scanner_percent UInt16 CODEC(T64, ZSTD(1));
ALTER TABLE requests ADD COLUMN IF NOT EXISTS scanner_reason LowCardinality(String) CODEC(ZSTD(1));

-- Requests of what is a scanner by 80 percent and more, per hour and sender: what the situation counts of a month. A table of its own,
-- so that no view of another is exchanged, and there is nothing to fill it with: no request of before says how sure it is.
CREATE TABLE IF NOT EXISTS scanners_hours
(
  org_id LowCardinality(String),
  site_id LowCardinality(String),
  time DateTime('UTC') CODEC(Delta, ZSTD(1)),
  researcher_id LowCardinality(String),
  requests SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  retention_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (org_id, site_id, time, researcher_id)
TTL time + toIntervalDay(retention_days)
SETTINGS non_replicated_deduplication_window = 10000, min_rows_to_fsync_after_merge = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS scanners_hours_view TO scanners_hours AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  r.researcher_id AS researcher_id,
  sum(r.request_count) AS requests,
  max(r.retention_days) AS retention_days
FROM requests AS r
WHERE r.scanner_percent >= 80 AND r.kind != 'websocket_close'
GROUP BY org_id, site_id, time, researcher_id;
